//! Places of the files that the program makes for a trace: its index, its copies, and the unpacked
//! demo.
//!
//! Code that writes a file calls [`is_same_file`] first, so that a trace is never overwritten.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use directories::ProjectDirs;

use crate::new_file::NewFile;
use crate::session::OpenOptions;

/// Returns the places to look for an index and to write it to, best first.
///
/// An explicit path is the only place.
/// Without one: `TRACE.sbi` next to the trace, then the user's cache directory.
/// DynamoRIO's tools take every file among those of a trace for one of them, so an index goes one
/// level up.
/// A trace of several named files has separate places next to the first of them.
pub fn index_places(options: &OpenOptions) -> Vec<PathBuf> {
    let OpenOptions {
        path, more, index, ..
    } = options;
    match index {
        Some(path) => vec![path.clone()],
        None if more.is_empty() => beside(path).into_iter().chain(in_cache(path)).collect(),
        None => {
            let all = beside(path).into_iter().chain(in_cache(path));
            all.map(|place| {
                place.with_extension(format!("and-{:08x}.sbi", names_hash(more) as u32))
            })
            .collect()
        }
    }
}

/// Hashes the names of the files that are opened together with the first.
fn names_hash(more: &[PathBuf]) -> u64 {
    let whole = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let names: Vec<u8> = more
        .iter()
        .flat_map(|path| [whole(path).as_os_str().as_encoded_bytes(), b"\0"].concat())
        .collect();
    fnv1a(&names)
}

/// Returns the place for the text of a compressed trace: next to its index.
pub fn copy_place(index: &Path) -> PathBuf {
    index.with_added_extension("text")
}

/// Returns the place for the records of a drmemtrace trace: next to its index.
pub fn steps_place(index: &Path) -> PathBuf {
    index.with_added_extension("steps")
}

/// Returns the directory for files that can be made again; none if the user has no home directory.
pub fn cache_directory() -> Option<PathBuf> {
    ProjectDirs::from("", "", "stepback").map(|places| places.cache_dir().to_owned())
}

fn beside(trace: &Path) -> Vec<PathBuf> {
    // `.` and `trace/` have no name to append to.
    let whole = if trace.is_dir() {
        trace.canonicalize().ok()
    } else {
        None
    };
    let whole = whole.as_deref().unwrap_or(trace);
    let mut name = OsString::from(whole);
    name.push(".sbi");
    let place = PathBuf::from(name);
    match (trace.is_dir(), whole.parent()) {
        (true, _) if whole.join("trace").is_dir() => vec![place, whole.join("stepback.sbi")],
        (false, Some(directory)) if is_among_traces(trace, directory) => {
            above(directory, &place).into_iter().collect()
        }
        _ => vec![place],
    }
}

/// Returns true in a directory that DynamoRIO's tools open as a whole.
fn is_among_traces(trace: &Path, directory: &Path) -> bool {
    let is_named = trace
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"drmemtrace."));
    is_named
        || ["serial_schedule.bin.gz", "cpu_schedule.bin.zip"]
            .iter()
            .any(|name| directory.join(name).is_file())
}

fn above(directory: &Path, place: &Path) -> Option<PathBuf> {
    let here = if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    };
    Some(here.canonicalize().ok()?.parent()?.join(place.file_name()?))
}

/// Returns the place in the cache. The name contains a hash of the full path, so that traces with
/// equal names do not compete.
fn in_cache(trace: &Path) -> Option<PathBuf> {
    let whole = trace.canonicalize().ok()?;
    let name = whole.file_name()?.to_string_lossy();
    Some(cache_directory()?.join("indexes").join(format!(
        "{name}.{:016x}.sbi",
        fnv1a(whole.as_os_str().as_encoded_bytes())
    )))
}

/// Computes the FNV-1a hash, which unlike that of the standard library is the same in every
/// version.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Returns true if both paths exist and are one file, also through a symbolic or hard link.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other || is_same_inode(&one, &other),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same_inode(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let inode = |path: &Path| {
        path.metadata()
            .ok()
            .map(|metadata| (metadata.dev(), metadata.ino()))
    };
    inode(one).is_some() && inode(one) == inode(other)
}

#[cfg(not(unix))]
fn is_same_inode(_one: &Path, _other: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let [file, hard, soft, other] =
            ["file", "hard", "soft", "other"].map(|name| folder.path().join(name));
        std::fs::write(&file, "x").unwrap();
        std::fs::write(&other, "x").unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        std::os::unix::fs::symlink(&file, &soft).unwrap();
        assert!(
            is_same_file(&file, &file) && is_same_file(&file, &hard) && is_same_file(&soft, &file)
        );
        assert!(!is_same_file(&file, &other) && !is_same_file(&file, &folder.path().join("none")));
    }
}

