//! Programs of random control transfers: encoded, executed, recorded, reconstructed.

use proptest::prelude::*;
use stepback_parsers::btrace::{BranchKind, BranchRecord};
use stepback_parsers::{CodePart, ProgramFile, StepOrigin};

use super::explained::{Image, after_slots, explain};
use super::support::{Shown, WholePath, path_of, written};

/// Start address of programs.
pub const BASE: u64 = 0x1_0000;

/// An instruction before the length of its program is known.
#[derive(Clone, Copy, Debug)]
pub struct Draft {
    form: u8,
    condition: u32,
    is_annulling: bool,
    target: u16,
}

/// A program and the outcomes of its branches.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub drafts: Vec<Draft>,
    pub outcomes: Vec<u16>,
}

/// Presence of delay-slot couples in generated programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Couples {
    /// Branches may be in the delay slots of other branches.
    Allowed,
    /// No branch is in a delay slot.
    None,
}

pub fn drawn() -> impl Strategy<Value = Drawn> {
    let draft = (0u8..20, 0u32..16, any::<bool>(), any::<u16>());
    let draft = draft.prop_map(|(form, condition, is_annulling, target)| Draft {
        form,
        condition,
        is_annulling,
        target,
    });
    let drafts = proptest::collection::vec(draft, 6..60);
    (drafts, proptest::collection::vec(any::<u16>(), 1..200))
        .prop_map(|(drafts, outcomes)| Drawn { drafts, outcomes })
}

/// Encodes the words of a program.
pub fn words(drawn: &Drawn, couples: Couples) -> Vec<u32> {
    let count = drawn.drafts.len() as i64;
    let mut words: Vec<u32> = Vec::new();
    for (place, draft) in drawn.drafts.iter().enumerate() {
        let is_after = words
            .last()
            .is_some_and(|word| BranchKind::of_word(*word).is_some());
        let distance = (i64::from(draft.target) % count - place as i64) as u32;
        words.push(if is_after && couples == Couples::None {
            0x0100_0000
        } else {
            encoded(draft, distance)
        });
    }
    words
}

fn encoded(draft: &Draft, distance: u32) -> u32 {
    let Draft {
        form,
        condition,
        is_annulling,
        ..
    } = *draft;
    let head = u32::from(is_annulling) << 29 | condition << 25;
    match form {
        0 => 1 << 30 | distance & 0x3fff_ffff,
        1 => head | 1 << 22 | distance & 0x7_ffff,
        2 => head | 2 << 22 | distance & 0x3f_ffff,
        3 => {
            let condition = [1, 2, 3, 5, 6, 7][condition as usize % 6];
            let parts = (distance >> 14 & 3) << 20 | distance & 0x3fff;
            u32::from(is_annulling) << 29 | condition << 25 | 3 << 22 | parts | 1 << 14
        }
        4 => head | 5 << 22 | distance & 0x7_ffff,
        5 => head | 6 << 22 | distance & 0x3f_ffff,
        6 => 0x81c0_4000,  // jmp %g1
        7 => 0x9fc0_4000,  // call %g1
        8 => 0x81c3_e008,  // retl
        9 => 0x81cf_e008,  // return %i7+8
        10 => 0x91d0_206d, // ta 0x6d
        _ => 0x8200_6001,  // add %g1, 1, %g1
    }
}

/// Returns true if a branch is always taken, false if never, none if conditional. An independent
/// reading of the manual.
pub fn always(word: u32) -> Option<bool> {
    match (word >> 30, word >> 22 & 7, word >> 25 & 15) {
        (0, 3, _) => None,
        (0, _, 0) => Some(false),
        (0, _, 8) => Some(true),
        (0, ..) => None,
        _ => Some(true),
    }
}

/// The execution of a program by its processor.
pub struct Run {
    pub records: Vec<BranchRecord>,
    /// Addresses, and true for executed ones.
    pub path: Vec<(u64, bool)>,
    /// Length of the path that the last record proves.
    pub proven: usize,
}

/// Targets of returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    Anywhere,
    AfterTheirCalls,
}

