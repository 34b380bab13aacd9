//! Round trips of values, modes, notes and numbered records.

use stepback_machine::banks::SecurityState;
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{
    AccessKind, Encoding, Endian, InstructionSet, Mode, RegisterId, RegisterView,
};

use crate::events::{
    DelaySlot, EventSink, MemoryAccess, RegisterWrite, StepEvent, StepOrigin, TextEvent, TextKind,
    ThreadNumber,
};
use crate::kept::places::{CacheFileOptions, CacheFilePlace};
use crate::problem::{Problem, ProblemKind};
use crate::step_store::encoder::Encoder;
use crate::step_store::event_run::StoredFormat;
use crate::step_store::fill::Filler;
use crate::step_store::layout::HEADER_LEN;
use crate::step_store::record::{
    ReadEnd, StepStatus, StoredAccess, StoredRegister, StoredStep, StoredThread,
};
use crate::step_store::store::{ReadTrace, StepStore, StoreScratch};
use crate::step_store::stored_trace::StoredTrace;

/// Effect of a record, in a format that numbers all of them.
#[derive(Clone, Debug)]
enum NumberedInput {
    Step(StoredStep),
    Access(ThreadNumber, StoredAccess, u64),
    Register(ThreadNumber, StoredRegister),
    Mode(ThreadNumber, Mode),
    Note(ThreadNumber, TextKind, String),
    Time(ThreadNumber, u64),
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

    fn value(&mut self) -> u64 {
        let bits = self.below(64);
        self.below(1 << 31).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> bits
    }
}

const MODES: [Mode; 3] = [
    Mode::Other,
    Mode::Handler(SecurityState::NonSecure),
    Mode::Banked(*b"irq"),
];
const KINDS: [TextKind; 3] = [TextKind::Exception, TextKind::StateChange, TextKind::Note];

fn step(dice: &mut Dice, thread: ThreadNumber) -> NumberedInput {
    let slot = [DelaySlot::None, DelaySlot::Executed, DelaySlot::Annulled]
        [dice.below(9).saturating_sub(6) as usize];
    let origin = [
        StepOrigin::Recorded,
        StepOrigin::Reconstructed,
        StepOrigin::Inferred,
    ][dice.below(3) as usize];
    NumberedInput::Step(StoredStep {
        input: thread.0,
        thread,
        branch: RecordedBranch::None,
        set: InstructionSet::A64,
        length_bytes: 4,
        pc: 0x1000 + 4 * dice.below(30),
        encoding: Encoding::new(&[1, 2, 3, 4]),
        target: None,
        reached: StepStatus {
            slot,
            is_executed: slot != DelaySlot::Annulled,
            origin,
        },
    })
}

fn access(dice: &mut Dice, thread: ThreadNumber) -> NumberedInput {
    let kind = [AccessKind::Read, AccessKind::Write][dice.below(2) as usize];
    let size_bytes = [1, 4, 8][dice.below(3) as usize];
    let address = 0x4000 + 8 * dice.below(20);
    NumberedInput::Access(
        thread,
        StoredAccess {
            kind,
            size_bytes,
            address,
            pc: None,
        },
        dice.value() & u64::MAX >> (64 - 8 * size_bytes),
    )
}

fn register(dice: &mut Dice, thread: ThreadNumber) -> NumberedInput {
    let size_bytes = [8, 8, 16, 1][dice.below(4) as usize];
    let view = RegisterView::new(RegisterId(dice.below(70) as u16), 0, size_bytes);
    let wide = u128::from(dice.value()) << 64 | u128::from(dice.value());
    let value =
        (dice.below(20) > 0).then_some(wide & u128::MAX >> (128 - 8 * u32::from(size_bytes)));
    NumberedInput::Register(thread, StoredRegister { view, value })
}

