//! A trace that is read once, from front to back, possibly compressed, and copied on the way.
//!
//! The parser also looks back, so the newest data stays readable. Older data is dropped once it is
//! in the output.

use std::io;
use std::io::{Cursor, ErrorKind, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use stepback_parsers::files::{Damage, PackedKind, TextUnpacker};
use stepback_parsers::{Format, ReadAt};

/// Number of bytes before the newest that stay readable. The parser looks back one window of 1 MiB.
/// Before it parses the first line, [`Format::HEAD_BYTES`] and the parser's own look at the head
/// need 4 MiB.
const KEPT_BYTES: usize = 8 << 20;
/// Number of bytes read at once.
const READ_BYTES: usize = 256 << 10;

/// A sequential input with positioned reads of recent data. Clones share it.
///
/// Data that is too old to be read again has been copied to the output.
#[derive(Clone)]
pub struct CopyingStream(Arc<Mutex<StreamState>>);

struct StreamState {
    input: Box<dyn Read + Send>,
    output: Box<dyn Write + Send>,
    /// Offset of `kept` in the input.
    start: u64,
    kept: Vec<u8>,
    /// Everything before this offset is in the output.
    copied: u64,
    is_ended: bool,
    /// Error of the output.
    failure: Option<io::Error>,
}

impl CopyingStream {
    /// Creates a stream whose output is discarded.
    pub fn new(input: Box<dyn Read + Send>) -> Self {
        let (start, kept, copied, is_ended, failure) = (0, Vec::new(), 0, false, None);
        Self(Arc::new(Mutex::new(StreamState {
            input,
            output: Box::new(io::sink()),
            start,
            kept,
            copied,
            is_ended,
            failure,
        })))
    }

    /// Sets the output; must precede the first write.
    pub fn copy_into(&self, output: Box<dyn Write + Send>) {
        self.state().output = output;
    }

    /// Copies everything before an offset that was read.
    pub fn copy_to(&self, end: u64) -> io::Result<()> {
        self.state().copy_to(end)
    }

    /// Copies everything that was read, or up to `end`, and flushes the output. Returns the end of
    /// the copy.
    pub fn finish(&self, end: Option<u64>) -> io::Result<u64> {
        let mut state = self.state();
        let read = state.start + state.kept.len() as u64;
        let end = end.unwrap_or(read).min(read);
        state.copy_to(end)?;
        state.output.flush()?;
        Ok(end)
    }

    /// Returns the end, newline included, of the line that contains an offset which is still
    /// readable.
    pub fn line_end(&self, place: u64) -> u64 {
        let state = self.state();
        let begin = usize::try_from(place.saturating_sub(state.start)).unwrap_or(usize::MAX);
        let rest = state.kept.get(begin..).unwrap_or_default();
        let newline = rest.iter().position(|byte| *byte == b'\n');
        place + newline.map_or(rest.len(), |newline| newline + 1) as u64
    }

    /// Takes the error of the output, if there was one.
    pub fn take_failure(&self) -> Option<io::Error> {
        self.state().failure.take()
    }

    fn state(&self) -> MutexGuard<'_, StreamState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadAt for CopyingStream {
    /// Returns `u64::MAX`: the length is unknown before the end.
    fn length(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state();
        state.read_up_to(offset.saturating_add(buffer.len() as u64))?;
        let begin = offset
            .checked_sub(state.start)
            .and_then(|begin| usize::try_from(begin).ok());
        let begin =
            begin.ok_or_else(|| io::Error::other("a stream cannot be read from so far back"))?;
        let rest = state.kept.get(begin..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer
            .get_mut(..count)
            .unwrap_or_default()
            .copy_from_slice(rest.get(..count).unwrap_or_default());
        Ok(count)
    }
}

impl StreamState {
    fn read_up_to(&mut self, end: u64) -> io::Result<()> {
        while !self.is_ended && self.start + (self.kept.len() as u64) < end {
            if self.kept.len() >= 2 * KEPT_BYTES {
                self.forget()?;
            }
            let before = self.kept.len();
            self.kept.resize(before + READ_BYTES, 0);
            let read = loop {
                match self
                    .input
                    .read(self.kept.get_mut(before..).unwrap_or_default())
                {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    read => break read,
                }
            };
            self.kept.truncate(before + *read.as_ref().unwrap_or(&0));
            self.is_ended = read? == 0;
        }
        Ok(())
    }

    /// Drops old data. Only lines far longer than those of real traces require copying it first.
    fn forget(&mut self) -> io::Result<()> {
        let count = self.kept.len().saturating_sub(KEPT_BYTES);
        let end = self.start + count as u64;
        if let Err(error) = self.copy_to(end) {
            let stated = io::Error::new(error.kind(), "the output could not be written");
            self.failure = Some(error);
            return Err(stated);
        }
        self.kept.drain(..count);
        self.start = end;
        Ok(())
    }

    fn copy_to(&mut self, end: u64) -> io::Result<()> {
        let place = |at: u64| {
            usize::try_from(at.saturating_sub(self.start))
                .unwrap_or(usize::MAX)
                .min(self.kept.len())
        };
        let (begin, end_place) = (place(self.copied), place(end));
        if begin < end_place {
            self.output
                .write_all(self.kept.get(begin..end_place).unwrap_or_default())?;
            self.copied = self.start + end_place as u64;
        }
        Ok(())
    }
}

const _: () = assert!(Format::HEAD_BYTES < KEPT_BYTES);

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

#[cfg(test)]
mod tests {
    use super::*;

    /// An output shared with the test.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn letters(count: usize) -> Vec<u8> {
        (0..count)
            .map(|number| {
                if number % 64 == 63 {
                    b'\n'
                } else {
                    b'a' + (number / 64 % 26) as u8
                }
            })
            .collect()
    }

    #[test]
    fn what_was_read_can_be_read_again_and_is_copied_once() {
        let text = letters(1000);
        let output = Shared::default();
        let stream = CopyingStream::new(Box::new(io::Cursor::new(text.clone())));
        stream.copy_into(Box::new(output.clone()));
        let mut buffer = [0; 100];
        for offset in [0, 50, 0, 900, 980, 1500] {
            let count = stream.read_at(offset, &mut buffer).unwrap();
            let offset = (offset as usize).min(1000);
            assert_eq!(buffer[..count], text[offset..(offset + 100).min(1000)]);
        }
        assert_eq!(
            (
                stream.line_end(0),
                stream.line_end(63),
                stream.line_end(999)
            ),
            (64, 64, 1000)
        );
        stream.copy_to(300).unwrap();
        assert_eq!(stream.finish(Some(128 + 300)).unwrap(), 428);
        assert_eq!(*output.0.lock().unwrap(), text[..428]);
    }

    #[test]
    fn what_is_too_old_is_in_the_output() {
        let text = letters(3 * KEPT_BYTES);
        let output = Shared::default();
        let stream = CopyingStream::new(Box::new(io::Cursor::new(text.clone())));
        stream.copy_into(Box::new(output.clone()));
        let mut buffer = [0; 1000];
        for offset in (0..text.len()).step_by(1000) {
            stream.read_at(offset as u64, &mut buffer).unwrap();
        }
        assert!(stream.read_at(0, &mut buffer).is_err());
        assert!(stream.state().kept.len() <= 2 * KEPT_BYTES + READ_BYTES);
        assert_eq!(stream.finish(None).unwrap(), text.len() as u64);
        assert!(*output.0.lock().unwrap() == text);
    }
}
