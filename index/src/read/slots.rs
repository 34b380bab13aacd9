//! Slots of the whole trace, and reading their events again.
//!
//! Slot 0 contains what precedes the first step; slot n contains what shows from position n on.
//!
//! A step may have a million lines or records. Its events are passed on one by one while its text
//! is read, and its slot may lie in several segments, which readers all consult.

use std::cell::RefCell;
use std::ops::Range;

use stepback_machine::flow::{ControlFlowEffect, RecordedBranch};
use stepback_machine::{
    AccessKind, Address, CodeSite, Encoding, InstructionSet, Mode, RegisterId, RegisterView,
};
use stepback_parsers::{
    DelaySlot, EventSink, Flow, Marker, MarkerEvent, MemoryAccess, ParseScratch, Position,
    RegisterWrite, Step, StepEvent, StepOrigin, TextEvent, TextKind, ThreadNumber,
};

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::read::encodings::{encoding_of, text_of};
use crate::store::segment::reader::SegmentReader;

/// A slot with an effect of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadSlot {
    /// Thread.
    pub thread: ThreadId,
    /// Slot of the effect.
    pub slot: u64,
}

/// An event that was read again.
#[derive(Clone, Debug)]
pub(crate) struct SlotEvent {
    /// Slot of its effect.
    pub slot: u64,
    /// Thread of the event.
    pub thread: ThreadId,
    /// Number of events of its slot before it.
    pub place_in_slot: usize,
    /// Number of lines between the start of the read range and its line.
    pub line_in_range: u64,
    /// Instruction set that names its registers: that of the slot's step if the thread is the same,
    /// else that of its thread's first step.
    pub set: InstructionSet,
    /// Contents of the event.
    pub kind: SlotEventKind,
}

impl SlotEvent {
    /// Returns the physical register that it wrote, if any.
    pub(crate) fn home(&self) -> Option<RegisterView> {
        match self.kind {
            SlotEventKind::Register { home, .. } => home,
            _ => None,
        }
    }
}

/// Contents of an event.
#[derive(Clone, Debug)]
pub(crate) enum SlotEventKind {
    /// A step was reached.
    Step(StepText),
    /// A register was written; `home` is the view of the physical register, none for the first of
    /// two writes of a line.
    Register {
        view: RegisterView,
        bytes: Option<Vec<u8>>,
        is_bank_copy: bool,
        home: Option<RegisterView>,
    },
    /// Memory was accessed.
    Access {
        kind: AccessKind,
        address: Address,
        size_bytes: u8,
        bytes: Option<[u8; 8]>,
    },
    /// Text in the trace.
    Text { kind: TextKind, text: String },
    /// Another record.
    Marker(Marker),
}

/// A step as the trace shows it.
#[derive(Clone, Debug)]
pub(crate) struct StepText {
    pub pc: Address,
    pub instruction_set: InstructionSet,
    pub opcode: u32,
    pub encoding: Option<Encoding>,
    pub branch: RecordedBranch,
    pub length_bytes: u8,
    pub is_executed: bool,
    pub delay_slot: DelaySlot,
    pub origin: StepOrigin,
    pub mode: Mode,
    pub text: String,
}

impl StepText {
    /// Returns the address after it.
    pub fn next_pc(&self) -> Address {
        Address(self.pc.0.wrapping_add(u64::from(self.length_bytes)))
    }

    /// Returns its effect on control, from its encoding.
    pub fn control(&self) -> ControlFlowEffect {
        let encoding = self
            .instruction_set
            .encoding_of(self.opcode, self.length_bytes);
        let site = encoding.map(|encoding| CodeSite {
            pc: self.pc,
            encoding,
        });
        site.map_or_else(ControlFlowEffect::default, |site| {
            self.instruction_set.control(&site)
        })
    }
}

thread_local! {
    /// Steps are read again thousands of times a second; the buffer is reused.
    static SCRATCH: RefCell<ParseScratch> = RefCell::default();
}

/// Maximum number of threads of a segment whose lists are searched for the thread of a step; with
/// more, the text of the step is read.
const LISTS_REQUESTED: usize = 32;

