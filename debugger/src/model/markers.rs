//! Formats markers of binary formats as text, one by one ([`MarkerWords`]) or joined to the call
//! that they record ([`TracedCall`]): of a function or of the kernel.

use stepback_machine::InstructionSet;
use stepback_machine::convention::SystemCallFailure;
use stepback_machine::linux::{LARGEST_ERROR, error_name, signal_name};
use stepback_parsers::drmemtrace::{FunctionList, marker_name};
use stepback_parsers::{Gap, Marker, MarkerKind, traced_system_call};

use crate::messages::{say, with_decimal};
use crate::model::{TextRole, TextSpan};

/// Formatter for markers.
#[derive(Clone, Copy, Debug)]
pub struct MarkerWords<'a> {
    /// Instruction set of the thread: system call numbers depend on the architecture.
    pub set: InstructionSet,
    /// Names of the traced functions.
    pub functions: Option<&'a FunctionList>,
    /// System call to which the current markers belong: each kernel has its own error numbers.
    pub system_call: Option<u64>,
}

impl MarkerWords<'_> {
    /// Records the system call to which the following markers belong.
    pub fn pass(&mut self, marker: Marker) {
        match marker.kind {
            MarkerKind::SYSTEM_CALL => self.system_call = Some(marker.value),
            MarkerKind::FUNCTION => self.system_call = traced_system_call(marker.value, self.set),
            _ => {}
        }
    }

    /// Formats a marker: `syscall 9 mmap`, `func_id 6 libc.so.6!malloc`, `kernel_event
    /// 0x7f4a25518b70`.
    pub fn text(&self, marker: Marker) -> String {
        let Marker { kind, value } = marker;
        let name = marker_name(kind);
        let known = |word: Option<&str>| word.map(|word| format!(" {word}")).unwrap_or_default();
        match kind {
            MarkerKind::SYSTEM_CALL
            | MarkerKind::SYSTEM_CALL_START
            | MarkerKind::SYSTEM_CALL_END => {
                format!(
                    "{name} {}{}",
                    self.set.system_call_number(value),
                    known(self.set.system_call_name(value))
                )
            }
            MarkerKind::TRAP => format!(
                "{name} {value:#x}{}",
                known(self.set.trap_name(value).as_deref())
            ),
            MarkerKind::FUNCTION => match traced_system_call(value, self.set) {
                Some(number) => {
                    let (plain, word) = (
                        self.set.system_call_number(number),
                        self.set.system_call_name(number),
                    );
                    format!("{name} syscall {plain}{}", known(word))
                }
                None => format!(
                    "{name} {value}{}",
                    known(self.functions.and_then(|list| list.name_of(value)))
                ),
            },
            MarkerKind::SIGNAL => format!("{name} {value}{}", known(signal_name(value))),
            MarkerKind::SYSTEM_CALL_FAILED => {
                format!("{name} {value}{}", known(self.error_name(value)))
            }
            _ if let Some(gap) = Gap::of(marker) => {
                let size = gap
                    .instructions
                    .map_or_else(|| "unknown".to_owned(), |count| count.to_string());
                format!("{name} {size}")
            }
            MarkerKind::CPU if value == u64::MAX => format!("{name} unknown"),
            kind if is_number(kind) => format!("{name} {value}"),
            _ => format!("{name} {value:#x}"),
        }
    }

    fn error_name(&self, number: u64) -> Option<&'static str> {
        self.set
            .error_name(self.system_call.unwrap_or_default(), number)
    }
}

/// Returns true for markers whose value is a count or number, shown in decimal.
fn is_number(kind: MarkerKind) -> bool {
    let others = [10, 18, 20, 39].map(MarkerKind);
    matches!(
        kind,
        MarkerKind::TIMESTAMP
            | MarkerKind::CPU
            | MarkerKind::INSTRUCTION_COUNT
            | MarkerKind::VERSION
            | MarkerKind::WINDOW
            | MarkerKind::CHUNK_FOOTER
            | MarkerKind::MAYBE_BLOCKING
            | MarkerKind::CORE_IDLE
            | MarkerKind::VECTOR_LENGTH
            | MarkerKind::THREAD_EXIT
    ) || others.contains(&kind)
}

/// Smallest number shown in hexadecimal; smaller ones are sizes, descriptors and flags.
const DECIMAL_BELOW: u64 = 10_000;

/// Called function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// Traced function, by its number in the function list.
    Function(u64),
    /// Kernel, by the number of the system call.
    Kernel(u64),
}

/// Parts of a call that the markers of one step record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedCall {
    pub callee: Callee,
    /// True if the call itself is among these markers, not only its return.
    pub is_entered: bool,
    /// Recorded arguments; empty if the recorder stored none.
    pub arguments: Vec<u64>,
    /// Returned value.
    pub result: Option<u64>,
    /// Error of a failed system call.
    pub error: Option<u64>,
    /// Duration in microseconds, if timestamps record it.
    pub micros: Option<u64>,
}

/// Names for the numbers in markers.
#[derive(Clone, Copy, Debug)]
pub struct CallNames<'a> {
    /// Traced functions.
    pub functions: Option<&'a FunctionList>,
    /// Instruction set, which determines the system calls and the width of numbers.
    pub set: InstructionSet,
}