fn records(count: usize) -> Vec<NumberedInput> {
    let mut dice = Dice(1);
    let mut thread = ThreadNumber(0);
    let mut records = Vec::new();
    while records.len() < count {
        if dice.below(30) == 0 {
            thread = ThreadNumber(dice.below(3) as u16);
        }
        // Readers get accesses before registers.
        let (accesses, registers) = (dice.below(3), dice.below(5));
        if dice.below(3) == 0 {
            records.push(NumberedInput::Time(
                thread,
                1_000_000 + dice.below(1000) * 100,
            ));
        }
        records.push(step(&mut dice, thread));
        records.extend((0..accesses).map(|_| access(&mut dice, thread)));
        records.extend((0..registers).map(|_| register(&mut dice, thread)));
        if dice.below(8) == 0 {
            records.push(NumberedInput::Mode(thread, MODES[dice.below(3) as usize]));
            records.push(register(&mut dice, thread));
        }
        if dice.below(20) == 0 {
            records.push(NumberedInput::Note(
                thread,
                KINDS[dice.below(3) as usize],
                format!("note {}", records.len()),
            ));
        }
    }
    records
}

fn push(records: &[NumberedInput], encoder: &mut Encoder<Filler>) {
    for thread in 0..3 {
        encoder.thread(
            ThreadNumber(thread),
            StoredThread {
                tid: thread.into(),
                pid: 0,
            },
        );
    }
    for (number, record) in (1..).zip(records) {
        encoder.begin_record(number);
        match record {
            NumberedInput::Step(step) => _ = encoder.step(step),
            NumberedInput::Access(thread, access, value) => {
                encoder.valued_access(*thread, *access, *value)
            }
            NumberedInput::Register(thread, register) => encoder.register(*thread, *register),
            NumberedInput::Mode(thread, mode) => encoder.mode(*thread, *mode),
            NumberedInput::Note(thread, kind, text) => encoder.note(*thread, *kind, text),
            NumberedInput::Time(thread, time) => encoder.time(*thread, *time),
        }
    }
    encoder.begin_record(records.len() as u64 + 1);
}

struct Format;

impl StoredFormat for Format {
    fn thread_name(&self, thread: StoredThread) -> String {
        format!("cpu{}", thread.tid)
    }

    fn time(&self, recorded: u64) -> Option<u64> {
        Some(recorded)
    }

    fn instruction_set(&self) -> InstructionSet {
        InstructionSet::A64
    }

    fn endian(&self) -> Endian {
        Endian::Big
    }
}

/// Decoded events as text.
#[derive(Default)]
struct DecodedWords {
    names: Vec<String>,
    lines: Vec<String>,
}

impl DecodedWords {
    fn line(&mut self, thread: ThreadNumber, text: String) {
        self.lines
            .push(format!("{} {text}", self.names[usize::from(thread.0)]));
    }
}

impl EventSink for DecodedWords {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let reached = StepStatus {
            slot: step.delay_slot,
            is_executed: step.is_executed,
            origin: step.origin,
        };
        self.line(
            step.thread,
            format!(
                "{:#x} {reached:?} {:?} {:?}",
                step.pc.0, step.mode, step.time
            ),
        );
    }

    fn access(&mut self, access: &MemoryAccess) {
        let MemoryAccess {
            kind,
            address,
            size_bytes,
            bytes,
            ..
        } = access;
        self.line(
            access.thread,
            format!("{kind:?} {size_bytes} {:#x} {bytes:?}", address.0),
        );
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        self.line(
            write.thread,
            format!("{:?} {:?} {:?}", write.view, write.bytes, write.mode),
        );
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.line(
            event.thread,
            format!("{:?} {}", event.kind, String::from_utf8_lossy(event.text)),
        );
    }
}