/// Number of steps of a part that is parsed by itself.
const PART_STEPS: usize = 1024;

/// Finds slots, and reads their events again.
pub struct SlotReader<'a>(pub &'a Index);

impl<'a> SlotReader<'a> {
    /// Returns the segment of a slot, and the slot's number in it.
    pub(crate) fn locate(&self, slot: u64) -> Result<(SegmentReader<'a>, u32), QueryError> {
        let after = self
            .0
            .contents
            .segments
            .partition_point(|segment| segment.step_base < slot);
        let number = after.saturating_sub(1);
        let segment = self.0.segment(number).ok_or_else(no_segment)?;
        let local =
            u32::try_from(slot.saturating_sub(segment.meta.step_base)).map_err(|_| no_segment())?;
        Ok((segment, local))
    }

    /// Returns all segments that have a part of a slot, in order, and the slot's number in each.
    /// Outside a stretch without instructions, which is closed early, these are only the one in
    /// which it begins and possibly one that starts with an empty rest of it.
    pub(crate) fn locate_all(
        &self,
        slot: u64,
    ) -> impl Iterator<Item = (SegmentReader<'a>, u32)> + use<'a> {
        let index = self.0;
        let numbers = index.segments_with(slot..slot.saturating_add(1));
        numbers.filter_map(move |number| {
            let segment = index.segment(number)?;
            let local = u32::try_from(slot.saturating_sub(segment.meta.step_base)).ok()?;
            Some((segment, local))
        })
    }

    /// Returns the text offset of a slot; the end of the indexed text after the last.
    pub(crate) fn text_start(&self, slot: u64) -> Result<u64, QueryError> {
        if slot > self.0.step_count() {
            return Ok(self.0.contents.text_end);
        }
        if slot == 0 {
            return Ok(0);
        }
        let (segment, local) = self.locate(slot)?;
        segment.text_start(local)
    }

    /// Returns the time of a slot's step.
    pub(crate) fn time_of_slot(&self, slot: u64) -> Result<Option<u64>, QueryError> {
        let (segment, local) = self.locate(slot)?;
        segment.time(local)
    }

    /// Returns the latest time of the steps before a position.
    pub(crate) fn time_before(&self, position: Position) -> Result<Option<u64>, QueryError> {
        match position.0 {
            0 => Ok(None),
            slot => self.time_of_slot(slot),
        }
    }

    /// Returns the text range of the steps between two positions, with everything that belongs to
    /// them. From position 0 on it begins with the text before the first step. O(1).
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn text_between(&self, from: Position, to: Position) -> Result<Range<u64>, QueryError> {
        let start = if from.0 == 0 {
            0
        } else {
            self.text_start(from.0.saturating_add(1))?
        };
        Ok(start..self.text_start(to.0.saturating_add(1))?.max(start))
    }

    /// Returns the text ranges of parts of the trace between two positions, in order and contiguous:
    /// some thousand steps each, with what belongs to them, as in [`Self::text_between`]. Parts can
    /// be parsed separately.
    pub fn text_parts(
        self,
        range: Range<Position>,
    ) -> impl Iterator<Item = Result<Range<u64>, QueryError>> + use<'a> {
        let (from, end) = (range.start.0, range.end.0.max(range.start.0));
        let starts = (from..end.max(from.saturating_add(1))).step_by(PART_STEPS);
        starts.map(move |start| {
            let after = start.saturating_add(PART_STEPS as u64).min(end);
            self.text_between(Position(start), Position(after))
        })
    }

