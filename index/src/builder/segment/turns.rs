//! Input of the call search from a segment of a trace whose records classify branches: the steps
//! that call, return or jump to a computed address, the steps at their destinations, and the
//! markers that redirect control.

use stepback_machine::convention::ReturnAddress;
use stepback_machine::flow::{FlowKind, RecordedBranch};
use stepback_machine::{AccessKind, CodeSite, InstructionSet};
use stepback_parsers::{
    DelaySlot, GapReason, Marker, MarkerEvent, MarkerKind, MemoryAccess, RecordingScope, StepEvent,
    ThreadNumber,
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
    /// Any other jump after the stack pointer rose, as some logs do not show where addresses come
    /// from.
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
    /// Slot of its last step; 0 before its first.
    last_slot: u32,
    /// True if its next step is an arrival.
    is_arriving: bool,
    /// Place of its last step's turn, until an access shows the stack address of the return
    /// address.
    open_turn: Option<u32>,
    /// Last step, when that is a call, or in the slot of one.
    last_call: Option<LastCall>,
    /// Stack pointer at the last arrival after a turn.
    sp: TrackedRegister,
    /// True if the stack pointer may have risen above it.
    has_risen: bool,
}

/// A call that no step follows.
#[derive(Clone, Copy, Debug)]
struct LastCall {
    /// Place of its turn.
    turn: u32,
    site: CodeSite,
    instruction_set: InstructionSet,
}

const CARRIED: TurningThread = TurningThread {
    last_slot: 0,
    is_arriving: true,
    open_turn: None,
    last_call: None,
    sp: TrackedRegister::Carry,
    has_risen: true,
};

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

    /// Returns the turns, and the slot of each thread's last step, 0 without one.
    pub fn take(&mut self) -> (Vec<ControlTurn>, Vec<u32>) {
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
            self.threads.iter().map(|thread| thread.last_slot).collect(),
        )
    }

    /// Records a write of the stack pointer.
    #[inline(always)]
    pub fn stack_write(&mut self, thread: ThreadNumber, value: TrackedRegister) {
        if let Some(thread) = self.threads.get_mut(usize::from(thread.0)) {
            thread.has_risen |= !matches!(
                (thread.sp, value),
                (TrackedRegister::Known(before), TrackedRegister::Known(value)) if value <= before
            );
        }
    }

    /// Records text about an exception.
    pub fn exception_text(&mut self, number: u16) {
        let Some(thread) = self.threads.get(usize::from(number)) else {
            return;
        };
        self.turns.push(ControlTurn {
            thread: number,
            slot: thread.last_slot,
            what: TurnKind::ExceptionText,
        });
    }

    /// Records a step, which begins with this stack pointer.
    #[inline(always)]
    pub fn begin_step(&mut self, slot: u32, step: &StepEvent<'_>, sp: TrackedRegister) {
        let Some(thread) = self.threads.get_mut(usize::from(step.thread.0)) else {
            return;
        };
        let is_first = thread.last_slot == 0;
        (thread.last_slot, thread.open_turn) = (slot, None);
        // Control arrives after the delay slot, which belongs to the function that the branch
        // leaves.
        let is_in_slot =
            step.delay_slot != DelaySlot::None && step.instruction_set.slot_bytes() > 0;
        thread.last_call = thread.last_call.filter(|_| is_in_slot);
        if thread.is_arriving {
            thread.is_arriving = is_in_slot;
            // Only the sequential pass knows whether the first step of a segment follows a turn.
            if !is_first {
                (thread.sp, thread.has_risen) = (sp, false);
            }
            let what = TurnKind::Arrival {
                pc: step.pc.0,
                instruction_set: step.instruction_set,
                sp,
                is_in_slot,
            };
            self.turns.push(ControlTurn {
                thread: step.thread.0,
                slot,
                what,
            });
        }
        let kind = match step.branch {
            RecordedBranch::Call | RecordedBranch::IndirectCall => TurningBranch::Call,
            RecordedBranch::Return => TurningBranch::Return,
            RecordedBranch::IndirectJump => TurningBranch::Jump,
            RecordedBranch::Jump if thread.has_risen => TurningBranch::OtherJump,
            _ => return,
        };
        thread.is_arriving = true;
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
        let Some(TurningThread {
            last_slot: slot, ..
        }) = self.threads.get(usize::from(thread)).copied()
        else {
            return;
        };
        self.turns.push(ControlTurn {
            thread,
            slot,
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
        thread.is_arriving = true;
        self.turns.push(ControlTurn {
            thread: number,
            slot: thread.last_slot,
            what: TurnKind::Marker(marker),
        });
    }
}
