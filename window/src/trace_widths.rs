//! Widths of trace windows in a row.

use egui_tiles::{Container, LinearDir, Tile, TileId};

use super::layout::{Dock, panes_in_order};

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
