//! Round trips of records through a step store.

use std::sync::Arc;

use stepback_machine::{AccessKind, Encoding, Endian, InstructionSet};

use crate::drmemtrace::counts::{Counter, TraceCounts};
use crate::drmemtrace::marker_names::branch_of;
use crate::drmemtrace::record::{InstructionRecord, RecordSink, ThreadIdentity};
use crate::drmemtrace::recorder::Recorder;
use crate::drmemtrace::source::Drmemtrace;
use crate::drmemtrace::visible::{RecordContent, visible_records};
use crate::events::{EventSink, MarkerEvent, MemoryAccess, StepEvent, ThreadNumber};
use crate::kept::places::{CacheFileOptions, CacheFilePlace};
use crate::marker::{Marker, MarkerKind};
use crate::source::{ParseScratch, RegisterSource, Source as _, SourceTraits};
use crate::step_store::layout::StoreFacts;
use crate::step_store::record::{ReadEnd, StoredAccess, StoredHint, StoredMarker};
use crate::step_store::store::{ReadTrace, StepStore, StoreScratch};

/// Record to be stored.
#[derive(Clone, Copy, Debug)]
enum RecordInput {
    Instruction(InstructionRecord),
    Data(ThreadNumber, StoredAccess),
    Hint(ThreadNumber, StoredHint),
    Marker(ThreadNumber, Marker, u64),
}

/// Pseudo-random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Both kinds of accesses.
const KINDS: [AccessKind; 2] = [AccessKind::Write, AccessKind::Read];

fn records(count: usize, seed: u64) -> Vec<RecordInput> {
    let mut dice = Dice(seed);
    let mut known = std::collections::HashSet::new();
    let mut thread = ThreadNumber(0);
    let mut records = Vec::new();
    while records.len() < count {
        if dice.below(50) == 0 {
            thread = ThreadNumber(dice.below(3) as u16);
            let value = 13_439_770_329_635_967 + records.len() as u64;
            records.push(RecordInput::Marker(
                thread,
                Marker {
                    kind: MarkerKind::TIMESTAMP,
                    value,
                },
                0,
            ));
        }
        let pc = 0x7f00_0000_0000 + dice.below(40) * if dice.below(9) == 0 { 1 << 33 } else { 4 };
        let kind = [10, 10, 10, 16, 29, 48, 49][dice.below(7) as usize];
        let is_new = known.insert((thread, pc)) || dice.below(100) == 0;
        let encoding = if is_new {
            Encoding::new(&dice.below(3).to_le_bytes()[..4])
        } else {
            None
        };
        let target = (kind == 16).then_some(pc ^ 0x1234);
        let set = InstructionSet::X86_64;
        let input = thread.0;
        records.push(RecordInput::Instruction(InstructionRecord {
            input,
            thread,
            kind,
            set,
            length_bytes: 4,
            pc,
            encoding,
            target,
        }));
        for number in 0..(pc / 4 % 3 + u64::from(dice.below(20) == 0) * 4) {
            let address =
                [pc * 8, 0xffff_ffff_ffff_fff8, 8 * dice.below(9), 1 << 40][dice.below(4) as usize];
            let pc = (dice.below(30) == 0).then_some(77);
            let access = StoredAccess {
                kind: KINDS[usize::from(number != 1)],
                size_bytes: [1, 8, 8, 3000][dice.below(4) as usize],
                address,
                pc,
            };
            records.push(RecordInput::Data(thread, access));
        }
        for _ in 0..dice.below(20).saturating_sub(16) {
            let kind = [
                MarkerKind::CORE_IDLE,
                MarkerKind(1234),
                MarkerKind::record(18),
            ][dice.below(3) as usize];
            let marker = Marker {
                kind,
                value: dice.below(2),
            };
            if kind == MarkerKind::record(18) {
                let (size_bytes, pc) = (dice.below(2), (dice.below(3) == 0).then_some(77));
                let hint = StoredHint {
                    marker,
                    size_bytes,
                    pc,
                };
                records.push(RecordInput::Hint(thread, hint));
            } else {
                records.push(RecordInput::Marker(thread, marker, 0));
            }
        }
    }
    records
}

fn push(records: &[RecordInput], sink: &mut impl RecordSink) {
    for thread in 0..3 {
        sink.thread(
            ThreadNumber(thread),
            ThreadIdentity {
                tid: 100 + u64::from(thread),
                pid: 7,
            },
        );
    }
    for record in records {
        match record {
            RecordInput::Instruction(record) => sink.instruction(record),
            RecordInput::Data(thread, access) => sink.data(*thread, *access),
            RecordInput::Hint(thread, hint) => sink.hint(*thread, *hint),
            RecordInput::Marker(thread, marker, size_bytes) => {
                sink.marker(*thread, *marker, *size_bytes)
            }
        }
    }
}

