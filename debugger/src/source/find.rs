//! Finds source files on this computer.

use std::path::{Path, PathBuf};

use super::SourceMap;
use super::mapping::parts;

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

    fn put(path: &Path) {
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        std::fs::write(path, "x").expect("written");
    }

    #[test]
    fn a_file_is_sought_where_it_moved_then_where_it_was_then_beside_the_image() {
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
