//! Decoded code of the program's files; each word is decoded once.

use std::cell::{Cell, OnceCell, RefCell};
use std::mem::take;

use foldhash::HashMap;
use stepback_machine::banks::WindowChange;
use stepback_machine::flow::{
    BranchTarget, ControlFlowEffect, DelaySlotRule, FlowKind, RecordedBranch,
};
use stepback_machine::{Address, CodeSite, Encoding, InstructionSet};

use crate::btrace::couples::BranchCouples;
use crate::btrace::record::{BranchKind, is_probe};
use crate::program_file::ProgramFile;
use crate::reconstruct::{
    DecisionPresence, Fork, InstructionLookup, Outcome, Program, Stretch, StretchEnd, SuccessorSet,
};

/// Instruction set of the recorded programs.
pub const SET: InstructionSet = InstructionSet::Sparc64;
/// Bytes of an instruction.
pub const WORD: u64 = 4;
/// Flag in `DecodedRegion::runs`: the word is a fork, and the low bits are its number.
const FORK: u32 = 1 << 31;
/// Maximum number of remembered instruction words that no file contains.
const REMEMBERED: usize = 1 << 16;

/// An instruction that is recorded or that changes control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlTransfer {
    /// The instruction as the reconstruction sees it.
    pub fork: Fork,
    /// Instruction word; the probe itself if the file contains one.
    pub word: u32,
    /// Kind in the records; `None` for an instruction that is not recorded.
    pub kind: Option<BranchKind>,
    /// Outcome that does not depend on processor state; `None` if it does.
    pub is_always_taken: Option<bool>,
    /// Effect on control flow if it is taken.
    taken: RecordedBranch,
}

impl ControlTransfer {
    /// Decodes an instruction word; `None` for one that only continues with the next instruction.
    pub fn of(word: u32, pc: u64) -> Option<Self> {
        let kind = BranchKind::of_word(word);
        let control = match SET.encoding_of(word, WORD as u8) {
            Some(encoding) => SET.control(&CodeSite {
                pc: Address(pc),
                encoding,
            }),
            None => ControlFlowEffect::default(),
        };
        let goes_elsewhere = matches!(
            control.flow,
            FlowKind::Branch | FlowKind::Call | FlowKind::Return | FlowKind::ExceptionReturn
        );
        if kind.is_none() && !goes_elsewhere && !is_probe(word) {
            return None;
        }
        let is_always_taken = kind.and_then(|kind| kind.is_always_taken(word));
        let is_direct = matches!(control.target, BranchTarget::Address(_));
        let taken = match control.flow {
            FlowKind::Branch if is_direct && is_always_taken.is_none() => {
                RecordedBranch::Conditional(Some(true))
            }
            FlowKind::Branch if is_direct => RecordedBranch::Jump,
            FlowKind::Branch => RecordedBranch::IndirectJump,
            FlowKind::Call if is_direct => RecordedBranch::Call,
            FlowKind::Call => RecordedBranch::IndirectCall,
            FlowKind::Return => RecordedBranch::Return,
            FlowKind::Next | FlowKind::Trap | FlowKind::ExceptionReturn => RecordedBranch::None,
        };
        let slot_bytes = if control.delay == DelaySlotRule::None {
            0
        } else {
            WORD as u8
        };
        let fork = Fork {
            control,
            after: pc.wrapping_add(WORD),
            slot_bytes,
            stated: DecisionPresence::Always,
        };
        Some(Self {
            fork,
            word,
            kind,
            is_always_taken,
            taken,
        })
    }

    /// Returns the effect on control flow of an execution with this outcome.
    pub fn branch(&self, outcome: Outcome) -> RecordedBranch {
        match self.taken {
            RecordedBranch::Conditional(_) => {
                RecordedBranch::Conditional(Some(outcome != Outcome::NotTaken))
            }
            _ if self.is_always_taken == Some(false) => RecordedBranch::None,
            taken => taken,
        }
    }
}

