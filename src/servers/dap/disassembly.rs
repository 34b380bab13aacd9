//! Instructions around an address: those that the trace executed, and the bytes of memory between.

use std::collections::VecDeque;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value as Json, json};
use stepback_index::answer::ExecutedCode;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, QueryError};
use stepback_machine::{Address, Encoding, Endian, InstructionSet, decode};

use super::arguments::Arguments;
use super::program::TracedProgram;

/// Maximum number of instructions in an answer, and of those before or after the address.
const INSTRUCTIONS: u64 = 10_000;

/// Alignment of instruction sets whose instructions all have that length.
const FIXED_BYTES: u64 = 4;

/// Maximum distance from the start of a function to the first instruction of an answer.
const SWEEP_BYTES: u64 = 1 << 16;

/// An instruction, or bytes that are none.
struct CodeRow {
    address: u64,
    /// None if nothing is known at the address.
    instruction: Option<(Encoding, InstructionSet)>,
    len_bytes: u64,
}

impl TracedProgram {
    /// Disassembles instructions around an address.
    pub fn disassemble(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let address = arguments.address("memoryReference")?;
        let offset = arguments.number("instructionOffset")?.unwrap_or(0);
        let count = arguments
            .count("instructionCount")?
            .context("the argument \"instructionCount\" is missing")?;
        ensure!(
            count <= INSTRUCTIONS && offset.unsigned_abs() <= INSTRUCTIONS,
            "at most {INSTRUCTIONS} instructions can be disassembled"
        );
        let set = NameReader(self.index()).set_at(self.thread, self.position)?;
        let (before, skipped) = match usize::try_from(offset) {
            Ok(skipped) => (0, skipped),
            Err(_) => (usize::try_from(offset.unsigned_abs())?, 0),
        };
        let count = usize::try_from(count)?;
        let mut rows = self.rows_before(address, before, set, cancel)?;
        let mut at = address;
        while rows.len() < count.saturating_add(skipped) {
            cancel.check()?;
            let row = self.row_at(at, set, cancel)?;
            at = at.wrapping_add(row.len_bytes);
            rows.push_back(row);
        }
        let shown = rows.iter().skip(skipped).take(count);
        let instructions: Vec<Json> = shown.map(|row| self.row_json(row)).collect();
        Ok(json!({"instructions": instructions}))
    }

    /// Returns this number of instructions that end at an address. Where nothing is known, they
    /// have the minimum length.
    fn rows_before(
        &self,
        address: u64,
        count: usize,
        set: InstructionSet,
        cancel: &Cancel,
    ) -> Result<VecDeque<CodeRow>, QueryError> {
        let least = u64::from(set.alignment());
        let mut rows = VecDeque::new();
        if count > 0 {
            // A sweep from here meets the address unless data is in between.
            let reach = (count as u64).saturating_mul(Encoding::LIMIT as u64);
            let mut at = self.sweep_start(address, address.saturating_sub(reach), set);
            while at < address {
                cancel.check()?;
                let row = self.row_at(at, set, cancel)?;
                // An instruction that reaches beyond the start of another one is none.
                let next = at.saturating_add(row.len_bytes);
                let bounds = [
                    self.next_start(at),
                    self.function_start(next - 1),
                    Some(address),
                ];
                let bounds = bounds.into_iter().flatten();
                let bound = bounds.filter(|bound| *bound > at).min().unwrap_or(address);
                let row = match next > bound {
                    true => CodeRow {
                        instruction: None,
                        len_bytes: least.min(bound - at),
                        ..row
                    },
                    false => row,
                };
                at = at.saturating_add(row.len_bytes);
                rows.push_back(row);
                if rows.len() > count {
                    rows.pop_front();
                }
            }
        }
        while rows.len() < count {
            let first = rows.front().map_or(address, |row: &CodeRow| row.address);
            rows.push_front(CodeRow {
                address: first.wrapping_sub(least),
                instruction: None,
                len_bytes: least,
            });
        }
        Ok(rows)
    }

