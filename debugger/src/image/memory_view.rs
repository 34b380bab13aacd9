//! Memory that holds an image when the trace begins.
//!
//! A program that ran before the trace began may have changed everything that it can write. Its
//! variables are known from the file only in a trace that shows the program from its first
//! instruction on.

use std::sync::Arc;

use stepback_index::answer::Program;
use stepback_index::read::{VisitReader, records_accesses};
use stepback_index::{Index, QueryError};
use stepback_machine::{Address, Endian};
use stepback_parsers::Step;

use crate::image::images::{ImageInfo, Images};
use crate::image::segments::LoadedSegment;

/// Memory that holds an image when the trace begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LinkerView {
    /// Run addresses: a loader has copied the image there.
    Run,
    /// Load addresses: the program copies its data from there after reset. Until then the
    /// destinations, and memory that it clears, are unknown.
    Load,
    /// Run addresses, without the memory that the program may have written before the trace began.
    #[default]
    ReadOnly,
}

impl LinkerView {
    /// Returns `run`, `load` or `read-only`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Load => "load",
            Self::ReadOnly => "read-only",
        }
    }
}

/// Images whose programs begin within a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramStarts {
    /// The trace begins with the first program, so nothing ran before.
    All,
    /// Images by number.
    Of(Vec<usize>),
}

impl ProgramStarts {
    /// Finds the images whose programs begin within a trace: the first instruction that it shows of
    /// such an image is its entry point, or its reset handler. A dynamic linker has changed the data
    /// of a program before its entry point, so the trace must show that linker too. None if the
    /// trace does not record what a program writes.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn find(images: &Images, index: &Index) -> Result<Self, QueryError> {
        let mut begun = Vec::new();
        if !records_accesses(index)? {
            return Ok(Self::Of(begun));
        }
        for (image, info) in images.infos().iter().enumerate() {
            for first in images.first_instructions(image, info) {
                let Some(step) = VisitReader(index).first_visit(first)? else {
                    continue;
                };
                match (step, info.has_interpreter) {
                    (Step(0), true) => {}
                    (Step(0), false) => return Ok(Self::All),
                    _ if images.is_executed_before(image, step, index)? => {}
                    _ => begun.push(image),
                }
            }
        }
        Ok(Self::Of(begun))
    }

    fn contains(&self, image: usize) -> bool {
        match self {
            Self::All => true,
            Self::Of(begun) => begun.contains(&image),
        }
    }
}

impl Images {
    /// Returns the addresses at which a program may begin.
    fn first_instructions(&self, image: usize, info: &ImageInfo) -> Vec<Address> {
        let segments = || self.segments_of(image).map(|placed| &placed.segment);
        // A header cannot distinguish an entry point of 0 from none.
        let zero = Address(info.spec.offset);
        let is_zero = || segments().any(|one| one.is_executable && one.address == zero);
        let entry = info.entry.or_else(|| is_zero().then_some(zero));
        let with_bytes = segments().filter(|segment| !segment.bytes.is_empty());
        let lowest = with_bytes.min_by_key(|segment| segment.address);
        let handler = lowest.and_then(|lowest| {
            let [stack, handler] = [0, 4].map(|offset| word_of(&lowest.bytes, offset, info.endian));
            info.set?.reset_handler([stack?, handler?])
        });
        entry.into_iter().chain(handler.map(Address)).collect()
    }

    /// Returns true if the trace executes code of an image before a step.
    fn is_executed_before(
        &self,
        image: usize,
        step: Step,
        index: &Index,
    ) -> Result<bool, QueryError> {
        let segments = self.segments_of(image).map(|placed| &placed.segment);
        for code in segments.filter(|segment| segment.is_executable) {
            let Some(rest) = code.len_bytes.checked_sub(1) else {
                continue;
            };
            let last = Address(code.address.0.saturating_add(rest));
            if VisitReader(index).is_any_visited(code.address, last, step)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the view of an image.
    ///
    /// A program copies its data after reset if it runs from where it was loaded, some of its
    /// segments do not, and the trace shows it from its start. If every segment is loaded elsewhere,
    /// an MMU maps them. Load addresses that are all 0 were never set.
    pub fn view_of(&self, image: usize, starts: &ProgramStarts) -> LinkerView {
        let segments = || self.segments_of(image).map(|placed| &placed.segment);
        if !starts.contains(image) && segments().any(|segment| segment.is_writable) {
            return LinkerView::ReadOnly;
        }
        let entry = self.infos().get(image).and_then(|info| info.entry);
        let with_bytes = || segments().filter(|one| !one.bytes.is_empty());
        let is_in_place = |segment: &LoadedSegment| segment.address == segment.load_address;
        let runs_in_place = with_bytes()
            .any(|segment| is_in_place(segment) && entry.is_some_and(|at| segment.has(at)));
        let copies =
            with_bytes().any(|segment| !is_in_place(segment) && segment.load_address.0 != 0);
        if starts.contains(image) && runs_in_place && copies {
            LinkerView::Load
        } else {
            LinkerView::Run
        }
    }
}

fn word_of(bytes: &[u8], offset: usize, endian: Endian) -> Option<u32> {
    let word = bytes.get(offset..)?.first_chunk()?;
    Some(match endian {
        Endian::Little => u32::from_le_bytes(*word),
        Endian::Big => u32::from_be_bytes(*word),
    })
}

impl LoadedSegment {
    /// Adds the memory that holds the segment when the trace begins.
    pub fn load_into(&self, program: &mut Program, view: LinkerView) {
        let bytes = Arc::clone(&self.bytes);
        match view {
            LinkerView::Load if self.is_writable || self.address != self.load_address => {
                let len_bytes = bytes.len() as u64;
                program.load(self.load_address, bytes, len_bytes);
            }
            LinkerView::ReadOnly if self.is_writable => self.load_constant_parts(program),
            _ if self.is_writable => program.load(self.address, bytes, self.len_bytes),
            _ => program.load_constant(self.address, bytes, self.len_bytes),
        }
    }

    /// Adds the sections that the program does not write. The rest of the segment replaces what
    /// earlier images have there.
    fn load_constant_parts(&self, program: &mut Program) {
        let Some(rest) = self.len_bytes.checked_sub(1) else {
            return;
        };
        let last = self.address.0.saturating_add(rest);
        program.forget(self.address, Address(last));
        for part in &self.constant {
            let place = |address: u64| usize::try_from(address.wrapping_sub(self.address.0));
            let (Ok(start), Ok(end)) = (place(part.start), place(part.end)) else {
                continue;
            };
            let held = self.bytes.get(start..end.min(self.bytes.len()));
            if let Some(held) = held {
                program.load(Address(part.start), held.into(), held.len() as u64);
            }
        }
    }
}
