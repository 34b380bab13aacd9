//! A sequential trace that may be compressed.

use std::io::{self, Cursor, ErrorKind, Read};
use std::sync::{Arc, OnceLock};

use stepback_parsers::packed::{Damage, PackedKind, TextUnpacker};

/// A reader of text.
pub struct UnpackedReader {
    /// Reader of the uncompressed text.
    pub reader: Box<dyn Read + Send>,
    /// Damage that ended a compressed text early, once it has.
    pub damage: Arc<OnceLock<Damage>>,
    /// True if the input is compressed.
    pub is_packed: bool,
}

impl UnpackedReader {
    /// Detects compression from the first bytes of a reader, and unpacks it.
    ///
    /// # Errors
    /// The reader failed.
    pub fn new(mut reader: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut head = Vec::new();
        reader
            .by_ref()
            .take(PackedKind::MAGIC_BYTES as u64)
            .read_to_end(&mut head)?;
        let kind = PackedKind::of_head(&head);
        let whole: Box<dyn Read + Send> = Box::new(Cursor::new(head).chain(reader));
        let damage = Arc::default();
        let reader = match kind {
            Some(kind) => Box::new(DamageWatch {
                unpacker: TextUnpacker::new(whole, kind),
                damage: Arc::clone(&damage),
            }),
            None => whole,
        };
        Ok(Self {
            reader,
            damage,
            is_packed: kind.is_some(),
        })
    }
}

/// Reader that publishes damage to holders of [`UnpackedReader::damage`].
struct DamageWatch {
    unpacker: TextUnpacker,
    damage: Arc<OnceLock<Damage>>,
}

impl Read for DamageWatch {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.unpacker.read(out);
        if let (Ok(0), Some(damage)) = (&read, self.unpacker.damage()) {
            // A second read at the end finds the same damage.
            _ = self.damage.set(damage.clone());
        }
        read.map_err(|error| {
            io::Error::new(
                if error.kind() == ErrorKind::Interrupted {
                    ErrorKind::Other
                } else {
                    error.kind()
                },
                error,
            )
        })
    }
}
