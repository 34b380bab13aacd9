//! Program images of a trace: the requested ones, or the one next to the trace.

use std::path::PathBuf;

use anyhow::Result;
use stepback_machine::{Endian, InstructionSet};
use stepback_parsers::drmemtrace::ModulesLog;
use stepback_parsers::{ProgramFile, ProgramFit};

use super::notice::Notice;
use super::{Companions, OpenOptions};
use crate::image::{ImageSpec, Images, ModuleSearch, machine_of, program_file};
use crate::messages::say;
use crate::session::image_check::{fitting_program, image_beside};

/// Decoding of a trace's instructions, which an image must match.
#[derive(Clone, Copy, Debug)]
pub struct Decoding<'a> {
    pub set: InstructionSet,
    /// Byte order.
    pub endian: Endian,
    /// Image next to the trace that fits the trace's records, if they allow a comparison.
    pub beside: Option<&'a ImageSpec>,
}

/// Loads the images of a trace.
///
/// An image that the user named must be usable. An image that was merely found adds a notice if it
/// is not. `decoding` is known from the beginning of the trace.
pub fn load(
    options: &OpenOptions,
    companions: &Companions,
    decoding: Decoding<'_>,
    notices: &mut Vec<Notice>,
) -> Result<Images> {
    for root in options.sysroots().iter().filter(|root| !root.is_dir()) {
        notices.push(say!("notice-no-directory", directory = format!("{root:?}")).into());
    }
    if let Some(log) = &companions.modules {
        return of_modules(options, companions, log, &[], notices);
    }
    let Decoding {
        set,
        endian: traced,
        beside,
    } = decoding;
    let beside = || beside.cloned().or_else(|| beside_for(set, options));
    let chosen = match options.images.is_empty() {
        true => remembered(options, notices),
        false => Some(Images::load_from(&options.images, options.sysroots())?),
    };
    let images = match chosen {
        Some(images) => fitting(images, set, beside, options.sysroots(), notices)?,
        None => {
            let images = found(decoding, options, notices);
            tell_foreign(&images, set, ForeignUse::Used, notices);
            images
        }
    };
    if let Some(endian) = images.endian().filter(|endian| *endian != traced) {
        notices.push(endian_notice(endian).to_owned().into());
    }
    tell_problems(&images, notices);
    Ok(images)
}

/// Loads the images of a trace without those that do not fit it.
///
/// # Errors
/// See [`load`].
pub fn load_without(
    excluded: &[PathBuf],
    options: &OpenOptions,
    companions: &Companions,
    notices: &mut Vec<Notice>,
) -> Result<Images> {
    match &companions.modules {
        Some(log) => of_modules(options, companions, log, excluded, notices),
        None => {
            let named = match options.images.is_empty() {
                false => options.images.clone(),
                true => usable(&options.remembered_images, notices),
            };
            // The image next to the trace is used only if there is no other.
            let named: Vec<_> = named
                .into_iter()
                .filter(|spec| !excluded.contains(&spec.path))
                .collect();
            Images::load_from(&named, options.sysroots())
        }
    }
}

/// Reports problems of images that are usable nevertheless.
fn tell_problems(images: &Images, notices: &mut Vec<Notice>) {
    for info in images.infos() {
        let path = &info.spec.path;
        let problems = info.problems.iter();
        let damaged = |problem: &String| {
            say!(
                "notice-image-damaged",
                problem = problem.as_str(),
                image = format!("{path:?}")
            )
            .into()
        };
        notices.extend(problems.map(damaged));
    }
}

/// Reads the code of the images that [`load`] would choose, for traces whose steps are
/// reconstructed from it. `fit` returns how well a file fits the records of the trace. Returns also
/// the image next to the trace that fits the trace's records, if no other is used.
///
/// # Errors
/// An image that the user named is not usable.
pub fn program(
    options: &OpenOptions,
    set: InstructionSet,
    fit: &dyn Fn(&ProgramFile) -> Option<ProgramFit>,
) -> Result<(Vec<ProgramFile>, Option<ImageSpec>)> {
    let is_ours =
        |spec: &&ImageSpec| machine_of(&spec.path).is_none_or(|found| set.is_of_image(Some(found)));
    let files = |specs: &[ImageSpec]| {
        specs
            .iter()
            .filter(is_ours)
            .map(program_file)
            .collect::<Result<Vec<_>>>()
    };
    let named = files(&options.images)?;
    if !named.is_empty() {
        return Ok((named, None));
    }
    // Problems of these are reported when their symbols are loaded.
    let remembered: Vec<_> = if options.images.is_empty() {
        options.remembered_images.clone()
    } else {
        Vec::new()
    };
    let remembered: Vec<_> = remembered
        .iter()
        .filter_map(|spec| program_file(spec).ok())
        .collect();
    if !remembered.is_empty() {
        return Ok((remembered, None));
    }
    if let Some((spec, program)) = fitting_program(options, set, fit) {
        return Ok((vec![program], Some(spec)));
    }
    let beside = beside_for(set, options).into_iter();
    let files = beside.filter_map(|spec| program_file(&spec).ok());
    Ok((files.collect(), None))
}

