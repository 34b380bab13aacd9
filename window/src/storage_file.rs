//! Storage file of the toolkit, which holds the data saved between runs, and notices about it.
//!
//! The file is checked and repaired before the toolkit opens it: the toolkit would read all of it,
//! block on a pipe, and apply unusable values.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use serde::Deserialize;
use stepback_debugger::messages::say;

use crate::damaged_file::mend_damaged;

/// Maximum length of the file; longer ones were not written by the program.
const LIMIT_BYTES: u64 = 16 << 20;
/// Names of the toolkit's entries: place of the window, and its options.
const WINDOW: &str = "window";
const TOOLKIT: &str = "egui";
/// Maximum number of pixels per side of a screen; places farther away are invisible.
const PIXELS: f32 = 32_768.0;
/// Allowed sides of a window, in points.
const SIDE: std::ops::RangeInclusive<f32> = 64.0..=16_384.0;
/// Allowed number of pixels per point.
const SCALE: std::ops::RangeInclusive<f32> = 0.25..=16.0;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct ToolkitStorage {
    /// Replacement path, if the usual file must not be opened. The toolkit would read all of it,
    /// and would block on a pipe. Data stored at the replacement path is lost.
    pub instead: Option<PathBuf>,
    /// The reason for the replacement or a notice of damage, for the user.
    pub notice: Option<StorageNotice>,
    /// True if the file contains the window's place of the last run.
    pub has_window: bool,
}

impl ToolkitStorage {
    /// Opens the storage of the program. Unusable entries of the toolkit are removed from the file.
    pub fn of(app: &str, damage: DamageRule) -> Self {
        let Some(usual) = eframe::storage_dir(app).map(|folder| folder.join("app.ron")) else {
            return Self::default();
        };
        let damaged = match refusal(&usual) {
            Some(why) => Err(why),
            None if damage == DamageRule::Left => Ok(None),
            None => mend_damaged(&usual, LIMIT_BYTES)
                .map_err(|error| StorageRefusal::Damaged(error.to_string())),
        };
        match damaged {
            Ok(notice) => Self {
                instead: None,
                notice,
                has_window: mend(&usual),
            },
            Err(why) => {
                let instead = std::env::temp_dir()
                    .join(format!("{app}-{}", std::process::id()))
                    .join("app.ron");
                let notice = StorageNotice::Unread(why, usual);
                Self {
                    instead: Some(instead),
                    notice: Some(notice),
                    has_window: false,
                }
            }
        }
    }
}

/// Treatment of a damaged file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageRule {
    /// Put the file aside, use its readable part and notify the user.
    PutAside,
    /// Leave the file unchanged, because nothing is reported and nothing is saved.
    Left,
}

/// Returns the reason why the file must not or cannot be opened. A missing file is no reason: it
/// will be created.
fn refusal(path: &Path) -> Option<StorageRefusal> {
    let refused = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => None,
        _ => Some(StorageRefusal::Refused(error.to_string())),
    };
    match path.metadata() {
        Ok(file) if !file.is_file() => Some(StorageRefusal::NoFile),
        Ok(file) if file.len() > LIMIT_BYTES => Some(StorageRefusal::LongerThan(LIMIT_BYTES >> 20)),
        Ok(_) => File::open(path).err().and_then(refused),
        Err(error) => refused(error),
    }
}

/// Removes entries from the file that the toolkit would read but could not use. A file that cannot
/// be repaired is left unchanged. Returns true if the file still contains the window's place.
fn mend(path: &Path) -> bool {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LIMIT_BYTES).read_to_string(&mut text));
    if read.is_err() {
        return false;
    }
    let mended = mended(&text);
    if let Some(mended) = &mended {
        let _unchanged = fs::write(path, mended);
    }
    let entries: Option<HashMap<String, String>> =
        ron::from_str(mended.as_ref().unwrap_or(&text)).ok();
    entries.is_some_and(|entries| entries.contains_key(WINDOW))
}

/// Returns the text without unusable entries; none if all are usable, or if the text is no storage
/// file.
fn mended(text: &str) -> Option<String> {
    let mut entries: HashMap<String, String> = ron::from_str(text).ok()?;
    let count = entries.len();
    entries.retain(|name, value| match name.as_str() {
        WINDOW => ron::from_str(value).is_ok_and(|window: SavedWindow| window.is_usable()),
        TOOLKIT => zoom_in(value).is_none_or(|zoom| SCALE.contains(&zoom)),
        _ => true,
    });
    if entries.len() == count {
        None
    } else {
        ron::to_string(&entries).ok()
    }
}

/// Returns the zoom factor in the toolkit's options: NaN if it is no number, none if it is missing.
fn zoom_in(options: &str) -> Option<f32> {
    let (_, rest) = options.split_once("zoom_factor:")?;
    let number = rest.split([',', ')']).next().unwrap_or_default();
    Some(number.trim().parse().unwrap_or(f32::NAN))
}

/// Window state saved by the toolkit.
#[derive(Deserialize)]
struct SavedWindow {
    normal_geometry: SavedGeometry,
}

#[derive(Deserialize)]
struct SavedGeometry {
    #[serde(default)]
    outer_position_pixels: Option<egui::Pos2>,
    scale_factor: f32,
    inner_size_points: egui::Vec2,
}