pub fn run(words: &[u32], outcomes: &[u16], returns: Returns) -> Run {
    let word_at = |pc: u64| {
        pc.checked_sub(BASE)
            .and_then(|offset| words.get(offset as usize / 4))
            .copied()
    };
    let mut run = Run {
        records: Vec::new(),
        path: Vec::new(),
        proven: 0,
    };
    let (mut pc, mut npc) = (BASE, BASE + 4);
    let mut outcomes = outcomes.iter();
    let mut calls = Vec::new();
    while let Some(word) = word_at(pc).filter(|_| run.path.len() < 3000) {
        let Some(kind) = BranchKind::of_word(word) else {
            run.path.push((pc, true));
            (pc, npc) = (npc, npc + 4);
            continue;
        };
        let Some(outcome) = outcomes.next() else {
            break;
        };
        let is_taken = always(word).unwrap_or(outcome & 1 == 1);
        let signed =
            |bits: u32| u64::from(word << (32 - bits)).cast_signed() << 32 >> (64 - bits) << 2;
        let anywhere = BASE + 4 * (u64::from(outcome >> 1) % words.len() as u64);
        let is_return = matches!(word, 0x81c3_e008 | 0x81cf_e008);
        let target = match kind {
            BranchKind::Call => pc.wrapping_add_signed(signed(30)),
            BranchKind::BPcc | BranchKind::FBPfcc => pc.wrapping_add_signed(signed(19)),
            BranchKind::Bicc | BranchKind::FBfcc => pc.wrapping_add_signed(signed(22)),
            BranchKind::BPr => {
                let bits = (word >> 20 & 3) << 14 | word & 0x3fff;
                pc.wrapping_add_signed(i64::from((bits << 16).cast_signed() >> 16) << 2)
            }
            _ if is_return && returns == Returns::AfterTheirCalls => match calls.pop() {
                Some(target) => target,
                None => break,
            },
            BranchKind::Jmpl | BranchKind::Return => anywhere,
        };
        if matches!(kind, BranchKind::Call) || word == 0x9fc0_4000 {
            calls.push(pc + 8);
        }
        let annuls =
            word >> 30 == 0 && word >> 29 & 1 == 1 && (always(word).is_some() || !is_taken);
        run.path.push((pc, true));
        run.records.push(BranchRecord {
            number: 0,
            time: Some(1000 + 10 * run.records.len() as u64),
            pc,
            target: if is_taken { target } else { npc + 4 },
            thread: 1,
            cpu: Some(0),
            is_taken,
            is_annulled: Some(annuls),
            kind: Some(kind as u8),
            word: Some(word),
        });
        if annuls {
            run.path.push((npc, false));
            (pc, npc) = if is_taken {
                (target, target + 4)
            } else {
                (npc + 4, npc + 8)
            };
        } else {
            (pc, npc) = (npc, if is_taken { target } else { npc + 4 });
        }
        run.proven = run.path.len();
    }
    run
}

pub fn program_of(words: &[u32]) -> ProgramFile {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let parts = vec![CodePart {
        address: BASE,
        bytes: bytes.into(),
    }];
    ProgramFile {
        name: String::new(),
        entry: Some(BASE),
        parts,
    }
}

/// Returns the shown steps, with a flag for certain ones.
pub fn steps(path: &WholePath) -> Vec<((u64, bool), bool)> {
    let step = |(_, shown, origin): &(_, Shown, StepOrigin)| match shown {
        Shown::Step { pc, is_executed } => {
            Some(((*pc, *is_executed), *origin != StepOrigin::Inferred))
        }
        Shown::Gap(_) => None,
    };
    path.shown.iter().filter_map(step).collect()
}

/// Returns true if the first list is a subsequence of the second.
pub fn are_among(few: &[(u64, bool)], all: &[(u64, bool)]) -> bool {
    let mut all = all.iter();
    few.iter().all(|step| all.any(|other| other == step))
}

/// Checks that everything the records prove is shown correctly, and that nothing else is shown as
/// certain.
fn check_equal(path: &WholePath, run: &Run) -> Result<(), TestCaseError> {
    let shown = steps(path);
    let found: Vec<_> = shown.iter().map(|(step, _)| *step).collect();
    prop_assert_eq!(
        &found[..run.proven.min(found.len())],
        &run.path[..run.proven]
    );
    prop_assert!(
        shown[run.proven..]
            .iter()
            .all(|(_, is_certain)| !is_certain)
    );
    prop_assert!(
        path.gaps().is_empty() && path.problems.is_empty(),
        "{:?}",
        path.problems
    );
    Ok(())
}

