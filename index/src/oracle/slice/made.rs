//! All definitions of a step, byte by byte.

use stepback_machine::{AccessKind, Mode, RegisterId, RegisterView};
use stepback_parsers::{Step, WrittenName};

use crate::answers::cell::ThreadId;
use crate::answers::slice::SliceCell;
use crate::oracle::banks::PhysicalRegister;
use crate::oracle::event::{OracleEventKind, OracleStep, OracleWrite};
use crate::oracle::record::Oracle;
use crate::oracle::slice::walk::memory;
use crate::oracle::slice::writers::{ByteWriter, WriteMethod, covers};

impl Oracle {
    /// Returns the bytes and flags that a step defined, each with its last event in a slot.
    pub(super) fn made_by_step(&self, step: Step) -> Vec<(ByteWriter, SliceCell)> {
        let Some(stated) = self.step(step) else {
            return Vec::new();
        };
        let mut made = Vec::new();
        for (number, event) in self
            .events
            .iter()
            .enumerate()
            .filter(|(_, event)| event.owner == Some(step))
        {
            let how = WriteMethod::Recorded(number);
            let cells = match &event.kind {
                OracleEventKind::Register(written) => self.cells_of(step, stated, written),
                OracleEventKind::Access(access) if access.kind == AccessKind::Write => access
                    .each_byte()
                    .map(|(address, _)| memory(address))
                    .collect(),
                _ => Vec::new(),
            };
            let last = cells
                .into_iter()
                .filter(|cell| !self.is_written_again(step, number, *cell));
            made.extend(last.map(|cell| {
                (
                    ByteWriter {
                        step,
                        how,
                        doubt: None,
                    },
                    cell,
                )
            }));
        }
        made.extend(self.made_by_operands(step, stated));
        made
    }

    /// Returns the bytes or flags that a register line covers.
    fn cells_of(&self, step: Step, stated: &OracleStep, written: &OracleWrite) -> Vec<SliceCell> {
        let (thread, view) = (stated.thread, written.view);
        if view.register != RegisterId::PSR {
            return bytes(thread, written_as(written, stated.mode)).collect();
        }
        let set = stated.instruction_set;
        // An instruction that sets flags sets only some of them: the line repeats the others.
        let by_result = self
            .done(stated)
            .map_or(0, |instruction| instruction.flags_written(set));
        let bits = match by_result {
            0 if self.takes_exception(step, stated) => 0,
            0 => set.flag_bits(),
            by_result => by_result,
        };
        let is_shown = |bits: &u64| {
            covers(
                view,
                u16::try_from(bits.trailing_zeros() / 8).unwrap_or(u16::MAX),
            )
        };
        flags(bits)
            .filter(is_shown)
            .map(|bits| SliceCell::Flags { thread, bits })
            .collect()
    }

    /// Returns true if a step takes an exception, which does not change the flags.
    fn takes_exception(&self, step: Step, stated: &OracleStep) -> bool {
        let done = self.done(stated);
        self.exception_of(step, stated, done.as_ref())
            .is_some_and(|exception| !exception.flow.is_return)
    }

    /// Returns true if a later event of the step in the same slot writes the same byte.
    fn is_written_again(&self, step: Step, number: usize, cell: SliceCell) -> bool {
        let Some(first) = self.events.get(number) else {
            return false;
        };
        // A line that names a bank in use is two writes, one under each name.
        let is_first_half = first.kind.is_named(WrittenName::OfBank);
        let own = self
            .events
            .iter()
            .skip(number + 1)
            .position(|event| event.kind.is_named(WrittenName::BankCopy));
        let next = number + 1 + own.filter(|_| is_first_half).map_or(0, |own| own + 1);
        let after = self
            .events
            .iter()
            .skip(next)
            .take_while(|event| event.slot == first.slot);
        after
            .filter(|event| event.owner == Some(step))
            .any(|event| match (&first.kind, &event.kind, cell) {
                (
                    OracleEventKind::Register(known),
                    OracleEventKind::Register(written),
                    SliceCell::Register { view, .. },
                ) => known.physical == written.physical && covers(written.view, view.offset),
                (
                    OracleEventKind::Register(_),
                    OracleEventKind::Register(written),
                    SliceCell::Flags { bits, .. },
                ) => {
                    let place = u16::try_from(bits.trailing_zeros() / 8).unwrap_or(u16::MAX);
                    written.view.register == RegisterId::PSR && covers(written.view, place)
                }
                (_, OracleEventKind::Access(access), SliceCell::Memory { address, .. }) => {
                    access.kind == AccessKind::Write
                        && access.each_byte().any(|(touched, _)| touched == address.0)
                }
                _ => false,
            })
    }

    /// Returns the definitions that only the operands show: all registers, or status registers that
    /// the trace leaves out.
    fn made_by_operands(&self, step: Step, stated: &OracleStep) -> Vec<(ByteWriter, SliceCell)> {
        let Some(instruction) = self.done(stated) else {
            return Vec::new();
        };
        let thread = stated.thread;
        let is_stated =
            |view: RegisterView| self.has_operands_alone || self.leaves_out(thread, view);
        let by = |register| ByteWriter {
            step,
            how: WriteMethod::Operands(register),
            doubt: None,
        };
        let mut made = Vec::new();
        for view in instruction.registers.iter().flat_map(|known| &known.writes) {
            let whole = RegisterView::new(view.register, 0, u16::MAX);
            if view.register != RegisterId::PSR && is_stated(whole) {
                made.extend(
                    bytes(thread, named(*view, stated.mode)).map(|cell| (by(view.register), cell)),
                );
            }
        }
        for bits in flags(instruction.flags_written(stated.instruction_set)) {
            let place = u16::try_from(bits.trailing_zeros() / 8).unwrap_or(u16::MAX);
            if is_stated(RegisterView::new(RegisterId::PSR, place, 1)) {
                made.push((by(RegisterId::PSR), SliceCell::Flags { thread, bits }));
            }
        }
        made
    }
}

/// Returns the cell of a name, on a processor with register windows.
fn named(view: RegisterView, mode: Mode) -> RegisterView {
    match mode.has_windows() {
        true => RegisterView {
            register: mode.home(view.register),
            ..view
        },
        false => view,
    }
}

/// Returns the cell that a line wrote: the step itself may have rotated the window before the
/// write.
fn written_as(written: &OracleWrite, mode: Mode) -> RegisterView {
    let Mode::Window { count, .. } = mode else {
        return written.view;
    };
    let register = written.view.register;
    let modes = (0..count).flat_map(|current| {
        (0..4).map(move |globals| Mode::Window {
            current,
            count,
            globals,
        })
    });
    let mut meant =
        modes.filter(|mode| PhysicalRegister::of_write(register, None, *mode) == written.physical);
    meant
        .next()
        .map_or(written.view, |mode| named(written.view, mode))
}

fn bytes(thread: ThreadId, view: RegisterView) -> impl Iterator<Item = SliceCell> {
    let places = view.offset..view.offset.saturating_add(view.size_bytes);
    places.map(move |place| SliceCell::Register {
        thread,
        view: RegisterView::new(view.register, place, 1),
    })
}

fn flags(bits: u64) -> impl Iterator<Item = u64> {
    (0..64)
        .map(move |bit| bits & 1 << bit)
        .filter(|bits| *bits != 0)
}
