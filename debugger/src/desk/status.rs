//! Facts about the current position and session that several panels show: the contents of the
//! status bar, and the execution intervals of the threads.
//!
//! [`SessionWatch`] detects that another session is shown, so that a panel forgets the answers of
//! the previous one.

use std::sync::{Arc, Weak};

use stepback_index::answer::ThreadId;
use stepback_index::query::Steps;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Query as _};
use stepback_parsers::{Position, Step};

use crate::clock::TraceClock;
use crate::desk::words::count;
use crate::messages::say;
use crate::model::source_view::instruction_at;
use crate::model::threads::{Threads, threads_of};
use crate::session::Session;
use crate::worker::{Answer, Slot, Worker};

/// Slot for the contents of the status bar.
pub type StatusSlot = Slot<Position, PositionStatus>;

/// The step just before a position, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionStatus {
    /// Line number in the trace.
    pub line: Option<u64>,
    /// Record number as the stock tools count, in formats that have one.
    pub record: Option<u64>,
    /// Time; a date if the trace's clock counts real time.
    pub time: Option<String>,
    pub thread: Option<String>,
    /// Function that contains the position, with the offset: after a call, the callee.
    pub symbol: Option<String>,
    /// Call depth of the position.
    pub depth: Option<u64>,
}

impl PositionStatus {
    /// Returns the known parts, each with its label.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let parts = [
            (say!("status-line"), self.line.map(count)),
            (say!("status-record"), self.record.map(count)),
            (say!("status-time"), self.time.clone()),
            (say!("status-thread"), self.thread.clone()),
            (say!("status-in"), self.symbol.clone()),
            (say!("status-depth"), self.depth.map(count)),
        ];
        parts
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
    }
}

/// Returns the label of a position: the step after which it is. The number of the position follows.
pub fn position_label(position: Position) -> String {
    match position.last_step() {
        Some(step) => say!("status-after-step", step = count(step.0)),
        None => say!("status-before-first").to_owned(),
    }
}

/// Looks up the contents for a position. At the start of the trace they describe the first step.
pub fn status_at(
    session: &Session,
    position: Position,
    cancel: &Cancel,
) -> anyhow::Result<PositionStatus> {
    let index = &session.index;
    let first = position.last_step().unwrap_or(Step(0));
    let records = Steps { first, count: 1 }.run(index, cancel)?;
    let Some(record) = records.first() else {
        return Ok(PositionStatus::default());
    };
    let here = instruction_at(session, record.thread, position, cancel)?;
    let innermost = index.calls().innermost_at(record.thread, position);
    Ok(PositionStatus {
        line: record.line.map(|line| line.0),
        record: record_of(session, position)?,
        time: record
            .time
            .map(|time| TraceClock::of(index).labelled_time_text(time)),
        thread: index
            .threads()
            .get(usize::from(record.thread.0))
            .map(|thread| thread.name.clone()),
        symbol: here.and_then(|pc| session.images.name_at(pc)),
        depth: innermost
            .and_then(|call| index.calls().get(call))
            .map(|call| u64::from(call.depth)),
    })
}

/// Returns the first record of the step before a position.
fn record_of(session: &Session, position: Position) -> anyhow::Result<Option<u64>> {
    let Some(trace) = session.drmemtrace().filter(|_| position.0 > 0) else {
        return Ok(None);
    };
    let mut found = None;
    trace.records(position.0..position.0.saturating_add(1), |record| {
        found = Some(record.ordinal);
        false
    })?;
    Ok(found)
}

/// Execution intervals of all threads, and the thread at the position: queried once for all panels.
#[derive(Debug, Default)]
pub struct ThreadsSlot {
    all: Slot<(), Arc<Threads>>,
    here: Slot<Position, ThreadId>,
}

impl ThreadsSlot {
    /// Starts the queries that are due.
    pub fn poll(&mut self, session: &Arc<Session>, worker: &Worker, position: Position) {
        self.all.poll_long(&(), worker, |()| {
            let session = Arc::clone(session);
            move |cancel: &Cancel| Ok(Arc::new(threads_of(&session, cancel)?))
        });
        self.here.poll(&position, worker, |position| {
            let (session, position) = (Arc::clone(session), *position);
            move |_: &Cancel| Ok(SlotReader(&session.index).thread_at(position)?)
        });
    }

    /// Returns all threads. Values derived from them stay valid while the `Arc` is the same.
    pub fn all(&self) -> Answer<'_, Arc<Threads>> {
        self.all.last()
    }

    /// Returns the thread of the step before the active window's position, as of the newest answer.
    pub fn here(&self) -> Option<ThreadId> {
        self.here.peek().map(|(_, thread)| *thread)
    }
}

/// Remembers a session without keeping it open.
#[derive(Debug, Default)]
pub struct SessionWatch {
    lineage: Weak<()>,
    session: Weak<Session>,
}

/// Difference from the session that was shown before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionChange {
    /// No difference: this session was shown before.
    Nothing,
    /// Another part of the same trace: slots query again by themselves.
    Part,
    /// Another trace.
    Trace,
}

impl SessionWatch {
    /// Compares the current session with the remembered one, and remembers it.
    pub fn look(&mut self, session: &Arc<Session>) -> SessionChange {
        // Weak references keep the allocations, so that no other session can have their addresses.
        let (lineage, now) = (Arc::downgrade(session.lineage()), Arc::downgrade(session));
        let news = match (self.lineage.ptr_eq(&lineage), self.session.ptr_eq(&now)) {
            (true, true) => SessionChange::Nothing,
            (true, false) => SessionChange::Part,
            (false, _) => SessionChange::Trace,
        };
        *self = Self {
            lineage,
            session: now,
        };
        news
    }

    /// Returns true if the session is of another trace than the remembered one.
    pub fn is_new(&mut self, session: &Arc<Session>) -> bool {
        self.look(session) == SessionChange::Trace
    }
}