const TRACE: &[u8] = include_bytes!("../../../assets/demo/overflow_bare.small.tarmac.zst");
const IMAGE: &[u8] = include_bytes!("../../../assets/demo/overflow_bare.elf");
/// The sources that the image was compiled from.
const SOURCES: [(&str, &[u8]); 4] = [
    (
        "overflow.c",
        include_bytes!("../../../assets/demo/overflow.c"),
    ),
    ("mini.c", include_bytes!("../../../assets/demo/mini.c")),
    ("mini.h", include_bytes!("../../../assets/demo/mini.h")),
    (
        "mini_a64.S",
        include_bytes!("../../../assets/demo/mini_a64.S"),
    ),
];

/// Unpacks the demo into the user's cache directory, unless it is there, and returns the trace's
/// path.
///
/// # Errors
/// No directory of the user is writable.
pub fn demo_path() -> Result<PathBuf> {
    let directory = demo_directory();
    fs::create_dir_all(&directory)
        .with_context(|| format!("the demo could not be unpacked into {directory:?}"))?;
    let trace = directory.join(DEMO_NAME);
    let text = zstd::decode_all(TRACE).context("the demo inside the program is damaged")?;
    put(&trace, &text)?;
    for (name, content) in SOURCES {
        put(&directory.join(name), content)?;
    }
    // After its sources, so that they do not seem newer than the image.
    put(&directory.join("overflow_bare.elf"), IMAGE)?;
    Ok(trace)
}

/// Returns true if a path is that of the unpacked demo.
pub fn is_demo(path: &Path) -> bool {
    path == demo_directory().join(DEMO_NAME)
}

const DEMO_NAME: &str = "overflow_bare.small.tarmac";

fn demo_directory() -> PathBuf {
    // Without a home directory, use the temporary directory.
    cache_directory()
        .unwrap_or_else(|| std::env::temp_dir().join("stepback"))
        .join("demo")
}

/// Writes a file unless it already has this content, so that the index next to it stays fresh. The
/// file appears atomically, also to another program that unpacks the demo at the same time.
fn put(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|found| found == content) {
        return Ok(());
    }
    NewFile::write_whole(path, content)
        .with_context(|| format!("the demo could not be unpacked: {path:?}"))
}

#[cfg(test)]
mod demo_tests {
    use super::*;

    #[test]
    fn the_index_lies_next_to_the_trace_under_its_whole_name() {
        let places = index_places(&OpenOptions::new("/there/a.tarmac"));
        assert_eq!(places.first().unwrap(), Path::new("/there/a.tarmac.sbi"));
    }

    #[test]
    fn no_index_lies_among_the_files_of_a_drmemtrace_trace() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap().join("a.dir");
        let inner = top.join("trace");
        std::fs::create_dir_all(&inner).unwrap();
        let file = inner.join("drmemtrace.a.1.0001.trace.zip");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(
            beside(&file),
            [top.join("drmemtrace.a.1.0001.trace.zip.sbi")]
        );
        assert_eq!(beside(&inner), [top.join("trace.sbi")]);
        assert_eq!(beside(&inner.join("")), [top.join("trace.sbi")]);
        assert_eq!(
            beside(&top),
            [top.with_added_extension("sbi"), top.join("stepback.sbi")]
        );
        let other = inner.join("run.tarmac");
        assert_eq!(beside(&other), [inner.join("run.tarmac.sbi")]);
        std::fs::write(inner.join("cpu_schedule.bin.zip"), "x").unwrap();
        assert_eq!(beside(&other), [top.join("run.tarmac.sbi")]);
    }

    #[test]
    fn an_explicit_path_is_the_only_place() {
        let options = OpenOptions {
            index: Some("b.sbi".into()),
            ..OpenOptions::new("a.tarmac")
        };
        let places = index_places(&options);
        assert_eq!(places, [Path::new("b.sbi")]);
    }

    #[test]
    fn files_that_are_opened_together_have_an_index_of_their_own() {
        let of = |more: &[&str]| {
            let files = std::iter::once("/there/a.rst")
                .chain(more.iter().copied())
                .map(PathBuf::from);
            index_places(&OpenOptions::of_files(files).unwrap()).swap_remove(0)
        };
        assert_eq!(of(&[]), Path::new("/there/a.rst.sbi"));
        let [two, three] = [of(&["/there/b.rst"]), of(&["/there/b.rst", "/there/c.rst"])];
        assert_ne!(two, three);
        let name = two.file_name().unwrap().to_string_lossy();
        assert!(
            name.starts_with("a.rst.and-") && name.ends_with(".sbi"),
            "{name}"
        );
    }

    #[test]
    fn two_traces_of_one_name_have_two_places_in_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let places = ["one", "two"].map(|name| {
            let trace = folder.path().join(name).join("a.tarmac");
            std::fs::create_dir(trace.parent().unwrap()).unwrap();
            std::fs::write(&trace, "x").unwrap();
            in_cache(&trace)
        });
        assert!(places[0].is_none() || places[0] != places[1]);
    }
}
