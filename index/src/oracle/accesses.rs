//! All accesses of a memory range, and the page heat map.

use std::collections::{BTreeMap, BTreeSet};

use stepback_machine::{AccessKind, Address};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::hit::Hit;
use crate::oracle::event::OracleEventKind;
use crate::oracle::passed_over::behind_known;
use crate::oracle::record::{Oracle, Replay};
use crate::query::accesses::AccessesOf;
use crate::query::page_heat::{HeatMap, HotPage, PageHeat};

impl Replay for AccessesOf {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<Hit>> {
        oracle.check(self.from)?;
        let (start, length) = (self.range.address.0, self.range.len_bytes);
        let events = oracle
            .events_after(self.from)
            .iter()
            .filter(|event| match &event.kind {
                OracleEventKind::Access(access) => {
                    let is_wanted = match self.kinds {
                        AccessKinds::Reads => access.is_read(),
                        AccessKinds::Writes => !access.is_read(),
                        AccessKinds::All => true,
                    };
                    let is_inside =
                        |byte: u64| byte.checked_sub(start).is_some_and(|place| place < length);
                    is_wanted && access.each_byte().any(|(byte, _)| is_inside(byte))
                }
                _ => false,
            });
        let own = events.filter(|event| self.thread.is_none_or(|thread| thread == event.thread));
        let hits = own.filter_map(|event| oracle.hit_of(event));
        Some(
            behind_known(hits, self.skip, |hit| hit.position)
                .take(self.limit)
                .collect(),
        )
    }
}

impl Replay for PageHeat {
    /// Suitable for traces of few pages.
    fn replay(&self, oracle: &Oracle) -> Option<HeatMap> {
        oracle.check(self.from.max(self.to))?;
        let (buckets, mut pages) = (self.buckets.max(1), BTreeMap::new());
        let steps = self.to.0.saturating_sub(self.from.0).max(1);
        let is_between = |slot: u64| slot <= self.to.0 && (slot > self.from.0 || self.from.0 == 0);
        for event in oracle.events.iter().filter(|event| is_between(event.slot)) {
            let OracleEventKind::Access(access) = &event.kind else {
                continue;
            };
            let part = event.slot.saturating_sub(self.from.0 + 1) * buckets as u64 / steps;
            let touched: BTreeSet<u64> = access.each_byte().map(|(byte, _)| byte / 4096).collect();
            for page in touched {
                let page = pages
                    .entry(page)
                    .or_insert_with(|| [vec![0; buckets], vec![0; buckets]]);
                page[usize::from(access.kind == AccessKind::Write)][part as usize] += 1;
            }
        }
        let hot_page = |(page, [reads, writes]): (u64, [Vec<u32>; 2])| HotPage {
            first: Address(page * 4096),
            reads,
            writes,
        };
        Some(HeatMap {
            page_bytes: 4096,
            pages: pages.into_iter().map(hot_page).collect(),
        })
    }
}
