//! Formats the markers of a step, one line for each event.

use stepback_index::answer::Effect;
use stepback_machine::linux::signal_name;
use stepback_machine::{Address, Encoding, InstructionSet, decode};
use stepback_parsers::drmemtrace::marker_name;
use stepback_parsers::{Gap, Marker, MarkerKind};

use super::names::function_name;
use super::{TextRole, TextSpan};
use crate::image::Images;
use crate::messages::{say, thousands};
use crate::model::markers::{CallNames, Callee, TracedCall};
use crate::session::Session;

/// Emphasis of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarkerTone {
    /// An action of the program.
    #[default]
    Plain,
    /// The kernel took control: a signal, an interrupt, its own instructions.
    Kernel,
    /// An error of the program.
    Alarm,
}

/// Line below a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerLine {
    pub tone: MarkerTone,
    /// Text of the line. Labels are words; all other spans are data.
    pub spans: Vec<TextSpan>,
}

/// Formatted markers of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepMarkers {
    /// Lines below the step.
    pub lines: Vec<MarkerLine>,
    /// Minor details without a separate line: times, CPUs.
    pub asides: Vec<String>,
    /// Texts shown with the accesses: prefetches.
    pub effects: Vec<String>,
    /// Number of further iterations of a repeated string instruction.
    pub repetitions: u64,
}

/// Formats markers.
#[derive(Clone, Copy, Debug)]
pub struct MarkerReader<'a> {
    /// Names of functions, system calls and errors.
    pub names: CallNames<'a>,
    /// Images for address names.
    pub images: &'a Images,
}

/// Signals that indicate an error of the program.
const FAULTS: [&str; 7] = [
    "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS",
];

impl MarkerLine {
    /// Returns the line as plain text.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

impl<'a> MarkerReader<'a> {
    /// Creates a reader with the names from the trace's companion files.
    pub fn of(session: &'a Session, set: InstructionSet) -> Self {
        let names = CallNames {
            functions: session.companions.functions.as_ref(),
            set,
        };
        Self {
            names,
            images: &session.images,
        }
    }

    /// Formats the markers among the effects of a step.
    pub fn read(self, effects: &[Effect]) -> StepMarkers {
        let mut run = MarkerLineBuilder::new(self);
        for effect in effects {
            match effect {
                Effect::Marker(marker) => run.take(*marker),
                Effect::Note(note) => run.note(note),
                _ => {}
            }
        }
        run.finish()
    }

    fn place(&self, address: u64) -> TextSpan {
        TextSpan::new(
            TextRole::Symbol,
            function_name(self.images, Address(address)),
        )
    }
}

/// Event that becomes a line.
enum MarkerItem {
    Call(TracedCall),
    /// The kernel redirected control.
    Event {
        interrupted: u64,
        signal: Option<u64>,
        is_abort: bool,
    },
    Line(MarkerLine),
    /// Missing steps.
    Gap(MarkerLine),
}

/// State while the markers of a step are read in order.
struct MarkerLineBuilder<'a> {
    reader: MarkerReader<'a>,
    items: Vec<MarkerItem>,
    words: StepMarkers,
    /// Function or system call to which the next arguments and results belong.
    group: Option<Callee>,
    time: Option<u64>,
    cpu: Option<u64>,
    is_abort: bool,
    physical: Option<u64>,
    context: Option<u64>,
}

impl<'a> MarkerLineBuilder<'a> {
    fn new(reader: MarkerReader<'a>) -> Self {
        let words = StepMarkers::default();
        Self {
            reader,
            items: Vec::new(),
            words,
            group: None,
            time: None,
            cpu: None,
            is_abort: false,
            physical: None,
            context: None,
        }
    }

