//! Distinct instructions executed until now, while segments are taken in order.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use stepback_machine::{Address, Encoding, InstructionSet};
use stepback_parsers::Step;

use crate::builder::segment::instructions::FoundCode;
use crate::store::codes::{CODES_LIMIT, CodeTable, ExecutedCode};

/// Address, instruction set and bytes of each instruction, with its first step. A clone shares the instructions until one of both gets
/// more.
#[derive(Clone, Debug, Default)]
pub struct CodeLedger(Arc<HashMap<(u64, InstructionSet, Encoding), u64>>);

impl CodeLedger {
    /// Restores the instructions of the first `steps` steps of a trace from a table of more steps.
    pub fn resume(table: &CodeTable, steps: u64) -> Self {
        let mut codes = HashMap::new();
        for code in table.all().iter().filter(|code| code.first.0 < steps) {
            codes.insert((code.pc.0, code.set, code.encoding), code.first.0);
        }
        Self(Arc::new(codes))
    }

    /// Adds the instructions of the next segment, in the order of their first steps. Beyond the
    /// limit of the table, new ones are dropped.
    pub fn take(&mut self, found: &[FoundCode], step_base: u64) {
        if found.is_empty() || self.0.len() >= CODES_LIMIT {
            return;
        }
        let codes = Arc::make_mut(&mut self.0);
        for FoundCode {
            pc,
            set,
            encoding,
            slot,
        } in found
        {
            let is_full = codes.len() >= CODES_LIMIT;
            if let Entry::Vacant(place) = codes.entry((*pc, *set, *encoding))
                && !is_full
            {
                place.insert((step_base + u64::from(*slot)).saturating_sub(1));
            }
        }
    }

    /// Returns all instructions, in order of their addresses.
    pub fn table(&self) -> CodeTable {
        let codes = self.0.iter().map(|(code, first)| ExecutedCode {
            pc: Address(code.0),
            set: code.1,
            encoding: code.2,
            first: Step(*first),
        });
        CodeTable::of(codes.collect())
    }
}
