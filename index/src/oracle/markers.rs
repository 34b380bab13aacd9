//! Markers.

use stepback_parsers::{MarkerKind, Position};

use crate::answers::markers::MarkerHit;
use crate::answers::thread::ThreadId;
use crate::oracle::event::{OracleEvent, OracleEventKind};
use crate::oracle::record::{Oracle, Replay};
use crate::query::markers::{FindMarkers, LastMarkers, NextMarker};

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
