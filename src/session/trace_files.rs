//! Which files a drmemtrace trace consists of.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use stepback_index::Fingerprint;
use stepback_parsers::drmemtrace::{TraceFile, TraceHead};
use stepback_parsers::{ReadAt, SourceError};

use super::input::{modified_nanos, refused};

/// More files than these are not kept open: systems limit them to about a thousand.
const OPEN_LIMIT: usize = 256;
/// What recorders put among the files of a trace.
const COMPANIONS: [&str; 8] = [
    "serial_schedule.bin",
    "cpu_schedule.bin",
    "modules.log",
    "funclist.log",
    "encodings.bin",
    "v2p.textproto",
    "info.textproto",
    "syscall_record_file",
];

/// The files of a drmemtrace trace: one a thread or core, mostly.
#[derive(Clone, Debug)]
pub struct TraceFiles {
    /// Where they are.
    pub directory: PathBuf,
    /// In the order in which their records of equal time are put.
    pub files: Vec<PathBuf>,
    /// What the user should know about them.
    pub notices: Vec<String>,
    /// Lengths and times of the files when they were opened.
    state: Vec<Option<(u64, u64)>>,
}

impl TraceFiles {
    /// A trace that is one file; none when it is no drmemtrace trace.
    pub fn of_file(path: &Path) -> Result<Option<Self>> {
        let file = TraceFile { name: String::new(), data: open(path, 1).map_err(|error| refused(&error, path))? };
        let Ok(Some(_)) = TraceHead::of(&file) else {
            if is_raw(path) {
                bail!("{RAW}: {path:?}");
            }
            return Ok(None);
        };
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let others = entries(directory).map_or(0, |names| traces_in(&names).count().saturating_sub(1));
        let notice = (others > 0).then(|| {
            let (file, is) = if others == 1 { ("file", "is") } else { ("files", "are") };
            format!("{others} more {file} of traces {is} beside this one: to see all threads, open the directory: {directory:?}")
        });
        Ok(Some(Self::new(directory, vec![path.to_owned()], notice.into_iter().collect())))
    }

    /// The trace in a directory: the one that the recorder made, or the one inside with the files.
    pub fn of_directory(path: &Path) -> Result<Self> {
        let inner = path.join("trace");
        let top = if inner.is_dir() { inner } else { path.to_owned() };
        let names = entries(&top).map_err(|error| refused(&error, path))?;
        let (mut directory, mut files, mut notices) = (top.clone(), traces_in(&names).collect::<Vec<_>>(), Vec::new());
        if files.is_empty() {
            let windows: Vec<_> =
                names.iter().filter(|path| name_of(path).starts_with("window.") && path.is_dir()).collect();
            if let Some(window) = windows.first() {
                directory = (*window).clone();
                files = traces_in(&entries(window).map_err(|error| refused(&error, path))?).collect();
                if windows.len() > 1 {
                    let (count, shown) = (windows.len(), name_of(window));
                    notices.push(format!("this trace has {count} windows of time; shown is {shown}, the others are opened by their directories: {top:?}"));
                }
            }
        }
        if files.is_empty() {
            return Err(nothing_in(path, &names));
        }
        let skipped = names.iter().filter(|path| is_called_trace(path) && !files.contains(path) && path.is_file());
        notices.extend(skipped.map(|path| format!("a file is left out that does not begin like a trace: {path:?}")));
        Ok(Self::new(&directory, files, notices))
    }

    fn new(directory: &Path, files: Vec<PathBuf>, notices: Vec<String>) -> Self {
        let state = files.iter().map(|path| state_of(path)).collect();
        Self { directory: directory.to_owned(), files, notices, state }
    }

    /// The files, open.
    pub fn open(&self) -> Result<Vec<TraceFile>> {
        let open = |path: &PathBuf| {
            let data = open(path, self.files.len()).map_err(|error| refused(&error, path))?;
            Ok(TraceFile { name: name_of(path), data })
        };
        self.files.iter().map(open).collect()
    }

    /// The fingerprint of all files together.
    pub fn fingerprint(&self, files: &[TraceFile]) -> Result<Fingerprint, SourceError> {
        let mut parts = BTreeMap::new();
        for (file, state) in files.iter().zip(&self.state) {
            let modified = state.map_or(0, |(_, modified)| modified);
            parts.insert(file.name.clone(), Fingerprint::of_file(&*file.data, modified, String::new())?);
        }
        Ok(Fingerprint::of_parts(&parts))
    }

    /// True when a file is no longer what it was. One that is missing just now does not count.
    pub fn is_changed(&self) -> bool {
        self.files.iter().zip(&self.state).any(|(path, before)| state_of(path).is_some_and(|now| Some(now) != *before))
    }
}

fn state_of(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), modified_nanos(&metadata)))
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What is in a directory, by name.
fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Those that begin like traces.
fn traces_in(paths: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    paths.iter().filter(|path| is_trace(path)).cloned()
}

fn is_trace(path: &Path) -> bool {
    let name = name_of(path);
    let is_companion = COMPANIONS.iter().any(|companion| name.starts_with(companion));
    if is_companion || name.starts_with('.') || !path.is_file() {
        return false;
    }
    let head = || TraceHead::of(&TraceFile { name: String::new(), data: open(path, 1).ok()? }).ok()?;
    head().is_some()
}

/// Whether a file bears a name as traces have.
fn is_called_trace(path: &Path) -> bool {
    let name = name_of(path);
    let endings = [".trace", ".trace.zip", ".trace.gz", ".trace.lz4", ".trace.sz", ".memtrace.sz"];
    endings.iter().any(|ending| name.ends_with(ending))
}

fn is_raw(path: &Path) -> bool {
    let name = name_of(path);
    name.ends_with(".raw") || name.contains(".raw.")
}

/// What to do about a recording that was not post-processed.
const RAW: &str = "this is the raw recording alone, which DynamoRIO has to put into its final form first: run drraw2trace -indir DIR with \
    the directory that the recorder made, on the machine where it was made";

/// Why a directory cannot be opened.
fn nothing_in(path: &Path, names: &[PathBuf]) -> anyhow::Error {
    let is_raw_directory =
        |directory: &Path| entries(directory).is_ok_and(|names| names.iter().any(|path| is_raw(path)));
    if is_raw_directory(path) || is_raw_directory(&path.join("raw")) {
        return anyhow!("{RAW}: {path:?}");
    }
    let recorded = names.iter().filter(|path| name_of(path).starts_with("drmemtrace.") && path.is_dir()).count();
    if recorded > 0 {
        let (traces, them) = if recorded == 1 { ("trace", "it") } else { ("traces", "one of them") };
        return anyhow!("this directory holds the directories of {recorded} {traces}: open {them}: {path:?}");
    }
    match names.iter().find(|path| is_called_trace(path)) {
        Some(damaged) => anyhow!("no file of this directory begins like a drmemtrace trace: {damaged:?}"),
        None => anyhow!(
            "this directory holds no drmemtrace trace; traces of other formats are opened by their files: {path:?}"
        ),
    }
}

/// Opens one of `count` files.
fn open(path: &Path, count: usize) -> io::Result<Arc<dyn ReadAt>> {
    let file = File::open(path)?;
    Ok(if count > OPEN_LIMIT { Arc::new(ClosedFile(path.to_owned())) } else { Arc::new(file) })
}

/// A file that is opened for each read.
struct ClosedFile(PathBuf);

impl ReadAt for ClosedFile {
    fn length(&self) -> io::Result<u64> {
        Ok(fs::metadata(&self.0)?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        File::open(&self.0)?.read_at(offset, buffer)
    }
}
