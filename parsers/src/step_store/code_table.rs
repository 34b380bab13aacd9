//! Looks up the code of each instruction while a trace is read.

use std::collections::HashMap;

use stepback_machine::{Encoding, InstructionSet};

use crate::step_store::code::{Code, EffectShape};
use crate::step_store::record::StoredStep;

/// Maximum number of numbered codes, which bounds memory. Further codes are stored inline at each
/// execution.
pub const LIMIT: usize = 1 << 21;
/// Maximum number of encodings kept for codes without a number.
const SPARE: usize = 1 << 20;
/// Maximum number of codes in the chain of an address; an address with more keeps them in a map.
const CHAIN: u32 = 8;
const NONE: u32 = u32::MAX;

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Chooses the instruction set of a step, given the previous step of its input. Called once for
/// each new code.
pub type InstructionSetChooser = fn(&StoredStep, Option<&Code>) -> InstructionSet;

/// All codes until now, and the encodings that hold in each file.
///
/// The encoding that a file states for an address holds there until the file states another. Other
/// files have no influence. Each file therefore has one bit per code: set while the code's encoding
/// holds at this address in this file.
#[derive(Debug)]
pub struct CodeTable {
    /// Chooses the instruction set of steps whose records do not state it.
    pub set_of: InstructionSetChooser,
    codes: Vec<Code>,
    numbers: Map<Code, u32>,
    /// Newest code at each address, and number of codes there.
    first_at: Map<u64, (u32, u32)>,
    /// Next older code at the same address, by code.
    next_at: Vec<u32>,
    /// The last two successors of each code that differ, the newest first: those of a branch take
    /// turns.
    successors: Vec<[u32; 2]>,
    inputs: Vec<InputCodes>,
    /// Codes that hold in a file, for addresses with more than [`CHAIN`] codes.
    crowded: Map<(u16, u64), Vec<u32>>,
    /// Encoding that holds at an address of a file, for codes without a number.
    spare: Map<(u16, u64), Encoding>,
    /// True when an encoding was dropped for lack of room.
    pub is_full: bool,
}

#[derive(Debug)]
struct InputCodes {
    /// Code of the last instruction of the file.
    last: u32,
    holds: Vec<u64>,
}

impl InputCodes {
    #[inline(always)]
    fn is_held(&self, code: u32) -> bool {
        self.holds
            .get(code as usize / 64)
            .is_some_and(|bits| bits >> (code % 64) & 1 != 0)
    }

    fn hold(&mut self, code: u32) {
        let place = code as usize / 64;
        if self.holds.len() <= place {
            self.holds.resize(place + 1, 0);
        }
        self.holds[place] |= 1 << (code % 64);
    }

    fn forget(&mut self, code: u32) {
        if let Some(bits) = self.holds.get_mut(code as usize / 64) {
            *bits &= !(1 << (code % 64));
        }
    }
}

impl Default for CodeTable {
    fn default() -> Self {
        Self {
            set_of: |step, _| step.set,
            codes: Vec::new(),
            numbers: Map::default(),
            first_at: Map::default(),
            next_at: Vec::new(),
            successors: Vec::new(),
            inputs: Vec::new(),
            crowded: Map::default(),
            spare: Map::default(),
            is_full: false,
        }
    }
}

/// Numbers of the instructions of a trace.
pub trait CodeNumbers {
    /// Returns the code with a number.
    fn code(&self, number: u32) -> Option<&Code>;
    /// Sets the shape of a code that has none.
    fn set_shape(&mut self, number: u32, shape: EffectShape);
    /// Returns all codes that the encoder numbered, by number.
    fn all(&self) -> &[Code];
    /// Returns true when an encoding was dropped for lack of room.
    fn is_full(&self) -> bool;
}

/// Result of looking up the code of an instruction.
#[derive(Clone, Copy, Debug)]
pub enum CodeLookup {
    /// Number of the code.
    Numbered(u32),
    /// Code for which the table has no room.
    Inline(Code),
}

