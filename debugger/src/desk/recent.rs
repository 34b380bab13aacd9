//! The traces that were opened last.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::words::ago;
use crate::action::{Action, FileAction};
use crate::image::ImageSpec;
use crate::session::{OpenOptions, trace_bytes};

/// How many are remembered.
pub const LIMIT: usize = 8;

/// Longer words about a trace are not of ours.
const KIND: usize = 100;
/// More images, and more directories of them, are not opened unasked.
const PLACES: usize = 64;
/// A trace of more files is not one that was named file by file.
const FILES: usize = 1 << 12;

/// A trace that was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecentTrace {
    /// The trace.
    #[serde(with = "crate::paths")]
    pub path: PathBuf,
    /// The other files of a trace of several.
    #[serde(default, with = "crate::paths")]
    pub more: Vec<PathBuf>,
    /// Format and architecture, for example `Tarmac · AArch64`.
    pub kind: String,
    /// Steps in all.
    pub steps: u64,
    /// Its length when it was opened.
    pub trace_bytes: u64,
    /// When it was opened, in seconds since 1970.
    pub opened: u64,
    /// The program images that were named for it; empty for the one beside it.
    #[serde(default)]
    pub images: Vec<ImageSpec>,
    /// The directories that were named for them.
    #[serde(default, with = "crate::paths")]
    pub sysroots: Vec<PathBuf>,
}

/// What is known of a remembered trace's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecentState {
    /// As it was.
    Good,
    /// The file has another length than when it was opened.
    Changed,
    /// There is no such file, or it cannot be reached.
    Missing,
}

impl RecentTrace {
    /// The file's name.
    pub fn name(&self) -> String {
        self.options().name()
    }

    /// How it is opened, as far as its files go.
    fn options(&self) -> OpenOptions {
        OpenOptions {
            more: self.more.clone(),
            ..OpenOptions::new(&self.path)
        }
    }

    /// Opens it again.
    pub fn action(&self) -> Action {
        match self.more.is_empty() {
            true => Action::File(FileAction::OpenPath(self.path.clone())),
            false => Action::File(FileAction::OpenFiles(
                self.options().paths().map(Path::to_owned).collect(),
            )),
        }
    }

    /// Its folder, with `~` for the user's own.
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

    /// Leaves out what the program itself would not have kept.
    pub fn keep_within_limits(&mut self) {
        self.kind = self.kind.chars().take(KIND).collect();
        self.more.truncate(FILES);
        self.images.truncate(PLACES);
        self.sysroots.truncate(PLACES);
        self.opened = self.opened.min(now());
    }

    /// When it was opened, seen from now.
    pub fn when(&self) -> String {
        ago(self.opened, now())
    }

    /// Looks at the file. Not for the UI thread.
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

/// A trace as it was opened last time.
pub fn known<'a>(list: &'a [RecentTrace], trace: &Path) -> Option<&'a RecentTrace> {
    std::path::absolute(trace)
        .ok()
        .and_then(|path| list.iter().find(|recent| recent.path == path))
}

/// Seconds since 1970.
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
