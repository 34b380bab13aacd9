//! Packing of a trace file.

use crate::packed::kind::PackedKind;

/// Packing of a file's records, detected from its first bytes regardless of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// Zip archive; its members in sequence are the records.
    Zip,
    /// LZ4 frames.
    Lz4,
    /// Snappy's framing format.
    Snappy,
    /// gzip, or another compression that the program unpacks.
    Packed(PackedKind),
    /// Not packed.
    Plain,
}

impl ContainerKind {
    /// Number of first bytes that the detection needs.
    pub const MAGIC_BYTES: usize = 10;

    /// Detects the packing from the first bytes.
    pub fn of_head(head: &[u8]) -> Self {
        const MAGICS: [(&[u8], ContainerKind); 4] = [
            (b"PK\x03\x04", ContainerKind::Zip),
            (b"PK\x05\x06", ContainerKind::Zip), // empty archive
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
