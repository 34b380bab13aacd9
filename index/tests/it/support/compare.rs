//! Runs the same queries on the index and the oracle.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use stepback_index::answer::{
    Access, AccessKinds, AccessTarget, ByteState, Call, CallId, Cell, CellAccess, Direction, Doubt,
    Effect, FrameCursor, FrameEntry, Hit, MemoryDifference, MemoryRange, RegisterState, StepRecord,
    ThreadId, Value, ValueSource,
};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::oracle::{Oracle, OracleCalls, Replay};
use stepback_index::query::{
    Accesses, DifferenceBetween, EffectsWithin, ExternalChanges, FallsAcrossTime, FindBytes,
    FindText, FindValue, FoldSet, LineOfStep, MemoryAt, MemoryOf, NearestAccess,
    NearestPossibleChange, NearestVisit, NextAccessedBlock, NextTouchedBlock, NthVisit,
    PositionOfLine, PositionOfTime, RawLines, RegistersAt, Steps, TextPattern, TraceListRow,
};
use stepback_index::read::{StepEvents, TraceEvent, TraceEventKind, VisitReader};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::flow::DelaySlotRule;
use stepback_machine::{Address, CodeSite, Endian, RegisterView};
use stepback_parsers::{Flow, Line, Position, RegisterSource, Source, Step, Tarmac, TarmacOptions};

use super::dice::Dice;

/// Maximum number of steps of a trace whose events are all compared.
const PASSED_STEPS: u64 = 100_000;

/// Opens a trace.
pub fn open(text: &[u8], endian: Endian) -> Arc<dyn Source> {
    let options = TarmacOptions {
        endian,
        ..TarmacOptions::default()
    };
    Arc::new(Tarmac::open(Box::new(text.to_vec()), options).unwrap())
}

/// An index and an oracle of one trace, and the cells to query.
pub struct Comparison<'a> {
    pub index: Index,
    pub oracle: &'a Oracle,
    pub things: &'a Things,
    /// Build options of the index, for messages.
    pub name: String,
}

/// Content of a trace, so that queries find something.
#[derive(Debug, Default)]
pub struct Things {
    calls: OracleCalls,
    addresses: Vec<u64>,
    pcs: Vec<u64>,
    times: Vec<u64>,
    values: Vec<u64>,
    views: Vec<(ThreadId, RegisterView)>,
    threads: Vec<ThreadId>,
    has_accesses: bool,
    /// True if the registers of one set are those of another under other names.
    pub is_mixed: bool,
}

impl Things {
    pub fn of(oracle: &Oracle) -> Self {
        let mut things = Self {
            calls: oracle.calls(),
            ..Self::default()
        };
        things.threads = (0..oracle.threads().len() as u16).map(ThreadId).collect();
        let steps = Steps {
            first: Step(0),
            count: u64::MAX,
        }
        .replay(oracle)
        .unwrap();
        let words = |step: &StepRecord| step.instruction_set.word_bytes();
        things.is_mixed = steps.windows(2).any(|two| words(&two[0]) != words(&two[1]));
        for step in &steps {
            things.pcs.push(step.pc.0);
            things.times.extend(step.time);
            for effect in &step.effects {
                match effect {
                    Effect::Register { view, value, .. } => {
                        things.views.push((step.thread, *view));
                        things.values.extend(value.to_u64());
                    }
                    Effect::Access(access) => {
                        things.values.extend(access.value.to_u64());
                        if let AccessTarget::Memory { address, .. } = access.target {
                            things.addresses.push(address.0);
                        }
                    }
                    Effect::Exception(_)
                    | Effect::Note(_)
                    | Effect::Marker(_)
                    | Effect::More(_) => {}
                }
            }
        }
        for thread in &things.threads {
            let file = RegistersAt {
                position: Position(0),
                thread: Some(*thread),
            }
            .replay(oracle)
            .unwrap();
            things.views.extend(
                file.registers
                    .iter()
                    .map(|register| (*thread, register.view)),
            );
        }
        things.has_accesses = !things.addresses.is_empty();
        things.addresses.push(0x1000);
        things
    }
}

/// Number of kinds of queries.
const KINDS: u64 = 24;

