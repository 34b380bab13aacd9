//! What is asked on the bottom line, and what becomes of the answer.

use super::command::PromptPurpose;
use super::prompt::InputLine;
use stepback_debugger::action::{Direction, PanelId};
use stepback_debugger::keymap;

/// A question whose answer is being typed.
pub struct Question {
    /// What the answer is for.
    pub asked: QuestionPurpose,
    /// The answer so far.
    pub line: InputLine,
    /// What was wrong with the last answer.
    pub error: Option<String>,
}

/// What an answer is for.
#[derive(Clone)]
pub enum QuestionPurpose {
    /// A pane asked.
    Pane(PanelId, PromptPurpose),
    /// The argument of a command.
    Argument(&'static keymap::Command),
    /// A place to go to.
    Place,
    /// What to look for, and which way from the position.
    Search(Direction),
    /// The path of a trace.
    Trace,
    /// Where a session is saved.
    SessionPlace,
    /// Where a text is kept.
    TextPlace(String),
}

impl Question {
    /// A question with what stands there at first.
    pub fn new(asked: QuestionPurpose, text: &str) -> Self {
        Self {
            asked,
            line: InputLine::new(text),
            error: None,
        }
    }
}

impl QuestionPurpose {
    /// The words before the answer.
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

    /// Under which name answers are remembered.
    pub fn kind(&self) -> String {
        match self {
            // Both ways look for the same things.
            Self::Search(_) => "/".to_owned(),
            other => other.words(),
        }
    }
}
