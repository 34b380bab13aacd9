//! The elements of a section's arrays.

use crate::rst::container::rz3::array::{ARRAYS, SectionArray};

/// Where the next element of an array lies.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArrayCursor {
    /// Its first bit in all words.
    pub bit: usize,
    /// The bit behind the last element that is there.
    pub end: usize,
    /// Bits of an element.
    pub width: u32,
}

/// What makes a section impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionFault {
    /// An array has fewer elements than are needed.
    Exhausted,
    /// What stands there is not what would have been written.
    Contradiction,
    /// Predictors would need more memory than we give.
    Memory,
}

/// The arrays of a section, each read from front to back.
///
/// The first fault is remembered and all elements behind it are 0, so that it need only be looked at once a record.
#[derive(Debug)]
pub struct SectionBits {
    words: Vec<u64>,
    cursors: [ArrayCursor; ARRAYS],
    fault: Option<SectionFault>,
}

impl Default for SectionBits {
    fn default() -> Self {
        Self {
            words: Vec::new(),
            cursors: [ArrayCursor::default(); ARRAYS],
            fault: None,
        }
    }
}

impl SectionBits {
    /// The arrays at some places in some words.
    pub fn new(mut words: Vec<u64>, cursors: [ArrayCursor; ARRAYS]) -> Self {
        words.push(0); // behind an element that ends with the last word
        Self {
            words,
            cursors,
            fault: None,
        }
    }

    /// The words, to be used again.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    pub fn fault(&self) -> Option<SectionFault> {
        self.fault
    }

    #[cold]
    pub fn fail(&mut self, fault: SectionFault) {
        self.fault.get_or_insert(fault);
    }

    /// True when every element was taken.
    pub fn is_used_up(&self) -> bool {
        self.cursors.iter().all(|cursor| cursor.bit == cursor.end)
    }

    /// The next element of an array.
    #[inline]
    pub fn next(&mut self, array: SectionArray) -> u64 {
        let ArrayCursor { bit, end, width } = self.cursors[array as usize];
        if bit + width as usize > end {
            self.fail(SectionFault::Exhausted);
            return 0;
        }
        self.cursors[array as usize].bit = bit + width as usize;
        let (word, shift) = (bit / 64, (bit % 64) as u32);
        let low = self.words.get(word).copied().unwrap_or_default();
        let high = self.words.get(word + 1).copied().unwrap_or_default();
        // In two steps, since none may shift by 64.
        (low >> shift | high << 1 << (63 - shift)) & (u64::MAX >> (64 - width))
    }

    /// The next element of an array of bits.
    #[inline]
    pub fn flag(&mut self, array: SectionArray) -> bool {
        let ArrayCursor { bit, end, .. } = self.cursors[array as usize];
        if bit >= end {
            self.fail(SectionFault::Exhausted);
            return false;
        }
        self.cursors[array as usize].bit = bit + 1;
        self.words.get(bit / 64).copied().unwrap_or_default() >> (bit % 64) & 1 != 0
    }

    /// A number that is predicted where a bit of an array says so, and otherwise stands in another array.
    #[inline]
    pub fn predicted_or(
        &mut self,
        is_predicted: SectionArray,
        predicted: u64,
        array: SectionArray,
    ) -> u64 {
        if self.flag(is_predicted) {
            predicted
        } else {
            self.next(array)
        }
    }
}
