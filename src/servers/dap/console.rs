//! Questions about a position that debuggers have no request for: last writes and explanations.

use anyhow::Result;
use serde_json::{Value as Json, json};
use stepback_index::answer::{AccessKinds, Direction};
use stepback_index::{Cancel, QueryError};

use super::arguments::Arguments;
use super::program::{FrameNumber, TracedProgram};
use crate::servers::viewpoint::{AccessSearch, FoundAccess, Viewpoint};

/// Maximum number of lines of an explanation.
pub const LINES: usize = 50;

/// Commands of the console.
pub const HELP: &str = "\
position            the position, and the next step
at POS              go to a position: 1250, start, end, 50%, line:N, time:T, pc:ADDR#K
why CELL            the steps that a register, a variable or ADDR:LEN comes from
last-write CELL     the last step before the position that wrote it
next-write CELL     the next one; also last-read, next-read, last-access, next-access
reverse-step        to the previous line, into calls
reverse-finish      to the call of this function
help                this list
Anything else is a variable or an expression: h->id, names[2], &x, i < 0, x0, [sp + 8]";

impl TracedProgram {
    /// Returns the viewpoint of a frame.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn view<'a>(
        &'a self,
        frame: FrameNumber,
        cancel: &'a Cancel,
    ) -> Result<Viewpoint<'a>, QueryError> {
        Ok(Viewpoint {
            session: &self.session,
            frame: self.level_of(frame),
            registers_at: self.position_of(frame, cancel)?,
            cancel,
        })
    }

    /// Describes the position and the next step.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn position_text(&self, cancel: &Cancel) -> Result<String> {
        let next = self.current_step(self.thread, cancel)?;
        let next = next.filter(|step| step.step.0 >= self.position.0);
        let here = self.view(self.entered_frame(), cancel)?;
        Ok(here.position_text(next.as_ref()))
    }

    /// Answers `stepback/lastWrite`.
    pub fn last_write(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let search = AccessSearch {
            kinds: AccessKinds::Writes,
            direction: Direction::Back,
        };
        let cell = arguments.required_text("cell")?;
        let here = self.view(self.requested_frame(arguments)?, cancel)?;
        let found = here.access(cell, search)?;
        let mut json = json!({"step": null, "text": here.access_text(&found)});
        if let FoundAccess::Step(record) = &found {
            json["step"] = record.step.0.into();
            json["position"] = record.step.before().0.into();
        }
        Ok(json)
    }

    /// Answers `stepback/why`.
    pub fn why(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let cell = arguments.required_text("cell")?;
        let here = self.view(self.requested_frame(arguments)?, cancel)?;
        Ok(json!({"lines": here.explanation(cell, LINES)?}))
    }
}
