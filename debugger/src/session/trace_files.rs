//! Files that a trace of records consists of.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use anyhow::{Result, bail};
use stepback_index::build::Fingerprint;
use stepback_parsers::drmemtrace::{LayoutError, TraceLayout};
use stepback_parsers::files::{PackedKind, head_of};
use stepback_parsers::template::Template;
use stepback_parsers::{Format, ReadAt, SourceError, TraceFile, detect};

use super::OpenOptions;
use super::input::{check_kind, modified_nanos, refused, template_of};
use crate::messages::{say, system_words};
use crate::session::notice::of_file;
use crate::session::places::is_same_file;

/// Maximum number of files kept open: systems limit it to about a thousand.
const OPEN_LIMIT: usize = 256;
/// Maximum length of the prefix of nested directories. The deepest is `trace/window.0000/`.
const NESTING_LIMIT: usize = 32;
/// Extensions of compressed files and of text, which say nothing about the content.
const SHARED_ENDINGS: [&str; 8] = ["gz", "zst", "xz", "zip", "lz4", "sz", "txt", "log"];
/// Maximum number of traces inside a directory that a message names.
const LISTED: usize = 8;
/// Maximum number of names of a folder that are examined: a list may have thousands of folders.
const LOOKED_AT: usize = 64;
/// Extensions of raw records, compressed or not.
const RAW_ENDINGS: [&str; 5] = [".raw", ".raw.lz4", ".raw.gz", ".raw.zlib", ".raw.sz"];

/// Files of a trace of records: usually one per thread or core.
#[derive(Clone, Debug)]
pub struct TraceFiles {
    pub format: Format,
    pub directory: PathBuf,
    /// In the order that decides between records of equal time.
    pub files: Vec<PathBuf>,
    /// Notices for the user.
    pub notices: Vec<String>,
    /// Length and modification time of each file when it was opened.
    state: Vec<Option<(u64, u64)>>,
}

impl TraceFiles {
    /// Finds the files of a trace; none if it is a text trace.
    pub fn of(options: &OpenOptions) -> Result<Option<Self>> {
        let path = &options.path;
        // Check before opening: opening a pipe would wait for its writer.
        for path in options.paths() {
            let metadata = fs::metadata(path).map_err(|error| refused(&error, path))?;
            if !metadata.is_dir() || !options.more.is_empty() {
                check_kind(&metadata, path)?;
            }
        }
        if !options.more.is_empty() {
            // A file with a description may begin with anything.
            let template = template_of(options)?;
            if template.as_ref().and_then(Template::lines).is_some() {
                let paths = distinct(options.paths())?;
                return Ok(Some(Self::merged(Format::Described, paths)));
            }
            return Self::of_files(options.paths()).map(Some);
        }
        if path.is_dir() {
            return Self::of_directory(path).map(Some);
        }
        if let Some(template) = template_of(options)? {
            if template.lines().is_some() {
                return Ok(None);
            }
            return Ok(Some(Self::new(
                Format::Btrace,
                &directory_of(path),
                vec![path.clone()],
                Vec::new(),
            )));
        }
        let may_be = options.format.is_none_or(|format| !format.is_text());
        let found = if may_be { Self::of_file(path)? } else { None };
        // The user names the format: a damaged beginning costs only the beginning.
        let named = options.format.filter(|_| found.is_none());
        if let Some(format) = named
            && format.is_damaged_file(&file_of(path).map_err(|error| refused(&error, path))?)
        {
            return Ok(Some(Self::new(
                format,
                &directory_of(path),
                vec![path.clone()],
                Vec::new(),
            )));
        }
        Ok(found)
    }

    /// Returns a trace of one file; none if the file is no trace of records.
    pub fn of_file(path: &Path) -> Result<Option<Self>> {
        let Some(format) = format_of(path).map_err(|error| refused(&error, path))? else {
            return Ok(None);
        };
        let directory = &*directory_of(path);
        let program = program_of(&name_of(path)).to_owned();
        let is_sibling = |name: &&String| program_of(name) == program && **name != name_of(path);
        // Only by name: reading all files of a large directory takes long.
        let named = layout_of(directory, |_| false);
        let others = named.map_or(0, |layout| layout.inputs.iter().filter(is_sibling).count());
        let notice = (others > 0).then(|| {
            say!(
                "notice-more-files",
                count = others as u64,
                directory = format!("{directory:?}")
            )
        });
        Ok(Some(Self::new(
            format,
            directory,
            vec![path.to_owned()],
            notice.into_iter().collect(),
        )))
    }

