//! Interleaves streams that were written in parallel.
//!
//! Only the times that some tracers record relate the records of several processors; otherwise
//! their order is "not defined" (section 5a of the specification). Without times, the processors
//! take turns of equally many instructions, which is closest to a machine with processors that run
//! at the same time. A turn ends directly before an instruction or a time, so that the records of
//! an instruction stay together.

use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};
use crate::rst::records::CpuTime;

/// Number of instructions in a turn.
pub const TURN: u64 = 1000;

/// Order of the streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnRule {
    /// By the times that all streams record.
    Times,
    /// By equal numbers of instructions.
    Instructions,
}

/// Progress of each stream, and the current turn.
#[derive(Debug)]
pub struct TurnScheduler {
    rule: TurnRule,
    clocks: Vec<StreamClock>,
    current: Option<StreamTurn>,
}

#[derive(Clone, Copy, Debug, Default)]
struct StreamClock {
    /// True after the records before the first instruction.
    has_begun: bool,
    is_over: bool,
    instructions: u64,
    time: u64,
}

#[derive(Clone, Copy, Debug)]
struct StreamTurn {
    place: usize,
    /// Exclusive end of the turn: a number of instructions, or a time with the number of the stream
    /// that is next.
    limit: (u64, usize),
}

impl TurnScheduler {
    /// Creates the state for `count` streams.
    pub fn new(rule: TurnRule, count: usize) -> Self {
        Self {
            rule,
            clocks: vec![StreamClock::default(); count],
            current: None,
        }
    }

    /// Returns the stream that is next, or none if all have ended.
    pub fn current(&mut self) -> Option<usize> {
        if self.current.is_none() {
            self.current = self.next();
        }
        self.current.map(|turn| turn.place)
    }

    /// Marks the current stream as ended.
    pub fn end_current(&mut self) {
        if let Some(clock) = self
            .current
            .take()
            .and_then(|turn| self.clocks.get_mut(turn.place))
        {
            clock.is_over = true;
        }
    }

    fn next(&self) -> Option<StreamTurn> {
        let open = || {
            self.clocks
                .iter()
                .enumerate()
                .filter(|(_, clock)| !clock.is_over)
        };
        if let Some((place, _)) = open().find(|(_, clock)| !clock.has_begun) {
            return Some(StreamTurn {
                place,
                limit: (0, place),
            });
        }
        let (place, clock) = open().min_by_key(|(place, clock)| (self.reading(clock), *place))?;
        let others = open().filter(|(other, _)| *other != place);
        let next = others
            .map(|(place, clock)| (self.reading(clock), place))
            .min();
        let limit = match self.rule {
            TurnRule::Times => next.unwrap_or((u64::MAX, usize::MAX)),
            TurnRule::Instructions => (clock.instructions.saturating_add(TURN), place),
        };
        Some(StreamTurn { place, limit })
    }

    fn reading(&self, clock: &StreamClock) -> u64 {
        match self.rule {
            TurnRule::Times => clock.time,
            TurnRule::Instructions => clock.instructions,
        }
    }

    /// Returns the number of these bytes that belong to the current turn.
    pub fn share(&mut self, bytes: &[u8], form: RecordEncoding) -> usize {
        let is_alone = self.clocks.len() == 1;
        let Some(turn) = self.current.filter(|_| !is_alone) else {
            return bytes.len();
        };
        for (number, bytes) in bytes.as_chunks::<RECORD_BYTES>().0.iter().enumerate() {
            if self.is_beyond(turn, &RawRecord::new(bytes, form)) {
                self.current = None;
                return number * RECORD_BYTES;
            }
        }
        bytes.len()
    }

    /// Returns true if the turn ends before a record. Otherwise counts the record.
    fn is_beyond(&mut self, turn: StreamTurn, record: &RawRecord) -> bool {
        let Some(clock) = self.clocks.get_mut(turn.place) else {
            return false;
        };
        let is_time = self.rule == TurnRule::Times && record.kind() == kind::CPU;
        let is_instruction = record.kind() == kind::INSTRUCTION;
        if !is_time && !is_instruction {
            return false;
        }
        if !clock.has_begun {
            clock.has_begun = true;
            return true;
        }
        if is_time {
            clock.time = CpuTime::of(record).timestamp;
            return (clock.time, turn.place) > turn.limit;
        }
        let is_beyond = self.rule == TurnRule::Instructions && clock.instructions >= turn.limit.0;
        clock.instructions = clock.instructions.saturating_add(u64::from(!is_beyond));
        is_beyond
    }
}
