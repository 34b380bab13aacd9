//! Density of memory accesses: the rows "Reads" and "Writes" of the timeline.
//!
//! A column is estimated from a sample of consecutive steps in its middle. A row therefore costs a
//! bounded number of steps per column, independent of the length of the trace. If a column has no
//! more steps than the sample, the result is exact.

use anyhow::Result;
use stepback_index::{AccessShare, AccessShares, Cancel, Query as _};
use stepback_parsers::{Position, Step};

use super::timeline_rows::TimelineRowsRequest;
use crate::session::Session;

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
/// See [`stepback_index::QueryError`].
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

/// Sample of a column.
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
    use stepback_index::{Effect, Steps};
    use stepback_machine::AccessKind;

    use super::*;
    use crate::session::test_session::overflow;

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
        let told = densities(&session, &request, &Cancel::default()).unwrap();
        assert!(told.is_exact && told.has_any());
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
            assert_eq!(told.columns[column], expected, "column {column}");
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
}
