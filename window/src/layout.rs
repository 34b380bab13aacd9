//! Panel layouts: initial layouts, and insertion of panels.

use egui::{Id, Vec2};
use egui_tiles::{Container, Linear, LinearDir, Tile, TileId, Tiles, Tree};
use stepback_debugger::action::PanelKind;
use stepback_debugger::action::WindowId;
use stepback_debugger::session::Session;
use stepback_parsers::btrace::Btrace;

use crate::panels::Pane;
use crate::room::share_equally;

/// Width of two columns of registers, in points.
const REGISTERS: f32 = 356.0;

pub type Dock = Tree<Pane>;

/// Width in points below which the call tree shares a tile with the registers.
const WIDE: f32 = 1500.0;

/// Height in points below which a narrow window has one set of tabs below the trace.
const LOW: f32 = 600.0;

/// Width in points from which the source file does not share a tile with memory.
const WIDER: f32 = 1900.0;

/// Size in points from which no panel has to share tabs, as on a screen of 2560 x 1440.
const VAST: Vec2 = Vec2::new(2400.0, 1200.0);

/// The second group of tabs below the trace.
const QUESTIONS: [PanelKind; 6] = [
    PanelKind::Stack,
    PanelKind::Why,
    PanelKind::Find,
    PanelKind::Watches,
    PanelKind::Compare,
    PanelKind::Warnings,
];

/// The initial panels besides the trace.
const DEBUG: [PanelKind; 8] = [
    PanelKind::Registers,
    PanelKind::Memory,
    PanelKind::Source,
    PanelKind::Calls,
    PanelKind::Stack,
    PanelKind::Why,
    PanelKind::Find,
    PanelKind::Watches,
];

/// Properties of a trace that determine the initial layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedContent {
    /// Instructions with their registers or memory.
    Values,
    /// Branches: nearly all registers and memory are unknown.
    Branches,
}

impl RecordedContent {
    /// Returns the content of a trace.
    pub fn of(session: &Session) -> Self {
        match session.index.source().downcast::<Btrace>() {
            Some(_) => Self::Branches,
            None => Self::Values,
        }
    }
}

/// Arrangement of the initial panels, which depends on the size of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// For a trace of branches.
    Branches,
    /// The lower row has room for some lines, and one set of tabs.
    Low,
    /// The call tree shares a tile with the registers.
    Narrow,
    /// The source file shares a tile with memory.
    Wide,
    Wider,
    /// Only rarely used panels share tabs.
    Vast,
}

impl Arrangement {
    /// Returns the arrangement for a window of a size.
    pub fn of(content: RecordedContent, size: Vec2) -> Self {
        match () {
            () if content == RecordedContent::Branches => Self::Branches,
            () if size.x < WIDE && size.y < LOW => Self::Low,
            () if size.x < WIDE => Self::Narrow,
            () if size.x < WIDER => Self::Wide,
            () if size.x < VAST.x || size.y < VAST.y => Self::Wider,
            () => Self::Vast,
        }
    }
}

/// Sizes of windows with different arrangements of the initial panels.
const SIZES: [Vec2; 5] = [
    Vec2::new(800.0, 500.0),
    Vec2::new(1280.0, 800.0),
    Vec2::new(WIDE, 900.0),
    Vec2::new(WIDER, 1000.0),
    VAST,
];

/// Returns the arrangement of panels that are where they were initially, with any settings; none if
/// the user moved one.
pub fn arrangement_of(dock: &Dock, content: RecordedContent) -> Option<Arrangement> {
    let shape = dock.root().map(|root| shape(dock, root))?;
    let is_initial = |size: &Vec2| {
        let initial = first(content, *size);
        initial
            .root()
            .map(|root| self::shape(&initial, root))
            .as_ref()
            == Some(&shape)
    };
    let size = SIZES.into_iter().find(is_initial)?;
    Some(Arrangement::of(content, size))
}

