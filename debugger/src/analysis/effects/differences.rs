//! Differences between two calls, and cells known in only one of them.

use stepback_index::answer::Value;
use stepback_machine::Address;

/// Maximum number of differences listed per kind.
pub(super) const LISTED: usize = 1000;

/// Result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Known in both calls, and different.
    pub differing: Vec<DifferingCell>,
    /// Known in one call only; the values may be equal.
    pub one_sided: Vec<DifferingCell>,
    /// True if there are more differences of a kind than are listed.
    pub is_cut: bool,
}

/// A register or a run of memory that differs, or is known on one side only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferingCell {
    Register {
        /// Name that the function uses.
        name: String,
        /// Value in the first call.
        one: Value,
        /// Value in the second call.
        other: Value,
    },
    /// A run of memory. If the calls ran at different stack depths, bytes on the stack are matched
    /// by their distance from the stack pointer at entry.
    Memory {
        /// Address in the first call.
        address: Address,
        /// Address in the second call.
        other_address: Address,
        /// Bytes in the first call, by address.
        one: Vec<Option<u8>>,
        /// Bytes in the second call.
        other: Vec<Option<u8>>,
    },
}

/// Result of comparing bytes of two calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueMatch {
    /// Not known to differ.
    Same,
    /// Some are known in one call only.
    OneSided,
    /// Some are known in both calls and differ.
    Differs,
}

impl ValueMatch {
    /// Compares one byte.
    pub fn of(one: Option<u8>, other: Option<u8>) -> Self {
        match (one, other) {
            (Some(one), Some(other)) if one != other => Self::Differs,
            (Some(_), Some(_)) | (None, None) => Self::Same,
            _ => Self::OneSided,
        }
    }

    /// Compares values. An entirely unknown value may have no bytes.
    pub fn of_values(Value(one): &Value, Value(other): &Value) -> Self {
        let byte = |bytes: &[Option<u8>], place: usize| bytes.get(place).copied().flatten();
        let places = 0..one.len().max(other.len());
        places
            .map(|place| Self::of(byte(one, place), byte(other, place)))
            .max()
            .unwrap_or(Self::Same)
    }
}

impl Differences {
    /// Returns true if the list of differences is full. One-sided cells do not count: any number of
    /// them may precede the first difference.
    pub(super) fn is_full(&self) -> bool {
        self.differing.len() >= LISTED
    }

    /// Adds a cell unless it is equal. Drops it if the list of its kind is full.
    pub(super) fn add(&mut self, likeness: ValueMatch, cell: DifferingCell) {
        let cells = match likeness {
            ValueMatch::Same => return,
            ValueMatch::OneSided => &mut self.one_sided,
            ValueMatch::Differs => &mut self.differing,
        };
        if cells.len() < LISTED {
            cells.push(cell);
        } else {
            self.is_cut = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_in_one_call_alone_is_no_difference() {
        let value =
            |bytes: &[i16]| Value(bytes.iter().map(|byte| u8::try_from(*byte).ok()).collect());
        let likeness =
            |one: &[i16], other: &[i16]| ValueMatch::of_values(&value(one), &value(other));
        assert_eq!(likeness(&[1, 2], &[1, 2]), ValueMatch::Same);
        assert_eq!(likeness(&[-1, 2], &[-1, 2]), ValueMatch::Same);
        assert_eq!(likeness(&[], &[-1, -1]), ValueMatch::Same);
        assert_eq!(
            [likeness(&[1, 2], &[]), likeness(&[1, -1], &[1, 2])],
            [ValueMatch::OneSided; 2]
        );
        assert_eq!(likeness(&[1, 3], &[-1, 2]), ValueMatch::Differs);
    }

    #[test]
    fn what_is_known_in_one_call_alone_takes_no_place_of_what_differs() {
        let cell = || DifferingCell::Register {
            name: "x0".to_owned(),
            one: Value::default(),
            other: Value::default(),
        };
        let mut found = Differences::default();
        (0..=LISTED).for_each(|_| found.add(ValueMatch::OneSided, cell()));
        assert_eq!(
            (found.one_sided.len(), found.is_full(), found.is_cut),
            (LISTED, false, true)
        );
        let mut found = Differences::default();
        (0..LISTED).for_each(|_| found.add(ValueMatch::Differs, cell()));
        assert_eq!(
            (found.differing.len(), found.is_full(), found.is_cut),
            (LISTED, true, false)
        );
    }
}
