//! Markers, the records that are neither steps nor accesses ([`Marker`], [`MarkerKind`]). A
//! [`Gap`], the instructions that are missing between two steps of a thread, is pushed as one:
//!
//! ```
//! use stepback_parsers::{Gap, GapReason};
//!
//! let gap = Gap { reason: GapReason::Lost, instructions: Some(23) };
//! assert_eq!(Gap::of(gap.marker()), Some(gap));
//! ```

use serde::{Deserialize, Serialize};
use stepback_machine::InstructionSet;

/// Content of a record that is neither a step nor an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Marker {
    /// Kind of the record.
    pub kind: MarkerKind,
    /// Value as recorded: an address, a number, a time.
    pub value: u64,
}

/// Returns the system call that the value of a [`MarkerKind::FUNCTION`] identifies; `None` for a
/// traced function of the program. Numbers from half a word's range on are system calls
/// (drmemtrace, `func_trace_t::TRACE_FUNC_ID_SYSCALL_BASE`).
pub fn traced_system_call(value: u64, set: InstructionSet) -> Option<u64> {
    let half_word_bits = 4 * u32::from(set.word_bytes());
    value.checked_sub(1 << half_word_bits)
}

/// Kind of a [`Marker`].
///
/// Kinds with a constant have the same meaning in all formats. A number without a constant is
/// private to the format of the trace, which defines its name and meaning. The numbers are those of
/// drmemtrace, which has the most kinds (`trace_marker_type_t`), and from
/// [`MarkerKind::FIRST_RECORD`] on those of its other records (`trace_type_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MarkerKind(pub u16);

impl MarkerKind {
    /// Returns whether a scheduler made the marker. It is not a record of the program and has no
    /// ordinal.
    pub const fn is_synthetic(self) -> bool {
        matches!(self, Self::CORE_IDLE | Self::CORE_WAIT)
    }

    /// The kernel redirected control: a signal, an abort. Value: the interrupted address, 0 when
    /// unknown.
    pub const KERNEL_EVENT: Self = Self(0);
    /// A system call changed the context. Value: the address after it.
    pub const KERNEL_TRANSFER: Self = Self(1);
    /// Value: Unix microseconds.
    pub const TIMESTAMP: Self = Self(2);
    /// Value: the CPU that the thread runs on from here on; all ones if unknown.
    pub const CPU: Self = Self(3);
    /// Value: the traced function to which the next markers belong.
    pub const FUNCTION: Self = Self(4);
    /// Value: the return address of the function just entered.
    pub const RETURN_ADDRESS: Self = Self(5);
    /// Value: an argument.
    pub const ARGUMENT: Self = Self(6);
    /// Value: the return value of the function.
    pub const RETURN_VALUE: Self = Self(7);
    /// The extent of the recording changes here. Value: bits that [`crate::Source::recording`]
    /// decodes.
    pub const RECORDING: Self = Self(9);
    /// Value: the number of instructions before filtering, up to here.
    pub const INSTRUCTION_COUNT: Self = Self(11);
    /// Value: the format's version.
    pub const VERSION: Self = Self(12);
    /// The next kernel event is the abort of a restartable sequence.
    pub const RSEQ_ABORT: Self = Self(13);
    /// Value: the number of the tracing window from here on.
    pub const WINDOW: Self = Self(14);
    /// Value: the physical address of the virtual one that follows.
    pub const PHYSICAL_ADDRESS: Self = Self(15);
    /// Value: a virtual address without a translation.
    pub const PHYSICAL_ADDRESS_NOT_AVAILABLE: Self = Self(16);
    /// Value: the virtual address of the physical one before.
    pub const VIRTUAL_ADDRESS: Self = Self(17);
    /// Value: bytes of a page of memory.
    pub const PAGE_SIZE: Self = Self(18);
    /// Value: the number of the chunk that ends here.
    pub const CHUNK_FOOTER: Self = Self(21);
    /// The filtered part of the trace ended.
    pub const FILTER_ENDPOINT: Self = Self(23);
    /// Value: the end address of the restartable sequence that begins here.
    pub const RSEQ_ENTRY: Self = Self(24);
    /// Value: the number of a system call.
    pub const SYSTEM_CALL: Self = Self(25);
    /// The system call may block.
    pub const MAYBE_BLOCKING: Self = Self(26);
    /// The kernel's part of a system call begins. Value: its number.
    pub const SYSTEM_CALL_START: Self = Self(27);
    /// The kernel's part of a system call ends. Value: its number.
    pub const SYSTEM_CALL_END: Self = Self(28);
    /// Value: the error of the system call whose result directly precedes.
    pub const SYSTEM_CALL_FAILED: Self = Self(30);
    /// The core has nothing to run.
    pub const CORE_IDLE: Self = Self(33);
    /// A core waits for another one while a schedule is replayed.
    pub const CORE_WAIT: Self = Self(32);
    /// The kernel's part of a context switch begins.
    pub const CONTEXT_SWITCH_START: Self = Self(34);
    /// The kernel's part of a context switch ends.
    pub const CONTEXT_SWITCH_END: Self = Self(35);
    /// Value: length of an SVE vector in bytes.
    pub const VECTOR_LENGTH: Self = Self(36);
    /// Value: the signal whose handler begins.
    pub const SIGNAL: Self = Self(40);
    /// An instruction began and did not complete. Value: its first 8 bytes.
    pub const UNCOMPLETED: Self = Self(41);
    /// An exception or interrupt in a whole-system trace. Value: the interrupted address.
    pub const HARDWARE_EVENT: Self = Self(43);
    /// The exception or interrupt of a whole-system trace ends.
    pub const HARDWARE_RETURN: Self = Self(44);
    /// Value: an address that a masked access left out.
    pub const SKIPPED_ACCESS: Self = Self(46);
    /// Ours: identifies the exception or interrupt recorded just before as a trap. Value: the
    /// processor's trap type.
    pub const TRAP: Self = Self(0xfd00);
    /// Ours. Value: the context of the virtual address that follows, on processors with several
    /// address spaces.
    pub const ADDRESS_CONTEXT: Self = Self(0xfd01);
    /// Ours: physical addresses recorded earlier in this thread may be invalid from here on. Value:
    /// 0.
    pub const TRANSLATIONS_FORGOTTEN: Self = Self(0xfd02);
    /// Ours: first of the kinds that encode a [`crate::Gap`], by its reason.
    pub const FIRST_GAP: Self = Self(0xfe00);
    /// Ours, in no trace: there were too many records here and some were left out. Value: their
    /// number.
    pub const LEFT_OUT: Self = Self(0xfeff);
    /// First kind of other records, as `FIRST_RECORD + type`.
    pub const FIRST_RECORD: Self = Self(0xff00);
    /// The thread ended.
    pub const THREAD_EXIT: Self = Self::record(23);
    /// Another iteration of a repeated string instruction; its accesses follow. Value: its address.
    pub const REPETITION: Self = Self::record(29);

