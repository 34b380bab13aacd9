//! Addresses at which memory holds an image when the trace begins.

use crate::image::images::Images;
use crate::image::segments::LoadedSegment;
use stepback_machine::Address;

/// Addresses at which memory holds an image when the trace begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LinkerView {
    /// Run addresses: a loader has copied the image there.
    #[default]
    Run,
    /// Load addresses: the program copies its data from there after reset. Until then the
    /// destinations, and memory that it clears, are unknown.
    Load,
}

impl LinkerView {
    /// Returns `run` or `load`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Load => "load",
        }
    }
}

impl Images {
    /// Returns the view of an image in a trace whose threads begin at these addresses.
    ///
    /// A program copies its data after reset if it runs from where it was loaded, some of its
    /// segments do not, and the trace begins at its entry. If every segment is loaded elsewhere, an
    /// MMU maps them. Load addresses that are all 0 were never set.
    pub fn view_of(&self, image: usize, starts: &[Address]) -> LinkerView {
        let entry = self.infos().get(image).and_then(|info| info.entry);
        let is_reset = entry.is_some_and(|entry| starts.contains(&entry));
        let with_bytes = || {
            self.segments_of(image)
                .map(|placed| &placed.segment)
                .filter(|one| !one.bytes.is_empty())
        };
        let is_in_place = |segment: &LoadedSegment| segment.address == segment.load_address;
        let runs_in_place = with_bytes()
            .any(|segment| is_in_place(segment) && entry.is_some_and(|at| segment.has(at)));
        let copies =
            with_bytes().any(|segment| !is_in_place(segment) && segment.load_address.0 != 0);
        if is_reset && runs_in_place && copies {
            LinkerView::Load
        } else {
            LinkerView::Run
        }
    }
}
