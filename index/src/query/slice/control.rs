//! Which step decided that another ran: the last branch of its function that could have led elsewhere, else the call.

use std::sync::Arc;

use foldhash::HashMap;
use stepback_machine::{Address, Control, Delay, Encoding, Flow, Instruction, InstructionSet, Target, decode};
use stepback_parsers::{Source, Step};

use crate::answers::call::{Call, CallId, Entered};
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::slice::{End, NotKnown};
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::slice::graph::{Deciders, Ways};
use crate::read::key_maps::KeyMapReader;
use crate::read::slots::{EventKind, SlotReader, StepText};
use crate::read::visits::VisitReader;
use crate::store::key_map::Key;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// Of a function with more instructions it is not told what decides in it.
const INSTRUCTIONS: usize = 1 << 16;
/// So many instructions of functions are remembered.
const REMEMBERED: usize = 1 << 20;
/// Visits of a branch through a register whose ways are looked at, the last ones.
const WAYS_SEEN: usize = 64;
/// Visits of a branch that are looked at in one go for one in the same call.
const VISITS: usize = 64;
/// The longest instruction, in bytes.
const LONGEST: u8 = 15;

/// Finds what decided; remembers the functions that it looked at.
pub(super) struct ControlReader<'a, S> {
    pub index: &'a Index<S>,
    functions: HashMap<Address, Arc<Deciders>>,
    /// The instructions of them.
    remembered: usize,
    /// Of a frame the frames inside of it, and whether an interrupt stands in between.
    pub interrupted: (Option<CallId>, HashMap<CallId, bool>),
}

/// What decided that a step ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decider {
    /// A branch, a call, or the instruction that asked the system.
    Step(Step),
    /// No step did, or none was found.
    Nothing(End),
}

/// An instruction of the program.
struct Known {
    instruction: Arc<Instruction>,
    control: Control,
    length_bytes: u64,
}

impl<'a, S: Source> ControlReader<'a, S> {
    pub fn new(index: &'a Index<S>) -> Self {
        Self { index, functions: HashMap::default(), remembered: 0, interrupted: (None, HashMap::default()) }
    }

    /// What decided that a step ran.
    pub fn decider_of(&mut self, thread: ThreadId, step: Step, cancel: &Cancel) -> Result<Decider, QueryError> {
        let unknown = Decider::Nothing(End::Unknown(NotKnown::DeciderNotFound));
        let calls = self.index.calls();
        let Some(id) = calls.innermost_at(thread, step.before()) else { return Ok(unknown) };
        let Some((call, text)) = calls.get(id).zip(self.text_of(step)?) else { return Ok(unknown) };
        let deciders = self.deciders(call.function, text.instruction_set, cancel)?;
        let Some(branches) = deciders.of(self.before_slot(&text)?) else { return Ok(unknown) };
        let mut last = None;
        for branch in branches {
            last = last.max(self.last_in_call(branch, thread, id, step, cancel)?);
        }
        match last {
            Some(last) => Ok(Decider::Step(last)),
            None => self.decider_of_call(&call),
        }
    }

    /// What decided that a function ran.
    fn decider_of_call(&self, call: &Call) -> Result<Decider, QueryError> {
        let by_step = |step| Decider::Step(step);
        Ok(match (call.entered, call.call_step) {
            (Entered::Root, _) => Decider::Nothing(End::Initial { line: None }),
            (Entered::Call | Entered::Tail, Some(step)) => by_step(step),
            (Entered::Exception, Some(step)) if self.is_asked_for(call)? => by_step(step),
            (Entered::Exception, _) => Decider::Nothing(End::Unknown(NotKnown::NotOfInstruction)),
            (Entered::Call | Entered::Tail | Entered::Switch, _) => {
                Decider::Nothing(End::Unknown(NotKnown::DeciderNotFound))
            }
        })
    }

    /// Whether the step before an exception asked the system for it.
    pub fn is_asked_for(&self, call: &Call) -> Result<bool, QueryError> {
        let Some(step) = call.call_step else { return Ok(false) };
        let Some(text) = self.text_of(step)? else { return Ok(false) };
        let flow = text.encoding.map(|encoding| decode(encoding, text.pc, text.instruction_set).control.flow);
        Ok(flow == Some(Flow::Trap))
    }

    /// The last step at an address that a call made before a step, itself.
    fn last_in_call(
        &self,
        pc: Address,
        thread: ThreadId,
        call: CallId,
        before: Step,
        cancel: &Cancel,
    ) -> Result<Option<Step>, QueryError> {
        let calls = self.index.calls();
        let first = calls.get(call).map_or(0, |call| call.entered_at().0);
        let (first, mut end) = (first + 1, before.0.saturating_add(1));
        // Others are of calls from inside of it, or of other threads.
        loop {
            cancel.check()?;
            let visits = VisitReader(self.index).visits_between(pc, first..end, VISITS)?;
            for visit in &visits {
                if calls.innermost_at(thread, visit.before()) == Some(call) && self.is_of(thread, *visit)? {
                    return Ok(Some(*visit));
                }
            }
            match visits.last() {
                Some(oldest) if visits.len() == VISITS => end = oldest.after().0,
                _ => return Ok(None),
            }
        }
    }

