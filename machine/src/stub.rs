//! Stubs through which a program calls its libraries.

/// Code and address of a procedure linkage table stub.
#[derive(Clone, Copy, Debug)]
pub struct LinkageStub<'a> {
    /// Bytes of the stub.
    pub code: &'a [u8],
    /// Address of the first byte.
    pub address: u64,
}

/// Location from which a stub loads its target address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StubSlot {
    /// At this address.
    Address(u64),
    /// At this offset from the start of the file's global offset table (`.got.plt`).
    InTable(i64),
}
