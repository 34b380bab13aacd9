//! Finds the files of a trace in a folder.

use std::collections::BTreeSet;

/// Files of a trace, by their names in the folder.
///
/// ```
/// use stepback_parsers::drmemtrace::TraceLayout;
///
/// let names = ["raw/modules.log", "trace/serial_schedule.bin.gz", "trace/drmemtrace.app.2.0001.trace.zip"];
/// let layout = TraceLayout::of(names, |_| false)?;
/// assert_eq!(layout.inputs, ["trace/drmemtrace.app.2.0001.trace.zip"]);
/// assert_eq!(layout.companions, ["raw/modules.log", "trace/serial_schedule.bin.gz"]);
/// # Ok::<(), stepback_parsers::drmemtrace::LayoutError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceLayout {
    /// Files with the threads or cores of the trace. Their order decides between records with equal
    /// times.
    pub inputs: Vec<String>,
    /// Other files that belong to the trace, anywhere in the folder.
    pub companions: Vec<String>,
    /// Other tracing windows; each is a folder with a separate trace.
    pub other_windows: Vec<String>,
}

/// Reason why a folder contains no trace.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Output of the recorder before its conversion to a trace.
    #[error(
        "holds only raw records, which need the traced programs to be read: \
         make a trace of them where they were recorded (drraw2trace -indir FOLDER), then open the folder again"
    )]
    OnlyRaw,
    /// No trace of any kind.
    #[error(
        "holds no trace: a drmemtrace folder has files named like drmemtrace.PROGRAM.1234.0001.trace.zip"
    )]
    Nothing,
}

/// Names of files that belong to a trace without being one.
const COMPANIONS: [&str; 6] = [
    "modules.log",
    "funclist.log",
    "encodings.bin",
    "v2p.textproto",
    "info.textproto",
    "cpu_schedule.bin.zip",
];
const SERIAL_SCHEDULE: &str = "serial_schedule.bin";
/// Endings after `.trace` for packed files.
const PACKINGS: [&str; 6] = [".zip", ".gz", ".lz4", ".sz", ".zst", ".xz"];
const WINDOW: &str = "window.";

impl TraceLayout {
    /// Finds the trace among the files of a folder. Names are relative to the folder, with `/`
    /// between the parts.
    ///
    /// The folder may be the trace's own, its parent with `trace` and `raw` inside, or a tracing
    /// window.
    /// It may contain other files: `is_trace` decides about files with names that the recorder does
    /// not use.
    ///
    /// # Errors
    /// The folder contains no trace; the error says what to do.
    pub fn of<'a>(
        names: impl IntoIterator<Item = &'a str>,
        mut is_trace: impl FnMut(&str) -> bool,
    ) -> Result<Self, LayoutError> {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let (companions, others): (Vec<&str>, Vec<&str>) =
            names.into_iter().partition(|name| is_companion(name));
        let mut in_folder = |folder: &str| -> Vec<&str> {
            let own = others.iter().filter(|name| {
                name.strip_prefix(folder)
                    .is_some_and(|rest| !rest.contains('/'))
            });
            own.copied()
                .filter(|name| {
                    !is_raw(name) && !is_made_here(name) && (is_named_trace(name) || is_trace(name))
                })
                .collect()
        };
        let windows: BTreeSet<&str> = others.iter().filter_map(|name| window_of(name)).collect();
        let folders = ["trace/", ""].into_iter().chain(windows.iter().copied());
        let (folder, inputs) = folders
            .map(|folder| (folder, in_folder(folder)))
            .find(|(_, inputs)| !inputs.is_empty())
            .ok_or_else(|| {
                if others.iter().any(|name| is_raw(name)) {
                    LayoutError::OnlyRaw
                } else {
                    LayoutError::Nothing
                }
            })?;
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let other_windows = windows
            .iter()
            .copied()
            .filter(|window| *window != folder)
            .collect();
        Ok(Self {
            inputs: owned(inputs),
            companions: owned(companions),
            other_windows: owned(other_windows),
        })
    }
}

/// Returns whether a file belongs to a trace as a companion, by its name.
fn is_companion(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    COMPANIONS.contains(&file) || file.starts_with(SERIAL_SCHEDULE)
}

