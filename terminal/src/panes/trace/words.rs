//! Text below the last step.

use stepback_debugger::analysis::fatal_ending::FatalEnding;
use stepback_debugger::messages::say;
use stepback_debugger::model::fatal_words::fatal_words;

/// Returns the text about the fatal end of the program.
pub fn died_words(ending: &FatalEnding) -> String {
    say!(
        "terminal-died",
        words = fatal_words(ending),
        step = ending.step.0
    )
}
