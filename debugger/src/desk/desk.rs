//! The state of an open trace.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stepback_parsers::Position;

use super::arriving_part::PendingPart;
use super::find_state::FindState;
use super::functions_state::FunctionsState;
use super::kept::SessionPlaces;
use super::lookup::PlaceLookup;
use super::mend_state::RepairState;
use super::names_in_use::NamesInUse;
use super::news::{DeskEvent, Message, Tone};
use super::opening::OpenedTrace;
use super::own_finds::PanelSearches;
use super::own_slices::PanelSlices;
use super::pending_moves::PendingMoves;
use super::slice_state::SliceState;
use super::threads_slot::ThreadsSlot;
use crate::action::{Moment, WindowId};
use crate::messages::say;
use crate::model::so_far::so_far;
use crate::model::{SourceChoice, TraceWindow, Windows};
use crate::notes::{Bookmarks, SavedQueries, SavedSearch, SavedSlice, Watches};
use crate::session::{OpenOptions, Session, TraceChange};
use crate::worker::{JobLane, Ticket, Worker};

/// How often at most the trace file is looked at for changes.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);

/// An open trace with its windows, and all that is asked of it and kept about it.
pub struct Desk {
    /// The trace.
    pub session: Arc<Session>,
    /// How it was opened.
    pub options: OpenOptions,
    /// It is the demo, opened as such.
    pub is_demo: bool,
    /// Who answers questions.
    pub worker: Arc<Worker>,
    /// The trace windows.
    pub windows: Windows,
    /// What the user chose about sources.
    pub sources: SourceChoice,
    /// Who ran where and when.
    pub threads: ThreadsSlot,
    /// The search, and what it found.
    pub find: FindState,
    /// Searches beside it.
    pub own_finds: PanelSearches,
    /// Why a cell has its value, as far as that was asked.
    pub slice: SliceState,
    /// Slices beside it.
    pub own_slices: PanelSlices,
    /// The places that the user marked.
    pub bookmarks: Bookmarks,
    /// What is watched.
    pub watches: Watches,
    /// The values that the timeline shows.
    pub waves: Watches,
    /// The searches under names.
    pub searches: SavedQueries<SavedSearch>,
    /// The slices under names.
    pub slices: SavedQueries<SavedSlice>,
    /// Steps and time per function.
    pub functions: FunctionsState,
    /// The condition that was sought last.
    pub condition: Option<String>,
    /// Where all that is kept about the trace is saved.
    pub places: SessionPlaces,
    /// The search for a place under way.
    pub lookup: Option<PlaceLookup>,
    /// The moves under way.
    pub(super) moving: PendingMoves,
    /// More of the trace, until its windows are known.
    pub(super) part: Option<PendingPart>,
    /// What is damaged and made again.
    pub(super) mending: RepairState,
    /// The names that the user gave to addresses.
    pub(super) naming: NamesInUse,
    /// The trace is being opened again, or more of it: nothing else is to be made meanwhile.
    pub is_opening: bool,
    pub(super) news: VecDeque<DeskEvent>,
    watch: Option<Ticket<Option<TraceChange>>>,
    watched: Instant,
    /// What was told of the trace file.
    told: Option<TraceChange>,
    /// Windows that were further on when the trace was open last than it is indexed by now.
    awaited: Vec<AwaitedPosition>,
}

/// A window's place in a part of the trace that is not indexed yet.
struct AwaitedPosition {
    window: WindowId,
    position: Position,
}

impl Desk {
    /// A trace that was opened, with one window at its start.
    pub fn new(opened: OpenedTrace, worker: Arc<Worker>) -> Self {
        let session = Arc::new(opened.session);
        let windows = Windows::new(session.index.step_count());
        Self {
            session,
            // Only "Reload" builds the index again, not "Add image…".
            options: OpenOptions {
                policy: opened.options.policy.once_opened(),
                ..opened.options
            },
            is_demo: opened.is_demo,
            worker,
            windows,
            sources: SourceChoice::default(),
            threads: ThreadsSlot::default(),
            find: FindState::default(),
            own_finds: PanelSearches::default(),
            slice: SliceState::default(),
            own_slices: PanelSlices::default(),
            bookmarks: Bookmarks::default(),
            watches: Watches::default(),
            waves: Watches::default(),
            searches: SavedQueries::default(),
            slices: SavedQueries::default(),
            functions: FunctionsState::default(),
            condition: None,
            places: SessionPlaces::default(),
            lookup: None,
            moving: PendingMoves::default(),
            part: None,
            mending: RepairState::default(),
            naming: NamesInUse::default(),
            is_opening: false,
            news: VecDeque::new(),
            watch: None,
            watched: Instant::now(),
            told: None,
            awaited: Vec::new(),
        }
    }

