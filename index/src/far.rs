//! Tests with all numbers beyond 2^32: steps, lines, times, text offsets and segment offsets.
//!
//! The index of a small trace is shifted: made-up segments of billions of steps precede its own,
//! and its text follows billions of bytes. It must return the answers of the small index, shifted.

use std::collections::HashSet;
use std::fmt::Debug;
use std::io;
use std::sync::Arc;

use stepback_generator::{Dice, Recipe, Size};
use stepback_machine::Address;
use stepback_parsers::{Line, Position, ReadAt, Source, Step, Tarmac};
use xxhash_rust::xxh3::xxh3_64;

use crate::answers::call::CallId;
use crate::answers::cell::{AccessKinds, Cell, Direction, ThreadId};
use crate::answers::difference::{Difference, ExternalChange};
use crate::answers::error::Cancel;
use crate::answers::register_file::RegisterFile;
use crate::answers::step_record::{AccessTarget, CellAccess, Effect, Hit, StepRecord};
use crate::builder::build_index::{Build, BuildOptions};
use crate::index::Index;
use crate::query::access::NearestAccess;
use crate::query::difference::DifferenceBetween;
use crate::query::externals::ExternalChanges;
use crate::query::folds::{FoldSet, TraceListRow};
use crate::query::memory::MemoryAt;
use crate::query::question::Query;
use crate::query::registers::RegistersAt;
use crate::query::search::text::FindText;
use crate::query::search::value::FindValue;
use crate::query::steps::{
    LineOfStep, NearestStepOf, PositionOfLine, PositionOfTime, RawLines, Steps,
};
use crate::query::visits::{NearestVisit, NthVisit, VisitsFrom};
use crate::read::visits::VisitReader;
use crate::store::calls::encoder::{CallFrame, encode_frames};
use crate::store::contents::KeyMaps;
use crate::store::data::{Extent, HEADER_LEN, IndexData};
use crate::store::fingerprint::Fingerprint;
use crate::store::key_map::{KeyMapWriter, SEGMENTS};
use crate::store::layout::{encode_part, header};
use crate::store::segment::meta::SegmentMeta;

/// Steps of each made-up segment; there are [`SEGMENTS`] of them.
const STEPS_EACH: u32 = 3_000_000_019;
const STEPS: u64 = STEPS_EACH as u64 * SEGMENTS as u64;
/// Lines before the trace's own.
const LINES: u64 = (1 << 40) + 12_345;
/// Bytes before the trace's own.
const BYTES: u64 = (1 << 44) + 54_321;
/// Offset added to each time in the trace.
const TIME: u64 = 5_000_000_000_000;

/// A text after billions of empty lines.
struct FarText(Vec<u8>);