    /// Returns the text ranges of parts of some slots. Parts can be parsed separately.
    pub(crate) fn slot_parts(
        self,
        slots: Range<u64>,
    ) -> impl Iterator<Item = Result<Range<u64>, QueryError>> + use<'a> {
        slots.clone().step_by(PART_STEPS).map(move |start| {
            let after = start.saturating_add(PART_STEPS as u64).min(slots.end);
            Ok(self.text_start(start)?..self.text_start(after)?)
        })
    }

    /// Returns the time of a step, never less than that of the step before; none when the trace has
    /// no time at all. O(1).
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn time_of(&self, step: Step) -> Result<Option<u64>, QueryError> {
        self.time_of_slot(step.0.saturating_add(1))
    }

    /// Returns the events of some slots, in order.
    pub(crate) fn events(&self, slots: Range<u64>) -> Result<Vec<SlotEvent>, QueryError> {
        let mut events = Vec::new();
        self.each_event(slots, |event| {
            events.push(event);
            Ok(())
        })?;
        Ok(events)
    }

    /// Calls `take` for the events of some slots one by one, so that a step with many events needs
    /// no memory for them. The trace is being parsed meanwhile, so `take` must not read the trace.
    pub(crate) fn each_event(
        &self,
        slots: Range<u64>,
        mut take: impl FnMut(SlotEvent) -> Result<(), QueryError>,
    ) -> Result<(), QueryError> {
        self.each_event_from(slots.start, slots, |event, _| {
            take(event).map(|()| Flow::Continue)
        })
    }

    /// Returns the step of a slot and its thread; none in slot 0. Cost: the text up to it,
    /// independent of its number of events.
    pub(crate) fn step_of(&self, slot: u64) -> Result<Option<(ThreadId, StepText)>, QueryError> {
        let mut found = None;
        self.each_event_from(slot, slot..slot.saturating_add(1), |event, _| {
            match event.kind {
                SlotEventKind::Step(step) if event.slot == slot => {
                    found = Some((event.thread, step));
                    Ok(Flow::Stop)
                }
                _ => Ok(Flow::Continue),
            }
        })?;
        Ok(found)
    }

    /// Like [`Self::each_event`], but starts reading at an earlier slot and ends when `take` stops
    /// it. Each event comes with its line, counted from the first step that was read.
    pub(crate) fn each_event_from(
        &self,
        first: u64,
        slots: Range<u64>,
        take: impl FnMut(SlotEvent, u64) -> Result<Flow, QueryError>,
    ) -> Result<(), QueryError> {
        self.hand_over(first..slots.end, SlotSelection::From(slots.start), take)
    }

    /// Returns the events of some ascending slots, in order. All slots between them are read too.
    pub(crate) fn events_of(&self, slots: &[u64]) -> Result<Vec<SlotEvent>, QueryError> {
        let mut events = Vec::new();
        self.each_event_of(slots, |event| {
            events.push(event);
            Ok(())
        })?;
        Ok(events)
    }

    /// Like [`Self::events_of`], but passes the events one by one.
    pub(crate) fn each_event_of(
        &self,
        slots: &[u64],
        mut take: impl FnMut(SlotEvent) -> Result<(), QueryError>,
    ) -> Result<(), QueryError> {
        let Some((first, last)) = slots.first().zip(slots.last()) else {
            return Ok(());
        };
        let read = *first..last.saturating_add(1);
        self.hand_over(read, SlotSelection::These(slots), |event, _| {
            take(event).map(|()| Flow::Continue)
        })
    }

    fn hand_over(
        &self,
        read: Range<u64>,
        kept: SlotSelection<'_>,
        take: impl FnMut(SlotEvent, u64) -> Result<Flow, QueryError>,
    ) -> Result<(), QueryError> {
        let mut reader = EventReader::new(self.0, read.start, kept, take);
        self.parse_slots(read.clone(), &mut reader)?;
        if reader.taken? == Flow::Stop {
            return Ok(());
        }
        // Fewer or more steps than were indexed: the trace was rewritten.
        if reader.slot.saturating_add(1) != read.end.min(self.0.step_count() + 1) {
            return Err(QueryError::TraceChanged);
        }
        Ok(())
    }

    /// Calls `take` for the steps of some slots with their slots and threads, without their other
    /// events, until it stops.
    pub(crate) fn each_step(
        &self,
        slots: Range<u64>,
        take: impl FnMut(ThreadSlot, &StepEvent<'_>) -> Flow,
    ) -> Result<(), QueryError> {
        let mut sink = StepSink {
            index: self.0,
            names: ParserNames::default(),
            slot: slots.start.saturating_sub(1),
            take,
            flow: Flow::Continue,
        };
        self.parse_slots(slots.clone(), &mut sink)?;
        let is_whole = sink.slot.saturating_add(1) == slots.end.min(self.0.step_count() + 1);
        if sink.flow == Flow::Stop || is_whole {
            Ok(())
        } else {
            // Fewer or more steps than were indexed: the trace was rewritten.
            Err(QueryError::TraceChanged)
        }
    }

    /// Reads the text of some slots again.
    pub(crate) fn parse_slots(
        &self,
        slots: Range<u64>,
        sink: &mut dyn EventSink,
    ) -> Result<(), QueryError> {
        self.parse(
            self.text_start(slots.start)?..self.text_start(slots.end)?,
            sink,
        )
    }

    /// Reads a range of the trace again. The parsers are compiled once for all callers.
    pub(crate) fn parse(
        &self,
        range: Range<u64>,
        sink: &mut dyn EventSink,
    ) -> Result<(), QueryError> {
        SCRATCH.with_borrow_mut(|scratch| self.0.source().parse(range, scratch, sink))?;
        Ok(())
    }

    /// Returns the step that an event of a thread in a slot belongs to: the last of that thread;
    /// none before its first.
    pub(crate) fn owner(&self, thread: ThreadId, slot: u64) -> Result<Option<Step>, QueryError> {
        if self.0.threads().len() == 1 {
            return Ok(Position(slot).last_step());
        }
        for number in self.0.segments_with(0..slot).rev() {
            let segment = self.0.segment(number).ok_or_else(no_segment)?;
            if let Some(local) = last_step_of(&segment, thread, segment.local_slot(slot))? {
                return Ok(Position(segment.trace_slot(local)).last_step());
            }
        }
        Ok(None)
    }

    /// Returns true if a thread did a step between two positions.
    pub(crate) fn has_step_between(
        &self,
        thread: ThreadId,
        from: Position,
        to: Position,
    ) -> Result<bool, QueryError> {
        let numbers = self.0.segments_with(from.0.saturating_add(1)..to.0);
        for number in numbers.rev() {
            let segment = self.0.segment(number).ok_or_else(no_segment)?;
            if let Some(last) = last_step_of(&segment, thread, segment.local_slot(to.0))? {
                return Ok(last > segment.local_slot(from.0));
            }
        }
        Ok(false)
    }

    /// Returns the first step of a thread from a position on.
    pub(crate) fn next_step_of(
        &self,
        thread: ThreadId,
        from: Position,
    ) -> Result<Option<Step>, QueryError> {
        if self.0.threads().len() == 1 {
            return Ok(Some(from.next_step()).filter(|step| step.0 < self.0.step_count()));
        }
        let wanted = from.0.saturating_add(1);
        for number in self.0.segments_with(wanted..u64::MAX) {
            let segment = self.0.segment(number).ok_or_else(no_segment)?;
            let from = segment.local_slot(wanted).max(1);
            if let Some(local) = first_step_of(&segment, thread, from)? {
                return Ok(Position(segment.trace_slot(local)).last_step());
            }
        }
        Ok(None)
    }

    /// Returns the address space for a query at a position: that of the named thread, else of the
    /// one that ran last. None if all threads share one.
    pub(crate) fn memory_at(
        &self,
        thread: Option<ThreadId>,
        at: Position,
    ) -> Result<Option<MemoryId>, QueryError> {
        if !self.0.memories().are_several() {
            return Ok(None);
        }
        let thread = thread.map_or_else(|| self.thread_at(at), Ok)?;
        Ok(self.0.memories().of(thread))
    }

    /// Returns the thread whose memory a query at a position reads; the first one if all threads
    /// share one address space.
    pub(crate) fn memory_thread(
        &self,
        thread: Option<ThreadId>,
        at: Position,
    ) -> Result<ThreadId, QueryError> {
        match (self.0.memories().are_several(), thread) {
            (false, _) => Ok(ThreadId(0)),
            (true, Some(thread)) => Ok(thread),
            (true, None) => self.thread_at(at),
        }
    }

    /// Returns true if the step of a slot uses an address space. In formats with several processes,
    /// all accesses in a slot are of its step.
    pub(crate) fn is_in_memory(&self, slot: u64, memory: MemoryId) -> Result<bool, QueryError> {
        Ok(self.0.memories().of(self.thread_at(Position(slot))?) == Some(memory))
    }

    /// Returns the thread of a slot's step, by its text.
    fn thread_of_slot(&self, slot: u64) -> Result<ThreadId, QueryError> {
        self.step_of(slot)?
            .map(|(thread, _)| thread)
            .ok_or(QueryError::TraceChanged)
    }

    /// Returns the thread whose registers a query without a thread reads at a position: that of the
    /// last step before it, at the start that of the first step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn thread_at(&self, position: Position) -> Result<ThreadId, QueryError> {
        if self.0.threads().len() == 1 || self.0.step_count() == 0 {
            return Ok(ThreadId(0));
        }
        let slot = position.0.clamp(1, self.0.step_count());
        let (segment, local) = self.locate(slot)?;
        if segment.meta.threads.len() > LISTS_REQUESTED {
            return self.thread_of_slot(slot);
        }
        for (number, thread) in segment.meta.threads.iter().enumerate() {
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            let is_owner = match segment.steps_of_thread(number)? {
                Some(steps) => steps.first_from(local).map_err(|_| no_segment())? == Some(local),
                None => thread.steps > 0,
            };
            if is_owner {
                return Ok(ThreadId(thread.thread));
            }
        }
        Ok(ThreadId(0))
    }

    /// Fails for positions beyond the end.
    pub(crate) fn check_position(&self, requested: Position) -> Result<(), QueryError> {
        if requested > self.0.end() {
            Err(QueryError::BeyondEnd {
                requested,
                end: self.0.end(),
            })
        } else {
            Ok(())
        }
    }
}

