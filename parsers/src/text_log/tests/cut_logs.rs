//! Logs that end within a line, and logs that grow: whatever is missing is unknown, and nothing of
//! it stays once it has come.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stepback_machine::{AccessKind, RegisterId};

use crate::detect::{Format, TraceAssumptions};
use crate::events::{EventSink, MemoryAccess, RegisterWrite, StepEvent, ThreadNumber};
use crate::read_at::ReadAt;
use crate::source::{ParseScratch, Source};
use crate::text_log::tests::parts::{LAYOUT, SAMPLES};
use crate::text_log::tests::recorder::{LogRecorder, check_parts, open, parse};

/// Logs with more effects on their last lines.
const ENDINGS: [(Format, &str); 9] = [
    (
        Format::CommitLog,
        "core   0: 3 0x0000000080000000 (0x34151073) c833_mepc 0x0000000080000010\n\
         core   0: 3 0x0000000080000004 (0x1af6f7d3) f15 0x1111111111111111\n\
         core   0: 3 0x0000000080000008 (0x1af6f7d3) c1_fflags 0x0000000000000001 f15 0x405c924924924925\n",
    ),
    (
        Format::CommitLog,
        "core   0: 3 0x0000000080000000 (0x00b53023) mem 0x0000000080001050 0x0000000000000007\n\
         core   0: 3 0x0000000080000004 (0x00053783) x15 0x0000000000000007 mem 0x0000000080001050\n\
         core   0: 3 0x000000008000018e (0x00f737af) x15 0x0000000000000000 mem 0x0000000080001050 mem 0x0000000080001050 0x0000000000000001\n",
    ),
    (
        Format::CommitLog,
        "0 3 0x0000000000001000 (0x34151073) \n\
         1 3 0x0000000000001000 (0x00000297) x 5 0x0000000000001000\n\
         1 3 0x0000000000001004 (0x00000073) exception 8, tval 0000000000000000\n",
    ),
    (
        Format::CommitLog,
        "rv new 0 RV64IMA MSU 32 1\n\
         rv rf w 0 0 5 80000000\nrv commit 0 80000000\n\
         rv load exe 0 1 8 80001000 1122334455667788\nrv rf w 0 0 5 1122334455667788\nrv commit 0 80000004\n",
    ),
    (
        Format::CommitLog,
        "[0] [M]: 0x0000000000001000 (0x30529073) csrrw zero, mtvec, t0\n\
         CSR mtvec (0x305) <- 0x0000000080000000\n\
         mem[X,0x0000000000001004] -> 0xB023\n\
         mem[X,0x0000000000001006] -> 0x00A2\n\
         [1] [M]: 0x0000000000001004 (0x00A2B023) sd a0, 0(t0)\n\
         mem[W,0x0000000000001018] <- 0x0000000080000000\n\
         [2] [M]: 0x0000000000001008 (0x30529073) csrrw zero, mtvec, t0\n\
         CSR mtvec (0x305) <- 0x0000000080000100\n",
    ),
    (
        Format::CpuLog,
        "IN: main\n\
         0x00400120:  d2800020  mov x0, #1\n\
         0x00400124:  8b000000  add x0, x0, x0\n\
         \n\
         Trace 0: 0x7f2f94a00100 [81009331/0000000000400120/00000001/00000201] main\n\
         \u{20}PC=0000000000400120 X00=0000000000000000 X01=0000000000000003\n\
         IN: main\n\
         0x00400128:  d2800022  mov x1, #1\n\
         0x0040012c:  d65f03c0  ret\n\
         \n\
         Trace 0: 0x7f2f94a00240 [81009331/0000000000400128/00000001/00000201] main\n\
         \u{20}PC=0000000000400128 X01=0000000000000003 X00=0000000000000002 Z00=0000000000000001:0000000000000002\n",
    ),
    (
        Format::Unidbg,
        "[15:11:48 070][lib.so 0x1000] [e10300aa] 0x40001000: \"mov x1, x0\" x0=0x5 => x1=0x5\n\
         [15:11:48 071][lib.so 0x1004] [1f0000eb] 0x40001004: \"cmp x0, x0\" x0=0x1 => nzcv: N=0, Z=1, C=1, V=0\n\
         [15:11:48 070][lib.so 0x1008] [e10300aa] 0x40001008: \"mov x1, x0\" x0=0x5555 => x1=0x5555\n",
    ),
    (
        Format::Tenet,
        "X0=0x1,sp=0x4060f8,pc=0x401000\n\
         x0=0x12345678,pc=0x401004,mr=0x402010:a28cd692\n\
         pc=0x401008,x0=0x1234,mw=0x402010:a28cd6920e104000\n",
    ),
    (
        Format::Described,
        "[12] core1 00000080: -- li ra, 5 | r01=5 r2=77777777\n\
         [13] core1 00000084: -- li a0, 1 | r01=55 r2=12345678\n",
    ),
];

fn all_logs() -> impl Iterator<Item = (Format, &'static str)> {
    SAMPLES.into_iter().chain(ENDINGS)
}

/// A byte of a register, by thread, number and offset.
type RegisterByte = (String, String, u16);

