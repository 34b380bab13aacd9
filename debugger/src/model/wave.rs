//! Value of a watch along the trace: a row of the timeline.
//!
//! The search leaps from write to write of the cells that the value depends on. If a pixel column
//! has more writes than are examined, a few of them and the value at its end represent it. A row
//! therefore costs a bounded number of queries per column, independent of the length of the trace
//! and the number of changes.

use anyhow::Result;
use stepback_index::Cancel;
use stepback_index::answer::{Cell, ThreadId};
use stepback_parsers::Position;

use super::timeline_rows::TimelineRowsRequest;
pub use super::watch_state::WaveLevel;
use super::watch_state::watch_level;
use crate::action::Direction;
use crate::analysis::names::NameError;
use crate::analysis::tracked::EvaluationContext;
use crate::notes::Watch;
use crate::session::Session;

/// Maximum number of changes examined per column.
const LOOKED: u32 = 4;
/// Maximum number of different values drawn as boxes; more are drawn as a curve.
const FEW: usize = 8;

/// Watch to draw, and the resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveRequest {
    pub watch: Watch,
    /// Thread whose registers are meant.
    pub thread: ThreadId,
    /// Positions and columns.
    pub view: TimelineRowsRequest,
}

/// Changes in a column in which the value is written.
#[derive(Clone, Debug, PartialEq)]
pub struct WaveColumn {
    /// Position of the first write.
    pub position: Position,
    /// Number of examined writes.
    pub changes: u32,
    /// The column has more writes than were examined.
    pub is_cut: bool,
    /// Minimum of the values, if they are numbers.
    pub least: Option<f64>,
    /// Maximum of the values, if they are numbers.
    pub most: Option<f64>,
    /// Value after the column.
    pub last: WaveLevel,
}

/// Value along a stretch of the trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wave {
    /// Value at the start.
    pub first: WaveLevel,
    /// Columns in which the value is written, in trace order.
    pub columns: Vec<WaveColumn>,
    /// The value depends on a register of the requested thread.
    pub is_of_thread: bool,
    /// Error in the watch.
    pub error: Option<String>,
}

impl Wave {
    /// Returns the minimum and the maximum number; none if no value is a number.
    pub fn extent(&self) -> Option<(f64, f64)> {
        let firsts = self.first.number.into_iter();
        let numbers = firsts.chain(
            self.columns
                .iter()
                .flat_map(|column| [column.least, column.most])
                .flatten(),
        );
        numbers.filter(|number| number.is_finite()).fold(
            None,
            |extent: Option<(f64, f64)>, number| {
                Some(extent.map_or((number, number), |(least, most)| {
                    (least.min(number), most.max(number))
                }))
            },
        )
    }

    /// Returns true if the values are drawn as labelled boxes: they are words, or only a few
    /// different ones.
    pub fn is_boxes(&self) -> bool {
        if self.extent().is_none() {
            return true;
        }
        let mut values: Vec<&Option<String>> = vec![&self.first.words];
        for column in &self.columns {
            if column.is_cut || (column.changes > 1 && column.least != column.most) {
                return false;
            }
            if !values.contains(&&column.last.words) {
                values.push(&column.last.words);
            }
            if values.len() > FEW {
                return false;
            }
        }
        true
    }

    /// Returns the last column that begins at or before a position; none before the first.
    pub fn column_at(&self, position: Position) -> Option<&WaveColumn> {
        let after = self
            .columns
            .partition_point(|column| column.position <= position);
        self.columns.get(after.checked_sub(1)?)
    }
}

/// Evaluates a watch along a stretch. Runs on a worker. Cost: see the module documentation.
///
/// # Errors
/// The trace cannot be read. An error in the watch is part of the answer.
pub fn wave(session: &Session, request: &WaveRequest, cancel: &Cancel) -> Result<Wave> {
    let WaveRequest {
        watch,
        thread,
        view,
    } = request;
    let scene = EvaluationContext {
        index: &session.index,
        images: &session.images,
        thread: *thread,
        cancel,
    };
    let walk = WaveWalk { scene, watch, view };
    match walk.run() {
        Ok(wave) => Ok(wave),
        Err(NameError::Trace(error)) => Err(error.into()),
        Err(error) => Ok(Wave {
            error: Some(error.to_string()),
            ..Wave::default()
        }),
    }
}

struct WaveWalk<'a> {
    scene: EvaluationContext<'a>,
    watch: &'a Watch,
    view: &'a TimelineRowsRequest,
}

impl WaveWalk<'_> {
    fn run(&self) -> Result<Wave, NameError> {
        let (mut at, last) = (self.view.first, self.view.last);
        let (first, mut cells) = self.level(at)?;
        let mut wave = Wave {
            first,
            is_of_thread: self.is_of_thread(&cells),
            ..Wave::default()
        };
        while let Some(change) = self.next(&cells, at, last)? {
            let end = self
                .view
                .end_of(self.view.column_of(change))
                .clamp(change, last);
            let (mut now, mut changes, mut is_cut) = (change, 0, false);
            let mut extent: Option<(f64, f64)> = None;
            let last = loop {
                let (level, of_level) = self.level(now)?;
                cells = of_level;
                wave.is_of_thread |= self.is_of_thread(&cells);
                changes += 1;
                extent = joined(extent, level.number);
                let Some(next) = self.next(&cells, now, end)? else {
                    break level;
                };
                if changes == LOOKED {
                    (is_cut, now) = (true, end);
                    let (level, of_level) = self.level(end)?;
                    cells = of_level;
                    extent = joined(extent, level.number);
                    break level;
                }
                now = next;
            };
            let (least, most) = (extent.map(|(least, _)| least), extent.map(|(_, most)| most));
            wave.columns.push(WaveColumn {
                position: change,
                changes,
                is_cut,
                least,
                most,
                last,
            });
            at = now;
        }
        Ok(wave)
    }

    fn level(&self, at: Position) -> Result<(WaveLevel, Vec<Cell>), NameError> {
        self.scene.cancel.check().map_err(NameError::Trace)?;
        watch_level(&self.scene, self.watch, at)
    }

    fn is_of_thread(&self, cells: &[Cell]) -> bool {
        let is_own = |cell: &Cell| matches!(cell, Cell::Register { thread, .. } if *thread == self.scene.thread);
        cells.iter().any(is_own)
    }

    fn next(
        &self,
        cells: &[Cell],
        at: Position,
        last: Position,
    ) -> Result<Option<Position>, NameError> {
        if at >= last {
            return Ok(None);
        }
        let next = self
            .scene
            .next_write(cells, at, Direction::Forward)
            .map_err(NameError::Trace)?;
        Ok(next.filter(|next| *next <= last))
    }
}

