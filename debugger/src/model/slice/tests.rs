//! Tests of slice readings as text.

use std::collections::HashSet;
use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::answer::{Direction, EdgeKinds};
use stepback_index::query::SliceQuery;
use stepback_parsers::Position;

use super::SliceWords;
use crate::action::SliceView;
use crate::analysis::names::NameResolver;
use crate::analysis::slice::{
    FoldHandle, FoldState, Frames, LineKind, ReadingLine, RowId, SliceReading, SliceRowRole,
};
use crate::session::Session;
use crate::session::test_session::{overflow_with_image, tarmac};

/// Reads all rows of a slice.
fn reading(session: &Session, what: &str, at: Position) -> SliceReading {
    let cancel = Cancel::default();
    let cell = NameResolver::new(&session.index, &session.images, at, None, &cancel)
        .unwrap()
        .cell(what)
        .unwrap();
    let question = SliceQuery {
        cell,
        at,
        direction: Direction::Back,
        edges: EdgeKinds::default(),
        limit: usize::MAX,
    };
    let mut walk = question.walk(&session.index, None, &cancel).unwrap();
    let (mut reading, mut frames) = (SliceReading::default(), Frames::new(&session.index));
    while let Some(row) = walk.next(&cancel).unwrap() {
        reading.take(row, &mut frames, &cancel).unwrap();
    }
    reading
}

fn lines(reading: &SliceReading, how: SliceView, toggled: &[FoldHandle]) -> Vec<ReadingLine> {
    reading.lines(how, &toggled.iter().copied().collect())
}

/// Formats each line: `  1,761  x2 = u64[heap+0x10] | 0xbfb1e598a4e5bda9 | for …`.
fn texts(session: &Session, reading: &SliceReading, lines: &[ReadingLine]) -> Vec<String> {
    let cancel = Cancel::default();
    let words = SliceWords {
        session,
        reading,
        direction: Direction::Back,
        cancel: &cancel,
    };
    let text = |line: &ReadingLine| {
        let words = words.line(line).unwrap();
        let mut parts = vec![words.text.clone(), words.value.clone()];
        parts.extend(words.notes.clone());
        parts.push(words.reason());
        parts.retain(|part| !part.is_empty());
        let step = words
            .step
            .map(|step| format!("{} ", step.0))
            .unwrap_or_default();
        format!(
            "{}{step}{}",
            "  ".repeat(usize::from(line.depth)),
            parts.join(" | ")
        )
    };
    lines.iter().map(text).collect()
}

fn demo() -> (Arc<Session>, SliceReading) {
    let session = overflow_with_image();
    let reading = reading(&session, "x2", Position(1763));
    (session, reading)
}

#[test]
fn the_demo_is_understood_from_its_first_lines() {
    let (session, reading) = demo();
    let shown = texts(&session, &reading, &lines(&reading, SliceView::Chain, &[]));
    let expected = [
        "dispatch, called at 1,757",
        "  1761 x2 = u64[heap+0x10] | 0xbfb1e598a4e5bda9",
        "decode_field, called at 746",
        "  1382 u8[heap+0x15..0x17] = {(w1 >> 12) | 0xe0, ((w1 >> 6) & 0x3f) | 0x80, (w1 & 0x3f) | 0x80} | e5 b1 bf | bytes 5..7 | for 1,761",
        "  1368 w1 = w0@1365 | (w0@1355 << 4) | (w0@1344 << 8) | (w0@1334 << 12) | 0x5c7f | for 1,382",
        "  hexval, called at 1,359",
        "    1365 w0 = csel((w0 | 0x20) - 87, w2, hi) | 0xf | for 1,368",
        "  1358 w0 = u8[req+0x2f] | 0x66 'f' | for 1,365",
    ];
    assert_eq!(shown[..expected.len()], expected);
    assert!(
        shown
            .iter()
            .any(|line| line == "  2 more identical iterations, 20 rows down to step 1,197"),
        "{shown:#?}"
    );
    assert!(shown.len() < 30, "{shown:#?}");
}

