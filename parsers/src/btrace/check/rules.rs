//! Rules that a recording of branches must obey.

use crate::finding::Rule;
use crate::finding::Severity::{Error, Info, Warning};

pub static FIT: Rule = Rule {
    id: "B-FIT",
    severity: Error,
    clause: "",
    title: "a record does not belong to an instruction that the program has at this address",
    meaning: "the record is damaged, the program is a different one, or it was loaded elsewhere",
};
pub static TIME: Rule = Rule {
    id: "B-TIME",
    severity: Error,
    clause: "",
    title: "the times of a thread run backwards",
    meaning: "the record is damaged, or recordings were concatenated",
};
pub static LOST: Rule = Rule {
    id: "B-LOST",
    severity: Error,
    clause: "",
    title: "a branch on the path of a thread has no record",
    meaning: "records were lost, or control was diverted by a signal or longjmp",
};
pub static OUTSIDE: Rule = Rule {
    id: "B-OUT",
    severity: Warning,
    clause: "",
    title: "control leaves the program's files",
    meaning: "a library is missing among the images",
};
pub static START: Rule = Rule {
    id: "B-START",
    severity: Info,
    clause: "",
    title: "a thread does not start at the program's entry point",
    meaning: "tracing began later, or the thread was started by another one: how it got there is not recorded",
};
pub static RETURN: Rule = Rule {
    id: "B-RETURN",
    severity: Warning,
    clause: "",
    title: "a return does not go to the instruction after a call that is still open",
    meaning: "records may be missing where the addresses do not show it",
};
pub static JUMP: Rule = Rule {
    id: "B-JUMP",
    severity: Info,
    clause: "",
    title: "two times of a thread are far apart",
    meaning: "the thread waited, or records are missing where the addresses do not show it",
};
pub static COUNT: Rule = Rule {
    id: "B-COUNT",
    severity: Error,
    clause: "",
    title: "the file does not have as many whole records as its header says",
    meaning: "the file was cut off, or its writer did not finish",
};

/// All rules.
pub static ALL: &[&Rule] = &[&FIT, &TIME, &LOST, &OUTSIDE, &START, &RETURN, &JUMP, &COUNT];
