//! A session over a trace of the fixtures, for tests.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use stepback_generator::drmemtrace::{Container, Sample, SampleFile, TraceRecipe, TraceWriter};
use tempfile::TempDir;

use crate::image::ImageSpec;
use crate::session::{OpenOptions, Session, open};

/// Session with 1,763 steps of a server that dies in a function that it should not call; without
/// symbols.
pub fn overflow() -> Arc<Session> {
    static SESSION: LazyLock<(Arc<Session>, TempDir)> = LazyLock::new(|| {
        let place = tempfile::tempdir().expect("a directory for the index");
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .join("fixtures/overflow_bare.tiny.tarmac");
        let options = OpenOptions {
            index: Some(place.path().join("overflow.sbi")),
            ..OpenOptions::new(path)
        };
        let session = open(&options, &Default::default(), &Default::default()).expect("a fixture");
        (Arc::new(session), place)
    });
    Arc::clone(&SESSION.0)
}

/// Session of [`overflow`] with the program image.
pub fn overflow_with_image() -> Arc<Session> {
    static SESSION: LazyLock<(Arc<Session>, TempDir)> = LazyLock::new(|| {
        let place = tempfile::tempdir().expect("a directory for the index");
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let image = ImageSpec {
            path: root.join("assets/demo/overflow_bare.elf"),
            offset: 0,
        };
        let options = OpenOptions {
            index: Some(place.path().join("overflow.sbi")),
            images: vec![image],
            ..OpenOptions::new(root.join("fixtures/overflow_bare.tiny.tarmac"))
        };
        let session = open(&options, &Default::default(), &Default::default()).expect("a fixture");
        session.images.load_lines();
        (Arc::new(session), place)
    });
    Arc::clone(&SESSION.0)
}

/// Opens a Tarmac trace from text. Returns the session and the directory of its file.
pub fn tarmac(text: &str) -> (Arc<Session>, TempDir) {
    let place = tempfile::tempdir().expect("a directory for the trace");
    let path = place.path().join("a.tarmac");
    std::fs::write(&path, text).expect("a file in a new directory");
    let session = open(
        &OpenOptions::new(path),
        &Default::default(),
        &Default::default(),
    )
    .expect("a trace");
    (Arc::new(session), place)
}

/// Opens a drmemtrace trace of one thread. Returns the session and the directory of its files.
pub fn drmemtrace(write: impl FnOnce(&mut TraceWriter)) -> (Arc<Session>, TempDir) {
    drmemtrace_with("", write)
}

/// Like [`drmemtrace`], with a list of traced functions.
pub fn drmemtrace_with(
    functions: &str,
    write: impl FnOnce(&mut TraceWriter),
) -> (Arc<Session>, TempDir) {
    let place = tempfile::tempdir().expect("a directory for the trace");
    std::fs::write(place.path().join("funclist.log"), functions)
        .expect("a file in a new directory");
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(13_400_000_000_000_000, 0);
    write(&mut writer);
    let path = place.path().join("drmemtrace.app.100.0001.trace");
    std::fs::write(&path, writer.finish().pack(Container::Plain))
        .expect("a file in a new directory");
    let session = open(
        &OpenOptions::new(path),
        &Default::default(),
        &Default::default(),
    )
    .expect("a trace");
    (Arc::new(session), place)
}

pub fn sample(kind: Sample) -> (Session, TempDir) {
    recorded(&kind.files(Container::Plain))
}

pub fn recorded(files: &[SampleFile]) -> (Session, TempDir) {
    let place = tempfile::tempdir().expect("a directory for the trace");
    let write = |file: &SampleFile| std::fs::write(place.path().join(&file.name), &file.bytes);
    files
        .iter()
        .try_for_each(write)
        .expect("the files of the trace");
    let session = open(
        &OpenOptions::new(place.path()),
        &Default::default(),
        &Default::default(),
    );
    (session.expect("a trace"), place)
}
