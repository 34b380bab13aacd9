//! Chunks and cuts: a part that is read separately yields the events of the whole.

use proptest::prelude::*;

use crate::events::{EventSink, Flow};
use crate::source::{ParseScratch, Source as _};
use crate::tarmac::source::{Tarmac, TarmacOptions};
use crate::tarmac::tests::support::{Event, Recorder, SMALL, events, fixtures, open, parse};
use crate::text::window::{LIMITS, TextLimits};

/// Limits with a window that holds everything; the others are small.
const WIDE: TextLimits = TextLimits {
    window: 1 << 20,
    ..SMALL
};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found = events(text.as_bytes()).text();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{text:?}");
    check_parts(&open(text.as_bytes(), TarmacOptions::default()));
}

/// Messages that depend on the range. A problem that is reported once a run is reported again in
/// another run. Two records on a line are not noticed if a range ends between them.
const COMPLAINTS: [&str; 2] = [
    "unknown Tarmac event type",
    "two records on one line: both are kept",
];

/// Returns true for a chunk that begins after another record of its line.
fn is_mid_line(tarmac: &Tarmac, start: u64) -> bool {
    let mut before = Vec::new();
    tarmac
        .read_raw(start.saturating_sub(1)..start, &mut before)
        .unwrap();
    !matches!(before[..], [] | [b'\n'])
}

fn without_complaints(recorder: &Recorder) -> Vec<Event> {
    let is_kept = |event: &&Event| {
        !COMPLAINTS
            .iter()
            .any(|complaint| event.text.contains(complaint))
    };
    recorder.events.iter().filter(is_kept).cloned().collect()
}

/// Returns the events of a part, with the line numbers of the whole.
fn part(tarmac: &Tarmac, range: std::ops::Range<u64>, lines_before: u64) -> (Vec<Event>, u64) {
    let (recorder, parsed) = parse(tarmac, range.clone());
    assert_eq!(parsed.end, range.end);
    let mut events = without_complaints(&recorder);
    events
        .iter_mut()
        .for_each(|event| event.line += lines_before);
    (events, parsed.lines)
}

/// Checks that every single chunk, the rest after every chunk start, and the rest after every cut
/// yield the events of the whole.
pub(super) fn check_parts(tarmac: &Tarmac) {
    let length = tarmac.length();
    let (whole, parsed) = parse(tarmac, 0..length);
    let expected = without_complaints(&whole);
    let starts: Vec<u64> = std::iter::once(0)
        .chain(whole.chunks.iter().copied().filter(|start| *start > 0))
        .collect();
    assert!(starts.is_sorted_by(|one, other| one < other), "{starts:?}");
    let (mut together, mut lines) = (Vec::new(), 0);
    let mut lines_before = Vec::new();
    for (place, &start) in starts.iter().enumerate() {
        lines_before.push(lines);
        let end = starts.get(place + 1).copied().unwrap_or(length);
        if is_mid_line(tarmac, start) {
            // Its line was counted in the chunk before.
            lines -= 1;
            lines_before.pop();
            lines_before.push(lines);
        }
        let (events, count) = part(tarmac, start..end, lines);
        together.extend(events);
        lines += count;
    }
    assert_eq!(together, expected);
    assert_eq!(lines, parsed.lines);
    for (start, lines_before) in starts
        .iter()
        .zip(&lines_before)
        .step_by(starts.len() / 60 + 1)
    {
        let (events, _) = part(tarmac, *start..length, *lines_before);
        let after: Vec<_> = expected
            .iter()
            .filter(|event| event.offset >= *start)
            .cloned()
            .collect();
        assert_eq!(events, after, "from the chunk at {start}");
    }
    check_cuts(tarmac, &expected, &starts, &lines_before);
}

fn check_cuts(tarmac: &Tarmac, expected: &[Event], starts: &[u64], lines_before: &[u64]) {
    let (length, mut last) = (tarmac.length(), 0);
    let step = usize::try_from(length / 150).unwrap() | 1;
    for target in (0..length).step_by(step) {
        let Some(cut) = tarmac
            .cut(target, length, &mut ParseScratch::default())
            .unwrap()
        else {
            continue;
        };
        assert!(cut >= target && cut < length);
        assert_eq!(
            tarmac
                .cut(target, cut, &mut ParseScratch::default())
                .unwrap(),
            None
        );
        let place = starts
            .binary_search(&cut)
            .unwrap_or_else(|_| panic!("cut from {target} at {cut}, no start of a chunk"));
        if cut == last {
            continue;
        }
        last = cut;
        let (events, _) = part(tarmac, cut..length, lines_before[place]);
        let after: Vec<_> = expected
            .iter()
            .filter(|event| event.offset >= cut)
            .cloned()
            .collect();
        assert_eq!(events, after, "cut from {target} at {cut}");
    }
}

