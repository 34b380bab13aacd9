//! Head of a trace file: record width, version and file type, as its first records state them
//! ([`TraceHead`], [`FileType`]). The first blocks may be damaged, so several are searched; if only
//! the head is lost, the width is guessed from the records.

use std::io;

use stepback_machine::InstructionSet;

use crate::drmemtrace::container::unpacker::ContainerUnpacker;
use crate::drmemtrace::raw_record::{Width, kind, marker};
use crate::read_at::TraceFile;

/// Facts that the first records of a file state about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceHead {
    /// Width of the records.
    pub width: Width,
    /// Version of the format.
    pub version: u64,
    /// Contents of the file.
    pub file_type: FileType,
}

impl Default for TraceHead {
    fn default() -> Self {
        Self {
            width: Width::Wide,
            version: 1,
            file_type: FileType::default(),
        }
    }
}

/// Bytes of records that are searched for the head.
const HEAD_BYTES: usize = 24 << 10;
/// Maximum number of blocks or members that are searched; the first ones may be damaged.
const HEAD_BLOCKS: usize = 8;

impl TraceHead {
    /// Returns the head of a file, packed or not; `None` if it does not look like a trace.
    /// If the beginning is lost and the rest looks like records, returns the guessed width and
    /// defaults.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(file: &TraceFile) -> io::Result<Option<Self>> {
        let mut unpacker = ContainerUnpacker::open(file.data.clone())?;
        let mut buffer = Vec::new();
        for _ in 0..HEAD_BLOCKS {
            let block = unpacker.next_block(buffer, HEAD_BYTES)?;
            let head = Self::of_records(&block.bytes).or_else(|| {
                let width = Width::guess(&block.bytes).filter(|_| !block.bytes.is_empty())?;
                Some(Self {
                    width,
                    ..Self::default()
                })
            });
            if head.is_some() || block.is_file_end {
                return Ok(head);
            }
            buffer = block.bytes;
        }
        Ok(None)
    }

    /// Returns whether the files may belong to one recording: all have the same version and record
    /// width.
    /// Files that cannot be read are ignored.
    pub fn are_one_trace(files: &[TraceFile]) -> bool {
        let heads = files
            .iter()
            .filter_map(|file| Self::of(file).ok().flatten());
        let mut kinds = heads.map(|head| (head.version, head.width));
        kinds
            .next()
            .is_none_or(|first| kinds.all(|other| other == first))
    }

    fn of_records(bytes: &[u8]) -> Option<Self> {
        let width = Width::of_head(bytes)?;
        let mut records = width.records(bytes);
        let version = records.next()?.value;
        let is_opening = |kind: u16| matches!(kind, kind::MARKER | kind::THREAD | kind::PROCESS);
        let mut opening = records.take_while(|record| is_opening(record.kind));
        let file_type =
            opening.find(|record| record.kind == kind::MARKER && record.size == marker::FILE_TYPE);
        let file_type = FileType(file_type.map_or(0, |record| record.value));
        Some(Self {
            width,
            version,
            file_type,
        })
    }
}

/// Bits of the file type marker; 0 in files of version 1, which have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileType(pub u64);

impl FileType {
    /// Instructions only, no accesses.
    pub const INSTRUCTION_ONLY: Self = Self(0x4);
    /// Filtered by a cache that the recorder simulated: all, the instructions, the data, or the
    /// beginning.
    pub const FILTERED: Self = Self(0x1 | 0x80 | 0x100 | 0x2000);
    /// Instructions are left out.
    pub const LACKS_STEPS: Self = Self(0x1 | 0x80 | 0x2000);
    /// Instructions come with their encodings.
    pub const ENCODINGS: Self = Self(0x200);
    /// The numbers of system calls are recorded.
    pub const SYSTEM_CALLS: Self = Self(0x400);
    /// Kernel code in system calls is recorded.
    pub const KERNEL: Self = Self(0x1000);
    /// Templates of kernel code for insertion into other traces: no program.
    pub const TEMPLATES: Self = Self(0x4000);
    /// Each file is of one core instead of one thread.
    pub const CORE_SHARDED: Self = Self(0x1_0000);
    /// Instructions are synthetic: only registers and a category.
    pub const REGDEPS: Self = Self(0x2_0000);
    /// Instructions may be left out: filtered by a cache that the recorder simulated.
    pub(super) const INSTRUCTIONS_FILTERED: Self = Self(0x1 | 0x80);
    /// Accesses may be left out: filtered by a cache that the recorder simulated.
    pub(super) const DATA_FILTERED: Self = Self(0x1 | 0x100);
    /// Both may be left out, until a marker ends the filtered part.
    pub(super) const FILTERED_WARMUP: Self = Self(0x2000);
    /// System calls that may block are marked.
    pub(super) const BLOCKING_CALLS: Self = Self(0x800);
    /// Only the instructions of kernel code in system calls are recorded.
    pub(super) const KERNEL_INSTRUCTIONS: Self = Self(0x8000);
    /// Any real architecture.
    pub(super) const ARCHITECTURES: Self = Self(0x8 | 0x10 | 0x20 | 0x40);
    /// The whole system is recorded.
    pub const WHOLE_SYSTEM: Self = Self(0x4_0000);

