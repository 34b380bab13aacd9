//! RST traces: answers of the index, compared with the records by rules of the format and of SPARC.

mod compares;
mod control;
mod physical;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepback_index::answer::{
    AccessKinds, CallId, Cell, CellAccess, FrameEntry, FrameExit, RegisterState, ThreadId,
    ValueSource,
};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::oracle::{Oracle, Replay as _};
use stepback_index::query::{NearestAccess, RegisterViewsAt, RegistersAt, Steps, TranslationsAt};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::banks::WindowChange;
use stepback_machine::{Address, Encoding, InstructionSet, Mode, decode};
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::rst::{Instruction, RecordReader, Rst, kind};
use stepback_parsers::{Position, Source as _, Step, TraceFile};

use crate::support::rst_writer::{Flags, Kind, RstWriter};

fn file(path: &Path) -> TraceFile {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    TraceFile {
        name,
        data: Arc::new(std::fs::File::open(path).unwrap()),
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/rst")
        .join(name)
}

fn index_of(path: &Path, segment_bytes: u64) -> Index {
    index_of_file(file(path), segment_bytes)
}

fn index_of_file(file: TraceFile, segment_bytes: u64) -> Index {
    let trace = Rst::open(vec![file], CacheFileOptions::default()).unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    index_in_memory(
        Arc::new(trace),
        &BuildOptions {
            segment_bytes,
            threads: 1,
        },
    )
    .unwrap()
}

/// Returns the instructions of a trace, each with the number of its record.
fn instructions(path: &Path) -> Vec<(u64, Instruction)> {
    let mut reader = RecordReader::new(vec![file(path)]);
    let mut found = Vec::new();
    while let Some(batch) = reader.next_batch().unwrap() {
        let numbered = (batch.first..).zip(batch.records());
        let steps = numbered.filter(|(_, record)| record.kind() == kind::INSTRUCTION);
        found.extend(steps.map(|(number, record)| (number, Instruction::of(&record))));
    }
    found
}

/// Returns the registers or the register and constant whose sum is the address of a load or store;
/// none for other instructions.
fn address_of(word: u32) -> Option<(String, Result<String, i64>)> {
    let register = |number: u32| format!("r{}", number & 31);
    let has_address = word >> 30 == 3;
    let second = if word >> 13 & 1 == 1 {
        Err(i64::from((word as i32) << 19 >> 19))
    } else {
        Ok(register(word))
    };
    // CASA and CASXA have the address in one register.
    let is_swap = matches!(word >> 19 & 0x3f, 0x3c | 0x3e);
    has_address.then(|| (register(word >> 14), if is_swap { Err(0) } else { second }))
}

fn value(index: &Index, position: u64, name: &str) -> Option<u64> {
    if name == "r0" {
        return Some(0);
    }
    state(index, position, name).value.to_u64()
}

fn state(index: &Index, position: u64, name: &str) -> RegisterState {
    let view = NameReader(index).register_view(name, ThreadId(0)).unwrap();
    let views = vec![(name.to_owned(), view)];
    let states = RegisterViewsAt {
        position: Position(position),
        thread: ThreadId(0),
        views,
    };
    states.run(index, &Cancel::default()).unwrap().remove(0)
}

/// Checks that every effective address is the sum of the registers at its step; returns the number
/// of addresses.
#[track_caller]
fn check_addresses(path: &Path, segment_bytes: u64) -> usize {
    let index = index_of(path, segment_bytes);
    let mut count = 0;
    for (step, (_, instruction)) in (0..).zip(instructions(path)) {
        let Some(((first, second), ea)) = address_of(instruction.word).zip(instruction.ea) else {
            continue;
        };
        let second = second.map_or_else(
            |number| Some(number.cast_unsigned()),
            |name| value(&index, step, &name),
        );
        let sum = value(&index, step, &first)
            .zip(second)
            .map(|(first, second)| first.wrapping_add(second));
        assert_eq!(
            sum,
            Some(ea),
            "step {step} of {path:?}: {:08x}",
            instruction.word
        );
        count += 1;
    }
    count
}

#[test]
fn effective_addresses_follow_from_the_registers_of_the_window() {
    for (name, count) in [
        ("small.rst", 200),
        ("small.rz3.gz", 200),
        ("small.rz2.gz", 200),
        ("cti.rst", 0),
    ] {
        assert!(check_addresses(&fixture(name), 1 << 20) >= count, "{name}");
    }
    check_addresses(&fixture("hello.rst.zst"), 500);
}

#[test]
fn real_traces_of_rst_have_the_addresses_of_their_registers() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES").map(PathBuf::from) else {
        println!("skipped: STEPBACK_TRACES is not set");
        return;
    };
    assert!(check_addresses(&traces.join("rst/medium.rz3.gz"), 1 << 20) > 10_000);
}

/// Converts records of a processor to those of the second one.
fn of_second(record: &[u8; 24]) -> [u8; 24] {
    let mut record = *record;
    match record[0] {
        3 | 7 | 8 => record[2] |= 1 << 2,
        5 => record[4] |= 1,
        9 | 19 => record[1] |= 1,
        17 => record[8] = 1,
        26 => record[2] = 1,
        _ => {}
    }
    record
}

