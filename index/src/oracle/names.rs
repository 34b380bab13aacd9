//! Names of registers.

use std::collections::HashMap;

use stepback_machine::{InstructionSet, RegisterId, RegisterView, Registers, naive};

use stepback_parsers::Position;

use crate::answers::thread::ThreadId;
use crate::oracle::event::{OracleEvent, OracleEventKind, OracleWrite};
use crate::oracle::record::Oracle;

impl Oracle {
    /// Returns all register writes of the trace.
    pub(super) fn writes(&self) -> impl Iterator<Item = (ThreadId, &OracleWrite)> {
        self.events.iter().filter_map(|event| match &event.kind {
            OracleEventKind::Register(written) => Some((event.thread, written)),
            _ => None,
        })
    }

    /// Returns the name of a register outside the architecture's table.
    pub(super) fn outside_name(&self, register: RegisterId) -> Option<&String> {
        let place = register.0.checked_sub(RegisterId::FIRST_NAMED.0)?;
        self.register_names.get(usize::from(place))
    }

    /// Returns the instruction set that determines the names in an event: that of the previous
    /// step, if it is of the same thread.
    pub(super) fn set_of_event(&self, event: &OracleEvent) -> InstructionSet {
        let step = Position(event.slot)
            .last_step()
            .and_then(|step| self.step(step));
        let set = step
            .filter(|step| step.thread == event.thread)
            .map(|step| step.instruction_set);
        self.set_of_names(event.thread, set)
    }

    /// Returns the instruction set for names. A32 and T32 have the same names.
    pub(super) fn set_of_names(
        &self,
        thread: ThreadId,
        set: Option<InstructionSet>,
    ) -> InstructionSet {
        let first = self.instruction_set(thread);
        match set {
            Some(set) if set.word_bytes() != first.word_bytes() => {
                naive::set_of_width(set.word_bytes())
            }
            _ => first,
        }
    }

    /// Returns the displayed name of a view in an instruction set.
    pub(super) fn register_name(&self, view: RegisterView, set: InstructionSet) -> String {
        match self.outside_name(view.register) {
            Some(whole) if self.widths.get(&view.register) == Some(&view.size_bytes) => {
                whole.clone()
            }
            Some(whole) => with_bits(whole, view),
            None => {
                let name = Registers::name(view, set).map(ToString::to_string);
                name.unwrap_or_else(|| with_bits(&table_name(view, set), view))
            }
        }
    }

    /// Returns the width of each register as written in the trace.
    pub(super) fn find_widths(&self) -> HashMap<RegisterId, u16> {
        let mut widths = HashMap::new();
        for (_, written) in self.writes() {
            let width = widths.entry(written.view.register).or_default();
            *width = written
                .view
                .offset
                .saturating_add(written.view.size_bytes)
                .max(*width);
        }
        widths
    }
}

fn with_bits(name: &str, view: RegisterView) -> String {
    let low = 8 * u32::from(view.offset);
    format!("{name}<{}:{low}>", low + 8 * u32::from(view.size_bytes) - 1)
}

/// Returns the name of the table register that contains a view. Vectors count as 16 bytes wide
/// unless the view is higher.
fn table_name(view: RegisterView, set: InstructionSet) -> String {
    let vector = if view.offset + view.size_bytes > 16 {
        256
    } else {
        16
    };
    let name = |size| Registers::name(RegisterView::new(view.register, 0, size), set);
    let names = [vector, set.word_bytes(), 4, 32, 2]
        .into_iter()
        .find_map(name);
    names.map_or_else(
        || format!("register {}", view.register.0),
        ToString::to_string,
    )
}