    /// Creates a trace of several files, in this order.
    pub fn of_files<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<Self> {
        let paths = distinct(paths)?;
        let mut formats = Vec::new();
        for path in &paths {
            formats.push(format_of(path).map_err(|error| refused(&error, path))?);
        }
        let known = formats
            .iter()
            .zip(&paths)
            .find_map(|(format, path)| Some(((*format)?, path)));
        let Some((format, first)) = known else {
            let mut texts = paths.iter().map(|path| text_format_of(path));
            if let Some(Some(format)) = texts.next()
                && texts.all(|other| other == Some(format))
            {
                return Ok(Self::merged(format, paths));
            }
            let listed = paths
                .iter()
                .take(LISTED)
                .map(|path| format!("{path:?}"))
                .collect::<Vec<_>>()
                .join(", ");
            bail!(
                "several files are one trace only where all hold records or text of one format: {listed}"
            );
        };
        // Parts of a trace need not begin like one, but they are no text.
        let found = formats
            .iter()
            .zip(&paths)
            .map(|(found, path)| (found.or_else(|| text_format_of(path)), path));
        if let Some((other, path)) = found
            .filter_map(|(found, path)| Some((found?, path)))
            .find(|(found, _)| *found != format)
        {
            bail!(
                "{}: the files of a trace are of one format, but this one is {}, not {} like {}",
                path.display(),
                other.title(),
                format.title(),
                first.display()
            );
        }
        Ok(Self::new(format, &directory_of(first), paths, Vec::new()))
    }

    /// Creates a text trace with one file per core.
    fn merged(format: Format, paths: Vec<PathBuf>) -> Self {
        let notice = say!("notice-files-merged", count = paths.len() as u64);
        let directory = paths
            .first()
            .map(|first| directory_of(first))
            .unwrap_or_default();
        Self::new(format, &directory, paths, vec![notice])
    }

    /// Sorts files that were chosen or dropped together by name. Numbers in names sort numerically:
    /// 10 after 9.
    pub fn in_order(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
        paths.sort_by_cached_key(|path| natural_key(&name_of(path)));
        paths
    }

    /// Finds the trace in a directory that a recorder made, or in the inner one with the files.
    pub fn of_directory(path: &Path) -> Result<Self> {
        let is_input =
            |name: &str| matches!(format_of(&path.join(name)), Ok(Some(Format::Drmemtrace)));
        let layout = match layout_of(path, is_input) {
            Ok(layout) => layout,
            Err(LayoutError::Nothing) => {
                return Self::lying_in(path)?.ok_or_else(|| nothing_in(path));
            }
            Err(error) => {
                return Err(unreadable_part(path).unwrap_or_else(|| unusable(path, error)));
            }
        };
        let files: Vec<_> = layout.inputs.iter().map(|name| path.join(name)).collect();
        // Other recorders use the extension of this one too.
        let is_other = |file: &PathBuf| matches!(format_of(file), Ok(Some(format)) if format != Format::Drmemtrace);
        if files.iter().all(is_other) {
            return Self::lying_in(path)?.ok_or_else(|| nothing_in(path));
        }
        if are_unrelated(&files, &layout.companions)? {
            let names = layout.inputs;
            return Err(TracesInside {
                directory: path.to_owned(),
                names,
            }
            .into());
        }
        let directory = files
            .first()
            .and_then(|file| file.parent())
            .unwrap_or(path)
            .to_owned();
        let others = layout.other_windows.len();
        let notice = (others > 0).then(|| {
            say!(
                "notice-more-windows",
                count = others as u64,
                directory = format!("{directory:?}")
            )
        });
        Ok(Self::new(
            Format::Drmemtrace,
            &directory,
            files,
            notice.into_iter().collect(),
        ))
    }

    /// Finds the trace that consists of the files in a directory, regardless of their names; none
    /// if there is none or more than one.
    fn lying_in(directory: &Path) -> Result<Option<Self>> {
        let mut names = Vec::new();
        add_names(directory, "", &mut names);
        let paths = names
            .iter()
            .map(|name| directory.join(name))
            .filter(|path| path.parent() == Some(directory));
        let paths = Self::in_order(paths.filter(|path| is_trace(path)).collect());
        let Ok(found) = Self::of_files(paths.iter().map(|path| &**path)) else {
            return Ok(None);
        };
        let is_one = found.files.len() == 1 || found.format.are_one_trace(&found.open()?);
        Ok(is_one.then_some(found))
    }

