//! Reads that contradict known values, one rule at a time, for several segment sizes.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use stepback_index::answer::{
    AccessKinds, AccessTarget, ByteState, Cell, CellAccess, Direction, Effect, Hit, MemoryRange,
    Number, ThreadId, ValueSource,
};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{
    Accesses, AccessesOf, ExternalChanges, FindText, FindValue, MemoryAt, NearestAccess, Steps,
};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::Address;
use stepback_parsers::{Position, ReadAt, Step, Tarmac};

/// Builds a trace with a step for each group of lines.
fn index_of(groups: &[&[&str]], segment_bytes: u64) -> Index {
    let mut text = String::new();
    for (lines, time) in groups.iter().zip(1..) {
        writeln!(
            text,
            "{time} clk IT ({time}) {:08x} e1a00000 A svc : NOP",
            0x8000 + 4 * (time % 64)
        )
        .unwrap();
        lines
            .iter()
            .for_each(|line| writeln!(text, "{time} clk {line}").unwrap());
    }
    let tarmac = Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap();
    index_in_memory(
        Arc::new(tarmac),
        &BuildOptions {
            segment_bytes,
            threads: 1,
        },
    )
    .unwrap()
}

/// Checks the four bytes at 0x1000 after each step, and the steps with external changes.
#[track_caller]
fn check(groups: &[&[&str]], expected: &[&str], changes: &[u64]) {
    for segment_bytes in [1, 150, 1 << 20] {
        let index = index_of(groups, segment_bytes);
        let found: Vec<String> = (1..=groups.len() as u64)
            .map(|position| memory(&index, position))
            .collect();
        assert_eq!(found, expected, "segments of {segment_bytes}");
        let next = ExternalChanges {
            range: None,
            thread: None,
            at: Position(0),
            direction: Direction::Forward,
            skip: 0,
            limit: 99,
        };
        let mut steps: Vec<u64> = next
            .run(&index, &Cancel::default())
            .unwrap()
            .iter()
            .map(step)
            .collect();
        assert_eq!(steps, changes, "segments of {segment_bytes}");
        let last = ExternalChanges {
            range: None,
            thread: None,
            at: index.end(),
            direction: Direction::Back,
            skip: 0,
            limit: 99,
        };
        steps.reverse();
        let back: Vec<u64> = last
            .run(&index, &Cancel::default())
            .unwrap()
            .iter()
            .map(step)
            .collect();
        assert_eq!(
            (back, index.info().external_changes),
            (steps, changes.len() as u64),
            "segments of {segment_bytes}"
        );
    }
}

fn step(change: &stepback_index::answer::ExternalChange) -> u64 {
    change.hit.record.step.0
}