/// Restricts the chosen images to those for the processor of the trace, if there are any. Names and
/// bytes of a program for another processor would replace the right ones. If no chosen image
/// matches, the image next to the trace is used if it does. A processor that switches between two
/// instruction sets runs images of both.
fn fitting(
    images: Images,
    set: InstructionSet,
    beside: impl Fn() -> Option<ImageSpec>,
    sysroots: &[PathBuf],
    notices: &mut Vec<Notice>,
) -> Result<Images> {
    let (good, foreign): (Vec<_>, Vec<_>) = images
        .infos()
        .iter()
        .partition(|info| set.is_of_image(info.set));
    if foreign.is_empty() {
        return Ok(images);
    }
    let may_run = foreign.iter().all(|info| {
        info.set
            .is_some_and(|set_of_image| set.states().contains(&set_of_image))
    });
    let specs: Vec<ImageSpec> = match good.is_empty() {
        true => beside().into_iter().collect(),
        false if may_run => Vec::new(),
        false => good.iter().map(|info| info.spec.clone()).collect(),
    };
    if specs.is_empty() {
        tell_foreign(&images, set, ForeignUse::Used, notices);
        return Ok(images);
    }
    tell_foreign(&images, set, ForeignUse::LeftOut, notices);
    if good.is_empty() {
        notices.extend(specs.iter().map(|spec| Notice::image_beside(&spec.path)));
    }
    Images::load_from(&specs, sysroots)
}

/// Returns the image next to the trace if it is for the trace's processor.
fn beside_for(set: InstructionSet, options: &OpenOptions) -> Option<ImageSpec> {
    let path = image_beside(&options.path, set)?;
    let is_good = machine_of(&path).is_some_and(|found| set.is_of_image(Some(found)));
    is_good.then_some(ImageSpec {
        path,
        offset: options.load_offset,
    })
}

/// Use of an image for another processor.
#[derive(Clone, Copy)]
enum ForeignUse {
    Used,
    LeftOut,
}

/// Reports images for another processor.
fn tell_foreign(
    images: &Images,
    set: InstructionSet,
    is_used: ForeignUse,
    notices: &mut Vec<Notice>,
) {
    for info in images
        .infos()
        .iter()
        .filter(|info| !set.is_of_image(info.set))
    {
        let of_image = info
            .set
            .map_or(say!("notice-unknown-processor"), |set| set.names().title);
        let (of_trace, path) = (set.names().title, format!("{:?}", info.spec.path));
        notices.push(Notice::doubt(match is_used {
            ForeignUse::Used => say!(
                "notice-foreign-image",
                other = of_image,
                traced = of_trace,
                image = path
            ),
            ForeignUse::LeftOut => say!(
                "notice-foreign-image-left-out",
                other = of_image,
                traced = of_trace,
                image = path
            ),
        }));
    }
}

/// Returns the named images, or those of the module list.
pub fn specs(options: &OpenOptions, companions: &Companions) -> Vec<ImageSpec> {
    let Some(log) = &companions.modules else {
        return options.images.clone();
    };
    let (sysroots, beside) = (options.sysroots(), &*companions.directories);
    let search = ModuleSearch {
        log,
        named: &options.images,
        sysroots,
        beside,
        excluded: &[],
    };
    search
        .images(&mut Vec::new())
        .into_iter()
        .map(|(spec, _)| spec)
        .collect()
}

