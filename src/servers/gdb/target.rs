//! A trace as a program that a debugger controls: a position, stop points, and the answers to its
//! requests from the index.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use gdbstub::stub::MultiThreadStopReason;
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use gdbstub::target::ext::breakpoints::WatchKind;

use anyhow::{Context as _, Result};
use gdbstub::common::{Signal, Tid};
use stepback_debugger::analysis::run_control::{
    AccessStop, RunControl, RunningThreads, Stop, StopPoints, StopReason, Stops, WatchedRange,
};
use stepback_debugger::analysis::step_places::step_record;
use stepback_debugger::session::Session;
use stepback_debugger::sync::SharedPosition;
use stepback_index::answer::{AccessKinds, Direction, ThreadId};
use stepback_index::query::{MemoryAt, NearestStepOf, RegisterViewsAt};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::target_description::WatchTrap;
use stepback_machine::{Address, RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::servers::gdb::description::{memory_map_xml, region_text, target_xml};
use crate::servers::gdb::interrupts::Interrupts;
use crate::servers::gdb::libraries::{
    auxiliary_vector, libraries_svr4_xml, libraries_xml, program_path,
};
use crate::servers::gdb::registers::{RegisterLayout, RegisterMoment};
use crate::servers::gdb::requests::{NamedThread, ThreadUse};
use crate::servers::viewpoint::memory_of;

/// Maximum number of breakpoints, and of watchpoints.
const STOP_POINTS: usize = 4096;

/// A position in a trace, with the stop points of a client.
pub struct TraceTarget<'a> {
    pub(super) session: &'a Session,
    pub(super) cancel: Cancel,
    pub(super) documents: Documents,
    pub(super) layout: RegisterLayout,
    pub(super) position: Position,
    pub(super) request: RunRequest,
    /// True if the client asked for extended mode (`target extended-remote`).
    pub(super) is_extended: bool,
    breakpoints: BTreeSet<(BreakpointForm, Address)>,
    points: StopPoints,
    /// Addresses whose breakpoints the client removed since the last stop and has not set again.
    removed: BTreeSet<Address>,
    /// Watched ranges that the client removed since it last let the program run on.
    removed_watches: Vec<WatchedRange>,
    pub(super) client: ClientKind,
    choice: ThreadChoice,
    /// The access that stopped the program last; none if it has run on since.
    reported: Option<ReportedAccess>,
    /// Requests of the client to stop.
    pub(super) interrupts: Arc<Interrupts>,
    /// Position of a window that moves together with this.
    shared: Option<Arc<SharedPosition>>,
}

/// The documents that a client reads in parts.
pub(super) struct Documents {
    pub target: String,
    pub memory_map: String,
    pub program: Option<String>,
    pub libraries_svr4: String,
    pub libraries: String,
    pub auxiliary_vector: Vec<u8>,
}

/// A request to run, filled in packet by packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunRequest {
    pub direction: Direction,
    /// Thread that is to do one step. None to run until a stop.
    pub stepping: Option<ThreadId>,
    /// Thread that is to run on, which matters only if the others do not.
    pub continuing: Option<ThreadId>,
    pub threads: RunningThreads,
}

/// Kind of client, by the features that it announces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ClientKind {
    /// It has announced none.
    #[default]
    Unknown,
    Gdb,
    /// LLDB, which believes `qHostInfo`.
    Lldb,
}

/// Form in which a client set a breakpoint. It makes no difference in a trace, but a stop reports the
/// form that the client used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BreakpointForm {
    Software,
    Hardware,
}

/// An access that stopped the program.
#[derive(Clone, Debug)]
struct ReportedAccess {
    access: AccessStop,
    /// Other stops at the same position. A client understands one access for each stop, so that the
    /// accesses among these stop its next runs in the same direction.
    others: Vec<Stop>,
    direction: Direction,
}

impl ReportedAccess {
    /// Returns true if a position in the direction of the run shows the access.
    fn is_passed(&self, position: Position) -> bool {
        let end = self.access.end(self.direction);
        match self.direction {
            Direction::Forward => end <= position,
            Direction::Back => position <= end,
        }
    }

    /// Returns the stops of running threads at other accesses that are still watched; none if there
    /// are none.
    fn others_of(&self, threads: RunningThreads, points: &StopPoints) -> Option<Stops> {
        let is_watched = |stop: &&Stop| match stop.reason {
            StopReason::Access(access) => {
                let alone = RunningThreads::One(stop.thread);
                [RunningThreads::All, alone].contains(&threads)
                    && points.data.contains(&access.watched)
            }
            _ => false,
        };
        let mut watched = self.others.iter().filter(is_watched).copied();
        Some(Stops {
            first: watched.next()?,
            others: watched.collect(),
        })
    }
}