impl CodeTable {
    /// Returns all codes, by number.
    pub fn codes(&self) -> &[Code] {
        &self.codes
    }

    fn input(&mut self, input: u16) -> &mut InputCodes {
        let place = usize::from(input);
        while self.inputs.len() <= place {
            self.inputs.push(InputCodes {
                last: NONE,
                holds: Vec::new(),
            });
        }
        &mut self.inputs[place]
    }

    /// Returns whether a code still holds in a file. If so, it becomes the last instruction of the
    /// file.
    #[inline(always)]
    pub fn is_again(&mut self, input: u16, number: u32) -> bool {
        let found = self
            .inputs
            .get_mut(usize::from(input))
            .filter(|input| input.is_held(number));
        found.map(|input| input.last = number).is_some()
    }

    /// Returns the code of an instruction if it is the same successor as last time. Fast path of
    /// [`Self::find`].
    #[inline(always)]
    pub fn find_quickly(&mut self, record: &StoredStep) -> Option<u32> {
        self.successor(record.input, |code| {
            code.pc == record.pc
                && code.branch == record.branch
                && code.length_bytes == record.length_bytes
                && code.reached == record.reached
                && (record.encoding.is_none() || record.encoding == code.encoding)
        })
    }

    /// Returns the code that is like `is_like` and followed the last one of a file lately, if it
    /// still holds. It becomes the last instruction of the file.
    #[inline(always)]
    pub fn successor(&mut self, input: u16, is_like: impl Fn(&Code) -> bool) -> Option<u32> {
        let input = self.inputs.get_mut(usize::from(input))?;
        let guesses = *self.successors.get(input.last as usize)?;
        let number = guesses.into_iter().find(|guess| {
            let code = self.codes.get(*guess as usize);
            code.is_some_and(&is_like) && input.is_held(*guess)
        })?;
        input.last = number;
        Some(number)
    }

    /// Returns the code of an instruction; adds it if it is new.
    #[inline(never)]
    pub fn find(&mut self, record: &StoredStep) -> CodeLookup {
        let StoredStep {
            input,
            pc,
            branch,
            length_bytes,
            reached,
            ..
        } = *record;
        let last = self.input(input).last;
        let set = (self.set_of)(record, self.codes.get(last as usize));
        let held = self.held(input, pc);
        let spare = if self.spare.is_empty() {
            None
        } else {
            self.spare.get(&(input, pc)).copied()
        };
        let known = spare.or_else(|| self.codes.get(*held.first()? as usize)?.encoding);
        let encoding = record.encoding.or(known);
        if encoding != known {
            self.forget(input, pc, &held);
        }
        let code = Code {
            pc,
            encoding,
            branch,
            set,
            length_bytes,
            reached,
            shape: EffectShape::UNSET,
        };
        let Some(number) = self.numbers.get(&code).copied().or_else(|| self.add(code)) else {
            self.keep_spare(record);
            return CodeLookup::Inline(code);
        };
        if let Some(successor) = self.successors.get_mut(last as usize) {
            *successor = [number, successor[0]];
        }
        self.hold(input, pc, number);
        CodeLookup::Numbered(number)
    }

    /// Returns the codes at an address whose encoding holds in a file: one for each type of record.
    fn held(&self, input: u16, pc: u64) -> Vec<u32> {
        let Some((first, count)) = self.first_at.get(&pc).copied() else {
            return Vec::new();
        };
        if count > CHAIN {
            return self.crowded.get(&(input, pc)).cloned().unwrap_or_default();
        }
        let is_held = |number: &u32| {
            self.inputs
                .get(usize::from(input))
                .is_some_and(|input| input.is_held(*number))
        };
        self.chain(first).filter(is_held).collect()
    }

    fn forget(&mut self, input: u16, pc: u64, held: &[u32]) {
        held.iter()
            .for_each(|number| self.input(input).forget(*number));
        self.crowded.remove(&(input, pc));
        self.spare.remove(&(input, pc));
    }