/// Loads the images of a trace whose recorder listed the mapped modules.
fn of_modules(
    options: &OpenOptions,
    companions: &Companions,
    log: &ModulesLog,
    excluded: &[PathBuf],
    notices: &mut Vec<Notice>,
) -> Result<Images> {
    let named: Vec<_> = match options.images.is_empty() {
        false => options.images.clone(),
        true => usable(&options.remembered_images, notices),
    };
    let (sysroots, beside) = (options.sysroots(), &*companions.directories);
    let search = ModuleSearch {
        log,
        named: &named,
        sysroots,
        beside,
        excluded,
    };
    let mut sentences = Vec::new();
    let images = Images::of_modules(&search, &mut sentences)?;
    notices.extend(sentences.into_iter().map(Notice::from));
    tell_problems(&images, notices);
    Ok(images)
}

/// Reports that the image has another byte order than the trace.
fn endian_notice(image: Endian) -> &'static str {
    match image {
        Endian::Big => say!("notice-image-big-endian"),
        Endian::Little => say!("notice-image-little-endian"),
    }
}

/// Returns the remembered images that are still usable, and reports the others.
fn usable(remembered: &[ImageSpec], notices: &mut Vec<Notice>) -> Vec<ImageSpec> {
    let mut usable = Vec::new();
    for spec in remembered {
        match Images::load(std::slice::from_ref(spec)) {
            Ok(_) => usable.push(spec.clone()),
            Err(error) => {
                let why = format!("{error:#}");
                notices.push(say!("notice-last-image-left-out", why = why).into());
            }
        }
    }
    usable
}

/// Loads the remembered images that are still usable; none if there are none.
fn remembered(options: &OpenOptions, notices: &mut Vec<Notice>) -> Option<Images> {
    let usable = usable(&options.remembered_images, notices);
    let images = Images::load_from(&usable, options.sysroots())
        .ok()
        .filter(|images| !images.is_empty())?;
    let stated = usable
        .iter()
        .map(|spec| Notice::image_of_last_session(&spec.path));
    notices.extend(stated);
    Some(images)
}