/// Returns a trace interleaved with a copy on a second processor, in turns of this number of
/// instructions.
fn twice(path: &Path, turn: usize) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let records = bytes.as_chunks::<24>().0;
    // Records after an instruction belong to it, up to those directly before the next one.
    let is_after = |record: &[u8; 24]| record[0] == 9 && record[1] & 0x80 != 0;
    let mut cuts: Vec<usize> = Vec::new();
    for (place, record) in records
        .iter()
        .enumerate()
        .filter(|(_, record)| record[0] == 3)
    {
        let before = records[..place]
            .iter()
            .rposition(|before| before[0] == 3 || is_after(before));
        // A store's value follows it; a load's value precedes the next instruction.
        let is_store = |record: &[u8; 24]| record[4] >> 6 == 3 && record[5] >> 5 & 1 == 1;
        let value = before.filter(|before| is_store(&records[*before]) || record[0] != 3);
        let first = before.map_or(place, |before| before + 1 + usize::from(value.is_some()));
        cuts.push(first.min(place));
    }
    let (head, body) = records.split_at(cuts[0]);
    let mut all = head.to_vec();
    all.extend(
        head.iter()
            .filter(|record| !matches!(record[0], 2 | 4 | 14 | 21))
            .map(of_second),
    );
    let starts: Vec<usize> = cuts
        .iter()
        .step_by(turn)
        .map(|cut| cut - cuts[0])
        .chain([body.len()])
        .collect();
    for part in starts.windows(2).map(|ends| &body[ends[0]..ends[1]]) {
        all.extend(part);
        all.extend(part.iter().map(of_second));
    }
    all.concat()
}

#[test]
fn two_processors_have_the_registers_of_one_each() {
    let path = fixture("small.rst");
    let one = index_of(&path, 1 << 20);
    let steps = one.step_count();
    for turn in [1, 7] {
        let file = TraceFile {
            name: "two".to_owned(),
            data: Arc::new(twice(&path, turn as usize)),
        };
        let two = index_of_file(file, 16 * 500);
        assert_eq!((two.step_count(), two.threads().len()), (2 * steps, 2));
        for step in (0..steps).step_by(41) {
            let state = |index: &Index, position, thread| {
                let question = RegistersAt {
                    position: Position(position),
                    thread: Some(ThreadId(thread)),
                };
                let file = question.run(index, &Cancel::default()).unwrap();
                let known = file
                    .registers
                    .into_iter()
                    .filter(|register| register.source == ValueSource::Recorded);
                known
                    .map(|register| (register.name, register.value))
                    .collect::<Vec<_>>()
            };
            let expected = state(&one, step, 0);
            assert!(expected.len() > 20);
            let (whole, rest) = (step / turn * turn, step % turn);
            let length = turn.min(steps - whole);
            let positions = [2 * whole + rest, 2 * whole + length + rest];
            for (thread, position) in (0..).zip(positions) {
                assert_eq!(
                    state(&two, position, thread),
                    expected,
                    "cpu{thread} at {position}, turns of {turn}"
                );
            }
        }
    }
}

#[test]
fn records_lead_to_their_steps() {
    for name in ["small.rst", "small_nv.rz3.gz", "hello.rz3.gz"] {
        let path = fixture(name);
        let index = index_of(&path, 1 << 20);
        let all = instructions(&path);
        assert_eq!(index.step_count(), all.len() as u64);
        let source = index.source();
        for (step, (number, _)) in (1..).zip(&all) {
            assert_eq!(
                source.position_of_record(*number).unwrap(),
                Some(Position(step)),
                "{name} {number}"
            );
            assert_eq!(
                source.position_of_record(number - 1).unwrap(),
                Some(Position(step - 1)),
                "{name} {number}"
            );
        }
        assert_eq!(source.position_of_record(0).unwrap(), None);
        assert_eq!(
            source
                .position_of_record(source.record_count().unwrap() + 1)
                .unwrap(),
            None
        );
    }
}

#[test]
fn the_last_write_of_an_in_is_that_of_the_callers_out() {
    let index = index_of(&fixture("small.rst"), 1 << 20);
    let view = |name| NameReader(&index).register_view(name, ThreadId(0)).unwrap();
    let last = |name, before| {
        let cell = Cell::Register {
            thread: ThreadId(0),
            view: view(name),
        };
        let question = NearestAccess::last(cell, AccessKinds::Writes, Position(before));
        match question.run(&index, &Cancel::default()).unwrap() {
            Some(CellAccess::Step(hit)) => Some(hit.record.step.0),
            _ => None,
        }
    };
    // `mov 4, %o0` in the delay slot of a call, then `save`.
    assert_eq!((last("o0", 10), last("i0", 11)), (Some(9), Some(9)));
    assert_eq!(last("sp", 11), Some(10));
    assert_eq!(value(&index, 11, "i0"), Some(4));
    // `clr %fp` wrote another window.
    assert_eq!(value(&index, 1, "fp"), Some(0));
    assert_eq!(value(&index, 11, "fp"), value(&index, 10, "sp"));
}

#[test]
fn what_is_written_and_never_told_is_not_recorded() {
    let index = index_of(&fixture("small_nv.rz2.gz"), 1 << 20);
    let states = (0..index.step_count())
        .step_by(50)
        .flat_map(|step| ["sp", "o0", "i7"].map(|name| state(&index, step, name)));
    let (mut inferred, mut all) = (0, 0);
    for state in states {
        let is_known = !state.value.is_unknown();
        assert_eq!(
            (state.source, state.reason.is_some()),
            match is_known {
                true => (ValueSource::Inferred, true),
                false => (ValueSource::Unknown, false),
            }
        );
        (inferred, all) = (inferred + u64::from(is_known), all + 1);
    }
    // The stack pointer and return addresses can mostly be inferred.
    assert!(inferred * 2 > all, "{inferred} of {all}");
    // The writer is known even without a value.
    let view = NameReader(&index).register_view("o0", ThreadId(0)).unwrap();
    let cell = Cell::Register {
        thread: ThreadId(0),
        view,
    };
    let question = NearestAccess::last(cell, AccessKinds::Writes, Position(10));
    let Some(CellAccess::Step(hit)) = question.run(&index, &Cancel::default()).unwrap() else {
        panic!("it is written")
    };
    assert_eq!(hit.record.step, Step(9));
}