fn no_segment() -> QueryError {
    QueryError::Damaged {
        part: "directory".to_owned(),
    }
}

/// Returns the number that a segment uses for a thread.
pub(crate) fn local_thread(segment: &SegmentReader<'_>, thread: ThreadId) -> Option<u16> {
    segment.meta.local_threads(thread.0).first().copied()
}

/// Returns the last step of a thread in the slots of a segment up to one.
pub(crate) fn last_step_of(
    segment: &SegmentReader<'_>,
    thread: ThreadId,
    bound: u32,
) -> Result<Option<u32>, QueryError> {
    let Some(local) = local_thread(segment, thread) else {
        return Ok(None);
    };
    match segment.steps_of_thread(local)? {
        Some(steps) => steps
            .last_below(bound.saturating_add(1))
            .map_err(|_| no_segment()),
        None => Ok(Some(bound.min(segment.meta.steps)).filter(|slot| *slot > 0)),
    }
}

/// Returns the first step of a thread in the slots of a segment from one on.
pub(crate) fn first_step_of(
    segment: &SegmentReader<'_>,
    thread: ThreadId,
    from: u32,
) -> Result<Option<u32>, QueryError> {
    let Some(local) = local_thread(segment, thread) else {
        return Ok(None);
    };
    match segment.steps_of_thread(local)? {
        Some(steps) => steps.first_from(from).map_err(|_| no_segment()),
        None => Ok(Some(from).filter(|slot| *slot <= segment.meta.steps)),
    }
}

