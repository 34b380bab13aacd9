//! What a file of a trace is packed in.

use crate::packed::kind::PackedKind;

/// What holds the records of a file, by its first bytes, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// An archive; its members one after the other are the records.
    Zip,
    /// LZ4 frames.
    Lz4,
    /// Snappy's framing format.
    Snappy,
    /// gzip, and what else the program unpacks.
    Packed(PackedKind),
    /// Nothing.
    Plain,
}

impl ContainerKind {
    /// As many first bytes tell.
    pub const MAGIC_BYTES: usize = 10;

    /// By the first bytes.
    pub fn of_head(head: &[u8]) -> Self {
        const MAGICS: [(&[u8], ContainerKind); 4] = [
            (b"PK\x03\x04", ContainerKind::Zip),
            (b"PK\x05\x06", ContainerKind::Zip), // an empty one
            (b"\x04\x22\x4d\x18", ContainerKind::Lz4),
            (b"\xff\x06\0\0sNaPpY", ContainerKind::Snappy),
        ];
        let known = MAGICS
            .iter()
            .find(|(magic, _)| head.starts_with(magic))
            .map(|(_, kind)| *kind);
        known
            .or_else(|| PackedKind::of_head(head).map(Self::Packed))
            .unwrap_or(Self::Plain)
    }
}
