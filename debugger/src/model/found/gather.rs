//! Collects the hits of a search on a worker.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use stepback_index::{Cancel, Hit};
use stepback_parsers::Position;

use super::list::{SearchEnd, SearchResults};
use super::rows::{HEADS, HitRowBuilder};
use crate::action::{Direction, FindQuery, FindRange};
use crate::analysis::search::meaning::{ParsedSearch, SearchParser};
use crate::analysis::search::stream::SearchExtent;
use crate::messages::say;
use crate::model::table::{Table, TableRow};
use crate::place::PositionName;
use crate::session::Session;

/// Minimum time between two published partial results.
const INTERVAL: Duration = Duration::from_millis(120);

/// Search request with its limits.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub question: FindQuery,
    /// Position at which names are resolved.
    pub at: Position,
    /// Maximum number of hits, those found before included.
    pub limit: usize,
    /// Earlier results that the search continues.
    pub before: Option<Arc<SearchResults>>,
}

/// Searches for hits and publishes partial results on the way. Runs on a worker.
///
/// # Errors
/// The search text cannot be resolved, or the trace cannot be read.
pub fn gather(
    session: &Session,
    asked: &SearchRequest,
    cancel: &Cancel,
    publish: &mut dyn FnMut(Arc<SearchResults>),
) -> Result<Arc<SearchResults>> {
    let bounds = SearchBounds::of(session, &asked.question.range, asked.at, cancel)?;
    let meaning = match &asked.before {
        Some(before) => Arc::clone(&before.meaning),
        None => Arc::new(meaning_of(session, &asked.question, asked.at, cancel)?),
    };
    let rows = asked
        .before
        .as_ref()
        .map(|before| before.table.rows.clone())
        .unwrap_or_default();
    let begin = asked
        .before
        .as_ref()
        .map_or(bounds.from, |before| before.searched);
    let mut gathered = HitCollector {
        maker: HitRowBuilder::new(session, &meaning, cancel),
        rows,
        searched: begin,
        end: SearchEnd::UnderWay,
    };
    // The limit may have cut off further hits at the last position.
    let mut known = gathered
        .rows
        .iter()
        .rev()
        .take_while(|row| row.position == Some(begin))
        .count();
    let from = if known > 0 {
        Position(begin.0.saturating_sub(1))
    } else {
        begin
    };
    let left = asked.limit.saturating_sub(gathered.rows.len());
    let (mut failed, mut published, mut pause) = (Ok(()), Instant::now(), INTERVAL);
    let extent = SearchExtent {
        thread: None,
        from,
        limit: left.saturating_add(known),
    };
    if from < bounds.to {
        meaning
            .search
            .stream(extent, &session.index, cancel, |found| {
                for hit in found
                    .hits
                    .into_iter()
                    .filter(|hit| hit.position <= bounds.to)
                {
                    if known > 0 {
                        known -= 1;
                    } else if let Err(error) = gathered.take(&hit) {
                        failed = Err(error);
                        return ControlFlow::Break(());
                    }
                }
                gathered.searched = found.to.min(bounds.to);
                if published.elapsed() > pause {
                    let begun = Instant::now();
                    publish(Arc::new(gathered.found(&meaning, bounds)));
                    // A long list takes longer to publish, so the pause grows with it.
                    (published, pause) = (Instant::now(), INTERVAL.max(10 * begun.elapsed()));
                }
                if found.to > bounds.to {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
        failed?;
    }
    if gathered.rows.len() >= asked.limit {
        // The limit cut off other hits of the same stretch.
        let last = gathered.rows.last().and_then(|row| row.position);
        gathered.searched = last.unwrap_or(gathered.searched).min(gathered.searched);
    }
    let is_limited = gathered.rows.len() >= asked.limit && gathered.searched < bounds.to;
    gathered.end = if is_limited {
        SearchEnd::Limit
    } else {
        SearchEnd::Done
    };
    if !is_limited {
        gathered.searched = bounds.to;
    }
    Ok(Arc::new(gathered.found(&meaning, bounds)))
}

fn meaning_of(
    session: &Session,
    question: &FindQuery,
    at: Position,
    cancel: &Cancel,
) -> Result<ParsedSearch> {
    let reader = SearchParser::new(
        &session.index,
        &session.images,
        at.min(session.index.end()),
        cancel,
    )?;
    Ok(reader.read(&question.text, question.kind)?)
}

/// Positions between which hits count.
#[derive(Clone, Copy)]
struct SearchBounds {
    from: Position,
    to: Position,
}

impl SearchBounds {
    fn of(session: &Session, range: &FindRange, at: Position, cancel: &Cancel) -> Result<Self> {
        let place = |text: &str, side: &'static str| -> Result<Position> {
            let place: PositionName = text.parse().context(side)?;
            place.resolve_from(session, at, cancel).context(side)
        };
        let from = if range.from.trim().is_empty() {
            Position(0)
        } else {
            place(&range.from, say!("find-where-it-begins"))?
        };
        let to = if range.to.trim().is_empty() {
            session.index.end()
        } else {
            place(&range.to, say!("find-where-it-ends"))?
        };
        ensure!(
            from <= to,
            "{}",
            say!(
                "find-ends-before",
                from = from.0.to_string(),
                to = to.0.to_string()
            )
        );
        Ok(Self { from, to })
    }
}

struct HitCollector<'a> {
    maker: HitRowBuilder<'a>,
    rows: Vec<TableRow>,
    searched: Position,
    end: SearchEnd,
}

impl HitCollector<'_> {
    fn take(&mut self, hit: &Hit) -> Result<()> {
        self.rows.push(self.maker.row(hit)?);
        Ok(())
    }

    fn found(
        &self,
        meaning: &Arc<ParsedSearch>,
        SearchBounds { from, to }: SearchBounds,
    ) -> SearchResults {
        let mut positions: Vec<u64> = self
            .rows
            .iter()
            .filter_map(|row| Some(row.position?.0))
            .collect();
        positions.sort_unstable();
        positions.dedup();
        let table = Table::new(String::new(), &HEADS, self.rows.clone())
            .without_one_thread(self.maker.session);
        SearchResults {
            meaning: Arc::clone(meaning),
            table: Arc::new(table),
            positions: positions.into(),
            from,
            to,
            searched: self.searched,
            end: self.end,
        }
    }
}

/// Query for the next hit in one direction.
#[derive(Clone, Debug)]
pub struct HitQuestion {
    pub question: FindQuery,
    /// Position at which names are resolved.
    pub asked_at: Position,
    pub way: Direction,
    /// Position to search from.
    pub from: Position,
}

impl HitQuestion {
    /// Returns the position of the hit. Runs on a worker.
    ///
    /// # Errors
    /// The search text cannot be resolved, or the trace cannot be read.
    pub fn answer(&self, session: &Session, cancel: &Cancel) -> Result<Option<Position>> {
        let bounds = SearchBounds::of(session, &self.question.range, self.asked_at, cancel)?;
        let meaning = meaning_of(session, &self.question, self.asked_at, cancel)?;
        // Hits outside the range do not count, so the search starts inside it.
        let from = match self.way {
            Direction::Forward => self.from.max(bounds.from),
            Direction::Back => self.from.min(Position(bounds.to.0.saturating_add(1))),
        };
        let from = from.min(session.index.end());
        let found = meaning
            .search
            .neighbour(self.way, from, &session.index, cancel)?;
        Ok(found.filter(|position| *position > bounds.from && *position <= bounds.to))
    }
}