/// Returns the expected events.
fn expected(records: &[NumberedInput]) -> Vec<String> {
    let mut modes = [Mode::Other; 3];
    let mut times = [None; 3];
    let line = |record: &NumberedInput| {
        let (thread, text) = match record {
            NumberedInput::Step(step) => {
                let place = usize::from(step.thread.0);
                (
                    step.thread,
                    format!(
                        "{:#x} {:?} {:?} {:?}",
                        step.pc, step.reached, modes[place], times[place]
                    ),
                )
            }
            NumberedInput::Access(
                thread,
                StoredAccess {
                    kind,
                    size_bytes,
                    address,
                    ..
                },
                value,
            ) => {
                let mut bytes = [0; 8];
                let size = usize::from(*size_bytes);
                bytes[..size].copy_from_slice(&value.to_be_bytes()[8 - size..]);
                (
                    *thread,
                    format!("{kind:?} {size_bytes} {address:#x} {:?}", Some(bytes)),
                )
            }
            NumberedInput::Register(thread, StoredRegister { view, value }) => {
                let bytes =
                    value.map(|value| value.to_le_bytes()[..usize::from(view.size_bytes)].to_vec());
                (
                    *thread,
                    format!("{view:?} {bytes:?} {:?}", modes[usize::from(thread.0)]),
                )
            }
            NumberedInput::Mode(thread, mode) => {
                modes[usize::from(thread.0)] = *mode;
                return None;
            }
            NumberedInput::Time(thread, time) => {
                times[usize::from(thread.0)] = Some(*time);
                return None;
            }
            NumberedInput::Note(thread, kind, text) => (*thread, format!("{kind:?} {text}")),
        };
        Some(format!("cpu{} {text}", thread.0))
    };
    records.iter().filter_map(line).collect()
}

fn stored(records: &[NumberedInput]) -> StepStore {
    stored_in(records, CacheFileOptions::default())
}

fn stored_in(records: &[NumberedInput], options: CacheFileOptions) -> StepStore {
    let given = records.to_vec();
    let read = move |_: &_, encoder: &mut Encoder<Filler>| {
        push(&given, encoder);
        Ok(ReadEnd::Complete)
    };
    let store = StepStore::open(options, Box::new(read));
    store.wait_for(u64::MAX).unwrap();
    store
}

fn stated(store: StepStore) -> std::io::Result<Vec<String>> {
    let trace = StoredTrace::new(store);
    let mut stated = DecodedWords::default();
    trace.parse(
        &(0..trace.length()),
        &Format,
        &mut StoreScratch::default(),
        &mut stated,
    )?;
    Ok(stated.lines)
}

/// Damages each byte of a store with compressed blocks.
#[test]
fn damage_anywhere_in_a_packed_store_is_noticed() {
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
    let records = records(900);
    drop(stored_in(&records, options.clone()));
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(whole.get(HEADER_LEN), Some(&1), "the first frame is packed");
    let is_noticed = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let unread: ReadTrace = Box::new(|_, _| Err(std::io::Error::other("it is read again")));
        let store = StepStore::open(options.clone(), unread);
        store.wait_for(1).and_then(|_| stated(store)).is_err()
    };
    assert!(!is_noticed(&whole));
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(is_noticed(&damaged), "byte {place} of {}", whole.len());
    }
    for cut in [HEADER_LEN, HEADER_LEN + 20, whole.len() - 1] {
        assert!(is_noticed(&whole[..cut]), "{cut} bytes");
    }
}

#[test]
fn loops_that_move_values_take_a_fraction_of_their_bytes() {
    let records: Vec<_> = records(300).into_iter().cycle().take(60_000).collect();
    let store = stored(&records);
    assert!(stated(store.clone()).unwrap() == expected(&records));
    assert!(
        store.bytes() < records.len() as u64,
        "{} bytes of {} records",
        store.bytes(),
        records.len()
    );
}