    fn take(&mut self, marker: Marker) {
        let Marker { kind, value } = marker;
        match kind {
            MarkerKind::TIMESTAMP => self.time(value),
            MarkerKind::CPU => self.cpu(value),
            MarkerKind::FUNCTION => {
                self.group = Some(Callee::of_marker(value, self.reader.names.set))
            }
            MarkerKind::SYSTEM_CALL => self
                .items
                .push(MarkerItem::Call(TracedCall::entered(Callee::Kernel(value)))),
            MarkerKind::RETURN_ADDRESS => _ = self.entered(),
            MarkerKind::ARGUMENT | MarkerKind::RETURN_VALUE | MarkerKind::SYSTEM_CALL_FAILED => {
                self.of_call(marker)
            }
            MarkerKind::KERNEL_EVENT => {
                let is_abort = std::mem::take(&mut self.is_abort);
                self.items.push(MarkerItem::Event {
                    interrupted: value,
                    signal: None,
                    is_abort,
                });
            }
            MarkerKind::RSEQ_ABORT => self.is_abort = true,
            MarkerKind::SIGNAL => self.signal(value),
            MarkerKind::REPETITION => self.words.repetitions += 1,
            // The note next to it names the trap.
            MarkerKind::TRAP => {}
            MarkerKind::PHYSICAL_ADDRESS => self.physical = Some(value),
            MarkerKind::ADDRESS_CONTEXT => self.context = Some(value),
            _ if is_prefetch(kind) => self
                .words
                .effects
                .push(say!("marker-prefetch-of", address = format!("{value:x}"))),
            _ if is_aside(kind) => self
                .words
                .asides
                .push(format!("{} {value}", marker_name(kind).replace('_', " "))),
            _ => {
                let line = self.line(marker);
                self.items.push(if Gap::of(marker).is_some() {
                    MarkerItem::Gap(line)
                } else {
                    MarkerItem::Line(line)
                });
            }
        }
    }

    /// Handles a note. A note after a gap describes both sides of it.
    fn note(&mut self, note: &str) {
        if let Some(MarkerItem::Gap(line)) = self.items.last_mut() {
            let rest = note.strip_prefix("gap ").unwrap_or(note);
            line.spans.push(label(&format!(", {rest}")));
        }
    }

    /// Handles a timestamp. If it directly follows a system call, the difference to the previous
    /// one is the duration of the call.
    fn time(&mut self, micros: u64) {
        if let Some(MarkerItem::Call(call)) = self.items.last_mut()
            && matches!(call.callee, Callee::Kernel(_))
        {
            call.micros = self.time.and_then(|before| micros.checked_sub(before));
        } else {
            self.time = Some(micros);
        }
        self.words
            .asides
            .push(say!("marker-time", micros = micros.to_string()));
    }

    fn cpu(&mut self, cpu: u64) {
        if cpu == u64::MAX || cpu == u64::from(u32::MAX) {
            return;
        }
        if let Some(before) = self.cpu.replace(cpu).filter(|before| *before != cpu) {
            let words = say!("marker-moved", from = SLOTS[0], to = SLOTS[1]);
            self.items.push(MarkerItem::Line(MarkerLine {
                tone: MarkerTone::Plain,
                spans: filled(&words, &[number(before), number(cpu)]),
            }));
        }
        self.words
            .asides
            .push(say!("marker-cpu", cpu = cpu.to_string()));
    }

    /// Returns the call that the current markers describe: the last open one of the group, or a new
    /// one.
    fn entered(&mut self) -> Option<&mut TracedCall> {
        let callee = self.group?;
        if self.call_of(callee).is_none() {
            self.items
                .push(MarkerItem::Call(TracedCall::entered(callee)));
        }
        self.call_of(callee)
    }

    /// Returns the last call of a callee that has not returned.
    fn call_of(&mut self, callee: Callee) -> Option<&mut TracedCall> {
        self.items.iter_mut().rev().find_map(|item| match item {
            MarkerItem::Call(call) if call.callee == callee && call.result.is_none() => Some(call),
            _ => None,
        })
    }

    fn of_call(&mut self, Marker { kind, value }: Marker) {
        match kind {
            MarkerKind::ARGUMENT => {
                if let Some(call) = self.entered() {
                    call.arguments.push(value);
                }
            }
            MarkerKind::RETURN_VALUE => {
                let Some(callee) = self.group else { return };
                if self.call_of(callee).is_none() {
                    self.items.push(MarkerItem::Call(TracedCall::left(callee)));
                }
                if let Some(call) = self.call_of(callee) {
                    call.result = Some(value);
                }
            }
            _ => {
                let calls = self.items.iter_mut().rev();
                let call = calls
                    .filter_map(|item| {
                        if let MarkerItem::Call(call) = item {
                            Some(call)
                        } else {
                            None
                        }
                    })
                    .next();
                if let Some(call) = call {
                    call.error = Some(value);
                }
            }
        }
    }

