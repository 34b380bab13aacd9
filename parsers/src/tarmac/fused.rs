//! Two records on one line, after a newline was lost or because two programs wrote at once.
//!
//! ```text
//! 12 clk R X0 000000000000000013 clk IT (2) 00001004 d503201f O EL1h_n : NOP
//! 12 clk IT (1) 0000110 clk IT (2) 00001004 d503201f O EL1h_n : NOP
//! 12 R X0 000000000000000013 IT (2) 00001004 d503201f O EL1h_n : NOP
//! ```
//!
//! The first record of the first line is whole, and both are kept. That of the second line is cut
//! off and is lost. A second record is found by its time (and unit, unless the first has a time
//! without one), or in the ES style by the spaces before it, and only if it can be read.

use std::ops::Range;

use stepback_machine::{Endian, InstructionSet};

use crate::tarmac::header::{LineHeader, LineKind};
use crate::tarmac::instruction_line::InstructionLine;
use crate::tarmac::line::TarmacLine;
use crate::tarmac::memory_line::MemoryLine;
use crate::tarmac::register_line::RegisterLine;
use crate::tarmac::settings::StateField;
use crate::text::digits;
use crate::text::digits::{letter_after_digit, load_8};
use crate::text::lexer::is_word_byte;

/// Start of the second record of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordSplit {
    pub at: usize,
    /// False if a part of the first record is missing.
    pub is_first_whole: bool,
}

/// Minimum indentation of the type word on lines that inherit their time.
pub(super) const INDENT: &[u8] = b"                ";

/// Minimum length of a text that is searched for a record, the length of `1 R p0 0f`. It must be at
/// least eight, the number of bytes loaded at once.
const SHORTEST: usize = 9;
/// Number of positions examined at once in longer texts. A pattern that begins at one of them
/// extends up to two bytes further.
const BLOCK: usize = 16;
const BLOCK_LENGTH: usize = BLOCK + 2;
/// A part of [`INDENT`] that is found wherever the indentation begins.
const SPACES: u64 = u64::from_le_bytes(*b"        ");

/// Returns false for texts that cannot hold a second record. This is a cheap test for the text at
/// the end of nearly all lines.
#[inline(always)]
pub(super) fn may_hold_record(text: &[u8]) -> bool {
    looks_like_two(text) && has_beginning(text)
}

/// Approximates [`may_hold_record`]: ASCII neighbours of digits and letters count as digits and
/// letters.
#[inline(always)]
fn looks_like_two(text: &[u8]) -> bool {
    // Blocks overlap so that no pattern lies between two; the last one ends with the text.
    let mut at = 0;
    if let Some(last) = text.len().checked_sub(BLOCK_LENGTH) {
        while let Some(block) = text.get(at..).and_then(<[u8]>::first_chunk) {
            if is_letter_after_digit_in(block)
                || load_8(block, 0) == SPACES
                || load_8(block, 8) == SPACES
            {
                return true;
            }
            at = if at == last {
                text.len()
            } else {
                last.min(at + BLOCK)
            };
        }
        return false;
    }
    while text.len() >= SHORTEST && at + 2 < text.len() {
        at = at.min(text.len() - 8);
        let bytes = load_8(text, at);
        if letter_after_digit(bytes) || bytes == SPACES {
            return true;
        }
        at += 6;
    }
    false
}

/// Finds a digit, a space and a letter in sequence. There are no branches, so that it compiles to a
/// few vector instructions.
#[inline(always)]
fn is_letter_after_digit_in(block: &[u8; BLOCK_LENGTH]) -> bool {
    let is_there = |place: usize| {
        u8::from(block[place] & 0xf0 == 0x30)
            & u8::from(block[place + 1] == b' ')
            & u8::from(block[place + 2] & 0xc0 == 0x40)
    };
    (0..BLOCK).fold(0, |any, place| any | is_there(place)) != 0
}

/// Returns true if a second record may begin somewhere. A comment such as `; [0x8010]` only
/// resembles a number before a word.
#[cold]
fn has_beginning(text: &[u8]) -> bool {
    let is_time =
        |bytes: &[u8]| matches!(bytes, [b'0'..=b'9', b' ', letter] if letter.is_ascii_alphabetic());
    text.windows(3).any(is_time) || text.windows(INDENT.len()).any(|bytes| bytes == INDENT)
}