/// Cached frames belong to the store that is queried.
#[test]
fn two_stores_read_by_turns_tell_each_its_own() {
    let records = [records(3000), records(2500).split_off(500)];
    let traces = records
        .each_ref()
        .map(|records| StoredTrace::new(stored(records)));
    let mut scratch = StoreScratch::default();
    let mut lines = [Vec::new(), Vec::new()];
    let end = traces.iter().map(StoredTrace::length).max().unwrap();
    for start in (0..end).step_by(16 * 50) {
        for (trace, lines) in traces.iter().zip(&mut lines) {
            let mut stated = DecodedWords::default();
            let range = start.min(trace.length())..(start + 16 * 50).min(trace.length());
            trace
                .parse(&range, &Format, &mut scratch, &mut stated)
                .unwrap();
            lines.extend(stated.lines);
        }
    }
    for (lines, records) in lines.iter().zip(&records) {
        assert!(*lines == expected(records));
    }
}

#[test]
fn values_modes_and_notes_come_out_as_they_went_in() {
    let records = records(20_000);
    let trace = StoredTrace::new(stored(&records));
    let mut stated = DecodedWords::default();
    trace
        .parse(
            &(0..trace.length()),
            &Format,
            &mut StoreScratch::default(),
            &mut stated,
        )
        .unwrap();
    let expected = expected(&records);
    for (found, expected) in stated.lines.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(stated.lines.len(), expected.len());
}

#[test]
fn a_part_is_told_as_in_the_whole() {
    let records = records(3000);
    let trace = StoredTrace::new(stored(&records));
    let mut scratch = StoreScratch::default();
    let mut parts = Vec::new();
    let mut cut = 0;
    while cut < trace.length() {
        let end = (cut + 16 * 7).min(trace.length());
        let mut stated = DecodedWords::default();
        trace
            .parse(&(cut..end), &Format, &mut scratch, &mut stated)
            .unwrap();
        parts.extend(stated.lines);
        cut = end;
    }
    assert!(parts == expected(&records), "parts differ from the whole");
}

#[test]
fn a_record_is_found_by_its_number() {
    let records = records(5000);
    let store = stored(&records);
    assert_eq!(store.facts().records, records.len() as u64);
    let mut scratch = StoreScratch::default();
    let mut item = 0;
    let mut firsts = vec![1];
    for (number, record) in (1..).zip(&records) {
        if matches!(record, NumberedInput::Step(_)) {
            item += 1;
            firsts.push(number);
        }
        assert_eq!(
            store.item_of_record(number, &mut scratch).unwrap(),
            Some(item),
            "{number}"
        );
    }
    firsts.push(records.len() as u64 + 1);
    for (item, range) in (0..).zip(firsts.windows(2)) {
        assert_eq!(
            store.records_of_item(item, &mut scratch).unwrap(),
            range[0]..range[1],
            "{item}"
        );
    }
    for missing in [0, records.len() as u64 + 1, u64::MAX] {
        assert_eq!(store.item_of_record(missing, &mut scratch).unwrap(), None);
    }
}

/// Sink that keeps the messages of problems.
struct ProblemMessages(Vec<String>);

impl EventSink for ProblemMessages {
    fn problem(&mut self, problem: &Problem) {
        self.0.push(problem.kind.to_string());
    }
}

#[test]
fn problems_for_which_a_block_has_no_room_are_counted() {
    let read: ReadTrace = Box::new(|_, encoder| {
        encoder.thread(ThreadNumber(0), StoredThread::default());
        let problem = ProblemKind::Stored("x".repeat(1 << 20));
        (0..6).for_each(|_| encoder.problem(&problem));
        Ok(ReadEnd::Complete)
    });
    let trace = StoredTrace::new(StepStore::open(CacheFileOptions::default(), read));
    let mut sink = ProblemMessages(Vec::new());
    let range = 0..u64::MAX / 16 * 16;
    trace
        .parse(&range, &Format, &mut StoreScratch::default(), &mut sink)
        .unwrap();
    assert_eq!(sink.0.len(), 5);
    assert_eq!(
        sink.0[4],
        "2 records without an instruction among them are counted but not kept"
    );
}
