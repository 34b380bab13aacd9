//! The traces stored as files.

use std::fs;
use std::path::Path;

use stepback_generator::drmemtrace::{SampleFile, TraceTruth, fixtures};

use super::listing::Listing;
use super::samples::{found, written};

/// Reads the files of a stored trace in the order of their names. Freshly written files give the
/// expected content.
fn kept(folder: &Path, today: &[SampleFile]) -> Vec<SampleFile> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        today
            .iter()
            .map(|file| file.name.as_str())
            .collect::<Vec<_>>(),
        "{}",
        folder.display()
    );
    let read = |file: &SampleFile| SampleFile {
        name: file.name.clone(),
        bytes: fs::read(folder.join(&file.name)).unwrap(),
        truth: TraceTruth::default(),
    };
    today.iter().map(read).collect()
}

#[test]
fn kept_traces_hold_what_is_written_today() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/drmemtrace");
    let mut folders: Vec<_> = fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    folders.sort();
    let mut names: Vec<_> = fixtures().into_iter().map(|(name, ..)| name).collect();
    names.sort();
    assert_eq!(
        folders,
        names.iter().map(String::as_str).collect::<Vec<_>>()
    );
    for (name, sample, container) in fixtures() {
        let today = sample.files(container);
        let listing = Listing::of(&kept(&root.join(&name).join("trace"), &today));
        assert_eq!(listing.messages(), "", "{name}");
        assert_eq!(found(&listing), written(&today), "{name}");
        // The packed bytes are not compared, because they depend on library versions.
        assert_eq!(
            listing.lines,
            Listing::of(&today).lines,
            "{name}: write it anew as the README of fixtures says"
        );
    }
}
