//! Moved stacks and rules in small logs of RV64: which values differ, and which do not.

use stepback_compare::{
    CauseOrigin, CompareOptions, Comparison, StepPair, ThreadComparison, Tolerances,
};
use stepback_index::Cancel;

use crate::support::{index_of, only};

#[track_caller]
fn origin(found: &ThreadComparison) -> CauseOrigin {
    found.cause.as_ref().unwrap().origin.clone()
}

/// A step of a log of RV64: its address, encoding, and what it writes.
fn riscv(steps: &[(u64, u32, &str)]) -> String {
    let line = |(pc, encoding, effect): &(u64, u32, &str)| {
        format!("core   0: 3 0x{pc:016x} (0x{encoding:08x}) {effect}\n")
    };
    steps.iter().map(line).collect()
}

fn compare(a: &str, b: &str, tolerances: Tolerances) -> Comparison {
    let [a, b] = [a, b].map(|text| index_of(text.as_bytes().to_vec()));
    let options = CompareOptions {
        tolerances,
        ..CompareOptions::default()
    };
    Comparison::run(&a, &b, options, &Cancel::default()).unwrap()
}

/// Sets the stack pointer, stores with it, and computes with other values.
fn frames(sp: u64, wrong: u64) -> String {
    let frame = (sp - 0x30).wrapping_add(wrong);
    let (sp, saved) = (
        format!("x2  0x{sp:016x}"),
        format!("mem 0x{:016x} 0x1", frame + 0x28),
    );
    let (frame, kept) = (
        format!("x2  0x{frame:016x}"),
        format!("x8  0x{:016x}", frame + 0x30),
    );
    let mut steps = vec![
        (0x8000_0000, 0x0001_0117, sp.as_str()), // auipc sp, 0x10
        (0x8000_0004, 0x0010_0093, "x1  0x0000000000000001"), // li ra, 1
        (0x8000_0008, 0xfd01_0113, frame.as_str()), // addi sp, sp, -48
    ];
    for number in 0..20 {
        steps.push((0x8000_000c + 8 * number, 0x0211_3423, saved.as_str())); // sd ra, 40(sp)
        steps.push((0x8000_0010 + 8 * number, 0x0301_0413, kept.as_str())); // addi s0, sp, 48
    }
    riscv(&steps)
}

#[test]
fn a_wrong_stack_pointer_is_no_moved_stack() {
    let right = frames(0x8001_0000, 0);
    for wrong in [0x10, 0x1000, 0u64.wrapping_sub(0x10)] {
        let found = compare(&right, &frames(0x8001_0000, wrong), Tolerances::default());
        let threads = only(&found);
        assert_eq!(threads.moved_memory, []);
        let first = threads.first_difference().unwrap();
        assert_eq!(first.steps.a, 2, "{wrong:#x}");
        assert_eq!(origin(threads), CauseOrigin::Result);
    }
}

#[test]
fn a_value_elsewhere_is_no_pointer_although_its_difference_is_that_of_the_stack() {
    // The first stack pointer comes from a register that is not recorded.
    let run = |sp: u64, value: u64| {
        let text = frames(sp, 0).replace("0x00010117", "0x000a8113"); // mv sp, s5
        let value = format!("x10 0x{value:016x}");
        text + &riscv(&[(0x8000_0200, 0x0105_5513, &value)]) // srli a0, a0, 16
    };
    let a = run(0x8001_0000, 0x7e70);
    let moved = compare(&a, &run(0x8001_0020, 0x7e70), Tolerances::default());
    assert!(moved.is_equal(), "{:?}", only(&moved).first_difference());
    assert_eq!(only(&moved).moved_memory.len(), 1);
    let found = compare(&a, &run(0x8001_0020, 0x7e90), Tolerances::default());
    assert_eq!(only(&found).first_difference().unwrap().steps.a, 43);
}

#[test]
fn what_is_computed_from_forgiven_values_alone_is_forgiven() {
    let run = |first: u64, second: u64, mask: u64| {
        let values = [first, second, second - first, (second - first) & mask];
        let texts = [8, 10, 10, 11].map(|register| format!("x{register:<2} 0x"));
        let lines: Vec<String> = texts
            .iter()
            .zip(values)
            .map(|(register, value)| format!("{register}{value:016x}"))
            .collect();
        riscv(&[
            (0x8000_0000, 0xb000_2473, &lines[0]), // csrr s0, mcycle
            (0x8000_0004, 0xb000_2573, &lines[1]), // csrr a0, mcycle
            (0x8000_0008, 0x4085_0533, &lines[2]), // sub a0, a0, s0
            (0x8000_000c, 0x0ff5_7593, &lines[3]), // andi a1, a0, 255
        ])
    };
    let counters = || Tolerances {
        has_counters: true,
        ..Tolerances::default()
    };
    let a = run(100, 250, 0xff);
    assert!(!compare(&a, &run(103, 260, 0xff), Tolerances::default()).is_equal());
    let found = compare(&a, &run(103, 260, 0xff), counters());
    assert!(found.is_equal(), "{:?}", only(&found).first_difference());
    let forgiven = &found.forgiven[0];
    assert_eq!((forgiven.values, forgiven.computed), (2, 2));
    // The last instruction computes something else.
    let found = compare(&a, &run(103, 260, 0x7f), counters());
    assert_eq!(only(&found).first_difference().unwrap().steps.a, 3);
}

