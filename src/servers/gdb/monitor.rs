//! The `monitor` commands: questions that gdb has no command for.

use std::collections::HashSet;

use anyhow::{Context as _, Result, bail};
use stepback_debugger::action::{Direction as SliceDirection, SliceView};
use stepback_debugger::analysis::names::NameResolver;
use stepback_debugger::analysis::slice::{Frames, SliceReading};
use stepback_debugger::analysis::step_places::step_record;
use stepback_debugger::analysis::walk::{HitCursor, HitOutcome, HitQuery, Subject};
use stepback_debugger::model::slice::SliceWords;
use stepback_debugger::place::PositionName;
use stepback_index::answer::{AccessKinds, Direction, EdgeKinds};
use stepback_index::query::SliceQuery;
use stepback_parsers::Step;

use crate::cli::text::{grouped, printable, slice_line, step_line};
use crate::servers::gdb::target::TraceTarget;

/// Maximum number of lines of an answer.
const LINES: usize = 20;

/// Maximum number of steps that an explanation reads.
const EXPLAINED_STEPS: usize = 1 << 12;

const HELP: &str = "\
monitor position              the position, and the next step
monitor at POS                go to a position: 1250, start, end, 50%, line:N, time:T, pc:ADDR#K
monitor here                  go to the position of the window that serves the trace
monitor why CELL              the steps that a register or ADDR:LEN comes from
monitor last-write CELL       the last step before the position that wrote it
monitor next-write CELL       the next one; also last-read, next-read, last-access, next-access
monitor help                  this list
After `monitor at` and `monitor here`, let gdb read everything again:
  maintenance flush register-cache
  maintenance flush dcache
";

impl TraceTarget<'_> {
    /// Answers a command. An error is an answer, too.
    pub(super) fn monitor(&mut self, command: &str) -> String {
        self.monitor_answer(command)
            .unwrap_or_else(|error| format!("{}\n", printable(&format!("{error:#}"))))
    }

    fn monitor_answer(&mut self, command: &str) -> Result<String> {
        let command = command.trim();
        let (name, rest) = command
            .split_once(char::is_whitespace)
            .map_or((command, ""), |(name, rest)| (name, rest.trim()));
        match name {
            "help" | "" => Ok(HELP.to_owned()),
            "position" => self.position_text(),
            "at" => {
                let place: PositionName = rest.parse()?;
                let position = place.resolve(self.session, &self.cancel)?;
                self.move_to(position)?;
                self.position_text()
            }
            "here" => {
                let position = self.window_position();
                self.move_to(position.context("no window serves this trace")?)?;
                self.position_text()
            }
            "why" => self.explanation(rest),
            _ => {
                let (kinds, direction) = access_of(name).with_context(|| {
                    format!("there is no command {name:?}; monitor help lists them")
                })?;
                self.access_text(rest, kinds, direction)
            }
        }
    }

    fn position_text(&self) -> Result<String> {
        let (index, position) = (self.index(), self.position);
        let next = step_record(Step(position.0), index, &self.cancel)?;
        let next = match next {
            Some(record) => format!("next step {}\n", step_line(&record, index)),
            None => "no step follows\n".to_owned(),
        };
        Ok(format!(
            "position {} of {}\n{next}",
            grouped(position.0),
            grouped(index.step_count())
        ))
    }

    fn names(&self) -> Result<NameResolver<'_>> {
        let thread = Some(self.current_thread()?);
        let images = &self.session.images;
        Ok(NameResolver::new(
            self.index(),
            images,
            self.position,
            thread,
            &self.cancel,
        )?)
    }

    fn access_text(&self, what: &str, kinds: AccessKinds, direction: Direction) -> Result<String> {
        let index = self.index();
        let subject = Subject::Accesses(self.names()?.cell(what)?, kinds);
        let sought = HitQuery { subject, direction };
        let mut cursor = HitCursor::new(sought, self.position, 1, index, &self.cancel);
        Ok(match cursor.next_hit()? {
            HitOutcome::Hit(hit) => {
                let step = step_line(&hit.record, index);
                let position = grouped(hit.record.step.0);
                format!("step {step}\nmonitor at {position} goes to the position before it\n")
            }
            HitOutcome::Initial(line) => {
                format!(
                    "stated before the first step, in line {}\n",
                    grouped(line.0)
                )
            }
            HitOutcome::Nothing => "nothing found\n".to_owned(),
        })
    }

    /// Explains a value at the position, as `stepback why` does.
    fn explanation(&self, what: &str) -> Result<String> {
        if what.is_empty() {
            bail!("a register or ADDR:LEN is missing: monitor why x2");
        }
        let index = self.index();
        let query = SliceQuery {
            cell: self.names()?.cell(what)?,
            at: self.position,
            direction: Direction::Back,
            edges: EdgeKinds {
                addresses: false,
                flags: false,
                control: false,
                listed: false,
            },
            limit: EXPLAINED_STEPS,
        };
        let mut walk = query.walk(index, Some(self.current_thread()?), &self.cancel)?;
        let (mut reading, mut frames) = (SliceReading::default(), Frames::new(index));
        while let Some(row) = walk.next(&self.cancel)? {
            reading.take(row, &mut frames, &self.cancel)?;
        }
        for row in walk.into_rest() {
            reading.take(row, &mut frames, &self.cancel)?;
        }
        let lines = reading.lines(SliceView::Chain, &HashSet::new());
        let words = SliceWords {
            session: self.session,
            reading: &reading,
            direction: SliceDirection::Back,
            cancel: &self.cancel,
        };
        let mut text = String::new();
        for line in lines.iter().take(LINES - 1) {
            text.push_str(&slice_line(line, &words.line(line)?, index));
            text.push('\n');
        }
        let hidden = lines.len().saturating_sub(LINES - 1);
        if hidden > 0 {
            text.push_str(&format!(
                "{} more; stepback why TRACE {} --at {} prints all\n",
                grouped(u64::try_from(hidden)?),
                printable(what),
                self.position.0
            ));
        }
        Ok(text)
    }
}

fn access_of(name: &str) -> Option<(AccessKinds, Direction)> {
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
    Some((kinds, direction))
}
