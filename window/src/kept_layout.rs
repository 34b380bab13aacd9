//! Panels and trace windows saved by the last run, and the text form of the panels.
//!
//! The text is nested as displayed, and equal for equal panels.

use std::ops::RangeInclusive;

use egui::{Id, Vec2};
use egui_tiles::{Container, Linear, LinearDir, Tile, TileId, Tiles, Tree};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::{Moment, PanelKind};
use stepback_debugger::action::{TraceId, WindowId};
use stepback_debugger::desk::SavedSession;
use stepback_debugger::notes::SessionWindow;
use stepback_parsers::Position;

use crate::layout;
use crate::layout::{Dock, RecordedContent, TILES, panes_in_order};
use crate::panels::Pane;

/// Allowed sides of a window, in points: the maximum exceeds any screen.
const SIDES: RangeInclusive<f32> = 160.0..=8192.0;
/// Maximum coordinate of a corner, in points. Screens side by side may exceed any window, but window
/// systems number their points with 16 bits.
const FARTHEST: f32 = 32768.0;
/// Maximum number of panels in separate windows.
pub const WINDOWS: usize = 8;

/// Place of a panel window, in points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TornWindowPlace {
    /// Inner width and height.
    pub size: [f32; 2],
    /// Upper left corner; none if the system does not report it.
    pub corner: Option<[f32; 2]>,
}

impl TornWindowPlace {
    /// Returns the place if it has a valid size, without an implausible corner.
    fn usable(self) -> Option<Self> {
        let is_plausible = |corner: &[f32; 2]| corner.iter().all(|side| side.abs() <= FARTHEST);
        let corner = self.corner.filter(is_plausible);
        self.size
            .iter()
            .all(|side| SIDES.contains(side))
            .then_some(Self { corner, ..self })
    }
}

/// A node of the dock's tree. Panels are borrowed when written and owned when read.
#[derive(Serialize, Deserialize)]
enum LayoutNode<P> {
    /// Side by side, each with its share of the width.
    Row(Vec<(f32, LayoutNode<P>)>),
    /// One below the other, each with its share of the height.
    Column(Vec<(f32, LayoutNode<P>)>),
    /// Tabs, with the index of the active one.
    Tabs(usize, Vec<P>),
    /// Root node for panels in separate windows: their indices in reading order, and the places of
    /// their windows. The inner node contains the panels at the places to which they return.
    Torn(Box<LayoutNode<P>>, Vec<(usize, Option<TornWindowPlace>)>),
}

/// Returns the panels with their bindings and settings, without their answers. Returns none if the
/// settings of a panel cannot be written, which a test rules out.
pub fn text_of(
    dock: &Dock,
    place_of: &dyn Fn(TileId) -> Option<TornWindowPlace>,
) -> Option<String> {
    let Some(root) = dock.root() else {
        return Some(String::new());
    };
    let panes = panes_in_order(dock).into_iter().enumerate();
    let torn: Vec<_> = panes
        .filter(|(_, tile)| !dock.is_visible(*tile))
        .map(|(n, tile)| (n, place_of(tile)))
        .collect();
    let whole = part_of(dock, root)?;
    let whole = if torn.is_empty() {
        whole
    } else {
        LayoutNode::Torn(Box::new(whole), torn)
    };
    let pretty = ron::ser::PrettyConfig::new()
        .depth_limit(6)
        .indentor(" ")
        .new_line("\n");
    ron::ser::to_string_pretty(&whole, pretty).ok()
}

/// Returns true if a text is not empty and is no valid layout.
pub fn is_damaged(text: &str) -> bool {
    !text.is_empty() && read(text).is_none()
}

/// Parses a dock. Returns none if the text is invalid or was not written by the program.
pub fn read(text: &str) -> Option<Dock> {
    read_all(text).map(|(dock, _)| dock)
}

