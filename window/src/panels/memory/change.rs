//! How the panel is changed by commands, and what is looked for in it.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::panel::{MemoryPanel, endian_of};
use crate::panels::ViewCx;
use stepback_debugger::action::{Follow, MemoryChange, Way};
use stepback_debugger::messages::say;
use stepback_debugger::model::memory_seek::{MemorySeek, Sought, seek_memory, sought_bytes};
use stepback_debugger::model::text::thousands;
use stepback_debugger::worker::{Answer, Slot};

/// What is looked for in memory, and what was said of it.
#[derive(Debug, Default)]
pub struct Seeking {
    /// Asked for, with the number of the question: the same may be asked again.
    asked: Option<Asked>,
    /// The text that was looked for last.
    text: Option<String>,
    answer: Slot<(MemorySeek, u64), Option<Address>>,
    number: u64,
    /// What came of it, until the next question.
    told: Option<String>,
}

/// What a command asks for.
#[derive(Debug)]
enum Asked {
    Changed(Way),
    Bytes(String, Way),
    Seek(MemorySeek, u64),
}

impl Seeking {
    /// What the bar tells: that something is looked for, or what came of it.
    pub fn words(&self) -> Option<String> {
        match &self.asked {
            Some(_) => Some(say!("memory-looking-through").to_owned()),
            None => self.told.clone(),
        }
    }

    /// Gives it up.
    pub fn stop(&mut self) {
        if self.asked.take().is_some() {
            self.answer.clear();
        }
        self.told = None;
    }
}

impl MemoryPanel {
    /// Changes how memory is shown, or looks for something.
    pub fn change(&mut self, change: MemoryChange) {
        let seeking = &mut self.state.seeking;
        match change {
            MemoryChange::Width(width) => self.width = width.filter(|width| is_width(*width)),
            MemoryChange::Floats => {
                self.is_float = !self.is_float;
                if self.is_float && self.group < 4 {
                    self.group = 8;
                }
            }
            MemoryChange::Text(text) => self.text = text,
            MemoryChange::Compare(compared) => self.compared = compared,
            MemoryChange::ToggleCompare => self.state.is_toggling = true,
            MemoryChange::GoToChanged(way) => seeking.asked = Some(Asked::Changed(way)),
            MemoryChange::Find(text, way) => {
                seeking.text = Some(text.clone());
                seeking.asked = Some(Asked::Bytes(text, way));
            }
            MemoryChange::FindAgain(way) => match seeking.text.clone() {
                Some(text) => seeking.asked = Some(Asked::Bytes(text, way)),
                None => seeking.told = Some(say!("memory-nothing-yet").to_owned()),
            },
            MemoryChange::StopSeeking => seeking.stop(),
        }
    }

    /// The position that is compared with: that of another window, of a moment, else that before the last move.
    pub(super) fn compared_with(&self, cx: &ViewCx<'_>) -> Position {
        match self.compared {
            Some(follow) => cx.desk.windows.position_of(follow),
            None => cx.desk.windows.previous_of(self.follow),
        }
    }

    /// Ends comparing with a window that was closed.
    pub(super) fn drop_closed(&mut self, cx: &ViewCx<'_>) {
        let is_there = |follow: &Follow| match follow {
            Follow::Window(id) => cx.desk.windows.get(*id).is_some(),
            Follow::Pinned(_) | Follow::Active => true,
        };
        self.compared = self.compared.filter(is_there);
    }

    /// What is compared with, in words.
    pub(super) fn compared_words(&self, cx: &ViewCx<'_>) -> Option<String> {
        let at = thousands(self.compared_with(cx).0);
        Some(match self.compared? {
            Follow::Window(id) => say!("memory-at-window", at = at, number = id.0),
            Follow::Pinned(_) | Follow::Active => at,
        })
    }

    /// Begins or ends comparing: with the other window, where there is one, else with the position before the last move.
    pub(super) fn take_toggle(&mut self, cx: &ViewCx<'_>) {
        if !std::mem::take(&mut self.state.is_toggling) {
            return;
        }
        let own = cx.desk.windows.travelling(self.follow);
        let other = cx.desk.windows.list.iter().find(|window| window.id != own);
        let before = || Follow::Pinned(cx.moment(cx.desk.windows.previous_of(self.follow)));
        self.compared = match self.compared {
            Some(_) => None,
            None => Some(other.map_or_else(before, |window| Follow::Window(window.id))),
        };
    }

    /// Asks for what was asked for, and goes where it is.
    pub(super) fn seek(&mut self, cx: &ViewCx<'_>) {
        let Some(asked) = self.state.seeking.asked.take() else { return };
        let from = self.state.cursor.unwrap_or_default();
        let position = cx.desk.windows.position_of(self.follow);
        let (sought, way) = match asked {
            Asked::Changed(way) => (Ok(Sought::Changed(self.compared_with(cx))), way),
            Asked::Bytes(text, way) => (sought_bytes(&text, self.group, endian_of(cx)).map(Sought::Bytes), way),
            Asked::Seek(seek, number) => return self.poll_seek(seek, number, cx),
        };
        match sought {
            Ok(sought) => {
                self.state.seeking.number += 1;
                let number = self.state.seeking.number;
                self.poll_seek(MemorySeek { sought, position, from, way }, number, cx);
            }
            Err(error) => self.state.seeking.told = Some(error.to_string()),
        }
    }

    fn poll_seek(&mut self, seek: MemorySeek, number: u64, cx: &ViewCx<'_>) {
        let seeking = &mut self.state.seeking;
        let answer = seeking.answer.poll_long(&(seek.clone(), number), &cx.desk.worker, |(seek, _)| {
            let (seek, session) = (seek.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| seek_memory(&session, &seek, cancel)
        });
        match answer {
            Answer::Fresh(Some(address)) => {
                let address = *address;
                seeking.told = None;
                self.stand_at(address);
            }
            Answer::Fresh(None) => seeking.told = Some(nothing_words(&seek).to_owned()),
            Answer::Failed(error) => seeking.told = Some(error.to_owned()),
            Answer::Stale(_) | Answer::Late(_) | Answer::Loading => seeking.asked = Some(Asked::Seek(seek, number)),
        }
    }
}

/// Whether rows may have so many bytes.
pub(super) fn is_width(bytes: u8) -> bool {
    matches!(bytes, 8 | 16 | 32 | 64)
}

fn nothing_words(seek: &MemorySeek) -> &'static str {
    match (&seek.sought, seek.way) {
        (Sought::Changed(_), Way::Forward) => say!("memory-no-changed-byte-above-the"),
        (Sought::Changed(_), Way::Back) => say!("memory-no-changed-byte-below-the"),
        (Sought::Bytes(_), Way::Forward) => say!("memory-not-found-above-the-cursor"),
        (Sought::Bytes(_), Way::Back) => say!("memory-not-found-below-the-cursor"),
    }
}
