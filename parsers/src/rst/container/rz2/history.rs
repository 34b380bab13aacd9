//! Stretches of instructions that were seen.

use crate::rst::container::paged::{PagedTable, TableBudget};

const SETS: usize = 3391;
const WAYS: usize = 4;
/// The age of what was just used.
const NEWEST: u8 = 3;
/// Addresses of accesses get room by so many.
const ROOM: usize = 512 / 8;

/// A stretch that was seen.
#[derive(Clone, Debug, Default)]
pub struct HistoryWay {
    age: u8,
    pc: u64,
    words: Vec<u32>,
    /// Addresses of accesses; what is not overwritten stays, whatever stretch it is of.
    eas: Vec<u64>,
}

/// The stretches of a processor.
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

    /// The first stretch that begins at an address and is long enough; it is the newest then.
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

    /// Remembers a stretch in the place of the oldest; none when there is no memory for it.
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
            // What a stretch gives back is not counted: a budget is for ever.
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
    /// The instructions.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The addresses of accesses.
    pub fn eas(&self) -> &[u64] {
        &self.eas
    }

    /// Remembers the addresses of the accesses.
    pub fn keep(&mut self, eas: &[u64]) {
        for (place, ea) in self.eas.iter_mut().zip(eas) {
            *place = *ea;
        }
    }

    /// More room is all zero.
    fn give_room(&mut self, instructions: usize) {
        let room = (instructions / ROOM + 1) * ROOM;
        if room > self.eas.len() {
            self.eas = vec![0; room];
        }
    }
}
