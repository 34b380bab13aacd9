//! History of instruction sequences: a set-associative cache.

use crate::rst::container::paged::{PagedTable, TableBudget};

const SETS: usize = 3391;
const WAYS: usize = 4;
/// Age of the most recently used way.
const NEWEST: u8 = 3;
/// The room for effective addresses grows in multiples of this.
const ROOM: usize = 512 / 8;

/// A sequence of instructions in the history.
#[derive(Clone, Debug, Default)]
pub struct HistoryWay {
    age: u8,
    pc: u64,
    words: Vec<u32>,
    /// Effective addresses. Elements that are not overwritten keep the values of an earlier
    /// sequence.
    eas: Vec<u64>,
}

/// The instruction sequences of a processor.
#[derive(Debug)]
pub struct InstructionHistory(PagedTable<[HistoryWay; WAYS], 16>);

impl InstructionHistory {
    pub fn new() -> Self {
        Self(PagedTable::new(SETS))
    }

    fn set(&mut self, pc: u64, budget: &mut TableBudget) -> Option<&mut [HistoryWay; WAYS]> {
        self.0
            .place(((pc >> 2).wrapping_mul(47) % SETS as u64) as usize, budget)
    }

    /// Finds the first sequence that begins at an address and is long enough, and makes it the
    /// newest.
    pub fn find(
        &mut self,
        pc: u64,
        length: usize,
        budget: &mut TableBudget,
    ) -> Option<&mut HistoryWay> {
        let set = self.set(pc, budget)?;
        let found = set
            .iter()
            .position(|way| way.pc == pc && way.words.len() >= length)?;
        let age = set.get(found)?.age;
        set.iter_mut()
            .filter(|way| way.age > age)
            .for_each(|way| way.age -= 1);
        let way = set.get_mut(found)?;
        way.age = NEWEST;
        Some(way)
    }

    /// Stores a sequence in place of the oldest. Returns none if the memory is exceeded.
    pub fn store(
        &mut self,
        pc: u64,
        words: &[u32],
        eas: &[u64],
        budget: &mut TableBudget,
    ) -> Option<()> {
        let bytes = 4 * words.len() + 8 * words.len().next_multiple_of(ROOM);
        let set = self.set(pc, budget)?;
        let oldest = set.iter().position(|way| way.age == 0)?;
        if let Some(way) = set.get_mut(oldest) {
            // Memory that a sequence frees is not returned to the budget.
            if words.len() > way.words.capacity() && !budget.take(bytes) {
                return None;
            }
            way.age = NEWEST + 1;
            way.pc = pc;
            way.words.clear();
            way.words.extend_from_slice(words);
            way.give_room(words.len());
            way.keep(eas);
        }
        set.iter_mut()
            .filter(|way| way.age > 0)
            .for_each(|way| way.age -= 1);
        Some(())
    }
}

impl HistoryWay {
    /// Returns the instruction words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the effective addresses.
    pub fn eas(&self) -> &[u64] {
        &self.eas
    }

    /// Overwrites the first effective addresses.
    pub fn keep(&mut self, eas: &[u64]) {
        for (place, ea) in self.eas.iter_mut().zip(eas) {
            *place = *ea;
        }
    }

    /// Grows the room for effective addresses. New room is all zero.
    fn give_room(&mut self, instructions: usize) {
        let room = (instructions / ROOM + 1) * ROOM;
        if room > self.eas.len() {
            self.eas = vec![0; room];
        }
    }
}
