//! The user's own folder.

use std::path::{Path, PathBuf};

/// Where it is, if there is one.
pub fn home() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|places| places.home_dir().to_owned())
}

/// A path as somebody types it: `~` and `~/a` are in the user's own folder.
pub fn from_home(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    match (path.strip_prefix("~"), home()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// The whole path that somebody typed.
pub fn typed_path(text: &str) -> PathBuf {
    let path = from_home(text.trim());
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_alone_is_the_folder() {
        let home = home().unwrap();
        assert_eq!([from_home("~"), from_home("~/a/b")], [home.clone(), home.join("a/b")]);
        assert_eq!([from_home("~a"), from_home("/~/a")], [PathBuf::from("~a"), "/~/a".into()]);
    }
}
