//! The rules that hold for every format.

use stepback_parsers::Rule;
use stepback_parsers::Severity::Error;

/// What the index could not read.
pub static DAMAGED: Rule = Rule {
    id: "damaged",
    severity: Error,
    clause: "",
    title: "everything in the trace can be read",
    meaning: "the file is damaged or cut off, or its writer does not keep to the format: what is there is missing here",
};
