//! Facts and effects that the engine does not take from the semantics of an instruction: what a
//! trap may change, the target of an indirect branch, markers between two steps, and the values
//! that a trace records although it leaves others out. Each recorded value is a fact about a term,
//! so it also determines all registers and memory with the same symbol.

use stepback_machine::convention::SystemCallFailure;
use stepback_machine::flow::{BranchTarget, ControlFlowEffect, FlowKind};
use stepback_machine::semantics::Expression;
use stepback_machine::{AccessKind, Mode, RegisterView, Registers};
use stepback_parsers::{Marker, MarkerKind, Step, traced_system_call};

use crate::answers::register_file::{Fact, ValueDerivation};
use crate::inference::addresses::{AddressWidth, WidthBit};
use crate::inference::engine::{Engine, RecordedCall};
use crate::inference::here::CurrentStep;
use crate::inference::path::TrapCrossing;
use crate::inference::run::{RunStep, StatedRegister};
use crate::inference::symbols::Term;
use crate::read::doubts::BREAKS;

impl Engine<'_> {
    /// Discards values that a step may have changed beyond what its operands show.
    pub fn leave(&mut self, here: CurrentStep<'_>) {
        if here.instruction.control.flow == FlowKind::Trap {
            // The kernel, or the host, may have written any memory.
            self.memory.clear();
            self.forget_named(trapped(here.step), here.step);
        }
        if here
            .step
            .encoding
            .is_some_and(|encoding| here.step.set.is_stack_choice(&encoding))
        {
            self.forget_named(&["sp"], here.step);
        }
    }

    /// States the register of an indirect branch: it held the branch target.
    pub fn state_target(&mut self, here: CurrentStep<'_>) {
        let Some(arrival) = here.arrival.filter(|_| here.step.is_executed) else {
            return;
        };
        let fact = Fact::Target(here.step.step());
        let sum = &here.instruction.meaning.target;
        // The expression is more exact than the register: some jumps clear the lowest bit.
        let term = if *sum != Expression::Unknown {
            self.term(sum, 64, here).0
        } else if let Some(target) = target_register(here) {
            self.registers.read(target, &mut self.symbols, fact)
        } else {
            return;
        };
        let address = arrival.set.marked_address(arrival.pc.0);
        self.state_address(term, address, fact);
    }

    /// States that a term equals an address, up to the known width of addresses.
    pub fn state_address(&mut self, term: Term, address: u64, fact: Fact) {
        let bits = self.addresses.bits(address);
        let mask = if bits < 64 { (1 << bits) - 1 } else { u64::MAX };
        self.symbols
            .state(term.cut(bits), address & mask, u64::MAX, fact);
    }

    fn forget_named(&mut self, names: &[&str], step: &RunStep) {
        let views = names
            .iter()
            .filter_map(|name| Registers::view(name, step.set));
        for RegisterView { register, .. } in views {
            self.registers.forget(
                RegisterView::new(register, 0, 8),
                ValueDerivation::Computed(step.step()),
                &mut self.symbols,
            );
        }
    }

    /// Processes the statements of records after the last step before `place`, in slots up to
    /// `until`.
    pub fn take_markers(&mut self, place: usize, until: u64) {
        let Some(step) = place
            .checked_sub(1)
            .and_then(|last| self.run.steps.get(last))
        else {
            return;
        };
        while let Some((first, rest)) = self
            .late
            .split_first()
            .filter(|(first, _)| first.slot <= until)
        {
            self.late = rest;
            if BREAKS.contains(&first.marker.kind) {
                if self.traps.cross(step, first.marker, &mut self.path) == TrapCrossing::Kept {
                    continue;
                }
                if place
                    .checked_sub(1)
                    .is_some_and(|last| self.run.ends_after(last))
                {
                    self.end_at(step, first.marker);
                    continue;
                }
                return self.clear();
            }
            self.take_marker(step, first.marker);
        }
    }

    fn take_marker(&mut self, step: &RunStep, Marker { kind, value }: Marker) {
        match kind {
            MarkerKind::FUNCTION => {
                self.traced = RecordedCall {
                    is_system_call: traced_system_call(value, step.set).is_some(),
                    arguments: 0,
                }
            }
            MarkerKind::SYSTEM_CALL if !step.is_trap() => {
                self.memory.clear();
                self.forget_named(trapped(step), step);
            }
            MarkerKind::ARGUMENT => {
                let abi = step.set.abi();
                let is_kernel = self.traced.is_system_call;
                // For a system call, only the arguments that it preserves.
                let names = if is_kernel {
                    abi.system_calls.kept_arguments
                } else {
                    abi.arguments
                };
                self.state_named(names.get(self.traced.arguments).copied(), value, step);
                self.traced.arguments += 1;
            }
            MarkerKind::RETURN_VALUE => self.take_result(step, value),
            _ => {}
        }
    }

    fn take_result(&mut self, step: &RunStep, value: u64) {
        if self.traced.is_system_call {
            // Other threads may have run before the result was recorded.
            self.forget_named(step.set.abi().result.as_slice(), step);
            let failed = self
                .late
                .first()
                .filter(|next| next.marker.kind == MarkerKind::SYSTEM_CALL_FAILED);
            // If a flag reports the failure, the result is the error number.
            if failed.is_some()
                && matches!(
                    step.set.abi().system_calls.failure,
                    SystemCallFailure::Flag { .. }
                )
            {
                return;
            }
            // Some recordings state here whether the call succeeded.
            if value <= 1
                || failed.is_some_and(|failed| failed.marker.value != value.wrapping_neg())
            {
                return;
            }
        }
        self.state_named(step.set.abi().result, value, step);
    }

    fn state_named(&mut self, name: Option<&'static str>, value: u64, step: &RunStep) {
        if let Some(view) = name.and_then(|name| Registers::view(name, step.set)) {
            let fact = Fact::Stated(step.step());
            let term = self.registers.read(view, &mut self.symbols, fact);
            self.symbols.state(term, value, u64::MAX, fact);
        }
    }
}