/// State and effects of a log by step.
#[derive(Debug, Default)]
struct LoggedStates {
    threads: Vec<String>,
    named: Vec<String>,
    now: BTreeMap<RegisterByte, Option<u8>>,
    /// Thread and address of each step.
    steps: Vec<(String, u64)>,
    /// Registers before each step, and at the end.
    states: Vec<BTreeMap<RegisterByte, Option<u8>>>,
    /// Bytes in memory that each step reads or writes.
    accesses: Vec<BTreeMap<(bool, u64), Option<u8>>>,
}

impl LoggedStates {
    fn of(source: &dyn Source) -> Self {
        let mut states = Self {
            accesses: vec![BTreeMap::new()],
            ..Self::default()
        };
        source
            .parse(
                0..source.length(),
                &mut ParseScratch::default(),
                &mut states,
            )
            .unwrap();
        states.states.push(states.now.clone());
        states
    }

    /// Checks that this log, of which the end is missing, states nothing that the whole one does
    /// not.
    #[track_caller]
    fn check_within(&self, whole: &Self, end: &str) {
        assert!(whole.steps.starts_with(&self.steps), "{end}");
        for (place, (state, all)) in self.states.iter().zip(&whole.states).enumerate() {
            let known = state.iter().filter(|(_, value)| value.is_some());
            // Vector instructions state `vl` in logs without control registers, which may yet come.
            for (byte, value) in known.filter(|((_, register, _), _)| register != "534") {
                let expected = all.get(byte).copied().flatten();
                assert_eq!(
                    *value, expected,
                    "{byte:?} at {place} of the log up to {end:?}"
                );
            }
        }
        for (accesses, all) in self.accesses.iter().zip(&whole.accesses) {
            for (byte, value) in accesses.iter() {
                let expected = all.get(byte);
                assert!(
                    expected.is_some(),
                    "{byte:x?} in {all:x?} of the log up to {end:?}"
                );
                let is_right = value.is_none() || Some(value) == expected;
                assert!(is_right, "{byte:x?} in {all:x?} of the log up to {end:?}");
            }
        }
    }
}

impl EventSink for LoggedStates {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.threads.push(name.to_owned());
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, _size_bytes: u16) {
        self.named.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let thread = self.threads[usize::from(step.thread.0)].clone();
        self.steps.push((thread, step.pc.0));
        self.states.push(self.now.clone());
        self.accesses.push(BTreeMap::new());
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let thread = &self.threads[usize::from(write.thread.0)];
        let number = write.view.register.0;
        let name = match number.checked_sub(RegisterId::FIRST_NAMED.0) {
            Some(number) => self.named[usize::from(number)].clone(),
            None => number.to_string(),
        };
        for place in 0..write.view.size_bytes {
            let byte = (thread.clone(), name.clone(), write.view.offset + place);
            let value = write.bytes.map(|bytes| bytes[usize::from(place)]);
            self.now.insert(byte, value);
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        let of_step = self.accesses.last_mut().unwrap();
        for place in 0..access.size_bytes {
            let value = access.bytes.map(|bytes| bytes[usize::from(place)]);
            let is_write = access.kind == AccessKind::Write;
            of_step.insert((is_write, access.address.0 + u64::from(place)), value);
        }
    }
}

#[test]
fn nothing_false_is_said_of_a_log_that_is_cut_within_its_last_lines() {
    for (format, text) in all_logs() {
        let whole = LoggedStates::of(&*open(text.as_bytes(), format));
        for end in last_lines(text)..text.len() {
            let cut = open(&text.as_bytes()[..end], format);
            check_parts(&*cut);
            LoggedStates::of(&*cut).check_within(&whole, &text[..end]);
        }
    }
}

/// Returns the offset of the last two lines.
fn last_lines(text: &str) -> usize {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let first = lines.len().saturating_sub(2).max(2);
    lines[..first].iter().map(|line| line.len()).sum()
}

/// A text that is being written.
#[derive(Clone)]
struct GrowingText {
    text: &'static str,
    length: Arc<AtomicUsize>,
}

impl ReadAt for GrowingText {
    fn length(&self) -> io::Result<u64> {
        Ok(self.length.load(Ordering::Relaxed) as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.length.load(Ordering::Relaxed);
        ReadAt::read_at(&self.text.as_bytes()[..length].to_vec(), offset, buffer)
    }
}

#[test]
fn a_log_that_grows_ends_as_if_it_were_read_whole() {
    for (format, text) in all_logs() {
        let whole = check_parts(&*open(text.as_bytes(), format));
        for end in last_lines(text)..text.len() {
            let found = grown(format, text, end..end + 1);
            assert_eq!(found.texts(), whole.texts(), "{:?}", &text[..end]);
        }
    }
}

/// Returns the events of a text of which a part is there when it is opened, and another one soon.
fn grown(format: Format, text: &'static str, ends: std::ops::Range<usize>) -> LogRecorder {
    let growing = GrowingText {
        text,
        length: Arc::new(ends.start.into()),
    };
    let assumed = TraceAssumptions {
        template: (format == Format::Described).then(|| LAYOUT.parse().unwrap()),
        ..TraceAssumptions::default()
    };
    let source = format
        .open_text(Box::new(growing.clone()), assumed)
        .unwrap();
    for end in [ends.end, text.len()] {
        parse(&*source, 0..source.length());
        growing.length.store(end, Ordering::Relaxed);
        source.grow().unwrap();
    }
    check_parts(&*source)
}
