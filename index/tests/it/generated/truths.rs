//! Compares an index with the generator's truth.

use std::fmt::Debug;

use stepback_generator::{CallTruth, Checkpoint, MemoryTruth, RegisterTruth, Rewritten, Truth};
use stepback_index::answer::{
    AccessKinds, Call, CallId, Cell, CellAccess, FrameEntry, FrameExit, Hit, ThreadId, ValueSource,
};
use stepback_index::query::{
    MemoryAt, NearestAccess, NearestVisit, NthVisit, PositionOfLine, PositionOfTime, RegistersAt,
    Steps,
};
use stepback_index::read::{NameReader, VisitReader};
use stepback_index::{Cancel, Index, Query};
use stepback_machine::Address;
use stepback_parsers::{Line, Position, Step};

/// The truth, and the index to compare with it.
pub struct Truths<'a> {
    pub truth: &'a Truth,
    pub index: &'a Index,
    /// Build options of the index, for messages.
    pub name: String,
}

const THREAD: ThreadId = ThreadId(0);

impl Truths<'_> {
    /// Checks everything.
    pub fn check(&self) {
        self.numbers();
        self.calls();
        self.truth
            .checkpoints
            .iter()
            .for_each(|checkpoint| self.checkpoint(checkpoint));
        self.rewrites();
        self.visits();
        self.nothing();
    }

    /// Checks positions in the indexed part of the trace.
    pub fn check_part(&self) {
        let indexed = self.index.step_count();
        let known = self
            .truth
            .checkpoints
            .iter()
            .filter(|checkpoint| checkpoint.position < indexed);
        known.for_each(|checkpoint| self.checkpoint(checkpoint));
    }

    fn ask<Q: Query + Debug>(&self, question: Q) -> Q::Answer {
        let answer = question.run(self.index, &Cancel::default());
        answer.unwrap_or_else(|error| panic!("{}: {question:?}: {error}", self.name))
    }

    fn numbers(&self) {
        let (info, truth) = (self.index.info(), self.truth);
        let found = (
            info.steps,
            info.lines,
            info.trace_bytes,
            self.index.call_count(),
            info.time_range,
        );
        let expected = (
            truth.steps,
            truth.lines,
            truth.bytes,
            truth.calls.len() as u64,
            Some(truth.times),
        );
        assert_eq!(found, expected, "{}", self.name);
        assert_eq!(
            (info.warning_count, info.external_changes),
            (0, 0),
            "{}",
            self.name
        );
        assert!(
            !truth.checkpoints.is_empty() && !truth.rewrites.is_empty(),
            "{}",
            self.name
        );
    }

    fn calls(&self) {
        let calls = self.index.calls();
        let all = (0..calls.len())
            .filter_map(|id| calls.get(CallId(id)))
            .filter(Call::is_called);
        let call = |call: Call| CallTruth {
            call_step: call.call_step.unwrap().0,
            function: call.function.0,
            exit_step: call.exit_step.map(|step| step.0),
            depth: call.depth - 1,
        };
        let expected = &self.truth.calls;
        for (found, expected) in all.clone().map(call).zip(expected) {
            assert_eq!(found, *expected, "{}", self.name);
        }
        let is_plain = |call: Call| {
            call.entered == FrameEntry::Call
                && call.left
                    == if call.exit_step.is_some() {
                        FrameExit::Return
                    } else {
                        FrameExit::Open
                    }
        };
        assert!(all.clone().all(is_plain), "{}", self.name);
        assert_eq!(all.count(), expected.len(), "{}", self.name);
    }

    fn checkpoint(&self, checkpoint: &Checkpoint) {
        let position = Position(checkpoint.position);
        self.step(checkpoint);
        let file = self.ask(RegistersAt {
            position,
            thread: None,
        });
        for RegisterTruth {
            name,
            value,
            written_at,
        } in &checkpoint.registers
        {
            let state = file
                .state(name)
                .unwrap_or_else(|| panic!("{}: no {name}", self.name));
            let found = (
                state.value.to_u64(),
                state.written_at.map(|position| position.0),
            );
            assert_eq!(
                found,
                (*value, *written_at),
                "{}: {name} at {}",
                self.name,
                position.0
            );
        }
        checkpoint
            .memory
            .iter()
            .for_each(|memory| self.memory(position, memory));
        let mut stack = Vec::new();
        let mut frame = self.index.calls().innermost_at(THREAD, position);
        while let Some(call) = frame.and_then(|frame| self.index.calls().get(frame)) {
            stack.extend(call.call_step.map(|step| step.0));
            frame = call.parent;
        }
        stack.reverse();
        assert_eq!(
            stack, checkpoint.stack,
            "{}: stack at {}",
            self.name, position.0
        );
    }

    fn step(&self, checkpoint: &Checkpoint) {
        let Checkpoint {
            position,
            pc,
            line,
            time,
            text,
            ..
        } = checkpoint;
        let step = self
            .ask(Steps {
                first: Step(position - 1),
                count: 1,
            })
            .remove(0);
        let found = (step.pc, step.line, step.time, step.text.trim_end());
        assert_eq!(
            found,
            (Address(*pc), Some(Line(*line)), Some(*time), text.as_str()),
            "{}",
            self.name
        );
        assert_eq!(
            self.ask(PositionOfLine(Line(*line))),
            Position(*position),
            "{}: line {line}",
            self.name
        );
        let of_time = self.ask(PositionOfTime(*time)).0;
        assert!(
            (*position..position + 3).contains(&of_time),
            "{}: time {time}: {of_time}",
            self.name
        );
    }

    fn memory(&self, position: Position, memory: &MemoryTruth) {
        let len_bytes = memory.bytes.len() as u64;
        let states = self.ask(MemoryAt {
            position,
            address: Address(memory.address),
            len_bytes,
        });
        for (place, state) in states.iter().enumerate() {
            let at = format!(
                "{}: {:#x} at {}",
                self.name,
                memory.address + place as u64,
                position.0
            );
            let expected = memory.bytes[place];
            match memory.seen_at[place] {
                Some(seen_at) => {
                    let found = (state.value, state.source, state.seen_at);
                    assert_eq!(
                        found,
                        (
                            Some(expected),
                            ValueSource::Recorded,
                            Some(Position(seen_at))
                        ),
                        "{at}"
                    );
                }
                // Either nothing states it, or only a later read does.
                None => match state.source {
                    ValueSource::Inferred => assert_eq!(state.value, Some(expected), "{at}"),
                    _ => assert_eq!(
                        (state.value, state.source),
                        (None, ValueSource::Unknown),
                        "{at}"
                    ),
                },
            }
        }
        let cell = Cell::Memory {
            address: Address(memory.address),
            len_bytes,
        };
        let last = self.last_write(cell, position);
        assert_eq!(
            last,
            memory.written_by.iter().copied().max().flatten(),
            "{}: {cell:?}",
            self.name
        );
    }

    /// Returns the step of the last write. None also for the initial dump.
    fn last_write(&self, cell: Cell, before: Position) -> Option<u64> {
        match self.ask(NearestAccess::last(cell, AccessKinds::Writes, before)) {
            Some(CellAccess::Step(hit)) => Some(hit.record.step.0),
            Some(CellAccess::Initial(_)) | None => None,
        }
    }

    fn rewrites(&self) {
        for rewrite in &self.truth.rewrites {
            let cell = match &rewrite.cell {
                Rewritten::Register(name) => {
                    let view = NameReader(self.index).register_view(name, THREAD).unwrap();
                    Cell::Register {
                        thread: THREAD,
                        view,
                    }
                }
                Rewritten::Byte(address) => Cell::Memory {
                    address: Address(*address),
                    len_bytes: 1,
                },
            };
            let last = self.last_write(cell, Position(rewrite.later));
            assert_eq!(last, rewrite.earlier, "{}: {rewrite:?}", self.name);
            let from = Position(rewrite.earlier.map_or(0, |step| step + 1));
            let next = self.ask(NearestAccess::next(cell, AccessKinds::Writes, from));
            assert_eq!(
                step_of(next.and_then(CellAccess::into_hit)),
                Some(rewrite.later),
                "{}: {rewrite:?}",
                self.name
            );
        }
    }

    fn visits(&self) {
        for (pc, count) in &self.truth.visits {
            assert_eq!(
                VisitReader(self.index).visit_count(Address(*pc)).unwrap(),
                *count,
                "{}: visits of {pc:#x}",
                self.name
            );
        }
        for revisit in &self.truth.revisits {
            let pc = Address(revisit.pc);
            let last = self.ask(NearestVisit::last(pc, Position(revisit.later)));
            let next = self.ask(NearestVisit::next(
                pc,
                Position(revisit.earlier.map_or(0, |step| step + 1)),
            ));
            let nth = self.ask(NthVisit {
                pc,
                number: revisit.number,
            });
            let found = [step_of(last), step_of(next), step_of(nth)];
            assert_eq!(
                found,
                [revisit.earlier, Some(revisit.later), Some(revisit.later)],
                "{}: {revisit:?}",
                self.name
            );
        }
    }

    /// Checks queries without an answer.
    fn nothing(&self) {
        let end = self.index.end();
        let cell = Cell::Memory {
            address: Address(0x10),
            len_bytes: 64,
        };
        assert_eq!(self.last_write(cell, end), None, "{}", self.name);
        let next = NearestAccess::next(cell, AccessKinds::All, Position(0));
        assert_eq!(self.ask(next), None, "{}", self.name);
        assert_eq!(
            self.ask(NearestVisit::next(Address(0x40_0582), Position(0))),
            None,
            "{}",
            self.name
        );
        assert_eq!(
            VisitReader(self.index)
                .visit_count(Address(0x40_0582))
                .unwrap(),
            0,
            "{}",
            self.name
        );
    }
}

fn step_of(hit: Option<Hit>) -> Option<u64> {
    hit.map(|hit| hit.record.step.0)
}
