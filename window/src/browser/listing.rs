//! Folder contents with filters and sort orders, shortcuts to folders, and typed paths.
//!
//! A folder is read on a worker: names first, because the details of every file can take minutes.

use std::ffi::OsString;
use std::fs::{DirEntry, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use stepback_debugger::desk::recent::RecentTrace;
use stepback_debugger::messages::say;
use stepback_debugger::paths::{from_home, home};
use stepback_debugger::session::{format_of_file, format_of_folder, format_of_name, natural_key};
use stepback_index::Cancel;

/// Maximum number of entries read per folder. Nobody scrolls further, and longer paths can still be
/// typed.
const LIMIT: usize = 500_000;

/// Content of a folder.
#[derive(Debug)]
pub struct FolderListing {
    /// Entries in the order of the file system.
    pub entries: Vec<FolderEntry>,
    /// The folder has more than [`LIMIT`] entries.
    pub is_cut: bool,
    /// Format of the trace that the folder as a whole is, if it is one.
    pub format: Option<&'static str>,
}

#[derive(Debug)]
pub struct FolderEntry {
    pub name: OsString,
    /// The name as displayed text.
    pub shown: String,
    pub is_folder: bool,
    /// Trace format, guessed from the name or from the folder's content.
    pub format: Option<&'static str>,
    /// Length and time; none until they are read, or if they cannot be read.
    pub details: Option<FileDetails>,
}

/// File data that needs a system call per file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileDetails {
    pub len_bytes: u64,
    /// Modification time, in seconds since 1970.
    pub modified: u64,
}

/// Depth of reading. Names are read first, because the details of every file can take minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingDepth {
    /// Names, and the type of entry.
    Names,
    /// Also lengths and times.
    Details,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SortColumn {
    /// By name, with numbers in numeric order.
    #[default]
    Name,
    Size,
    Age,
}

/// Display options of a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SortOrder {
    pub column: SortColumn,
    /// Reverses the order.
    pub is_turned: bool,
    /// Shows hidden files.
    pub shows_hidden: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameFilter {
    /// Part of the name, ignoring case. A part that begins with a full stop includes hidden files.
    pub part: String,
    /// True if the name must begin with the part, because a path is being typed.
    pub is_begin: bool,
    /// The only name that a file may have; folders may have any.
    pub file: Option<String>,
}

/// Reads a folder.
///
/// # Errors
/// The folder does not exist or cannot be read, or the work was cancelled.
pub fn list(folder: &Path, depth: ListingDepth, cancel: &Cancel) -> Result<FolderListing> {
    let read = std::fs::read_dir(folder)
        .with_context(|| say!("files-folder-unreadable", folder = format!("{folder:?}")))?;
    let format = format_of_folder(folder);
    let mut entries = Vec::new();
    for found in read.flatten() {
        if cancel.is_cancelled() {
            anyhow::bail!("cancelled");
        }
        if entries.len() == LIMIT {
            return Ok(FolderListing {
                entries,
                is_cut: true,
                format,
            });
        }
        entries.push(FolderEntry::of(&found, depth));
    }
    Ok(FolderListing {
        entries,
        is_cut: false,
        format,
    })
}

impl FolderEntry {
    fn of(found: &DirEntry, depth: ListingDepth) -> Self {
        let kind = found.file_type();
        // A link has the type of its target; a broken link is shown as a file.
        let is_link = kind.as_ref().is_ok_and(|kind| kind.is_symlink());
        let metadata = if is_link || depth == ListingDepth::Details {
            found.path().metadata().ok()
        } else {
            None
        };
        let is_folder = metadata.as_ref().map_or(
            !is_link && kind.is_ok_and(|kind| kind.is_dir()),
            Metadata::is_dir,
        );
        let shown = found.file_name().to_string_lossy().into_owned();
        // Contents are inspected in the second reading only.
        let inside = || match is_folder {
            true => format_of_folder(&found.path()),
            false => format_of_file(&found.path()),
        };
        let is_looked_into = depth == ListingDepth::Details;
        let format = format_of_name(&shown).or_else(|| is_looked_into.then(inside).flatten());
        let details = metadata
            .filter(|_| depth == ListingDepth::Details)
            .map(|metadata| FileDetails::of(&metadata));
        Self {
            name: found.file_name(),
            shown,
            is_folder,
            format,
            details,
        }
    }

    fn is_hidden(&self) -> bool {
        // Index files are next to their traces and cannot be opened.
        let is_index = self.shown.ends_with(".sbi") || self.shown.contains(".sbi.");
        self.shown.starts_with('.') || is_index && !self.is_folder
    }
}

impl FileDetails {
    fn of(metadata: &Metadata) -> Self {
        let since = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            len_bytes: metadata.len(),
            modified: since.map_or(0, |since| since.as_secs()),
        }
    }
}

