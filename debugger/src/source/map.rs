//! Finds source files on this computer: by the mappings of moved directories, at the recorded path,
//! or next to the images and the trace.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Current places of sources that are no longer where they were compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceMap {
    mappings: Vec<SourceMapping>,
}

impl SourceMap {
    /// Creates a map. Of several mappings that match, the one with the longest prefix is used; of
    /// equal ones the last.
    pub fn new(mappings: Vec<SourceMapping>) -> Self {
        Self { mappings }
    }

    /// Returns the mappings in their given order.
    pub fn mappings(&self) -> &[SourceMapping] {
        &self.mappings
    }

    /// Adds a mapping. Replaces a mapping of the same directory.
    pub fn add(&mut self, mapping: SourceMapping) {
        self.mappings.retain(|known| known.from != mapping.from);
        self.mappings.push(mapping);
    }

    /// Returns the current place of a file of an image; none if no mapping matches.
    pub fn apply(&self, file: &str) -> Option<PathBuf> {
        self.all(file).next()
    }

    /// Returns all places of a file according to the mappings, best first.
    pub(super) fn all(&self, file: &str) -> impl Iterator<Item = PathBuf> {
        let fits = |mapping: &SourceMapping| Some((mapping.from.len(), mapping.apply(file)?));
        let mut found: Vec<(usize, PathBuf)> =
            self.mappings.iter().rev().filter_map(fits).collect();
        found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        found.into_iter().map(|(_, path)| path)
    }

    /// Returns the path to show: that of the mapping, else the image's.
    pub fn text(&self, file: &str) -> String {
        self.apply(file)
            .map_or_else(|| file.to_owned(), |path| path.display().to_string())
    }
}

/// A path prefix in the image and the directory that replaces it: `FROM=TO` on the command line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceMapping {
    /// Prefix as the compiler recorded it, in whole components: `/build/app`.
    pub from: String,
    /// Directory on this computer.
    #[serde(with = "crate::paths")]
    pub to: PathBuf,
}

/// Compilers on Windows write backslashes.
const SEPARATORS: [char; 2] = ['/', '\\'];

impl SourceMapping {
    /// Returns the current place of a file; none if the prefix does not match.
    pub fn apply(&self, file: &str) -> Option<PathBuf> {
        let from = self.from.trim_end_matches(SEPARATORS);
        let rest = file
            .strip_prefix(from)
            .filter(|rest| rest.is_empty() || rest.starts_with(SEPARATORS))?;
        let mut path = self.to.clone();
        path.extend(parts(rest));
        Some(path)
    }

    /// Derives the mapping from a file of the image and the place where it was found: everything
    /// before the suffix that both paths share. None if not even the file names are equal.
    pub fn between(file: &str, found: &Path) -> Option<Self> {
        let mut found_parts: Vec<&OsStr> = found.iter().collect();
        let mut from = file;
        let mut shared = 0;
        while let Some(last) = found_parts.last().and_then(|last| last.to_str())
            && let Some(rest) = from
                .strip_suffix(last)
                .filter(|rest| rest.ends_with(SEPARATORS))
        {
            found_parts.pop();
            from = rest.trim_end_matches(SEPARATORS);
            shared += 1;
        }
        let from = if from.is_empty() { "/" } else { from };
        (shared > 0).then(|| Self {
            from: from.to_owned(),
            to: found_parts.iter().collect(),
        })
    }
}

/// Splits a path into its components, with either separator. Skips `.`.
pub fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split(SEPARATORS)
        .filter(|part| !part.is_empty() && *part != ".")
}

impl FromStr for SourceMapping {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (from, to) = text.split_once('=').unwrap_or((text, ""));
        anyhow::ensure!(
            !from.is_empty() && !to.is_empty(),
            "expected two directories as FROM=TO, got {text:?}"
        );
        Ok(Self {
            from: from.to_owned(),
            to: to.into(),
        })
    }
}

impl fmt::Display for SourceMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.from, self.to.display())
    }
}

/// Maximum number of path components that are searched next to the image and the trace.
const DEPTH: usize = 8;

/// Places to look for sources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourcePlaces {
    /// Mappings of moved directories.
    pub map: SourceMap,
    /// Directories that may contain sources, at any suffix of their paths: those of the images and
    /// of the trace.
    pub beside: Vec<PathBuf>,
}

/// Finds a file by the path that the compiler recorded: by the mappings, at this path, next to the
/// images, next to the trace.
pub fn find(file: &str, places: &SourcePlaces) -> Option<PathBuf> {
    let itself = Some(PathBuf::from(file)).filter(|path| path.is_absolute());
    let beside = places
        .beside
        .iter()
        .flat_map(|directory| ends_of(file).map(move |end| directory.join(end)));
    places
        .map
        .all(file)
        .chain(itself)
        .chain(beside)
        .find(|path| path.is_file())
}

/// Returns the suffixes of a path, longest first: `build/app/a.c`, `app/a.c`, `a.c`. A part of the
/// source tree may be next to the image.
fn ends_of(file: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let whole: Vec<String> = parts(file).map(str::to_owned).collect();
    let count = whole.len().min(DEPTH);
    (0..count).filter_map(move |skipped| {
        whole
            .get(whole.len() - count + skipped..)
            .map(|end| end.iter().collect())
    })
}

