//! Every record in order, as the stock tool prints it.

use std::collections::HashMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use stepback_machine::{AccessKind, Encoding};
use stepback_parsers::drmemtrace::{InstructionRecord, RecordSink, ThreadIdentity};
use stepback_parsers::stored::StoredAccess;
use stepback_parsers::{Marker, MarkerKind, Problem, ThreadNumber};

use super::{read, traces};

/// Every record of a trace as a line: thread and content, and the number of instructions until
/// then.
struct Lines {
    lines: Vec<(u64, String)>,
    /// Range of instruction counts within which lines are kept.
    wanted: RangeInclusive<u64>,
    instructions: u64,
    tids: HashMap<ThreadNumber, u64>,
    /// Address of each thread's last instruction.
    last: HashMap<ThreadNumber, u64>,
    encodings: HashMap<(u16, u64), Encoding>,
    problems: Vec<String>,
}

impl Lines {
    fn of(trace: &Path, wanted: RangeInclusive<u64>) -> Self {
        let mut lines = Self {
            lines: Vec::new(),
            wanted,
            instructions: 0,
            tids: HashMap::new(),
            last: HashMap::new(),
            encodings: HashMap::new(),
            problems: Vec::new(),
        };
        read(trace, &mut lines);
        lines
    }

    fn push(&mut self, thread: ThreadNumber, text: impl FnOnce(&Self) -> String) {
        if self.wanted.contains(&self.instructions) {
            let line = format!("T{} {}", self.tids[&thread], text(self));
            self.lines.push((self.instructions, line));
        }
    }
}

impl RecordSink for Lines {
    fn thread(&mut self, thread: ThreadNumber, identity: ThreadIdentity) {
        self.tids.insert(thread, identity.tid);
    }

    fn instruction(&mut self, record: &InstructionRecord) {
        let InstructionRecord {
            input,
            thread,
            kind,
            length_bytes,
            pc,
            encoding,
            ..
        } = *record;
        let is_repeated = kind == 29;
        self.instructions += u64::from(!is_repeated);
        self.last.insert(thread, pc);
        if let Some(encoding) = encoding {
            self.encodings.insert((input, pc), encoding);
        }
        let word = if is_repeated { "non-fetched" } else { "ifetch" };
        self.push(thread, |lines| {
            let bytes = lines
                .encodings
                .get(&(input, pc))
                .copied()
                .unwrap_or_default();
            // The first line of the stock tool has this number of bytes.
            let bytes: String = bytes
                .bytes()
                .iter()
                .take(7)
                .map(|byte| format!(" {byte:02x}"))
                .collect();
            format!("{word} {length_bytes} byte(s) @ {pc:#018x}{bytes}")
        });
    }

    fn data(&mut self, thread: ThreadNumber, access: StoredAccess) {
        let StoredAccess {
            kind,
            size_bytes,
            address,
            pc,
        } = access;
        let word = match kind {
            AccessKind::Write => "write",
            AccessKind::Read => "read",
        };
        let pc = pc.unwrap_or_else(|| self.last[&thread]);
        self.push(thread, |_| {
            format!("{word} {size_bytes} byte(s) @ {address:#018x} by PC {pc:#018x}")
        });
    }

    fn marker(&mut self, thread: ThreadNumber, marker: Marker, _size_bytes: u64) {
        let text = match marker.kind {
            MarkerKind::TIMESTAMP => format!("<marker: timestamp {}>", marker.value),
            MarkerKind::CPU => format!("<marker: on core {}>", marker.value & 0xfff),
            MarkerKind::VERSION => format!("<marker: version {}>", marker.value),
            MarkerKind::RECORDING => format!("<marker: filetype {:#x}>", marker.value),
            MarkerKind(10) => format!("<marker: cache line size {}>", marker.value),
            MarkerKind(18) => format!("<marker: page size {}>", marker.value),
            MarkerKind(20) => format!("<marker: chunk instruction count {}>", marker.value),
            MarkerKind::CHUNK_FOOTER => format!("<marker: chunk footer #{}>", marker.value),
            MarkerKind::SYSTEM_CALL => format!("<marker: system call {}>", marker.value),
            MarkerKind::MAYBE_BLOCKING => "<marker: maybe-blocking system call>".to_owned(),
            MarkerKind::SIGNAL => format!("<marker: signal #{}>", marker.value),
            MarkerKind::KERNEL_EVENT => {
                format!("<marker: kernel xfer from {:#x} to handler>", marker.value)
            }
            MarkerKind::KERNEL_TRANSFER => {
                format!("<marker: syscall xfer from {:#x}>", marker.value)
            }
            MarkerKind::FUNCTION => format!("<marker: function #{}>", marker.value),
            MarkerKind::RETURN_ADDRESS => {
                format!("<marker: function return address {:#x}>", marker.value)
            }
            MarkerKind::ARGUMENT => format!("<marker: function argument {:#x}>", marker.value),
            MarkerKind::RETURN_VALUE => {
                format!("<marker: function return value {:#x}>", marker.value)
            }
            MarkerKind::UNCOMPLETED => format!(
                "<marker: uncompleted instruction, encoding {:#x}>",
                marker.value
            ),
            MarkerKind::THREAD_EXIT => "<thread exited>".to_owned(),
            MarkerKind(number) => format!("<marker: type {number}; value {}>", marker.value),
        };
        self.push(thread, |_| text);
    }

