//! Events: exceptions, interrupts and changes of the privilege mode ([`StfEvent`]).

use std::fmt::Write as _;

use stepback_machine::InstructionSet;

/// Bit that marks interrupts.
const INTERRUPT: u64 = 1 << 63;
/// Number of a change of the privilege mode: special event 0.
const MODE_CHANGE: u64 = 1 << 62;

/// Kind of an event by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StfEvent {
    /// The instruction faulted; the cause as in `mcause`.
    Exception(u64),
    /// The instruction was about to run; the cause without the bit that marks interrupts.
    Interrupt(u64),
    /// The instruction changed the privilege mode.
    ModeChange,
    /// A special event without a meaning here.
    Special(u64),
}

impl StfEvent {
    /// Returns the kind of an event.
    pub fn of(id: u64) -> Self {
        match id {
            MODE_CHANGE => Self::ModeChange,
            _ if id & INTERRUPT != 0 => Self::Interrupt(id & !INTERRUPT),
            _ if id & MODE_CHANGE != 0 => Self::Special(id & !MODE_CHANGE),
            _ => Self::Exception(id),
        }
    }

    /// Returns true if the instruction did not complete.
    pub fn is_trap(self) -> bool {
        matches!(self, Self::Exception(_) | Self::Interrupt(_))
    }

    /// Returns true if the instruction could not be fetched. Its opcode is then a placeholder.
    pub fn is_fetch_fault(self) -> bool {
        // The RISC-V Instruction Set Manual, volume II, table 14: misaligned, access fault, page
        // fault, guest page fault.
        matches!(self, Self::Exception(0 | 1 | 12 | 20))
    }
}

/// Describes an event. `target` is the address where it leads.
pub fn event_text(id: u64, data: &[u64], target: Option<u64>) -> String {
    let name = |id| {
        let name = InstructionSet::Riscv64.trap_name(id);
        name.map_or_else(String::new, |name| format!(", {name}"))
    };
    let mut text = match StfEvent::of(id) {
        StfEvent::Exception(cause) => format!("exception {cause}{}", name(id)),
        StfEvent::Interrupt(cause) => format!("interrupt {cause}{}", name(id)),
        StfEvent::Special(number) => format!("special event {number}"),
        StfEvent::ModeChange => match data.first() {
            Some(mode) => format!("mode change to {}", mode_text(*mode)),
            None => "mode change".to_owned(),
        },
    };
    if StfEvent::of(id) != StfEvent::ModeChange && !data.is_empty() {
        text.push_str(", data");
        for word in data {
            _ = write!(text, " {word:#x}");
        }
    }
    if let Some(target) = target {
        _ = write!(text, ", to {target:#x}");
    }
    text
}

/// Returns the letter of a privilege mode.
fn mode_text(mode: u64) -> String {
    match mode {
        0 => "U".to_owned(),
        1 => "S".to_owned(),
        3 => "M".to_owned(),
        number => format!("mode {number}"),
    }
}