impl RecordSplit {
    /// Finds the second record of a line with this header.
    pub fn find(
        line: &[u8],
        header: Option<LineHeader<'_>>,
        state_field: StateField,
    ) -> Option<Self> {
        let mut found = Self::find_some(line, header, state_field)?;
        // A range that ends there reads the text before it separately, so that text must be a
        // single record too.
        let find_in =
            |line| Self::find_some(line, LineHeader::read(line).ok().flatten(), state_field);
        while let Some(earlier) = line.get(..found.at).and_then(find_in) {
            found = earlier;
        }
        // A range that ends after such a short record would not look for a second one.
        let is_first_whole = found.is_first_whole && found.at >= SHORTEST;
        Some(Self {
            is_first_whole,
            ..found
        })
    }

    /// Finds the first position from which a record can be read to the end of the line.
    fn find_some(
        line: &[u8],
        header: Option<LineHeader<'_>>,
        state_field: StateField,
    ) -> Option<Self> {
        let first_end = header.map_or(1, |header| header.word_at + header.word.len());
        if !line.get(first_end..).is_some_and(looks_like_two) {
            return None;
        }
        let search = SplitSearch {
            line,
            header,
            state_field,
        };
        (first_end..(line.len() + 1).saturating_sub(SHORTEST))
            .filter_map(|place| search.candidate(place))
            .take(CANDIDATES)
            .find_map(|candidate| match candidate {
                SplitCandidate::Number { last } => search.timed(last),
                SplitCandidate::Indent { start } => search.untimed(start),
            })
    }
}

/// Possible start of a second record.
#[derive(Clone, Copy, Debug)]
enum SplitCandidate {
    /// Last digit of its number.
    Number { last: usize },
    /// Start of its indentation.
    Indent { start: usize },
}

/// Maximum number of positions tried in a line. Only lines that were made to be slow have more.
const CANDIDATES: usize = 16;
/// Maximum number of digits of a timestamp.
const TIME_DIGITS: usize = 20;

/// Digits that end with those of a timestamp; the start of the timestamp is not known yet.
#[derive(Clone, Copy, Debug)]
struct TimestampDigits {
    start: usize,
    /// End of the digits before the decimal point.
    end: usize,
    has_fraction: bool,
}

impl TimestampDigits {
    fn starts(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A line that is searched for a second record.
struct SplitSearch<'a> {
    line: &'a [u8],
    /// Header of the first record.
    header: Option<LineHeader<'a>>,
    state_field: StateField,
}

impl SplitSearch<'_> {
    /// Returns a possible record whose number ends at `place`, or whose indentation begins there.
    fn candidate(&self, place: usize) -> Option<SplitCandidate> {
        let is_first_space = || {
            place
                .checked_sub(1)
                .is_none_or(|before| self.line.get(before) != Some(&b' '))
        };
        match self.line.get(place..)? {
            [b'0'..=b'9', b' ', b'a'..=b'z' | b'A'..=b'Z', ..] => {
                Some(SplitCandidate::Number { last: place })
            }
            rest if rest.starts_with(INDENT) && is_first_space() => {
                Some(SplitCandidate::Indent { start: place })
            }
            _ => None,
        }
    }

    fn untimed(&self, start: usize) -> Option<RecordSplit> {
        let is_time = |header: &LineHeader<'_>| header.time.is_none() && header.cpu.is_none();
        self.is_record(self.line.get(start..)?, is_time)
            .then(|| RecordSplit {
                at: start,
                is_first_whole: self.is_whole(start),
            })
    }

    /// Finds a second record with a timestamp. The number may be joined to the first record, whose
    /// last digits look the same.
    fn timed(&self, last: usize) -> Option<RecordSplit> {
        let number = self.number(last)?;
        // A line that inherits its time does not show if the trace has units.
        let is_unitless = self
            .header
            .is_some_and(|header| header.time.is_some() && header.unit.is_none());
        let is_start =
            |header: &LineHeader<'_>| header.unit.is_some() || header.time.is_some() && is_unitless;
        if !self.is_record(self.line.get(last..)?, is_start) {
            return None;
        }
        let is_whole = |at: &usize| self.is_whole(*at);
        let is_exact = self.is_exact();
        let at = match is_exact {
            true => number
                .starts()
                .rev()
                .find(|at| is_whole(at) && self.is_later(number, *at)),
            false => None,
        };
        if let Some(at) = at {
            return Some(RecordSplit {
                at,
                is_first_whole: true,
            });
        }
        let at = self.likely_start(number);
        Some(RecordSplit {
            at,
            is_first_whole: !is_exact && is_whole(&at),
        })
    }