    /// Returns the kind of a record other than a marker, by its type: a prefetch, a flush (value:
    /// the address).
    pub const fn record(kind: u8) -> Self {
        Self(Self::FIRST_RECORD.0 + kind as u16)
    }
}

/// Instructions that a thread executed and the trace does not contain.
///
/// A source pushes it as a marker ([`Gap::marker`]) after the last step before the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Reason why they are missing.
    pub reason: GapReason,
    /// Number of missing instructions; `None` if unknown.
    pub instructions: Option<u64>,
}

/// Reason why instructions are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// Records were lost: a buffer overflowed or was never written.
    Lost,
    /// Tracing was switched off.
    Off,
    /// Control went to an address that is in no file of the program.
    Unmapped,
    /// The records contradict the program's files.
    Contradiction,
}

impl GapReason {
    /// All reasons, in the order of their marker kinds.
    pub const ALL: [Self; 4] = [Self::Lost, Self::Off, Self::Unmapped, Self::Contradiction];

    /// Returns the marker kind of gaps with this reason.
    pub const fn kind(self) -> MarkerKind {
        MarkerKind(MarkerKind::FIRST_GAP.0 + self as u16)
    }

    /// Returns the reason as a clause: `records were lost`.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Lost => "records were lost",
            Self::Off => "tracing was off",
            Self::Unmapped => "no program file has the instructions",
            Self::Contradiction => "the records contradict the program files",
        }
    }
}

impl Gap {
    /// Marker value of a gap of unknown size.
    const UNKNOWN: u64 = u64::MAX;

    /// Encodes the gap as a marker.
    pub fn marker(self) -> Marker {
        Marker {
            kind: self.reason.kind(),
            value: self.instructions.unwrap_or(Self::UNKNOWN),
        }
    }

    /// Decodes a gap from a marker; `None` for other markers.
    pub fn of(marker: Marker) -> Option<Self> {
        let reason = GapReason::ALL
            .into_iter()
            .find(|reason| reason.kind() == marker.kind)?;
        Some(Self {
            reason,
            instructions: Some(marker.value).filter(|value| *value != Self::UNKNOWN),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gap_is_a_marker_and_back() {
        for reason in GapReason::ALL {
            for instructions in [None, Some(0), Some(u64::MAX - 1)] {
                let gap = Gap {
                    reason,
                    instructions,
                };
                assert_eq!(Gap::of(gap.marker()), Some(gap));
            }
        }
        assert_eq!(
            Gap::of(Marker {
                kind: MarkerKind::LEFT_OUT,
                value: 3
            }),
            None
        );
        assert_eq!(
            Gap::of(Marker {
                kind: MarkerKind::KERNEL_EVENT,
                value: 3
            }),
            None
        );
    }
}