    /// Returns the start of a sweep up to an address: that of the function around the lower end of
    /// the range, else the lowest known one in the range: of an executed instruction, of the function
    /// or of the segment. The address itself if there is none.
    fn sweep_start(&self, address: u64, from: u64, set: InstructionSet) -> u64 {
        let least = u64::from(set.alignment());
        if least == FIXED_BYTES {
            return from.next_multiple_of(least).min(address);
        }
        let around = self.function_start(from);
        let around = around.filter(|start| from.saturating_sub(*start) <= SWEEP_BYTES);
        let executed = from
            .checked_sub(1)
            .and_then(|before| self.next_start(before));
        let mut segments = self.session.images.mapped().iter();
        let segment = segments
            .find(|range| range.is_loaded && (range.first.0..=range.last()).contains(&address));
        let known = [
            executed,
            self.function_start(address),
            segment.map(|segment| segment.first.0),
        ];
        let inside = known.into_iter().flatten();
        let first = inside.filter(|start| (from..address).contains(start)).min();
        around.or(first).unwrap_or(address)
    }

    fn function_start(&self, address: u64) -> Option<u64> {
        let found = self.session.images.function_at(Address(address));
        found.map(|found| found.symbol.address.0)
    }

    /// Returns the next address after another one at which the trace executes an instruction.
    fn next_start(&self, address: u64) -> Option<u64> {
        let codes = self.index().executed_codes();
        let after = codes.partition_point(|code| code.pc.0 <= address);
        codes.get(after).map(|code| code.pc.0)
    }

    fn row_at(
        &self,
        address: u64,
        set: InstructionSet,
        cancel: &Cancel,
    ) -> Result<CodeRow, QueryError> {
        let instruction = match self.executed_at(address) {
            Some(code) => Some((code.encoding, code.set)),
            None => self
                .encoding_in_memory(address, set, cancel)?
                .map(|encoding| (encoding, set)),
        };
        let len_bytes = match &instruction {
            Some((encoding, _)) => encoding.bytes().len() as u64,
            None => u64::from(set.alignment()),
        };
        Ok(CodeRow {
            address,
            instruction,
            len_bytes: len_bytes.max(1),
        })
    }

    /// Returns the instruction that was last executed at an address before the position; else the
    /// first one.
    fn executed_at(&self, address: u64) -> Option<&ExecutedCode> {
        let codes = self.index().executed_codes();
        let first = codes.partition_point(|code| code.pc.0 < address);
        let end = codes.partition_point(|code| code.pc.0 <= address);
        let here = codes.get(first..end)?;
        let is_past = |code: &&ExecutedCode| code.first.0 < self.position.0;
        here.iter().rfind(is_past).or(here.first())
    }

    fn encoding_in_memory(
        &self,
        address: u64,
        set: InstructionSet,
        cancel: &Cancel,
    ) -> Result<Option<Encoding>, QueryError> {
        let limit = Encoding::LIMIT as u64;
        let states = self.memory(self.thread, address, limit, cancel)?;
        let bytes: Vec<u8> = states.iter().map_while(|state| state.value).collect();
        let infos = self.session.images.infos();
        let is_big = infos.iter().any(|info| info.code_endian == Endian::Big);
        let order = if is_big { Endian::Big } else { Endian::Little };
        let length = set.instruction_length(&bytes);
        let own = length.and_then(|length| bytes.get(..length));
        let encoding = own.and_then(Encoding::new);
        Ok(encoding.map(|encoding| set.in_code_order(encoding, order)))
    }

    fn row_json(&self, row: &CodeRow) -> Json {
        let address = Address(row.address);
        let Some((encoding, set)) = row.instruction else {
            return json!({
                "address": address.to_string(),
                "instruction": "??",
                "presentationHint": "invalid",
            });
        };
        let bytes: Vec<String> = encoding
            .bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut shown = json!({
            "address": address.to_string(),
            "instructionBytes": bytes.join(" "),
            "instruction": decode(encoding, address, set).text,
        });
        if let Some(symbol) = self.session.images.name_at(address) {
            shown["symbol"] = symbol.into();
        }
        if let Some(line) = self.session.images.source_at(address) {
            shown["line"] = (i64::from(line.line) - 1 + self.first_line).into();
            shown["location"] = self.sources.json(&line.file);
        }
        shown
    }
}
