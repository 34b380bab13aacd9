//! The state of the window while a trace is open.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use egui_tiles::{Tile, TileId};
use stepback_index::{AccessKinds, ThreadId};
use stepback_machine::Address;
use stepback_parsers::{Format, Position};

use super::arriving_part::Part;
use super::banner::Banner;
use super::chosen_cell::ChosenCell;
use super::kept::{SavedLayout, SessionPlaces};
use super::kept_layout;
use super::layout::{self, Dock};
use super::lookup::Lookup;
use super::mending::Mending;
use super::naming::Naming;
use super::opening::Opened;
use super::pending_moves::Moving;
use super::recent::{RecentTrace, now};
use super::status::StatusSlot;
use super::torn_place::TornWindow;
use super::undo::{Panels, Undo};
use super::vacancy::Vacancy;
use crate::action::{CellName, Follow, Moment, PanelKind, StepRange, Way, WindowId};
use crate::image::ImageSpec;
use crate::keymap::{Situation, argument_text};
use crate::messages::say;
use crate::model::access_table::{AccessQuestion, Listed};
use crate::model::so_far::so_far;
use crate::model::{SourceChoice, TraceWindow, Windows};
use crate::notes::{Bookmarks, KeptSearches, Watches};
use crate::panels::{FindState, FunctionsAsking, FunctionsState, OwnFinds, Pane, ThreadsSlot, TimelineState, ViewCx};
use crate::session::{OpenOptions, Session, TraceChange};
use crate::theme::Tok;
use crate::worker::{Lane, Slot, Ticket, Worker};

/// How often at most the trace file is looked at for changes.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);

/// An open trace with its windows and panels.
pub struct Workspace {
    /// The trace.
    pub session: Arc<Session>,
    /// How it was opened.
    pub options: OpenOptions,
    /// The trace windows.
    pub windows: Windows,
    /// The panels.
    pub dock: Dock,
    /// The panel that has the keyboard.
    pub focused: Option<TileId>,
    /// What is unusual about the trace, until it is closed.
    pub banner: Option<Banner>,
    /// The strip that tells where to begin with the demo is shown.
    pub has_demo_hint: bool,
    /// What the user chose about sources.
    pub sources: SourceChoice,
    /// Who ran where and when.
    pub threads: ThreadsSlot,
    /// The search, and what it found.
    pub find: FindState,
    /// The places that the user marked.
    pub bookmarks: Bookmarks,
    /// What is watched.
    pub watches: Watches,
    /// The values that the timeline shows.
    pub waves: Watches,
    /// The searches under names.
    pub searches: KeptSearches,
    /// Those that panels of their own show.
    pub(super) own_finds: OwnFinds,
    /// The condition that was sought last.
    pub condition: Option<String>,
    /// Where all that is kept about the trace is saved.
    pub(super) places: SessionPlaces,
    /// The names that the user gave to addresses.
    pub(super) naming: Naming,
    /// What was changed and can be taken back.
    pub(super) undo: Undo,
    /// The panels as they were when they were looked at last.
    pub(super) panels_seen: Option<Panels>,
    /// Where panels stood that were closed, the newest last.
    pub(super) vacancies: Vec<Vacancy>,
    /// The windows of panels that have windows of their own.
    pub(super) torn_windows: HashMap<TileId, TornWindow>,
    /// The panel whose window comes to the front.
    pub(super) raised: Option<TileId>,
    /// What the functions took.
    pub functions: FunctionsState,
    /// The timeline.
    pub timeline: TimelineState,
    /// A part of the trace that is being written: what is told when it is done.
    pub(super) saving: Option<Ticket<String>>,
    /// The search under way.
    pub lookup: Option<Lookup>,
    /// The moves under way.
    pub(super) moving: Moving,
    /// More of the trace, until its windows are known.
    pub(super) part: Option<Part>,
    /// What is damaged and made again.
    pub(super) mending: Mending,
    /// What the status bar tells.
    pub status: StatusSlot,
    /// The threads that may have run at the same time as the one at the position, in words.
    pub order: Slot<(Position, ThreadId), Option<String>>,
    /// The cell that was under a cursor last: "last write" means it where the panel has none.
    last_cell: Option<CellName>,
    /// The cell that was clicked in a list of steps.
    pub(super) chosen: Option<ChosenCell>,
    watch: Option<Ticket<Option<TraceChange>>>,
    watched: Instant,
    /// What was told of the trace file.
    told: Option<TraceChange>,
    /// Windows that were further on when the trace was open last than it is indexed by now.
    awaited: Vec<Awaited>,
}

