//! The program images of a trace: those that were asked for, or the one that lies beside it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use stepback_parsers::Endian;

use super::OpenOptions;
use crate::image::{ImageSpec, Images};

/// Loads the images of a trace.
///
/// An image that the user named must be usable; one that was merely found costs a notice when it is not.
pub fn load(options: &OpenOptions, notices: &mut Vec<String>) -> Result<Images> {
    let images = if options.images.is_empty() { found(options, notices) } else { Images::load(&options.images)? };
    let traced = options.endian.unwrap_or_default();
    if let Some(endian) = images.endian().filter(|endian| *endian != traced) {
        notices.push(format!("the image is {}-endian, the trace is read as {}-endian", word(endian), word(traced)));
    }
    Ok(images)
}

fn word(endian: Endian) -> &'static str {
    match endian {
        Endian::Little => "little",
        Endian::Big => "big",
    }
}

/// The image beside the trace, if there is a usable one.
fn found(options: &OpenOptions, notices: &mut Vec<String>) -> Images {
    let Some(path) = image_beside(&options.path) else { return Images::default() };
    let spec = ImageSpec { path: path.clone(), offset: options.load_offset };
    match Images::load(&[spec]) {
        Ok(images) => {
            notices.push(format!("symbols come from the image beside the trace: {path:?}"));
            images
        }
        Err(error) => {
            notices.push(format!("the image beside the trace is left out: {error:#}"));
            Images::default()
        }
    }
}

/// `overflow.elf` for `overflow.small.tarmac`: the name up to its first dot.
fn image_beside(trace: &Path) -> Option<PathBuf> {
    let name = trace.file_name()?.to_str()?;
    let stem = name.split('.').next().filter(|stem| !stem.is_empty())?;
    let image = trace.with_file_name(format!("{stem}.elf"));
    image.is_file().then_some(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_bears_the_name_of_the_trace_up_to_its_first_dot() {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("server.elf");
        std::fs::write(&image, "x").unwrap();
        assert_eq!(image_beside(&folder.path().join("server.small.tarmac")), Some(image));
        assert_eq!(image_beside(&folder.path().join("client.tarmac")), None);
        assert_eq!(image_beside(&folder.path().join(".tarmac")), None);
    }
}
