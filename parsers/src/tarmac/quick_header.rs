//! Fast reader for line headers that resemble those of earlier lines.
//!
//! Nearly all lines begin with the time of the line before, or with another number and the same
//! unit and CPU word.

use crate::events::ThreadNumber;
use crate::tarmac::quick::LineBlock;
use crate::text::digits::{digit_count, load_8, load_16, small_decimal};

/// Headers of earlier lines of this run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QuickHeaders {
    /// Last line with a time, from its start to its type word.
    last: ThreadPrefix,
    time: u64,
    /// Texts between number and type word, latest first.
    tails: [ThreadPrefix; 4],
}

/// Up to 16 bytes, and the thread that they name.
#[derive(Clone, Copy, Debug, Default)]
struct ThreadPrefix {
    word: BytePrefix,
    thread: ThreadNumber,
}

/// Header that is kept from run to run, so that the first line of a run takes the fast path too.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownPrefix {
    /// Text between time and type word.
    pub tail: BytePrefix,
    /// CPU that it names.
    pub cpu: Vec<u8>,
}

impl KnownPrefix {
    /// Notes the header of a line of a CPU.
    pub fn note(&mut self, tail: BytePrefix, cpu: &[u8]) {
        if self.tail != tail {
            *self = Self {
                tail,
                cpu: cpu.to_vec(),
            };
        }
    }
}

/// Pattern of up to 16 bytes that text may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BytePrefix {
    bytes: u128,
    /// One bits for the bytes of the pattern.
    mask: u128,
    length: usize,
}

impl Default for BytePrefix {
    /// Returns a pattern that matches nothing.
    fn default() -> Self {
        Self {
            bytes: u128::MAX,
            mask: 0,
            length: 0,
        }
    }
}

impl BytePrefix {
    /// Returns the pattern of the first `length` bytes. With a length other than 1 to 16 it matches
    /// nothing.
    #[inline(always)]
    pub fn new(bytes: u128, length: usize) -> Self {
        if !(1..=16).contains(&length) {
            return Self::default();
        }
        let mask = u128::MAX >> (128 - 8 * length);
        Self {
            bytes: bytes & mask,
            mask,
            length,
        }
    }

    /// Returns true if the pattern matches the first 16 bytes of a text.
    #[inline(always)]
    pub fn is_at_start_of(&self, bytes: u128) -> bool {
        bytes & self.mask == self.bytes
    }

    /// Returns the length in bytes.
    #[inline(always)]
    pub fn length(&self) -> usize {
        self.length
    }
}

/// Header of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuickHeader {
    /// Offset of the type word in the text.
    pub type_at: usize,
    /// `None` if the line has no time: then its thread is that of the line before.
    pub stamp: Option<ThreadStamp>,
}

/// A timestamp with its thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadStamp {
    pub time: u64,
    pub thread: ThreadNumber,
}

impl QuickHeaders {
    /// Reads the header of a line; `None` if it resembles no earlier one.
    #[inline(always)]
    pub fn read(&mut self, line: &LineBlock) -> Option<QuickHeader> {
        if self.last.word.is_at_start_of(load_16(line, 0)) {
            let stamp = ThreadStamp {
                time: self.time,
                thread: self.last.thread,
            };
            return Some(QuickHeader {
                type_at: self.last.word.length(),
                stamp: Some(stamp),
            });
        }
        let start = skip_spaces(line)?;
        let count = digit_count(load_8(line, start));
        if count == 0 {
            return (start > 0).then_some(QuickHeader {
                type_at: start,
                stamp: None,
            });
        }
        let (time, number_end) = number(line, start, count)?;
        let after = load_16(line, number_end);
        if !self.tails[0].word.is_at_start_of(after) {
            let place = self
                .tails
                .iter()
                .position(|tail| tail.word.is_at_start_of(after))?;
            self.tails.swap(0, place);
        }
        let [ThreadPrefix { word, thread }, ..] = self.tails;
        let type_at = number_end + word.length();
        self.time = time;
        self.last = ThreadPrefix {
            word: BytePrefix::new(load_16(line, 0), type_at),
            thread,
        };
        Some(QuickHeader {
            type_at,
            stamp: Some(ThreadStamp { time, thread }),
        })
    }

    /// Enables the fast path for lines that begin like one of an earlier run. They belong to the
    /// first thread of this run.
    pub fn recall(&mut self, tail: BytePrefix) {
        *self = Self::default();
        self.tails[0] = ThreadPrefix {
            word: tail,
            thread: ThreadNumber(0),
        };
    }

    /// Remembers the header of a line with a time that was read in full, so that similar lines take
    /// the fast path. Returns the text between its time and its type word; `None` if that is too
    /// long or has an unusual form.
    pub fn learn(&mut self, line: &[u8], word_at: usize, stamp: ThreadStamp) -> Option<BytePrefix> {
        let start = line.iter().take_while(|byte| **byte == b' ').count();
        let count = line
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let tail = line.get(start + count..word_at).unwrap_or_default();
        self.last = ThreadPrefix::default();
        if count == 0 || tail.is_empty() || tail.len() > 16 || tail.starts_with(b".") {
            return None;
        }
        let mut bytes = [0; 16];
        if let Some(room) = bytes.get_mut(..tail.len()) {
            room.copy_from_slice(tail);
        }
        let tail = ThreadPrefix {
            word: BytePrefix::new(u128::from_le_bytes(bytes), tail.len()),
            thread: stamp.thread,
        };
        if !self.tails.iter().any(|known| known.word == tail.word) {
            self.tails.rotate_right(1);
            self.tails = [tail, self.tails[1], self.tails[2], self.tails[3]];
        }
        Some(tail.word)
    }
}

/// Maximum number of leading spaces that the fast path skips.
const SPACES: usize = 64;

#[inline(always)]
fn skip_spaces(line: &LineBlock) -> Option<usize> {
    let mut at = 0;
    while at < SPACES {
        let others = load_8(line, at) ^ 0x2020_2020_2020_2020;
        if others != 0 {
            return Some(at + others.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    None
}

/// Reads a decimal number of fewer than 16 digits, and returns its end. `count` of the first eight
/// bytes are digits.
#[inline(always)]
fn number(line: &LineBlock, start: usize, count: usize) -> Option<(u64, usize)> {
    let first = small_decimal(load_8(line, start), count);
    if count < 8 {
        return Some((first, start + count));
    }
    let next = load_8(line, start + 8);
    let count = digit_count(next);
    if count == 8 {
        return None;
    }
    let scale = 10u64.pow(u32::try_from(count).ok()?);
    Some((
        first * scale + small_decimal(next, count),
        start + 8 + count,
    ))
}
