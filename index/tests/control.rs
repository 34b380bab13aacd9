//! Which branches and calls decided what ran, on small traces written by hand.

#![expect(clippy::unwrap_used, reason = "a test that panics fails")]

use std::sync::Arc;

use stepback_index::{
    BuildOptions, Cancel, Cell, Edge, EdgeKinds, End, Index, Influence, NameReader, NotKnown, Query as _, SliceRow,
    ThreadId, Why, index_in_memory,
};
use stepback_parsers::{Position, Source, Tarmac, TraceFile, kept::KeptOptions, rst::Rst};

#[path = "support/rst_writer.rs"]
mod rst_writer;

use rst_writer::{Flags, Kind, RstWriter};

const EDGES: EdgeKinds = EdgeKinds { addresses: false, flags: true, control: true, listed: false };

/// Two rounds of a loop; in each another way is taken: `if x0 { x1 = 1 } else { x1 = 2 }; x0 -= 1`, while x0 is not negative.
const LOOP: &str = "
    8000 b4000060
    8004 d2800021 x1=1
    8008 14000002
    8010 d1000400 x0=0
    8014 b6ffff60
    8000 b4000060
    800c d2800041 x1=2
    8010 d1000400 x0=ffffffffffffffff
    8014 b6ffff60
    8018 aa0103e2 x2=2";

/// A call in one way of a branch: `if x0 { x1 = f() }; x3 = x1`, where `f` is `x1 = 5`.
const CALL: &str = "
    8000 b4000040
    8004 94000fff x30=8008
    c000 d28000a1 x1=5
    c004 d65f03c0
    8008 aa0103e3 x3=5";

/// A trace out of a line for each step.
fn index(steps: &str) -> Index<Tarmac> {
    let mut text = String::from("0 clk R SP_EL1 0000000000009000\n");
    for (line, time) in steps.lines().filter(|line| !line.trim().is_empty()).zip(1..) {
        let mut words = line.split_whitespace();
        let (pc, code) = (words.next().unwrap(), words.next().unwrap());
        text += &format!("{time} clk IT ({time}) 0000{pc} {code} O EL1h_n : x\n");
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            text += &format!("{time} clk R {name} {value:0>16}\n");
        }
    }
    let tarmac = Arc::new(Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap());
    index_in_memory(tarmac, &BuildOptions { segment_bytes: 100, ..BuildOptions::default() }).unwrap()
}

fn cell<S: Source>(index: &Index<S>, name: &str) -> Cell {
    let thread = ThreadId(0);
    Cell::Register { thread, view: NameReader(index).register_view(name, thread).unwrap() }
}

/// The steps of some rows, each with those that it is linked to by control.
fn linked(rows: &[SliceRow]) -> Vec<(u64, Vec<u64>)> {
    let steps = rows.iter().filter_map(|row| match row {
        SliceRow::Step(row) => Some(row),
        SliceRow::End(_) => None,
    });
    let by_control = |wanted: &&stepback_index::WantedBy| wanted.edge == Edge::Control;
    let of = |row: &stepback_index::SliceStep| {
        row.wanted_by.iter().filter(by_control).filter_map(|wanted| Some(wanted.step?.0)).collect()
    };
    steps.map(|row| (row.step.0, of(row))).collect()
}

fn backward<S: Source>(index: &Index<S>, name: &str, limit: usize) -> Vec<SliceRow> {
    let at = Position(index.step_count());
    Why { cell: cell(index, name), at, edges: EDGES, limit }.run(index, &Cancel::default()).unwrap()
}

fn forward<S: Source>(index: &Index<S>, name: &str) -> Vec<SliceRow> {
    let question = Influence { cell: cell(index, name), at: Position(0), edges: EDGES, limit: usize::MAX };
    question.run(index, &Cancel::default()).unwrap()
}

/// How control ends, with who asked.
fn ends_of_control(rows: &[SliceRow]) -> Vec<(End, Vec<u64>)> {
    let ends = rows.iter().filter_map(|row| match row {
        SliceRow::End(end) if end.wanted_by.iter().any(|wanted| wanted.edge == Edge::Control) => Some(end),
        _ => None,
    });
    ends.map(|end| (end.end, end.wanted_by.iter().filter_map(|wanted| Some(wanted.step?.0)).collect())).collect()
}

#[test]
fn branches_decide_up_to_where_their_ways_meet() {
    let index = self::index(LOOP);
    let rows = backward(&index, "x2", usize::MAX);
    let expected = [(9, vec![]), (6, vec![]), (5, vec![6]), (4, vec![5]), (3, vec![])];
    assert_eq!(linked(&rows), expected);
    assert_eq!(ends_of_control(&rows), [(End::Initial { line: None }, vec![3, 4, 9])]);
}

#[test]
fn what_decided_is_named_where_the_rows_end() {
    let index = self::index(LOOP);
    let rows = backward(&index, "x2", 2);
    assert_eq!(ends_of_control(&rows), [(End::Limit, vec![6]), (End::Initial { line: None }, vec![9])]);
}

#[test]
fn a_call_decides_what_it_called() {
    let index = self::index(CALL);
    let rows = backward(&index, "x3", usize::MAX);
    assert_eq!(linked(&rows), [(4, vec![]), (2, vec![]), (1, vec![2]), (0, vec![1])]);
}

