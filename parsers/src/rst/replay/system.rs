//! Replays traps, state registers and texts.

use crate::events::TextKind;
use crate::marker::MarkerKind;
use crate::rst::fields::strdesc;
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, layout_of};
use crate::rst::records::{Preg, Trap, TrapExit};
use crate::rst::replay::names::view;
use crate::rst::replay::statements::ValueTiming;
use crate::rst::replay::translations::physical_mask;
use crate::rst::replay::traps::trap_text;
use crate::rst::replay::whole::Replay;
use crate::rst::text::content;
use crate::step_store::encoder::BlockSink;

/// Maximum number of bytes that are kept of a text.
const TEXT: usize = 64 << 10;

impl<B: BlockSink> Replay<'_, B> {
    /// Takes a TRAP record. The trap is entered with the next instruction or the next TRAP.
    pub(super) fn trap(&mut self, trap: Trap) {
        self.begin(trap.cpu);
        if let Some(before) = self.cpu(trap.cpu).trap.replace(trap) {
            self.settle();
            self.enter_trap(before.cpu, &before);
        }
    }

    /// Enters a trap handler.
    pub(super) fn enter_trap(&mut self, cpu: u16, trap: &Trap) {
        self.tell_trapped_call(cpu, trap);
        let can_save = self.fixed.can_save;
        let state = self.cpu(cpu);
        let can_save = can_save.and_then(|view| state.known(view));
        let unknown = state.enter_trap(trap, can_save);
        let (thread, level) = (state.thread, state.level);
        self.mark(cpu, MarkerKind::HARDWARE_EVENT, trap.pc);
        self.mark(cpu, MarkerKind::TRAP, trap.trap_type.into());
        self.encoder
            .note(thread, TextKind::Exception, &trap_text(trap));
        self.tell_mode(cpu);
        let saved = [
            ("tt", u64::from(trap.trap_type)),
            ("tpc", trap.pc),
            ("tnpc", trap.npc),
        ];
        let saved = saved.map(|(name, value)| (view(&format!("{name}{level}")), value));
        self.tell_unknown(cpu, &unknown);
        let window = self
            .fixed
            .window
            .zip(self.cpu(cpu).stated_window().map(u64::from));
        let known = saved
            .into_iter()
            .chain([(self.fixed.level, u64::from(level))]);
        let known = known
            .filter_map(|(view, value)| Some((view?, value)))
            .chain(window);
        known.for_each(|(view, value)| self.tell(cpu, view, value.into(), ValueTiming::Before));
    }

    /// Enters a trap that has no record and resumes at an address.
    pub(super) fn enter_unrecorded_trap(&mut self, cpu: u16, resumed: u64) {
        self.cpu(cpu).enter_unrecorded_trap();
        self.mark(cpu, MarkerKind::HARDWARE_EVENT, resumed);
        self.tell_mode(cpu);
    }

    /// Returns from a trap handler.
    ///
    /// RETRY loads PC from TPC and nPC from TNPC (The SPARC Architecture Manual, Version 9, A.11).
    /// If these are not consecutive, the trap interrupted a branch before the instruction in its
    /// delay slot.
    pub(super) fn leave_trap(&mut self, cpu: u16) {
        let state = self.cpu(cpu);
        let known = |name: &str| state.known(view(&format!("{name}{}", state.level))?);
        let pc = known("tpc");
        let is_delayed = pc
            .zip(known("tnpc"))
            .is_some_and(|(pc, npc)| npc != pc.wrapping_add(4));
        state.resumed_slot = pc.filter(|_| is_delayed);
        state.leave_trap();
    }

    /// Restores the state in the lower half of TSTATE: ASI in bits 31 to 24, PSTATE in 19 to 8, CWP
    /// in 4 to 0.
    pub(super) fn trap_exit(&mut self, exit: &TrapExit) {
        self.begin(exit.cpu);
        let tstate = u64::from(exit.tstate);
        let state = self.cpu(exit.cpu);
        state.translations.turn();
        state.level = exit.level.min(crate::rst::replay::last_trap::LEVELS);
        state.set_window(tstate & 31);
        state.set_state(tstate >> 8 & 0xfff);
        self.tell_mode(exit.cpu);
        let fixed = &self.fixed;
        let values = [
            (fixed.window, tstate & 31),
            (fixed.pstate, tstate >> 8 & 0xfff),
            (fixed.asi, tstate >> 24),
            (fixed.level, u64::from(exit.level)),
        ];
        for (view, value) in values {
            if let Some(view) = view {
                self.tell(exit.cpu, view, value.into(), ValueTiming::After);
            }
        }
    }

    /// Applies a PREG record. Values that differ from known ones may hold before or after the
    /// record, so only unknown registers are set.
    pub(super) fn preg(&mut self, preg: &Preg, record: &RawRecord) {
        let contexts = [
            preg.primary_a,
            preg.secondary_a,
            preg.primary_d,
            preg.secondary_d,
        ];
        let state = self.cpu(preg.cpu);
        if !state.has_begun {
            state.level = preg.level.min(crate::rst::replay::last_trap::LEVELS);
            state.set_state(preg.pstate.into());
        }
        let has_news = state.contexts.replace(contexts) != Some(contexts);
        if has_news {
            state.translations.turn();
            self.note_of(record);
        }
        let fixed = &self.fixed;
        let values = [
            (fixed.asi, u64::from(preg.asi)),
            (fixed.pstate, u64::from(preg.pstate)),
            (fixed.level, u64::from(preg.level)),
        ];
        for (view, value) in values {
            let unknown = view.filter(|view| self.cpu(preg.cpu).known(*view).is_none());
            if let Some(view) = unknown {
                self.tell(preg.cpu, view, value.into(), ValueTiming::Before);
            }
        }
    }

    /// Takes a text, which may continue in the next record.
    pub(super) fn text(&mut self, record: &RawRecord) {
        let room = TEXT.saturating_sub(self.text.len());
        self.text
            .extend(record.text(strdesc::STRING).iter().take(room));
        if record.kind() == kind::TEXT_PART {
            return;
        }
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.text)).into_owned();
        if let Some(windows) = windows_in(&text) {
            self.set_windows(windows);
        }
        if let Some(name) = text
            .split([' ', ',', '\t'])
            .find_map(|word| word.strip_prefix("mmutype="))
        {
            self.physical_mask = physical_mask(name);
        }
        self.note(None, TextKind::Note, text);
    }

    /// Stores a record without effects here as a note.
    pub(super) fn note_of(&mut self, record: &RawRecord) {
        let cpu = layout_of(record)
            .and_then(|layout| layout.cpu)
            .map(|cpu| cpu.get(record));
        self.note(cpu, TextKind::Note, content(record));
    }
}

/// Returns the number of register windows that a text states.
fn windows_in(text: &str) -> Option<u8> {
    let mut words = text.split([' ', ',', '\t']);
    let windows = words.find_map(|word| word.strip_prefix("nwins=")?.parse().ok())?;
    (3..=32).contains(&windows).then_some(windows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_how_many_windows_there_are() {
        assert_eq!(
            ["nwins=8", "a=1, nwins=16", "nwins=2", "nwins=x", "wins=8"].map(windows_in),
            [Some(8), Some(16), None, None, None]
        );
    }
}
