//! Dynamic control dependence: the step that decided that another ran. It is the last branch of its
//! function that could have led elsewhere, else the call.

use std::sync::Arc;

use foldhash::HashMap;
use stepback_machine::flow::{BranchTarget, ControlFlowEffect, DelaySlotRule, FlowKind};
use stepback_machine::{Address, Encoding, Instruction, InstructionSet, decode};
use stepback_parsers::Step;

use crate::answers::call::{Call, CallId, FrameEntry};
use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{SliceEndKind, UnknownInput};
use crate::index::Index;
use crate::query::slice::graph::{ControlDependences, FlowSuccessors};
use crate::query::slice::region::NestedFrames;
use crate::read::key_maps;
use crate::read::slots::{SlotReader, StepText};
use crate::read::visits::VisitReader;
use crate::store::key_map::SegmentKey;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// Maximum number of instructions of a function for which control dependences are computed.
const INSTRUCTIONS: usize = 1 << 16;
/// Maximum number of instructions of cached functions.
const REMEMBERED: usize = 1 << 20;
/// Number of visits of an indirect branch, the last ones, from which its successors are taken.
const WAYS_SEEN: usize = 64;
/// Number of visits of a branch read at once in the search for one in the same call.
const VISITS: usize = 64;

/// Finds controlling steps; caches the control dependences of functions.
pub(super) struct ControlDependenceReader<'a> {
    pub index: &'a Index,
    functions: HashMap<Address, Arc<ControlDependences>>,
    /// Total number of instructions of the cached functions.
    remembered: usize,
    /// Pairs of frames, with true if an interrupt or another stack is between them.
    pub interrupted: HashMap<NestedFrames, bool>,
}

/// A step to find the controlling step of.
#[derive(Clone, Copy, Debug)]
pub(super) struct DependentStep<'t> {
    pub thread: ThreadId,
    pub step: Step,
    /// None if the trace does not show it.
    pub text: Option<&'t StepText>,
}

/// Controlling step of another step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControllingStep {
    /// A branch, a call, or the instruction that made a system call.
    Step(Step),
    /// No step, or none was found.
    Nothing(SliceEndKind),
}

/// The branch whose delay slot contains a step.
struct DelaySlotBranch {
    of: Step,
    text: StepText,
    /// True if the slot runs only when the branch is taken.
    is_taken: bool,
}

/// An instruction of the program.
struct DecodedControl {
    instruction: Arc<Instruction>,
    control: ControlFlowEffect,
    length_bytes: u64,
}

impl<'a> ControlDependenceReader<'a> {
    pub fn new(index: &'a Index) -> Self {
        Self {
            index,
            functions: HashMap::default(),
            remembered: 0,
            interrupted: HashMap::default(),
        }
    }

    /// Returns the controlling step of a step.
    pub fn decider_of(
        &mut self,
        ran: DependentStep<'_>,
        cancel: &Cancel,
    ) -> Result<ControllingStep, QueryError> {
        let DependentStep { thread, step, text } = ran;
        let unknown =
            ControllingStep::Nothing(SliceEndKind::Unknown(UnknownInput::DeciderNotFound));
        let Some(text) = text else { return Ok(unknown) };
        match self.slot_of(thread, step, text)? {
            // It runs with the branch, regardless of the branch's target, even if that is in the
            // frame of another function.
            Some(DelaySlotBranch {
                of,
                text,
                is_taken: false,
            }) => self.controlling_step_in_frame(thread, of, &text, cancel),
            Some(DelaySlotBranch {
                of, is_taken: true, ..
            }) => Ok(ControllingStep::Step(of)),
            None => self.controlling_step_in_frame(thread, step, text, cancel),
        }
    }

    fn controlling_step_in_frame(
        &mut self,
        thread: ThreadId,
        step: Step,
        text: &StepText,
        cancel: &Cancel,
    ) -> Result<ControllingStep, QueryError> {
        let unknown =
            ControllingStep::Nothing(SliceEndKind::Unknown(UnknownInput::DeciderNotFound));
        let calls = self.index.calls();
        let Some(id) = calls.innermost_at(thread, step.before()) else {
            return Ok(unknown);
        };
        let Some(call) = calls.get(id) else {
            return Ok(unknown);
        };
        let deciders = self.deciders(call.function, text.instruction_set, cancel)?;
        let Some(branches) = deciders.of(text.pc) else {
            return Ok(unknown);
        };
        let mut last = None;
        for branch in branches {
            last = last.max(self.last_in_call(branch, thread, id, step, cancel)?);
        }
        match last {
            Some(last) => Ok(ControllingStep::Step(last)),
            None => self.controlling_step_of_call(&call),
        }
    }

