//! Checks a path against its records with a separate model of the processor.
//!
//! Lost records cannot always be detected: a loop with one round fewer leaves records as valid as
//! complete ones. The steps between two gaps are right if a processor that consumes exactly the
//! records between them takes that path. It starts from each possible state after the gap. Steps
//! shown as certain must be equal for all of these states.

use std::collections::{BTreeMap, BTreeSet};

use stepback_parsers::btrace::{BranchKind, BranchRecord};
use stepback_parsers::{Gap, StepOrigin};

use super::generated::always;
use super::support::{Shown, WholePath};

/// Maximum number of instructions between two records, or after the last.
const PATIENCE: usize = 1 << 20;

/// The instructions of a program.
pub struct Image<'a> {
    pub word_at: &'a dyn Fn(u64) -> Option<u32>,
    pub entry: u64,
    /// The possible next addresses of an instruction in a delay slot.
    pub after: &'a dyn Fn(u64) -> BTreeSet<u64>,
}

/// The state of the processor: its next two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub pc: u64,
    pub npc: u64,
    /// True if the first is not executed.
    pub is_annulled: bool,
}

impl State {
    pub fn at(pc: u64) -> Self {
        Self {
            pc,
            npc: pc.wrapping_add(4),
            is_annulled: false,
        }
    }

    fn on(self) -> Self {
        Self {
            pc: self.npc,
            npc: self.npc.wrapping_add(4),
            is_annulled: false,
        }
    }

    /// Returns the state after a branch, with its target if taken.
    pub fn branched(self, word: u32, target: Option<u64>) -> Self {
        let annuls =
            word >> 30 == 0 && word >> 29 & 1 == 1 && (always(word).is_some() || target.is_none());
        let npc = target.unwrap_or(self.npc.wrapping_add(4));
        Self {
            pc: self.npc,
            npc,
            is_annulled: annuls,
        }
    }
}

/// Returns the target of a branch that encodes it.
pub fn direct_target(word: u32, pc: u64) -> Option<u64> {
    let signed = |value: u32, bits: u32| {
        pc.wrapping_add_signed(i64::from((value << (32 - bits)).cast_signed() >> (32 - bits)) << 2)
    };
    match BranchKind::of_word(word)? {
        BranchKind::Call => Some(signed(word, 30)),
        BranchKind::BPcc | BranchKind::FBPfcc => Some(signed(word, 19)),
        BranchKind::Bicc | BranchKind::FBfcc => Some(signed(word, 22)),
        BranchKind::BPr => Some(signed((word >> 20 & 3) << 14 | word & 0x3fff, 16)),
        BranchKind::Jmpl | BranchKind::Return => None,
    }
}

/// Returns the possible next addresses of each instruction in a delay slot, by trying all paths
/// from all instructions.
pub fn after_slots(base: u64, words: &[u32]) -> BTreeMap<u64, BTreeSet<u64>> {
    let addresses = || (0..words.len() as u64).map(|place| base + 4 * place);
    let mut open: Vec<State> = addresses().map(State::at).collect();
    let mut seen = BTreeSet::new();
    while let Some(state) = open.pop() {
        let word = state
            .pc
            .checked_sub(base)
            .and_then(|offset| words.get(offset as usize / 4))
            .copied();
        let Some(word) =
            word.filter(|word| BranchKind::of_word(*word).is_some() && seen.insert(state))
        else {
            continue;
        };
        if always(word) == Some(false) {
            continue;
        }
        let targets: Vec<u64> = direct_target(word, state.pc)
            .map_or_else(|| addresses().collect(), |target| vec![target]);
        let after = targets
            .into_iter()
            .map(|target| state.branched(word, Some(target)));
        open.extend(after.filter(|after| !after.is_annulled && after.npc != after.pc + 4));
    }
    let mut after: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    seen.into_iter().for_each(|State { pc, npc, .. }| {
        after.entry(pc).or_default().insert(npc);
    });
    after
}

/// A step, and the number of records consumed before it.
type Stated = (usize, (u64, bool));

/// Returns the steps of a processor that consumes exactly these records, up to the point where it
/// needs another. None if it takes another path.
fn walk(image: &Image<'_>, mut state: State, records: &[BranchRecord]) -> Option<Vec<Stated>> {
    let mut steps = Vec::new();
    let mut taken = 0;
    let mut left = PATIENCE;
    loop {
        let rest = &records[taken..];
        // Annulled code may be missing, and records state their instruction.
        let stated = rest
            .first()
            .filter(|record| record.pc == state.pc)
            .and_then(|record| record.word);
        let found = (image.word_at)(state.pc).filter(|word| stated.is_none() || word >> 22 != 0);
        let word = found
            .or(state.is_annulled.then_some(0))
            .or(stated)
            .filter(|_| left > 0);
        let Some(word) = word else {
            return rest.is_empty().then_some(steps);
        };
        left -= 1;
        if state.is_annulled || BranchKind::of_word(word).is_none() {
            steps.push((taken, (state.pc, !state.is_annulled)));
            state = state.on();
            continue;
        }
        let Some(record) = rest.first() else {
            // A `return` may be unrecorded: its record would count with any target for it and its
            // slot.
            if BranchKind::of_word(word) == Some(BranchKind::Return) {
                let slot =
                    (image.word_at)(state.npc).filter(|word| BranchKind::of_word(*word).is_none());
                steps.push((taken, (state.pc, true)));
                steps.extend(slot.map(|_| (taken, (state.npc, true))));
            }
            return Some(steps);
        };
        let target = record.is_taken.then_some(record.target);
        let is_possible = record.pc == state.pc
            && always(word).is_none_or(|is_taken| is_taken == record.is_taken)
            && if record.is_taken {
                direct_target(word, state.pc).is_none_or(|target| target == record.target)
            } else {
                record.target == state.npc.wrapping_add(4)
            };
        if !is_possible {
            return None;
        }
        (taken, left) = (taken + 1, PATIENCE);
        steps.push((taken, (state.pc, true)));
        state = state.branched(word, target);
    }
}

