//! The arrays of a section.

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