/// What panels look at, beside what draws it.
pub struct Drawn<'a> {
    /// What a panel looks at that is in no tile and has no keyboard.
    pub cx: ViewCx<'a>,
    /// The panels.
    pub dock: &'a mut Dock,
    /// The timeline.
    pub timeline: &'a mut TimelineState,
}

/// A window's place in a part of the trace that is not indexed yet.
struct Awaited {
    window: WindowId,
    position: Position,
}

impl Workspace {
    /// The windows and panels for a trace: those of the last run, or the first ones in a window of a size.
    pub fn new(opened: Opened, saved: Option<SavedLayout>, size: egui::Vec2) -> Self {
        let session = Arc::new(opened.session);
        let mut windows = Windows::new(session.index.step_count());
        let torn = saved.as_ref().map(|saved| saved.torn.clone()).unwrap_or_default();
        let (dock, awaited) = match saved {
            Some(saved) => restored(&session, saved, &mut windows),
            None => (layout::first(size), Vec::new()),
        };
        let mut workspace = Self {
            banner: Banner::of(&session),
            session,
            // Only "Reload" builds the index again, not "Add image…".
            options: OpenOptions { policy: opened.options.policy.once_opened(), ..opened.options },
            windows,
            dock,
            focused: None,
            has_demo_hint: false,
            sources: SourceChoice::default(),
            threads: ThreadsSlot::default(),
            find: FindState::default(),
            bookmarks: Bookmarks::default(),
            watches: Watches::default(),
            waves: Watches::default(),
            searches: KeptSearches::default(),
            own_finds: OwnFinds::default(),
            condition: None,
            places: SessionPlaces::default(),
            naming: Naming::default(),
            undo: Undo::default(),
            panels_seen: None,
            vacancies: Vec::new(),
            torn_windows: HashMap::new(),
            raised: None,
            functions: FunctionsState::default(),
            timeline: TimelineState::default(),
            saving: None,
            lookup: None,
            moving: Moving::default(),
            part: None,
            mending: Mending::default(),
            status: StatusSlot::default(),
            order: Slot::default(),
            last_cell: None,
            chosen: None,
            watch: None,
            watched: Instant::now(),
            told: None,
            awaited,
        };
        workspace.focused = workspace.trace_tile(workspace.windows.active);
        workspace.put_torn(&torn);
        workspace
    }

    /// The active window begins at a position as soon as the trace reaches there.
    pub(super) fn await_position(&mut self, position: Position) {
        let window = self.windows.active;
        self.awaited.retain(|awaited| awaited.window != window);
        self.awaited.push(Awaited { window, position });
        self.begin_awaited();
    }

    /// Windows begin where they were last time, as far as the trace reaches there by now.
    pub(super) fn begin_awaited(&mut self) {
        let (end, is_whole) = (self.session.index.end(), self.session.index.is_whole());
        for awaited in std::mem::take(&mut self.awaited) {
            let window = self.windows.get_mut(awaited.window).filter(|window| window.is_untouched());
            match window {
                Some(window) if awaited.position <= end || is_whole => window.begin_at(awaited.position.min(end)),
                Some(_) => self.awaited.push(awaited),
                None => {}
            }
        }
    }

    /// What is shown is the trace file as it is by now: what was told of it is of the past.
    pub fn forget_change(&mut self) {
        self.told = None;
    }

    /// Whether a session is one of this trace that does not reach as far as its windows are.
    pub fn is_beyond(&self, session: &Session) -> bool {
        let furthest = self.windows.list.iter().map(|window| window.position).max();
        session.path == self.session.path && furthest.is_some_and(|furthest| furthest > session.index.end())
    }

    /// The panels as they are, without their answers, and where the windows are.
    pub(super) fn saved_layout(&self) -> Option<SavedLayout> {
        let (dock, torn) = kept_layout::read_all(&self.panels_text()?)?;
        Some(SavedLayout { dock, torn, positions: self.saved_positions(), active: self.windows.active })
    }

    /// The panels as they are kept, with the windows that some of them have.
    pub(super) fn panels_text(&self) -> Option<String> {
        kept_layout::text_of(&self.dock, &|tile| self.torn_place(tile))
    }

