//! Session file: everything that a user saves about a trace, as TOML that people read and edit.
//!
//! ```toml
//! stepback_session = 1
//! active = 1
//! windows_together = true
//! timeline_share = 0.25
//!
//! [trace]
//! path = "/traces/server.tarmac"
//! bytes = 4096
//! steps = 44013
//! hash = "19f0a4c55d20b7e1"
//!
//! [[windows]]
//! number = 1
//! position = 1250
//!
//! [[bookmarks]]
//! position = 1250
//! name = "the store"
//! note = "writes one byte too many"
//! color = "red"
//!
//! [[bookmarks]]
//! address = "0x80020340"
//! bytes = 8
//!
//! [[watches]]
//! expression = "[sp+8]"
//! type = "u32"
//!
//! [[waves]]
//! expression = "x0"
//! type = "i64"
//!
//! [[searches]]
//! name = "stores of the parser"
//!
//! [searches.search]
//! text = "strb"
//! kind = "Text"
//!
//! [[slices]]
//! name = "the pointer"
//!
//! [slices.slice]
//! cell = "x2"
//! at = 1763
//! ```
//!
//! A bookmark has a `position`, or a `first` and a `last` one, or an `address` with `bytes`.
//! Unknown keys are ignored; a file of a newer version is refused.
//!
//! A session that cannot be read is reported with its line and left unchanged. One that the user
//! names is matched with its trace by length and hash, not by path.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{
    Bookmark, BookmarkColor, BookmarkId, BookmarkPlace, Bookmarks, ReadingChoices, SavedQueries,
    SavedSearch, SavedSlice, Watch, Watches,
};
use crate::image::ImageSpec;
use crate::messages::say;
use crate::number::number;

/// Version that is written, and the newest that is read.
pub const VERSION: u32 = 1;
/// Maximum length of a session file in bytes: a longer file was not written by this program.
pub const LONGEST: u64 = 16 << 20;
/// Maximum number of trace windows.
const WINDOWS: usize = 64;
/// Maximum number of images, directories or files that are opened without a request.
const PLACES: usize = 4096;

/// Contents of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionFile {
    pub trace: SessionTrace,
    /// Program images that were named for it.
    pub images: Vec<ImageSpec>,
    /// Directories of images that were named for it.
    pub sysroots: Vec<PathBuf>,
    /// Trace windows and their positions.
    pub windows: Vec<SessionWindow>,
    /// Number of the active window.
    pub active: u32,
    /// The windows move and scroll together.
    pub is_synced: bool,
    /// Panels, in the window's format; empty: the default panels.
    pub panels: String,
    /// Height of the timeline as a share of the window, if the user chose it.
    pub timeline_share: Option<f32>,
    pub bookmarks: Bookmarks,
    pub watches: Watches,
    /// Values that the timeline shows as waveforms.
    pub waves: Watches,
    /// Named searches.
    pub searches: SavedQueries<SavedSearch>,
    /// Named slices.
    pub slices: SavedQueries<SavedSlice>,
}

/// Data by which a trace is recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionTrace {
    #[serde(with = "crate::paths")]
    pub path: PathBuf,
    /// Further files of a trace of several files.
    #[serde(skip_serializing_if = "Vec::is_empty", with = "crate::paths")]
    pub more: Vec<PathBuf>,
    /// Total length of its files.
    pub bytes: u64,
    /// Number of steps; if the trace was not indexed to its end, those of the indexed part.
    pub steps: u64,
    /// Hash of its head, tail and samples in hexadecimal; empty for a trace of several files.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// How its contents are read.
    #[serde(skip_serializing_if = "ReadingChoices::is_empty")]
    pub reading: ReadingChoices,
}

/// A trace window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionWindow {
    /// Its number, from 1.
    pub number: u32,
    pub position: u64,
}

/// Reason why a text is no session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionError {
    /// Line number, from 1; none if the error concerns the whole file.
    pub line: Option<usize>,
    /// Description of the error, as a phrase.
    pub what: String,
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => f.write_str(&say!(
                "session-line",
                line = line.to_string(),
                what = &*self.what
            )),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for SessionError {}

