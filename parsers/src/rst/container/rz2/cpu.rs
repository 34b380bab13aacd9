//! Decoder state of a processor ([`Rz2CpuState`]), which mirrors that of the packer: a cache of
//! address differences with least-recently-used replacement ([`DifferenceCache`]), and a
//! set-associative history of instruction sequences ([`InstructionHistory`]).

use crate::rst::container::paged::{PagedTable, TableBudget};
use crate::rst::fields::{cpu, pavadiff, preg, regval, tlb, trap, trap_exit};
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};

/// Decoder state of a processor, initially all 0.
#[derive(Debug)]
pub struct Rz2CpuState {
    /// Number of the processor.
    pub number: u8,
    pub history: InstructionHistory,
    pub differences: DifferenceCache,
    /// Register values, indexed by their remainders modulo [`VALUES`].
    pub values: PagedTable<u64, 512>,
    /// True if addresses have 32 bits.
    pub masks_addresses: bool,
    /// Word of the last instruction.
    pub word: u32,
    /// Checksum over the data since the last checksum in the file.
    pub sum: u64,
    /// Number of chunks since then.
    pub chunks: u32,
}

/// Divisor for the remainders of values.
pub const VALUES: u64 = 65535;
/// PSTATE.AM: the processor's addresses have 32 bits.
const ADDRESS_MASK: u64 = 8;

impl Rz2CpuState {
    pub fn new(number: u8) -> Self {
        Self {
            number,
            history: InstructionHistory::new(),
            differences: DifferenceCache::default(),
            values: PagedTable::new(VALUES as usize + 1),
            masks_addresses: false,
            word: 0,
            sum: 0,
            chunks: 0,
        }
    }

    /// Inserts the processor number, which no stream stores, into a record. Updates the state from
    /// the record.
    pub fn adopt(&mut self, record: &mut [u8; RECORD_BYTES]) {
        let raw = RawRecord::new(record, RecordEncoding::default());
        let field = match raw.kind() {
            kind::TLB => tlb::CPU.low,
            kind::TRAP => trap::CPU.low,
            kind::TRAP_EXIT => trap_exit::CPU.low,
            kind::REGISTERS => regval::CPU.low,
            kind::CPU => cpu::CPU_NUMBER,
            kind::PREG => {
                self.masks_addresses = raw.get(preg::PSTATE) & ADDRESS_MASK != 0;
                preg::CPU.low
            }
            kind::DIFFERENCE => pavadiff::CPU.low,
            _ => return,
        };
        *record = raw.with(field, u64::from(self.number)).bytes();
    }
}

const SLOTS: usize = 8;
/// Age of the most recently used slot.
const NEWEST_DIFFERENCE: u8 = 7;

/// The last eight PAVADIFF records, with least-recently-used replacement.
#[derive(Debug, Default)]
pub struct DifferenceCache {
    slots: [DifferenceSlot; SLOTS],
}

#[derive(Clone, Copy, Debug, Default)]
struct DifferenceSlot {
    age: u8,
    record: [u8; RECORD_BYTES],
}

impl DifferenceCache {
    /// Returns the record in a slot and makes it the newest. Returns none if there is no such slot.
    pub fn get(&mut self, slot: usize) -> Option<[u8; RECORD_BYTES]> {
        let age = self.slots.get(slot)?.age;
        self.slots
            .iter_mut()
            .filter(|slot| slot.age > age)
            .for_each(|slot| slot.age -= 1);
        let used = self.slots.get_mut(slot)?;
        used.age = NEWEST_DIFFERENCE;
        Some(used.record)
    }

    /// Stores a record in place of the oldest.
    pub fn store(&mut self, record: [u8; RECORD_BYTES]) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.age == 0) {
            *slot = DifferenceSlot {
                age: NEWEST_DIFFERENCE + 1,
                record,
            };
        }
        self.slots
            .iter_mut()
            .filter(|slot| slot.age > 0)
            .for_each(|slot| slot.age -= 1);
    }
}

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
