//! Output that can restart. If the index turns out to be damaged, the query is repeated, and the
//! part already printed is not printed again.

use std::io::{self, BufWriter, Write};

use xxhash_rust::xxh3::Xxh3;

/// Buffer size of the output.
pub const BUFFER_BYTES: usize = 64 << 10;

/// Writer that skips a repeated beginning of an answer.
pub struct Retold {
    out: BufWriter<Box<dyn Write>>,
    /// Number of bytes written until now.
    told: u64,
    hash: Box<Xxh3>,
    /// State of the repetition, if the answer has restarted.
    again: Option<Again>,
}

/// A beginning that was written before and is being repeated.
struct Again {
    /// Bytes still to be repeated.
    left: u64,
    /// Hash of the beginning as first written.
    expected: u64,
    /// Hash of the bytes repeated until now.
    hash: Box<Xxh3>,
}

impl Retold {
    /// Creates an output that has written nothing.
    pub fn new(out: Box<dyn Write>) -> Self {
        let out = BufWriter::with_capacity(BUFFER_BYTES, out);
        Self {
            out,
            told: 0,
            hash: Box::default(),
            again: None,
        }
    }

    /// Restarts the answer. Bytes that the reader has received are skipped and must be repeated
    /// unchanged.
    #[must_use]
    pub fn begun_again(self) -> Self {
        if self.out.buffer().len() as u64 == self.told {
            // The reader has received nothing.
            return Self::new(self.out.into_parts().0);
        }
        let again = Again {
            left: self.told,
            expected: self.hash.digest(),
            hash: Box::default(),
        };
        Self {
            again: Some(again),
            ..self
        }
    }

    /// Flushes the complete answer. Fails if the answer ends before the repeated beginning does.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.again.as_ref().is_some_and(|again| again.left > 0) {
            return Err(other_answer("ends sooner"));
        }
        self.out.flush()
    }
}

impl Again {
    /// Consumes repeated bytes and returns their number.
    fn take(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        self.hash.update(bytes.get(..count).unwrap_or_default());
        self.left -= count as u64;
        if self.left == 0 && self.hash.digest() != self.expected {
            return Err(other_answer("begins otherwise"));
        }
        Ok(count)
    }
}

impl Write for Retold {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(again) = self.again.as_mut().filter(|again| again.left > 0) {
            return again.take(bytes);
        }
        let count = self.out.write(bytes)?;
        self.told += count as u64;
        self.hash.update(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn other_answer(how: &str) -> io::Error {
    io::Error::other(format!(
        "what was damaged is made again, and the answer {how}: ask again"
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Reader(Arc<Mutex<Vec<u8>>>);

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn read(reader: &Reader) -> String {
        String::from_utf8(reader.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn what_a_reader_has_is_not_told_again() {
        let reader = Reader::default();
        let mut out = Retold::new(Box::new(reader.clone()));
        out.write_all(b"one two ").unwrap();
        out.flush().unwrap();
        let mut out = out.begun_again();
        out.write_all(b"one two three").unwrap();
        out.flush().unwrap();
        assert_eq!(read(&reader), "one two three");
    }

    #[test]
    fn what_a_reader_does_not_have_yet_may_change() {
        let reader = Reader::default();
        let mut out = Retold::new(Box::new(reader.clone()));
        out.write_all(b"wrong").unwrap();
        let mut out = out.begun_again();
        out.write_all(b"right").unwrap();
        out.flush().unwrap();
        assert_eq!(read(&reader), "right");
    }

    #[test]
    fn an_answer_that_begins_otherwise_is_an_error() {
        let reader = Reader::default();
        let mut out = Retold::new(Box::new(reader.clone()));
        out.write_all(b"one").unwrap();
        out.flush().unwrap();
        assert!(out.begun_again().write_all(b"two three").is_err());
        assert_eq!(read(&reader), "one");
    }

    #[test]
    fn an_answer_that_ends_sooner_is_an_error() {
        let reader = Reader::default();
        let mut out = Retold::new(Box::new(reader.clone()));
        out.write_all(b"one two").unwrap();
        out.flush().unwrap();
        let mut out = out.begun_again();
        out.write_all(b"one").unwrap();
        out.flush().unwrap();
        assert!(out.finish().is_err());
    }
}