#[test]
fn an_interrupt_is_not_decided_by_what_it_interrupts() {
    let index = self::index("8000 d503201f\n 9000 d2800021 x1=1");
    let rows = backward(&index, "x1", usize::MAX);
    assert_eq!(ends_of_control(&rows), [(End::Unknown(NotKnown::NotOfInstruction), vec![1])]);
}

#[test]
fn where_no_way_is_seen_the_end_says_so() {
    // A branch through a register that goes elsewhere each time, too often to look at all of it.
    let mut steps = String::new();
    for round in 0..100u32 {
        let (work, pc) = (if round == 0 { "d2800021 x1=1" } else { "d503201f" }, 0x8004 + 8 * round);
        let back = 0x1400_0000 | (0u32.wrapping_sub(2 + 2 * round) & 0x03ff_ffff);
        steps += &format!("8000 d61f00a0\n {pc:x} {work}\n {:x} {back:08x}\n", pc + 4);
    }
    let rows = backward(&self::index(&steps), "x1", usize::MAX);
    assert_eq!(ends_of_control(&rows), [(End::Unknown(NotKnown::DeciderNotFound), vec![1])]);
}

#[test]
fn all_that_a_branch_decided_is_influenced() {
    let index = self::index(LOOP);
    let steps: Vec<u64> = linked(&forward(&index, "x0")).into_iter().map(|(step, _)| step).collect();
    assert_eq!(steps, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let index = self::index(CALL);
    let steps: Vec<u64> = linked(&forward(&index, "x0")).into_iter().map(|(step, _)| step).collect();
    assert_eq!(steps, [0, 1, 2, 3, 4]);
}

/// A trace of SPARC: an instruction a line, with what it writes into `%o` registers (`o1=2`), and whether it branched or was
/// skipped.
fn sparc(steps: &str) -> Index<Rst> {
    let mut writer = RstWriter::new(8);
    writer.state(0);
    for line in steps.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let [pc, word] = [words.next(), words.next()].map(|word| u64::from_str_radix(word.unwrap(), 16).unwrap());
        let rest: Vec<&str> = words.collect();
        let flags =
            Flags { is_taken: rest.contains(&"taken"), is_annulled: rest.contains(&"annulled"), has_trap: false };
        writer.instruction(pc, word as u32, None, flags);
        for (name, value) in rest.iter().filter_map(|word| word.strip_prefix('o')?.split_once('=')) {
            writer.register(Kind::Integer, 8 + name.parse::<u8>().unwrap(), value.parse().unwrap());
        }
    }
    let file = TraceFile { name: "trace.rst".into(), data: Arc::new(writer.into_bytes()) };
    let trace = Rst::open(vec![file], KeptOptions::default()).unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    index_in_memory(Arc::new(trace), &BuildOptions { segment_bytes: 1 << 20, threads: 1 }).unwrap()
}

fn steps(rows: &[SliceRow]) -> Vec<u64> {
    linked(rows).into_iter().map(|(step, _)| step).collect()
}

#[test]
fn a_delay_slot_runs_whatever_the_branch_does_and_one_that_is_annulled_does_not() {
    let plain = "1000 80a22000\n 1004 02800004 taken\n 1008 92102001 o1=1\n 1014 94102002 o2=2";
    let rows = backward(&sparc(plain), "%o1", usize::MAX);
    assert_eq!((steps(&rows), ends_of_control(&rows)), (vec![2], vec![(End::Initial { line: None }, vec![2])]));
    let annulling = plain.replace("02800004", "22800004");
    assert_eq!(steps(&backward(&sparc(&annulling), "%o1", usize::MAX)), [2, 1, 0]);
}

#[test]
fn what_stands_behind_an_annulled_branch_is_in_no_slot() {
    // `ba,a` skips the instruction behind it, to which a branch comes later.
    let trace =
        "1000 30800003 taken\n 1004 92102007 annulled\n 100c 10bffffe taken\n 1010 01000000\n 1004 92102007 o1=7";
    let index = sparc(trace);
    let rows = backward(&index, "%o1", usize::MAX);
    assert_eq!(steps(&rows), [index.step_count() - 1]);
    assert_eq!(ends_of_control(&rows)[0].0, End::Initial { line: None });
}

#[test]
fn slots_of_calls_and_returns_belong_to_the_frame_of_the_branch() {
    let trace = "1000 40000400 taken\n 1004 90102005 o0=5\n 2000 81c3e008 taken\n 2004 92102007 o1=7\n 1008 01000000";
    let index = sparc(trace);
    let rows = backward(&index, "%o0", usize::MAX);
    assert_eq!((steps(&rows), ends_of_control(&rows)), (vec![1], vec![(End::Initial { line: None }, vec![1])]));
    assert_eq!(steps(&backward(&index, "%o1", usize::MAX)), [3, 0]);
}

#[test]
fn a_jump_table_decides_behind_its_slot() {
    let trace = "1000 81c04000 taken\n 1004 01000000\n 1010 92102001 o1=1\n 1014 10bffffb taken\n 1018 01000000
        1000 81c04000 taken\n 1004 01000000\n 1020 94102002 o2=2";
    assert_eq!(steps(&backward(&sparc(trace), "%o1", usize::MAX)), [2, 0]);
}