fn store_of(records: Vec<RecordInput>, options: CacheFileOptions) -> StepStore {
    let read: ReadTrace = Box::new(move |_, encoder| {
        let mut recorder = Recorder::new(encoder);
        push(&records, &mut recorder);
        recorder.finish();
        Ok(ReadEnd::Complete)
    });
    let store = StepStore::open(options, read);
    store.wait_for(u64::MAX).unwrap();
    store
}

/// Returns whether a record has an ordinal: synthetic records of a scheduler have none
/// (`reader_t::is_record_synthetic`).
fn is_counted(record: &RecordInput) -> bool {
    !matches!(record, RecordInput::Marker(_, marker, _) if marker.kind == MarkerKind::CORE_IDLE)
}

fn count_of(records: &[RecordInput]) -> u64 {
    records.iter().filter(|record| is_counted(record)).count() as u64
}

/// Returns the text of the records that have ordinals, in order.
fn counted(records: &[RecordInput]) -> Vec<String> {
    let lines = expected(records).into_iter().zip(records);
    lines
        .filter(|(_, record)| is_counted(record))
        .map(|(line, _)| line)
        .collect()
}

/// Returns the text of the stored records, with the expected ordinals.
fn expected(records: &[RecordInput]) -> Vec<String> {
    let (mut instructions, mut ordinal) = (0, 0);
    let mut encodings = std::collections::HashMap::new();
    let mut lines: Vec<String> = Vec::new();
    for record in records {
        ordinal += u64::from(is_counted(record));
        let text = match record {
            RecordInput::Instruction(record) => {
                let encoding = encodings
                    .entry((record.input, record.pc))
                    .or_insert(record.encoding);
                *encoding = record.encoding.or(*encoding);
                if record.kind == 29 {
                    format!("{:?} repeated {:#x}", record.thread, record.pc)
                } else {
                    instructions += 1;
                    let branch = branch_of(record.kind);
                    format!(
                        "{:?} {branch:?} {:#x} {encoding:?} {:?}",
                        record.thread, record.pc, record.target
                    )
                }
            }
            RecordInput::Data(thread, access) => {
                format!(
                    "{thread:?} {} {} {:#x} {}",
                    access.kind == AccessKind::Write,
                    access.size_bytes,
                    access.address,
                    access.pc == Some(77)
                )
            }
            RecordInput::Hint(thread, hint) => {
                let is_elsewhere = hint.pc == Some(77);
                format!(
                    "{thread:?} {:?} {} {is_elsewhere}",
                    hint.marker, hint.size_bytes
                )
            }
            RecordInput::Marker(thread, marker, size_bytes) => {
                format!("{thread:?} {marker:?} {size_bytes}")
            }
        };
        lines.push(format!("{ordinal} {instructions} {text}"));
    }
    lines
}

fn found(store: &StepStore) -> Vec<String> {
    let mut lines = Vec::new();
    visible_records(store, 0..u64::MAX, &mut StoreScratch::default(), |record| {
        let thread = record.thread;
        let text = match record.content {
            RecordContent::Instruction(code, target) => {
                format!(
                    "{thread:?} {:?} {:#x} {:?} {target:?}",
                    code.branch, code.pc, code.encoding
                )
            }
            RecordContent::Access(StoredAccess {
                kind,
                size_bytes,
                address,
                pc,
            }) => {
                let is_write = kind == AccessKind::Write;
                format!(
                    "{thread:?} {is_write} {size_bytes} {address:#x} {}",
                    pc == Some(77)
                )
            }
            RecordContent::Hint(StoredHint {
                marker,
                size_bytes,
                pc,
            }) => {
                format!("{thread:?} {marker:?} {size_bytes} {}", pc == Some(77))
            }
            RecordContent::Marker(StoredMarker { marker, .. })
                if marker.kind == MarkerKind::REPETITION =>
            {
                format!("{thread:?} repeated {:#x}", marker.value)
            }
            RecordContent::Marker(StoredMarker {
                marker, size_bytes, ..
            }) => {
                format!("{thread:?} {marker:?} {size_bytes}")
            }
            RecordContent::Problem(message) => panic!("{message}"),
        };
        let step = u64::from(record.ordinals() > 0);
        for number in 0..record.count() {
            lines.push(format!(
                "{} {} {text}",
                record.ordinal + number * step,
                record.instructions
            ));
        }
        true
    })
    .unwrap();
    lines
}

