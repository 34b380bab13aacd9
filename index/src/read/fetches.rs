//! Instructions fetched from the bytes of a memory block: an executed byte is known.

use stepback_machine::{Address, Encoding};
use stepback_parsers::Step;

use crate::answers::cell::Direction;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::slots::SlotReader;
use crate::read::visits::VisitReader;
use crate::store::codes::ExecutedCode;
use crate::store::granules::{GRANULE_BITS, bytes_between};

/// Maximum number of examined steps at one address: its instructions may differ in length.
const VISITS: usize = 256;

/// A byte of an instruction that a step fetched. In its slot, the fetch comes before all accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fetch {
    /// Slot of the step.
    pub slot: u64,
    /// Value of the byte.
    pub byte: u8,
}

/// For each byte of a block, a fetch.
pub(crate) type ByteFetches = [Option<Fetch>; 64];

/// Returns the nearest fetches of bytes of a block from a slot on, in a direction. Cost: one step's
/// text for each instruction in the block.
pub(crate) fn nearest_fetches(
    index: &Index,
    granule: u64,
    need: u64,
    from: u64,
    way: Direction,
) -> Result<ByteFetches, QueryError> {
    let mut fetches = [None; 64];
    if need == 0 || !index.has_one_memory() {
        return Ok(fetches);
    }
    let first = granule << GRANULE_BITS;
    let codes = index.codes.around(first, first | ((1 << GRANULE_BITS) - 1));
    for of_address in codes.chunk_by(|one, next| one.pc == next.pc) {
        let mut walk = FetchWalk {
            granule,
            from,
            way,
            fetches: &mut fetches,
        };
        take_fetches_at(index, of_address, need, &mut walk)?;
    }
    Ok(fetches)
}

/// Takes the nearest fetches of the instructions of one address, which may differ in bytes and
/// length.
fn take_fetches_at(
    index: &Index,
    codes: &[ExecutedCode],
    need: u64,
    walk: &mut FetchWalk<'_>,
) -> Result<(), QueryError> {
    let Some(pc) = codes.first().map(|code| code.pc) else {
        return Ok(());
    };
    let masks = codes
        .iter()
        .map(|code| mask_of(walk.granule, pc, &code.encoding));
    let mut need = need & masks.fold(0, |all, mask| all | mask);
    let mut slot = Some(walk.from);
    for _ in 0..VISITS {
        let Some(from) = slot.filter(|_| need != 0) else {
            return Ok(());
        };
        let Some(step) = VisitReader(index).nearest(pc, None, from, walk.way)? else {
            return Ok(());
        };
        if let Some(encoding) = encoding_at(index, step)? {
            walk.take(pc, &encoding, step.after().0, need);
            need &= !mask_of(walk.granule, pc, &encoding);
        }
        slot = match walk.way {
            Direction::Back => step.after().0.checked_sub(1),
            Direction::Forward => step.after().0.checked_add(1),
        };
    }
    Ok(())
}

/// Returns the bytes of a step's instruction, in memory order.
fn encoding_at(index: &Index, step: Step) -> Result<Option<Encoding>, QueryError> {
    let text = SlotReader(index)
        .step_of(step.after().0)?
        .map(|(_, text)| text);
    Ok(text.and_then(|text| {
        Some(
            index
                .program()
                .in_memory(text.instruction_set, text.encoding?),
        )
    }))
}

/// Returns the first block from one on with a byte of an executed instruction.
pub fn next_granule(index: &Index, from: u64) -> Option<u64> {
    if !index.has_one_memory() {
        return None;
    }
    let first = from
        .checked_shl(GRANULE_BITS)
        .filter(|first| first >> GRANULE_BITS == from)?;
    let reaching = |code: &&ExecutedCode| last_byte(code.pc, &code.encoding) >= first;
    let code = index.codes.around(first, u64::MAX).iter().find(reaching)?;
    Some((code.pc.0 >> GRANULE_BITS).max(from))
}

/// Search for the nearest fetches of the bytes of a block.
struct FetchWalk<'a> {
    granule: u64,
    from: u64,
    way: Direction,
    fetches: &'a mut ByteFetches,
}

