//! The result of an alignment: ordered regions without gaps ([`Alignment`]).

use std::ops::Range;

/// Relation of two intervals of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegionKind {
    /// The steps have equal addresses, one by one.
    Same,
    /// No step of one interval has a partner in the other. One interval may be empty: the other
    /// side is an insertion.
    Different,
    /// The intervals are too long and too different to be searched for partners.
    NotAligned,
}

/// Two intervals of steps, numbered within their threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Relation of the intervals.
    pub kind: RegionKind,
    /// Steps of the first trace.
    pub a: Range<u64>,
    /// Steps of the second trace.
    pub b: Range<u64>,
}

/// Two steps, one of each trace, numbered within their threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepPair {
    /// Step of the first trace.
    pub a: u64,
    /// Step of the second trace.
    pub b: u64,
}

/// The regions of two threads, in order and without gaps. Neighbours differ in kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    regions: Vec<Region>,
    matched: u64,
}

impl Alignment {
    /// Returns the regions.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Returns the number of matched pairs of steps.
    pub fn matched(&self) -> u64 {
        self.matched
    }

    /// Returns the partner of a step of the first trace.
    pub fn partner(&self, a: u64) -> Option<u64> {
        let place = self.regions.partition_point(|region| region.a.end <= a);
        let region = self.regions.get(place)?;
        (region.kind == RegionKind::Same).then(|| region.b.start + (a - region.a.start))
    }

    /// Returns the partner of a step of the second trace.
    pub fn partner_in_a(&self, b: u64) -> Option<u64> {
        let place = self.regions.partition_point(|region| region.b.end <= b);
        let region = self.regions.get(place)?;
        (region.kind == RegionKind::Same).then(|| region.a.start + (b - region.b.start))
    }

    /// Returns the step of the second trace before which its state corresponds to that before a step
    /// of the first. Inside a region without partners, this is the first step of the region.
    pub fn corresponding(&self, a: u64) -> u64 {
        let place = self.regions.partition_point(|region| region.a.end <= a);
        match self.regions.get(place) {
            Some(region) if region.kind == RegionKind::Same => {
                region.b.start + (a - region.a.start)
            }
            Some(region) => region.b.start,
            None => self.end().b,
        }
    }

    /// Returns the first pair that no region contains.
    pub(crate) fn end(&self) -> StepPair {
        self.regions
            .last()
            .map_or(StepPair::default(), |last| StepPair {
                a: last.a.end,
                b: last.b.end,
            })
    }

    /// Appends matched pairs.
    pub(crate) fn push_same(&mut self, count: u64) {
        let end = self.end();
        self.matched += count;
        let to = StepPair {
            a: end.a + count,
            b: end.b + count,
        };
        self.push(RegionKind::Same, to);
    }

    /// Appends the steps up to a pair as a region of a kind, unless there are none.
    pub(crate) fn push(&mut self, kind: RegionKind, to: StepPair) {
        let from = self.end();
        if from == to {
            return;
        }
        match self.regions.last_mut() {
            Some(last) if last.kind == kind => {
                last.a.end = to.a;
                last.b.end = to.b;
            }
            _ => self.regions.push(Region {
                kind,
                a: from.a..to.a,
                b: from.b..to.b,
            }),
        }
    }
}
