//! Mappings of all moved source directories.

use std::path::PathBuf;

use super::SourceMapping;

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

    /// Returns all places that mappings give for a file, best first.
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
