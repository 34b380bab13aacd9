//! The commands that say how registers and memory are shown.

use stepback_machine::RegisterGroup;

use super::build::new;
use super::command::{Area, Command};
use crate::action::{Action, MemoryChange, MemoryText, RegisterFormat, ViewAction, Way};

/// In the order of the menu.
pub(super) fn cell_rows() -> Vec<Command> {
    use Area::View;
    let memory = |it| Action::View(ViewAction::Memory(it));
    vec![
        new(View, "Registers core").in_trace().does(Action::View(ViewAction::ShowRegisters(RegisterGroup::Core))),
        new(View, "Registers single precision")
            .in_trace()
            .does(Action::View(ViewAction::ShowRegisters(RegisterGroup::Single))),
        new(View, "Registers double precision")
            .in_trace()
            .does(Action::View(ViewAction::ShowRegisters(RegisterGroup::Double))),
        new(View, "Registers vector").in_trace().does(Action::View(ViewAction::ShowRegisters(RegisterGroup::Vector))),
        new(View, "Registers SVE").in_trace().does(Action::View(ViewAction::ShowRegisters(RegisterGroup::Scalable))),
        new(View, "Registers system").in_trace().does(Action::View(ViewAction::ShowRegisters(RegisterGroup::System))),
        new(View, "Registers as hex").in_trace().does(Action::View(ViewAction::FormatRegisters(RegisterFormat::Hex))),
        new(View, "Registers as unsigned")
            .in_trace()
            .does(Action::View(ViewAction::FormatRegisters(RegisterFormat::Unsigned))),
        new(View, "Registers as signed")
            .in_trace()
            .does(Action::View(ViewAction::FormatRegisters(RegisterFormat::Signed))),
        new(View, "Registers as floating point")
            .in_trace()
            .does(Action::View(ViewAction::FormatRegisters(RegisterFormat::Float))),
        new(View, "Registers as text").in_trace().does(Action::View(ViewAction::FormatRegisters(RegisterFormat::Text))),
        new(View, "Lower halves of registers").in_trace().does(Action::View(ViewAction::HalveRegisters)),
        new(View, "Memory by 1 byte").in_trace().does(Action::View(ViewAction::MemoryGroup(1))),
        new(View, "Memory by 2 bytes").in_trace().does(Action::View(ViewAction::MemoryGroup(2))),
        new(View, "Memory by 4 bytes").in_trace().does(Action::View(ViewAction::MemoryGroup(4))),
        new(View, "Memory by 8 bytes").in_trace().does(Action::View(ViewAction::MemoryGroup(8))),
        new(View, "Memory rows as wide as there is room").in_trace().does(memory(MemoryChange::Width(None))),
        new(View, "Memory rows of 8 bytes").in_trace().does(memory(MemoryChange::Width(Some(8)))),
        new(View, "Memory rows of 16 bytes").in_trace().does(memory(MemoryChange::Width(Some(16)))),
        new(View, "Memory rows of 32 bytes").in_trace().does(memory(MemoryChange::Width(Some(32)))),
        new(View, "Memory rows of 64 bytes").in_trace().does(memory(MemoryChange::Width(Some(64)))),
        new(View, "Memory as floating point").in_trace().does(memory(MemoryChange::Floats)),
        new(View, "Memory text as ASCII").in_trace().does(memory(MemoryChange::Text(MemoryText::Ascii))),
        new(View, "Memory text as UTF-8").in_trace().does(memory(MemoryChange::Text(MemoryText::Utf8))),
        new(View, "Memory compared in place").in_trace().does(memory(MemoryChange::ToggleCompare)),
        new(View, "Next changed byte").in_trace().does(memory(MemoryChange::GoToChanged(Way::Forward))),
        new(View, "Previous changed byte").in_trace().does(memory(MemoryChange::GoToChanged(Way::Back))),
        new(View, "Find next in memory").in_trace().does(memory(MemoryChange::FindAgain(Way::Forward))),
        new(View, "Find previous in memory").in_trace().does(memory(MemoryChange::FindAgain(Way::Back))),
    ]
}
