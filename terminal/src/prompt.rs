//! Text input on the bottom line: a line with a cursor and a history ([`InputLine`]), and the
//! prompt that it answers ([`Question`]).

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use stepback_debugger::action::{Direction, PanelId};
use stepback_debugger::expression::ExampleRegisters;
use stepback_debugger::keymap;
use stepback_debugger::keymap::place_text;
use stepback_debugger::messages::say;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::pane::PromptPurpose;

/// Maximum length of a text in bytes.
const LONGEST: usize = 4096;
/// Maximum number of remembered texts per kind.
const REMEMBERED: usize = 50;

/// A line of text input with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputLine {
    text: String,
    /// Byte offset, always on a grapheme boundary.
    cursor: usize,
    /// Index into the history; none for a new text.
    recalled: Option<usize>,
}

/// Outcome of a key press.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputEvent {
    /// The input continues.
    More,
    Cancelled,
    /// The input was confirmed.
    Done(String),
    /// The key has no meaning in a text.
    Nothing,
}

impl InputLine {
    /// Creates an input line with an initial text.
    pub fn new(text: &str) -> Self {
        let mut line = Self::default();
        line.insert(text);
        line
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text before the cursor and the text after it.
    pub fn parts(&self) -> (&str, &str) {
        self.text
            .split_at_checked(self.cursor)
            .unwrap_or((&self.text, ""))
    }

    /// Inserts a text at the cursor. Control characters are dropped.
    pub fn insert(&mut self, text: &str) {
        for letter in text.chars().filter(|letter| !letter.is_control()) {
            if self.text.len() < LONGEST {
                self.text.insert(self.cursor, letter);
                self.cursor += letter.len_utf8();
            }
        }
    }

    /// Replaces the whole text.
    pub fn replace(&mut self, text: &str) {
        *self = Self {
            recalled: self.recalled,
            ..Self::new(text)
        };
    }

    /// Handles a key press. `before` is the history, the newest text first.
    pub fn press(&mut self, key: KeyEvent, before: &[String]) -> InputEvent {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, is_control) {
            (KeyCode::Esc, _) | (KeyCode::Char('g' | 'c'), true) => return InputEvent::Cancelled,
            (KeyCode::Enter, _) | (KeyCode::Char('j' | 'm'), true) => {
                return InputEvent::Done(std::mem::take(&mut self.text));
            }
            (KeyCode::Char('w'), true) => self.delete_to(self.word_before()),
            (KeyCode::Char('u'), true) => *self = Self::default(),
            (KeyCode::Char('k'), true) => self.text.truncate(self.cursor),
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => {
                self.delete_to(self.letter_before())
            }
            (KeyCode::Delete, _) | (KeyCode::Char('d'), true) => {
                let end = self.letter_after();
                self.text.replace_range(self.cursor..end, "");
            }
            (KeyCode::Left, false) | (KeyCode::Char('b'), true) => {
                self.cursor = self.letter_before()
            }
            (KeyCode::Right, false) | (KeyCode::Char('f'), true) => {
                self.cursor = self.letter_after()
            }
            (KeyCode::Left, true) => self.cursor = self.word_before(),
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => self.cursor = 0,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => self.cursor = self.text.len(),
            (KeyCode::Up, _) | (KeyCode::Char('p'), true) => self.recall(1, before),
            (KeyCode::Down, _) | (KeyCode::Char('n'), true) => self.recall(-1, before),
            (KeyCode::Char(letter), false) if !key.modifiers.contains(KeyModifiers::ALT) => {
                self.insert(letter.encode_utf8(&mut [0; 4]));
            }
            _ => return InputEvent::Nothing,
        }
        InputEvent::More
    }

    fn recall(&mut self, older: isize, before: &[String]) {
        let place = match self.recalled {
            None if older > 0 => Some(0),
            None => None,
            Some(place) => place.checked_add_signed(older),
        };
        match place.map(|place| (place, before.get(place))) {
            Some((place, Some(text))) => {
                *self = Self {
                    recalled: Some(place),
                    ..Self::new(text)
                }
            }
            // The oldest text stays.
            Some((_, None)) => {}
            None => *self = Self::default(),
        }
    }