/// Checks that the path is explained by exactly these records.
fn check_explained(words: &[u32], records: &[BranchRecord]) -> Result<(), TestCaseError> {
    // Another thread proves that the recorder records each `return`.
    let place = words
        .iter()
        .position(|word| BranchKind::of_word(*word) == Some(BranchKind::Return));
    let shows = place
        .zip(records.first())
        .map(|(place, first)| BranchRecord {
            pc: BASE + 4 * place as u64,
            thread: 2,
            kind: Some(BranchKind::Return as u8),
            word: words.get(place).copied(),
            is_annulled: Some(false),
            is_taken: true,
            ..*first
        });
    let all: Vec<_> = shows.into_iter().chain(records.iter().copied()).collect();
    let path = path_of(written(&all), program_of(words));
    let after = after_slots(BASE, words);
    let image = Image {
        word_at: &|pc| {
            pc.checked_sub(BASE)
                .and_then(|offset| words.get(offset as usize / 4))
                .copied()
        },
        entry: BASE,
        after: &|pc| after.get(&pc).cloned().unwrap_or_default(),
    };
    prop_assert!(path.problems.is_empty(), "{:?}", path.problems);
    let explained = explain(&image, &path, "1", records);
    prop_assert!(
        explained.is_ok(),
        "{}\n{words:x?}\n{after:x?}\n{:x?}",
        explained.unwrap_err(),
        path.shown
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_path_of_a_generated_program_comes_back(drawn in drawn()) {
        let words = words(&drawn, Couples::Allowed);
        let run = run(&words, &drawn.outcomes, Returns::Anywhere);
        prop_assume!(!run.records.is_empty());
        check_equal(&path_of(written(&run.records), program_of(&words)), &run)?;
    }

    #[test]
    fn returns_that_were_not_recorded_are_found(drawn in drawn()) {
        let words = words(&drawn, Couples::Allowed);
        let mut run = run(&words, &drawn.outcomes, Returns::AfterTheirCalls);
        let is_recorded = |record: &BranchRecord| record.kind != Some(BranchKind::Return as u8);
        while run.records.last().is_some_and(|last| !is_recorded(last)) {
            run.records.pop();
        }
        let last = run.records.last().map(|last| last.pc);
        prop_assume!(last.is_some());
        run.records.retain(is_recorded);
        let shown = steps(&path_of(written(&run.records), program_of(&words)));
        let found: Vec<_> = shown.iter().map(|(step, _)| *step).collect();
        let until = run.path.iter().rposition(|(pc, _)| Some(*pc) == last).unwrap();
        // Steps after the last remaining record do not matter.
        let common = found.iter().zip(&run.path).take_while(|(found, stated)| found == stated).count();
        prop_assert!(common > until.min(found.len().saturating_sub(1)), "{common} of {until}");
    }

    #[test]
    fn lost_records_never_make_another_path(drawn in drawn(), lost in proptest::collection::vec(any::<bool>(), 200)) {
        let words = words(&drawn, Couples::None);
        let run = run(&words, &drawn.outcomes, Returns::Anywhere);
        let left = run.records.iter().zip(&lost).filter(|(_, is_lost)| !**is_lost).map(|(record, _)| *record);
        let left: Vec<_> = left.collect();
        prop_assume!(!left.is_empty());
        let path = path_of(written(&left), program_of(&words));
        let certain: Vec<_> = steps(&path).into_iter().filter(|(_, is_certain)| *is_certain).map(|(step, _)| step).collect();
        prop_assert!(are_among(&certain, &run.path), "{certain:x?} of {:x?}", run.path);
    }

    #[test]
    fn a_lost_record_among_couples_makes_a_gap_or_a_path_that_the_others_tell(drawn in drawn(), lost in any::<u16>()) {
        let words = words(&drawn, Couples::Allowed);
        let run = run(&words, &drawn.outcomes, Returns::Anywhere);
        prop_assume!(run.records.len() > 1);
        let mut left = run.records;
        left.remove(usize::from(lost) % left.len());
        check_explained(&words, &left)?;
    }

    #[test]
    fn many_lost_records_among_couples_make_gaps_or_a_path_that_the_others_tell(
        drawn in drawn(), lost in proptest::collection::vec(0u8..4, 200),
    ) {
        let words = words(&drawn, Couples::Allowed);
        let run = run(&words, &drawn.outcomes, Returns::Anywhere);
        let left = run.records.iter().zip(&lost).filter(|(_, lost)| **lost > 0).map(|(record, _)| *record);
        let left: Vec<_> = left.collect();
        prop_assume!(!left.is_empty());
        check_explained(&words, &left)?;
    }

    #[test]
    fn records_that_contradict_the_program_are_gaps(drawn in drawn(), at in any::<u16>(), bit in 0u32..32, part in 0u8..3) {
        let words = words(&drawn, Couples::None);
        let run = run(&words, &drawn.outcomes, Returns::Anywhere);
        prop_assume!(run.records.len() > 3);
        let mut records = run.records.clone();
        let at = usize::from(at) % records.len();
        let record = &mut records[at];
        match part {
            0 => record.word = record.word.map(|word| word ^ 1 << bit),
            1 => record.is_annulled = record.is_annulled.map(|is_annulled| !is_annulled),
            _ => record.kind = record.kind.map(|kind| kind % 8 + 1),
        }
        let path = path_of(written(&records), program_of(&words));
        let certain: Vec<_> = steps(&path).into_iter().filter(|(_, is_certain)| *is_certain).map(|(step, _)| step).collect();
        prop_assert!(are_among(&certain, &run.path));
        prop_assert_eq!(path.problems.len(), 1);
        prop_assert!(!path.gaps().is_empty());
    }
}
