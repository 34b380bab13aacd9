//! RST traces: small ones from `fixtures/rst`, and longer ones from the folder `rst/` in
//! `STEPBACK_TRACES`.

mod damage;
mod forms;
mod golden;
mod packers;
mod several;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepback_parsers::files::{PackedKind, head_of};
use stepback_parsers::rst::{RecordReader, push_json, write_plain};
use stepback_parsers::{Problem, TraceFile};

/// Returns the folder of the long traces. Prints a note and returns none if it is not set.
fn traces() -> Option<PathBuf> {
    let folder =
        std::env::var_os("STEPBACK_TRACES").map(|folder| PathBuf::from(folder).join("rst"));
    if folder.is_none() {
        println!("skipped: STEPBACK_TRACES names no folder of real traces");
    }
    folder
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/rst")
        .join(name)
}

/// Wraps bytes as a trace file.
fn file(name: &str, bytes: Vec<u8>) -> TraceFile {
    TraceFile {
        name: name.to_owned(),
        data: Arc::new(bytes),
    }
}

/// Reads a file and unpacks gzip, zstd or xz.
fn content(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    match PackedKind::of(&bytes).unwrap() {
        Some(kind) => head_of(Arc::new(bytes), kind, 1 << 30).unwrap().text,
        None => bytes,
    }
}

/// Returns the plain records of a file, and its problems.
fn plain(name: &str, bytes: Vec<u8>) -> (Vec<u8>, Vec<Problem>) {
    let mut out = Vec::new();
    let problems = write_plain(vec![file(name, bytes)], &mut out, &mut |_| {})
        .unwrap()
        .problems;
    (out, problems)
}

/// Formats the records of a file as JSON objects, one per line.
fn json(path: &Path) -> String {
    let name = path.file_name().unwrap().to_str().unwrap();
    let mut reader = RecordReader::new(vec![file(name, fs::read(path).unwrap())]);
    let mut out = Vec::new();
    while let Some(batch) = reader.next_batch().unwrap() {
        assert_eq!(batch.problems, []);
        for (number, record) in (batch.first..).zip(batch.records()) {
            push_json(&mut out, number, &record);
            out.push(b'\n');
        }
    }
    String::from_utf8(out).unwrap()
}
