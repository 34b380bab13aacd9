//! Quick steps: the events are those of a reader that reads all lines one by one.

use std::ops::Range;

use proptest::prelude::*;

use crate::commit_log::CommitLog;
use crate::events::{EventSink, MemoryAccess, RegisterWrite, StepEvent, TextEvent, ThreadNumber};
use crate::problem::Problem;
use crate::source::ParsedRange;
use crate::text::window::{LIMITS, PADDING};
use crate::text_log::run::{LogRun, LogScratch, LogText};
use crate::text_log::{AheadText, ChunkStart, LogFormat, LogHead, LogOptions, LoggedStep};
use stepback_machine::InstructionSet;

/// Commit logs without quick steps.
struct LineByLine(CommitLog);

impl LogFormat for LineByLine {
    type Line<'a> = <CommitLog as LogFormat>::Line<'a>;
    type ChunkState = <CommitLog as LogFormat>::ChunkState;

    const NAME: &'static str = CommitLog::NAME;
    const AT_START: Self::ChunkState = CommitLog::AT_START;
    const UNKNOWN: Self::ChunkState = CommitLog::UNKNOWN;

    fn of_head(head: &LogHead<'_>) -> Self {
        Self(CommitLog::of_head(head))
    }

    fn instruction_set(&self) -> InstructionSet {
        self.0.instruction_set()
    }

    fn options(&self) -> String {
        self.0.options()
    }

    fn look_ahead(&self) -> usize {
        self.0.look_ahead()
    }

    fn second_record(&self, line: &[u8]) -> Option<usize> {
        self.0.second_record(line)
    }

    fn ends_whole(&self, line: &[u8]) -> bool {
        self.0.ends_whole(line)
    }

    fn read<'a>(&self, line: &'a [u8]) -> Self::Line<'a> {
        self.0.read(line)
    }

    fn chunk_start(&self, line: &Self::Line<'_>, state: &mut Self::ChunkState) -> ChunkStart {
        self.0.chunk_start(line, state)
    }

    fn add(&self, line: &Self::Line<'_>, step: &mut LoggedStep) {
        self.0.add(line, step);
    }

    fn complete(&self, step: &mut LoggedStep, ahead: AheadText<'_>) {
        self.0.complete(step, ahead);
    }

    fn forget_missing(&self, step: &mut LoggedStep) {
        self.0.forget_missing(step);
    }
}

/// Keeps all events, with everything in them.
#[derive(Debug, Default)]
struct EventLog(Vec<String>);

impl EventSink for EventLog {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        self.0.push(format!("{thread:?} {name}"));
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.0.push(format!("{step:?}"));
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        self.0.push(format!("{write:?}"));
    }

    fn access(&mut self, access: &MemoryAccess) {
        self.0.push(format!("{access:?}"));
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.0.push(format!("{event:?}"));
    }

    fn problem(&mut self, problem: &Problem) {
        self.0.push(format!("{problem:?}"));
    }

    fn scattered_values(&mut self) {
        self.0.push("scattered values".to_owned());
    }
}

fn parse<F: LogFormat>(text: &Vec<u8>, range: Range<u64>) -> (Vec<String>, ParsedRange) {
    let options = LogOptions::default();
    let format = F::of_head(&LogHead {
        text,
        options: &options,
    });
    let whole_lines = memchr::memrchr(b'\n', text).map_or(0, |newline| newline as u64 + 1);
    let text = LogText {
        input: text,
        length: text.len() as u64,
        whole_lines,
        has_cores: false,
        limits: LIMITS,
    };
    let mut events = EventLog::default();
    let parsed = LogRun::parse(
        &format,
        text,
        range,
        &mut LogScratch::default(),
        &mut events,
    );
    (events.0, parsed.unwrap())
}