    /// Returns true if a path leads to a trace of records.
    pub fn are_at(path: &Path) -> bool {
        match path.is_dir() {
            true => Self::of_directory(path).is_ok(),
            // Opening a pipe would wait for its writer.
            false => path.is_file() && matches!(Self::of_file(path), Ok(Some(_))),
        }
    }

    fn new(format: Format, directory: &Path, files: Vec<PathBuf>, notices: Vec<String>) -> Self {
        let state = files.iter().map(|path| state_of(path)).collect();
        Self {
            format,
            directory: directory.to_owned(),
            files,
            notices,
            state,
        }
    }

    pub fn open(&self) -> Result<Vec<TraceFile>> {
        let open = |path: &PathBuf| {
            let data = open(path, self.files.len()).map_err(|error| refused(&error, path))?;
            Ok(TraceFile {
                name: name_of(path),
                data,
            })
        };
        self.files.iter().map(open).collect()
    }

    /// Computes the fingerprint of all files together.
    pub fn fingerprint(&self, files: &[TraceFile]) -> Result<Fingerprint, SourceError> {
        let mut parts = BTreeMap::new();
        for (file, state) in files.iter().zip(&self.state) {
            let modified = state.map_or(0, |(_, modified)| modified);
            let mut name = file.name.clone();
            // Files with equal names count, and so does an order other than that of the names.
            if parts
                .last_key_value()
                .is_some_and(|(last, _)| *last >= name)
            {
                name = format!("{}/{name}", parts.len());
            }
            parts.insert(
                name,
                Fingerprint::of_file(&*file.data, modified, String::new())?,
            );
        }
        Ok(Fingerprint::of_parts(&parts))
    }

    /// Returns true if a file changed. A missing file does not count.
    pub fn is_changed(&self) -> bool {
        self.files
            .iter()
            .zip(&self.state)
            .any(|(path, before)| state_of(path).is_some_and(|now| Some(now) != *before))
    }
}

/// Returns the size of a trace in bytes: of a file, or of all files of the trace in a directory.
/// Blocks.
///
/// # Errors
/// The file does not exist, or the directory contains no trace.
pub fn trace_bytes(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_dir() {
        return Ok(metadata.len());
    }
    let states = TraceFiles::of_directory(path)?.state;
    Ok(states
        .into_iter()
        .flatten()
        .fold(0, |sum, (length, _)| sum.saturating_add(length)))
}

fn state_of(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), modified_nanos(&metadata)))
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Returns `drmemtrace.app` of `drmemtrace.app.123.0001.trace.zip`, which all threads of a program
/// share.
fn program_of(name: &str) -> &str {
    let stem = name.rsplit_once(".trace").map_or(name, |(stem, _)| stem);
    stem.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
}

/// Returns true if the files of a directory are several traces: they are of several programs
/// without a common schedule, or their records have several versions.
///
/// Cost: reads the beginning of one file per program.
fn are_unrelated(files: &[PathBuf], companions: &[String]) -> Result<bool> {
    let mut examples: BTreeMap<String, &PathBuf> = BTreeMap::new();
    for file in files {
        examples
            .entry(program_of(&name_of(file)).to_owned())
            .or_insert(file);
    }
    if examples.len() < 2 {
        return Ok(false);
    }
    let recorded = files
        .iter()
        .filter_map(|file| recorded_program(&name_of(file)).map(str::to_owned));
    let programs: BTreeSet<String> = recorded.collect();
    let has_schedule = companions.iter().any(|name| name.contains("schedule.bin"));
    if programs.len() > 1 && !has_schedule {
        return Ok(true);
    }
    let open = |path: &&PathBuf| {
        let data = open(path, 1).map_err(|error| refused(&error, path))?;
        Ok(TraceFile {
            name: name_of(path),
            data,
        })
    };
    let heads = examples
        .values()
        .take(LOOKED_AT)
        .map(open)
        .collect::<Result<Vec<TraceFile>>>()?;
    Ok(!Format::Drmemtrace.are_one_trace(&heads))
}

