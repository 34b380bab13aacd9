//! Diagnosis of images that do not fit a trace, by a search for pieces of the executed code.

use std::collections::HashMap;

use memchr::memmem::Finder;
use stepback_index::ExecutedCode;
use stepback_machine::Address;
use stepback_parsers::ProgramFit;

use super::fit::ImageFit;
use super::images::Images;

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
}

/// Instructions that were executed at consecutive addresses.
struct CodePiece {
    address: u64,
    bytes: Vec<u8>,
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
    let offset = images.infos().get(image)?.spec.offset;
    let pieces = pieces_of(images, codes);
    let (mut votes, mut found) = (HashMap::<u64, usize>::new(), 0);
    let in_image: usize = images
        .segments_of(image)
        .map(|placed| placed.segment.bytes.len())
        .sum();
    let budget = (SEARCHED_BYTES / in_image.max(1)).max(1);
    let searched = pieces.len().min(budget);
    for piece in pieces.iter().take(budget) {
        let moves = moves_of(images, image, piece);
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
fn moves_of(images: &Images, image: usize, piece: &CodePiece) -> Vec<u64> {
    let finder = Finder::new(&piece.bytes);
    let mut moves = Vec::new();
    for placed in images.segments_of(image) {
        for place in finder.find_iter(&placed.segment.bytes).take(PLACES + 1) {
            moves.push(
                piece
                    .address
                    .wrapping_sub(placed.segment.address.0.wrapping_add(place as u64)),
            );
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

/// Cuts the executed code into pieces and returns evenly spaced ones.
fn pieces_of(images: &Images, codes: &[ExecutedCode]) -> Vec<CodePiece> {
    let mut pieces: Vec<CodePiece> = Vec::new();
    let mut piece = CodePiece {
        address: 0,
        bytes: Vec::new(),
    };
    for of_address in codes.chunk_by(|one, next| one.pc == next.pc) {
        let Some(code) = of_address.first() else {
            continue;
        };
        if piece.address.wrapping_add(piece.bytes.len() as u64) != code.pc.0 {
            piece = CodePiece {
                address: code.pc.0,
                bytes: Vec::new(),
            };
        }
        piece
            .bytes
            .extend_from_slice(images.in_memory(code).bytes());
        if piece.bytes.len() >= PIECE_BYTES {
            let address = piece.address.wrapping_add(piece.bytes.len() as u64);
            pieces.push(std::mem::replace(
                &mut piece,
                CodePiece {
                    address,
                    bytes: Vec::new(),
                },
            ));
        }
    }
    let stride = pieces.len().div_ceil(PIECES).max(1);
    pieces.into_iter().step_by(stride).collect()
}
