//! What a pane of registers or memory shows the state at: the moment of a window, or one that it is locked to.

use super::moment::MomentSearch;
use crate::command::{PaneCommand, PromptPurpose};
use crate::pane::{PaneAction, PaneContext};
use stepback_debugger::action::Follow;
use stepback_debugger::messages::say;
use stepback_debugger::model::text::thousands;
use stepback_parsers::Position;

/// What a pane follows.
pub struct PositionLock {
    follow: Follow,
    /// What it follows when it is unlocked.
    free: Follow,
    /// The line or time that it is locked to.
    place: Option<String>,
    sought: MomentSearch,
    /// What came of looking for it, until the next key.
    told: Option<String>,
}

impl Default for PositionLock {
    fn default() -> Self {
        let (free, sought) = (Follow::Active, MomentSearch::default());
        Self {
            follow: free,
            free,
            place: None,
            sought,
            told: None,
        }
    }
}

impl PositionLock {
    /// What the pane shows the state at.
    pub fn follow(&self) -> Follow {
        self.follow
    }

    /// Follows something else.
    pub fn bind(&mut self, follow: Follow) {
        if !matches!(follow, Follow::Pinned(_)) {
            self.free = follow;
        }
        (self.follow, self.place) = (follow, None);
    }

    /// Follows a window again: a moment of one trace is none of another.
    pub fn leave_trace(&mut self) {
        *self = Self {
            follow: self.free,
            free: self.free,
            ..Self::default()
        };
    }

    /// The position that the pane shows.
    pub fn position(&self, cx: &PaneContext<'_>) -> Position {
        cx.desk.windows.position_of(self.follow)
    }

    /// Locks or unlocks the pane, or asks to which line or time. False for all other keys.
    pub fn obey(
        &mut self,
        command: PaneCommand,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool {
        self.told = None;
        match (command, self.follow) {
            (PaneCommand::Arrange, Follow::Pinned(_)) => self.bind(self.free),
            (PaneCommand::Arrange, _) => {
                self.bind(Follow::Pinned(cx.desk.windows.moment_of(self.follow)))
            }
            (
                PaneCommand::Ask(purpose @ (PromptPurpose::LockAtLine | PromptPurpose::LockAtTime)),
                _,
            ) => {
                out.push(PaneAction::Prompt(purpose, String::new()));
            }
            _ => return false,
        }
        true
    }

    /// Takes the line or time that it asked for. False for all other texts.
    pub fn answer(&mut self, purpose: PromptPurpose, text: &str, cx: &PaneContext<'_>) -> bool {
        let kind = match purpose {
            PromptPurpose::LockAtLine => "line",
            PromptPurpose::LockAtTime => "time",
            _ => return false,
        };
        let text = text.trim();
        let number = text
            .strip_prefix(kind)
            .and_then(|rest| rest.strip_prefix(':'))
            .unwrap_or(text);
        self.sought.ask(format!("{kind}:{number}"), cx);
        self.advance(cx);
        true
    }

    /// Locks the pane to the moment that was looked for, when that was found.
    pub fn advance(&mut self, cx: &PaneContext<'_>) {
        match self.sought.take() {
            Some(Ok(found)) => {
                self.bind(Follow::Pinned(cx.moment(found.position)));
                (self.place, self.told) = (Some(found.place), found.remark);
            }
            Some(Err(error)) => self.told = Some(error),
            None => {}
        }
    }

    /// What the bar says of it, if anything.
    pub fn words(&self, cx: &PaneContext<'_>) -> Option<String> {
        let step = thousands(self.position(cx).0);
        match (self.follow, &self.place) {
            (Follow::Pinned(_), Some(place)) => Some(say!(
                "terminal-locked-to",
                place = place.as_str(),
                step = step
            )),
            (Follow::Pinned(_), None) => Some(say!("terminal-locked", step = step)),
            (Follow::Active | Follow::Window(_), _) if cx.desk.windows.list.len() < 2 => None,
            (follow, _) => Some(format!("[{}]", cx.desk.windows.travelling(follow).0)),
        }
    }

    /// What came of looking for a moment.
    pub fn told(&self) -> Option<&str> {
        self.told.as_deref()
    }
}
