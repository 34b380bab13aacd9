//! Sizes of panels: extra height for those that are read line by line, and readable widths for the
//! trace windows of a row.

use egui_tiles::{Container, LinearDir, Tile, TileId};
use stepback_debugger::action::PanelKind;

use crate::layout::{Dock, panes_in_order};
use crate::panels::Pane;

/// Desired height in points: the tab, bars and headings above a list, and about ten lines.
const WANTED: f32 = 292.0;
/// Minimum height of other lists in points, with about five lines.
const LEAST_LIST: f32 = 172.0;
/// Minimum share of the combined height that the neighbour keeps.
const LEFT: f32 = 0.4;

/// Height that one row of the dock took from another, until the panel closes.
#[derive(Debug)]
pub struct HeightTransfer {
    /// Panel that received the height.
    panel: TileId,
    column: TileId,
    taker: HeightShare,
    giver: HeightShare,
}

/// A row of a column, with its share of the height before and after the change.
#[derive(Clone, Copy, Debug)]
struct HeightShare {
    row: TileId,
    before: f32,
    since: f32,
}

/// Returns true if a kind of panel is read line by line.
fn wants_lines(kind: PanelKind) -> bool {
    matches!(kind, PanelKind::Why | PanelKind::Effects)
}

impl HeightTransfer {
    /// Enlarges the row of a new panel to the desired height, limited by what its tallest neighbour
    /// can give. Returns none if the row is tall enough, or before the first frame.
    pub fn for_panel(dock: &mut Dock, panel: TileId) -> Option<Self> {
        let wanted = match dock.tiles.get_pane(&panel).map(Pane::kind) {
            Some(kind) if wants_lines(kind) => WANTED,
            _ => LEAST_LIST,
        };
        let (column, row) = column_of(dock, panel)?;
        let height = dock.tiles.rect(row)?.height();
        let rows = children_of(dock, column)?;
        let others = rows.iter().filter(|other| **other != row);
        let heights = others.filter_map(|other| Some((*other, dock.tiles.rect(*other)?.height())));
        let (giver, other) = heights.max_by(|one, two| one.1.total_cmp(&two.1))?;
        let lacking = (wanted - height).min(other - LEFT * (height + other));
        if lacking < 1.0 {
            return None;
        }
        let Some(Tile::Container(Container::Linear(linear))) = dock.tiles.get_mut(column) else {
            return None;
        };
        let (own, others) = (linear.shares[row], linear.shares[giver]);
        let moved = lacking * (own + others) / (height + other);
        let taken = Self {
            panel,
            column,
            taker: HeightShare {
                row,
                before: own,
                since: own + moved,
            },
            giver: HeightShare {
                row: giver,
                before: others,
                since: others - moved,
            },
        };
        for HeightShare { row, since, .. } in [taken.taker, taken.giver] {
            linear.shares.set_share(row, since);
        }
        Some(taken)
    }

    /// Settles the transfer after its panel closed. Another panel that is read line by line in the
    /// same row keeps the height; otherwise it is returned.
    pub fn pass_on(mut self, dock: &mut Dock) -> Option<Self> {
        let is_heir = |tile: &TileId| {
            let kind = dock.tiles.get_pane(tile).map(Pane::kind);
            kind.is_some_and(wants_lines)
                && column_of(dock, *tile) == Some((self.column, self.taker.row))
        };
        match panes_in_order(dock).into_iter().find(is_heir) {
            Some(heir) => {
                self.panel = heir;
                Some(self)
            }
            None => {
                self.give_back(dock);
                None
            }
        }
    }

    /// Returns true if the transfer belongs to a panel.
    pub fn is_for(&self, panel: TileId) -> bool {
        self.panel == panel
    }

    /// Returns the height, unless the border was moved meanwhile.
    fn give_back(&self, dock: &mut Dock) {
        let Some(Tile::Container(Container::Linear(linear))) = dock.tiles.get_mut(self.column)
        else {
            return;
        };
        let rows = [self.taker, self.giver];
        let is_untouched = rows.iter().all(|part| {
            linear.children.contains(&part.row) && linear.shares[part.row] == part.since
        });
        if is_untouched {
            rows.iter()
                .for_each(|part| linear.shares.set_share(part.row, part.before));
        }
    }
}

/// Returns the column that contains a panel, and its row in the column.
fn column_of(dock: &Dock, panel: TileId) -> Option<(TileId, TileId)> {
    let mut row = panel;
    loop {
        let parent = dock.tiles.parent_of(row)?;
        if children_of(dock, parent).is_some() {
            return Some((parent, row));
        }
        row = parent;
    }
}

/// Returns the rows of a column, from the top; none if the tile is no column.
fn children_of(dock: &Dock, column: TileId) -> Option<Vec<TileId>> {
    match dock.tiles.get(column)? {
        Tile::Container(Container::Linear(linear)) if linear.dir == LinearDir::Vertical => {
            Some(linear.children.clone())
        }
        _ => None,
    }
}

/// Minimum width of a readable trace window, in points.
const LEAST: f32 = 230.0;

