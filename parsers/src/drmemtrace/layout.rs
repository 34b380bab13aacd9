//! Which files of a folder are a trace.

use std::collections::BTreeSet;

/// The files of a trace, as their folder names them.
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
    /// The threads or cores of the trace, in the order in which they count.
    pub inputs: Vec<String>,
    /// What belongs to the trace besides, wherever it lies.
    pub companions: Vec<String>,
    /// Other tracing windows, each a folder with a trace of its own.
    pub other_windows: Vec<String>,
}

/// A folder that holds no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// What the recorder wrote, before it was made into a trace.
    #[error(
        "holds raw records alone, which need the traced programs to be read: \
         make a trace of them where they were recorded (drraw2trace -indir FOLDER), then open the folder again"
    )]
    OnlyRaw,
    /// Nothing of the kind.
    #[error(
        "holds no trace: a drmemtrace folder has files named like drmemtrace.PROGRAM.1234.0001.trace.zip"
    )]
    Nothing,
}

/// The files that belong to a trace and are none.
const COMPANIONS: [&str; 6] = [
    "modules.log",
    "funclist.log",
    "encodings.bin",
    "v2p.textproto",
    "info.textproto",
    "cpu_schedule.bin.zip",
];
const SERIAL_SCHEDULE: &str = "serial_schedule.bin";
/// What may stand behind `.trace`: how the file is packed.
const PACKINGS: [&str; 6] = [".zip", ".gz", ".lz4", ".sz", ".zst", ".xz"];
const WINDOW: &str = "window.";

impl TraceLayout {
    /// Finds the trace among the files of a folder, by their names from that folder on, `/` between the parts.
    ///
    /// It may be the folder of the trace, the one above it with `trace` and `raw` inside, or one of a tracing window.
    /// Anything may lie beside a trace: of files with other names than the recorder gives, `is_trace` tells.
    ///
    /// # Errors
    /// There is none: the error says so, and what to do.
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

/// True for the files that go with a trace, by their names.
fn is_companion(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    COMPANIONS.contains(&file) || file.starts_with(SERIAL_SCHEDULE)
}

/// True for what is not post-processed.
fn is_raw(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    name.starts_with("raw/")
        || name.contains("/raw/")
        || file.ends_with(".raw")
        || file.contains(".raw.")
}

/// True for names that the recorder gives: such a file belongs to the trace even when it is damaged.
fn is_named_trace(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = PACKINGS
        .iter()
        .find_map(|packing| file.strip_suffix(packing))
        .unwrap_or(file);
    stem.ends_with(".trace") || stem.ends_with(".memtrace")
}

/// True for indexes and what lies beside them, finished or not: they bear the whole name of a trace file.
fn is_made_here(name: &str) -> bool {
    name.ends_with(".sbi") || name.contains(".sbi.")
}

/// The folder of the tracing window that a file belongs to.
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
    fn the_first_window_is_opened_and_the_others_are_told() {
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
            &["holds raw records alone"],
        );
        check(&["a.raw", "modules.log"], &["holds raw records alone"]);
        check(&["modules.log"], &["holds no trace"]);
        check(&[], &["holds no trace"]);
    }
}