#[test]
fn a_difference_after_a_forgiven_interrupt_is_the_first() {
    let run = |has_interrupt, value: u64| {
        let (one, value) = ("x5  0x0000000000000001", format!("x6  0x{value:016x}"));
        let mut steps: Vec<(u64, u32, &str)> = Vec::new();
        steps.extend((0..10).map(|step| (0x8000_0000 + 4 * step, 0x0010_0293, one)));
        if has_interrupt {
            steps.extend((0..3).map(|step| (0x9000_0000 + 4 * step, 0x0010_0293, one)));
        }
        steps.push((0x8000_0028, 0x0020_0313, &value));
        riscv(&steps)
    };
    let rules = Tolerances {
        polling: std::iter::once(0x9000_0000..0x9000_1000).collect(),
        ..Tolerances::default()
    };
    let found = compare(&run(false, 2), &run(true, 3), rules);
    let threads = only(&found);
    assert_eq!(threads.divergence, None);
    let first = threads.first_difference().unwrap();
    assert_eq!(first.steps, StepPair { a: 10, b: 13 });
    assert_eq!(origin(threads), CauseOrigin::Result);
    let found = compare(&run(false, 2), &run(true, 3), Tolerances::default());
    let threads = only(&found);
    assert_eq!(threads.divergence, Some(StepPair { a: 10, b: 10 }));
    assert_eq!(threads.first_difference(), None);
    assert_eq!(threads.first_difference_after(), Some(first));
}

/// CV32E40P prints the expanded encoding of a compressed instruction.
#[test]
fn a_compressed_instruction_is_the_one_that_it_stands_for() {
    let run = |branch: u32, add: u32, jump: u32, digits: usize| {
        let line = |pc: u32, encoding: u32, effect: &str| {
            format!("core   0: 3 0x{pc:08x} (0x{encoding:0digits$x}) {effect}\n")
        };
        "core   0: 3 0x80000000 (0x00000293) x5  0x00000000\n".to_owned()
            + &line(0x8000_0028, branch, "")
            + &line(0x8000_002a, add, "x5  0x00000004")
            + &line(0x8000_002c, jump, "x1  0x8000002e")
    };
    let compressed = run(0xe50d, 0x0291, 0x2029, 4); // c.bnez a0, 42; c.addi t0, 4; c.jal 10
    let expanded = run(0x0205_1563, 0x0042_8293, 0x00a0_00ef, 8);
    let found = compare(&compressed, &expanded, Tolerances::default());
    assert!(found.is_equal(), "{:?}", only(&found).first_difference());
    let other = run(0x0205_1563, 0x0052_8293, 0x00a0_00ef, 8);
    let found = compare(&compressed, &other, Tolerances::default());
    assert_eq!(only(&found).first_difference().unwrap().steps.a, 2);
}

/// Stores a counter, then a zero over its low half, and loads the low and the high half again.
#[test]
fn only_the_bytes_that_differ_for_a_reason_may_differ_again() {
    let run = |counter: u64, low: u64, high: u64| {
        let texts = [
            format!("x8  0x{counter:016x}"),
            format!("mem 0x0000000080002000 0x{counter:016x}"),
            "mem 0x0000000080002000 0x00000000".to_owned(),
            format!("x10 0x{low:016x} mem 0x0000000080002000"),
            format!("x11 0x{high:016x} mem 0x0000000080002004"),
        ];
        riscv(&[
            (0x8000_0000, 0xb000_2473, &texts[0]), // csrr s0, mcycle
            (0x8000_0004, 0x0084_b023, &texts[1]), // sd s0, 0(s1)
            (0x8000_0008, 0x0004_a023, &texts[2]), // sw zero, 0(s1)
            (0x8000_000c, 0x0004_a503, &texts[3]), // lw a0, 0(s1)
            (0x8000_0010, 0x0044_a583, &texts[4]), // lw a1, 4(s1)
        ])
    };
    let check = |b: &str, differing: Option<u64>| {
        let counters = Tolerances {
            has_counters: true,
            ..Tolerances::default()
        };
        let found = compare(&run(0x1_0000_0007, 0, 1), b, counters);
        let first = only(&found).first_difference();
        assert_eq!(first.map(|first| first.steps.a), differing, "{first:?}");
    };
    check(&run(0x2_0000_0009, 0, 2), None);
    check(&run(0x2_0000_0009, 7, 2), Some(3));
    // It is not what was stored.
    check(&run(0x2_0000_0009, 0, 3), Some(4));
}
