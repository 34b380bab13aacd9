//! The `monitor` commands: questions that gdb has no command for.

use anyhow::{Context as _, Error, Result, anyhow};
use stepback_debugger::analysis::names::NameError;
use stepback_debugger::analysis::step_places::step_record;
use stepback_debugger::model::frame_place::FrameLevel;
use stepback_debugger::place::PositionName;
use stepback_parsers::Step;

use crate::cli::text::{grouped, printable};
use crate::servers::gdb::target::TraceTarget;
use crate::servers::viewpoint::{AccessSearch, FoundAccess, Viewpoint};

/// Maximum number of lines of an answer.
const LINES: usize = 20;

const HELP: &str = "\
monitor position              the position, and the next step
monitor at POS                go to a position: 1250, start, end, 50%, line:N, time:T, pc:ADDR#K
monitor here                  go to the position of the window that serves the trace
monitor why CELL              the steps that a register, a variable or ADDR:LEN comes from
monitor last-write CELL       the last step before the position that wrote it
monitor next-write CELL       the next one; also last-read, next-read, last-access, next-access
monitor help                  this list
After `monitor at` and `monitor here`, let gdb read everything again:
  maintenance flush register-cache
  maintenance flush dcache
";

/// Adds to an error about an unknown name which variables have names here.
fn of_innermost(error: Error) -> Error {
    match error.downcast_ref::<NameError>() {
        Some(name) if name.names_nothing() => {
            anyhow!("{error:#}; of the local variables, monitor knows those of frame 0")
        }
        _ => error,
    }
}

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
            "why" => {
                let lines = self.view()?.explanation(rest, LINES - 1);
                let lines = lines.map_err(of_innermost)?;
                Ok(lines.iter().map(|line| format!("{line}\n")).collect())
            }
            _ => {
                let search = AccessSearch::find(name).with_context(|| {
                    format!("there is no command {name:?}; monitor help lists them")
                })?;
                self.access_text(rest, search).map_err(of_innermost)
            }
        }
    }

    fn position_text(&self) -> Result<String> {
        let next = step_record(Step(self.position.0), self.index(), &self.cancel)?;
        Ok(format!("{}\n", self.view()?.position_text(next.as_ref())))
    }

    fn view(&self) -> Result<Viewpoint<'_>> {
        Ok(Viewpoint {
            session: self.session,
            frame: FrameLevel::innermost(self.current_thread()?, self.position),
            registers_at: self.position,
            cancel: &self.cancel,
        })
    }

    fn access_text(&self, what: &str, search: AccessSearch) -> Result<String> {
        let here = self.view()?;
        let found = here.access(what, search)?;
        let text = here.access_text(&found);
        Ok(match &found {
            FoundAccess::Step(record) => {
                let position = grouped(record.step.0);
                format!("{text}\nmonitor at {position} goes to the position before it\n")
            }
            FoundAccess::Initial(_) | FoundAccess::Nothing => format!("{text}\n"),
        })
    }
}
