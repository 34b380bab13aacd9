//! Hash table of the most frequent register names, which avoids comparing letter by letter.

use std::sync::OnceLock;

use stepback_machine::InstructionSet;

use crate::tarmac::register_name::KnownRegister;

/// Known registers with names of at most eight letters, by name, for one instruction set.
#[derive(Debug)]
pub(super) struct RegisterTable {
    /// Slots with open addressing; a key of 0 marks an empty slot.
    places: Vec<RegisterTableSlot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct RegisterTableSlot {
    /// Lower-case name, first letter lowest, padded with zeros.
    key: u64,
    register: KnownRegister,
}

const BITS: u32 = 11;

/// Tables by the number of the instruction set.
static TABLES: [OnceLock<RegisterTable>; InstructionSet::ALL.len()] =
    [const { OnceLock::new() }; InstructionSet::ALL.len()];

impl RegisterTable {
    /// Returns the table of an instruction set.
    #[inline(always)]
    pub fn of(set: InstructionSet) -> &'static Self {
        TABLES[usize::from(set.number())].get_or_init(|| Self::new(set))
    }

    fn new(set: InstructionSet) -> Self {
        let mut table = Self {
            places: vec![RegisterTableSlot::default(); 1 << BITS],
        };
        let numbered = ["x", "w", "r", "e", "v", "q", "d", "s"];
        let numbered = numbered
            .iter()
            .flat_map(|prefix| (0..32).map(move |number| format!("{prefix}{number}")));
        let fixed = [
            "sp", "xsp", "wsp", "lr", "psr", "cpsr", "fpscr", "fpcr", "fpsr", "vpr", "xpsr", "msp",
            "psp", "msp_s", "psp_s", "msp_ns", "psp_ns", "r13_main", "fp",
        ];
        let fixed = fixed.iter().map(ToString::to_string);
        let levels = (0..4).map(|level| format!("sp_el{level}"));
        let modes = ["usr", "svc", "irq", "fiq", "abt", "und"];
        let banks = ["sp", "lr", "r13", "r14"]
            .iter()
            .flat_map(|plain| modes.iter().map(move |mode| format!("{plain}_{mode}")));
        for name in numbered.chain(fixed).chain(levels).chain(banks) {
            table.add(&name, set);
        }
        table
    }

    fn add(&mut self, name: &str, set: InstructionSet) {
        let mut letters = [0; 8];
        let room = letters.get_mut(..name.len());
        let (Some(room), Some(register)) = (room, KnownRegister::named(name.as_bytes(), set))
        else {
            return;
        };
        room.copy_from_slice(name.as_bytes());
        let key = u64::from_le_bytes(letters);
        let mut at = hash(key);
        while self.places.get(at).is_some_and(|place| place.key != 0) {
            at = (at + 1) % self.places.len();
        }
        if let Some(place) = self.places.get_mut(at) {
            *place = RegisterTableSlot { key, register };
        }
    }

    /// Returns the register of a lower-case name, first letter lowest.
    #[inline(always)]
    pub fn find(&self, key: u64) -> Option<&KnownRegister> {
        let mut at = hash(key);
        loop {
            let place = self.places.get(at)?;
            if place.key == key {
                return Some(&place.register);
            }
            if place.key == 0 {
                return None;
            }
            at = (at + 1) % (1 << BITS);
        }
    }
}

/// Fibonacci hashing: the high bits of the product with the golden ratio depend on all bits of the
/// key.
#[inline(always)]
fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_the_names_say() {
        for set in [InstructionSet::A64, InstructionSet::A32] {
            let table = RegisterTable::of(set);
            for name in [
                "x0", "w30", "cpsr", "sp_el3", "r13_svc", "s31", "lr", "x31", "nzcv", "q",
                "elr_el1",
            ] {
                let mut letters = [0; 8];
                letters[..name.len()].copy_from_slice(name.as_bytes());
                let known = KnownRegister::named(name.as_bytes(), set);
                assert_eq!(
                    table.find(u64::from_le_bytes(letters)).copied(),
                    known,
                    "{name}"
                );
            }
        }
    }
}
