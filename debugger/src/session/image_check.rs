//! Decides which images belong to a trace, by comparison with the instructions that it executed.
//!
//! Images are compared before their contents are used. If the user named none, the programs next to
//! the trace are compared too, up to a limit of number and size.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepback_index::answer::Program;
use stepback_index::read::{code_contradictions, records_accesses};
use stepback_index::{Cancel, Index};
use stepback_machine::InstructionSet;
use stepback_parsers::{ProgramFile, ProgramFit};

use crate::image::{
    CheckedImage, ImageOrigin, ImageSpec, Images, LinkerView, ProgramStarts, fits_of, machine_of,
    program_file,
};
use crate::messages::say;
use crate::session::OpenOptions;
use crate::session::notice::Notice;

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
        // If the index is unreadable, the first query reports it.
        let starts = ProgramStarts::find(&images, index);
        let starts = starts.unwrap_or(ProgramStarts::Of(Vec::new()));
        let program = images.program(&starts, &[]);
        let contradictions = code_contradictions(index, &program, cancel).unwrap_or_default();
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
        let refuted: Vec<usize> = (0..checked.len())
            .filter(|number| {
                checked
                    .get(*number)
                    .is_some_and(|image| image.fit.is_refuted())
            })
            .collect();
        let program = if refuted.is_empty() {
            program
        } else {
            images.program(&starts, &refuted)
        };
        let notices = checked.iter().flat_map(|image| {
            misfit_notice(image)
                .into_iter()
                .chain(view_notice(image, index))
        });
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

fn misfit_notice(
    CheckedImage {
        spec, fit, is_used, ..
    }: &CheckedImage,
) -> Option<Notice> {
    let text = fit.misfit_text()?;
    let path = format!("{:?}", spec.path);
    Some(match (fit.is_of_another_program(), is_used) {
        (true, false) => Notice::doubt(say!("image-left-out", why = text, image = path)),
        (true, true) if fit.is_refuted() => {
            Notice::doubt(say!("image-memory-not-used", why = text, image = path))
        }
        (true, true) => Notice::doubt(say!("image-doubtful", why = text, image = path)),
        (false, _) => say!("image-differs", why = text, image = path).into(),
    })
}

fn view_notice(
    CheckedImage {
        spec,
        view,
        is_used,
        ..
    }: &CheckedImage,
    index: &Index,
) -> Option<Notice> {
    let path = format!("{:?}", spec.path);
    let text = match view {
        LinkerView::Run => return None,
        LinkerView::Load => say!("image-copies-data", image = path),
        LinkerView::ReadOnly if matches!(records_accesses(index), Ok(false)) => {
            say!("image-without-accesses", image = path)
        }
        LinkerView::ReadOnly => say!("image-begins-late", image = path),
    };
    is_used.then(|| text.into())
}

/// Maximum number of directory entries examined.
const FILES: usize = 4096;
/// Maximum number of programs compared with the trace.
const PROGRAMS: usize = 64;
/// Maximum total size of the compared programs in bytes.
const BYTES: u64 = 512 << 20;

/// Finds the program of a trace among the files next to it. `fit` returns how well a file fits.
/// Prefers the file with the trace's name if it fits perfectly, else takes the best fit. None: no
/// file fits.
///
/// Cost: bounded. Reads the programs in the trace's directory that are for its processor.
pub fn fitting_program(
    options: &OpenOptions,
    set: InstructionSet,
    fit: &dyn Fn(&ProgramFile) -> Option<ProgramFit>,
) -> Option<(ImageSpec, ProgramFile)> {
    let named = image_beside(&options.path, set);
    let others = programs_beside(&options.path, set)
        .into_iter()
        .filter(|path| Some(path) != named.as_ref());
    let mut best: Option<(u64, (ImageSpec, ProgramFile))> = None;
    let mut bytes_left = BYTES;
    for path in named.iter().cloned().chain(others).take(PROGRAMS) {
        let length = fs::metadata(&path).map_or(u64::MAX, |metadata| metadata.len());
        let Some(left) = bytes_left.checked_sub(length) else {
            continue;
        };
        bytes_left = left;
        let spec = ImageSpec {
            path,
            offset: options.load_offset,
        };
        let Ok(program) = program_file(&spec) else {
            continue;
        };
        let Some(found) = fit(&program).filter(ProgramFit::is_recognised) else {
            continue;
        };
        // Of two programs with equal fits, the one with the closer name comes first.
        if best.as_ref().is_none_or(|(same, _)| found.same > *same) {
            best = Some((found.same, (spec, program)));
        }
        if found.is_perfect() {
            break;
        }
    }
    best.map(|(_, found)| found)
}