/// Describes a tile: the kinds of its panels, with their shares of the width or height.
fn shape(dock: &Dock, tile: TileId) -> String {
    match dock.tiles.get(tile) {
        Some(Tile::Pane(pane)) => format!("{:?} ", pane.kind()),
        Some(Tile::Container(Container::Linear(linear))) if linear.children.len() > 1 => {
            let shares = || linear.children.iter().map(|child| linear.shares[*child]);
            let sum: f32 = shares().sum();
            let parts = linear.children.iter().zip(shares());
            let part = |(child, share): (&TileId, f32)| {
                format!("{:.3}: {}", share / sum, shape(dock, *child))
            };
            format!("{:?}({})", linear.dir, parts.map(part).collect::<String>())
        }
        Some(Tile::Container(other)) => other.children().map(|child| shape(dock, *child)).collect(),
        None => String::new(),
    }
}

/// Returns the initial panels in a window of a size.
pub fn first(content: RecordedContent, size: Vec2) -> Dock {
    let panes = [PanelKind::Trace]
        .into_iter()
        .chain(DEBUG)
        .map(|kind| Pane::new(kind, WindowId(1)))
        .collect();
    of_size(panes, content, size)
}

fn of_size(panes: Vec<Pane>, content: RecordedContent, size: Vec2) -> Dock {
    let plan = DockBuilder::new(panes);
    match Arrangement::of(content, size) {
        Arrangement::Branches => branches(plan, size.x),
        Arrangement::Low => low(plan),
        Arrangement::Narrow => narrow(plan),
        wide @ (Arrangement::Wide | Arrangement::Wider) => self::wide(plan, wide),
        Arrangement::Vast => vast(plan),
    }
}

/// Builds the layout for a trace of branches: the source file is in front of memory, and of the
/// registers little more than pc is in view.
fn branches(mut plan: DockBuilder, width: f32) -> Dock {
    let side = if width < WIDE { 260.0 } else { 300.0 };
    let traces = plan.traces(520.0);
    let source = plan.tabs(&[PanelKind::Source, PanelKind::Memory], 600.0);
    let questions = plan.tabs(&QUESTIONS, 600.0);
    let bottom = plan.linear(LinearDir::Horizontal, [source, questions], 264.0);
    let right = plan.linear(LinearDir::Vertical, [traces, bottom], width - side);
    let calls = plan.tabs(&[PanelKind::Calls], 600.0);
    let registers = plan.tabs(&[PanelKind::Registers], 184.0);
    let left = plan.linear(LinearDir::Vertical, [calls, registers], side);
    let root = plan.linear(LinearDir::Horizontal, [left, right], 1.0);
    plan.dock(root)
}

fn vast(mut plan: DockBuilder) -> Dock {
    let traces = plan.traces(1500.0);
    let source = plan.tabs(&[PanelKind::Source], 1000.0);
    let registers = plan.tabs(&[PanelKind::Registers], 2.0 * REGISTERS);
    let top = plan.linear(LinearDir::Horizontal, [traces, source, registers], 1200.0);
    let memory = plan.tabs(&[PanelKind::Memory], 1300.0);
    let watches = plan.tabs(&[PanelKind::Watches], 800.0);
    let questions = plan.tabs(&QUESTIONS, 1200.0);
    let bottom = plan.linear(LinearDir::Horizontal, [memory, questions, watches], 600.0);
    let right = plan.linear(LinearDir::Vertical, [top, bottom], 3400.0);
    let calls = plan.tabs(&[PanelKind::Calls], 400.0);
    let root = plan.linear(LinearDir::Horizontal, [calls, right], 1.0);
    plan.dock(root)
}

fn wide(mut plan: DockBuilder, arrangement: Arrangement) -> Dock {
    let traces = plan.traces(1016.0);
    let registers = plan.tabs(&[PanelKind::Registers], 356.0);
    let top = plan.linear(LinearDir::Horizontal, [traces, registers], 520.0);
    let (memory, source) = match arrangement == Arrangement::Wider {
        true => (
            plan.tabs(&[PanelKind::Memory], 560.0),
            plan.tabs(&[PanelKind::Source], 480.0),
        ),
        false => (
            plan.tabs(&[PanelKind::Memory, PanelKind::Source], 600.0),
            None,
        ),
    };
    let questions = plan.tabs(&QUESTIONS, 772.0);
    let bottom = plan.linear(LinearDir::Horizontal, [memory, source, questions], 264.0);
    let right = plan.linear(LinearDir::Vertical, [top, bottom], 1380.0);
    let calls = plan.tabs(&[PanelKind::Calls], 216.0);
    let root = plan.linear(LinearDir::Horizontal, [calls, right], 1.0);
    plan.dock(root)
}

