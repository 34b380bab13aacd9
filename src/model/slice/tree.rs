//! A slice as a tree: below a step what it takes in, which unfolds where it is opened.
//!
//! A step with one input has it in the next row at the same depth, so that chains do not run off to the right; one with
//! several has a caret.
//!
//! ```text
//! v 1761  ldr  x2, [x0]        x2 = …
//!     1382  strb w0, [x19, #2]   [80020017] = bf
//!     1381  orr  …
//!   > 1379  …
//! ```

use std::collections::BTreeSet;

use super::slice::Slice;

/// More rows of a tree are not shown: one that is opened everywhere may have as many as there are paths.
const MOST: usize = 20_000;

/// How a row of a tree came there: the rows above it from the outermost, each by its place in the slice.
pub type Path = Vec<usize>;

/// What a row has in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caret {
    /// Nothing.
    None,
    /// What it takes in stands below.
    Open,
    /// That is hidden.
    Closed,
}

/// A row of a list or a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceLine {
    /// Its place among the rows of the slice.
    pub row: usize,
    /// How far in it stands.
    pub depth: usize,
    /// Whether it can be opened.
    pub caret: Caret,
    /// By which it is opened.
    pub path: Path,
}

/// The rows that are opened or closed against what they are at first: the outermost are open, all others are not.
pub type Flipped = BTreeSet<Path>;

/// The rows of the tree. Cost: those that are shown.
pub fn tree_lines(slice: &Slice, flipped: &Flipped) -> Vec<SliceLine> {
    let mut lines = Vec::new();
    let below = |places: &[usize], depth: usize, path: &Path| -> Vec<(usize, usize, Path)> {
        let with = |row: usize| path.iter().copied().chain([row]).collect();
        places.iter().rev().map(|row| (*row, depth, with(*row))).collect()
    };
    let mut waiting = below(slice.inputs_of(None), 0, &Path::new());
    while let Some((place, depth, path)) = waiting.pop()
        && lines.len() < MOST
    {
        let step = slice.rows.get(place).and_then(|row| row.step);
        let inputs = step.map(|step| slice.inputs_of(Some(step))).unwrap_or_default();
        let caret = match inputs {
            [] => Caret::None,
            [only] => {
                // The path stays as short as the tree is deep.
                let mut next = path.clone();
                next.pop();
                next.push(*only);
                waiting.push((*only, depth, next));
                Caret::None
            }
            _ if flipped.contains(&path) == (depth == 0) => Caret::Closed,
            several => {
                waiting.extend(below(several, depth + 1, &path));
                Caret::Open
            }
        };
        lines.push(SliceLine { row: place, depth, caret, path });
    }
    lines
}

/// All rows below each other.
pub fn plain_lines(slice: &Slice) -> Vec<SliceLine> {
    (0..slice.rows.len()).map(|row| SliceLine { row, depth: 0, caret: Caret::None, path: vec![row] }).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_index::{Cell, ValueSource};
    use stepback_machine::Address;
    use stepback_parsers::Step;

    use super::super::row::WhyRow;
    use super::super::slice::{SliceEnd, Subject};
    use super::*;
    use crate::notes::SliceQuestion;

    /// Rows as steps with those that want them; 0 is the question.
    fn slice(rows: &[(u64, &[u64])]) -> Slice {
        let wanter = |step: &u64| (*step > 0).then_some(Step(*step));
        let row = |(step, by): &(u64, &[u64])| {
            let wanted_by = by.iter().map(wanter).collect();
            Arc::new(WhyRow { step: Some(Step(*step)), wanted_by, ..WhyRow::default() })
        };
        let cell = Cell::Memory { address: Address(0), len_bytes: 1 };
        let subject = Subject { cell, label: String::new(), value: None, source: ValueSource::Unknown };
        Slice::new(SliceQuestion::default(), subject, rows.iter().map(row).collect(), SliceEnd::Whole)
    }

    fn text(slice: &Slice, flipped: &Flipped) -> String {
        let mut text = String::new();
        for line in tree_lines(slice, flipped) {
            let caret = match line.caret {
                Caret::None => ' ',
                Caret::Open => 'v',
                Caret::Closed => '>',
            };
            let step = slice.rows[line.row].step.unwrap().0;
            text += &format!("{:indent$}{caret}{step}\n", "", indent = 2 * line.depth);
        }
        text
    }

    /// 9 reads 7 and 8; 8 reads 6 alone, which reads 4 and 5; 7 reads 6, too.
    fn fan() -> Slice {
        slice(&[(9, &[0]), (8, &[9]), (7, &[9]), (6, &[7, 8]), (5, &[6]), (4, &[6])])
    }

    #[test]
    fn the_outermost_rows_are_open_and_chains_run_straight_down() {
        assert_eq!(text(&fan(), &Flipped::new()), "v9\n   8\n  >6\n   7\n  >6\n");
    }

    #[test]
    fn what_is_opened_shows_what_it_takes_in() {
        let closed = tree_lines(&fan(), &Flipped::new());
        let flipped = Flipped::from([closed[2].path.clone()]);
        assert_eq!(text(&fan(), &flipped), "v9\n   8\n  v6\n     5\n     4\n   7\n  v6\n     5\n     4\n");
        assert_eq!(text(&fan(), &Flipped::from([closed[0].path.clone()])), ">9\n");
    }

    #[test]
    fn all_rows_stand_below_each_other() {
        let rows: Vec<usize> = plain_lines(&fan()).iter().map(|line| line.row).collect();
        assert_eq!(rows, [0, 1, 2, 3, 4, 5]);
    }
}
