//! Questions about a position that debuggers have no request for: last writes and explanations.

use std::collections::HashSet;

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};
use stepback_debugger::action::{Direction as SliceDirection, SliceView};
use stepback_debugger::analysis::names::NameResolver;
use stepback_debugger::analysis::slice::{Frames, SliceReading};
use stepback_debugger::analysis::walk::{HitCursor, HitOutcome, HitQuery, Subject};
use stepback_debugger::model::frame_place::FrameLevel;
use stepback_debugger::model::slice::SliceWords;
use stepback_index::Cancel;
use stepback_index::answer::{AccessKinds, Direction, EdgeKinds, ThreadId};
use stepback_index::query::SliceQuery;
use stepback_parsers::Position;

use super::arguments::Arguments;
use super::program::TracedProgram;
use crate::cli::text::{grouped, printable, slice_line, step_line};

/// Maximum number of lines of an explanation.
const LINES: usize = 50;

/// Maximum number of steps that an explanation reads.
const EXPLAINED_STEPS: usize = 1 << 12;

/// Commands of the console.
pub const HELP: &str = "\
position            the position, and the next step
at POS              go to a position: 1250, start, end, 50%, line:N, time:T, pc:ADDR#K
why CELL            the steps that a register or ADDR:LEN comes from
last-write CELL     the last step before the position that wrote it
next-write CELL     the next one; also last-read, next-read, last-access, next-access
reverse-step        to the previous line, into calls
reverse-finish      to the call of this function
help                this list
Anything else is a variable or an expression: h->id, names[2], x0, [sp + 8], table + 2 * x1";

/// Place of a question.
#[derive(Clone, Copy, Debug)]
pub struct Viewpoint {
    pub position: Position,
    pub thread: ThreadId,
    /// Frame whose variables have names.
    pub frame: FrameLevel,
}

impl TracedProgram {
    /// Returns the place of a request: its frame.
    ///
    /// # Errors
    /// There is no such frame.
    pub fn viewpoint(&self, arguments: Arguments<'_>) -> Result<Viewpoint> {
        let frame = self.requested_frame(arguments)?;
        Ok(Viewpoint {
            position: self.position_of(frame),
            thread: frame.thread,
            frame: self.level_of(frame),
        })
    }

    /// Resolves names at a place.
    pub fn names<'a>(&'a self, from: Viewpoint, cancel: &'a Cancel) -> Result<NameResolver<'a>> {
        let (index, images) = (self.index(), &self.session.images);
        Ok(NameResolver::new(
            index,
            images,
            from.position,
            Some(from.thread),
            cancel,
        )?)
    }

    /// Describes the position and the next step.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn position_text(&self, cancel: &Cancel) -> Result<String> {
        let index = self.index();
        let next = self.current_step(self.thread, cancel)?;
        let next = next.filter(|step| step.step.0 >= self.position.0);
        let next = match next {
            Some(record) => format!("next step {}", step_line(&record, index)),
            None => "no step follows".to_owned(),
        };
        Ok(format!(
            "position {} of {}\n{next}",
            grouped(self.position.0),
            grouped(index.step_count())
        ))
    }

    /// Finds the nearest access of a cell.
    ///
    /// # Errors
    /// The text names no cell, or the trace cannot be read.
    pub fn access_json(
        &self,
        what: &str,
        search: AccessSearch,
        from: Viewpoint,
        cancel: &Cancel,
    ) -> Result<Json> {
        let index = self.index();
        let subject = Subject::Accesses(self.names(from, cancel)?.cell(what)?, search.kinds);
        let sought = HitQuery {
            subject,
            direction: search.direction,
        };
        let mut cursor = HitCursor::new(sought, from.position, 1, index, cancel);
        Ok(match cursor.next_hit()? {
            HitOutcome::Hit(hit) => {
                let step = hit.record.step;
                let text = format!("step {}", step_line(&hit.record, index));
                json!({"step": step.0, "position": step.before().0, "text": text})
            }
            HitOutcome::Initial(line) => {
                let line = grouped(line.0);
                let text = format!("stated before the first step, in line {line}");
                json!({"step": null, "text": text})
            }
            HitOutcome::Nothing => json!({"step": null, "text": "nothing found"}),
        })
    }

    /// Answers `stepback/lastWrite`.
    pub fn last_write(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let search = AccessSearch {
            kinds: AccessKinds::Writes,
            direction: Direction::Back,
        };
        let cell = arguments.required_text("cell")?;
        self.access_json(cell, search, self.viewpoint(arguments)?, cancel)
    }

    /// Answers `stepback/why`.
    pub fn why(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let cell = arguments.required_text("cell")?;
        let lines = self.explanation(cell, self.viewpoint(arguments)?, cancel)?;
        Ok(json!({"lines": lines}))
    }

    /// Explains a value, as `stepback why` does.
    ///
    /// # Errors
    /// The text names no cell, or the trace cannot be read.
    pub fn explanation(&self, what: &str, from: Viewpoint, cancel: &Cancel) -> Result<Vec<String>> {
        if what.is_empty() {
            bail!("a register or ADDR:LEN is missing: why x2");
        }
        let index = self.index();
        let query = SliceQuery {
            cell: self.names(from, cancel)?.cell(what)?,
            at: from.position,
            direction: Direction::Back,
            edges: EdgeKinds {
                addresses: false,
                flags: false,
                control: false,
                listed: false,
            },
            limit: EXPLAINED_STEPS,
        };
        let mut walk = query.walk(index, Some(from.thread), cancel)?;
        let (mut reading, mut frames) = (SliceReading::default(), Frames::new(index));
        while let Some(row) = walk.next(cancel)? {
            reading.take(row, &mut frames, cancel)?;
        }
        for row in walk.into_rest() {
            reading.take(row, &mut frames, cancel)?;
        }
        let lines = reading.lines(SliceView::Chain, &HashSet::new());
        let words = SliceWords {
            session: &self.session,
            reading: &reading,
            direction: SliceDirection::Back,
            cancel,
        };
        let mut texts = Vec::new();
        for line in lines.iter().take(LINES) {
            texts.push(slice_line(line, &words.line(line)?, index));
        }
        let hidden = lines.len().saturating_sub(LINES);
        if hidden > 0 {
            texts.push(format!(
                "{} more; stepback why TRACE {} --at {} prints all",
                grouped(u64::try_from(hidden)?),
                printable(what),
                from.position.0
            ));
        }
        Ok(texts)
    }
}

/// Kind and direction of a search for an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessSearch {
    pub kinds: AccessKinds,
    pub direction: Direction,
}

impl AccessSearch {
    /// Returns the search of a command such as `last-write`; none for other commands.
    pub fn find(name: &str) -> Option<Self> {
        let (direction, kind) = name.split_once('-')?;
        let direction = match direction {
            "last" => Direction::Back,
            "next" => Direction::Forward,
            _ => return None,
        };
        let kinds = match kind {
            "write" => AccessKinds::Writes,
            "read" => AccessKinds::Reads,
            "access" => AccessKinds::All,
            _ => return None,
        };
        Some(Self { kinds, direction })
    }
}
