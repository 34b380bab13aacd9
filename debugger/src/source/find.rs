//! Where a source file is on this computer.

use std::path::{Path, PathBuf};

use super::SourceMap;
use super::mapping::parts;

/// More directories of a file's path than these are not looked for beside the image and the trace.
const DEPTH: usize = 8;

/// Where to look for sources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourcePlaces {
    /// What moved.
    pub map: SourceMap,
    /// Directories in which sources may lie, as whole paths or parts of them: those of the images and of the trace.
    pub beside: Vec<PathBuf>,
}

/// Finds a file by the path that the compiler wrote: where mappings say, there, beside the images, beside the trace.
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

/// `build/app/a.c`, `app/a.c`, `a.c`: a part of the tree may lie beside the image.
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
    /// The directories of some files, each once.
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
