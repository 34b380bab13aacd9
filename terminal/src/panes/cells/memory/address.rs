//! Where a pane of memory begins: an address expression, that holds or follows the registers in it.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_parsers::Position;

use crate::pane::Cx;
use stepback_debugger::model::address_text::{Evaluated, STACK, address_of};
use stepback_debugger::worker::{Answer, Slot};

/// An address expression and what it means.
#[derive(Debug)]
pub struct AddressText {
    text: String,
    /// It is evaluated anew wherever the position goes. Otherwise the address that it meant when it was entered stays.
    is_following: bool,
    /// The address that it meant when it was entered.
    held: Option<u64>,
    /// What is shown is no longer what it means.
    is_left: bool,
    /// Where it was entered, until its value is known.
    entered_at: Option<Position>,
    /// The value that was last gone to.
    shown: Option<u64>,
    answer: Slot<(String, Position), Evaluated>,
}

impl Default for AddressText {
    /// The stack, wherever that goes.
    fn default() -> Self {
        let (held, entered_at, shown, answer) = Default::default();
        Self { text: STACK.to_owned(), is_following: true, held, is_left: false, entered_at, shown, answer }
    }
}

impl AddressText {
    /// Means another expression, as it is at a position.
    pub fn enter(&mut self, text: &str, at: Position) {
        *self = Self {
            text: text.trim().to_owned(),
            is_following: false,
            entered_at: Some(at),
            answer: std::mem::take(&mut self.answer),
            ..Self::default()
        };
    }

    /// Follows the registers in it, or holds the address that is shown.
    pub fn toggle(&mut self) {
        if self.is_following {
            return self.hold();
        }
        (self.is_following, self.is_left, self.shown) = (true, false, None);
    }

    /// Stays where it is.
    pub fn hold(&mut self) {
        if self.is_following {
            (self.is_following, self.held) = (false, self.shown);
        }
    }

    /// Another address is shown than it means.
    pub fn leave_for(&mut self, address: u64) {
        (self.is_following, self.held, self.shown, self.is_left) = (false, Some(address), Some(address), true);
    }

    /// As it was typed, or the address that is shown; an arrow where it follows.
    pub fn words(&self) -> String {
        match self.held.filter(|_| self.is_left) {
            Some(held) => format!("{held:x}"),
            None if self.is_following => format!("{} →", self.text),
            None => self.text.clone(),
        }
    }

    /// What it was typed as.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where to go, once for each value; or what is wrong with it.
    pub fn poll(&mut self, here: Position, cx: &Cx<'_>) -> Result<Option<u64>, String> {
        if !self.is_following && self.held.is_some() {
            return Ok(self.news(self.held));
        }
        let position = self.entered_at.filter(|_| !self.is_following).unwrap_or(here);
        let answer = self.answer.poll(&(self.text.clone(), position), cx.worker(), |(text, position)| {
            let (text, position, session) = (text.clone(), *position, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| address_of(&session, &text, position, cancel)
        });
        let value = match answer {
            Answer::Fresh(value) => value.clone()?,
            Answer::Failed(error) => return Err(error.to_owned()),
            Answer::Stale(_) | Answer::Late(_) | Answer::Loading => return Ok(None),
        };
        (self.held, self.entered_at) = (Some(value), None);
        Ok(self.news(Some(value)))
    }

    fn news(&mut self, value: Option<u64>) -> Option<u64> {
        let is_news = self.shown != value;
        self.shown = value;
        value.filter(|_| is_news)
    }
}
