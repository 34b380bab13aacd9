//! Replays of queries for markers, and for physical addresses and memory. Each scans all markers
//! from the start, without any table of pages.

use std::collections::BTreeMap;

use stepback_machine::Address;
use stepback_parsers::{Marker, MarkerKind, Position};

use crate::answers::cell::ThreadId;
use crate::answers::index_info::{MarkerHit, Translation};
use crate::answers::value::{ByteState, ValueSource};
use crate::oracle::event::{OracleEvent, OracleEventKind};
use crate::oracle::record::{Oracle, Replay};
use crate::query::markers::{FindMarkers, LastMarkers, NextMarker};
use crate::query::physical_memory::PhysicalMemoryAt;
use crate::query::translations::TranslationsAt;

impl Replay for FindMarkers {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<MarkerHit>> {
        oracle.check(self.from)?;
        let in_range = |hit: &MarkerHit| (self.from..=self.to).contains(&hit.position);
        let mut hits = Vec::<MarkerHit>::new();
        for hit in oracle.markers(&self.kinds, self.thread).filter(in_range) {
            if hits.len() >= self.limit
                && hits.last().is_none_or(|last| last.position != hit.position)
            {
                break;
            }
            hits.push(hit);
        }
        Some(hits)
    }
}

impl Replay for NextMarker {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Position>> {
        oracle.check(self.from)?;
        Some(
            oracle
                .markers(&self.kinds, None)
                .map(|hit| hit.position)
                .filter(|position| *position >= self.from)
                .min(),
        )
    }
}

impl Replay for LastMarkers {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<MarkerHit>> {
        oracle.check(self.at)?;
        let hits: Vec<_> = oracle
            .markers(&self.kinds, self.thread)
            .filter(|hit| hit.position <= self.at)
            .collect();
        let last = hits.last().map(|hit| hit.position);
        Some(
            hits.into_iter()
                .filter(|hit| Some(hit.position) == last)
                .collect(),
        )
    }
}

impl Oracle {
    fn markers<'a>(
        &'a self,
        kinds: &'a [MarkerKind],
        thread: Option<ThreadId>,
    ) -> impl Iterator<Item = MarkerHit> + 'a {
        let of_thread =
            move |event: &&OracleEvent| thread.is_none_or(|thread| event.thread == thread);
        self.events
            .iter()
            .filter(of_thread)
            .filter_map(|event| match event.kind {
                OracleEventKind::Marker(marker)
                    if kinds.is_empty() || kinds.contains(&marker.kind) =>
                {
                    Some(MarkerHit {
                        position: Position(event.slot),
                        step: event.owner,
                        thread: event.thread,
                        marker,
                    })
                }
                _ => None,
            })
    }
}

impl Replay for TranslationsAt {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Translation>> {
        oracle.check(self.position)?;
        let mut page_bytes = None;
        let mut stated = Vec::new();
        for event in oracle
            .events
            .iter()
            .filter(|event| event.slot <= self.position.0)
        {
            let OracleEventKind::Marker(marker) = event.kind else {
                continue;
            };
            if marker.kind == MarkerKind::PAGE_SIZE {
                page_bytes = Some(marker.value);
            } else if event.thread == self.thread {
                stated.push((event.slot, marker));
            }
        }
        let Some(page_bytes) = page_bytes.filter(|bytes| bytes.is_power_of_two()) else {
            return Some(Vec::new());
        };
        let page = self.address.0 / page_bytes;
        let mut known = BTreeMap::new();
        let (mut physical, mut context) = (None, None);
        for (number, (slot, marker)) in stated.into_iter().enumerate() {
            match marker.kind {
                MarkerKind::PHYSICAL_ADDRESS => {
                    (physical, context) = (Some(marker.value / page_bytes), None)
                }
                MarkerKind::ADDRESS_CONTEXT => context = Some(marker.value),
                MarkerKind::VIRTUAL_ADDRESS if marker.value / page_bytes == page => {
                    physical.map(|physical| known.insert(context, (number, slot, physical)));
                }
                MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE if marker.value / page_bytes == page => {
                    known.clear()
                }
                MarkerKind::TRANSLATIONS_FORGOTTEN => known.clear(),
                _ => {}
            }
        }
        let mut known: Vec<_> = known.into_iter().collect();
        known.sort_by_key(|(_, (number, ..))| std::cmp::Reverse(*number));
        let translation =
            |(context, (_, slot, physical)): (Option<u64>, (usize, u64, u64))| Translation {
                context,
                physical: Address(physical * page_bytes + self.address.0 % page_bytes),
                page: Address(page * page_bytes),
                page_bytes,
                stated_at: Position(slot),
            };
        Some(known.into_iter().map(translation).collect())
    }
}

impl Oracle {
    /// Calls `each` for each byte of each access to a known physical address, with that address and
    /// the value.
    pub(super) fn each_physical_byte<'e>(
        &'e self,
        mut each: impl FnMut(&'e OracleEvent, u64, Option<u8>),
    ) {
        let mut page_bytes = None;
        let mut pages: BTreeMap<(ThreadId, u64), u64> = BTreeMap::new();
        let mut physical: BTreeMap<ThreadId, u64> = BTreeMap::new();
        for event in &self.events {
            let thread = event.thread;
            match (&event.kind, page_bytes) {
                (OracleEventKind::Marker(marker), None) => {
                    page_bytes =
                        Some(marker.value).filter(|_| marker.kind == MarkerKind::PAGE_SIZE);
                }
                (OracleEventKind::Marker(Marker { kind, value }), Some(size)) => match *kind {
                    MarkerKind::PHYSICAL_ADDRESS => {
                        physical.insert(thread, value / size * size);
                    }
                    MarkerKind::VIRTUAL_ADDRESS => {
                        physical
                            .remove(&thread)
                            .map(|physical| pages.insert((thread, value / size), physical));
                    }
                    MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE => {
                        pages.remove(&(thread, value / size));
                    }
                    MarkerKind::TRANSLATIONS_FORGOTTEN => pages.retain(|(of, _), _| *of != thread),
                    _ => {}
                },
                (OracleEventKind::Access(access), Some(size)) => {
                    for (address, value) in access.each_byte() {
                        if let Some(page) = pages.get(&(thread, address / size)) {
                            each(event, page + address % size, value);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns the value of each byte from its last access, if that records one and nothing can have
/// changed it since. Does not cover inferred values and program images.
impl Replay for PhysicalMemoryAt {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<ByteState>> {
        oracle.check(self.position)?;
        let mut bytes = vec![ByteState::default(); usize::try_from(self.len_bytes).ok()?];
        oracle.each_physical_byte(|event, physical, value| {
            let place = physical
                .checked_sub(self.address.0)
                .and_then(|place| usize::try_from(place).ok());
            let Some(byte) = place.and_then(|place| bytes.get_mut(place)) else {
                return;
            };
            let is_read =
                matches!(&event.kind, OracleEventKind::Access(access) if access.is_read());
            if event.slot <= self.position.0 && (value.is_some() || !is_read) {
                let (source, seen_at) = match value {
                    Some(_) => (ValueSource::Recorded, Some(Position(event.slot))),
                    None => (ValueSource::Unknown, None),
                };
                *byte = ByteState {
                    value,
                    source,
                    seen_at,
                };
            }
        });
        Some(bytes)
    }
}
