//! Jumps to executions of a line: the next one, else the last one before the position.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value as Json, json};
use stepback_index::answer::Hit;
use stepback_index::query::NearestVisit;
use stepback_index::{Cancel, Query as _};
use stepback_parsers::{Position, Step};

use super::adapter::{Answer, Next};
use super::arguments::Arguments;
use super::program::TracedProgram;
use crate::cli::text::grouped;

/// Maximum number of targets that are kept.
const TARGETS: usize = 4096;

impl TracedProgram {
    /// Finds the execution of a line to which the client may go.
    pub fn goto_targets(&mut self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let source = arguments.object("source")?;
        let source = source.context("the argument \"source\" is missing")?;
        let line = arguments.required_number("line")?;
        let code = self.code_line(source.required_text("path")?, line, cancel)?;
        let index = self.index();
        let after = Position(self.position.0.saturating_add(1)).min(index.end());
        let (mut next, mut last): (Option<Hit>, Option<Hit>) = (None, None);
        for pc in &code.addresses {
            let found = NearestVisit::next(*pc, after).run(index, cancel)?;
            next = next
                .into_iter()
                .chain(found)
                .min_by_key(|hit| hit.record.step);
            let found = NearestVisit::last(*pc, self.position).run(index, cancel)?;
            last = last
                .into_iter()
                .chain(found)
                .max_by_key(|hit| hit.record.step);
        }
        let (hit, word) = match (next, last) {
            (Some(hit), _) => (hit, "next"),
            (None, Some(hit)) => (hit, "last"),
            (None, None) => bail!("the trace never executes this line"),
        };
        if self.targets.len() >= TARGETS {
            self.cleared_targets += self.targets.len();
            self.targets.clear();
        }
        self.targets.push(Step::before(hit.record.step));
        let shown = i64::from(code.line) - 1 + self.first_line;
        Ok(json!({"targets": [{
            "id": self.cleared_targets + self.targets.len(),
            "label": format!("{word} execution, step {}", grouped(hit.record.step.0)),
            "line": shown,
            "instructionPointerReference": hit.record.pc.to_string(),
        }]}))
    }

    /// Goes to a target that was listed.
    pub fn go_to_target(&mut self, arguments: Arguments<'_>) -> Result<Answer> {
        let number = arguments
            .count("targetId")?
            .context("the argument \"targetId\" is missing")?;
        let place = usize::try_from(number)
            .ok()
            .and_then(|number| number.checked_sub(self.cleared_targets)?.checked_sub(1));
        let position = place.and_then(|place| self.targets.get(place)).copied();
        let position = position.with_context(|| format!("there is no target {number}"))?;
        self.move_to(position)?;
        Ok(Answer {
            body: json!({}),
            next: Next::Events(vec![self.stopped("goto", None)]),
        })
    }
}
