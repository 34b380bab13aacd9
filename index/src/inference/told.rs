//! Recorded values in a trace that leaves only some values out.

use stepback_machine::{AccessKind, Expression, RegisterView};
use stepback_parsers::Step;

use crate::answers::reason::{Fact, ValueDerivation};
use crate::inference::engine::Engine;
use crate::inference::here::CurrentStep;
use crate::inference::run::StatedRegister;
use crate::inference::width::{AddressWidth, WidthBit};

impl Engine<'_> {
    /// Applies the recorded window counts from before the first step.
    pub fn take_counts(&mut self, first: Step) {
        let run = self.run;
        for StatedRegister { view, value } in run
            .counts
            .iter()
            .filter(|_| self.circumstances.are_values_taken)
        {
            let fact = Fact::Stated(first);
            let term = self.registers.read(*view, &mut self.symbols, fact);
            value
                .iter()
                .for_each(|value| self.symbols.state(term, *value, u64::MAX, fact));
        }
    }

    /// Applies the register values recorded with a step. Registers that the instruction does not
    /// write lose their old values.
    pub fn take_told(&mut self, here: CurrentStep<'_>) {
        let run = self.run;
        if let Some(WidthBit { bit, view }) = self.decisive.filter(|known| writes(here, known.view))
        {
            self.addresses = AddressWidth::of(bit, self.named_value(view));
        }
        for told in run.told(here.step) {
            if let Some(WidthBit { bit, .. }) =
                self.decisive.filter(|known| known.view == told.view)
            {
                self.addresses = AddressWidth::of(bit, told.value);
            }
            if !writes(here, told.view) {
                self.registers.forget(
                    told.view,
                    ValueDerivation::Computed(here.step.step()),
                    &mut self.symbols,
                );
            }
            if let Some(value) = told.value.filter(|_| self.circumstances.are_values_taken) {
                let fact = Fact::Stated(here.step.step());
                let term = self.registers.read(told.view, &mut self.symbols, fact);
                self.symbols.state(term, value, u64::MAX, fact);
            }
        }
    }

    /// Returns the value of a register that a single fact states.
    fn named_value(&self, view: RegisterView) -> Option<u64> {
        self.symbols
            .stated(self.registers.lane(view.register, view.offset)?.term)
    }

    /// Applies the recorded values of the loads and stores of a step. Registers must still be in
    /// the state before it.
    pub fn take_access_values(&mut self, here: CurrentStep<'_>) {
        if !self.circumstances.are_values_taken || here.step.encoding.is_none() {
            return;
        }
        let run = self.run;
        for (number, operand) in here.instruction.meaning.memory.iter().enumerate() {
            let Some(address) = here.addresses.get(number).copied().flatten() else {
                continue;
            };
            let size_bytes = operand
                .size_bytes
                .and_then(|size| u8::try_from(size).ok())
                .filter(|size| *size <= 8);
            let accesses = run
                .accesses(here.step)
                .iter()
                .filter(|access| access.kind == operand.kind);
            let same = accesses.filter(|access| {
                access.address == address && Some(access.size_bytes) == size_bytes
            });
            let Some((value, size_bytes)) = same
                .filter_map(|access| access.value)
                .next()
                .zip(size_bytes)
            else {
                continue;
            };
            let bits = 8 * size_bytes;
            let term = match operand.kind {
                AccessKind::Read => self.loaded(number, 0, here).0,
                AccessKind::Write if operand.value == Expression::Unknown => continue,
                AccessKind::Write => self.term(&operand.value, bits, here).0,
            };
            self.symbols.state(
                term.cut(bits),
                value,
                u64::MAX,
                Fact::Stated(here.step.step()),
            );
        }
    }
}

/// Returns true if the instruction of a step writes a part of a register.
fn writes(here: CurrentStep<'_>, view: RegisterView) -> bool {
    let home = |register| {
        if here.step.mode.has_windows() {
            here.step.mode.home(register)
        } else {
            register
        }
    };
    here.step.is_executed
        && here
            .uses
            .writes
            .iter()
            .any(|write| home(write.register) == home(view.register))
}
