//! Which addresses of an image hold its content when the trace begins.

use stepback_machine::Address;

use super::images::Images;
use super::segments::LoadedSegment;

/// Which addresses of an image hold its content when the trace begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LinkerView {
    /// Those at which the program uses it: a loader has put it there.
    #[default]
    Run,
    /// Those from which the program copies it after reset. What it copies there, and what it clears, is unknown until then.
    Load,
}

impl LinkerView {
    /// `run`, `load`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Load => "load",
        }
    }
}

impl Images {
    /// The view of an image in a trace whose threads begin at some addresses.
    ///
    /// A program copies its data after reset when it runs from where it was loaded, some of its segments do not,
    /// and the trace begins at its entry. Where every segment is loaded elsewhere, an MMU maps them;
    /// load addresses that are all 0 were never set.
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