    fn signal(&mut self, number: u64) {
        match self.items.last_mut() {
            Some(MarkerItem::Event { signal, .. }) => *signal = Some(number),
            _ => self.items.push(MarkerItem::Event {
                interrupted: 0,
                signal: Some(number),
                is_abort: false,
            }),
        }
    }

    /// Formats a marker that is a line by itself.
    fn line(&mut self, marker: Marker) -> MarkerLine {
        let Marker { kind, value } = marker;
        let call = || self.reader.names.system_call(value);
        let kernel = |spans| MarkerLine {
            tone: MarkerTone::Kernel,
            spans,
        };
        let plain = |spans| MarkerLine {
            tone: MarkerTone::Plain,
            spans,
        };
        match kind {
            MarkerKind::KERNEL_TRANSFER => {
                kernel(vec![label(say!("marker-the-kernel-restored-the-state"))])
            }
            MarkerKind::WINDOW => plain(filled(
                &say!("marker-window", number = SLOTS[0]),
                &[number(value)],
            )),
            MarkerKind::FILTER_ENDPOINT => {
                plain(vec![label(say!("marker-the-filtered-part-ends-here"))])
            }
            MarkerKind::RSEQ_ENTRY => plain(filled(
                &say!("marker-restartable", place = SLOTS[0]),
                &[self.reader.place(value)],
            )),
            MarkerKind::SYSTEM_CALL_START => kernel(filled(
                &say!("marker-kernel-part-begins", call = SLOTS[0]),
                &[name(call())],
            )),
            MarkerKind::SYSTEM_CALL_END => kernel(filled(
                &say!("marker-kernel-part-ends", call = SLOTS[0]),
                &[name(call())],
            )),
            MarkerKind::CONTEXT_SWITCH_START => {
                kernel(vec![label(say!("marker-context-switch-begins"))])
            }
            MarkerKind::CONTEXT_SWITCH_END => {
                kernel(vec![label(say!("marker-context-switch-ends"))])
            }
            MarkerKind::HARDWARE_EVENT => kernel(filled(
                &say!("marker-exception", place = SLOTS[0]),
                &[self.reader.place(value)],
            )),
            MarkerKind::HARDWARE_RETURN => {
                kernel(vec![label(say!("marker-back-from-the-exception-or"))])
            }
            MarkerKind::UNCOMPLETED => MarkerLine {
                tone: MarkerTone::Alarm,
                spans: self.uncompleted(value),
            },
            MarkerKind::SKIPPED_ACCESS => plain(filled(
                &say!("marker-masked", address = SLOTS[0]),
                &[address(value)],
            )),
            MarkerKind::VIRTUAL_ADDRESS => plain(self.translation(value)),
            MarkerKind::TRANSLATIONS_FORGOTTEN => {
                plain(vec![label(say!("marker-no-physical-address-is-known"))])
            }
            MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE => plain(filled(
                &say!("marker-no-physical", address = SLOTS[0]),
                &[address(value)],
            )),
            MarkerKind::CORE_IDLE => plain(filled(
                &say!("marker-idle", count = SLOTS[0]),
                &[number(value)],
            )),
            MarkerKind::THREAD_EXIT => plain(filled(
                &say!("marker-thread-ends", thread = SLOTS[0]),
                &[number(value)],
            )),
            MarkerKind::VECTOR_LENGTH => plain(filled(
                &say!("marker-vectors-have", count = SLOTS[0]),
                &[number(value)],
            )),
            _ if let Some(gap) = Gap::of(marker) => MarkerLine {
                tone: MarkerTone::Alarm,
                spans: gap_spans(gap),
            },
            INSTRUCTION_FLUSH => plain(filled(
                &say!("marker-instruction-flush", address = SLOTS[0]),
                &[address(value)],
            )),
            DATA_FLUSH => plain(filled(
                &say!("marker-data-flush", address = SLOTS[0]),
                &[address(value)],
            )),
            _ => {
                let words = format!("{} ", marker_name(kind).replace('_', " "));
                plain(vec![
                    label(&words),
                    TextSpan::new(TextRole::Number, self.reader.names.number(value)),
                ])
            }
        }
    }