/// Threads and registers of the index, by their numbers in a run of the parser.
#[derive(Debug, Default)]
pub(crate) struct ParserNames {
    threads: Vec<ThreadId>,
    registers: Vec<RegisterId>,
}

impl ParserNames {
    /// Forgets all names: another run of the parser assigns numbers anew.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.registers.clear();
    }

    /// Adds the next thread.
    pub fn add_thread(&mut self, index: &Index, name: &str) {
        self.threads
            .push(index.thread_by_name(name).unwrap_or_default());
    }

    /// Adds the next register outside the architecture's table.
    pub fn add_register(&mut self, index: &Index, name: &str) {
        self.registers
            .push(index.named_register(name).unwrap_or(RegisterId(u16::MAX)));
    }

    /// Returns a thread.
    pub fn thread(&self, number: ThreadNumber) -> ThreadId {
        let thread = self.threads.get(usize::from(number.0));
        thread.copied().unwrap_or_default()
    }

    /// Returns a view with the index's number of its register.
    pub fn view(&self, view: RegisterView) -> RegisterView {
        let place = view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let register = place.map_or(view.register, |place| {
            let named = self.registers.get(usize::from(place));
            named.copied().unwrap_or(RegisterId(u16::MAX))
        });
        RegisterView { register, ..view }
    }
}

