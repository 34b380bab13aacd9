//! Search for accesses by value.

use std::ops::Range;

use stepback_machine::Endian;
use stepback_parsers::{MemoryAccess, Position, ROW_DIGITS, RegisterWrite};

use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Hit;
use crate::answers::value::Number;
use crate::index::Index;
use crate::query::search::pattern::TextPattern;
use crate::query::search::run::{Find, SearchTarget, slots_where};
use crate::query::search::text::slots_with;
use crate::read::contradictions::Contradictions;
use crate::read::records::{self, FoundAccess};
use crate::read::slots::{SlotEventKind, SlotReader};

/// Finds register writes and memory accesses of exactly this value, from a position on, in trace
/// order.
///
/// Cost: the trace is parsed once on all cores; of text only the lines with a long enough run of
/// the value's digits, except where accesses are drawn as bytes on a bus (`LD`, `ST`) or lines are
/// apart from their instruction.
pub type FindValue = Find<Number>;

impl SearchTarget for Number {
    type InText = Option<TextPattern>;

    fn in_text(&self) -> Option<TextPattern> {
        let row = telling_row(self).filter(|row| row.len() >= FEWEST_DIGITS)?;
        format!("(?i){row}").parse().ok()
    }

    fn slots(
        &self,
        in_text: &Option<TextPattern>,
        index: &Index,
        range: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Vec<u64>, QueryError> {
        let is_in_rows = || index.source().is_text() && !has_scattered_values(index, &range);
        if let Some(pattern) = in_text.as_ref().filter(|_| is_in_rows()) {
            let slots = slots_with(index, pattern, range.clone(), cancel)?;
            if slots.len() as u64 * STEPS_A_LINE <= range.end - range.start {
                let near = slots.chunk_by(|one, next| next - one <= NEAR);
                let ranges =
                    near.filter_map(|near| Some(*near.first()?..near.last()?.saturating_add(1)));
                let found = ranges.map(|range| parsed_slots(*self, index, range, cancel));
                return Ok(found.collect::<Result<Vec<_>, _>>()?.concat());
            }
        }
        parsed_slots(*self, index, range, cancel)
    }

    fn hits(
        find: &FindValue,
        index: &Index,
        slots: &[u64],
        _cancel: &Cancel,
    ) -> Result<Vec<Hit>, QueryError> {
        let mut found = Vec::new();
        for near in slots.chunk_by(|one, next| next - one <= NEAR) {
            let mut contradictions = Contradictions::default();
            SlotReader(index).each_event_of(near, |event| {
                contradictions.go_on(index, &event)?;
                // The match may be no hit: a copy of a bank, or a thread's dump before its first
                // step.
                let is_copy = matches!(
                    event.kind,
                    SlotEventKind::Register {
                        is_bank_copy: true,
                        ..
                    }
                );
                if is_copy || find.thread.is_some_and(|wanted| wanted != event.thread) {
                    return Ok(());
                }
                let access = records::access_of(index, &event, &contradictions);
                let access = access.filter(|access| find.what.is(&access.value));
                let Some(access) = access else { return Ok(()) };
                if let Some(step) = SlotReader(index).owner(event.thread, event.slot)? {
                    found.push(FoundAccess {
                        step,
                        position: Position(event.slot),
                        access: Some(access),
                    });
                }
                Ok(())
            })?;
        }
        records::hits(index, found)
    }
}

/// Returns the slots of a range with a value.
fn parsed_slots(
    value: Number,
    index: &Index,
    range: Range<u64>,
    cancel: &Cancel,
) -> Result<Vec<u64>, QueryError> {
    let is_big_endian = index.contents.traits.endian == Endian::Big;
    let is_access = |access: &MemoryAccess| {
        access.bytes.is_some_and(|bytes| {
            let bytes = bytes.iter().take(usize::from(access.size_bytes));
            if is_big_endian {
                value.is_of_bytes(bytes.rev())
            } else {
                value.is_of_bytes(bytes)
            }
        })
    };
    let is_write = |write: &RegisterWrite<'_>| {
        write
            .bytes
            .is_some_and(|bytes| value.is_of_bytes(bytes.iter()))
    };
    slots_where(index, range, cancel, is_access, is_write)
}

/// Returns the run of digits that is least likely to match by chance: the one with the most
/// non-zero digits.
fn telling_row(number: &Number) -> Option<String> {
    let digits = number.hex_digits();
    let rows = digits.as_bytes().rchunks(ROW_DIGITS);
    let row = rows.max_by_key(|row| row.iter().filter(|digit| **digit != b'0').count())?;
    String::from_utf8(row.to_vec()).ok()
}

/// Returns true if some slots may have values that are not written as runs of digits.
fn has_scattered_values(index: &Index, slots: &Range<u64>) -> bool {
    let numbers = index.segments_with(slots.start..slots.end.saturating_add(1));
    index
        .contents
        .segments
        .get(numbers)
        .unwrap_or_default()
        .iter()
        .any(|segment| segment.has_scattered_values)
}