/// Structure of the TOML text.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SerializedSession {
    stepback_session: Option<u32>,
    active: u32,
    #[serde(
        rename = "windows_together",
        skip_serializing_if = "std::ops::Not::not"
    )]
    is_synced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline_share: Option<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty", with = "crate::paths")]
    sysroots: Vec<PathBuf>,
    trace: SessionTrace,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<ImageSpec>,
    windows: Vec<SessionWindow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bookmarks: Vec<Spanned<SerializedBookmark>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    watches: Vec<Watch>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waves: Vec<Watch>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searches: Vec<SavedSearch>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slices: Vec<SavedSlice>,
    #[serde(skip_serializing_if = "SerializedPanels::is_empty")]
    panels: SerializedPanels,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SerializedPanels {
    layout: String,
}

impl SerializedPanels {
    fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SerializedBookmark {
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
    color: BookmarkColor,
}

impl SerializedBookmark {
    fn of(bookmark: &Bookmark) -> Self {
        let (name, note, color) = (bookmark.name.clone(), bookmark.note.clone(), bookmark.color);
        let bare = Self {
            name,
            note,
            color,
            ..Self::default()
        };
        match bookmark.place {
            BookmarkPlace::Position(position) => Self {
                position: Some(position),
                ..bare
            },
            BookmarkPlace::Range { first, last } => Self {
                first: Some(first),
                last: Some(last),
                ..bare
            },
            BookmarkPlace::Memory { address, len_bytes } => Self {
                address: Some(format!("{address:#x}")),
                bytes: Some(len_bytes),
                ..bare
            },
        }
    }

    fn place(&self) -> Result<BookmarkPlace, String> {
        match (self.position, self.first.zip(self.last), &self.address) {
            (Some(position), None, None) => Ok(BookmarkPlace::Position(position)),
            (None, Some((first, last)), None) if first < last => {
                Ok(BookmarkPlace::Range { first, last })
            }
            (None, Some(_), None) => Err(say!("session-range-backwards").to_owned()),
            (None, None, Some(address)) => {
                let wrong = |error: String| {
                    say!(
                        "session-address",
                        address = format!("{address:?}"),
                        error = error
                    )
                };
                let address = number(address).map_err(|error| wrong(error.to_string()))?;
                Ok(BookmarkPlace::Memory {
                    address,
                    len_bytes: self.bytes.unwrap_or(1).max(1),
                })
            }
            _ => Err(say!("session-no-place").to_owned()),
        }
    }
}

impl SessionFile {
    /// Parses a text.
    ///
    /// # Errors
    /// The text is no session, or of a newer version. The error has the line.
    pub fn parse(text: &str) -> Result<Self, SessionError> {
        let whole = |what: String| SessionError { line: None, what };
        if text.len() as u64 > LONGEST {
            return Err(whole(say!("session-too-long", most = LONGEST.to_string())));
        }
        let written: SerializedSession = toml::from_str(text).map_err(|error| SessionError {
            line: error.span().map(|span| line_of(text, span.start)),
            what: error.message().to_owned(),
        })?;
        match written.stepback_session {
            Some(1..=VERSION) => {}
            Some(version) => {
                return Err(whole(say!("session-newer", version = version.to_string())));
            }
            None => return Err(whole(say!("session-none").to_owned())),
        }
        let mut bookmarks = Bookmarks::default();
        for entry in &written.bookmarks {
            let line = Some(line_of(text, entry.span().start));
            let place = entry
                .get_ref()
                .place()
                .map_err(|what| SessionError { line, what })?;
            let SerializedBookmark {
                name, note, color, ..
            } = entry.get_ref();
            let (id, name, note, color) = (BookmarkId(0), name.clone(), note.clone(), *color);
            bookmarks.add(Bookmark {
                id,
                place,
                name,
                note,
                color,
            });
        }
        let SerializedSession {
            active,
            is_synced,
            timeline_share,
            mut sysroots,
            mut trace,
            mut images,
            mut windows,
            panels,
            watches,
            waves,
            searches,
            slices,
            ..
        } = written;
        sysroots.truncate(PLACES);
        images.truncate(PLACES);
        windows.truncate(WINDOWS);
        trace.more.truncate(PLACES);
        Ok(Self {
            trace,
            images,
            sysroots,
            windows,
            active,
            is_synced,
            panels: panels.layout,
            timeline_share: timeline_share.filter(|share| (0.0..=1.0).contains(share)),
            bookmarks,
            watches: Watches::of(watches),
            waves: Watches::of(waves),
            searches: SavedQueries::of(searches),
            slices: SavedQueries::of(slices),
        })
    }