/// Passes on the steps of some slots.
struct StepSink<'a, F> {
    index: &'a Index,
    names: ParserNames,
    slot: u64,
    take: F,
    /// Result of the last call of `take`.
    flow: Flow,
}

impl<F: FnMut(ThreadSlot, &StepEvent<'_>) -> Flow> EventSink for StepSink<'_, F> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.add_thread(self.index, name);
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if self.flow == Flow::Stop {
            return;
        }
        self.slot += 1;
        let here = ThreadSlot {
            thread: self.names.thread(step.thread),
            slot: self.slot,
        };
        self.flow = (self.take)(here, step);
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        self.flow
    }
}

/// Slots whose events are passed on; others are skipped.
#[derive(Clone, Copy, Debug)]
enum SlotSelection<'s> {
    /// All from this one on.
    From(u64),
    /// These, ascending.
    These(&'s [u64]),
}

impl SlotSelection<'_> {
    /// Returns true if a slot is among them; queried slots must ascend.
    fn includes(&mut self, slot: u64) -> bool {
        match self {
            Self::From(first) => slot >= *first,
            Self::These(slots) => {
                while let Some((_, rest)) = slots.split_first().filter(|(next, _)| **next < slot) {
                    *slots = rest;
                }
                slots.first() == Some(&slot)
            }
        }
    }
}

/// Passes on the events of some slots.
struct EventReader<'a, 's, F> {
    index: &'a Index,
    slot: u64,
    kept: SlotSelection<'s>,
    /// True if the events of the slot are passed on.
    is_kept: bool,
    /// Line in range of the first step.
    first_line: Option<u64>,
    names: ParserNames,
    /// Thread and instruction set of the slot's step.
    step: Option<(ThreadId, InstructionSet)>,
    /// Number of events of the slot until now.
    events_in_slot: usize,
    /// Receives an event, and the line in range of the first step.
    take: F,
    /// Result of the last call of `take`.
    taken: Result<Flow, QueryError>,
}

impl<'a, 's, F: FnMut(SlotEvent, u64) -> Result<Flow, QueryError>> EventReader<'a, 's, F> {
    fn new(index: &'a Index, first: u64, mut kept: SlotSelection<'s>, take: F) -> Self {
        let (first_line, names, step, events_in_slot) = Default::default();
        let taken = Ok(Flow::Continue);
        // The first step that is read is in the first slot; before slot 1 there is a slot without a
        // step.
        let slot = first.saturating_sub(1);
        let is_kept = kept.includes(slot);
        Self {
            index,
            slot,
            kept,
            is_kept,
            first_line,
            names,
            step,
            events_in_slot,
            take,
            taken,
        }
    }

    fn push(&mut self, thread: ThreadNumber, line_in_range: u64, kind: SlotEventKind) {
        let thread = self.names.thread(thread);
        if !self.goes_on() {
            return;
        }
        let place_in_slot = self.events_in_slot;
        self.events_in_slot += 1;
        let of_step = self
            .step
            .filter(|(owner, _)| *owner == thread)
            .map(|(_, set)| set);
        let set = of_step.unwrap_or_else(|| self.index.instruction_set(thread));
        let set = self.index.set_of_names(thread, set);
        let event = SlotEvent {
            slot: self.slot,
            thread,
            place_in_slot,
            line_in_range,
            set,
            kind,
        };
        self.taken = (self.take)(event, self.first_line.unwrap_or(0));
    }

    fn goes_on(&self) -> bool {
        matches!(self.taken, Ok(Flow::Continue))
    }
}