#[test]
fn lines_with_a_new_time_belong_to_the_instruction_after_them() {
    let step = |text: &str, time: &str, early: &str| {
        format!("step {time} 1000 A32 e1a00000/4{early} {text:?}")
    };
    let it = |text: &str| format!("IT 00001000 e1a00000 A usr : {text}");
    let (one, two) = (it("ONE"), it("TWO"));
    let read = |address: u32| format!("read {address:x} 11");
    let (first, second, third) = ("MR1 1000 11", "MR1 2000 11", "MR1 3000 11");
    check(
        &format!("5 {one}\n6 {first}\n6 {second}\n6 {two}\n6 {third}\n"),
        &[
            &step("ONE", "5", ""),
            &step("TWO", "6", " early 28"),
            &read(0x1000),
            &read(0x2000),
            &read(0x3000),
        ],
    );
    check(
        &format!("5 {one}\n6 {first}\n  {second}\n{two}\n{third}\n"),
        &[
            &step("ONE", "5", ""),
            &step("TWO", "-", " early 28"),
            &read(0x1000),
            &read(0x2000),
            &read(0x3000),
        ],
    );
    // The time is not new.
    check(
        &format!("5 {one}\n5 {first}\n5 {two}\n"),
        &[&step("ONE", "5", ""), &read(0x1000), &step("TWO", "5", "")],
    );
    // Another thread, another time, the end.
    check(
        &format!("5 {one}\n6 cpu1 {first}\n6 {two}\n"),
        &[
            &step("ONE", "5", ""),
            "cpu1 read 1000 11",
            &step("TWO", "6", ""),
        ],
    );
    check(
        &format!("5 {one}\n6 {first}\n7 {second}\n7 {two}\n"),
        &[
            &step("ONE", "5", ""),
            &read(0x1000),
            &step("TWO", "7", " early 14"),
            &read(0x2000),
        ],
    );
    check(
        &format!("5 {one}\n6 {first}\n"),
        &[&step("ONE", "5", ""), &read(0x1000)],
    );
    check(
        &format!("5 {first}\n5 {one}\n"),
        &[&step("ONE", "5", " early 14"), &read(0x1000)],
    );
}

#[test]
fn a_damaged_instruction_takes_no_lines() {
    check(
        "5 IT 00001000 e1a00000 A usr : ONE\n6 MR1 1000 11\n6 IT zz\n7 MR1 2000 11\n",
        &[
            "step 5 1000 A32 e1a00000/4 \"ONE\"",
            "read 1000 11",
            "problem 5 expected an instruction encoding, found \"zz\"",
            "read 2000 11",
        ],
    );
}

#[test]
fn a_second_record_on_a_line_may_begin_a_chunk() {
    let nop = |place: u32, time: &str, early: &str| {
        format!("step {time} {place:x} A64 d503201f/4{early} \"NOP\"")
    };
    let it = |place: u32| format!("IT ({place:08x}) d503201f O EL1h_n : NOP");
    let (one, two) = (it(0x1000), it(0x2000));
    let both = |column: usize| format!("problem {column} two records on one line: both are kept");
    let cut = |column: usize| {
        format!(
            "problem {column} two records on one line: the first is cut, and the second is kept"
        )
    };
    check(
        &format!(
            "12 clk {one}\n12 clk R X0 000000000000000013 clk {two}\n13 clk R X1 0000000000000001\n"
        ),
        &[
            &nop(0x1000, "12", ""),
            "X0=0000000000000000",
            &both(28),
            &nop(0x2000, "13", ""),
            "X1=0100000000000000",
        ],
    );
    check(
        &format!("12 clk {one}\n12 clk R X0 000013 clk {two}\n13 clk R X1 0000000000000001\n"),
        &[
            &nop(0x1000, "12", ""),
            &cut(16),
            &nop(0x2000, "13", " early 16"),
            "X1=0100000000000000",
        ],
    );
    check(
        &format!("12 clk {one}13 clk {two}14 clk R X1 0000000000000001\n14 clk {one}\n"),
        &[
            &nop(0x1000, "12", ""),
            &both(44),
            &nop(0x2000, "13", ""),
            &both(44),
            &nop(0x1000, "14", " early 29"),
            "X1=0100000000000000",
        ],
    );
    check(
        &format!(
            "12 clk {one}\n13 clk R X1 0000000000000001\n13 clk R X2 000000000000000013 clk {two}\n"
        ),
        &[
            &nop(0x1000, "12", ""),
            "X1=0100000000000000",
            "X2=0000000000000000",
            &both(28),
            &nop(0x2000, "13", ""),
        ],
    );
}

