//! Lines that do not follow their instruction.

use proptest::prelude::*;

use crate::source::Source as _;
use crate::tarmac::settings::{LineOrder, StateField};
use crate::tarmac::source::TarmacOptions;
use crate::tarmac::tests::chunks::check_parts;
use crate::tarmac::tests::support::{fixtures, open, parse};

/// Expects an order, and the events of each step without the step itself.
#[track_caller]
fn check(text: &str, order: LineOrder, expected: &[&[&str]]) {
    assert_eq!(LineOrder::of(text.as_bytes(), StateField::Written), order);
    let tarmac = open(text.as_bytes(), TarmacOptions::default());
    let (recorder, _) = parse(&tarmac, 0..text.len() as u64);
    let mut steps: Vec<Vec<&str>> = vec![Vec::new()];
    for event in &recorder.events {
        match event
            .text
            .split_once(' ')
            .map_or(&*event.text, |(word, _)| word)
        {
            "step" => steps.push(Vec::new()),
            _ => steps.last_mut().unwrap().push(&event.text),
        }
    }
    assert_eq!(
        steps.iter().map(|events| &events[..]).collect::<Vec<_>>(),
        expected
    );
    check_parts(&tarmac);
}

/// Memory lines that name their instruction, as Cortex-R5 RTL prints them.
const NAMED: &str = include_str!("../../../../fixtures/order/named.tarmac");

#[test]
fn a_memory_line_belongs_to_the_instruction_that_it_names() {
    let load: &[&str] = &["X4=00200101", "read 514 00200101"];
    let store: &[&str] = &["write 1012000 01000000"];
    let nowhere: &[&str] = &["write 1012000 02000000"];
    let expected: &[&[&str]] = &[&[], load, &["X6=01000000"], store, nowhere];
    check(NAMED, LineOrder::Named, expected);
    // Both orders of the numbers occur, and instruction lines that have only one.
    check(
        &NAMED.replace("(0000002c:00000006) 01", "(00000006:0000002c) 01"),
        LineOrder::Named,
        expected,
    );
    check(
        &NAMED.replace("(00000024:00000004) 00000024 e5", "(4) 00000024 e5"),
        LineOrder::Named,
        expected,
    );
    check(&NAMED.replace('\n', "\r\n"), LineOrder::Named, expected);
}