/// Returns whether a file is raw, not post-processed.
fn is_raw(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    name.starts_with("raw/")
        || name.contains("/raw/")
        || file.ends_with(".raw")
        || file.contains(".raw.")
}

/// Returns whether the recorder uses such a name: the file belongs to the trace even if it is
/// damaged.
fn is_named_trace(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = PACKINGS
        .iter()
        .find_map(|packing| file.strip_suffix(packing))
        .unwrap_or(file);
    stem.ends_with(".trace") || stem.ends_with(".memtrace")
}

/// Returns whether a file is an index or a file next to one, finished or not: their names contain
/// the whole name of a trace file.
fn is_made_here(name: &str) -> bool {
    name.ends_with(".sbi") || name.contains(".sbi.")
}

/// Returns the folder of the tracing window that contains a file.
fn window_of(name: &str) -> Option<&str> {
    let (folder, _) = name.rsplit_once('/')?;
    let last = folder.rsplit('/').next()?;
    let is_window = last.starts_with(WINDOW) && !is_raw(name);
    is_window.then(|| name.get(..=folder.len())).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], expected: &[&str]) {
        let layout = TraceLayout::of(names.iter().copied(), |name| name == "odd");
        let found = layout.map_or_else(|error| vec![error.to_string()], |layout| layout.inputs);
        let starts = found
            .iter()
            .zip(expected)
            .all(|(found, expected)| found.starts_with(expected));
        assert!(found.len() == expected.len() && starts, "{found:?}");
    }

    #[test]
    fn the_folder_of_a_trace_and_the_one_above_are_the_same() {
        let names = [
            "d.app.2.0001.trace.zip",
            "d.app.10.0001.trace.zip",
            "serial_schedule.bin",
            "cpu_schedule.bin.zip",
        ];
        check(
            &names,
            &["d.app.10.0001.trace.zip", "d.app.2.0001.trace.zip"],
        );
        check(
            &[
                "trace/b.trace.lz4",
                "trace/a.trace.gz",
                "raw/modules.log",
                "raw/a.raw.lz4",
                "notes",
            ],
            &["trace/a.trace.gz", "trace/b.trace.lz4"],
        );
        check(
            &["a.memtrace.sz", "odd", "README", "aux/v2p.textproto"],
            &["a.memtrace.sz", "odd"],
        );
    }

    #[test]
    fn what_is_made_of_a_trace_file_is_none() {
        let own = [
            "a.trace.zip.sbi",
            "a.trace.zip.sbi.steps",
            "a.trace.sbi.partial",
            "odd.sbi",
        ];
        let layout =
            |names: &[&str]| TraceLayout::of(names.iter().copied(), |name| !name.contains("md5"));
        assert_eq!(layout(&own), Err(LayoutError::Nothing));
        let all = [&own[..], &["a.trace.zip.md5", "a.trace.zip", "trace.zip"]].concat();
        assert_eq!(layout(&all).unwrap().inputs, ["a.trace.zip", "trace.zip"]);
        check(
            &[&own[..], &["a.trace.zip.md5", "a.trace.zip", "trace.zip"]].concat(),
            &["a.trace.zip"],
        );
    }

    #[test]
    fn the_first_window_is_opened_and_the_others_are_reported() {
        let names = [
            "trace/window.0001/a.trace.zip",
            "trace/window.0000/a.trace.zip",
            "raw/window.0000/a.raw.lz4",
        ];
        let layout = TraceLayout::of(names, |_| false).unwrap();
        assert_eq!(layout.inputs, ["trace/window.0000/a.trace.zip"]);
        assert_eq!(layout.other_windows, ["trace/window.0001/"]);
    }

    #[test]
    fn a_folder_without_a_trace_says_what_to_do() {
        check(
            &["raw/a.raw.lz4", "raw/modules.log", "COMMAND.txt"],
            &["holds only raw records"],
        );
        check(&["a.raw", "modules.log"], &["holds only raw records"]);
        check(&["modules.log"], &["holds no trace"]);
        check(&[], &["holds no trace"]);
    }
}
