//! The program images of a trace: those that were asked for, or the one that lies beside it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use stepback_machine::Endian;
use stepback_parsers::drmemtrace::ModulesLog;

use super::{Companions, OpenOptions};
use crate::image::{ImageSpec, Images, ModuleSearch};

/// Loads the images of a trace.
///
/// An image that the user named must be usable; one that was merely found costs a notice when it is not.
pub fn load(options: &OpenOptions, companions: &Companions, notices: &mut Vec<String>) -> Result<Images> {
    if let Some(log) = &companions.modules {
        return of_modules(options, companions, log, notices);
    }
    let images = if options.images.is_empty() {
        remembered(options, notices).unwrap_or_else(|| found(options, notices))
    } else {
        Images::load(&options.images)?
    };
    let traced = options.endian.unwrap_or_default();
    if let Some(endian) = images.endian().filter(|endian| *endian != traced) {
        notices.push(format!("the image is {}-endian, the trace is read as {}-endian", word(endian), word(traced)));
    }
    Ok(images)
}

/// The images that were named, or those of the modules.
pub fn specs(options: &OpenOptions, companions: &Companions) -> Vec<ImageSpec> {
    let Some(log) = &companions.modules else { return options.images.clone() };
    let search =
        ModuleSearch { log, named: &options.images, sysroots: options.sysroots(), beside: &companions.directories };
    search.images(&mut Vec::new()).into_iter().map(|image| image.spec).collect()
}

/// Those of a trace whose recorder listed what was mapped.
fn of_modules(
    options: &OpenOptions,
    companions: &Companions,
    log: &ModulesLog,
    notices: &mut Vec<String>,
) -> Result<Images> {
    let named: Vec<_> = match options.images.is_empty() {
        false => options.images.clone(),
        true => usable(&options.remembered_images, notices),
    };
    for root in options.sysroots().iter().filter(|root| !root.is_dir()) {
        notices.push(format!("this is no directory, so no images are looked for in it: {root:?}"));
    }
    let search = ModuleSearch { log, named: &named, sysroots: options.sysroots(), beside: &companions.directories };
    Images::of_modules(&search, notices)
}

fn word(endian: Endian) -> &'static str {
    match endian {
        Endian::Little => "little",
        Endian::Big => "big",
    }
}

/// The images of last time that are still usable; of the others it is told why they are not.
fn usable(remembered: &[ImageSpec], notices: &mut Vec<String>) -> Vec<ImageSpec> {
    let mut usable = Vec::new();
    for spec in remembered {
        match Images::load(std::slice::from_ref(spec)) {
            Ok(_) => usable.push(spec.clone()),
            Err(error) => notices.push(format!("an image of last time is left out: {error:#}")),
        }
    }
    usable
}

/// The images of last time that are still usable; none where there are none.
fn remembered(options: &OpenOptions, notices: &mut Vec<String>) -> Option<Images> {
    let usable = usable(&options.remembered_images, notices);
    let images = Images::load(&usable).ok().filter(|images| !images.is_empty())?;
    let told = usable.iter().map(|spec| format!("symbols come from an image of last time: {:?}", spec.path));
    notices.extend(told);
    Some(images)
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

    #[test]
    fn of_the_images_of_last_time_those_are_used_that_are_still_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let specs = ["assets/demo/overflow_bare.elf", "nowhere.elf"];
        let remembered_images = specs.map(|name| ImageSpec { path: root.join(name), offset: 16 }).to_vec();
        let options = OpenOptions { remembered_images, ..OpenOptions::new("a.tarmac") };
        let mut notices = Vec::new();
        let images = load(&options, &Companions::default(), &mut notices).unwrap();
        assert_eq!(images.infos().len(), 1);
        assert!(notices[0].starts_with("an image of last time is left out"), "{notices:?}");
        let named = OpenOptions { images: vec![ImageSpec { path: root.join("nowhere.elf"), offset: 0 }], ..options };
        assert!(load(&named, &Companions::default(), &mut notices).is_err(), "what is named must be usable");
    }

    #[test]
    fn an_image_of_last_time_that_is_none_any_more_does_not_keep_a_trace_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libx.so");
        std::fs::write(&path, "x").unwrap();
        let images = vec![ImageSpec { path, offset: 0 }];
        let log =
            b"Module Table: version 5, count 1\nColumns: x\n0, 0, 0x1000, 0x2000, 0x0, 0, 0, v#1,0, /no/libx.so\n";
        let companions = Companions { modules: Some(ModulesLog::parse(log)), ..Companions::default() };
        let options = OpenOptions { remembered_images: images.clone(), ..OpenOptions::new("a.trace") };
        let mut notices = Vec::new();
        assert!(load(&options, &companions, &mut notices).unwrap().is_empty());
        assert!(notices[0].starts_with("an image of last time is left out"), "{notices:?}");
        let options = OpenOptions { images, ..options };
        assert!(load(&options, &companions, &mut notices).is_err(), "what is named must be usable");
    }
}