/// Gives equal widths to the trace windows of a row.
pub fn share_equally(dock: &mut Dock, row: Option<TileId>) {
    let Some(Tile::Container(Container::Linear(linear))) = row.and_then(|row| dock.tiles.get(row))
    else {
        return;
    };
    let traces: Vec<TileId> = linear
        .children
        .iter()
        .copied()
        .filter(|child| holds_traces(dock, *child))
        .collect();
    let shares: f32 = traces.iter().map(|child| linear.shares[*child]).sum();
    if let Some(Tile::Container(Container::Linear(linear))) =
        row.and_then(|row| dock.tiles.get_mut(row))
    {
        traces.iter().for_each(|child| {
            linear
                .shares
                .set_share(*child, shares / traces.len() as f32)
        });
    }
}

/// Leaves the width of a panel that is about to be closed to the trace windows of its row, or else
/// to its neighbour, so that registers keep theirs. Panels with tabs beside them leave nothing.
pub fn leave_width(dock: &mut Dock, panel: TileId) -> Option<()> {
    let mut child = panel;
    let (row, children) = loop {
        let parent = dock.tiles.parent_of(child)?;
        match (dock.tiles.get(parent)?, row_of(dock, parent)) {
            (_, Some(children)) if children.len() > 1 => break (parent, children),
            (Tile::Container(container), _) if container.num_children() == 1 => child = parent,
            _ => return None,
        }
    };
    let others = children.iter().copied().filter(|other| *other != child);
    let traces: Vec<TileId> = others
        .clone()
        .filter(|other| holds_traces(dock, *other))
        .collect();
    let place = children.iter().position(|other| *other == child)?;
    let beside = children.get(place.checked_sub(1).unwrap_or(1)).copied();
    let heirs = match traces.is_empty() {
        true => Vec::from_iter(beside),
        false => traces,
    };
    let Some(Tile::Container(Container::Linear(linear))) = dock.tiles.get_mut(row) else {
        return None;
    };
    let part = linear.shares[child] / heirs.len() as f32;
    for heir in heirs {
        let share = linear.shares[heir] + part;
        linear.shares.set_share(heir, share);
    }
    Some(())
}

/// Returns true if another trace window fits next to a tile; otherwise it becomes a tab there.
pub fn has_room_beside(dock: &Dock, tile: TileId) -> bool {
    let tabs = dock.tiles.parent_of(tile).unwrap_or(tile);
    let beside = dock
        .tiles
        .parent_of(tabs)
        .and_then(|row| row_of(dock, row))
        .unwrap_or_else(|| vec![tabs]);
    let traces = beside
        .into_iter()
        .filter(|child| holds_traces(dock, *child));
    let widths: Vec<f32> = traces
        .filter_map(|child| Some(dock.tiles.rect(child)?.width()))
        .collect();
    widths.is_empty() || widths.iter().sum::<f32>() / (widths.len() + 1) as f32 >= LEAST
}

/// Widens trace windows that are too narrow to read. They take the width from the widest tile of
/// their row.
pub fn widen(dock: &mut Dock) {
    for tile in panes_in_order(dock) {
        if holds_traces(dock, tile) {
            widen_one(dock, tile);
        }
    }
}

fn widen_one(dock: &mut Dock, tile: TileId) -> Option<()> {
    let tabs = dock.tiles.parent_of(tile)?;
    let width = dock.tiles.rect(tabs)?.width();
    let lacking = LEAST - width;
    let row = dock.tiles.parent_of(tabs).filter(|_| lacking > 0.5)?;
    let children = row_of(dock, row)?;
    let widths: Vec<(TileId, f32)> = children
        .iter()
        .filter_map(|child| Some((*child, dock.tiles.rect(*child)?.width())))
        .collect();
    let (giver, wide) = widths
        .iter()
        .copied()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let whole: f32 = widths.iter().map(|(_, width)| width).sum();
    let Some(Tile::Container(Container::Linear(linear))) = dock.tiles.get_mut(row) else {
        return None;
    };
    if wide - lacking <= LEAST || whole <= 0.0 {
        return None;
    }
    let point = children
        .iter()
        .map(|child| linear.shares[*child])
        .sum::<f32>()
        / whole;
    let (own, other) = (linear.shares[tabs], linear.shares[giver]);
    linear.shares.set_share(tabs, own + lacking * point);
    linear.shares.set_share(giver, other - lacking * point);
    Some(())
}

/// Returns the tiles of a row, from the left; none if the tile is no row.
fn row_of(dock: &Dock, row: TileId) -> Option<Vec<TileId>> {
    match dock.tiles.get(row)? {
        Tile::Container(Container::Linear(linear)) if linear.dir == LinearDir::Horizontal => {
            Some(linear.children.clone())
        }
        _ => None,
    }
}

/// Returns true if a tile contains only trace windows.
fn holds_traces(dock: &Dock, tile: TileId) -> bool {
    match dock.tiles.get(tile) {
        Some(Tile::Pane(pane)) => pane.window().is_some(),
        Some(Tile::Container(Container::Tabs(tabs))) => {
            tabs.children.iter().all(|child| holds_traces(dock, *child))
        }
        _ => false,
    }
}
