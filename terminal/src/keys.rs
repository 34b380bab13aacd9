//! Key table ([`KeyBinding`]). Each pane has the keys of `tarmac-browser` (its documentation,
//! "Interactive browsing tools") and some more. Any other key means what it means in the window
//! (see [`keymap`](stepback_debugger::keymap)), if a terminal can send it ([`sent_text`]).

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use stepback_debugger::action::PanelKind;
use stepback_debugger::keymap::{Command, Key, KeyStroke, Modifiers, key_name};

use crate::key_rows::ROWS;
use crate::pane::PaneCommand;

/// Kinds of pane in which a key applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneKeyScope {
    Everywhere,
    /// Step lists.
    Trace,
    /// Register and memory panes.
    Cells,
    Registers,
    Memory,
    /// The pane that explains a value.
    Why,
    /// The comparison of two positions.
    Compare,
    /// Every pane except step lists.
    Others,
}

impl PaneKeyScope {
    /// All scopes, the most specific first. The first scope that has a key decides its meaning.
    pub const ALL: [Self; 8] = [
        Self::Registers,
        Self::Memory,
        Self::Why,
        Self::Compare,
        Self::Trace,
        Self::Cells,
        Self::Others,
        Self::Everywhere,
    ];

    /// Returns true if the scope includes a kind of pane.
    pub fn has(self, kind: PanelKind) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Trace => kind == PanelKind::Trace,
            Self::Cells => matches!(kind, PanelKind::Registers | PanelKind::Memory),
            Self::Registers => kind == PanelKind::Registers,
            Self::Memory => kind == PanelKind::Memory,
            Self::Why => kind == PanelKind::Why,
            Self::Compare => kind == PanelKind::Compare,
            Self::Others => kind != PanelKind::Trace,
        }
    }
}

/// A key press as terminals report it. The case of a letter counts; Shift does not count for other
/// characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPress {
    code: KeyCode,
    is_control: bool,
}

/// A row of the key table.
pub struct KeyBinding {
    pub scope: PaneKeyScope,
    pub presses: &'static [KeyPress],
    pub command: PaneCommand,
    /// Message id of the description in the help.
    pub words: &'static str,
}

impl KeyBinding {
    /// Returns the key names for the help, without keys that a more specific scope redefines in
    /// this kind of pane.
    pub fn keys_in(&self, kind: PanelKind) -> Vec<String> {
        let is_ours = |press: &&KeyPress| {
            row_of(kind, |other| other == **press).is_some_and(|row| row.words == self.words)
        };
        self.presses
            .iter()
            .filter(is_ours)
            .map(|press| press.text())
            .collect()
    }
}

impl KeyPress {
    /// Returns the key's name in the help, in the language of the terminal: `Ctrl-L`, `PgUp`, `{`.
    pub fn text(self) -> String {
        let name = key_name(&match self.code {
            KeyCode::Char(' ') => "Space".to_owned(),
            KeyCode::Char(letter) if self.is_control => letter.to_ascii_uppercase().to_string(),
            KeyCode::Char(letter) => letter.to_string(),
            KeyCode::F(number) => format!("F{number}"),
            KeyCode::PageUp => "PgUp".to_owned(),
            KeyCode::PageDown => "PgDn".to_owned(),
            KeyCode::Enter => "Return".to_owned(),
            KeyCode::BackTab => return format!("{}-Tab", key_name("Shift")),
            other => format!("{other:?}"),
        });
        if self.is_control {
            format!("Ctrl-{name}")
        } else {
            name
        }
    }

    pub(super) const fn of(code: KeyCode) -> Self {
        Self {
            code,
            is_control: false,
        }
    }

    pub(super) const fn letter(letter: char) -> Self {
        Self::of(KeyCode::Char(letter))
    }

    pub(super) const fn control(letter: char) -> Self {
        Self {
            code: KeyCode::Char(letter),
            is_control: true,
        }
    }

    fn fits(self, key: KeyEvent) -> bool {
        let is_alt = key.modifiers.contains(KeyModifiers::ALT);
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        // Shift is part of a letter or sign, and modifies no other key of the table.
        let is_shift = key.modifiers.contains(KeyModifiers::SHIFT)
            && !matches!(key.code, KeyCode::Char(_) | KeyCode::BackTab);
        key.code == self.code && !is_alt && !is_shift && is_control == self.is_control
    }
}

/// Returns the command of a key in a kind of pane.
pub fn command_of(kind: PanelKind, key: KeyEvent) -> Option<PaneCommand> {
    row_of(kind, |press| press.fits(key)).map(|row| row.command)
}

/// Returns true if the table redefines a key of the window in this kind of pane.
pub fn has_for_itself(kind: PanelKind, stroke: KeyStroke) -> bool {
    let event = |press: &KeyPress| {
        let held = if press.is_control {
            KeyModifiers::CONTROL
        } else {
            KeyModifiers::NONE
        };
        stroke_of(KeyEvent::new(press.code, held))
    };
    row_of(kind, |press| event(&press) == Some(stroke)).is_some()
}

