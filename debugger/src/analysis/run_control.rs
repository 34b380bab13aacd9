//! Stops of a program that a debugger lets run: the nearest breakpoint, watchpoint or end in either
//! direction, and single steps of a thread.
//!
//! Each breakpoint and each watched range costs one query of the index, however many steps lie in
//! between. At position n a thread is about to execute its next step from n on. A breakpoint stops
//! at the position before the step at its address. An access stops at the first position that shows
//! it, or backwards at the last one that does not yet: running on from there in the same direction
//! never finds the same stop again.

use std::collections::BTreeSet;

use stepback_index::answer::{
    Access, AccessKinds, AccessTarget, Cell, CellAccess, Direction, Hit, MemoryRange, ThreadId,
};
use stepback_index::query::{
    Accesses, MemoryOf, NearestAccess, NearestPossibleChange, NearestStepOf, NearestVisit,
};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::analysis::memory_change::MemoryChange;

/// Places where a program stops.
#[derive(Clone, Debug, Default)]
pub struct StopPoints {
    /// Addresses of instructions, without a Thumb bit.
    pub code: BTreeSet<Address>,
    /// Watched memory.
    pub data: Vec<WatchedRange>,
}

/// A range of memory and the kinds of access that stop the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedRange {
    pub range: MemoryRange,
    /// Thread whose memory contains the range.
    pub thread: ThreadId,
    pub kinds: AccessKinds,
    pub stores: StopAtStores,
}

/// Stores that stop the program, among those of a watched kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StopAtStores {
    #[default]
    All,
    /// Those after which the range differs from before, or that write to unknown bytes. In longer
    /// ranges than [`MemoryChange`] compares, all.
    Changes,
}

/// Place and reason of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    pub position: Position,
    /// Thread that stopped.
    pub thread: ThreadId,
    pub reason: StopReason,
}

/// All stops at the position that a run reaches first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stops {
    /// An access if there is one, as a debugger sees a breakpoint by the address.
    pub first: Stop,
    pub others: Vec<Stop>,
}

impl Stops {
    /// Returns the stop without others.
    fn only(first: Stop) -> Self {
        Self {
            first,
            others: Vec::new(),
        }
    }

    /// Adds a stop: it replaces those that come later in a direction, and is left out if it comes
    /// later than they do.
    fn add(known: Option<Self>, stop: Stop, direction: Direction) -> Self {
        let Some(mut known) = known else {
            return Self::only(stop);
        };
        let position = known.first.position;
        if is_beyond(position, stop.position, direction) {
            return Self::only(stop);
        }
        if position == stop.position {
            let other = match known.first.reason {
                StopReason::Breakpoint(_) => std::mem::replace(&mut known.first, stop),
                _ => stop,
            };
            known.others.push(other);
        }
        known
    }
}

/// Reason of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The next step of the thread is at a breakpoint.
    Breakpoint(Address),
    /// A step accessed a watched range.
    Access(AccessStop),
    /// The requested step was made.
    Step,
    /// The trace begins or ends here.
    Edge,
}

/// An access that stopped the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessStop {
    /// Step of the access.
    pub step: Step,
    /// First position that shows the access.
    pub shown_at: Position,
    pub watched: WatchedRange,
    /// First accessed byte of the watched range.
    pub address: Address,
}

impl AccessStop {
    /// Returns the nearest position at which the access has been passed in a direction.
    pub fn end(&self, direction: Direction) -> Position {
        match direction {
            Direction::Forward => self.shown_at,
            Direction::Back => Position(self.shown_at.0.saturating_sub(1)),
        }
    }
}

/// Threads that may stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunningThreads {
    All,
    /// Only this one; the others run, but nothing that they do stops the program.
    One(ThreadId),
}

/// A run to the next stop.
#[derive(Clone, Copy)]
struct Run {
    direction: Direction,
    /// Thread that may stop; `None` for all.
    thread: Option<ThreadId>,
    /// Position beyond which no stop matters.
    end: Option<Position>,
}