impl ReadAt for FarText {
    fn length(&self) -> io::Result<u64> {
        Ok(BYTES + self.0.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match offset.checked_sub(BYTES) {
            Some(offset) => self.0.read_at(offset, buffer),
            // The first lines identify the format of the trace.
            None if offset < 4096 => self.0.read_at(offset, buffer),
            None => {
                buffer.fill(b'\n');
                Ok(buffer.len())
            }
        }
    }
}

/// Returns a trace of some thousand steps with times beyond 2^32 and no state before its first
/// step.
fn text() -> Vec<u8> {
    let text = Recipe {
        size: Size::Steps(6000),
        seed: 3,
        ..Recipe::default()
    }
    .text();
    let mut moved = Vec::new();
    for line in String::from_utf8(text).unwrap().lines() {
        let (time, rest) = line.split_once(' ').unwrap();
        let time: u64 = time.parse().unwrap();
        if time > 0 {
            moved.extend_from_slice(format!("{} {rest}\n", time + TIME).as_bytes());
            // A device changes memory now and then.
            if time.is_multiple_of(500) {
                moved.extend_from_slice(
                    format!(
                        "{} clk MR1 00501000:000000501000 {:02x}\n",
                        time + TIME,
                        time / 500
                    )
                    .as_bytes(),
                );
            }
        }
    }
    moved
}

/// Returns a small index and its bytes.
fn index(text: Vec<u8>) -> (Index, Vec<u8>) {
    let tarmac: Arc<dyn Source> =
        Arc::new(Tarmac::open(Box::new(text), Default::default()).unwrap());
    let (directory, options) = (
        tempfile::tempdir().unwrap(),
        BuildOptions {
            segment_bytes: 20_000,
            threads: 1,
        },
    );
    let path = directory.path().join("index");
    let fingerprint = Fingerprint::of(tarmac.as_ref(), 0).unwrap();
    let (progress, cancel) = Default::default();
    Build::new(&tarmac, &fingerprint, &options, &progress, &cancel)
        .to_file(&path)
        .unwrap();
    let bytes = std::fs::read(path).unwrap();
    (Index::from_bytes(tarmac, bytes.clone()).unwrap(), bytes)
}

fn push(bytes: &mut Vec<u8>, part: &[u8]) -> Extent {
    let extent = Extent {
        offset: bytes.len() as u64,
        len: part.len() as u64,
        checksum: xxh3_64(part),
    };
    bytes.extend_from_slice(part);
    extent
}

/// Returns the same index with all numbers shifted.
fn moved(near: &Index, mut bytes: Vec<u8>, text: Vec<u8>) -> Index {
    let source = Arc::new(Tarmac::open(Box::new(FarText(text)), Default::default()).unwrap());
    let mut contents = near.contents.clone();
    let nothing = KeyMapWriter::<()>::default().finish();
    let (granules, pcs) = (push(&mut bytes, &nothing), push(&mut bytes, &nothing));
    let moved = |maps: &mut KeyMaps| {
        (maps.first, maps.end) = (maps.first + SEGMENTS as u64, maps.end + SEGMENTS as u64)
    };
    contents.key_maps.iter_mut().for_each(moved);
    contents.key_maps.insert(
        0,
        KeyMaps {
            first: 0,
            end: SEGMENTS as u64,
            granules,
            pcs,
        },
    );
    let calls = (0..near.calls().len())
        .map(CallId)
        .filter_map(|id| Some((id, near.calls().get(id)?)));
    let frames = calls.map(|(id, call)| far_frame(CallFrame::of(&call, near.calls().stack_of(id))));
    let (frames, layout) = encode_frames(frames.collect(), contents.call_layout.switches.clone());
    (contents.calls, contents.call_layout) = (push(&mut bytes, &frames), layout);
    for segment in &mut contents.segments {
        segment.step_base += STEPS;
        segment.line_base += LINES;
        segment.text_start += BYTES;
    }
    let made_up = (0..SEGMENTS as u64).map(|number| SegmentMeta {
        step_base: number * u64::from(STEPS_EACH),
        steps: STEPS_EACH,
        ..SegmentMeta::default()
    });
    contents.segments.splice(0..0, made_up);
    contents
        .views
        .iter_mut()
        .flat_map(|view| &mut view.segments)
        .for_each(|number| *number += SEGMENTS as u32);
    contents
        .threads
        .iter_mut()
        .for_each(|thread| thread.first_step = thread.first_step.map(|step| Step(step.0 + STEPS)));
    contents.steps += STEPS;
    contents.lines += LINES;
    contents.text_end += BYTES;
    contents.fingerprint.length += BYTES;
    let directory = encode_part(&contents).unwrap();
    let directory = push(&mut bytes, &directory);
    let header = header(directory, bytes.len() as u64);
    bytes[..HEADER_LEN].copy_from_slice(&header);
    Index::load(source, IndexData::Memory(bytes), None).unwrap()
}

fn far_frame(frame: CallFrame) -> CallFrame {
    let far = |step: Option<u64>| step.map(|step| step + STEPS);
    CallFrame {
        call_step: far(frame.call_step),
        entry_step: far(frame.entry_step),
        exit_step: far(frame.exit_step),
        ..frame
    }
}

/// Shift of an answer to the far end of the number range.
trait FarShift {
    fn far(self) -> Self;
}

impl FarShift for Step {
    fn far(self) -> Self {
        Self(self.0 + STEPS)
    }
}

impl FarShift for Position {
    fn far(self) -> Self {
        Self(self.0 + STEPS)
    }
}

impl FarShift for Line {
    fn far(self) -> Self {
        Self(self.0 + LINES)
    }
}

impl<T: FarShift> FarShift for Option<T> {
    fn far(self) -> Self {
        self.map(T::far)
    }
}

impl<T: FarShift> FarShift for Vec<T> {
    fn far(self) -> Self {
        self.into_iter().map(T::far).collect()
    }
}

impl FarShift for StepRecord {
    fn far(self) -> Self {
        Self {
            step: self.step.far(),
            line: self.line.far(),
            ..self
        }
    }
}

impl FarShift for Hit {
    fn far(self) -> Self {
        Self {
            record: self.record.far(),
            position: self.position.far(),
            ..self
        }
    }
}

impl FarShift for CellAccess {
    fn far(self) -> Self {
        match self {
            Self::Step(hit) => Self::Step(Box::new(hit.far())),
            Self::Initial(line) => Self::Initial(line.far()),
        }
    }
}

impl FarShift for RegisterFile {
    fn far(mut self) -> Self {
        for register in &mut self.registers {
            register.written_at = register.written_at.far();
            register.written_by = register.written_by.far();
        }
        self
    }
}

impl FarShift for crate::answers::value::ByteState {
    fn far(self) -> Self {
        Self {
            seen_at: self.seen_at.far(),
            ..self
        }
    }
}

impl FarShift for crate::query::steps::RawLine {
    fn far(self) -> Self {
        Self {
            line: self.line.far(),
            step: self.step.far(),
            ..self
        }
    }
}

impl FarShift for ExternalChange {
    fn far(self) -> Self {
        Self {
            hit: self.hit.far(),
            ..self
        }
    }
}

impl FarShift for Difference {
    fn far(mut self) -> Self {
        self.registers
            .iter_mut()
            .for_each(|register| register.last_write = register.last_write.far());
        self.memory
            .iter_mut()
            .for_each(|run| run.last_write = run.last_write.far());
        self
    }
}

struct IndexPair {
    near: Index,
    far: Index,
}

impl IndexPair {
    fn new() -> Self {
        let text = text();
        let (near, bytes) = index(text.clone());
        assert!(near.contents.segments.len() > 10 && near.info().external_changes > 5);
        let far = moved(&near, bytes, text);
        Self { near, far }
    }

