//! drmemtrace traces: real ones compared with the output of DynamoRIO's tools (skipped without
//! `STEPBACK_TRACES`), and generated ones of every container and version, whole and damaged.

mod counts;
mod damage;
mod findings;
mod fixtures;
mod listing;
mod samples;
mod view;

use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stepback_parsers::TraceFile;
use stepback_parsers::drmemtrace::{RecordSink, read_records};
use stepback_parsers::stored::ReadEnd;

/// Returns the folder of the traces. Prints a note and returns none if it is not set.
fn traces() -> Option<PathBuf> {
    let folder =
        std::env::var_os("STEPBACK_TRACES").map(|folder| PathBuf::from(folder).join("drmemtrace"));
    if folder.is_none() {
        println!("skipped: STEPBACK_TRACES names no folder of real traces");
    }
    folder
}

/// Returns the trace files of a folder, or one file.
fn files(path: &Path) -> Vec<TraceFile> {
    let mut paths = vec![path.to_owned()];
    if path.is_dir() {
        paths = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.retain(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .contains(".trace")
        });
        paths.sort();
    }
    let file = |path: PathBuf| TraceFile {
        name: path.file_name().unwrap().to_str().unwrap().to_owned(),
        data: Arc::new(File::open(&path).unwrap()),
    };
    paths.into_iter().map(file).collect()
}

fn read<S: RecordSink>(path: &Path, sink: &mut S) {
    assert_eq!(
        read_records(files(path), &AtomicBool::new(false), sink).unwrap(),
        ReadEnd::Complete
    );
}
