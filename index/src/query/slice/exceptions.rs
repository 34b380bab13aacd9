//! Data flow of a step that takes an exception or returns from one: the processor stores registers
//! into a frame, and loads them from there ([`stepback_machine::exception::ExceptionFlow`]).

use stepback_machine::exception::{ExceptionFlow, FrameAccess, FrameEvent};
use stepback_machine::{Address, Instruction, RegisterId, RegisterView};
use stepback_parsers::{Position, TextKind};

use crate::answers::error::QueryError;
use crate::answers::slice::{Edge, SliceCell, SliceEndKind, UnknownInput};
use crate::index::Index;
use crate::query::slice::definers::ReachingDefinitions;
use crate::query::slice::flow::{StepContribution, StepFlow, StepInput};
use crate::query::slice::pieces::{
    StatePiece, blocks_of_bytes, cell_of, grow_view, joined, parts_of,
};
use crate::query::slice::written::ByteProducer;
use crate::read::slots::{SlotEvent, SlotEventKind, StepText};
use crate::store::granules::{BlockSpan, GRANULE_BITS};

/// Finds the exception that the events of a step show. Cost: one check per event, in sets whose
/// exceptions have frames.
pub(super) fn exception_flow(
    index: &Index,
    text: Option<&StepText>,
    instruction: Option<&Instruction>,
    events: &[SlotEvent],
) -> Option<ExceptionFlow> {
    let text = text?;
    let layout = text
        .instruction_set
        .exception_frame()
        .filter(|_| text.mode.may_have_frames())?;
    let own = events.first().map_or(0, |event| event.slot);
    let seen: Vec<FrameEvent> = events
        .iter()
        .take_while(|event| event.slot == own)
        .map(|event| frame_event(index, event))
        .collect();
    if seen.len() > EVENTS {
        return None;
    }
    ExceptionFlow::find(layout, instruction.filter(|_| text.is_executed), &seen)
}

/// Maximum number of events of an examined step: a frame has some dozens.
pub(crate) const EVENTS: usize = 1 << 12;

fn frame_event(index: &Index, event: &SlotEvent) -> FrameEvent {
    match &event.kind {
        SlotEventKind::Access {
            kind,
            address,
            size_bytes,
            bytes,
        } => {
            let (kind, size_bytes, bytes) = (*kind, *size_bytes, *bytes);
            FrameEvent::Access(FrameAccess {
                kind,
                address: address.0,
                size_bytes,
                bytes,
            })
        }
        SlotEventKind::Register {
            view,
            bytes,
            home: Some(_),
            ..
        } if view.offset == 0 => {
            let value = bytes.as_ref().and_then(|bytes| bytes.first_chunk::<4>());
            let value = value.map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
            FrameEvent::Register {
                plain: index.plain_register(view.register),
                value,
            }
        }
        SlotEventKind::Text {
            kind: TextKind::Exception,
            ..
        } => FrameEvent::Exception,
        _ => FrameEvent::Other,
    }
}

