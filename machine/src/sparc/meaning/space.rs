//! Kinds of accesses by address space (V9, 6.3.1.3; UltraSPARC Architecture 2007, chapter 10).

/// Kind of accesses that an address space makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressSpaceKind {
    /// Normal memory, as without an explicit space.
    Memory,
    /// Little-endian memory.
    Little,
    /// 64 bytes of memory for eight registers.
    Block,
    /// 16 bytes of memory for two registers.
    Pair,
    /// This number of bytes for a floating-point register.
    Short(u16),
    /// Memory accessed in a way that is not modelled.
    Unknown,
    /// No memory: registers of the processor.
    Elsewhere,
}

/// Returns the kind of an address space by number.
pub(crate) const fn space_of(number: u32) -> AddressSpaceKind {
    match number {
        0x04 | 0x10 | 0x11 | 0x80..=0x83 => AddressSpaceKind::Memory,
        0x0c | 0x18 | 0x19 | 0x88..=0x8b => AddressSpaceKind::Little,
        0x16 | 0x17 | 0x70 | 0x71 | 0xe0 | 0xe1 | 0xf0 | 0xf1 => AddressSpaceKind::Block,
        0x22..=0x24 | 0x27 | 0xe2 | 0xe3 => AddressSpaceKind::Pair,
        0xd0 | 0xd1 => AddressSpaceKind::Short(1),
        0xd2 | 0xd3 => AddressSpaceKind::Short(2),
        // Physical addresses, partial stores, and the little-endian forms of these.
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
