//! Memory values: each belongs to the adjacent access, before a load and after a store.

use stepback_machine::AccessKind;

use crate::rst::records::MemoryContent;
use crate::rst::replay::effects::RelativeAccess;

/// Bytes of memory at an address: at most 8, as a number with the first byte highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedBytes {
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes, 1 to 8.
    pub size_bytes: u8,
    /// The bytes.
    pub value: u64,
}

/// An access of the last instruction, until the trace has recorded its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes.
    pub size_bytes: u16,
    /// Value of the access; none until the trace records it.
    pub value: Option<u64>,
}

impl ObservedBytes {
    /// Splits the content of a record into pieces. Pieces of an invalid size are dropped.
    pub fn of(address: u64, content: MemoryContent) -> impl Iterator<Item = Self> {
        let (sizes, values) = match content {
            MemoryContent::Short { size_bytes, value } => ([size_bytes, 0], [value, 0]),
            MemoryContent::Long(values) => ([8, 8], values),
        };
        let pieces = [
            (address, sizes[0], values[0]),
            (address.wrapping_add(8), sizes[1], values[1]),
        ];
        let pieces = pieces.into_iter().map(|(address, size_bytes, value)| Self {
            address,
            size_bytes,
            value,
        });
        pieces.filter(|piece| (1..=8).contains(&piece.size_bytes))
    }

    /// Returns the address after the last byte.
    pub fn end(&self) -> u64 {
        self.address.wrapping_add(self.size_bytes.into())
    }
}

impl OpenAccess {
    /// Creates an access of an instruction with the effective address `ea`.
    pub fn of(touch: RelativeAccess, ea: u64) -> Self {
        let RelativeAccess {
            kind,
            offset,
            size_bytes,
        } = touch;
        Self {
            kind,
            address: ea.wrapping_add(offset),
            size_bytes,
            value: None,
        }
    }

    /// Takes the value from a piece of memory. Returns false if the piece does not contain the
    /// whole access.
    pub fn take(&mut self, piece: &ObservedBytes) -> bool {
        let before = self.address.wrapping_sub(piece.address);
        let behind =
            u64::from(piece.size_bytes).checked_sub(before.saturating_add(self.size_bytes.into()));
        let Some(behind) = behind.filter(|_| self.size_bytes > 0) else {
            return false;
        };
        let unused_bits = 64 - 8 * u32::from(self.size_bytes);
        self.value = Some(piece.value >> (8 * behind) << unused_bits >> unused_bits);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_finds_its_bytes_in_a_piece() {
        let piece = ObservedBytes {
            address: 0x100,
            size_bytes: 8,
            value: 0x0102_0304_0506_0708,
        };
        let take = |address, size_bytes| {
            let mut access = OpenAccess {
                kind: AccessKind::Read,
                address,
                size_bytes,
                value: None,
            };
            access.take(&piece);
            access.value
        };
        assert_eq!(take(0x100, 8), Some(piece.value));
        assert_eq!(take(0x100, 4), Some(0x0102_0304));
        assert_eq!(take(0x103, 1), Some(4));
        assert_eq!(take(0x106, 2), Some(0x0708));
        assert_eq!(
            (
                take(0x106, 4),
                take(0xff, 2),
                take(0x108, 1),
                take(0x100, 16)
            ),
            (None, None, None, None)
        );
        let ends: Vec<_> = ObservedBytes::of(u64::MAX - 7, MemoryContent::Long([1, 2]))
            .map(|piece| piece.end())
            .collect();
        assert_eq!(ends, [0, 8]);
        assert_eq!(
            ObservedBytes::of(
                0,
                MemoryContent::Short {
                    size_bytes: 0,
                    value: 1
                }
            )
            .count(),
            0
        );
    }
}