/// Loads the image next to the trace, if there is a usable one.
fn found(decoding: Decoding<'_>, options: &OpenOptions, notices: &mut Vec<Notice>) -> Images {
    let by_name = || image_beside(&options.path, decoding.set);
    let Some(path) = decoding
        .beside
        .map(|spec| spec.path.clone())
        .or_else(by_name)
    else {
        return Images::default();
    };
    let spec = ImageSpec {
        path: path.clone(),
        offset: options.load_offset,
    };
    match Images::load_found(&spec, options.sysroots()) {
        Ok(images) => {
            notices.push(Notice::image_beside(&path));
            images
        }
        Err(error) => {
            let why = format!("{error:#}");
            notices.push(say!("notice-image-beside-left-out", why = why).into());
            Images::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const LITTLE: Decoding<'_> = Decoding {
        set: InstructionSet::A64,
        endian: Endian::Little,
        beside: None,
    };

    #[test]
    fn an_image_bears_the_name_of_the_trace_up_to_its_first_dot() {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("server.elf");
        std::fs::write(&image, "x").unwrap();
        let image_beside =
            |trace: &str| image_beside(&folder.path().join(trace), InstructionSet::A64);
        assert_eq!(image_beside("server.small.tarmac"), Some(image));
        assert_eq!(image_beside("client.tarmac"), None);
        assert_eq!(image_beside(".tarmac"), None);
    }

    #[test]
    fn a_program_of_the_traces_processor_may_have_no_ending() {
        const SPARC_V9: u8 = 43;
        let folder = tempfile::tempdir().unwrap();
        let program = as_if_for(folder.path(), "medium", 0).path;
        let mut bytes = std::fs::read(&program).unwrap();
        // Header of a big-endian file.
        (bytes[5], bytes[19]) = (2, SPARC_V9);
        std::fs::write(&program, bytes).unwrap();
        for trace in ["medium.rst", "medium.rst.zst", "medium.rz3.gz"] {
            let beside = |set| image_beside(&folder.path().join(trace), set);
            assert_eq!(
                (beside(InstructionSet::Sparc64), beside(InstructionSet::A64)),
                (Some(program.clone()), None)
            );
        }
        assert_eq!(
            image_beside(&folder.path().join("medium"), InstructionSet::Sparc64),
            None,
            "the trace itself"
        );
        std::fs::write(folder.path().join("notes"), "x").unwrap();
        assert_eq!(
            image_beside(&folder.path().join("notes.rst"), InstructionSet::Sparc64),
            None
        );
    }

    #[test]
    fn of_the_images_of_last_time_those_are_used_that_are_still_there() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let specs = ["assets/demo/overflow_bare.elf", "nowhere.elf"];
        let remembered_images = specs
            .map(|name| ImageSpec {
                path: root.join(name),
                offset: 16,
            })
            .to_vec();
        let options = OpenOptions {
            remembered_images,
            ..OpenOptions::new("a.tarmac")
        };
        let mut notices = Vec::new();
        let images = load(&options, &Companions::default(), LITTLE, &mut notices).unwrap();
        assert_eq!(images.infos().len(), 1);
        assert!(
            notices[0]
                .text
                .starts_with("an image of the last session is left out"),
            "{notices:?}"
        );
        let named = OpenOptions {
            images: vec![ImageSpec {
                path: root.join("nowhere.elf"),
                offset: 0,
            }],
            ..options
        };
        assert!(
            load(&named, &Companions::default(), LITTLE, &mut notices).is_err(),
            "what is named must be usable"
        );
    }

    /// Writes the demo image with another machine in its header.
    fn as_if_for(folder: &Path, name: &str, machine: u8) -> ImageSpec {
        let elf = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .join("assets/demo/overflow_bare.elf");
        let mut bytes = std::fs::read(elf).unwrap();
        bytes[18] = machine;
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        ImageSpec { path, offset: 0 }
    }

    #[test]
    fn an_image_for_another_processor_does_not_take_the_place_of_a_fitting_one() {
        const RISCV: u8 = 243;
        const AARCH64: u8 = 183;
        let folder = tempfile::tempdir().unwrap();
        let foreign = as_if_for(folder.path(), "other.elf", RISCV);
        let named = |images: &[&ImageSpec]| OpenOptions {
            images: images.iter().copied().cloned().collect(),
            ..OpenOptions::new(folder.path().join("run.tarmac"))
        };
        let loaded = |options: &OpenOptions| {
            let mut notices = Vec::new();
            let images = load(options, &Companions::default(), LITTLE, &mut notices).unwrap();
            (
                images
                    .infos()
                    .iter()
                    .map(|info| info.spec.clone())
                    .collect::<Vec<_>>(),
                notices,
            )
        };
        let (specs, notices) = loaded(&named(&[&foreign]));
        assert_eq!(specs, vec![foreign.clone()], "there is no other");
        assert!(
            notices[0]
                .text
                .starts_with("the image is for another processor (RISC-V"),
            "{notices:?}"
        );
        assert!(
            notices[0].text.contains(") than the trace (AArch64): "),
            "{notices:?}"
        );
        let good = as_if_for(folder.path(), "good.elf", AARCH64);
        let (specs, notices) = loaded(&named(&[&foreign, &good]));
        assert_eq!((specs, notices.len()), (vec![good], 1));
        assert!(
            notices[0].text.contains("(AArch64) and is left out: "),
            "{notices:?}"
        );
        let beside = as_if_for(folder.path(), "run.elf", AARCH64);
        let (specs, notices) = loaded(&named(&[&foreign]));
        assert_eq!(
            (specs, notices.len()),
            (vec![beside], 2),
            "the one beside the trace fits"
        );
    }

    #[test]
    fn an_image_of_last_time_that_is_none_any_more_does_not_keep_a_trace_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libx.so");
        std::fs::write(&path, "x").unwrap();
        let images = vec![ImageSpec { path, offset: 0 }];
        let log =
            b"Module Table: version 5, count 1\nColumns: x\n0, 0, 0x1000, 0x2000, 0x0, 0, 0, v#1,0, /no/libx.so\n";
        let companions = Companions {
            modules: Some(ModulesLog::parse(log)),
            ..Companions::default()
        };
        let options = OpenOptions {
            remembered_images: images.clone(),
            ..OpenOptions::new("a.trace")
        };
        let mut notices = Vec::new();
        assert!(
            load(&options, &companions, LITTLE, &mut notices)
                .unwrap()
                .is_empty()
        );
        assert!(
            notices[0]
                .text
                .starts_with("an image of the last session is left out"),
            "{notices:?}"
        );
        let options = OpenOptions { images, ..options };
        assert!(
            load(&options, &companions, LITTLE, &mut notices).is_err(),
            "what is named must be usable"
        );
    }
}
