//! Source files: the names that the images' line tables use, and the files on this computer.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};
use stepback_debugger::session::Session;
use stepback_debugger::source::{SourcePlaces, SourceText, find};
use stepback_index::{Cancel, QueryError};

/// Form in which a client names files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathFormat {
    #[default]
    Path,
    /// As `file:///a%20b.c`.
    Uri,
}

impl PathFormat {
    /// Returns the client's form of a path.
    fn shown(self, path: &str) -> String {
        match self {
            Self::Path => path.to_owned(),
            Self::Uri => path.bytes().fold("file://".to_owned(), |uri, byte| {
                match byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
                    true => uri + char::from(byte).encode_utf8(&mut [0; 4]),
                    false => uri + &format!("%{byte:02X}"),
                }
            }),
        }
    }

    /// Returns the path that a client names.
    fn read(self, named: &str) -> String {
        match (self, named.strip_prefix("file://")) {
            (Self::Uri, Some(path)) => decoded(path),
            _ => named.to_owned(),
        }
    }
}

/// Replaces each `%XX` by its byte.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Files that the line tables name.
pub struct SourceFiles {
    pub format: PathFormat,
    places: SourcePlaces,
    /// Names in the line tables, read at the first request.
    names: RefCell<Option<BTreeSet<String>>>,
    /// Places of files that were looked for.
    found: RefCell<HashMap<String, Option<PathBuf>>>,
}

impl SourceFiles {
    pub fn new(session: &Session) -> Self {
        Self {
            format: PathFormat::default(),
            places: session.source_places(session.source_map.clone()),
            names: RefCell::default(),
            found: RefCell::default(),
        }
    }

    /// Returns the place of a file on this computer.
    pub fn place_of(&self, name: &str) -> Option<PathBuf> {
        if let Some(known) = self.found.borrow().get(name) {
            return known.clone();
        }
        let found = find(name, &self.places).map(|path| std::path::absolute(&path).unwrap_or(path));
        self.found
            .borrow_mut()
            .insert(name.to_owned(), found.clone());
        found
    }

    /// Describes a file for the client.
    pub fn json(&self, name: &str) -> Json {
        let file_name = file_name(name);
        match self.place_of(name) {
            Some(path) => {
                json!({"name": file_name, "path": self.format.shown(&path.display().to_string())})
            }
            None => json!({
                "name": file_name,
                "path": self.format.shown(name),
                "origin": "not found on this computer",
                "presentationHint": "deemphasize",
            }),
        }
    }

    /// Returns the names in the line tables that mean a file of the client: those that are found at
    /// its path, else those of the same path, else those of the same file name.
    ///
    /// # Errors
    /// The query was cancelled.
    pub fn names_of(
        &self,
        path: &str,
        session: &Session,
        cancel: &Cancel,
    ) -> Result<Vec<String>, QueryError> {
        self.read_names(session, cancel)?;
        let path = &*self.format.read(path);
        let names = self.names.borrow();
        let same_name: Vec<&String> = names
            .iter()
            .flatten()
            .filter(|name| file_name(name) == file_name(path))
            .collect();
        let wanted = canonical(Path::new(path));
        let is_found = |name: &&&String| {
            let place = self.place_of(name);
            place.is_some_and(|place| place == Path::new(path) || canonical(&place) == wanted)
        };
        let found: Vec<String> = same_name
            .iter()
            .filter(is_found)
            .map(|name| (**name).clone())
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let equal = same_name.iter().find(|name| name.as_str() == path);
        Ok(match equal {
            Some(equal) => vec![(*equal).clone()],
            None => same_name.into_iter().cloned().collect(),
        })
    }

    fn read_names(&self, session: &Session, cancel: &Cancel) -> Result<(), QueryError> {
        if self.names.borrow().is_some() {
            return Ok(());
        }
        let names = RefCell::new(BTreeSet::new());
        let collect = |name: &str| {
            names.borrow_mut().insert(name.to_owned());
            false
        };
        session.images.code_of_files(&collect, cancel)?;
        *self.names.borrow_mut() = Some(names.into_inner());
        Ok(())
    }

    /// Reads a file that the line tables name.
    ///
    /// # Errors
    /// They name no such file, or it cannot be read.
    pub fn content(&self, path: &str, session: &Session, cancel: &Cancel) -> Result<String> {
        self.read_names(session, cancel)?;
        let path = &*self.format.read(path);
        let names = self.names.borrow();
        let place = names.iter().flatten().find_map(|name| {
            let place = self.place_of(name)?;
            (name == path || place == Path::new(path)).then_some(place)
        });
        let place = place.with_context(|| format!("no image has lines of this file: {path:?}"))?;
        let text = SourceText::read(&place, &[])?;
        Ok(text.lines.join("\n"))
    }
}

fn canonical(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, uri: &str) {
        assert_eq!(PathFormat::Uri.shown(path), uri);
        assert_eq!(PathFormat::Uri.read(uri), path);
        assert_eq!(PathFormat::Path.read(uri), uri);
    }

    #[test]
    fn a_client_may_name_files_by_uri() {
        check("/a/b.c", "file:///a/b.c");
        check("/a b/é%.c", "file:///a%20b/%C3%A9%25.c");
        assert_eq!(PathFormat::Uri.read("file:///a%2"), "/a%2");
        assert_eq!(PathFormat::Uri.read("/a%20b"), "/a%20b");
    }
}