/// Cache of the numbers under which the step store has the two most common steps of an instruction.
/// For a branch they are taken and not taken, for other instructions outside and inside a delay
/// slot. Entries are `number + 1`, and 0 if empty.
#[derive(Clone, Debug, Default)]
pub struct StepNumberCache([Cell<u32>; 2]);

impl StepNumberCache {
    /// Returns the number of one of the two steps.
    #[inline]
    pub fn number(&self, which: CachedStepKind) -> Option<u32> {
        self.0[which as usize].get().checked_sub(1)
    }

    /// Stores the number of one of the two steps.
    pub fn set(&self, which: CachedStepKind, number: Option<u32>) {
        self.0[which as usize].set(number.map_or(0, |number| number.saturating_add(1)));
    }
}

/// Selects one of the two cached steps of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachedStepKind {
    /// A branch that was taken, or another instruction outside a delay slot.
    First,
    /// A branch that was not taken, or another instruction in a delay slot.
    Second,
}

/// An instruction of the program's files.
#[derive(Clone, Copy, Debug)]
pub struct ProgramInstruction<'a> {
    /// Instruction word.
    pub word: u32,
    /// Change of the register window, if any.
    pub turn: Option<WindowChange>,
    /// Effect on control flow; `None` for an instruction that only continues with the next one.
    pub transfer: Option<&'a ControlTransfer>,
    /// Cached step numbers.
    pub usual: &'a StepNumberCache,
}

/// A contiguous range of code.
#[derive(Debug)]
struct DecodedRegion {
    first: u64,
    words: Vec<u32>,
    /// Change of the register window by each word, if any.
    turns: Vec<Option<WindowChange>>,
    usual: Vec<StepNumberCache>,
    /// For each word, the number of words from it up to the next fork or the end; or [`FORK`] with
    /// the number of a fork.
    runs: Vec<u32>,
}

/// The code of all files of a program.
#[derive(Debug)]
pub struct ProgramCode {
    /// Ranges in address order, without overlaps.
    parts: Vec<DecodedRegion>,
    forks: Vec<ControlTransfer>,
    /// Instructions at addresses that no file contains, or where it contains a probe, as recorded.
    stated: RefCell<HashMap<u64, Option<ControlTransfer>>>,
    /// Says if the recorder records `return`.
    returns: Cell<DecisionPresence>,
    /// Branch couples, computed at the first gap.
    couples: OnceCell<BranchCouples>,
}

impl ProgramCode {
    /// Decodes some files; later files are loaded over earlier ones. Cost: some 10 ns a word.
    pub fn new(files: &[ProgramFile]) -> Self {
        let mut code = Self {
            parts: Vec::new(),
            forks: Vec::new(),
            stated: RefCell::default(),
            returns: Cell::new(DecisionPresence::Perhaps),
            couples: OnceCell::new(),
        };
        regions_of(files)
            .into_iter()
            .for_each(|region| code.add(region));
        code
    }

    /// Returns true if there is no code.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns all instructions that change control flow or are recorded.
    pub fn forks(&self) -> &[ControlTransfer] {
        &self.forks
    }

    /// Notes that the recorder records `return`.
    pub fn note_returns(&self) {
        self.returns.set(DecisionPresence::Always);
    }

    fn add(&mut self, region: WordRegion) {
        let WordRegion { first, words } = region;
        let mut runs = vec![0; words.len()];
        let mut straight = 0;
        for (place, (word, run)) in words.iter().zip(&mut runs).enumerate().rev() {
            let pc = first.wrapping_add(place as u64 * WORD);
            *run = match ControlTransfer::of(*word, pc) {
                None => {
                    straight += 1;
                    straight
                }
                Some(transfer) => {
                    straight = 0;
                    self.forks.push(transfer);
                    FORK | (self.forks.len() - 1) as u32
                }
            };
        }
        let turn = |word: &u32| encoding_of(*word).and_then(|encoding| SET.window_step(&encoding));
        let turns = words.iter().map(turn).collect();
        let usual = vec![StepNumberCache::default(); words.len()];
        self.parts.push(DecodedRegion {
            first,
            words,
            turns,
            usual,
            runs,
        });
    }