/// Minimum length of a run to search for: shorter ones match too many lines.
const FEWEST_DIGITS: usize = 3;

/// Minimum number of steps per matching line. If more lines match, the whole block is parsed.
const STEPS_A_LINE: u64 = 16;

/// Maximum distance of steps that are read at once: the steps between cost less than another read.
const NEAR: u64 = 16;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_parsers::{Tarmac, TarmacOptions};

    use super::*;
    use crate::builder::build_index::BuildOptions;
    use crate::builder::build_index::index_in_memory;
    use crate::query::question::Query;

    /// Checks that a value is found at its line among many steps, and whether the index knows it to
    /// be written as a run.
    #[track_caller]
    fn check(line: &str, endian: Endian, value: &str, is_in_rows: bool) {
        let step = |number: u64| {
            format!(
                "{number} clk IT ({number}) {:08x} d503201f O EL1h_n : NOP\n",
                0x1000 + 4 * number
            )
        };
        let text: String = (1..=40)
            .map(|number| step(number) + if number == 20 { line } else { "" })
            .collect();
        let options = TarmacOptions {
            endian,
            ..TarmacOptions::default()
        };
        let tarmac = Tarmac::open(Box::new(text.into_bytes()), options).unwrap();
        let index = index_in_memory(Arc::new(tarmac), &BuildOptions::default()).unwrap();
        assert_eq!(
            !has_scattered_values(&index, &(1..41)),
            is_in_rows,
            "{line}"
        );
        let what = Number::from_hex(value).unwrap();
        let hits = FindValue {
            what,
            thread: None,
            from: Position(0),
            limit: 9,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        let found: Vec<u64> = hits.iter().map(|hit| hit.position.0).collect();
        assert_eq!(found, [20], "{value} in {line}");
    }

    #[test]
    fn values_are_found_however_their_digits_are_grouped() {
        let (little, big) = (Endian::Little, Endian::Big);
        check("20 clk R X1 00000000DEADBEEF\n", little, "deadbeef", true);
        check(
            "20 clk R X1 0000_0000_dead_beef\n",
            little,
            "deadbeef",
            false,
        );
        check("20 clk R X1 00000000_DeadBeef\n", little, "deadbeef", true);
        check(
            "20 clk R Q1 00112233 44556677 8899aabb ccddeeff\n",
            little,
            "00112233445566778899aabbccddeeff",
            true,
        );
        check(
            "20 clk R V1<127:64> 0011223344556677\n",
            little,
            "11223344556677",
            true,
        );
        check(
            "20 clk R Q1 -------- ----4455 6677---- --------\n",
            little,
            "44556677",
            false,
        );
        check("20 clk R cpsr 600003c5\n", little, "600003c5", true);
        check(
            "20 clk MW8 00005000 00000000_12345678\n",
            little,
            "12345678",
            true,
        );
        check(
            "20 clk MW8 00005000 0000000a_12345678\n",
            little,
            "a12345678",
            true,
        );
        check(
            "20 clk MW8 00005000 00000000_12345678\n",
            big,
            "12345678",
            true,
        );
        check(
            "20 clk MW8 00005000 000000ab_cdef0000\n",
            little,
            "abcdef0000",
            true,
        );
        check("20 clk MW4 00005000 1234_5678\n", little, "12345678", false);
        check("20 clk MW4 00005000 0x12345678\n", little, "12345678", true);
        check(
            "20 clk MW16 00005000 00112233_44556677_8899aabb_ccddeeff\n",
            little,
            "8899aabbccddeeff",
            true,
        );
        check(
            "20 clk MW16 00005000 00112233_44556677_8899aabb_ccddeeff\n",
            little,
            "11223344556677",
            true,
        );
        check(
            "20 clk MNW4___D 00005000 78563412\n",
            little,
            "12345678",
            false,
        );
        check(
            "20 clk ST 00005000 ........ ........ 12345678 ........\n",
            little,
            "12345678",
            false,
        );
        // Too few digits to search for.
        check("20 clk R X1 00000000000000a5\n", little, "a5", true);
        check("20 clk R X1 0000000000000001f\n", little, "1f", true);
        check("20 clk R X1 0000001000000000\n", little, "1000000000", true);
    }

    #[test]
    fn the_row_with_most_digits_is_looked_for() {
        let row = |digits| telling_row(&Number::from_hex(digits).unwrap());
        assert_eq!(row("7fffffe6c0").as_deref(), Some("ffffe6c0"));
        assert_eq!(row("12345600000000").as_deref(), Some("123456"));
        assert_eq!(row("0c0de").as_deref(), Some("c0de"));
        assert_eq!(row("0"), None);
    }
}
