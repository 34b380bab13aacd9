//! Describes traps in words, and applies those without records of their handler: control returns at
//! once, and the registers that the kernel may have changed become unknown.

use stepback_machine::InstructionSet;
use stepback_machine::flow::FlowKind;

use crate::marker::MarkerKind;
use crate::rst::records::{Instruction, Trap};
use crate::rst::replay::cpu::ReplayCpu;
use crate::rst::replay::effects::InstructionEffects;
use crate::rst::replay::last_trap::LastTrap;
use crate::rst::replay::names::view;
use crate::rst::replay::statements::ValueTiming;
use crate::rst::replay::whole::Replay;
use crate::step_store::encoder::BlockSink;

/// Returns the description of a trap.
pub fn trap_text(trap: &Trap) -> String {
    let Trap {
        trap_type,
        level,
        pc,
        is_async,
        system_call,
        ..
    } = *trap;
    let kind = if is_async { "asynchronous, " } else { "" };
    let call = if system_call == 0 {
        String::new()
    } else {
        format!(", system call {system_call}")
    };
    let name = InstructionSet::Sparc64
        .trap_name(trap_type.into())
        .unwrap_or_default();
    format!(
        "TRAP {trap_type:#05x} {name}{call} ({kind}level {level} to {}, at {pc:#x})",
        level + 1
    )
}

const SET: InstructionSet = InstructionSet::Sparc64;
/// Registers that a system call changes. Linux and Solaris save all registers of the caller and
/// restore all but these.
const GIVEN_BY_CALLS: [&str; 3] = ["o0", "o1", "ccr"];
/// Registers that a trap without a system call number changes, such as Solaris' `ST_GETCC`, which
/// returns the condition codes in `%g1`.
const GIVEN_BY_TRAPS: [&str; 4] = ["o0", "o1", "g1", "ccr"];

impl<B: BlockSink> Replay<'_, B> {
    /// Records the trap that an instruction takes, before control goes to its handler.
    pub(super) fn note_trap(
        &mut self,
        found: &Instruction,
        effects: &InstructionEffects,
        trap: Option<Trap>,
    ) {
        if trap.is_none()
            && let Some(encoding) = effects.encoding
            && let Some(numbers) = SET.system_call_numbers(&encoding)
        {
            self.tell_system_call(found.cpu, numbers, None, None);
        }
        let cpu = self.cpu(found.cpu);
        cpu.last_trap = Some(last_trap(cpu, effects, trap));
    }

    /// Completes the last trap before an instruction that is not in its handler: the handler was
    /// not recorded.
    pub(super) fn come_back_unseen(&mut self, found: &Instruction) {
        let cpu = self.cpu(found.cpu);
        let Some(last) = cpu
            .last_trap
            .take()
            .filter(|last| last.is_over_at(found.pc))
        else {
            return;
        };
        if let Some(trap) = last.trap.filter(|trap| cpu.is_inside(trap)) {
            self.leave_unseen(found, &trap);
        }
        self.tell_unknown(found.cpu, &last.changed);
    }

    fn leave_unseen(&mut self, found: &Instruction, trap: &Trap) {
        self.leave_trap(found.cpu);
        let cpu = self.cpu(found.cpu);
        let window = cpu.stated_window().map(u64::from);
        self.tell_mode(found.cpu);
        self.mark(found.cpu, MarkerKind::HARDWARE_RETURN, found.pc);
        let fixed = &self.fixed;
        let known = [
            (fixed.level, Some(u64::from(trap.level))),
            (fixed.window, window),
        ];
        for (view, value) in known
            .into_iter()
            .filter_map(|(view, value)| Some((view?, value?)))
        {
            self.tell(found.cpu, view, value.into(), ValueTiming::Before);
        }
    }
}

/// Returns the trap that an instruction takes, with the registers that its handler may change.
fn last_trap(cpu: &ReplayCpu, effects: &InstructionEffects, trap: Option<Trap>) -> LastTrap {
    let asking = effects
        .encoding
        .filter(|_| effects.control.flow == FlowKind::Trap);
    let names = match asking.map(|encoding| SET.system_call_numbers(&encoding)) {
        Some(Some(_)) => &GIVEN_BY_CALLS[..],
        Some(None) => &GIVEN_BY_TRAPS,
        None => &[],
    };
    let home = |name: &str| Some(cpu.home(view(name)?));
    let result = SET.abi().result.filter(|_| asking.is_some()).and_then(home);
    LastTrap {
        trap,
        changed: names.iter().copied().filter_map(home).collect(),
        result,
    }
}
