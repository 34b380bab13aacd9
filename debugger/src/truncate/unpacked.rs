//! A trace that comes from front to back and may be compressed.

use std::io::{self, Cursor, ErrorKind, Read};
use std::sync::{Arc, OnceLock};

use stepback_parsers::packed::{Damage, PackedKind, TextUnpacker};

/// A reader of text.
pub struct UnpackedReader {
    /// Gives the text.
    pub reader: Box<dyn Read + Send>,
    /// Why a compressed text ended early, once it has.
    pub damage: Arc<OnceLock<Damage>>,
    /// Whether it is compressed.
    pub is_packed: bool,
}

impl UnpackedReader {
    /// Looks at the first bytes of a reader, and unpacks it if they say so.
    ///
    /// # Errors
    /// It could not be read.
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

/// Tells of damage those who no longer hold the reader.
struct DamageWatch {
    unpacker: TextUnpacker,
    damage: Arc<OnceLock<Damage>>,
}

impl Read for DamageWatch {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.unpacker.read(out);
        if let (Ok(0), Some(damage)) = (&read, self.unpacker.damage()) {
            // Asked again at the end, it says the same.
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
