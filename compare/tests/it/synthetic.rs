//! Small traces made for one property each.

use proptest::prelude::*;
use stepback_compare::{
    CompareOptions, Comparison, ParallelEnd, Region, RegionKind, StepPair, ThreadComparison,
    Tolerances,
};
use stepback_index::answer::ThreadId;
use stepback_index::read::{SlotReader, StepAddresses, StepRun, StepRuns};
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Step;

use crate::support::{TestStep, compared, index_in_segments, index_of, only, steps_at, trace_of};

fn compare(a: &[TestStep], b: &[TestStep]) -> ThreadComparison {
    let (a, b) = (index_of(trace_of(a)), index_of(trace_of(b)));
    only(&compared(&a, &b)).clone()
}

fn line(from: u64, count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |step| from + 4 * step)
}

#[test]
fn an_insertion_is_a_region_with_an_empty_side() {
    let a = steps_at(line(0x1000, 20));
    let b = steps_at(
        line(0x1000, 10)
            .chain(line(0x9000, 3))
            .chain(line(0x1028, 10)),
    );
    let found = compare(&a, &b);
    let kinds: Vec<_> = found
        .alignment
        .regions()
        .iter()
        .map(|region| region.kind)
        .collect();
    assert_eq!(
        kinds,
        [RegionKind::Same, RegionKind::Different, RegionKind::Same]
    );
    let inserted = Region {
        kind: RegionKind::Different,
        a: 10..10,
        b: 10..13,
    };
    assert_eq!(found.alignment.regions()[1], inserted);
    assert_eq!(found.alignment.matched(), 20);
    assert_eq!(found.divergence, Some(StepPair { a: 10, b: 10 }));
    assert_eq!(found.parallel.decision(), Some(StepPair { a: 9, b: 9 }));
}

#[test]
fn a_trace_may_begin_in_the_middle_of_the_other() {
    let a = steps_at(line(0x1000, 100));
    let found = compare(&a, &a[37..]);
    assert_eq!(found.parallel.start, StepPair { a: 37, b: 0 });
    assert_eq!(found.parallel.end, ParallelEnd::BothEnd);
    assert_eq!((found.divergence, found.alignment.matched()), (None, 63));
    let found = compare(&a[37..], &a);
    assert_eq!(found.parallel.start, StepPair { a: 0, b: 37 });
}

#[test]
fn the_first_differing_value_is_found_and_healing_shows() {
    let step = |pc, value| TestStep {
        pc,
        value: Some(value),
    };
    let mut a: Vec<_> = (0..20)
        .map(|place| step(0x1000 + 4 * place, place))
        .collect();
    let b = a.clone();
    a[5].value = Some(77);
    let found = compare(&a, &b);
    let first = found.first_difference().unwrap();
    assert_eq!(first.steps, StepPair { a: 5, b: 5 });
    assert_eq!(first.cells.len(), 1);
    let values: Vec<_> = found.values_before_divergence().collect();
    assert_eq!(values.len(), 1);
    assert_eq!(values[0].differing, 1);
    assert!(!found.is_equal());
}

#[test]
fn a_value_that_one_trace_does_not_record_is_no_difference() {
    let a: Vec<_> = (0..9)
        .map(|place| TestStep {
            pc: 0x1000 + 4 * place,
            value: Some(place),
        })
        .collect();
    let mut b = a.clone();
    b[4].value = None;
    assert!(compare(&a, &b).is_equal());
}

#[test]
fn a_region_says_what_differs_after_it_and_whether_that_heals() {
    let step = |pc, value| TestStep { pc, value };
    let line = |from: u64| (0..40).map(move |place| step(from + 4 * place, None));
    let ways = |value| {
        let way = step(0x8000 + 0x100 * value, Some(value));
        let heals = step(0x5000, Some(9));
        line(0x1000)
            .chain([way])
            .chain(line(0x2000))
            .chain([heals])
            .chain(line(0x3000))
    };
    let (a, b): (Vec<_>, Vec<_>) = (ways(1).collect(), ways(2).collect());
    let found = compare(&a, &b);
    let after = found.details[1].after.as_ref().unwrap();
    assert_eq!((after.cells.len(), after.left), (1, 0));
}

