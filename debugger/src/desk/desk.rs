//! State of an open trace: its windows, queries and notes.
//!
//! A [`Desk`] belongs to the drawing thread and never blocks: queries run on the worker, and each
//! frame picks up the answers that have arrived. If the user renames an address, a worker rebuilds
//! the symbol tables and all panels query again.

use std::collections::VecDeque;
use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::answer::ThreadId;
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::action::Moment;
use crate::action::WindowId;
use crate::desk::find_state::{FindState, PanelSearches};
use crate::desk::functions_state::FunctionsState;
use crate::desk::kept::SessionPlaces;
use crate::desk::lookup::PlaceLookup;
use crate::desk::moving::PendingMoves;
use crate::desk::news::{DeskEvent, Message, Tone};
use crate::desk::opening::OpenedTrace;
use crate::desk::part::{PendingPart, RepairState};
use crate::desk::slice_state::{PanelSlices, SliceState};
use crate::desk::status::ThreadsSlot;
use crate::desk::trace_comparison::TraceComparison;
use crate::image::{AddressName, Images};
use crate::messages::say;
use crate::model::ending::{EndingReport, ending_report};
use crate::model::so_far::so_far;
use crate::model::{SourceChoice, TraceWindow, WindowMove, Windows};
use crate::notes::{Bookmarks, SavedQueries, SavedSearch, SavedSlice, Watches};
use crate::session::{OpenOptions, Session, TraceChange};
use crate::worker::{JobLane, Slot, Ticket, Worker};

/// An open trace with its windows, queries and notes.
pub struct Desk {
    pub session: Arc<Session>,
    /// Options that the trace was opened with.
    pub options: OpenOptions,
    /// The trace was opened as the demo.
    pub is_demo: bool,
    /// Worker that answers queries.
    pub worker: Arc<Worker>,
    pub windows: Windows,
    /// Source mappings, and the choice to show source lines in trace rows.
    pub sources: SourceChoice,
    /// Execution intervals of the threads.
    pub threads: ThreadsSlot,
    /// How the trace ends badly, if it does.
    ending: Slot<(), Option<Arc<EndingReport>>>,
    /// State of the main search and its hits.
    pub find: FindState,
    /// Searches of separate panels.
    pub own_finds: PanelSearches,
    /// State of the slice that explains a cell's value.
    pub slice: SliceState,
    /// Slices of separate panels.
    pub own_slices: PanelSlices,
    pub bookmarks: Bookmarks,
    pub watches: Watches,
    /// Values that the timeline shows as waveforms.
    pub waves: Watches,
    /// Height of the timeline as a share of the window, if the user chose it.
    pub timeline_share: Option<f32>,
    /// Saved searches.
    pub searches: SavedQueries<SavedSearch>,
    /// Saved slices.
    pub slices: SavedQueries<SavedSlice>,
    /// Steps and time per function.
    pub functions: FunctionsState,
    /// Differences to a second trace.
    pub comparison: TraceComparison,
    /// Condition of the last search for a condition.
    pub condition: Option<String>,
    /// Files in which the session is saved.
    pub places: SessionPlaces,
    /// Search for a position that is under way.
    pub lookup: Option<PlaceLookup>,
    /// Moves that are under way.
    pub(super) moving: PendingMoves,
    /// Part of the trace that waits until its windows are converted.
    pub(super) part: Option<PendingPart>,
    /// State of the repair of a damaged index.
    pub(super) mending: RepairState,
    /// Names that the user gave to addresses.
    names: Vec<AddressName>,
    /// Job that applies changed names.
    naming: Option<Ticket<Arc<Images>>>,
    /// The trace, or more of it, is being opened. No repair starts meanwhile.
    pub is_opening: bool,
    pub(super) news: VecDeque<DeskEvent>,
    /// Change of the trace file that was reported last.
    stated: Option<TraceChange>,
    /// Window positions of the last run that are beyond the indexed part.
    awaited: Vec<(WindowId, Position)>,
}