/// Threads chosen by packets.
#[derive(Clone, Copy, Debug, Default)]
struct ThreadChoice {
    /// Thread whose registers the client reads.
    reading: Option<ThreadId>,
    /// Thread that runs. None for all.
    running: Option<ThreadId>,
}

/// Answer to a request for another stop point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointOutcome {
    Done,
    TooMany,
}

impl Default for RunRequest {
    fn default() -> Self {
        Self {
            direction: Direction::Forward,
            stepping: None,
            continuing: None,
            threads: RunningThreads::All,
        }
    }
}

impl<'a> TraceTarget<'a> {
    /// Creates a target at the start of a trace.
    ///
    /// # Errors
    /// GDB does not know the instruction set, or the trace has no step.
    pub fn new(session: &'a Session) -> Result<Self> {
        let index = &session.index;
        anyhow::ensure!(
            index.step_count() > 0,
            "the trace shows no instruction, so there is nothing to debug"
        );
        let set = index.source().traits().instruction_set;
        let layout = RegisterLayout::of_trace(index)
            .with_context(|| format!("gdb does not know {} instructions", set.names().spoken))?;
        let images = &session.images;
        let documents = Documents {
            target: target_xml(&layout),
            memory_map: memory_map_xml(images),
            program: program_path(images),
            libraries_svr4: libraries_svr4_xml(images),
            libraries: libraries_xml(images),
            auxiliary_vector: auxiliary_vector(images, set.word_bytes()),
        };
        Ok(Self {
            session,
            cancel: Cancel::default(),
            documents,
            layout,
            position: Position(0),
            request: RunRequest::default(),
            is_extended: false,
            breakpoints: BTreeSet::new(),
            points: StopPoints::default(),
            removed: BTreeSet::new(),
            removed_watches: Vec::new(),
            client: ClientKind::default(),
            choice: ThreadChoice::default(),
            reported: None,
            interrupts: Arc::default(),
            shared: None,
        })
    }