impl Run {
    fn new(direction: Direction, threads: RunningThreads, end: Option<Position>) -> Self {
        let thread = match threads {
            RunningThreads::All => None,
            RunningThreads::One(thread) => Some(thread),
        };
        Self {
            direction,
            thread,
            end,
        }
    }

    fn is_within(&self, position: Position) -> bool {
        self.end
            .is_none_or(|end| !is_beyond(position, end, self.direction))
    }
}

/// Returns true if a position comes after another one in a direction.
fn is_beyond(position: Position, other: Position, direction: Direction) -> bool {
    match direction {
        Direction::Forward => position > other,
        Direction::Back => position < other,
    }
}

/// Returns the one of two positions that comes later in a direction.
fn further(one: Position, other: Position, direction: Direction) -> Position {
    match is_beyond(other, one, direction) {
        true => other,
        false => one,
    }
}

/// A query for the next stop.
pub struct RunControl<'a> {
    pub index: &'a Index,
    pub points: &'a StopPoints,
    /// Access that was reported before the program passed it.
    pub reported: Option<AccessStop>,
    pub cancel: &'a Cancel,
}

impl RunControl<'_> {
    /// Runs until the nearest stop.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn run(
        &self,
        from: Position,
        direction: Direction,
        threads: RunningThreads,
    ) -> Result<Stops, QueryError> {
        match self.nearest(from, &Run::new(direction, threads, None))? {
            Some(stops) => Ok(stops),
            None => self.edge(direction, threads),
        }
    }

    /// Runs until the nearest stop up to a limit; none if nothing stops the program until there. The
    /// cost does not depend on the steps beyond the limit.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn run_to(
        &self,
        limit: Position,
        from: Position,
        direction: Direction,
        threads: RunningThreads,
    ) -> Result<Option<Stops>, QueryError> {
        let nearest = self.nearest(from, &Run::new(direction, threads, Some(limit)))?;
        Ok(nearest.filter(|stops| !is_beyond(stops.first.position, limit, direction)))
    }

    /// Lets a thread do its next or last step. The other threads run too, and may stop the program
    /// first.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn step(
        &self,
        thread: ThreadId,
        from: Position,
        direction: Direction,
        threads: RunningThreads,
    ) -> Result<Stops, QueryError> {
        let target = match direction {
            Direction::Back => self.step_of(NearestStepOf::last(thread, from))?,
            Direction::Forward => match self.step_of(NearestStepOf::next(thread, from))? {
                Some(step) => {
                    let after = Step(step.0.saturating_add(1));
                    let next = match threads {
                        RunningThreads::All => {
                            self.step_of(NearestStepOf::next(thread, step.after()))?
                        }
                        // Nothing else happens meanwhile.
                        RunningThreads::One(_) => None,
                    };
                    // After its last step a thread stays where the step left it.
                    Some(next.unwrap_or(after))
                }
                None => None,
            },
        };
        let Some(target) = target.map(Step::before) else {
            return self.run(from, direction, threads);
        };
        if let Some(stops) = self.run_to(target, from, direction, threads)? {
            return Ok(stops);
        }
        if direction == Direction::Forward && target == self.index.end() {
            return self.edge(direction, threads);
        }
        Ok(Stops::only(Stop {
            position: target,
            thread,
            reason: StopReason::Step,
        }))
    }

    /// Returns the start or the end of the trace.
    fn edge(&self, direction: Direction, threads: RunningThreads) -> Result<Stops, QueryError> {
        let position = match direction {
            Direction::Back => Position(0),
            Direction::Forward => self.index.end(),
        };
        Ok(Stops::only(Stop {
            position,
            thread: match threads {
                RunningThreads::All => SlotReader(self.index).thread_at(position)?,
                RunningThreads::One(thread) => thread,
            },
            reason: StopReason::Edge,
        }))
    }

    fn step_of(&self, question: NearestStepOf) -> Result<Option<Step>, QueryError> {
        question.run(self.index, self.cancel)
    }

    /// Returns the breakpoints and accesses at the nearest position that has any.
    fn nearest(&self, from: Position, run: &Run) -> Result<Option<Stops>, QueryError> {
        let mut nearest: Option<Stops> = None;
        for pc in &self.points.code {
            if let Some(stop) = self.visit(*pc, from, run)? {
                nearest = Some(Stops::add(nearest, stop, run.direction));
            }
        }
        let mut run = *run;
        let accesses_from = match self.reported {
            // The program passes it now.
            Some(access) => further(from, access.end(run.direction), run.direction),
            None => from,
        };
        for watched in &self.points.data {
            if let Some(Stops { first, .. }) = &nearest
                && run.is_within(first.position)
            {
                run.end = Some(first.position);
            }
            if let Some(stop) = self.access(watched, accesses_from, &run)? {
                nearest = Some(Stops::add(nearest, stop, run.direction));
            }
        }
        Ok(nearest)
    }

    fn visit(&self, pc: Address, from: Position, run: &Run) -> Result<Option<Stop>, QueryError> {
        let Run {
            direction, thread, ..
        } = *run;
        // The step at the position itself has been reported, or is what the program runs away from.
        let at = match direction {
            Direction::Forward => Position(from.0.saturating_add(1)),
            Direction::Back => from,
        };
        if at > self.index.end() {
            return Ok(None);
        }
        let question = NearestVisit {
            pc,
            thread,
            at,
            direction,
        };
        let hit = question.run(self.index, self.cancel)?;
        Ok(hit.map(|hit| Stop {
            position: hit.record.step.before(),
            thread: hit.record.thread,
            reason: StopReason::Breakpoint(pc),
        }))
    }

    fn access(
        &self,
        watched: &WatchedRange,
        mut from: Position,
        run: &Run,
    ) -> Result<Option<Stop>, QueryError> {
        loop {
            self.cancel.check()?;
            let Some(stop) = self.next_access(watched, from, run)? else {
                return Ok(None);
            };
            if !run.is_within(stop.position) {
                return Ok(None);
            }
            let is_passed = match stop.reason {
                StopReason::Access(access) if watched.stores == StopAtStores::Changes => {
                    self.is_silent(watched, access.shown_at)?
                }
                _ => false,
            };
            if !is_passed {
                return Ok(Some(stop));
            }
            from = stop.position;
            if watched.kinds == AccessKinds::Writes {
                match self.change(watched, from, run)? {
                    Some(change) => from = change,
                    None => return Ok(None),
                }
            }
        }
    }

    /// Returns the position from which the next store of a run is the nearest one that changes a
    /// range.
    fn change(
        &self,
        watched: &WatchedRange,
        from: Position,
        run: &Run,
    ) -> Result<Option<Position>, QueryError> {
        let mut nearest = NearestPossibleChange {
            range: watched.range,
            at: from,
            direction: run.direction,
        };
        while let Some(shown_at) = nearest.run(self.index, self.cancel)? {
            self.cancel.check()?;
            let before = Position(shown_at.0.saturating_sub(1));
            let (start, end) = match run.direction {
                Direction::Back => (shown_at, before),
                Direction::Forward => (before, shown_at),
            };
            if !run.is_within(end) {
                return Ok(None);
            }
            if !self.is_silent(watched, shown_at)? {
                return Ok(Some(start));
            }
            nearest.at = end;
        }
        Ok(None)
    }

    /// Returns true if the bytes of a range are those from before the step that shows at a position.
    fn is_silent(&self, watched: &WatchedRange, shown_at: Position) -> Result<bool, QueryError> {
        let WatchedRange { range, thread, .. } = *watched;
        let change = MemoryChange::read(self.index, range, shown_at, thread, self.cancel)?;
        Ok(change.is_some_and(|change| change.changed.is_none()))
    }

    fn next_access(
        &self,
        watched: &WatchedRange,
        from: Position,
        run: &Run,
    ) -> Result<Option<Stop>, QueryError> {
        let Run {
            direction, thread, ..
        } = *run;
        let MemoryRange { address, len_bytes } = watched.range;
        let question = Accesses {
            nearest: NearestAccess {
                cell: Cell::Memory { address, len_bytes },
                kinds: watched.kinds,
                at: from,
                direction,
            },
            thread,
            skip: 0,
            limit: 1,
        };
        let found = MemoryOf {
            thread: Some(watched.thread),
            question,
        }
        .run(self.index, self.cancel)?;
        let hit = found
            .and_then(|found| found.accesses.into_iter().next())
            .and_then(CellAccess::into_hit);
        Ok(hit.map(|hit| stop_of_access(*watched, &hit, direction)))
    }
}