    /// 64-bit Arm.
    pub(super) const AARCH64: Self = Self(0x8);
    const ARM: Self = Self(0x10);
    const X86_32: Self = Self(0x20);
    const X86_64: Self = Self(0x40);

    /// Returns the names of the bits in DynamoRIO's terms; unknown bits by their number.
    pub fn words(self) -> Vec<String> {
        const NAMES: [&str; 19] = [
            "filtered",
            "no_optimizations",
            "instruction_only",
            "aarch64",
            "arm32",
            "x86_32",
            "x86_64",
            "ifiltered",
            "dfiltered",
            "encodings",
            "syscall_numbers",
            "blocking_syscalls",
            "kernel_syscalls",
            "bimodal_filtered_warmup",
            "kernel_syscall_trace_templates",
            "kernel_syscall_instr_only",
            "core_sharded",
            "regdeps",
            "whole_system",
        ];
        let word = |bit: usize| {
            NAMES
                .get(bit)
                .map_or_else(|| format!("bit {bit}"), |name| (*name).to_owned())
        };
        (0..64)
            .filter(|bit| self.0 >> bit & 1 == 1)
            .map(word)
            .collect()
    }

    /// Returns true if any of `bits` is set.
    pub const fn has(self, bits: Self) -> bool {
        self.0 & bits.0 != 0
    }

    /// Returns the instruction set; `None` if the file does not state it.
    pub const fn instruction_set(self) -> Option<InstructionSet> {
        if self.has(Self::REGDEPS) {
            Some(InstructionSet::Regdeps)
        } else if self.has(Self::AARCH64) {
            Some(InstructionSet::A64)
        } else if self.has(Self::ARM) {
            Some(InstructionSet::A32)
        } else if self.has(Self::X86_32) {
            Some(InstructionSet::X86_32)
        } else if self.has(Self::X86_64) {
            Some(InstructionSet::X86_64)
        } else {
            None
        }
    }

    /// Returns the instruction set of the file, or the assumed one if the file does not state it.
    /// Defaults to x86, the architecture of nearly all traces without these bits.
    pub const fn likely_instruction_set(
        self,
        width: Width,
        assumed: Option<InstructionSet>,
    ) -> InstructionSet {
        match (self.instruction_set(), assumed, width) {
            (Some(set), ..) | (None, Some(set), _) => set,
            (None, None, Width::Wide) => InstructionSet::X86_64,
            (None, None, Width::Narrow) => InstructionSet::X86_32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_is() {
        let record = |kind: u16, size: u16, value: u64| {
            [
                &kind.to_le_bytes()[..],
                &size.to_le_bytes(),
                &value.to_le_bytes(),
            ]
            .concat()
        };
        let bytes = [
            record(25, 0, 6),
            record(28, 12, 6),
            record(28, 9, 0xe40),
            record(22, 4, 5),
        ]
        .concat();
        let head = TraceHead::of_records(&bytes).unwrap();
        assert_eq!(
            (head.width, head.version, head.file_type),
            (Width::Wide, 6, FileType(0xe40))
        );
        let old = [
            record(25, 0, 1),
            record(22, 4, 5),
            record(10, 1, 7),
            record(28, 9, 8),
        ]
        .concat();
        assert_eq!(TraceHead::of_records(&old).unwrap().file_type, FileType(0));
        assert_eq!(TraceHead::of_records(b"1 clk IT"), None);
    }
}