impl NameFilter {
    fn holds(&self, entry: &FolderEntry) -> bool {
        let name = entry.shown.to_lowercase();
        let wanted = self.file.as_ref().filter(|_| !entry.is_folder);
        if wanted.is_some_and(|wanted| name != *wanted) {
            return false;
        }
        if self.is_begin {
            name.starts_with(&self.part)
        } else {
            name.contains(&self.part)
        }
    }
}

/// Returns the indices of the filtered entries in display order, folders first.
pub fn rows(listing: &FolderListing, order: SortOrder, filter: &NameFilter) -> Vec<usize> {
    let shows_hidden = order.shows_hidden || filter.part.starts_with('.');
    let filter = NameFilter {
        part: filter.part.to_lowercase(),
        is_begin: filter.is_begin,
        file: filter.file.as_ref().map(|file| file.to_lowercase()),
    };
    let mut rows: Vec<usize> = (0..listing.entries.len()).collect();
    let entry = |row: &usize| listing.entries.get(*row);
    rows.retain(|row| {
        entry(row).is_some_and(|entry| (shows_hidden || !entry.is_hidden()) && filter.holds(entry))
    });
    rows.sort_by_cached_key(|row| entry(row).map(|entry| natural_key(&entry.shown.to_lowercase())));
    let details = |row: &usize| entry(row).and_then(|entry| entry.details);
    match order.column {
        SortColumn::Name => {}
        // The sort is stable: equal entries stay in the order of their names.
        SortColumn::Size => {
            rows.sort_by_key(|row| std::cmp::Reverse(details(row).map(|details| details.len_bytes)))
        }
        SortColumn::Age => {
            rows.sort_by_key(|row| std::cmp::Reverse(details(row).map(|details| details.modified)))
        }
    }
    if order.is_turned {
        rows.reverse();
    }
    rows.sort_by_key(|row| !entry(row).is_some_and(|entry| entry.is_folder));
    rows
}

/// Returns the longest common prefix of all names.
pub fn common<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<String> {
    let first = names.next()?;
    let same = |one: &str, other: &str| {
        let pairs = one.char_indices().zip(other.chars());
        let differing = pairs
            .into_iter()
            .find(|((_, one), other)| one != other)
            .map(|((place, _), _)| place);
        differing.unwrap_or(one.len().min(other.len()))
    };
    let length = names.fold(first.len(), |length, name| length.min(same(first, name)));
    first.get(..length).map(str::to_owned)
}

/// Maximum number of folders of recent traces.
const RECENT: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderShortcut {
    pub name: String,
    pub path: PathBuf,
}

/// Returns the home folder, the folder of the open trace, the root folder, and folders of recent
/// traces.
pub fn places(trace: Option<&Path>, recent: &[RecentTrace]) -> Vec<FolderShortcut> {
    let mut places: Vec<FolderShortcut> = Vec::new();
    let mut add = |name: String, path: PathBuf| {
        if places.iter().all(|place| place.path != path) {
            places.push(FolderShortcut { name, path });
        }
    };
    if let Some(home) = home() {
        add(say!("files-home").to_owned(), home);
    }
    if let Some(folder) = trace.and_then(Path::parent) {
        add(say!("files-of-trace").to_owned(), folder.to_owned());
    }
    if let Ok(here) = std::env::current_dir() {
        add(say!("files-working").to_owned(), here);
    }
    add(
        say!("files-system").to_owned(),
        PathBuf::from(std::path::MAIN_SEPARATOR_STR),
    );
    for folder in recent
        .iter()
        .filter_map(|trace| trace.path.parent())
        .take(RECENT)
    {
        let name = folder.file_name().map_or_else(
            || folder.display().to_string(),
            |n| n.to_string_lossy().into_owned(),
        );
        add(name, folder.to_owned());
    }
    places
}

/// Resolves a typed path: `~/` is the home folder, and a relative path starts in `folder`.
pub fn typed_path(text: &str, folder: &Path) -> PathBuf {
    folder.join(from_home(text))
}

