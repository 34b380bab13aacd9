//! Finds the calls of all threads, segment by segment.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::builder::calls::recorded::RecordedThread;
use crate::builder::calls::spool::CollectedCalls;
use crate::builder::calls::thread_finder::{ThreadFinder, step_of};
use crate::builder::segment::sealed::SegmentCalls;
use crate::builder::segment::turns::ControlTurn;

/// Maximum number of unfinished frames of all threads, and again in traces whose records classify
/// branches: about 64 MiB, and as much again for each resume point and each partial index. Stacks
/// of 8 MiB hold that many frames of 32 bytes each. The number of remembered return points has the
/// same limit, since a jump to one may be a longjmp: about 64 MiB too.
const PENDING: usize = 1 << 18;

/// Warning for a trace with deeper calls.
pub const FRAMES_LEFT_OUT: &str = "more than 262144 calls at once that did not return: the outermost are shown as calls that never returned";

/// Warning for a trace whose calls return to more places.
pub const POINTS_FORGOTTEN: &str = "calls returned to more than 262144 places: a longjmp to one that was not returned to for long may not be found";

/// Finds the calls of all threads, segment by segment.
#[derive(Clone, Debug, Default)]
pub struct CallFinder {
    threads: Vec<ThreadFinder>,
    /// Threads whose records classify branches; by the same numbers.
    recorded: Vec<RecordedThread>,
    found: CollectedCalls,
    /// Number of unfinished frames of `threads`.
    pending: WaitingCounts,
    /// Number of unfinished frames of `recorded`.
    recorded_pending: WaitingCounts,
    /// Number of return points of `threads`.
    points: WaitingCounts,
    /// Number of return points of `recorded`.
    recorded_points: WaitingCounts,
}

/// Count and limit of unfinished frames, or of remembered return points.
#[derive(Clone, Copy, Debug)]
struct WaitingCounts {
    count: usize,
    limit: usize,
    has_dropped: bool,
}

impl Default for WaitingCounts {
    fn default() -> Self {
        Self {
            count: 0,
            limit: PENDING,
            has_dropped: false,
        }
    }
}

impl WaitingCounts {
    /// Replaces the count of one thread; returns true when the total exceeds the limit.
    fn change(&mut self, before: usize, after: usize) -> bool {
        self.count = (self.count + after).saturating_sub(before);
        self.count > self.limit
    }

    /// Returns the share of each thread when there are too many, given the count of each. Threads
    /// with none do not count, because the time when they first appear depends on where segments
    /// begin.
    fn share(&self, waiting: impl Iterator<Item = usize>) -> usize {
        self.limit / 2 / waiting.filter(|count| *count > 0).count().max(1)
    }

    /// Sets the count after some were dropped.
    fn drop_to(&mut self, count: usize) {
        (self.count, self.has_dropped) = (count, true);
    }
}

/// State of the threads at the end of the segments taken, without the frames already found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FinderState {
    threads: Vec<ThreadFinder>,
    recorded: Vec<RecordedThread>,
}

impl FinderState {
    /// Returns true if the state can be resumed: a file may hold anything.
    pub fn is_consistent(&self) -> bool {
        self.threads.iter().all(ThreadFinder::is_consistent)
            && self.recorded.iter().all(RecordedThread::is_consistent)
    }
}

impl CallFinder {
    /// Takes the next segment, and the index's number of each of its threads.
    pub fn follow(&mut self, step_base: u64, threads: &[u16], segment: &SegmentCalls) {
        let SegmentCalls {
            transfers,
            thread_ends: ends,
            ..
        } = segment;
        self.follow_turns(step_base, threads, segment);
        for (number, end) in threads.iter().zip(ends) {
            self.thread(*number).0.begin_segment(end);
        }
        for transfer in &transfers.list {
            let registers = transfers.registers.get(transfer.registers as usize);
            if let Some(number) = threads.get(usize::from(transfer.thread))
                && let Some(registers) = registers
            {
                let (thread, found) = self.thread(*number);
                if thread.pass_plainly(step_base, transfer, registers) {
                    continue;
                }
                let before = thread.kept();
                thread.transfer(step_base, transfer, registers, found);
                let after = thread.kept();
                if self.pending.change(before.frames, after.frames) {
                    self.drop_outermost();
                }
                if self.points.change(before.points, after.points) {
                    self.forget_points();
                }
            }
        }
        for (number, end) in threads.iter().zip(ends) {
            self.thread(*number).0.end_segment(step_base, end);
        }
    }