fn stop_of_access(watched: WatchedRange, hit: &Hit, direction: Direction) -> Stop {
    let first = hit.access.as_ref().and_then(first_byte);
    let access = AccessStop {
        step: hit.record.step,
        shown_at: hit.position,
        watched,
        address: first.map_or(watched.range.address, |first| {
            first.max(watched.range.address)
        }),
    };
    Stop {
        position: access.end(direction),
        thread: hit.record.thread,
        reason: StopReason::Access(access),
    }
}

fn first_byte(access: &Access) -> Option<Address> {
    match access.target {
        AccessTarget::Memory { address, .. } => Some(address),
        AccessTarget::Register(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_index::build::{BuildOptions, index_in_memory};
    use stepback_parsers::Tarmac;

    use super::*;

    /// Two CPUs: the first runs a loop of two instructions, of which the first stores to 0x9000;
    /// the second stores to 0x9004 once and loads 0x9000.
    const TRACE: &str = "\
1 clk cpu0 IT (1) 00001000 e5801000 A usr : STR r1,[r0]
1 clk cpu0 MW4 00009000 00000001
2 clk cpu1 IT (1) 00002000 e5801004 A usr : STR r1,[r0,#4]
2 clk cpu1 MW4 00009004 00000007
3 clk cpu0 IT (2) 00001004 eafffffd A usr : B 0x1000
4 clk cpu0 IT (3) 00001000 e5801000 A usr : STR r1,[r0]
4 clk cpu0 MW4 00009000 00000002
5 clk cpu1 IT (2) 00002004 e5901000 A usr : LDR r1,[r0]
5 clk cpu1 MR4 00009000 00000002
6 clk cpu0 IT (4) 00001004 eafffffd A usr : B 0x1000
";

    const CPU0: ThreadId = ThreadId(0);
    const CPU1: ThreadId = ThreadId(1);

    fn points(code: &[u64], data: &[(u64, u64, AccessKinds)]) -> StopPoints {
        StopPoints {
            code: code.iter().copied().map(Address).collect(),
            data: data
                .iter()
                .map(|(address, len_bytes, kinds)| WatchedRange {
                    range: MemoryRange {
                        address: Address(*address),
                        len_bytes: *len_bytes,
                    },
                    thread: CPU0,
                    kinds: *kinds,
                    stores: StopAtStores::All,
                })
                .collect(),
        }
    }

    fn index() -> Index {
        index_of(TRACE)
    }

    fn index_of(trace: &str) -> Index {
        index_in_segments(trace, BuildOptions::default().segment_bytes)
    }

    fn index_in_segments(trace: &str, segment_bytes: u64) -> Index {
        let text = Box::new(trace.as_bytes().to_vec());
        let tarmac = Tarmac::open(text, Default::default()).unwrap();
        let options = BuildOptions {
            segment_bytes,
            ..BuildOptions::default()
        };
        index_in_memory(Arc::new(tarmac), &options).unwrap()
    }

    fn text(stop: Stop) -> String {
        let reason = match stop.reason {
            StopReason::Breakpoint(pc) => format!("break {:x}", pc.0),
            StopReason::Access(access) => {
                format!("access {:x} of step {}", access.address.0, access.step.0)
            }
            StopReason::Step => "step".to_owned(),
            StopReason::Edge => "edge".to_owned(),
        };
        format!("{} cpu{} {reason}", stop.position.0, stop.thread.0)
    }

    /// Runs on until the edge and compares the stops.
    #[track_caller]
    fn check(points: &StopPoints, direction: Direction, expected: &[&str]) {
        let (index, cancel) = (index(), Cancel::default());
        let control = RunControl {
            index: &index,
            points,
            reported: None,
            cancel: &cancel,
        };
        let mut at = match direction {
            Direction::Forward => Position(0),
            Direction::Back => index.end(),
        };
        let mut stops = Vec::new();
        loop {
            let stop = control
                .run(at, direction, RunningThreads::All)
                .unwrap()
                .first;
            at = stop.position;
            stops.push(text(stop));
            if stop.reason == StopReason::Edge {
                break;
            }
        }
        assert_eq!(stops, expected);
    }

    /// Runs from one end to the other, and returns the positions of the stops.
    fn stops(index: &Index, points: &StopPoints, direction: Direction) -> Vec<u64> {
        let control = RunControl {
            index,
            points,
            reported: None,
            cancel: &Cancel::default(),
        };
        let mut at = match direction {
            Direction::Forward => Position(0),
            Direction::Back => index.end(),
        };
        let next = || {
            let stop = control
                .run(at, direction, RunningThreads::All)
                .unwrap()
                .first;
            at = stop.position;
            (stop.reason != StopReason::Edge).then_some(stop.position.0)
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn stores_that_change_nothing_can_be_passed_over() {
        // Steps 0 to 3 store 1, 1, 2 and 2; step 4 stores half of the watched bytes.
        let store = |(step, (address, value)): (usize, &(&str, &str))| {
            let pc = 0x1000 + 4 * step;
            let time = step + 1;
            format!(
                "{time} clk cpu0 IT ({time}) {pc:08x} e5801000 A usr : STR r1,[r0]\n\
                 {time} clk cpu0 {address} {value}\n"
            )
        };
        let stores = [
            ("MW4 00009000", "00000001"),
            ("MW4 00009000", "00000001"),
            ("MW4 00009000", "00000002"),
            ("MW4 00009000", "00000002"),
            ("MW2 00009002", "0000"),
            ("MW2 00009000", "0003"),
        ];
        let index = index_of(&stores.iter().enumerate().map(store).collect::<String>());
        let mut points = points(&[], &[(0x9000, 4, AccessKinds::Writes)]);
        points.data[0].stores = StopAtStores::Changes;
        // Nothing is known of the bytes before the first store.
        assert_eq!(stops(&index, &points, Direction::Forward), [1, 3, 6]);
        assert_eq!(stops(&index, &points, Direction::Back), [5, 2, 0]);
    }

    #[test]
    fn unknown_bytes_next_to_a_store_do_not_make_it_a_change() {
        let store = |time: u64, text: &str| {
            format!(
                "{time} clk cpu0 IT ({time}) 00001000 e5801000 A usr : STR r1,[r0]\n{time} clk cpu0 {text}\n"
            )
        };
        // The second store is that of the first; the third one writes to other unknown bytes.
        let stores = ["MW2 00009002 0001", "MW2 00009002 0001", "MW1 00009004 00"];
        let text: String = (1..)
            .zip(stores)
            .map(|(time, text)| store(time, text))
            .collect();
        let index = index_of(&text);
        let mut points = points(&[], &[(0x9000, 8, AccessKinds::Writes)]);
        points.data[0].stores = StopAtStores::Changes;
        assert_eq!(stops(&index, &points, Direction::Forward), [1, 3]);
        assert_eq!(stops(&index, &points, Direction::Back), [2, 0]);
    }

    /// Compares the stops at changes with those of a memory of 8 bytes into which each access of a
    /// random trace is copied. Nearly all accesses repeat the values that are there.
    #[test]
    fn equal_accesses_hide_no_change() {
        let mut state = 1u64;
        let mut random = |limit: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % limit
        };
        let mut memory: [Option<u8>; 8] = [None; 8];
        let (mut text, mut changes) = (String::new(), Vec::new());
        for step in 0..4000u64 {
            let (time, cpu) = (step + 1, random(2));
            text +=
                &format!("{time} clk cpu{cpu} IT ({time}) 00001000 e5801000 A usr : STR r1,[r0]\n");
            let size = [0, 1, 2, 4][random(4) as usize];
            if size == 0 {
                continue;
            }
            // Also next to the watched bytes.
            let start = random(12 / size) as usize * size as usize;
            let is_read = random(4) == 0;
            let mut bytes: Vec<u8> = (start..start + size as usize)
                .map(|place| memory.get(place).copied().flatten().unwrap_or(7))
                .collect();
            if random(100) == 0 {
                bytes[0] = bytes[0].wrapping_add(1);
            }
            let digits: String = bytes
                .iter()
                .rev()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let kind = if is_read { 'R' } else { 'W' };
            text += &format!(
                "{time} clk cpu{cpu} M{kind}{size} {:08x} {digits}\n",
                0x9000 + start
            );
            let mut is_change = false;
            for (place, byte) in (start..).zip(bytes) {
                if let Some(known) = memory.get_mut(place) {
                    is_change |= *known != Some(byte);
                    *known = Some(byte);
                }
            }
            // A read of another value shows a change by something else, which is no stop.
            if is_change && !is_read {
                changes.push(time);
            }
        }
        assert!(changes.len() > 10);
        let mut points = points(&[], &[(0x9000, 8, AccessKinds::Writes)]);
        points.data[0].stores = StopAtStores::Changes;
        let before: Vec<u64> = changes.iter().rev().map(|position| position - 1).collect();
        for segment_bytes in [500, 1 << 20] {
            let index = index_in_segments(&text, segment_bytes);
            assert_eq!(stops(&index, &points, Direction::Forward), changes);
            assert_eq!(stops(&index, &points, Direction::Back), before);
        }
    }

    #[test]
    fn a_breakpoint_stops_before_its_step_in_both_directions() {
        let branch = points(&[0x1004], &[]);
        let stops = ["2 cpu0 break 1004", "5 cpu0 break 1004", "6 cpu0 edge"];
        check(&branch, Direction::Forward, &stops);
        let stops = ["5 cpu0 break 1004", "2 cpu0 break 1004", "0 cpu0 edge"];
        check(&branch, Direction::Back, &stops);
    }

    #[test]
    fn the_step_at_the_position_itself_is_passed() {
        let store = points(&[0x1000], &[]);
        check(
            &store,
            Direction::Forward,
            &["3 cpu0 break 1000", "6 cpu0 edge"],
        );
        check(
            &store,
            Direction::Back,
            &["3 cpu0 break 1000", "0 cpu0 break 1000", "0 cpu0 edge"],
        );
    }

    #[test]
    fn a_watched_range_stops_after_the_store_and_backwards_before_it() {
        let cell = points(&[], &[(0x9000, 8, AccessKinds::Writes)]);
        check(
            &cell,
            Direction::Forward,
            &[
                "1 cpu0 access 9000 of step 0",
                "2 cpu1 access 9004 of step 1",
                "4 cpu0 access 9000 of step 3",
                "6 cpu0 edge",
            ],
        );
        check(
            &cell,
            Direction::Back,
            &[
                "3 cpu0 access 9000 of step 3",
                "1 cpu1 access 9004 of step 1",
                "0 cpu0 access 9000 of step 0",
                "0 cpu0 edge",
            ],
        );
    }

    #[test]
    fn reads_stop_only_where_they_are_watched() {
        let reads = points(&[], &[(0x9002, 1, AccessKinds::Reads)]);
        check(
            &reads,
            Direction::Forward,
            &["5 cpu1 access 9002 of step 4", "6 cpu0 edge"],
        );
    }

    #[test]
    fn the_nearest_of_all_stops() {
        let all = points(&[0x2004, 0x1004], &[(0x9004, 4, AccessKinds::All)]);
        check(
            &all,
            Direction::Forward,
            &[
                "2 cpu1 access 9004 of step 1",
                "4 cpu1 break 2004",
                "5 cpu0 break 1004",
                "6 cpu0 edge",
            ],
        );
    }

    #[test]
    fn all_stops_at_one_position_belong_together() {
        let (index, cancel) = (index(), Cancel::default());
        let halves = [(0x9000, 2), (0x9002, 2), (0x9004, 4)];
        let halves = halves.map(|(address, len_bytes)| (address, len_bytes, AccessKinds::All));
        let control = RunControl {
            index: &index,
            points: &points(&[0x1000, 0x2004], &halves),
            reported: None,
            cancel: &cancel,
        };
        let stops = |from, direction| {
            let all = RunningThreads::All;
            let Stops { first, others } = control.run(Position(from), direction, all).unwrap();
            let texts: Vec<String> = [first].into_iter().chain(others).map(text).collect();
            texts
        };
        let expected = [
            "4 cpu0 access 9000 of step 3",
            "4 cpu1 break 2004",
            "4 cpu0 access 9002 of step 3",
        ];
        assert_eq!(stops(3, Direction::Forward), expected);
        let expected = [
            "3 cpu0 access 9000 of step 3",
            "3 cpu0 break 1000",
            "3 cpu0 access 9002 of step 3",
        ];
        assert_eq!(stops(4, Direction::Back), expected);
    }

    #[test]
    fn a_run_with_a_limit_stops_only_up_to_it() {
        let (index, cancel) = (index(), Cancel::default());
        let points = points(&[0x1004], &[(0x9004, 4, AccessKinds::Writes)]);
        let control = RunControl {
            index: &index,
            points: &points,
            reported: None,
            cancel: &cancel,
        };
        let check = |limit, from, direction, expected: Option<&str>| {
            let stop = control.run_to(
                Position(limit),
                Position(from),
                direction,
                RunningThreads::All,
            );
            let stop = stop.unwrap().map(|stops| stops.first);
            assert_eq!(stop.map(text).as_deref(), expected, "{limit}");
        };
        let access = Some("2 cpu1 access 9004 of step 1");
        check(1, 0, Direction::Forward, None);
        check(2, 0, Direction::Forward, access);
        check(6, 0, Direction::Forward, access);
        check(4, 2, Direction::Forward, None);
        check(5, 2, Direction::Forward, Some("5 cpu0 break 1004"));
        // The end is no stop.
        check(6, 5, Direction::Forward, None);
        check(3, 5, Direction::Back, None);
        check(2, 5, Direction::Back, Some("2 cpu0 break 1004"));
        check(0, 1, Direction::Back, None);
    }

    #[track_caller]
    fn check_step(
        points: &StopPoints,
        thread: ThreadId,
        from: u64,
        direction: Direction,
        expected: &str,
    ) {
        let (index, cancel) = (index(), Cancel::default());
        let control = RunControl {
            index: &index,
            points,
            reported: None,
            cancel: &cancel,
        };
        let stop = control
            .step(thread, Position(from), direction, RunningThreads::All)
            .unwrap();
        assert_eq!(
            text(stop.first),
            expected,
            "{direction:?} from {from} of {thread:?}"
        );
    }

    #[test]
    fn a_step_leads_to_the_next_step_of_the_same_thread() {
        let none = StopPoints::default();
        let (back, forward) = (Direction::Back, Direction::Forward);
        check_step(&none, CPU0, 0, forward, "2 cpu0 step");
        check_step(&none, CPU0, 3, forward, "5 cpu0 step");
        check_step(&none, CPU1, 0, forward, "4 cpu1 step");
        check_step(&none, CPU1, 4, back, "1 cpu1 step");
        check_step(&none, CPU0, 2, back, "0 cpu0 step");
        check_step(&none, CPU1, 1, back, "0 cpu0 edge");
        check_step(&none, CPU1, 4, forward, "5 cpu1 step");
        check_step(&none, CPU0, 5, forward, "6 cpu0 edge");
    }

    #[test]
    fn a_thread_that_runs_alone_stops_at_the_ends_of_the_trace() {
        let (index, cancel) = (index(), Cancel::default());
        let control = RunControl {
            index: &index,
            points: &StopPoints::default(),
            reported: None,
            cancel: &cancel,
        };
        let alone = RunningThreads::One(CPU1);
        let run = |direction| text(control.run(Position(3), direction, alone).unwrap().first);
        assert_eq!(run(Direction::Back), "0 cpu1 edge");
        assert_eq!(run(Direction::Forward), "6 cpu1 edge");
    }

    #[test]
    fn a_thread_that_steps_alone_stops_right_after_its_step() {
        let (index, cancel) = (index(), Cancel::default());
        let control = RunControl {
            index: &index,
            points: &StopPoints::default(),
            reported: None,
            cancel: &cancel,
        };
        let step = |from: u64, direction| {
            let alone = RunningThreads::One(CPU0);
            text(
                control
                    .step(CPU0, Position(from), direction, alone)
                    .unwrap()
                    .first,
            )
        };
        // Steps 1 and 4 are of the other thread.
        assert_eq!(step(0, Direction::Forward), "1 cpu0 step");
        assert_eq!(step(1, Direction::Forward), "3 cpu0 step");
        assert_eq!(step(4, Direction::Back), "3 cpu0 step");
    }

    #[test]
    fn another_thread_may_stop_the_program_during_a_step() {
        let of_other = points(&[0x2000], &[]);
        check_step(&of_other, CPU0, 0, Direction::Forward, "1 cpu1 break 2000");
        let watched = points(&[], &[(0x9000, 4, AccessKinds::Writes)]);
        check_step(
            &watched,
            CPU0,
            0,
            Direction::Forward,
            "1 cpu0 access 9000 of step 0",
        );
    }

    // A client that steps by breakpoints sets one at the instruction after the reported access.
    #[test]
    fn a_reported_access_is_passed_but_no_breakpoint_at_its_end() {
        let (index, cancel) = (index(), Cancel::default());
        let run = |code: &[u64], from: u64, direction: Direction, reported: Option<AccessStop>| {
            let control = RunControl {
                index: &index,
                points: &points(code, &[(0x9000, 4, AccessKinds::All)]),
                reported,
                cancel: &cancel,
            };
            control
                .run(Position(from), direction, RunningThreads::All)
                .unwrap()
                .first
        };
        let access = |stop: Stop| match stop.reason {
            StopReason::Access(access) => Some(access),
            _ => None,
        };
        let store = run(&[], 3, Direction::Forward, None);
        assert_eq!(text(store), "4 cpu0 access 9000 of step 3");
        let next = run(&[0x2004], 3, Direction::Forward, access(store));
        assert_eq!(text(next), "4 cpu1 break 2004");
        let later = run(&[], 3, Direction::Forward, access(store));
        assert_eq!(text(later), "5 cpu1 access 9000 of step 4");
        let store = run(&[], 4, Direction::Back, None);
        assert_eq!(text(store), "3 cpu0 access 9000 of step 3");
        let own = run(&[0x1000], 4, Direction::Back, access(store));
        assert_eq!(text(own), "3 cpu0 break 1000");
    }
}
