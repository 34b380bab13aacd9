//! A script: each line is done when the answers to the one before are there.

use std::path::{Path, PathBuf};

use super::browser::Browser;
use stepback_debugger::desk::Tone;
use stepback_debugger::messages::say;

impl Browser {
    /// Performs the next line of the script. False where there is none left.
    pub fn next_of_script(&mut self) -> bool {
        if self.failure.is_some() {
            self.is_over = self.is_scripted;
            return false;
        }
        let situation = self.situation();
        match self.script.as_mut().and_then(|script| script.next(&situation)) {
            Some(Ok(action)) => {
                self.perform(action);
                true
            }
            Some(Err(error)) => {
                self.report(&error);
                true
            }
            None => {
                self.script = None;
                false
            }
        }
    }

    /// Whether lines of a script are left.
    pub fn has_script(&self) -> bool {
        self.script.is_some()
    }

    /// Where the screen is to be saved as text, once.
    pub fn take_snapshot(&mut self) -> Option<PathBuf> {
        self.snapshot.take()
    }

    /// The screen was saved.
    pub fn tell_saved_picture(&mut self, place: &Path) {
        self.tell(Tone::Info, &say!("dialog-saved", path = place.display().to_string()));
    }

    /// The program ends.
    pub fn end(&mut self) {
        self.is_over = true;
    }
}
