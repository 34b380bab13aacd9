//! Compares images with the instructions that a trace recorded, and describes a misfit with its
//! likely cause.
//!
//! A search for pieces of the executed code in the image distinguishes another load address,
//! another build and another program.

use std::collections::HashMap;

use memchr::memmem::Finder;
use stepback_index::answer::ExecutedCode;
use stepback_machine::{Address, Encoding};
use stepback_parsers::{ProgramFit, Step};

use crate::image::extents::{AddressExtent, Extents};
use crate::image::images::{Images, PlacedSegment};
use crate::image::memory_view::LinkerView;
use crate::image::spec::ImageSpec;
use crate::messages::say;

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
    /// Memory that holds the image when the trace begins.
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

/// Minimum number of different instructions that show that memory does not hold an image: fewer may
/// be an excerpt of patched code.
const REFUTING: u64 = 16;

impl ImageFit {
    /// Returns true if the image is of another program or build, or was loaded elsewhere. A few
    /// changed instructions are not enough: programs are patched, and debuggers set breakpoints.
    pub fn is_of_another_program(&self) -> bool {
        match self.cause {
            None | Some(MismatchCause::FewChanges) => false,
            Some(
                MismatchCause::OtherBase(_)
                | MismatchCause::OtherBuild
                | MismatchCause::OtherProgram
                | MismatchCause::OtherProcessor,
            ) => true,
        }
    }

