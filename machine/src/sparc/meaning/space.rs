//! What accesses to address spaces mean (V9, 6.3.1.3; UltraSPARC Architecture 2007, chapter 10).

/// The kind of an address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressSpaceKind {
    /// Memory, as without a space named.
    Memory,
    /// Memory, the lowest byte first.
    Little,
    /// 64 bytes of memory for eight registers.
    Block,
    /// 16 bytes of memory for two registers.
    Pair,
    /// So many bytes for a register of floating point.
    Short(u16),
    /// Memory that is accessed in another way.
    Unknown,
    /// No memory: registers of the processor.
    Elsewhere,
}

/// The kind of a space by its number.
pub(crate) const fn space_of(number: u32) -> AddressSpaceKind {
    match number {
        0x04 | 0x10 | 0x11 | 0x80..=0x83 => AddressSpaceKind::Memory,
        0x0c | 0x18 | 0x19 | 0x88..=0x8b => AddressSpaceKind::Little,
        0x16 | 0x17 | 0x70 | 0x71 | 0xe0 | 0xe1 | 0xf0 | 0xf1 => AddressSpaceKind::Block,
        0x22..=0x24 | 0x27 | 0xe2 | 0xe3 => AddressSpaceKind::Pair,
        0xd0 | 0xd1 => AddressSpaceKind::Short(1),
        0xd2 | 0xd3 => AddressSpaceKind::Short(2),
        // By physical addresses, partial stores, and the little-endian forms of all that.
        0x14
        | 0x15
        | 0x1c..=0x1f
        | 0x26
        | 0x2a..=0x2f
        | 0x34
        | 0x36
        | 0x38
        | 0x3c
        | 0x3e
        | 0x78
        | 0x79 => AddressSpaceKind::Unknown,
        0xc0..=0xff => AddressSpaceKind::Unknown,
        _ => AddressSpaceKind::Elsewhere,
    }
}
