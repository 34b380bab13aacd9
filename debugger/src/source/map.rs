//! All directories of sources that moved.

use std::path::PathBuf;

use super::SourceMapping;

/// Where sources are that do not lie where they were compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceMap {
    mappings: Vec<SourceMapping>,
}

impl SourceMap {
    /// Of several mappings that fit the one with the longest beginning is used, of equal ones the last.
    pub fn new(mappings: Vec<SourceMapping>) -> Self {
        Self { mappings }
    }

    /// The mappings as they were given.
    pub fn mappings(&self) -> &[SourceMapping] {
        &self.mappings
    }

    /// Adds a mapping, in place of one from the same directory.
    pub fn add(&mut self, mapping: SourceMapping) {
        self.mappings.retain(|known| known.from != mapping.from);
        self.mappings.push(mapping);
    }

    /// Where a file of an image is by now; none when no mapping speaks of it.
    pub fn apply(&self, file: &str) -> Option<PathBuf> {
        self.all(file).next()
    }

    /// All places that mappings name for a file, the best first.
    pub(super) fn all(&self, file: &str) -> impl Iterator<Item = PathBuf> {
        let fits = |mapping: &SourceMapping| Some((mapping.from.len(), mapping.apply(file)?));
        let mut found: Vec<(usize, PathBuf)> =
            self.mappings.iter().rev().filter_map(fits).collect();
        found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        found.into_iter().map(|(_, path)| path)
    }

    /// The path to show: that of the mapping, or the one of the image.
    pub fn text(&self, file: &str) -> String {
        self.apply(file)
            .map_or_else(|| file.to_owned(), |path| path.display().to_string())
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