/// Returns the row of a key in the most specific scope.
fn row_of(kind: PanelKind, is_it: impl Fn(KeyPress) -> bool) -> Option<&'static KeyBinding> {
    let scopes = PaneKeyScope::ALL
        .into_iter()
        .filter(|scope| scope.has(kind));
    let found = |scope| {
        ROWS.iter()
            .find(|row| row.scope == scope && row.presses.iter().any(|press| is_it(*press)))
    };
    scopes.filter_map(found).next()
}

/// Converts a key to the form of the window's table.
pub fn stroke_of(key: KeyEvent) -> Option<KeyStroke> {
    let (known, is_upper) = match key.code {
        KeyCode::Char(letter) => (Key::of_char(letter)?, letter.is_ascii_uppercase()),
        KeyCode::F(number) => (Key::of_name(&format!("F{number}"))?, false),
        KeyCode::Up => (Key::ArrowUp, false),
        KeyCode::Down => (Key::ArrowDown, false),
        KeyCode::Left => (Key::ArrowLeft, false),
        KeyCode::Right => (Key::ArrowRight, false),
        KeyCode::Home => (Key::Home, false),
        KeyCode::End => (Key::End, false),
        KeyCode::PageUp => (Key::PageUp, false),
        KeyCode::PageDown => (Key::PageDown, false),
        KeyCode::Enter => (Key::Enter, false),
        KeyCode::Esc => (Key::Escape, false),
        KeyCode::Tab => (Key::Tab, false),
        KeyCode::BackTab => (Key::Tab, true),
        KeyCode::Backspace => (Key::Backspace, false),
        KeyCode::Delete => (Key::Delete, false),
        KeyCode::Insert => (Key::Insert, false),
        _ => return None,
    };
    let modifiers = Modifiers {
        ctrl: key.modifiers.contains(KeyModifiers::CONTROL),
        alt: key.modifiers.contains(KeyModifiers::ALT),
        shift: is_upper || key.modifiers.contains(KeyModifiers::SHIFT),
    };
    Some(KeyStroke::new(modifiers, known))
}

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
        let name = key_name(stroke.key.name());
        let with_shift = format!("{}-", key_name("Shift"));
        return Some(format!(
            "{}{}{}{name}",
            held(ctrl, "Ctrl-"),
            held(alt, "Alt-"),
            held(shift, &with_shift)
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
    use crate::pane::PromptPurpose;
    use stepback_debugger::action::{Direction, FoldAction};

    #[test]
    fn no_key_stands_for_two_commands_in_a_pane() {
        for kind in [
            PanelKind::Trace,
            PanelKind::Registers,
            PanelKind::Memory,
            PanelKind::Stack,
            PanelKind::Why,
            PanelKind::Compare,
        ] {
            for row in ROWS.iter().filter(|row| row.scope.has(kind)) {
                for press in row.presses {
                    let scopes = PaneKeyScope::ALL.iter().filter(|scope| scope.has(kind));
                    let of = |scope: &PaneKeyScope| {
                        ROWS.iter()
                            .filter(|row| row.scope == *scope && row.presses.contains(press))
                            .count()
                    };
                    assert!(
                        scopes.map(of).all(|count| count < 2),
                        "{} twice",
                        press.text()
                    );
                }
            }
        }
    }

    #[test]
    fn letters_are_distinguished_by_their_size_and_signs_need_no_shift() {
        let of = |kind, code, held| command_of(kind, KeyEvent::new(code, held));
        let (none, shift) = (KeyModifiers::NONE, KeyModifiers::SHIFT);
        assert_eq!(
            of(PanelKind::Trace, KeyCode::Char('p'), none),
            Some(PaneCommand::Ask(PromptPurpose::Visit(Direction::Forward)))
        );
        assert_eq!(
            of(PanelKind::Trace, KeyCode::Char('P'), shift),
            Some(PaneCommand::Ask(PromptPurpose::Visit(Direction::Back)))
        );
        assert_eq!(
            of(PanelKind::Trace, KeyCode::Char('{'), shift),
            Some(PaneCommand::Fold(FoldAction::All))
        );
        assert_eq!(
            of(PanelKind::Memory, KeyCode::Char('['), none),
            Some(PaneCommand::ChangedByte(Direction::Back))
        );
        assert_eq!(of(PanelKind::Registers, KeyCode::Char('['), none), None);
        assert_eq!(of(PanelKind::Trace, KeyCode::Up, KeyModifiers::ALT), None);
    }
}

#[cfg(test)]
mod sent_tests {
    use super::*;
    use stepback_debugger::keymap::read_key;
    use stepback_debugger::messages::Language;

    #[test]
    fn keys_have_names_in_the_language_of_the_thread() {
        let names = || {
            let sent = sent_text(read_key("Shift+PageUp").unwrap()).unwrap();
            let pressed = [
                KeyCode::PageDown,
                KeyCode::Enter,
                KeyCode::BackTab,
                KeyCode::Esc,
            ];
            let pressed = pressed.map(|code| KeyPress::of(code).text());
            format!("{sent} {}", pressed.join(" "))
        };
        assert_eq!(names(), "Shift-PageUp PgDn Return Shift-Tab Esc");
        Language::French.speak();
        let french = names();
        Language::English.speak();
        assert_eq!(french, "Maj-PgPréc PgSuiv Entrée Maj-Tab Échap");
    }

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
