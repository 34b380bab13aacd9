//! Distinct instructions executed until now, while segments are taken in order.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use stepback_machine::{Address, Encoding, InstructionSet};
use stepback_parsers::Step;

use crate::builder::segment::instructions::FoundCode;
use crate::store::codes::{CODES_LIMIT, CodeTable, ExecutedCode};

/// Identity of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CodeKey {
    pc: u64,
    set: InstructionSet,
    encoding: Encoding,
}

/// Each instruction with its first step. A clone shares the instructions until one of both gets
/// more.
#[derive(Clone, Debug, Default)]
pub struct CodeLedger(Arc<HashMap<CodeKey, u64>>);

impl CodeLedger {
    /// Restores the instructions of the first `steps` steps of a trace from a table of more steps.
    pub fn resume(table: &CodeTable, steps: u64) -> Self {
        let mut codes = HashMap::new();
        for code in table.all().iter().filter(|code| code.first.0 < steps) {
            codes.insert(
                CodeKey {
                    pc: code.pc.0,
                    set: code.set,
                    encoding: code.encoding,
                },
                code.first.0,
            );
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
            if let Entry::Vacant(place) = codes.entry(CodeKey {
                pc: *pc,
                set: *set,
                encoding: *encoding,
            }) && !is_full
            {
                place.insert((step_base + u64::from(*slot)).saturating_sub(1));
            }
        }
    }

    /// Returns all instructions, in order of their addresses.
    pub fn table(&self) -> CodeTable {
        let code = |(key, first): (&CodeKey, &u64)| ExecutedCode {
            pc: Address(key.pc),
            set: key.set,
            encoding: key.encoding,
            first: Step(*first),
        };
        CodeTable::of(self.0.iter().map(code).collect())
    }
}