    fn follow_turns(&mut self, step_base: u64, threads: &[u16], segment: &SegmentCalls) {
        let step = |slot: u32| (slot > 0).then(|| step_of(step_base, slot));
        for turn in &segment.turns {
            if let Some(number) = threads.get(usize::from(turn.thread)) {
                self.turn(*number, step(turn.slot), turn);
            }
        }
        for (number, end) in threads.iter().zip(&segment.turn_ends) {
            recorded_thread(&mut self.recorded, *number).end_segment(step(end.last_slot), end);
        }
    }

    fn turn(&mut self, number: u16, step: Option<u64>, turn: &ControlTurn) {
        let thread = recorded_thread(&mut self.recorded, number);
        let before = thread.kept();
        thread.turn(step, turn, &mut self.found);
        let after = thread.kept();
        if self.recorded_pending.change(before.frames, after.frames) {
            self.drop_outermost_recorded();
        }
        if self.recorded_points.change(before.points, after.points) {
            self.forget_recorded_points();
        }
    }

    /// Returns true if frames were dropped, as [`FRAMES_LEFT_OUT`] reports.
    pub fn has_dropped(&self) -> bool {
        self.pending.has_dropped || self.recorded_pending.has_dropped
    }

    /// Returns true if return points were forgotten, as [`POINTS_FORGOTTEN`] reports.
    pub fn has_forgotten(&self) -> bool {
        self.points.has_dropped || self.recorded_points.has_dropped
    }

    /// Keeps the most recent return points: half of the limit, shared by all threads.
    fn forget_points(&mut self) {
        let share = self
            .points
            .share(self.threads.iter().map(|thread| thread.kept().points));
        self.threads
            .iter_mut()
            .for_each(|thread| thread.keep_newest_points(share));
        self.points
            .drop_to(self.threads.iter().map(|thread| thread.kept().points).sum());
    }

    fn forget_recorded_points(&mut self) {
        let share = self
            .recorded_points
            .share(self.recorded.iter().map(|thread| thread.kept().points));
        self.recorded
            .iter_mut()
            .for_each(|thread| thread.keep_newest_points(share));
        self.recorded_points.drop_to(
            self.recorded
                .iter()
                .map(|thread| thread.kept().points)
                .sum(),
        );
    }

    /// Keeps the innermost frames: half of the limit, shared by all threads, so that this is seldom
    /// done.
    fn drop_outermost(&mut self) {
        let share = self
            .pending
            .share(self.threads.iter().map(|thread| thread.kept().frames));
        self.threads
            .iter_mut()
            .for_each(|thread| thread.keep_innermost(share, &mut self.found));
        self.pending
            .drop_to(self.threads.iter().map(|thread| thread.kept().frames).sum());
    }

    fn drop_outermost_recorded(&mut self) {
        let share = self
            .recorded_pending
            .share(self.recorded.iter().map(|thread| thread.kept().frames));
        self.recorded
            .iter_mut()
            .for_each(|thread| thread.keep_innermost(share, &mut self.found));
        self.recorded_pending.drop_to(
            self.recorded
                .iter()
                .map(|thread| thread.kept().frames)
                .sum(),
        );
        self.recorded_points.count = self
            .recorded
            .iter()
            .map(|thread| thread.kept().points)
            .sum();
    }

    /// Returns a thread's `r0` at the end of the segments taken; none if unknown.
    pub fn first_register(&self, number: u16) -> Option<u64> {
        self.threads.get(usize::from(number))?.first_register()
    }

    fn thread(&mut self, number: u16) -> (&mut ThreadFinder, &mut CollectedCalls) {
        while self.threads.len() <= usize::from(number) {
            self.threads
                .push(ThreadFinder::new(self.threads.len() as u16));
        }
        (&mut self.threads[usize::from(number)], &mut self.found)
    }

