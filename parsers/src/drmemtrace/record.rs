//! What the reader of the files hands on.

use stepback_machine::{Encoding, InstructionSet};

use crate::events::{Problem, ThreadNumber};
use crate::facts::KnownThread;
use crate::marker::Marker;
use crate::step_store::record::StoredThread;

/// A thread of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadIdentity {
    /// As the records have it: a workload's number in bits 48 and up, all ones for a core that is idle.
    pub tid: u64,
    /// Likewise; 0 while the trace has not said it.
    pub pid: u64,
}

impl From<StoredThread> for ThreadIdentity {
    fn from(StoredThread { tid, pid }: StoredThread) -> Self {
        Self { tid, pid }
    }
}

impl ThreadIdentity {
    /// Bits of a workload's number stand above these.
    const TID_BITS: u32 = 48;

    /// Whether this is no thread but a core that has nothing to run.
    pub fn is_idle(&self) -> bool {
        self.tid == u64::MAX
    }

    /// The number of the workload, and the thread's own number in it.
    pub fn parts(&self) -> (u64, u64) {
        (
            self.tid >> Self::TID_BITS,
            self.tid & ((1 << Self::TID_BITS) - 1),
        )
    }

    /// The workload in a name that [`Self::name`] gives; none for the first.
    pub fn workload_in(name: &str) -> Option<&str> {
        name.split_once('.').map(|(workload, _)| workload)
    }

    /// The name of its process; none while the trace has not said it.
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

    /// What is known of it in the words of all formats.
    pub fn known(&self) -> KnownThread {
        KnownThread {
            name: self.name(),
            process: self.process_name(),
            is_idle: self.is_idle(),
        }
    }

    /// The thread's name: its number, after that of its workload where it is not the first.
    pub fn name(&self) -> String {
        match self.parts() {
            _ if self.is_idle() => "idle".to_owned(),
            (0, tid) => tid.to_string(),
            (workload, tid) => format!("{workload}.{tid}"),
        }
    }
}

/// A fetched instruction, or a further round of a repeated one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionRecord {
    /// Which file: encodings are a matter of each file.
    pub input: u16,
    /// Who.
    pub thread: ThreadNumber,
    /// The record's type (`trace_type_t`): 10 to 16, 29, 31, 48, 49.
    pub kind: u8,
    /// How the instructions of its file decode, by the file's type: A32 stands for Thumb too.
    pub set: InstructionSet,
    /// Length in bytes; another than that of the encoding where that is synthetic.
    pub length_bytes: u16,
    /// Its address as recorded.
    pub pc: u64,
    /// What its records said just before it; none: as it was at this address in this file before.
    pub encoding: Option<Encoding>,
    /// Where an indirect branch goes; none when the trace does not say.
    pub target: Option<u64>,
}

/// A load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataRecord {
    /// Who.
    pub thread: ThreadNumber,
    /// True for a store.
    pub is_write: bool,
    /// Bytes.
    pub size_bytes: u16,
    /// As recorded, with the bits on top that some processors ignore.
    pub address: u64,
    /// Address of the instruction where it is not the thread's last one (traces filtered by a cache).
    pub pc: Option<u64>,
}

/// A prefetch or a flush of caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HintRecord {
    /// Who.
    pub thread: ThreadNumber,
    /// Its type, and the address that it is about.
    pub marker: Marker,
    /// Bytes.
    pub size_bytes: u64,
    /// Address of the instruction where it is not the thread's last one (traces filtered by a cache).
    pub pc: Option<u64>,
}

/// Takes every visible record of a trace, threads interleaved, in order.
pub trait RecordSink {
    /// Who a number stands for, before the first record that bears it.
    fn thread(&mut self, thread: ThreadNumber, identity: ThreadIdentity);
    /// An instruction, or a round of a repeated one.
    fn instruction(&mut self, record: &InstructionRecord);
    /// A load or store; it belongs to the thread's last instruction.
    fn data(&mut self, record: &DataRecord);
    /// A prefetch or a flush; it belongs to the thread's last instruction. Who does not look at these is given a marker.
    fn hint(&mut self, record: &HintRecord) {
        self.marker(record.thread, record.marker, record.size_bytes);
    }
    /// Every other visible record: a marker (timestamps as recorded, since 1601), a thread's exit.
    /// `size_bytes` is the length of what it tells of, 0 where it tells of none.
    fn marker(&mut self, thread: ThreadNumber, marker: Marker, size_bytes: u64);
    /// What could not be read; its place is the offset in the unpacked records of the file, which the message names.
    fn problem(&mut self, problem: &Problem);
}
