//! Slices through floating-point condition codes: a move reads the codes that it names, and they
//! come from the compare that set them.

use std::sync::Arc;

use stepback_index::answer::{Cell, Direction, EdgeKinds, SliceRow, ThreadId};
use stepback_index::query::SliceQuery;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Query as _};
use stepback_parsers::{Position, TraceFile};

use super::index_of_file;
use crate::support::rst_writer::{Flags, RstWriter};

/// `fcmps %fccN, %f9, %f6`
fn compare(codes: u32) -> u32 {
    0x81aa_4a26 | codes << 25
}

/// `fmovdl %fccN, %d4, %d2`
fn conditional_move(codes: u32) -> u32 {
    0x85a8_4044 | codes << 11
}

/// Returns the steps in the slice of `%d2` after some instructions.
fn sliced(words: &[u32]) -> Vec<u64> {
    let mut writer = RstWriter::new(8);
    writer.state(0);
    (0u64..).zip(words).for_each(|(place, word)| {
        writer.instruction(0x1000 + 4 * place, *word, None, Flags::default())
    });
    let index = index_of_file(
        TraceFile {
            name: "trace.rst".into(),
            data: Arc::new(writer.into_bytes()),
        },
        1 << 20,
    );
    let view = NameReader(&index)
        .register_view("%d2", ThreadId(0))
        .unwrap();
    let cell = Cell::Register {
        thread: ThreadId(0),
        view,
    };
    let at = Position(words.len() as u64);
    let rows = SliceQuery {
        direction: Direction::Back,
        cell,
        at,
        edges: EdgeKinds::default(),
        limit: usize::MAX,
    }
    .run(&index, &Cancel::default());
    let steps = rows.unwrap().into_iter().filter_map(|row| match row {
        SliceRow::Step(row) => Some(row.step.0),
        SliceRow::End(_) => None,
    });
    steps.collect()
}

#[test]
fn a_compare_that_sets_other_codes_is_not_what_a_move_depends_on() {
    assert_eq!(
        sliced(&[compare(1), compare(0), conditional_move(1)]),
        [2, 0]
    );
    assert_eq!(
        sliced(&[compare(0), compare(1), conditional_move(0)]),
        [2, 0]
    );
    assert_eq!(
        sliced(&[compare(1), compare(0), conditional_move(0)]),
        [2, 1]
    );
}

/// The byte comes from the last compare, which preserved the other codes in it.
#[test]
fn codes_that_share_a_byte_come_from_all_compares_that_set_some_of_it() {
    assert_eq!(
        sliced(&[compare(1), compare(2), conditional_move(1)]),
        [2, 1, 0]
    );
}
