//! Origins of first differences, in small traces made for one property each.

use stepback_compare::{
    CauseOrigin, CompareOptions, Comparison, DifferenceKind, DifferingPlace, StepPair,
    ThreadComparison, Tolerances, TraceSide,
};
use stepback_index::Cancel;
use stepback_index::answer::SliceEndKind;
use stepback_machine::Address;
use stepback_parsers::Step;

use crate::support::{compared, index_of, index_with_code, only};

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
    // A value computed only from forgiven ones is forgiven as well.
    let found = compare_with(&add(0), &add(5), register);
    assert!(found.is_equal());
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

#[test]
fn a_load_from_memory_that_is_not_recorded_is_named() {
    let found = compare(&load(1, false), &load(2, false));
    assert_eq!(origin(&found), CauseOrigin::UnrecordedMemory);
}

/// Logs that list changed registers name none if the loaded value is that of before.
#[test]
fn a_write_that_changes_its_register_in_one_trace_only_is_a_difference() {
    let trace = |loaded: &str, result: u64| {
        format!(
            "0, 0x8000, 0xd2800d82, \"mov x2, #0x6c\", x2 -> 0x000000000000006c\n\
             0, 0x8004, 0x39400022, \"ldrb w2, [x1]\", load, 0x1131b{loaded}\n\
             0, 0x8008, 0xca020084, \"eor x4, x4, x2\", x4 -> 0x{result:016x}\n"
        )
    };
    let [a, b] = [
        trace("", 0x599ec),
        trace(", x2 -> 0x000000000000006e", 0x599ee),
    ];
    for (one, other, values) in [(&a, &b, [0x6c, 0x6e]), (&b, &a, [0x6e, 0x6c])] {
        let found = compare(one, other);
        let first = found.first_difference().unwrap();
        assert_eq!(first.steps, StepPair { a: 1, b: 1 });
        let [cell] = &first.cells[..] else {
            panic!("{first:?}");
        };
        let differing = [&cell.a, &cell.b].map(|value| value.to_u64().unwrap());
        assert_eq!((cell.kind, differing), (DifferenceKind::Register, values));
        let CauseOrigin::Memory { address, .. } = origin(&found) else {
            panic!("{:?}", found.cause);
        };
        assert_eq!(address.0, 0x1131b);
    }
}

/// The log names neither flags nor encodings: the image has the comparison before the branch.
#[track_caller]
fn check_flags(trace: impl Fn(&str, &str) -> String, nexts: [&str; 2], code: &[u8]) {
    let [a, b] = [("28", nexts[0]), ("38", nexts[1])]
        .map(|(byte, next)| index_with_code(&trace(byte, next), 0x40_1000, code));
    let comparison = compared(&a, &b);
    let found = only(&comparison);
    assert_eq!(found.divergence, Some(StepPair { a: 3, b: 3 }));
    let first = found.cause.as_ref().unwrap().chain.last().unwrap();
    assert_eq!(first.steps, StepPair { a: 0, b: 0 });
    let CauseOrigin::Memory { address, end, .. } = origin(found) else {
        panic!("{:?}", found.cause);
    };
    assert_eq!(address.0, 0x41_fff7);
    assert!(matches!(end, Some(SliceEndKind::Initial { .. })), "{end:?}");
}

#[test]
fn flags_that_a_log_leaves_out_lead_to_the_compared_value() {
    // ldrb w0, [x1]; cmp w0, #0x28; b.eq 0x401010; nop; nop; nop
    let words: [u32; 6] = [
        0x3940_0020,
        0x7100_a01f,
        0x5400_0040,
        0xd503_201f,
        0xd503_201f,
        0xd503_201f,
    ];
    let arm = |byte: &str, next: &str| {
        format!(
            "x0=0x0,x1=0x41fff7,sp=0x7ff0f000,pc=0x401000\n\
             x0=0x{byte},pc=0x401004,mr=0x41fff7:{byte}\n\
             pc=0x401008\npc={next}\npc=0x401014\n"
        )
    };
    check_flags(
        arm,
        ["0x401010", "0x40100c"],
        words.map(u32::to_le_bytes).as_flattened(),
    );
    // movzx eax, byte ptr [rdx]; cmp eax, 0x28; je 0x40100a; nops
    let code = b"\x0f\xb6\x02\x83\xf8\x28\x74\x02\x90\x90\x90\x90";
    let x86 = |byte: &str, next: &str| {
        format!(
            "rax=0x0,rdx=0x41fff7,rsp=0x7ff0f000,rip=0x401000\n\
             rax=0x{byte},rip=0x401003,mr=0x41fff7:{byte}\n\
             rip=0x401006\nrip={next}\nrip=0x40100b\n"
        )
    };
    check_flags(x86, ["0x40100a", "0x401008"], code);
}

#[test]
fn registers_before_the_first_step_have_the_names_of_the_processor() {
    let trace = |value: u64| format!("rdi=0x{value:x},rsp=0x7ff0f000,rip=0x401000\nrip=0x401003\n");
    let found = compare(&trace(3), &trace(5));
    let [cell] = &found.initial[..] else {
        panic!("{:?}", found.initial);
    };
    let DifferingPlace::Register { name, .. } = &cell.place else {
        panic!("{cell:?}");
    };
    assert_eq!(name, "rdi");
}

/// Returns the oldest steps of the cause.
#[track_caller]
fn oldest(found: &ThreadComparison) -> StepPair {
    found.cause.as_ref().unwrap().chain.last().unwrap().steps
}

