//! Containers of records, inside any compression by gzip, zstd or xz.

use crate::problem::RstFault;

/// Container format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RstContainer {
    /// No container.
    Plain,
    /// rstzip, version 1; its format is not published.
    Rstzip1,
    /// rstzip, version 2.
    Rstzip2,
    /// rstzip, version 3.
    Rstzip3,
}

impl RstContainer {
    /// Number of bytes needed to detect the format.
    pub const MAGIC_BYTES: usize = 24;

    /// Detects the format by the first bytes. Returns none if they are not those of a trace, though
    /// a part of one may follow.
    pub fn of_head(head: &[u8]) -> Option<Self> {
        const MAGICS: [(&[u8], RstContainer); 4] = [
            (b"RZ3 ", RstContainer::Rstzip3),
            (b"RZ2", RstContainer::Rstzip2),
            (b"RZ1", RstContainer::Rstzip1),
            // A text record: a sample of a longer trace.
            (b"\x0eRFS v", RstContainer::Plain),
        ];
        let is_header =
            head.starts_with(&[2]) && head.get(3..14).is_some_and(|text| text == b"%RST Header");
        let by_magic = MAGICS
            .iter()
            .find(|(magic, _)| head.starts_with(magic))
            .map(|(_, container)| *container);
        by_magic.or_else(|| is_header.then_some(Self::Plain))
    }

    /// Returns the reason why such files cannot be read, if they cannot.
    pub fn refusal(self) -> Option<RstFault> {
        (self == Self::Rstzip1).then_some(RstFault::Unpublished)
    }
}