    /// Where the windows are, or will be as soon as the trace reaches there.
    pub(super) fn saved_positions(&self) -> Vec<(WindowId, Moment)> {
        let awaited = |id| self.awaited.iter().find(|awaited| awaited.window == id).map(|awaited| awaited.position);
        let place = |window: &TraceWindow| match awaited(window.id).filter(|_| window.is_untouched()) {
            Some(position) => Moment { trace: window.trace, position: position.0 },
            None => window.moment(),
        };
        self.windows.list.iter().map(|window| (window.id, place(window))).collect()
    }

    /// The entry of the recent list.
    pub fn recent(&self) -> RecentTrace {
        let info = self.session.index.info();
        RecentTrace {
            path: std::path::absolute(&self.session.path).unwrap_or_else(|_| self.session.path.clone()),
            more: self.options.more.iter().filter_map(|path| std::path::absolute(path).ok()).collect(),
            kind: format!("{} · {}", format_name(&info.format), self.architecture()),
            steps: info.steps,
            trace_bytes: self.session.file_bytes(),
            opened: now(),
            images: self.named_images(),
            sysroots: self.options.sysroots().iter().filter_map(|root| std::path::absolute(root).ok()).collect(),
        }
    }

    /// The images in use that do not merely lie beside the trace.
    fn named_images(&self) -> Vec<ImageSpec> {
        if self.options.images.is_empty() && self.options.remembered_images.is_empty() {
            return Vec::new();
        }
        let whole = |spec: &ImageSpec| ImageSpec {
            path: std::path::absolute(&spec.path).unwrap_or_else(|_| spec.path.clone()),
            offset: spec.offset,
        };
        self.session.images.infos().iter().map(|info| whole(&info.spec)).collect()
    }

    /// `AArch64`, or the number of threads where there are several.
    pub fn architecture(&self) -> String {
        match self.session.index.threads() {
            [only] => only.instruction_set.names().title.to_owned(),
            threads => say!("summary-threads", count = threads.len()),
        }
    }

    /// The file's name.
    pub fn name(&self) -> String {
        self.options.name()
    }

    /// What stands behind the name in the title: `AArch64 · 1,763 steps`.
    pub fn summary(&self) -> String {
        let steps = say!("summary-steps", what = self.architecture(), count = self.session.index.step_count());
        so_far(&self.session, &steps)
    }

    /// Binds a panel to a window or a moment.
    pub fn bind(&mut self, tile: u64, follow: Follow) {
        if let Some(Tile::Pane(pane)) = self.dock.tiles.get_mut(TileId(tile)) {
            pane.bind(follow);
        }
    }

    /// A panel shows a thread; none: that of the position.
    pub fn choose_thread(&mut self, tile: u64, thread: Option<String>) {
        if let Some(Tile::Pane(pane)) = self.dock.tiles.get_mut(TileId(tile)) {
            pane.choose_thread(thread);
        }
    }

    /// Gives the keyboard to the next or previous visible panel.
    pub fn focus_next(&mut self, way: Way) {
        let visible = self.seen_tiles();
        let mut panes = layout::panes_in_order(&self.dock);
        panes.retain(|tile| visible.contains(tile));
        if way == Way::Back {
            panes.reverse();
        }
        let place = panes.iter().position(|tile| Some(*tile) == self.focused);
        let next = place.map_or(0, |place| (place + 1) % panes.len().max(1));
        if let Some(tile) = panes.get(next).copied() {
            self.focus(tile);
        }
    }

    /// Gives the keyboard to a panel and brings it to the front; a trace window becomes the active one.
    pub fn focus(&mut self, tile: TileId) {
        self.dock.make_active(|id, _| id == tile);
        self.focused = Some(tile);
        self.raised = Some(tile);
        if let Some(window) = self.dock.tiles.get_pane(&tile).and_then(|pane| pane.window()) {
            self.windows.activate(window);
        }
    }

    /// Lists the accesses of some memory, which is named at the position.
    pub fn list_accesses(&mut self, address: String, len_bytes: u64, thread: Option<String>) {
        self.list(Listed::Cell(format!("{address}:{len_bytes}")), AccessKinds::All, thread);
    }

    /// Lists all values that a cell took, which is named at the position.
    pub fn list_values(&mut self, cell: &CellName) {
        self.list(Listed::Cell(argument_text(cell)), AccessKinds::Writes, None);
    }

    /// Lists all executions of code.
    pub fn list_executions(&mut self, code: String) {
        self.list(Listed::Code(code), AccessKinds::All, None);
    }

