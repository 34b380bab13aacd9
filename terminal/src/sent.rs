//! Keys of the window that a terminal can send, and their notation.

use super::keys::has_for_itself;
use stepback_debugger::action::PanelKind;
use stepback_debugger::keymap::{Command, KeyStroke, Modifiers};

/// Letters for which Ctrl is another key in a terminal, or stops the program.
const TAKEN: &str = "HIJMZ";

/// Returns the terminal notation of a key of the window: `x`, `X`, `Ctrl-G`, `Alt-Left`. Returns
/// none if a terminal cannot send it. A terminal has one code for Ctrl with a letter, regardless of
/// other modifiers, and none for Ctrl with a sign.
///
/// A letter is lower case without Shift and upper case with it, as it is typed.
pub fn sent_text(stroke: KeyStroke) -> Option<String> {
    let Modifiers { ctrl, alt, shift } = stroke.modifiers;
    let held = |is_held, word| if is_held { word } else { "" };
    let Some(letter) = stroke.key.typed() else {
        let name = stroke.key.name();
        return Some(format!(
            "{}{}{}{name}",
            held(ctrl, "Ctrl-"),
            held(alt, "Alt-"),
            held(shift, "Shift-")
        ));
    };
    if ctrl
        && (shift
            || alt
            || !letter.is_ascii_alphabetic()
            || TAKEN.contains(letter.to_ascii_uppercase()))
    {
        return None;
    }
    let letter = if shift || ctrl {
        letter.to_ascii_uppercase()
    } else {
        letter.to_ascii_lowercase()
    };
    Some(format!(
        "{}{}{letter}",
        held(ctrl, "Ctrl-"),
        held(alt, "Alt-")
    ))
}

/// Returns the window's keys of a command that also work in a kind of pane.
pub fn sent_here(command: &Command, kind: PanelKind) -> Vec<String> {
    sent(command, |key| !has_for_itself(kind, key))
}

/// Returns the keys of a command that a terminal can send and that pass the filter.
pub fn sent(command: &Command, is_wanted: impl Fn(KeyStroke) -> bool) -> Vec<String> {
    let keys = command.keys();
    keys.iter()
        .filter(|key| is_wanted(**key))
        .filter_map(|key| sent_text(*key))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepback_debugger::keymap::read_key;

    #[track_caller]
    fn check(key: &str, expected: Option<&str>) {
        assert_eq!(
            sent_text(read_key(key).unwrap()).as_deref(),
            expected,
            "{key}"
        );
    }

    #[test]
    fn keys_are_written_as_they_are_typed() {
        check("X", Some("x"));
        check("Shift+X", Some("X"));
        check("Ctrl+G", Some("Ctrl-G"));
        check("Period", Some("."));
        check("Alt+Left", Some("Alt-Left"));
        check("Ctrl+Shift+End", Some("Ctrl-Shift-End"));
        check("Alt+4", Some("Alt-4"));
    }

    #[test]
    fn what_cannot_be_sent_is_not_told_of() {
        for key in ["Ctrl+Shift+P", "Ctrl+Comma", "Ctrl+M", "Ctrl+Z", "Ctrl+1"] {
            check(key, None);
        }
    }
}
