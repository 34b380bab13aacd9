//! Slots of a segment's markers, by thread and kind.

use foldhash::HashMap;
use stepback_machine::RegisterView;
use stepback_parsers::MarkerKind;

use crate::store::segment::meta::{markers_of, markers_of_all};

/// Markers of one kind and thread in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkersOfKind {
    /// Number of the thread in the segment.
    pub thread: u16,
    /// Kind of the markers.
    pub kind: MarkerKind,
    /// Number of markers.
    pub count: u64,
}

/// Collects the slots of markers.
#[derive(Debug, Default)]
pub struct MarkerLists {
    lists: Vec<(MarkersOfKind, Vec<u32>)>,
    places: HashMap<(u16, MarkerKind), usize>,
    /// Slots of all threads together, so that a query about no particular thread does not read the
    /// list of each.
    of_all: Vec<(MarkerKind, Vec<u32>)>,
    /// Place of each kind in `of_all`: a damaged trace has thousands.
    places_of_all: HashMap<MarkerKind, usize>,
    /// Number of the list that was added to last.
    last: usize,
}

impl MarkerLists {
    /// Forgets all markers.
    pub fn clear(&mut self) {
        self.lists.clear();
        self.places.clear();
        self.of_all.clear();
        self.places_of_all.clear();
    }

    /// Records a marker; several in a slot are listed once.
    pub fn note(&mut self, thread: u16, kind: MarkerKind, slot: u32) {
        let is_of = |(of, _): &(MarkersOfKind, Vec<u32>)| (of.thread, of.kind) == (thread, kind);
        if !self.lists.get(self.last).is_some_and(is_of) {
            self.last = *self.places.entry((thread, kind)).or_insert_with(|| {
                self.lists.push((
                    MarkersOfKind {
                        thread,
                        kind,
                        count: 0,
                    },
                    Vec::new(),
                ));
                self.lists.len() - 1
            });
        }
        let Some((of, slots)) = self.lists.get_mut(self.last) else {
            return;
        };
        of.count += 1;
        if slots.last() != Some(&slot) {
            slots.push(slot);
        }
        let place = *self.places_of_all.entry(kind).or_insert_with(|| {
            self.of_all.push((kind, Vec::new()));
            self.of_all.len() - 1
        });
        if let Some((_, slots)) = self
            .of_all
            .get_mut(place)
            .filter(|(_, slots)| slots.last() != Some(&slot))
        {
            slots.push(slot);
        }
    }

    /// Returns the threads and kinds with their counts.
    pub fn kinds(&self) -> Vec<MarkersOfKind> {
        self.lists.iter().map(|(of, _)| *of).collect()
    }

    /// Iterates over the lists as register views of the segment.
    pub fn lists(&self) -> impl Iterator<Item = (u16, RegisterView, &Vec<u32>)> {
        self.lists
            .iter()
            .map(|(of, slots)| (of.thread, markers_of(of.kind), slots))
    }

    /// Iterates over the lists of all threads together, as register views of the segment.
    pub fn lists_of_all(&self) -> impl Iterator<Item = (u16, RegisterView, &Vec<u32>)> {
        self.of_all
            .iter()
            .map(|(kind, slots)| (0, markers_of_all(*kind), slots))
    }
}
