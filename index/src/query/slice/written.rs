//! What a step wrote of a register, and what of its instruction gave each byte its value.

use stepback_machine::{ExecutionState, Mode, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::error::QueryError;
use crate::answers::hit::Doubt;
use crate::index::homes::{Homes, WriteCertainty};
use crate::query::slice::definers::ReachingDefinitions;
use crate::query::slice::flow::StepFlow;
use crate::read::open_writes::{OpenWrites, told};
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEvent, SlotEventKind};

/// What of the instruction gave a byte of a register its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteProducer {
    /// An effect that is described, by its number.
    Effect(usize),
    /// A result that is not.
    Result(RegisterId),
    /// The write of the part of a vector below it, by a line or the instruction, which makes the rest zero.
    Cleared,
    /// The trace shows a write that the instruction does not tell of, or nobody knows what it does.
    Unexplained,
    /// An exception return, which loads the register from the frame of the exception.
    Unstacked,
    /// The stack pointer moves with a frame of an exception, from what this register held before.
    StackMoved(RegisterId),
    /// An exception, which gives the register a value of its own.
    Constant,
}

/// A byte of a register that a step wrote.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenRegisterByte {
    /// None where it is not told.
    pub value: Option<u8>,
    pub by: ByteProducer,
    /// The register that a line wrote; none where only operands tell.
    pub home: Option<RegisterId>,
    /// Why it may be one of another register.
    pub doubt: Option<Doubt>,
}

/// A register as a line named it, and which one it was.
#[derive(Clone, Copy)]
struct LineRegister {
    /// The plain register of a bank that the line named, else what it named.
    plain: RegisterId,
    home: RegisterId,
}

