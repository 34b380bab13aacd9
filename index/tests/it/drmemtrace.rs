//! Queries on drmemtrace traces.

use std::sync::Arc;

use stepback_generator::drmemtrace::{
    Architecture, Container, Sample, SampleFile, TraceRecipe, TraceWriter, kind, marker,
};
use stepback_index::answer::{AccessKinds, Cell, CellAccess, Doubt, Effect, Hit, ThreadId};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{
    Accesses, FindText, LineOfStep, NearestAccess, PageHeat, RawLines, Steps,
};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::{AccessKind, Address, InstructionSet, Registers};
use stepback_parsers::drmemtrace::{Drmemtrace, RecordContent, VisibleRecord};
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::stored::StoredAccess;
use stepback_parsers::{Line, Position, Source as _, Step, TraceFile};

fn index_of(sample: Sample, segment_bytes: u64) -> Index {
    index_of_files(sample.files(Container::Zip), segment_bytes)
}

fn index_of_files(files: Vec<SampleFile>, segment_bytes: u64) -> Index {
    let files = files
        .into_iter()
        .map(|file| TraceFile {
            name: file.name,
            data: Arc::new(file.bytes),
        })
        .collect();
    let trace = Drmemtrace::open(files, CacheFileOptions::default()).unwrap();
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

#[test]
fn text_is_found_in_disassembly_and_records() {
    for segment_bytes in [160, 1 << 20] {
        let index = index_of(Sample::Threads, segment_bytes);
        let cancel = Cancel::default();
        let find = |pattern: &str| {
            let pattern = pattern.parse().unwrap();
            let hits = FindText {
                what: pattern,
                thread: None,
                from: Position(0),
                limit: usize::MAX,
            }
            .run(&index, &cancel)
            .unwrap();
            hits.into_iter()
                .map(|hit| hit.record.step.0)
                .collect::<Vec<_>>()
        };
        let steps = Steps {
            first: Step(0),
            count: u64::MAX,
        }
        .run(&index, &cancel)
        .unwrap();
        assert!(
            steps
                .iter()
                .all(|step| step.line.is_none() && !step.text.is_empty())
        );
        let first = &steps[0].text;
        let expected = steps
            .iter()
            .filter(|step| &step.text == first)
            .map(|step| step.step.0);
        assert_eq!(
            find(&format!("^{}$", regex_escape(first))),
            expected.collect::<Vec<_>>()
        );
        assert_eq!(find("."), (0..index.step_count()).collect::<Vec<_>>());
        let exits = find(r"<thread \d+ exited>");
        assert_eq!(exits.len(), 3, "{exits:?}");
        assert_eq!(find("no such thing"), [0; 0]);
    }
}

fn regex_escape(text: &str) -> String {
    let escape = |letter: char| {
        if letter.is_alphanumeric() {
            letter.to_string()
        } else {
            format!("\\x{:02x}", letter as u32)
        }
    };
    text.chars().map(escape).collect()
}

#[test]
fn there_are_no_lines() {
    let index = index_of(Sample::Plain(7, Architecture::X86_64), 1 << 20);
    let cancel = Cancel::default();
    assert_eq!(LineOfStep(Step(0)).run(&index, &cancel).unwrap(), None);
    assert_eq!(
        RawLines {
            first: Line(1),
            count: 9
        }
        .run(&index, &cancel)
        .unwrap(),
        []
    );
}

/// Returns an uncompressed trace file.
fn file(name: &str, writer: TraceWriter) -> SampleFile {
    let records = writer.finish();
    SampleFile {
        name: name.to_owned(),
        bytes: records.pack(Container::Plain),
        truth: records.truth,
    }
}

#[test]
fn an_access_counts_in_each_page_that_it_touches() {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(13_400_000_000_000_000, 0);
    // Pages in which accesses begin, and those they extend into. An access that crosses blocks
    // within a page counts once.
    for (pc, address) in [
        (0x40_1000, 0x5ffc),
        (0x40_1001, 0x6ffe),
        (0x40_1002, 0x603c),
        (0x40_1003, 0x6000),
    ] {
        writer.instruction(pc, &[0x90]);
        writer.read(address, 8);
        writer.write(address, 8);
    }
    let files = vec![file("a.100.0.trace", writer)];
    for segment_bytes in [16, 1 << 20] {
        let index = index_of_files(files.clone(), segment_bytes);
        let heat = PageHeat {
            from: Position(0),
            to: index.end(),
            buckets: 1,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        let pages = heat
            .pages
            .iter()
            .map(|page| (page.first.0, page.reads[0], page.writes[0]));
        assert_eq!(
            pages.collect::<Vec<_>>(),
            [(0x5000, 1, 1), (0x6000, 4, 4), (0x7000, 1, 1)]
        );
    }
}

/// DynamoRIO issue 5365: recorders before 2024 wrote lengths of 0 for accesses that they could not
/// decode.
#[test]
fn accesses_without_a_length_are_as_long_as_their_instruction_says() {
    let recipe = TraceRecipe {
        architecture: Architecture::A64,
        ..TraceRecipe::default()
    };
    let mut writer = TraceWriter::new(recipe);
    writer.time(13_400_000_000_000_000, 0);
    // `str x0, [x0]`, `ldp x1, x2, [x0]`, `ldr b0, [x0]`, and a word that is no instruction.
    for (pc, word) in [
        (0x40_1000, 0xf900_0000_u32),
        (0x40_1004, 0xa940_0801),
        (0x40_1008, 0x3d40_0000),
        (0x40_100c, 0),
    ] {
        writer.instruction(pc, &word.to_le_bytes());
        match pc {
            0x40_1000 => writer.write(0x1000, 0),
            _ => writer.read(0x2000, 0),
        }
    }
    let index = index_of_files(vec![file("a.100.0.trace", writer)], 1 << 20);
    let steps = Steps {
        first: Step(0),
        count: 9,
    }
    .run(&index, &Cancel::default())
    .unwrap();
    let sizes = steps
        .iter()
        .flat_map(|step| &step.effects)
        .filter_map(|effect| match effect {
            Effect::Access(access) => Some(access.value.0.len()),
            _ => None,
        });
    assert_eq!(sizes.collect::<Vec<_>>(), [8, 16, 1, 1]);
}

/// A trace whose instructions before the first step were all filtered out.
#[test]
fn accesses_before_the_first_step_count_in_the_heat_of_the_whole_trace() {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(13_400_000_000_000_000, 0);
    for number in 0..4 {
        writer.record(kind::INSTRUCTION, 0, 0x40_1000 + number);
        writer.read(0x60_0000 + 0x1000 * number, 8);
    }
    writer.instruction(0x40_2000, &[0x90]);
    let index = index_of_files(vec![file("a.100.0.trace", writer)], 1 << 20);
    let heat = |from| {
        PageHeat {
            from,
            to: index.end(),
            buckets: 1,
        }
        .run(&index, &Cancel::default())
        .unwrap()
    };
    let pages = heat(Position(0))
        .pages
        .iter()
        .map(|page| (page.first.0, page.reads[0]))
        .collect::<Vec<_>>();
    assert_eq!(
        pages,
        [
            (0x60_0000, 1),
            (0x60_1000, 1),
            (0x60_2000, 1),
            (0x60_3000, 1)
        ]
    );
    assert_eq!(heat(index.end()).pages, []);
}

/// A step after the store that may overwrite it.
enum LaterStep {
    /// A system call with immediate arguments in `edi`, `esi`, `edx`, `r10d`.
    Call(u64, [u32; 4]),
    /// A load of 8 bytes.
    Load(u64),
}

/// Stores 8 bytes at 0x5000, makes a system call, and returns the doubt about the memory.
fn doubt_after(number: u64, arguments: [u32; 4]) -> Option<Doubt> {
    doubt_after_steps(&[LaterStep::Call(number, arguments)])
}

/// Stores 8 bytes at 0x5000, makes some steps, and returns the doubt about the memory.
fn doubt_after_steps(steps: &[LaterStep]) -> Option<Doubt> {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    let mut time = 13_400_000_000_000_000;
    writer.time(time, 0);
    writer.instruction(0x40_1000, &[0x48, 0x89, 0x03]);
    writer.write(0x5000, 8);
    let mut pc = 0x40_1003;
    for step in steps {
        match *step {
            LaterStep::Load(address) => {
                writer.instruction(pc, &[0x48, 0x8b, 0x03]);
                writer.read(address, 8);
                pc += 3;
            }
            LaterStep::Call(number, arguments) => {
                for (opcode, argument) in [&[0xbf][..], &[0xbe], &[0xba], &[0x41, 0xba]]
                    .into_iter()
                    .zip(arguments)
                {
                    let bytes = [opcode, &argument.to_le_bytes()].concat();
                    writer.instruction(pc, &bytes);
                    pc += bytes.len() as u64;
                }
                writer.instruction(pc, &[0x0f, 0x05]);
                writer.time(time + 5, 0);
                writer.marker(marker::SYSTEM_CALL, number);
                time += 9;
                writer.time(time, 0);
                pc += 2;
            }
        }
    }
    writer.instruction(pc, &[0x90]);
    let index = index_of_files(vec![file("a.100.0.trace", writer)], 1 << 20);
    let cell = Cell::Memory {
        address: Address(0x5000),
        len_bytes: 8,
    };
    let last = NearestAccess::last(cell, AccessKinds::Writes, index.end());
    match last.run(&index, &Cancel::default()).unwrap() {
        Some(CellAccess::Step(hit)) => hit.doubt,
        other => panic!("{other:?}"),
    }
}

/// `munmap` writes nothing (`man 2 munmap`), and an access to a page that is not mapped faults: the
/// bytes changed only if they were mapped anew, at an address that the kernel chose, without an
/// access in between.
#[test]
fn removing_a_mapping_changes_memory_only_if_it_is_mapped_anew() {
    let unmap = || LaterStep::Call(11, [0x5000, 0x1000, 0, 0]);
    let unmap_another = || LaterStep::Call(11, [0x6000, 0x1000, 0, 0]);
    let map = || LaterStep::Call(9, [0, 0x1000, 3, 0x22]);
    let load = || LaterStep::Load(0x5000);
    for steps in [
        vec![unmap()],
        vec![unmap(), load()],
        vec![map(), unmap()],
        vec![unmap_another(), map()],
        // Another cell of the page shows that the page is still mapped.
        vec![unmap(), LaterStep::Load(0x5ff8), map()],
        vec![unmap(), load(), map(), load()],
    ] {
        assert_eq!(doubt_after_steps(&steps), None);
    }
    let by_mapping = |step| {
        Some(Doubt::SystemCall {
            step: Step(step),
            number: 9,
        })
    };
    assert_eq!(doubt_after_steps(&[unmap(), map()]), by_mapping(10));
    // The access came too late to say anything, or was to another page.
    assert_eq!(doubt_after_steps(&[unmap(), map(), load()]), by_mapping(10));
    let other_page = LaterStep::Load(0x6000);
    assert_eq!(
        doubt_after_steps(&[unmap(), other_page, map()]),
        by_mapping(11)
    );
}

/// The arguments follow `man 2`: read(fd, buffer, count), mmap(address, length, protection, flags),
/// brk(address), munmap(address, length), madvise(address, length, advice), futex(word, operation),
/// write(fd, buffer, count), exit(status).
#[test]
fn a_system_call_overwrites_only_what_its_arguments_name() {
    for (number, arguments) in [
        (12, [0x9000, 0, 0, 0]),
        (0, [3, 0x5008, 0x1000, 0]),
        (0, [3, 0x4000, 0x1000, 0]),
        (1, [1, 0x5000, 8, 0]),
        (9, [0, 0x1000, 3, 0x22]),
        (9, [0x6000, 0x1000, 3, 0x32]),
        (9, [0x5000, 0x1000, 3, 0x22]),
        (11, [0x6000, 0x1000, 0, 0]),
        (11, [0x5000, 0x1000, 0, 0]),
        (28, [0x5000, 0x1000, 3, 0]),
        (39, [0; 4]),
        (60, [0; 4]),
        (202, [0x5000, 0x80, 0, 0]),
        (202, [0x5000, 0x81, 1, 0]),
    ] {
        assert_eq!(
            doubt_after(number, arguments),
            None,
            "{number} {arguments:x?}"
        );
    }
    for (number, arguments) in [
        (0, [3, 0x5004, 0x1000, 0]),
        (0, [3, 0x4000, 0x1001, 0]),
        (9, [0x5000, 0x1000, 3, 0x32]),
        (28, [0x5000, 0x1000, 4, 0]),
        (202, [0x5000, 0x86, 0, 0]),
        // May write any memory: ioctl, recvmsg.
        (16, [1, 2, 0x6000, 0]),
        (47, [3, 0x6000, 0, 0]),
    ] {
        let found = doubt_after(number, arguments);
        assert_eq!(
            found,
            Some(Doubt::SystemCall {
                step: Step(5),
                number
            }),
            "{number} {arguments:x?}"
        );
    }
}

/// DynamoRIO's `view` output for the first of them; the encoding shows which registers flow into
/// which.
#[test]
fn synthetic_instructions_have_operands() {
    let index = index_of(Sample::Regdeps, 1 << 20);
    let text = Steps {
        first: Step(0),
        count: 1,
    }
    .run(&index, &Cancel::default())
    .unwrap()[0]
        .text
        .clone();
    assert_eq!(text, "load [8byte] %rv4 -> %rv7");
    let thread = ThreadId(0);
    let cell = |name| Cell::Register {
        thread,
        view: Registers::view(name, InstructionSet::Regdeps).unwrap(),
    };
    let last = |name, kinds| {
        let question = NearestAccess::last(cell(name), kinds, index.end());
        match question.run(&index, &Cancel::default()).unwrap() {
            Some(CellAccess::Step(hit)) => Some(hit.record.step),
            _ => None,
        }
    };
    assert_eq!(last("rv7", AccessKinds::Writes), Some(Step(3)));
    assert_eq!(last("rv4", AccessKinds::Reads), Some(Step(3)));
    assert_eq!(last("rv4", AccessKinds::Writes), None);
}

/// Returns the files of three threads that take turns, inside traced system calls: all kernel code
/// runs at the same addresses.
fn kernel_files() -> Vec<SampleFile> {
    let thread = |number: u64| {
        let tid = 100 + number;
        let mut writer = TraceWriter::new(TraceRecipe {
            tid,
            ..TraceRecipe::default()
        });
        let mut time = 13_400_000_000_000_000 + 3 * number;
        let mut tick = |writer: &mut TraceWriter| {
            time += 5 + number;
            writer.time(time, number);
        };
        tick(&mut writer);
        for round in 0..6 {
            writer.instruction(USER_CODE + round, &[0x90]);
            writer.read(USER + 8 * (round % 3), 8);
            writer.write(USER + 8 * number, 8);
            writer.instruction(USER_CODE + 0x100, &[0x0f, 0x05]);
            tick(&mut writer);
            writer.marker(marker::SYSTEM_CALL, 39);
            writer.marker(marker::SYSTEM_CALL_START, 39);
            for step in 0..4 {
                writer.instruction(KERNEL_CODE + step, &[0x90]);
                if step == round % 4 {
                    // Other threads take turns before the effects of this instruction.
                    tick(&mut writer);
                }
                match step % 2 {
                    0 => writer.read(KERNEL + 8 * (step + round) % 64, 8),
                    _ => writer.write(KERNEL + 8 * (step + number), 8),
                }
                if step == 3 && round % 2 == 0 {
                    writer.write(USER + 8 * (round % 3), 4);
                }
            }
            writer.branch(
                kind::INDIRECT_JUMP,
                KERNEL_CODE + 8,
                &[0x48, 0x0f, 0x07],
                Some(USER_CODE + 0x102),
            );
            writer.marker(marker::SYSTEM_CALL_END, 39);
            tick(&mut writer);
        }
        file(&format!("app.{tid}.0.trace"), writer)
    };
    (0..3).map(thread).collect()
}

const USER_CODE: u64 = 0x40_1000;
const KERNEL_CODE: u64 = 0xffff_ffff_8100_0000;
const USER: u64 = 0x60_0000;
const KERNEL: u64 = 0xffff_8880_0000_1000;

/// An access as recorded: the thread, its step, and the position from which it is visible.
#[derive(Debug)]
struct Stated {
    thread: ThreadId,
    step: u64,
    position: u64,
    is_write: bool,
    bytes: std::ops::Range<u64>,
}

/// Collects all accesses of a trace by scanning its records.
fn stated(trace: &Drmemtrace) -> Vec<Stated> {
    let (mut last, mut stated) = (std::collections::HashMap::new(), Vec::new());
    let each = |record: VisibleRecord<'_>| {
        match record.content {
            RecordContent::Instruction(..) => {
                _ = last.insert(record.thread, record.instructions - 1)
            }
            RecordContent::Access(StoredAccess {
                kind,
                size_bytes,
                address,
                ..
            }) => stated.push(Stated {
                thread: ThreadId(record.thread.0),
                step: last[&record.thread],
                position: record.instructions,
                is_write: kind == AccessKind::Write,
                bytes: address..address + u64::from(size_bytes),
            }),
            _ => {}
        }
        true
    };
    trace.records(0..u64::MAX, each).unwrap();
    stated
}

#[test]
fn accesses_of_a_thread_are_found_between_those_that_others_make_in_the_kernel() {
    let files = kernel_files();
    for segment_bytes in [48, 1 << 20] {
        let index = index_of_files(files.clone(), segment_bytes);
        let (all, cancel) = (
            stated(index.source().downcast().unwrap()),
            Cancel::default(),
        );
        assert!(
            all.iter().any(|stated| stated.position != stated.step + 1),
            "some show behind the steps of others"
        );
        let threads = [
            None,
            Some(ThreadId(0)),
            Some(ThreadId(1)),
            Some(ThreadId(2)),
        ];
        let cells = [
            (USER, 8),
            (USER + 12, 8),
            (KERNEL + 8, 4),
            (KERNEL + 24, 16),
        ];
        for position in (0..=index.step_count()).step_by(3) {
            for (thread, (address, len_bytes)) in threads
                .into_iter()
                .flat_map(|one| cells.map(|cell| (one, cell)))
            {
                for kinds in [AccessKinds::Reads, AccessKinds::Writes, AccessKinds::All] {
                    let is_meant = |stated: &&Stated| {
                        let is_kind = match kinds {
                            AccessKinds::Reads => !stated.is_write,
                            AccessKinds::Writes => stated.is_write,
                            AccessKinds::All => true,
                        };
                        let is_there =
                            stated.bytes.start < address + len_bytes && address < stated.bytes.end;
                        is_kind && is_there && thread.is_none_or(|thread| thread == stated.thread)
                    };
                    let meant: Vec<&Stated> = all.iter().filter(is_meant).collect();
                    let at = |shown: Option<u64>| -> Vec<(u64, u64)> {
                        let here = meant.iter().filter(|stated| Some(stated.position) == shown);
                        here.map(|stated| (stated.step, stated.position)).collect()
                    };
                    let after = at(meant
                        .iter()
                        .map(|stated| stated.position)
                        .find(|shown| *shown > position));
                    let mut before = at(meant
                        .iter()
                        .map(|stated| stated.position)
                        .rfind(|shown| *shown <= position));
                    before.reverse();
                    let cell = Cell::Memory {
                        address: Address(address),
                        len_bytes,
                    };
                    let requested =
                        format!("{position} {thread:?} {kinds:?} {address:#x}:{len_bytes}");
                    let place = |hit: &Hit| (hit.record.step.0, hit.position.0);
                    let (at, limit) = (Position(position), usize::MAX);
                    let next = Accesses {
                        nearest: NearestAccess::next(cell, kinds, at),
                        thread,
                        skip: 0,
                        limit,
                    }
                    .run(&index, &cancel)
                    .unwrap();
                    let next = next.into_iter().flat_map(|next| next.accesses);
                    let next: Vec<Hit> = next.filter_map(CellAccess::into_hit).collect();
                    assert_eq!(
                        next.iter().map(place).collect::<Vec<_>>(),
                        after,
                        "next from {requested}"
                    );
                    let last = Accesses {
                        nearest: NearestAccess::last(cell, kinds, at),
                        thread,
                        skip: 0,
                        limit,
                    }
                    .run(&index, &cancel)
                    .unwrap();
                    let last = last
                        .into_iter()
                        .flat_map(|last| last.accesses)
                        .map(|accessed| match accessed {
                            CellAccess::Step(hit) => place(&hit),
                            CellAccess::Initial(line) => panic!("{line:?}"),
                        });
                    assert_eq!(last.collect::<Vec<_>>(), before, "last before {requested}");
                }
            }
        }
    }
}