impl<F: FnMut(SlotEvent, u64) -> Result<Flow, QueryError>> EventSink for EventReader<'_, '_, F> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.add_thread(self.index, name);
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, _size_bytes: u16) {
        self.names.add_register(self.index, name);
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.slot += 1;
        self.is_kept = self.kept.includes(self.slot);
        self.events_in_slot = 0;
        self.first_line.get_or_insert(step.place.line_in_range);
        let thread = self.names.thread(step.thread);
        self.step = Some((thread, step.instruction_set));
        if !self.is_kept {
            return;
        }
        let encoding = encoding_of(self.index, step);
        let text = StepText {
            pc: step.pc,
            instruction_set: step.instruction_set,
            opcode: step.opcode,
            encoding,
            branch: step.branch,
            length_bytes: step.length_bytes,
            is_executed: step.is_executed,
            delay_slot: step.delay_slot,
            origin: step.origin,
            mode: step.mode,
            text: text_of(step, encoding),
        };
        self.push(
            step.thread,
            step.place.line_in_range,
            SlotEventKind::Step(text),
        );
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        if !self.is_kept {
            return;
        }
        let view = self.names.view(write.view);
        let bytes = write.bytes.map(<[u8]>::to_vec);
        let home = RegisterWrite { view, ..*write }.home();
        let kind = SlotEventKind::Register {
            view,
            bytes,
            is_bank_copy: write.is_bank_copy(),
            home,
        };
        self.push(write.thread, write.place.line_in_range, kind);
    }

    fn access(&mut self, access: &MemoryAccess) {
        if !self.is_kept {
            return;
        }
        let MemoryAccess {
            kind,
            address,
            size_bytes,
            bytes,
            ..
        } = *access;
        self.push(
            access.thread,
            access.place.line_in_range,
            SlotEventKind::Access {
                kind,
                address,
                size_bytes,
                bytes,
            },
        );
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        if !self.is_kept {
            return;
        }
        let text = String::from_utf8_lossy(event.text).into_owned();
        self.push(
            event.thread,
            event.place.line_in_range,
            SlotEventKind::Text {
                kind: event.kind,
                text,
            },
        );
    }

    fn marker(&mut self, event: &MarkerEvent) {
        if self.is_kept {
            self.push(
                event.thread,
                event.place.line_in_range,
                SlotEventKind::Marker(event.marker),
            );
        }
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        if self.goes_on() {
            Flow::Continue
        } else {
            Flow::Stop
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use stepback_parsers::MarkerKind;

    use super::*;
    use crate::builder::build_index::BuildOptions;
    use crate::builder::build_index::index_in_memory;
    use crate::read::far_uses::records::{Record, Records};

    /// Threads that take turns, with a time and a step each, all in one segment.
    fn index_of(threads: u16) -> Index {
        let turn = |thread: u16| {
            [
                Record::marker(thread, MarkerKind::TIMESTAMP, 1),
                Record::step(thread, 0x1000, 1, RecordedBranch::None),
            ]
        };
        let records = (0..2).flat_map(|_| (0..threads).flat_map(turn)).collect();
        let options = BuildOptions {
            segment_bytes: 1 << 20,
            threads: 1,
        };
        index_in_memory(Records::new(records, InstructionSet::X86_64), &options).unwrap()
    }

    /// Measures look-ups of thousands of threads by number in a segment, and by name.
    fn time_of(index: &Index) -> Duration {
        let (segment, _) = SlotReader(index).locate(1).unwrap();
        let count = index.threads().len();
        // The shortest of many short runs: other programs interrupt this one.
        let runs = (0..200).map(|_| {
            let start = Instant::now();
            for number in 0..500 {
                let place = number * 7 % count;
                let thread = ThreadId(place as u16);
                assert_eq!(local_thread(&segment, thread), Some(place as u16));
                assert_eq!(
                    index.thread_by_name(&index.threads()[place].name),
                    Some(thread)
                );
            }
            start.elapsed()
        });
        runs.min().unwrap()
    }

    #[test]
    fn to_look_up_a_thread_costs_nearly_the_same_among_thousands() {
        let (few, many) = (time_of(&index_of(50)), time_of(&index_of(5000)));
        // A linear search would take a hundred times as long.
        assert!(
            many < 10 * few + Duration::from_micros(125),
            "{many:?} among 5,000 threads, {few:?} among 50"
        );
    }
}
