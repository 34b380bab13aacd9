//! Rows below the timeline's lanes: accesses of a cell, unusual events, and the density of memory
//! accesses ("Reads" and "Writes").
//!
//! A row has at most one tick per pixel column. The search leaps: the first hit from the start of a
//! column is that column's tick, and the search continues at the next column. A density is
//! estimated from a sample of consecutive steps in the middle of its column; it is exact if the
//! column has no more steps. A row therefore costs a bounded number of queries and steps per
//! column, independent of the length of the trace.

use anyhow::Result;
use stepback_index::answer::{AccessKinds, Cell, Direction};
use stepback_index::query::{
    AccessShare, AccessShares, ExternalChanges, NearestAccess, NextMarker,
};
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_parsers::{GapReason, MarkerKind, Position, Step};

use crate::analysis::exceptions::EVENTS;
use crate::analysis::schedule::{BoundedList, LaneMark};
use crate::messages::say;
use crate::session::Session;

/// Part of the trace to draw, and its resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineRowsRequest {
    /// First position.
    pub first: Position,
    /// Last position.
    pub last: Position,
    /// Number of pixel columns.
    pub columns: u32,
    /// Cell whose accesses are shown.
    pub cell: Option<Cell>,
}

/// Ticks of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineRows {
    /// Accesses of the cell, reads before writes, so that a write is drawn over a read.
    pub accesses: Vec<Tick>,
    /// Interruptions of the program.
    pub exceptions: Vec<Tick>,
    /// Unusual events, gaps last.
    pub marks: Vec<Tick>,
}

/// Event at a place of the strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Pixel column.
    pub column: u32,
    /// First position in the column at which the event is visible.
    pub position: Position,
    pub kind: TickKind,
}

/// Kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickKind {
    /// The cell was read.
    Read,
    /// The cell was written.
    Write,
    /// Memory had changed without a record.
    External,
    /// A signal, a trap or another event of the kernel.
    Event,
    /// A hit of the search.
    Hit,
    /// A step of the slice.
    Slice,
    /// A difference to the second trace.
    Difference,
    /// Instructions are missing.
    Gap,
}

impl TickKind {
    /// Describes the event.
    pub fn words(self) -> &'static str {
        match self {
            Self::Read => say!("tick-read"),
            Self::Write => say!("tick-written"),
            Self::External => say!("tick-external-change-memory-differs-from"),
            Self::Event => say!("tick-exception-trap-interrupt-or-signal"),
            Self::Hit => say!("tick-of-the-search"),
            Self::Slice => say!("tick-of-the-slice"),
            Self::Difference => say!("tick-difference"),
            Self::Gap => say!("tick-gap-instructions-are-missing-here"),
        }
    }
}

/// Finds the ticks of the rows. Runs on a worker. Cost: a few queries per column, see the module
/// documentation.
///
/// # Errors
/// See [`QueryError`].
pub fn rows(
    session: &Session,
    request: &TimelineRowsRequest,
    cancel: &Cancel,
) -> Result<TimelineRows> {
    let leaper = TickFinder {
        session,
        request,
        cancel,
    };
    let mut found = TimelineRows::default();
    if let Some(cell) = request.cell {
        for (kinds, kind) in [
            (AccessKinds::Reads, TickKind::Read),
            (AccessKinds::Writes, TickKind::Write),
        ] {
            found.accesses.extend(leaper.accesses(cell, kinds, kind)?);
        }
    }
    found.marks.extend(leaper.externals()?);
    found.exceptions = leaper.markers(&EVENTS, TickKind::Event)?;
    found
        .marks
        .extend(leaper.markers(&GapReason::ALL.map(GapReason::kind), TickKind::Gap)?);
    Ok(found)
}

/// Returns one tick per column for the entries of handlers. O(columns · log n).
pub fn exception_ticks(
    entries: &BoundedList<LaneMark>,
    request: &TimelineRowsRequest,
) -> Vec<Tick> {
    let (list, TimelineRowsRequest { first, last, .. }) = (entries.list(), *request);
    let (mut ticks, mut from) = (Vec::<Tick>::new(), first);
    while from <= last {
        let next = list.get(list.partition_point(|mark| mark.first < from.0));
        let Some(position) = next
            .map(|mark| Position(mark.first))
            .filter(|at| *at <= last)
        else {
            break;
        };
        let column = request.column_of(position);
        ticks.push(Tick {
            column,
            position,
            kind: TickKind::Event,
        });
        from = request.start_of(column.saturating_add(1)).max(position);
        from.0 += 1;
    }
    ticks
}

