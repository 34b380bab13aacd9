//! Replays of queries for steps with their effects, for lines and times, and for the visits of an
//! address. Records are assembled from the list of all events.

use stepback_machine::{AccessKind, Address, Encoding, step_text};
use stepback_parsers::{Line, Position, Step, WrittenName};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::index_info::{TimeFall, WARNINGS_KEPT};
use crate::answers::step_record::{Access, AccessTarget, Effect, Hit, LATE_STEPS, StepRecord};
use crate::answers::value::Value;
use crate::oracle::event::{OracleAccess, OracleEvent, OracleEventKind, OracleStep, OracleWrite};
use crate::oracle::record::{Oracle, Replay};
use crate::query::steps::{
    FallsAcrossTime, LineOfStep, PositionOfLine, PositionOfTime, RawLine, RawLines, SHOWN_BYTES,
    Steps,
};
use crate::query::visits::{NearestVisit, NthVisit};

impl Replay for Steps {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<StepRecord>> {
        let end = self
            .first
            .0
            .saturating_add(self.count)
            .min(oracle.step_count());
        (self.first.0..end)
            .map(|step| oracle.record(Step(step)))
            .collect()
    }
}

impl Replay for LineOfStep {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Line>> {
        Some(oracle.record(self.0).and_then(|record| record.line))
    }
}

impl Replay for PositionOfTime {
    fn replay(&self, oracle: &Oracle) -> Option<Position> {
        // Steps before the first timestamp precede all times.
        let in_time = oracle
            .steps
            .iter()
            .take_while(|step| step.time.is_none_or(|time| time <= self.0));
        Some(Position(in_time.count() as u64))
    }
}

impl Replay for FallsAcrossTime {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<TimeFall>> {
        let is_crossed = |fall: &&TimeFall| (fall.to..fall.from).contains(&self.0);
        Some(
            oracle
                .time_falls
                .iter()
                .take(WARNINGS_KEPT)
                .filter(is_crossed)
                .copied()
                .collect(),
        )
    }
}

impl Oracle {
    /// Returns a step with its effects.
    pub(super) fn record(&self, step: Step) -> Option<StepRecord> {
        let stated = self.step(step)?;
        let last_slot = step.after().0.saturating_add(LATE_STEPS);
        let events = self
            .events_after(step.before())
            .iter()
            .take_while(|event| event.slot <= last_slot);
        Some(StepRecord {
            step,
            line: Some(Line(stated.line + 1)).filter(|_| self.made_lines.is_none()),
            time: stated.time,
            thread: stated.thread,
            pc: stated.pc,
            instruction_set: stated.instruction_set,
            opcode: stated.opcode,
            encoding: self.encoding_of(stated),
            branch: stated.branch,
            length_bytes: stated.length_bytes,
            is_executed: stated.is_executed,
            delay_slot: stated.delay_slot,
            origin: stated.origin,
            text: self.text_of(stated),
            effects: events
                .filter(|event| event.owner == Some(step))
                .filter_map(|event| self.effect(event))
                .collect(),
        })
    }

    /// Returns the bytes of a step's instruction; `None` if neither trace nor program contains
    /// them.
    pub(super) fn encoding_of(&self, stated: &OracleStep) -> Option<Encoding> {
        stated.encoding.or_else(|| {
            self.program.executed_instruction(
                stated.pc,
                stated.length_bytes,
                stated.instruction_set,
            )
        })
    }

    /// Returns the disassembly of a step.
    pub(super) fn text_of(&self, stated: &OracleStep) -> String {
        step_text(
            &stated.text,
            self.encoding_of(stated),
            stated.pc,
            stated.instruction_set,
            stated.length_bytes,
        )
    }

    fn effect(&self, event: &OracleEvent) -> Option<Effect> {
        match &event.kind {
            OracleEventKind::Step | OracleEventKind::HostWriteAnywhere => None,
            OracleEventKind::Register(written) if written.name == WrittenName::BankCopy => None,
            OracleEventKind::Register(written) => Some(Effect::Register {
                name: self.register_name(written.view, self.set_of_event(event)),
                view: written.view,
                value: register_value(written),
            }),
            OracleEventKind::Access(_) | OracleEventKind::HostWrite { .. } => {
                self.access_of(event).map(Effect::Access)
            }
            OracleEventKind::Text { kind, text } if kind.is_exceptional() => {
                Some(Effect::Exception(text.clone()))
            }
            OracleEventKind::Text { text, .. } => Some(Effect::Note(text.clone())),
            OracleEventKind::Marker(marker) => Some(Effect::Marker(*marker)),
        }
    }