/// Parses a dock and the places of its separate windows.
pub fn read_all(text: &str) -> Option<(Dock, Vec<(TileId, TornWindowPlace)>)> {
    let id = Id::unique("dock");
    if text.is_empty() {
        return Some((Tree::empty(id), Vec::new()));
    }
    let (part, torn) = match ron::from_str::<LayoutNode<Pane>>(text).ok()? {
        LayoutNode::Torn(inner, torn) => (*inner, torn),
        part => (part, Vec::new()),
    };
    let mut tiles = Tiles::default();
    let root = insert(&mut tiles, part)?;
    if tiles.len() > TILES {
        return None;
    }
    let mut dock = Tree::new(id, root, tiles);
    let panes = panes_in_order(&dock);
    let mut places = Vec::new();
    // The main window keeps at least one panel.
    for (number, place) in torn
        .into_iter()
        .take(WINDOWS.min(panes.len().saturating_sub(1)))
    {
        let Some(tile) = panes.get(number).copied() else {
            continue;
        };
        dock.set_visible(tile, false);
        places.extend(
            place
                .and_then(TornWindowPlace::usable)
                .map(|place| (tile, place)),
        );
    }
    Some((dock, places))
}

fn part_of(dock: &Dock, tile: TileId) -> Option<LayoutNode<&Pane>> {
    match dock.tiles.get(tile)? {
        Tile::Pane(pane) => Some(LayoutNode::Tabs(0, vec![pane])),
        Tile::Container(Container::Linear(linear)) => {
            let part = |child: &TileId| Some((linear.shares[*child], part_of(dock, *child)?));
            let parts = linear.children.iter().map(part).collect::<Option<_>>()?;
            Some(if linear.dir == LinearDir::Horizontal {
                LayoutNode::Row(parts)
            } else {
                LayoutNode::Column(parts)
            })
        }
        Tile::Container(container) => {
            let mut panes = Vec::new();
            let mut shown = 0;
            let front = if let Container::Tabs(tabs) = container {
                tabs.active
            } else {
                None
            };
            for child in container.children() {
                if Some(*child) == front {
                    shown = panes.len();
                }
                panes_below(dock, *child, &mut panes);
            }
            Some(LayoutNode::Tabs(shown, panes))
        }
    }
}

/// Collects the panels below a tile. Containers that were dragged among tabs become tabs.
fn panes_below<'a>(dock: &'a Dock, tile: TileId, found: &mut Vec<&'a Pane>) {
    match dock.tiles.get(tile) {
        Some(Tile::Pane(pane)) => found.push(pane),
        Some(Tile::Container(container)) => container
            .children()
            .for_each(|child| panes_below(dock, *child, found)),
        None => {}
    }
}

/// Inserts a node. The parser of the text bounds the nesting depth.
fn insert(tiles: &mut Tiles<Pane>, part: LayoutNode<Pane>) -> Option<TileId> {
    match part {
        LayoutNode::Row(parts) => insert_linear(tiles, LinearDir::Horizontal, parts),
        LayoutNode::Column(parts) => insert_linear(tiles, LinearDir::Vertical, parts),
        LayoutNode::Tabs(shown, panes) => {
            let panes: Vec<TileId> = panes
                .into_iter()
                .map(|pane| tiles.insert_pane(pane))
                .collect();
            let front = panes.get(shown).or(panes.first()).copied()?;
            let tabs = tiles.insert_tab_tile(panes);
            if let Some(Tile::Container(Container::Tabs(tabs))) = tiles.get_mut(tabs) {
                tabs.set_active(front);
            }
            Some(tabs)
        }
        // This node is valid only at the root.
        LayoutNode::Torn(..) => None,
    }
}

fn insert_linear(
    tiles: &mut Tiles<Pane>,
    direction: LinearDir,
    parts: Vec<(f32, LayoutNode<Pane>)>,
) -> Option<TileId> {
    let mut shares = Vec::new();
    for (share, part) in parts {
        let is_size = share.is_finite() && share >= 0.0;
        shares.push((insert(tiles, part)?, is_size.then_some(share)?));
    }
    if shares.is_empty() {
        return None;
    }
    let mut linear = Linear::new(direction, shares.iter().map(|(tile, _)| *tile).collect());
    shares
        .iter()
        .for_each(|(tile, share)| linear.shares.set_share(*tile, *share));
    Some(tiles.insert_container(Container::Linear(linear)))
}

/// Saved panels and trace windows.
pub struct SavedLayout {
    /// The panels with their bindings.
    pub dock: Dock,
    /// Panels in separate windows, with the known places of those windows.
    pub torn: Vec<(TileId, TornWindowPlace)>,
    /// Trace windows and their positions.
    pub positions: Vec<(WindowId, Moment)>,
    pub active: WindowId,
}

