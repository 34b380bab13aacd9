//! A line of the text form: nanoseconds since the line before, address, instruction word,
//! disassembly.

/// A parsed line, such as `   12960 0000000100000744 e05ba87f      ldx     [%sp+0x87f], %l0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// Nanoseconds since the step before.
    pub delta_nanos: u64,
    /// Address of the instruction.
    pub pc: u64,
    /// Instruction word.
    pub word: u32,
    /// Disassembly as written.
    pub text: &'a [u8],
}

/// First line of a text.
pub const HEADING: &str = "Delta NS Address          Instruction   (disassembled)";

/// Returns whether a line is the heading.
pub fn is_heading(line: &[u8]) -> bool {
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    [&b"Delta"[..], b"NS", b"Address"]
        .iter()
        .all(|expected| words.next() == Some(*expected))
}

/// Returns whether a line marks omitted lines.
pub fn is_ellipsis(line: &[u8]) -> bool {
    line.trim_ascii() == b"..."
}

impl<'a> TextLine<'a> {
    /// Parses a line; `None` if it does not describe an instruction.
    pub fn of(line: &'a [u8]) -> Option<Self> {
        let (delta, rest) = word(line)?;
        let (pc, rest) = word(rest)?;
        let (opcode, rest) = word(rest)?;
        let is_full = (8..=16).contains(&pc.len()) && opcode.len() == 8;
        let delta_nanos = std::str::from_utf8(delta).ok()?.parse().ok()?;
        let pc = hex(pc).filter(|pc| is_full && pc.is_multiple_of(4))?;
        Some(Self {
            delta_nanos,
            pc,
            word: hex(opcode)? as u32,
            text: rest.trim_ascii(),
        })
    }
}

/// Splits off the first word of a line.
fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_start();
    let end = line
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(line.len());
    line.split_at_checked(end)
        .filter(|(word, _)| !word.is_empty())
}

fn hex(digits: &[u8]) -> Option<u64> {
    // A sign is not a digit, though `from_str_radix` accepts it.
    let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_four_parts() {
        let line = b"   12960 0000000100000744 e05ba87f      ldx     [%sp+0x87f], %l0";
        let expected = TextLine {
            delta_nanos: 12960,
            pc: 0x1_0000_0744,
            word: 0xe05b_a87f,
            text: b"ldx     [%sp+0x87f], %l0",
        };
        assert_eq!(TextLine::of(line), Some(expected));
        let bare = TextLine {
            delta_nanos: 0,
            pc: 0x1000,
            word: 0x0100_0000,
            text: b"",
        };
        assert_eq!(TextLine::of(b"0 00001000 01000000"), Some(bare));
        for other in [
            &b"0 00001001 01000000"[..],
            b"x 00001000 01000000",
            b"0 1000 01000000",
            b"0 00001000",
            b" ...",
            b"",
        ] {
            assert_eq!(TextLine::of(other), None, "{other:?}");
        }
    }
}