    /// Returns true if executed instructions show that memory does not hold the image.
    pub fn is_refuted(&self) -> bool {
        let is_elsewhere = matches!(self.cause, Some(MismatchCause::OtherBase(_)));
        self.is_of_another_program() && (self.contradicted >= REFUTING || is_elsewhere)
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
        let is_stated = contradictions
            .binary_search_by_key(&code.pc, |other| other.pc)
            .is_ok();
        for holder in comparison.holders(code, owner) {
            let Some(fit) = fits.get_mut(holder.image) else {
                continue;
            };
            fit.checked += 1;
            let may_fit = holder.image == owner.image && !is_stated;
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

/// Maximum number of code pieces that are searched.
const PIECES: usize = 64;
/// Minimum length of a piece in bytes: several instructions, so that hardly any is found by chance.
const PIECE_BYTES: usize = 16;
/// Maximum number of places of a piece: a more frequent piece does not determine its origin.
const PLACES: usize = 4;
/// Maximum number of bytes searched in total.
const SEARCHED_BYTES: usize = 1 << 30;
/// The image is of the same program if one in this number of pieces is found anywhere in it.
const KNOWN_SHARE: usize = 4;

/// Likely reason why an image does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MismatchCause {
    /// Only some instructions differ: the program was patched, changed itself, or had breakpoints.
    FewChanges,
    /// It fits if this is added to the addresses of the file.
    OtherBase(u64),
    /// It has pieces of the executed code: it was rebuilt or changed.
    OtherBuild,
    /// It has hardly any of the executed code.
    OtherProgram,
    /// It is for another processor.
    OtherProcessor,
}

/// Returns the likely reason why an image does not fit the executed instructions.
pub fn cause_of(
    images: &Images,
    image: usize,
    fit: &ImageFit,
    codes: &[ExecutedCode],
) -> Option<MismatchCause> {
    if fit.counts().is_recognised() {
        return Some(MismatchCause::FewChanges);
    }
    let info = images.infos().get(image)?;
    let is_for = |code: &ExecutedCode| info.set.is_none_or(|set| set.shares_processor(code.set));
    if !codes.iter().any(is_for) {
        return Some(MismatchCause::OtherProcessor);
    }
    let offset = info.spec.offset;
    let pieces = pieces_of(images, codes);
    let (mut votes, mut found) = (HashMap::<u64, usize>::new(), 0);
    let in_image: usize = images
        .segments_of(image)
        .map(|placed| placed.segment.bytes.len())
        .sum();
    let budget = (SEARCHED_BYTES / in_image.max(1)).max(1);
    let searched = pieces.len().min(budget);
    for (address, piece) in pieces.iter().take(budget) {
        let moves = moves_of(images, image, *address, piece);
        found += usize::from(!moves.is_empty());
        moves
            .iter()
            .for_each(|moved| *votes.entry(*moved).or_default() += 1);
    }
    let best = votes
        .iter()
        .max_by_key(|(moved, count)| (**count, **moved))
        .map(|(moved, _)| *moved);
    if let Some(moved) = best
        .filter(|moved| *moved != 0 && fit_of_moved(images, image, *moved, codes).is_recognised())
    {
        return Some(MismatchCause::OtherBase(offset.wrapping_add(moved)));
    }
    let ProgramFit { same, other, .. } = fit.counts();
    let is_known = found > 0 && found.saturating_mul(KNOWN_SHARE) >= searched
        || other <= same.saturating_mul(3);
    Some(if is_known && fit.checked > 0 {
        MismatchCause::OtherBuild
    } else {
        MismatchCause::OtherProgram
    })
}

/// Returns the offsets that would move an image's copies of a piece to where it was executed.
fn moves_of(images: &Images, image: usize, executed_at: u64, piece: &[u8]) -> Vec<u64> {
    let finder = Finder::new(piece);
    let mut moves = Vec::new();
    for placed in images.segments_of(image) {
        for place in finder.find_iter(&placed.segment.bytes).take(PLACES + 1) {
            let copied_at = placed.segment.address.0.wrapping_add(place as u64);
            moves.push(executed_at.wrapping_sub(copied_at));
        }
    }
    if moves.len() > PLACES {
        Vec::new()
    } else {
        moves
    }
}

/// Compares a moved image with the executed instructions.
fn fit_of_moved(images: &Images, image: usize, moved: u64, codes: &[ExecutedCode]) -> ProgramFit {
    let mut fit = ProgramFit::default();
    for code in codes {
        let there = ExecutedCode {
            pc: Address(code.pc.0.wrapping_sub(moved)),
            ..*code
        };
        let executed = images.in_memory(code);
        let held = || {
            images
                .segments_of(image)
                .filter_map(|placed| images.bytes_in(placed, &there))
        };
        match held().any(|bytes| bytes == executed.bytes()) {
            true => fit.same += 1,
            false if held().next().is_some() => fit.other += 1,
            false => fit.nowhere += 1,
        }
    }
    fit
}

/// Cuts the executed code into pieces of instructions at consecutive addresses. Returns evenly
/// spaced ones, with their addresses.
fn pieces_of(images: &Images, codes: &[ExecutedCode]) -> Vec<(u64, Vec<u8>)> {
    let mut pieces: Vec<(u64, Vec<u8>)> = Vec::new();
    let (mut address, mut bytes) = (0u64, Vec::new());
    for of_address in codes.chunk_by(|one, next| one.pc == next.pc) {
        let Some(code) = of_address.first() else {
            continue;
        };
        if address.wrapping_add(bytes.len() as u64) != code.pc.0 {
            (address, bytes) = (code.pc.0, Vec::new());
        }
        bytes.extend_from_slice(images.in_memory(code).bytes());
        if bytes.len() >= PIECE_BYTES {
            let next = address.wrapping_add(bytes.len() as u64);
            pieces.push((address, std::mem::take(&mut bytes)));
            address = next;
        }
    }
    let stride = pieces.len().div_ceil(PIECES).max(1);
    pieces.into_iter().step_by(stride).collect()
}

impl ImageFit {
    /// Describes the difference between the image and the trace and the likely reason, as a phrase;
    /// none if everything fits.
    pub fn misfit_text(&self) -> Option<String> {
        let cause = match self.cause? {
            MismatchCause::FewChanges => say!("image-cause-changed").to_owned(),
            MismatchCause::OtherBase(offset) => {
                say!("image-cause-base", base = format!("@{offset:#x}"))
            }
            MismatchCause::OtherBuild => say!("image-cause-build").to_owned(),
            MismatchCause::OtherProgram => say!("image-cause-program").to_owned(),
            MismatchCause::OtherProcessor => say!("image-cause-processor").to_owned(),
        };
        if self.checked == 0 {
            return Some(say!("image-misfit-everywhere", cause = cause));
        }
        let (other, all) = (self.contradicted, self.checked);
        Some(match &self.first {
            None => say!("image-misfit", other = other, all = all, cause = cause),
            Some(first) => say!(
                "image-misfit-from",
                other = other,
                all = all,
                pc = first.pc.to_string(),
                step = first.step.0.to_string(),
                executed = bytes_text(&first.executed),
                held = bytes_text(&first.in_image),
                cause = cause
            ),
        })
    }
}

/// Formats bytes as `1f 20 03 d5`.
pub fn bytes_text(encoding: &Encoding) -> String {
    encoding
        .bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<Vec<_>>()
        .join(" ")
}
