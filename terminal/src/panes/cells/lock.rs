//! The moment that a register or memory pane shows ([`PositionLock`]): that of a window, or a fixed
//! one. The moment of a line or a time is searched on a worker thread ([`MomentSearch`]).

use std::sync::Arc;

use anyhow::Result;
use stepback_debugger::action::Follow;
use stepback_debugger::messages::say;
use stepback_debugger::model::text::thousands;
use stepback_debugger::place::PositionName;
use stepback_debugger::worker::{JobLane, Ticket};
use stepback_index::Cancel;
use stepback_parsers::Position;

use crate::pane::{PaneAction, PaneCommand, PaneContext, PromptPurpose};

/// The moment that a pane follows.
pub struct PositionLock {
    follow: Follow,
    /// Target to follow when the pane is unlocked.
    free: Follow,
    /// The line or time of the lock, as it was typed.
    place: Option<String>,
    sought: MomentSearch,
    /// Outcome of the search for the moment, until the next key.
    stated: Option<String>,
}

impl Default for PositionLock {
    fn default() -> Self {
        let (free, sought) = (Follow::Active, MomentSearch::default());
        Self {
            follow: free,
            free,
            place: None,
            sought,
            stated: None,
        }
    }
}

impl PositionLock {
    /// Returns the moment that the pane shows.
    pub fn follow(&self) -> Follow {
        self.follow
    }

    /// Binds the pane to another target.
    pub fn bind(&mut self, follow: Follow) {
        if !matches!(follow, Follow::Pinned(_)) {
            self.free = follow;
        }
        (self.follow, self.place) = (follow, None);
    }

    /// Follows a window again: a moment of one trace has no meaning in another.
    pub fn leave_trace(&mut self) {
        *self = Self {
            follow: self.free,
            free: self.free,
            ..Self::default()
        };
    }

    /// Returns the position that the pane shows.
    pub fn position(&self, cx: &PaneContext<'_>) -> Position {
        cx.desk.windows.position_of(self.follow)
    }

    /// Locks or unlocks the pane, or prompts for a line or time. Returns false for other commands.
    pub fn obey(
        &mut self,
        command: PaneCommand,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool {
        self.stated = None;
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

    /// Receives the line or time of a prompt. Returns false for other prompts.
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

    /// Locks the pane to the requested moment once it was found.
    pub fn advance(&mut self, cx: &PaneContext<'_>) {
        match self.sought.take() {
            Some(Ok(found)) => {
                self.bind(Follow::Pinned(cx.moment(found.position)));
                (self.place, self.stated) = (Some(found.place), found.remark);
            }
            Some(Err(error)) => self.stated = Some(error),
            None => {}
        }
    }

    /// Returns the text in the bar about the lock, if any.
    pub fn words(&self, cx: &PaneContext<'_>) -> Option<String> {
        let position = thousands(self.position(cx).0);
        match (self.follow, &self.place) {
            (Follow::Pinned(_), Some(place)) => Some(say!(
                "terminal-locked-to",
                place = place.as_str(),
                position = position
            )),
            (Follow::Pinned(_), None) => Some(say!("terminal-locked", position = position)),
            (Follow::Active | Follow::Window(_), _) if cx.desk.windows.list.len() < 2 => None,
            (follow, _) => Some(format!("[{}]", cx.desk.windows.travelling(follow).0)),
        }
    }

    /// Returns the outcome of the search for a moment.
    pub fn stated(&self) -> Option<&str> {
        self.stated.as_deref()
    }
}

/// A search for a moment.
#[derive(Default)]
pub struct MomentSearch {
    requested: Option<Ticket<MomentResult>>,
}

/// A moment that was found.
pub struct MomentResult {
    pub position: Position,
    /// The line or time as it was named.
    pub place: String,
    /// A remark for the user.
    pub remark: Option<String>,
}

impl MomentSearch {
    /// Starts the search for a place such as `line:7` or `time:3`, and drops the previous one.
    pub fn ask(&mut self, place: String, cx: &PaneContext<'_>) {
        let session = Arc::clone(&cx.desk.session);
        let find = move |cancel: &Cancel| -> Result<MomentResult> {
            let named: PositionName = place.parse()?;
            let position = named.resolve(&session, cancel)?;
            let remark = named.remarks(&session, None, cancel)?.into_iter().next();
            Ok(MomentResult {
                position,
                place,
                remark,
            })
        };
        self.requested = Some(cx.worker().spawn(JobLane::Short, find));
    }

    /// Takes the result of the search; errors are messages.
    pub fn take(&mut self) -> Option<Result<MomentResult, String>> {
        let found = self.requested.as_ref()?.take()?;
        self.requested = None;
        Some(found.map_err(|error| format!("{error:#}")))
    }
}