    fn delete_to(&mut self, start: usize) {
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    fn letter_before(&self) -> usize {
        let last = self.parts().0.grapheme_indices(true).next_back();
        last.map_or(0, |(place, _)| place)
    }

    fn letter_after(&self) -> usize {
        let first = self.parts().1.graphemes(true).next();
        self.cursor + first.map_or(0, str::len)
    }

    /// Returns the start of the word before the cursor. The spaces after the word count as part of
    /// it.
    fn word_before(&self) -> usize {
        let before = self.parts().0.trim_end();
        before.rfind(char::is_whitespace).map_or(0, |place| {
            place + before[place..].chars().next().map_or(1, char::len_utf8)
        })
    }
}

/// Puts a text on top of the history.
pub fn remember(before: &mut Vec<String>, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    before.retain(|known| known != text);
    before.insert(0, text.to_owned());
    before.truncate(REMEMBERED);
}

/// A prompt that is being answered.
pub struct Question {
    pub requested: QuestionPurpose,
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
    pub fn new(requested: QuestionPurpose, text: &str) -> Self {
        Self {
            requested,
            line: InputLine::new(text),
            error: None,
        }
    }
}

impl QuestionPurpose {
    /// Returns the label in front of the answer.
    pub fn words(&self, registers: ExampleRegisters) -> String {
        match self {
            Self::Pane(_, purpose) => labelled(purpose.question()),
            Self::Argument(command) => {
                let question = command
                    .argument
                    .as_ref()
                    .map_or_else(String::new, |argument| argument.question(registers));
                labelled(&format!("{} ({question})", command.bare_label()))
            }
            Self::Place => labelled(say!("terminal-ask-place")),
            Self::Search(Direction::Forward) => "/".to_owned(),
            Self::Search(Direction::Back) => "?".to_owned(),
            Self::Trace => labelled(say!("terminal-ask-trace")),
            Self::SessionPlace => labelled(say!("terminal-ask-session")),
            Self::TextPlace(_) => labelled(say!("terminal-ask-text-place")),
        }
    }

    /// Returns the position that an answer names; none for other prompts.
    pub fn place(&self, answer: &str) -> Option<String> {
        match self {
            Self::Pane(_, purpose) => Some(format!("{}{}", purpose.prefix()?, answer.trim())),
            Self::Place => Some(place_text(answer)),
            _ => None,
        }
    }

    /// Returns the answer that named a position.
    pub fn typed<'a>(&self, place: &'a str) -> &'a str {
        let prefix = match self {
            Self::Pane(_, purpose) => purpose.prefix(),
            _ => None,
        };
        prefix
            .and_then(|prefix| place.strip_prefix(prefix))
            .unwrap_or(place)
    }

    /// Returns the name of the answer history.
    pub fn kind(&self) -> String {
        match self {
            // Both directions share a history.
            Self::Search(_) => "/".to_owned(),
            other => other.words(ExampleRegisters::default()),
        }
    }
}

/// Puts the colon after a label, with the space of the language.
fn labelled(label: &str) -> String {
    say!("terminal-label", label = label) + " "
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    fn control(letter: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)
    }

    #[track_caller]
    fn check(text: &str, keys: &[KeyEvent], expected: &str) {
        let mut line = InputLine::new(text);
        let before = ["newest".to_owned(), "older".to_owned()];
        keys.iter().for_each(|key| _ = line.press(*key, &before));
        let (before, after) = line.parts();
        assert_eq!(format!("{before}|{after}"), expected);
    }

    #[test]
    fn a_word_or_all_of_it_is_deleted() {
        check("sp + 0x10", &[control('w')], "sp + |");
        check("sp + 0x10  ", &[control('w')], "sp + |");
        check("sp + 0x10", &[control('w'), control('w')], "sp |");
        check("sp + 0x10", &[control('u')], "|");
        check("sp", &[control('w'), control('w')], "|");
        check(
            "aé b",
            &[
                key(KeyCode::Home),
                key(KeyCode::Right),
                key(KeyCode::Right),
                control('w'),
            ],
            "| b",
        );
    }

    #[test]
    fn letters_are_typed_and_deleted_where_the_cursor_is() {
        check(
            "sp",
            &[
                key(KeyCode::Left),
                key(KeyCode::Char('x')),
                key(KeyCode::Char('é')),
            ],
            "sxé|p",
        );
        check("ae\u{301}", &[key(KeyCode::Backspace)], "a|");
        check(
            "abc",
            &[
                key(KeyCode::Home),
                key(KeyCode::Delete),
                key(KeyCode::End),
                key(KeyCode::Backspace),
            ],
            "b|",
        );
        check(
            "",
            &[
                key(KeyCode::Backspace),
                key(KeyCode::Delete),
                key(KeyCode::Left),
            ],
            "|",
        );
    }

    #[test]
    fn what_was_typed_before_is_had_back() {
        check("", &[key(KeyCode::Up)], "newest|");
        check(
            "",
            &[key(KeyCode::Up), key(KeyCode::Up), key(KeyCode::Up)],
            "older|",
        );
        check("", &[key(KeyCode::Up), key(KeyCode::Down)], "|");
        let mut before = vec!["a".to_owned(), "b".to_owned()];
        remember(&mut before, "b");
        remember(&mut before, " ");
        assert_eq!(before, ["b", "a"]);
    }

    #[test]
    fn escape_and_control_g_give_up_and_return_is_the_end() {
        let mut line = InputLine::new("12");
        assert_eq!(line.press(key(KeyCode::Esc), &[]), InputEvent::Cancelled);
        assert_eq!(line.press(control('g'), &[]), InputEvent::Cancelled);
        assert_eq!(line.press(key(KeyCode::F(3)), &[]), InputEvent::Nothing);
        assert_eq!(
            line.press(key(KeyCode::Enter), &[]),
            InputEvent::Done("12".to_owned())
        );
    }

    #[test]
    fn pasted_control_bytes_are_left_out() {
        assert_eq!(InputLine::new("a\x1b[2Jb\n").text(), "a[2Jb");
    }
}