impl StepFlow<'_> {
    /// Returns the producer of a register write at an event in a step with an exception; none if it
    /// is the instruction's own result. `by` is the producer without the exception.
    pub(super) fn by_exception(
        &self,
        event: usize,
        home: RegisterView,
        by: ByteProducer,
    ) -> Option<ByteProducer> {
        let is_explained = by != ByteProducer::Unexplained;
        let exception = self.exception.as_ref()?;
        let is_own = self.events.get(event).map(|event| event.slot)
            == self.events.first().map(|event| event.slot);
        if !is_own {
            return None;
        }
        if is_explained && event < exception.first_event {
            return None;
        }
        let plain = self.index.plain_register(home.register);
        let byte = RegisterView {
            register: plain,
            size_bytes: 1,
            ..home
        };
        let is_loaded = exception
            .loaded
            .as_ref()
            .is_some_and(|frame| frame.address_of(byte).is_some());
        let is_followed =
            plain <= RegisterId::LR || plain == RegisterId::FPSCR || plain == RegisterId::VPR;
        let is_entered = plain == RegisterId::LR && exception.links_at(event);
        match plain {
            _ if is_entered => Some(ByteProducer::Constant),
            RegisterId::SP => (!is_explained).then_some(ByteProducer::StackMoved(home.register)),
            _ if is_loaded => Some(ByteProducer::Unstacked),
            RegisterId::LR if exception.is_entry => Some(ByteProducer::Constant),
            _ if is_explained => None,
            _ if exception.is_return && is_followed => Some(ByteProducer::Unstacked),
            _ => Some(ByteProducer::Unexplained),
        }
    }

    /// Adds the frame bytes from which an exception return loads a register.
    pub(super) fn add_unstacked_inputs(
        &self,
        part: RegisterView,
        cell: SliceCell,
        outcome: &mut StepContribution,
    ) {
        let frame = self
            .exception
            .as_ref()
            .and_then(|exception| exception.loaded.as_ref());
        let places = part.offset..part.offset.saturating_add(part.size_bytes);
        let bytes: Vec<_> = places
            .map(|offset| RegisterView {
                offset,
                size_bytes: 1,
                ..part
            })
            .collect();
        let address =
            |byte: &RegisterView| frame.and_then(|frame| frame.address_of(*byte)).map(Address);
        add_frame_bytes(bytes.iter().map(address).collect(), cell, outcome);
    }

    /// Returns true if the byte that a store put at an address in a slot is part of a frame.
    pub(super) fn is_stacked(&self, slot: u64, address: Address) -> bool {
        self.stacking_event(slot, address).is_some()
    }

    /// Returns the part of a frame that a stored byte belongs to, by its address; none for other
    /// stores. Each byte of the status is a separate part.
    pub(super) fn frame_part(&self, slot: u64, address: Address) -> Option<u64> {
        let frame = self
            .exception
            .as_ref()
            .and_then(|exception| exception.stored.as_ref());
        let register = frame
            .and_then(|frame| frame.register_at(address.0))
            .map(|byte| byte.register);
        let part = if register == Some(RegisterId::PSR) {
            address.0
        } else {
            address.0 & !3
        };
        self.is_stacked(slot, address).then_some(part)
    }

    fn stacking_event(&self, slot: u64, address: Address) -> Option<usize> {
        let exception = self
            .exception
            .as_ref()
            .filter(|exception| exception.stored.is_some())?;
        self.storing_event(slot, address)
            .filter(|event| exception.has_access(*event))
    }

    /// Adds the inputs of contiguous bytes of a frame.
    pub(super) fn add_frame_inputs(
        &self,
        granule: u64,
        run: BlockSpan,
        slot: u64,
        outcome: &mut StepContribution,
    ) -> Result<(), QueryError> {
        let frame = self
            .exception
            .as_ref()
            .and_then(|exception| exception.stored.as_ref());
        let places = run.first..run.first.saturating_add(run.len);
        let bytes = places.map(|place| {
            let address = Address((granule << GRANULE_BITS) + u64::from(place));
            let view = frame.and_then(|frame| frame.register_at(address.0));
            FrameBytes {
                run: BlockSpan {
                    first: place,
                    len: 1,
                },
                view,
                event: self.stacking_event(slot, address),
            }
        });
        for FrameBytes { run, view, event } in joined(bytes, FrameBytes::grow) {
            let (event, cell) = (event.unwrap_or(0), cell_of(run, granule));
            match view {
                Some(view) => {
                    self.add_stacked_inputs(view, FrameStore { slot, event, cell }, outcome)?
                }
                None => outcome.ends.push((SliceEndKind::Constant, cell)),
            }
        }
        Ok(())
    }

    /// Adds the inputs of a register that an exception stores: the instruction's result, else the
    /// register before the step.
    fn add_stacked_inputs(
        &self,
        view: RegisterView,
        at: FrameStore,
        outcome: &mut StepContribution,
    ) -> Result<(), QueryError> {
        if view.register == RegisterId::PC {
            outcome.ends.push((SliceEndKind::Constant, at.cell));
            return Ok(());
        }
        if view.register == RegisterId::PSR {
            return self.add_stacked_flags(view, at, outcome);
        }
        let (index, thread) = (self.index, self.thread());
        let before = Position(self.step().map_or(0, |step| step.0));
        let StatePiece::Register { homes, .. } =
            (ReachingDefinitions { index }).register(thread, view, before, self.state()?)?
        else {
            return Ok(());
        };
        let written = self.bytes_written_before(view, &homes, at.slot, at.event)?;
        let byte = |offset: u16| {
            written
                .get(usize::from(offset - view.offset))
                .copied()
                .flatten()
        };
        for (part, by) in parts_of(view, |offset| byte(offset).map(|byte| byte.by)) {
            match by {
                Some(by) => self.add_register_inputs(part, by, at.cell, outcome)?,
                None => outcome.take_in(StepInput::Register(part), Edge::Copy),
            }
        }
        Ok(())
    }

    /// Adds the inputs of a stored status register, of which only the flags are traced.
    fn add_stacked_flags(
        &self,
        view: RegisterView,
        at: FrameStore,
        outcome: &mut StepContribution,
    ) -> Result<(), QueryError> {
        let Some(set) = self.text.as_ref().map(|text| text.instruction_set) else {
            return Ok(());
        };
        let bits = set.flag_bits() & bits_of(view);
        let made = self
            .done()
            .map_or(0, |instruction| instruction.flags_written(set))
            & bits;
        if bits == 0 {
            outcome.ends.push((SliceEndKind::Constant, at.cell));
        }
        if made != 0
            && let Some(instruction) = self.done()
        {
            self.add_flag_inputs(instruction, made, at.cell, outcome)?;
        }
        if bits & !made != 0 {
            outcome.take_in(StepInput::Flags(bits & !made), Edge::Copy);
        }
        Ok(())
    }

    /// Adds the frame bytes from which an exception return loads condition flags; returns false if
    /// the step has no exception return.
    pub(super) fn take_exception_flags(&self, bits: u64, outcome: &mut StepContribution) -> bool {
        let Some(exception) = self
            .exception
            .as_ref()
            .filter(|exception| exception.is_return)
        else {
            return false;
        };
        let cell = SliceCell::Flags {
            thread: self.thread(),
            bits,
        };
        let frame = exception.loaded.as_ref();
        let places = (0..4u16).filter(|place| bits >> (8 * place) & 0xff != 0);
        let byte = |place| {
            frame?
                .address_of(RegisterView::new(RegisterId::PSR, place, 1))
                .map(Address)
        };
        add_frame_bytes(places.map(byte).collect(), cell, outcome);
        true
    }

    /// Returns the bytes of memory in which an exception stored bytes of a register that the step
    /// wrote earlier in the same slot.
    pub(super) fn copies_in_frame(
        &self,
        piece: &StatePiece,
        slot: u64,
    ) -> Result<Vec<StatePiece>, QueryError> {
        let frame = self
            .exception
            .as_ref()
            .and_then(|exception| exception.stored.as_ref());
        let (Some(frame), StatePiece::Register { view, homes }) = (frame, piece) else {
            return Ok(Vec::new());
        };
        let mut copies = Vec::new();
        for offset in view.offset..view.offset.saturating_add(view.size_bytes) {
            let byte = RegisterView {
                offset,
                size_bytes: 1,
                ..*view
            };
            let plain = RegisterView {
                register: self.index.plain_register(view.register),
                ..byte
            };
            let Some(address) = frame.address_of(plain).map(Address) else {
                continue;
            };
            let Some(event) = self.stacking_event(slot, address) else {
                continue;
            };
            if self
                .bytes_written_before(byte, homes, slot, event)?
                .iter()
                .any(Option::is_none)
            {
                continue;
            }
            copies.push(address);
        }
        Ok(blocks_of_bytes(&copies))
    }

    /// Returns true if the step takes an exception, and does not return from one.
    pub(super) fn takes_exception(&self) -> bool {
        self.exception
            .as_ref()
            .is_some_and(|exception| !exception.is_return)
    }
}

