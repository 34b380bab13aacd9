//! Writing of consecutive records.

use std::collections::HashMap;

use super::Architecture;

/// Types of records.
pub mod kind {
    #![expect(missing_docs, reason = "the names of the format")]
    pub const READ: u16 = 0;
    pub const WRITE: u16 = 1;
    pub const INSTRUCTION: u16 = 10;
    pub const JUMP: u16 = 11;
    pub const INDIRECT_JUMP: u16 = 12;
    pub const CONDITIONAL_JUMP: u16 = 13;
    pub const CALL: u16 = 14;
    pub const INDIRECT_CALL: u16 = 15;
    pub const RETURN: u16 = 16;
    pub const THREAD: u16 = 22;
    pub const THREAD_EXIT: u16 = 23;
    pub const PROCESS: u16 = 24;
    pub const HEADER: u16 = 25;
    pub const FOOTER: u16 = 26;
    pub const MARKER: u16 = 28;
    pub const NO_FETCH: u16 = 29;
    pub const ENCODING: u16 = 47;
    pub const TAKEN_JUMP: u16 = 48;
    pub const UNTAKEN_JUMP: u16 = 49;
}

/// Kinds of markers.
pub mod marker {
    #![expect(missing_docs, reason = "the names of the format")]
    pub const KERNEL_EVENT: u16 = 0;
    pub const KERNEL_TRANSFER: u16 = 1;
    pub const TIMESTAMP: u16 = 2;
    pub const CPU: u16 = 3;
    pub const FILE_TYPE: u16 = 9;
    pub const CACHE_LINE: u16 = 10;
    pub const VERSION: u16 = 12;
    pub const RSEQ_ABORT: u16 = 13;
    pub const WINDOW: u16 = 14;
    pub const PAGE_SIZE: u16 = 18;
    pub const CHUNK_INSTRUCTIONS: u16 = 20;
    pub const CHUNK_FOOTER: u16 = 21;
    pub const RECORD_ORDINAL: u16 = 22;
    pub const FILTER_ENDPOINT: u16 = 23;
    pub const RSEQ_ENTRY: u16 = 24;
    pub const SYSTEM_CALL: u16 = 25;
    pub const MAYBE_BLOCKING: u16 = 26;
    pub const SYSTEM_CALL_START: u16 = 27;
    pub const SYSTEM_CALL_END: u16 = 28;
    pub const BRANCH_TARGET: u16 = 29;
    pub const CORE_IDLE: u16 = 33;
    pub const SIGNAL: u16 = 40;
}

/// Bits of the file type.
pub mod file_type {
    #![expect(missing_docs, reason = "the names of the format")]
    pub const DATA_FILTERED: u64 = 0x100;
    pub const INSTRUCTIONS_FILTERED: u64 = 0x80;
    pub const ENCODINGS: u64 = 0x200;
    pub const SYSTEM_CALLS: u64 = 0x400;
    pub const BLOCKING: u64 = 0x800;
    pub const KERNEL: u64 = 0x1000;
    pub const FILTERED_WARMUP: u64 = 0x2000;
    pub const CORE_SHARDED: u64 = 0x1_0000;
    pub const REGDEPS: u64 = 0x2_0000;
}

/// Header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRecipe {
    /// Version 1 to 7, or one that does not exist yet.
    pub version: u64,
    /// Instruction set, which also sets the size of records.
    pub architecture: Architecture,
    /// Bits of the file type in addition to those of the architecture.
    pub file_type: u64,
    /// The first thread.
    pub tid: u64,
    /// Its process.
    pub pid: u64,
    /// Number of instructions per chunk; 0 for files without chunks.
    pub chunk_instructions: u64,
}

impl Default for TraceRecipe {
    fn default() -> Self {
        Self {
            version: 7,
            architecture: Architecture::X86_64,
            file_type: file_type::ENCODINGS | file_type::SYSTEM_CALLS | file_type::BLOCKING,
            tid: 100,
            pid: 100,
            chunk_instructions: 0,
        }
    }
}