/// The steps between two gaps.
#[derive(Default)]
struct Piece {
    steps: Vec<(Stated, StepOrigin)>,
    /// Numbers of the records before which one instruction is missing.
    missing: BTreeSet<usize>,
    records: Vec<BranchRecord>,
}

/// Checks the path of one thread against its records.
///
/// # Errors
/// The reason why the records do not explain the path.
pub fn explain(
    image: &Image<'_>,
    path: &WholePath,
    thread: &str,
    records: &[BranchRecord],
) -> Result<(), String> {
    let mut rest = records.iter();
    let mut piece = Piece::default();
    let mut pieces = Vec::new();
    for (number, shown, origin) in &path.shown {
        if path.names[usize::from(number.0)] != thread {
            continue;
        }
        match shown {
            Shown::Gap(Gap {
                instructions: Some(1),
                ..
            }) => {
                piece.missing.insert(piece.records.len());
            }
            Shown::Gap(_) => pieces.push(std::mem::take(&mut piece)),
            Shown::Step { pc, is_executed } => {
                if *origin == StepOrigin::Recorded {
                    let record = rest.next().ok_or(format!("no record tells of {pc:#x}"))?;
                    if record.pc != *pc {
                        return Err(format!("{pc:#x} is shown, {:#x} was recorded", record.pc));
                    }
                    piece.records.push(*record);
                }
                piece
                    .steps
                    .push(((piece.records.len(), (*pc, *is_executed)), *origin));
            }
        }
    }
    pieces.push(piece);
    if let Some(record) = rest.next() {
        return Err(format!("the record at {:#x} is not shown", record.pc));
    }
    pieces
        .iter()
        .enumerate()
        .try_for_each(|(place, piece)| piece.explain(image, place == 0))
}

impl Piece {
    fn explain(&self, image: &Image<'_>, is_first: bool) -> Result<(), String> {
        let Some(((_, (first, _)), origin)) = self.steps.first().copied() else {
            return Ok(());
        };
        let entry = State::at(image.entry);
        let is_at_entry = first == image.entry && origin != StepOrigin::Recorded;
        let starts: Vec<State> =
            if is_first && (is_at_entry || walk(image, entry, &self.records).is_some()) {
                vec![entry]
            } else if origin == StepOrigin::Recorded {
                // The surroundings of a probe are unknown, but a branch that was not taken shows
                // its next instruction.
                let is_probe = (image.word_at)(first).is_some_and(|word| word >> 22 == 0);
                let stated = self
                    .records
                    .first()
                    .filter(|record| is_probe && !record.is_taken)
                    .map(|record| record.target - 4);
                let others = (image.after)(first).into_iter().chain(stated);
                let others = others.map(|npc| State {
                    npc,
                    ..State::at(first)
                });
                [State::at(first)].into_iter().chain(others).collect()
            } else {
                return Err(format!("a piece begins at {first:#x}, where no record is"));
            };
        let walks: Vec<_> = starts
            .iter()
            .filter_map(|start| walk(image, *start, &self.records))
            .collect();
        if walks.is_empty() {
            return Err(format!(
                "no walk from {first:#x} has just these records: {:x?}",
                self.records
            ));
        }
        walks.iter().try_for_each(|walk| self.agrees(walk))
    }

    /// Checks that all certain steps are on the walk.
    fn agrees(&self, walk: &[Stated]) -> Result<(), String> {
        let (mut shown, mut walked) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for ((record, step), origin) in &self.steps {
            shown
                .entry(*record)
                .or_default()
                .push((*step, *origin != StepOrigin::Inferred));
        }
        walk.iter()
            .for_each(|(record, step)| walked.entry(*record).or_default().push(*step));
        for (record, steps) in shown {
            let walked = walked.remove(&record).unwrap_or_default();
            let is_whole = record < self.records.len()
                && steps.iter().all(|(_, is_certain)| *is_certain)
                && !self.missing.contains(&record);
            let certain: Vec<_> = steps
                .iter()
                .filter(|(_, is_certain)| *is_certain)
                .map(|(step, _)| *step)
                .collect();
            let mut ahead = walked.iter();
            if !certain.iter().all(|step| ahead.any(|other| other == step))
                || is_whole && certain != walked
            {
                return Err(format!(
                    "behind record {record} {steps:x?} is shown, a walk goes {walked:x?}"
                ));
            }
        }
        Ok(())
    }
}
