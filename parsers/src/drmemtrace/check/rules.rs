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
    "the kinds of content that the file type names contradict each other",
    "the header is damaged, or traces were concatenated",
);
pub static HEADER: Rule = rule(
    "D-HEADER",
    Warning,
    "Missing cache line marker; Missing page size marker",
    "a thread does not begin with the size of cache lines and pages",
    "the beginning of the file is damaged or was cut off",
);
pub static CONTENT: Rule = rule(
    "D-CONTENT",
    Error,
    "System call numbers presence does not match filetype",
    "the records are not of the kinds that the file type names",
    "the header is damaged, or a tool changed the records and not the header",
);
pub static COUNTS: Rule = rule(
    "D-COUNT",
    Error,
    "Instr count markers not increasing; Missing instr count markers",
    "a filtered trace does not count its instructions, or the counts fall",
    DAMAGED,
);
pub static VECTOR: Rule = rule(
    "D-VECTOR",
    Error,
    "Vector length marker has invalid size; Unexpected vector length marker",
    "a vector is not 16 to 256 bytes long, or is not on AArch64",
    DAMAGED,
);
pub static CHUNK: Rule = rule(
    "D-CHUNK",
    Error,
    "Chunks do not increase monotonically; Chunk instruction counts are inconsistent",
    "chunks are not numbered from 0, or do not have as many instructions as the header says",
    "a part of the file is lost, or files in the archive are in the wrong order",
);
pub static RAW: Rule = rule(
    "D-RAW",
    Error,
    "TRACE_MARKER_TYPE_KERNEL_EVENT_RAW should not appear in the final trace",
    "a record has the raw form",
    "only a part of the trace was post-processed",
);
pub static EXIT: Rule = rule(
    "D-EXIT",
    Warning,
    "Thread is missing exit",
    "a thread does not end with its exit",
    CUT_OFF,
);
pub static EMPTY: Rule = rule(
    "D-EMPTY",
    Warning,
    "An unfiltered thread should have at least 1 user-space instruction",
    "a thread ends without an instruction",
    DAMAGED,
);
pub static SYSTEM_CALL: Rule = rule(
    "D-SYSCALL",
    Error,
    "Syscall marker not placed after syscall instruction; Syscall marker missing after syscall instruction",
    "a system call lacks its instruction, the records of time and CPU, or its number, in this order",
    DAMAGED,
);
pub static BLOCKING: Rule = rule(
    "D-BLOCKING",
    Error,
    "Maybe-blocking marker not preceded by syscall marker",
    "a record that a call may block does not follow its system call",
    DAMAGED,
);
pub static FUNCTION: Rule = rule(
    "D-FUNCTION",
    Error,
    "Function marker should be after a branch; Function marker retaddr should match prior call",
    "a traced function is entered or left without a branch, or does not return to the instruction after its call",
    "records are missing, or a function was left by longjmp",
);
pub static ACCESS: Rule = rule(
    "D-ACCESS",
    Error,
    "Missing read records; Too many read records; Missing write records; Too many write records",
    "an instruction does not have as many loads and stores as its encoding says",
    DAMAGED,
);
pub static SIZE: Rule = rule(
    "D-SIZE",
    Warning,
    "",
    "an access has a length of 0 bytes",
    "the recorder did not know the instruction: lengths are derived from the instruction where possible",
);
pub static BRANCH: Rule = rule(
    "D-BRANCH",
    Error,
    "Branch target not immediately after branch; The CONDITIONAL_JUMP type is deprecated and should not appear",
    "a branch does not say where it goes, or the instruction there does not follow it",
    DAMAGED,
);
pub static FLOW: Rule = rule(
    "D-FLOW",
    Error,
    "Branch does not go to the correct target; Non-explicit control flow has no marker",
    "a thread does not continue where its branches and system calls lead",
    "records are missing, or a signal or a context switch is not recorded",
);
pub static EVENT: Rule = rule(
    "D-EVENT",
    Error,
    "Kernel event marker value missing; Non-explicit control flow has no marker @ kernel_event marker",
    "a signal or interrupt does not come where the thread was",
    DAMAGED,
);
pub static RETURN: Rule = rule(
    "D-RETURN",
    Warning,
    "Signal handler return point incorrect; Mismatched signal/interrupt context return marker",
    "a handler does not return to where the thread was interrupted",
    "the handler changed the context, as debuggers and runtimes do, or records are missing",
);
pub static RSEQ: Rule = rule(
    "D-RSEQ",
    Error,
    "Rseq region exit requires marker, branch, or commit; Rseq post-abort instruction not rolled back",
    "a restartable sequence does not end with its last instruction, a branch or a recorded abort",
    DAMAGED,
);
pub static KERNEL: Rule = rule(
    "D-KERNEL",
    Error,
    "Found kernel syscall trace without corresponding file type; Nested kernel syscall traces are not expected",
    "the kernel's part of a system call does not follow its number, is incomplete, or does not end with a branch back",
    DAMAGED,
);
pub static SWITCH: Rule = rule(
    "D-SWITCH",
    Error,
    "Nested kernel context switch traces are not expected; Switch trace does not end with indirect branch",
    "the kernel's part of a context switch is incomplete, or does not end with a branch",
    DAMAGED,
);
pub static HARDWARE: Rule = rule(
    "D-HARDWARE",
    Error,
    "Hardware context marker found in non-whole-system trace",
    "interrupts or exceptions of the processor are in a trace that does not cover the whole system",
    DAMAGED,
);
pub static PHYSICAL: Rule = rule(
    "D-PHYSICAL",
    Error,
    "Physical addr marker not immediately prior to virtual marker; Physical addr bottom 12 bits do not match virtual",
    "a physical address does not come right before its virtual one, or is at another place in its page",
    DAMAGED,
);
pub static FILTER: Rule = rule(
    "D-FILTER",
    Error,
    "Found TRACE_MARKER_TYPE_FILTER_ENDPOINT without the correct file type",
    "a trace whose beginning is filtered does not say where that ends, or another trace does",
    DAMAGED,
);
pub static REGDEPS: Rule = rule(
    "D-REGDEPS",
    Error,
    "OFFLINE_FILE_TYPE_ARCH_REGDEPS traces cannot have …",
    "a trace of synthetic instructions contains something about the real processor or its system calls",
    "the tool that made the trace anonymous left something out",
);

/// All rules.
pub static ALL: &[&Rule] = &[
    &FILE_TYPE,
    &HEADER,
    &CONTENT,
    &COUNTS,
    &VECTOR,
    &CHUNK,
    &RAW,
    &EXIT,
    &EMPTY,
    &SYSTEM_CALL,
    &BLOCKING,
    &FUNCTION,
    &ACCESS,
    &SIZE,
    &BRANCH,
    &FLOW,
    &EVENT,
    &RETURN,
    &RSEQ,
    &KERNEL,
    &SWITCH,
    &HARDWARE,
    &PHYSICAL,
    &FILTER,
    &REGDEPS,
];

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
