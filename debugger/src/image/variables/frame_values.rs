//! The state of a frame that locations of variables refer to.

use stepback_index::QueryError;
use stepback_index::answer::{ByteState, ValueSource};

/// Registers and memory of a frame at a position.
pub trait FrameValues {
    /// Returns the bytes of a register by its DWARF number, least significant first; none if the
    /// trace has no such register.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn register(&self, number: u16) -> Result<Option<Vec<ByteState>>, QueryError>;

    /// Like [`Self::register`], with the value at the entry of the function. None if the trace does
    /// not show the entry.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn entry_register(&self, number: u16) -> Result<Option<Vec<ByteState>>, QueryError>;

    /// Returns the canonical frame address as the trace shows it, for code without frame rules.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn entry_stack(&self) -> Result<Option<KnownNumber>, QueryError>;

    /// Returns bytes of memory.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn memory(&self, address: u64, len_bytes: u64) -> Result<Vec<ByteState>, QueryError>;

    fn is_big_endian(&self) -> bool;
}

/// A known number and the source of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownNumber {
    pub value: u64,
    pub source: ValueSource,
}

impl KnownNumber {
    /// Reads a number of at most 8 bytes, least significant first; none if a byte is unknown.
    pub fn of_bytes(bytes: &[ByteState]) -> Option<Self> {
        let mut number = Self {
            value: 0,
            source: ValueSource::Recorded,
        };
        for (place, byte) in bytes.iter().enumerate().take(8) {
            number.value |= u64::from(byte.value?) << (8 * place);
            number.source = number.source.max(byte.source);
        }
        Some(number)
    }
}

/// Extends a number of this many bits, at most 64, with its sign.
pub fn sign_extended(number: u64, bits: u32) -> i64 {
    let unused = 64_u32.saturating_sub(bits).min(63);
    (number << unused).cast_signed() >> unused
}
