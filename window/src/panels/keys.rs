//! Keys of panels that have their own cursor. All other keys are in the key map and never reach
//! this module.

use egui::{Key, Modifiers, Ui};

use super::PanelContext;
use stepback_debugger::views::CursorDirection;

/// Meaning of a key in the panel that has the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelKey {
    /// Moves the cursor; left and right also close and open a branch.
    Move(CursorDirection),
    /// Last write; travel.
    Enter,
    /// Next write.
    ShiftEnter,
    /// Copies the item under the cursor.
    Copy,
    /// Shows memory at the value.
    ShowMemory,
    /// Toggles following the expression.
    Follow,
    /// Zooms out.
    Out,
    /// Next group of registers.
    View,
    /// Next way to read values.
    Lanes,
    /// Changes the name.
    Rename,
    /// Changes the note.
    Note,
    /// Removes the item from the list.
    Remove,
    /// Starts or ends a comparison with another position.
    Compare,
    /// Next byte that differs.
    NextChange,
    /// Previous byte that differs.
    LastChange,
    /// Last write of 1, 2, 4 or 8 bytes.
    Bytes(u8),
}

impl PanelKey {
    /// Returns true if the key moves the cursor of a list; left and right do not.
    pub fn is_move(self) -> bool {
        matches!(self, Self::Move(toward) if !matches!(toward, CursorDirection::Left | CursorDirection::Right))
    }

    /// Returns the row to which the key moves the cursor of a list.
    pub fn moved(self, cursor: usize, last: usize, page: usize) -> usize {
        if let Self::Move(toward) = self {
            toward.moved(cursor, last, page)
        } else {
            cursor
        }
    }
}

const KEYS: [(Key, Modifiers, PanelKey); 26] = [
    (
        Key::ArrowUp,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::Up),
    ),
    (
        Key::ArrowDown,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::Down),
    ),
    (
        Key::ArrowLeft,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::Left),
    ),
    (
        Key::ArrowRight,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::Right),
    ),
    (
        Key::PageUp,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::PageUp),
    ),
    (
        Key::PageDown,
        Modifiers::NONE,
        PanelKey::Move(CursorDirection::PageDown),
    ),
    (
        Key::Home,
        Modifiers::COMMAND,
        PanelKey::Move(CursorDirection::First),
    ),
    (
        Key::End,
        Modifiers::COMMAND,
        PanelKey::Move(CursorDirection::Last),
    ),
    (Key::Enter, Modifiers::SHIFT, PanelKey::ShiftEnter),
    (Key::Enter, Modifiers::NONE, PanelKey::Enter),
    (Key::F2, Modifiers::SHIFT, PanelKey::Note),
    (Key::F2, Modifiers::NONE, PanelKey::Rename),
    (Key::Delete, Modifiers::NONE, PanelKey::Remove),
    (Key::Backspace, Modifiers::NONE, PanelKey::Out),
    (Key::M, Modifiers::NONE, PanelKey::ShowMemory),
    (Key::E, Modifiers::NONE, PanelKey::Follow),
    (Key::V, Modifiers::NONE, PanelKey::View),
    (Key::D, Modifiers::NONE, PanelKey::Compare),
    (Key::C, Modifiers::SHIFT, PanelKey::LastChange),
    (Key::C, Modifiers::NONE, PanelKey::NextChange),
    (Key::L, Modifiers::NONE, PanelKey::Lanes),
    (Key::C, Modifiers::COMMAND, PanelKey::Copy),
    (Key::Num1, Modifiers::NONE, PanelKey::Bytes(1)),
    (Key::Num2, Modifiers::NONE, PanelKey::Bytes(2)),
    (Key::Num4, Modifiers::NONE, PanelKey::Bytes(4)),
    (Key::Num8, Modifiers::NONE, PanelKey::Bytes(8)),
];

/// Takes the pressed keys if the panel has the keyboard and no text field has it.
pub fn take_keys(ui: &Ui, cx: &PanelContext<'_>) -> Vec<PanelKey> {
    if !cx.has_focus || ui.ctx().egui_wants_keyboard_input() {
        return Vec::new();
    }
    ui.input_mut(|input| {
        let is_copying = input
            .events
            .iter()
            .any(|event| matches!(event, egui::Event::Copy));
        let copied = is_copying.then_some(PanelKey::Copy);
        let pressed = |(key, modifiers, meaning): &(Key, Modifiers, PanelKey)| {
            let count = input.count_and_consume_key(*modifiers, *key);
            std::iter::repeat_n(*meaning, count)
        };
        let keys: Vec<PanelKey> = KEYS.iter().flat_map(pressed).collect();
        keys.into_iter().chain(copied).collect()
    })
}