    /// Disassembles an instruction that began and did not complete because the processor stopped in
    /// it.
    fn uncompleted(&self, encoding: u64) -> Vec<TextSpan> {
        let bytes = encoding.to_le_bytes();
        let set = self.reader.names.set;
        let texts = (1..=bytes.len()).filter_map(|length| Encoding::new(bytes.get(..length)?));
        let mut texts = texts.map(|bytes| decode(bytes, Address(0), set).text.clone());
        let text = texts.find(|text| !text.starts_with(".byte"));
        let text = text.unwrap_or_else(|| format!("{encoding:x}"));
        filled(
            &say!("marker-not-completed", instruction = SLOTS[0]),
            &[TextSpan::new(TextRole::Plain, text)],
        )
    }

    /// Describes the physical address of a virtual one, which the previous records state.
    fn translation(&mut self, virtual_address: u64) -> Vec<TextSpan> {
        let at = address(virtual_address);
        match (self.physical.take(), self.context.take()) {
            (Some(physical), Some(context)) => filled(
                &say!(
                    "marker-is-physical-in-context",
                    address = SLOTS[0],
                    physical = SLOTS[1],
                    context = SLOTS[2]
                ),
                &[at, address(physical), number(context)],
            ),
            (Some(physical), None) => filled(
                &say!(
                    "marker-is-physical",
                    address = SLOTS[0],
                    physical = SLOTS[1]
                ),
                &[at, address(physical)],
            ),
            (None, Some(context)) => filled(
                &say!("marker-in-context", address = SLOTS[0], context = SLOTS[1]),
                &[at, number(context)],
            ),
            (None, None) => vec![at],
        }
    }

    fn finish(self) -> StepMarkers {
        let Self {
            reader,
            items,
            mut words,
            ..
        } = self;
        words.lines = items
            .into_iter()
            .map(|item| line_of(item, reader))
            .collect();
        words
    }
}

const INSTRUCTION_FLUSH: MarkerKind = MarkerKind::record(18);
const DATA_FLUSH: MarkerKind = MarkerKind::record(20);

fn line_of(item: MarkerItem, reader: MarkerReader<'_>) -> MarkerLine {
    match item {
        MarkerItem::Line(line) | MarkerItem::Gap(line) => line,
        MarkerItem::Call(call) => MarkerLine {
            tone: MarkerTone::Plain,
            spans: call.spans(reader.names),
        },
        MarkerItem::Event {
            interrupted,
            signal,
            is_abort,
        } => {
            let name = signal.map(|number| {
                signal_name(number).map_or_else(
                    || say!("marker-signal", number = number.to_string()),
                    str::to_owned,
                )
            });
            let is_fault = name.as_deref().is_some_and(|name| FAULTS.contains(&name));
            let what = match (is_abort, name) {
                (true, _) => label(say!("marker-restartable-sequence-aborted")),
                (false, Some(name)) => TextSpan::new(TextRole::Symbol, name),
                (false, None) => label(say!("marker-the-kernel-took-control")),
            };
            let spans = match interrupted {
                0 => vec![what],
                interrupted => filled(
                    &say!("marker-before", event = SLOTS[0], place = SLOTS[1]),
                    &[what, reader.place(interrupted)],
                ),
            };
            let tone = if is_fault {
                MarkerTone::Alarm
            } else {
                MarkerTone::Kernel
            };
            MarkerLine { tone, spans }
        }
    }
}

fn label(text: &str) -> TextSpan {
    TextSpan::new(TextRole::Label, text)
}

fn name(text: String) -> TextSpan {
    TextSpan::new(TextRole::Symbol, text)
}

fn number(value: u64) -> TextSpan {
    TextSpan::new(TextRole::Number, value.to_string())
}

fn address(value: u64) -> TextSpan {
    TextSpan::new(TextRole::Number, format!("{value:x}"))
}

