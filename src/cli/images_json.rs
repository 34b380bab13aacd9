//! Images of a trace and their fit, for `stepback info`.

use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::image::{CheckedImage, ImageMismatch, MismatchCause, bytes_text};
use stepback_debugger::session::Session;

use super::text::{counted, grouped};

#[derive(Serialize, JsonSchema)]
pub struct ImageJson {
    path: String,
    /// Offset added to the addresses of the file.
    load_offset: String,
    /// Number of executed addresses whose bytes the image contains.
    checked: u64,
    /// Number of checked addresses at which the trace executed other bytes.
    contradicted: u64,
    first_contradiction: Option<MismatchJson>,
    /// `changed`, `other-base`, `other-build`, `other-program` or `other-processor`. None if
    /// everything fits.
    cause: Option<&'static str>,
    /// Offset with which the image would fit.
    fitting_offset: Option<String>,
    /// `run`: the image lies at its run address. `load`: it lies at its load address until the
    /// program copies it. `read-only`: the trace does not start at the program's entry point,
    /// so only memory that it cannot write is known.
    view: &'static str,
    /// False if an image that the user did not name is left out because it does not fit.
    used: bool,
}

/// An executed instruction that differs from the image.
#[derive(Serialize, JsonSchema)]
struct MismatchJson {
    step: u64,
    address: String,
    executed_bytes: String,
    image_bytes: String,
}

impl ImageJson {
    /// Returns all images of a session.
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
            Some(MismatchCause::OtherProcessor) => (Some("other-processor"), None),
        };
        let first = |ImageMismatch {
                         step,
                         pc,
                         executed,
                         in_image,
                     }: &ImageMismatch| MismatchJson {
            step: step.0,
            address: pc.to_string(),
            executed_bytes: bytes_text(executed),
            image_bytes: bytes_text(in_image),
        };
        Self {
            path: spec.path.display().to_string(),
            load_offset: format!("{:#x}", spec.offset),
            checked: fit.checked,
            contradicted: fit.contradicted,
            first_contradiction: fit.first.as_ref().map(first),
            cause,
            fitting_offset,
            view: view.name(),
            used: *is_used,
        }
    }
}

/// Formats the used images: `a.elf, fits 1,374 executed instructions`.
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
