//! Small traces whose slices were wrong once: the expected slices, and those of the oracle.

use std::sync::Arc;

use stepback_index::answer::{Cell, Direction, EdgeKinds, SliceEndKind, SliceRow, ThreadId};
use stepback_index::query::SliceQuery;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, Endian, InstructionSet};
use stepback_parsers::{MarkerKind, Position, Source, Step};

use super::slices::{check, check_text};
use crate::support::compare::{index_of, open};
use crate::support::records::{ITEM, Record, Records};

const EDGES: EdgeKinds = EdgeKinds {
    addresses: false,
    flags: true,
    control: false,
    listed: false,
};

/// Parses a register by name, or a byte of memory by address.
fn cell(index: &Index, what: &str, thread: u16) -> Cell {
    let thread = ThreadId(thread);
    match what.strip_prefix("0x") {
        Some(address) => Cell::Memory {
            address: Address(u64::from_str_radix(address, 16).unwrap()),
            len_bytes: 1,
        },
        None => Cell::Register {
            thread,
            view: NameReader(index).register_view(what, thread).unwrap(),
        },
    }
}

/// Returns the steps of a slice, and the ends of its chains.
fn stated(rows: Vec<SliceRow>) -> (Vec<u64>, Vec<SliceEndKind>) {
    let (mut steps, mut ends) = (Vec::new(), Vec::new());
    for row in rows {
        match row {
            SliceRow::Step(row) => steps.push(row.step.0),
            SliceRow::End(row) => ends.push(row.end),
        }
    }
    (steps, ends)
}

/// Returns the slice at the end of a trace, newest first.
fn steps(source: &Arc<dyn Source>, what: &str, thread: u16) -> (Vec<u64>, Vec<SliceEndKind>) {
    let index = index_of(source, 1 << 20, 1);
    let (cell, at) = (cell(&index, what, thread), Position(index.step_count()));
    stated(
        SliceQuery {
            direction: Direction::Back,
            cell,
            at,
            edges: EDGES,
            limit: usize::MAX,
        }
        .run(&index, &Cancel::default())
        .unwrap(),
    )
}

/// Compares a text with the oracle, and the forward slice of a cell at the start with the expected
/// steps.
#[track_caller]
pub(super) fn check_onward(
    text: &str,
    what: &str,
    thread: u16,
    expected: &[u64],
) -> Vec<SliceEndKind> {
    (0..3).for_each(|seed| check_text(text, &[1, 64, 150, 300, 1 << 30], 150, seed));
    let index = index_of(&open(text.as_bytes(), Endian::Little), 1 << 20, 1);
    let (cell, at) = (cell(&index, what, thread), Position(0));
    let rows = SliceQuery {
        direction: Direction::Forward,
        cell,
        at,
        edges: EDGES,
        limit: usize::MAX,
    }
    .run(&index, &Cancel::default())
    .unwrap();
    let (steps, ends) = stated(rows);
    assert_eq!(steps, expected);
    ends
}

/// Compares a text with the oracle, and one of its slices with the expected steps.
#[track_caller]
pub(super) fn check_case(text: &str, what: &str, thread: u16, expected: &[u64]) {
    (0..3).for_each(|seed| check_text(text, &[1, 64, 150, 300, 1 << 30], 150, seed));
    assert_eq!(
        steps(&open(text.as_bytes(), Endian::Little), what, thread).0,
        expected
    );
}

/// Checks the steps of a slice and returns the ends of its chains.
#[track_caller]
pub(super) fn check_source(text: &str, what: &str, expected: &[u64]) -> Vec<SliceEndKind> {
    let (found, ends) = steps(&open(text.as_bytes(), Endian::Little), what, 0);
    assert_eq!(found, expected);
    ends
}

#[test]
fn a_write_under_the_name_of_the_bank_in_use_is_that_of_the_instruction() {
    check_case(
        "1 clk IT (1) 00008000 d2800020 O EL1h_n : MOV x29,#1\n\
         1 clk R X29 0000000000000001\n\
         2 clk IT (2) 00008004 a9bf7bfd O EL1h_n : STP x29,x30,[sp,#-16]!\n\
         2 clk MW16 00001020:000000001020 0000000000000002 0000000000000001\n\
         2 clk R sp_el1 0000000000001020\n",
        "sp",
        0,
        &[1],
    );
}

#[test]
fn a_store_of_another_thread_before_the_line_of_a_load_is_what_it_loads() {
    check_case(
        "1 clk cpu1 IT (1) 00008000 b9000020 O EL1h_n : STR w0,[x1]\n\
         2 clk cpu0 IT (1) 00008000 b9400020 O EL1h_n : LDR w0,[x1]\n\
         2 clk cpu1 MW4 00001000:000000001000 00000007\n\
         2 clk cpu0 MR4 00001000:000000001000 00000007\n\
         2 clk cpu0 R X0 0000000000000007\n",
        "w0",
        1,
        &[1, 0],
    );
}