impl Callee {
    /// Resolves a function marker: numbers above those of functions are system calls.
    pub fn of_marker(id: u64, set: InstructionSet) -> Self {
        let mask = if set.word_bytes() == 4 {
            0xffff
        } else {
            u64::from(u32::MAX)
        };
        traced_system_call(id, set).map_or(Self::Function(id), |number| Self::Kernel(number & mask))
    }
}

impl TracedCall {
    /// Creates a call that is entered, with nothing else known yet.
    pub fn entered(callee: Callee) -> Self {
        Self {
            callee,
            is_entered: true,
            arguments: Vec::new(),
            result: None,
            error: None,
            micros: None,
        }
    }

    /// Creates a call that is left.
    pub fn left(callee: Callee) -> Self {
        Self {
            is_entered: false,
            ..Self::entered(callee)
        }
    }

    /// Formats the call: `malloc(24)`, `write(1, 0x7f…, 12) = 12`, `malloc returned 0x55…`.
    pub fn spans(&self, names: CallNames<'_>) -> Vec<TextSpan> {
        let mut spans = vec![TextSpan::new(TextRole::Symbol, names.callee(self.callee))];
        let mut push = |meaning, text: String| spans.push(TextSpan::new(meaning, text));
        if self.is_entered
            && (!self.arguments.is_empty() || matches!(self.callee, Callee::Function(_)))
        {
            let arguments: Vec<String> = self
                .arguments
                .iter()
                .map(|value| names.number(*value))
                .collect();
            push(TextRole::Punctuation, "(".to_owned());
            push(TextRole::Number, arguments.join(", "));
            push(TextRole::Punctuation, ")".to_owned());
        }
        match (self.error, self.result) {
            (Some(error), _) => {
                let error = names.error(self.callee, error);
                let words = say!("call-failed", error = &*error);
                push(
                    TextRole::Label,
                    format!(" {}", words.trim_end_matches(&*error)),
                );
                push(TextRole::Number, error);
            }
            (None, Some(result)) if self.is_entered => {
                push(TextRole::Punctuation, " = ".to_owned());
                push(TextRole::Number, self.result_text(result, names));
            }
            (None, Some(result)) => {
                let result = self.result_text(result, names);
                let words = say!("call-returned", result = &*result);
                push(
                    TextRole::Label,
                    format!(" {}", words.trim_end_matches(&*result)),
                );
                push(TextRole::Number, result);
            }
            (None, None) => {}
        }
        if let Some(micros) = self.micros.filter(|micros| *micros > 0) {
            push(TextRole::Label, format!("   {}", duration(micros)));
        }
        spans
    }

    fn result_text(&self, result: u64, names: CallNames<'_>) -> String {
        let is_kernel = matches!(self.callee, Callee::Kernel(_));
        let tells_failure =
            is_kernel && names.set.abi().system_calls.failure == SystemCallFailure::Negative;
        let error = names.negative(result).filter(|_| tells_failure);
        error.map_or_else(
            || names.number(result),
            |error| format!("-{}", names.error(self.callee, error)),
        )
    }
}

impl CallNames<'_> {
    /// Returns the name of a function or system call.
    pub fn callee(&self, callee: Callee) -> String {
        match callee {
            Callee::Kernel(number) => self.system_call(number),
            Callee::Function(id) => {
                let found = self
                    .functions
                    .and_then(|list| list.functions.iter().find(|function| function.id == id));
                found.map_or_else(
                    || say!("call-function", number = id.to_string()),
                    |function| function.symbol().to_owned(),
                )
            }
        }
    }

    /// Returns the name of a system call.
    pub fn system_call(&self, number: u64) -> String {
        self.set.system_call_name(number).map_or_else(
            || {
                say!(
                    "call-system-call",
                    number = self.set.system_call_number(number).to_string()
                )
            },
            str::to_owned,
        )
    }

    /// Returns the name of the error with which a call failed, or its number.
    fn error(&self, callee: Callee, number: u64) -> String {
        let name = match callee {
            Callee::Kernel(call) => self.set.error_name(call, number),
            Callee::Function(_) => error_name(number),
        };
        name.map_or_else(|| number.to_string(), str::to_owned)
    }

    /// Formats a number: small ones in decimal, others in hexadecimal.
    pub fn number(&self, value: u64) -> String {
        match self.negative(value) {
            Some(negative) => format!("-{negative}"),
            None if value < DECIMAL_BELOW => value.to_string(),
            None => format!("{value:#x}"),
        }
    }

    /// Returns the absolute value of a small negative number.
    fn negative(&self, value: u64) -> Option<u64> {
        let negated = if self.set.word_bytes() == 4 {
            u64::from(u32::try_from(value).ok()?.wrapping_neg())
        } else {
            value.wrapping_neg()
        };
        Some(negated).filter(|negated| (1..=LARGEST_ERROR).contains(negated))
    }
}