/// Merges the ticks of two sources, one per column.
pub fn merged(one: &[Tick], other: &[Tick]) -> Vec<Tick> {
    let mut ticks = [one, other].concat();
    ticks.sort_by_key(|tick| (tick.column, tick.position));
    ticks.dedup_by_key(|tick| tick.column);
    ticks
}

/// Finds ticks by leaping from column to column.
struct TickFinder<'a> {
    session: &'a Session,
    request: &'a TimelineRowsRequest,
    cancel: &'a Cancel,
}

impl TickFinder<'_> {
    fn accesses(&self, cell: Cell, kinds: AccessKinds, kind: TickKind) -> Result<Vec<Tick>> {
        self.leap(kind, |from| {
            let hit = NearestAccess::next(cell, kinds, from).hit(&self.session.index, self.cancel);
            let hit = QueryError::if_recorded(hit)?.flatten();
            Ok(hit.map(|hit| hit.position))
        })
    }

    fn externals(&self) -> Result<Vec<Tick>> {
        self.leap(TickKind::External, |from| {
            let next = ExternalChanges {
                range: None,
                thread: None,
                at: from,
                direction: Direction::Forward,
                skip: 0,
                limit: 1,
            };
            let hits = QueryError::if_recorded(next.run(&self.session.index, self.cancel))?;
            Ok(hits.and_then(|hits| Some(hits.first()?.hit.position)))
        })
    }

    fn markers(&self, kinds: &[MarkerKind], kind: TickKind) -> Result<Vec<Tick>> {
        let mut has_begun = false;
        self.leap(kind, |from| {
            let is_start = !std::mem::replace(&mut has_begun, true) && from.0 == 0;
            let from = if is_start {
                from
            } else {
                Position(from.0.saturating_add(1))
            };
            if from > self.request.last {
                return Ok(None);
            }
            Ok(NextMarker {
                kinds: kinds.to_vec(),
                from,
            }
            .run(&self.session.index, self.cancel)?)
        })
    }

    /// Returns a tick for each column that has a hit. `next` returns the first hit visible after a
    /// position.
    fn leap(
        &self,
        kind: TickKind,
        mut next: impl FnMut(Position) -> Result<Option<Position>>,
    ) -> Result<Vec<Tick>> {
        let TimelineRowsRequest { first, last, .. } = *self.request;
        let (mut ticks, mut from) = (Vec::new(), first);
        while ticks.is_empty() || from < last {
            self.cancel.check()?;
            let Some(position) = next(from)?.filter(|position| *position <= last) else {
                break;
            };
            let column = self.request.column_of(position);
            ticks.push(Tick {
                column,
                position,
                kind,
            });
            from = self
                .request
                .start_of(column.saturating_add(1))
                .max(position);
        }
        Ok(ticks)
    }
}

impl TimelineRowsRequest {
    /// Returns the column of a position.
    pub fn column_of(&self, position: Position) -> u32 {
        let Self {
            first,
            last,
            columns,
            ..
        } = *self;
        let length = u128::from(last.0.saturating_sub(first.0)).max(1);
        let offset = u128::from(position.0.saturating_sub(first.0));
        let column = offset * u128::from(columns) / length;
        u32::try_from(column)
            .unwrap_or(u32::MAX)
            .min(columns.saturating_sub(1))
    }

    /// Returns the last position of a column.
    pub fn end_of(&self, column: u32) -> Position {
        self.start_of(column.saturating_add(1))
    }

    /// Returns the last position before a column; hits visible after it belong to the column.
    fn start_of(&self, column: u32) -> Position {
        let Self {
            first,
            last,
            columns,
            ..
        } = *self;
        let length = u128::from(last.0.saturating_sub(first.0));
        let offset = (length * u128::from(column)).div_ceil(u128::from(columns.max(1)));
        Position(
            first
                .0
                .saturating_add(u64::try_from(offset).unwrap_or(u64::MAX))
                .saturating_sub(1),
        )
    }
}

/// Maximum number of steps sampled per column.
pub const SAMPLED: u64 = 32;

/// Densities of the columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessDensities {
    /// Shares by pixel column.
    pub columns: Vec<AccessShare>,
    /// True if every step was counted.
    pub is_exact: bool,
}

impl AccessDensities {
    /// Returns true if any sampled step reads or writes.
    pub fn has_any(&self) -> bool {
        self.columns
            .iter()
            .any(|share| share.reads > 0 || share.writes > 0)
    }
}

