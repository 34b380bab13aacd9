//! The table of keys: those of `tarmac-browser` in each pane (its documentation, "Interactive browsing tools"), and some
//! besides. Where it has none for a key, the key means what it means in the window: see [`keymap`](crate::keymap).

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use stepback_machine::RegisterGroup;

use super::command::{Command, Purpose, Toward};
use crate::action::{Fold, PanelKind, SliceEdge, Way};
use crate::keymap::{Key, KeyStroke, Modifiers};

/// Where a key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In every pane.
    Everywhere,
    /// In lists of steps.
    Trace,
    /// In panes of registers and of memory.
    Cells,
    /// In panes of registers.
    Registers,
    /// In panes of memory.
    Memory,
    /// In the pane that tells why a value is what it is.
    Why,
    /// In the comparison of two positions.
    Compare,
    /// In every pane but lists of steps.
    Others,
}

impl Scope {
    /// All, the particular ones first: a key means what it means in the first that has it.
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

    /// Whether it holds in a pane of a kind.
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

/// A key as a terminal tells it: letters are large or small, signs are themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press {
    code: KeyCode,
    is_control: bool,
}

/// A row of the table.
pub struct Row {
    /// Where it counts.
    pub scope: Scope,
    /// Which keys.
    pub presses: &'static [Press],
    /// What they ask for.
    pub command: Command,
    /// What the help says of it, by its id in the table of messages.
    pub words: &'static str,
}

impl Row {
    /// Its keys as the help writes them, without those that mean something more particular in a pane of a kind.
    pub fn keys_in(&self, kind: PanelKind) -> Vec<String> {
        let is_ours =
            |press: &&Press| row_of(kind, |other| other == **press).is_some_and(|row| row.words == self.words);
        self.presses.iter().filter(is_ours).map(|press| press.text()).collect()
    }
}

impl Press {
    /// As the help writes it: `Ctrl-L`, `PgUp`, `{`.
    pub fn text(self) -> String {
        let name = match self.code {
            KeyCode::Char(' ') => "Space".to_owned(),
            KeyCode::Char(letter) if self.is_control => letter.to_ascii_uppercase().to_string(),
            KeyCode::Char(letter) => letter.to_string(),
            KeyCode::F(number) => format!("F{number}"),
            KeyCode::PageUp => "PgUp".to_owned(),
            KeyCode::PageDown => "PgDn".to_owned(),
            KeyCode::Enter => "Return".to_owned(),
            KeyCode::BackTab => "Shift-Tab".to_owned(),
            other => format!("{other:?}"),
        };
        if self.is_control { format!("Ctrl-{name}") } else { name }
    }

    const fn of(code: KeyCode) -> Self {
        Self { code, is_control: false }
    }

    const fn letter(letter: char) -> Self {
        Self::of(KeyCode::Char(letter))
    }

    const fn control(letter: char) -> Self {
        Self { code: KeyCode::Char(letter), is_control: true }
    }

    fn fits(self, key: KeyEvent) -> bool {
        let is_alt = key.modifiers.contains(KeyModifiers::ALT);
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        // Shift is part of a letter or sign, and of no other key of the table.
        let is_shift =
            key.modifiers.contains(KeyModifiers::SHIFT) && !matches!(key.code, KeyCode::Char(_) | KeyCode::BackTab);
        key.code == self.code && !is_alt && !is_shift && is_control == self.is_control
    }
}

/// What a key asks for in a pane of a kind; none where the table has none.
pub fn command_of(kind: PanelKind, key: KeyEvent) -> Option<Command> {
    row_of(kind, |press| press.fits(key)).map(|row| row.command)
}