impl StepFlow<'_> {
    /// The bytes of a view that the step wrote in a slot; none for those that it did not.
    pub fn written_bytes(
        &self,
        view: RegisterView,
        homes: &Homes,
        slot: u64,
    ) -> Result<Vec<Option<WrittenRegisterByte>>, QueryError> {
        self.bytes_written_before(view, homes, slot, usize::MAX)
    }

    /// The same as far as the events before one tell.
    pub(super) fn bytes_written_before(
        &self,
        view: RegisterView,
        homes: &Homes,
        slot: u64,
        before: usize,
    ) -> Result<Vec<Option<WrittenRegisterByte>>, QueryError> {
        let mut written = WrittenView {
            view,
            bytes: vec![None; usize::from(view.size_bytes)],
        };
        let clearing = RegisterReader::new(self.index, self.thread, Position(slot)).clearing(view);
        let mut open = OpenWrites::of(self.index, self.thread, homes, slot)?;
        let mut mode = None;
        let events = self.events.iter().enumerate().take(before);
        for (number, event) in events.filter(|(_, event)| event.slot == slot) {
            let event = told(&mut open, event);
            let SlotEventKind::Register {
                view: named,
                bytes,
                home: Some(home),
                ..
            } = &event.kind
            else {
                continue;
            };
            if clearing == Some(*named) {
                let rest =
                    RegisterView::new(view.register, named.size_bytes, u16::MAX - named.size_bytes);
                written.write(rest, |_| WrittenRegisterByte {
                    value: Some(0),
                    by: ByteProducer::Cleared,
                    home: Some(home.register),
                    doubt: None,
                });
            }
            let Some(meant) = homes.written(*home) else {
                continue;
            };
            let mode = match mode {
                Some(mode) => mode,
                None => *mode.insert(self.mode()?),
            };
            let doubt = (meant.certainty == WriteCertainty::Doubtful).then_some(Doubt::Bank);
            let named = self.named(named.register, home.register);
            let effect = self.effect_of_all(meant.view, |register| is_meant(register, named, mode));
            written.write(meant.view, |offset| WrittenRegisterByte {
                value: bytes
                    .as_ref()
                    .filter(|_| doubt.is_none())
                    .and_then(|bytes| bytes.get(usize::from(offset - meant.view.offset)).copied()),
                by: {
                    let by = effect.unwrap_or_else(|| {
                        self.by(offset, |register| is_meant(register, named, mode))
                    });
                    let byte = RegisterView {
                        offset,
                        size_bytes: 1,
                        ..meant.view
                    };
                    self.by_exception(number, byte, by).unwrap_or(by)
                },
                home: Some(meant.view.register),
                doubt,
            });
        }
        let is_status = (RegisterId::PSR..=RegisterId::VPR).contains(&view.register);
        let is_told = written.bytes.iter().any(Option::is_some);
        let is_untraced =
            || (ReachingDefinitions { index: self.index }).is_left_out(self.thread(), view);
        if self.index.has_operands_alone() || !is_told && (is_status || is_untraced()) {
            self.write_by_operands(homes, &mut written);
        }
        Ok(written.bytes)
    }

    /// Takes what the operands of the step name; all where they are not known.
    fn write_by_operands(&self, homes: &Homes, written: &mut WrittenView) {
        let is_meant = |register: RegisterId| {
            let home = self
                .text
                .as_ref()
                .map_or(register, |text| text.mode.home(register));
            homes
                .lists()
                .any(|view| view.register == home || view.register == register)
        };
        let byte = |offset: u16| WrittenRegisterByte {
            value: None,
            by: self.by(offset, is_meant),
            home: None,
            doubt: None,
        };
        if self.may_write_all() {
            return written.write(written.view, byte);
        }
        let writes = self
            .done()
            .into_iter()
            .flat_map(|done| &done.registers)
            .flat_map(|known| &known.writes);
        writes
            .filter(|known| is_meant(known.register))
            .for_each(|known| written.write(*known, byte));
    }

    /// True where operands are all that tells of registers, and those of the step are not known.
    pub fn may_write_all(&self) -> bool {
        let Some(text) = &self.text else { return false };
        self.done().is_none() && (text.is_executed || text.encoding.is_none())
    }

    /// Returns the effect that gave all bytes of a view their value; none if that is not one.
    fn effect_of_all(
        &self,
        view: RegisterView,
        is_meant: impl Fn(RegisterId) -> bool,
    ) -> Option<ByteProducer> {
        let mut effects = self.done()?.meaning.writes.iter().enumerate();
        let (number, effect) = effects.find(|(_, effect)| is_meant(effect.view.register))?;
        RegisterView {
            register: view.register,
            ..effect.view
        }
        .includes(view)
        .then_some(ByteProducer::Effect(number))
    }

    /// What of the instruction gave a byte its value of which it is known that the step wrote it.
    fn by(&self, offset: u16, is_meant: impl Fn(RegisterId) -> bool) -> ByteProducer {
        let Some(instruction) = self.done() else {
            return ByteProducer::Unexplained;
        };
        let covers = |view: &RegisterView| {
            let place = offset.checked_sub(view.offset);
            place.is_some_and(|place| place < view.size_bytes) && is_meant(view.register)
        };
        if let Some(number) = instruction
            .meaning
            .writes
            .iter()
            .position(|effect| covers(&effect.view))
        {
            return ByteProducer::Effect(number);
        }
        let mut writes = instruction.registers.iter().flat_map(|known| &known.writes);
        let is_cleared = |view: &RegisterView| {
            is_meant(view.register)
                && instruction.clears(RegisterView {
                    offset,
                    size_bytes: 1,
                    ..*view
                })
        };
        match writes.clone().find(|view| covers(view)) {
            Some(view) => ByteProducer::Result(view.register),
            None if writes.any(is_cleared) => ByteProducer::Cleared,
            None => ByteProducer::Unexplained,
        }
    }

    /// The mode that the step's line tells, or that its thread had before it.
    pub fn mode(&self) -> Result<Mode, QueryError> {
        let Some(text) = &self.text else {
            return Ok(Mode::Other);
        };
        if !text.instruction_set.has_states() {
            return Ok(text.mode);
        }
        let step = self.step().map_or(0, |step| step.0);
        let mut reader = RegisterReader::new(self.index, self.thread, Position(step));
        match text.mode {
            Mode::Other | Mode::Untold => reader.mode(),
            mode => reader.with_stack(mode),
        }
    }

    /// The state that decides what registers the step names; none where its line does not say, but what came before does.
    pub fn state(&self) -> Result<Option<ExecutionState>, QueryError> {
        let Some(text) = &self.text else {
            return Ok(None);
        };
        Ok(match text.mode {
            Mode::Other | Mode::Untold => None,
            _ => Some(ExecutionState {
                set: text.instruction_set,
                mode: self.mode()?,
            }),
        })
    }

    /// What a line named, and the register that it wrote: of a bank that has a name of its own the one that its mode uses.
    fn named(&self, register: RegisterId, home: RegisterId) -> LineRegister {
        let Some(bank) = self
            .index
            .banks
            .iter()
            .find(|known| known.register == register)
        else {
            return LineRegister {
                plain: register,
                home,
            };
        };
        LineRegister {
            plain: bank.plain,
            home: bank.bank.mode().map_or(home, |mode| mode.home(bank.plain)),
        }
    }

    /// What the step wrote into the status register in a slot, where the trace shows that.
    pub fn status_written(&self, slot: u64) -> Option<[Option<u8>; 8]> {
        let mut written = None;
        for event in self.events.iter().filter(|event| event.slot == slot) {
            if let SlotEvent {
                kind: SlotEventKind::Register { view, bytes, .. },
                ..
            } = event
                && view.register == RegisterId::PSR
            {
                let all: &mut [Option<u8>; 8] = written.get_or_insert_default();
                let places = all
                    .iter_mut()
                    .skip(usize::from(view.offset))
                    .take(usize::from(view.size_bytes));
                let values = bytes
                    .iter()
                    .flatten()
                    .copied()
                    .map(Some)
                    .chain(std::iter::repeat(None));
                places.zip(values).for_each(|(byte, value)| *byte = value);
            }
        }
        written
    }
}

/// Whether a register that an instruction names in a mode is the one that a line wrote.
fn is_meant(register: RegisterId, line: LineRegister, mode: Mode) -> bool {
    let own = mode.home(register);
    let is_twin = mode
        .twin(register)
        .is_some_and(|twin| twin.mode.home(twin.register) == line.home);
    // Where the mode of either does not tell, the same name may be the same register.
    let is_open = [own, line.home]
        .iter()
        .any(|home| matches!(*home, RegisterId::SP | RegisterId::LR));
    own == line.home || is_twin || is_open && line.plain == register
}

/// The bytes of a view as far as they are written.
struct WrittenView {
    view: RegisterView,
    bytes: Vec<Option<WrittenRegisterByte>>,
}

impl WrittenView {
    /// Writes those that lie in another view, whatever its register is called.
    fn write(&mut self, from: RegisterView, byte_at: impl Fn(u16) -> WrittenRegisterByte) {
        let is_inside = |offset: u16| {
            offset
                .checked_sub(from.offset)
                .is_some_and(|place| place < from.size_bytes)
        };
        for (byte, offset) in self
            .bytes
            .iter_mut()
            .zip(self.view.offset..)
            .filter(|(_, offset)| is_inside(*offset))
        {
            *byte = Some(byte_at(offset));
        }
    }
}