#[test]
fn calls_fold_and_lines_open() {
    let (session, reading) = demo();
    let closed = lines(&reading, SliceView::Chain, &[]);
    let handle = |kind: fn(&LineKind) -> bool, place: usize| {
        closed
            .iter()
            .filter(|line| kind(&line.kind))
            .filter_map(ReadingLine::handle)
            .nth(place)
            .unwrap()
    };
    let decode_field = handle(|kind| matches!(kind, LineKind::Call { .. }), 1);
    let folded = texts(
        &session,
        &reading,
        &lines(&reading, SliceView::Chain, &[decode_field]),
    );
    assert_eq!(
        folded[2..4],
        ["decode_field, called at 746", "make_request, called at 93"]
    );
    let store = handle(|kind| matches!(kind, LineKind::Step(_)), 0);
    let open = texts(
        &session,
        &reading,
        &lines(&reading, SliceView::Chain, &[store]),
    );
    assert!(
        open[4].starts_with("    1381 ORR w0,w0,#0xffffff80 | w0 = 0x")
            || open[4].starts_with("    1381 ORR"),
        "{open:#?}"
    );
    let rounds = handle(|kind| matches!(kind, LineKind::LoopIterations(_)), 0);
    let open = lines(&reading, SliceView::Chain, &[rounds]);
    assert!(
        open.len() > closed.len() + 20
            && open.iter().any(|line| line.fold == FoldState::Open(rounds))
    );
    let everything = lines(&reading, SliceView::Everything, &[]);
    let steps = everything
        .iter()
        .filter(|line| matches!(line.kind, LineKind::SingleStep(_)))
        .count();
    assert_eq!(steps, reading.len());
}

#[test]
fn the_tree_unfolds_each_step_once() {
    let (session, reading) = demo();
    let root = texts(&session, &reading, &lines(&reading, SliceView::Tree, &[]));
    assert_eq!(root.len(), 4, "{root:#?}");
    assert!(
        root[1].starts_with("  1382 u8[heap+0x15..0x17]"),
        "{root:#?}"
    );
    let all: Vec<FoldHandle> = reading
        .ids()
        .map(FoldHandle::Inputs)
        .filter(|handle| *handle != FoldHandle::Inputs(RowId(0)))
        .collect();
    let unfolded = lines(&reading, SliceView::Tree, &all);
    let mut steps: Vec<RowId> = unfolded
        .iter()
        .filter_map(|line| match (line.kind, line.fold) {
            (LineKind::Step(id), FoldState::Open(_)) => Some(id),
            _ => None,
        })
        .collect();
    let count = steps.len();
    steps.sort_unstable();
    steps.dedup();
    assert_eq!(steps.len(), count);
    let shown = reading.ids().filter(|id| {
        reading
            .row(*id)
            .is_some_and(|row| row.role == SliceRowRole::Shown)
    });
    let in_tree: HashSet<RowId> = unfolded.iter().filter_map(ReadingLine::row).collect();
    assert!(
        shown.into_iter().all(|id| in_tree.contains(&id)),
        "{:#?}",
        texts(&session, &reading, &unfolded)
    );
}

#[test]
fn each_row_has_its_place_in_one_line() {
    let (_, reading) = demo();
    let mut inside = Vec::new();
    for id in reading.ids().filter(|id| {
        reading
            .row(*id)
            .is_some_and(|row| row.role == SliceRowRole::Shown)
    }) {
        inside.push(id);
        inside.extend(reading.inside(id));
    }
    let count = inside.len();
    inside.sort_unstable();
    inside.dedup();
    assert_eq!((inside.len(), count), (reading.len(), reading.len()));
}