fn low(mut plan: DockBuilder) -> Dock {
    let traces = plan.traces(560.0);
    let registers = plan.tabs(&[PanelKind::Registers, PanelKind::Calls], 240.0);
    let top = plan.linear(LinearDir::Horizontal, [traces, registers], 1.0);
    let lower = [&[PanelKind::Memory, PanelKind::Source], &QUESTIONS[..]].concat();
    let bottom = plan.tabs(&lower, 0.42);
    let root = plan.linear(LinearDir::Vertical, [top, bottom], 1.0);
    plan.dock(root)
}

fn narrow(mut plan: DockBuilder) -> Dock {
    let traces = plan.traces(924.0);
    let registers = plan.tabs(&[PanelKind::Registers, PanelKind::Calls], 356.0);
    let top = plan.linear(LinearDir::Horizontal, [traces, registers], 404.0);
    let memory = plan.tabs(&[PanelKind::Memory, PanelKind::Source], 536.0);
    let questions = plan.tabs(&QUESTIONS, 744.0);
    let bottom = plan.linear(LinearDir::Horizontal, [memory, questions], 200.0);
    let root = plan.linear(LinearDir::Vertical, [top, bottom], 1.0);
    plan.dock(root)
}

/// Returns the layout of the command "Compare" for a window width: the comparison gets the full
/// width, and every open panel stays open. Registers keep the width of two columns, unless that leaves too little for the traces.
pub fn compare(dock: Dock, width: f32) -> Dock {
    compare_of(panes_of(dock), width)
}

fn compare_of(panes: Vec<Pane>, width: f32) -> Dock {
    let mut plan = DockBuilder::new(panes);
    let registers = REGISTERS.min(width * 0.3);
    let traces = plan.traces(width - registers);
    let registers = plan.tabs(
        &[PanelKind::Registers, PanelKind::Stack, PanelKind::Calls],
        registers,
    );
    let top = plan.linear(LinearDir::Horizontal, [traces, registers], 420.0);
    let mut others = vec![
        PanelKind::Compare,
        PanelKind::Memory,
        PanelKind::Source,
        PanelKind::Why,
        PanelKind::Find,
        PanelKind::Watches,
        PanelKind::Warnings,
    ];
    others.extend(plan.panes.iter().map(Pane::kind));
    let bottom = plan.tabs(&others, 364.0);
    let root = plan.linear(LinearDir::Vertical, [top, bottom], 1.0);
    plan.dock(root)
}

/// Arranges the initial panels anew for a window of another size, and keeps the active tabs. A panel
/// that had a tile for itself is not active among the tabs that it joins.
pub fn rearranged(dock: Dock, content: RecordedContent, size: Vec2) -> Dock {
    let is_tab = |tile: &&TileId| {
        let parent = dock.tiles.parent_of(**tile);
        let container = parent.and_then(|parent| dock.tiles.get_container(parent));
        matches!(container, Some(Container::Tabs(tabs)) if tabs.children.len() > 1)
    };
    let active = dock.active_tiles();
    let active: Vec<PanelKind> = active
        .iter()
        .filter(is_tab)
        .filter_map(|tile| dock.tiles.get_pane(tile).map(Pane::kind))
        .collect();
    let mut dock = of_size(panes_of(dock), content, size);
    for kind in active.into_iter().rev() {
        dock.make_active(|_, tile| matches!(tile, Tile::Pane(pane) if pane.kind() == kind));
    }
    dock
}

fn panes_of(mut dock: Dock) -> Vec<Pane> {
    let ids = panes_in_order(&dock);
    let take = |id| match dock.tiles.remove(id) {
        Some(Tile::Pane(pane)) => Some(pane),
        _ => None,
    };
    ids.into_iter().filter_map(take).collect()
}

