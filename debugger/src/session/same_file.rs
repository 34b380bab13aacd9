//! Test whether two paths lead to one file, so that nothing is ever written over a trace.

use std::path::Path;

/// Returns true if both paths exist and are one file, also through a symbolic or hard link.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other || is_same_inode(&one, &other),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same_inode(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let inode = |path: &Path| {
        path.metadata()
            .ok()
            .map(|metadata| (metadata.dev(), metadata.ino()))
    };
    inode(one).is_some() && inode(one) == inode(other)
}

#[cfg(not(unix))]
fn is_same_inode(_one: &Path, _other: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let [file, hard, soft, other] =
            ["file", "hard", "soft", "other"].map(|name| folder.path().join(name));
        std::fs::write(&file, "x").unwrap();
        std::fs::write(&other, "x").unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        std::os::unix::fs::symlink(&file, &soft).unwrap();
        assert!(
            is_same_file(&file, &file) && is_same_file(&file, &hard) && is_same_file(&soft, &file)
        );
        assert!(!is_same_file(&file, &other) && !is_same_file(&file, &folder.path().join("none")));
    }
}
