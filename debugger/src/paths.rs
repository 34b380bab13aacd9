//! Paths as users type them and as files store them.
//!
//! A file stores a path as text. A path that is not Unicode is stored as a list of its bytes
//! (Windows: its 16-bit units), so that it leads to the same file again. Fields use
//! `#[serde(with = "crate::paths")]`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Home directory of the user, if there is one.
pub fn home() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|places| places.home_dir().to_owned())
}

/// Path of the user's settings file; none if the system reports no such directory.
pub fn settings_path() -> Option<PathBuf> {
    let places = directories::BaseDirs::new()?;
    Some(places.config_dir().join("stepback/settings.toml"))
}

/// Expands `~` and `~/a` to the home directory of the user.
pub fn from_home(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    match (path.strip_prefix("~"), home()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// Absolute path for text that the user typed.
pub fn typed_path(text: &str) -> PathBuf {
    let path = from_home(text.trim());
    std::path::absolute(&path).unwrap_or(path)
}

/// A path, several or an optional one, that a file stores.
pub trait SerializedPaths: Sized {
    /// Form in the file.
    type Kept: Serialize + for<'de> Deserialize<'de>;

    /// Converts to the form in the file.
    fn to_kept(&self) -> Self::Kept;

    /// Converts back; none if a unit is not valid in a path.
    fn from_kept(kept: Self::Kept) -> Option<Self>;
}

/// A path in a file.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub enum SerializedPath {
    /// Unicode.
    Text(String),
    /// Bytes (Unix) or 16-bit units (Windows) of any other path.
    Units(Vec<u16>),
}

impl SerializedPaths for PathBuf {
    type Kept = SerializedPath;

    fn to_kept(&self) -> SerializedPath {
        self.to_str().map_or_else(
            || SerializedPath::Units(units_of(self)),
            |text| SerializedPath::Text(text.to_owned()),
        )
    }

    fn from_kept(kept: SerializedPath) -> Option<Self> {
        match kept {
            SerializedPath::Text(text) => Some(text.into()),
            SerializedPath::Units(units) => path_of(&units).map(Into::into),
        }
    }
}

impl SerializedPaths for Vec<PathBuf> {
    type Kept = Vec<SerializedPath>;

    fn to_kept(&self) -> Vec<SerializedPath> {
        self.iter().map(PathBuf::to_kept).collect()
    }

    fn from_kept(kept: Vec<SerializedPath>) -> Option<Self> {
        kept.into_iter().map(PathBuf::from_kept).collect()
    }
}

impl SerializedPaths for Option<PathBuf> {
    type Kept = Option<SerializedPath>;

    fn to_kept(&self) -> Option<SerializedPath> {
        self.as_ref().map(PathBuf::to_kept)
    }

    fn from_kept(kept: Option<SerializedPath>) -> Option<Self> {
        kept.map_or(Some(None), |kept| PathBuf::from_kept(kept).map(Some))
    }
}

/// Serialises a path, or several.
///
/// # Errors
/// Errors of the serialiser.
pub fn serialize<P: SerializedPaths, S: Serializer>(
    paths: &P,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    paths.to_kept().serialize(serializer)
}

/// Deserialises a path, or several.
///
/// # Errors
/// The value is no path.
pub fn deserialize<'de, P: SerializedPaths, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<P, D::Error> {
    let kept = P::Kept::deserialize(deserializer)?;
    P::from_kept(kept).ok_or_else(|| D::Error::custom("a path has a unit that no path has here"))
}

#[cfg(not(windows))]
fn units_of(path: &Path) -> Vec<u16> {
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(|byte| u16::from(*byte))
        .collect()
}

#[cfg(windows)]
fn units_of(path: &Path) -> Vec<u16> {
    std::os::windows::ffi::OsStrExt::encode_wide(path.as_os_str()).collect()
}

#[cfg(unix)]
fn path_of(units: &[u16]) -> Option<OsString> {
    let bytes: Option<Vec<u8>> = units.iter().map(|unit| u8::try_from(*unit).ok()).collect();
    bytes.map(std::os::unix::ffi::OsStringExt::from_vec)
}

#[cfg(windows)]
fn path_of(units: &[u16]) -> Option<OsString> {
    Some(std::os::windows::ffi::OsStringExt::from_wide(units))
}

#[cfg(not(any(unix, windows)))]
fn path_of(_: &[u16]) -> Option<OsString> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_alone_is_the_folder() {
        let home = home().unwrap();
        assert_eq!(
            [from_home("~"), from_home("~/a/b")],
            [home.clone(), home.join("a/b")]
        );
        assert_eq!(
            [from_home("~a"), from_home("/~/a")],
            [PathBuf::from("~a"), "/~/a".into()]
        );
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct PathsSample {
        #[serde(with = "crate::paths")]
        one: PathBuf,
        #[serde(with = "crate::paths")]
        several: Vec<PathBuf>,
        #[serde(default, with = "crate::paths")]
        none: Option<PathBuf>,
    }

    #[test]
    fn unicode_paths_are_kept_as_text() {
        let kept = PathsSample {
            one: "/a/ä.tarmac".into(),
            several: vec!["b".into()],
            none: None,
        };
        let text = toml::to_string(&kept).unwrap();
        assert_eq!(text, "one = \"/a/ä.tarmac\"\nseveral = [\"b\"]\n");
        assert_eq!(toml::from_str::<PathsSample>(&text).unwrap(), kept);
    }

    #[cfg(unix)]
    #[test]
    fn other_paths_are_kept_whole_in_every_format() {
        use std::os::unix::ffi::OsStringExt as _;
        let odd: PathBuf = std::ffi::OsString::from_vec(b"/t/\xffa.tarmac".to_vec()).into();
        let kept = PathsSample {
            one: odd.clone(),
            several: vec!["b".into(), odd.clone()],
            none: Some(odd),
        };
        assert_eq!(
            toml::from_str::<PathsSample>(&toml::to_string(&kept).unwrap()).unwrap(),
            kept
        );
        assert_eq!(
            ron::from_str::<PathsSample>(&ron::to_string(&kept).unwrap()).unwrap(),
            kept
        );
        assert_eq!(
            serde_json::from_str::<PathsSample>(&serde_json::to_string(&kept).unwrap()).unwrap(),
            kept
        );
        assert!(toml::from_str::<PathsSample>("one = [300]\nseveral = []\n").is_err());
    }
}