    fn is_of(&self, thread: ThreadId, step: Step) -> Result<bool, QueryError> {
        let is_alone = self.index.threads().len() == 1;
        Ok(is_alone || SlotReader(self.index).thread_at(step.after())? == thread)
    }

    /// Of a function of which a step decodes so: what the trace does not execute of it is taken to decode alike.
    pub fn deciders(
        &mut self,
        function: Address,
        set: InstructionSet,
        cancel: &Cancel,
    ) -> Result<Arc<Deciders>, QueryError> {
        if let Some(known) = self.functions.get(&function) {
            return Ok(known.clone());
        }
        let found = Deciders::find(function, INSTRUCTIONS, |pc| {
            cancel.check()?;
            self.ways(pc, set)
        })?;
        let found = Arc::new(found);
        self.remembered += found.len();
        if self.remembered > REMEMBERED {
            self.functions.clear();
            self.remembered = found.len();
        }
        self.functions.insert(function, found.clone());
        Ok(found)
    }

    /// Where control may go from an instruction.
    fn ways(&self, pc: Address, set: InstructionSet) -> Result<Ways, QueryError> {
        let Some(known) = self.known(pc, set)? else { return Ok(Ways { to: Vec::new(), may_leave: true }) };
        let Known { instruction, control, length_bytes } = known;
        // Behind a branch with a slot control goes on behind the slot.
        let slot = if control.delay == Delay::None { 0 } else { length_bytes };
        let behind = Address(pc.0.wrapping_add(length_bytes + slot));
        let leaving = Ways { to: Vec::new(), may_leave: true };
        Ok(match (control.flow, control.target) {
            (Flow::Next | Flow::Trap | Flow::Call, _) => Ways { to: vec![behind], may_leave: false },
            (Flow::Branch, Target::Address(target)) => {
                let is_decided = instruction.decides() || control.delay == Delay::UnlessNotTaken;
                let to = [Some(Address(target)), is_decided.then_some(behind)];
                Ways { to: to.into_iter().flatten().collect(), may_leave: false }
            }
            (Flow::Branch, _) => {
                let to = self.ways_seen(pc)?;
                Ways { may_leave: to.is_empty(), to }
            }
            // One that is conditional may also go on.
            (Flow::Return | Flow::ExceptionReturn, _) if instruction.is_conditional() => {
                Ways { to: vec![behind], may_leave: true }
            }
            (Flow::Return | Flow::ExceptionReturn, _) => leaving,
        })
    }

    /// Where a branch through a register went.
    fn ways_seen(&self, pc: Address) -> Result<Vec<Address>, QueryError> {
        let end = self.index.step_count().saturating_add(1);
        let mut seen = Vec::new();
        for step in VisitReader(self.index).visits_between(pc, 0..end, WAYS_SEEN)? {
            let thread = SlotReader(self.index).thread_at(step.after())?;
            let Some(next) = SlotReader(self.index).next_step_of(thread, step.after())? else { continue };
            let Some(text) = self.text_of(next)? else { continue };
            if !seen.contains(&text.pc) {
                seen.push(text.pc);
            }
        }
        Ok(seen)
    }

    /// What stands at an address: what a step shows of it, else what the images hold.
    fn known(&self, pc: Address, set: InstructionSet) -> Result<Option<Known>, QueryError> {
        let segments = 0..self.index.contents.segments.len();
        for number in KeyMapReader(self.index).segments_with(Key::Pc(pc.0), segments)? {
            let Some((base, visits)) = VisitReader(self.index).visits_in(number, pc)? else { continue };
            let slot = base + u64::from(visits.get(0).map_err(|_| damaged(Section::Pcs))?);
            let Some(text) = self.text_of(Step(slot.saturating_sub(1)))? else { continue };
            let Some(encoding) = text.encoding else { continue };
            return Ok(Some(known(encoding, pc, text.instruction_set)));
        }
        let in_program = |length_bytes| self.index.program().instruction(pc, length_bytes, set);
        Ok((1..=LONGEST).find_map(in_program).map(|encoding| known(encoding, pc, set)))
    }

    pub fn text_of(&self, step: Step) -> Result<Option<StepText>, QueryError> {
        let slot = step.0.saturating_add(1);
        let events = SlotReader(self.index).events(slot..slot.saturating_add(1))?;
        Ok(events.into_iter().find_map(|event| match event.kind {
            EventKind::Step(text) if event.slot == slot => Some(text),
            _ => None,
        }))
    }

    /// The address whose deciders decided about a step: that of the branch in whose delay slot it stands.
    fn before_slot(&self, text: &StepText) -> Result<Address, QueryError> {
        if text.instruction_set.slot_bytes() == 0 {
            return Ok(text.pc);
        }
        let before = Address(text.pc.0.wrapping_sub(u64::from(text.length_bytes)));
        let known = self.known(before, text.instruction_set)?;
        Ok(known.filter(|known| known.control.delay != Delay::None).map_or(text.pc, |_| before))
    }
}

fn known(encoding: Encoding, pc: Address, set: InstructionSet) -> Known {
    let instruction = decode(encoding, pc, set);
    let control = instruction.control;
    Known { instruction, control, length_bytes: encoding.bytes().len() as u64 }
}