#[test]
fn floating_point_registers_that_a_log_leaves_out_are_followed() {
    // mov x1, #value; fmov d0, x1; fmov d1, d0; fmov x2, d1
    let trace = |value: u64| {
        format!(
            "0 clk IT (0) 00008000 d2800001 O EL1h_n : MOV x1,#{value}\n\
             0 clk R X1 {value:016x}\n\
             1 clk IT (1) 00008004 9e670020 O EL1h_n : FMOV d0,x1\n\
             2 clk IT (2) 00008008 1e604001 O EL1h_n : FMOV d1,d0\n\
             3 clk IT (3) 0000800c d2800001 O EL1h_n : MOV x1,#0\n\
             3 clk R X1 0000000000000000\n\
             4 clk IT (4) 00008010 9e660022 O EL1h_n : FMOV x2,d1\n\
             4 clk R X2 {value:016x}\n\
             5 clk IT (5) 00008014 b5000042 O EL1h_n : CBNZ x2,0x801c\n\
             6 clk IT (6) 0000{:04x} d503201f O EL1h_n : NOP\n",
            if value == 0 { 0x8018 } else { 0x801c }
        )
    };
    let found = compare(&trace(0), &trace(5));
    assert_eq!(oldest(&found), StepPair { a: 0, b: 0 });
    assert_eq!(origin(&found), CauseOrigin::Result);
}

/// The instruction is that of an image and may be another one in the second trace.
#[test]
fn a_comparison_of_equal_registers_whose_flags_are_not_recorded_is_named() {
    // mov x1, #0x40; cmp x1, #0x40; b.ne 0x401010; nop; nop
    let words: [u32; 5] = [
        0xd280_0801,
        0xf101_003f,
        0x5400_0041,
        0xd503_201f,
        0xd503_201f,
    ];
    let trace = |next: &str| {
        format!(
            "x1=0x0,sp=0x7ff0f000,pc=0x401000\nx1=0x40,pc=0x401004\npc=0x401008\npc={next}\n\
             pc=0x401014\n"
        )
    };
    let [a, b] = ["0x40100c", "0x401010"].map(|next| {
        let code = words.map(u32::to_le_bytes);
        index_with_code(&trace(next), 0x40_1000, code.as_flattened())
    });
    let comparison = compared(&a, &b);
    let found = only(&comparison);
    assert_eq!(found.divergence, Some(StepPair { a: 3, b: 3 }));
    assert_eq!(oldest(found), StepPair { a: 1, b: 1 });
    assert_eq!(origin(found), CauseOrigin::UnrecordedResult);
}

#[test]
fn a_register_from_before_the_first_step_is_the_origin() {
    let start = |recorded: &str, value: u64| {
        format!(
            "{recorded}1 clk IT (1) 00008000 92400803 O EL1h_n : AND x3,x0,#7\n\
             1 clk R X3 {value:016x}\n"
        )
    };
    let state = |value: u64| start(&format!("0 clk R X0 {value:016x}\n"), value);
    for (a, b, values) in [
        (state(3), state(5), [Some(3), Some(5)]),
        (start("", 3), start("", 5), [None, None]),
    ] {
        let found = compare(&a, &b);
        assert_eq!(oldest(&found), StepPair { a: 0, b: 0 });
        let CauseOrigin::InitialRegister(register) = origin(&found) else {
            panic!("{:?}", found.cause);
        };
        let DifferingPlace::Register { name, .. } = &register.place else {
            panic!("{register:?}");
        };
        assert_eq!(name, "x0");
        assert_eq!([register.a.to_u64(), register.b.to_u64()], values);
    }
}

#[test]
fn a_rule_for_memory_forgives_differences_in_its_bytes_only() {
    let run = |value: u64| load(value, true).replace("00000000_", &format!("{value:08x}_"));
    let (a, b) = (
        run(1),
        run(1).replace("00000001_00000001", "00000009_00000001"),
    );
    for (rule, is_equal) in [(0x9000..0x9004, false), (0x9004..0x9008, true)] {
        let tolerances = Tolerances {
            memory: std::iter::once(rule).collect(),
            ..Tolerances::default()
        };
        assert_eq!(compare_with(&a, &b, tolerances).is_equal(), is_equal);
    }
}

#[test]
fn memory_that_another_thread_wrote_is_the_cause() {
    let run = |value: u64| {
        format!(
            "1 clk cpu0 IT (1) 00008000 d2800021 O EL1h_n : MOV x1,#1\n\
             1 clk cpu0 R X1 {value:016x}\n\
             2 clk cpu0 IT (2) 00008004 f9000041 O EL1h_n : STR x1,[x2]\n\
             2 clk cpu0 MW8 0000000000009000 00000000_{value:08x}\n\
             3 clk cpu1 IT (1) 00009000 f9400041 O EL1h_n : LDR x1,[x2]\n\
             3 clk cpu1 MR8 0000000000009000 00000000_{value:08x}\n\
             3 clk cpu1 R X1 {value:016x}\n"
        )
    };
    let [a, b] = [run(1), run(2)].map(|text| index_of(text.into_bytes()));
    let found = compared(&a, &b);
    let CauseOrigin::OtherThread(write) = origin(&found.compared[1]) else {
        panic!("{:?}", found.compared[1].cause);
    };
    assert_eq!(
        (write.address, write.thread.as_str()),
        (Address(0x9000), "cpu0")
    );
    assert_eq!(write.step, Step(1));
}