#[test]
fn a_record_where_the_disassembly_is_missing_is_found_both_ways() {
    let text = "64 tic ES  (00001000:d503201f) O el3h_s: NOP\n64 tic ES  (00001000:d503201f) O el3h_s:                 \
                R X1 0000000000000001\n";
    check(
        text,
        &[
            "step 64 1000 A64 d503201f/4 \"NOP\"",
            "step 64 1000 A64 d503201f/4 \"\"",
            "problem 40 two records on one line: both are kept",
            "X1=0100000000000000",
        ],
    );
}

#[test]
fn of_three_records_on_a_line_a_short_one_in_the_middle_is_lost() {
    let nop = "IT 00001000 d503201f O EL1h_n : NOP";
    check(
        &format!("11 clk {nop}5 s E x13 clk {nop}\n"),
        &[
            "step 11 1000 A64 d503201f/4 \"NOP\"",
            "problem 42 two records on one line: both are kept",
            "problem 7 two records on one line: the first is cut, and the second is kept",
            "step 13 1000 A64 d503201f/4 early 7 \"NOP\"",
        ],
    );
}

#[test]
fn only_the_last_line_of_the_trace_is_said_to_be_cut() {
    let nop = "IT 00001000 d503201f O EL1h_n : NOP";
    check(
        &format!("99999999999999999999 clk {nop}13 clk {nop}\n"),
        &[
            "step - 1000 A64 d503201f/4 \"NOP\"",
            "problem 0 timestamp does not fit in 64 bits",
            "problem 60 two records on one line: both are kept",
            "step 13 1000 A64 d503201f/4 \"NOP\"",
        ],
    );
}

#[test]
fn diagrams_before_an_instruction_keep_their_rows() {
    let row = "........ ........ ........ ......11";
    check(
        &format!(
            "5 IT 00001000 e1a00000 A usr : ONE\n6 LD 00001000 {row}\n     00001010 {row}\n\
             6 IT 00001000 e1a00000 A usr : TWO\n"
        ),
        &[
            "step 5 1000 A32 e1a00000/4 \"ONE\"",
            "step 6 1000 A32 e1a00000/4 early 100 \"TWO\"",
            "read 1000 11",
            "read 1010 11",
        ],
    );
}

#[test]
fn a_run_that_is_too_long_belongs_to_the_step_before() {
    let lines = |count: usize| {
        format!(
            "5 IT 1000 e1a00000 A usr : ONE\n{}6 IT 1000 e1a00000 A usr : TWO\n",
            "6 MR1 1000 11\n".repeat(count)
        )
    };
    for (count, is_taken) in [(14, true), (15, false), (60, false)] {
        let tarmac = open(lines(count).as_bytes(), TarmacOptions::default()).with_limits(SMALL);
        let (recorder, _) = parse(&tarmac, 0..tarmac.length());
        let place = recorder
            .events
            .iter()
            .position(|event| event.text.contains("TWO"))
            .unwrap();
        assert_eq!(place, if is_taken { 1 } else { count + 1 }, "{count}");
        check_parts(&tarmac);
    }
}

#[test]
fn real_traces_can_be_cut_everywhere() {
    for (name, text) in fixtures() {
        let tarmac = open(&text, TarmacOptions::default());
        check_parts(&tarmac);
        let preamble = tarmac
            .cut(1, tarmac.length(), &mut ParseScratch::default())
            .unwrap()
            .unwrap();
        for target in (preamble..tarmac.length() - 1000).step_by(997) {
            let cut = tarmac
                .cut(target, target + 1000, &mut ParseScratch::default())
                .unwrap();
            assert!(
                cut.is_some(),
                "{name}: no cut within 1000 bytes of {target}"
            );
        }
    }
}

#[test]
fn a_trace_without_times_can_be_cut() {
    let text = "IT 1000 e1a00000 A usr : NOP\nR r0 00000001\n".repeat(30);
    let tarmac = open(text.as_bytes(), TarmacOptions::default());
    assert!(
        tarmac
            .cut(200, 400, &mut ParseScratch::default())
            .unwrap()
            .is_some()
    );
    check_parts(&tarmac);
}

#[test]
fn an_input_without_steps_cannot_be_cut() {
    let tarmac = open(
        "5 R r0 00000001\n".repeat(200).as_bytes(),
        TarmacOptions::default(),
    );
    assert_eq!(
        tarmac
            .cut(1, tarmac.length(), &mut ParseScratch::default())
            .unwrap(),
        None
    );
    assert_eq!(
        tarmac
            .cut(0, tarmac.length(), &mut ParseScratch::default())
            .unwrap(),
        Some(0)
    );
    assert_eq!(
        tarmac
            .cut(9000, 99999, &mut ParseScratch::default())
            .unwrap(),
        None
    );
}

