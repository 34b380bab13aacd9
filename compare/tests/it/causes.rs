//! Origins of first differences, in small traces made for one property each.

use stepback_compare::{
    CauseOrigin, CompareOptions, Comparison, StepPair, ThreadComparison, Tolerances, TraceSide,
};
use stepback_index::Cancel;
use stepback_index::answer::SliceEndKind;

use crate::support::{compared, index_of, only};

fn compare(a: &str, b: &str) -> ThreadComparison {
    let [a, b] = [a, b].map(|text| index_of(text.as_bytes().to_vec()));
    only(&compared(&a, &b)).clone()
}

fn compare_with(a: &str, b: &str, tolerances: Tolerances) -> ThreadComparison {
    let [a, b] = [a, b].map(|text| index_of(text.as_bytes().to_vec()));
    let options = CompareOptions {
        tolerances,
        ..CompareOptions::default()
    };
    let found = Comparison::run(&a, &b, options, &Cancel::default()).unwrap();
    only(&found).clone()
}

#[track_caller]
fn origin(found: &ThreadComparison) -> CauseOrigin {
    found.cause.as_ref().unwrap().origin.clone()
}

/// Loads x1 from [x2], adds it to itself, and branches if it is not zero.
fn load(value: u64, is_value_recorded: bool) -> String {
    let read = match is_value_recorded {
        true => format!("1 clk MR8 0000000000009000 00000000_{value:08x}\n"),
        false => String::new(),
    };
    let (number, next) = (value, if value == 0 { 0x800c } else { 0x8010 });
    format!(
        "0 clk IT (0) 00008000 d2920002 O EL1h_n : MOV x2,#0x9000\n\
         0 clk R X2 0000000000009000\n\
         1 clk IT (1) 00008004 f9400041 O EL1h_n : LDR x1,[x2]\n\
         {read}\
         1 clk R X1 {number:016x}\n\
         2 clk IT (2) 00008008 b5000041 O EL1h_n : CBNZ x1,0x8010\n\
         3 clk IT (3) {next:08x} d503201f O EL1h_n : NOP\n"
    )
}

#[test]
fn a_first_difference_without_a_divergence_has_an_origin_too() {
    let found = compare(&load(1, true), &load(2, true));
    assert_eq!(found.divergence, None);
    let CauseOrigin::Memory { address, end, .. } = origin(&found) else {
        panic!("{:?}", found.cause);
    };
    assert_eq!(address.0, 0x9000);
    assert!(matches!(end, Some(SliceEndKind::Initial { .. })), "{end:?}");
}

/// QEMU's execlog names the address of a load and no value.
fn execlog(value: u64, branch: &str) -> String {
    format!(
        "0, 0x8000, 0xd2920002, \"mov x2, #0x9000\", x2 -> 0x0000000000009000\n\
         0, 0x8004, 0xf9400041, \"ldr x1, [x2]\", load, 0x9000, x1 -> 0x{value:016x}\n\
         0, 0x8008, 0xb5000041, \"cbnz x1, #0x8010\"\n\
         0, {branch}, 0xd503201f, \"nop\"\n"
    )
}

#[test]
fn a_load_whose_value_is_not_recorded_leads_to_its_memory() {
    let found = compare(&execlog(0, "0x800c"), &execlog(7, "0x8010"));
    assert_eq!(found.divergence, Some(StepPair { a: 3, b: 3 }));
    let CauseOrigin::Memory { address, end, .. } = origin(&found) else {
        panic!("{:?}", found.cause);
    };
    assert_eq!(address.0, 0x9000);
    assert!(matches!(end, Some(SliceEndKind::Initial { .. })), "{end:?}");
}

#[test]
fn what_a_system_call_returns_is_named() {
    let trace = |result: u64, next: &str| {
        format!(
            "0, 0x8000, 0xd2801588, \"mov x8, #0xac\", x8 -> 0x00000000000000ac\n\
             0, 0x8004, 0xd4000001, \"svc #0\", x0 -> 0x{result:016x}\n\
             0, 0x8008, 0xb5000040, \"cbnz x0, #0x8010\"\n\
             0, {next}, 0xd503201f, \"nop\"\n"
        )
    };
    let found = compare(&trace(0, "0x800c"), &trace(3, "0x8010"));
    assert_eq!(found.divergence, Some(StepPair { a: 3, b: 3 }));
    assert_eq!(origin(&found), CauseOrigin::SystemCall);
    assert_eq!(found.cause.unwrap().chain.last().unwrap().steps.a, 1);
    // Nothing follows from it.
    let found = compare(&trace(1, "0x8010"), &trace(3, "0x8010"));
    assert_eq!(origin(&found), CauseOrigin::SystemCall);
}

#[test]
fn an_input_that_a_rule_ignores_is_the_origin() {
    let (a, b) = (load(0, true), load(1, true));
    let memory = Tolerances {
        memory: std::iter::once(0x9000..0x9008).collect(),
        ..Tolerances::default()
    };
    let found = compare_with(&a, &b, memory);
    assert_eq!(origin(&found), CauseOrigin::Forgiven);
    let add = |value: u64| {
        format!(
            "1 clk IT (1) 00008004 d2800001 O EL1h_n : MOV x1,#0\n\
             1 clk R X1 {value:016x}\n\
             2 clk IT (2) 00008008 91000423 O EL1h_n : ADD x3,x1,#1\n\
             2 clk R X3 {:016x}\n",
            value + 1
        )
    };
    let register = Tolerances {
        registers: vec!["x1".to_owned()],
        ..Tolerances::default()
    };
    let found = compare_with(&add(0), &add(5), register);
    let cause = found.cause.as_ref().unwrap();
    assert_eq!(cause.chain.last().unwrap().steps.a, 1);
    assert_eq!(cause.origin, CauseOrigin::Forgiven);
    let found = compare(&add(0), &add(5));
    assert_eq!(origin(&found), CauseOrigin::Result);
}

#[test]
fn an_exception_is_no_cause_but_is_named() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/pairs/qsort-irq3");
    let [a, b] = ["a", "b"].map(|side| {
        let packed = std::fs::read(format!("{folder}/{side}.tarmac.zst")).unwrap();
        index_of(zstd::decode_all(&*packed).unwrap())
    });
    let found = compared(&a, &b);
    assert_eq!(only(&found).cause, None);
    assert_eq!(only(&found).exception, Some(TraceSide::B));
    let swapped = compared(&b, &a);
    assert_eq!(only(&swapped).exception, Some(TraceSide::A));
}