#[test]
fn every_record_comes_out_as_it_went_in() {
    for (count, seed) in [(0, 0), (1, 1), (300, 2), (20_000, 3)] {
        let records = records(count, seed);
        let store = store_of(records.clone(), CacheFileOptions::default());
        let (expected, found) = (expected(&records), found(&store));
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!(found, expected, "{count} {seed}");
        }
        assert_eq!(found.len(), expected.len());
        let mut counter = Counter::default();
        push(&records, &mut counter);
        let counts = counter
            .threads()
            .map(|(_, counts)| counts.clone())
            .collect::<Vec<_>>();
        let StoreFacts {
            records: count,
            summary,
            ..
        } = StoreFacts::clone(&store.facts());
        let TraceCounts {
            threads: found,
            total,
        } = TraceCounts::of_numbers(&summary);
        assert_eq!(
            (count, found, total),
            (count_of(&records), counts, counter.total())
        );
    }
}

#[test]
fn a_step_with_too_many_records_keeps_its_ordinals() {
    let mut records = records(700, 8);
    let thread = ThreadNumber(0);
    let data = |number: u64| {
        let address = number << 20;
        let access = StoredAccess {
            kind: AccessKind::Write,
            size_bytes: 8,
            address,
            pc: None,
        };
        RecordInput::Data(thread, access)
    };
    records.extend((0..2_000_000).map(data));
    let last = count_of(&records) + 1;
    records.extend(self::records(300, 9));
    let source = source_of(store_of(records.clone(), CacheFileOptions::default()));
    assert_eq!(source.facts().records, count_of(&records));
    assert_eq!(source.counts().total.stores, {
        let mut counter = Counter::default();
        push(&records, &mut counter);
        counter.total().stores
    });
    let lines = counted(&records);
    for ordinal in [last - 1, last, last + 5, count_of(&records)] {
        let steps = source.steps_at_record(ordinal).unwrap().unwrap();
        assert_eq!(
            lines[ordinal as usize - 1].split(' ').nth(1).unwrap(),
            steps.to_string(),
            "{ordinal}"
        );
    }
    let mut words = EventWords::default();
    source
        .parse(0..source.length(), &mut ParseScratch::default(), &mut words)
        .unwrap();
    assert!(
        words.0.len() < 1_500_000
            && words
                .0
                .iter()
                .any(|line| line.contains("MarkerKind(65279)"))
    );
}

#[test]
fn accesses_that_claim_more_than_steps_touch_are_counted_but_not_kept() {
    let mut records = records(700, 8);
    let mut dice = Dice(3);
    let huge = |number: u64| {
        let access = StoredAccess {
            kind: KINDS[number as usize % 2],
            size_bytes: u16::MAX,
            address: dice.below(1 << 40),
            pc: None,
        };
        RecordInput::Data(ThreadNumber(0), access)
    };
    records.extend((0..20_000).map(huge));
    records.extend(self::records(300, 9));
    let source = source_of(store_of(records.clone(), CacheFileOptions::default()));
    assert_eq!(source.facts().records, count_of(&records));
    let last = counted(&records).pop().unwrap();
    let steps = source.steps_at_record(count_of(&records)).unwrap().unwrap();
    assert_eq!(last.split(' ').nth(1).unwrap(), steps.to_string());
    let mut words = EventWords::default();
    source
        .parse(0..source.length(), &mut ParseScratch::default(), &mut words)
        .unwrap();
    assert!(
        words.0.len() < 400_000,
        "{} events of {} records",
        words.0.len(),
        records.len()
    );
    assert!(
        words
            .0
            .iter()
            .any(|line| line.contains("MarkerKind(65279)")),
        "what is left out is told"
    );
}

/// Events as text.
#[derive(Default)]
struct EventWords(Vec<String>, Vec<String>);

impl EventSink for EventWords {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        assert_eq!(usize::from(thread.0), self.1.len());
        self.1.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let StepEvent {
            time,
            pc,
            bytes,
            branch,
            chunk_offset,
            ..
        } = step;
        let thread = &self.1[usize::from(step.thread.0)];
        self.0.push(format!(
            "{thread} {chunk_offset} {time:?} {pc:?} {bytes:?} {branch:?}"
        ));
    }

    fn access(&mut self, access: &MemoryAccess) {
        let MemoryAccess {
            kind,
            address,
            size_bytes,
            place,
            ..
        } = access;
        let thread = &self.1[usize::from(access.thread.0)];
        self.0.push(format!(
            "{thread} {kind:?} {address:?} {size_bytes} {place:?}"
        ));
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.0.push(format!(
            "{} {:?} {:?}",
            self.1[usize::from(event.thread.0)],
            event.marker,
            event.place
        ));
    }
}

