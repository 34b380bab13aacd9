//! Input of the call search from a segment of a trace whose records classify branches: the steps
//! that call, return or jump to a computed address, the steps at their destinations, and the
//! markers that redirect control.

use stepback_machine::convention::ReturnAddress;
use stepback_machine::flow::{FlowKind, RecordedBranch};
use stepback_machine::{AccessKind, CodeSite, InstructionSet};
use stepback_parsers::{
    DelaySlot, Gap, GapReason, Marker, MarkerEvent, MarkerKind, MemoryAccess, RecordingScope,
    StepEvent, ThreadNumber,
};

use crate::builder::segment::transfers::TrackedRegister;

/// A place where the control flow of a thread changes.
#[derive(Clone, Copy, Debug)]
pub struct ControlTurn {
    /// Number of the thread in the segment.
    pub thread: u16,
    /// Slot of the step. For a marker: slot of the thread's last step before it, 0 when that is in
    /// an earlier segment.
    pub slot: u32,
    /// Kind of the change.
    pub what: TurnKind,
}

/// Whether the stack pointer was written since the last arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpWrites {
    /// Not in this segment, which shows no turn either: the state at the segment's start.
    #[default]
    Carry,
    /// Not written.
    Absent,
    /// Written.
    Present,
}

impl SpWrites {
    /// Returns whether there were writes, if the segment shows it.
    pub fn is_present(self) -> Option<bool> {
        match self {
            Self::Carry => None,
            Self::Absent => Some(false),
            Self::Present => Some(true),
        }
    }
}

/// State of a thread at the end of a segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnEnd {
    /// Slot of its last step, 0 without one.
    pub last_slot: u32,
    /// Stack pointer.
    pub sp: TrackedRegister,
    /// Writes of the stack pointer since the last arrival.
    pub sp_writes: SpWrites,
}

/// Kind of a control turn.
#[derive(Clone, Copy, Debug)]
pub enum TurnKind {
    /// A thread's first step in the segment, and each step after a turn of another kind.
    Arrival {
        /// Address.
        pc: u64,
        /// Instruction set.
        instruction_set: InstructionSet,
        /// Stack pointer when the step began.
        sp: TrackedRegister,
        /// Writes of the stack pointer since the last arrival.
        sp_writes: SpWrites,
        /// True in the delay slot of the branch before: the step at the destination still follows.
        is_in_slot: bool,
    },
    /// A step that calls, or that goes where its encoding does not determine.
    Branch {
        /// Kind of the branch.
        kind: TurningBranch,
        /// Addresses of the branch.
        site: BranchSite,
        /// Stack address at which the call wrote the return address or the return read it.
        stack: Option<u64>,
        /// Target of a call from its encoding, when the segment shows no step after it.
        target: Option<u64>,
    },
    /// A marker about the kernel, or about a stretch that is not recorded.
    Marker(Marker),
    /// Text about an exception: what the stack pointer was before says nothing about what follows.
    ExceptionText,
    /// Contents of the recording from here on.
    Recording {
        /// True if instructions are left out.
        lacks_steps: bool,
    },
}

/// Addresses of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BranchSite {
    /// The branch.
    pub pc: u64,
    /// Delay slot, on machines that have them.
    pub slot_pc: Option<u64>,
    /// Next instruction, to which a call returns.
    pub next_pc: u64,
}

impl BranchSite {
    fn of(step: &StepEvent<'_>) -> Self {
        let (pc, slot_bytes) = (step.pc.0, u64::from(step.instruction_set.slot_bytes()));
        let after = pc.wrapping_add(u64::from(step.length_bytes));
        Self {
            pc,
            slot_pc: Some(after).filter(|_| slot_bytes > 0),
            next_pc: after.wrapping_add(slot_bytes),
        }
    }
}

/// Kind of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TurningBranch {
    /// Call.
    Call,
    /// Return.
    Return,
    /// Jump to an address from a register or memory.
    Jump,
    /// Any other jump, if the stack pointer was written since the last arrival, as some logs do not
    /// show where addresses come from. A segment may report one without writes.
    OtherJump,
}

/// Collects the control turns of a segment.
#[derive(Debug, Default)]
pub struct ControlTurns {
    threads: Vec<TurningThread>,
    turns: Vec<ControlTurn>,
}

/// A thread in a segment.
#[derive(Clone, Copy, Debug)]
struct TurningThread {
    /// State after its last step.
    end: TurnEnd,
    /// True if its next step is an arrival.
    is_arriving: bool,
    /// True if the segment shows the turn before its last arrival.
    has_turned: bool,
    /// Place of its last step's turn, until an access shows the stack address of the return
    /// address.
    open_turn: Option<u32>,
    /// Last step, when that is a call, or in the slot of one.
    last_call: Option<LastCall>,
    /// Jump that may be an [`TurningBranch::OtherJump`]: its own step may write the stack pointer.
    last_jump: Option<LastJump>,
}

