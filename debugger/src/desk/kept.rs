//! Saved session of a trace, read before the trace is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Error, Result, anyhow};

use crate::desk::saver::{PlaceContent, SavePlace};
use crate::image::ImageSpec;
use crate::messages::{error_words, say};
use crate::notes::SessionFile;
use crate::session::{
    OpenOptions, is_same_file, kept_file, kept_place, place_before, read_session, session_places,
    trace_of,
};

/// Saved session of a trace that is being opened.
#[derive(Clone, Debug, Default)]
pub struct SavedSession {
    /// Content; none if no session is saved.
    pub file: Option<SessionFile>,
    /// Path that it was read from.
    pub place: Option<PathBuf>,
    /// Text of the file.
    pub text: Option<String>,
    /// Path of the trace's own session; none if it has none.
    pub own_place: Option<PathBuf>,
    /// Paths where the trace's own session may be saved, best first.
    pub own_places: Vec<PathBuf>,
    /// Reason why it could not be read. The file is then left unchanged.
    pub error: Option<String>,
    /// The user named the file.
    pub is_named: bool,
    /// Files that the session names and that are missing.
    pub missing: MissingFiles,
}

/// Images and directories of a session that are missing. They stay in the session, since they may
/// come back.
#[derive(Clone, Debug, Default)]
pub struct MissingFiles {
    pub images: Vec<ImageSpec>,
    /// Directories to search for images.
    pub sysroots: Vec<PathBuf>,
}

impl MissingFiles {
    /// Returns a message for the user; none if nothing is missing.
    pub fn words(&self) -> Option<String> {
        let images = self.images.iter().map(|image| image.path.as_path());
        let all: Vec<&Path> = images
            .chain(self.sysroots.iter().map(PathBuf::as_path))
            .collect();
        let (first, more) = (all.first()?, all.len() - 1);
        Some(match more {
            0 => say!("kept-file-missing", first = format!("{first:?}")),
            _ => say!(
                "kept-files-missing",
                first = format!("{first:?}"),
                more = more
            ),
        })
    }

    /// Adds the missing files that are not in use by now.
    pub fn add_to(&self, images: &mut Vec<ImageSpec>, sysroots: &mut Vec<PathBuf>) {
        let missing = self
            .images
            .iter()
            .filter(|image| images.iter().all(|used| used.path != image.path));
        let missing: Vec<ImageSpec> = missing.cloned().collect();
        images.extend(missing);
        let missing: Vec<PathBuf> = self
            .sysroots
            .iter()
            .filter(|root| !sysroots.contains(root))
            .cloned()
            .collect();
        sysroots.extend(missing);
    }
}

/// Files in which the session of an open trace is saved.
#[derive(Debug, Default)]
pub struct SessionPlaces {
    /// The trace's own session, saved automatically.
    pub own: Option<Arc<SavePlace>>,
    /// File that the user named last, to save or to open. It is written only on request.
    pub named: Option<Arc<SavePlace>>,
    /// The saved session could not be read.
    pub is_unread: bool,
    /// The user was warned that nothing is saved.
    pub is_loss_stated: bool,
    /// Panels of the window as the session has them; empty if it has none.
    pub panels: String,
    /// Panels that could not be read. They stay in the session until the user saves it.
    pub unread_panels: Option<String>,
    /// Files that the session names and that are missing.
    pub missing: MissingFiles,
}

impl SessionPlaces {
    /// Chooses the file for the session. A name without an extension gets the usual one.
    pub fn choose(&mut self, place: PathBuf) {
        let place = if place.extension().is_some() {
            place
        } else {
            place.with_extension("session.toml")
        };
        let known = self
            .named
            .iter()
            .chain(&self.own)
            .find(|known| known.is_at(&place))
            .cloned();
        self.named = known.or_else(|| SavePlace::new([place], PlaceContent::Known(None)));
    }
}

/// Error: the trace of a session is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceMissing {
    /// Session file.
    pub file: PathBuf,
    /// Expected path of the trace.
    pub trace: PathBuf,
}

impl std::fmt::Display for TraceMissing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&say!(
            "kept-trace-missing",
            trace = format!("{:?}", self.trace)
        ))
    }
}

impl std::error::Error for TraceMissing {}

