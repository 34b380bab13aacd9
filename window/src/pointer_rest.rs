//! Hides a resting pointer from the painters while the user types.
//!
//! A tooltip that the pointer once opened would otherwise stay over the rows that the keys move.

use std::mem;

use egui::{Event, PointerState, Ui};

use crate::panels::HiddenPointer;
use crate::pressed::stroke_of;

/// Whether a key was pressed since the pointer was last used, in any window of the program.
#[derive(Default)]
pub struct PointerRest {
    is_typing: bool,
}

impl PointerRest {
    /// Reads the events of a frame. Must run before commands take their keys from the input.
    pub fn look_at(&mut self, ui: &Ui) {
        let (is_used, is_typed) = ui.input(|input| {
            let events = &input.events;
            (
                input.pointer.any_down() || events.iter().any(is_of_pointer),
                events.iter().any(is_of_keyboard),
            )
        });
        self.is_typing = !is_used && (self.is_typing || is_typed);
    }

    /// Takes the pointer away before a frame is drawn, if it rests. Menus keep it: they close
    /// without it.
    pub fn take(&self, ui: &Ui) -> Option<PointerState> {
        let is_hidden = self.is_typing && !egui::Popup::is_any_open(ui.ctx());
        let hidden = is_hidden.then(|| ui.input_mut(|input| mem::take(&mut input.pointer)));
        HiddenPointer(hidden.as_ref().and_then(PointerState::hover_pos)).put(ui);
        hidden
    }

    /// Returns the pointer after the frame is drawn.
    pub fn put_back(ui: &Ui, pointer: Option<PointerState>) {
        if let Some(pointer) = pointer {
            ui.input_mut(|input| input.pointer = pointer);
        }
    }
}

/// True for an event of a mouse.
pub fn is_of_pointer(event: &Event) -> bool {
    matches!(
        event,
        Event::MouseMoved(_)
            | Event::MouseWheel { .. }
            | Event::PointerButton { .. }
            | Event::PointerMoved(_)
    )
}

/// True for a key or a text, but not for a modifier key, which belongs to a drag or a click.
fn is_of_keyboard(event: &Event) -> bool {
    matches!(event, Event::Text(_)) || stroke_of(event).is_some()
}
