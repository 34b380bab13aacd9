//! Control dependences of the executed code, on small traces written by hand.

use std::sync::Arc;

use stepback_index::answer::{Direction, SliceEndKind, SliceRow, UnknownInput};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::SliceQuery;
use stepback_index::{Cancel, Index, Query as _};
use stepback_parsers::{Position, Tarmac};

use crate::support::control::{EDGES, backward, cell, ends_of_control, linked, steps};

/// Two iterations of a loop that take different paths: `if x0 { x1 = 1 } else { x1 = 2 }; x0 -= 1`,
/// while x0 is not negative.
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

/// A call on one path of a branch: `if x0 { x1 = f() }; x3 = x1`, where `f` is `x1 = 5`.
const CALL: &str = "
    8000 b4000040
    8004 94000fff x30=8008
    c000 d28000a1 x1=5
    c004 d65f03c0
    8008 aa0103e3 x3=5";

/// Builds the index of a trace with a line for each step.
fn index(steps: &str) -> Index {
    let mut text = String::from("0 clk R SP_EL1 0000000000009000\n");
    for (line, time) in steps
        .lines()
        .filter(|line| !line.trim().is_empty())
        .zip(1..)
    {
        let mut words = line.split_whitespace();
        let (pc, code) = (words.next().unwrap(), words.next().unwrap());
        text += &format!("{time} clk IT ({time}) 0000{pc} {code} O EL1h_n : x\n");
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            text += &format!("{time} clk R {name} {value:0>16}\n");
        }
    }
    let tarmac = Arc::new(Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap());
    index_in_memory(
        tarmac,
        &BuildOptions {
            segment_bytes: 100,
            ..BuildOptions::default()
        },
    )
    .unwrap()
}

fn forward(index: &Index, name: &str) -> Vec<SliceRow> {
    let question = SliceQuery {
        direction: Direction::Forward,
        cell: cell(index, name),
        at: Position(0),
        edges: EDGES,
        limit: usize::MAX,
    };
    question.run(index, &Cancel::default()).unwrap()
}

#[test]
fn branches_decide_up_to_where_their_ways_meet() {
    let index = self::index(LOOP);
    let rows = backward(&index, "x2", usize::MAX);
    let expected = [
        (9, vec![]),
        (6, vec![]),
        (5, vec![6]),
        (4, vec![5]),
        (3, vec![]),
    ];
    assert_eq!(linked(&rows), expected);
    assert_eq!(
        ends_of_control(&rows),
        [(SliceEndKind::Initial { line: None }, vec![3, 4, 9])]
    );
}

#[test]
fn what_decided_is_named_where_the_rows_end() {
    let index = self::index(LOOP);
    let rows = backward(&index, "x2", 2);
    assert_eq!(
        ends_of_control(&rows),
        [
            (SliceEndKind::Limit, vec![6]),
            (SliceEndKind::Initial { line: None }, vec![9])
        ]
    );
}

#[test]
fn a_call_decides_what_it_called() {
    let index = self::index(CALL);
    let rows = backward(&index, "x3", usize::MAX);
    assert_eq!(
        linked(&rows),
        [(4, vec![]), (2, vec![]), (1, vec![2]), (0, vec![1])]
    );
}

#[test]
fn an_interrupt_is_not_decided_by_what_it_interrupts() {
    let index = self::index("8000 d503201f\n 9000 d2800021 x1=1");
    let rows = backward(&index, "x1", usize::MAX);
    assert_eq!(
        ends_of_control(&rows),
        [(
            SliceEndKind::Unknown(UnknownInput::NotOfInstruction),
            vec![1]
        )]
    );
}

#[test]
fn where_no_way_is_seen_the_end_says_so() {
    // A branch through a register with a different target each time, too often to examine all of
    // them.
    let mut steps = String::new();
    for round in 0..100u32 {
        let (work, pc) = (
            if round == 0 {
                "d2800021 x1=1"
            } else {
                "d503201f"
            },
            0x8004 + 8 * round,
        );
        let back = 0x1400_0000 | (0u32.wrapping_sub(2 + 2 * round) & 0x03ff_ffff);
        steps += &format!("8000 d61f00a0\n {pc:x} {work}\n {:x} {back:08x}\n", pc + 4);
    }
    let rows = backward(&self::index(&steps), "x1", usize::MAX);
    assert_eq!(
        ends_of_control(&rows),
        [(
            SliceEndKind::Unknown(UnknownInput::DeciderNotFound),
            vec![1]
        )]
    );
}

#[test]
fn all_that_a_branch_decided_is_influenced() {
    let index = self::index(LOOP);
    assert_eq!(
        steps(&forward(&index, "x0")),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    );
    let index = self::index(CALL);
    assert_eq!(steps(&forward(&index, "x0")), [0, 1, 2, 3, 4]);
}
