//! Applies the values of registers and memory that a trace records. The value of a register may be
//! the write of the instruction before it, or a statement ([`ValueTiming`]). A value of memory
//! belongs to the adjacent access: it comes before a load and after a store.

use stepback_machine::{AccessKind, RegisterId, RegisterView};

use crate::events::TextKind;
use crate::rst::raw_record::RawRecord;
use crate::rst::records::{MemoryValue, RegisterKind, RegisterSlot, RegisterValues};
use crate::rst::replay::effects::ObservedBytes;
use crate::rst::replay::names::view;
use crate::rst::replay::whole::Replay;
use crate::step_store::encoder::BlockSink;
use crate::step_store::record::{StoredAccess, StoredRegister};

/// Maximum number of register values kept until the first instruction.
const EARLY: usize = 1 << 12;
/// Maximum number of memory values that wait for the instruction that loads them.
const AHEAD: usize = 64;
/// Privileged registers of the current trap level, numbered from 0.
const OF_LEVEL: [&str; 4] = ["tpc", "tnpc", "tstate", "tt"];

/// Timing of a recorded register value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueTiming {
    /// After the last instruction: its write, if it writes the register.
    After,
    /// Not the effect of an instruction: a statement about this point.
    Before,
}

/// Register values.
impl<B: BlockSink> Replay<'_, B> {
    pub(super) fn registers(&mut self, values: &RegisterValues) {
        let cpu = self.cpu(values.cpu);
        cpu.continued_at = None;
        if !cpu.has_begun && cpu.early.len() < EARLY {
            cpu.early.push(*values);
            return;
        }
        self.begin(values.cpu);
        self.take_after_trap(values.cpu);
        if is_of_trap_end(values) && self.cpu(values.cpu).level > 0 {
            self.cpu(values.cpu).after_trap = Some(*values);
            return;
        }
        self.take(values);
    }

    /// Applies values that were recorded before the last instruction of a handler, or that looked
    /// so.
    pub(super) fn take_after_trap(&mut self, cpu: u16) {
        if let Some(values) = self.cpu(cpu).after_trap.take() {
            self.take(&values);
        }
    }

    /// Applies values recorded before the last instruction of a handler, after that instruction.
    /// `%g7` is the program's again. The trace does not state the time of the value of `%sp`, so
    /// that is dropped.
    pub(super) fn take_global_after_trap(&mut self, cpu: u16) {
        if let Some(RegisterValues {
            slots: [global, _], ..
        }) = self.cpu(cpu).after_trap.take()
        {
            self.slot(cpu, &global, ValueTiming::Before);
        }
    }

    /// Applies the values recorded before a processor's first instruction. The current window comes
    /// first, since the others depend on it.
    pub(super) fn begin(&mut self, cpu: u16) {
        let state = self.cpu(cpu);
        if std::mem::replace(&mut state.has_begun, true) {
            return;
        }
        let early = std::mem::take(&mut state.early);
        for slot in early.iter().flat_map(|values| &values.slots) {
            if slot.kind == RegisterKind::Privileged {
                self.follow_state(cpu, slot);
            }
        }
        self.tell_mode(cpu);
        early.iter().for_each(|values| self.take(values));
        let can_restore = self.fixed.can_restore;
        let state = self.cpu(cpu);
        state.begin_frames(can_restore.and_then(|view| state.known(view)));
    }

    fn take(&mut self, values: &RegisterValues) {
        let stated = if values.is_after {
            ValueTiming::After
        } else {
            ValueTiming::Before
        };
        let [first, second] = &values.slots;
        if first.kind == RegisterKind::Float && first.id >= 64 {
            if let Some(view) = self.names.of(first) {
                let value = u128::from(first.value) << 64 | u128::from(second.value);
                self.tell(values.cpu, view, value, stated);
            }
            return;
        }
        self.slot(values.cpu, first, stated);
        self.slot(values.cpu, second, stated);
    }

    fn slot(&mut self, cpu: u16, slot: &RegisterSlot, stated: ValueTiming) {
        if slot.kind == RegisterKind::Unused {
            return;
        }
        let value = if slot.kind == RegisterKind::ConditionCodes {
            u64::from(slot.id)
        } else {
            slot.value
        };
        if slot.kind == RegisterKind::Privileged {
            self.follow_state(cpu, slot);
            self.tell_mode(cpu);
        }
        let found = match (slot.kind, OF_LEVEL.get(usize::from(slot.id))) {
            // At level 0 there are no such registers.
            (RegisterKind::Privileged, Some(_)) if self.cpu(cpu).level == 0 => return,
            (RegisterKind::Privileged, Some(name)) => {
                view(&format!("{name}{}", self.cpu(cpu).level))
            }
            (RegisterKind::Window, _) if slot.id & 31 >= 8 => {
                let window = self.cpu(cpu).window_of(slot.id >> 5);
                self.names.of(&RegisterSlot {
                    id: window << 5 | slot.id & 31,
                    ..*slot
                })
            }
            _ => self.names.of(slot),
        };
        match found {
            Some(view) => self.tell(cpu, view, value.into(), stated),
            None => {
                let RegisterSlot { kind, id, value } = slot;
                self.note(
                    Some(cpu),
                    TextKind::Note,
                    format!("register {id} of kind {kind:?} = {value:#x}"),
                );
            }
        }
    }

    /// Updates the state that decides the meaning of register names.
    fn follow_state(&mut self, cpu: u16, slot: &RegisterSlot) {
        if let Some(view) = self.names.of(slot) {
            self.follow_register(cpu, view, slot.value);
        }
    }

    /// Updates the state that decides the meaning of register names, for a known register.
    pub(super) fn follow_register(&mut self, cpu: u16, of: RegisterView, value: u64) {
        let is = |view: Option<RegisterView>| Some(of) == view;
        let (is_window, is_level) = (is(self.fixed.window), is(self.fixed.level));
        let (is_state, is_globals) = (is(self.fixed.pstate), is(self.fixed.globals));
        let state = self.cpu(cpu);
        if is_window {
            state.set_window(value);
        } else if is_level {
            state.level = value.min(crate::rst::replay::last_trap::LEVELS.into()) as u8;
        } else if is_state {
            state.set_state(value);
        } else if is_globals {
            state.globals = (value & 7) as u8;
        }
    }

    /// Stores a register value, if an instruction wrote it or if it is new.
    pub(super) fn tell(&mut self, cpu: u16, view: RegisterView, value: u128, stated: ValueTiming) {
        let unused_bits = 128 - 8 * u32::from(view.size_bytes.min(16));
        let value = value << unused_bits >> unused_bits;
        let is_last = stated == ValueTiming::After && self.last == Some(cpu);
        let state = self.cpu(cpu);
        let home = state.home(view);
        // The first global is always 0.
        if home.register == RegisterId(0) {
            return;
        }
        state.confirm(home);
        let is_written = is_last && state.takes_for_written(home);
        let is_known = u64::try_from(value).is_ok_and(|value| state.known(home) == Some(value));
        if is_written || !is_known {
            state.learn(home, u64::try_from(value).ok());
            let thread = state.thread;
            self.encoder.register(
                thread,
                StoredRegister {
                    view,
                    value: Some(value),
                },
            );
        }
    }

    /// Stores the meaning of plain register names, if it changed.
    pub(super) fn tell_mode(&mut self, cpu: u16) {
        let state = self.cpu(cpu);
        let (thread, mode) = (state.thread, state.mode());
        if std::mem::replace(&mut state.stated_mode, mode) == mode {
            return;
        }
        self.encoder.mode(thread, mode);
        if let Some(status) = mode.window_status() {
            let value = Some(status.into());
            self.encoder.register(
                thread,
                StoredRegister {
                    view: self.fixed.status,
                    value,
                },
            );
        }
    }
}