/// Restores the panels and windows. If the panels are missing or unreadable, returns the initial
/// ones for a window of a size.
pub fn layout_of(kept: &SavedSession, size: Vec2) -> Option<SavedLayout> {
    let file = kept.file.as_ref()?;
    let moment = |position| Moment {
        trace: TraceId::default(),
        position,
    };
    let place =
        |window: &SessionWindow| (WindowId(window.number), moment(Position(window.position)));
    let positions: Vec<_> = file.windows.iter().map(place).collect();
    let read = if file.panels.is_empty() {
        None
    } else {
        read_all(&file.panels)
    };
    let (dock, torn) = read.unwrap_or_else(|| (first_with(&positions, size), Vec::new()));
    Some(SavedLayout {
        dock,
        torn,
        positions,
        active: WindowId(file.active),
    })
}

/// Returns the initial panels, with the saved trace windows.
fn first_with(positions: &[(WindowId, Moment)], size: Vec2) -> Dock {
    let mut dock = layout::first(RecordedContent::Values, size);
    let beside = layout::panes_in_order(&dock)
        .into_iter()
        .find(|tile| window_of(&dock, *tile).is_some());
    let Some(beside) = beside else { return dock };
    let shown = window_of(&dock, beside);
    for (id, _) in positions.iter().filter(|(id, _)| Some(*id) != shown) {
        layout::insert_as_tab(&mut dock, beside, Pane::new(PanelKind::Trace, *id));
    }
    dock
}

fn window_of(dock: &Dock, tile: TileId) -> Option<WindowId> {
    dock.tiles.get_pane(&tile)?.window()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{RecordedContent, first};

    fn first_text() -> String {
        text_of(
            &first(RecordedContent::Values, egui::vec2(1600.0, 1000.0)),
            &|_| None,
        )
        .unwrap()
    }

    #[test]
    fn the_same_panels_are_the_same_text() {
        let text = first_text();
        for _ in 0..8 {
            assert_eq!(text_of(&read(&text).unwrap(), &|_| None).unwrap(), text);
            assert_eq!(first_text(), text);
        }
        assert!(text.starts_with("Row([\n (216.0, Tabs(0, [\n"), "{text}");
    }

    #[test]
    fn panels_in_windows_of_their_own_come_back_there() {
        let mut dock = first(RecordedContent::Values, egui::vec2(1600.0, 1000.0));
        let tile = panes_in_order(&dock)[2];
        dock.set_visible(tile, false);
        let place = TornWindowPlace {
            size: [300.0, 200.0],
            corner: Some([10.0, 20.0]),
        };
        let text = text_of(&dock, &|_| Some(place)).unwrap();
        let (read, places) = read_all(&text).unwrap();
        let torn = panes_in_order(&read)[2];
        assert_eq!(places, [(torn, place)]);
        assert!(!read.is_visible(torn));
        assert_eq!(text_of(&read, &|_| Some(place)).unwrap(), text);
        // A window of an implausible size is opened elsewhere.
        let odd = text.replace("300.0", "1e30");
        assert_eq!(read_all(&odd).unwrap().1, []);
        // The third of three screens of 3,840 points is plausible.
        for (left, is_plausible) in [
            (9000.0, true),
            (-7680.0, true),
            (1e30, false),
            (f32::NAN, false),
        ] {
            let corner = Some([left, 20.0]);
            let usable = TornWindowPlace { corner, ..place }.usable().unwrap();
            assert_eq!(usable.corner.is_some(), is_plausible, "{left}");
        }
        let all = "Torn(Tabs(0, [Warnings(())]), [(0, None)])";
        assert!(read_all(all).is_some_and(|(dock, _)| {
            panes_in_order(&dock)
                .iter()
                .all(|tile| dock.is_visible(*tile))
        }));
    }

    #[test]
    fn what_nobody_made_is_refused() {
        let is_read = |text: &str| read(text).is_some();
        assert!(is_read("Tabs(7, [Warnings(())])"));
        for text in [
            "Tabs(0, [])",
            "Row([])",
            "Row([(-1.0, Tabs(0, [Warnings(())]))])",
            "Row([(NaN, Tabs(0, [Find(())]))])",
        ] {
            assert!(!is_read(text), "{text}");
        }
        let many = format!("Tabs(0, [{}])", "Warnings(()),".repeat(TILES + 1));
        assert!(!is_read(&many));
        assert!(!is_read(&"Row([(1.0,".repeat(100_000)));
    }
}
