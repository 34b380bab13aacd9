//! Mapping of a moved source directory.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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
            "moved sources are given as FROM=TO, this names no two directories: {text:?}"
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

#[cfg(test)]
mod tests {
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