    fn list(&mut self, listed: Listed, kinds: AccessKinds, thread: Option<String>) {
        let tile = self.show(PanelKind::Accesses);
        if let Some(Tile::Pane(Pane::Table(panel))) = tile.and_then(|tile| self.dock.tiles.get_mut(tile)) {
            let (at, from) = (self.windows.active().position, Position(0));
            panel.ask(AccessQuestion { listed, kinds, thread, at, from });
        }
    }

    /// Lists the calls of a part of the trace.
    pub fn list_calls(&mut self, range: Option<StepRange>) {
        let tile = self.show(PanelKind::Calls);
        if let Some(Tile::Pane(Pane::Calls(panel))) = tile.and_then(|tile| self.dock.tiles.get_mut(tile)) {
            panel.list_range(range);
        }
    }

    /// Other panels take the place of all. Their numbers begin anew, so that no place of a closed panel is theirs.
    pub(super) fn replace_dock(&mut self, dock: Dock) {
        self.dock = dock;
        self.vacancies.clear();
        self.torn_windows.clear();
    }

    /// The panels as they were at first.
    pub fn reset_layout(&mut self, size: egui::Vec2) {
        self.replace_dock(layout::first(size));
        self.windows.activate(WindowId(1));
        let others: Vec<WindowId> = self.windows.list.iter().map(|window| window.id).collect();
        for id in others.into_iter().filter(|id| *id != WindowId(1)) {
            self.windows.close(id);
        }
        self.windows.ensure(WindowId(1), Position(0));
        self.focused = self.trace_tile(WindowId(1));
    }

    /// The panel that has the keyboard.
    pub fn focused_pane(&self) -> Option<&Pane> {
        self.focused.and_then(|tile| self.dock.tiles.get_pane(&tile))
    }

    /// The cell that was under a cursor last.
    pub fn cell(&self) -> Option<&CellName> {
        self.last_cell.as_ref()
    }

    /// What commands are made for.
    pub fn situation(&mut self, worker: &Worker, tok: &Tok) -> Situation {
        let is_in_trace = self.focused_pane().is_none_or(|pane| pane.window().is_some());
        let chosen = self.chosen_cell().filter(|_| is_in_trace);
        let selected = chosen.or_else(|| self.selection(worker, tok));
        if let Some(cell) = selected.filter(|cell| Some(cell) != self.last_cell.as_ref()) {
            self.attend(&cell);
            self.last_cell = Some(cell);
        }
        let pane = self.focused_pane();
        Situation {
            active: Some((self.windows.active, self.windows.active().position.0)),
            trace: self.windows.active().trace,
            tile: self.focused.map(|tile| tile.0),
            is_in_trace: pane.is_none_or(|pane| pane.window().is_some()),
            is_in_cells: pane.is_some_and(|pane| pane.has_cells()),
            cell: self.last_cell.clone(),
            ..Situation::default()
        }
    }

    fn selection(&mut self, worker: &Worker, tok: &Tok) -> Option<CellName> {
        let tile = self.focused?;
        let Drawn { cx, dock, .. } = self.drawn(worker, tok);
        dock.tiles.get_pane(&tile)?.selection(&ViewCx { tile: tile.0, has_focus: true, ..cx })
    }

