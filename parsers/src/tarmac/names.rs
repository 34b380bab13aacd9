//! Names found in a run, numbered in order of appearance.

use crate::tarmac::quick_header::KnownPrefix;
use crate::text::name_table::NameTable;

/// Buffers that are kept from call to call to save allocations.
#[derive(Debug, Default)]
pub(super) struct TarmacScratch {
    /// Buffer of the window over the text.
    pub buffer: Vec<u8>,
    pub names: RunNames,
}

/// Names found in a run.
#[derive(Debug, Default)]
pub(super) struct RunNames {
    /// Words such as `cpu0`.
    pub threads: NameTable,
    /// Registers outside the architecture's table, in lower case.
    pub registers: NameTable,
    /// Units of time that were reported as unknown.
    pub units: NameTable,
    /// Beginning of a line of this run or an earlier one.
    pub beginning: KnownPrefix,
}

impl RunNames {
    /// Forgets all names, but not the beginning of lines.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.registers.clear();
        self.units.clear();
    }
}