impl SavedSession {
    /// Reads the session next to the index of a trace. Blocks.
    pub fn beside(options: &OpenOptions) -> Self {
        let Some(place) = kept_place(options) else {
            return Self::default();
        };
        match read_session(&place) {
            Ok((file, text)) => Self {
                file: Some(file),
                text: Some(text),
                place: Some(place),
                ..Self::default()
            },
            Err(error) => Self {
                error: Some(error_words(&error)),
                place: Some(place),
                ..Self::default()
            },
        }
    }

    /// Reads a session that the user named and completes the options for its trace. The trace is
    /// `trace`, else the file that the session leads to. All other options stay. Blocks.
    ///
    /// # Errors
    /// The session cannot be read, its trace is missing ([`TraceMissing`]), or another file of the
    /// trace is missing.
    pub fn named(
        place: &Path,
        trace: Option<PathBuf>,
        options: OpenOptions,
    ) -> Result<(Self, OpenOptions)> {
        let (file, text) = read_session(place)?;
        let missing = || TraceMissing {
            file: place.to_owned(),
            trace: file.trace.path.clone(),
        };
        let path = trace
            .or_else(|| trace_of(&file, place))
            .ok_or_else(|| Error::new(missing()))?;
        let found = |kept: &PathBuf| {
            let found = kept_file(kept, place).or_else(|| kept_file(kept, &path));
            found
                .ok_or_else(|| anyhow!(say!("kept-trace-file-missing", file = format!("{kept:?}"))))
        };
        let more = file
            .trace
            .more
            .iter()
            .map(found)
            .collect::<Result<Vec<PathBuf>>>()?;
        let options = OpenOptions {
            path,
            more,
            ..options
        };
        let (file, text, place) = (Some(file), Some(text), Some(place.to_owned()));
        Ok((
            Self {
                file,
                text,
                place,
                is_named: true,
                ..Self::default()
            },
            options,
        ))
    }

    /// Finds the path of the trace's own session, existing or new. A session that the user named at
    /// this path counts as the trace's own. Blocks.
    pub fn find_own(&mut self, options: &OpenOptions) {
        self.own_places = session_places(options);
        self.own_place = kept_place(options);
        let own_place = self.own_place.as_deref().zip(self.place.as_deref());
        self.is_named &= !own_place.is_some_and(|(own, place)| is_same_file(own, place));
    }

    /// Returns true if this file is the backup of the trace's own session. It changes together with
    /// that session.
    pub fn is_set_aside(&self) -> bool {
        let before = self.own_place.as_deref().map(place_before);
        before
            .zip(self.place.as_deref())
            .is_some_and(|(before, place)| is_same_file(&before, place))
    }

    /// Adds to the options how the trace is read, and the session's images and directories that
    /// exist; notes the missing ones. What the user named replaces that of the session. Blocks.
    pub fn give_images(&mut self, options: &mut OpenOptions) {
        let Some((file, place)) = self.file.as_ref().zip(self.place.as_ref()) else {
            return;
        };
        options.read_as(&file.trace.reading);
        if options.images.is_empty() {
            let mut found = Vec::new();
            for image in &file.images {
                match kept_file(&image.path, place).filter(|path| path.is_file()) {
                    Some(path) => found.push(ImageSpec {
                        path,
                        offset: image.offset,
                    }),
                    None => self.missing.images.push(image.clone()),
                }
            }
            if options.remembered_images.is_empty() {
                options.remembered_images = found;
            }
        }
        if options.sysroots.is_empty() {
            let (found, missing): (Vec<_>, Vec<_>) = file
                .sysroots
                .iter()
                .cloned()
                .partition(|root| root.is_dir());
            self.missing.sysroots = missing;
            if options.remembered_sysroots.is_empty() {
                options.remembered_sysroots = found;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_trace_are_found_next_to_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let text = "stepback_session = 1\n[trace]\npath = \"/nowhere/a.rst\"\nmore = [\"/nowhere/b.rst\"]\n";
        let session = file("it.session.toml", text);
        let a = file("a.rst", "");
        let named = || SavedSession::named(&session, None, OpenOptions::default());
        assert!(
            named()
                .unwrap_err()
                .to_string()
                .ends_with("is missing: \"/nowhere/b.rst\"")
        );
        let b = file("b.rst", "");
        let (_, options) = named().unwrap();
        assert_eq!((options.path, options.more), (a, vec![b]));
    }
}