    fn hold(&mut self, input: u16, pc: u64, number: u32) {
        let codes = self.input(input);
        codes.last = number;
        if codes.is_held(number) {
            return;
        }
        codes.hold(number);
        if self
            .first_at
            .get(&pc)
            .is_some_and(|(_, count)| *count > CHAIN)
        {
            self.crowded.entry((input, pc)).or_default().push(number);
        }
    }

    /// Keeps the encoding of an instruction without a number.
    fn keep_spare(&mut self, record: &StoredStep) {
        let Some(encoding) = record.encoding else {
            return;
        };
        if self.spare.len() < SPARE {
            self.spare.insert((record.input, record.pc), encoding);
        } else {
            self.is_full = true;
        }
    }

    /// Iterates over the codes at an address that has at most [`CHAIN`], newest first.
    fn chain(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let next = |number: &u32| self.next_at.get(*number as usize).copied();
        std::iter::successors(Some(first), next).take_while(|number| *number != NONE)
    }

    fn add(&mut self, code: Code) -> Option<u32> {
        let number = u32::try_from(self.codes.len())
            .ok()
            .filter(|_| self.codes.len() < LIMIT)?;
        let (first, count) = self.first_at.get(&code.pc).copied().unwrap_or((NONE, 0));
        if count == CHAIN {
            for input in 0..self.inputs.len() as u16 {
                let held = self.held(input, code.pc);
                self.crowded.insert((input, code.pc), held);
            }
        }
        self.codes.push(code);
        self.numbers.insert(code, number);
        self.successors.push([NONE; 2]);
        self.next_at.push(first);
        self.first_at
            .insert(code.pc, (number, count.saturating_add(1)));
        Some(number)
    }
}

impl CodeNumbers for CodeTable {
    #[inline(always)]
    fn code(&self, number: u32) -> Option<&Code> {
        self.codes.get(number as usize)
    }

    fn set_shape(&mut self, number: u32, shape: EffectShape) {
        if let Some(code) = self.codes.get_mut(number as usize) {
            code.shape = shape;
        }
    }

    fn all(&self) -> &[Code] {
        &self.codes
    }

    fn is_full(&self) -> bool {
        self.is_full
    }
}

#[cfg(test)]
mod tests {
    use stepback_machine::flow::RecordedBranch;

    use super::*;
    use crate::events::ThreadNumber;
    use crate::step_store::record::StepStatus;

    fn record(input: u16, pc: u64, encoding: Option<&[u8]>) -> StoredStep {
        let encoding = encoding.and_then(Encoding::new);
        StoredStep {
            input,
            thread: ThreadNumber(0),
            branch: RecordedBranch::None,
            set: InstructionSet::X86_64,
            length_bytes: 1,
            pc,
            encoding,
            target: None,
            reached: StepStatus::PLAINLY,
        }
    }

    #[test]
    fn code_that_is_rewritten_again_and_again_is_found() {
        let mut table = CodeTable::default();
        for round in 0..3 {
            for (input, step) in (0..30u8).map(|step| (u16::from(step % 2), step)) {
                let mut check = |given: Option<&[u8]>, taken| {
                    let branch = RecordedBranch::Conditional(Some(taken));
                    let record = StoredStep {
                        branch,
                        ..record(input, 5, given)
                    };
                    let CodeLookup::Numbered(number) = table.find(&record) else {
                        panic!("there is room")
                    };
                    assert_eq!(
                        table.codes()[number as usize].encoding,
                        Encoding::new(&[step]),
                        "{round}"
                    );
                };
                check(Some(&[step]), true);
                check(None, false);
                check(None, true);
            }
        }
        assert_eq!(table.codes().len(), 60);
    }

    #[test]
    fn an_encoding_holds_in_its_file_until_another_comes() {
        let mut table = CodeTable::default();
        let mut check = |input: u16, pc: u64, given: Option<&[u8]>, expected: Option<&[u8]>| {
            let CodeLookup::Numbered(number) = table.find(&record(input, pc, given)) else {
                panic!("there is room")
            };
            assert_eq!(
                table.codes()[number as usize].encoding,
                expected.and_then(Encoding::new),
                "{input} {pc}"
            );
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