    /// Returns true if the content of the first record determines its length.
    fn is_exact(&self) -> bool {
        self.header
            .is_some_and(|header| matches!(header.kind, LineKind::Register | LineKind::Memory))
    }

    /// Returns the number whose last digit is at `last`; `None` if it has two decimal points.
    fn number(&self, last: usize) -> Option<TimestampDigits> {
        let digits_before = |end: usize| {
            let before = self.line.get(..end).unwrap_or_default().iter().rev();
            end - before
                .take(TIME_DIGITS)
                .take_while(|byte| byte.is_ascii_digit())
                .count()
        };
        let point = |start: usize| {
            start
                .checked_sub(1)
                .filter(|before| self.line.get(*before) == Some(&b'.'))
        };
        let start = digits_before(last + 1);
        match point(start) {
            None => Some(TimestampDigits {
                start,
                end: last + 1,
                has_fraction: false,
            }),
            Some(end) => {
                let start = digits_before(end);
                (start < end && point(start).is_none()).then_some(TimestampDigits {
                    start,
                    end,
                    has_fraction: true,
                })
            }
        }
    }

    /// Returns true if the number, from `at` on, is not earlier than the time of the first record.
    fn is_later(&self, number: TimestampDigits, at: usize) -> bool {
        let earliest = self.header.and_then(|header| header.time).unwrap_or(0);
        let time = self.line.get(at..number.end).and_then(digits::decimal);
        number.has_fraction || time.is_some_and(|time| time >= earliest)
    }

    /// Returns the most likely start of the number if the length of the first record is unknown.
    fn likely_start(&self, number: TimestampDigits) -> usize {
        let has_time = self.header.is_some_and(|header| header.time.is_some());
        let before = self.line.get(..number.start).unwrap_or_default();
        let is_apart =
            !self.is_exact() && is_apart(before) && (!has_time || self.is_whole(number.start));
        if is_apart || number.has_fraction {
            return number.start;
        }
        // A timestamp has no leading zeros.
        let is_number = |at: &usize| at + 1 == number.end || self.line.get(*at) != Some(&b'0');
        let found = match has_time {
            // Take the one nearest to the first time.
            true => number
                .starts()
                .rev()
                .filter(is_number)
                .find(|at| self.is_later(number, *at)),
            false => number.starts().find(is_number),
        };
        found.unwrap_or(number.start)
    }