/// Adds the bytes of a frame that a cell comes from; an unknown end if their loads are not shown.
fn add_frame_bytes(
    addresses: Vec<Option<Address>>,
    cell: SliceCell,
    outcome: &mut StepContribution,
) {
    if addresses.contains(&None) {
        outcome
            .ends
            .push((SliceEndKind::Unknown(UnknownInput::LoadNotShown), cell));
    }
    let shown: Vec<Address> = addresses.into_iter().flatten().collect();
    if !shown.is_empty() {
        outcome.take_in(StepInput::Memory(shown), Edge::Copy);
    }
}

/// Contiguous bytes of a frame.
struct FrameBytes {
    run: BlockSpan,
    /// Register bytes in them; none for reserved words.
    view: Option<RegisterView>,
    /// Number of the event that stored them.
    event: Option<usize>,
}

impl FrameBytes {
    /// Takes in the part after it if both are of one register, or of none, and of one store.
    fn grow(&mut self, next: &Self) -> bool {
        let is_same = match (&mut self.view, next.view) {
            (Some(view), Some(more)) => self.event == next.event && grow_view(view, more),
            (None, None) => self.event == next.event,
            _ => false,
        };
        self.run.len += if is_same { next.run.len } else { 0 };
        is_same
    }
}

/// A store of a frame.
#[derive(Clone, Copy)]
struct FrameStore {
    slot: u64,
    /// Number of its event.
    event: usize,
    /// Bytes of memory that receive the value.
    cell: SliceCell,
}

/// Returns the bits of a register of four bytes that some of its bytes hold.
fn bits_of(view: RegisterView) -> u64 {
    let places = view.offset..view.offset.saturating_add(view.size_bytes).min(8);
    places.fold(0, |bits, place| bits | 0xff << (8 * place))
}
