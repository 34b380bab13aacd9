//! Code of an image, for traces whose steps are reconstructed from it.

use anyhow::{Context as _, Result, ensure};
use stepback_parsers::{CodePart, ProgramFile};

use super::elf;
use super::segments::LoadedSegment;
use super::spec::ImageSpec;

/// Reads the code of an image at its load addresses. Reads the whole file.
///
/// # Errors
/// It could not be read, or is no ELF file; the message names it.
pub fn program_file(spec: &ImageSpec) -> Result<ProgramFile> {
    let unusable = || format!("the image cannot be used: {:?}", spec.path);
    let read = || {
        // A pipe or a device may never end.
        ensure!(std::fs::metadata(&spec.path)?.is_file(), "not a file");
        elf::read(&std::fs::read(&spec.path)?, spec.offset)
    };
    let content = read().with_context(unusable)?;
    let part = |segment: LoadedSegment| CodePart {
        address: segment.address.0,
        bytes: segment.bytes,
    };
    let code = content
        .segments
        .into_iter()
        .filter(|segment| segment.is_executable);
    let name = spec
        .path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    Ok(ProgramFile {
        name,
        entry: content.entry.map(|entry| entry.0),
        parts: code.map(part).collect(),
    })
}