/// Values of a message that stand for spans: private-use characters.
const SLOTS: [&str; 3] = ["\u{e000}", "\u{e001}", "\u{e002}"];

/// Replaces the slots of a message by spans; the words between them become labels.
fn filled(words: &str, values: &[TextSpan]) -> Vec<TextSpan> {
    let (mut spans, mut rest) = (Vec::new(), words);
    while let Some(at) = rest.find(|letter: char| SLOTS.concat().contains(letter)) {
        let (before, after) = rest.split_at(at);
        spans.extend((!before.is_empty()).then(|| label(before)));
        let slot = SLOTS.iter().position(|slot| after.starts_with(slot));
        spans.extend(slot.and_then(|slot| values.get(slot)).cloned());
        rest = after.get(SLOTS[0].len()..).unwrap_or_default();
    }
    spans.extend((!rest.is_empty()).then(|| label(rest)));
    spans
}

/// Describes a gap: `gap: records were lost (23 instructions are missing)`.
fn gap_spans(gap: Gap) -> Vec<TextSpan> {
    let reason = gap.reason.clause();
    match gap.instructions {
        Some(count) => filled(
            &say!("marker-gap-missing", reason = reason, count = SLOTS[0]),
            &[TextSpan::new(TextRole::Number, thousands(count))],
        ),
        None => vec![label(&say!("marker-gap", reason = reason))],
    }
}

fn is_prefetch(kind: MarkerKind) -> bool {
    let Some(record) = kind.0.checked_sub(MarkerKind::FIRST_RECORD.0) else {
        return false;
    };
    matches!(record, 2..=9 | 27 | 32..=46)
}

/// Returns true for markers that describe the file or only repeat known facts.
fn is_aside(kind: MarkerKind) -> bool {
    const DESCRIPTION: [u16; 6] = [8, 10, 18, 19, 20, 42];
    let known = [
        MarkerKind::RECORDING,
        MarkerKind::INSTRUCTION_COUNT,
        MarkerKind::VERSION,
        MarkerKind::CHUNK_FOOTER,
        MarkerKind::MAYBE_BLOCKING,
    ];
    DESCRIPTION.contains(&kind.0) || known.contains(&kind)
}

#[cfg(test)]
mod tests {
    use stepback_parsers::{GapReason, drmemtrace::FunctionList};

    use super::*;

    fn words(markers: &[(MarkerKind, u64)]) -> StepMarkers {
        let marker = |(kind, value): &(MarkerKind, u64)| {
            Effect::Marker(Marker {
                kind: *kind,
                value: *value,
            })
        };
        words_of(&markers.iter().map(marker).collect::<Vec<_>>())
    }

    fn words_of(effects: &[Effect]) -> StepMarkers {
        let functions = FunctionList::parse(b"6,1,0x7000,libc.so.6!malloc\n");
        let names = CallNames {
            functions: Some(&functions),
            set: InstructionSet::X86_64,
        };
        MarkerReader {
            names,
            images: &Images::default(),
        }
        .read(effects)
    }

    #[test]
    fn a_gap_says_what_lies_on_both_sides() {
        let gap = Effect::Marker(
            Gap {
                reason: GapReason::Lost,
                instructions: None,
            }
            .marker(),
        );
        let note =
            Effect::Note("gap from 0x1000 to 0x2000, 40 ns after the record before".to_owned());
        let lines = words_of(&[note.clone(), gap, note]).lines;
        let expected =
            "gap: records were lost, from 0x1000 to 0x2000, 40 ns after the record before";
        assert_eq!(
            lines.iter().map(MarkerLine::text).collect::<Vec<_>>(),
            [expected]
        );
    }

