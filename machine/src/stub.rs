//! Stubs through which a program calls its libraries.

/// The code of a stub of a procedure linkage table, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct LinkageStub<'a> {
    /// Its bytes.
    pub code: &'a [u8],
    /// The address of the first.
    pub address: u64,
}

/// The place of which a stub loads the address that it jumps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StubSlot {
    /// At this address.
    Address(u64),
    /// So far behind the start of the file's global offset table (`.got.plt`).
    InTable(i64),
}
