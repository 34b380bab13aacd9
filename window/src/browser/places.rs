//! Shortcuts to folders, and parsing of typed paths.

use std::path::{Path, PathBuf};

use stepback_debugger::desk::recent::RecentTrace;
use stepback_debugger::messages::say;
use stepback_debugger::paths::{from_home, home};

/// Maximum number of folders of recent traces.
const RECENT: usize = 8;

/// Shortcut to a folder.
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
