//! Threads of a trace ([`ThreadTable`]).
//!
//! A record names the hart, the process and the software thread from there on. A software thread is
//! a thread of the trace, wherever it runs. Without process and thread numbers, each hart is one.

use foldhash::{HashMap, HashMapExt as _};

use crate::events::ThreadNumber;
use crate::step_store::record::StoredThread;

/// Maximum number of threads; further ones are joined into one.
const THREADS: usize = 1 << 14;

/// Numbers in a thread record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadRecord {
    /// Number of the hart.
    pub hart: u32,
    /// Number of the process.
    pub pid: u32,
    /// Number of the software thread.
    pub tid: u32,
}

/// Bit of a stored thread number that marks a hart.
const HART: u64 = 1 << 63;

impl ThreadRecord {
    /// Returns the identity of the thread in the store.
    pub fn stored(self) -> StoredThread {
        if self.is_hart() {
            StoredThread {
                tid: HART | u64::from(self.hart),
                pid: 0,
            }
        } else {
            StoredThread {
                tid: self.tid.into(),
                pid: self.pid.into(),
            }
        }
    }

    /// Returns true if only the hart is known.
    pub fn is_hart(self) -> bool {
        (self.pid, self.tid) == (0, 0)
    }
}

/// Returns the name of a thread: `hart0`, or `120.121` with the process and the thread.
pub fn thread_name(thread: StoredThread) -> String {
    match thread.tid & HART {
        0 => format!("{}.{}", thread.pid, thread.tid),
        _ => format!("hart{}", thread.tid ^ HART),
    }
}

/// Returns the name of a thread's process, given the name of the thread.
pub fn process_in(name: &str) -> Option<&str> {
    name.split_once('.').map(|(process, _)| process)
}

/// State of a thread.
#[derive(Clone, Debug, Default)]
pub struct ThreadState {
    /// Address of its next instruction; `None` if unknown.
    pub next_pc: Option<u64>,
    /// Number of handlers of exceptions and interrupts that it is in.
    pub handlers: u32,
    /// Hart on which it ran last.
    pub hart: Option<u32>,
}

/// Threads by the numbers of their records.
#[derive(Clone, Debug, Default)]
pub struct ThreadTable {
    numbers: HashMap<(u64, u64), ThreadNumber>,
    states: Vec<ThreadState>,
}

impl ThreadTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self {
            numbers: HashMap::new(),
            states: Vec::new(),
        }
    }

    /// Returns the number of a thread if it has one.
    pub fn number(&self, record: ThreadRecord) -> Option<ThreadNumber> {
        let StoredThread { tid, pid } = record.stored();
        let known = self.numbers.get(&(tid, pid)).copied();
        known.or_else(|| self.is_full().then(|| self.last()))
    }

    /// Returns the number of threads.
    pub fn count(&self) -> usize {
        self.states.len()
    }

    /// Returns true if new threads get no number.
    pub fn is_full(&self) -> bool {
        self.states.len() >= THREADS
    }

    fn last(&self) -> ThreadNumber {
        ThreadNumber(u16::try_from(self.states.len().saturating_sub(1)).unwrap_or(u16::MAX))
    }

    /// Adds a thread.
    pub fn add(&mut self, record: ThreadRecord) -> ThreadNumber {
        let StoredThread { tid, pid } = record.stored();
        self.states.push(ThreadState::default());
        let number = self.last();
        self.numbers.insert((tid, pid), number);
        number
    }

    /// Returns the state of a thread.
    #[inline(always)]
    pub fn state(&mut self, thread: ThreadNumber) -> Option<&mut ThreadState> {
        self.states.get_mut(usize::from(thread.0))
    }

    /// Forgets the addresses and handlers of all threads, after records were lost.
    pub fn forget(&mut self) {
        for state in &mut self.states {
            (state.next_pc, state.handlers) = (None, 0);
        }
    }
}
