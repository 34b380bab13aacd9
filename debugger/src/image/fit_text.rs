//! Messages about images that do not fit the trace.

use stepback_machine::Encoding;

use super::fit::{ImageFit, ImageMismatch};
use super::fit_cause::MismatchCause;
use crate::number::thousands;

impl ImageFit {
    /// Describes the difference between the image and the trace and the likely reason, as a phrase;
    /// none if everything fits.
    pub fn misfit_text(&self) -> Option<String> {
        let cause = match self.cause? {
            MismatchCause::FewChanges => {
                "the program was patched, changed itself, or had breakpoints".to_owned()
            }
            MismatchCause::OtherBase(offset) => {
                format!("it would fit at another address, with @{offset:#x} after its name")
            }
            MismatchCause::OtherBuild => "it seems to be another build of the program".to_owned(),
            MismatchCause::OtherProgram => "it seems to be another program".to_owned(),
        };
        if self.checked == 0 {
            return Some(format!("no executed instruction lies in it; {cause}"));
        }
        let (other, all) = (thousands(self.contradicted), thousands(self.checked));
        let first = self
            .first
            .as_ref()
            .map(ImageMismatch::text)
            .unwrap_or_default();
        Some(format!(
            "{other} of {all} executed instructions are others there{first}; {cause}"
        ))
    }
}

impl ImageMismatch {
    fn text(&self) -> String {
        let Self {
            step,
            pc,
            executed,
            in_image,
        } = self;
        let (executed, in_image) = (bytes_text(executed), bytes_text(in_image));
        format!(
            ", the first at {pc} (step {}: {executed} executed, {in_image} in the image)",
            step.0
        )
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