impl Desk {
    /// Creates the state of an opened trace, with one window at the start.
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
            ending: Slot::default(),
            find: FindState::default(),
            own_finds: PanelSearches::default(),
            slice: SliceState::default(),
            own_slices: PanelSlices::default(),
            bookmarks: Bookmarks::default(),
            watches: Watches::default(),
            waves: Watches::default(),
            timeline_share: None,
            searches: SavedQueries::default(),
            slices: SavedQueries::default(),
            functions: FunctionsState::default(),
            comparison: TraceComparison::default(),
            condition: None,
            places: SessionPlaces::default(),
            lookup: None,
            moving: PendingMoves::default(),
            part: None,
            mending: RepairState::default(),
            names: Vec::new(),
            naming: None,
            is_opening: false,
            news: VecDeque::new(),
            stated: None,
            awaited: Vec::new(),
        }
    }

    /// Returns the next event, oldest first; none when all were taken.
    pub fn take_news(&mut self) -> Option<DeskEvent> {
        self.news.pop_front()
    }

    pub(super) fn tell(&mut self, news: DeskEvent) {
        self.news.push_back(news);
    }

    pub(super) fn say(&mut self, message: Message) {
        self.tell(DeskEvent::Message(message));
    }

    pub(crate) fn inform(&mut self, words: &str) {
        self.say(Message::new(Tone::Info, words));
    }

    /// Says why a search or a move from the position leads nowhere.
    pub(super) fn inform_here(&mut self, words: &str) {
        let position = self.windows.active().position;
        self.say(Message::new(Tone::Info, words).at(position));
    }

    pub(super) fn fail(&mut self, why: &str) {
        self.tell(DeskEvent::Failed(why.to_owned()));
    }

    /// Places the windows of the last run and closes the initial one if it is not among them.
    pub fn place_windows(&mut self, places: &[(WindowId, Position)]) {
        for (window, position) in places {
            self.place_window(*window, *position);
        }
        let placed: Vec<WindowId> = places.iter().map(|(window, _)| *window).collect();
        self.windows.close_others(&placed);
    }

    /// Places a window of the last run. A position that is not indexed yet is awaited.
    fn place_window(&mut self, window: WindowId, position: Position) {
        let is_there =
            self.session.index.is_whole() || position.0 <= self.session.index.step_count();
        if !is_there {
            self.awaited.push((window, position));
        }
        let position = if is_there {
            position.min(self.session.index.end())
        } else {
            Position(0)
        };
        match self.windows.get_mut(window) {
            // A new desk has window 1.
            Some(window) => window.begin_at(position),
            None => self.windows.ensure(window, position),
        }
    }

    /// Moves the active window to a position as soon as the trace is indexed up to it.
    pub fn await_position(&mut self, position: Position) {
        let window = self.windows.active;
        self.awaited.retain(|(awaited, _)| *awaited != window);
        self.awaited.push((window, position));
        self.begin_awaited();
    }

    /// Places the windows whose awaited positions are indexed now.
    pub(super) fn begin_awaited(&mut self) {
        let (end, is_whole) = (self.session.index.end(), self.session.index.is_whole());
        for (id, position) in std::mem::take(&mut self.awaited) {
            let window = self
                .windows
                .get_mut(id)
                .filter(|window| window.is_untouched());
            match window {
                Some(window) if position <= end || is_whole => window.begin_at(position.min(end)),
                Some(_) => self.awaited.push((id, position)),
                None => {}
            }
        }
    }

    /// Returns the position of each window; for a window that waits, the awaited position.
    pub fn saved_positions(&self) -> Vec<(WindowId, Moment)> {
        let awaited = |id| {
            self.awaited
                .iter()
                .find(|(awaited, _)| *awaited == id)
                .map(|(_, position)| *position)
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

    /// Forgets the reported change: the trace file on disk is the one that is shown.
    pub fn forget_change(&mut self) {
        self.stated = None;
    }

    /// Returns true if `session` is of this trace and ends before a window's position.
    pub fn is_beyond(&self, session: &Session) -> bool {
        let furthest = self.windows.list.iter().map(|window| window.position).max();
        session.path == self.session.path
            && furthest.is_some_and(|furthest| furthest > session.index.end())
    }

    /// Returns the instruction set's name (`AArch64`) or, with several threads, their number.
    pub fn architecture(&self) -> String {
        match self.session.index.threads() {
            [only] => only.instruction_set.names().title.to_owned(),
            threads => say!("summary-threads", count = threads.len()),
        }
    }

    pub fn name(&self) -> String {
        self.options.name()
    }

    /// Returns the text after the name in the title: `AArch64 · 1,763 steps`.
    pub fn summary(&self) -> String {
        let steps = say!(
            "summary-steps",
            what = self.architecture(),
            count = self.session.index.step_count()
        );
        so_far(&self.session, &steps)
    }

    /// Queries the threads' execution intervals and the thread at the position, once for all
    /// panels.
    pub fn look_at_threads(&mut self) {
        self.threads
            .poll(&self.session, &self.worker, self.windows.active().position);
    }

    fn look_at_ending(&mut self) {
        self.ending.poll_long(&(), &self.worker, |()| {
            let session = Arc::clone(&self.session);
            move |cancel: &Cancel| Ok(ending_report(&session, cancel)?.map(Arc::new))
        });
    }

    /// Returns how the trace ends badly; none if it does not, or as long as that is unknown.
    pub fn ending(&self) -> Option<&Arc<EndingReport>> {
        self.ending.peek()?.1.as_ref()
    }

    /// Returns true once it is known how the trace ends.
    pub fn is_ending_known(&self) -> bool {
        self.ending.peek().is_some()
    }

    /// Notes a change of the trace file. Returns true if it was not reported before.
    pub fn note_change(&mut self, change: TraceChange) -> bool {
        self.stated.replace(change) != Some(change)
    }

    /// Returns true if a part of the trace has arrived whose windows are not converted yet.
    pub fn has_arriving_part(&self) -> bool {
        self.part.is_some()
    }
}

impl Desk {
    /// Picks up all answers that have arrived.
    pub fn take_answers(&mut self) {
        self.mend_what_was_met();
        self.take_moved();
        self.take_found();
        self.advance_part();
        self.look_at_names();
        self.look_at_threads();
        self.look_at_ending();
        self.look_at_comparison();
        self.find.advance(&self.session, &self.worker);
        self.slice.advance(&self.session, &self.worker);
        self.look_at_hits();
    }

    /// Cancels the search or the moves under way. Returns false if there are none.
    pub fn give_up(&mut self) -> bool {
        self.moving.give_up()
            || self.lookup.take().is_some()
            || self.find.stop()
            || self.own_finds.stop_all()
            || self.slice.stop()
            || self.own_slices.stop_all()
            || self.comparison.stop()
    }

    pub(crate) fn stay_in_thread(&mut self, name: Option<&str>) {
        match name
            .map(|name| thread_named(&self.session, name))
            .transpose()
        {
            Ok(thread) => self.begin(WindowMove::StayInThread(thread)),
            Err(error) => self.fail(&error),
        }
    }
}

/// Looks up a thread of the trace by name.
///
/// # Errors
/// No thread has this name. The message lists the names that exist.
pub fn thread_named(session: &Session, name: &str) -> Result<ThreadId, String> {
    /// Maximum number of thread names in the error message.
    const LISTED: usize = 8;
    let index = &session.index;
    index.thread_by_name(name).ok_or_else(|| {
        let mut known: Vec<&str> = index
            .threads()
            .iter()
            .take(LISTED)
            .map(|thread| thread.name.as_str())
            .collect();
        known.extend((index.threads().len() > LISTED).then_some("…"));
        say!(
            "stepping-no-thread",
            name = format!("{name:?}"),
            known = known.join(", ")
        )
    })
}

/// Returns the names of bookmarks on memory.
fn names_of(bookmarks: &Bookmarks) -> Vec<AddressName> {
    let given = |(address, len_bytes, name): (u64, u64, &str)| AddressName {
        address: Address(address),
        len_bytes,
        name: name.to_owned(),
    };
    bookmarks.names().map(given).collect()
}

impl Desk {
    /// Applies the names if they changed. A worker builds the tables, and then all panels query
    /// again.
    pub(super) fn look_at_names(&mut self) {
        if self.part.is_some() {
            return;
        }
        if let Some(Ok(images)) = self.naming.as_ref().and_then(Ticket::take) {
            self.naming = None;
            self.session = Arc::new(self.session.with_images(images));
            self.worker.renew();
        }
        // There are few, and only those of memory: comparing is cheaper than to track every change
        // of bookmarks.
        let is_same = self
            .names
            .iter()
            .map(|known| (known.address.0, known.len_bytes, &*known.name));
        if self.naming.is_some() || is_same.eq(self.bookmarks.names()) {
            return;
        }
        let names = names_of(&self.bookmarks);
        self.names.clone_from(&names);
        let images = Arc::clone(&self.session.images);
        self.naming = Some(self.worker.spawn(JobLane::Short, move |_| {
            Ok(Arc::new(images.with_names(&names)))
        }));
    }
}
