//! Cache of address differences.

use crate::rst::raw_record::RECORD_BYTES;

const SLOTS: usize = 8;
/// Age of the most recently used slot.
const NEWEST: u8 = 7;

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
        used.age = NEWEST;
        Some(used.record)
    }

    /// Stores a record in place of the oldest.
    pub fn store(&mut self, record: [u8; RECORD_BYTES]) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.age == 0) {
            *slot = DifferenceSlot {
                age: NEWEST + 1,
                record,
            };
        }
        self.slots
            .iter_mut()
            .filter(|slot| slot.age > 0)
            .for_each(|slot| slot.age -= 1);
    }
}
