//! Small traces made for one property each.

use proptest::prelude::*;
use stepback_compare::{ParallelEnd, Region, RegionKind, StepPair, ThreadComparison};

use crate::support::{TestStep, compared, index_of, only, steps_at, trace_of};

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
    assert_eq!(found.values_before_divergence().unwrap().differing, 1);
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