/// Splits a path that is being typed into the folder and the name after it.
pub fn split_typed(text: &str) -> (&str, &str) {
    let cut = text
        .rfind(std::path::is_separator)
        .map_or(0, |place| place + 1);
    text.split_at(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(shown: &str, len_bytes: u64, modified: u64) -> FolderEntry {
        let is_folder = shown.ends_with('/');
        let shown = shown.trim_end_matches('/').to_owned();
        let details = Some(FileDetails {
            len_bytes,
            modified,
        });
        FolderEntry {
            name: shown.clone().into(),
            format: format_of_name(&shown),
            shown,
            is_folder,
            details,
        }
    }

    #[track_caller]
    fn check(order: SortOrder, part: &str, expected: &[&str]) {
        let filter = NameFilter {
            part: part.to_owned(),
            ..NameFilter::default()
        };
        check_filter(order, &filter, expected);
    }

    #[track_caller]
    fn check_filter(order: SortOrder, filter: &NameFilter, expected: &[&str]) {
        let entries = vec![
            entry("run10.tarmac", 5, 30),
            entry("Run9.tarmac", 9, 10),
            entry("run9.tarmac.sbi", 1, 1),
            entry("run9.tarmac.sbi.steps", 1, 1),
            entry(".cache", 1, 1),
            entry("zoo/", 0, 20),
        ];
        let listing = FolderListing {
            entries,
            is_cut: false,
            format: None,
        };
        let rows = rows(&listing, order, filter);
        let shown: Vec<&str> = rows
            .iter()
            .map(|row| &*listing.entries[*row].shown)
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn folders_come_first_and_the_rest_as_it_was_requested() {
        let by = |column| SortOrder {
            column,
            ..SortOrder::default()
        };
        check(
            SortOrder::default(),
            "",
            &["zoo", "Run9.tarmac", "run10.tarmac"],
        );
        check(
            SortOrder {
                is_turned: true,
                ..SortOrder::default()
            },
            "",
            &["zoo", "run10.tarmac", "Run9.tarmac"],
        );
        check(
            by(SortColumn::Size),
            "",
            &["zoo", "Run9.tarmac", "run10.tarmac"],
        );
        check(
            by(SortColumn::Age),
            "",
            &["zoo", "run10.tarmac", "Run9.tarmac"],
        );
        check(SortOrder::default(), "RUN1", &["run10.tarmac"]);
    }

    #[test]
    fn only_the_wanted_file_is_shown_next_to_the_folders() {
        let filter = NameFilter {
            file: Some("run9.tarmac".to_owned()),
            ..NameFilter::default()
        };
        check_filter(SortOrder::default(), &filter, &["zoo", "Run9.tarmac"]);
    }

    #[test]
    fn what_is_hidden_is_shown_when_it_is_requested() {
        let order = SortOrder {
            shows_hidden: true,
            ..SortOrder::default()
        };
        check(
            order,
            "",
            &[
                "zoo",
                ".cache",
                "Run9.tarmac",
                "run9.tarmac.sbi",
                "run9.tarmac.sbi.steps",
                "run10.tarmac",
            ],
        );
        check(SortOrder::default(), ".c", &[".cache"]);
    }

    #[test]
    fn a_folder_of_a_hundred_thousand_files_is_listed_and_ordered() {
        let folder = tempfile::tempdir().unwrap();
        // Creating files is slow; the test only needs names.
        for number in 0..200 {
            std::fs::write(folder.path().join(format!("{number}.tarmac")), "x").unwrap();
        }
        let listing = list(folder.path(), ListingDepth::Details, &Cancel::default()).unwrap();
        assert_eq!(listing.entries.len(), 200);
        let entries = (0..100_000)
            .rev()
            .map(|number| entry(&format!("{number}.tarmac"), number, 0))
            .collect();
        let listing = FolderListing {
            entries,
            is_cut: false,
            format: None,
        };
        let rows = rows(&listing, SortOrder::default(), &NameFilter::default());
        let shown: Vec<&str> = rows
            .iter()
            .take(3)
            .map(|row| &*listing.entries[*row].shown)
            .collect();
        assert_eq!(shown, ["0.tarmac", "1.tarmac", "2.tarmac"]);
        assert!(
            list(
                &folder.path().join("nothing"),
                ListingDepth::Names,
                &Cancel::default()
            )
            .is_err()
        );
    }

    #[test]
    fn names_have_a_beginning_in_common() {
        assert_eq!(
            common(["run.1.tarmac", "run.12.tarmac"].into_iter()).as_deref(),
            Some("run.1")
        );
        assert_eq!(common(["ä1", "ä2"].into_iter()).as_deref(), Some("ä"));
        assert_eq!(common(std::iter::empty()), None);
    }
}

#[cfg(test)]
mod places_tests {
    use super::*;

    #[test]
    fn a_typed_path_begins_at_home_in_the_folder_or_where_it_says() {
        let folder = Path::new("/traces");
        assert_eq!(typed_path("a/b", folder), Path::new("/traces/a/b"));
        assert_eq!(typed_path("/a", folder), Path::new("/a"));
        assert_eq!(typed_path("~/a", folder), home().unwrap().join("a"));
        assert_eq!(split_typed("/a/b.tar"), ("/a/", "b.tar"));
        assert_eq!(split_typed("b"), ("", "b"));
    }

    #[test]
    fn a_folder_is_listed_once() {
        let trace = home().unwrap().join("a.tarmac");
        let places = places(Some(&trace), &[]);
        let homes = places
            .iter()
            .filter(|place| Some(&place.path) == home().as_ref())
            .count();
        assert_eq!(homes, 1);
        assert!(places.iter().any(|place| place.name == "Whole file system"));
    }
}