/// Steps with and without listings, and lines that no quick step has.
const PAIRS: &str = "\
core   0: 0x0000000000001000 (0x00000297) auipc   t0, 0x0
core   0: 3 0x0000000000001000 (0x00000297) x5  0x0000000000001000
core   0: 0x000000008000003e (0x000002a1) c.addi  t0, 8
core   0: 3 0x000000008000003e (0x02a1) x5  0x0000000080001078
core   0: 0x000000000000100c (0x0182b283) ld      t0, 24(t0)
core   0: 3 0x000000000000100c (0x0182b283) x5  0x0000000080000000 mem 0x0000000000001018
core   0: >>>>  main
core   0: >>>>  Main::run
core   0: 0x000000008000003a (0x0002b023) sd      zero, 0(t0)
core   0: 3 0x000000008000003a (0x0002b023) mem 0x0000000080001070 0x0000000000000000
core   0: 0x0000000080000300 (0x00000073) ecall
core   0: exception trap_user_ecall, epc 0x0000000080000300
core   0:           tval 0x0000000000000000
core   0: 0x0000000080000264 (0x34011173) csrrw   sp, mscratch, sp
core   0: 3 0x0000000080000264 (0x34011173) x2  0x00000000800ffbe0 c832_mscratch 0x00000000800fffe0
core   1: 0x000000008000018e (0x1ae7b72f) sc.d    a4, a4, (a5)
core   1: 3 0x000000008000018e (0x1ae7b72f) x14 0x0000000000000000 mem 0x0000000080001050 0x0000000000000001
core   1: 0x0000000080000192 (0x00053787) fld     fa5, 0(a0)
core   1: 3 0x0000000080000192 (0x00053787) f15 0x3ff0000000000000 mem 0x0000000080001050
core   1: 0x0000000080000196 (0x02079463) bnez    a5, pc + 40
core   1: 3 0x0000000080000196 (0x02079463)
";

const COMMITS: &str = "\
core   0: 3 0x0000000000001000 (0x00000297) x5  0x0000000000001000
core   0: 3 0x0000000000001004 (0x02028593) x11 0x0000000000001020
core   0: 3 0x0000000000001008 (0xb862) mem 0x0000000000001018 0x0000000000000000
core   0: 3 0x000000000000100a (0x00a28023) mem 0x0000000080001000 0x82
core   0: 3 0x000000000000100e (0xbfdd)
core   0: 3 0x0000000000001004 (0x00052503) x10 0xffffffff80000000 mem 0x0000000000001018
core   0: 0 0x0000000000001008 (0x00052503) x10 0x0000000000000001 mem 0x0000000000001018
core   1: 0 0x0000000000001008 (0x02058407) v8  0x504f4e4d4c4b4a49 mem 0x0000000080001438
core   1: 0 0x0000000000002000 (0x30200073) c768_mstatus 0x0000000000000080
core   1: 0 0x0000000000002004 (0x00000013)
";

const NARROW: &str = "\
core   0: 3 0x80000000 (0x0506) x10 0x00000082
core   0: 3 0x80000002 (0x00a28023) mem 0x80001000 0x82
core   0: 3 0x80000006 (0x00053787) f15 0x3ff0000000000000 mem 0x80001000
core   0: 3 0x8000000a (0x00052787) f15 0xffffffff3f800000 mem 0x80001000
core   0: 3 0x8000000e (0x00052503) x10 0x80000000 mem 0x80001000
";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn quick_steps_are_those_of_their_lines(
        sample in prop::sample::select(&[PAIRS, COMMITS, NARROW][..]),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(&b"0123456789abcdefgxmp:() \t\r\n"[..])),
            0..4,
        ),
        ends in any::<[prop::sample::Index; 2]>(),
    ) {
        let mut lines: Vec<&str> = [sample; 2].into_iter().flat_map(|text| text.split_inclusive('\n')).collect();
        for place in order {
            let place = place.index(lines.len() - 1);
            lines.swap(place, place + 1);
        }
        let mut text = lines.concat().into_bytes();
        for (place, byte) in edits {
            let place = place.index(text.len());
            text[place] = byte;
        }
        text.truncate(text.len() - ends[0].index(text.len()) / 8);
        let end = text.len() as u64;
        let middle = ends[1].index(text.len()) as u64;
        for range in [0..end, 0..middle, middle..end] {
            prop_assert_eq!(parse::<CommitLog>(&text, range.clone()), parse::<LineByLine>(&text, range));
        }
    }
}

#[test]
fn usual_steps_are_quick() {
    let quick = |text: &str| -> Vec<usize> {
        let options = LogOptions::default();
        let text = text.as_bytes();
        let format = CommitLog::of_head(&LogHead {
            text,
            options: &options,
        });
        let padded = [text, &[b'\n'; PADDING]].concat();
        let starts = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
        let starts = std::iter::once(0).chain(starts).enumerate();
        let is_quick = |start: usize| format.quick_step(&padded[start..]).is_some();
        starts
            .filter(|(_, start)| is_quick(*start))
            .map(|(line, _)| line)
            .collect()
    };
    // A commit line is one too; whether it belongs to a listing depends on the line before.
    assert_eq!(
        quick(PAIRS),
        [0, 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 18, 19, 20]
    );
    assert_eq!(quick(COMMITS), [0, 1, 3, 4, 5, 6, 9]);
    assert_eq!(quick(NARROW), [0, 1, 2, 3, 4]);
}
