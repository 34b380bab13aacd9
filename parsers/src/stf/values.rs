//! Stores the values of registers that a trace records, before and after its instructions.

use stepback_machine::RegisterView;

use crate::events::{TextKind, ThreadNumber};
use crate::step_store::record::StoredRegister;
use crate::stf::group::{GroupRegister, InstructionGroup};
use crate::stf::opcodes::OpcodeFacts;
use crate::stf::output::StepOutput;
use crate::stf::record::{RegisterClass, RegisterRole};
use crate::stf::recorder::StfRecorder;
use crate::stf::registers::register_text;

/// Number of bytes of a register that one stored write covers.
const PIECE_BYTES: u16 = 16;
/// Number of bytes of a register that the store can name.
const VIEW_BYTES: u16 = 512;

impl<O: StepOutput> StfRecorder<O> {
    /// Stores the values before an instruction that the trace has not stated yet.
    #[inline(always)]
    pub(super) fn tell_before(&mut self, group: &InstructionGroup, thread: ThreadNumber) {
        for register in &group.registers {
            let is_before = matches!(register.role, RegisterRole::State | RegisterRole::Source);
            let is_zero = (register.class, register.number) == (RegisterClass::Integer, 0);
            if is_before && !is_zero {
                let words = group.words_of_register(register);
                let item = self.output.items() - 1;
                let is_new = self.values.state(thread, register, words, item);
                if is_new.unwrap_or(register.role != RegisterRole::Source) {
                    self.tell_register(thread, register, words);
                }
            }
        }
    }

    /// Stores the value that an instruction writes.
    #[inline(always)]
    pub(super) fn write(&mut self, thread: ThreadNumber, register: &GroupRegister, words: &[u64]) {
        self.values.write(thread, register, words);
        self.tell_register(thread, register, words);
    }

    /// Stores the value of a register.
    #[inline(always)]
    fn tell_register(&mut self, thread: ThreadNumber, register: &GroupRegister, words: &[u64]) {
        let GroupRegister { class, number, .. } = *register;
        if class == RegisterClass::Integer && number == 0 {
            return;
        }
        match self.state.registers.view(class, number) {
            Some(view) if class != RegisterClass::Vector => {
                let word = words.first().copied().unwrap_or_default();
                let unused_bits = 64 - 8 * u32::from(view.size_bytes.clamp(1, 8));
                let value = word << unused_bits >> unused_bits;
                self.output.register(
                    thread,
                    StoredRegister {
                        view,
                        value: Some(value.into()),
                    },
                );
            }
            Some(view) => self.tell_vector(thread, view, words),
            None => self.tell_unnamed(thread, register, words),
        }
    }

    /// Stores the value of a vector register in pieces.
    fn tell_vector(&mut self, thread: ThreadNumber, view: RegisterView, words: &[u64]) {
        let length = view.size_bytes.min(VIEW_BYTES);
        for (offset, pair) in (0..length)
            .step_by(usize::from(PIECE_BYTES))
            .zip(words.chunks(2))
        {
            let low = pair.first().copied().unwrap_or_default();
            let high = pair.get(1).copied();
            let value = u128::from(high.unwrap_or_default()) << 64 | u128::from(low);
            let view = RegisterView {
                offset: view.offset + offset,
                size_bytes: if high.is_some() { PIECE_BYTES } else { 8 },
                ..view
            };
            self.output.register(
                thread,
                StoredRegister {
                    view,
                    value: Some(value),
                },
            );
        }
    }

    /// Stores the value of a register that the architecture's table does not have as a note.
    #[inline(never)]
    fn tell_unnamed(&mut self, thread: ThreadNumber, register: &GroupRegister, words: &[u64]) {
        let digits: String = words
            .iter()
            .take(usize::from(VIEW_BYTES) / 8)
            .rev()
            .map(|word| format!("{word:016x}"))
            .collect();
        let name = register_text(register.class, register.number);
        let text = format!("{name} = {digits}");
        // The note of a value before the first instruction follows the notes of the header.
        self.output.note(thread, TextKind::Note, &text);
    }

    /// Stores that the registers which the instruction writes without a record are unknown.
    #[inline(always)]
    pub(super) fn tell_unknown(
        &mut self,
        group: &InstructionGroup,
        thread: ThreadNumber,
        facts: &OpcodeFacts,
    ) {
        for written in facts.writes() {
            let is_recorded = group.registers.iter().any(|register| {
                register.role == RegisterRole::Destination
                    && register.class == written.class
                    && register.number == written.number
            });
            if is_recorded {
                continue;
            }
            self.values.forget(thread, written.class, written.number);
            self.output.register(
                thread,
                StoredRegister {
                    view: written.view,
                    value: None,
                },
            );
        }
    }
}
