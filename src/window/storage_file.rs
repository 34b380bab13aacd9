//! The file in which the toolkit keeps what the program leaves for its next run.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// A longer file is not of ours.
const LIMIT_BYTES: u64 = 16 << 20;

/// Another place for what is kept, where the usual file must not be opened: the toolkit would read all of it,
/// and wait for the writer of a pipe. What is kept at the other place is lost.
pub fn instead_of_unusable(app: &str) -> Option<PathBuf> {
    let usual = eframe::storage_dir(app)?.join("app.ron");
    (!is_usable(&usual)).then(|| std::env::temp_dir().join(format!("{app}-{}", std::process::id())).join("app.ron"))
}

fn is_usable(path: &Path) -> bool {
    let is_short = |file: Metadata| file.is_file() && file.len() <= LIMIT_BYTES;
    // One that is not there will be made.
    path.metadata().map_or(true, is_short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_short_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.ron");
        assert!(is_usable(&path));
        let file = std::fs::File::create(&path).unwrap();
        assert!(is_usable(&path));
        file.set_len(LIMIT_BYTES + 1).unwrap();
        assert!(!is_usable(&path) && !is_usable(folder.path()));
        #[cfg(unix)]
        assert!(!is_usable(Path::new("/dev/zero")));
    }
}
