//! The rules: requirements of the specification of RST traces on records and their order (0.1.1,
//! 2004-05-07; clause numbers as there).

use crate::finding::Severity::{Error, Info, Warning};
use crate::finding::{Rule, Severity};

pub static H01: Rule = rule(
    "R-H01",
    Error,
    "clause 2a",
    RuleText {
        title: "the first record is the header",
        meaning: "the file does not begin where the trace does, or is no RST trace",
    },
);
pub static H02: Rule = rule(
    "R-H02",
    Error,
    "clause 2a",
    RuleText {
        title: "no header record comes after the first record",
        meaning: "traces were put together, of which each is one by itself",
    },
);
pub static H03: Rule = rule(
    "R-H03",
    Error,
    "clause 2a",
    RuleText {
        title: "the text of the header begins \"RST Header\"",
        meaning: "the file was written by another program, or is damaged",
    },
);
pub static H04: Rule = rule(
    "R-H04",
    Warning,
    "clause 2a",
    RuleText {
        title: "the header has a % before its text",
        meaning: "the file was written by another program, or is damaged",
    },
);
pub static H05: Rule = rule(
    "R-H05",
    Error,
    "clause 2b",
    RuleText {
        title: "the second record tells who made the trace (TRACEINFO)",
        meaning: "a tool that filtered the trace dropped it, or the tool is older than version 2.06",
    },
);
pub static H06: Rule = rule(
    "R-H06",
    Warning,
    "clause 2c",
    RuleText {
        title: "the third record tells processors and dates (TRACEINFO)",
        meaning: "the tool is older than this requirement, which is new in the specification",
    },
);
pub static H07: Rule = rule(
    "R-H07",
    Warning,
    "clause 2c",
    RuleText {
        title: "what the trace says of its processors and dates holds",
        meaning: "the trace was filtered or put together, and its head was not brought up to date",
    },
);
pub static G01: Rule = rule(
    "R-G01",
    Warning,
    "clause 1a",
    RuleText {
        title: "reserved bits are 0",
        meaning: "the writer did not clear its records, or the bytes are damaged; packed, the trace is larger",
    },
);
pub static E03: Rule = rule(
    "R-E03",
    Error,
    "clause 3e",
    RuleText {
        title: "each record's type exists in the version of the header",
        meaning: "the header tells an older version than that of the writer, or the bytes are damaged",
    },
);
pub static S01: Rule = rule(
    "R-S01",
    Error,
    "clause 3a",
    RuleText {
        title: "a part of a text is followed by the next part or by its end",
        meaning: "records of a text were dropped, or processors were put together record by record",
    },
);
pub static S02: Rule = rule(
    "R-S02",
    Error,
    "clause 7",
    RuleText {
        title: "the end of a text has a zero behind it",
        meaning: "the text is cut off, or its last part was written as a part in between",
    },
);
pub static I01: Rule = rule(
    "R-I01",
    Error,
    "clause 2d",
    RuleText {
        title: "a text tells the MMU's type before the first instruction",
        meaning: "a simulator of whole systems left it out: how addresses are translated is not known",
    },
);
pub static I02: Rule = rule(
    "R-I02",
    Warning,
    "clause 2e",
    RuleText {
        title: "a text tells the processor's type before the first instruction",
        meaning: "the tool is older than this requirement, which is new in the specification",
    },
);
pub static I03: Rule = rule(
    "R-I03",
    Error,
    "clause 2f",
    RuleText {
        title: "a text tells how many register windows there are before the first instruction",
        meaning: "readers assume eight windows, and show wrong registers if there are others",
    },
);
pub static I04: Rule = rule(
    "R-I04",
    Error,
    "clause 2f",
    RuleText {
        title: "before its first instruction, a processor's state is told (PREG, and TT, TPC, TNPC in a trap)",
        meaning: "the trace was cut out of a longer one without what its beginning needs",
    },
);
pub static I05: Rule = rule(
    "R-I05",
    Error,
    "clause 2g",
    RuleText {
        title: "what the TLBs hold is told before the first instruction",
        meaning: "the trace was cut out of a longer one: its physical addresses cannot be told from the start",
    },
);
pub static I06: Rule = rule(
    "R-I06",
    Error,
    "clause 2h",
    RuleText {
        title: "a PAVADIFF comes before the first instruction of each processor",
        meaning: "physical addresses are not known until the first one comes",
    },
);
pub static A01: Rule = rule(
    "R-A01",
    Error,
    "clause 3b",
    RuleText {
        title: "an annulled instruction has an address and no effective address",
        meaning: "the writer left the address of another instruction in the record",
    },
);
pub static A02: Rule = rule(
    "R-A02",
    Error,
    "clause 7a",
    RuleText {
        title: "a branch that is neither annulled nor trapped says where control goes",
        meaning: "where jumps through registers go cannot be told",
    },
);
pub static A03: Rule = rule(
    "R-A03",
    Warning,
    "clause 7a",
    RuleText {
        title: "only loads, stores and control transfers have an effective address",
        meaning: "the writer did not clear it",
    },
);
pub static A04: Rule = rule(
    "R-A04",
    Warning,
    "clause 7a",
    RuleText {
        title: "only control transfers and trapped instructions are marked as taken",
        meaning: "the writer did not clear the mark",
    },
);
pub static A05: Rule = rule(
    "R-A05",
    Error,
    "clause 7a",
    RuleText {
        title: "a load or store that is neither annulled nor trapped has its address",
        meaning: "what it accesses cannot be told",
    },
);
pub static A06: Rule = rule(
    "R-A06",
    Warning,
    "clause 7a",
    RuleText {
        title: "an instruction that misses in the data MMU has no effective address",
        meaning: "the writer gives an address that was never translated",
    },
);
pub static A07: Rule = rule(
    "R-A07",
    Error,
    "clause 7a",
    RuleText {
        title: "a branch goes to the target of its encoding when it is taken, else behind its delay slot",
        meaning: "the mark of a taken branch, the address or the instruction is wrong",
    },
);
pub static A08: Rule = rule(
    "R-A08",
    Warning,
    "clause 3g",
    RuleText {
        title: "with 32-bit addresses (PSTATE.AM), addresses are below 2^32",
        meaning: "the writer did not mask the address, or the state that the trace tells is wrong",
    },
);
pub static A09: Rule = rule(
    "R-A09",
    Error,
    "clause 3b",
    RuleText {
        title: "the instruction that a branch annuls is in the trace, and marked",
        meaning: "the writer leaves annulled instructions out, or does not mark them: they look executed",
    },
);
pub static P01: Rule = rule(
    "R-P01",
    Warning,
    "clause 7a",
    RuleText {
        title: "a processor goes on where its last instruction leads",
        meaning: "records are missing, a trap or a switch of threads is not told, or a target is wrong",
    },
);
pub static V01: Rule = rule(
    "R-V01",
    Error,
    "clause 3c",
    RuleText {
        title: "a translation that changes with the page is told right before the instruction",
        meaning: "records were dropped or put in between: physical addresses before the next PAVADIFF are wrong",
    },
);
pub static V02: Rule = rule(
    "R-V02",
    Error,
    "clause 3c",
    RuleText {
        title: "the PAVADIFF before an instruction without effective address has none for data",
        meaning: "the writer left the translation of another instruction in it",
    },
);
pub static V03: Rule = rule(
    "R-V03",
    Warning,
    "clause 3c",
    RuleText {
        title: "the difference of physical and virtual addresses is a multiple of a page",
        meaning: "the record is damaged, or is not a translation of pages",
    },
);
pub static V04: Rule = rule(
    "R-V04",
    Error,
    "clause 3c",
    RuleText {
        title: "a PAVADIFF with the translation of data follows a change of the data context",
        meaning: "physical addresses of data may be those of another process",
    },
);
pub static T01: Rule = rule(
    "R-T01",
    Error,
    "clause 4d",
    RuleText {
        title: "the first instruction after a TRAP is marked as trapped",
        meaning: "records are missing between the two, or the trap belongs to another processor",
    },
);
pub static T02: Rule = rule(
    "R-T02",
    Error,
    "clause 4d",
    RuleText {
        title: "a synchronous trap is followed by its instruction, any other by its handler",
        meaning: "records are missing between the two, or the trap's kind is wrong",
    },
);
pub static T03: Rule = rule(
    "R-T03",
    Warning,
    "clause 4a",
    RuleText {
        title: "only instructions with a TRAP before them are marked as trapped",
        meaning: "the TRAP was dropped: the handler's frame is missing in the calls",
    },
);
pub static T04: Rule = rule(
    "R-T04",
    Warning,
    "clause 4d",
    RuleText {
        title: "a TRAP tells the trap level, comes once, and has a system call only where it is one",
        meaning: "instructions between two traps are missing, or levels were not followed",
    },
);
pub static T05: Rule = rule(
    "R-T05",
    Error,
    "clause 4f",
    RuleText {
        title: "a PREG with the level and type of the trap comes before done and retry",
        meaning: "the state behind the trap is not told, or the record belongs to another trap",
    },
);
pub static T06: Rule = rule(
    "R-T06",
    Info,
    "clause 4f",
    RuleText {
        title: "the registers of the trap level are told behind done and retry",
        meaning: "recommended: what TL, TT, TPC and TNPC hold behind the trap is not told",
    },
);
pub static T07: Rule = rule(
    "R-T07",
    Info,
    "clause 3f",
    RuleText {
        title: "a TRAPEXIT follows done and retry",
        meaning: "recommended, not required: tools that look for it miss the end of the trap",
    },
);
pub static T08: Rule = rule(
    "R-T08",
    Warning,
    "clause 4b",
    RuleText {
        title: "a write of %tl makes no TRAP and no TRAPEXIT",
        meaning: "the writer takes a change of the trap level for a trap",
    },
);
pub static R01: Rule = rule(
    "R-R01",
    Warning,
    "clause 7c",
    RuleText {
        title: "%g0 is 0",
        meaning: "the number of the register is wrong, or the bytes are damaged",
    },
);
pub static R02: Rule = rule(
    "R-R02",
    Warning,
    "clause 7c",
    RuleText {
        title: "the kind of a register is one of 1 to 9",
        meaning: "the writer did not fill the record in, or the bytes are damaged",
    },
);
pub static M01: Rule = rule(
    "R-M01",
    Error,
    "clause 7",
    RuleText {
        title: "a value of memory has 1 to 8 bytes",
        meaning: "the bytes are damaged",
    },
);
pub static M02: Rule = rule(
    "R-M02",
    Error,
    "clause 7",
    RuleText {
        title: "a value of memory that goes on follows one of the same processor",
        meaning: "the record that it goes on from was dropped: where the value lies is not known",
    },
);
pub static D01: Rule = rule(
    "R-D01",
    Error,
    "clause 7",
    RuleText {
        title: "delimiters come in pairs and nest",
        meaning: "one of a pair was dropped, or the trace ends in between",
    },
);
pub static F01: Rule = rule(
    "R-F01",
    Warning,
    "clause 7",
    RuleText {
        title: "the file ends with a whole record",
        meaning: "the file is cut off, or something was appended to it",
    },
);
pub static C01: Rule = rule(
    "R-C01",
    Warning,
    "clause 7a",
    RuleText {
        title: "before version 2.12 processors have numbers below 64",
        meaning: "the header tells an older version than that of the writer, or the bytes are damaged",
    },
);

/// All rules, in the order of the record types that they are about.
#[cfg(test)]
pub static ALL: &[&Rule] = &[
    &H01, &H02, &H03, &H04, &H05, &H06, &H07, &G01, &E03, &S01, &S02, &I01, &I02, &I03, &I04, &I05,
    &I06, &A01, &A02, &A03, &A04, &A05, &A06, &A07, &A08, &A09, &P01, &V01, &V02, &V03, &V04, &T01,
    &T02, &T03, &T04, &T05, &T06, &T07, &T08, &R01, &R02, &M01, &M02, &D01, &F01, &C01,
];

/// Text of a rule: its requirement, and the likely meaning of a violation.
struct RuleText {
    title: &'static str,
    meaning: &'static str,
}

const fn rule(id: &'static str, severity: Severity, clause: &'static str, words: RuleText) -> Rule {
    Rule {
        id,
        severity,
        clause,
        title: words.title,
        meaning: words.meaning,
    }
}
