//! Moves that need a search: for a position, an access, a call or a line. They run on the worker,
//! one at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use stepback_index::Cancel;
use stepback_index::answer::{AccessKinds, Cell, Hit};
use stepback_index::read::SlotReader;
use stepback_parsers::Position;

use super::found::LookupResult;
use super::words::count;
use crate::action::WindowId;
use crate::action::{Access, Action, CellName, Direction, TravelAction, ViewAction};
use crate::analysis::names::NameResolver;
use crate::analysis::walk;
use crate::analysis::walk::{HitCursor, HitQuery, Subject};
use crate::image::SourceLineName;
use crate::messages::{error_words, say};
use crate::model::go_to::suggestions;
use crate::model::so_far::{doubt_words, nothing_so_far};
use crate::model::source_view::LineQuestion;
use crate::place::{PositionName, is_misnamed, is_missing};
use crate::session::Session;
use crate::worker::{JobLane, Ticket, Worker};

/// Time after which progress is shown: most searches end sooner.
const LATE_AFTER: Duration = Duration::from_millis(300);

/// A search under way whose result moves a window.
pub struct PlaceLookup {
    /// The window that will move.
    pub window: WindowId,
    /// Text of the "Go to" box, if the search came from there.
    pub place: Option<String>,
    /// Number of steps passed by a search that tests one moment after another.
    pub reached: Option<Arc<AtomicU64>>,
    pub(super) begun: Instant,
    pub(super) lane: JobLane,
    /// Kept, so that the query can be repeated.
    pub(super) question: Arc<LookupQuery>,
    pub(super) ticket: Ticket<LookupResult>,
}

/// Query for an access of a cell.
#[derive(Clone, Debug)]
pub struct AccessLookup {
    pub cell: CellName,
    /// Kind of access.
    pub access: Access,
    /// Direction of the search.
    pub direction: Direction,
    /// Start of the search.
    pub from: Position,
    /// Last position of a forward search. A register is that of the thread at this position.
    pub until: Option<Position>,
}

/// Query that runs on the worker.
pub type LookupQuery = dyn Fn(&Session, &Cancel) -> Result<LookupResult> + Send + Sync;

impl PlaceLookup {
    /// Starts a query on the worker.
    pub(super) fn requested(
        session: &Arc<Session>,
        worker: &Worker,
        window: WindowId,
        lane: JobLane,
        question: Arc<LookupQuery>,
    ) -> Self {
        let (requested, session) = (Arc::clone(&question), Arc::clone(session));
        let ticket = worker.spawn(lane, move |cancel| requested(&session, cancel));
        Self {
            window,
            place: None,
            reached: None,
            begun: Instant::now(),
            lane,
            question,
            ticket,
        }
    }

    /// Repeats the query in another session of the trace.
    #[must_use]
    pub fn requested_again(self, session: &Arc<Session>, worker: &Worker) -> Self {
        let Self {
            window,
            place,
            reached,
            begun,
            lane,
            question,
            ..
        } = self;
        Self {
            place,
            reached,
            begun,
            ..Self::requested(session, worker, window, lane, question)
        }
    }

    /// Returns a progress text once the search takes long.
    pub fn words(&self) -> Option<String> {
        let steps = self.reached.as_ref();
        let steps = steps.map_or(0, |steps| steps.load(Ordering::Relaxed));
        (self.begun.elapsed() > LATE_AFTER).then(|| progress_words(steps))
    }

    /// Returns the result; none while the search is under way.
    pub fn poll(&self) -> Option<Result<LookupResult>> {
        self.ticket.take()
    }
}

fn progress_words(steps: u64) -> String {
    match steps {
        0 => say!("lookup-looking").to_owned(),
        steps => say!("lookup-looked", count = steps),
    }
}

/// Searches for the position that a text names.
pub(super) fn place_found(
    text: &str,
    session: &Session,
    from: Position,
    cancel: &Cancel,
) -> Result<LookupResult> {
    let place = text.parse::<PositionName>();
    if let Ok(PositionName::SourceLine(SourceLineName { file, line })) = place {
        let question = LineQuestion {
            file,
            line,
            direction: Direction::Forward,
            thread: None,
        };
        return line_found(&question, session, from, cancel);
    }
    let found = place.and_then(|place| Ok((place.resolve_from(session, from, cancel)?, place)));
    let (at, place) = match found {
        Ok(found) => found,
        Err(error) => return other_meaning(session, from, text, error, cancel),
    };
    Ok(
        match place
            .remarks(session, Some(from), cancel)?
            .into_iter()
            .next()
        {
            Some(remark) => LookupResult::Noted(at, remark),
            None => LookupResult::Position(at),
        },
    )
}

/// Interprets a text that is no position as a function, a displayed address or a source line.
fn other_meaning(
    session: &Session,
    from: Position,
    text: &str,
    error: anyhow::Error,
    cancel: &Cancel,
) -> Result<LookupResult> {
    if !is_misnamed(&error) && text.parse::<PositionName>().is_ok() {
        return Err(error);
    }
    let Some(best) = suggestions(session, text, cancel)?.into_iter().next() else {
        return Err(match is_missing(&error) {
            true => anyhow!(nothing_so_far(session, error_words(&error))),
            false if is_word(text) => {
                let text = format!("{text:?}");
                anyhow!(say!("lookup-no-function-no-position", text = text))
            }
            false => error,
        });
    };
    let said = say!("lookup-best", title = best.title, note = best.note);
    match best.action {
        Action::Travel(TravelAction::GoTo(place)) => {
            let place = place.parse::<PositionName>()?;
            let at = match place.next_visit(session, from, cancel)? {
                Some(next) => next,
                None => place.resolve_from(session, from, cancel)?,
            };
            Ok(LookupResult::Noted(at, said))
        }
        Action::Travel(TravelAction::GoToLine(file, line, direction, thread)) => {
            let question = LineQuestion {
                file,
                line,
                direction,
                thread,
            };
            line_found(&question, session, from, cancel)
        }
        Action::View(ViewAction::ShowMemory(address)) => Err(anyhow!(say!(
            "lookup-is-memory",
            text = text,
            address = address
        ))),
        _ => Err(error),
    }
}