/// Returns `app` of `drmemtrace.app.123.0001.trace.zip`, the recorders' name for the file of a
/// thread.
fn recorded_program(name: &str) -> Option<&str> {
    let (stem, _) = name.strip_prefix("drmemtrace.")?.rsplit_once(".trace")?;
    let (stem, number) = stem.rsplit_once('.')?;
    let (program, process) = stem.rsplit_once('.')?;
    let is_number =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    (is_number(number) && is_number(process)).then_some(program)
}

/// Finds the files of a directory that form a trace. `is_trace` decides on files whose names are
/// not those of recorders.
fn layout_of(
    directory: &Path,
    is_trace: impl FnMut(&str) -> bool,
) -> Result<TraceLayout, LayoutError> {
    let mut names = Vec::new();
    add_names(directory, "", &mut names);
    TraceLayout::of(names.iter().map(String::as_str), is_trace)
}

/// Returns true if a file begins like a trace of records.
pub fn is_trace(path: &Path) -> bool {
    // Opening a pipe would wait for its writer.
    path.is_file() && matches!(format_of(path), Ok(Some(_)))
}

/// Detects the format of a file of records by its beginning; none if no format matches.
pub(super) fn format_of(path: &Path) -> io::Result<Option<Format>> {
    Ok(Format::of_file(&file_of(path)?))
}

fn file_of(path: &Path) -> io::Result<TraceFile> {
    Ok(TraceFile {
        name: String::new(),
        data: open(path, 1)?,
    })
}

fn directory_of(path: &Path) -> PathBuf {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
        .to_owned()
}

/// Returns the title of the format that a name suggests, compressed or not. Generic extensions, and
/// those of several formats, are ignored.
pub fn format_of_name(name: &str) -> Option<&'static str> {
    match formats_of_name(name)[..] {
        [format] => Some(format.title()),
        _ => None,
    }
}

/// Returns the title of the format of a file, by its beginning if several formats use its
/// extension. Blocks.
pub fn format_of_file(path: &Path) -> Option<&'static str> {
    match formats_of_name(&name_of(path))[..] {
        [] => None,
        [format] => Some(format.title()),
        _ if path.is_file() => format_of(path).ok().flatten().map(Format::title),
        _ => None,
    }
}

/// Returns the formats whose traces may have a name.
fn formats_of_name(name: &str) -> Vec<Format> {
    if name.starts_with("drmemtrace.") {
        return vec![Format::Drmemtrace];
    }
    let mut stem = name;
    while let Some((rest, ending)) = stem.rsplit_once('.') {
        let ending = ending.to_ascii_lowercase();
        if !SHARED_ENDINGS.contains(&&*ending) {
            return Format::all()
                .filter(|format| format.endings().contains(&&*ending))
                .collect();
        }
        stem = rest;
    }
    Vec::new()
}

/// Returns the title of the format of a folder's trace, by the first files in it or in its
/// subfolder `trace`. Recordings of drmemtrace have many files; a trace of records of another
/// format must be the only trace. Blocks.
pub fn format_of_folder(folder: &Path) -> Option<&'static str> {
    let formats_in = |folder: &Path| -> Vec<&'static str> {
        let paths = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .take(LOOKED_AT)
            .map(|entry| entry.path());
        paths
            .filter_map(|path| format_of_file(&path).filter(|_| path.is_file()))
            .collect()
    };
    let drmemtrace = Format::Drmemtrace.title();
    let own = formats_in(folder);
    match own[..] {
        [format] if format != Format::Tarmac.title() => Some(format),
        _ => [own, formats_in(&folder.join("trace"))]
            .concat()
            .contains(&drmemtrace)
            .then_some(drmemtrace),
    }
}

/// Returns a sort key in which the digits in a name form numbers.
pub fn natural_key(name: &str) -> Vec<(u64, String)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.len()
            - rest
                .trim_start_matches(|letter: char| letter.is_ascii_digit())
                .len();
        let (number, after) = rest.split_at(digits);
        let words = after
            .find(|letter: char| letter.is_ascii_digit())
            .unwrap_or(after.len());
        let (word, after) = after.split_at(words);
        key.push((number.parse().unwrap_or(0), word.to_owned()));
        rest = after;
    }
    key
}