fn joined(extent: Option<(f64, f64)>, number: Option<f64>) -> Option<(f64, f64)> {
    let number = number.filter(|number| number.is_finite());
    match (extent, number) {
        (Some((least, most)), Some(number)) => Some((least.min(number), most.max(number))),
        (extent, number) => extent.or(number.map(|number| (number, number))),
    }
}

#[cfg(test)]
mod tests {
    use stepback_index::answer::ValueSource;

    use super::*;
    use crate::session::test_session::{overflow, tarmac};

    fn wave_of(watch: &str, range: (u64, u64), columns: u32) -> Wave {
        let view = TimelineRowsRequest {
            first: Position(range.0),
            last: Position(range.1),
            columns,
            cell: None,
        };
        let request = WaveRequest {
            watch: Watch::parse(watch),
            thread: ThreadId(0),
            view,
        };
        wave(&overflow(), &request, &Cancel::default()).unwrap()
    }

    fn text(wave: &Wave) -> String {
        let words = |level: &WaveLevel| level.words.clone().unwrap_or_else(|| "?".to_owned());
        let column =
            |column: &WaveColumn| format!("{}: {}", column.position.0, words(&column.last));
        [words(&wave.first)]
            .into_iter()
            .chain(wave.columns.iter().map(column))
            .collect::<Vec<_>>()
            .join(", ")
    }

    #[test]
    fn a_value_is_told_where_it_is_written() {
        // Step 1,188 writes 8002000f, step 1,253 writes 80020012.
        assert_eq!(
            text(&wave_of("x19", (1180, 1260), 80)),
            "8002000c, 1189: 8002000f, 1254: 80020012"
        );
        let stored = wave_of("0x80020010:1 u8", (1240, 1300), 60);
        assert!(text(&stored).contains("1250: 169"), "{}", text(&stored));
    }

    #[test]
    fn each_column_has_the_least_and_the_greatest_of_what_it_was_asked() {
        let fine = wave_of("x1 u64", (900, 1300), 400);
        let coarse = wave_of("x1 u64", (900, 1300), 5);
        assert!(fine.columns.len() > 20 && coarse.columns.len() <= 5);
        assert!(coarse.columns.iter().any(|column| column.is_cut) && !coarse.is_boxes());
        let last = |wave: &Wave| wave.columns.last().map(|column| column.last.clone());
        assert_eq!(last(&fine), last(&coarse));
        let (fine, coarse) = (fine.extent().unwrap(), coarse.extent().unwrap());
        assert!(fine.0 <= coarse.0 && coarse.1 <= fine.1);
    }

    #[test]
    fn values_that_no_step_states_are_told_from_those_that_are() {
        let (session, _place) = tarmac(
            "1 clk IT (1) 00001000 d503201f A svc : NOP\n\
             2 clk IT (2) 00001004 b9400001 A svc : LDR w1,[x0]\n2 clk MR4 00005000 00626467\n\
             3 clk IT (3) 00001008 b9000001 A svc : STR w1,[x0]\n3 clk MW4 00005000 00000001\n\
             4 clk IT (4) 0000100c b9400001 A svc : LDR w1,[x0]\n4 clk MR4 00005000 00000002\n",
        );
        let view = TimelineRowsRequest {
            first: Position(0),
            last: Position(4),
            columns: 4,
            cell: None,
        };
        let request = WaveRequest {
            watch: Watch::parse("0x5000:4 u32"),
            thread: ThreadId(0),
            view,
        };
        let wave = wave(&session, &request, &Cancel::default()).unwrap();
        let sources: Vec<_> = wave
            .columns
            .iter()
            .map(|column| (column.position.0, column.last.source))
            .collect();
        assert_eq!(wave.first.source, ValueSource::Inferred);
        assert!(sources.contains(&(3, ValueSource::Recorded)), "{sources:?}");
        assert_eq!(
            sources.last(),
            Some(&(4, ValueSource::External)),
            "{sources:?}"
        );
    }

    #[test]
    fn only_what_names_a_register_is_of_the_thread() {
        assert!(
            wave_of("x19", (1180, 1260), 80).is_of_thread
                && wave_of("u8[x19+1]", (1180, 1260), 80).is_of_thread
        );
        assert!(!wave_of("0x80020010:1 u8", (1240, 1300), 60).is_of_thread);
    }

    #[test]
    fn what_is_wrong_and_what_is_not_known_is_said() {
        assert!(wave_of("x1 +", (900, 1300), 5).error.is_some());
        assert_eq!(text(&wave_of("0xdead0000:4", (900, 1300), 5)), "?");
    }
}
