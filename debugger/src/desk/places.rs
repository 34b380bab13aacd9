//! Suggestions for a typed place, computed on the worker.

use std::sync::Arc;

use stepback_index::Cancel;

use crate::desk::{SessionChange, SessionWatch};
use crate::model::go_to::{Suggestion, suggestions};
use crate::session::Session;
use crate::worker::{Slot, Worker};

/// The newest text and its suggestions.
#[derive(Debug, Default)]
pub struct PlaceSuggestions {
    session: SessionWatch,
    found: Slot<String, Vec<Suggestion>>,
}

impl PlaceSuggestions {
    /// Returns the suggestions for a text; none while the answer for exactly this text is under
    /// way.
    pub fn poll(&mut self, text: &str, session: &Arc<Session>, worker: &Worker) -> &[Suggestion] {
        // Another part of the trace has other answers.
        if self.session.look(session) != SessionChange::Nothing {
            self.found.clear();
        }
        let text = text.trim().to_owned();
        let asked = Arc::clone(session);
        self.found.poll(&text, worker, |text| {
            let text = text.clone();
            move |cancel: &Cancel| suggestions(&asked, &text, cancel)
        });
        self.found
            .peek()
            .filter(|(of, _)| **of == text)
            .map_or(&[], |(_, found)| found.as_slice())
    }
}