/// Collects the files of a directory and of its subdirectories that recorders make. Unreadable ones
/// are skipped.
fn add_names(directory: &Path, prefix: &str, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = name_of(&path);
        if is_of_recorder(&path) {
            // Links may form cycles.
            if prefix.len() < NESTING_LIMIT {
                add_names(&path, &format!("{prefix}{name}/"), names);
            }
        } else if path.is_file() && !name.starts_with('.') {
            names.push(format!("{prefix}{name}"));
        }
    }
}

/// Returns true for a subdirectory with a name that a recorder uses.
fn is_of_recorder(path: &Path) -> bool {
    let name = name_of(path);
    (matches!(&*name, "trace" | "raw" | "aux") || name.starts_with("window.")) && path.is_dir()
}

/// Returns the error for a subdirectory of a recorder that cannot be read; none if all can.
fn unreadable_part(directory: &Path) -> Option<anyhow::Error> {
    let entries = fs::read_dir(directory).ok()?.flatten();
    let mut parts = entries
        .map(|entry| entry.path())
        .filter(|path| is_of_recorder(path));
    parts.find_map(|part| {
        let error = fs::read_dir(&part).err()?;
        Some(of_file(
            &part,
            say!("open-directory-unreadable", error = system_words(&error)),
        ))
    })
}

/// Returns the error for a file whose name is that of raw records; none for other names.
pub(super) fn raw_refusal(path: &Path) -> Option<anyhow::Error> {
    let name = name_of(path);
    let is_raw = RAW_ENDINGS.iter().any(|ending| name.ends_with(ending));
    is_raw.then(|| unusable(path, LayoutError::OnlyRaw))
}

fn unusable(path: &Path, error: LayoutError) -> anyhow::Error {
    let what = if path.is_dir() {
        "this directory"
    } else {
        "this file"
    };
    of_file(path, format_args!("{what} {error}"))
}

/// Error: a directory that is no trace but contains traces.
#[derive(Debug)]
pub struct TracesInside {
    pub directory: PathBuf,
    /// Names of the traces; never empty.
    pub names: Vec<String>,
}

impl std::fmt::Display for TracesInside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { directory, names } = self;
        if let [one] = &**names {
            return write!(
                f,
                "{}: a trace is inside this directory, open that one: {one}",
                directory.display()
            );
        }
        let more = names.len().saturating_sub(LISTED);
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let listed = names
            .iter()
            .take(LISTED)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        write!(
            f,
            "{}: {} traces are inside this directory, open one of them (or name all files of one trace): {listed}{rest}",
            directory.display(),
            names.len()
        )
    }
}

impl std::error::Error for TracesInside {}

/// Returns the error for a directory without a trace.
fn nothing_in(path: &Path) -> anyhow::Error {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => {
            return of_file(
                path,
                say!("open-directory-unreadable", error = system_words(&error)),
            );
        }
    };
    if let Some(error) = unreadable_part(path) {
        return error;
    }
    let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    inside.sort();
    let names: Vec<String> = inside
        .iter()
        .filter(|path| looks_like_trace(path))
        .map(|path| name_of(path))
        .collect();
    match names.is_empty() {
        true => unusable(path, LayoutError::Nothing),
        false => TracesInside {
            directory: path.to_owned(),
            names,
        }
        .into(),
    }
}

/// Returns true for directories with a recorder's name, for files of records, and for files with
/// the extension and the beginning of a text format.
fn looks_like_trace(path: &Path) -> bool {
    let name = name_of(path);
    if path.is_dir() {
        return name.starts_with("drmemtrace.");
    }
    let mut endings = Format::all()
        .filter(|format| format.is_text())
        .flat_map(Format::endings);
    let is_named = endings.any(|ending| {
        name.rsplit_once('.')
            .is_some_and(|(_, found)| found == *ending)
    });
    is_trace(path) || is_named && text_format_of(path).is_some()
}

/// Returns true if a file begins like a trace of any format.
pub fn is_trace_file(path: &Path) -> bool {
    is_trace(path) || text_format_of(path).is_some()
}

/// Detects the format of a text file by its beginning; a compressed file is unpacked for this.
pub(super) fn text_format_of(path: &Path) -> Option<Format> {
    // Opening a pipe would wait for its writer.
    let file = path.is_file().then(|| File::open(path).ok()).flatten()?;
    match PackedKind::of(&file).ok()? {
        Some(kind) => detect(&head_of(Arc::new(file), kind, Format::HEAD_BYTES).ok()?.text).ok(),
        None => Format::of_input(&file).ok(),
    }
}