    /// Returns true if `text` is a record that can be read to its end and its header passes
    /// `is_start`.
    fn is_record(&self, text: &[u8], is_start: impl Fn(&LineHeader<'_>) -> bool) -> bool {
        match TarmacLine::read_single(text, None, self.state_field) {
            TarmacLine::Instruction(header, _) => is_start(&header) && header.doubt.is_none(),
            TarmacLine::Other(header) if is_start(&header) && header.doubt.is_none() => {
                match header.kind {
                    LineKind::Register => crate::tarmac::register_line::is_plausible(&header),
                    LineKind::Memory => crate::tarmac::memory_line::is_plausible(&header),
                    LineKind::Diagram(_) => crate::tarmac::diagram_line::is_plausible(&header),
                    // A word and any text: without a unit this is as likely prose.
                    LineKind::Event | LineKind::Exception => {
                        header.unit.is_some() || self.is_exact()
                    }
                    LineKind::Instruction => self.is_exception(&header),
                    LineKind::Note | LineKind::Title | LineKind::Unknown => false,
                }
            }
            _ => false,
        }
    }

    /// Returns true for `IT EXC`, and false for a step that cannot be read.
    fn is_exception(&self, header: &LineHeader<'_>) -> bool {
        InstructionLine::read(header, self.state_field) == Ok(None)
    }

    /// Returns true if nothing of the first record is missing when it ends at `end`.
    fn is_whole(&self, end: usize) -> bool {
        match TarmacLine::read_single(
            self.line.get(..end).unwrap_or_default(),
            None,
            self.state_field,
        ) {
            TarmacLine::Instruction(..) => true,
            TarmacLine::Other(header) => match header.kind {
                LineKind::Register => {
                    let sets = [InstructionSet::A64, InstructionSet::A32];
                    let lines = sets.map(|set| RegisterLine::read(header.fields, set));
                    lines
                        .into_iter()
                        .flatten()
                        .flatten()
                        .any(|line| line.is_whole())
                }
                LineKind::Memory => {
                    let line = MemoryLine::read(&header, Endian::Little);
                    line.is_ok_and(|line| line.is_some_and(|line| line.is_whole()))
                }
                LineKind::Diagram(_) => crate::tarmac::diagram_line::is_plausible(&header),
                LineKind::Instruction => self.is_exception(&header),
                _ => true,
            },
            TarmacLine::Blank
            | TarmacLine::Row(_)
            | TarmacLine::Broken(_)
            | TarmacLine::Fused(_) => false,
        }
    }
}

/// Returns true if a number after this text is not part of it. That is the case after a space, a
/// bracket or a word such as `NOP`, but not after the beginnings of `#13`, `0x13`, `w13` and
/// `SP_EL13`.
fn is_apart(before: &[u8]) -> bool {
    let count = |is_inside: fn(&u8) -> bool| {
        before
            .iter()
            .rev()
            .take_while(|byte| is_inside(byte))
            .count()
    };
    let letters = before
        .get(before.len() - count(u8::is_ascii_alphabetic)..)
        .unwrap_or_default();
    let word = before
        .get(before.len() - count(|byte| is_word_byte(*byte))..)
        .unwrap_or_default();
    let is_hex = word
        .iter()
        .any(|byte| byte.is_ascii_digit() || *byte == b'#')
        && letters
            .iter()
            .all(|byte| byte.is_ascii_hexdigit() || *byte == b'x');
    match letters.len() {
        0 => before
            .last()
            .is_none_or(|byte| matches!(byte, b' ' | b'\t' | b')' | b']' | b'}' | b'>')),
        1 => false,
        _ => !is_hex && !letters.eq_ignore_ascii_case(b"el"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, bool)>) {
        let header = LineHeader::read(line.as_bytes()).ok().flatten();
        let found = RecordSplit::find(line.as_bytes(), header, StateField::Written);
        let found = found.map(|found| (&line[found.at..], found.is_first_whole));
        let start =
            |(text, is_whole): (&str, bool)| (text.chars().take(7).collect::<String>(), is_whole);
        assert_eq!(
            found.map(start),
            expected.map(|(text, is_whole)| (text.to_owned(), is_whole)),
            "{line}"
        );
    }

    const NEXT: &str = "clk IT (2) 00001004 d503201f O EL1h_n : NOP";

    #[test]
    fn the_first_record_ends_where_it_is_whole() {
        check(
            &format!("12 clk R X0 000000000000000013 {NEXT}"),
            Some(("13 clk ", true)),
        );
        check(
            &format!("12 clk R X0 0000000000000000 13 {NEXT}"),
            Some(("13 clk ", true)),
        );
        check(
            &format!("12 clk R r0 0000000013 {NEXT}"),
            Some(("13 clk ", true)),
        );
        check(
            &format!("9 clk MR4 00001000 1122334410 {NEXT}"),
            Some(("10 clk ", true)),
        );
        check(
            &format!("R X0 0000000000000000113 {NEXT}"),
            Some(("113 clk", true)),
        );
        check(
            &format!("12 clk R VBAR_EL1 000000000000000013 {NEXT}"),
            Some(("13 clk ", true)),
        );
        check(
            "1.5 us R X0 00000000000000001.6 us R X1 0000000000000001",
            Some(("1.6 us ", true)),
        );
        check(
            "12 clk R X0 000000000000000012 clk R X1 0000000000000001",
            Some(("12 clk ", true)),
        );
    }

    #[test]
    fn text_ends_where_a_later_time_begins() {
        check(
            &format!("12 clk IT (1) 00001000 d2800020 O EL1h_n : MOV      x0,#113 {NEXT}"),
            Some(("13 clk ", true)),
        );
        check(
            &format!("12 clk IT (1) 00001000 d503201f O EL1h_n : NOP13 {NEXT}"),
            Some(("13 clk ", true)),
        );
        check(
            &format!("12 clk E CoreEvent_Reset13 {NEXT}"),
            Some(("13 clk ", true)),
        );
        check(
            &format!("5 tic LD 00001000 ........ ........ ........ 00000000    S:000 OSH13 {NEXT}"),
            Some(("13 clk ", true)),
        );
    }

    #[test]
    fn a_number_after_a_space_or_a_word_is_whole() {
        let first = "1 clk IT (1) 00001000 d503201f O EL1h_n :";
        for (text, expected) in [
            ("NOP 13", "13 clk "),
            ("NOP13", "13 clk "),
            ("NOP 120", "120 clk"),
            ("WFE120", "120 clk"),
            ("LDR      x0,[x1]13", "13 clk "),
            ("MOV      x0,#113", "3 clk I"),
            ("MOV      x0,#0xa13", "3 clk I"),
            ("MOV      x0,x13", "3 clk I"),
            ("MRS      x0,SP_EL13", "3 clk I"),
            ("B        8f0fa13", "3 clk I"),
        ] {
            check(&format!("{first} {text} {NEXT}"), Some((expected, true)));
        }
    }

    #[test]
    fn a_trace_without_units_is_taken_apart_as_well() {
        let next = NEXT.strip_prefix("clk ").unwrap();
        check(
            &format!("12 R X0 000000000000000013 {next}"),
            Some(("13 IT (", true)),
        );
        check(
            &format!("12 R X0 0000000000000000 13 {next}"),
            Some(("13 IT (", true)),
        );
        check(
            "12 R X0 000000000000000013 R X1 0000000000000001",
            Some(("13 R X1", true)),
        );
        check(
            "12 R X0 000000000000000013 E CoreEvent_Reset",
            Some(("13 E Co", true)),
        );
        check(
            &format!("12 cpu0 R X0 000000000000000013 cpu0 {next}"),
            Some(("13 cpu0", true)),
        );
        check(
            &format!("12 cpu0 IT (1) 00001000 d503201f O EL1h_n : NOP13 CPU1 {next}"),
            Some(("13 CPU1", true)),
        );
        check(
            &format!("12 IT (1) 00001000 d503201f O EL1h_n : NOP13 {next}"),
            Some(("13 IT (", true)),
        );
        check(
            &format!("12 MW4 00001000 1122334413 {next}"),
            Some(("13 IT (", true)),
        );
        check(&format!("12 R X0 000013 {next}"), Some(("13 IT (", false)));
        check(&format!("R X0 000000000000000013 {next}"), None);
    }

    #[test]
    fn the_shortest_records_are_found() {
        check(
            "2 ns IT (1) 00001000 e1a00000 A usr : NOP2 ns R r0 00000001",
            Some(("2 ns R ", true)),
        );
        check(
            "2 ns IT (1) 00001000 e1a00000 A usr : NOP3 ns E Reset",
            Some(("3 ns E ", true)),
        );
        check(
            "2 ns IT (1) 00001000 e1a00000 A usr : NOP3 ns R p0 0f0f",
            Some(("3 ns R ", true)),
        );
        check(
            "2 IT (1) 00001000 e1a00000 A usr : NOP3 R p0 0f",
            Some(("3 R p0 ", true)),
        );
    }

    #[test]
    fn a_first_record_that_is_cut_is_lost() {
        check(
            &format!("12 clk R X0 000013 {NEXT}"),
            Some(("13 clk ", false)),
        );
        check(
            &format!("12 clk IT (1) 0000110013 {NEXT}"),
            Some(("13 clk ", false)),
        );
        check(
            &format!("12 clk IT (1) 00001000 d5032 13 {NEXT}"),
            Some(("13 clk ", false)),
        );
        check(&format!("1ff 13 {NEXT}"), Some(("13 clk ", false)));
    }

    #[test]
    fn indented_records_are_found_by_their_spaces() {
        let next = "                    R X1 0000000000000001";
        check(
            &format!("                    R X0 0000000000000000{next}"),
            Some(("       ", true)),
        );
        check(
            &format!("                    R X0 00000000{next}"),
            Some(("       ", false)),
        );
        check(
            &format!("5 tic ES (00001000:d503201f) O el3h_s: NOP{next}"),
            Some(("       ", true)),
        );
    }

    #[test]
    fn whole_lines_are_left_alone() {
        for line in [
            "12 clk R X0 0000000000000000",
            "                    R X0 0000000000000000",
            "5 tic cpu0 LD 000ffb80 ........ ........ 00000000 000ffbb8    S:000ffb80    nGnRnE OSH",
            "12 clk IT (1) 00001000 d503201f O EL1h_n : NOP ; at 5 clk",
            "12 clk IT (1) 00001000 d503201f O EL1h_n : NOP ; 5 clk IT (",
            "12 clk E 80000000 00000001 13 clk",
            "1.2.3 clk IT (2) 00001004 d503201f O EL1h_n : NOP",
            "12 clk NOTE lines of 13 clk FOO bar",
            "12 clk R X0 0000000000000000 13 IT (2) 00001004 d503201f O EL1h_n : NOP",
            "12 IT (1) 00001000 d503201f O EL1h_n : NOP ; at 5 E on",
            "12 IT (1) 00001000 e1a00000 A usr : LDR r0,[pc,#4] ; [0x1010] = 1 R",
            "12 IT (00001000:2a) 00001000 46c0 T16 NOP",
            "",
        ] {
            check(line, None);
        }
    }
}