#[test]
fn of_two_threads_that_store_between_two_steps_each_has_its_bytes() {
    check_case(
        "1 clk cpu1 IT (1) 00008000 39000020 O EL1h_n : STRB w0,[x1]\n\
         2 clk cpu0 IT (1) 00008000 79000020 O EL1h_n : STRH w0,[x1]\n\
         2 clk cpu0 MW2 00001000:000000001000 2211\n\
         2 clk cpu1 MW1 00001001:000000001001 33\n\
         3 clk cpu0 IT (2) 00008004 b9400022 O EL1h_n : LDR w2,[x1]\n\
         3 clk cpu0 MR4 00001000:000000001000 00003311\n\
         3 clk cpu0 R X2 0000000000003311\n",
        "x2",
        1,
        &[2, 1, 0],
    );
}

#[test]
fn a_step_whose_lines_are_in_two_slots_comes_once() {
    check_case(
        "1 clk cpu0 IT (1) 00008000 4ea11c20 O EL1h_n : MOV v0.16b,v1.16b\n\
         1 clk cpu0 R V0<127:64> 0000000000000001\n\
         2 clk cpu1 IT (1) 00008000 d503201f O EL1h_n : NOP\n\
         2 clk cpu0 R V0<63:0> 0000000000000002\n",
        "v0",
        0,
        &[0],
    );
}

#[test]
fn a_read_that_contradicts_the_store_of_its_own_step_is_an_external_change() {
    let text = "1 clk IT (1) 00008000 f8220020 O EL1h_n : LDADD x2,x0,[x1]\n\
         1 clk MW8 00001000:000000001000 0000000000000005\n\
         1 clk MR8 00001000:000000001000 0000000000000007\n\
         1 clk R X0 0000000000000007\n";
    check_case(text, "0x1000", 0, &[]);
    let (_, ends) = steps(&open(text.as_bytes(), Endian::Little), "0x1000", 0);
    assert!(
        matches!(ends[..], [SliceEndKind::External { seen_by: Some(step) }] if step.0 == 0),
        "{ends:?}"
    );
}

#[test]
fn flags_that_an_instruction_leaves_alone_are_those_of_the_one_before() {
    // ANDS preserves C and V in A32, although the trace shows the whole cpsr.
    check_case(
        "1 clk IT (1) 00008000 e1510002 A svc_s : CMP r1,r2\n\
         1 clk R cpsr 600001d3\n\
         2 clk IT (2) 00008004 e0110002 A svc_s : ANDS r0,r1,r2\n\
         2 clk R r0 00000000\n\
         2 clk R cpsr 600001d3\n\
         3 clk IT (3) 00008008 e0a10002 A svc_s : ADC r0,r1,r2\n\
         3 clk R r0 00000001\n",
        "r0",
        0,
        &[2, 0],
    );
}

#[test]
fn halves_that_a_dump_states_on_different_lines_end_at_their_own() {
    let text = "0 clk R V0<63:0> 0000000000000002\n\
         0 clk R V0<127:64> 0000000000000001\n\
         1 clk IT (1) 00008000 d503201f O EL1h_n : NOP\n";
    check_case(text, "v0", 0, &[]);
    let (_, ends) = steps(&open(text.as_bytes(), Endian::Little), "v0", 0);
    let lines: Vec<_> = ends
        .iter()
        .map(|end| matches!(end, SliceEndKind::Initial { line: Some(_) }))
        .collect();
    assert_eq!(lines, [true, true], "{ends:?}");
}

#[test]
fn a_write_of_a_vector_makes_the_rest_of_it_from_nothing() {
    check_case(
        "1 clk IT (1) 00008000 4ea11c20 O EL1h_n : MOV v0.16b,v1.16b\n\
         1 clk R V0 00000000000000010000000000000002\n",
        "z0",
        0,
        &[0],
    );
}

#[test]
fn an_instruction_that_means_nothing_ends_the_chains_of_all_registers() {
    let records = vec![
        Record::instruction(0, 0x1000, &[0x48, 0x89, 0xd8], RecordedBranch::None),
        Record::instruction(0, 0x1003, &[0x06], RecordedBranch::None),
        Record::instruction(0, 0x1004, &[0x48, 0x89, 0xc1], RecordedBranch::None),
        Record::marker(0, MarkerKind::KERNEL_EVENT, 0x1007),
        Record::instruction(0, 0x1007, &[0x90], RecordedBranch::None),
    ];
    let source: Arc<dyn Source> = Records::new(records, InstructionSet::X86_64);
    (0..4).for_each(|seed| check("means nothing", &source, &[ITEM, 1 << 20], 100, seed));
    let (found, ends) = steps(&source, "rcx", 0);
    assert_eq!(found, [2, 1]);
    assert!(
        ends.iter()
            .all(|end| matches!(end, SliceEndKind::Unknown(_))),
        "{ends:?}"
    );
}