#[test]
fn a_sink_can_stop_the_parser() {
    struct Stopper(u64);
    impl EventSink for Stopper {
        fn progress(&mut self, offset: u64) -> Flow {
            self.0 = offset;
            Flow::Stop
        }
    }
    let text = "5 IT 1000 e1a00000 A usr : NOP\n".repeat(100_000);
    let tarmac = open(text.as_bytes(), TarmacOptions::default());
    let mut sink = Stopper(0);
    let parsed = tarmac
        .parse(0..tarmac.length(), &mut ParseScratch::default(), &mut sink)
        .unwrap();
    assert_eq!(parsed.end, sink.0);
    assert_eq!(parsed.lines, parsed.end / 31);
    let window = LIMITS.window as u64;
    let is_one_window = parsed.end > window / 10 * 9 && parsed.end <= window;
    assert!(is_one_window, "{parsed:?}");
}

#[test]
fn raw_text_ends_at_the_end_of_the_input() {
    let tarmac = open(b"0123456789", TarmacOptions::default());
    let mut out = b"x".to_vec();
    tarmac.read_raw(7..20, &mut out).unwrap();
    assert_eq!(out, b"x789");
    tarmac.read_raw(50..60, &mut out).unwrap();
    assert_eq!(out, b"x789");
}

const KINDS: [&str; 12] = [
    "IT 00001000 e1a00000 A usr : NOP",
    "IT (3) 0000000000001000 d503201f O EL3h_s : NOP",
    "ES  (00001000:e1a00000) A svc_s:     NOP",
    "R r13_svc 00001000",
    "R D3 1111111122222222",
    "MW4 00001000:000000001000 11223344",
    "LD 00001000 ........ ..11.... ........ ........",
    "00001010 ........ ..11.... ........ ........",
    "IT (zz",
    "E CoreEvent_Reset",
    "FOO bar",
    "",
];
const TIMES: [&str; 8] = ["", "", "", "5 clk ", "6 clk ", "6 clk ", "   6 clk ", "7"];
const CPUS: [&str; 5] = ["", "", "", "cpu0 ", "cpu1 "];

/// Generates traces in which everything that matters to chunks is frequent.
pub fn trace() -> impl Strategy<Value = String> {
    let line = (0..TIMES.len(), 0..CPUS.len(), 0..KINDS.len(), 0..40u8).prop_map(
        |(time, cpu, kind, pad)| {
            // Some lines exceed the limit of 300.
            let pad = if pad == 0 {
                " ".repeat(320)
            } else {
                String::new()
            };
            // Some newlines are lost.
            let end = if pad.is_empty() && time % 3 == 2 && kind % 2 == 0 {
                ""
            } else {
                "\n"
            };
            format!("{}{}{}{pad}{end}", TIMES[time], CPUS[cpu], KINDS[kind])
        },
    );
    prop::collection::vec(line, 1..60).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn random_traces_are_the_same_in_parts(text in trace()) {
        check_parts(&open(text.as_bytes(), TarmacOptions::default()).with_limits(WIDE));
    }

    #[test]
    fn random_traces_are_the_same_through_any_window_and_both_ways(text in trace()) {
        let open = || open(text.as_bytes(), TarmacOptions::default());
        let length = open().length();
        let (expected, parsed) = parse(&open().with_limits(WIDE), 0..length);
        let slow = open().with_limits(WIDE).slowly();
        for tarmac in [slow, open().with_limits(SMALL), open().with_limits(SMALL).slowly()] {
            let (found, found_parsed) = parse(&tarmac, 0..length);
            prop_assert_eq!(&found.events, &expected.events);
            prop_assert_eq!(&found.chunks, &expected.chunks);
            prop_assert_eq!(found_parsed, parsed);
        }
    }
}

#[test]
fn a_carriage_return_before_a_second_record_is_no_part_of_the_first() {
    let next = "clk IT (2) 00001004 e1a00000 A usr : NOP";
    for between in ["\r", "\r\r", " \r", "\r "] {
        let text = format!(
            "12 clk IT (1) 00001000 e1a00000 A usr : NOP{between}13 {next}\n13 clk R r0 00000001\n"
        );
        check_parts(&open(text.as_bytes(), TarmacOptions::default()));
        let text = format!("12 clk E word{between}13 {next}\r");
        check_parts(&open(text.as_bytes(), TarmacOptions::default()));
    }
}