/// The expected result of reading a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceTruth {
    /// Number of visible records.
    pub records: u64,
    /// Number of fetched instructions.
    pub instructions: u64,
    /// Number of further rounds of repeated instructions.
    pub nofetch: u64,
    /// Number of loads and of their bytes.
    pub loads: (u64, u64),
    /// Number of stores and of their bytes.
    pub stores: (u64, u64),
    /// Number of markers of all kinds.
    pub markers: u64,
}

/// The records of a file, chunk by chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// The bytes of each chunk.
    pub chunks: Vec<Vec<u8>>,
    /// The expected result of reading them.
    pub truth: TraceTruth,
}

/// Writes the records of one file.
#[derive(Debug)]
pub struct TraceWriter {
    recipe: TraceRecipe,
    records: Records,
    chunk: Vec<u8>,
    /// Number of fetched instructions in the chunk.
    instructions: u64,
    /// Encodings in the chunk, by address.
    encodings: HashMap<u64, Vec<u8>>,
    time: u64,
    cpu: u64,
    tid: u64,
}

impl TraceWriter {
    /// Begins a file: header, first thread, and the other records that its version requires.
    pub fn new(recipe: TraceRecipe) -> Self {
        let mut writer = Self {
            recipe,
            records: Records::default(),
            chunk: Vec::new(),
            instructions: 0,
            encodings: HashMap::new(),
            time: 0,
            cpu: 0,
            tid: recipe.tid,
        };
        writer.header(recipe.tid, recipe.pid);
        writer
    }

    /// Returns the header of the file.
    pub fn recipe(&self) -> &TraceRecipe {
        &self.recipe
    }

    /// Writes the first records of a file. Files of shared cores repeat them for each new thread.
    pub fn header(&mut self, tid: u64, pid: u64) {
        let TraceRecipe {
            version,
            file_type,
            architecture,
            chunk_instructions,
            ..
        } = self.recipe;
        self.record(kind::HEADER, 0, version);
        if version > 1 {
            self.marker(marker::VERSION, version);
            let is_synthetic = file_type & file_type::REGDEPS != 0;
            let architecture = if is_synthetic {
                0
            } else {
                architecture.file_type()
            };
            self.marker(marker::FILE_TYPE, file_type | architecture);
        }
        self.thread(tid, pid);
        if version > 1 {
            self.marker(marker::CACHE_LINE, 64);
            self.marker(marker::CHUNK_INSTRUCTIONS, chunk_instructions);
            self.marker(marker::PAGE_SIZE, 4096);
        }
    }

    /// Writes a raw record, which adds to no count.
    pub fn record(&mut self, kind: u16, size: u16, value: u64) {
        self.chunk.extend(kind.to_le_bytes());
        self.chunk.extend(size.to_le_bytes());
        let value = value.to_le_bytes();
        let bytes = if self.recipe.architecture.is_narrow() {
            4
        } else {
            8
        };
        self.chunk.extend(&value[..bytes]);
    }

    /// Writes a visible marker.
    pub fn marker(&mut self, sort: u16, value: u64) {
        self.record(kind::MARKER, sort, value);
        self.records.truth.markers += 1;
        self.records.truth.records += 1;
    }

    /// Starts the records of another thread.
    pub fn thread(&mut self, tid: u64, pid: u64) {
        self.record(kind::THREAD, 4, tid);
        self.record(kind::PROCESS, 4, pid);
        self.tid = tid;
    }

    /// Writes the time in microseconds since 1601, and the CPU.
    pub fn time(&mut self, time: u64, cpu: u64) {
        (self.time, self.cpu) = (time, cpu);
        self.marker(marker::TIMESTAMP, time);
        self.marker(marker::CPU, cpu);
    }

