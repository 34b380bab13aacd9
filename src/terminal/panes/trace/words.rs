//! Words below the last step.

use crate::analysis::fatal_ending::FatalEnding;
use crate::messages::say;
use crate::model::fatal_words::fatal_words;

/// Where the program died, and how to go there.
pub fn died_words(ending: &FatalEnding) -> String {
    say!("terminal-died", words = fatal_words(ending), step = ending.step.0)
}
