//! Finds the code of each instruction that is read.

use std::collections::HashMap;

use super::code::{Code, Shape};
use crate::InstructionSet;
use crate::drmemtrace::InstructionRecord;

/// More codes are not numbered but written where they are executed, which bounds memory.
pub const LIMIT: usize = 1 << 20;
const NONE: u32 = u32::MAX;

/// All codes so far, and what each file says of its addresses.
///
/// What a file said last of an address holds there until it says something else; other files do not count.
/// So each file has a bit for each code: its encoding is the one at this address in this file.
#[derive(Debug, Default)]
pub struct CodeTable {
    codes: Vec<Code>,
    first_at: HashMap<u64, u32, foldhash::fast::RandomState>,
    next_at: Vec<u32>,
    /// The code that came behind each the last time.
    successors: Vec<u32>,
    inputs: Vec<InputCodes>,
    /// An encoding that there is no room for was forgotten.
    pub is_full: bool,
}

#[derive(Debug)]
struct InputCodes {
    /// The code of its last instruction.
    last: u32,
    holds: Vec<u64>,
}

impl InputCodes {
    #[inline(always)]
    fn is_held(&self, code: u32) -> bool {
        self.holds.get(code as usize / 64).is_some_and(|bits| bits >> (code % 64) & 1 != 0)
    }

    fn hold(&mut self, code: u32, is_held: bool) {
        let place = code as usize / 64;
        if self.holds.len() <= place {
            self.holds.resize(place + 1, 0);
        }
        let bit = 1 << (code % 64);
        if let Some(bits) = self.holds.get_mut(place) {
            *bits = if is_held { *bits | bit } else { *bits & !bit };
        }
    }
}

/// The code of an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Found {
    /// Its number.
    Numbered(u32),
    /// There was no room for it.
    Inline(Code),
}

impl CodeTable {
    /// All codes, by number.
    pub fn codes(&self) -> &[Code] {
        &self.codes
    }

    /// Sets the shape of a code that has none.
    pub fn set_shape(&mut self, number: u32, shape: Shape) {
        if let Some(code) = self.codes.get_mut(number as usize) {
            code.shape = shape;
        }
    }

    fn input(&mut self, input: u16) -> &mut InputCodes {
        let place = usize::from(input);
        while self.inputs.len() <= place {
            self.inputs.push(InputCodes { last: NONE, holds: Vec::new() });
        }
        &mut self.inputs[place]
    }

    /// The code of an instruction.
    #[inline(always)]
    pub fn find(&mut self, record: &InstructionRecord) -> Found {
        if let Some(input) = self.inputs.get_mut(usize::from(record.input)) {
            let guess = self.successors.get(input.last as usize).copied().unwrap_or(NONE);
            if let Some(code) = self.codes.get(guess as usize)
                && code.pc == record.pc
                && code.kind == record.kind
                && code.length_bytes == record.length_bytes
                && (record.encoding.is_none() || record.encoding == code.encoding)
                && input.is_held(guess)
            {
                input.last = guess;
                return Found::Numbered(guess);
            }
        }
        self.find_slowly(record)
    }

    fn find_slowly(&mut self, record: &InstructionRecord) -> Found {
        let first = self.first_at.get(&record.pc).copied().unwrap_or(NONE);
        let last = self.input(record.input).last;
        let set = set_of(record, self.codes.get(last as usize));
        let held = self.at(first).find(|number| self.is_held(record.input, *number));
        let known = held.and_then(|number| self.codes.get(number as usize)?.encoding);
        let encoding = record.encoding.or(known);
        if encoding != known {
            let forgotten: Vec<u32> = self.at(first).collect();
            forgotten.into_iter().for_each(|number| self.input(record.input).hold(number, false));
        }
        let InstructionRecord { pc, kind, length_bytes, .. } = *record;
        let code = Code { pc, encoding, kind, set, length_bytes, shape: Shape::UNSET };
        let same = self.at(first).find(|number| {
            self.codes.get(*number as usize).is_some_and(|known| Code { shape: Shape::UNSET, ..*known } == code)
        });
        let Some(number) = same.or_else(|| self.add(code, first)) else {
            self.is_full |= record.encoding.is_some();
            return Found::Inline(code);
        };
        if let Some(successor) = self.successors.get_mut(last as usize) {
            *successor = number;
        }
        let input = self.input(record.input);
        input.hold(number, true);
        input.last = number;
        Found::Numbered(number)
    }

