//! Rules for post-processed traces. The clause of a rule is the message of DynamoRIO's invariant
//! checker for a violation. [`RecordReport`] adds the findings of these rules at the record that is
//! being checked.

use crate::finding::Severity::{Error, Warning};
use crate::finding::{FindingPlace, Findings, Rule, Severity};

const DAMAGED: &str = "records are missing or damaged, or the program that wrote them has an error";
const CUT_OFF: &str = "the program was killed, the file is cut off, or the recorder was stopped";

const fn rule(
    id: &'static str,
    severity: Severity,
    clause: &'static str,
    title: &'static str,
    meaning: &'static str,
) -> Rule {
    Rule {
        id,
        severity,
        clause,
        title,
        meaning,
    }
}

pub static FILE_TYPE: Rule = rule(
    "D-TYPE",
    Error,
    "Trace cannot have both whole_system and kernel_syscalls bit set",
    "the kinds of content that the file type names go together",
    "the header is damaged, or traces were concatenated",
);
pub static HEADER: Rule = rule(
    "D-HEADER",
    Warning,
    "Missing cache line marker; Missing page size marker",
    "a thread begins with the size of cache lines and pages",
    "the beginning of the file is damaged or was cut off",
);
pub static CONTENT: Rule = rule(
    "D-CONTENT",
    Error,
    "System call numbers presence does not match filetype",
    "the records are of the kinds that the file type names",
    "the header is damaged, or a tool changed the records and not the header",
);
pub static COUNTS: Rule = rule(
    "D-COUNT",
    Error,
    "Instr count markers not increasing; Missing instr count markers",
    "a filtered trace counts its instructions, and the counts do not fall",
    DAMAGED,
);
pub static VECTOR: Rule = rule(
    "D-VECTOR",
    Error,
    "Vector length marker has invalid size; Unexpected vector length marker",
    "vectors are 16 to 256 bytes long, and only on AArch64",
    DAMAGED,
);
pub static CHUNK: Rule = rule(
    "D-CHUNK",
    Error,
    "Chunks do not increase monotonically; Chunk instruction counts are inconsistent",
    "chunks are numbered from 0 and have as many instructions as the header says",
    "a part of the file is lost, or members of the archive are in the wrong order",
);
pub static RAW: Rule = rule(
    "D-RAW",
    Error,
    "TRACE_MARKER_TYPE_KERNEL_EVENT_RAW should not appear in the final trace",
    "no record has the raw form",
    "the trace was not post-processed whole",
);
pub static EXIT: Rule = rule(
    "D-EXIT",
    Warning,
    "Thread is missing exit",
    "a thread ends with its exit",
    CUT_OFF,
);
pub static EMPTY: Rule = rule(
    "D-EMPTY",
    Warning,
    "An unfiltered thread should have at least 1 user-space instruction",
    "a thread that ends has executed an instruction",
    DAMAGED,
);
pub static SYSTEM_CALL: Rule = rule(
    "D-SYSCALL",
    Error,
    "Syscall marker not placed after syscall instruction; Syscall marker missing after syscall instruction",
    "a system call has an instruction, two records of time and CPU, and its number, in this order",
    DAMAGED,
);
pub static BLOCKING: Rule = rule(
    "D-BLOCKING",
    Error,
    "Maybe-blocking marker not preceded by syscall marker",
    "a record that a call may block follows its system call",
    DAMAGED,
);
pub static FUNCTION: Rule = rule(
    "D-FUNCTION",
    Error,
    "Function marker should be after a branch; Function marker retaddr should match prior call",
    "a traced function is entered and left by branches, and returns to the instruction after its call",
    "records are missing, or a function was left by longjmp",
);
pub static ACCESS: Rule = rule(
    "D-ACCESS",
    Error,
    "Missing read records; Too many read records; Missing write records; Too many write records",
    "an instruction has as many loads and stores as its encoding says",
    DAMAGED,
);
pub static SIZE: Rule = rule(
    "D-SIZE",
    Warning,
    "",
    "an access is at least one byte long",
    "the recorder did not know the instruction: lengths are derived from the instruction where possible",
);
pub static BRANCH: Rule = rule(
    "D-BRANCH",
    Error,
    "Branch target not immediately after branch; The CONDITIONAL_JUMP type is deprecated and should not appear",
    "a branch says where it goes, and the instruction there follows it",
    DAMAGED,
);
pub static FLOW: Rule = rule(
    "D-FLOW",
    Error,
    "Branch does not go to the correct target; Non-explicit control flow has no marker",
    "a thread continues where its branches and system calls lead",
    "records are missing, or a signal or a switch of threads is not recorded",
);
pub static EVENT: Rule = rule(
    "D-EVENT",
    Error,
    "Kernel event marker value missing; Non-explicit control flow has no marker @ kernel_event marker",
    "a signal or interrupt comes where the thread was",
    DAMAGED,
);
pub static RETURN: Rule = rule(
    "D-RETURN",
    Warning,
    "Signal handler return point incorrect; Mismatched signal/interrupt context return marker",
    "a handler returns to where the thread was interrupted",
    "the handler changed the context, as debuggers and runtimes do, or records are missing",
);
pub static RSEQ: Rule = rule(
    "D-RSEQ",
    Error,
    "Rseq region exit requires marker, branch, or commit; Rseq post-abort instruction not rolled back",
    "a restartable sequence ends with its last instruction, a branch, or a recorded abort",
    DAMAGED,
);
pub static KERNEL: Rule = rule(
    "D-KERNEL",
    Error,
    "Found kernel syscall trace without corresponding file type; Nested kernel syscall traces are not expected",
    "the kernel's part of a system call follows its number, is whole, and ends with a branch back",
    DAMAGED,
);
pub static SWITCH: Rule = rule(
    "D-SWITCH",
    Error,
    "Nested kernel context switch traces are not expected; Switch trace does not end with indirect branch",
    "the kernel's part of a context switch is whole, and ends with a branch",
    DAMAGED,
);
pub static HARDWARE: Rule = rule(
    "D-HARDWARE",
    Error,
    "Hardware context marker found in non-whole-system trace",
    "interrupts and exceptions of the processor are only in traces of whole systems",
    DAMAGED,
);
pub static PHYSICAL: Rule = rule(
    "D-PHYSICAL",
    Error,
    "Physical addr marker not immediately prior to virtual marker; Physical addr bottom 12 bits do not match virtual",
    "a physical address comes right before its virtual one, at the same place in a page",
    DAMAGED,
);
pub static FILTER: Rule = rule(
    "D-FILTER",
    Error,
    "Found TRACE_MARKER_TYPE_FILTER_ENDPOINT without the correct file type",
    "a trace whose beginning is filtered says where that ends, and no other does",
    DAMAGED,
);
pub static REGDEPS: Rule = rule(
    "D-REGDEPS",
    Error,
    "OFFLINE_FILE_TYPE_ARCH_REGDEPS traces cannot have …",
    "a trace of synthetic instructions contains nothing about the real processor and its system calls",
    "the tool that made the trace anonymous left something out",
);

/// Adds findings at the record that is being checked.
pub(super) struct RecordReport<'f> {
    pub findings: &'f mut Findings,
    /// Ordinal of the record.
    pub ordinal: u64,
}

impl RecordReport<'_> {
    /// Adds a finding at the record.
    pub fn add(&mut self, rule: &'static Rule, message: impl FnOnce() -> String) {
        self.findings
            .add(rule, FindingPlace::Record(self.ordinal), message);
    }

    /// Adds a finding with a fixed text at the record.
    pub fn say(&mut self, rule: &'static Rule, message: &'static str) {
        self.add(rule, || message.to_owned());
    }
}
