//! What differs between two calls, and what is known of one of them alone.

use stepback_index::Value;
use stepback_machine::Address;

/// So many differences of a kind are listed.
pub(super) const LISTED: usize = 1000;

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Known in both calls, and not the same.
    pub differing: Vec<DifferingCell>,
    /// Known in one of them alone: it may be the same.
    pub one_sided: Vec<DifferingCell>,
    /// There are more of one of the kinds than are listed.
    pub is_cut: bool,
}

/// A register or a run of memory that differs, or is known on one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferingCell {
    /// A register.
    Register {
        /// As the function names it.
        name: String,
        /// In the first call.
        one: Value,
        /// In the second.
        other: Value,
    },
    /// A run of memory. Where the calls stood on different places of the stack, what is on it is compared by its distance
    /// from the stack pointer at the entry.
    Memory {
        /// In the first call.
        address: Address,
        /// In the second.
        other_address: Address,
        /// The bytes in the first call, by address.
        one: Vec<Option<u8>>,
        /// In the second.
        other: Vec<Option<u8>>,
    },
}

/// How bytes of two calls are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueMatch {
    /// As far as is known.
    Same,
    /// Some are known in one call alone.
    OneSided,
    /// Some are known in both, and differ.
    Differs,
}

impl ValueMatch {
    /// Of a byte.
    pub fn of(one: Option<u8>, other: Option<u8>) -> Self {
        match (one, other) {
            (Some(one), Some(other)) if one != other => Self::Differs,
            (Some(_), Some(_)) | (None, None) => Self::Same,
            _ => Self::OneSided,
        }
    }

    /// Of values; one that is not known at all may have no bytes.
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
    /// Whether as many differ as are listed. What is known in one call alone does not count: there may be any number of
    /// these before the first that differs.
    pub(super) fn is_full(&self) -> bool {
        self.differing.len() >= LISTED
    }

    /// Takes a cell in, unless it is the same, or its kind has as many as are listed.
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
