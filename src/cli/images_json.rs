//! The images of a trace, and how well each fits, for `stepback info`.

use serde::Serialize;

use super::text::{counted, grouped};
use stepback_debugger::image::{CheckedImage, ImageMismatch, MismatchCause, bytes_text};
use stepback_debugger::session::Session;

/// An image.
#[derive(Serialize)]
pub struct ImageJson {
    path: String,
    /// Added to the addresses of the file.
    offset: String,
    /// Executed addresses whose bytes the image holds.
    checked: u64,
    /// Those of them where the trace executed something else.
    contradicted: u64,
    first_contradiction: Option<MisfitJson>,
    /// `changed`, `other-base`, `other-build` or `other-program`; none where everything fits.
    cause: Option<&'static str>,
    /// The offset with which the image would fit.
    fitting_offset: Option<String>,
    /// `run`: memory holds the image where the program uses it. `load`: where it was loaded, until the program copies it.
    view: &'static str,
    /// True when nobody named it, and it is not used because it does not fit.
    left_out: bool,
}

/// An instruction that differs.
#[derive(Serialize)]
struct MisfitJson {
    step: u64,
    address: String,
    executed: String,
    image: String,
}

impl ImageJson {
    /// All images of a session.
    pub fn all(session: &Session) -> Vec<Self> {
        session.checked_images.iter().map(Self::new).collect()
    }

    fn new(
        CheckedImage {
            spec,
            fit,
            view,
            is_used,
        }: &CheckedImage,
    ) -> Self {
        let (cause, fitting_offset) = match fit.cause {
            None => (None, None),
            Some(MismatchCause::FewChanges) => (Some("changed"), None),
            Some(MismatchCause::OtherBase(offset)) => {
                (Some("other-base"), Some(format!("{offset:#x}")))
            }
            Some(MismatchCause::OtherBuild) => (Some("other-build"), None),
            Some(MismatchCause::OtherProgram) => (Some("other-program"), None),
        };
        let first = |ImageMismatch {
                         step,
                         pc,
                         executed,
                         in_image,
                     }: &ImageMismatch| MisfitJson {
            step: step.0,
            address: pc.to_string(),
            executed: bytes_text(executed),
            image: bytes_text(in_image),
        };
        Self {
            path: spec.path.display().to_string(),
            offset: format!("{:#x}", spec.offset),
            checked: fit.checked,
            contradicted: fit.contradicted,
            first_contradiction: fit.first.as_ref().map(first),
            cause,
            fitting_offset,
            view: view.name(),
            left_out: !is_used,
        }
    }
}

/// The images that are used, as people read them: `a.elf, fits 1,374 executed instructions`.
pub fn image_rows(session: &Session) -> Vec<String> {
    let row = |CheckedImage { spec, fit, .. }: &CheckedImage| match (fit.checked, fit.contradicted)
    {
        (0, _) => spec.to_string(),
        (all, 0) => format!("{spec}, fits {}", counted(all, "executed instruction")),
        (all, other) => format!(
            "{spec}, differs in {} of {}",
            grouped(other),
            counted(all, "executed instruction")
        ),
    };
    session
        .checked_images
        .iter()
        .filter(|image| image.is_used)
        .map(row)
        .collect()
}