    /// Creates a finder that resumes where another stopped.
    pub fn resume(state: FinderState, found: CollectedCalls) -> Self {
        let FinderState { threads, recorded } = state;
        let waiting = |count| WaitingCounts {
            count,
            ..WaitingCounts::default()
        };
        let points = waiting(threads.iter().map(|thread| thread.kept().points).sum());
        let recorded_points = waiting(recorded.iter().map(|thread| thread.kept().points).sum());
        let pending = waiting(threads.iter().map(|thread| thread.kept().frames).sum());
        let recorded_pending = waiting(recorded.iter().map(|thread| thread.kept().frames).sum());
        Self {
            threads,
            recorded,
            found,
            pending,
            recorded_pending,
            points,
            recorded_points,
        }
    }

    /// Returns the state needed to resume from here, without the frames already found.
    pub fn state(&self) -> FinderState {
        FinderState {
            threads: self.threads.clone(),
            recorded: self.recorded.clone(),
        }
    }

    /// Moves frames that wait for the end of the trace into a file in this folder from here on.
    pub fn use_folder(&mut self, folder: &Path) {
        self.found.frames.use_folder(folder);
    }

    /// Starts recording newly found frames separately.
    pub fn mark(&mut self) {
        self.found.mark();
    }

    /// Returns the frames of the whole trace, and the stack switches of threads.
    pub fn finish(mut self) -> CollectedCalls {
        for thread in &mut self.threads {
            thread.end_trace(&mut self.found);
        }
        for thread in &mut self.recorded {
            thread.end_trace(&mut self.found);
        }
        self.found
    }
}