    /// Returns the text that [`Self::parse`] reads; none if a value cannot be serialised, which a
    /// test rules out.
    pub fn text(&self) -> Option<String> {
        let bookmarks = self
            .bookmarks
            .list()
            .iter()
            .map(|mark| Spanned::new(0..0, SerializedBookmark::of(mark)));
        let written = SerializedSession {
            stepback_session: Some(VERSION),
            active: self.active,
            is_synced: self.is_synced,
            timeline_share: self.timeline_share,
            sysroots: self.sysroots.clone(),
            trace: self.trace.clone(),
            images: self.images.clone(),
            windows: self.windows.clone(),
            bookmarks: bookmarks.collect(),
            watches: self.watches.list().to_vec(),
            waves: self.waves.list().to_vec(),
            searches: self.searches.list().to_vec(),
            slices: self.slices.list().to_vec(),
            panels: SerializedPanels {
                layout: self.panels.clone(),
            },
        };
        let head = "# What Stepback keeps about a trace. It may be changed by hand while the trace is closed.\n";
        Some(format!("{head}{}", toml::to_string_pretty(&written).ok()?))
    }
}

impl SessionTrace {
    /// Returns true if `other` is the same trace, possibly at another path or indexed further.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_known = self.bytes > 0 && other.bytes > 0;
        is_known && self.bytes == other.bytes && self.hash == other.hash
    }
}

