//! File type of a trace.

use stepback_machine::InstructionSet;

use crate::drmemtrace::raw_record::Width;

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