/// Returns `overflow.elf` or `overflow` for `overflow.small.tarmac`: the name up to its first dot.
/// A file without an extension must be a program for the processor of the trace, since any file may
/// have such a name.
pub fn image_beside(trace: &Path, set: InstructionSet) -> Option<PathBuf> {
    let name = trace.file_name()?.to_str()?;
    let stem = name.split('.').next().filter(|stem| !stem.is_empty())?;
    let image = trace.with_file_name(format!("{stem}.elf"));
    if image.is_file() {
        return Some(image);
    }
    let bare = trace.with_file_name(stem);
    // Opening a pipe would wait for its writer.
    let machine = if stem != name && bare.is_file() {
        machine_of(&bare)
    } else {
        None
    };
    machine
        .is_some_and(|machine| set.is_of_image(Some(machine)))
        .then_some(bare)
}

/// Returns the programs for a processor in the directory of a trace. Those that share the longest
/// prefix with the trace's name come first.
fn programs_beside(trace: &Path, set: InstructionSet) -> Vec<PathBuf> {
    let directory = trace
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .take(FILES)
        .flatten()
        .map(|entry| trace.with_file_name(entry.file_name()))
        .collect();
    // Opening a pipe would wait for its writer.
    paths.retain(|path| {
        path.is_file() && machine_of(path).is_some_and(|found| set.is_of_image(Some(found)))
    });
    let unlike = |path: &PathBuf| usize::MAX - shared_letters(path, trace);
    paths.sort_by_cached_key(|path| (unlike(path), path.clone()));
    paths
}

/// Returns the length of the common prefix of two file names in bytes.
fn shared_letters(one: &Path, other: &Path) -> usize {
    let [one, other] =
        [one, other].map(|path| path.file_name().unwrap_or_default().as_encoded_bytes());
    one.iter()
        .zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> PathBuf {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .join("fixtures/btrace")
            .join(name)
    }

    /// Checks which copy of `hello.elf` or `cti.elf` next to `hello_gap.btf` is found, given their
    /// fits.
    #[track_caller]
    fn check(files: &[(&str, &str)], fits: &[(&str, u64, u64)], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, from) in files {
            fs::copy(fixture(from), folder.path().join(name)).unwrap();
        }
        let options = OpenOptions::new(folder.path().join("hello_gap.btf"));
        let found = fitting_program(&options, InstructionSet::Sparc64, &|program| {
            let (_, same, other) = fits.iter().find(|(name, ..)| *name == program.name)?;
            Some(ProgramFit {
                same: *same,
                other: *other,
                nowhere: 0,
            })
        });
        let name = found.map(|(spec, _)| {
            spec.path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        });
        assert_eq!(name.as_deref(), expected);
    }

    #[test]
    fn the_program_that_fits_best_is_found_whatever_its_name() {
        let both = [("a", "cti.elf"), ("b", "hello.elf")];
        check(&both, &[("a", 1, 9), ("b", 10, 0)], Some("b"));
        check(&both, &[("a", 1, 9), ("b", 5, 5)], None);
        // A newer build with the trace's name differs. Of equal fits, the name decides.
        check(
            &[("hello_gap.elf", "hello.elf"), ("old", "hello.elf")],
            &[("hello_gap.elf", 99, 1), ("old", 100, 0)],
            Some("old"),
        );
        check(
            &[("hello_gap.elf", "hello.elf"), ("a", "hello.elf")],
            &[("hello_gap.elf", 9, 0), ("a", 9, 0)],
            Some("hello_gap.elf"),
        );
        check(
            &[("a", "hello.elf"), ("hello", "hello.elf")],
            &[("hello", 9, 0), ("a", 9, 0)],
            Some("hello"),
        );
    }

    #[test]
    fn what_is_no_program_of_the_processor_is_not_asked() {
        check(&[("a", "hello.btf")], &[("a", 9, 0)], None);
        check(&[], &[], None);
    }
}