#[test]
fn a_store_whose_line_is_after_a_step_of_another_cpu_is_followed_from_there() {
    let store = "1 clk cpu1 IT (1) 00008000 b9000020 O EL1h_n : STR w0,[x1]\n\
         2 clk cpu0 IT (1) 00008000 d503201f O EL1h_n : NOP\n\
         2 clk cpu1 MW4 00001000:000000001000 00000007\n";
    let load = "3 clk cpu0 IT (2) 00008004 b9400020 O EL1h_n : LDR w0,[x1]\n\
         3 clk cpu0 MR4 00001000:000000001000 00000007\n\
         3 clk cpu0 R X0 0000000000000007\n";
    check_onward(&format!("{store}{load}"), "w0", 0, &[0, 2]);
}

#[test]
fn a_register_whose_line_is_after_a_step_of_another_cpu_is_followed_from_there() {
    check_onward(
        "1 clk cpu1 IT (1) 00008000 aa0103e0 O EL1h_n : MOV x0,x1\n\
         2 clk cpu0 IT (1) 00008000 d503201f O EL1h_n : NOP\n\
         2 clk cpu1 R X0 0000000000000007\n\
         3 clk cpu1 IT (2) 00008004 aa0003e2 O EL1h_n : MOV x2,x0\n\
         3 clk cpu1 R X2 0000000000000007\n",
        "x1",
        0,
        &[0, 2],
    );
}

#[test]
fn of_two_cpus_in_one_slot_the_order_of_the_lines_says_who_loads_what() {
    let store = "2 clk cpu1 MW4 00001000:000000001000 00000007\n";
    let load = "2 clk cpu0 MR4 00001000:000000001000 00000007\n";
    let trace = |first: &str, second: &str| {
        format!(
            "1 clk cpu1 IT (1) 00008000 b9000020 O EL1h_n : STR w0,[x1]\n\
             2 clk cpu0 IT (1) 00008000 b9400020 O EL1h_n : LDR w0,[x1]\n\
             {first}{second}\
             2 clk cpu0 R X0 0000000000000007\n"
        )
    };
    check_onward(&trace(store, load), "w0", 0, &[0, 1]);
    check_onward(&trace(load, store), "w0", 0, &[0]);
}

#[test]
fn a_load_whose_line_is_after_the_store_of_another_cpu_has_what_was_there_before_it() {
    check_onward(
        "1 clk cpu1 IT (1) 00008000 b9400020 O EL1h_n : LDR w0,[x1]\n\
         2 clk cpu0 IT (1) 00008000 b9000020 O EL1h_n : STR w0,[x1]\n\
         2 clk cpu0 MW4 00001000:000000001000 00000007\n\
         2 clk cpu1 MR4 00001000:000000001000 00000005\n\
         2 clk cpu1 R X0 0000000000000005\n",
        "0x1000",
        0,
        &[0],
    );
}

#[test]
fn a_write_of_a_vector_overwrites_the_rest_of_it() {
    let ends = check_onward(
        "1 clk IT (1) 00008000 4ea11c20 O EL1h_n : MOV v0.16b,v1.16b\n\
         1 clk R V0 00000000000000010000000000000002\n",
        "z0",
        0,
        &[],
    );
    assert_eq!(ends, [SliceEndKind::Overwritten { by: Some(Step(0)) }]);
}

#[test]
fn a_call_of_what_is_followed_is_a_row_though_what_it_writes_is_made_of_something_else() {
    check_onward(
        "1 clk IT (1) 00008000 d63f0060 O EL1h_n : BLR x3\n\
         1 clk R X30 0000000000008004\n",
        "x3",
        0,
        &[0],
    );
}

/// The rest of Z is zero after an instruction that is not SVE (DDI 0487, C1.2.6): FMOV d0,x1 in a
/// line that shows all of Z0.
#[test]
fn the_rest_of_z_is_made_of_nothing_where_its_low_part_is_written() {
    let z = |low: &str| format!("R Z0 {:0>64}", low);
    let text = format!(
        "1 clk IT (1) 00008000 d2800021 O EL1h_n : MOV x1,#1\n\
         1 clk R X1 0000000000000001\n\
         2 clk IT (2) 00008004 9e670020 O EL1h_n : FMOV d0,x1\n\
         2 clk {}\n\
         3 clk IT (3) 00008008 9e670020 O EL1h_n : FMOV d0,x1\n\
         3 clk {}\n",
        z("1"),
        z("1"),
    );
    check_case(&text, "z0", 0, &[2, 0]);
}