/// Returns the panels of a dock in reading order, including hidden tabs.
pub fn panes_in_order(dock: &Dock) -> Vec<TileId> {
    let mut found = Vec::new();
    let mut open: Vec<TileId> = dock.root().into_iter().collect();
    while let Some(id) = open.pop() {
        match dock.tiles.get(id) {
            Some(Tile::Pane(_)) => found.push(id),
            Some(Tile::Container(container)) => {
                let mut children = container.children_vec();
                children.reverse();
                open.extend(children);
            }
            None => {}
        }
    }
    found
}

/// Maximum number of tiles in a valid dock.
pub const TILES: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedLayout {
    /// The initial layout.
    Debug,
    /// Two positions and their differences.
    Compare,
    /// Execution times.
    Profile,
    /// A source file next to the trace.
    Source,
}

impl NamedLayout {
    /// Returns the layout of a name, ignoring case.
    pub fn of(name: &str) -> Option<Self> {
        let names = [
            ("debug", Self::Debug),
            ("compare", Self::Compare),
            ("profile", Self::Profile),
            ("source", Self::Source),
        ];
        names
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name.trim()))
            .map(|(_, layout)| layout)
    }
}

/// Arranges the panels of a dock in a layout, for a trace and a window of a size. Opens missing
/// panels and closes those that the layout does not have. Trace windows are kept, and for a
/// comparison every panel.
pub fn named(layout: NamedLayout, dock: Dock, content: RecordedContent, size: Vec2) -> Dock {
    use PanelKind::{Calls, Compare, FlameGraph, Functions, Memory, Registers, Source, Stack};
    let mut panes = panes_of(dock);
    let wanted: &[PanelKind] = match layout {
        NamedLayout::Debug => &DEBUG,
        NamedLayout::Compare => &[Registers, Memory, Source, Calls, Stack, Compare],
        NamedLayout::Profile => &[Functions, FlameGraph, Calls, Source],
        NamedLayout::Source => &[Source, Registers, Memory, Stack, Calls],
    };
    for kind in wanted {
        if !panes.iter().any(|pane| pane.kind() == *kind) {
            panes.push(Pane::new(*kind, WindowId(1)));
        }
    }
    match layout {
        NamedLayout::Debug => of_size(panes, content, size),
        NamedLayout::Compare => compare_of(panes, size.x),
        NamedLayout::Profile => profile(panes),
        NamedLayout::Source => source(panes),
    }
}

fn profile(panes: Vec<Pane>) -> Dock {
    let mut plan = DockBuilder::new(panes);
    let functions = plan.tabs(&[PanelKind::Functions, PanelKind::Calls], 640.0);
    let traces = plan.traces(640.0);
    let top = plan.linear(LinearDir::Horizontal, [functions, traces], 400.0);
    let bottom = plan.tabs(&[PanelKind::FlameGraph, PanelKind::Source], 260.0);
    let root = plan.linear(LinearDir::Vertical, [top, bottom], 1.0);
    plan.dock(root)
}

fn source(panes: Vec<Pane>) -> Dock {
    let mut plan = DockBuilder::new(panes);
    let source = plan.tabs(&[PanelKind::Source], 640.0);
    let traces = plan.traces(640.0);
    let top = plan.linear(LinearDir::Horizontal, [source, traces], 420.0);
    let stack = plan.tabs(&[PanelKind::Stack, PanelKind::Calls], 440.0);
    let registers = plan.tabs(&[PanelKind::Registers], 380.0);
    let memory = plan.tabs(&[PanelKind::Memory], 460.0);
    let bottom = plan.linear(LinearDir::Horizontal, [stack, registers, memory], 240.0);
    let root = plan.linear(LinearDir::Vertical, [top, bottom], 1.0);
    plan.dock(root)
}

/// Builder of a dock: takes panels by kind, and gives each tile its share of the space.
struct DockBuilder {
    panes: Vec<Pane>,
    tiles: Tiles<Pane>,
}

/// A tile and its share; none if there is no panel for it.
type WeightedTile = Option<(TileId, f32)>;

impl DockBuilder {
    fn new(panes: Vec<Pane>) -> Self {
        Self {
            panes,
            tiles: Tiles::default(),
        }
    }

    fn take(&mut self, kind: PanelKind) -> Vec<Pane> {
        self.panes
            .extract_if(.., |pane| pane.kind() == kind)
            .collect()
    }