impl SourcePlaces {
    /// Collects the directories of some files, each once.
    pub fn beside<'a>(map: SourceMap, files: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut beside: Vec<PathBuf> = Vec::new();
        for file in files {
            let directory = file.parent().map(Path::to_owned).unwrap_or_default();
            if !beside.contains(&directory) {
                beside.push(directory);
            }
        }
        Self { map, beside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_is_meant_and_of_equal_ones_the_last() {
        let mut map = SourceMap::new(
            ["/a/b=/1", "/a=/2", "/a/b=/3"]
                .iter()
                .map(|text| text.parse().expect("a mapping"))
                .collect(),
        );
        assert_eq!(map.text("/a/b/x.c"), "/3/x.c");
        assert_eq!(map.text("/a/x.c"), "/2/x.c");
        assert_eq!(map.text("/c/x.c"), "/c/x.c");
        map.add("/a=/4".parse().expect("a mapping"));
        assert_eq!(map.text("/a/x.c"), "/4/x.c");
    }
}

#[cfg(test)]
mod mapping_tests {
    use super::*;

    #[track_caller]
    fn check(mapping: &str, file: &str, expected: Option<&str>) {
        let mapping: SourceMapping = mapping.parse().expect("a mapping");
        assert_eq!(mapping.apply(file), expected.map(PathBuf::from), "{file}");
    }

    #[test]
    fn whole_directories_move() {
        check(
            "/build/app=/home/app",
            "/build/app/src/a.c",
            Some("/home/app/src/a.c"),
        );
        check(
            "/build/app/=/home/app",
            "/build/app/./a.c",
            Some("/home/app/a.c"),
        );
        check("/build/app=/home/app", "/build/apple/a.c", None);
        check("/=/sysroot", "/usr/a.c", Some("/sysroot/usr/a.c"));
        check("src=lib", "src/a.c", Some("lib/a.c"));
        check(
            "C:\\code=/home/me",
            "C:\\code\\src\\a.c",
            Some("/home/me/src/a.c"),
        );
        check("/a.c=/b.c", "/a.c", Some("/b.c"));
    }

    #[track_caller]
    fn check_between(file: &str, found: &str, expected: Option<&str>) {
        let mapping = SourceMapping::between(file, Path::new(found));
        assert_eq!(
            mapping.as_ref().map(ToString::to_string).as_deref(),
            expected
        );
        if let Some(mapping) = mapping {
            assert_eq!(mapping.apply(file).as_deref(), Some(Path::new(found)));
        }
    }

    #[test]
    fn one_file_that_is_found_tells_where_its_neighbours_are() {
        check_between(
            "/build/app/src/a.c",
            "/home/me/app/src/a.c",
            Some("/build=/home/me"),
        );
        check_between(
            "/build/app/src/a.c",
            "/tmp/a.c",
            Some("/build/app/src=/tmp"),
        );
        check_between("C:\\w\\src\\a.c", "/home/src/a.c", Some("C:\\w=/home"));
        check_between("/build/a.c", "/tmp/b.c", None);
        check_between("/build/xa.c", "/tmp/a.c", None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_below_a_directory_that_is_not_unicode_is_mapped() {
        use std::os::unix::ffi::OsStrExt as _;
        let found = Path::new(OsStr::from_bytes(b"/home/caf\xe9/src/a.c"));
        let mapping = SourceMapping::between("/build/src/a.c", found).expect("a mapping");
        assert_eq!(mapping.from, "/build");
        assert_eq!(mapping.apply("/build/src/a.c").as_deref(), Some(found));
    }

    #[test]
    fn a_mapping_names_two_directories() {
        for text in ["", "/a", "=/b", "/a="] {
            let error = text
                .parse::<SourceMapping>()
                .expect_err("no mapping")
                .to_string();
            assert!(error.contains("FROM=TO"), "{error}");
        }
        assert_eq!(
            "/a=/b=c"
                .parse::<SourceMapping>()
                .expect("a mapping")
                .to_string(),
            "/a=/b=c"
        );
    }
}

#[cfg(test)]
mod find_tests {
    use super::*;

    fn put(path: &Path) {
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        std::fs::write(path, "x").expect("written");
    }

    #[test]
    fn a_file_is_sought_where_it_moved_then_where_it_was_then_next_to_the_image() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        let image = root.join("out/a.elf");
        let recorded = root.join("build/src/a.c");
        let file = recorded.to_str().expect("text");
        let mut places =
            SourcePlaces::beside(SourceMap::default(), [&*image, &*root.join("out/a.tarmac")]);
        assert_eq!(places.beside.len(), 1);
        assert_eq!(find(file, &places), None);
        put(&root.join("out/a.c"));
        assert_eq!(find(file, &places), Some(root.join("out/a.c")));
        put(&root.join("out/src/a.c"));
        assert_eq!(find(file, &places), Some(root.join("out/src/a.c")));
        put(&recorded);
        assert_eq!(find(file, &places), Some(recorded.clone()));
        put(&root.join("moved/a.c"));
        let from = root.join("build/src");
        places.map.add(
            format!("{}={}", from.display(), root.join("moved").display())
                .parse()
                .expect("a mapping"),
        );
        assert_eq!(find(file, &places), Some(root.join("moved/a.c")));
    }
}
