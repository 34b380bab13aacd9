//! Conversions: the result yields the same events as the trace.

use stepback_machine::{AccessKind, Endian, RegisterId};

use crate::events::{
    EventSink, Flow, MemoryAccess, RegisterWrite, StepEvent, TextEvent, ThreadNumber,
};
use crate::source::{ParseScratch, Source as _};
use crate::tarmac::convert::style::{ConversionLoss, TarmacStyle};
use crate::tarmac::source::{Tarmac, TarmacOptions};
use crate::tarmac::tests::chunks::trace;
use crate::tarmac::tests::support::{events, fixtures, open, parse};

/// Events in a form that does not depend on how an access is split.
#[derive(Default)]
struct Effects {
    lines: Vec<String>,
    threads: Vec<String>,
    registers: Vec<String>,
}

impl Effects {
    fn push(&mut self, thread: ThreadNumber, text: String) {
        self.lines
            .push(format!("{} {text}", self.threads[usize::from(thread.0)]));
    }
}

impl EventSink for Effects {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.threads.push(name.to_owned());
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, _size_bytes: u16) {
        self.registers.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let text = String::from_utf8_lossy(step.text).into_owned();
        let StepEvent {
            time,
            pc,
            instruction_set,
            opcode,
            length_bytes,
            is_executed,
            ..
        } = step;
        self.push(
            step.thread,
            format!(
                "{time:?} {pc} {instruction_set:?} {opcode:x} {length_bytes} {is_executed} {text}"
            ),
        );
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let name = write.view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let name = name.map_or_else(
            || format!("{:?}", write.view.register),
            |name| self.registers[usize::from(name)].clone(),
        );
        let text = format!(
            "{name}+{} {:?} {}",
            write.view.offset,
            write.bytes,
            write.is_bank_copy()
        );
        self.push(write.thread, text);
    }

    fn access(&mut self, access: &MemoryAccess) {
        let kind = if access.kind == AccessKind::Read {
            "read"
        } else {
            "write"
        };
        for place in 0..access.size_bytes {
            let byte = access.bytes.map(|bytes| bytes[usize::from(place)]);
            self.push(
                access.thread,
                format!("{kind} {:x} {byte:?}", access.address.0 + u64::from(place)),
            );
        }
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.push(
            event.thread,
            format!("{:?} {}", event.kind, String::from_utf8_lossy(event.text)),
        );
    }
}

fn effects(tarmac: &Tarmac) -> Vec<String> {
    let mut effects = Effects::default();
    tarmac
        .parse(
            0..tarmac.length(),
            &mut ParseScratch::default(),
            &mut effects,
        )
        .unwrap();
    effects.lines
}

fn converted(text: &[u8], style: TarmacStyle, options: TarmacOptions) -> (Vec<u8>, ConversionLoss) {
    let mut out = Vec::new();
    let lost = open(text, options)
        .convert(style, &mut out, &mut |_| Flow::Continue)
        .unwrap();
    (out, lost)
}

/// Checks that the trace in each style, and each converted into the other, has the effects of the
/// original.
#[track_caller]
fn check_effects(name: &str, text: &[u8], options: TarmacOptions) {
    let expected = effects(&open(text, options));
    for style in [TarmacStyle::Es, TarmacStyle::FastModels] {
        let (once, _) = converted(text, style, options);
        let found = effects(&open(&once, options));
        assert!(
            found == expected,
            "{name} as {style:?}: {}",
            difference(&found, &expected)
        );
        let other = if style == TarmacStyle::Es {
            TarmacStyle::FastModels
        } else {
            TarmacStyle::Es
        };
        let (twice, _) = converted(&once, other, options);
        let found = effects(&open(&twice, options));
        assert!(
            found == expected,
            "{name} as {style:?} and back: {}",
            difference(&found, &expected)
        );
    }
}

fn difference(found: &[String], expected: &[String]) -> String {
    let place = found
        .iter()
        .zip(expected)
        .position(|(one, other)| one != other)
        .unwrap_or(found.len());
    format!(
        "{place}: {:?} instead of {:?}",
        found.get(place),
        expected.get(place)
    )
}

#[track_caller]
fn check(text: &str, style: TarmacStyle, expected: &str, lost: &str) {
    let (found, found_lost) = converted(text.as_bytes(), style, TarmacOptions::default());
    assert_eq!(String::from_utf8(found).unwrap(), expected);
    assert_eq!(found_lost.to_string(), lost);
}