    /// Returns the range that contains an address, and the index of its word.
    #[inline]
    fn place(&self, pc: u64) -> Option<(&DecodedRegion, usize)> {
        let inside = |part: &DecodedRegion| {
            let offset = pc.wrapping_sub(part.first);
            let place = (offset / WORD) as usize;
            (offset.is_multiple_of(WORD) && offset / WORD < part.words.len() as u64)
                .then_some(place)
        };
        let part = match self.parts.as_slice() {
            [part] => part,
            parts => parts.get(
                parts
                    .partition_point(|part| part.first <= pc)
                    .checked_sub(1)?,
            )?,
        };
        inside(part).map(|place| (part, place))
    }

    /// Returns the instruction word at an address; `None` if no file contains it.
    #[inline]
    pub fn word(&self, pc: u64) -> Option<u32> {
        let (part, place) = self.place(pc)?;
        part.words.get(place).copied()
    }

    /// Iterates over the instructions from `first` up to the end of the range, at most `count`. The
    /// caller ensures that none of them is a fork.
    #[inline]
    pub fn plain(&self, first: u64, count: u64) -> impl Iterator<Item = ProgramInstruction<'_>> {
        let found = self.place(first);
        let words = found
            .and_then(|(part, place)| part.words.get(place..))
            .unwrap_or_default();
        let turns = found
            .and_then(|(part, place)| part.turns.get(place..))
            .unwrap_or_default();
        let usual = found
            .and_then(|(part, place)| part.usual.get(place..))
            .unwrap_or_default();
        let seen = words.iter().zip(turns).zip(usual);
        let seen = seen.map(|((word, turn), usual)| ProgramInstruction {
            word: *word,
            turn: *turn,
            transfer: None,
            usual,
        });
        seen.take(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Returns the control transfer at an address in a file; `None` for an instruction that only
    /// continues with the next one.
    #[inline]
    pub fn transfer(&self, pc: u64) -> Option<&ControlTransfer> {
        let (part, place) = self.place(pc)?;
        let run = *part.runs.get(place)?;
        self.forks
            .get((run & !FORK) as usize)
            .filter(|_| run & FORK != 0)
    }

    /// Returns everything about the instruction at an address; `None` if no file contains it.
    #[inline]
    pub fn see(&self, pc: u64) -> Option<ProgramInstruction<'_>> {
        let (part, place) = self.place(pc)?;
        let run = *part.runs.get(place)?;
        let transfer = self
            .forks
            .get((run & !FORK) as usize)
            .filter(|_| run & FORK != 0);
        let turn = part.turns.get(place).copied().flatten();
        Some(ProgramInstruction {
            word: *part.words.get(place)?,
            turn,
            transfer,
            usual: part.usual.get(place)?,
        })
    }

    /// Returns the instruction that was recorded at an address where a file has a probe or no file
    /// has code.
    pub fn stated_at(&self, pc: u64) -> Option<ControlTransfer> {
        self.stated.borrow().get(&pc).copied().flatten()
    }

    /// Decodes a recorded instruction at an address where a file has a probe or no file has code,
    /// and remembers it.
    pub fn stated_transfer(&self, word: u32, pc: u64) -> Option<ControlTransfer> {
        let mut stated = self.stated.borrow_mut();
        if let Some(known) = stated
            .get(&pc)
            .filter(|known| known.is_some_and(|known| known.word == word))
        {
            return *known;
        }
        if stated.len() >= REMEMBERED {
            stated.clear();
        }
        let transfer = ControlTransfer::of(word, pc);
        stated.insert(pc, transfer);
        transfer
    }
}

/// A contiguous range of instruction words.
struct WordRegion {
    first: u64,
    words: Vec<u32>,
}

impl WordRegion {
    fn end(&self) -> u64 {
        self.first + self.words.len() as u64 * WORD
    }
}

