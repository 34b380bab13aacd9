//! Names met in a run, numbered in order of appearance.

use crate::tarmac::quick_header::KnownPrefix;
use crate::text::name_table::NameTable;

/// What is kept from call to call for its memory alone.
#[derive(Debug, Default)]
pub(super) struct TarmacScratch {
    /// Of the window over the text.
    pub buffer: Vec<u8>,
    pub names: RunNames,
}

/// What a run has named so far.
#[derive(Debug, Default)]
pub(super) struct RunNames {
    /// Words such as `cpu0`.
    pub threads: NameTable,
    /// Registers outside the architecture's table, in lower case.
    pub registers: NameTable,
    /// Units of time that were complained about.
    pub units: NameTable,
    /// The beginning of a line of this run, or of one before it.
    pub beginning: KnownPrefix,
}

impl RunNames {
    /// Forgets all names, but not how lines begin.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.registers.clear();
        self.units.clear();
    }
}