    /// Returns the branch whose delay slot contains a step.
    fn slot_of(
        &self,
        thread: ThreadId,
        step: Step,
        text: &StepText,
    ) -> Result<Option<DelaySlotBranch>, QueryError> {
        if text.instruction_set.slot_bytes() == 0 {
            return Ok(None);
        }
        let Some(of) = SlotReader(self.index).owner(thread, step.0)? else {
            return Ok(None);
        };
        let Some(branch) = self
            .text_of(of)?
            .filter(|branch| branch.next_pc() == text.pc)
        else {
            return Ok(None);
        };
        Ok(match branch.control().delay {
            DelaySlotRule::None | DelaySlotRule::Annulled => None,
            DelaySlotRule::Slot => Some(DelaySlotBranch {
                of,
                text: branch,
                is_taken: false,
            }),
            DelaySlotRule::UnlessNotTaken => Some(DelaySlotBranch {
                of,
                text: branch,
                is_taken: true,
            }),
        })
    }

    /// Returns the controlling step of a function's call.
    fn controlling_step_of_call(&self, call: &Call) -> Result<ControllingStep, QueryError> {
        let by_step = |step| ControllingStep::Step(step);
        Ok(match (call.entered, call.call_step) {
            (FrameEntry::Root, _) => ControllingStep::Nothing(SliceEndKind::Initial { line: None }),
            (FrameEntry::Call | FrameEntry::Tail, Some(step)) => by_step(step),
            (FrameEntry::Exception, Some(step)) if self.is_requested(call)? => by_step(step),
            (FrameEntry::Exception, _) => {
                ControllingStep::Nothing(SliceEndKind::Unknown(UnknownInput::NotOfInstruction))
            }
            (FrameEntry::Call | FrameEntry::Tail | FrameEntry::Switch | FrameEntry::Gap, _) => {
                ControllingStep::Nothing(SliceEndKind::Unknown(UnknownInput::DeciderNotFound))
            }
        })
    }

    /// Returns true if the step before an exception requested it from the system.
    pub fn is_requested(&self, call: &Call) -> Result<bool, QueryError> {
        let Some(step) = call.call_step else {
            return Ok(false);
        };
        let Some(text) = self.text_of(step)? else {
            return Ok(false);
        };
        let flow = text
            .encoding
            .map(|encoding| decode(encoding, text.pc, text.instruction_set).control.flow);
        Ok(flow == Some(FlowKind::Trap))
    }