    /// Places all trace windows side by side.
    fn traces(&mut self, share: f32) -> WeightedTile {
        let panes = self.take(PanelKind::Trace);
        let tabs: Vec<WeightedTile> = panes
            .into_iter()
            .map(|pane| {
                let pane = self.tiles.insert_pane(pane);
                Some((self.tiles.insert_tab_tile(vec![pane]), 1.0))
            })
            .collect();
        self.linear(LinearDir::Horizontal, tabs, share)
    }

    fn tabs(&mut self, kinds: &[PanelKind], share: f32) -> WeightedTile {
        let mut ids = Vec::new();
        for kind in kinds {
            for pane in self.take(*kind) {
                ids.push(self.tiles.insert_pane(pane));
            }
        }
        (!ids.is_empty()).then(|| (self.tiles.insert_tab_tile(ids), share))
    }

    fn linear(
        &mut self,
        direction: LinearDir,
        parts: impl IntoIterator<Item = WeightedTile>,
        share: f32,
    ) -> WeightedTile {
        let parts: Vec<(TileId, f32)> = parts.into_iter().flatten().collect();
        let mut linear = Linear::new(direction, parts.iter().map(|(id, _)| *id).collect());
        for (id, part) in &parts {
            linear.shares.set_share(*id, *part);
        }
        (!parts.is_empty()).then(|| {
            (
                self.tiles.insert_container(Container::Linear(linear)),
                share,
            )
        })
    }

    fn dock(self, root: WeightedTile) -> Dock {
        let id = Id::unique("dock");
        match root {
            Some((root, _)) => Tree::new(id, root, self.tiles),
            None => Tree::empty(id),
        }
    }
}

/// Inserts a panel to the right of a tile in tabs; both get half of the width.
pub fn insert_beside(dock: &mut Dock, tile: TileId, pane: Pane) -> TileId {
    let added = dock.tiles.insert_pane(pane);
    let Some(tabs) = dock.tiles.parent_of(tile) else {
        let children = dock.root().into_iter().chain([added]).collect();
        let row = dock.tiles.insert_horizontal_tile(children);
        *dock = Tree::new(dock.id(), row, std::mem::take(&mut dock.tiles));
        return added;
    };
    let added_tabs = dock.tiles.insert_tab_tile(vec![added]);
    let parent = dock.tiles.parent_of(tabs);
    if let Some(Tile::Container(Container::Linear(linear))) =
        parent.and_then(|parent| dock.tiles.get_mut(parent))
        && linear.dir == LinearDir::Horizontal
    {
        split_share(linear, tabs, added_tabs);
        share_equally(dock, parent);
        return added;
    }
    let row = dock.tiles.insert_horizontal_tile(vec![tabs, added_tabs]);
    replace(dock, parent, tabs, row);
    added
}

/// Replaces a tile below a parent; without a parent the new tile becomes the root.
pub fn replace(dock: &mut Dock, parent: Option<TileId>, old: TileId, new: TileId) {
    match parent.and_then(|parent| dock.tiles.get_mut(parent)) {
        Some(Tile::Container(container)) => {
            let _place = container.replace_child(old, new);
        }
        _ => *dock = Tree::new(dock.id(), new, std::mem::take(&mut dock.tiles)),
    }
}

fn split_share(linear: &mut Linear, tile: TileId, added: TileId) {
    let place = linear
        .children
        .iter()
        .position(|child| *child == tile)
        .map_or(0, |place| place + 1);
    let half = linear
        .shares
        .iter()
        .find(|(id, _)| **id == tile)
        .map_or(0.5, |(_, share)| share / 2.0);
    linear.children.insert(place, added);
    linear.shares.set_share(tile, half);
    linear.shares.set_share(added, half);
}