#[test]
fn calls_begin_after_their_delay_slots_and_traps_are_frames() {
    // Segments of one and of seven steps also begin in delay slots.
    let cases = ["small.rst", "small_nv.rz2.gz", "cti.rst"]
        .into_iter()
        .flat_map(|name| [16, 7 * 16, 1 << 20].map(|bytes| (name, bytes)));
    for (name, segment_bytes) in cases {
        let path = fixture(name);
        let index = index_of(&path, segment_bytes);
        let steps = Steps {
            first: Step(0),
            count: u64::MAX,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        let is_call = |word: u32| {
            word >> 30 == 1 || word >> 30 == 2 && word >> 19 & 63 == 0x38 && word >> 25 & 31 == 15
        };
        let all = instructions(&path);
        let calls = all
            .iter()
            .filter(|(_, found)| is_call(found.word) && !found.is_annulled && !found.has_trap)
            .count();
        let traps = all.iter().filter(|(_, found)| found.has_trap).count();
        let frames: Vec<_> = (0..index.calls().len())
            .filter_map(|id| index.calls().get(CallId(id)))
            .collect();
        let entered = |kind| frames.iter().filter(|frame| frame.entered == kind).count();
        assert_eq!(
            (entered(FrameEntry::Call), entered(FrameEntry::Exception)),
            (calls, traps),
            "{name}"
        );
        for frame in frames
            .iter()
            .filter(|frame| frame.entered == FrameEntry::Call)
        {
            let (call, entry) = (frame.call_step.unwrap(), frame.entry_step.unwrap());
            assert_eq!(
                all[call.0 as usize].1.ea,
                Some(steps[entry.0 as usize].pc.0),
                "{name}: {frame:?}"
            );
        }
    }
}

#[test]
fn reads_are_those_of_the_window_in_use() {
    let path = fixture("small.rst");
    let index = index_of(&path, 1 << 20);
    let view = |name| NameReader(&index).register_view(name, ThreadId(0)).unwrap();
    let mut window: u8 = 7;
    let mut modes = Vec::new();
    let mut reads = Vec::new();
    for (_, found) in instructions(&path).iter().take(80) {
        let mode = Mode::Window {
            current: window % 8,
            count: 8,
            globals: 0,
        };
        let decoded = decode(
            Encoding::new(&found.word.to_be_bytes()).unwrap(),
            Address(found.pc),
            InstructionSet::Sparc64,
        );
        let of_step = decoded
            .registers
            .as_ref()
            .unwrap()
            .reads
            .iter()
            .map(|read| mode.home(read.register));
        reads.push(if found.is_annulled {
            Vec::new()
        } else {
            of_step.collect::<Vec<_>>()
        });
        modes.push(mode);
        window = match InstructionSet::Sparc64
            .window_step(&Encoding::new(&found.word.to_be_bytes()).unwrap())
        {
            Some(WindowChange::Save) => window + 1,
            Some(WindowChange::Restore) => window + 7,
            Some(WindowChange::Flush | WindowChange::Choice) | None => window,
        };
    }
    for (position, mode) in modes.iter().enumerate() {
        let at = position as u64;
        for name in ["o0", "i0", "l0", "sp", "fp", "o7", "i7", "g1"] {
            let home = mode.home(view(name).register);
            let expected = (0..position)
                .rev()
                .find(|step| reads[*step].contains(&home));
            let cell = Cell::Register {
                thread: ThreadId(0),
                view: view(name),
            };
            let question = NearestAccess::last(cell, AccessKinds::Reads, Position(at));
            let found = match question.run(&index, &Cancel::default()).unwrap() {
                Some(CellAccess::Step(hit)) => {
                    // No later step wrote it, unless the reading step did.
                    let step = hit.record.step.0;
                    let last = NearestAccess::last(cell, AccessKinds::Writes, Position(at));
                    let last = last.run(&index, &Cancel::default()).unwrap();
                    let is_fresh =
                        matches!(last, Some(CellAccess::Step(hit)) if hit.record.step.0 >= step);
                    let read = hit.access.and_then(|access| access.value.to_u64());
                    assert!(
                        is_fresh || read == value(&index, at, name),
                        "{name} before {position}"
                    );
                    Some(step as usize)
                }
                _ => None,
            };
            assert_eq!(found, expected, "{name} before {position}");
        }
    }
}

const MOV_L0: u32 = 0xa010_2000;
const SAVE: u32 = 0x9de3_bf50;
const RESTORE: u32 = 0x81e8_0000;
const FLUSHW: u32 = 0x8158_0000;
const WRPR_CWP: u32 = 0x9394_0000;
const RETRY: u32 = 0x83f0_0000;
/// `ldx [ %o0 ], %l0`
const LDX_L0: u32 = 0xe05a_2000;
const L0: u8 = 16;

/// Builds a program that fills all windows with nested calls and returns. The callback writes the
/// records after each `restore`.
fn deep(windows: u8, tell: impl Fn(&mut RstWriter, u64)) -> Index {
    let mut writer = RstWriter::new(windows);
    let mut pc = 0x1000;
    let mut put = |writer: &mut RstWriter, word| {
        writer.instruction(pc, word, None, Flags::default());
        pc += 4;
    };
    for depth in 0..=u32::from(windows) {
        put(&mut writer, MOV_L0 | depth);
        writer.register(Kind::Integer, L0, depth.into());
        if depth < windows.into() {
            put(&mut writer, SAVE);
        }
    }
    for depth in (0..u64::from(windows)).rev() {
        put(&mut writer, RESTORE);
        tell(&mut writer, depth);
    }
    index_of_file(
        TraceFile {
            name: "deep".to_owned(),
            data: Arc::new(writer.into_bytes()),
        },
        1 << 20,
    )
}

/// Returns the last step that wrote a register of the window in use at a position.
fn last_write(index: &Index, position: u64, name: &str) -> Option<u64> {
    let view = NameReader(index).register_view(name, ThreadId(0)).unwrap();
    let cell = Cell::Register {
        thread: ThreadId(0),
        view,
    };
    let question = NearestAccess::last(cell, AccessKinds::Writes, Position(position));
    match question.run(index, &Cancel::default()).unwrap() {
        Some(CellAccess::Step(hit)) => Some(hit.record.step.0),
        _ => None,
    }
}

#[test]
fn a_window_that_deeper_frames_used_is_not_what_they_left_in_it() {
    for windows in [4, 8] {
        let count = u64::from(windows);
        let index = deep(windows, |_, _| {});
        let innermost = 2 * count + 1;
        for depth in 0..count {
            let at = innermost + count - depth;
            // There are as many windows for the innermost frame and its callers as the processor
            // has, minus one.
            let is_kept = depth > 1;
            assert_eq!(
                value(&index, at, "l0"),
                is_kept.then_some(depth),
                "depth {depth} of {windows}"
            );
            let writer = if is_kept { 2 * depth } else { at - 1 };
            assert_eq!(
                last_write(&index, at, "l0"),
                Some(writer),
                "depth {depth} of {windows}"
            );
            // The outs are the ins of the frame that was left.
            assert_eq!(
                last_write(&index, at, "o0"),
                last_write(&index, at - 1, "i0"),
                "depth {depth} of {windows}"
            );
        }
        // Nothing has written the locals of a new frame.
        assert_eq!(
            (value(&index, 2, "l0"), value(&index, 3, "l0")),
            (None, Some(1))
        );
        assert_eq!(last_write(&index, 2, "l0"), Some(1));
    }
    // A restated value is known, and is no write if it does not change.
    let index = deep(4, |writer, depth| {
        (8..32).for_each(|number| writer.register(Kind::Integer, number, depth))
    });
    for depth in 0..4 {
        assert_eq!(
            value(&index, 9 + 4 - depth, "l0"),
            Some(depth),
            "depth {depth}"
        );
    }
    assert_eq!(last_write(&index, 11, "l0"), Some(4));
}

#[test]
fn stored_windows_and_windows_chosen_by_number_are_unknown_until_they_are_reported() {
    let value_at_end = |words: &[u32], stated: &[(Kind, u8, u64)]| {
        let mut writer = RstWriter::new(8);
        writer.register_before(Kind::Privileged, 9, 2);
        writer.register_before(Kind::Integer, L0, 77);
        for (word, pc) in words.iter().zip((0x1000..).step_by(4)) {
            writer.instruction(pc, *word, None, Flags::default());
        }
        stated
            .iter()
            .for_each(|(kind, number, value)| writer.register(*kind, *number, *value));
        let file = TraceFile {
            name: "windows".to_owned(),
            data: Arc::new(writer.into_bytes()),
        };
        let index = index_of_file(file, 1 << 20);
        value(&index, index.step_count(), "l0")
    };
    assert_eq!(value_at_end(&[SAVE, RESTORE], &[]), Some(77));
    assert_eq!(value_at_end(&[SAVE, FLUSHW, RESTORE], &[]), None);
    assert_eq!(value_at_end(&[FLUSHW], &[]), Some(77));
    assert_eq!(value_at_end(&[WRPR_CWP], &[]), None);
    let window = |number| [(Kind::Privileged, 9, number)];
    assert_eq!(value_at_end(&[WRPR_CWP], &window(3)), None);
    assert_eq!(value_at_end(&[WRPR_CWP], &window(2)), Some(77));
    // `wrpr %g0, 2, %cwp` states it itself.
    assert_eq!(
        value_at_end(&[WRPR_CWP & !(31 << 14) | 1 << 13 | 2], &[]),
        Some(77)
    );
}

#[test]
fn a_window_that_is_told_late_leaves_the_cells_their_numbers() {
    let mut writer = RstWriter::new(8);
    writer.instruction(0x1000, MOV_L0 | 5, None, Flags::default());
    writer.register(Kind::Integer, L0, 5);
    writer.register(Kind::Privileged, 9, 3);
    writer.instruction(0x1004, SAVE, None, Flags::default());
    writer.register(Kind::Privileged, 9, 4);
    writer.instruction(0x1008, RESTORE, None, Flags::default());
    writer.register(Kind::Privileged, 9, 3);
    let index = index_of_file(
        TraceFile {
            name: "late".to_owned(),
            data: Arc::new(writer.into_bytes()),
        },
        1 << 20,
    );
    assert_eq!(
        [1, 3].map(|position| value(&index, position, "l0")),
        [Some(5); 2]
    );
    assert_eq!(
        [1, 3].map(|position| last_write(&index, position, "l0")),
        [Some(0); 2]
    );
    assert_eq!(
        [1, 2, 3].map(|position| value(&index, position, "cwp")),
        [3, 4, 3].map(Some)
    );
}

#[test]
fn what_is_said_before_the_end_of_a_trap_is_not_of_its_handler() {
    let mut writer = RstWriter::new(8);
    writer.state(0x92);
    writer.register_before(Kind::Privileged, 9, 2);
    writer.register_before(Kind::Integer, 14, 0x1000);
    writer.instruction(0x1000, MOV_L0, None, Flags::default());
    writer.trap(0xc0, 0x1004);
    let flags = Flags {
        has_trap: true,
        is_taken: true,
        is_annulled: false,
    };
    writer.instruction(0x1004, RESTORE, Some(0x9000), flags);
    writer.instruction(0x9000, MOV_L0, None, Flags::default());
    writer.pair_before([7, 14], [0x77, 0x1000]);
    writer.instruction(
        0x9004,
        RETRY,
        Some(0x1004),
        Flags {
            is_taken: true,
            ..Flags::default()
        },
    );
    writer.instruction(0x1004, RESTORE, None, Flags::default());
    let index = index_of_file(
        TraceFile {
            name: "end".to_owned(),
            data: Arc::new(writer.into_bytes()),
        },
        1 << 20,
    );
    let at = |position| ["g7", "sp", "fp"].map(|name| value(&index, position, name));
    assert_eq!(at(3), [None, None, None]);
    assert_eq!(at(4), [Some(0x77), Some(0x1000), None]);
    assert_eq!(at(5), [Some(0x77), None, None]);
}

#[test]
fn what_a_trace_tells_of_memory_gives_registers_their_values() {
    let mut writer = RstWriter::new(8);
    writer.memory(0x2000, 8, 0x1234);
    writer.instruction(0x1000, LDX_L0, Some(0x2000), Flags::default());
    writer.instruction(0x1004, 0x0100_0000, None, Flags::default());
    let index = index_of_file(
        TraceFile {
            name: "load".to_owned(),
            data: Arc::new(writer.into_bytes()),
        },
        1 << 20,
    );
    let found = state(&index, 1, "l0");
    assert_eq!(
        (found.value.to_u64(), found.source),
        (Some(0x1234), ValueSource::Inferred)
    );
    assert_eq!(
        found.reason.unwrap().to_string(),
        "loaded by step 0: what the trace states at step 0"
    );
}

#[test]
fn a_vector_register_is_what_was_loaded_into_it_however_long_ago() {
    /// `ldd [%sp + 0x40], %f10`.
    const LDD_F10: u32 = 3 << 30 | 10 << 25 | 0x23 << 19 | 14 << 14 | 1 << 13 | 0x40;
    /// `faddd %f0, %f2, %f10`.
    const FADDD_F10: u32 = 2 << 30 | 10 << 25 | 0x34 << 19 | 0x42 << 5 | 2;
    const NOP: u32 = 0x0100_0000;
    let mut writer = RstWriter::new(8);
    writer.register_before(Kind::Integer, 14, 0x2000);
    writer.memory(0x2040, 8, 0x1234_5678);
    writer.instruction(0x1000, LDD_F10, Some(0x2040), Flags::default());
    let far = (0..3000).map(|step| 0x1004 + 4 * step);
    far.for_each(|pc| writer.instruction(pc, NOP, None, Flags::default()));
    // A handler that is not shown restores vector registers.
    writer.trap(0x24, 0x1004 + 4 * 3000);
    writer.instruction(0x1004 + 4 * 3000, NOP, None, Flags::default());
    writer.instruction(0x1008 + 4 * 3000, FADDD_F10, None, Flags::default());
    let index = index_of_file(
        TraceFile {
            name: "vector".to_owned(),
            data: Arc::new(writer.into_bytes()),
        },
        1 << 20,
    );
    let value_at = |position| state(&index, position, "d10").value.to_u64();
    assert_eq!(
        [0, 1, 100, 2999, 3001, 3002].map(value_at),
        [
            None,
            Some(0x1234_5678),
            Some(0x1234_5678),
            Some(0x1234_5678),
            Some(0x1234_5678),
            Some(0x1234_5678)
        ]
    );
    assert_eq!(value_at(3003), None, "a sum of what nobody told");
    let found = state(&index, 2999, "d10");
    assert_eq!(
        (found.source, found.written_by),
        (ValueSource::Inferred, Some(Step(0)))
    );
    assert_eq!(
        found.reason.unwrap().to_string(),
        "loaded by step 0: what the trace states at step 0"
    );
}

#[test]
fn what_a_kernel_did_that_no_record_shows_is_unknown() {
    const TA_LINUX: u32 = 0x91d0_206d;
    let has_record = Flags {
        has_trap: true,
        is_taken: true,
        is_annulled: false,
    };
    let has_none = Flags {
        is_taken: true,
        ..Flags::default()
    };
    for flags in [has_record, has_none] {
        let mut writer = RstWriter::new(8);
        writer.register_before(Kind::Privileged, 9, 2);
        let stated = [(1, 4), (8, 1), (9, 0x2000), (L0, 5)];
        stated
            .iter()
            .for_each(|(number, value)| writer.register_before(Kind::Integer, *number, *value));
        for pc in [0x1000, 0x1004] {
            if flags.has_trap {
                writer.trap(0x16d, pc);
            }
            writer.instruction(pc, TA_LINUX, Some(pc + 4), flags);
            if pc == 0x1004 {
                writer.register(Kind::Integer, 8, 1);
            }
        }
        writer.instruction(0x1008, MOV_L0, None, Flags::default());
        let index = index_of_file(
            TraceFile {
                name: "asks".to_owned(),
                data: Arc::new(writer.into_bytes()),
            },
            1 << 20,
        );
        let values = |position| ["o0", "o1", "l0", "cwp"].map(|name| value(&index, position, name));
        assert_eq!(values(0), [Some(1), Some(0x2000), Some(5), Some(2)]);
        assert_eq!(values(1), [None, None, Some(5), Some(2)]);
        assert_eq!(values(2), [Some(1), None, Some(5), Some(2)]);
        // The returned value is recorded although it equals the old one.
        assert_eq!(
            [1, 2].map(|position| last_write(&index, position, "o0")),
            [Some(0), Some(1)]
        );
        let frames = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
        assert_eq!(
            frames
                .filter(|call| call.entered != FrameEntry::Root)
                .count(),
            0,
            "nothing of the kernel is shown"
        );
        let levels = [1, 2, 3].map(|position| value(&index, position, "tl"));
        assert_eq!(levels, [flags.has_trap.then_some(0); 3]);
    }
}

#[test]
fn a_window_that_was_stored_unseen_is_that_of_the_program_again() {
    let mut writer = RstWriter::new(8);
    writer.register_before(Kind::Privileged, 9, 2);
    writer.register_before(Kind::Privileged, 10, 0);
    writer.register_before(Kind::Integer, L0, 5);
    writer.trap(0x80, 0x1000);
    let flags = Flags {
        has_trap: true,
        is_taken: true,
        is_annulled: false,
    };
    writer.instruction(0x1000, SAVE, Some(0x9000), flags);
    writer.instruction(0x1000, SAVE, None, Flags::default());
    writer.instruction(0x1004, MOV_L0 | 7, None, Flags::default());
    writer.register(Kind::Integer, L0, 7);
    writer.instruction(0x1008, RESTORE, None, Flags::default());
    let index = index_of_file(
        TraceFile {
            name: "spill".to_owned(),
            data: Arc::new(writer.into_bytes()),
        },
        1 << 20,
    );
    assert_eq!(
        [0, 1, 3, 4].map(|position| value(&index, position, "l0")),
        [5, 5, 7, 5].map(Some)
    );
    assert_eq!(
        [1, 2, 4].map(|position| value(&index, position, "cwp")),
        [Some(2), None, None]
    );
}

/// Writes steps whose branches reach their targets.
struct Program {
    writer: RstWriter,
    steps: u64,
}

impl Program {
    fn step(&mut self, pc: u64, word: u32) -> u64 {
        self.writer.instruction(pc, word, None, Flags::default());
        self.steps += 1;
        self.steps - 1
    }

    /// Writes a jump, call or return, and the instruction in its slot.
    fn turn(&mut self, pc: u64, words: [u32; 2], target: u64) -> u64 {
        self.writer.instruction(
            pc,
            words[0],
            Some(target),
            Flags {
                is_taken: true,
                ..Flags::default()
            },
        );
        self.steps += 1;
        self.step(pc + 4, words[1]);
        self.steps - 2
    }

    fn call(&mut self, pc: u64, target: u64) -> u64 {
        self.turn(
            pc,
            [
                1 << 30 | (target.wrapping_sub(pc) >> 2) as u32 & 0x3fff_ffff,
                NOP,
            ],
            target,
        )
    }
}

const NOP: u32 = 0x0100_0000;
/// `jmp %o7 + 8`
const RETL: u32 = 0x81c3_e008;
/// `jmp %i7 + 8`
const RET: u32 = 0x81c7_e008;
/// `return %i7 + 8`
const RETURN: u32 = 0x81cf_e008;

#[test]
fn a_longjmp_leaves_the_frames_of_all_windows_between() {
    // By `ret` with `restore`, and by `return`, as libraries do.
    for [jump, slot] in [[RET, RESTORE], [RETURN, NOP], [RETL, NOP]] {
        let mut program = Program {
            writer: RstWriter::new(4),
            steps: 0,
        };
        let call = program.call(0x1000, 0x5000); // setjmp
        program.turn(0x5000, [RETL, NOP], 0x1008);
        let outer = program.call(0x1008, 0x2000);
        program.step(0x2000, SAVE);
        let middle = program.call(0x2004, 0x3000);
        program.step(0x3000, SAVE);
        let longjmp = program.call(0x3004, 0x6000);
        program.step(0x6000, FLUSHW);
        program.step(0x6004, RESTORE);
        let left = program.turn(0x6008, [jump, slot], 0x1008);
        let last = program.call(0x1008, 0x4000);
        let back = program.turn(0x4000, [RETL, NOP], 0x1010);
        program.step(0x1010, NOP);
        let file = TraceFile {
            name: "jumps".to_owned(),
            data: Arc::new(program.writer.into_bytes()),
        };
        let index = index_of_file(file, 1 << 20);
        let frames = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
        let frames = frames.filter(|frame| frame.entered == FrameEntry::Call);
        let stated: Vec<_> = frames
            .map(|frame| {
                (
                    frame.call_step.unwrap().0,
                    frame.depth,
                    frame.exit_step.unwrap().0,
                    frame.left,
                )
            })
            .collect();
        // The slot of a return is the last step of its frame.
        let expected = [
            (call, 1, call + 3, FrameExit::Return),
            (outer, 1, left + 1, FrameExit::Longjmp),
            (middle, 2, left + 1, FrameExit::Longjmp),
            (longjmp, 3, left + 1, FrameExit::Longjmp),
            (last, 1, back + 1, FrameExit::Return),
        ];
        assert_eq!(stated, expected, "{jump:08x}");
    }
}

/// Checks the frames except the root, formatted as `function call..entry..exit left`.
#[track_caller]
fn check_frames(program: Program, expected: &[&str]) {
    let bytes = program.writer.into_bytes();
    for segment_bytes in [16, 3 * 16, 1 << 20] {
        let file = TraceFile {
            name: "frames".to_owned(),
            data: Arc::new(bytes.clone()),
        };
        let index = index_of_file(file, segment_bytes);
        let number = |step: Option<Step>| step.map_or("-".to_owned(), |step| step.0.to_string());
        let frames = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
        let frames = frames
            .filter(|frame| frame.entered != FrameEntry::Root)
            .map(|frame| {
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

/// RETRY resumes at TPC, and continues at TNPC (The SPARC Architecture Manual, Version 9, A.11).
#[test]
fn a_return_whose_slot_traps_ends_its_frame_where_the_slot_is_executed() {
    let taken = Flags {
        is_taken: true,
        ..Flags::default()
    };
    let mut program = Program {
        writer: RstWriter::new(8),
        steps: 0,
    };
    program.writer.state(0x92);
    program.call(0x1000, 0x5000);
    program.step(0x5000, SAVE);
    program.writer.instruction(0x5004, RET, Some(0x1008), taken);
    // A fill.
    program.writer.trap_in_slot(0xc0, 0x5008, 0x1008);
    program.writer.instruction(
        0x5008,
        RESTORE,
        None,
        Flags {
            has_trap: true,
            ..Flags::default()
        },
    );
    program
        .writer
        .instruction(0x9000, NOP, None, Flags::default());
    program
        .writer
        .instruction(0x9004, RETRY, Some(0x5008), taken);
    program.step(0x5008, RESTORE);
    program.step(0x1008, NOP);
    check_frames(program, &["5000 0..2..7 Return", "9000 4..5..6 Return"]);
}

#[test]
fn an_interrupt_between_a_branch_and_its_slot_hides_neither_the_call_nor_the_return() {
    let taken = Flags {
        is_taken: true,
        ..Flags::default()
    };
    let mut program = Program {
        writer: RstWriter::new(8),
        steps: 0,
    };
    program.writer.state(0x92);
    let interrupt = |program: &mut Program, pc, npc| {
        program.writer.trap_in_slot(0x4e, pc, npc);
        program.step(0x9000, NOP);
        program.writer.instruction(0x9004, RETRY, Some(pc), taken);
        program.step(pc, NOP);
    };
    program
        .writer
        .instruction(0x1000, 1 << 30 | 0x1000, Some(0x5000), taken);
    interrupt(&mut program, 0x1004, 0x5000);
    program.step(0x5000, NOP);
    program
        .writer
        .instruction(0x5004, RETL, Some(0x1008), taken);
    interrupt(&mut program, 0x5008, 0x1008);
    program.step(0x1008, NOP);
    check_frames(
        program,
        &[
            "5000 0..4..8 Return",
            "9000 0..1..2 Return",
            "9000 5..6..7 Return",
        ],
    );
}

/// A load of the memory at an address, and one from an alternate address space.
const LOAD: u32 = 0xc458_4000;
const LOAD_ELSEWHERE: u32 = 0xc4d8_4220;
const PAGES: u64 = 0x10_0000;

/// Translation of instruction or data addresses.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    context: u16,
    /// Difference between physical and virtual addresses.
    difference: u64,
}

/// Change of a translation buffer entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Written,
    Invalidated,
}

/// A trace of loads, with code from `0x1000` on.
struct Paged {
    bytes: Vec<u8>,
    pc: u64,
}

impl Paged {
    fn new() -> Self {
        Self {
            bytes: RstWriter::new(8).into_bytes(),
            pc: 0x1000,
        }
    }

    /// Appends records without their header.
    fn write(&mut self, write: impl FnOnce(&mut RstWriter)) {
        let head = RstWriter::new(8).into_bytes().len();
        let mut writer = RstWriter::new(8);
        write(&mut writer);
        self.bytes.extend(&writer.into_bytes()[head..]);
    }

    fn step(&mut self, word: u32, ea: Option<u64>) {
        let pc = self.pc;
        self.write(|writer| writer.instruction(pc, word, ea, Flags::default()));
        self.pc += 4;
    }

    fn load(&mut self, ea: u64) {
        self.step(LOAD, Some(ea));
    }

    /// Writes a PAVADIFF whose code translation never changes.
    fn data(&mut self, context: u16, difference: u64) {
        let sides = [
            Side {
                context: 0,
                difference: 0x4000_0000,
            },
            Side {
                context,
                difference,
            },
        ];
        self.bytes.extend([19, 0x80, 0, 0]);
        sides
            .iter()
            .for_each(|side| self.bytes.extend(side.context.to_be_bytes()));
        sides
            .iter()
            .for_each(|side| self.bytes.extend(side.difference.to_be_bytes()));
    }

    /// Writes a TLB record for data.
    fn entry(&mut self, change: Entry, tag: u64, data: u64) {
        self.bytes.extend([
            5,
            u8::from(change == Entry::Invalidated) << 7 | 0x40,
            0,
            0,
            0,
            0,
            0,
            0,
        ]);
        self.bytes
            .extend([tag, data].map(u64::to_be_bytes).as_flattened());
    }

    fn process(&mut self) {
        self.bytes.extend([12, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
        self.bytes.extend([0; 12]);
    }

    fn index(self) -> Index {
        index_of_file(
            TraceFile {
                name: "paged".to_owned(),
                data: Arc::new(self.bytes),
            },
            1 << 20,
        )
    }
}

/// Returns the physical addresses of a virtual one, each with its context. Compares the index with
/// the oracle.
#[track_caller]
fn physical(index: &Index, position: u64, address: u64) -> Vec<(u64, u64)> {
    let question = TranslationsAt {
        thread: ThreadId(0),
        address: Address(address),
        position: Position(position),
    };
    let found = question.run(index, &Cancel::default()).unwrap();
    let oracle = Oracle::of(index.source().as_ref()).unwrap();
    assert_eq!(question.replay(&oracle).unwrap(), found);
    assert!(
        found
            .iter()
            .all(|stated| stated.stated_at.0 <= position && stated.page.0 == address & !0x1fff)
    );
    found
        .iter()
        .map(|stated| (stated.context.unwrap(), stated.physical.0))
        .collect()
}

#[test]
fn a_virtual_address_has_the_physical_one_that_was_told_by_then() {
    let mut trace = Paged::new();
    trace.load(PAGES);
    trace.data(5, 0x20_0000);
    trace.load(PAGES + 8);
    // Another page, and the first again: the difference stays valid.
    trace.load(PAGES + 0x2010);
    trace.data(5, 0x60_0000);
    trace.load(PAGES + 0x10);
    let index = trace.index();
    assert_eq!(physical(&index, 0, PAGES + 0x18), []);
    assert_eq!(physical(&index, 2, PAGES + 0x18), [(5, 0x30_0018)]);
    assert_eq!(physical(&index, 1, PAGES + 0x2000), []);
    assert_eq!(physical(&index, 3, PAGES + 0x2000), [(5, 0x30_2000)]);
    assert_eq!(physical(&index, 4, PAGES + 0x18), [(5, 0x70_0018)]);
    assert_eq!(physical(&index, 4, PAGES + 0x2000), [(5, 0x30_2000)]);
    assert_eq!(physical(&index, 4, 0x1004), [(0, 0x4000_1004)]);
    assert_eq!(physical(&index, 4, PAGES + 0x4000), []);
}

#[test]
fn each_context_has_its_own_translation() {
    let mut trace = Paged::new();
    trace.data(5, 0x20_0000);
    trace.load(PAGES);
    trace.data(6, 0x40_0000);
    trace.load(PAGES);
    let index = trace.index();
    // Records before a step are visible at the position before it.
    assert_eq!(physical(&index, 0, PAGES), [(5, 0x30_0000)]);
    assert_eq!(physical(&index, 1, PAGES), [(6, 0x50_0000), (5, 0x30_0000)]);
}

#[test]
fn what_an_entry_or_a_process_ends_is_unknown_until_it_is_told_again() {
    let translation = |change: &dyn Fn(&mut Paged)| {
        let mut trace = Paged::new();
        trace.data(5, 0x20_0000);
        trace.load(PAGES);
        change(&mut trace);
        trace.step(LOAD, None);
        let before = trace.pc;
        assert_eq!(before, 0x1008);
        physical(&trace.index(), 2, PAGES + 1)
    };
    let tag = PAGES | 5;
    let known = [(5, 0x30_0001)];
    assert_eq!(translation(&|_| {}), known);
    assert_eq!(
        translation(&|trace| trace.entry(Entry::Invalidated, tag, 0)),
        []
    );
    // The page size is unknown.
    assert_eq!(
        translation(&|trace| trace.entry(Entry::Invalidated, tag + 0x8000, 0)),
        []
    );
    assert_eq!(
        translation(&|trace| trace.entry(Entry::Invalidated, tag + 0x80_0000, 0)),
        known
    );
    assert_eq!(
        translation(&|trace| trace.entry(Entry::Written, tag, 1 << 63 | 0x30_0000 | 0x32)),
        known
    );
    assert_eq!(
        translation(&|trace| trace.entry(Entry::Written, tag, 1 << 63 | 0x90_0000 | 0x32)),
        []
    );
    assert_eq!(
        translation(&|trace| trace.entry(Entry::Written, tag, 0)),
        []
    );
    assert_eq!(translation(&Paged::process), []);
}

#[test]
fn entries_of_a_known_mmu_tell_their_pages() {
    let stated = |mmu: &[u8], data: u64| {
        let mut trace = Paged::new();
        let mut text = [b"\x0emmutype=", mmu].concat();
        text.resize(24, 0);
        trace.bytes.extend(text);
        trace.entry(Entry::Written, PAGES | 5, 1 << 63 | data);
        trace.step(LOAD, None);
        let index = trace.index();
        [PAGES + 1, PAGES + 0x2001, PAGES + 0xe001].map(|address| physical(&index, 1, address))
    };
    let [first, second, eighth] =
        [0x30_0001, 0x30_2001, 0x30_e001].map(|address| vec![(5, address)]);
    assert_eq!(
        stated(b"spitfire", 0x30_0032),
        [first.clone(), vec![], vec![]]
    );
    // Contains bits that are not part of an address.
    assert_eq!(
        stated(b"spitfire", 1 << 41 | 0x30_0032),
        [first.clone(), vec![], vec![]]
    );
    assert_eq!(
        stated(b"cheetah", 1 << 41 | 0x30_0032),
        [vec![(5, 1 << 41 | 0x30_0001)], vec![], vec![]]
    );
    assert_eq!(
        stated(b"cheetah", 1 << 61 | 0x30_0032),
        [first, second, eighth]
    );
    assert_eq!(
        stated(b"cheetah", 3 << 61 | 0x40_0032),
        [vec![], vec![], vec![]]
    );
    for mmu in [&b"sun4v"[..], b"unknown"] {
        assert_eq!(stated(mmu, 0x30_0032), [vec![], vec![], vec![]]);
    }
}

#[test]
fn a_difference_holds_on_for_plain_accesses_without_a_trap_alone() {
    let mut trace = Paged::new();
    trace.data(5, 0x20_0000);
    trace.step(LOAD_ELSEWHERE, Some(PAGES));
    trace.load(PAGES + 0x2000);
    trace.data(5, 0x20_0000);
    trace.load(PAGES + 0x4000);
    trace.step(LOAD_ELSEWHERE, Some(PAGES + 0x6000));
    let pc = trace.pc;
    trace.write(|writer| writer.trap(0x68, pc));
    trace.pc = 0x9000;
    trace.load(PAGES + 0x8000);
    let index = trace.index();
    let end = index.step_count();
    // Recorded for the access itself.
    assert_eq!(physical(&index, end, PAGES), [(5, 0x30_0000)]);
    assert_eq!(physical(&index, end, PAGES + 0x2000), []);
    assert_eq!(physical(&index, end, PAGES + 0x4000), [(5, 0x30_4000)]);
    assert_eq!(physical(&index, end, PAGES + 0x6000), []);
    assert_eq!(physical(&index, end, PAGES + 0x8000), []);
    assert_eq!(physical(&index, end, 0x9000), []);
}

/// Cuts a trace after each of its first instructions: the inferred next address is right or absent.
#[test]
fn the_program_counter_at_the_end_is_where_the_trace_goes_on() {
    for (name, count) in [("cti.rst", 60), ("small.rst", 250)] {
        let whole = std::fs::read(fixture(name)).unwrap();
        let steps = instructions(&fixture(name));
        let mut known = 0;
        for pair in steps.windows(2).take(count) {
            let [(_, last), (next_record, next)] = pair else {
                unreachable!()
            };
            // Control goes to the trap handler regardless of the instruction.
            if last.has_trap || last.cpu != next.cpu {
                continue;
            }
            let cut = whole[..usize::try_from((next_record - 1) * 24).unwrap()].to_vec();
            let index = index_of_file(
                TraceFile {
                    name: name.to_owned(),
                    data: Arc::new(cut),
                },
                1 << 20,
            );
            let file = RegistersAt {
                position: index.end(),
                thread: None,
            }
            .run(&index, &Cancel::default())
            .unwrap();
            let pc = file.get("pc").and_then(|value| value.to_u64());
            assert!(
                pc.is_none_or(|pc| pc == next.pc),
                "{name}: behind {:x}: {pc:x?}, not {:x}",
                last.pc,
                next.pc
            );
            known += usize::from(pc.is_some());
        }
        println!("{name}: {known} of {count} known");
        // Conditional branches with an annul bit, and couples, depend on more than one instruction.
        assert!(known * 4 > count * 3, "{name}: {known} of {count}");
    }
}