/// Steps of programs with loops: few addresses, so that many alignments are possible.
fn steps() -> impl Strategy<Value = Vec<TestStep>> {
    prop::collection::vec(0u64..6, 1..60)
        .prop_map(|pcs| steps_at(pcs.into_iter().map(|pc| 0x1000 + 4 * pc)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_trace_matches_itself_fully(steps in steps()) {
        let found = compare(&steps, &steps);
        prop_assert_eq!(found.alignment.matched(), steps.len() as u64);
        prop_assert!(found.is_equal());
    }

    #[test]
    fn regions_cover_both_traces_and_matched_steps_have_equal_addresses(a in steps(), b in steps()) {
        let found = compare(&a, &b);
        let (mut in_a, mut in_b) = (0, 0);
        for region in found.alignment.regions() {
            prop_assert_eq!((region.a.start, region.b.start), (in_a, in_b));
            (in_a, in_b) = (region.a.end, region.b.end);
            if region.kind == RegionKind::Same {
                prop_assert_eq!(region.a.end - region.a.start, region.b.end - region.b.start);
                for (one, other) in region.a.clone().zip(region.b.clone()) {
                    prop_assert_eq!(a[one as usize].pc, b[other as usize].pc);
                }
            }
        }
        prop_assert_eq!((in_a, in_b), (a.len() as u64, b.len() as u64));
    }

    #[test]
    fn swapping_the_traces_swaps_the_counts(a in steps(), b in steps()) {
        let (one, other) = (compare(&a, &b), compare(&b, &a));
        prop_assert_eq!(one.alignment.matched(), other.alignment.matched());
        let swapped = other.divergence.map(|pair| StepPair { a: pair.b, b: pair.a });
        prop_assert_eq!(one.divergence, swapped);
    }
}

#[test]
fn threads_are_compared_by_their_own_steps() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/amp.head.tarmac");
    let index = index_of(std::fs::read(fixture).unwrap());
    let comparison = compared(&index, &index);
    assert!(comparison.is_equal() && comparison.compared.len() == 2);
    let all = Step(0)..Step(index.step_count());
    for threads in &comparison.compared {
        let thread = threads.threads.a;
        let expected = SlotReader(&index)
            .addresses_of(thread, all.clone())
            .unwrap();
        assert_eq!(threads.alignment.matched(), expected.len() as u64);
        let mut addresses = StepAddresses::new(&index, thread, |address| address.0);
        let found = addresses.range(0..addresses.count()).unwrap();
        assert_eq!(
            found,
            Vec::from_iter(expected.iter().map(|(_, address)| address.0))
        );
        for (number, (step, _)) in (0..).zip(&expected) {
            assert_eq!(addresses.step(number).unwrap(), *step);
            assert_eq!(
                addresses.before(number + 1).unwrap().last(),
                found.get(number as usize)
            );
        }
    }
}

#[test]
fn what_rules_forgive_is_counted() {
    let step = |pc, value| TestStep {
        pc,
        value: Some(value),
    };
    let wait = || (0..3).flat_map(|_| [step(0x5000, 0), step(0x5004, 0)]);
    let line = |from: u64| (0..20).map(move |place| step(from + 4 * place, place));
    let a = Vec::from_iter(line(0x1000).chain(wait()).chain(line(0x2000)));
    let b = Vec::from_iter(line(0x1000).chain(wait()).chain(wait()).chain(line(0x2000)));
    let (a, b) = (index_of(trace_of(&a)), index_of(trace_of(&b)));
    assert!(!compared(&a, &b).is_equal());
    let options = CompareOptions {
        tolerances: Tolerances {
            polling: std::iter::once(0x5000..0x5008).collect(),
            ..Tolerances::default()
        },
        ..CompareOptions::default()
    };
    let found = Comparison::run(&a, &b, options, &Cancel::default()).unwrap();
    assert!(found.is_equal());
    assert_eq!(found.compared[0].divergence, None);
    assert_eq!((found.forgiven.len(), found.forgiven[0].steps), (1, 6));
}

/// One more step in every third iteration of a long loop leaves no long run of equal steps.
#[test]
fn edits_throughout_a_long_loop_are_aligned() {
    const ITERATIONS: u64 = 30_000;
    let iteration = || line(0x1000, 10);
    let a = steps_at((0..ITERATIONS).flat_map(|_| iteration()));
    let b = steps_at((0..ITERATIONS).flat_map(|number| {
        let more = if number % 3 == 0 { 1 } else { 0 };
        line(0x5000, more).chain(iteration())
    }));
    let found = compare(&a, &b);
    // The first iteration is passed over, as the steps after it run in parallel.
    assert_eq!(found.alignment.matched(), 10 * (ITERATIONS - 1));
}

#[test]
fn a_cancelled_comparison_ends() {
    let index = index_of(trace_of(&steps_at(line(0x1000, 20))));
    let cancel = Cancel::default();
    cancel.cancel();
    let found = Comparison::run(&index, &index, CompareOptions::default(), &cancel);
    assert!(matches!(found, Err(QueryError::Cancelled)));
}

#[test]
fn code_stack_and_heap_that_moved_are_no_differences() {
    let trace = |code: u64, heap: u64| {
        let mut text = String::new();
        for number in 1..=40u64 {
            let opcode = 0xd280_0000 | number << 5;
            let pc = code + 4 * number;
            let address = heap + 8 * number;
            text += &format!(
                "{number} clk IT ({number}) {pc:016x} {opcode:08x} O EL1h_n : STR\n\
                 {number} clk MW8 {address:016x} 00000000_{:08x}\n\
                 {number} clk R X1 {:016x}\n",
                heap & 0xffff_ffff,
                code + 8
            );
        }
        index_of(text.into_bytes())
    };
    let (a, b) = (trace(0x10_0000, 0x50_0000), trace(0x30_0000, 0x58_0000));
    let found = compared(&a, &b);
    assert_eq!(found.slides.moved().next().unwrap().distance, 0x20_0000);
    let moved = &only(&found).moved_memory;
    assert_eq!((moved.len(), moved[0].distance), (1, 0x8_0000));
    assert!(found.is_equal(), "{:?}", only(&found).first_difference());
}

/// Gaps that are too large for an exact alignment: unique runs inside are found, and the rest is
/// reported as not aligned.
#[test]
fn large_gaps_are_aligned_at_unique_runs() {
    let code = |from: u64, count: u64, stride: u64| (0..count).map(move |n| from + stride * n);
    let common = || code(0x40_0000, 10_000, 4);
    let trace = |stride: u64| {
        let ways = [
            code(stride << 24, 20_000, stride),
            code(stride << 28, 20_000, stride),
        ];
        let [first, second] = ways;
        steps_at(line(0x1000, 100).chain(first).chain(common()).chain(second))
    };
    let found = compare(&trace(4), &trace(12));
    let regions: Vec<_> = found
        .alignment
        .regions()
        .iter()
        .map(|region| region.kind)
        .collect();
    let [same, other] = [RegionKind::Same, RegionKind::NotAligned];
    assert_eq!(regions, [same, other, same, other]);
    assert_eq!(found.alignment.matched(), 10_100);
    assert!(!found.is_equal());
}

#[test]
fn edits_between_long_equal_runs_are_all_found() {
    let step = |place: u64| TestStep {
        pc: 0x1000 + 4 * (place * 7 % 301),
        value: Some(place.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    };
    let a: Vec<_> = (0..30_000).map(step).collect();
    let mut b = a.clone();
    b[12_000].value = Some(1);
    b[12_001].value = None;
    // The times and places of all later steps are others.
    b.insert(
        20_000,
        TestStep {
            pc: 0x9000,
            value: Some(2),
        },
    );
    b.remove(5_000);
    let found = compare(&a, &b);
    let regions: Vec<_> = found
        .alignment
        .regions()
        .iter()
        .map(|it| (it.a.clone(), it.b.clone()))
        .collect();
    assert_eq!(
        regions,
        [
            (0..5_000, 0..5_000),
            (5_000..5_001, 5_000..5_000),
            (5_001..20_000, 5_000..19_999),
            (20_000..20_000, 19_999..20_000),
            (20_000..30_000, 20_000..30_000),
        ]
    );
    let values: Vec<_> = found
        .details
        .iter()
        .filter_map(|it| it.values.as_ref())
        .collect();
    let steps: Vec<_> = values.iter().map(|values| values.steps.clone()).collect();
    assert_eq!(steps, [vec![], vec![12_000], vec![]]);
}

#[test]
fn every_differing_step_of_a_long_region_is_listed() {
    let step = |place: u64| TestStep {
        pc: 0x1000 + 4 * (place % 50),
        value: Some(place),
    };
    let a: Vec<_> = (0..6_000).map(step).collect();
    let mut b = a.clone();
    for step in &mut b[1_000..] {
        step.value = step.value.map(|value| value + 1);
    }
    let found = compare(&a, &b);
    let values = found.details[0].values.as_ref().unwrap();
    assert!(values.steps.iter().copied().eq(1_000..6_000));
    assert_eq!(values.differing, 5_000);
}

#[test]
fn runs_have_equal_digests_whatever_their_times_and_places() {
    let step = |place: u64| TestStep {
        pc: 0x1000 + 4 * (place * 7 % 301),
        value: Some(place.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    };
    let a: Vec<_> = (0..20_000).map(step).collect();
    let runs = |steps: &[TestStep]| {
        // Runs end with their segment, so that much is not found again if these are small.
        let index = index_in_segments(trace_of(steps), 16 << 20);
        let mut runs = StepRuns::new(&index, ThreadId(0));
        let mut found: Vec<StepRun> = Vec::new();
        while let Some(run) = runs
            .next(found.last().map_or(0, |run| run.start + run.steps))
            .unwrap()
        {
            found.push(run);
        }
        found
    };
    let whole = runs(&a);
    let last = whole.last().unwrap();
    assert_eq!(last.start + last.steps, 20_000);
    assert!(whole.iter().all(|run| run.digest.has_all_encodings()));
    let equal = |other: &[StepRun], shift: u64| {
        let other = |run: &&StepRun| {
            let moved = StepRun {
                start: run.start + shift,
                ..**run
            };
            other.contains(&moved)
        };
        whole.iter().filter(other).map(|run| run.steps).sum::<u64>()
    };
    let mut changed = a.clone();
    changed[10_000].value = Some(1);
    assert!((10_000..20_000).contains(&equal(&runs(&changed), 0)));
    let mut later = a.clone();
    later.insert(
        0,
        TestStep {
            pc: 0x9000,
            value: None,
        },
    );
    assert!((10_000..20_000).contains(&equal(&runs(&later), 1)));
}
