//! What a user keeps about a trace, before the trace is shown.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result};

use super::kept_layout;
use super::layout::Dock;
use crate::action::{Moment, TraceId, WindowId};
use crate::image::ImageSpec;
use crate::notes::SessionFile;
use crate::session::{OpenOptions, kept_place, read_session, trace_of};

/// What was kept about a trace that is opened.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// What was read; none where nothing is kept.
    pub file: Option<SessionFile>,
    /// Where it was read.
    pub place: Option<PathBuf>,
    /// Why it could not be read: it is then left as it is.
    pub error: Option<String>,
    /// The user named the file.
    pub is_named: bool,
}

/// The panels, and where the windows of the trace were.
pub struct SavedLayout {
    /// The panels with what they follow.
    pub dock: Dock,
    /// The trace windows and where they were.
    pub positions: Vec<(WindowId, Moment)>,
    /// The active trace window.
    pub active: WindowId,
}

/// Where the session of an open trace is saved.
#[derive(Debug, Default)]
pub struct SessionPlaces {
    /// Beside the index, and where the user asked for it.
    pub list: Vec<PathBuf>,
    /// What stands there, as far as this run wrote it.
    pub text: Option<String>,
}

/// The trace of a session is not where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceMissing {
    /// The session.
    pub file: PathBuf,
    /// Where the trace was.
    pub trace: String,
}

impl std::fmt::Display for TraceMissing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the trace of the session is not there: {:?}", self.trace)
    }
}

impl std::error::Error for TraceMissing {}

impl Kept {
    /// What is kept beside the index of a trace. Blocks.
    pub fn beside(options: &OpenOptions) -> Self {
        let Some(place) = kept_place(options) else { return Self::default() };
        match read_session(&place) {
            Ok(file) => Self { file: Some(file), place: Some(place), ..Self::default() },
            Err(error) => Self { error: Some(format!("{error:#}")), place: Some(place), ..Self::default() },
        }
    }

    /// A session that the user named, and how its trace is opened: where the user says, else where it is found. Blocks.
    ///
    /// # Errors
    /// The session cannot be read, or its trace is not there ([`TraceMissing`]).
    pub fn named(place: &Path, trace: Option<PathBuf>) -> Result<(Self, OpenOptions)> {
        let file = read_session(place)?;
        let missing = || TraceMissing { file: place.to_owned(), trace: file.trace.path.clone() };
        let path = trace.or_else(|| trace_of(&file, place)).ok_or_else(|| Error::new(missing()))?;
        let more: Vec<PathBuf> = file.trace.more.iter().map(PathBuf::from).collect();
        let mut options = OpenOptions { more, ..OpenOptions::new(path) };
        let kept = Self { file: Some(file), place: Some(place.to_owned()), is_named: true, error: None };
        kept.give_images(&mut options);
        Ok((kept, options))
    }

    /// The images and directories that were named for the trace, as far as they are there. Blocks.
    pub fn give_images(&self, options: &mut OpenOptions) {
        let Some(file) = self.file.as_ref() else { return };
        let is_chosen = !options.images.is_empty() || !options.remembered_images.is_empty();
        if !is_chosen {
            let specs = file.images.iter().map(|image| ImageSpec { path: (&image.path).into(), offset: image.offset });
            options.remembered_images = specs.filter(|spec| spec.path.is_file()).collect();
        }
        if options.sysroots().is_empty() {
            options.remembered_sysroots =
                file.sysroots.iter().map(PathBuf::from).filter(|path| path.is_dir()).collect();
        }
    }

    /// The panels and windows.
    pub fn layout(&self) -> Option<SavedLayout> {
        let file = self.file.as_ref()?;
        let moment = |position| Moment { trace: TraceId::default(), position };
        let positions = file.windows.iter().map(|window| (WindowId(window.number), moment(window.position))).collect();
        Some(SavedLayout { dock: kept_layout::read(&file.panels)?, positions, active: WindowId(file.active) })
    }
}