    /// What came of actions and answers since it was asked last, the oldest first; none in the end.
    pub fn take_news(&mut self) -> Option<DeskEvent> {
        self.news.pop_front()
    }

    pub(super) fn tell(&mut self, news: DeskEvent) {
        self.news.push_back(news);
    }

    pub(super) fn say(&mut self, message: Message) {
        self.tell(DeskEvent::Message(message));
    }

    pub(super) fn inform(&mut self, words: &str) {
        self.say(Message::new(Tone::Info, words));
    }

    pub(super) fn fail(&mut self, why: &str) {
        self.tell(DeskEvent::Failed(why.to_owned()));
    }

    /// Opens the windows of the last run where they were; a position that is not indexed yet is awaited.
    pub fn place_window(&mut self, window: WindowId, position: Position) {
        let is_there =
            self.session.index.is_whole() || position.0 <= self.session.index.step_count();
        if !is_there {
            self.awaited.push(AwaitedPosition { window, position });
        }
        let position = if is_there {
            position.min(self.session.index.end())
        } else {
            Position(0)
        };
        match self.windows.get_mut(window) {
            // Window 1 is there from the start.
            Some(window) => window.begin_at(position),
            None => self.windows.ensure(window, position),
        }
    }

    /// The active window begins at a position as soon as the trace reaches there.
    pub fn await_position(&mut self, position: Position) {
        let window = self.windows.active;
        self.awaited.retain(|awaited| awaited.window != window);
        self.awaited.push(AwaitedPosition { window, position });
        self.begin_awaited();
    }

    /// Windows begin where they were last time, as far as the trace reaches there by now.
    pub(super) fn begin_awaited(&mut self) {
        let (end, is_whole) = (self.session.index.end(), self.session.index.is_whole());
        for awaited in std::mem::take(&mut self.awaited) {
            let window = self
                .windows
                .get_mut(awaited.window)
                .filter(|window| window.is_untouched());
            match window {
                Some(window) if awaited.position <= end || is_whole => {
                    window.begin_at(awaited.position.min(end))
                }
                Some(_) => self.awaited.push(awaited),
                None => {}
            }
        }
    }

    /// Where the windows are, or will be as soon as the trace reaches there.
    pub fn saved_positions(&self) -> Vec<(WindowId, Moment)> {
        let awaited = |id| {
            self.awaited
                .iter()
                .find(|awaited| awaited.window == id)
                .map(|awaited| awaited.position)
        };
        let place =
            |window: &TraceWindow| match awaited(window.id).filter(|_| window.is_untouched()) {
                Some(position) => Moment {
                    trace: window.trace,
                    position,
                },
                None => window.moment(),
            };
        self.windows
            .list
            .iter()
            .map(|window| (window.id, place(window)))
            .collect()
    }

    /// What is shown is the trace file as it is by now: what was told of it is of the past.
    pub fn forget_change(&mut self) {
        self.told = None;
    }

    /// Whether a session is one of this trace that does not reach as far as its windows are.
    pub fn is_beyond(&self, session: &Session) -> bool {
        let furthest = self.windows.list.iter().map(|window| window.position).max();
        session.path == self.session.path
            && furthest.is_some_and(|furthest| furthest > session.index.end())
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
        let steps = say!(
            "summary-steps",
            what = self.architecture(),
            count = self.session.index.step_count()
        );
        so_far(&self.session, &steps)
    }

    /// Asks who ran where and when, once for all panels, and who runs at the position.
    pub fn look_at_threads(&mut self) {
        self.threads
            .poll(&self.session, &self.worker, self.windows.active().position);
    }

    /// How the trace file was found changed, once. Asks again now and then, on the worker.
    pub fn trace_change(&mut self) -> Option<TraceChange> {
        let answer = self.watch.as_ref().and_then(Ticket::take);
        if answer.is_some() {
            self.watch = None;
        } else if self.watch.is_none() && self.watched.elapsed() > WATCH_INTERVAL {
            self.watched = Instant::now();
            let session = self.session.clone();
            self.watch = Some(
                self.worker
                    .spawn(JobLane::Short, move |_| Ok(session.trace_change())),
            );
        }
        let change = answer
            .and_then(Result::ok)?
            .filter(|change| self.told != Some(*change))?;
        self.told = Some(change);
        Some(change)
    }

    /// Whether more of the trace has arrived whose windows are not known yet.
    pub fn has_arriving_part(&self) -> bool {
        self.part.is_some()
    }
}
