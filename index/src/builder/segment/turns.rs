//! What the search for calls needs of a segment of a trace whose records say what branches are:
//! the steps that call, return or jump to a computed address, where control went after them, and the markers that redirect it.

use stepback_machine::{AccessKind, Branch, InstructionSet, ReturnAddress};
use stepback_parsers::{
    DelaySlot, GapReason, Marker, MarkerEvent, MarkerKind, MemoryAccess, Recording, StepEvent, ThreadNumber,
};

/// A place where the control of a thread takes a turn.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The thread's number in the segment.
    pub thread: u16,
    /// That of the step. Of a marker: that of the thread's last step before it, 0 when that is in an earlier segment.
    pub slot: u32,
    /// What turns.
    pub what: TurnKind,
}

/// What turns.
#[derive(Clone, Copy, Debug)]
pub enum TurnKind {
    /// A thread's first step in the segment, and those after the other kinds.
    Arrival {
        /// Its address.
        pc: u64,
        /// How it decodes.
        instruction_set: InstructionSet,
        /// It is in the delay slot of the branch before, so where control arrives is still to follow.
        is_in_slot: bool,
    },
    /// A step that goes where its encoding alone does not say, or calls.
    Branch {
        /// What it does.
        kind: TurningBranch,
        /// The address behind it.
        next_pc: u64,
        /// Where the return address lies on the stack, where the call wrote it there or the return read it.
        stack: Option<u64>,
    },
    /// A marker that tells of the kernel, or of a stretch that is not recorded.
    Marker(Marker),
    /// What is recorded from here on.
    Recording {
        /// Instructions are left out.
        lacks_steps: bool,
    },
}

/// What a branch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TurningBranch {
    /// Calls.
    Call,
    /// Returns.
    Return,
    /// Jumps to where a register or memory says.
    Jump,
}

/// Collects the turns of a segment.
#[derive(Debug, Default)]
pub struct Turns {
    threads: Vec<TurningThread>,
    turns: Vec<Turn>,
}

/// A thread in a segment.
#[derive(Clone, Copy, Debug)]
struct TurningThread {
    /// The slot of its last step; 0 before its first.
    last_slot: u32,
    /// Its next step is an arrival.
    is_arriving: bool,
    /// The place of its last step's turn, while no access told where the return address lies.
    open_turn: Option<u32>,
}

const CARRIED: TurningThread = TurningThread { last_slot: 0, is_arriving: true, open_turn: None };

impl Turns {
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

    /// What was collected, and the slot of each thread's last step, 0 without one.
    pub fn take(&mut self) -> (Vec<Turn>, Vec<u32>) {
        (std::mem::take(&mut self.turns), self.threads.iter().map(|thread| thread.last_slot).collect())
    }

    /// Notes a step.
    #[inline(always)]
    pub fn begin_step(&mut self, slot: u32, step: &StepEvent<'_>) {
        let Some(thread) = self.threads.get_mut(usize::from(step.thread.0)) else { return };
        (thread.last_slot, thread.open_turn) = (slot, None);
        // Control arrives after the delay slot, which belongs to the function that the branch leaves.
        let is_in_slot = step.delay_slot != DelaySlot::None && step.instruction_set.slot_bytes() > 0;
        if thread.is_arriving {
            thread.is_arriving = is_in_slot;
            let what = TurnKind::Arrival { pc: step.pc.0, instruction_set: step.instruction_set, is_in_slot };
            self.turns.push(Turn { thread: step.thread.0, slot, what });
        }
        let kind = match step.branch {
            Branch::Call | Branch::IndirectCall => TurningBranch::Call,
            Branch::Return => TurningBranch::Return,
            Branch::IndirectJump => TurningBranch::Jump,
            _ => return,
        };
        thread.is_arriving = true;
        if kind != TurningBranch::Jump && step.instruction_set.abi().return_address == ReturnAddress::Stack {
            thread.open_turn = u32::try_from(self.turns.len()).ok();
        }
        let bytes = u64::from(step.length_bytes) + u64::from(step.instruction_set.slot_bytes());
        let next_pc = step.pc.0.wrapping_add(bytes);
        let what = TurnKind::Branch { kind, next_pc, stack: None };
        self.turns.push(Turn { thread: step.thread.0, slot, what });
    }

    /// Notes an access: a call that leaves its return address on the stack writes it, a return reads it, first of all.
    #[inline(always)]
    pub fn access(&mut self, access: &MemoryAccess) {
        let Some(thread) = self.threads.get_mut(usize::from(access.thread.0)) else { return };
        let Some(place) = thread.open_turn else { return };
        let Some(Turn { what: TurnKind::Branch { kind, stack, .. }, .. }) = self.turns.get_mut(place as usize) else {
            return;
        };
        let pushes = *kind == TurningBranch::Call;
        if pushes == (access.kind == AccessKind::Write) {
            *stack = Some(access.address.0);
            thread.open_turn = None;
        }
    }

    /// Notes what is recorded from here on.
    pub fn recording(&mut self, ThreadNumber(thread): ThreadNumber, recording: Recording) {
        let Some(TurningThread { last_slot: slot, .. }) = self.threads.get(usize::from(thread)).copied() else {
            return;
        };
        self.turns.push(Turn { thread, slot, what: TurnKind::Recording { lacks_steps: recording.lacks_steps } });
    }

    /// Notes a marker, if it tells of the kernel, or of a stretch that is not recorded.
    pub fn marker(&mut self, event: &MarkerEvent) {
        const KINDS: [MarkerKind; 12] = [
            MarkerKind::WINDOW,
            MarkerKind::FILTER_ENDPOINT,
            GapReason::Off.kind(),
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
        let MarkerEvent { thread: ThreadNumber(number), marker, .. } = *event;
        let Some(thread) = self.threads.get_mut(usize::from(number)).filter(|_| KINDS.contains(&marker.kind)) else {
            return;
        };
        thread.is_arriving = true;
        self.turns.push(Turn { thread: number, slot: thread.last_slot, what: TurnKind::Marker(marker) });
    }
}