/// Whether the table has a key of the window's for itself in a pane of a kind.
pub fn has_for_itself(kind: PanelKind, stroke: KeyStroke) -> bool {
    let event = |press: &Press| {
        let held = if press.is_control { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
        stroke_of(KeyEvent::new(press.code, held))
    };
    row_of(kind, |press| event(&press) == Some(stroke)).is_some()
}

/// The row of a key: that of the most particular scope.
fn row_of(kind: PanelKind, is_it: impl Fn(Press) -> bool) -> Option<&'static Row> {
    let scopes = Scope::ALL.into_iter().filter(|scope| scope.has(kind));
    let found = |scope| ROWS.iter().find(|row| row.scope == scope && row.presses.iter().any(|press| is_it(*press)));
    scopes.filter_map(found).next()
}

/// A key as the window's table has it.
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

/// The table. Rows with the same words stand together in the help.
pub static ROWS: &[Row] = &[
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::of(KeyCode::Tab)],
        command: Command::Focus(Way::Forward),
        words: "terminal-key-next-pane",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::of(KeyCode::BackTab)],
        command: Command::Focus(Way::Back),
        words: "terminal-key-last-pane",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::of(KeyCode::F(1)), Press::of(KeyCode::F(10))],
        command: Command::Help,
        words: "terminal-key-help",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('q')],
        command: Command::Quit,
        words: "terminal-key-quit",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter(':')],
        command: Command::Palette,
        words: "terminal-key-palette",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('/')],
        command: Command::Search(Way::Forward),
        words: "terminal-key-search",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('?')],
        command: Command::Search(Way::Back),
        words: "terminal-key-search-back",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('n')],
        command: Command::FindAgain(Way::Forward),
        words: "terminal-key-again",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('N')],
        command: Command::FindAgain(Way::Back),
        words: "terminal-key-again-back",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('z')],
        command: Command::Zoom,
        words: "terminal-key-zoom",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('m')],
        command: Command::Ask(Purpose::Memory),
        words: "terminal-key-memory",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('r')],
        command: Command::Registers(RegisterGroup::Core),
        words: "terminal-key-core",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('S')],
        command: Command::Registers(RegisterGroup::Single),
        words: "terminal-key-single",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('D')],
        command: Command::Registers(RegisterGroup::Double),
        words: "terminal-key-double",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('V')],
        command: Command::Registers(RegisterGroup::Vector),
        words: "terminal-key-vector",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('M')],
        command: Command::Registers(RegisterGroup::Vector),
        words: "terminal-key-mve",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('Y')],
        command: Command::Registers(RegisterGroup::System),
        words: "terminal-key-system",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::of(KeyCode::F(6))],
        command: Command::Colors,
        words: "terminal-key-colors",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::of(KeyCode::F(7))],
        command: Command::Symbols,
        words: "terminal-key-symbols",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::of(KeyCode::Up)],
        command: Command::Move(Toward::Up),
        words: "terminal-key-step-back",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::of(KeyCode::Down)],
        command: Command::Move(Toward::Down),
        words: "terminal-key-step",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::of(KeyCode::PageUp)],
        command: Command::Move(Toward::PageUp),
        words: "terminal-key-page-back",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::of(KeyCode::PageDown)],
        command: Command::Move(Toward::PageDown),
        words: "terminal-key-page",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::of(KeyCode::Home)],
        command: Command::Move(Toward::First),
        words: "terminal-key-start",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::of(KeyCode::End)],
        command: Command::Move(Toward::Last),
        words: "terminal-key-end",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::control('l')],
        command: Command::Arrange,
        words: "terminal-key-arrange",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('-'), Press::letter('_')],
        command: Command::Fold(Fold::Containing),
        words: "terminal-key-fold",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('+'), Press::letter('=')],
        command: Command::Fold(Fold::UnfoldHere),
        words: "terminal-key-unfold",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('[')],
        command: Command::Fold(Fold::Inside),
        words: "terminal-key-fold-inside",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter(']')],
        command: Command::Fold(Fold::UnfoldInside),
        words: "terminal-key-unfold-inside",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('{')],
        command: Command::Fold(Fold::All),
        words: "terminal-key-fold-all",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('}')],
        command: Command::Fold(Fold::UnfoldAll),
        words: "terminal-key-unfold-all",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('l')],
        command: Command::Ask(Purpose::Line),
        words: "terminal-key-line",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('t')],
        command: Command::Ask(Purpose::Time),
        words: "terminal-key-time",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('p')],
        command: Command::Ask(Purpose::Visit(Way::Forward)),
        words: "terminal-key-visit",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('P')],
        command: Command::Ask(Purpose::Visit(Way::Back)),
        words: "terminal-key-visit-back",
    },
    Row { scope: Scope::Trace, presses: &[Press::letter('R')], command: Command::Raw, words: "terminal-key-raw" },
    Row { scope: Scope::Trace, presses: &[Press::letter('a')], command: Command::Pick, words: "terminal-key-pick" },
    Row {
        scope: Scope::Trace,
        presses: &[Press::of(KeyCode::Enter)],
        command: Command::Access(Way::Back),
        words: "terminal-key-pick-write",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::Up)],
        command: Command::Move(Toward::Up),
        words: "terminal-key-cursor",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::Down)],
        command: Command::Move(Toward::Down),
        words: "terminal-key-cursor",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::Left)],
        command: Command::Move(Toward::Left),
        words: "terminal-key-cursor",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::Right)],
        command: Command::Move(Toward::Right),
        words: "terminal-key-cursor",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::PageUp)],
        command: Command::Move(Toward::PageUp),
        words: "terminal-key-cursor",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::PageDown)],
        command: Command::Move(Toward::PageDown),
        words: "terminal-key-cursor",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::Home)],
        command: Command::Move(Toward::First),
        words: "terminal-key-cursor",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::End)],
        command: Command::Move(Toward::Last),
        words: "terminal-key-cursor",
    },
    Row {
        scope: Scope::Cells,
        presses: &[Press::of(KeyCode::Enter)],
        command: Command::Access(Way::Back),
        words: "terminal-key-last-write",
    },
    Row {
        scope: Scope::Cells,
        presses: &[Press::letter('l')],
        command: Command::Ask(Purpose::LockAtLine),
        words: "terminal-key-lock-line",
    },
    Row {
        scope: Scope::Cells,
        presses: &[Press::letter('t')],
        command: Command::Ask(Purpose::LockAtTime),
        words: "terminal-key-lock-time",
    },
    Row { scope: Scope::Cells, presses: &[Press::control('l')], command: Command::Arrange, words: "terminal-key-lock" },
    Row {
        scope: Scope::Registers,
        presses: &[Press::letter('a')],
        command: Command::Pick,
        words: "terminal-key-point",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter('[')],
        command: Command::ChangedByte(Way::Back),
        words: "terminal-key-changed-back",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter(']')],
        command: Command::ChangedByte(Way::Forward),
        words: "terminal-key-changed",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter('d')],
        command: Command::Ask(Purpose::CompareWithLine),
        words: "terminal-key-compare",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter('1')],
        command: Command::LastWrite(1),
        words: "terminal-key-write-1",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter('2')],
        command: Command::LastWrite(2),
        words: "terminal-key-write-2",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter('4')],
        command: Command::LastWrite(4),
        words: "terminal-key-write-4",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter('8')],
        command: Command::LastWrite(8),
        words: "terminal-key-write-8",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter('g')],
        command: Command::Ask(Purpose::Address),
        words: "terminal-key-address",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter('e')],
        command: Command::FollowAddress,
        words: "terminal-key-follow-address",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::letter('<')],
        command: Command::Resize(-1),
        words: "terminal-key-lower",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::letter('>')],
        command: Command::Resize(1),
        words: "terminal-key-higher",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::Enter)],
        command: Command::Access(Way::Back),
        words: "terminal-key-travel",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::of(KeyCode::Right)],
        command: Command::Into(Way::Forward),
        words: "terminal-key-into",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::of(KeyCode::Left)],
        command: Command::Into(Way::Back),
        words: "terminal-key-into-back",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('>')],
        command: Command::Over(Way::Forward),
        words: "terminal-key-over",
    },
    Row {
        scope: Scope::Trace,
        presses: &[Press::letter('<')],
        command: Command::Over(Way::Back),
        words: "terminal-key-over-back",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('(')],
        command: Command::History(Way::Back),
        words: "terminal-key-history-back",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter(')')],
        command: Command::History(Way::Forward),
        words: "terminal-key-history",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('o')],
        command: Command::Access(Way::Forward),
        words: "terminal-key-next-write",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::letter('&')],
        command: Command::Ask(Purpose::Filter),
        words: "terminal-key-filter",
    },
    Row {
        scope: Scope::Memory,
        presses: &[Press::letter('&')],
        command: Command::Ask(Purpose::FindInMemory),
        words: "terminal-key-find-in-memory",
    },
    Row {
        scope: Scope::Others,
        presses: &[Press::of(KeyCode::Delete)],
        command: Command::Remove,
        words: "terminal-key-remove",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('y')],
        command: Command::Copy,
        words: "terminal-key-copy",
    },
    Row { scope: Scope::Everywhere, presses: &[Press::letter('W')], command: Command::Why, words: "terminal-key-why" },
    Row {
        scope: Scope::Why,
        presses: &[Press::letter('v')],
        command: Command::NextView,
        words: "terminal-key-next-view",
    },
    Row {
        scope: Scope::Compare,
        presses: &[Press::letter('v')],
        command: Command::NextView,
        words: "terminal-key-other-value",
    },
    Row {
        scope: Scope::Why,
        presses: &[Press::letter('A')],
        command: Command::Follow(SliceEdge::Addresses),
        words: "terminal-key-follow-addresses",
    },
    Row {
        scope: Scope::Why,
        presses: &[Press::letter('F')],
        command: Command::Follow(SliceEdge::Flags),
        words: "terminal-key-follow-flags",
    },
    Row {
        scope: Scope::Why,
        presses: &[Press::letter('C')],
        command: Command::Follow(SliceEdge::Control),
        words: "terminal-key-follow-control",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('u')],
        command: Command::Undo(Way::Back),
        words: "terminal-key-undo",
    },
    Row {
        scope: Scope::Everywhere,
        presses: &[Press::letter('U')],
        command: Command::Undo(Way::Forward),
        words: "terminal-key-redo",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

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
                    let scopes = Scope::ALL.iter().filter(|scope| scope.has(kind));
                    let of = |scope: &Scope| {
                        ROWS.iter().filter(|row| row.scope == *scope && row.presses.contains(press)).count()
                    };
                    assert!(scopes.map(of).all(|count| count < 2), "{} twice", press.text());
                }
            }
        }
    }

    #[test]
    fn letters_are_told_apart_by_their_size_and_signs_need_no_shift() {
        let of = |kind, code, held| command_of(kind, KeyEvent::new(code, held));
        let (none, shift) = (KeyModifiers::NONE, KeyModifiers::SHIFT);
        assert_eq!(of(PanelKind::Trace, KeyCode::Char('p'), none), Some(Command::Ask(Purpose::Visit(Way::Forward))));
        assert_eq!(of(PanelKind::Trace, KeyCode::Char('P'), shift), Some(Command::Ask(Purpose::Visit(Way::Back))));
        assert_eq!(of(PanelKind::Trace, KeyCode::Char('{'), shift), Some(Command::Fold(Fold::All)));
        assert_eq!(of(PanelKind::Memory, KeyCode::Char('['), none), Some(Command::ChangedByte(Way::Back)));
        assert_eq!(of(PanelKind::Registers, KeyCode::Char('['), none), None);
        assert_eq!(of(PanelKind::Trace, KeyCode::Up, KeyModifiers::ALT), None);
    }
}