    #[track_caller]
    fn agree<Q: Query + Debug>(&self, near: Q, far: Q)
    where
        Q::Answer: FarShift + PartialEq + Debug,
    {
        let expected = near.run(&self.near, &Cancel::default()).unwrap().far();
        let found = far.run(&self.far, &Cancel::default());
        assert_eq!(
            found.unwrap_or_else(|error| panic!("{far:?}: {error}")),
            expected,
            "{far:?}"
        );
    }

    /// Returns a position and the shifted position. Positions in the made-up segments cannot be
    /// queried.
    fn position(&self, dice: &mut Dice) -> (Position, Position) {
        let position = Position(1 + dice.below(self.near.step_count()));
        (position, position.far())
    }
}

#[test]
fn numbers_of_the_whole_are_beyond_32_bits() {
    let IndexPair { near, far } = IndexPair::new();
    assert_eq!(far.call_count(), near.call_count());
    let (near, info) = (near.info(), far.info());
    assert_eq!(
        (info.steps, info.lines),
        (near.steps + STEPS, near.lines + LINES)
    );
    assert_eq!(info.trace_bytes, near.trace_bytes + BYTES);
    assert_eq!(
        (far.end(), far.threads()[0].first_step),
        (Position(info.steps), Some(Step(STEPS)))
    );
    assert!(info.time_range.unwrap().0 > u64::from(u32::MAX));
}

#[test]
fn registers_memory_and_steps_are_found_beyond_32_bits() {
    let pair = IndexPair::new();
    let mut dice = Dice(1);
    for _ in 0..300 {
        let (near, far) = pair.position(&mut dice);
        let thread = Some(ThreadId(0)).filter(|_| dice.one_in(2));
        pair.agree(
            RegistersAt {
                position: near,
                thread,
            },
            RegistersAt {
                position: far,
                thread,
            },
        );
        let (address, len_bytes) = (Address(0x50_0000 + dice.below(1 << 15)), 512);
        pair.agree(
            MemoryAt {
                position: near,
                address,
                len_bytes,
            },
            MemoryAt {
                position: far,
                address,
                len_bytes,
            },
        );
        let (first, count) = (Step(near.0 - 1), dice.below(300));
        pair.agree(
            Steps { first, count },
            Steps {
                first: first.far(),
                count,
            },
        );
        pair.agree(LineOfStep(first), LineOfStep(first.far()));
        let line = Line(1 + dice.below(pair.near.info().lines));
        pair.agree(PositionOfLine(line), PositionOfLine(line.far()));
        pair.agree(
            RawLines {
                first: line,
                count: 5,
            },
            RawLines {
                first: line.far(),
                count: 5,
            },
        );
        // Times are the same in both: those of the text.
        let time = TIME + 1 + dice.below(7000);
        pair.agree(PositionOfTime(time), PositionOfTime(time));
    }
}

#[test]
fn accesses_are_found_beyond_32_bits() {
    let pair = IndexPair::new();
    let mut dice = Dice(2);
    let records = Steps {
        first: Step(0),
        count: u64::MAX,
    }
    .run(&pair.near, &Cancel::default())
    .unwrap();
    for _ in 0..600 {
        let (near, far) = pair.position(&mut dice);
        let record = &records[dice.below(records.len() as u64) as usize];
        let kinds = dice
            .pick(&[AccessKinds::Reads, AccessKinds::Writes, AccessKinds::All])
            .unwrap();
        for effect in &record.effects {
            let (cell, kinds) = match effect {
                Effect::Register { view, .. } => (
                    Cell::Register {
                        thread: ThreadId(0),
                        view: *view,
                    },
                    AccessKinds::Writes,
                ),
                Effect::Access(access) => match access.target {
                    AccessTarget::Memory {
                        address,
                        size_bytes,
                    } => (
                        Cell::Memory {
                            address,
                            len_bytes: size_bytes,
                        },
                        kinds,
                    ),
                    AccessTarget::Register(_) => continue,
                },
                Effect::Exception(_) | Effect::Note(_) | Effect::Marker(_) | Effect::More(_) => {
                    continue;
                }
            };
            pair.agree(
                NearestAccess::last(cell, kinds, near),
                NearestAccess::last(cell, kinds, far),
            );
            pair.agree(
                NearestAccess::next(cell, kinds, near),
                NearestAccess::next(cell, kinds, far),
            );
        }
        let pc = record.pc;
        pair.agree(NearestVisit::last(pc, near), NearestVisit::last(pc, far));
        pair.agree(NearestVisit::next(pc, near), NearestVisit::next(pc, far));
        pair.agree(
            VisitsFrom {
                pc,
                from: near,
                limit: 50,
            },
            VisitsFrom {
                pc,
                from: far,
                limit: 50,
            },
        );
        let count = VisitReader(&pair.near).visit_count(pc).unwrap();
        assert_eq!(VisitReader(&pair.far).visit_count(pc).unwrap(), count);
        let number = 1 + dice.below(count);
        pair.agree(NthVisit { pc, number }, NthVisit { pc, number });
    }
    let thread = ThreadId(0);
    pair.agree(
        NearestStepOf::last(thread, Position(77)),
        NearestStepOf::last(thread, Position(77).far()),
    );
    pair.agree(
        NearestStepOf::next(thread, Position(77)),
        NearestStepOf::next(thread, Position(77).far()),
    );
}

#[test]
fn searches_external_changes_and_differences_go_beyond_32_bits() {
    let pair = IndexPair::new();
    let mut dice = Dice(3);
    for _ in 0..60 {
        let ((near, far), (other, other_far)) =
            (pair.position(&mut dice), pair.position(&mut dice));
        let pattern: crate::query::search::pattern::TextPattern = dice
            .pick(&["BLR", r"MW1 .* 0.$", "nowhere", "CBNZ +x20"])
            .unwrap()
            .parse()
            .unwrap();
        let find = |from| FindText {
            what: pattern.clone(),
            thread: None,
            from,
            limit: 4,
        };
        pair.agree(find(near), find(far));
        let value = dice.below(3);
        pair.agree(
            FindValue {
                what: value.into(),
                thread: None,
                from: near,
                limit: 4,
            },
            FindValue {
                what: value.into(),
                thread: None,
                from: far,
                limit: 4,
            },
        );
        let next = |from| ExternalChanges {
            range: None,
            thread: None,
            at: from,
            direction: Direction::Forward,
            skip: 0,
            limit: 4,
        };
        pair.agree(next(near), next(far));
        let last = |before| ExternalChanges {
            range: None,
            thread: None,
            at: before,
            direction: Direction::Back,
            skip: 0,
            limit: 4,
        };
        pair.agree(last(near), last(far));
        let difference = |from, to| DifferenceBetween {
            from,
            to,
            thread: None,
        };
        pair.agree(difference(near, other), difference(far, other_far));
    }
}

#[test]
fn calls_and_folds_go_beyond_32_bits() {
    let IndexPair { near, far } = IndexPair::new();
    let (calls, far_calls) = (near.calls(), far.calls());
    assert!(calls.len() > 50 && calls.len() == far_calls.len());
    let (mut folds, mut far_folds) = (
        FoldSet::new(near.step_count()),
        FoldSet::new(far.step_count()),
    );
    let mut dice = Dice(4);
    let folded: HashSet<_> = (0..20)
        .map(|_| CallId(1 + dice.below(calls.len() - 1)))
        .collect();
    for id in folded {
        folds.fold(calls, id);
        far_folds.fold(far_calls, id);
    }
    assert_eq!(far_folds.row_count(), folds.row_count() + STEPS);
    for row in 0..folds.row_count() {
        let expected = match folds.row(row).unwrap() {
            TraceListRow::Step(step) => TraceListRow::Step(step.far()),
            TraceListRow::Folded { call, first, last } => TraceListRow::Folded {
                call,
                first: first.far(),
                last: last.far(),
            },
        };
        assert_eq!(far_folds.row(row + STEPS), Some(expected));
    }
    for step in 0..near.step_count() {
        let position = Step(step).after();
        assert_eq!(
            far_folds.row_of(Step(step).far()),
            folds.row_of(Step(step)) + STEPS
        );
        let stack = calls.path_at(ThreadId(0), position);
        assert_eq!(far_calls.path_at(ThreadId(0), position.far()), stack);
        let called = calls.called_by(ThreadId(0), Step(step));
        assert_eq!(far_calls.called_by(ThreadId(0), Step(step).far()), called);
    }
}