fn memory(index: &Index, position: u64) -> String {
    let question = MemoryAt {
        position: Position(position),
        address: Address(0x1000),
        len_bytes: 4,
    };
    let text = |byte: &ByteState| match (byte.value, byte.source) {
        (Some(value), ValueSource::Recorded) => format!("{value:02x}"),
        (Some(value), ValueSource::External) => format!("{value:02x}x"),
        (Some(value), _) => format!("{value:02x}i"),
        (None, _) => "?".to_owned(),
    };
    question
        .run(index, &Cancel::default())
        .unwrap()
        .iter()
        .map(text)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_contradicting_read_heals_memory_from_there_on_until_a_write() {
    check(
        &[
            &["MW4 00001000 44332211"],
            &["MR1 00001001 77"],
            &["MR4 00001000 44337711"],
            &["MW1 00001001 22"],
        ],
        &["11 22 33 44", "11 77x 33 44", "11 77x 33 44", "11 22 33 44"],
        &[1],
    );
}

#[test]
fn a_first_read_contradicts_nothing_whatever_comes_before_and_tells_what_was_there() {
    check(
        &[&[], &["MR4 00001000 44332211"]],
        &["11i 22i 33i 44i", "11 22 33 44"],
        &[],
    );
}

#[test]
fn a_read_of_an_unknown_value_and_an_aborted_access_change_nothing() {
    check(
        &[
            &["MW4 00001000 44332211"],
            &["MR4 00001000 xxxxxxxx"],
            &["MW4 00001000 (ABORTED)", "MR4 00001000 (ABORTED)"],
            &["MR4 00001000 44332211"],
        ],
        &["11 22 33 44", "11 22 33 44", "11 22 33 44", "11 22 33 44"],
        &[],
    );
}

#[test]
fn a_write_of_an_unknown_value_makes_unknown_what_the_next_read_tells() {
    check(
        &[
            &["MW4 00001000 44332211"],
            &["ST 0000000000001000 ........ ........ ........ ....##.."],
            &["MW1 00001002 xx"],
            &["MR2 00001001 7788"],
        ],
        &[
            "11 22 33 44",
            "11 88i 33 44",
            "11 88i 77i 44",
            "11 88 77 44",
        ],
        &[],
    );
}

#[test]
fn an_exclusive_access_is_an_access() {
    check(
        &[&["MW4 X 00001000 44332211"], &["MR4 X 00001000 44332212"]],
        &["11 22 33 44", "12x 22 33 44"],
        &[1],
    );
}

#[test]
fn a_read_across_two_blocks_that_contradicts_both_counts_once() {
    for segment_bytes in [1, 200, 1 << 20] {
        let groups: [&[&str]; 4] = [
            &["MW8 0000103c 8877665544332211"],
            &["MR8 0000103c 0077665544332200"],
            &["MR8 0000103c 1077665544332210"],
            &[],
        ];
        let index = index_of(&groups, segment_bytes);
        assert_eq!(
            index.info().external_changes,
            2,
            "segments of {segment_bytes}"
        );
        for (address, expected) in [(0x103c, 2), (0x103d, 0), (0x1043, 2)] {
            let range = Some(MemoryRange {
                address: Address(address),
                len_bytes: 1,
            });
            let question = ExternalChanges {
                range,
                thread: None,
                at: Position(0),
                direction: Direction::Forward,
                skip: 0,
                limit: 9,
            };
            let found = question.run(&index, &Cancel::default()).unwrap();
            assert_eq!(
                found.len(),
                expected,
                "{address:x}, segments of {segment_bytes}"
            );
            assert!(
                found
                    .iter()
                    .all(|change| change.bytes.len() == 8 && change.known_before.len() == 8)
            );
        }
    }
}

#[test]
fn a_register_of_a_device_that_changes_at_every_read_costs_little() {
    let lines: Vec<[String; 1]> = (0..20_000u64)
        .map(|number| {
            [format!(
                "MR4 40000000 {:08x}",
                (number * 2_654_435) & 0xffff_ffff
            )]
        })
        .collect();
    let borrowed: Vec<[&str; 1]> = lines.iter().map(|[line]| [line.as_str()]).collect();
    let groups: Vec<&[&str]> = borrowed.iter().map(|line| &line[..]).collect();
    let index = index_of(&groups, 1 << 20);
    let info = index.info();
    assert_eq!(info.external_changes, 19_999);
    assert!(
        info.index_bytes < 6 * info.steps,
        "{} bytes",
        info.index_bytes
    );
    let question = ExternalChanges {
        range: None,
        thread: None,
        at: Position(15_000),
        direction: Direction::Forward,
        skip: 0,
        limit: 3,
    };
    let found: Vec<u64> = question
        .run(&index, &Cancel::default())
        .unwrap()
        .iter()
        .map(step)
        .collect();
    assert_eq!(found, [15_000, 15_001, 15_002]);
}

/// A text that counts the bytes read from it.
struct CountedText {
    text: Vec<u8>,
    read_bytes: Arc<AtomicU64>,
}

impl ReadAt for CountedText {
    fn length(&self) -> io::Result<u64> {
        self.text.length()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read_at(offset, buffer)?;
        self.read_bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Builds a step with many reads, nearly all of which contradict the previous one: its length, the
/// count of bytes read, and an index.
fn changing_step(reads: u32) -> (u64, Arc<AtomicU64>, Index) {
    let mut text = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n".to_owned();
    for number in 0..reads {
        writeln!(
            text,
            "1 clk MR4 {:08x} {number:08x}",
            0x1000 + 4 * (number % 8)
        )
        .unwrap();
    }
    text.push_str("2 clk IT (2) 00008004 e1a00000 A svc : NOP\n");
    let length = text.len() as u64;
    let (read_bytes, index) = counted_index(text);
    (length, read_bytes, index)
}

/// Builds an index of a text, and returns it with the count of bytes read from then on.
fn counted_index(text: String) -> (Arc<AtomicU64>, Index) {
    let read_bytes = Arc::new(AtomicU64::new(0));
    let counted = CountedText {
        text: text.into_bytes(),
        read_bytes: Arc::clone(&read_bytes),
    };
    let tarmac = Tarmac::open(Box::new(counted), Default::default()).unwrap();
    let index = index_in_memory(
        Arc::new(tarmac),
        &BuildOptions {
            segment_bytes: 1 << 20,
            threads: 1,
        },
    )
    .unwrap();
    read_bytes.store(0, Ordering::Relaxed);
    (read_bytes, index)
}

#[test]
fn the_access_of_a_thread_among_those_of_thousands_is_read_alone() {
    const CPUS: u64 = 2000;
    let mut text = String::new();
    for number in 0..3 * CPUS {
        let cpu = number % CPUS;
        writeln!(
            text,
            "{number} clk cpu{cpu} IT ({number}) 00008000 e1a00000 A svc : NOP"
        )
        .unwrap();
        writeln!(text, "{number} clk cpu{cpu} MW4 00001000 {number:08x}").unwrap();
    }
    let length = text.len() as u64;
    let (read_bytes, index) = counted_index(text);
    let (kinds, cancel) = (AccessKinds::Writes, Cancel::default());
    let cell = Cell::Memory {
        address: Address(0x1000),
        len_bytes: 4,
    };
    for thread in [0u16, 7, 1999] {
        let (own, thread) = (u64::from(thread), Some(ThreadId(thread)));
        let last = Accesses {
            nearest: NearestAccess::last(cell, kinds, Position(2 * CPUS)),
            thread,
            skip: 0,
            limit: 9,
        }
        .run(&index, &cancel);
        assert_eq!(
            last.unwrap().map(|last| last.position),
            Some(Position(CPUS + own + 1))
        );
        let next = Accesses {
            nearest: NearestAccess::next(cell, kinds, Position(2 * CPUS)),
            thread,
            skip: 0,
            limit: 9,
        }
        .run(&index, &cancel);
        assert_eq!(
            next.unwrap()
                .into_iter()
                .flat_map(|next| next.accesses)
                .filter_map(CellAccess::into_hit)
                .map(|hit| hit.record.step.0)
                .collect::<Vec<_>>(),
            [2 * CPUS + own]
        );
    }
    let read = read_bytes.load(Ordering::Relaxed);
    // A step is read in a window of some 64 KiB.
    assert!(
        read < 4 * length,
        "{read} of {length} bytes, where each question has 2,000 writes before its own"
    );
}

#[test]
fn a_step_with_many_changes_is_read_a_few_times_however_many_it_has() {
    const READS: u32 = 20_000;
    let (length, read_bytes, index) = changing_step(READS);
    let cancel = Cancel::default();
    read_bytes.store(0, Ordering::Relaxed);
    let steps = Steps {
        first: Step(0),
        count: 1,
    }
    .run(&index, &cancel)
    .unwrap();
    let changed = steps[0]
        .effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Access(read) if read.is_external));
    assert_eq!(
        changed.count() as u32,
        READS - 8,
        "the first read of each word says what it held"
    );
    assert!(
        read_bytes.load(Ordering::Relaxed) <= 4 * length,
        "to show the step"
    );
    read_bytes.store(0, Ordering::Relaxed);
    let cell = Cell::Memory {
        address: Address(0x1004),
        len_bytes: 4,
    };
    let next = Accesses {
        nearest: NearestAccess::next(cell, AccessKinds::Reads, Position(0)),
        thread: None,
        skip: 0,
        limit: usize::MAX,
    };
    let hits = next.run(&index, &cancel).unwrap().into_iter();
    let hits: Vec<Hit> = hits
        .flat_map(|next| next.accesses)
        .filter_map(CellAccess::into_hit)
        .collect();
    let accesses = hits.iter().map(|hit| hit.access.as_ref().unwrap());
    assert!(
        accesses
            .clone()
            .all(|access| matches!(access.target, AccessTarget::Memory { size_bytes: 4, .. }))
    );
    assert_eq!(
        accesses.clone().filter(|access| access.is_external).count() as u32,
        READS / 8 - 1
    );
    assert_eq!(accesses.len() as u32, READS / 8);
    assert!(
        hits.iter().all(|hit| hit.record.effects.len() < 100),
        "each hit with all effects would be their square"
    );
    assert!(
        read_bytes.load(Ordering::Relaxed) <= 16 * length,
        "to find all reads of a word"
    );
}

/// Builds a step whose thousands of lines alternate between two threads, with its index.
fn alternating_step(lines: u32) -> (u64, Arc<AtomicU64>, Index) {
    let mut text = "1 clk cpu0 IT (1) 00008000 e1a00000 A svc : NOP\n".to_owned();
    // The lines of the first thread after its own step do not match the search.
    (0..lines).for_each(|_| text.push_str("1 clk cpu0 MW4 00002000 0000beef\n"));
    text.push_str("2 clk cpu1 IT (2) 00009000 e1a00000 A svc : NOP\n");
    for number in 0..lines {
        writeln!(text, "2 clk cpu{} MW4 00001000 00000077", number % 2).unwrap();
    }
    text.push_str("3 clk cpu1 IT (3) 00009004 e1a00000 A svc : NOP\n");
    let length = text.len() as u64;
    let (read_bytes, index) = counted_index(text);
    (length, read_bytes, index)
}

/// Checks the number of bytes that a query reads from the text.
#[track_caller]
fn check_read(step: &(u64, Arc<AtomicU64>, Index), what: &str, ask: impl FnOnce(&Index)) {
    let (length, read_bytes, index) = step;
    read_bytes.store(0, Ordering::Relaxed);
    ask(index);
    let read = read_bytes.load(Ordering::Relaxed);
    assert!(
        read <= 16 * length + (1 << 20),
        "{what}: {read} of {length} bytes"
    );
}

#[test]
fn the_accesses_of_threads_that_take_turns_in_a_step_are_read_a_few_times_however_many_they_are() {
    const LINES: u32 = 4000;
    let step = alternating_step(LINES);
    let cancel = Cancel::default();
    let range = MemoryRange {
        address: Address(0x1000),
        len_bytes: 4,
    };
    let cell = Cell::Memory {
        address: range.address,
        len_bytes: 4,
    };
    let (kinds, thread, skip, limit, from) =
        (AccessKinds::Writes, None, 0, usize::MAX, Position(0));
    check_read(&step, "next", |index| {
        let hits = Accesses {
            nearest: NearestAccess::next(cell, kinds, from),
            thread,
            skip,
            limit,
        }
        .run(index, &cancel)
        .unwrap();
        let hits = hits.into_iter().flat_map(|next| next.accesses);
        let steps = hits
            .filter_map(CellAccess::into_hit)
            .map(|hit| hit.record.step.0);
        assert_eq!(steps.collect::<Vec<_>>(), [0, 1].repeat(LINES as usize / 2));
    });
    check_read(&step, "last", |index| {
        let last = Accesses {
            nearest: NearestAccess::last(cell, kinds, index.end()),
            thread,
            skip,
            limit,
        }
        .run(index, &cancel)
        .unwrap();
        assert_eq!(last.unwrap().accesses.len() as u32, LINES);
    });
    check_read(&step, "all", |index| {
        let hits = AccessesOf {
            range,
            kinds,
            thread,
            from,
            skip,
            limit,
        }
        .run(index, &cancel)
        .unwrap();
        assert_eq!(hits.len() as u32, LINES);
    });
    check_read(&step, "value", |index| {
        let hits = FindValue {
            what: Number::from(0x77),
            thread,
            from,
            limit,
        }
        .run(index, &cancel)
        .unwrap();
        assert_eq!(hits.len() as u32, LINES);
    });
}

#[test]
fn text_in_many_late_lines_of_a_thread_is_read_a_few_times_however_many_they_are() {
    let step = alternating_step(4000);
    check_read(&step, "text", |index| {
        let question = FindText {
            what: "00000077".parse().unwrap(),
            thread: None,
            from: Position(0),
            limit: usize::MAX,
        };
        let hits = question.run(index, &Cancel::default()).unwrap();
        let found = hits.iter().map(|hit| (hit.record.step.0, hit.position.0));
        assert_eq!(found.collect::<Vec<_>>(), [(0, 2), (1, 2)]);
    });
}

#[test]
fn the_changes_in_a_step_come_in_parts_and_are_read_a_few_times_however_many_they_are() {
    const READS: u32 = 4000;
    let mut text = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n".to_owned();
    (0..READS).for_each(|number| {
        writeln!(text, "1 clk MW4 {:08x} ffffffff", 0x1000 + 4 * (number % 8)).unwrap()
    });
    text.push_str("2 clk IT (2) 00008004 e1a00000 A svc : NOP\n");
    (0..READS).for_each(|number| {
        writeln!(
            text,
            "2 clk MR4 {:08x} {number:08x}",
            0x1000 + 4 * (number % 8)
        )
        .unwrap()
    });
    text.push_str("3 clk IT (3) 00008008 e1a00000 A svc : NOP\n3 clk MR4 00001000 77777777\n");
    let length = text.len() as u64;
    let (read_bytes, index) = counted_index(text);
    let step = (length, read_bytes, index);
    let cancel = Cancel::default();
    let (range, thread) = (None, None);
    let next = |from, skip, limit| ExternalChanges {
        range,
        thread,
        at: Position(from),
        direction: Direction::Forward,
        skip,
        limit,
    };
    let last = |before, skip, limit| ExternalChanges {
        range,
        thread,
        at: Position(before),
        direction: Direction::Back,
        skip,
        limit,
    };
    let mut all = Vec::new();
    check_read(&step, "onward", |index| {
        all = next(0, 0, usize::MAX).run(index, &cancel).unwrap()
    });
    assert_eq!(all.len() as u32, READS + 1);
    for (number, change) in (0..READS).zip(&all) {
        let before = number.checked_sub(8).map_or([0xff; 4], u32::to_le_bytes);
        assert_eq!(
            change.known_before,
            before.map(Some),
            "before read {number}"
        );
        assert_eq!(change.bytes, number.to_le_bytes());
    }
    check_read(&step, "back", |index| {
        let back = last(3, 0, usize::MAX).run(index, &cancel).unwrap();
        assert!(back.iter().eq(all.iter().rev()));
    });
    for (skip, limit) in [(0, 3), (7, 1000), (3998, 3), (4000, 1), (9999, 1)] {
        let onward = next(1, skip, limit).run(&step.2, &cancel).unwrap();
        let rest = all.iter().skip(skip.min(READS as usize));
        assert!(onward.iter().eq(rest.take(limit)), "{limit} behind {skip}");
        let back = last(2, skip, limit).run(&step.2, &cancel).unwrap();
        let rest = all.iter().rev().skip(1).skip(skip);
        assert!(back.iter().eq(rest.take(limit)), "{limit} before {skip}");
    }
}
