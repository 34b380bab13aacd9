//! Folders that a browser leads to at once, and how a typed path is read.

use std::path::{Path, PathBuf};

use stepback_debugger::desk::recent::RecentTrace;
use stepback_debugger::messages::say;
use stepback_debugger::paths::{from_home, home};

/// More folders of recent traces are not listed.
const RECENT: usize = 8;

/// A folder that a browser leads to at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderShortcut {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// The user's own folder, that of the open trace, the whole file system, and those of the recent traces.
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

/// What was typed in a folder as a path: `~/` is the user's own folder, and what is not whole begins in the folder.
pub fn typed_path(text: &str, folder: &Path) -> PathBuf {
    folder.join(from_home(text))
}

/// The folder of a path that is being typed, and the name behind it.
pub fn split_typed(text: &str) -> (&str, &str) {
    let cut = text
        .rfind(std::path::is_separator)
        .map_or(0, |place| place + 1);
    text.split_at(cut)
}

#[cfg(test)]
mod tests {
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
        assert!(places.iter().any(|place| place.name == "Whole system"));
    }
}
