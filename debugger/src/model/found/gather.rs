//! Collects the hits of a search on a worker and formats them as rows.
//!
//! Partial results are published on the way. The pause between them grows with the list, because a
//! longer list takes longer to publish.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use stepback_index::answer::{Access, AccessTarget, Hit, StepRecord};
use stepback_index::query::RawLines;
use stepback_index::{Cancel, Query as _};
use stepback_machine::AccessKind;
use stepback_parsers::Position;

use crate::action::{Direction, FindQuery, FindRange};
use crate::analysis::search::Search;
use crate::analysis::search::meaning::{ParsedSearch, SearchParser};
use crate::analysis::search::stream::SearchExtent;
use crate::messages::say;
use crate::model::effects::effect_words;
use crate::model::found::list::{SearchEnd, SearchResults};
use crate::model::names::place_name;
use crate::model::span::step_code;
use crate::model::table::{Table, TableCell, TableRow, thread_name};
use crate::model::text::short_hex;
use crate::model::{TextRole as Tone, TextSpan};
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
    requested: &SearchRequest,
    cancel: &Cancel,
    publish: &mut dyn FnMut(Arc<SearchResults>),
) -> Result<Arc<SearchResults>> {
    let (first, last) = search_bounds(session, &requested.question.range, requested.at, cancel)?;
    let meaning = match &requested.before {
        Some(before) => Arc::clone(&before.meaning),
        None => {
            let meaning = meaning_of(session, &requested.question, requested.at, cancel)?;
            Arc::new(meaning.with_functions(&session.images))
        }
    };
    let rows = requested
        .before
        .as_ref()
        .map(|before| before.table.rows.clone())
        .unwrap_or_default();
    let begin = requested
        .before
        .as_ref()
        .map_or(first, |before| before.searched);
    let mut gathered = HitCollector {
        session,
        search: &meaning.search,
        cancel,
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
    let left = requested.limit.saturating_sub(gathered.rows.len());
    let (mut failed, mut published, mut pause) = (Ok(()), Instant::now(), INTERVAL);
    let extent = SearchExtent {
        thread: None,
        from,
        limit: left.saturating_add(known),
    };
    if from < last {
        meaning
            .search
            .stream(extent, &session.index, cancel, |found| {
                for hit in found.hits.into_iter().filter(|hit| hit.position <= last) {
                    if known > 0 {
                        known -= 1;
                        continue;
                    }
                    match gathered.row(&hit) {
                        Ok(row) => gathered.rows.push(row),
                        Err(error) => {
                            failed = Err(error);
                            return ControlFlow::Break(());
                        }
                    }
                }
                gathered.searched = found.to.min(last);
                if published.elapsed() > pause {
                    let begun = Instant::now();
                    publish(Arc::new(gathered.found(&meaning, first, last)));
                    // A long list takes longer to publish, so the pause grows with it.
                    (published, pause) = (Instant::now(), INTERVAL.max(10 * begun.elapsed()));
                }
                if found.to > last {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
        failed?;
    }
    if gathered.rows.len() >= requested.limit {
        // The limit cut off other hits of the same stretch.
        let last = gathered.rows.last().and_then(|row| row.position);
        gathered.searched = last.unwrap_or(gathered.searched).min(gathered.searched);
    }
    let is_limited = gathered.rows.len() >= requested.limit && gathered.searched < last;
    gathered.end = if is_limited {
        SearchEnd::Limit
    } else {
        SearchEnd::Done
    };
    if !is_limited {
        gathered.searched = last;
    }
    Ok(Arc::new(gathered.found(&meaning, first, last)))
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

/// Returns the positions between which hits count.
fn search_bounds(
    session: &Session,
    range: &FindRange,
    at: Position,
    cancel: &Cancel,
) -> Result<(Position, Position)> {
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
    Ok((from, to))
}

impl HitCollector<'_> {
    /// Creates the results until now, for the range of the search.
    fn found(&self, meaning: &Arc<ParsedSearch>, from: Position, to: Position) -> SearchResults {
        let mut positions: Vec<u64> = self
            .rows
            .iter()
            .filter_map(|row| Some(row.position?.0))
            .collect();
        positions.sort_unstable();
        positions.dedup();
        let table =
            Table::new(String::new(), &HEADS, self.rows.clone()).without_one_thread(self.session);
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

impl SearchRequest {
    /// Returns the position of the hit next to a position. Runs on a worker.
    ///
    /// # Errors
    /// The search text cannot be resolved, or the trace cannot be read.
    pub fn next_hit(
        &self,
        direction: Direction,
        session: &Session,
        from: Position,
        cancel: &Cancel,
    ) -> Result<Option<Position>> {
        let (first, last) = search_bounds(session, &self.question.range, self.at, cancel)?;
        let meaning = meaning_of(session, &self.question, self.at, cancel)?;
        // Hits outside the range do not count, so the search starts inside it.
        let from = match direction {
            Direction::Forward => from.max(first),
            Direction::Back => from.min(Position(last.0.saturating_add(1))),
        };
        let from = from.min(session.index.end());
        let found = meaning
            .search
            .neighbour(direction, from, &session.index, cancel)?;
        Ok(found.filter(|position| *position > first && *position <= last))
    }
}

/// Columns of the table.
pub const HEADS: [&str; 5] = [
    "head-step",
    "head-thread",
    "head-function",
    "head-instruction",
    "head-match",
];

/// Maximum number of lines of a step that are checked for the match.
const LINES: u64 = 64;
/// Maximum length of a match in characters; longer ones are cut.
const LONGEST: usize = 200;

/// Collects the hits of one search as rows.
struct HitCollector<'a> {
    session: &'a Session,
    search: &'a Search,
    cancel: &'a Cancel,
    rows: Vec<TableRow>,
    searched: Position,
    end: SearchEnd,
}

impl HitCollector<'_> {
    /// Formats a hit as a row. Cost: if the match is in a line of the step and not in its
    /// instruction, the lines are read again.
    ///
    /// # Errors
    /// See [`stepback_index::QueryError`].
    fn row(&self, hit: &Hit) -> Result<TableRow> {
        let (session, record) = (self.session, &hit.record);
        let function = match place_name(&session.images, record.pc) {
            Some(name) => TableCell::new(Tone::Symbol, name),
            None => TableCell::new(Tone::Second, format!("{:08x}", record.pc.0)),
        };
        let cells = vec![
            TableCell::Step(record.step),
            TableCell::new(Tone::Second, thread_name(session, record.thread)),
            function,
            TableCell::new(Tone::Plain, step_code(record, &session.images).full_text()),
            TableCell::Text(self.matched(hit)?),
        ];
        let name = say!("find-hit-at-step", step = record.step.0);
        Ok(TableRow {
            name,
            cells,
            position: Some(hit.position),
            address: address_of(hit),
            ..TableRow::default()
        })
    }

    /// Returns the part of the step that matches.
    fn matched(&self, hit: &Hit) -> Result<TextSpan> {
        if let Some(access) = &hit.access {
            return Ok(access_span(access));
        }
        let record = &hit.record;
        if let Search::Text(pattern) = self.search
            && !pattern.is_match(record.text.as_bytes())
            && let Some(line) = self.line(record, pattern)?
        {
            return Ok(TextSpan::new(Tone::Plain, line));
        }
        Ok(TextSpan::new(
            Tone::Second,
            effect_words(self.session, record)
                .chars()
                .take(LONGEST)
                .collect::<String>(),
        ))
    }

    /// Returns the line of a step that matches.
    fn line(
        &self,
        record: &StepRecord,
        pattern: &stepback_index::query::TextPattern,
    ) -> Result<Option<String>> {
        let Some(first) = record.line else {
            return Ok(None);
        };
        let lines = RawLines {
            first,
            count: LINES,
        }
        .run(&self.session.index, self.cancel)?;
        let found = lines
            .into_iter()
            .find(|line| pattern.is_match(line.text.as_bytes()));
        Ok(found.map(|line| line.text.trim().chars().take(LONGEST).collect()))
    }
}

/// Formats an access: `x0 ← 1f`, `[80020010] ← a9`, `[80020010] = a9`.
fn access_span(access: &Access) -> TextSpan {
    let target = match &access.target {
        AccessTarget::Register(name) => name.clone(),
        AccessTarget::Memory { address, .. } => format!("[{:x}]", address.0),
    };
    let value = short_hex(&access.value);
    let (tone, sign) = match access.kind {
        AccessKind::Read if access.is_external => (Tone::External, '='),
        AccessKind::Read => (Tone::Read, '='),
        AccessKind::Write => (Tone::Write, '←'),
    };
    let word = match access.kind {
        AccessKind::Read => say!("accesses-read"),
        AccessKind::Write => say!("accesses-write"),
    };
    TextSpan::new(
        tone,
        match value {
            Some(value) => format!("{word} {target} {sign} {value}"),
            None => format!("{word} {target}"),
        },
    )
}

fn address_of(hit: &Hit) -> Option<stepback_machine::Address> {
    match hit.access.as_ref()?.target {
        AccessTarget::Memory { address, .. } => Some(address),
        AccessTarget::Register(_) => None,
    }
}