/// Returns true for values of `%g7` and `%sp`, which are recorded before the end of a handler
/// ("SPARC trace format", table 2 "Trap Exit Sequence").
fn is_of_trap_end(values: &RegisterValues) -> bool {
    let is = |slot: &RegisterSlot, id: u8| slot.kind == RegisterKind::Integer && slot.id == id;
    let [first, second] = &values.slots;
    is(first, 7) && is(second, 14)
}

/// Memory values.
impl<B: BlockSink> Replay<'_, B> {
    /// Applies a memory value at a virtual address. The instruction before stored it, or the next
    /// one loads it. A value without a known virtual address becomes a note.
    pub(super) fn memory(&mut self, record: &RawRecord) {
        let value = MemoryValue::of(record);
        let continued_at = self.cpu(value.cpu).continued_at.take();
        let address = value.address.or(continued_at);
        let Some(address) = address.filter(|_| value.is_virtual) else {
            return self.note_of(record);
        };
        for piece in ObservedBytes::of(address, &value) {
            self.cpu(value.cpu).continued_at = Some(piece.end());
            self.piece(value.cpu, piece);
        }
    }

    fn piece(&mut self, cpu: u16, piece: ObservedBytes) {
        // After a PAVADIFF the values belong to the next instruction, which may be on another page.
        let is_last = self.last == Some(cpu) && self.cpu(cpu).translation.is_none();
        let open = self
            .open
            .iter_mut()
            .filter(|access| is_last && access.value.is_none());
        // An instruction with a register pair has two accesses and one value.
        let taken = open
            .filter_map(|access| access.take(&piece).then_some(()))
            .count();
        if taken > 0 {
            return;
        }
        let state = self.cpu(cpu);
        state.ahead.push(piece);
        if state.ahead.len() > AHEAD {
            self.settle();
            self.show_ahead(cpu);
        }
    }

    /// Stores the waiting memory values that no instruction loads, as reads.
    pub(super) fn show_ahead(&mut self, cpu: u16) {
        let state = self.cpu(cpu);
        let thread = state.thread;
        for ObservedBytes {
            address,
            size_bytes,
            value,
        } in std::mem::take(&mut state.ahead)
        {
            let access = StoredAccess {
                kind: AccessKind::Read,
                size_bytes: size_bytes.into(),
                address,
                pc: None,
            };
            self.encoder.valued_access(thread, access, value);
        }
    }
}
