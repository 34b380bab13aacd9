//! The slots of a segment's markers, by thread and kind.

use foldhash::HashMap;
use stepback_machine::RegisterView;
use stepback_parsers::MarkerKind;

use crate::store::segment::views::{markers_of, markers_of_all};

/// The markers of a kind of a thread in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkersOfKind {
    /// The segment's number of the thread.
    pub thread: u16,
    /// Their kind.
    pub kind: MarkerKind,
    /// How many there are.
    pub count: u64,
}

/// Collects the slots.
#[derive(Debug, Default)]
pub struct MarkerLists {
    lists: Vec<(MarkersOfKind, Vec<u32>)>,
    places: HashMap<(u16, MarkerKind), usize>,
    /// Those of all threads together, so that a question about no thread in particular does not look at the list of each.
    of_all: Vec<(MarkerKind, Vec<u32>)>,
    /// Where each kind stands among them: a damaged trace has thousands.
    places_of_all: HashMap<MarkerKind, usize>,
    /// The list that was added to last.
    last: usize,
}

impl MarkerLists {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.lists.clear();
        self.places.clear();
        self.of_all.clear();
        self.places_of_all.clear();
    }

    /// Notes a marker; several in a slot stand in the list once.
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

    /// What there is.
    pub fn kinds(&self) -> Vec<MarkersOfKind> {
        self.lists.iter().map(|(of, _)| *of).collect()
    }

    /// The lists as they stand among those of the registers.
    pub fn lists(&self) -> impl Iterator<Item = (u16, RegisterView, &Vec<u32>)> {
        self.lists
            .iter()
            .map(|(of, slots)| (of.thread, markers_of(of.kind), slots))
    }

    /// The same for all threads together.
    pub fn lists_of_all(&self) -> impl Iterator<Item = (u16, RegisterView, &Vec<u32>)> {
        self.of_all
            .iter()
            .map(|(kind, slots)| (0, markers_of_all(*kind), slots))
    }
}
