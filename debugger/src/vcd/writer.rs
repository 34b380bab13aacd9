//! Writes the syntax of value change dumps.

use std::io;
use std::io::Write;

/// Identifier code of a signal: its number in base 94, least significant digit first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignalId(Box<[u8]>);

impl SignalId {
    /// Returns the code of the signal with this number.
    pub fn of(number: usize) -> Self {
        let mut digits = Vec::new();
        let mut rest = number;
        loop {
            digits.push(b'!' + (rest % 94) as u8);
            rest /= 94;
            if rest == 0 {
                return Self(digits.into());
            }
        }
    }
}

/// Type of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// A number of this many bits.
    Number(usize),
    Bit,
    /// A string.
    Text,
}

/// Value of a one-bit signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bit {
    /// Low.
    Zero,
    /// High.
    One,
}

/// Number of bytes that are handed over at once.
const BUFFER_BYTES: usize = 64 << 10;

/// Writer of a dump. Time stamps never decrease. It has a buffer, because a dump consists of
/// millions of small pieces.
pub struct VcdWriter<W> {
    out: W,
    buffer: Vec<u8>,
    stamp: Option<u64>,
    written_bytes: u64,
}

impl<W: Write> VcdWriter<W> {
    /// Creates a writer to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            buffer: Vec::with_capacity(2 * BUFFER_BYTES),
            stamp: None,
            written_bytes: 0,
        }
    }

    /// Returns the number of bytes written until now.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes + self.buffer.len() as u64
    }

    /// Returns the last time stamp; 0 if there is none.
    pub fn stamp_reached(&self) -> u64 {
        self.stamp.unwrap_or(0)
    }

    pub fn line(&mut self, line: &str) -> io::Result<()> {
        self.put(line.as_bytes());
        self.put(b"\n");
        self.hand_over()
    }

    /// Declares a signal.
    pub fn declare(&mut self, id: &SignalId, kind: SignalKind, name: &str) -> io::Result<()> {
        let code = String::from_utf8_lossy(&id.0);
        let kind = match kind {
            SignalKind::Number(bits) => format!("integer {bits}"),
            SignalKind::Bit => "bit 1".to_owned(),
            SignalKind::Text => "string 1".to_owned(),
        };
        self.line(&format!("$var {kind} {code} {name} $end"))
    }

    /// Advances to a time, unless it is already reached.
    pub fn stamp(&mut self, stamp: u64) -> io::Result<()> {
        if self.stamp.is_some_and(|reached| reached >= stamp) {
            return Ok(());
        }
        self.stamp = Some(stamp);
        writeln!(self.buffer, "#{stamp}")?;
        self.hand_over()
    }

    /// Writes a number from its bytes, least significant first; unknown bytes are `x`.
    pub fn number(
        &mut self,
        id: &SignalId,
        bytes: impl DoubleEndedIterator<Item = Option<u8>>,
    ) -> io::Result<()> {
        self.put(b"b");
        for byte in bytes.rev() {
            let digits = byte.map_or(&[b'x'; 8], |byte| &DIGITS[usize::from(byte)]);
            self.put(digits);
        }
        self.change(id)
    }

    /// Writes an undriven number: `z` in every bit.
    pub fn undriven(&mut self, id: &SignalId, bits: usize) -> io::Result<()> {
        self.put(b"b");
        self.buffer.resize(self.buffer.len() + bits, b'z');
        self.change(id)
    }

    pub fn bit(&mut self, id: &SignalId, bit: Bit) -> io::Result<()> {
        self.put(match bit {
            Bit::Zero => b"0",
            Bit::One => b"1",
        });
        self.put(&id.0);
        self.put(b"\n");
        self.hand_over()
    }

    /// Writes a string. A backslash is doubled; bytes other than graphic ASCII become octal
    /// escapes.
    pub fn text(&mut self, id: &SignalId, text: &[u8]) -> io::Result<()> {
        self.put(b"s");
        for byte in text {
            match byte {
                b'\\' => self.put(b"\\\\"),
                b' ' => self.put(b"\\040"),
                byte if byte.is_ascii_graphic() => self.buffer.push(*byte),
                byte => write!(self.buffer, "\\{byte:03o}")?,
            }
        }
        self.change(id)
    }

    /// Flushes the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_buffer()?;
        self.out.flush()
    }

    fn change(&mut self, id: &SignalId) -> io::Result<()> {
        self.put(b" ");
        self.put(&id.0);
        self.put(b"\n");
        self.hand_over()
    }

    fn put(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Writes the buffer if it is full.
    fn hand_over(&mut self) -> io::Result<()> {
        match self.buffer.len() < BUFFER_BYTES {
            true => Ok(()),
            false => self.write_buffer(),
        }
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.written_bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Binary digits of each byte.
static DIGITS: [[u8; 8]; 256] = {
    let mut digits = [[b'0'; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut place = 0;
        while place < 8 {
            digits[byte][place] += (byte >> (7 - place) & 1) as u8;
            place += 1;
        }
        byte += 1;
    }
    digits
};

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(write: impl FnOnce(&mut VcdWriter<&mut Vec<u8>>) -> io::Result<()>, expected: &str) {
        let mut out = Vec::new();
        let mut writer = VcdWriter::new(&mut out);
        write(&mut writer).unwrap();
        writer.flush().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn codes_are_digits_of_base_94() {
        let code = |number: usize| String::from_utf8(SignalId::of(number).0.into_vec()).unwrap();
        assert_eq!(
            [0, 93, 94, 95, 188, 8835, 8836].map(code),
            ["!", "~", "!\"", "\"\"", "!#", "~~", "!!\""]
        );
    }

    #[test]
    fn values_are_written_in_the_form_of_their_kind() {
        let id = SignalId::of(1);
        check(
            |out| out.number(&id, [Some(0x81), None].into_iter()),
            "bxxxxxxxx10000001 \"\n",
        );
        check(|out| out.undriven(&id, 4), "bzzzz \"\n");
        check(|out| out.bit(&id, Bit::One), "1\"\n");
        check(
            |out| out.text(&id, b"a b\\\t\xff"),
            "sa\\040b\\\\\\011\\377 \"\n",
        );
        check(|out| out.text(&id, b""), "s \"\n");
    }

    #[test]
    fn stamps_never_go_back() {
        let stamps = |out: &mut VcdWriter<&mut Vec<u8>>| {
            [0, 5, 5, 3, 6].into_iter().try_for_each(|at| out.stamp(at))
        };
        check(stamps, "#0\n#5\n#6\n");
    }
}