/// Inserts a panel into the tabs of a tile, and activates it.
pub fn insert_as_tab(dock: &mut Dock, tile: TileId, pane: Pane) -> TileId {
    let added = dock.tiles.insert_pane(pane);
    let tabs = dock.tiles.parent_of(tile);
    match tabs.and_then(|tabs| dock.tiles.get_mut(tabs)) {
        Some(Tile::Container(Container::Tabs(tabs))) => {
            tabs.add_child(added);
            tabs.set_active(added);
        }
        _ => {
            let row = dock
                .tiles
                .insert_horizontal_tile(dock.root().into_iter().chain([added]).collect());
            *dock = Tree::new(dock.id(), row, std::mem::take(&mut dock.tiles));
        }
    }
    added
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(dock: &Dock) -> Vec<PanelKind> {
        let kind = |id: &TileId| dock.tiles.get_pane(id).map(Pane::kind);
        panes_in_order(dock).iter().filter_map(kind).collect()
    }

    #[test]
    fn a_wide_window_has_the_calls_at_the_left() {
        let dock = first(RecordedContent::Values, egui::vec2(1600.0, 1000.0));
        use PanelKind::{Calls, Find, Memory, Registers, Source, Stack, Trace, Watches, Why};
        assert_eq!(
            kinds(&dock),
            [
                Calls, Trace, Registers, Memory, Source, Stack, Why, Find, Watches
            ]
        );
    }

    #[test]
    fn tabs_stay_active_in_a_narrower_window_but_no_panel_that_had_its_own_tile() {
        let content = RecordedContent::Values;
        let mut dock = first(content, egui::vec2(1600.0, 1000.0));
        dock.make_active(
            |_, tile| matches!(tile, Tile::Pane(pane) if pane.kind() == PanelKind::Find),
        );
        let dock = rearranged(dock, content, egui::vec2(1280.0, 800.0));
        let active = dock.active_tiles();
        let active: Vec<PanelKind> = active
            .iter()
            .filter_map(|tile| dock.tiles.get_pane(tile).map(Pane::kind))
            .collect();
        use PanelKind::{Find, Memory, Registers, Trace};
        for kind in [Trace, Registers, Memory, Find] {
            assert!(active.contains(&kind), "{active:?}");
        }
    }

    #[test]
    fn a_narrow_window_has_the_calls_after_the_registers() {
        let dock = first(RecordedContent::Values, egui::vec2(1280.0, 800.0));
        use PanelKind::{Calls, Find, Memory, Registers, Source, Stack, Trace, Watches, Why};
        assert_eq!(
            kinds(&dock),
            [
                Trace, Registers, Calls, Memory, Source, Stack, Why, Find, Watches
            ]
        );
    }

    #[test]
    fn a_trace_of_branches_shows_its_source_instead_of_memory() {
        use PanelKind::{Calls, Find, Memory, Registers, Source, Stack, Trace, Watches, Why};
        for size in [egui::vec2(1600.0, 1000.0), egui::vec2(800.0, 500.0)] {
            let dock = first(RecordedContent::Branches, size);
            assert_eq!(
                kinds(&dock),
                [
                    Calls, Registers, Trace, Source, Memory, Stack, Why, Find, Watches
                ]
            );
        }
    }

    #[test]
    fn a_second_trace_window_is_right_of_the_first() {
        let mut dock = first(RecordedContent::Values, egui::vec2(1600.0, 1000.0));
        let trace = panes_in_order(&dock)[1];
        insert_beside(&mut dock, trace, Pane::new(PanelKind::Trace, WindowId(2)));
        assert_eq!(kinds(&dock)[1..3], [PanelKind::Trace, PanelKind::Trace]);
    }

    #[test]
    fn the_compare_layout_keeps_every_panel() {
        let dock = compare(
            first(RecordedContent::Values, egui::vec2(1600.0, 1000.0)),
            1600.0,
        );
        use PanelKind::{Calls, Find, Memory, Registers, Source, Stack, Trace, Watches, Why};
        assert_eq!(
            kinds(&dock),
            [
                Trace, Registers, Stack, Calls, Memory, Source, Why, Find, Watches
            ]
        );
        for row in &stepback_debugger::keymap::PANELS {
            let mut dock = first(RecordedContent::Values, egui::vec2(1600.0, 1000.0));
            let trace = panes_in_order(&dock)[1];
            insert_as_tab(&mut dock, trace, Pane::new(row.kind, WindowId(1)));
            let mut before = kinds(&dock);
            let mut after = kinds(&compare(dock, 1600.0));
            before.sort_by_key(|kind| format!("{kind:?}"));
            after.sort_by_key(|kind| format!("{kind:?}"));
            assert_eq!(after, before);
        }
    }
}