fn recorded_thread(threads: &mut Vec<RecordedThread>, number: u16) -> &mut RecordedThread {
    while threads.len() <= usize::from(number) {
        threads.push(RecordedThread::new(threads.len() as u16));
    }
    &mut threads[usize::from(number)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::build_index::index_in_memory;
    use crate::builder::calls::pending::PendingFrame;
    use crate::builder::calls::recorded_frames::RecordedFrame;
    use crate::builder::segment::turns::{BranchSite, TurnKind, TurningBranch};
    use std::fmt::Write as _;
    use std::sync::Arc;

    use stepback_machine::InstructionSet;
    use stepback_parsers::{Source, Tarmac};

    use crate::answers::call::{CallId, FrameEntry};
    use crate::builder::build_index::BuildOptions;

    /// An A64 step: address, encoding (0 where it does not matter) and the registers that it
    /// writes.
    type Written<'a> = (u64, u32, &'a [(&'a str, u64)]);

    const RET: u32 = 0xd65f_03c0;

    fn trace(steps: &[Written<'_>]) -> String {
        let mut text = String::new();
        for ((pc, opcode, registers), time) in steps.iter().zip(1..) {
            writeln!(
                text,
                "{time} clk IT ({time}) {pc:016x} {opcode:08x} O EL3h_s : NOP"
            )
            .unwrap();
            for (name, value) in *registers {
                writeln!(text, "{time} clk R {name} {value:016x}").unwrap();
            }
        }
        text
    }

    /// Checks the frames except the root, as `function call..entry..exit left`, for several segment
    /// sizes.
    #[track_caller]
    fn check(steps: &[Written<'_>], expected: &[&str]) {
        let text = trace(steps);
        for segment_bytes in [1, 100, 1 << 20] {
            let tarmac = Arc::new(
                Tarmac::open(Box::new(text.clone().into_bytes()), Default::default()).unwrap(),
            );
            let index = index_in_memory(
                tarmac,
                &BuildOptions {
                    segment_bytes,
                    threads: 1,
                },
            )
            .unwrap();
            let frames = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
            let frames = frames
                .filter(|frame| frame.entered == FrameEntry::Call)
                .map(|frame| {
                    let number = |step: Option<stepback_parsers::Step>| {
                        step.map_or("-".into(), |step| step.0.to_string())
                    };
                    let (call, entry, exit) = (
                        number(frame.call_step),
                        number(frame.entry_step),
                        number(frame.exit_step),
                    );
                    format!(
                        "{:x} {call}..{entry}..{exit} {:?}",
                        frame.function.0, frame.left
                    )
                });
            assert_eq!(
                frames.collect::<Vec<_>>(),
                expected,
                "segments of {segment_bytes} bytes"
            );
        }
    }

    fn branch(kind: TurningBranch, next_pc: u64) -> TurnKind {
        let site = BranchSite {
            pc: next_pc.wrapping_sub(4),
            slot_pc: None,
            next_pc,
        };
        TurnKind::Branch {
            kind,
            site,
            stack: None,
            target: None,
        }
    }

    #[test]
    fn a_million_calls_that_never_return_stay_inside_the_budget() {
        const CALLS: u32 = 1_000_000;
        let mut finder = CallFinder::default();
        let turn = |slot, what| ControlTurn {
            thread: 0,
            slot,
            what,
        };
        let call = branch(TurningBranch::Call, 0x2004);
        let arrival = TurnKind::Arrival {
            pc: 0x2000,
            instruction_set: InstructionSet::A64,
            sp: Default::default(),
            sp_writes: Default::default(),
            is_in_slot: false,
        };
        for slot in 0..=CALLS {
            for what in [arrival, call] {
                finder.turn(0, Some(u64::from(slot)), &turn(slot, what));
            }
            assert!(finder.recorded_pending.count <= PENDING);
            assert_eq!(
                finder.recorded_pending.count,
                finder.recorded[0].kept().frames
            );
        }
        assert!(finder.has_dropped());
        let found = finder.finish().frames.sorted(Vec::new()).count();
        assert_eq!(found, CALLS as usize + 1, "all of them are told");
    }

    fn call_and_return(finder: &mut CallFinder, slot: u32, caller: u64) {
        let turn = |slot, what| ControlTurn {
            thread: 0,
            slot,
            what,
        };
        let arrival = |pc| TurnKind::Arrival {
            pc,
            instruction_set: InstructionSet::A64,
            sp: Default::default(),
            sp_writes: Default::default(),
            is_in_slot: false,
        };
        let call = branch(TurningBranch::Call, caller + 4);
        let turns = [
            (0, arrival(caller)),
            (0, call),
            (1, arrival(0x2000)),
            (1, branch(TurningBranch::Return, 0x2004)),
            (2, arrival(caller + 4)),
        ];
        turns.into_iter().for_each(|(later, what)| {
            finder.turn(0, Some(u64::from(slot + later)), &turn(slot, what))
        });
    }

    #[test]
    fn a_million_places_that_calls_return_to_stay_inside_the_budget() {
        let mut finder = CallFinder::default();
        for number in 0..1_000_000 {
            call_and_return(&mut finder, 4 * number, 0x10_0000 + 8 * u64::from(number));
            assert!(finder.recorded_points.count <= PENDING);
            assert_eq!(
                finder.recorded_points.count,
                finder.recorded[0].kept().points
            );
        }
        assert!(finder.has_forgotten() && !finder.has_dropped());
    }

    #[test]
    fn places_whose_caller_is_over_are_forgotten_without_a_word() {
        let mut finder = CallFinder::default();
        let turn = |slot, what| ControlTurn {
            thread: 0,
            slot,
            what,
        };
        let arrival = |pc| TurnKind::Arrival {
            pc,
            instruction_set: InstructionSet::A64,
            sp: Default::default(),
            sp_writes: Default::default(),
            is_in_slot: false,
        };
        // Each function calls another from its own place, and returns.
        for number in 0..300_000u32 {
            let (slot, own) = (8 * number, 0x10_0000 + 16 * u64::from(number));
            let what = [
                (0, arrival(0x1000)),
                (0, branch(TurningBranch::Call, 0x1004)),
            ];
            what.into_iter().for_each(|(later, what)| {
                finder.turn(0, Some(u64::from(slot + later)), &turn(slot, what))
            });
            call_and_return(&mut finder, slot + 1, own);
            let back = [
                (4, branch(TurningBranch::Return, own + 8)),
                (5, arrival(0x1004)),
            ];
            back.into_iter().for_each(|(later, what)| {
                finder.turn(0, Some(u64::from(slot + later)), &turn(slot, what))
            });
            assert!(finder.recorded_points.count <= 2048, "{number}");
        }
        assert!(!finder.has_forgotten());
    }

    #[test]
    fn the_heuristic_forgets_places_too() {
        use crate::builder::calls::pending::ReturnKey;
        use crate::builder::calls::pending_frames::{PendingFrames, ReturnedCall};
        let mut frames = PendingFrames::default();
        for number in 0..100 {
            frames.note_return(
                ReturnKey {
                    sp: None,
                    target: number,
                },
                ReturnedCall {
                    pending: 0,
                    step: number,
                },
            );
        }
        frames.keep_newest_points(30);
        assert_eq!(frames.return_points(), 30);
        frames.keep_newest_points(0);
        assert_eq!(frames.return_points(), 0);
    }

    #[test]
    fn the_frames_that_wait_take_what_is_reported() {
        let largest = size_of::<PendingFrame>().max(size_of::<RecordedFrame>());
        // With the counts of the return addresses, at most seven eighths of which are in use.
        let counted = 2 * (size_of::<(usize, u64, Option<u64>)>() + size_of::<u32>() + 1);
        assert!(
            PENDING * (largest + counted) <= 64 << 20,
            "{largest} and {counted} bytes"
        );
    }

    #[test]
    fn a_recursion_deeper_than_the_limit_says_so_and_keeps_its_innermost_calls() {
        let mut text = String::new();
        let depth = PENDING as u64 + 10;
        for level in 0..depth {
            writeln!(
                text,
                "{level} clk IT ({level}) {:016x} 00000000 O EL3h_s : NOP",
                0x2000
            )
            .unwrap();
            writeln!(
                text,
                "{level} clk R SP_EL3 {:016x}",
                0x8000_0000 - 16 * level
            )
            .unwrap();
            writeln!(text, "{level} clk R X30 0000000000002004").unwrap();
        }
        for time in depth..depth + 1000 {
            writeln!(
                text,
                "{time} clk IT ({time}) {:016x} {RET:08x} O EL3h_s : RET",
                0x2004
            )
            .unwrap();
            let sp = 0x8000_0000 - 16 * (2 * depth - time - 2);
            writeln!(text, "{time} clk R SP_EL3 {sp:016x}").unwrap();
        }
        text.push_str("not a line of a trace\n");
        let tarmac: Arc<dyn Source> =
            Arc::new(Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap());
        let build = |threads| {
            let options = BuildOptions {
                segment_bytes: 4 << 20,
                threads,
            };
            index_in_memory(Arc::clone(&tarmac), &options).unwrap()
        };
        let index = build(4);
        let warnings = format!("{:?}", index.warnings());
        assert_eq!(warnings, format!("{:?}", build(1).warnings()));
        assert!(
            index
                .warnings()
                .iter()
                .any(|warning| warning.kind.to_string() == FRAMES_LEFT_OUT)
        );
        assert_eq!(index.calls().len(), depth, "all calls and the root");
        let returned = (0..depth).filter_map(|id| index.calls().get(CallId(id)));
        let returned = returned
            .filter(|call| call.left == crate::answers::call::FrameExit::Return)
            .count();
        assert!((990..=1000).contains(&returned), "{returned}");
    }

    #[test]
    fn a_call_that_returns_is_found() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[]),
                (0x2004, RET, &[]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..3 Return"],
        );
    }

    #[test]
    fn a_jump_without_a_fresh_link_register_is_no_call() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x2000, 0, &[]),
                (0x1004, 0, &[]),
            ],
            &[],
        );
        // The link register points too far from the step that jumped.
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000), ("X30", 0x1044)]),
                (0x2000, 0, &[]),
                (0x1044, 0, &[]),
            ],
            &[],
        );
    }

    #[test]
    fn a_link_register_written_seven_steps_ago_makes_a_call_and_eight_do_not() {
        for (between, expected) in [(6, &["2000 6..7..8 Return"][..]), (7, &[])] {
            let mut steps: Vec<Written<'_>> =
                vec![(0x1000, 0, &[("SP_EL3", 0x8000), ("X30", 0x1020)])];
            steps.extend((1..=between).map(|number| (0x1000 + 4 * number, 0, &[][..])));
            steps.extend([(0x2000, 0, &[][..]), (0x2004, RET, &[]), (0x1020, 0, &[])]);
            check(&steps, expected);
        }
    }

    #[test]
    fn a_call_made_while_the_stack_pointer_is_unknown_returns_by_its_address_alone() {
        check(
            &[
                (0x1000, 0, &[("X30", 0x1004)]),
                (0x2000, 0, &[("SP_EL3", 0x8000)]),
                (0x2004, RET, &[]),
                (0x1004, 0, &[]),
            ],
            &["2000 0..1..2 Return"],
        );
    }

    #[test]
    fn a_long_jump_to_the_caller_leaves_the_call_made_with_its_stack_pointer_too() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[("SP_EL3", 0x7fe0)]),
                (0x2004, 0, &[("X30", 0x2008)]),
                (0x3000, 0, &[("SP_EL3", 0x8000)]),
                (0x1100, 0, &[("X30", 0x1104)]),
                (0x3000, 0, &[]),
            ],
            &[
                "2000 1..2..4 Longjmp",
                "3000 3..4..4 Longjmp",
                "3000 5..6..- Open",
            ],
        );
    }

    #[test]
    fn a_jump_to_where_a_call_returned_before_leaves_what_was_called_since() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, RET, &[]),
                (0x1008, 0, &[("X30", 0x100c)]),
                (0x3000, 0, &[]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..2 Return", "3000 3..4..4 Longjmp"],
        );
    }

    #[test]
    fn a_call_that_a_jump_seemed_to_leave_may_return_after_all() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[("SP_EL3", 0x7fe0)]),
                (0x2004, 0, &[("X30", 0x2008)]),
                (0x3000, 0, &[("SP_EL3", 0x8000)]),
                (0x2100, RET, &[]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..5 Return", "3000 3..4..4 Longjmp"],
        );
    }

    #[test]
    fn a_call_that_returns_after_a_jump_shows_that_the_jump_did_not_leave_its_callers() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, RET, &[]),
                (0x1008, 0, &[("X30", 0x100c)]),
                (0x3000, 0, &[("X30", 0x3004)]),
                (0x4000, 0, &[]),
                (0x1008, RET, &[]),
                (0x3004, 0, &[]),
            ],
            &[
                "2000 1..2..2 Return",
                "3000 3..4..- Open",
                "4000 4..5..6 Return",
            ],
        );
    }

    #[test]
    fn a_call_inside_one_that_returned_was_skipped() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[("SP_EL3", 0x7fe0)]),
                (0x2004, 0, &[("X30", 0x2008)]),
                (0x3000, 0, &[("SP_EL3", 0x8000)]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..4 Return", "3000 3..4..4 Skipped"],
        );
    }

    #[test]
    fn a_call_repeated_from_the_same_place_ends_the_one_that_never_returned() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..3 Longjmp", "2000 3..4..4 Return"],
        );
    }

    #[test]
    fn a_return_that_is_the_last_step_is_decoded() {
        let steps: [Written<'_>; 4] = [
            (0x1000, 0, &[("SP_EL3", 0x8000)]),
            (0x1004, 0, &[("X30", 0x1008)]),
            (0x2000, 0, &[]),
            (0x2004, RET, &[]),
        ];
        check(&steps, &["2000 1..2..3 Return"]);
        check(&steps[..3], &["2000 1..2..- Open"]);
    }

    #[test]
    fn a_call_that_is_the_last_step_is_decoded() {
        let bl = 0x9400_0400;
        check(
            &[(0x1000, 0, &[]), (0x1004, bl, &[("X30", 0x1008)])],
            &["2004 1..-..- Open"],
        );
        // It did not write the link register, so the call was not executed.
        check(&[(0x1000, 0, &[]), (0x1004, bl, &[])], &[]);
    }

    #[test]
    fn recursion_returns_level_by_level() {
        let depth = 300;
        let stacks: Vec<_> = (0..=depth)
            .map(|level| [("SP_EL3", 0x8000 - 16 * level)])
            .collect();
        let mut steps: Vec<Written<'_>> = vec![(0x1000, 0, &stacks[0])];
        for stack in &stacks[1..] {
            // Each level begins with a jump to the address after its call, as in loops that test
            // first.
            steps.extend([
                (0x1ffc, 0, &[("X30", 0x2000)][..]),
                (0x1f00, 0, stack),
                (0x2000, 0, &[]),
            ]);
        }
        for stack in stacks.iter().rev().skip(1) {
            steps.extend([(0x2004, RET, &stack[..]), (0x2000, 0, &[])]);
        }
        let exit = |level: u64| 3 * depth + 1 + 2 * (depth - level);
        let expected: Vec<_> = (1..=depth)
            .map(|level| {
                format!(
                    "1f00 {}..{}..{} Return",
                    3 * level - 2,
                    3 * level - 1,
                    exit(level)
                )
            })
            .collect();
        check(
            &steps,
            &expected.iter().map(String::as_str).collect::<Vec<_>>(),
        );
    }
}
