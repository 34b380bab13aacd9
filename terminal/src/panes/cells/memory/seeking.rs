//! What is looked for in memory: bytes that differ, or bytes that are some.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;

use crate::pane::Cx;
use stepback_debugger::action::Way;
use stepback_debugger::messages::say;
use stepback_debugger::model::memory_seek::{MemorySeek, Sought, seek_memory};
use stepback_debugger::worker::{Answer, Slot};

/// A search through memory.
#[derive(Debug, Default)]
pub struct Seeking {
    /// Under way, with its number: the same may be asked again.
    asked: Option<(MemorySeek, u64)>,
    /// The text that was looked for last.
    pub text: Option<String>,
    answer: Slot<(MemorySeek, u64), Option<Address>>,
    number: u64,
}

/// What came of a search.
#[derive(Debug, PartialEq, Eq)]
pub enum Sighted {
    /// Here it is.
    At(Address),
    /// Why there is nothing.
    Nothing(String),
}

impl Seeking {
    /// Looks for something.
    pub fn ask(&mut self, seek: MemorySeek) {
        self.number += 1;
        self.asked = Some((seek, self.number));
    }

    /// Gives it up.
    pub fn stop(&mut self) {
        if self.asked.take().is_some() {
            self.answer.clear();
        }
    }

    /// Whether it is under way.
    pub fn is_under_way(&self) -> bool {
        self.asked.is_some()
    }

    /// What came of it, once.
    pub fn poll(&mut self, cx: &Cx<'_>) -> Option<Sighted> {
        let asked = self.asked.clone()?;
        let answer = self.answer.poll_long(&asked, cx.worker(), |(seek, _)| {
            let (seek, session) = (seek.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| seek_memory(&session, &seek, cancel)
        });
        let sighted = match answer {
            Answer::Fresh(Some(address)) => Sighted::At(*address),
            Answer::Fresh(None) => Sighted::Nothing(nothing_words(&asked.0).to_owned()),
            Answer::Failed(error) => Sighted::Nothing(error.to_owned()),
            Answer::Stale(_) | Answer::Late(_) | Answer::Loading => return None,
        };
        self.asked = None;
        Some(sighted)
    }
}

fn nothing_words(seek: &MemorySeek) -> &'static str {
    match (&seek.sought, seek.way) {
        (Sought::Changed(_), Way::Forward) => say!("memory-no-changed-byte-above-the"),
        (Sought::Changed(_), Way::Back) => say!("memory-no-changed-byte-below-the"),
        (Sought::Bytes(_), Way::Forward) => say!("memory-not-found-above-the-cursor"),
        (Sought::Bytes(_), Way::Back) => say!("memory-not-found-below-the-cursor"),
    }
}