impl SavedWindow {
    fn is_usable(&self) -> bool {
        let SavedGeometry {
            outer_position_pixels,
            scale_factor,
            inner_size_points,
        } = &self.normal_geometry;
        let is_near = |place: &f32| (-PIXELS..=PIXELS).contains(place);
        outer_position_pixels.is_none_or(|place| is_near(&place.x) && is_near(&place.y))
            && SCALE.contains(scale_factor)
            && SIDE.contains(&inner_size_points.x)
            && SIDE.contains(&inner_size_points.y)
    }
}

/// A notice about the storage file. It is formatted only when shown, because no language is chosen
/// earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageNotice {
    /// The file is not read.
    Unread(StorageRefusal, PathBuf),
    /// The file was damaged and partly recovered; the original is at this path.
    Salvaged(PathBuf),
    /// The file was damaged and unreadable; the original is at this path.
    Lost(PathBuf),
}

/// Reason for not reading the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageRefusal {
    /// It is damaged and could not be put aside, for this reason.
    Damaged(String),
    /// The system denies access, for this reason.
    Refused(String),
    /// It is no regular file.
    NoFile,
    /// It is longer than this many megabytes.
    LongerThan(u64),
}

impl fmt::Display for StorageNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Unread(why, file) => say!(
                "storage-unread",
                why = why.to_string(),
                file = format!("{file:?}")
            ),
            Self::Salvaged(aside) => say!("storage-salvaged", aside = format!("{aside:?}")),
            Self::Lost(aside) => say!("storage-lost", aside = format!("{aside:?}")),
        })
    }
}

impl fmt::Display for StorageRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Damaged(error) => say!("storage-unread-damaged", error = &**error),
            Self::Refused(error) => say!("storage-unread-refused", error = &**error),
            Self::NoFile => say!("storage-unread-no-file").to_owned(),
            Self::LongerThan(megabytes) => {
                say!("storage-unread-long", megabytes = megabytes.to_string())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_short_file_is_read_and_the_user_hears_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.ron");
        assert_eq!(refusal(&path), None);
        let file = File::create(&path).unwrap();
        assert_eq!(refusal(&path), None);
        file.set_len(LIMIT_BYTES + 1).unwrap();
        assert_eq!(refusal(&path), Some(StorageRefusal::LongerThan(16)));
        assert_eq!(refusal(folder.path()), Some(StorageRefusal::NoFile));
        #[cfg(unix)]
        assert!(refusal(Path::new("/dev/zero")).is_some());
        #[cfg(unix)]
        assert!(
            refusal(&Path::new("/dev/null").join("app.ron"))
                .is_some_and(|why| matches!(why, StorageRefusal::Refused(_)))
        );
    }

    fn kept(position: &str, scale: &str, size: &str) -> HashMap<String, String> {
        let window = format!(
            "(normal_geometry:(outer_position_pixels:Some({position}),scale_factor:{scale},inner_size_points:{size}),\
             fullscreen:false,maximized:false)"
        );
        let entries = [
            ("app", "(zoom:2.0)".to_owned()),
            (WINDOW, window),
            (TOOLKIT, "(zoom_factor:1.0)".to_owned()),
        ];
        entries.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// Returns the names of the remaining entries.
    fn left(entries: &HashMap<String, String>) -> Option<Vec<String>> {
        let mended = mended(&ron::to_string(entries).unwrap())?;
        let mut names: Vec<String> = ron::from_str::<HashMap<String, String>>(&mended)
            .unwrap()
            .into_keys()
            .collect();
        names.sort_unstable();
        Some(names)
    }

    #[test]
    fn a_place_of_the_window_that_nobody_can_see_is_left_out() {
        assert_eq!(
            left(&kept("(x:10.0,y:-20.0)", "1.0", "(x:1600.0,y:1000.0)")),
            None
        );
        let without = Some(vec!["app".to_owned(), TOOLKIT.to_owned()]);
        for (position, scale, size) in [
            ("(x:NaN,y:0.0)", "1.0", "(x:1600.0,y:1000.0)"),
            ("(x:1e30,y:0.0)", "1.0", "(x:1600.0,y:1000.0)"),
            ("(x:0.0,y:0.0)", "0.0", "(x:1600.0,y:1000.0)"),
            ("(x:0.0,y:0.0)", "-1.0", "(x:1600.0,y:1000.0)"),
            ("(x:0.0,y:0.0)", "1.0", "(x:-1.0,y:1000.0)"),
            ("(x:0.0,y:0.0)", "1.0", "(x:inf,y:0.0)"),
            ("7", "1.0", "(x:1600.0,y:1000.0)"),
        ] {
            assert_eq!(
                left(&kept(position, scale, size)),
                without,
                "{position} {scale} {size}"
            );
        }
    }

    #[test]
    fn options_of_the_toolkit_with_a_size_that_nobody_can_see_are_left_out() {
        let good = kept("(x:10.0,y:-20.0)", "1.0", "(x:1600.0,y:1000.0)");
        let with = |zoom: &str| {
            let mut entries = good.clone();
            entries.insert(
                TOOLKIT.to_owned(),
                format!("(options:(zoom_factor:{zoom},other:1))"),
            );
            entries
        };
        assert_eq!(left(&with("1.5")), None);
        for zoom in ["-1.0", "0.0", "NaN", "1e9", "large"] {
            assert_eq!(
                left(&with(zoom)),
                Some(vec!["app".to_owned(), WINDOW.to_owned()]),
                "{zoom}"
            );
        }
        assert_eq!(mended("rubbish"), None);
    }
}