/// Samples the columns of a request. Runs on a worker. Cost: [`SAMPLED`] steps per column.
///
/// # Errors
/// See [`QueryError`].
pub fn densities(
    session: &Session,
    request: &TimelineRowsRequest,
    cancel: &Cancel,
) -> Result<AccessDensities> {
    let mut found = AccessDensities {
        columns: Vec::with_capacity(request.columns as usize),
        is_exact: true,
    };
    for stretch in stretches(request) {
        found.is_exact &= stretch.is_whole;
        let share = AccessShares {
            first: stretch.first,
            count: stretch.count,
        };
        found.columns.push(share.run(&session.index, cancel)?);
    }
    Ok(found)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ColumnSample {
    first: Step,
    count: u64,
    /// True if the sample contains all steps of the column.
    is_whole: bool,
}

fn stretches(request: &TimelineRowsRequest) -> impl Iterator<Item = ColumnSample> + use<> {
    let TimelineRowsRequest {
        first: Position(first),
        last: Position(last),
        columns,
        ..
    } = *request;
    let border = move |column: u32| {
        let length = u128::from(last.saturating_sub(first));
        let offset = length * u128::from(column) / u128::from(columns.max(1));
        first.saturating_add(u64::try_from(offset).unwrap_or(u64::MAX))
    };
    (0..columns).map(move |column| {
        let (from, to) = (border(column), border(column.saturating_add(1)));
        let length = to.saturating_sub(from);
        match length {
            // If a step is wider than a pixel, all its columns show it.
            0 => ColumnSample {
                first: Step(from.min(last.saturating_sub(1))),
                count: 1,
                is_whole: true,
            },
            1..=SAMPLED => ColumnSample {
                first: Step(from),
                count: length,
                is_whole: true,
            },
            _ => ColumnSample {
                first: Step(from + (length - SAMPLED) / 2),
                count: SAMPLED,
                is_whole: false,
            },
        }
    })
}

#[cfg(test)]
mod tests {
    use stepback_index::answer::MemoryRange;

    use crate::analysis::schedule::LaneMarkKind;

    use super::*;
    use crate::analysis::names::NameResolver;
    use crate::session::test_session::overflow;

    fn request(session: &Session, columns: u32, cell: &str) -> TimelineRowsRequest {
        let cancel = Cancel::default();
        let names = NameResolver::new(
            &session.index,
            &session.images,
            Position(100),
            None,
            &cancel,
        )
        .unwrap();
        let cell = Some(names.cell(cell).unwrap());
        TimelineRowsRequest {
            first: Position(0),
            last: session.index.end(),
            columns,
            cell,
        }
    }

    /// Returns every hit, in order.
    fn all(session: &Session, request: &TimelineRowsRequest, kinds: AccessKinds) -> Vec<Position> {
        let (cell, mut from, mut found) = (request.cell.unwrap(), Position(0), Vec::new());
        while let Some(hit) = (NearestAccess::next(cell, kinds, from))
            .hit(&session.index, &Cancel::default())
            .unwrap()
        {
            (from, found) = (hit.position, [found, vec![hit.position]].concat());
        }
        found
    }

    #[test]
    fn each_column_has_the_first_access_in_it() {
        let session = overflow();
        for (columns, cell) in [
            (7, "x0"),
            (100, "x1"),
            (100, "sp"),
            (100_000, "x0"),
            (100, "[sp]:8"),
        ] {
            let request = request(&session, columns, cell);
            let rows = rows(&session, &request, &Cancel::default()).unwrap();
            for (kinds, kind) in [
                (AccessKinds::Reads, TickKind::Read),
                (AccessKinds::Writes, TickKind::Write),
            ] {
                let mut expected: Vec<(u32, Position)> = all(&session, &request, kinds)
                    .into_iter()
                    .map(|at| (request.column_of(at), at))
                    .collect();
                expected.dedup_by_key(|(column, _)| *column);
                let of_kind = rows.accesses.iter().filter(|tick| tick.kind == kind);
                let shown: Vec<(u32, Position)> =
                    of_kind.map(|tick| (tick.column, tick.position)).collect();
                assert_eq!(shown, expected, "{columns} {cell} {kind:?}");
            }
        }
    }

    #[test]
    fn a_row_asks_as_often_as_it_has_columns_however_much_happens() {
        let session = overflow();
        let (last, columns) = (Position(10_000_000_000), 1200);
        let request = TimelineRowsRequest {
            first: Position(0),
            last,
            columns,
            cell: None,
        };
        let leaper = TickFinder {
            session: &session,
            request: &request,
            cancel: &Cancel::default(),
        };
        let mut requested = 0;
        // An event at each step.
        let ticks = leaper.leap(TickKind::Event, |from| {
            requested += 1;
            Ok(Some(Position(from.0 + 1)))
        });
        assert!((1200..=1201).contains(&ticks.unwrap().len()));
        assert!(requested <= 1201, "{requested}");
        let mut entries = BoundedList::with_limit(1 << 10);
        for number in 0..100_000u64 {
            let first = number * 100_000;
            entries.push(LaneMark {
                first,
                end: first,
                kind: LaneMarkKind::Kernel,
                count: 1,
            });
        }
        assert!(entries.list().len() <= 1 << 10);
        let ticks = exception_ticks(&entries, &request);
        assert!((500..=1200).contains(&ticks.len()), "{}", ticks.len());
        assert!(ticks.windows(2).all(|pair| pair[0].column < pair[1].column));
    }

    #[test]
    fn no_cell_has_no_accesses() {
        let session = overflow();
        let request = TimelineRowsRequest {
            cell: None,
            ..request(&session, 10, "x0")
        };
        assert_eq!(
            rows(&session, &request, &Cancel::default())
                .unwrap()
                .accesses,
            []
        );
        let nowhere = MemoryRange {
            address: stepback_machine::Address(u64::MAX - 8),
            len_bytes: 8,
        };
        let cell = Some(Cell::Memory {
            address: nowhere.address,
            len_bytes: nowhere.len_bytes,
        });
        assert_eq!(
            rows(
                &session,
                &TimelineRowsRequest { cell, ..request },
                &Cancel::default()
            )
            .unwrap()
            .accesses,
            []
        );
    }
}

#[cfg(test)]
mod timeline_density_tests {
    use std::path::Path;

    use stepback_index::answer::Effect;
    use stepback_index::query::Steps;
    use stepback_machine::AccessKind;

    use super::*;
    use crate::session::test_session::overflow;
    use crate::session::{OpenOptions, open};

    fn request(first: u64, last: u64, columns: u32) -> TimelineRowsRequest {
        TimelineRowsRequest {
            first: Position(first),
            last: Position(last),
            columns,
            cell: None,
        }
    }

    #[test]
    fn each_column_has_the_shares_of_its_steps() {
        let session = overflow();
        let request = request(0, session.index.step_count(), 100);
        let stated = densities(&session, &request, &Cancel::default()).unwrap();
        assert!(stated.is_exact && stated.has_any());
        let steps = Steps {
            first: Step(0),
            count: u64::MAX,
        }
        .run(&session.index, &Cancel::default())
        .unwrap();
        for (column, stretch) in stretches(&request).enumerate() {
            let inside = steps
                .iter()
                .skip(stretch.first.0 as usize)
                .take(stretch.count as usize);
            let does = |wanted: AccessKind| {
                let is_one = |effect: &Effect| matches!(effect, Effect::Access(access) if access.kind == wanted && !access.is_decoded);
                inside
                    .clone()
                    .filter(|step| step.effects.iter().any(is_one))
                    .count() as u64
            };
            let expected = AccessShare {
                steps: stretch.count,
                reads: does(AccessKind::Read),
                writes: does(AccessKind::Write),
            };
            assert_eq!(stated.columns[column], expected, "column {column}");
        }
    }

    #[test]
    fn ten_thousand_million_steps_cost_as_much_as_pixels() {
        let request = request(0, 10_000_000_000, 1200);
        let all: Vec<ColumnSample> = stretches(&request).collect();
        assert_eq!(all.len(), 1200);
        assert_eq!(
            all.iter().map(|stretch| stretch.count).sum::<u64>(),
            1200 * SAMPLED
        );
        assert!(
            all.windows(2)
                .all(|pair| pair[0].first.0 + pair[0].count <= pair[1].first.0)
        );
        let single = TimelineRowsRequest {
            columns: 4,
            ..self::request(7, 9, 4)
        };
        let steps: Vec<u64> = stretches(&single).map(|stretch| stretch.first.0).collect();
        assert_eq!(steps, [7, 7, 8, 8]);
    }

    #[test]
    fn a_trace_without_accesses_has_marks_where_records_were_lost() {
        let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/btrace"));
        let folder = tempfile::tempdir().unwrap();
        for name in ["hello_gap.btf", "hello.elf"] {
            std::fs::copy(fixtures.join(name), folder.path().join(name)).unwrap();
        }
        let options = OpenOptions::new(folder.path().join("hello_gap.btf"));
        let session = open(&options, &Default::default(), &Default::default()).unwrap();
        let request = TimelineRowsRequest {
            first: Position(0),
            last: session.index.end(),
            columns: 2000,
            cell: None,
        };
        let rows = rows(&session, &request, &Cancel::default()).unwrap();
        let marks = rows.marks.iter().map(|tick| (tick.position, tick.kind));
        // Record 121 was lost, before step 575.
        assert_eq!(marks.collect::<Vec<_>>(), [(Position(575), TickKind::Gap)]);
    }
}