    /// What panels look at, and what is drawn of it.
    pub fn drawn<'a>(&'a mut self, worker: &'a Worker, tok: &'a Tok) -> Drawn<'a> {
        let cx = ViewCx {
            trace: self.windows.active().trace,
            session: &self.session,
            options: &self.options,
            worker,
            windows: &self.windows,
            sources: &self.sources,
            threads: &self.threads,
            find: &self.find,
            bookmarks: &self.bookmarks,
            watches: &self.watches,
            waves: &self.waves,
            searches: &self.searches,
            own_finds: &self.own_finds,
            functions: &self.functions,
            tok,
            // No tile of the dock has this number.
            tile: u64::MAX,
            has_focus: false,
        };
        Drawn { cx, dock: &mut self.dock, timeline: &mut self.timeline }
    }

    /// Asks who ran where and when, once for all panels, and who runs at the position.
    pub fn look_at_threads(&mut self, worker: &Worker) {
        self.threads.poll(&self.session, worker, self.windows.active().position);
    }

    /// Asks what the functions took, while a panel shows that.
    pub fn look_at_functions(&mut self, worker: &Worker) {
        let (dock, selection) = (&self.dock, self.timeline.selection());
        let asking = FunctionsAsking { session: &self.session, worker, selection };
        self.functions.advance(asking, || shows_functions(dock));
    }

    /// The function that was chosen in a panel which can be seen: nobody means one that was chosen long ago.
    pub fn chosen_function(&self) -> Option<Address> {
        self.functions.selected().filter(|_| shows_functions(&self.dock))
    }

    /// How the trace file was found changed, once. Asks again now and then, on the worker.
    pub fn trace_change(&mut self, worker: &Worker) -> Option<TraceChange> {
        let answer = self.watch.as_ref().and_then(Ticket::take);
        if answer.is_some() {
            self.watch = None;
        } else if self.watch.is_none() && self.watched.elapsed() > WATCH_INTERVAL {
            self.watched = Instant::now();
            let session = self.session.clone();
            self.watch = Some(worker.spawn(Lane::Short, move |_| Ok(session.trace_change())));
        }
        let change = answer.and_then(Result::ok)?.filter(|change| self.told != Some(*change))?;
        self.told = Some(change);
        Some(change)
    }

    /// The tile that shows a trace window.
    pub fn trace_tile(&self, window: WindowId) -> Option<TileId> {
        self.tiles_of_window(window).first().copied()
    }

    pub(super) fn tiles_of_window(&self, window: WindowId) -> Vec<TileId> {
        let mut tiles = layout::panes_in_order(&self.dock);
        tiles.retain(|tile| self.dock.tiles.get_pane(tile).is_some_and(|pane| pane.window() == Some(window)));
        tiles
    }

    /// The first panel of a kind, the one that has the keyboard before others.
    pub(super) fn find(&self, kind: PanelKind) -> Option<TileId> {
        let is_kind = |tile: &TileId| self.dock.tiles.get_pane(tile).is_some_and(|pane| pane.kind() == kind);
        let focused = self.focused.filter(is_kind);
        focused.or_else(|| layout::panes_in_order(&self.dock).into_iter().find(is_kind))
    }

    /// Brings a panel of a kind to the front, opening one where there is none; the keyboard stays where it is.
    pub fn reveal_panel(&mut self, kind: PanelKind) {
        if self.find(kind).is_some() {
            return self.reveal(kind);
        }
        let focused = self.focused;
        self.show(kind);
        if let Some(tile) = focused {
            self.focused = Some(tile);
        }
    }

    pub(super) fn reveal(&mut self, kind: PanelKind) {
        if let Some(tile) = self.find(kind) {
            self.dock.make_active(|id, _| id == tile);
        }
    }

    pub(super) fn any_tile(&self) -> Option<TileId> {
        layout::panes_in_order(&self.dock).first().copied()
    }
}

/// Whether a panel that tells of functions can be seen.
fn shows_functions(dock: &Dock) -> bool {
    let kind = |tile: TileId| dock.tiles.get_pane(&tile).map(|pane| pane.kind());
    let is_one = |kind| matches!(kind, PanelKind::Functions | PanelKind::FlameGraph);
    let torn = layout::panes_in_order(dock).into_iter().filter(|tile| !dock.is_visible(*tile));
    dock.active_tiles().into_iter().chain(torn).filter_map(kind).any(is_one)
}

/// The panels as they were left. Positions beyond the part that is indexed are awaited.
fn restored(session: &Session, saved: SavedLayout, windows: &mut Windows) -> (Dock, Vec<Awaited>) {
    let mut awaited = Vec::new();
    let mut dock = saved.dock;
    for tile in layout::panes_in_order(&dock) {
        let Some(Tile::Pane(pane)) = dock.tiles.get_mut(tile) else { continue };
        pane.renew();
        let Some(window) = pane.window() else { continue };
        let known = saved.positions.iter().find(|(id, _)| *id == window);
        let mut position = known.map_or(0, |(_, moment)| moment.position);
        if !session.index.is_whole() && position > session.index.step_count() {
            awaited.push(Awaited { window, position: Position(position) });
            position = 0;
        }
        if window == WindowId(1) {
            // Window 1 is there from the start.
            windows.active_mut().position = Position(position).min(session.index.end());
            windows.active_mut().previous = windows.active().position;
        }
        windows.ensure(window, Position(position));
    }
    windows.activate(saved.active);
    (dock, awaited)
}

fn format_name(format: &str) -> String {
    Format::named(format).map_or_else(|| format.to_owned(), |format| format.maker().to_owned())
}