    /// Returns the access of an event to a cell.
    pub(super) fn access_of(&self, event: &OracleEvent) -> Option<Access> {
        match &event.kind {
            OracleEventKind::Register(written) => Some(Access {
                kind: AccessKind::Write,
                target: AccessTarget::Register(
                    self.register_name(written.view, self.set_of_event(event)),
                ),
                value: register_value(written),
                is_inferred: false,
                is_decoded: false,
                is_external: false,
                host_operation: None,
            }),
            OracleEventKind::Access(access) => Some(Access {
                kind: access.kind,
                target: AccessTarget::Memory {
                    address: access.address,
                    size_bytes: u64::from(access.size_bytes),
                },
                value: self.memory_value(access),
                is_inferred: false,
                is_decoded: false,
                is_external: !access.contradicting.is_empty(),
                host_operation: None,
            }),
            OracleEventKind::HostWrite {
                first,
                last,
                operation,
            } => Some(Access {
                kind: AccessKind::Write,
                target: AccessTarget::Memory {
                    address: Address(*first),
                    size_bytes: last - first + 1,
                },
                value: Value(vec![None]),
                is_inferred: false,
                is_decoded: false,
                is_external: false,
                host_operation: Some(*operation),
            }),
            OracleEventKind::Step
            | OracleEventKind::HostWriteAnywhere
            | OracleEventKind::Text { .. }
            | OracleEventKind::Marker(_) => None,
        }
    }

    fn memory_value(&self, access: &OracleAccess) -> Value {
        let mut bytes: Vec<Option<u8>> = access.each_byte().map(|(_, value)| value).collect();
        if self.is_big_endian {
            bytes.reverse();
        }
        Value(bytes)
    }
}

fn register_value(written: &OracleWrite) -> Value {
    let byte = |place: u16| written.bytes.as_ref()?.get(usize::from(place)).copied();
    Value((0..written.view.size_bytes).map(byte).collect())
}

impl Replay for PositionOfLine {
    fn replay(&self, oracle: &Oracle) -> Option<Position> {
        oracle.made_lines.is_none().then_some(())?;
        Some(oracle.position_of_line(self.0.0.saturating_sub(1)))
    }
}

impl Replay for RawLines {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<RawLine>> {
        let first = self.first.0.saturating_sub(1);
        let end = first.saturating_add(self.count).min(oracle.line_count());
        Some(
            (first..end)
                .filter_map(|line| oracle.raw_line(line))
                .collect(),
        )
    }
}

impl Oracle {
    /// Returns the position after the steps whose text begins at or before a line, counted from 0.
    fn position_of_line(&self, line: u64) -> Position {
        let begun = self.steps.iter().filter(|step| step.first_line <= line);
        Position(begun.count() as u64)
    }

    fn raw_line(&self, line: u64) -> Option<RawLine> {
        let number = usize::try_from(line).ok()?;
        let start = usize::try_from(*self.line_starts.get(number)?).ok()?;
        let next = self
            .line_starts
            .get(number + 1)
            .and_then(|next| usize::try_from(*next).ok());
        let text = self.text.get(start..next.unwrap_or(self.text.len()))?;
        let shown = String::from_utf8_lossy(text.get(..SHOWN_BYTES).unwrap_or(text)).into_owned();
        let text = shown.trim_end_matches(['\r', '\n']).to_owned();
        Some(RawLine {
            line: Line(line + 1),
            step: self.position_of_line(line).last_step(),
            text,
        })
    }
}

impl Replay for NearestVisit {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Hit>> {
        oracle.check(self.at)?;
        let mut visits = oracle.visits_by(self.pc, self.thread);
        let step = match self.direction {
            Direction::Forward => visits.find(|step| step.before() >= self.at),
            Direction::Back => visits.take_while(|step| step.before() < self.at).last(),
        };
        Some(step.and_then(|step| oracle.visit(step)))
    }
}

impl Replay for NthVisit {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Hit>> {
        let place = self
            .number
            .checked_sub(1)
            .and_then(|place| usize::try_from(place).ok());
        let step = place.and_then(|place| oracle.visits(self.pc).nth(place));
        Some(step.and_then(|step| oracle.visit(step)))
    }
}

impl Oracle {
    /// Returns the steps at an address.
    pub fn visits(&self, pc: Address) -> impl Iterator<Item = Step> {
        self.steps
            .iter()
            .zip(0..)
            .filter(move |(step, _)| step.pc == pc)
            .map(|(_, number)| Step(number))
    }

    /// Returns the steps at an address, of one thread or of all.
    fn visits_by(&self, pc: Address, thread: Option<ThreadId>) -> impl Iterator<Item = Step> {
        let is_whose = move |step: &Step| {
            thread.is_none() || self.step(*step).map(|stated| stated.thread) == thread
        };
        self.visits(pc).filter(is_whose)
    }

    pub(super) fn visit(&self, step: Step) -> Option<Hit> {
        Some(Hit {
            record: self.record(step)?,
            position: step.after(),
            access: None,
            doubt: None,
        })
    }
}