/// Returns the code of some files in address order, each address once.
fn regions_of(files: &[ProgramFile]) -> Vec<WordRegion> {
    let mut regions: Vec<WordRegion> = Vec::new();
    for part in files.iter().flat_map(|file| &file.parts) {
        let words: Vec<u32> = part
            .bytes
            .as_chunks()
            .0
            .iter()
            .map(|bytes| u32::from_be_bytes(*bytes))
            .collect();
        let has_end = part.address.checked_add(part.bytes.len() as u64).is_some();
        if has_end && part.address.is_multiple_of(WORD) && !words.is_empty() {
            let added = WordRegion {
                first: part.address,
                words,
            };
            regions = regions
                .into_iter()
                .flat_map(|below| uncovered(below, &added))
                .collect();
            regions.push(added);
        }
    }
    regions.sort_unstable_by_key(|region| region.first);
    let mut joined: Vec<WordRegion> = Vec::new();
    for mut region in regions {
        match joined
            .last_mut()
            .filter(|before| before.end() == region.first)
        {
            Some(before) => before.words.append(&mut region.words),
            None => joined.push(region),
        }
    }
    joined
}

/// Returns the parts of a region that another one above it does not cover.
fn uncovered(mut below: WordRegion, above: &WordRegion) -> impl Iterator<Item = WordRegion> {
    let words_to = |address: u64| {
        (address.saturating_sub(below.first) / WORD).min(below.words.len() as u64) as usize
    };
    let (before, upto) = (words_to(above.first), words_to(above.end()));
    let after = WordRegion {
        first: below.first + upto as u64 * WORD,
        words: below.words.split_off(upto),
    };
    let mut words = take(&mut below.words);
    words.truncate(before);
    [
        WordRegion {
            first: below.first,
            words,
        },
        after,
    ]
    .into_iter()
    .filter(|region| !region.words.is_empty())
}

impl Program for ProgramCode {
    #[inline]
    fn stretch(&self, from: u64, until: Option<u64>) -> Stretch {
        let nothing = |ended| Stretch {
            instructions: 0,
            end: from,
            ended,
        };
        let Some((part, place)) = self.place(from) else {
            return nothing(StretchEnd::Unmapped);
        };
        let run = part.runs.get(place).copied().unwrap_or(FORK);
        if run & FORK != 0 {
            return nothing(StretchEnd::AtFork);
        }
        let run = u64::from(run);
        if let Some(until) = until.filter(|until| *until >= from && *until <= from + run * WORD)
            && until.wrapping_sub(from).is_multiple_of(WORD)
        {
            let instructions = (until - from) / WORD;
            return Stretch {
                instructions,
                end: until,
                ended: StretchEnd::There,
            };
        }
        let is_end = place as u64 + run == part.words.len() as u64;
        let ended = if is_end {
            StretchEnd::Unmapped
        } else {
            StretchEnd::AtFork
        };
        Stretch {
            instructions: run,
            end: from + run * WORD,
            ended,
        }
    }

    fn find(&self, pc: u64) -> InstructionLookup {
        match self.transfer(pc) {
            Some(transfer) => {
                let is_return = transfer.kind == Some(BranchKind::Return);
                let stated = if is_return {
                    self.returns.get()
                } else {
                    transfer.fork.stated
                };
                InstructionLookup::Fork(Fork {
                    stated,
                    ..transfer.fork
                })
            }
            None if self.word(pc).is_some() => InstructionLookup::Plain {
                after: pc.wrapping_add(WORD),
            },
            None => InstructionLookup::Unmapped,
        }
    }

    fn after_slot(&self, pc: u64) -> SuccessorSet {
        // Nothing is known about the surroundings of an instruction that no file contains.
        let is_known = self.transfer(pc).is_some();
        if is_known {
            self.couples
                .get_or_init(|| BranchCouples::of(self))
                .after(self, pc)
        } else {
            SuccessorSet::default()
        }
    }
}

/// Returns whether two branch targets are the same in a 32-bit program, where addresses wrap around
/// at the ends of the address space.
pub fn is_same_small(pc: u64, leads_to: u64, address: u64) -> bool {
    let is_low = |address: u64| u32::try_from(address).is_ok();
    is_low(pc) && is_low(address) && leads_to as u32 == address as u32
}

/// Returns the encoding of an instruction word.
#[inline]
pub fn encoding_of(word: u32) -> Option<Encoding> {
    SET.encoding_of(word, WORD as u8)
}
