//! Names of registers and parts of registers in queries.
//!
//! - `v0`: a register
//! - `v0.s[2]`: the third 32-bit lane (Arm spelling: `b h s d q`)
//! - `v1<31:24>`: some bytes, as answers print a part without a name
//! - `x3 of cpu1`: a register of a thread other than that of the position

use std::fmt;

use stepback_index::answer::{RegisterFile, ThreadId};
use stepback_index::query::{RegisterViewsAt, RegistersAt};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::RegisterView;
use stepback_parsers::Position;

/// Separator between a register and the name of its thread.
const OF: &str = " of ";

/// A register, or a part of one, of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegisterPart {
    /// Register name as displayed.
    pub name: String,
    /// Lane; `None` for the whole register.
    pub lane: Option<RegisterLane>,
    /// Bit range; `None` for the whole register.
    pub bits: Option<BitRange>,
    /// Thread name; `None` for the thread of the position.
    pub thread: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterLane {
    /// Width in bytes: 1, 2, 4, 8 or 16.
    pub size_bytes: u8,
    /// Index from the least significant lane, from 0.
    pub index: u16,
}

/// Whole bytes of a register, as bit numbers: `<31:24>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitRange {
    high: u16,
    low: u16,
}

/// Reads all registers of a thread at a position, the scalable ones last. Without a thread, that
/// of the last step before the position is used.
///
/// # Errors
/// See [`QueryError`].
pub fn all_registers(
    index: &Index,
    position: Position,
    thread: Option<ThreadId>,
    cancel: &Cancel,
) -> Result<RegisterFile, QueryError> {
    let mut file = RegistersAt { position, thread }.run(index, cancel)?;
    let scalable = RegisterViewsAt {
        position,
        thread: file.thread,
        views: NameReader(index).scalable_registers(file.thread),
    };
    file.registers.extend(scalable.run(index, cancel)?);
    Ok(file)
}

const LETTERS: [(char, u8); 5] = [('b', 1), ('h', 2), ('s', 4), ('d', 8), ('q', 16)];

impl RegisterPart {
    /// Parses a name. Any other text is taken as the name of a register.
    pub fn parse(text: &str) -> Self {
        let (register, thread) = match text.split_once(OF) {
            Some((register, thread)) => (register, Some(thread.trim().to_owned())),
            None => (text, None),
        };
        let (name, lane) = match lane_of(register.trim()) {
            Some((name, lane)) => (name, Some(lane)),
            None => (register.trim(), None),
        };
        let (name, bits) = match bits_of(name) {
            Some((name, bits)) if lane.is_none() => (name, Some(bits)),
            _ => (name, None),
        };
        Self {
            name: name.to_owned(),
            lane,
            bits,
            thread,
        }
    }

    /// Returns true if a text has the form of a lane, a bit range or a register of a thread. No
    /// other text has that form.
    pub fn is_part(text: &str) -> bool {
        let part = Self::parse(text);
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || letter == '_')
        };
        is_word(&part.name) && (part.lane.is_some() || part.bits.is_some() || part.thread.is_some())
    }

    /// Resolves the thread and bytes at a position; `None` if there is no such register.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn view_at(
        &self,
        index: &Index,
        of_position: ThreadId,
        at: Position,
    ) -> Result<Option<(ThreadId, RegisterView)>, QueryError> {
        let Some(thread) = self.thread_in(index, of_position) else {
            return Ok(None);
        };
        let view = NameReader(index).register_view_at(&self.name, thread, at)?;
        Ok(view
            .and_then(|view| self.part_of(view))
            .map(|view| (thread, view)))
    }

    /// Resolves the thread and bytes at any position where the thread has a register of the name;
    /// `None` if there is none.
    pub fn view(&self, index: &Index, of_position: ThreadId) -> Option<(ThreadId, RegisterView)> {
        let thread = self.thread_in(index, of_position)?;
        let view = NameReader(index).register_view(&self.name, thread)?;
        Some((thread, self.part_of(view)?))
    }

    fn thread_in(&self, index: &Index, of_position: ThreadId) -> Option<ThreadId> {
        self.thread
            .as_ref()
            .map_or(Some(of_position), |name| index.thread_by_name(name))
    }

    fn part_of(&self, view: RegisterView) -> Option<RegisterView> {
        let view = self.lane.map_or(Some(view), |lane| lane.of(view))?;
        self.bits.map_or(Some(view), |bits| bits.of(view))
    }
}

impl RegisterLane {
    /// Returns the bytes of the lane in a view; `None` if the view is too narrow.
    pub fn of(self, view: RegisterView) -> Option<RegisterView> {
        let size = u16::from(self.size_bytes);
        let start = self.index.checked_mul(size)?;
        let end = start
            .checked_add(size)
            .filter(|end| *end <= view.size_bytes)?;
        Some(RegisterView::new(
            view.register,
            view.offset.checked_add(end - size)?,
            size,
        ))
    }
}