    fn is_held(&self, input: u16, number: u32) -> bool {
        self.inputs.get(usize::from(input)).is_some_and(|input| input.is_held(number))
    }

    /// The codes at an address.
    fn at(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let next = |number: &u32| self.next_at.get(*number as usize).copied();
        std::iter::successors(Some(first), next).take_while(|number| *number != NONE)
    }

    fn add(&mut self, code: Code, first: u32) -> Option<u32> {
        let number = u32::try_from(self.codes.len()).ok().filter(|_| self.codes.len() < LIMIT)?;
        self.codes.push(code);
        self.successors.push(NONE);
        // The newest stands first; a place that is written over and over has few that are still in use.
        self.next_at.push(first);
        self.first_at.insert(code.pc, number);
        Some(number)
    }
}

/// In Thumb the lowest bit of the address is set. Where a trace has lost it, an instruction of two bytes, or one where
/// none of A32 can be, or one right behind another of Thumb, tells.
fn set_of(record: &InstructionRecord, before: Option<&Code>) -> InstructionSet {
    if record.set != InstructionSet::A32 {
        return record.set;
    }
    let is_behind = |before: &Code| {
        before.set == InstructionSet::T32 && before.pc.wrapping_add(u64::from(before.length_bytes)) == record.pc
    };
    let is_thumb = record.pc & 3 != 0 || record.length_bytes == 2 || before.is_some_and(is_behind);
    if is_thumb { InstructionSet::T32 } else { InstructionSet::A32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encoding, ThreadNumber};

    fn record(input: u16, pc: u64, encoding: Option<&[u8]>) -> InstructionRecord {
        let encoding = encoding.and_then(Encoding::new);
        InstructionRecord {
            input,
            thread: ThreadNumber(0),
            kind: 10,
            set: InstructionSet::X86_64,
            length_bytes: 1,
            pc,
            encoding,
            target: None,
        }
    }

    #[test]
    fn thumb_shows_in_address_length_and_what_comes_before() {
        let code =
            |pc, length_bytes, set| Code { pc, length_bytes, set, encoding: None, kind: 10, shape: Shape::UNSET };
        let check = |pc, length_bytes, before: Option<Code>, expected| {
            let record = InstructionRecord { set: InstructionSet::A32, length_bytes, ..record(0, pc, None) };
            assert_eq!(set_of(&record, before.as_ref()), expected, "{pc}");
        };
        use InstructionSet::{A32, T32};
        check(0x1000, 4, None, A32);
        check(0x1001, 4, None, T32);
        check(0x1000, 2, None, T32);
        check(0x1002, 4, None, T32);
        check(0x1004, 4, Some(code(0x1000, 4, T32)), T32);
        check(0x1004, 4, Some(code(0x1000, 4, A32)), A32);
        check(0x2000, 4, Some(code(0x1000, 4, T32)), A32);
    }

    #[test]
    fn an_encoding_holds_in_its_file_until_another_comes() {
        let mut table = CodeTable::default();
        let mut check = |input: u16, pc: u64, given: Option<&[u8]>, expected: Option<&[u8]>| {
            let Found::Numbered(number) = table.find(&record(input, pc, given)) else { panic!("there is room") };
            assert_eq!(table.codes()[number as usize].encoding, expected.and_then(Encoding::new), "{input} {pc}");
        };
        for _ in 0..2 {
            check(0, 1, Some(&[7]), Some(&[7]));
            check(0, 2, None, None);
            check(0, 1, None, Some(&[7]));
            check(0, 1, Some(&[8]), Some(&[8]));
            check(0, 1, None, Some(&[8]));
        }
        check(1, 1, None, None);
        check(1, 1, Some(&[7]), Some(&[7]));
        check(1, 1, None, Some(&[7]));
        check(0, 1, None, Some(&[8]));
    }
}
