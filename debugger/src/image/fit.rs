//! Comparison of images with the instructions that a trace recorded.

use stepback_index::ExecutedCode;
use stepback_machine::{Address, Encoding};
use stepback_parsers::{ProgramFit, Step};

use super::extents::{AddressExtent, Extents};
use super::fit_cause::{MismatchCause, cause_of};
use super::images::{Images, PlacedSegment};
use super::memory_view::LinkerView;
use super::spec::ImageSpec;

/// Match of an image with the instructions that the trace recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageFit {
    /// Number of executed addresses whose bytes the image has.
    pub checked: u64,
    /// Number of these addresses at which the trace executed something else.
    pub contradicted: u64,
    /// First step that executed something else.
    pub first: Option<ImageMismatch>,
    /// Likely reason; none if everything matches.
    pub cause: Option<MismatchCause>,
}

/// An image after the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedImage {
    /// Path and load offset.
    pub spec: ImageSpec,
    /// Match with the trace.
    pub fit: ImageFit,
    /// View of the image that memory has when the trace begins.
    pub view: LinkerView,
    /// False if it is excluded, since the user did not name it and it does not fit.
    pub is_used: bool,
}

/// An instruction that differs between the trace and an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageMismatch {
    /// First step that executed it.
    pub step: Step,
    pub pc: Address,
    /// Executed bytes, in memory order.
    pub executed: Encoding,
    /// Bytes of the image at the address.
    pub in_image: Encoding,
}

impl ImageFit {
    /// Returns true if the image is of another program or build, or was loaded elsewhere. A few
    /// changed instructions are not enough: programs are patched, and debuggers set breakpoints.
    pub fn is_of_another_program(&self) -> bool {
        match self.cause {
            None | Some(MismatchCause::FewChanges) => false,
            Some(
                MismatchCause::OtherBase(_)
                | MismatchCause::OtherBuild
                | MismatchCause::OtherProgram,
            ) => true,
        }
    }

    /// Returns the counts for a judgement.
    pub(super) fn counts(&self) -> ProgramFit {
        let same = self.checked.saturating_sub(self.contradicted);
        ProgramFit {
            same,
            other: self.contradicted,
            nowhere: 0,
        }
    }
}

/// Compares all images with the instructions of a trace. The results are in the order of the
/// images. `contradictions` are the instructions whose bytes nothing in the trace had written
/// before, by address.
///
/// Cost: one comparison per instruction. The reason of a misfit needs a search through the image.
pub fn fits_of(
    images: &Images,
    codes: &[ExecutedCode],
    contradictions: &[ExecutedCode],
) -> Vec<ImageFit> {
    let mut fits = vec![ImageFit::default(); images.infos().len()];
    let comparison = ImageComparison::new(images);
    for of_address in codes.chunk_by(|one, next| one.pc == next.pc) {
        let Some(code) = of_address.first() else {
            continue;
        };
        let Some(owner) = comparison.owner(code) else {
            continue;
        };
        let is_told = contradictions
            .binary_search_by_key(&code.pc, |other| other.pc)
            .is_ok();
        for holder in comparison.holders(code, owner) {
            let Some(fit) = fits.get_mut(holder.image) else {
                continue;
            };
            fit.checked += 1;
            let may_fit = holder.image == owner.image && !is_told;
            if may_fit
                || of_address
                    .iter()
                    .any(|code| comparison.fits(code, holder.image))
            {
                continue;
            }
            fit.contradicted += 1;
            if fit
                .first
                .as_ref()
                .is_none_or(|first| code.first < first.step)
            {
                fit.first = comparison.misfit(code, holder);
            }
        }
    }
    let is_any_checked = fits.iter().any(|fit| fit.checked > 0);
    for (image, fit) in fits.iter_mut().enumerate() {
        let is_elsewhere = fit.checked == 0 && !is_any_checked && !codes.is_empty();
        if fit.contradicted > 0 || is_elsewhere && !images.is_module(image) {
            fit.cause = cause_of(images, image, fit, codes);
        }
    }
    fits
}

/// The bytes of all images by address.
struct ImageComparison<'a> {
    images: &'a Images,
    by_address: Extents,
    /// Several images have bytes at the same address.
    is_shared: bool,
}

impl<'a> ImageComparison<'a> {
    fn new(images: &'a Images) -> Self {
        // Later images are loaded over earlier ones. Zeros that are not in a file are not compared.
        let extent = |(owner, placed): (usize, &PlacedSegment)| {
            let (first, last) = (placed.segment.address.0, placed.segment.last_in_file()?);
            Some(AddressExtent {
                first,
                last,
                rank: owner,
                owner,
            })
        };
        let by_address = Extents::new(
            images
                .segments()
                .iter()
                .enumerate()
                .filter_map(extent)
                .collect(),
        );
        Self {
            images,
            by_address,
            is_shared: images.overlap(),
        }
    }

    /// Returns the segment that owns an instruction, and those of other images that have bytes at
    /// its address.
    fn holders(&self, code: &ExecutedCode, owner: &'a PlacedSegment) -> Vec<&'a PlacedSegment> {
        let mut holders = vec![owner];
        let others = self.images.segments().iter().filter(|_| self.is_shared);
        for placed in others.filter(|placed| self.images.bytes_in(placed, code).is_some()) {
            if holders.iter().all(|known| known.image != placed.image) {
                holders.push(placed);
            }
        }
        holders
    }

    /// Returns the segment that owns an instruction.
    fn owner(&self, code: &ExecutedCode) -> Option<&'a PlacedSegment> {
        let owner = self
            .images
            .segments()
            .get(self.by_address.owner_of(code.pc.0)?)?;
        self.images.bytes_in(owner, code).map(|_| owner)
    }

    /// Returns true if any segment of an image has the executed bytes: overlays share their
    /// addresses.
    fn fits(&self, code: &ExecutedCode, image: usize) -> bool {
        let segments = self
            .images
            .segments()
            .iter()
            .filter(|placed| placed.image == image);
        let executed = self.images.in_memory(code);
        segments
            .filter_map(|placed| self.images.bytes_in(placed, code))
            .any(|bytes| bytes == executed.bytes())
    }

    fn misfit(&self, code: &ExecutedCode, owner: &PlacedSegment) -> Option<ImageMismatch> {
        let in_image = Encoding::new(self.images.bytes_in(owner, code)?)?;
        Some(ImageMismatch {
            step: code.first,
            pc: code.pc,
            executed: self.images.in_memory(code),
            in_image,
        })
    }
}
