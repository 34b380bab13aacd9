//! Register bytes that a step wrote, with the part of its instruction that produced each.

use stepback_machine::banks::ExecutionState;
use stepback_machine::{Mode, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::error::QueryError;
use crate::answers::step_record::Doubt;
use crate::index::homes::{Homes, WriteCertainty};
use crate::query::slice::definers::ReachingDefinitions;
use crate::query::slice::flow::StepFlow;
use crate::read::banks::{OpenWrites, stated};
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEvent, SlotEventKind};

/// Producer of a register byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteProducer {
    /// A described effect of the instruction, by its number.
    Effect(usize),
    /// A result of the instruction without a description.
    Result(RegisterId),
    /// The write of the lower part of a vector, by a line or the instruction, which clears the
    /// rest.
    Cleared,
    /// The trace shows a write that the instruction's semantics do not have, or its semantics are
    /// unknown.
    Unexplained,
    /// An exception return, which loads the register from the frame of the exception.
    Unstacked,
    /// The stack pointer moves with a frame of an exception, from the earlier value of this
    /// register.
    StackMoved(RegisterId),
    /// An exception, which gives the register a fixed value.
    Constant,
}

/// A byte of a register that a step wrote.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenRegisterByte {
    /// Value; none if unknown.
    pub value: Option<u8>,
    pub by: ByteProducer,
    /// Register that a line wrote; none if only operands show the write.
    pub home: Option<RegisterId>,
    /// Reason why it may be of another register.
    pub doubt: Option<Doubt>,
}

/// A register as a line named it, and the physical one.
#[derive(Clone, Copy)]
struct LineRegister {
    /// Plain register of the named bank, else the named register.
    plain: RegisterId,
    home: RegisterId,
}

impl StepFlow<'_> {
    /// Returns the bytes of a view that the step wrote in a slot; none for the others.
    pub fn written_bytes(
        &self,
        view: RegisterView,
        homes: &Homes,
        slot: u64,
    ) -> Result<Vec<Option<WrittenRegisterByte>>, QueryError> {
        self.bytes_written_before(view, homes, slot, usize::MAX)
    }

    /// Returns the written bytes, from only the events before one.
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
            let event = stated(&mut open, event);
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
            let Some(certainty) = homes.written(*home) else {
                continue;
            };
            let mode = match mode {
                Some(mode) => mode,
                None => *mode.insert(self.mode()?),
            };
            let doubt = (certainty == WriteCertainty::Doubtful).then_some(Doubt::Bank);
            let named = self.named(named.register, home.register);
            let effect = self.effect_of_all(*home, |register| is_meant(register, named, mode));
            written.write(*home, |offset| WrittenRegisterByte {
                value: bytes
                    .as_ref()
                    .filter(|_| doubt.is_none())
                    .and_then(|bytes| bytes.get(usize::from(offset - home.offset)).copied()),
                by: {
                    let by = effect.unwrap_or_else(|| {
                        self.by(offset, |register| is_meant(register, named, mode))
                    });
                    let byte = RegisterView {
                        offset,
                        size_bytes: 1,
                        ..*home
                    };
                    self.by_exception(number, byte, by).unwrap_or(by)
                },
                home: Some(home.register),
                doubt,
            });
        }
        let is_status = (RegisterId::PSR..=RegisterId::VPR).contains(&view.register);
        let is_stated = written.bytes.iter().any(Option::is_some);
        let is_untraced =
            || (ReachingDefinitions { index: self.index }).is_left_out(self.thread(), view);
        if self.index.has_operands_alone() || !is_stated && (is_status || is_untraced()) {
            self.write_by_operands(homes, &mut written);
        }
        Ok(written.bytes)
    }

    /// Takes the registers that the operands of the step name; all if the operands are unknown.
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

    /// Returns true if only operands show registers, and those of the step are unknown.
    pub fn may_write_all(&self) -> bool {
        let Some(text) = &self.text else { return false };
        self.done().is_none() && (text.is_executed || text.encoding.is_none())
    }

    /// Returns the effect that produced all bytes of a view; none if it is not a single one.
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

    /// Returns the producer of a byte; the caller knows that the step wrote it.
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

    /// Returns the mode stated by the step's line, or its thread's mode before it.
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

    /// Returns the state that resolves the step's register names; none if its line does not state
    /// the mode, so that the state before it applies.
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

    /// Resolves a register that a line named: a bank with its own name is the register of its mode.
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

    /// Returns the bytes that the step wrote into the status register in a slot, if the trace shows
    /// them.
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

/// Returns true if a register that an instruction names in a mode is the one that a line wrote.
fn is_meant(register: RegisterId, line: LineRegister, mode: Mode) -> bool {
    let own = mode.home(register);
    let is_twin = mode
        .twin(register)
        .is_some_and(|twin| twin.mode.home(twin.register) == line.home);
    // If the mode of either is unknown, equal names may mean the same register.
    let is_open = [own, line.home]
        .iter()
        .any(|home| matches!(*home, RegisterId::SP | RegisterId::LR));
    own == line.home || is_twin || is_open && line.plain == register
}

/// Bytes of a view, as written until now.
struct WrittenView {
    view: RegisterView,
    bytes: Vec<Option<WrittenRegisterByte>>,
}

impl WrittenView {
    /// Writes the bytes inside another view, regardless of its register.
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
