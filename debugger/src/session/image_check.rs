//! Compares images with the instructions that the trace executed before their contents are used.

use std::sync::Arc;

use stepback_index::{Cancel, CodeCheck, Index, Program};
use stepback_machine::Address;

use super::notice::Notice;
use crate::image::{CheckedImage, ImageOrigin, Images, LinkerView, fits_of};

/// Beginning of notices about an image of another program.
const MISFIT_IMAGE: &str = "the image does not fit the trace";

/// Images after the comparison.
pub struct ImageCheck {
    /// The images in use.
    pub images: Arc<Images>,
    /// Match of each image with the trace.
    pub checked: Vec<CheckedImage>,
    /// Contents of the images, as the index uses them.
    pub program: Program,
    /// Notices about the images for the user.
    pub notices: Vec<Notice>,
}

impl ImageCheck {
    /// Compares images with the instructions of a trace.
    pub fn new(images: Arc<Images>, index: &Index, cancel: &Cancel) -> Self {
        let starts = starts_of(index);
        let program = images.program(&starts);
        // If the index is unreadable, the first query reports it.
        let contradictions = CodeCheck(index)
            .contradictions(&program, cancel)
            .unwrap_or_default();
        let fits = fits_of(&images, index.executed_codes(), &contradictions);
        let infos = images.infos().iter().zip(fits).enumerate();
        let mut checked: Vec<CheckedImage> = infos
            .map(|(number, (info, fit))| CheckedImage {
                spec: info.spec.clone(),
                view: images.view_of(number, &starts),
                is_used: info.origin == ImageOrigin::Named || !fit.is_of_another_program(),
                fit,
            })
            .collect();
        leave_out_outdone(&mut checked, &images);
        let notices = checked
            .iter()
            .flat_map(|image| misfit_notice(image).into_iter().chain(view_notice(image)));
        Self {
            notices: notices.collect(),
            images,
            checked,
            program,
        }
    }

    /// Returns the images that are not used.
    pub fn left_out(&self) -> impl Iterator<Item = &CheckedImage> {
        self.checked.iter().filter(|image| !image.is_used)
    }
}

/// Excludes images of another program if another image at the same addresses fits, even if they
/// were named.
fn leave_out_outdone(checked: &mut [CheckedImage], images: &Images) {
    let fits = |image: &CheckedImage| image.fit.checked > 0 && !image.fit.is_of_another_program();
    let fitting: Vec<usize> = (0..checked.len())
        .filter(|number| checked.get(*number).is_some_and(fits))
        .collect();
    for (number, image) in checked
        .iter_mut()
        .enumerate()
        .filter(|(_, image)| image.fit.is_of_another_program())
    {
        image.is_used &= !fitting
            .iter()
            .any(|other| images.share_addresses(number, *other));
    }
}

/// Returns the addresses of the threads' first instructions, where the trace records them.
fn starts_of(index: &Index) -> Vec<Address> {
    let firsts: Vec<_> = index
        .threads()
        .iter()
        .filter_map(|thread| thread.first_step)
        .collect();
    index
        .executed_codes()
        .iter()
        .filter(|code| firsts.contains(&code.first))
        .map(|code| code.pc)
        .collect()
}

fn misfit_notice(
    CheckedImage {
        spec, fit, is_used, ..
    }: &CheckedImage,
) -> Option<Notice> {
    let text = fit.misfit_text()?;
    let path = &spec.path;
    Some(match (fit.is_of_another_program(), is_used) {
        (true, false) => Notice::doubt(format!("{MISFIT_IMAGE} and is left out: {text}: {path:?}")),
        (true, true) => Notice::doubt(format!(
            "{MISFIT_IMAGE}, so names, lines and memory may be wrong: {text}: {path:?}"
        )),
        (false, _) => format!("the image differs from the trace: {text}: {path:?}").into(),
    })
}

fn view_notice(
    CheckedImage {
        spec,
        view,
        is_used,
        ..
    }: &CheckedImage,
) -> Option<Notice> {
    (*view == LinkerView::Load && *is_used).then(|| {
        let path = &spec.path;
        format!("the image copies its data after reset, so memory holds it where it was loaded until then: {path:?}")
            .into()
    })
}