/// Returns true for a single word that begins like a name.
fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && !text.contains([' ', ':'])
}

/// Searches for an execution of a source line.
pub(super) fn line_found(
    question: &LineQuestion,
    session: &Session,
    from: Position,
    cancel: &Cancel,
) -> Result<LookupResult> {
    let found = question.answer(session, from, cancel)?;
    let (line, file) = (question.line.to_string(), question.name());
    let nothing = || match question.direction {
        Direction::Back => say!("lookup-line-before", line = &line, file = file),
        Direction::Forward => say!("lookup-line-after", line = &line, file = file),
    };
    let Some((position, thread)) = found else {
        return Ok(LookupResult::nothing(
            session,
            question.direction,
            nothing(),
        ));
    };
    // Panels show the thread that executed last, unless another thread is selected.
    if question.thread.is_some() || SlotReader(&session.index).thread_at(position)? == thread {
        return Ok(LookupResult::Position(position));
    }
    let thread = session.index.threads().get(usize::from(thread.0));
    let name = thread.map_or("", |thread| thread.name.as_str());
    Ok(LookupResult::Noted(
        position,
        say!("lookup-other-thread", thread = name, line = &line),
    ))
}

impl AccessLookup {
    /// Runs the query on the index. A last access lands after the step that made it, so that its
    /// effect shows. If the step just before the position made it, the access before that is meant,
    /// since the other would be no move.
    pub fn answer(&self, session: &Session, cancel: &Cancel) -> Result<LookupResult> {
        let cell = self.cell(session, cancel)?;
        let kinds = match self.access {
            Access::Read => AccessKinds::Reads,
            Access::Write => AccessKinds::Writes,
        };
        let sought = HitQuery {
            subject: Subject::Accesses(cell, kinds),
            direction: self.direction,
        };
        let found = HitCursor::new(sought, self.from, 1, &session.index, cancel)
            .leaving(self.from)
            .next_hit()?;
        let is_past = |hit: &Hit| self.until.is_some_and(|until| until < hit.position);
        Ok(match found {
            walk::HitOutcome::Hit(hit) if is_past(&hit) => self.nothing(session),
            walk::HitOutcome::Hit(hit) => self.found(&hit),
            walk::HitOutcome::Initial(line) => {
                let (name, line) = (self.name(), count(line.0));
                let said = say!("lookup-from-line", cell = name, line = line);
                LookupResult::Noted(Position(0), said)
            }
            walk::HitOutcome::Nothing => self.nothing(session),
        })
    }

    /// Creates the result of a hit, with a remark if the hit is doubtful.
    fn found(&self, hit: &Hit) -> LookupResult {
        let Some(doubt) = hit.doubt else {
            return LookupResult::Position(hit.position);
        };
        let (cell, doubt) = (self.name(), doubt_words(doubt, hit.record.instruction_set));
        let words = match self.access {
            Access::Read => say!("lookup-read-doubt", cell = cell, doubt = doubt),
            Access::Write => say!("lookup-write-doubt", cell = cell, doubt = doubt),
        };
        LookupResult::Noted(hit.position, words)
    }

    fn nothing(&self, session: &Session) -> LookupResult {
        let cell = self.name();
        if let Some(until) = self.until {
            let (from, until) = (count(self.from.0), count(until.0));
            return LookupResult::Nothing(match self.access {
                Access::Read => say!(
                    "lookup-not-read-between",
                    cell = cell,
                    from = from,
                    until = until
                ),
                Access::Write => say!(
                    "lookup-not-written-between",
                    cell = cell,
                    from = from,
                    until = until
                ),
            });
        }
        let words = match (self.access, self.direction) {
            (Access::Read, Direction::Back) => say!("lookup-not-read-before", cell = cell),
            (Access::Read, Direction::Forward) => say!("lookup-not-read-after", cell = cell),
            (Access::Write, Direction::Back) => say!("lookup-not-written-before", cell = cell),
            (Access::Write, Direction::Forward) => say!("lookup-not-written-after", cell = cell),
        };
        LookupResult::nothing(session, self.direction, words)
    }

    fn name(&self) -> String {
        match &self.cell {
            CellName::Register(name) => name.clone(),
            CellName::Memory(address, 1) => say!("lookup-byte-at", address = address),
            CellName::Memory(address, length) => {
                say!(
                    "lookup-memory-at",
                    address = address,
                    length = length.to_string()
                )
            }
        }
    }

    /// Resolves the cell. A name that is no register of the thread is taken for an address
    /// expression, most likely a symbol.
    fn cell(&self, session: &Session, cancel: &Cancel) -> Result<Cell> {
        let at = self.until.unwrap_or(self.from);
        let names = NameResolver::new(&session.index, &session.images, at, None, cancel)?;
        let (text, cell) = match &self.cell {
            CellName::Register(name) => (name, names.cell(name)),
            CellName::Memory(address, length) => (address, names.memory_cell(address, *length)),
        };
        cell.map_err(|error| error.explained(say!("lookup-is-no-cell", text = format!("{text:?}"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_steps_is_told_while_it_grows() {
        assert_eq!(progress_words(0), "Searching…");
        assert_eq!(progress_words(12_345), "Searching: 12,345 steps so far");
    }
}
