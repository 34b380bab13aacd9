//! Facts about a step that follow from the next line of its hart: a trap without a line, because
//! control continues where the instruction does not lead, and a change of the privilege mode.

use stepback_machine::Encoding;

use crate::commit_log::commit::{CommitReader, HART, add_exception};
use crate::commit_log::line::{Commit, CommitLine, Dialect};
use crate::events::TextKind;
use crate::text_log::{AheadText, LoggedStep, UNSTATED_EXCEPTION, may_lead_to};

/// Number of lines among which the next one of the hart is searched.
const LINES: usize = 16;

impl CommitReader<'_> {
    /// Adds what the next committed instruction of a hart shows about its step.
    pub fn transition(self, step: &mut LoggedStep, ahead: AheadText<'_>) {
        let Some(encoding) = step.encoding.filter(|_| step.is_announced()) else {
            return;
        };
        let may_trap = self.has_silent_traps || step.has_exception();
        if !may_trap && !is_trap_return(&encoding) {
            return;
        }
        let Some(next) = next_commit(step, ahead) else {
            return;
        };
        if self.has_silent_traps && !may_lead_to(step, next.pc) {
            add_exception(step, self.registers, UNSTATED_EXCEPTION);
        }
        if step.privilege.is_some_and(|mode| mode != next.mode) {
            let text = format!("mode change to {}", mode_name(next.mode));
            step.note(TextKind::StateChange, text.as_bytes());
        }
    }
}

fn next_commit<'a>(step: &LoggedStep, ahead: AheadText<'a>) -> Option<Commit<'a>> {
    ahead.lines().take(LINES).find_map(|line| {
        let CommitLine::Commit(commit) = CommitLine::of(line, Dialect::Commits) else {
            return None;
        };
        let hart = commit.hart.unwrap_or_default();
        step.is_thread(HART, hart).then_some(commit)
    })
}

/// MRET, SRET, MNRET and DRET.
fn is_trap_return(encoding: &Encoding) -> bool {
    let opcode = encoding.bytes().first_chunk().copied();
    opcode.map(u32::from_le_bytes).is_some_and(|opcode| {
        matches!(
            opcode,
            0x3020_0073 | 0x1020_0073 | 0x7020_0073 | 0x7b20_0073
        )
    })
}

fn mode_name(mode: u8) -> String {
    match mode {
        0 => "U".to_owned(),
        1 => "S".to_owned(),
        3 => "M".to_owned(),
        number => format!("mode {number}"),
    }
}