    fn problem(&mut self, problem: &Problem) {
        self.problems.push(problem.kind.to_string());
    }
}

/// Parses a line of the stock tool: ordinals of record and instruction, thread, and content in our
/// form.
fn expected_line(line: &str) -> Option<(u64, u64, String)> {
    let (ordinals, rest) = line.split_once(": ")?;
    let mut ordinals = ordinals.split_whitespace().map(str::parse);
    let (Some(Ok(record)), Some(Ok(instruction)), None) =
        (ordinals.next(), ordinals.next(), ordinals.next())
    else {
        return None;
    };
    let (thread, text) = rest.trim().strip_prefix("W0.")?.split_once(' ')?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_byte = |word: &&&str| word.len() == 2 && u8::from_str_radix(word, 16).is_ok();
    let text = match words.first()? {
        &"ifetch" | &"non-fetched" => {
            let bytes = words[5..].iter().take_while(is_byte).count();
            words[..5 + bytes].join(" ")
        }
        &"read" | &"write" => words.join(" "),
        // The rest of a long encoding.
        word if is_byte(&word) => return None,
        _ => words
            .into_iter()
            .filter(|word| !word.starts_with("W0."))
            .collect::<Vec<_>>()
            .join(" "),
    };
    Some((record, instruction, format!("{thread} {text}")))
}

fn text_of(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    let is_packed = path.extension().is_some_and(|extension| extension == "zst");
    let bytes = if is_packed {
        zstd::decode_all(&bytes[..]).unwrap()
    } else {
        bytes
    };
    String::from_utf8(bytes).unwrap()
}

#[track_caller]
fn check_view(trace: &Path, view: &Path) {
    let found = Lines::of(trace, 0..=u64::MAX);
    assert_eq!(found.problems, Vec::<String>::new(), "{}", trace.display());
    let mut expected = 0;
    for (record, instruction, text) in text_of(view).lines().filter_map(expected_line) {
        let line = &found.lines[usize::try_from(record - 1).unwrap()];
        assert_eq!(
            (line.0, &*line.1),
            (instruction, &*text),
            "{}: record {record}",
            trace.display()
        );
        expected += 1;
    }
    assert_eq!(found.lines.len(), expected, "{}", trace.display());
}

/// Checks an excerpt. It begins after some instructions, with their time and CPU; its ordinals may
/// restart there.
#[track_caller]
fn check_excerpt(trace: &Path, view: &Path, skipped: u64) {
    let found = Lines::of(trace, skipped + 1..=skipped + 100);
    let expected: Vec<_> = text_of(view).lines().filter_map(expected_line).collect();
    let start = expected
        .iter()
        .position(|line| line.2.contains(" ifetch "))
        .unwrap();
    let first = expected[start].1;
    let mut count = 0;
    for ((_, instruction, text), line) in expected[start..].iter().zip(&found.lines) {
        assert_eq!(
            (line.0 - skipped, &line.1),
            (instruction - first + 1, text),
            "{}",
            view.display()
        );
        count += 1;
    }
    assert!(count > 90, "{}: {count}", view.display());
}

#[test]
fn real_traces_have_their_records_in_the_order_that_the_stock_tool_prints() {
    let Some(folder) = traces() else { return };
    let samples = folder.join("dynamorio-samples");
    for (trace, view) in [
        ("drmemtrace.allasm_x86_64.trace.zip", "s_allasm/view.txt"),
        (
            "drmemtrace.simple_app.trace.zip",
            "s_simple_app/view.txt.zst",
        ),
        ("offline-func-trace/trace", "s_func_trace/view.txt.zst"),
    ] {
        check_view(&samples.join(trace), &samples.join("expected").join(view));
    }
    check_view(
        &folder.join("crash/trace"),
        &folder.join("crash/expected/view.txt.zst"),
    );
}

#[test]
fn real_traces_go_on_after_any_instruction_as_the_stock_tool_does() {
    let Some(folder) = traces() else { return };
    for (name, skips) in [
        ("tiny", &[1000, 50_000][..]),
        ("crash", &[1000, 50_000]),
        ("threads4", &[1000]),
        (
            "sortsha30m",
            &[
                1_000_000, 5_000_000, 9_990_000, 15_000_000, 19_990_000, 23_000_000,
            ],
        ),
    ] {
        for skipped in skips {
            let view = format!("expected/view_skip{skipped}_100rec.txt");
            check_excerpt(
                &folder.join(name).join("trace"),
                &folder.join(name).join(view),
                *skipped,
            );
        }
    }
}
