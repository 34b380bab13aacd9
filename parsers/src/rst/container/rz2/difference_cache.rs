//! The last differences of addresses.

use crate::rst::raw_record::RECORD_BYTES;

const SLOTS: usize = 8;
/// The age of what was just used.
const NEWEST: u8 = 7;

/// The last eight records of differences, by when they were used.
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
    /// A record that was used before; none beyond the slots.
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

    /// Remembers a record in the place of the oldest.
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
