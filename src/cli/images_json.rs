//! Images of a trace and their fit, for `stepback info`.

use serde_json::{Value, json};
use stepback_debugger::image::{CheckedImage, ImageMismatch, MismatchCause, bytes_text};
use stepback_debugger::session::Session;

use super::text::{counted, grouped};

/// Converts an image and its fit.
pub fn image_json(image: &CheckedImage) -> Value {
    let CheckedImage {
        spec,
        fit,
        view,
        is_used,
    } = image;
    let (cause, fitting_offset) = match fit.cause {
        None => (None, None),
        Some(MismatchCause::FewChanges) => (Some("changed"), None),
        Some(MismatchCause::OtherBase(offset)) => (Some("other-base"), Some(offset)),
        Some(MismatchCause::OtherBuild) => (Some("other-build"), None),
        Some(MismatchCause::OtherProgram) => (Some("other-program"), None),
    };
    let first = |mismatch: &ImageMismatch| {
        json!({
            "step": mismatch.step.0,
            "address": mismatch.pc.to_string(),
            "executed": bytes_text(&mismatch.executed),
            "image": bytes_text(&mismatch.in_image),
        })
    };
    json!({
        "path": spec.path.display().to_string(),
        "offset": format!("{:#x}", spec.offset),
        "checked": fit.checked,
        "contradicted": fit.contradicted,
        "first_contradiction": fit.first.as_ref().map(first),
        "cause": cause,
        "fitting_offset": fitting_offset.map(|offset| format!("{offset:#x}")),
        "view": view.name(),
        // An image that the user did not name is unused if it does not fit.
        "left_out": !is_used,
    })
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