/// A call that no step follows.
#[derive(Clone, Copy, Debug)]
struct LastCall {
    /// Place of its turn.
    turn: u32,
    site: CodeSite,
    instruction_set: InstructionSet,
}

/// A jump that no step at its destination follows.
#[derive(Clone, Copy, Debug)]
struct LastJump {
    slot: u32,
    site: BranchSite,
    /// Turn of the step in its delay slot.
    in_slot: Option<ControlTurn>,
}

/// Returns true for a step in a delay slot, which belongs to the function that the branch leaves:
/// control arrives after it.
#[inline(always)]
fn is_in_slot(step: &StepEvent<'_>) -> bool {
    step.delay_slot != DelaySlot::None && step.instruction_set.slot_bytes() > 0
}

const CARRIED: TurningThread = TurningThread {
    end: TurnEnd {
        last_slot: 0,
        sp: TrackedRegister::Carry,
        sp_writes: SpWrites::Carry,
    },
    is_arriving: true,
    has_turned: false,
    open_turn: None,
    last_call: None,
    last_jump: None,
};

impl TurningThread {
    /// Records a step that may be the destination of a turn, or in the delay slot of one.
    fn arrive(&mut self, slot: u32, step: &StepEvent<'_>, turns: &mut Vec<ControlTurn>) {
        let is_in_slot = is_in_slot(step);
        let arrival = ControlTurn {
            thread: step.thread.0,
            slot,
            what: TurnKind::Arrival {
                pc: step.pc.0,
                instruction_set: step.instruction_set,
                sp: self.end.sp,
                sp_writes: self.end.sp_writes,
                is_in_slot,
            },
        };
        match &mut self.last_jump {
            Some(jump) if is_in_slot => jump.in_slot = Some(arrival),
            Some(_) if self.end.sp_writes != SpWrites::Absent => {
                self.flush_jump(step.thread.0, turns);
            }
            _ => self.last_jump = None,
        }
        if !self.is_arriving {
            return;
        }
        self.is_arriving = is_in_slot;
        turns.push(arrival);
        if !is_in_slot {
            // Only the sequential pass knows whether the first step of a segment follows a turn.
            self.end.sp_writes = match self.has_turned {
                true => SpWrites::Absent,
                false => SpWrites::Carry,
            };
        }
    }

    /// Adds the last jump to the turns, if there is one that no turn records.
    fn flush_jump(&mut self, number: u16, turns: &mut Vec<ControlTurn>) {
        if let Some(jump) = self.last_jump.take() {
            (self.is_arriving, self.has_turned) = (true, true);
            let what = TurnKind::Branch {
                kind: TurningBranch::OtherJump,
                site: jump.site,
                stack: None,
                target: None,
            };
            turns.push(ControlTurn {
                thread: number,
                slot: jump.slot,
                what,
            });
            turns.extend(jump.in_slot);
        }
    }
}

impl ControlTurns {
    /// Begins a task.
    pub fn begin_task(&mut self) {
        self.threads.clear();
    }

    /// Begins a segment.
    pub fn clear(&mut self) {
        self.turns.clear();
        self.threads.fill(CARRIED);
    }

    /// Adds the next thread.
    pub fn add_thread(&mut self) {
        self.threads.push(CARRIED);
    }

    /// Returns the turns, and the state of each thread at the end.
    pub fn take(&mut self) -> (Vec<ControlTurn>, Vec<TurnEnd>) {
        // A later segment may show what the step of the jump writes.
        for (number, thread) in (0..).zip(&mut self.threads) {
            thread.flush_jump(number, &mut self.turns);
        }
        for call in self.threads.iter().filter_map(|thread| thread.last_call) {
            let control = call.instruction_set.control(&call.site);
            let to = control
                .target
                .address()
                .filter(|_| control.flow == FlowKind::Call);
            if let Some(ControlTurn {
                what: TurnKind::Branch { target, .. },
                ..
            }) = self.turns.get_mut(call.turn as usize)
            {
                *target = to.map(|to| call.instruction_set.code_address(to));
            }
        }
        (
            std::mem::take(&mut self.turns),
            self.threads.iter().map(|thread| thread.end).collect(),
        )
    }

    /// Records a write of the stack pointer.
    #[inline(always)]
    pub fn stack_write(&mut self, thread: ThreadNumber, value: TrackedRegister) {
        if let Some(thread) = self.threads.get_mut(usize::from(thread.0)) {
            (thread.end.sp, thread.end.sp_writes) = (value, SpWrites::Present);
        }
    }

    /// Records text about an exception.
    pub fn exception_text(&mut self, number: u16) {
        let Some(thread) = self.threads.get(usize::from(number)) else {
            return;
        };
        self.turns.push(ControlTurn {
            thread: number,
            slot: thread.end.last_slot,
            what: TurnKind::ExceptionText,
        });
    }

