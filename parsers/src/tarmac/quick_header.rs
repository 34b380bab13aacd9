//! The beginning of a line, when it is like that of the lines before.
//!
//! Nearly all lines begin with the time of the line before,
//! or with another number and the same unit and CPU word behind it.

use super::digits::{digit_count, load_8, load_16, small_decimal};
use crate::ThreadNumber;

/// Beginnings of lines of this run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QuickHeaders {
    /// The last line with a time, from its start to its type word.
    last: Beginning,
    time: u64,
    /// What stood between number and type word, latest first.
    tails: [Beginning; 4],
}

/// Up to 16 bytes, and the thread that they name.
#[derive(Clone, Copy, Debug, Default)]
struct Beginning {
    bytes: u128,
    /// Zero when it is not set: then nothing is like it.
    length: usize,
    thread: ThreadNumber,
}

/// The beginning of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuickHeader {
    /// Where the type word starts in the text.
    pub type_at: usize,
    /// None when the line has none: then its thread is that of the line before.
    pub stamp: Option<Stamp>,
}

/// A timestamp and what comes with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    pub time: u64,
    pub thread: ThreadNumber,
}

impl Beginning {
    fn new(bytes: u128, length: usize, thread: ThreadNumber) -> Self {
        match length {
            1..=16 => Self { bytes: bytes & mask(length), length, thread },
            _ => Self::default(),
        }
    }

    #[inline(always)]
    fn is_at_start_of(&self, bytes: u128) -> bool {
        self.length > 0 && (bytes ^ self.bytes) & mask(self.length) == 0
    }
}

/// Ones under the first `length` bytes, 1 to 16.
#[inline(always)]
fn mask(length: usize) -> u128 {
    u128::MAX >> (128 - 8 * length)
}

impl QuickHeaders {
    /// Reads the beginning of the line at `at`; none when it is unlike those before.
    #[inline(always)]
    pub fn read(&mut self, text: &[u8], at: usize) -> Option<QuickHeader> {
        if self.last.is_at_start_of(load_16(text, at)) {
            let stamp = Stamp { time: self.time, thread: self.last.thread };
            return Some(QuickHeader { type_at: at + self.last.length, stamp: Some(stamp) });
        }
        let start = skip_spaces(text, at)?;
        let count = digit_count(load_8(text, start));
        if count == 0 {
            return (start > at).then_some(QuickHeader { type_at: start, stamp: None });
        }
        let (time, number_end) = number(text, start, count)?;
        let behind = load_16(text, number_end);
        let place = self.tails.iter().position(|tail| tail.is_at_start_of(behind))?;
        self.tails.swap(0, place);
        let [Beginning { length, thread, .. }, ..] = self.tails;
        let type_at = number_end + length;
        self.time = time;
        self.last = Beginning::new(load_16(text, at), type_at - at, thread);
        Some(QuickHeader { type_at, stamp: Some(Stamp { time, thread }) })
    }

    /// Remembers a line that was read in full and has a time: lines like it are quick from now on.
    pub fn learn(&mut self, line: &[u8], word_at: usize, stamp: Stamp) {
        let start = line.iter().take_while(|byte| **byte == b' ').count();
        let count = line.get(start..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let tail = line.get(start + count..word_at).unwrap_or_default();
        self.last = Beginning::default();
        if count == 0 || tail.is_empty() || tail.len() > 16 || tail.starts_with(b".") {
            return;
        }
        let mut bytes = [0; 16];
        if let Some(room) = bytes.get_mut(..tail.len()) {
            room.copy_from_slice(tail);
        }
        let tail = Beginning::new(u128::from_le_bytes(bytes), tail.len(), stamp.thread);
        let is_known = self.tails.iter().any(|known| known.length == tail.length && known.bytes == tail.bytes);
        if !is_known {
            self.tails.rotate_right(1);
            self.tails = [tail, self.tails[1], self.tails[2], self.tails[3]];
        }
    }
}

/// More leading spaces are not worth a quick look.
const SPACES: usize = 64;

#[inline(always)]
fn skip_spaces(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while at - start < SPACES {
        let others = load_8(text, at) ^ 0x2020_2020_2020_2020;
        if others != 0 {
            return Some(at + others.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    None
}

/// A decimal number of at most 16 digits, and where it ends. `count` of the first eight bytes are digits.
#[inline(always)]
fn number(text: &[u8], start: usize, count: usize) -> Option<(u64, usize)> {
    let first = small_decimal(load_8(text, start), count);
    if count < 8 {
        return Some((first, start + count));
    }
    let next = load_8(text, start + 8);
    let count = digit_count(next);
    if count == 8 {
        return None;
    }
    let scale = 10u64.pow(u32::try_from(count).ok()?);
    Some((first * scale + small_decimal(next, count), start + 8 + count))
}