/// Builds an index of a trace.
pub fn index_of(source: &Arc<dyn Source>, segment_bytes: u64, threads: usize) -> Index {
    index_in_memory(
        Arc::clone(source),
        &BuildOptions {
            segment_bytes,
            threads,
        },
    )
    .unwrap()
}

fn forget_inferred(hit: &mut Hit) {
    forget_inferred_of(&mut hit.record);
    hit.access.iter_mut().for_each(forget_value);
}

/// Removes doubts that only the oracle has. The oracle doubts memory that any call may have
/// written. The index infers the arguments of calls, and skips those that cannot have written
/// there.
fn forgive_doubt(found: &mut Hit, expected: &Hit) {
    if matches!(
        expected.doubt,
        Some(Doubt::SystemCall { .. } | Doubt::BlockedCall { .. } | Doubt::KernelEvent { .. })
    ) {
        found.doubt = expected.doubt;
    }
}

fn forget_inferred_of(record: &mut StepRecord) {
    for effect in &mut record.effects {
        if let Effect::Access(access) = effect {
            forget_value(access);
        }
    }
}

fn forget_value(access: &mut Access) {
    if access.is_inferred {
        (access.value, access.is_inferred) = (Value(vec![None; access.value.0.len()]), false);
    }
}

impl Comparison<'_> {
    #[track_caller]
    pub fn agree<Q: Replay + Debug>(&self, question: Q)
    where
        Q::Answer: PartialEq + Debug,
    {
        self.agree_but(question, |_, _| {});
    }

    /// Compares the answers after `forgive` has removed allowed differences, given both answers.
    #[track_caller]
    fn agree_but<Q: Replay + Debug>(
        &self,
        question: Q,
        forgive: impl FnOnce(&mut Q::Answer, &Q::Answer),
    ) where
        Q::Answer: PartialEq + Debug,
    {
        let (mut found, expected) = (
            question.run(&self.index, &Cancel::default()),
            question.replay(self.oracle),
        );
        if let (Ok(found), Some(expected)) = (&mut found, &expected) {
            forgive(found, expected);
        }
        match (&found, &expected) {
            (Ok(found), Some(expected)) if found == expected => {}
            (Err(_), None) => {}
            // The oracle does not decode instructions that access memory.
            (Err(QueryError::NotRecorded { .. }), Some(_)) if !self.things.has_accesses => {}
            _ => panic!(
                "{}: {question:?}\n index:  {found:?}\n oracle: {expected:?}",
                self.name
            ),
        }
    }

    /// Runs the queries that are made once per trace.
    pub fn whole(&self) {
        self.whole_beside_calls();
        self.passes();
        let Self { index, name, .. } = self;
        let calls: Vec<_> = (0..index.calls().len())
            .map(|id| index.calls().get(CallId(id)).unwrap())
            .collect();
        assert_eq!(calls, self.things.calls.calls, "{name}: calls");
        let ends = |call: &Call| call.exit_step.map_or(u64::MAX, |exit| exit.0);
        for call in &calls {
            let parent = call.parent.and_then(|parent| index.calls().get(parent));
            assert!(
                parent.is_none_or(|parent| ends(call) <= ends(&parent)),
                "{name}: {call:?} outlives {parent:?}"
            );
        }
    }

    /// Reads all events in a few parts, and compares them with the steps and with single lookups of
    /// calls.
    fn passes(&self) {
        let Self { index, name, .. } = self;
        let end = index.end();
        // A lookup for each position of a long trace takes minutes.
        if end.0 > PASSED_STEPS {
            return;
        }
        // An answer about many steps leaves effects out.
        let block = |first| {
            let steps = Steps {
                first: Step(first),
                count: 1000,
            };
            steps.run(index, &Cancel::default()).unwrap()
        };
        let all: Vec<StepRecord> = (0..end.0).step_by(1000).flat_map(block).collect();
        let mut expected = Vec::new();
        for record in &all {
            expected.push((
                record.step,
                record.thread,
                record.pc.0,
                record.time,
                record.line,
                false,
            ));
            for effect in &record.effects {
                if let Effect::Access(access) = effect
                    && let AccessTarget::Memory { address, .. } = access.target
                {
                    let is_external = access.is_external;
                    expected.push((
                        record.step,
                        record.thread,
                        address.0,
                        None,
                        None,
                        is_external,
                    ));
                }
            }
        }
        let mut found = Vec::new();
        let cuts = [Position(0), Position(end.0 / 3), Position(end.0 / 2), end];
        for part in cuts.windows(2) {
            let events = StepEvents {
                from: part[0],
                to: part[1],
            };
            // The first part also has the events before the first step.
            if part[0] == part[1] && part[0].0 > 0 {
                continue;
            }
            let take = |event: TraceEvent<'_>| {
                let Some(step) = event.step else {
                    return Flow::Continue;
                };
                found.extend(match event.kind {
                    TraceEventKind::Step {
                        event: of,
                        time,
                        line,
                    } => Some((step, event.thread, of.pc.0, time, line, false)),
                    TraceEventKind::Access {
                        event: of,
                        is_external,
                    } => Some((step, event.thread, of.address.0, None, None, is_external)),
                    TraceEventKind::HostWrite { address, .. } => {
                        Some((step, event.thread, address.0, None, None, false))
                    }
                    _ => None,
                });
                Flow::Continue
            };
            events.each(index, &Cancel::default(), take).unwrap();
        }
        // Events of a thread may come after steps of others.
        found.sort_by_key(|event| event.0);
        assert_eq!(found, expected, "{name}: events");
        for thread in &self.things.threads {
            let mut cursor = FrameCursor::new(index.calls(), *thread);
            for position in (0..=end.0).map(Position) {
                let innermost = index.calls().innermost_at(*thread, position);
                assert_eq!(
                    cursor.at(position),
                    innermost,
                    "{name}: {thread:?} {position:?}"
                );
            }
        }
    }

    /// Runs the queries that are made once per trace, except calls.
    pub fn whole_beside_calls(&self) {
        let Self {
            index,
            oracle,
            name,
            ..
        } = self;
        let info = index.info();
        assert_eq!(info.steps, oracle.step_count(), "{name}: steps");
        assert_eq!(info.lines, oracle.line_count(), "{name}: lines");
        assert_eq!(
            info.external_changes,
            oracle.external_changes(),
            "{name}: external changes"
        );
        assert_eq!(index.threads(), oracle.threads(), "{name}: threads");
        let expected: Vec<_> = oracle
            .warnings()
            .iter()
            .take(index.warnings().len().max(900))
            .cloned()
            .collect();
        assert_eq!(index.warnings(), expected, "{name}: warnings");
        let count: u64 = oracle.warnings().iter().map(|warning| warning.count).sum();
        assert_eq!(info.warning_count, count, "{name}: all warnings");
    }

    /// Runs a random query.
    pub fn ask(&self, dice: &mut Dice) {
        self.ask_of_kind(dice.below(KINDS), dice);
    }

    /// Runs a random query of one of [`KINDS`] kinds. Some kinds are similar.
    pub fn ask_of_kind(&self, kind: u64, dice: &mut Dice) {
        match kind {
            0 | 1 => {
                let thread = if dice.one_in(2) {
                    None
                } else {
                    dice.pick(&self.things.threads)
                };
                self.agree_but(
                    RegistersAt {
                        position: self.position(dice),
                        thread,
                    },
                    |found, expected| {
                        let states = found.registers.iter_mut().zip(&expected.registers);
                        // The oracle does not model delay slots, nor therefore the next address at
                        // the end of a trace.
                        let is_lead = |found: &RegisterState, expected: &RegisterState| {
                            found.name == "pc"
                                && found.source == ValueSource::Inferred
                                && expected.value.is_unknown()
                        };
                        // Only the index infers values, with a reason.
                        let is_by_index = |found: &RegisterState| found.reason.is_some();
                        states
                            .filter(|(found, expected)| {
                                is_by_index(found) || self.has_slots() && is_lead(found, expected)
                            })
                            .for_each(|(found, expected)| *found = expected.clone());
                    },
                );
            }
            2 | 3 => {
                let address = Address(self.address(dice));
                let question = MemoryAt {
                    position: self.position(dice),
                    address,
                    len_bytes: dice.below(90),
                };
                self.agree_but(question, |found, expected| {
                    let is_by_index =
                        |byte: &ByteState| byte.source == ValueSource::Inferred && self.infers();
                    let bytes = found.iter_mut().zip(expected);
                    bytes
                        .filter(|(byte, _)| is_by_index(byte))
                        .for_each(|(byte, expected)| *byte = *expected);
                });
            }
            4 | 5 => {
                let question =
                    NearestAccess::last(self.cell(dice), kinds(dice), self.position(dice));
                self.agree_but(question, |found, expected| {
                    if let Some(CellAccess::Step(hit)) = found {
                        forget_inferred(hit);
                        if let Some(CellAccess::Step(expected)) = expected
                            && self.infers()
                        {
                            forgive_doubt(hit, expected);
                        }
                    }
                });
            }
            6 | 7 => {
                let question =
                    NearestAccess::next(self.cell(dice), kinds(dice), self.position(dice));
                self.agree_but(question, |found, _| {
                    if let Some(CellAccess::Step(hit)) = found {
                        forget_inferred(hit);
                    }
                });
            }
            8 => self.ask_visits(dice),
            9 | 10 => {
                let question = Steps {
                    first: Step(self.position(dice).0),
                    count: dice.below(12),
                };
                self.agree_but(question, |found, _| {
                    found.iter_mut().for_each(forget_inferred_of)
                });
            }
            11 => self.ask_lines(dice),
            12 => {
                let time = dice.pick(&self.things.times).unwrap_or(0);
                let time = (time + dice.below(3)).saturating_sub(dice.below(3));
                self.agree(PositionOfTime(time));
                self.agree(FallsAcrossTime(time));
            }
            13 => self.ask_difference(dice),
            14 => self.ask_text(dice),
            15 | 16 => {
                let value = dice.pick(&self.things.values).unwrap_or(0);
                self.agree(FindValue {
                    what: value.into(),
                    thread: self.whose(dice),
                    from: self.position(dice),
                    limit: dice.below(5) as usize,
                });
            }
            17 => {
                // Uses separate random numbers, so that the following queries do not change.
                self.ask_bytes(&mut dice.clone());
                self.ask_effects(&mut dice.clone());
                self.ask_changes(&mut dice.clone());
                let from = Address(self.address(dice));
                self.agree(NextAccessedBlock { from });
                self.agree(NextTouchedBlock { from });
            }
            18 => self.ask_calls(dice),
            19 | 20 => self.ask_externals(dice),
            21 | 22 => self.ask_accesses_by_thread(dice),
            _ => self.ask_folds(dice),
        }
    }

    /// Returns true if branches have delay slots.
    fn has_slots(&self) -> bool {
        let call = self.index.source().traits().instruction_set;
        call.encoding_of(0x4000_0002, 4).is_some_and(|encoding| {
            let site = CodeSite {
                pc: Address(0x1000),
                encoding,
            };
            call.control(&site).delay != DelaySlotRule::None
        })
    }

    /// Returns true if the index infers values, which only it does: the test `inference` compares
    /// them.
    pub fn infers(&self) -> bool {
        let source = self.index.source();
        source.traits().registers == RegisterSource::Operands || source.leaves_values_out()
    }

    /// Returns a position, usually within the trace.
    pub fn position(&self, dice: &mut Dice) -> Position {
        Position(dice.below(self.oracle.step_count() + 1) + u64::from(dice.one_in(64)))
    }

    fn address(&self, dice: &mut Dice) -> u64 {
        let address = dice.pick(&self.things.addresses).unwrap_or(0);
        address
            .wrapping_add(dice.below(12))
            .saturating_sub(dice.below(12))
    }

    pub fn cell(&self, dice: &mut Dice) -> Cell {
        match dice.pick(&self.things.views).filter(|_| dice.one_in(2)) {
            Some((thread, view)) => {
                let size_bytes = if dice.one_in(3) {
                    view.size_bytes.div_ceil(2)
                } else {
                    view.size_bytes
                };
                let offset = view.offset
                    + if dice.one_in(3) {
                        view.size_bytes - size_bytes
                    } else {
                        0
                    };
                Cell::Register {
                    thread,
                    view: RegisterView {
                        offset,
                        size_bytes,
                        ..view
                    },
                }
            }
            None => Cell::Memory {
                address: Address(self.address(dice)),
                len_bytes: 1 + dice.below(20),
            },
        }
    }

    /// Compares accesses that are visible at the same position, of one thread or of all.
    fn ask_accesses_by_thread(&self, dice: &mut Dice) {
        let (cell, kinds, thread) = (self.cell(dice), kinds(dice), self.whose(dice));
        let (position, limit) = (self.position(dice), dice.below(6) as usize);
        self.agree_but(
            Accesses {
                nearest: NearestAccess::last(cell, kinds, position),
                thread,
                skip: dice.below(3) as usize,
                limit,
            },
            |found, expected| {
                let expected = expected.iter().flat_map(|expected| &expected.accesses);
                let mut expected = expected.map(Some).chain(std::iter::repeat(None));
                for accessed in found.iter_mut().flat_map(|found| &mut found.accesses) {
                    let expected = expected.next().flatten();
                    if let CellAccess::Step(hit) = accessed {
                        forget_inferred(hit);
                        if let Some(CellAccess::Step(expected)) = expected
                            && self.infers()
                        {
                            forgive_doubt(hit, expected);
                        }
                    }
                }
            },
        );
        self.agree_but(
            Accesses {
                nearest: NearestAccess::next(cell, kinds, position),
                thread,
                skip: dice.below(3) as usize,
                limit,
            },
            |found, _| {
                for accessed in found.iter_mut().flat_map(|found| &mut found.accesses) {
                    if let CellAccess::Step(hit) = accessed {
                        forget_inferred(hit);
                    }
                }
            },
        );
    }

    /// Returns a thread, or none for all.
    pub fn whose(&self, dice: &mut Dice) -> Option<ThreadId> {
        if dice.one_in(3) {
            None
        } else {
            dice.pick(&self.things.threads)
        }
    }

    /// Checks that the stores before the nearest possible change keep the bytes of their range, as
    /// the oracle knows them. Loads of the same step may show a change by something else.
    fn ask_changes(&self, dice: &mut Dice) {
        let (address, len_bytes) = (Address(self.address(dice)), 1 + dice.below(16));
        let at = self.position(dice);
        let direction = match dice.one_in(2) {
            true => Direction::Back,
            false => Direction::Forward,
        };
        let question = NearestPossibleChange {
            range: MemoryRange { address, len_bytes },
            at,
            direction,
        };
        let Ok(change) = question.run(&self.index, &Cancel::default()) else {
            assert!(at > self.index.end(), "{}: {question:?}", self.name);
            return;
        };
        let cell = Cell::Memory { address, len_bytes };
        let nearest = |kinds, at| {
            let accesses = Accesses {
                nearest: NearestAccess {
                    cell,
                    kinds,
                    at,
                    direction,
                },
                thread: None,
                skip: 0,
                limit: 1,
            };
            accesses.replay(self.oracle).flatten()
        };
        let bytes = |position| {
            let memory = MemoryAt {
                position,
                address,
                len_bytes,
            };
            let bytes = memory.replay(self.oracle).unwrap();
            bytes.iter().map(|byte| byte.value).collect::<Vec<_>>()
        };
        let mut from = at;
        for _ in 0..8 {
            let Some(store) = nearest(AccessKinds::Writes, from) else {
                break;
            };
            let shown_at = store.position;
            let is_reached = change.is_some_and(|change| match direction {
                Direction::Back => shown_at <= change,
                Direction::Forward => shown_at >= change,
            });
            if is_reached || shown_at.0 == 0 {
                break;
            }
            let before = Position(shown_at.0 - 1);
            from = match direction {
                Direction::Back => before,
                Direction::Forward => shown_at,
            };
            let start = match direction {
                Direction::Back => shown_at,
                Direction::Forward => before,
            };
            let load = nearest(AccessKinds::Reads, start);
            if load.is_some_and(|load| load.position == shown_at) {
                continue;
            }
            assert_eq!(
                bytes(before),
                bytes(shown_at),
                "{}: {question:?}: {change:?}, but there is a change at {shown_at:?}",
                self.name
            );
        }
    }

    fn ask_externals(&self, dice: &mut Dice) {
        let address = Address(self.address(dice));
        let len_bytes = if dice.one_in(6) {
            dice.below(u64::MAX)
        } else {
            dice.below(40)
        };
        let range = Some(MemoryRange { address, len_bytes }).filter(|_| dice.one_in(2));
        let (position, limit, skip) = (
            self.position(dice),
            dice.below(5) as usize,
            dice.below(3) as usize,
        );
        self.agree(ExternalChanges {
            range,
            thread: self.whose(dice),
            at: position,
            direction: Direction::Forward,
            skip,
            limit,
        });
        self.agree(ExternalChanges {
            range,
            thread: self.whose(dice),
            at: position,
            direction: Direction::Back,
            skip,
            limit,
        });
    }

    fn ask_visits(&self, dice: &mut Dice) {
        let pc = Address(dice.pick(&self.things.pcs).unwrap_or(0) + u64::from(dice.one_in(8)));
        self.agree(NearestVisit {
            thread: self.whose(dice),
            ..NearestVisit::next(pc, self.position(dice))
        });
        self.agree(NearestVisit {
            thread: self.whose(dice),
            ..NearestVisit::last(pc, self.position(dice))
        });
        let count = self.oracle.visits(pc).count() as u64;
        assert_eq!(
            VisitReader(&self.index).visit_count(pc).unwrap(),
            count,
            "{}: visits of {pc}",
            self.name
        );
        let before = self.position(dice);
        let visits = self.oracle.visits(pc);
        assert_eq!(
            VisitReader(&self.index)
                .visit_count_before(pc, before)
                .unwrap(),
            visits.filter(|step| step.before() < before).count() as u64,
            "{}: visits of {pc} before {before:?}",
            self.name
        );
        self.agree(NthVisit {
            pc,
            number: dice.below(count + 2),
        });
        let last = Address(pc.0 + dice.below(16));
        let first = self.oracle.visits(pc).next();
        let step = first.unwrap_or(Step(dice.below(self.oracle.step_count() + 1)));
        let in_range = (pc.0..=last.0).flat_map(|pc| self.oracle.visits(Address(pc)));
        let is_visited = in_range.into_iter().any(|visit| visit < step);
        let reader = VisitReader(&self.index);
        assert_eq!(
            (
                reader.first_visit(pc).unwrap(),
                reader.is_any_visited(pc, last, step).unwrap()
            ),
            (first, is_visited),
            "{}: visits from {pc} to {last} before {step:?}",
            self.name
        );
    }

    fn ask_lines(&self, dice: &mut Dice) {
        let line = Line(dice.below(self.oracle.line_count() + 3));
        self.agree(PositionOfLine(line));
        self.agree(RawLines {
            first: line,
            count: dice.below(6),
        });
        self.agree(LineOfStep(Step(self.position(dice).0)));
    }

    fn ask_text(&self, dice: &mut Dice) {
        const PATTERNS: [&str; 16] = [
            "NOP",
            "r0",
            r"^IT",
            "01$",
            r"MW[48] ",
            "^$",
            r"\bBL\b",
            "[^a]f{3}",
            "cpu1",
            "$",
            "RET .$",
            "nowhere",
            "(?m)^B",
            "(?i)^nop$",
            r"0\s+I",
            "[^0-9]*$",
        ];
        let pattern: TextPattern = dice.pick(&PATTERNS).unwrap().parse().unwrap();
        self.agree(FindText {
            what: pattern,
            thread: self.whose(dice),
            from: self.position(dice),
            limit: dice.below(4) as usize,
        });
    }

    /// Queries bytes around a value of the trace, or around memory at a position.
    fn ask_bytes(&self, dice: &mut Dice) {
        if self.infers() {
            return;
        }
        let value = dice.pick(&self.things.values).unwrap_or(0).to_le_bytes();
        let (first, length) = (dice.below(8) as usize, 1 + dice.below(4) as usize);
        let of_value: Vec<u8> = value.iter().copied().skip(first).take(length).collect();
        let memory = MemoryAt {
            position: self.position(dice).min(self.index.end()),
            address: Address(self.address(dice)),
            len_bytes: 1 + dice.below(10),
        };
        let memory = memory
            .run(&self.index, &Cancel::default())
            .unwrap_or_default();
        let of_memory: Vec<u8> = memory.iter().map_while(|state| state.value).collect();
        self.agree(FindBytes {
            what: if dice.one_in(2) { of_value } else { of_memory },
            thread: self.whose(dice),
            from: self.position(dice),
            limit: dice.below(5) as usize,
        });
    }

    /// Returns the names of registers that only the index knows.
    fn inferred_registers(&self, thread: ThreadId, position: Position) -> Vec<String> {
        let file = RegistersAt {
            position,
            thread: Some(thread),
        }
        .run(&self.index, &Cancel::default())
        .unwrap();
        file.registers
            .into_iter()
            .filter(|state| state.reason.is_some())
            .map(|state| state.name)
            .collect()
    }

    /// Compares runs of memory byte by byte.
    fn ask_difference(&self, dice: &mut Dice) {
        let thread = if dice.one_in(2) {
            None
        } else {
            dice.pick(&self.things.threads)
        };
        let question = DifferenceBetween {
            from: self.position(dice),
            to: self.position(dice),
            thread,
        };
        let found = question.run(&self.index, &Cancel::default());
        let (Ok(mut found), Some(mut expected)) = (found, question.replay(self.oracle)) else {
            assert!(
                question.from.max(question.to) > self.index.end(),
                "{}: {question:?} fails",
                self.name
            );
            return;
        };
        let thread = thread.unwrap_or_else(|| self.oracle.thread_at(question.to));
        let inferred = [question.from, question.to]
            .map(|position| self.inferred_registers(thread, position))
            .concat();
        for registers in [&mut found.registers, &mut expected.registers] {
            registers.retain(|register| !inferred.contains(&register.name));
        }
        assert_eq!(
            found.registers, expected.registers,
            "{}: {question:?}",
            self.name
        );
        assert!(
            found
                .memory
                .iter()
                .all(|run| (1..=16).contains(&run.from.len())),
            "{}: {question:?}",
            self.name
        );
        let mut bytes: Vec<_> = found.memory.iter().flat_map(bytes_of_run).collect();
        if self.infers() {
            // Inferred values in a difference equal those of each position.
            let state = |position: Position, byte: &MemoryDifference| {
                let question = MemoryAt {
                    position,
                    address: byte.address,
                    len_bytes: 1,
                };
                let bytes = MemoryOf {
                    thread: Some(thread),
                    question,
                }
                .run(&self.index, &Cancel::default())
                .unwrap();
                *bytes.first().unwrap()
            };
            for byte in &bytes {
                for (position, value) in [(question.from, byte.from[0]), (question.to, byte.to[0])]
                {
                    let known = state(position, byte).value;
                    assert!(
                        known.is_none() || value.is_none() || known == value,
                        "{}: {question:?}",
                        self.name
                    );
                }
            }
            let is_inferred = |byte: &MemoryDifference| {
                [question.from, question.to]
                    .map(|at| state(at, byte).source)
                    .contains(&ValueSource::Inferred)
            };
            bytes.retain(|byte| !is_inferred(byte));
            expected.memory.retain(|byte| !is_inferred(byte));
        }
        assert_eq!(bytes, expected.memory, "{}: {question:?}", self.name);
    }

    /// Compares inputs and outputs of steps, sometimes with too little room for all of their
    /// memory.
    fn ask_effects(&self, dice: &mut Dice) {
        let thread = dice.pick(&self.things.threads).unwrap();
        let (from, to) = (self.position(dice), self.position(dice));
        let blocks = if dice.one_in(3) {
            dice.below(6) as usize
        } else {
            500
        };
        self.agree(EffectsWithin {
            thread,
            from: from.min(to),
            to: from.max(to),
            blocks,
        });
    }

    fn ask_calls(&self, dice: &mut Dice) {
        let (calls, known) = (self.index.calls(), &self.things.calls);
        let all = &known.calls;
        let (thread, position) = (
            dice.pick(&self.things.threads).unwrap(),
            self.position(dice),
        );
        let stack = known.stack_at(thread, position);
        let has_slots = self.index.instruction_set(thread).slot_bytes() > 0;
        // Control arrives after the slot of a call, which belongs to the caller, unless a trap came
        // in it.
        let begin = |(id, call): &(usize, &Call)| {
            let called = call.call_step.map_or(Position(0), Step::after);
            if !has_slots || !matches!(call.entered, FrameEntry::Call | FrameEntry::Tail) {
                return called;
            }
            let entered = call.entry_step.map_or(Position(called.0 + 1), Step::before);
            let is_inside = |inner: &Call| inner.parent == Some(CallId(*id as u64));
            let trapped = all
                .iter()
                .filter(|inner| is_inside(inner))
                .filter_map(|inner| inner.call_step);
            if trapped.map(Step::after).any(|at| at <= entered) {
                called
            } else {
                entered
            }
        };
        let is_here = |frame: &(usize, &Call)| {
            let (id, call) = *frame;
            let is_open = call.exit_step.is_none_or(|exit| position <= exit.before());
            call.thread == thread
                && known.stacks[id] == stack
                && begin(frame) <= position
                && is_open
        };
        let innermost = all
            .iter()
            .enumerate()
            .rfind(is_here)
            .map(|(id, _)| CallId(id as u64));
        assert_eq!(
            calls.innermost_at(thread, position),
            innermost,
            "{}: {thread:?} {position:?}",
            self.name
        );
        let Some(id) = (!all.is_empty()).then(|| CallId(dice.below(all.len() as u64))) else {
            return;
        };
        let children = (0..)
            .zip(all)
            .filter(|(_, call)| call.parent == Some(id))
            .map(|(child, _)| CallId(child));
        assert!(
            calls.children(id).eq(children),
            "{}: children of {id:?}",
            self.name
        );
        let call = all[id.0 as usize];
        // The first frame of a stack has no caller.
        if let Some(step) = call
            .call_step
            .filter(|_| call.entered != FrameEntry::Switch)
        {
            let called = calls
                .called_by(call.thread, step)
                .and_then(|found| calls.get(found));
            assert_eq!(
                called.and_then(|called| called.call_step),
                Some(step),
                "{}: {id:?}",
                self.name
            );
        }
    }

    fn ask_folds(&self, dice: &mut Dice) {
        let all = &self.things.calls.calls;
        let mut folds = FoldSet::new(self.index.step_count());
        let mut folded = BTreeSet::new();
        for _ in 0..dice.below(6) {
            let id = CallId(dice.below(all.len() as u64));
            folds.fold(self.index.calls(), id);
            folded.extend(
                all.get(id.0 as usize)
                    .filter(|call| call.is_called())
                    .map(|_| id),
            );
        }
        if let Some(id) = folded.first().copied().filter(|_| dice.one_in(3)) {
            folds.unfold(self.index.calls(), id);
            folded.remove(&id);
        }
        let expected = self.oracle.rows(all, &folded);
        let found: Vec<TraceListRow> = (0..folds.row_count())
            .filter_map(|row| folds.row(row))
            .collect();
        assert_eq!(found, expected, "{}: folds {folded:?}", self.name);
        assert_eq!(folds.row(folds.row_count()), None);
        for (row, shown) in (0..).zip(&expected) {
            let (first, last) = match *shown {
                TraceListRow::Step(step) => (step, step),
                TraceListRow::Folded { first, last, .. } => (first, last),
            };
            let rows = (folds.row_of(first), folds.row_of(last));
            assert_eq!(
                rows,
                (row, row),
                "{}: {shown:?} with folds {folded:?}",
                self.name
            );
        }
    }
}

fn bytes_of_run(run: &MemoryDifference) -> impl Iterator<Item = MemoryDifference> {
    assert_eq!(run.from.len(), run.to.len());
    let pairs = run.from.iter().zip(&run.to).zip(0..);
    pairs.map(|((from, to), place)| MemoryDifference {
        address: Address(run.address.0 + place),
        from: vec![*from],
        to: vec![*to],
        last_write: run.last_write,
    })
}

fn kinds(dice: &mut Dice) -> AccessKinds {
    dice.pick(&[
        AccessKinds::Reads,
        AccessKinds::Writes,
        AccessKinds::Writes,
        AccessKinds::All,
    ])
    .unwrap()
}
