//! What memory is compared with: the position before the last move, unless another moment is chosen.

use stepback_parsers::Position;

use super::super::lock::Lock;
use super::super::moment::SoughtMoment;
use crate::pane::Cx;
use stepback_debugger::action::Follow;
use stepback_debugger::messages::say;
use stepback_debugger::model::text::thousands;

/// The moment that is compared with.
#[derive(Default)]
pub struct Compared {
    follow: Option<Follow>,
    /// The line that was typed.
    place: Option<String>,
    sought: SoughtMoment,
}

impl Compared {
    /// Whether another moment than the one before the last move was chosen.
    pub fn is_on(&self) -> bool {
        self.follow.is_some()
    }

    /// Compares with something else; none ends it.
    pub fn choose(&mut self, follow: Option<Follow>) {
        *self = Self { follow, ..Self::default() };
    }

    /// Compares with a line of the trace, when that is found.
    pub fn ask(&mut self, line: &str, cx: &Cx<'_>) {
        self.sought.ask(format!("line:{}", line.trim()), cx);
    }

    /// Takes the line that was looked for. Returns what went wrong.
    pub fn advance(&mut self, cx: &Cx<'_>) -> Option<String> {
        // A window that was closed is nothing to be compared with.
        let is_there = |follow: &Follow| match follow {
            Follow::Window(id) => cx.desk.windows.get(*id).is_some(),
            Follow::Pinned(_) | Follow::Active => true,
        };
        self.follow = self.follow.filter(is_there);
        match self.sought.take()? {
            Ok(found) => {
                self.follow = Some(Follow::Pinned(cx.moment(found.position)));
                self.place = Some(found.place);
                found.remark
            }
            Err(error) => Some(error),
        }
    }

    /// Begins or ends: with the other window, where there is one, else with the position before the last move.
    pub fn toggle(&mut self, lock: &Lock, cx: &Cx<'_>) {
        let own = cx.desk.windows.travelling(lock.follow());
        let other = cx.desk.windows.list.iter().find(|window| window.id != own);
        let before = || Follow::Pinned(cx.moment(lock.previous(cx)));
        let chosen = other.map_or_else(before, |window| Follow::Window(window.id));
        self.choose(if self.is_on() { None } else { Some(chosen) });
    }

    /// Changed is what differs from here.
    pub fn position(&self, lock: &Lock, cx: &Cx<'_>) -> Position {
        self.follow.map_or_else(|| lock.previous(cx), |follow| cx.desk.windows.position_of(follow))
    }

    /// What the bar says of it, if anything.
    pub fn words(&self, lock: &Lock, cx: &Cx<'_>) -> Option<String> {
        let at = thousands(self.position(lock, cx).0);
        let what = match (self.follow?, &self.place) {
            (Follow::Window(id), _) => say!("memory-at-window", at = at, number = id.0),
            (_, Some(place)) => format!("{place} ({at})"),
            (_, None) => at,
        };
        Some(say!("memory-against", what = what))
    }
}
