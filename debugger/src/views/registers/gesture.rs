//! Actions on registers.

use stepback_index::answer::{ThreadId, ValueSource};

use super::view::RegistersView;
use crate::action::{
    Access, Action, AppAction, CellName, Direction, MarkAction, RegisterFormat, SliceAction,
    TravelAction, ViewAction,
};
use crate::desk::Desk;
use crate::keymap::watch_text;
use crate::messages::say;
use crate::model::register_format::readings;
use crate::model::registers::RegisterCell;
use crate::model::text::short_hex;
use crate::notes::WatchChange;

/// Gesture of the user on a register, or on the title of further registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterGesture {
    /// Goes to the last write before the position; opens or closes a title.
    LastWrite,
    /// Goes to the next write; opens or closes a title.
    NextWrite,
    /// Lists all values.
    AllValues,
    /// Explains the value.
    Why,
    Watch,
    /// Adds the register to the waveforms.
    Waveform,
    /// Shows memory at the value.
    ShowMemory,
    /// Changes the format of values.
    ShowAs(RegisterFormat),
    /// Shows the lower halves of registers of 64 bits, or whole registers again.
    Halve,
    /// Copies the value.
    CopyValue,
    /// Copies the name.
    CopyName,
    /// Copies name and value.
    CopyText,
}

impl RegistersView {
    /// Applies a gesture to a register, a lane or a title.
    pub fn act(
        &mut self,
        name: &str,
        gesture: RegisterGesture,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) {
        let (cell, named) = (
            self.board().and_then(|board| board.part(name)),
            self.cell_name(name),
        );
        let copy = |text: String| Action::App(AppAction::Copy(text));
        match gesture {
            RegisterGesture::LastWrite | RegisterGesture::NextWrite if self.is_title(name) => {
                self.toggle_title(name)
            }
            RegisterGesture::LastWrite => self.go_to_write(named, Direction::Back, desk, out),
            RegisterGesture::NextWrite => self.go_to_write(named, Direction::Forward, desk, out),
            RegisterGesture::AllValues => {
                out.extend(desk.windows.start_from(self.follow));
                out.push(Action::View(ViewAction::ListValues(named)));
            }
            RegisterGesture::Why => {
                out.push(Action::Slice(SliceAction::WhyAt(
                    named,
                    desk.windows.position_of(self.follow),
                )));
            }
            RegisterGesture::Watch => {
                out.push(Action::Mark(MarkAction::Watch(WatchChange::Add(
                    watch_text(&named),
                ))));
            }
            RegisterGesture::Waveform => {
                out.push(Action::Mark(MarkAction::Wave(WatchChange::Add(
                    watch_text(&named),
                ))));
            }
            RegisterGesture::ShowMemory => {
                let address = cell.as_ref().and_then(address_of);
                out.extend(address.map(|address| Action::View(ViewAction::ShowMemory(address))));
            }
            RegisterGesture::ShowAs(format) => {
                out.push(Action::View(ViewAction::FormatRegisters(format)))
            }
            RegisterGesture::Halve => out.push(Action::View(ViewAction::HalveRegisters)),
            RegisterGesture::CopyValue => out.extend(cell.map(|cell| copy(value_text(&cell)))),
            RegisterGesture::CopyName => out.push(copy(name.to_owned())),
            RegisterGesture::CopyText => {
                out.extend(
                    cell.map(|cell| {
                        copy(format!("{name} = {}{}", value_text(&cell), doubt(&cell)))
                    }),
                );
            }
        }
    }

    /// Applies a gesture to the register, lane or title under the cursor.
    pub fn act_at_cursor(&mut self, gesture: RegisterGesture, desk: &Desk, out: &mut Vec<Action>) {
        if let Some(name) = self.cursor().map(str::to_owned) {
            self.act(&name, gesture, desk, out);
        }
    }

    fn go_to_write(
        &self,
        cell: CellName,
        direction: Direction,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) {
        out.extend(desk.windows.start_from(self.follow));
        out.push(Action::Travel(TravelAction::GoToAccess(
            cell,
            Access::Write,
            direction,
        )));
    }

    /// Returns the lines of a hint about a value.
    pub fn hint_lines(&self, cell: &RegisterCell, desk: &Desk) -> Vec<String> {
        let reason = cell
            .reason
            .as_ref()
            .map(|reason| say!("registers-inferred", reason = reason.as_str()));
        readings(&cell.value)
            .into_iter()
            .chain(stack_words(cell, desk))
            .chain(reason)
            .collect()
    }
}

/// Returns a value as an address expression, if it is known.
pub fn address_of(cell: &RegisterCell) -> Option<String> {
    cell.value.to_u64().map(|value| format!("{value:#x}"))
}

/// Returns the text to copy for a value.
fn value_text(cell: &RegisterCell) -> String {
    short_hex(&cell.value).map_or_else(|| "unknown".to_owned(), |hex| format!("0x{hex}"))
}

/// Returns the text to copy after a value that the trace does not record.
fn doubt(cell: &RegisterCell) -> String {
    match cell.source {
        ValueSource::Inferred | ValueSource::External => format!(" ({})", cell.source_word()),
        ValueSource::Recorded | ValueSource::Unknown => String::new(),
    }
}

/// Returns the address of the stack on processors whose stack pointer is biased: the address that
/// memory panels show for `sp`.
fn stack_words(cell: &RegisterCell, desk: &Desk) -> Option<String> {
    let pointer = cell.value.to_u64().filter(|_| cell.name == "sp")?;
    let end = desk
        .session
        .index
        .instruction_set(ThreadId(0))
        .stack_end(pointer);
    (end != pointer).then(|| say!("registers-stack-lies-at", address = format!("{end:x}")))
}