/// Distinguishes two executions of one instruction by its number.
#[test]
fn a_loop_has_one_address_and_many_numbers() {
    let text = "\
10 ns IT (00001000:00000001) 00001000 6801 T thread : LDR r1,[r0,#0]
20 ns IT (00001000:00000002) 00001000 6801 T thread : LDR r1,[r0,#0]
30 ns IT (00001000:00000003) 00001000 6801 T thread : LDR r1,[r0,#0]
30 ns MNR4____ (00001000:00000001) 20000000 00000011
30 ns MNR4____ (00001000:00000003) 20000000 00000033
30 ns MNR4____ (00001001:00000002) 20000000 00000022
";
    let read = |byte| format!("read 20000000 {byte}000000");
    let [one, two, three] = ["11", "22", "33"].map(read);
    // If only one form has a Thumb bit in the brackets, the numbers differ and the line stays.
    check(
        text,
        LineOrder::Named,
        &[&[], &[&one], &[], &[&three, &two]],
    );
    check(
        &text.replace("00001001:", "00001000:"),
        LineOrder::Named,
        &[&[], &[&one], &[&two], &[&three]],
    );
}

/// Write-backs before their instructions, two at once where two are issued.
const EARLY: &str = include_str!("../../../../fixtures/order/early.tarmac");

#[test]
fn a_write_back_belongs_to_the_next_instruction_that_can_write_the_register() {
    let expected: &[&[&str]] = &[
        &[],
        &["X0=12000000"],
        &["PSR=12010000"],
        &["X4=07000000"],
        &["X5=00000040"],
        &["X5=01000040"],
        &["SP=00200101", "r13_irq=00200101 copy", "read 12c 00200101"],
        &["X0=17000000"],
        &[],
    ];
    check(EARLY, LineOrder::Early, expected);
    // Without brackets, the nearest instruction that can load is the one.
    let plain = EARLY.replace("MNR4____ (00000114:00000006)", "MNR4____");
    check(&plain, LineOrder::Early, expected);
}

#[test]
fn a_dump_before_the_first_instruction_is_the_state_before_it() {
    let text = format!("    80 ns R      r0 00000000\n    80 ns R      r4 ffffffff\n{EARLY}");
    let tarmac = open(text.as_bytes(), TarmacOptions::default());
    let (recorder, _) = parse(&tarmac, 0..text.len() as u64);
    let before: Vec<_> = recorder
        .events
        .iter()
        .take(3)
        .map(|event| &*event.text)
        .collect();
    assert_eq!(
        before,
        [
            "X0=00000000",
            "X4=ffffffff",
            "step 100 100 A32 e3a00012/4 \"MOV r0,#0x12\""
        ]
    );
    check_parts(&tarmac);
}

/// Results of loads that come after later instructions.
const LATE: &str = include_str!("../../../../fixtures/order/late.tarmac");

#[test]
fn a_late_result_belongs_to_the_nearest_instruction_that_can_make_it() {
    let loads = |address: &str, register: &str, byte: &str| {
        [
            format!("read {address} {byte}000000"),
            format!("{register}={byte}000000"),
        ]
    };
    let ([read_1, write_1], [read_3, write_3]) =
        (loads("9000", "X1", "aa"), loads("9004", "X3", "bb"));
    let exception: &[&str] = &[
        "X5=01000000",
        "exception \"E 00001014 00000019 CoreEvent_IRQ\"",
        "X3=cc000000",
    ];
    let expected: &[&[&str]] = &[
        &[],
        &[&read_1, &write_1],
        &["X2=01000000"],
        &[&read_3, &write_3],
        &["X4=01000000"],
        exception,
    ];
    check(LATE, LineOrder::Late, expected);
}

/// Checks that `MRC` writes its register (DDI 0406, A8.8.108), even if the disassembler does not
/// say so.
#[test]
fn a_result_that_an_earlier_instruction_has_printed_before_is_not_its_own() {
    let text = "\
1 clk IT (1) 00001000 e3a02005 A svc : MOV r2,#5
1 clk R r2 00000005
2 clk IT (2) 00001004 ee102f10 A svc : MRC p15,#0,r2,c0,c0,#0
2 clk R r2 411fc0f0
3 clk IT (3) 00001008 e2023001 A svc : AND r3,r2,#1
3 clk R r3 00000000
4 clk IT (4) 0000100c ee112f10 A svc : MRC p15,#0,r2,c1,c0,#0
4 clk R r2 00c50878
";
    assert_eq!(
        LineOrder::of(text.as_bytes(), StateField::Written),
        LineOrder::Plain
    );
}

#[test]
fn another_core_has_its_own_instructions() {
    let text = "\
10 ns cpu0 IT (00000024:00000004) 00000024 e59f44e8 A svc : LDR r4,[pc,#0x4e8]
10 ns cpu1 IT (00000024:00000004) 00000024 e59f44e8 A svc : LDR r4,[pc,#0x4e8]
20 ns cpu0 MNR4____ (00000024:00000004) 00000514 00000001
20 ns cpu1 MNR4____ (00000024:00000004) 00000514 00000002
";
    let tarmac = open(text.as_bytes(), TarmacOptions::default());
    let (recorder, _) = parse(&tarmac, 0..text.len() as u64);
    let found: Vec<_> = recorder.events.iter().map(|event| &*event.text).collect();
    let step = "step 10 24 A32 e59f44e8/4 \"LDR r4,[pc,#0x4e8]\"";
    assert_eq!(
        found,
        [
            step,
            "read 514 01000000",
            &format!("cpu1 {step}"),
            "cpu1 read 514 02000000"
        ]
    );
    check_parts(&tarmac);
}

#[test]
fn traces_in_the_usual_order_are_read_as_such() {
    for (name, text) in fixtures() {
        let order = LineOrder::of(&text, StateField::Written);
        assert_eq!(order, LineOrder::Plain, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Reads lines of the samples in any order, cut anywhere, with long ones between.
    #[test]
    fn a_part_is_read_as_in_the_whole_whatever_the_order(
        picks in proptest::collection::vec((0..60usize, 0..200usize), 1..120),
    ) {
        let lines: Vec<&str> = [NAMED, EARLY, LATE].iter().flat_map(|text| text.lines()).collect();
        let mut text = EARLY.to_owned();
        for (pick, length) in picks {
            let line = lines.get(pick).copied().unwrap_or("    170 ns R r9 00000001");
            let length = if length < 190 { line.len().saturating_sub(length / 12) } else { line.len() };
            text.push_str(line.get(..length).unwrap_or(line));
            text.push_str(if pick == 59 { "" } else { "\n" });
            if length == 0 {
                text.push_str(&"x".repeat(3000));
            }
        }
        let tarmac = open(text.as_bytes(), TarmacOptions::default());
        if tarmac.traits().options.contains("lines=") {
            check_parts(&tarmac);
        }
    }
}