/// Returns the register that contains exactly the target of an indirect branch; `None` for other
/// branches.
fn target_register(here: CurrentStep<'_>) -> Option<RegisterView> {
    let ControlFlowEffect {
        flow,
        target: BranchTarget::Register(register),
        ..
    } = here.instruction.control
    else {
        return None;
    };
    // In an M-profile handler the register may contain an exception return value instead of an
    // address.
    let may_return = matches!(here.step.mode, Mode::Handler(_)) && flow != FlowKind::Call;
    (!may_return).then_some(RegisterView::new(register, 0, here.step.set.word_bytes()))
}

/// Returns the registers that may have changed when control continues after a trap instruction.
fn trapped(step: &RunStep) -> &'static [&'static str] {
    let by_kernel = step.set.abi().system_calls.changed;
    step.encoding
        .map_or(by_kernel, |encoding| step.set.changed_by_trap(&encoding))
}

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
    pub fn take_stated(&mut self, here: CurrentStep<'_>) {
        let run = self.run;
        if let Some(WidthBit { bit, view }) = self.decisive.filter(|known| writes(here, known.view))
        {
            self.addresses = AddressWidth::of(bit, self.named_value(view));
        }
        for stated in run.stated(here.step) {
            if let Some(WidthBit { bit, .. }) =
                self.decisive.filter(|known| known.view == stated.view)
            {
                self.addresses = AddressWidth::of(bit, stated.value);
            }
            if !writes(here, stated.view) {
                self.registers.forget(
                    stated.view,
                    ValueDerivation::Computed(here.step.step()),
                    &mut self.symbols,
                );
            }
            if let Some(value) = stated.value.filter(|_| self.circumstances.are_values_taken) {
                let fact = Fact::Stated(here.step.step());
                let term = self.registers.read(stated.view, &mut self.symbols, fact);
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
