//! The traces that were opened most recently.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::words::ago;
use crate::action::{Action, FileAction};
use crate::image::ImageSpec;
use crate::notes::ReadingChoices;
use crate::session::{OpenOptions, trace_bytes};

/// Maximum number of remembered traces.
pub const LIMIT: usize = 8;

/// Maximum length of `kind` in characters: a longer one was not written by this program.
const KIND: usize = 100;
/// Maximum number of images, and of their directories, to open without a request.
const PLACES: usize = 64;
/// Maximum number of files: nobody names more files one by one.
const FILES: usize = 1 << 12;

/// A trace that was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecentTrace {
    #[serde(with = "crate::paths")]
    pub path: PathBuf,
    /// Further files of a trace of several files.
    #[serde(default, with = "crate::paths")]
    pub more: Vec<PathBuf>,
    /// Format and architecture, for example `Tarmac · AArch64`.
    pub kind: String,
    pub steps: u64,
    /// Length of the trace in bytes when it was opened.
    pub trace_bytes: u64,
    /// Time when it was opened, in seconds since 1970.
    pub opened: u64,
    /// Program images that were named for it; empty for the one next to it.
    #[serde(default)]
    pub images: Vec<ImageSpec>,
    /// Directories of images that were named for it.
    #[serde(default, with = "crate::paths")]
    pub sysroots: Vec<PathBuf>,
    /// How its contents are read.
    #[serde(default)]
    pub reading: ReadingChoices,
}

/// State of a remembered trace's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecentState {
    /// The files are unchanged.
    Good,
    /// The files have another total length than when the trace was opened.
    Changed,
    /// A file is missing or cannot be reached.
    Missing,
}

impl RecentTrace {
    pub fn name(&self) -> String {
        self.options().name()
    }

    /// Returns options that name its files; all else is the default.
    fn options(&self) -> OpenOptions {
        OpenOptions {
            more: self.more.clone(),
            ..OpenOptions::new(&self.path)
        }
    }

    /// Returns the action that opens it again.
    pub fn action(&self) -> Action {
        match self.more.is_empty() {
            true => Action::File(FileAction::OpenPath(self.path.clone())),
            false => Action::File(FileAction::OpenFiles(
                self.options().paths().map(Path::to_owned).collect(),
            )),
        }
    }

    /// Returns its folder, with `~` for the home directory.
    pub fn folder(&self) -> String {
        let Some(folder) = self.path.parent() else {
            return String::new();
        };
        let home = directories::BaseDirs::new().map(|places| places.home_dir().to_owned());
        match home.and_then(|home| folder.strip_prefix(home).ok().map(Path::to_owned)) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => folder.display().to_string(),
        }
    }

    /// Cuts everything that exceeds the limits of what the program itself saves.
    pub fn keep_within_limits(&mut self) {
        self.kind = self.kind.chars().take(KIND).collect();
        self.more.truncate(FILES);
        self.images.truncate(PLACES);
        self.sysroots.truncate(PLACES);
        self.opened = self.opened.min(now());
    }

    /// Returns the time when it was opened, relative to now.
    pub fn when(&self) -> String {
        ago(self.opened, now())
    }

    /// Checks the files. Blocks: not for the UI thread.
    pub fn look(&self) -> RecentState {
        let bytes: Result<u64> = self.options().paths().map(trace_bytes).sum();
        match bytes {
            Ok(bytes) if bytes == self.trace_bytes => RecentState::Good,
            Ok(_) => RecentState::Changed,
            Err(_) => RecentState::Missing,
        }
    }
}

/// Puts a trace on top of the list.
pub fn remember(list: &mut Vec<RecentTrace>, trace: RecentTrace) {
    list.retain(|other| other.path != trace.path);
    list.insert(0, trace);
    list.truncate(LIMIT);
}

/// Returns the list's entry for a trace.
pub fn known<'a>(list: &'a [RecentTrace], trace: &Path) -> Option<&'a RecentTrace> {
    std::path::absolute(trace)
        .ok()
        .and_then(|path| list.iter().find(|recent| recent.path == path))
}

/// Returns the current time in seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(path: &str) -> RecentTrace {
        RecentTrace {
            path: path.into(),
            more: Vec::new(),
            kind: String::new(),
            steps: 1,
            trace_bytes: 2,
            opened: 0,
            images: Vec::new(),
            sysroots: Vec::new(),
            reading: ReadingChoices::default(),
        }
    }

    #[test]
    fn a_trace_is_listed_once_and_the_newest_first() {
        let mut list = Vec::new();
        for path in ["a", "b", "a"] {
            remember(&mut list, trace(path));
        }
        let names: Vec<String> = list.iter().map(RecentTrace::name).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn a_file_is_good_changed_or_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tarmac");
        let trace = RecentTrace {
            path: path.clone(),
            ..trace("a")
        };
        assert_eq!(trace.look(), RecentState::Missing);
        std::fs::write(&path, "xy").unwrap();
        assert_eq!(trace.look(), RecentState::Good);
        std::fs::write(&path, "xyz").unwrap();
        assert_eq!(trace.look(), RecentState::Changed);
    }

    #[test]
    fn a_directory_is_as_long_as_the_files_of_its_trace() {
        use stepback_generator::drmemtrace::{Container, Sample};
        let folder = tempfile::tempdir().unwrap();
        let files = Sample::Threads.files(Container::Gzip);
        files
            .iter()
            .for_each(|file| std::fs::write(folder.path().join(&file.name), &file.bytes).unwrap());
        let trace_bytes = files.iter().map(|file| file.bytes.len() as u64).sum();
        let trace = RecentTrace {
            path: folder.path().to_owned(),
            trace_bytes,
            ..trace("")
        };
        std::fs::write(
            folder.path().join("modules.log"),
            "Module Table: version 5, count 0\n",
        )
        .unwrap();
        assert_eq!(trace.look(), RecentState::Good);
        std::fs::remove_file(folder.path().join(&files[0].name)).unwrap();
        assert_eq!(trace.look(), RecentState::Changed);
    }
}
