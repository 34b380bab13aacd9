//! Compares the index of traces of records with the oracle: random traces, random questions.

use proptest::prelude::*;
use stepback_index::oracle::Oracle;
use stepback_index::{
    BuildOptions, Cancel, FindMarkers, Index, LastMarkers, MarkerCount, PositionOfLine, Query as _, ThreadId,
};
use stepback_parsers::{Branch, Encoding, InstructionSet, Line, MarkerKind, Position};

use super::support::compare::{Comparison, Things, index_of};
use super::support::dice::Dice;
use super::support::records::{Record, Records, What};

/// The questions of [`Comparison::ask_of_kind`] that do not read the text.
const KINDS: [u64; 9] = [2, 4, 6, 8, 9, 12, 17, 18, 21];

/// A random trace: few addresses, so that things collide.
fn random_records(dice: &mut Dice, count: u64) -> Vec<Record> {
    const MARKERS: [u16; 8] = [0, 1, 2, 2, 3, 25, 33, 33];
    const BRANCHES: [Branch; 10] = [
        Branch::None,
        Branch::None,
        Branch::None,
        Branch::Jump,
        Branch::IndirectJump,
        Branch::Conditional(Some(true)),
        Branch::Call,
        Branch::Call,
        Branch::IndirectCall,
        Branch::Return,
    ];
    let (mut thread, mut time) = (0, 1000);
    let mut pcs = [0x1000u64; 3];
    let records = (0..count).map(|_| {
        if dice.one_in(12) {
            thread = dice.below(3) as u16;
        }
        let pc = pcs.get_mut(usize::from(thread)).unwrap();
        let address = 0x7f00 + 8 * dice.below(12);
        match dice.below(12) {
            0 | 1 => Record::read(thread, address),
            2 => Record::write(thread, address),
            3 => {
                let kind = MarkerKind(dice.pick(&MARKERS).unwrap());
                Record::marker(thread, kind, 0x1000 + 4 * dice.below(12))
            }
            _ => {
                let branch = dice.pick(&BRANCHES).unwrap();
                let encoding = Encoding::new([0x90; 4].get(..1 + dice.below(4) as usize).unwrap()).unwrap();
                time += dice.below(3);
                let what = What::Step { pc: *pc, encoding, branch, time: Some(time).filter(|_| !dice.one_in(9)) };
                let goes_on = matches!(branch, Branch::None) && !dice.one_in(20);
                *pc = if goes_on { *pc + encoding.bytes().len() as u64 } else { 0x1000 + 2 * dice.below(24) };
                Record { thread, what }
            }
        }
    });
    records.collect()
}

fn check(records: Vec<Record>, segment_sizes: &[u64], questions: u64, seed: u64) {
    let source = Records::new(records, InstructionSet::X86_64);
    let oracle = Oracle::of(source.as_ref()).unwrap();
    let things = Things::of(&oracle);
    for (number, segment_bytes) in segment_sizes.iter().enumerate() {
        let index = index_of(&source, *segment_bytes, 1 + number % 3);
        let name = format!("seed {seed}, segments of {segment_bytes}");
        let comparison = Comparison { index, oracle: &oracle, things: &things, name };
        comparison.whole();
        let mut dice = Dice(seed);
        for _ in 0..questions {
            comparison.ask_of_kind(dice.pick(&KINDS).unwrap(), &mut dice);
            comparison.agree(PositionOfLine(Line(dice.below(oracle.line_count() + 3))));
            ask_markers(&comparison, &mut dice);
        }
    }
}

fn ask_markers(comparison: &Comparison<'_, Records>, dice: &mut Dice) {
    let kinds: Vec<_> = (0..dice.below(3)).map(|_| MarkerKind(dice.pick(&[0, 1, 2, 3, 33, 99]).unwrap())).collect();
    let thread = Some(ThreadId(dice.below(4) as u16)).filter(|_| dice.one_in(2));
    let steps = comparison.index.step_count();
    let position = |dice: &mut Dice| Position(dice.below(steps + 2));
    let (from, to, limit) = (position(dice), position(dice), dice.below(20) as usize);
    comparison.agree(FindMarkers { kinds: kinds.clone(), thread, from, to, limit });
    comparison.agree(FindMarkers { kinds: kinds.clone(), thread, from, to: Position(u64::MAX), limit: usize::MAX });
    comparison.agree(LastMarkers { kinds, thread, at: position(dice) });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_records_give_the_answers_of_the_oracle(count in 0u64..200, seed: u64) {
        check(random_records(&mut Dice(seed), count), &[16, 80, 500, 1 << 30], 20, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_random_records_give_the_answers_of_the_oracle(count in 2000u64..6000, seed: u64) {
        check(random_records(&mut Dice(seed), count), &[1000, 9000, 1 << 30], 60, seed);
    }
}

#[test]
fn markers_are_counted_by_thread_and_kind() {
    let step = |thread, pc| Record::step(thread, pc, 4, Branch::None);
    let idle = |thread| Record::marker(thread, MarkerKind::CORE_IDLE, 0);
    let records = vec![idle(0), idle(0), step(0, 0x1000), idle(0), step(7, 0x2000), idle(7), idle(7), step(0, 0x1004)];
    let source = Records::new(records, InstructionSet::A64);
    for segment_bytes in [16, 1 << 20] {
        let options = BuildOptions { segment_bytes, threads: 1 };
        let index = Index::in_memory(source.clone(), &options).unwrap();
        let count = |thread, count| MarkerCount { thread: ThreadId(thread), kind: MarkerKind::CORE_IDLE, count };
        assert_eq!(index.marker_counts().collect::<Vec<_>>(), [count(0, 3), count(1, 2)]);
        let whole = FindMarkers { kinds: vec![], thread: None, from: Position(0), to: index.end(), limit: 99 };
        let hits = whole.run(&index, &Cancel::default()).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.position.0).collect::<Vec<_>>(), [0, 0, 1, 2, 2]);
    }
}