    /// Returns the last time written.
    pub fn last_time(&self) -> u64 {
        self.time
    }

    /// Writes an instruction that does not branch.
    pub fn instruction(&mut self, pc: u64, bytes: &[u8]) {
        self.branch(kind::INSTRUCTION, pc, bytes, None);
    }

    /// Writes any instruction. The target matters only for indirect branches.
    pub fn branch(&mut self, branch: u16, pc: u64, bytes: &[u8], target: Option<u64>) {
        self.end_full_chunk();
        let is_recorded =
            self.recipe.version >= 4 && self.recipe.file_type & file_type::ENCODINGS != 0;
        if is_recorded && self.encodings.get(&pc).is_none_or(|known| known != bytes) {
            self.encodings.insert(pc, bytes.to_vec());
            let width = if self.recipe.architecture.is_narrow() {
                4
            } else {
                8
            };
            for part in bytes.chunks(width) {
                let mut value = [0; 8];
                value[..part.len()].copy_from_slice(part);
                self.record(kind::ENCODING, part.len() as u16, u64::from_le_bytes(value));
            }
        }
        let is_old = self.recipe.version < 5;
        if let Some(target) = target.filter(|_| !is_old) {
            self.record(kind::MARKER, marker::BRANCH_TARGET, target);
        }
        let is_conditional = matches!(branch, kind::TAKEN_JUMP | kind::UNTAKEN_JUMP);
        let branch = if is_old && is_conditional {
            kind::CONDITIONAL_JUMP
        } else {
            branch
        };
        self.fetch(branch, pc, bytes.len() as u16);
    }

    /// Writes only the record of an instruction.
    pub fn fetch(&mut self, branch: u16, pc: u64, length: u16) {
        self.record(branch, length, pc);
        self.instructions += 1;
        self.records.truth.instructions += 1;
        self.records.truth.records += 1;
    }

    /// Writes a further round of a repeated instruction.
    pub fn round(&mut self, pc: u64, length: u16) {
        self.record(kind::NO_FETCH, length, pc);
        self.records.truth.nofetch += 1;
        self.records.truth.records += 1;
    }

    /// Writes a load.
    pub fn read(&mut self, address: u64, size: u16) {
        self.record(kind::READ, size, address);
        let (count, bytes) = self.records.truth.loads;
        self.records.truth.loads = (count + 1, bytes + u64::from(size));
        self.records.truth.records += 1;
    }

    /// Writes a store.
    pub fn write(&mut self, address: u64, size: u16) {
        self.record(kind::WRITE, size, address);
        let (count, bytes) = self.records.truth.stores;
        self.records.truth.stores = (count + 1, bytes + u64::from(size));
        self.records.truth.records += 1;
    }

    /// Ends the current thread.
    pub fn exit(&mut self) {
        self.record(kind::THREAD_EXIT, 4, self.tid);
        self.records.truth.records += 1;
        self.record(kind::FOOTER, 0, 0);
    }

    /// Ends the current thread and the file.
    pub fn finish(mut self) -> Records {
        self.exit();
        self.stop()
    }

    /// Ends the file without further records.
    pub fn stop(mut self) -> Records {
        self.records.chunks.push(self.chunk);
        self.records
    }

    /// Starts the next chunk if an instruction does not fit.
    fn end_full_chunk(&mut self) {
        let limit = self.recipe.chunk_instructions;
        if limit == 0 || self.instructions < limit {
            return;
        }
        self.marker(marker::CHUNK_FOOTER, self.records.chunks.len() as u64);
        self.records.chunks.push(std::mem::take(&mut self.chunk));
        self.record(
            kind::MARKER,
            marker::RECORD_ORDINAL,
            self.records.truth.records,
        );
        self.record(kind::MARKER, marker::TIMESTAMP, self.time);
        self.record(kind::MARKER, marker::CPU, self.cpu);
        self.instructions = 0;
        self.encodings.clear();
    }
}
