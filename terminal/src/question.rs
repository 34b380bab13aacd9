//! Prompts on the bottom line, and the purposes of their answers.

use super::command::PromptPurpose;
use super::prompt::InputLine;
use stepback_debugger::action::{Direction, PanelId};
use stepback_debugger::keymap;

/// A prompt that is being answered.
pub struct Question {
    pub asked: QuestionPurpose,
    pub line: InputLine,
    /// Error of the previous answer.
    pub error: Option<String>,
}

/// Purpose of an answer.
#[derive(Clone)]
pub enum QuestionPurpose {
    /// Answer for a pane.
    Pane(PanelId, PromptPurpose),
    /// Argument of a command.
    Argument(&'static keymap::Command),
    /// Position to travel to.
    Place,
    /// Search text, with the direction from the position.
    Search(Direction),
    /// Path of a trace.
    Trace,
    /// Path for a session.
    SessionPlace,
    /// Path for a text.
    TextPlace(String),
}

impl Question {
    /// Creates a prompt with an initial text.
    pub fn new(asked: QuestionPurpose, text: &str) -> Self {
        Self {
            asked,
            line: InputLine::new(text),
            error: None,
        }
    }
}

impl QuestionPurpose {
    /// Returns the label in front of the answer.
    pub fn words(&self) -> String {
        match self {
            Self::Pane(_, purpose) => format!("{}: ", purpose.question()),
            Self::Argument(command) => {
                let question = command
                    .argument
                    .as_ref()
                    .map_or("", |argument| argument.question());
                format!("{} ({question}): ", command.bare_label())
            }
            Self::Place => format!(
                "{}: ",
                stepback_debugger::messages::say!("terminal-ask-place")
            ),
            Self::Search(Direction::Forward) => "/".to_owned(),
            Self::Search(Direction::Back) => "?".to_owned(),
            Self::Trace => format!(
                "{}: ",
                stepback_debugger::messages::say!("terminal-ask-trace")
            ),
            Self::SessionPlace => format!(
                "{}: ",
                stepback_debugger::messages::say!("terminal-ask-session")
            ),
            Self::TextPlace(_) => format!(
                "{}: ",
                stepback_debugger::messages::say!("terminal-ask-text-place")
            ),
        }
    }

    /// Returns the name of the answer history.
    pub fn kind(&self) -> String {
        match self {
            // Both directions share a history.
            Self::Search(_) => "/".to_owned(),
            other => other.words(),
        }
    }
}
