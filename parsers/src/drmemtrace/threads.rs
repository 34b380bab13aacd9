//! Threads of a trace, across its files.

use std::collections::HashMap;

use crate::drmemtrace::record::{RecordSink, ThreadIdentity};
use crate::events::ThreadNumber;

/// The tid of an idle core, which is no thread.
pub(super) const IDLE: u64 = u64::MAX;

/// Numbers of threads, in order of appearance.
#[derive(Debug, Default)]
pub(super) struct ThreadTable {
    by_tid: HashMap<u64, ThreadNumber>,
    known: Vec<ThreadTableEntry>,
}

#[derive(Debug)]
struct ThreadTableEntry {
    identity: ThreadIdentity,
    /// Identity that was last reported to the sink.
    told: Option<ThreadIdentity>,
}

impl ThreadTable {
    /// Returns the number of a thread. All threads that exceed the range of numbers share the last
    /// one.
    pub fn number(&mut self, tid: u64) -> ThreadNumber {
        if let Some(number) = self.by_tid.get(&tid) {
            return *number;
        }
        let Ok(number) = u16::try_from(self.known.len()).map(ThreadNumber) else {
            return ThreadNumber(u16::MAX);
        };
        self.by_tid.insert(tid, number);
        self.known.push(ThreadTableEntry {
            identity: ThreadIdentity { tid, pid: 0 },
            told: None,
        });
        number
    }

    /// Notes the process of a thread.
    pub fn set_process(&mut self, number: ThreadNumber, pid: u64) {
        if let Some(thread) = self.known.get_mut(usize::from(number.0)) {
            thread.identity.pid = pid;
        }
    }

    /// Reports the identity of a thread number to the sink, unless the sink has it.
    pub fn tell<S: RecordSink>(&mut self, number: ThreadNumber, sink: &mut S) {
        if let Some(thread) = self.known.get_mut(usize::from(number.0))
            && thread.told != Some(thread.identity)
        {
            thread.told = Some(thread.identity);
            sink.thread(number, thread.identity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_beyond_what_numbers_tell_apart_take_no_memory() {
        let mut threads = ThreadTable::default();
        let last = (0..70_000).map(|tid| threads.number(tid)).last();
        assert_eq!(
            (last, threads.number(5)),
            (Some(ThreadNumber(u16::MAX)), ThreadNumber(5))
        );
        assert_eq!(
            (threads.by_tid.len(), threads.known.len()),
            (1 << 16, 1 << 16)
        );
    }
}
