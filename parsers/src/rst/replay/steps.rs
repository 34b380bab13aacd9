//! Replays the effects of instructions on their processors.

use std::rc::Rc;

use stepback_machine::banks::WindowChange;
use stepback_machine::flow::{DelaySlotRule, FlowKind};
use stepback_machine::{InstructionSet, RegisterView};

use crate::events::{DelaySlot, StepOrigin};
use crate::marker::{Marker, MarkerKind};
use crate::rst::records::{Instruction, is_fake_address};
use crate::rst::replay::cpu::LastStep;
use crate::rst::replay::effects::InstructionEffects;
use crate::rst::replay::effects::OpenAccess;
use crate::rst::replay::whole::Replay;
use crate::step_store::encoder::BlockSink;
use crate::step_store::record::{StepStatus, StoredAccess, StoredRegister, StoredStep};

impl<B: BlockSink> Replay<'_, B> {
    pub(super) fn instruction(&mut self, found: &Instruction) {
        self.settle();
        let effects = self
            .effects
            .get(found.word, |word| Rc::new(InstructionEffects::of(word)));
        self.begin(found.cpu);
        self.come_back_unseen(found);
        self.tell_result(found.cpu, found.pc);
        if effects.control.flow != FlowKind::ExceptionReturn {
            self.take_after_trap(found.cpu);
        }
        let trap = self.cpu(found.cpu).trap.take();
        let is_unrecorded = found.has_trap && trap.is_none();
        // The trapping instruction comes before its handler. If it is missing, the handler comes at
        // once.
        let trap = trap.filter(|trap| {
            let is_stopped = found.has_trap && trap.pc == found.pc;
            if !is_stopped {
                self.enter_trap(found.cpu, trap);
            }
            is_stopped
        });
        // Without a TRAP record: the first instruction of a handler if the previous one does not
        // lead here, else the instruction that trapped.
        let is_cut_short = is_unrecorded
            && self.cpu(found.cpu).leads_to(found)
            && effects.control.flow != FlowKind::Trap;
        if let Some(missed) = self
            .cpu(found.cpu)
            .missed_by(found)
            .filter(|_| is_unrecorded)
        {
            self.enter_unrecorded_trap(found.cpu, missed);
        }
        self.translate(found);
        let accesses = self.accesses_of(found, &effects);
        let is_stopped = trap.is_some() || is_cut_short;
        let is_executed =
            !found.is_annulled && (!is_stopped || effects.control.flow == FlowKind::Trap);
        let reached = StepStatus {
            slot: self.slot_of(found),
            is_executed,
            origin: StepOrigin::Recorded,
        };
        self.step(found, &effects, reached);
        self.last = Some(found.cpu);
        let cpu = self.cpu(found.cpu);
        cpu.last = None;
        cpu.continued_at = None;
        cpu.go_on(found, effects.control.flow);
        match trap {
            Some(trap) => {
                self.note_trap(found, &effects, Some(trap));
                self.enter_trap(found.cpu, &trap);
            }
            None if is_executed => {
                self.open = accesses;
                self.carry_out(found, &effects);
                if effects.control.flow == FlowKind::Trap && found.is_taken {
                    self.note_trap(found, &effects, None);
                }
            }
            None if is_cut_short => self.enter_unrecorded_trap(found.cpu, found.pc),
            None => {}
        }
    }

    fn step(&mut self, found: &Instruction, effects: &InstructionEffects, reached: StepStatus) {
        let thread = self.cpu(found.cpu).thread;
        self.encoder.step(&StoredStep {
            input: thread.0,
            thread,
            branch: effects.branch(found),
            set: InstructionSet::Sparc64,
            length_bytes: 4,
            pc: found.pc,
            encoding: effects.encoding,
            target: None,
            reached,
        });
    }

    /// Returns the delay slot status: an instruction may be in the slot of the one before, or of a
    /// branch that a trap interrupted.
    fn slot_of(&mut self, found: &Instruction) -> DelaySlot {
        let cpu = self.cpu(found.cpu);
        let is_resumed = cpu.resumed_slot.take() == Some(found.pc);
        let last = cpu.last.as_ref();
        let is_after = last.is_some_and(|last| {
            last.delay != DelaySlotRule::None && found.pc == last.pc.wrapping_add(4)
        });
        match (is_after || is_resumed, found.is_annulled) {
            (_, true) => DelaySlot::Annulled,
            (true, false) => DelaySlot::Executed,
            (false, false) => DelaySlot::None,
        }
    }

    /// Applies the effects of an executed instruction on registers, windows and traps.
    fn carry_out(&mut self, found: &Instruction, effects: &Rc<InstructionEffects>) {
        let is_idle = effects.control.flow == FlowKind::Trap && !found.is_taken;
        let is_return = effects.control.flow == FlowKind::ExceptionReturn;
        let cpu = self.cpu(found.cpu);
        let written: Vec<_> = effects
            .writes
            .iter()
            .filter(|_| !is_idle)
            .map(|view| cpu.home(*view))
            .collect();
        let mut unknown = effects
            .window
            .filter(|_| !is_idle)
            .map_or_else(Vec::new, |step| cpu.follow(step));
        unknown.retain(|view| !written.contains(view));
        if is_return {
            self.leave_trap(found.cpu);
        }
        let cpu = self.cpu(found.cpu);
        let thread = cpu.thread;
        let (delay, untold) = (effects.control.delay, written.clone());
        let is_choice = effects.window == Some(WindowChange::Choice) && effects.chosen.is_empty();
        let choice = written.first().copied().filter(|_| is_choice);
        cpu.last = Some(LastStep {
            pc: found.pc,
            delay,
            untold,
            written,
            unknown,
            choice,
        });
        for (view, value) in &effects.chosen {
            self.follow_register(found.cpu, *view, *value);
        }
        self.tell_mode(found.cpu);
        if is_return {
            self.take_global_after_trap(found.cpu);
            let value = found.ea.unwrap_or(0);
            self.encoder.marker(
                thread,
                Marker {
                    kind: MarkerKind::HARDWARE_RETURN,
                    value,
                },
                0,
            );
        }
    }

    /// Returns the accesses of an instruction, with the memory values recorded before it.
    fn accesses_of(
        &mut self,
        found: &Instruction,
        effects: &InstructionEffects,
    ) -> Vec<OpenAccess> {
        let ea = found
            .ea
            .filter(|ea| !is_fake_address(*ea) && !found.is_annulled);
        let accesses = effects
            .accesses
            .iter()
            .filter_map(|access| Some(access.at(ea?)));
        let mut accesses: Vec<_> = accesses.collect();
        let cpu = self.cpu(found.cpu);
        if !cpu.ahead.is_empty() {
            let is_unused = |piece: &_| !accesses.iter_mut().any(|access| access.take(piece));
            cpu.ahead.retain(is_unused);
            self.show_ahead(found.cpu);
        }
        accesses
    }

    /// Completes the last instruction: stores its accesses without a value, and its registers that
    /// are unknown from here on, unless later records have stated them.
    pub(super) fn settle(&mut self) {
        let Some(last) = self.last else { return };
        let cpu = self.cpu(last);
        let thread = cpu.thread;
        let unknown = cpu.take_unknown();
        for OpenAccess {
            kind,
            address,
            size_bytes,
            value,
        } in std::mem::take(&mut self.open)
        {
            let access = StoredAccess {
                kind,
                size_bytes,
                address,
                pc: None,
            };
            match value {
                Some(value) => self.encoder.valued_access(thread, access, value),
                None => self.encoder.access(thread, access),
            }
        }
        self.tell_unknown(last, &unknown);
    }

    /// Stores that some registers are unknown.
    pub(super) fn tell_unknown(&mut self, cpu: u16, views: &[RegisterView]) {
        let thread = self.cpu(cpu).thread;
        for view in views {
            self.cpu(cpu).learn(*view, None);
            self.encoder.register(
                thread,
                StoredRegister {
                    view: *view,
                    value: None,
                },
            );
        }
    }

    /// Stores the physical pages of an instruction and its access, if they are new.
    fn translate(&mut self, found: &Instruction) {
        let cpu = self.cpu(found.cpu);
        let stated = cpu.translation.take();
        let news = cpu.translations.take(found, stated);
        self.tell_pages(found.cpu, news);
    }

    /// Stores markers about pages of a processor.
    pub(super) fn tell_pages(&mut self, cpu: u16, news: impl IntoIterator<Item = Marker>) {
        let thread = self.cpu(cpu).thread;
        news.into_iter()
            .for_each(|marker| self.encoder.marker(thread, marker, 0));
    }
}