    /// Records a step.
    #[inline(always)]
    pub fn begin_step(&mut self, slot: u32, step: &StepEvent<'_>) {
        let number = step.thread.0;
        let Some(thread) = self.threads.get_mut(usize::from(number)) else {
            return;
        };
        (thread.end.last_slot, thread.open_turn) = (slot, None);
        // Copying an unchanged value takes a tenth of the time of a step.
        if thread.last_call.is_some() && !is_in_slot(step) {
            thread.last_call = None;
        }
        if thread.is_arriving || thread.last_jump.is_some() {
            thread.arrive(slot, step, &mut self.turns);
        }
        let kind = match step.branch {
            RecordedBranch::Call | RecordedBranch::IndirectCall => TurningBranch::Call,
            RecordedBranch::Return => TurningBranch::Return,
            RecordedBranch::IndirectJump => TurningBranch::Jump,
            RecordedBranch::Jump => {
                thread.last_jump = Some(LastJump {
                    slot,
                    site: BranchSite::of(step),
                    in_slot: None,
                });
                return;
            }
            _ => return,
        };
        (thread.is_arriving, thread.has_turned) = (true, true);
        let place = u32::try_from(self.turns.len()).ok();
        let site = step.encoding().map(|encoding| CodeSite {
            pc: step.pc,
            encoding,
        });
        let is_call = kind == TurningBranch::Call;
        thread.last_call = place
            .zip(site)
            .filter(|_| is_call)
            .map(|(turn, site)| LastCall {
                turn,
                site,
                instruction_set: step.instruction_set,
            });
        if matches!(kind, TurningBranch::Call | TurningBranch::Return)
            && step.instruction_set.abi().return_address == ReturnAddress::Stack
        {
            thread.open_turn = place;
        }
        let what = TurnKind::Branch {
            kind,
            site: BranchSite::of(step),
            stack: None,
            target: None,
        };
        self.turns.push(ControlTurn {
            thread: step.thread.0,
            slot,
            what,
        });
    }

    /// Records an access. The first write of a call that pushes its return address, or the first
    /// read of a return, gives its stack address.
    #[inline(always)]
    pub fn access(&mut self, access: &MemoryAccess) {
        let Some(thread) = self.threads.get_mut(usize::from(access.thread.0)) else {
            return;
        };
        let Some(place) = thread.open_turn else {
            return;
        };
        let Some(ControlTurn {
            what: TurnKind::Branch { kind, stack, .. },
            ..
        }) = self.turns.get_mut(place as usize)
        else {
            return;
        };
        let pushes = *kind == TurningBranch::Call;
        if pushes == (access.kind == AccessKind::Write) {
            *stack = Some(access.address.0);
            thread.open_turn = None;
        }
    }

    /// Records the contents of the recording from here on.
    pub fn recording(&mut self, ThreadNumber(thread): ThreadNumber, recording: RecordingScope) {
        let Some(state) = self.threads.get_mut(usize::from(thread)) else {
            return;
        };
        state.flush_jump(thread, &mut self.turns);
        self.turns.push(ControlTurn {
            thread,
            slot: state.end.last_slot,
            what: TurnKind::Recording {
                lacks_steps: recording.lacks_steps,
            },
        });
    }

    /// Records a marker, if it is about the kernel, or about a stretch that is not recorded.
    pub fn marker(&mut self, event: &MarkerEvent) {
        const KINDS: [MarkerKind; 13] = [
            MarkerKind::WINDOW,
            MarkerKind::FILTER_ENDPOINT,
            GapReason::Off.kind(),
            GapReason::Lost.kind(),
            MarkerKind::KERNEL_EVENT,
            MarkerKind::KERNEL_TRANSFER,
            MarkerKind::RSEQ_ABORT,
            MarkerKind::SYSTEM_CALL_START,
            MarkerKind::SYSTEM_CALL_END,
            MarkerKind::CONTEXT_SWITCH_START,
            MarkerKind::CONTEXT_SWITCH_END,
            MarkerKind::HARDWARE_EVENT,
            MarkerKind::HARDWARE_RETURN,
        ];
        let MarkerEvent {
            thread: ThreadNumber(number),
            marker,
            ..
        } = *event;
        let Some(thread) = self
            .threads
            .get_mut(usize::from(number))
            .filter(|_| KINDS.contains(&marker.kind))
        else {
            return;
        };
        thread.flush_jump(number, &mut self.turns);
        (thread.is_arriving, thread.has_turned) = (true, true);
        if let Some(GapReason::Off | GapReason::Lost) = Gap::of(marker).map(|gap| gap.reason) {
            thread.end.sp = TrackedRegister::Unknown;
        }
        self.turns.push(ControlTurn {
            thread: number,
            slot: thread.end.last_slot,
            what: TurnKind::Marker(marker),
        });
    }
}
