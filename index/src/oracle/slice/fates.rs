//! Fate of a byte that holds the value: it stays, or something overwrites it.

use stepback_machine::{AccessKind, RegisterId, RegisterView};
use stepback_parsers::Step;

use crate::answers::cell::ThreadId;
use crate::answers::slice::{EdgeKinds, SliceCell, SliceEndKind};
use crate::oracle::banks::PhysicalRegister;
use crate::oracle::event::OracleEventKind;
use crate::oracle::record::Oracle;
use crate::oracle::slice::writers::{ByteWriter, WriteMethod, covers};

/// A byte or a flag, with the time from which it holds the value.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldCell {
    pub cell: SliceCell,
    /// The register, if the cell is one.
    pub register: Option<PhysicalRegister>,
    /// First event, and first step, that may overwrite it.
    pub event: usize,
    pub step: u64,
}

/// Event that overwrote the cell.
enum HeldCellFate {
    Kept,
    By(ByteWriter),
    /// A read showed that memory changed.
    Changed(Option<Step>),
    /// An event that is not a step.
    Gone,
}

impl Oracle {
    /// Returns the ends of a forward chain at a cell: nothing overwrites it, or the overwriting
    /// step has unknown inputs.
    pub(super) fn ends_of_held(&self, held: HeldCell, kinds: EdgeKinds) -> Vec<SliceEndKind> {
        let fate = match held.cell {
            SliceCell::Memory { address, .. } => self.fate_of_memory(address.0, held),
            SliceCell::Register { thread, view } => self.fate_of_register(thread, view, held),
            SliceCell::Flags { thread, bits } => self.fate_of_flag(thread, bits, held),
        };
        match fate {
            HeldCellFate::Kept => vec![SliceEndKind::Kept],
            HeldCellFate::Changed(seen_by) => vec![SliceEndKind::External { seen_by }],
            HeldCellFate::Gone => Vec::new(),
            HeldCellFate::By(made) => {
                let ends = self.ingredients(made, held.cell, kinds).ends;
                ends.into_iter()
                    .filter(|end| matches!(end, SliceEndKind::Unknown(_)))
                    .collect()
            }
        }
    }

    fn fate_of_memory(&self, address: u64, held: HeldCell) -> HeldCellFate {
        for (number, event) in self.events.iter().enumerate().skip(held.event) {
            match &event.kind {
                OracleEventKind::HostWrite { .. } if event.is_host_write_of(address) => {
                    return HeldCellFate::Gone;
                }
                OracleEventKind::Access(access)
                    if access.each_byte().any(|(touched, _)| touched == address) =>
                {
                    if access.kind == AccessKind::Write {
                        return self.overwritten_by(event.owner, number);
                    }
                    if access.contradicting.contains(&address) {
                        return HeldCellFate::Changed(event.owner);
                    }
                }
                _ => {}
            }
        }
        HeldCellFate::Kept
    }

    fn fate_of_register(
        &self,
        thread: ThreadId,
        view: RegisterView,
        held: HeldCell,
    ) -> HeldCellFate {
        let whole = RegisterView::new(view.register, 0, u16::MAX);
        if self.has_operands_alone || self.leaves_out(thread, whole) {
            return self.fate_by_operands(thread, held, |named, written| {
                Some(named) == held.register && covers(written, view.offset)
            });
        }
        for (number, event) in self.events.iter().enumerate().skip(held.event) {
            let OracleEventKind::Register(written) = &event.kind else {
                continue;
            };
            if event.thread != thread {
                continue;
            }
            let is_same = Some(written.physical) == held.register;
            if is_same && covers(written.view, view.offset) {
                return self.overwritten_by(event.owner, number);
            }
            if is_same && view.offset >= 16 && self.clears_vector(thread, written) {
                return HeldCellFate::Gone;
            }
        }
        HeldCellFate::Kept
    }

    fn fate_of_flag(&self, thread: ThreadId, bit: u64, held: HeldCell) -> HeldCellFate {
        let place = u16::try_from(bit.trailing_zeros() / 8).unwrap_or(u16::MAX);
        if self.has_operands_alone
            || self.leaves_out(thread, RegisterView::new(RegisterId::PSR, place, 1))
        {
            return self.fate_of_flag_by_operands(thread, bit, held);
        }
        for (number, event) in self.events.iter().enumerate().skip(held.event) {
            let OracleEventKind::Register(written) = &event.kind else {
                continue;
            };
            let is_status = written.view.register == RegisterId::PSR && covers(written.view, place);
            if event.thread != thread || !is_status {
                continue;
            }
            let stated = event.owner.and_then(|step| self.step(step));
            let flags = stated
                .and_then(|stated| Some(self.done(stated)?.flags_written(stated.instruction_set)));
            let done = stated.and_then(|stated| self.done(stated));
            let exception = stated
                .zip(event.owner)
                .and_then(|(stated, step)| self.exception_of(step, stated, done.as_ref()));
            if flags.unwrap_or(0) == 0
                && exception.is_some_and(|exception| !exception.flow.is_return)
            {
                continue;
            }
            if flags.is_none_or(|flags| flags == 0 || flags & bit != 0) {
                return self.overwritten_by(event.owner, number);
            }
        }
        HeldCellFate::Kept
    }

    fn fate_of_flag_by_operands(&self, thread: ThreadId, bit: u64, held: HeldCell) -> HeldCellFate {
        for (number, stated) in (0u64..)
            .zip(&self.steps)
            .filter(|(number, _)| *number >= held.step)
        {
            if stated.thread != thread || !stated.is_executed && self.encoding_of(stated).is_some()
            {
                continue;
            }
            let written = self
                .done(stated)
                .map(|known| known.flags_written(stated.instruction_set));
            if written.is_none_or(|written| written & bit != 0) {
                return HeldCellFate::By(ByteWriter {
                    step: Step(number),
                    how: WriteMethod::Operands(RegisterId::PSR),
                    doubt: None,
                });
            }
        }
        HeldCellFate::Kept
    }

    fn fate_by_operands(
        &self,
        thread: ThreadId,
        held: HeldCell,
        is_meant: impl Fn(PhysicalRegister, RegisterView) -> bool,
    ) -> HeldCellFate {
        for (number, stated) in (0u64..)
            .zip(&self.steps)
            .filter(|(number, _)| *number >= held.step)
        {
            if stated.thread != thread || !stated.is_executed && self.encoding_of(stated).is_some()
            {
                continue;
            }
            let known = self.done(stated);
            let is_undecoded = known.is_none();
            let writes = known
                .iter()
                .flat_map(|known| &known.registers)
                .flat_map(|known| &known.writes);
            let named = writes.copied().find(|view| {
                is_meant(
                    PhysicalRegister::of_write(view.register, None, stated.mode),
                    *view,
                )
            });
            let how = match named {
                Some(named) => WriteMethod::Operands(named.register),
                None if is_undecoded => WriteMethod::Operands(RegisterId::PC),
                None => continue,
            };
            return HeldCellFate::By(ByteWriter {
                step: Step(number),
                how,
                doubt: None,
            });
        }
        HeldCellFate::Kept
    }

    fn overwritten_by(&self, owner: Option<Step>, number: usize) -> HeldCellFate {
        owner.map_or(HeldCellFate::Gone, |step| {
            HeldCellFate::By(ByteWriter {
                step,
                how: WriteMethod::Recorded(number),
                doubt: None,
            })
        })
    }
}