fn source_of(store: StepStore) -> Drmemtrace {
    let traits = SourceTraits {
        format: "drmemtrace".to_owned(),
        endian: Endian::Little,
        time_unit: None,
        instruction_set: InstructionSet::X86_64,
        options: String::new(),
        registers: RegisterSource::Operands,
    };
    Drmemtrace::new(store, traits)
}

#[test]
fn each_step_by_itself_gives_the_same_events_as_the_whole() {
    let source = source_of(store_of(records(3000, 5), CacheFileOptions::default()));
    let parse = |range| {
        let mut words = EventWords::default();
        source
            .parse(range, &mut ParseScratch::default(), &mut words)
            .unwrap();
        words.0
    };
    let whole = parse(0..source.length());
    let steps = (0..source.length())
        .step_by(16)
        .flat_map(|start| parse(start..start + 16));
    assert!(whole.iter().eq(steps.collect::<Vec<_>>().iter()));
    assert!(
        whole.len() > 3000 && whole.iter().any(|line| line.contains("Some(1795")),
        "times are those of Unix"
    );
}

#[test]
fn the_step_of_a_record_is_found() {
    let records = records(3000, 6);
    let source = source_of(store_of(records.clone(), CacheFileOptions::default()));
    for (ordinal, line) in (1..).zip(counted(&records)) {
        let steps = source.steps_at_record(ordinal).unwrap().unwrap();
        assert_eq!(
            line.split(' ').nth(1).unwrap(),
            steps.to_string(),
            "{ordinal}"
        );
    }
    assert_eq!(source.steps_at_record(0).unwrap(), None);
    assert_eq!(
        source.steps_at_record(count_of(&records) + 1).unwrap(),
        None
    );
}

#[test]
fn a_kept_store_is_used_again_and_a_damaged_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sbi.steps");
    let kept = vec![CacheFilePlace {
        path: path.clone(),
        is_directory_ours: false,
    }];
    let options = CacheFileOptions {
        identity: [1, 2, 3],
        kept,
        is_copy_kept: true,
        scratch: Vec::new(),
    };
    let records = records(2000, 7);
    drop(store_of(records.clone(), options.clone()));
    let unread: fn() -> ReadTrace =
        || Box::new(|_, _| Err(std::io::Error::other("it is read again")));
    let again = StepStore::open(options.clone(), unread());
    assert_eq!(found(&again), expected(&records));
    assert_eq!(
        again.facts(),
        store_of(records, CacheFileOptions::default()).facts()
    );
    let bytes = std::fs::read(&path).unwrap();
    for place in [0, 9, 30, 71, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        assert!(
            StepStore::open(options.clone(), unread())
                .wait_for(1)
                .is_err(),
            "{place}"
        );
    }
    let mut damaged = bytes;
    damaged[100] ^= 1;
    std::fs::write(&path, damaged).unwrap();
    let store = StepStore::open(options, unread());
    let mut scratch = StoreScratch::default();
    let error = visible_records(&store, 0..9, &mut scratch, |_| true)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("the copy of the trace's records is damaged at step 0"),
        "{error}"
    );
}

/// Damages each byte of the header, the blocks and the footer.
#[test]
fn damage_anywhere_in_a_kept_store_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sbi.steps");
    let kept = vec![CacheFilePlace {
        path: path.clone(),
        is_directory_ours: false,
    }];
    let options = CacheFileOptions {
        identity: [1, 2, 3],
        kept,
        is_copy_kept: true,
        scratch: Vec::new(),
    };
    drop(store_of(records(700, 7), options.clone()));
    let is_noticed = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let unread: ReadTrace = Box::new(|_, _| Err(std::io::Error::other("it is read again")));
        let store = StepStore::open(options.clone(), unread);
        let mut scratch = StoreScratch::default();
        store.wait_for(1).is_err()
            || visible_records(&store, 0..u64::MAX, &mut scratch, |_| true).is_err()
    };
    let whole = std::fs::read(&path).unwrap();
    assert!(!is_noticed(&whole));
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(is_noticed(&damaged), "byte {place} of {}", whole.len());
    }
    for cut in [0, 71, 72, 500, whole.len() - 1] {
        // Neither an empty file nor a truncated one is a valid store.
        assert!(is_noticed(&whole[..cut]), "{cut} bytes");
    }
}

#[test]
fn reading_stops_when_nobody_wants_it() {
    let read: ReadTrace = Box::new(|is_stopped, _| {
        while !is_stopped.load(std::sync::atomic::Ordering::Relaxed) {
            std::thread::yield_now();
        }
        Ok(ReadEnd::Stopped)
    });
    let store = StepStore::open(CacheFileOptions::default(), read);
    assert!(!store.is_settled() && store.items().unwrap() == 0);
    let stated = Arc::new(store);
    drop(stated);
}