const FM: &str = "\
5 clk IT (1) 00001000 e5901000 A svc : LDR r1,[r0]
5 clk MR4 00002004:000000002004_NS 00000007
5 clk R r1 00000007
6 clk E CoreEvent_X
7 clk cpu1 IT (2) 0000000000001000 d503201f O EL1h : NOP
7 clk cpu1 R SP_EL1 0000000000000001
7 clk R r1 00000008
8 clk IS (3) 00001004 0590 T svc : SKIPPED
";
const ES: &str = "Tarmac Text Rev 3t
          5 clk ES  (00001000:e5901000) A svc:         LDR r1,[r0]
                    LD 00002000 ........ ........ 00000007 ........    NS:00000002000
                    R r1 00000007
          6 clk E CoreEvent_X
          7 clk cpu1 ES  (0000000000001000:d503201f) O EL1h:         NOP
                    R SP_EL1 0000000000000001
          7 clk R r1 00000008
          8 clk ES  (00001004:0590) T svc:  CCFAIL SKIPPED
";

#[test]
fn each_style_becomes_the_other() {
    check(FM, TarmacStyle::Es, ES, "");
    check(ES, TarmacStyle::FastModels, FM, "");
    check(ES, TarmacStyle::Es, ES, "");
    check(FM, TarmacStyle::FastModels, FM, "");
}

#[test]
fn what_the_other_style_cannot_say_is_counted() {
    check(
        "1 clk IT (1) 00001000:000000001000 e5901000 A svc : LDR\n1 clk MR4X 00002004 00000007\n",
        TarmacStyle::Es,
        "Tarmac Text Rev 3t\n          1 clk ES  (00001000:e5901000) A svc:         LDR\n                    \
         LD 00002000 ........ ........ 00000007 ........\n",
        "1 physical address, 1 exclusive mark",
    );
    check(
        "  R r0 00000001\n  LD 00002000 ........ ........ 00000007 ........    S:00000002000    nGnRnE OSH\n",
        TarmacStyle::FastModels,
        "                    R r0 00000001\n                    MR4 00002004:000000002004_S 00000007\n"
            .replace("                    ", "")
            .as_str(),
        "1 memory type",
    );
}

#[test]
fn real_traces_keep_their_effects_both_ways() {
    for (name, text) in fixtures() {
        check_effects(&name, &text, TarmacOptions::default());
    }
}

#[test]
fn strange_lines_keep_their_effects_both_ways() {
    let forms = include_str!("forms.tsv")
        .lines()
        .filter(|row| !row.starts_with('#'));
    for row in forms {
        let cells: Vec<&str> = row.split('\t').collect();
        let options = TarmacOptions {
            endian: if cells[0] == "B" {
                Endian::Big
            } else {
                Endian::Little
            },
            implicit_thumb: cells[0] == "T",
        };
        let line = cells[1].replace("\\0", "\0").replace("\\ufeff", "\u{feff}");
        let text = format!(
            "9 clk IT 00000ffc d503201f O EL1h : NOP\n9 clk R X1 0000000000000001\n{line}\n  R X2 0000000000000002\n\
             cpu1 R X3 0000000000000003\n13 clk IT 00001000 d503201f O EL1h : NOP\n"
        );
        check_effects(&line, text.as_bytes(), options);
    }
}

#[test]
fn a_conversion_can_be_stopped() {
    let text = FM.repeat(20_000);
    let mut out = Vec::new();
    let mut requested = 0;
    let mut watch = |_| {
        requested += 1;
        Flow::Stop
    };
    open(text.as_bytes(), TarmacOptions::default())
        .convert(TarmacStyle::Es, &mut out, &mut watch)
        .unwrap();
    assert_eq!(requested, 1);
    assert!(out.len() < 2 << 20);
    assert!(
        parse(&open(&out, TarmacOptions::default()), 0..out.len() as u64)
            .0
            .chunks
            .len()
            > 1000
    );
}

proptest::proptest! {
    #[test]
    fn random_traces_keep_their_effects_both_ways(text in trace()) {
        // Two records of one line belong to the step before it. On separate lines they may belong
        // to the step after.
        if !events(text.as_bytes()).text().contains("two records on one line") {
            check_effects("random", text.as_bytes(), TarmacOptions::default());
        }
    }
}