    #[track_caller]
    fn check(markers: &[(MarkerKind, u64)], expected: &str) {
        let lines: Vec<String> = words(markers).lines.iter().map(MarkerLine::text).collect();
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn a_system_call_is_one_line_with_what_it_was_given_and_gave() {
        use MarkerKind as M;
        let call = (1 << 32) + 1;
        let head = [
            (M::TIMESTAMP, 100),
            (M::CPU, 1),
            (M::SYSTEM_CALL, 1),
            (M::MAYBE_BLOCKING, 0),
        ];
        check(
            &[&head[..], &[(M::TIMESTAMP, 113), (M::CPU, 1)]].concat(),
            "write   13 µs",
        );
        let group = [
            (M::FUNCTION, call),
            (M::ARGUMENT, 1),
            (M::ARGUMENT, 0x7ffd_0000),
            (M::ARGUMENT, 12),
        ];
        let end = [
            (M::FUNCTION, call),
            (M::RETURN_VALUE, 12),
            (M::TIMESTAMP, 101),
            (M::CPU, 3),
        ];
        check(
            &[&head[..], &group, &end].concat(),
            "write(1, 0x7ffd0000, 12) = 12   1 µs\nmoved from cpu 1 to 3",
        );
        let failed = [
            (M::FUNCTION, call),
            (M::RETURN_VALUE, u64::MAX),
            (M::SYSTEM_CALL_FAILED, 9),
        ];
        check(
            &[&head[..], &group, &failed].concat(),
            "write(1, 0x7ffd0000, 12) failed EBADF",
        );
    }

    #[test]
    fn a_function_is_entered_and_left_at_two_steps() {
        use MarkerKind as M;
        check(
            &[
                (M::FUNCTION, 6),
                (M::RETURN_ADDRESS, 0x400),
                (M::ARGUMENT, 24),
            ],
            "malloc(24)",
        );
        check(
            &[(M::FUNCTION, 6), (M::RETURN_VALUE, 0x5555_0000)],
            "malloc returned 0x55550000",
        );
        check(
            &[(M::FUNCTION, 9), (M::RETURN_ADDRESS, 0x400)],
            "function 9()",
        );
    }

    #[test]
    fn times_and_cpus_alone_are_no_line() {
        let words = words(&[
            (MarkerKind::TIMESTAMP, 5),
            (MarkerKind::CPU, 2),
            (MarkerKind::CHUNK_FOOTER, 0),
        ]);
        assert_eq!(words.lines, []);
        assert_eq!(words.asides, ["time 5 µs", "cpu 2", "chunk footer 0"]);
    }

    #[test]
    fn a_signal_says_which_and_where() {
        use MarkerKind as M;
        check(
            &[(M::KERNEL_EVENT, 0x1234), (M::SIGNAL, 11)],
            "SIGSEGV before 1234",
        );
        assert_eq!(
            words(&[(M::KERNEL_EVENT, 1), (M::SIGNAL, 11)]).lines[0].tone,
            MarkerTone::Alarm
        );
        assert_eq!(
            words(&[(M::KERNEL_EVENT, 1), (M::SIGNAL, 10)]).lines[0].tone,
            MarkerTone::Kernel
        );
        check(
            &[(M::RSEQ_ABORT, 0x10), (M::KERNEL_EVENT, 0x20)],
            "restartable sequence aborted before 20",
        );
        check(
            &[(M::KERNEL_TRANSFER, 0x20)],
            "the kernel restored the state from before the signal",
        );
    }

    #[test]
    fn what_else_happens_has_words_too() {
        use MarkerKind as M;
        check(
            &[(M::UNCOMPLETED, 0x0857_0348)],
            "not completed: add rdx, qword ptr [rdi + 8]",
        );
        check(
            &[(M::PHYSICAL_ADDRESS, 0x1000), (M::VIRTUAL_ADDRESS, 0x7000)],
            "7000 is physical 1000",
        );
        check(
            &[(M::WINDOW, 2), (M::THREAD_EXIT, 77)],
            "tracing window 2 begins here\nthread 77 ends",
        );
        check(
            &[(MarkerKind(99), 7)],
            &format!("{} 7", marker_name(MarkerKind(99)).replace('_', " ")),
        );
        let lost = GapReason::Lost.kind();
        check(
            &[(lost, 152_760)],
            "gap: records were lost (152,760 instructions are missing)",
        );
        check(&[(lost, u64::MAX)], "gap: records were lost");
        let words = words(&[(M::REPETITION, 1), (M::REPETITION, 1), (M::record(7), 0x40)]);
        assert_eq!(
            (words.repetitions, words.effects),
            (2, vec!["prefetch [40]".to_owned()])
        );
    }
}