/// A value in a register that a function saves and restores, and one that it passes on through its
/// stack.
const SAVED: &str = "\
0 clk R SP_EL3 0000000000009000
1 clk IT (1) 00001000 d28000b3 O EL3h_s : MOV x19,#5
1 clk R X19 0000000000000005
2 clk IT (2) 00001004 9400003f O EL3h_s : BL 0x1100
2 clk R X30 0000000000001008
3 clk IT (3) 00001100 f81f0ff3 O EL3h_s : STR x19,[sp,#-0x10]!
3 clk MW8 00008ff0:000000008ff0 00000000_00000005
3 clk R SP_EL3 0000000000008ff0
4 clk IT (4) 00001104 d2800033 O EL3h_s : MOV x19,#1
4 clk R X19 0000000000000001
5 clk IT (5) 00001108 f84107f3 O EL3h_s : LDR x19,[sp],#0x10
5 clk MR8 00008ff0:000000008ff0 00000000_00000005
5 clk R X19 0000000000000005
5 clk R SP_EL3 0000000000009000
6 clk IT (6) 0000110c d65f03c0 O EL3h_s : RET
7 clk IT (7) 00001008 91000660 O EL3h_s : ADD x0,x19,#1
7 clk R X0 0000000000000006
";

#[test]
fn what_a_function_saves_and_gives_back_is_one_link() {
    let (session, _folder) = tarmac(SAVED);
    let reading = reading(&session, "x0", session.index.end());
    let shown = texts(&session, &reading, &lines(&reading, SliceView::Chain, &[]));
    assert_eq!(
        shown[1..],
        [
            "  6 x0 = x19 + 1 | 0x6",
            "  0 x19 = 5 | 0x5 | through 2 copies | for 6"
        ],
        "{shown:#?}"
    );
}

/// A 32-bit shift, whose upper bits are gone before the next shift moves right.
const SHIFTS: &str = "\
1 clk IT (1) 00001000 b9400022 O EL3h_s : LDR w2,[x1]
1 clk MR4 00008ff0:000000008ff0 80000001
1 clk R X2 0000000080000001
2 clk IT (2) 00001004 53134843 O EL3h_s : LSL w3,w2,#13
2 clk R X3 0000000000002000
3 clk IT (3) 00001008 53117c60 O EL3h_s : LSR w0,w3,#17
3 clk R X0 0000000000000000
4 clk IT (4) 0000100c 9b227c41 O EL3h_s : SMULL x1,w2,w2
4 clk R X1 3fffffff00000001
5 clk IT (5) 00001010 12001c44 O EL3h_s : AND w4,w2,#0xff
5 clk R X4 0000000000000001
6 clk IT (6) 00001014 8b040025 O EL3h_s : ADD x5,x1,x4
6 clk R X5 3fffffff00000002
";

/// Returns the second line of the chain of a value at the end of a trace.
fn second_line(trace: &str, what: &str) -> String {
    let (session, _folder) = tarmac(trace);
    let reading = reading(&session, what, session.index.end());
    texts(&session, &reading, &lines(&reading, SliceView::Chain, &[]))
        .into_iter()
        .nth(1)
        .unwrap()
}

#[test]
fn expressions_mean_in_c_what_the_program_computed() {
    let second = |what: &str| second_line(SHIFTS, what);
    assert_eq!(second("x0"), "  2 w0 = (w2 << 13) >> 17 | 0x0");
    assert_eq!(
        second("x5"),
        "  5 x5 = (s64)(s32)w2*(s32)w2 + (w2 & 0xff) | 0x3fffffff00000002"
    );
}

/// Sums of constants.
const CONSTANTS: &str = "\
1 clk IT (1) 00001000 d2800200 O EL3h_s : MOV x0,#0x10
1 clk R X0 0000000000000010
2 clk IT (2) 00001004 f9400021 O EL3h_s : LDR x1,[x1]
2 clk MR8 00008ff0:000000008ff0 0000000000000020
2 clk R X1 0000000000000020
3 clk IT (3) 00001008 91004022 O EL3h_s : ADD x2,x1,#0x10
3 clk R X2 0000000000000030
";

#[test]
fn a_constant_looks_like_the_result_next_to_it() {
    let second = |what: &str| second_line(CONSTANTS, what);
    assert_eq!(second("x0"), "  0 x0 = 0x10 | 0x10");
    assert_eq!(second("x2"), "  2 x2 = x1 + 16 | 0x30");
}