impl BitRange {
    /// Returns the bytes of the bit range in a view; `None` if the view is too narrow or the range
    /// is not whole bytes.
    pub fn of(self, view: RegisterView) -> Option<RegisterView> {
        let size_bits = self.high.checked_sub(self.low)?.checked_add(1)?;
        let are_bytes = self.low.is_multiple_of(8) && size_bits.is_multiple_of(8);
        let is_inside = self.high / 8 < view.size_bytes;
        let offset = view.offset.checked_add(self.low / 8)?;
        (are_bytes && is_inside).then(|| RegisterView::new(view.register, offset, size_bits / 8))
    }
}

impl fmt::Display for BitRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}:{}>", self.high, self.low)
    }
}

impl fmt::Display for RegisterLane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = LETTERS
            .iter()
            .find(|(_, size)| *size == self.size_bytes)
            .map_or('b', |(letter, _)| *letter);
        write!(f, ".{letter}[{}]", self.index)
    }
}

impl fmt::Display for RegisterPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(lane) = self.lane {
            write!(f, "{lane}")?;
        }
        if let Some(bits) = self.bits {
            write!(f, "{bits}")?;
        }
        match &self.thread {
            Some(thread) => write!(f, "{OF}{thread}"),
            None => Ok(()),
        }
    }
}

/// Splits `v0.s[2]` into name and lane.
fn lane_of(text: &str) -> Option<(&str, RegisterLane)> {
    let (name, lane) = text.strip_suffix(']')?.rsplit_once('.')?;
    let (letter, index) = lane.split_once('[')?;
    let (_, size_bytes) = LETTERS
        .into_iter()
        .find(|(known, _)| letter.eq_ignore_ascii_case(&known.to_string()))?;
    Some((
        name,
        RegisterLane {
            size_bytes,
            index: index.parse().ok()?,
        },
    ))
}

/// Splits `v1<31:24>` into name and bit range.
fn bits_of(text: &str) -> Option<(&str, BitRange)> {
    let (name, bits) = text.strip_suffix('>')?.split_once('<')?;
    let (high, low) = bits.split_once(':')?;
    Some((
        name,
        BitRange {
            high: high.parse().ok()?,
            low: low.parse().ok()?,
        },
    ))
}

#[cfg(test)]
mod tests {
    use stepback_machine::RegisterId;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: (&str, Option<(u8, u16)>, Option<&str>)) {
        let part = RegisterPart::parse(text);
        let lane = part.lane.map(|lane| (lane.size_bytes, lane.index));
        assert_eq!((part.name.as_str(), lane, part.thread.as_deref()), expected);
        assert_eq!(part.to_string(), text);
    }

    #[test]
    fn names_lanes_and_threads_are_distinguished() {
        check("x3", ("x3", None, None));
        check("v0.s[2]", ("v0", Some((4, 2)), None));
        check("z31.b[255] of cpu1", ("z31", Some((1, 255)), Some("cpu1")));
        check(
            "s3_0_c15_c2_0 of cpu0",
            ("s3_0_c15_c2_0", None, Some("cpu0")),
        );
        check("a.b[c]", ("a.b[c]", None, None));
    }

    #[test]
    fn bits_are_read_as_they_are_printed() {
        for (text, expected) in [
            ("v1<31:24>", Some((3, 1))),
            ("v1<127:64>", Some((8, 8))),
            ("v1<31:25>", None),
        ] {
            let part = RegisterPart::parse(text);
            let view = part
                .bits
                .and_then(|bits| bits.of(RegisterView::new(RegisterId(45), 0, 16)));
            assert_eq!(
                view.map(|view| (view.offset, view.size_bytes)),
                expected,
                "{text}"
            );
            assert_eq!(
                (part.name.as_str(), part.to_string().as_str()),
                ("v1", text)
            );
        }
        let of = |text: &str| {
            RegisterPart::parse(text)
                .bits
                .unwrap()
                .of(RegisterView::new(RegisterId(1), 0, 8))
        };
        assert_eq!(
            (of("x1<71:64>"), of("x1<0:8>"), of("x1<65535:0>")),
            (None, None, None)
        );
        assert!(RegisterPart::is_part("x1<15:8> of cpu1") && !RegisterPart::is_part("x1<2"));
    }

    #[test]
    fn an_address_is_no_part() {
        let parts = ["v0.d[1]", "x1 of cpu1"].map(RegisterPart::is_part);
        let others = ["x0", "sp+8", "[x0]", "0x80", "a.b", "u32.s[1"].map(RegisterPart::is_part);
        assert_eq!((parts, others), ([true; 2], [false; 6]));
    }

    #[test]
    fn a_lane_lies_inside_its_register() {
        let view = RegisterView::new(RegisterId(45), 4, 12);
        let lane = |size_bytes, index| {
            RegisterLane { size_bytes, index }
                .of(view)
                .map(|view| (view.offset, view.size_bytes))
        };
        assert_eq!((lane(4, 0), lane(4, 2)), (Some((4, 4)), Some((12, 4))));
        assert_eq!(
            (lane(4, 3), lane(16, 0), lane(16, u16::MAX)),
            (None, None, None)
        );
    }
}