    /// Returns the last step at an address before another step, in the frame itself, not in its
    /// callees.
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
        // Other visits are of calls inside it, or of other threads.
        loop {
            cancel.check()?;
            let visits = VisitReader(self.index).visits_between(pc, first..end, VISITS)?;
            let is_whole = visits.len() < VISITS;
            for visit in visits {
                if visit.after().0 >= end {
                    continue;
                }
                end = visit.after().0;
                match calls.innermost_at(thread, visit.before()) {
                    Some(inner) if inner == call && self.is_of(thread, visit)? => {
                        return Ok(Some(visit));
                    }
                    Some(inner) if inner == call => {}
                    // Nothing in there is of the frame itself: a recursion may have visited the
                    // branch once per level.
                    Some(inner) => {
                        end = end.min(
                            self.called_at(inner, call)
                                .map_or(end, |called| called.after().0 + 1),
                        )
                    }
                    None => {}
                }
            }
            if is_whole {
                return Ok(None);
            }
        }
    }

    /// Returns the step of a frame that called an inner one, or a frame around the inner one.
    fn called_at(&self, inner: CallId, outer: CallId) -> Option<Step> {
        let calls = self.index.calls();
        let depth = calls.get(outer)?.depth.checked_add(1)?;
        let child = calls
            .part_of_path(inner, depth..depth.checked_add(1)?)
            .first()
            .copied()?;
        calls
            .get(child)
            .filter(|child| child.parent == Some(outer))?
            .call_step
    }

    fn is_of(&self, thread: ThreadId, step: Step) -> Result<bool, QueryError> {
        let is_alone = self.index.threads().len() == 1;
        Ok(is_alone || SlotReader(self.index).thread_at(step.after())? == thread)
    }

    /// Returns the control dependences of a function. Instructions that the trace does not execute
    /// are decoded with the instruction set of the given step.
    pub fn deciders(
        &mut self,
        function: Address,
        set: InstructionSet,
        cancel: &Cancel,
    ) -> Result<Arc<ControlDependences>, QueryError> {
        if let Some(known) = self.functions.get(&function) {
            return Ok(known.clone());
        }
        let found =
            ControlDependences::find(function, INSTRUCTIONS, cancel, |pc| self.ways(pc, set))?;
        let found = Arc::new(found);
        self.remembered += found.len();
        if self.remembered > REMEMBERED {
            self.functions.clear();
            self.remembered = found.len();
        }
        self.functions.insert(function, found.clone());
        Ok(found)
    }

    /// Returns the successors of an instruction.
    fn ways(&self, pc: Address, set: InstructionSet) -> Result<FlowSuccessors, QueryError> {
        let Some(known) = self.known(pc, set)? else {
            return Ok(FlowSuccessors {
                to: Vec::new(),
                may_leave: true,
            });
        };
        let DecodedControl {
            instruction,
            control,
            length_bytes,
        } = known;
        // After a branch with a delay slot, control continues after the slot.
        let slot = if control.delay == DelaySlotRule::None {
            0
        } else {
            length_bytes
        };
        let after = Address(pc.0.wrapping_add(length_bytes + slot));
        let leaving = FlowSuccessors {
            to: Vec::new(),
            may_leave: true,
        };
        Ok(match (control.flow, control.target) {
            (FlowKind::Next | FlowKind::Trap | FlowKind::Call, _) => FlowSuccessors {
                to: vec![after],
                may_leave: false,
            },
            (FlowKind::Branch, BranchTarget::Address(target)) => {
                let is_decided =
                    instruction.decides() || control.delay == DelaySlotRule::UnlessNotTaken;
                let to = [Some(Address(target)), is_decided.then_some(after)];
                FlowSuccessors {
                    to: to.into_iter().flatten().collect(),
                    may_leave: false,
                }
            }
            (FlowKind::Branch, _) => self.observed_successors(pc, control.delay)?,
            // A conditional return may also fall through.
            (FlowKind::Return | FlowKind::ExceptionReturn, _) if instruction.is_conditional() => {
                FlowSuccessors {
                    to: vec![after],
                    may_leave: true,
                }
            }
            (FlowKind::Return | FlowKind::ExceptionReturn, _) => leaving,
        })
    }

    /// Returns the observed successors of an indirect branch.
    fn observed_successors(
        &self,
        pc: Address,
        delay: DelaySlotRule,
    ) -> Result<FlowSuccessors, QueryError> {
        let calls = self.index.calls();
        let end = self.index.step_count().saturating_add(1);
        let mut seen = FlowSuccessors::default();
        for visit in VisitReader(self.index).visits_between(pc, 0..end, WAYS_SEEN)? {
            let thread = SlotReader(self.index).thread_at(visit.after())?;
            let Some((next, text)) = self.branch_destination(thread, visit, delay)? else {
                continue;
            };
            let frames = [visit, next].map(|step| calls.innermost_at(thread, step.before()));
            let entered = frames[1]
                .and_then(|frame| calls.get(frame))
                .map(|call| call.entered);
            if frames[0] == frames[1] {
                if !seen.to.contains(&text.pc) {
                    seen.to.push(text.pc);
                }
            } else if entered != Some(FrameEntry::Exception) {
                // An interrupt right after it is none of its successors.
                seen.may_leave = true;
            }
        }
        seen.may_leave |= seen.to.is_empty();
        Ok(seen)
    }

    /// Returns the step at a branch's destination, skipping its delay slot.
    fn branch_destination(
        &self,
        thread: ThreadId,
        branch: Step,
        delay: DelaySlotRule,
    ) -> Result<Option<(Step, StepText)>, QueryError> {
        let Some(next) = SlotReader(self.index).next_step_of(thread, branch.after())? else {
            return Ok(None);
        };
        let Some(text) = self.text_of(next)? else {
            return Ok(None);
        };
        let is_slot = delay != DelaySlotRule::None
            && self
                .text_of(branch)?
                .is_some_and(|branch| branch.next_pc() == text.pc);
        if !is_slot {
            return Ok(Some((next, text)));
        }
        let Some(next) = SlotReader(self.index).next_step_of(thread, next.after())? else {
            return Ok(None);
        };
        Ok(self.text_of(next)?.map(|text| (next, text)))
    }

    /// Returns the instruction at an address: from a step that executed it, else from the images.
    fn known(
        &self,
        pc: Address,
        set: InstructionSet,
    ) -> Result<Option<DecodedControl>, QueryError> {
        let segments = 0..self.index.contents.segments.len();
        for number in key_maps::segments_with(self.index, SegmentKey::Pc(pc.0), segments)? {
            let Some((base, visits)) = VisitReader(self.index).visits_in(number, pc)? else {
                continue;
            };
            let slot = base + u64::from(visits.get(0).map_err(|_| damaged(Section::Pcs))?);
            let Some(text) = self.text_of(Step(slot.saturating_sub(1)))? else {
                continue;
            };
            let Some(encoding) = text.encoding else {
                continue;
            };
            return Ok(Some(known(encoding, pc, text.instruction_set)));
        }
        let in_program = self.index.program().instruction_at(pc, set);
        Ok(in_program.map(|encoding| known(encoding, pc, set)))
    }

    pub fn text_of(&self, step: Step) -> Result<Option<StepText>, QueryError> {
        Ok(SlotReader(self.index)
            .step_of(step.after().0)?
            .map(|(_, text)| text))
    }
}

fn known(encoding: Encoding, pc: Address, set: InstructionSet) -> DecodedControl {
    let instruction = decode(encoding, pc, set);
    let control = instruction.control;
    DecodedControl {
        instruction,
        control,
        length_bytes: encoding.bytes().len() as u64,
    }
}