impl FetchWalk<'_> {
    /// Takes the bytes of an instruction that a slot fetched, unless a nearer fetch is known.
    fn take(&mut self, pc: Address, encoding: &Encoding, slot: u64, need: u64) {
        let mask = mask_of(self.granule, pc, encoding) & need;
        let is_nearer = |known: &Fetch| self.way.rank(slot) > self.way.rank(known.slot);
        for (place, fetch) in (0..)
            .zip(self.fetches.iter_mut())
            .filter(|(place, _)| mask >> place & 1 != 0)
        {
            let offset = ((self.granule << GRANULE_BITS) + place).wrapping_sub(pc.0);
            let byte = usize::try_from(offset)
                .ok()
                .and_then(|offset| encoding.bytes().get(offset))
                .copied();
            if fetch.as_ref().is_none_or(is_nearer) {
                *fetch = byte.map(|byte| Fetch { slot, byte });
            }
        }
    }
}

fn last_byte(pc: Address, encoding: &Encoding) -> u64 {
    pc.0.saturating_add(encoding.bytes().len() as u64 - 1)
}

/// Returns the bytes of a block that an instruction covers.
pub(crate) fn mask_of(granule: u64, pc: Address, encoding: &Encoding) -> u64 {
    let (first, last) = (granule << GRANULE_BITS, last_byte(pc, encoding));
    let is_here = last >= first && pc.0 >> GRANULE_BITS <= granule;
    if is_here {
        bytes_between(granule, pc.0, last)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_parsers::{Position, Tarmac, TarmacOptions};

    use crate::answers::error::Cancel;
    use crate::answers::program::Program;
    use crate::answers::value::ValueSource;
    use crate::builder::build_index::BuildOptions;
    use crate::builder::build_index::index_in_memory;
    use crate::builder::semihosting::pass::with_images;
    use crate::index::Index;
    use crate::query::memory::{MemoryAt, NextAccessedBlock};
    use crate::query::question::Query as _;

    use super::*;

    /// Checks each byte from an address on at each position: the value, and `r` (recorded) or `i`
    /// (inferred).
    #[track_caller]
    fn check(index: &Index, address: u64, len_bytes: u64, expected: &[&str]) {
        let text = |position| {
            let question = MemoryAt {
                position: Position(position),
                address: Address(address),
                len_bytes,
            };
            let bytes = question
                .run(index, &Cancel::default())
                .unwrap()
                .into_iter()
                .map(|state| {
                    let letter = match state.source {
                        ValueSource::Recorded => 'r',
                        ValueSource::Inferred => 'i',
                        ValueSource::External => 'x',
                        ValueSource::Unknown => '?',
                    };
                    state
                        .value
                        .map_or("??".to_owned(), |value| format!("{value:02x}{letter}"))
                });
            bytes.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            (0..=index.step_count()).map(text).collect::<Vec<_>>(),
            expected
        );
    }

    fn index_of(text: &str, options: TarmacOptions, program: Program) -> Index {
        let tarmac = Tarmac::open(Box::new(text.as_bytes().to_vec()), options).unwrap();
        let options = BuildOptions {
            segment_bytes: 100,
            threads: 1,
        };
        with_images(
            index_in_memory(Arc::new(tarmac), &options).unwrap(),
            program,
            &Cancel::default(),
        )
    }

    fn plain(text: &str) -> Index {
        index_of(text, TarmacOptions::default(), Program::default())
    }

    #[test]
    fn executed_bytes_are_known_before_and_after_they_are_executed() {
        let index = plain(
            "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n2 clk IT (2) 00001004 d65f03c0 O EL1h_n : RET\n",
        );
        check(&index, 0x1003, 6, &["d5i c0i 03i 5fi d6i ??"; 3]);
        let next = NextAccessedBlock { from: Address(0) }
            .run(&index, &Cancel::default())
            .unwrap();
        assert_eq!(next, Some(Address(0x1000)));
        let next = NextAccessedBlock {
            from: Address(0x1040),
        }
        .run(&index, &Cancel::default())
        .unwrap();
        assert_eq!(next, None);
    }

    #[test]
    fn the_later_of_a_store_and_a_fetch_tells_what_memory_holds() {
        // A store of a byte over an instruction, which is executed before and after, then a change
        // by something that the trace does not show.
        let index = plain(
            "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n\
             2 clk IT (2) 00002000 39000001 O EL1h_n : STRB w1,[x0]\n\
             2 clk MW1 00001000 3f\n\
             3 clk IT (3) 00001000 d503203f O EL1h_n : YIELD\n\
             4 clk IT (4) 00001000 d503205f O EL1h_n : WFE\n\
             5 clk IT (5) 00002000 39000001 O EL1h_n : STRB w1,[x0]\n\
             5 clk MW1 00001000 9f\n",
        );
        let bytes = ["1fi", "1fi", "3fr", "3fr", "5fi", "9fr"];
        check(&index, 0x1000, 1, &bytes);
    }

    #[test]
    fn an_instruction_that_stores_over_itself_was_fetched_before() {
        let index = plain(
            "1 clk IT (1) 00001000 39000001 O EL1h_n : STRB w1,[x0]\n1 clk MW1 00001000 77\n",
        );
        check(&index, 0x1000, 2, &["01i 00i", "77r 00i"]);
    }

    #[test]
    fn thumb_instructions_lie_in_memory_halfword_by_halfword() {
        // DDI 0487, F1.3: the first halfword of a T32 instruction is at the lower address.
        let text = "1 clk IT (1) 00001000 f000b800 T svc : B.W 0x1004\n2 clk IT (2) 00001004 4770 T svc : BX lr\n";
        check(&plain(text), 0x1000, 7, &["00i f0i 00i b8i 70i 47i ??"; 3]);
        // With BE8, code stays little-endian (DDI 0487, E2.7); without, as the image says, it has
        // the order of data.
        let big = TarmacOptions {
            endian: stepback_machine::Endian::Big,
            ..Default::default()
        };
        check(
            &index_of(text, big, Program::default()),
            0x1000,
            6,
            &["00i f0i 00i b8i 70i 47i"; 3],
        );
        let mut program = Program::default();
        program.set_code_endian(stepback_machine::Endian::Big);
        check(
            &index_of(text, big, program),
            0x1000,
            6,
            &["f0i 00i b8i 00i 47i 70i"; 3],
        );
    }

    #[test]
    fn of_a_page_where_something_else_was_executed_nothing_is_taken_from_the_program() {
        let text = "1 clk IT (1) 00001004 d65f03c0 O EL1h_n : RET\n";
        let loaded = |bytes: &[u8]| {
            let mut program = Program::default();
            program.load_constant(Address(0x1000), bytes.into(), 0x2000);
            index_of(text, TarmacOptions::default(), program)
        };
        let ret = [1, 2, 3, 4, 0xc0, 3, 0x5f, 0xd6, 9];
        check(&loaded(&ret), 0x1003, 6, &["04i c0i 03i 5fi d6i 09i"; 2]);
        let nop = [1, 2, 3, 4, 0x1f, 0x20, 3, 0xd5, 9];
        check(&loaded(&nop), 0x1003, 6, &["?? c0i 03i 5fi d6i ??"; 2]);
        check(&loaded(&nop), 0x1fff, 2, &["?? 00i"; 2]);
        assert_eq!(loaded(&nop).program().byte(Address(0x1fff)), None);
    }

    #[test]
    fn a_program_that_changed_its_code_does_not_contradict_what_was_loaded() {
        let text = "1 clk IT (1) 00002000 b9000001 O EL1h_n : STR w1,[x0]\n\
                    1 clk MW4 00001004 d65f03c0\n\
                    2 clk IT (2) 00001004 d65f03c0 O EL1h_n : RET\n";
        let mut program = Program::default();
        program.load(
            Address(0x1000),
            [1, 2, 3, 4, 0x1f, 0x20, 3, 0xd5, 9].into(),
            9,
        );
        let index = index_of(text, TarmacOptions::default(), program);
        let executed = "04i c0r 03r 5fr d6r 09i";
        check(
            &index,
            0x1003,
            6,
            &["04i 1fi 20i 03i d5i 09i", executed, executed],
        );
    }
}