/// Returns paths of different files.
fn distinct<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<Vec<PathBuf>> {
    let paths: Vec<PathBuf> = paths.into_iter().map(Path::to_owned).collect();
    for (number, path) in paths.iter().enumerate() {
        let mut before = paths.iter().take(number);
        if before.any(|other| is_same_file(other, path)) {
            return Err(of_file(path, "this file was named twice"));
        }
    }
    Ok(paths)
}

/// Opens one of `count` files.
fn open(path: &Path, count: usize) -> io::Result<Arc<dyn ReadAt>> {
    let file = File::open(path)?;
    Ok(if count > OPEN_LIMIT {
        Arc::new(ClosedFile(path.to_owned()))
    } else {
        Arc::new(file)
    })
}

/// A file that is opened anew for each read.
struct ClosedFile(PathBuf);

impl ReadAt for ClosedFile {
    fn length(&self) -> io::Result<u64> {
        Ok(fs::metadata(&self.0)?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        File::open(&self.0)?.read_at(offset, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::input::Input;

    #[test]
    fn a_directory_of_several_traces_lists_them() {
        let folder = tempfile::tempdir().unwrap();
        let message = || {
            Input::open(&OpenOptions::new(folder.path()))
                .unwrap_err()
                .to_string()
        };
        fs::write(folder.path().join("notes.txt"), "nothing yet").unwrap();
        assert!(!message().contains("inside"), "{}", message());
        let line = "1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n";
        fs::write(folder.path().join("b.tarmac"), line).unwrap();
        assert!(
            message().contains("a trace is inside this directory, open that one: b.tarmac"),
            "{}",
            message()
        );
        fs::write(folder.path().join("a.log"), line).unwrap();
        fs::create_dir(folder.path().join("drmemtrace.app.1.dir")).unwrap();
        let expected = "3 traces are inside this directory, open one of them (or name all files of one trace): a.log, b.tarmac, drmemtrace.app.1.dir";
        assert!(message().contains(expected), "{}", message());
        // Compressed text also counts if it begins like a trace.
        let packed = |name: &str, text: &str| {
            let bytes = zstd::encode_all(text.as_bytes(), 1).unwrap();
            fs::write(folder.path().join(name), bytes).unwrap();
        };
        packed("a.golden.jsonl.zst", "{\"step\": 0}\n");
        assert!(message().contains(expected), "{}", message());
        packed("c.tarmac.zst", line);
        assert!(
            message().contains("4 traces are inside this directory"),
            "{}",
            message()
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_cannot_be_read_is_named() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("trace");
        fs::create_dir(&inner).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o000)).unwrap();
        // The superuser may read everything.
        if fs::read_dir(&inner).is_err() {
            let error = TraceFiles::of_directory(folder.path())
                .unwrap_err()
                .to_string();
            let begin = format!("{}: the directory cannot be read: ", inner.display());
            assert!(error.starts_with(&begin), "{error}");
        }
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn several_recordings_in_one_directory_are_listed() {
        let record = |kind: u16, size: u16, value: u64| {
            [
                &kind.to_le_bytes()[..],
                &size.to_le_bytes(),
                &value.to_le_bytes(),
            ]
            .concat()
        };
        // Header with the version, the thread, the process and an instruction.
        let bytes = |version: u64| {
            [
                record(25, 0, version),
                record(28, 12, version),
                record(22, 4, 5),
                record(24, 4, 5),
            ]
            .concat()
        };
        let message = |files: &[(&str, u64)]| {
            let folder = tempfile::tempdir().unwrap();
            files.iter().for_each(|(name, version)| {
                fs::write(folder.path().join(name), bytes(*version)).unwrap()
            });
            TraceFiles::of_directory(folder.path())
                .map_or_else(|error| error.to_string(), |_| String::new())
        };
        let threads = [
            ("drmemtrace.app.1.0001.trace", 6),
            ("drmemtrace.app.2.0002.trace", 6),
        ];
        assert_eq!(message(&threads), "");
        assert_eq!(message(&[("main.trace", 6), ("worker.trace", 6)]), "");
        let versions = message(&[("drmemtrace.a.trace", 4), ("drmemtrace.b.trace", 6)]);
        assert!(versions.contains(
            ": 2 traces are inside this directory, open one of them (or name all files of one trace): drmemtrace.a.trace"
        ));
        let programs = [
            ("drmemtrace.one.1.0001.trace", 6),
            ("drmemtrace.two.2.0002.trace", 6),
        ];
        assert!(message(&programs).contains(": 2 traces are inside"));
        assert_eq!(
            message(&[programs[0], programs[1], ("cpu_schedule.bin.zip", 6)]),
            ""
        );
    }

    #[test]
    fn a_name_may_tell_the_format() {
        assert_eq!(
            format_of_name("run.tarmac.zst"),
            Some(Format::Tarmac.title())
        );
        assert_eq!(format_of_name("cpu0.rst.gz"), Some(Format::Rst.title()));
        assert_eq!(
            format_of_name("drmemtrace.app.1.dir"),
            Some(Format::Drmemtrace.title())
        );
        for name in [
            "notes.txt",
            "build.log",
            "a.tar.gz",
            "a.elf",
            "gz",
            "",
            "a.trace",
        ] {
            assert_eq!(format_of_name(name), None, "{name}");
        }
    }

    #[test]
    fn an_extension_of_two_formats_leaves_the_decision_to_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hello.trace");
        fs::write(
            &file,
            "       0 0000000000100164 bc102000      clr     %fp\n",
        )
        .unwrap();
        assert_eq!(format_of_file(&file), Some(Format::Btrace.title()));
        assert_eq!(
            format_of_folder(folder.path()),
            Some(Format::Btrace.title())
        );
        let found = TraceFiles::of_directory(folder.path()).unwrap();
        assert_eq!((found.format, found.files), (Format::Btrace, vec![file]));
        fs::write(folder.path().join("b.tarmac"), "").unwrap();
        assert_eq!(format_of_folder(folder.path()), None);
    }

    #[test]
    fn names_are_ordered_as_people_count() {
        let names = ["cpu10.rst", "cpu9.rst", "cpu1.rst", "a", "cpu1.rst.2"]
            .map(PathBuf::from)
            .to_vec();
        let expected = ["a", "cpu1.rst", "cpu1.rst.2", "cpu9.rst", "cpu10.rst"].map(PathBuf::from);
        assert_eq!(TraceFiles::in_order(names), expected);
    }

    #[test]
    fn a_program_among_the_files_is_an_image() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let image = root.join("assets/demo/overflow_bare.elf");
        let traces = ["cti.rst", "small.rst"].map(|name| root.join("fixtures/rst").join(name));
        let chosen = |files: &[&PathBuf]| {
            let options = OpenOptions::of_files(files.iter().copied().cloned())
                .unwrap()
                .with_images_distinguished();
            let images = options
                .images
                .iter()
                .map(|spec| spec.path.clone())
                .collect::<Vec<_>>();
            (
                options.paths().map(Path::to_owned).collect::<Vec<_>>(),
                images,
            )
        };
        let [first, second] = &traces;
        assert_eq!(
            chosen(&[&image, first, second]),
            (traces.to_vec(), vec![image.clone()])
        );
        assert_eq!(
            chosen(&[first, &image]),
            (vec![first.clone()], vec![image.clone()])
        );
        assert_eq!(chosen(&[&image]), (vec![image.clone()], vec![]));
    }

    #[test]
    fn text_whose_name_is_that_of_raw_records_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.raw");
        fs::write(&path, "1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n").unwrap();
        assert!(Input::open(&OpenOptions::new(&path)).is_ok());
        fs::write(&path, b"\0\0\0\0\0\0\0\xc4").unwrap();
        let message = Input::open(&OpenOptions::new(&path))
            .unwrap_err()
            .to_string();
        assert!(message.contains("holds only raw records"), "{message}");
    }

    #[test]
    fn the_threads_of_a_program_are_told_by_their_names() {
        let names = [
            "drmemtrace.tool.fib.125254.3691.trace.gz",
            "drmemtrace.tool.fib.125255.3920.trace.gz",
        ];
        assert_eq!(names.map(program_of), ["drmemtrace.tool.fib"; 2]);
        assert_eq!(
            program_of("drmemtrace.a.traced.12.0001.trace.gz"),
            "drmemtrace.a.traced"
        );
        assert_ne!(
            program_of("drmemtrace.simple_app.trace.zip"),
            program_of("drmemtrace.allasm.trace.zip")
        );
    }
}
