//! Visible records, as the file readers pass them to a [`RecordSink`], and the threads of a trace,
//! which are numbered across its files in order of appearance ([`ThreadTable`]).

use std::collections::HashMap;

use stepback_machine::{Encoding, InstructionSet};

use crate::events::ThreadNumber;
use crate::marker::Marker;
use crate::problem::Problem;
use crate::source::KnownThread;
use crate::step_store::record::{StoredAccess, StoredHint, StoredThread};

/// Identity of a thread of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadIdentity {
    /// Thread number as recorded: the workload's number is in bits 48 and up; all ones for an idle
    /// core.
    pub tid: u64,
    /// Process number as recorded; 0 until the trace states it.
    pub pid: u64,
}

impl From<StoredThread> for ThreadIdentity {
    fn from(StoredThread { tid, pid }: StoredThread) -> Self {
        Self { tid, pid }
    }
}

impl ThreadIdentity {
    /// Number of bits below a workload's number.
    const TID_BITS: u32 = 48;

    /// Returns whether this is no thread but an idle core.
    pub fn is_idle(&self) -> bool {
        self.tid == u64::MAX
    }

    /// Returns the number of the workload, and the thread's number in it.
    pub fn parts(&self) -> (u64, u64) {
        (
            self.tid >> Self::TID_BITS,
            self.tid & ((1 << Self::TID_BITS) - 1),
        )
    }

    /// Returns the workload in a name that [`Self::name`] returns; `None` for the first workload.
    pub fn workload_in(name: &str) -> Option<&str> {
        name.split_once('.').map(|(workload, _)| workload)
    }

    /// Returns the name of its process; `None` until the trace states it.
    pub fn process_name(&self) -> Option<String> {
        let is_said = !self.is_idle() && self.pid != 0;
        is_said.then(|| {
            Self {
                tid: self.pid,
                pid: 0,
            }
            .name()
        })
    }

    /// Returns its facts in the terms shared by all formats.
    pub fn known(&self) -> KnownThread {
        KnownThread {
            name: self.name(),
            process: self.process_name(),
            is_idle: self.is_idle(),
        }
    }

    /// Returns the thread's name: its number, prefixed by the workload's number unless that is the
    /// first.
    pub fn name(&self) -> String {
        match self.parts() {
            _ if self.is_idle() => "idle".to_owned(),
            (0, tid) => tid.to_string(),
            (workload, tid) => format!("{workload}.{tid}"),
        }
    }
}

/// Fetched instruction, or a further iteration of a repeated one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionRecord {
    /// Index of the file: encodings hold per file.
    pub input: u16,
    /// Thread that executed it.
    pub thread: ThreadNumber,
    /// Type of the record (`trace_type_t`): 10 to 16, 29, 31, 48, 49.
    pub kind: u8,
    /// Instruction set of its file, by the file type: A32 includes Thumb.
    pub set: InstructionSet,
    /// Length in bytes; differs from that of a synthetic encoding.
    pub length_bytes: u16,
    /// Address as recorded.
    pub pc: u64,
    /// Encoding recorded just before it; `None` if unchanged at this address in this file.
    pub encoding: Option<Encoding>,
    /// Target of an indirect branch; `None` if the trace does not state it.
    pub target: Option<u64>,
}

/// Receives all visible records of a trace in order, threads interleaved.
pub trait RecordSink {
    /// Defines the identity of a thread number, before its first record.
    fn thread(&mut self, thread: ThreadNumber, identity: ThreadIdentity);
    /// Receives an instruction, or an iteration of a repeated one.
    fn instruction(&mut self, record: &InstructionRecord);
    /// Receives a load or store of the thread's last instruction.
    fn data(&mut self, thread: ThreadNumber, access: StoredAccess);
    /// Receives a prefetch or flush of the thread's last instruction. The default passes it on as a
    /// marker.
    fn hint(&mut self, thread: ThreadNumber, hint: StoredHint) {
        self.marker(thread, hint.marker, hint.size_bytes);
    }
    /// Receives any other visible record: a marker (timestamps as recorded, since 1601), or a
    /// thread's exit.
    /// `size_bytes` is the length of its subject, or 0 if it has none.
    fn marker(&mut self, thread: ThreadNumber, marker: Marker, size_bytes: u64);
    /// Reports a part that could not be read. Its place is the offset in the unpacked records of
    /// the file that the message names.
    fn problem(&mut self, problem: &Problem);
}

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
    stated: Option<ThreadIdentity>,
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
            stated: None,
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
            && thread.stated != Some(thread.identity)
        {
            thread.stated = Some(thread.identity);
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
