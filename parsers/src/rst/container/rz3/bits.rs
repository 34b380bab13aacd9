//! Reader of the fifty arrays of a section ([`SectionBits`], [`SectionArray`]). Each array has
//! elements of a fixed width in bits, some of which depend on the minor version of the file.

use crate::rst::container::batch::UnpackFault;

/// Read position in an array.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArrayCursor {
    /// Bit offset of the next element in the words of the section.
    pub bit: usize,
    /// Bit offset after the last available element.
    pub end: usize,
    /// Width of an element in bits.
    pub width: u32,
}

/// The arrays of a section, each read from front to back.
///
/// The first fault is kept and all elements after it are 0, so it needs to be checked only once per
/// record.
#[derive(Debug)]
pub struct SectionBits {
    words: Vec<u64>,
    cursors: [ArrayCursor; ARRAYS],
    fault: Option<UnpackFault>,
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
    /// Creates a reader of the arrays at `cursors` in `words`.
    pub fn new(mut words: Vec<u64>, cursors: [ArrayCursor; ARRAYS]) -> Self {
        words.push(0); // padding after an element that ends with the last word
        Self {
            words,
            cursors,
            fault: None,
        }
    }

    /// Returns the words, for reuse.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    pub fn fault(&self) -> Option<UnpackFault> {
        self.fault
    }

    #[cold]
    pub fn fail(&mut self, fault: UnpackFault) {
        self.fault.get_or_insert(fault);
    }

    /// Returns true if every element was read.
    pub fn is_used_up(&self) -> bool {
        self.cursors.iter().all(|cursor| cursor.bit == cursor.end)
    }

    /// Reads the next element of an array.
    #[inline]
    pub fn next(&mut self, array: SectionArray) -> u64 {
        let ArrayCursor { bit, end, width } = self.cursors[array as usize];
        if bit + width as usize > end {
            self.fail(UnpackFault::Short);
            return 0;
        }
        self.cursors[array as usize].bit = bit + width as usize;
        let (word, shift) = (bit / 64, (bit % 64) as u32);
        let low = self.words.get(word).copied().unwrap_or_default();
        let high = self.words.get(word + 1).copied().unwrap_or_default();
        // Two steps, since a shift by 64 is invalid.
        (low >> shift | high << 1 << (63 - shift)) & (u64::MAX >> (64 - width))
    }

    /// Reads the next element of an array of bits.
    #[inline]
    pub fn flag(&mut self, array: SectionArray) -> bool {
        let ArrayCursor { bit, end, .. } = self.cursors[array as usize];
        if bit >= end {
            self.fail(UnpackFault::Short);
            return false;
        }
        self.cursors[array as usize].bit = bit + 1;
        self.words.get(bit / 64).copied().unwrap_or_default() >> (bit % 64) & 1 != 0
    }

    /// Returns `predicted` if the next bit of `is_predicted` is set, otherwise the next element of
    /// `array`.
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

/// Identifies an array by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionArray {
    TypeKey,
    Type,
    IsCpuPredicted,
    Cpu,
    IsAllPredicted,
    Predicted,
    Instruction,
    IsTargetPredicted,
    IsZero,
    ValueLevel,
    Value0,
    Value1,
    Value2,
    Value3,
    Value4,
    Value5,
    Value6,
    Raw,
    IsAfter,
    IsRegisterKindPredicted,
    RegisterKind,
    IsRegisterPredicted,
    Register,
    MemoryFlags,
    MemorySize,
    MemoryAddressHigh,
    MemoryAddressLow,
    IsContextPredicted,
    Context,
    IsPcDifferencePredicted,
    HasDataDifference,
    IsDataContextPredicted,
    DataContext,
    IsDataDifferencePredicted,
    IsLookingAhead,
    Tlb,
    Trap,
    IsDmaWrite,
    DmaBytes,
    IsRfsTypePredicted,
    IsRfsPcPredicted,
    IsRfsInstructionPredicted,
    IsRfsBranchPredicted,
    CacheReference,
    RfsCpu,
    CacheDmaBytes,
    CacheAsi,
    CacheFunction,
    HasCacheAddress,
    IsCachePhysicalPredicted,
}

/// Number of arrays.
pub const ARRAYS: usize = 50;

/// Width in bits of the elements of each array.
const WIDTHS: [u32; ARRAYS] = [
    2, 8, 1, 10, 1, 8, 32, 1, 1, 3, 7, 11, 13, 15, 18, 21, 25, 64, 1, 1, 8, 1, 8, 1, 3, 8, 32, 1,
    13, 1, 1, 1, 13, 1, 1, 30, 49, 1, 32, 1, 1, 1, 1, 3, 10, 32, 8, 5, 1, 1,
];

/// The arrays of the levels of the value cache.
pub const VALUE_LEVELS: [SectionArray; 7] = [
    SectionArray::Value0,
    SectionArray::Value1,
    SectionArray::Value2,
    SectionArray::Value3,
    SectionArray::Value4,
    SectionArray::Value5,
    SectionArray::Value6,
];

/// Returns the element widths in files of a minor version.
pub fn widths(minor: u8) -> [u32; ARRAYS] {
    let mut widths = WIDTHS;
    if !has_wide_cpu(minor) {
        for (array, width) in [
            (SectionArray::Cpu, 6),
            (SectionArray::Predicted, 7),
            (SectionArray::Tlb, 26),
        ] {
            widths[array as usize] = width;
        }
    }
    widths
}

/// Returns true if processor numbers have ten bits and instructions have a hyperprivileged mode.
pub fn has_wide_cpu(minor: u8) -> bool {
    minor >= 20
}