/// Formats a duration: `12 µs`, `1.5 ms`, `2.0 s`.
fn duration(micros: u64) -> String {
    let in_units = |unit: u64, name: &str| {
        let tenths = u128::from(micros) * 10 / u128::from(unit);
        format!("{} {name}", with_decimal(tenths))
    };
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => in_units(1_000, "ms"),
        _ => in_units(1_000_000, "s"),
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::GapReason;

    use super::*;

    #[track_caller]
    fn check(kind: MarkerKind, value: u64, expected: &str) {
        let functions = FunctionList::parse(b"6,1,0x10,libc.so.6!malloc\n");
        let words = MarkerWords {
            set: InstructionSet::X86_64,
            functions: Some(&functions),
            system_call: None,
        };
        assert_eq!(words.text(Marker { kind, value }), expected);
    }

    #[test]
    fn numbers_have_their_names() {
        check(MarkerKind::SYSTEM_CALL, 9, "syscall 9 mmap");
        check(MarkerKind::SYSTEM_CALL, 9999, "syscall 9999");
        check(MarkerKind::FUNCTION, 6, "func_id 6 libc.so.6!malloc");
        check(
            MarkerKind::FUNCTION,
            0x1_0000_00ca,
            "func_id syscall 202 futex",
        );
        check(MarkerKind::SIGNAL, 11, "signal_number 11 SIGSEGV");
        check(MarkerKind::SYSTEM_CALL_FAILED, 4, "syscall_failed 4 EINTR");
        check(MarkerKind::KERNEL_EVENT, 0x7f4a, "kernel_event 0x7f4a");
        check(MarkerKind::CPU, u64::MAX, "cpu_id unknown");
        check(MarkerKind(77), 16, "marker 77 0x10");
        check(GapReason::Lost.kind(), 23, "gap_lost 23");
        check(GapReason::Unmapped.kind(), u64::MAX, "gap_unmapped unknown");
    }
}

#[cfg(test)]
mod traced_call_tests {
    use stepback_machine::linux::SystemCallNumbering;

    use super::*;

    #[track_caller]
    fn check(call: &TracedCall, expected: &str) {
        let functions = FunctionList::parse(b"6,1,0x7000,libc.so.6!malloc\n");
        let names = CallNames {
            functions: Some(&functions),
            set: InstructionSet::X86_64,
        };
        let text: String = call
            .spans(names)
            .into_iter()
            .map(|span| span.text)
            .collect();
        assert_eq!(text, expected);
    }

    #[test]
    fn a_call_reads_like_a_call() {
        let malloc = TracedCall {
            arguments: vec![24],
            ..TracedCall::entered(Callee::Function(6))
        };
        check(&malloc, "malloc(24)");
        let returned = TracedCall {
            result: Some(0x55_0000),
            ..TracedCall::left(Callee::Function(6))
        };
        check(&returned, "malloc returned 0x550000");
        check(&TracedCall::entered(Callee::Function(7)), "function 7()");
    }

    #[test]
    fn a_system_call_says_how_it_ended() {
        let write = TracedCall::entered(Callee::Kernel(1));
        check(&write, "write");
        let done = TracedCall {
            arguments: vec![1, 0x7ffd_0000, 12],
            result: Some(12),
            ..write.clone()
        };
        check(
            &TracedCall {
                micros: Some(3),
                ..done
            },
            "write(1, 0x7ffd0000, 12) = 12   3 µs",
        );
        check(
            &TracedCall {
                result: Some(u64::MAX - 1),
                ..write.clone()
            },
            "write = -ENOENT",
        );
        check(
            &TracedCall {
                error: Some(4),
                result: Some(0),
                micros: Some(1_500_000),
                ..write
            },
            "write failed EINTR   1.5 s",
        );
        check(
            &TracedCall::entered(Callee::Kernel(9_999)),
            "system call 9999",
        );
    }

    #[test]
    fn errors_are_those_of_the_kernel_that_was_asked() {
        let text = |number, error, result| {
            let call = TracedCall {
                error,
                result: Some(result),
                ..TracedCall::entered(Callee::Kernel(number))
            };
            let names = CallNames {
                functions: None,
                set: InstructionSet::Sparc64,
            };
            call.spans(names)
                .into_iter()
                .map(|span| span.text)
                .collect::<String>()
        };
        let solaris = |number| SystemCallNumbering::Solaris.marked(number);
        assert_eq!(text(4, Some(90), u64::MAX), "write failed ENOSYS");
        assert_eq!(text(solaris(4), Some(90), u64::MAX), "write failed ELOOP");
        // If the carry flag reports failure, a negative result is not an error.
        assert_eq!(text(4, None, 1_u64.wrapping_neg()), "write = -1");
    }

    #[test]
    fn numbers_of_system_calls_lie_above_those_of_functions() {
        assert_eq!(
            Callee::of_marker((1 << 32) + 257, InstructionSet::X86_64),
            Callee::Kernel(257)
        );
        assert_eq!(
            Callee::of_marker((1 << 16) + 5, InstructionSet::A32),
            Callee::Kernel(5)
        );
        assert_eq!(
            Callee::of_marker(1 << 16, InstructionSet::A64),
            Callee::Function(1 << 16)
        );
    }
}