    #[cfg(any(feature = "window", feature = "terminal"))]
    /// Moves to the position of a window, which follows from then on. `cancel` ends queries.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub(super) fn share(
        &mut self,
        window: Arc<SharedPosition>,
        cancel: Cancel,
    ) -> Result<(), QueryError> {
        self.cancel = cancel;
        self.move_to(window.shown())?;
        self.shared = Some(window);
        Ok(())
    }

    /// Returns the position of the window that follows.
    pub(super) fn window_position(&self) -> Option<Position> {
        self.shared.as_ref().map(|window| window.shown())
    }

    fn show(&self) {
        if let Some(window) = &self.shared {
            window.go_to(self.position);
        }
    }

    /// Forgets what the last client set. The position stays.
    pub fn begin_session(&mut self) {
        self.forget_points();
        self.choice = ThreadChoice::default();
        self.request = RunRequest::default();
        self.is_extended = false;
        self.client = ClientKind::default();
        self.reported = None;
        self.interrupts = Arc::default();
    }

    /// Removes all breakpoints and watchpoints.
    pub(super) fn forget_points(&mut self) {
        self.breakpoints.clear();
        self.points = StopPoints::default();
        self.removed.clear();
        self.removed_watches.clear();
    }

    pub(super) fn index(&self) -> &'a Index {
        &self.session.index
    }

    /// Returns the thread that a client means without naming one.
    pub(super) fn current_thread(&self) -> Result<ThreadId, QueryError> {
        match self.choice.reading {
            Some(thread) => Ok(thread),
            None => self.next_thread(),
        }
    }

    /// Returns the thread that is to do the next step; at the end, the one that did the last.
    fn next_thread(&self) -> Result<ThreadId, QueryError> {
        let after = Position(self.position.0.saturating_add(1)).min(self.index().end());
        SlotReader(self.index()).thread_at(after)
    }

    /// Returns the threads, the current one first: clients take it for the selected one.
    pub(super) fn threads(&self) -> Result<Vec<ThreadId>, QueryError> {
        let current = self.current_thread()?;
        let others = (0..).map(ThreadId).take(self.index().threads().len());
        Ok([current]
            .into_iter()
            .chain(others.filter(|thread| *thread != current))
            .collect())
    }

    /// Notes the thread of an `H` packet.
    pub(super) fn choose_thread(&mut self, thread_use: ThreadUse, named: NamedThread) {
        let thread = self.thread_named(named);
        match thread_use {
            ThreadUse::Reading => self.choice.reading = thread,
            ThreadUse::Running => self.choice.running = thread,
        }
    }

    /// Returns true if a packet names a thread that the trace does not have.
    pub(super) fn is_missing(&self, named: NamedThread) -> bool {
        matches!(named, NamedThread::One(_)) && self.thread_named(named).is_none()
    }

    fn thread_named(&self, named: NamedThread) -> Option<ThreadId> {
        match named {
            NamedThread::All | NamedThread::Any => None,
            NamedThread::One(number) => usize::try_from(number)
                .ok()
                .and_then(NonZeroUsize::new)
                .and_then(|number| self.thread_of(number)),
        }
    }

    /// Returns the only thread that runs; none if all do.
    pub(super) fn running_thread(&self) -> Option<ThreadId> {
        self.choice.running
    }

    /// Returns the thread with a number; none if the trace has no such thread.
    pub(super) fn thread_of(&self, number: Tid) -> Option<ThreadId> {
        let place = number.get() - 1;
        let thread = u16::try_from(place).ok().map(ThreadId);
        thread.filter(|_| place < self.index().threads().len())
    }

    /// Reads all registers of a thread. One that has done its last step, which led to an unknown
    /// address, has the program counter of that step: clients cannot step it back without one.
    pub(super) fn registers(&self, thread: ThreadId) -> Result<Vec<Option<u8>>, QueryError> {
        let moment = RegisterMoment {
            thread,
            position: self.position,
            counter_at: self.with_program_counter(thread, self.position)?,
        };
        self.layout.read(self.index(), moment, &self.cancel)
    }

    /// Returns the hex digits of a register of the current thread. One that the trace does not show
    /// is `x`: both GDB and LLDB take that for unavailable, while LLDB takes an error for register 0
    /// to mean that no register can be read alone, and digits `xx` for a value.
    pub(super) fn register_text(&self, number: u64) -> Result<String, QueryError> {
        let Some(place) = self.layout.place(number) else {
            return Ok("E0e".to_owned());
        };
        let all = self.registers(self.current_thread()?)?;
        let bytes = all.get(place).unwrap_or_default().iter();
        let digits = bytes.map(|byte| byte.map(|byte| format!("{byte:02x}")));
        Ok(digits.collect::<Option<String>>().unwrap_or("x".to_owned()))
    }

    /// Returns the region of memory around an address.
    pub(super) fn region_text(&self, address: u64) -> String {
        let set = self.index().source().traits().instruction_set;
        region_text(address, set.word_bytes())
    }

    /// Reads memory as a thread sees it, up to the first unknown byte.
    pub(super) fn memory(
        &self,
        thread: ThreadId,
        address: u64,
        len_bytes: u64,
    ) -> Result<Vec<u8>, QueryError> {
        let question = MemoryAt {
            position: self.position,
            address: Address(address),
            len_bytes,
        };
        let states = memory_of(self.index(), thread, question, &self.cancel)?;
        Ok(states.iter().map_while(|state| state.value).collect())
    }

    pub(super) fn add_breakpoint(&mut self, form: BreakpointForm, address: u64) -> PointOutcome {
        if self.breakpoints.len() >= STOP_POINTS {
            return PointOutcome::TooMany;
        }
        self.removed.remove(&Address(address));
        self.breakpoints.insert((form, Address(address)));
        self.points.code.insert(Address(address));
        PointOutcome::Done
    }

    pub(super) fn remove_breakpoint(&mut self, form: BreakpointForm, address: u64) {
        self.breakpoints.remove(&(form, Address(address)));
        self.points.code = self.breakpoints.iter().map(|(_, pc)| *pc).collect();
        if self.removed.len() < STOP_POINTS {
            self.removed.insert(Address(address));
        }
    }

    /// Watches memory of the process of the current thread. A client removes its watchpoints at each
    /// stop and sets them again, whatever thread has stopped: these stay in their process.
    pub(super) fn add_watch(&mut self, watched: WatchedRange) -> PointOutcome {
        if self.points.data.len() >= STOP_POINTS {
            return PointOutcome::TooMany;
        }
        let is_same = |known: &mut WatchedRange| is_same_watch(known, &watched);
        let watched = match self.removed_watches.extract_if(.., is_same).last() {
            Some(removed) => removed,
            None => watched,
        };
        if !self
            .points
            .data
            .iter()
            .any(|known| is_same_watch(known, &watched))
        {
            self.points.data.push(watched);
        }
        PointOutcome::Done
    }

    pub(super) fn remove_watch(&mut self, watched: WatchedRange) {
        let is_removed = |known: &mut WatchedRange| is_same_watch(known, &watched);
        let removed = self.points.data.extract_if(.., is_removed);
        self.removed_watches.extend(removed);
        self.removed_watches.truncate(STOP_POINTS);
    }

    /// Moves to a position, or before the last step where the end shows no program counter.
    pub(super) fn move_to(&mut self, position: Position) -> Result<(), QueryError> {
        self.position = position;
        self.choice.reading = None;
        self.reported = None;
        let thread = self.next_thread()?;
        self.position = self.with_program_counter(thread, position)?;
        self.choice.reading = Some(self.next_thread()?);
        self.show();
        Ok(())
    }

    /// Runs as requested and returns the reason to stop. A run that the client interrupts leaves the
    /// position as it is.
    pub(super) fn run(&mut self) -> Result<MultiThreadStopReason<u64>, QueryError> {
        let request = std::mem::take(&mut self.request);
        let interrupts = Arc::clone(&self.interrupts);
        let run = interrupts.begin_run();
        let ran = run
            .cancel
            .check()
            .and_then(|()| self.run_to_stop(request, &run.cancel));
        if !matches!(ran, Err(QueryError::Cancelled)) || !run.cancel.is_cancelled() {
            interrupts.complete(&run);
            return ran;
        }
        interrupts.stopped(&run);
        let thread = match request.stepping {
            Some(thread) => thread,
            None => self.current_thread()?,
        };
        Ok(MultiThreadStopReason::SignalWithThread {
            tid: tid_of(thread),
            signal: Signal::SIGINT,
        })
    }

    /// Runs until a stop, and moves there.
    fn run_to_stop(
        &mut self,
        request: RunRequest,
        cancel: &Cancel,
    ) -> Result<MultiThreadStopReason<u64>, QueryError> {
        let stops = self.next_stops(request, cancel)?;
        if request.stepping.is_none() {
            self.removed_watches.clear();
        }
        let stop = stops.first;
        let is_over_breakpoint =
            request.stepping.is_some() && self.is_over_breakpoint(stop.thread)?;
        let reason = self.stop(stops, request.direction)?;
        self.removed.clear();
        Ok(match reason {
            // GDB waits forever in its next request if there is no step over a breakpoint. It asks
            // for another step or runs on with the breakpoint in place.
            MultiThreadStopReason::ReplayLog { .. } if is_over_breakpoint => {
                MultiThreadStopReason::SignalWithThread {
                    tid: tid_of(stop.thread),
                    signal: Signal::SIGTRAP,
                }
            }
            reason => reason,
        })
    }

    /// Returns the next stops of a run.
    fn next_stops(&self, request: RunRequest, cancel: &Cancel) -> Result<Stops, QueryError> {
        let RunRequest {
            direction, threads, ..
        } = request;
        let reported = self.reported.as_ref();
        let reported = reported.filter(|reported| reported.direction == direction);
        if let Some(stops) = reported.and_then(|reported| reported.others_of(threads, &self.points))
        {
            return Ok(stops);
        }
        let control = RunControl {
            index: &self.session.index,
            points: &self.points,
            reported: reported.map(|reported| reported.access),
            cancel,
        };
        match request.stepping {
            Some(thread) => control.step(thread, self.position, direction, threads),
            None => control.run(self.position, direction, threads),
        }
    }

    /// Returns whether the client removed a breakpoint at the next instruction since the last stop,
    /// to step over it.
    fn is_over_breakpoint(&self, thread: ThreadId) -> Result<bool, QueryError> {
        if self.removed.is_empty() {
            return Ok(false);
        }
        let next = NearestStepOf::next(thread, self.position).run(self.index(), &self.cancel)?;
        let record = match next {
            Some(step) => step_record(step, self.index(), &self.cancel)?,
            None => None,
        };
        Ok(record.is_some_and(|record| self.removed.contains(&record.pc)))
    }

    /// Moves to the first of some stops and returns its reason.
    fn stop(
        &mut self,
        stops: Stops,
        direction: Direction,
    ) -> Result<MultiThreadStopReason<u64>, QueryError> {
        let Stops {
            first: stop,
            others,
        } = stops;
        let wanted = match stop.reason {
            StopReason::Access(access) => self.position_of(access, direction),
            StopReason::Breakpoint(_) | StopReason::Step | StopReason::Edge => stop.position,
        };
        let position = self.with_program_counter(stop.thread, wanted)?;
        let before = std::mem::replace(&mut self.position, position);
        self.reported = match stop.reason {
            StopReason::Access(access) => Some(ReportedAccess {
                access,
                others,
                direction,
            }),
            // The client may have removed its watchpoints to pass the access.
            _ => self.reported.take().filter(|last| !last.is_passed(before)),
        };
        self.show();
        self.choice.reading = Some(stop.thread);
        let tid = tid_of(stop.thread);
        Ok(match stop.reason {
            StopReason::Access(access) => MultiThreadStopReason::Watch {
                tid,
                kind: watch_kind(access.watched.kinds),
                addr: access.address.0,
            },
            // Without a further step the thread has ended.
            StopReason::Step if position != wanted => end_of_log(tid),
            StopReason::Edge => match direction {
                Direction::Forward => end_of_log(tid),
                Direction::Back => MultiThreadStopReason::ReplayLog {
                    tid: Some(tid),
                    pos: ReplayLogPosition::Begin,
                },
            },
            StopReason::Step => MultiThreadStopReason::SignalWithThread {
                tid,
                signal: Signal::SIGTRAP,
            },
            StopReason::Breakpoint(pc) => {
                match self.breakpoints.contains(&(BreakpointForm::Software, pc)) {
                    true => MultiThreadStopReason::SwBreak(tid),
                    false => MultiThreadStopReason::HwBreak(tid),
                }
            }
        })
    }

    /// Returns the position at which the client expects a watchpoint to stop. Of processors that
    /// trap before the access, gdb expects that in both directions, and makes the step itself.
    fn position_of(&self, access: AccessStop, direction: Direction) -> Position {
        let trap = match self.client {
            ClientKind::Unknown | ClientKind::Gdb => self.layout.description.watch_trap,
            ClientKind::Lldb => WatchTrap::AfterAccess,
        };
        access.end(match (trap, direction) {
            (WatchTrap::BeforeAccess, Direction::Forward)
            | (WatchTrap::AfterAccess, Direction::Back) => Direction::Back,
            (WatchTrap::BeforeAccess, Direction::Back)
            | (WatchTrap::AfterAccess, Direction::Forward) => Direction::Forward,
        })
    }

    /// Returns a position, or the one before the thread's last step if the program counter is
    /// unknown at it: clients cannot show a thread without one.
    fn with_program_counter(
        &self,
        thread: ThreadId,
        position: Position,
    ) -> Result<Position, QueryError> {
        let step = |question: NearestStepOf| question.run(self.index(), &self.cancel);
        if step(NearestStepOf::next(thread, position))?.is_some() {
            return Ok(position);
        }
        let set = self.index().instruction_set(thread);
        let view = RegisterView::new(RegisterId::PC, 0, set.word_bytes());
        let question = RegisterViewsAt {
            position,
            thread,
            views: vec![(String::new(), view)],
        };
        let states = question.run(self.index(), &self.cancel)?;
        if states.iter().any(|state| state.value.to_u64().is_some()) {
            return Ok(position);
        }
        let last = step(NearestStepOf::last(thread, position))?;
        Ok(last.map_or(position, Step::before))
    }
}

/// Returns the number of a thread in packets.
pub(super) fn tid_of(thread: ThreadId) -> Tid {
    NonZeroUsize::MIN.saturating_add(usize::from(thread.0))
}

/// Returns true for a watched range that a client set in the same words.
fn is_same_watch(one: &WatchedRange, other: &WatchedRange) -> bool {
    let thread = one.thread;
    *one == WatchedRange { thread, ..*other }
}

fn end_of_log(tid: Tid) -> MultiThreadStopReason<u64> {
    MultiThreadStopReason::ReplayLog {
        tid: Some(tid),
        pos: ReplayLogPosition::End,
    }
}

fn watch_kind(kinds: AccessKinds) -> WatchKind {
    match kinds {
        AccessKinds::Reads => WatchKind::Read,
        AccessKinds::Writes => WatchKind::Write,
        AccessKinds::All => WatchKind::ReadWrite,
    }
}