/// Returns the line number of a byte, from 1.
fn line_of(text: &str, byte: usize) -> usize {
    text.bytes()
        .take(byte)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use stepback_index::answer::EdgeKinds;

    use crate::notes::{BookmarkChange, FindKind, FindQuery, FindRange, SavedSliceQuery};

    fn kept() -> SessionFile {
        let mut bookmarks = Bookmarks::default();
        let places = [
            BookmarkPlace::Position(7),
            BookmarkPlace::Range { first: 3, last: 9 },
            BookmarkPlace::Memory {
                address: u64::MAX,
                len_bytes: 8,
            },
        ];
        for place in places {
            bookmarks
                .change(&BookmarkChange::Put {
                    place,
                    name: "\"it's\" 'a' \\ name".to_owned(),
                })
                .unwrap();
        }
        let annotate = BookmarkChange::Annotate {
            place: places[0],
            note: "two\nlines ''' \"\"\"".to_owned(),
        };
        bookmarks.change(&annotate).unwrap();
        let all = EdgeKinds {
            addresses: true,
            flags: true,
            control: true,
            listed: false,
        };
        let requested = SavedSliceQuery {
            cell: "0x80:8".to_owned(),
            ..SavedSliceQuery::default()
        };
        SessionFile {
            trace: SessionTrace {
                path: "/a b/c.tarmac".into(),
                bytes: 12,
                steps: 3,
                ..SessionTrace::default()
            },
            images: vec![ImageSpec {
                path: "/x.elf".into(),
                offset: 0x1000,
            }],
            sysroots: vec!["/root".into()],
            windows: vec![
                SessionWindow {
                    number: 1,
                    position: 5,
                },
                SessionWindow {
                    number: 2,
                    position: 0,
                },
            ],
            active: 2,
            is_synced: true,
            panels: "(a: \"b\",\n c: '''d''')".to_owned(),
            bookmarks,
            watches: Watches::of(vec![Watch::parse("[sp+8] u32"), Watch::parse("x0")]),
            waves: Watches::of(vec![Watch::parse("x1 i64")]),
            timeline_share: Some(0.25),
            searches: SavedQueries::of(vec![
                SavedSearch {
                    name: "a \"search\"".to_owned(),
                    search: sought("/^b.*l$/", "12"),
                },
                SavedSearch {
                    name: "b".to_owned(),
                    search: sought("x", ""),
                },
            ]),
            slices: SavedQueries::of(vec![
                SavedSlice {
                    name: "a".to_owned(),
                    slice: SavedSliceQuery {
                        cell: "x2".to_owned(),
                        at: 9,
                        forward: true,
                        edges: all,
                    },
                },
                SavedSlice {
                    name: "b".to_owned(),
                    slice: SavedSliceQuery { at: 0, ..requested },
                },
            ]),
        }
    }

    fn sought(text: &str, from: &str) -> FindQuery {
        let range = FindRange {
            from: from.to_owned(),
            to: String::new(),
        };
        FindQuery {
            text: text.to_owned(),
            kind: FindKind::Regex,
            range,
        }
    }

    fn shown(bookmarks: &Bookmarks) -> Vec<(BookmarkPlace, String, String, BookmarkColor)> {
        let parts =
            |mark: &Bookmark| (mark.place, mark.name.clone(), mark.note.clone(), mark.color);
        bookmarks.list().iter().map(parts).collect()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let kept = kept();
        let text = kept.text().unwrap();
        assert!(text.contains("[[bookmarks]]\nposition = 7\n"), "{text}");
        let read = SessionFile::parse(&text).unwrap();
        assert_eq!(shown(&read.bookmarks), shown(&kept.bookmarks));
        assert_eq!(
            SessionFile {
                bookmarks: kept.bookmarks.clone(),
                ..read
            },
            kept
        );
    }

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        assert_eq!(SessionFile::parse(text).unwrap_err().to_string(), expected);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        check_error("", "not a session: stepback_session = 1 is missing");
        check_error(
            "stepback_session = 2\n",
            "written by a newer version of Stepback: format 2",
        );
        let bad = "stepback_session = 1\n\n[[bookmarks]]\nposition = 1\nfirst = 1\nlast = 2\n";
        check_error(
            bad,
            "line 3: a bookmark needs a position, a first and last position, or an address",
        );
        let late = "stepback_session = 1\n[[bookmarks]]\nposition = 1\n[[bookmarks]]\nfirst = 3\nlast = 2\n";
        check_error(
            late,
            "line 4: a bookmark has a range that ends before it begins",
        );
        let error = SessionFile::parse("stepback_session = 1\nactive = \"x\"\n").unwrap_err();
        assert_eq!(error.line, Some(2));
        assert_eq!(
            SessionFile::parse("stepback_session = 1\n[[bookmarks]\n")
                .unwrap_err()
                .line,
            Some(2)
        );
    }

    #[test]
    fn what_is_not_known_is_passed_over_and_what_is_too_much_is_left_out() {
        let mut text = "stepback_session = 1\nfuture = [1, 2]\n".to_owned();
        (0..5000)
            .for_each(|position| text.push_str(&format!("[[bookmarks]]\nposition = {position}\n")));
        (0..5000).for_each(|number| text.push_str(&format!("[[windows]]\nnumber = {number}\n")));
        let read = SessionFile::parse(&text).unwrap();
        assert_eq!(
            (read.bookmarks.list().len(), read.windows.len()),
            (crate::notes::MOST, WINDOWS)
        );
        let deep = format!("stepback_session = 1\nx = {}", "[".repeat(100_000));
        assert!(SessionFile::parse(&deep).is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,200}", cut in 0usize..2000, noise in any::<u8>()) {
            let _read = SessionFile::parse(&text);
            let mut bytes = kept().text().unwrap().into_bytes();
            let place = cut % bytes.len();
            bytes[place] = noise;
            let _read = SessionFile::parse(&String::from_utf8_lossy(&bytes));
            let _read = SessionFile::parse(&String::from_utf8_lossy(&bytes[..place]));
        }
    }
}
