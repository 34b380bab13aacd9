//! Physical addresses, by going through all that was told from the start.

use std::collections::BTreeMap;

use stepback_machine::Address;
use stepback_parsers::{MarkerKind, Position};

use crate::answers::translation::Translation;
use crate::oracle::event::EventKind;
use crate::oracle::record::{Oracle, Replay};
use crate::query::translations::TranslationsAt;

impl Replay for TranslationsAt {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Translation>> {
        oracle.check(self.position)?;
        let mut page_bytes = None;
        let mut told = Vec::new();
        for event in oracle.events.iter().filter(|event| event.slot <= self.position.0) {
            let EventKind::Marker(marker) = event.kind else { continue };
            if marker.kind == MarkerKind::PAGE_SIZE {
                page_bytes = Some(marker.value);
            } else if event.thread == self.thread {
                told.push((event.slot, marker));
            }
        }
        let Some(page_bytes) = page_bytes.filter(|bytes| bytes.is_power_of_two()) else { return Some(Vec::new()) };
        let page = self.address.0 / page_bytes;
        let mut known = BTreeMap::new();
        let (mut physical, mut context) = (None, None);
        for (number, (slot, marker)) in told.into_iter().enumerate() {
            match marker.kind {
                MarkerKind::PHYSICAL_ADDRESS => (physical, context) = (Some(marker.value / page_bytes), None),
                MarkerKind::ADDRESS_CONTEXT => context = Some(marker.value),
                MarkerKind::VIRTUAL_ADDRESS if marker.value / page_bytes == page => {
                    physical.map(|physical| known.insert(context, (number, slot, physical)));
                }
                MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE if marker.value / page_bytes == page => known.clear(),
                MarkerKind::TRANSLATIONS_FORGOTTEN => known.clear(),
                _ => {}
            }
        }
        let mut known: Vec<_> = known.into_iter().collect();
        known.sort_by_key(|(_, (number, ..))| std::cmp::Reverse(*number));
        let translation = |(context, (_, slot, physical)): (Option<u64>, (usize, u64, u64))| Translation {
            context,
            physical: Address(physical * page_bytes + self.address.0 % page_bytes),
            page: Address(page * page_bytes),
            page_bytes,
            told_at: Position(slot),
        };
        Some(known.into_iter().map(translation).collect())
    }
}
