//! Registers written by instructions but named by no line. The values follow from the instructions
//! (Arm ARM, RISC-V ISA).

use std::sync::Arc;

use stepback_index::answer::{AccessKinds, Cell, CellAccess, ThreadId, ValueSource};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{NearestAccess, RegistersAt};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::Registers;
use stepback_parsers::{Position, Tarmac};

fn index_of(text: &str) -> Index {
    let tarmac = Tarmac::open(Box::new(text.as_bytes().to_vec()), Default::default()).unwrap();
    index_in_memory(Arc::new(tarmac), &BuildOptions::default()).unwrap()
}

/// Checks the value and the writer of a register at a position; `?` for an unknown value.
#[track_caller]
fn check(index: &Index, at: u64, name: &str, expected: &str) {
    let (position, cancel, thread) = (Position(at), Cancel::default(), ThreadId(0));
    let file = RegistersAt {
        position,
        thread: Some(thread),
    }
    .run(index, &cancel)
    .unwrap();
    let state = file.state(name).unwrap();
    let value = state
        .value
        .to_u64()
        .map_or("?".to_owned(), |value| format!("{value:x}"));
    let view = Registers::view(name, file.instruction_set).unwrap();
    let cell = Cell::Register { thread, view };
    let last = NearestAccess::last(cell, AccessKinds::Writes, position)
        .run(index, &cancel)
        .unwrap();
    let writer = match last {
        Some(CellAccess::Step(hit)) => format!("step {}", hit.record.step.0),
        Some(initial) => format!("{initial:?}"),
        None => "Never".to_owned(),
    };
    let source = if state.source == ValueSource::Recorded {
        " recorded"
    } else {
        ""
    };
    let same = state
        .written_by
        .map_or("Never".to_owned(), |step| format!("step {}", step.0));
    assert_eq!(writer, same, "{name} at {at}");
    assert_eq!(
        format!("{value}{source} by {writer}"),
        expected,
        "{name} at {at}"
    );
}

const GEM5: &str = "\
0 clk cpu0 IT (1) 002105d4 d2a00200 O EL3h_s :   MOVZ   X0, #16, #16
0 clk cpu0 R X0 0000000000100000
250 clk cpu0 IT (2) 002105d8 9100001f O EL3h_s :   ADD   SP, X0, #0
500 clk cpu0 IT (3) 002105dc 940000f8 O EL3h_s :   BL   0X2109BC
500 clk cpu0 R X30 00000000002105e0
1500 clk cpu0 IT (4) 002109bc a9be7bfd O EL3h_s :   STP
1500 clk cpu0 MW8 000fffe0:0000000fffe0 0000000000000000
1500 clk cpu0 MW8 000fffe8:0000000fffe8 00000000002105e0
2000 clk cpu0 IT (5) 002109c0 910003fd O EL3h_s :   ADD   X29, SP, #0
2000 clk cpu0 R X29 00000000000fffe0
2250 clk cpu0 IT (6) 002109c4 a8c27bfd O EL3h_s :   LDP
2250 clk cpu0 MR8 000fffe0:0000000fffe0 0000000000000000
2250 clk cpu0 MR8 000fffe8:0000000fffe8 00000000002105e0
2250 clk cpu0 R X29 0000000000000000
2250 clk cpu0 R X30 00000000002105e0
2500 clk cpu0 IT (7) 002109c8 d503201f O EL3h_s :   NOP
";

#[test]
fn a_stack_pointer_that_no_line_names_follows_from_instructions() {
    let index = index_of(GEM5);
    check(&index, 0, "sp", "? by Never");
    check(&index, 1, "sp", "? by Never");
    check(&index, 2, "sp", "100000 by step 1");
    check(&index, 3, "sp", "100000 by step 1");
    check(&index, 4, "sp", "fffe0 by step 3");
    check(&index, 5, "sp", "fffe0 by step 3");
    check(&index, 6, "sp", "100000 by step 5");
    check(&index, 7, "sp", "100000 by step 5");
    check(&index, 7, "x29", "0 recorded by step 5");
    check(&index, 7, "x5", "? by Never");
}

#[test]
fn a_stack_pointer_that_is_named_is_what_its_lines_say() {
    let named = GEM5.replace(
        "250 clk cpu0 IT (2)",
        "250 clk cpu0 R SP 0000000000000040\n250 clk cpu0 IT (2)",
    );
    check(&index_of(&named), 7, "sp", "40 recorded by step 1");
}

#[test]
fn all_registers_follow_from_instructions_where_lines_name_none() {
    let is_kept = |line: &&str| !line.contains(" R X");
    let text: String = GEM5
        .lines()
        .filter(is_kept)
        .map(|line| format!("{line}\n"))
        .collect();
    let index = index_of(&text);
    check(&index, 7, "sp", "100000 by step 5");
    check(&index, 1, "x0", "100000 by step 0");
    check(&index, 3, "x30", "2105e0 by step 2");
    // The loaded value is recorded.
    check(&index, 6, "x29", "0 by step 5");
    check(&index, 7, "x1", "? by Never");
    // T32: movs r0, #5; sub sp, #8; push {r0}, which stores at 0x7f4
    let text = "1 clk IT (1) 00001000 2005 T thread : MOVS r0,#5\n2 clk IT (2) 00001002 b082 T thread : SUB sp,sp,#8\n\
        3 clk IT (3) 00001004 b401 T thread : PUSH {r0}\n3 clk MW4 000007f4 00000005\n\
        4 clk IT (4) 00001006 bf00 T thread : NOP\n";
    let index = index_of(text);
    check(&index, 4, "r0", "5 by step 0");
    check(&index, 4, "sp", "7f4 by step 2");
    check(&index, 2, "sp", "7f8 by step 1");
    // The subtraction may be in an IT block that the trace does not show.
    check(&index, 1, "sp", "? by Never");
}
