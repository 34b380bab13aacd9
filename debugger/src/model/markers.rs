//! Formats markers of binary formats as text.

use stepback_machine::{InstructionSet, linux::signal_name};
use stepback_parsers::{
    Gap, Marker, MarkerKind,
    drmemtrace::{FunctionList, marker_name},
    traced_system_call,
};

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
