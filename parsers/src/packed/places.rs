//! Where a copy may lie, and the one that is used.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::PackedKind;
use super::layout::{self, Contents, Identity};
use super::partial::Partial;
use super::store::Store;

/// How long another program's copy is waited for before we make one for ourselves.
const PATIENCE: Duration = Duration::from_secs(2);
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(20);

/// How a packed text is opened.
#[derive(Clone, Debug, Default)]
pub struct PackedOptions {
    /// Length, modification time and a hash of the packed input: a copy of another state of it is not used.
    pub identity: Identity,
    /// Where the copy may lie that is used again next time, best first.
    pub kept: Vec<KeptPlace>,
    /// False when copies are only looked for, not left behind.
    pub is_copy_kept: bool,
    /// Directories for a copy that is gone when this program ends; without any the system's own.
    pub scratch: Vec<PathBuf>,
}

/// A place for a copy that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPlace {
    /// The file.
    pub path: PathBuf,
    /// True when its directory is ours and may have to be made.
    pub is_directory_ours: bool,
}

/// A new copy, empty so far.
pub(super) struct NewCopy {
    pub store: Store,
    /// None for a copy that is not kept.
    pub partial: Option<Partial>,
    /// What the user should know about the place.
    pub notice: Option<String>,
}

/// What there is to work with.
pub(super) enum Begun {
    New(NewCopy),
    /// Another program finished a copy meanwhile.
    Found(PathBuf, Store, Contents),
    Stopped,
}

impl PackedOptions {
    /// A finished copy of this input.
    pub(super) fn found(&self, kind: PackedKind) -> Option<(PathBuf, Store, Contents)> {
        self.kept.iter().find_map(|place| {
            let store = opened(&place.path).ok()?;
            let contents = layout::read(&store, self.identity, kind).ok()??;
            Some((place.path.clone(), store, contents))
        })
    }

    /// A new copy at the best place that can be written.
    pub(super) fn begin(&self, kind: PackedKind, is_stopped: impl Fn() -> bool) -> Begun {
        let mut refusal = None;
        for place in self.kept.iter().filter(|_| self.is_copy_kept) {
            let began = Instant::now();
            loop {
                match place.begin() {
                    Ok((store, partial)) => {
                        return Begun::New(NewCopy { store, partial: Some(partial), notice: refusal });
                    }
                    Err(_) if is_stopped() => return Begun::Stopped,
                    Err(error) if error.kind() == ErrorKind::ResourceBusy => {}
                    Err(error) => {
                        let sentence =
                            format!("the copy of the unpacked text cannot be written to {:?} ({error})", place.path);
                        refusal = refusal.or(Some(sentence));
                        break;
                    }
                }
                if began.elapsed() > PATIENCE {
                    // Rather twice the work than no trace while the other one works.
                    return self.begin_scratch(None);
                }
                std::thread::sleep(WAIT_FOR_OTHERS);
                if let Some((path, store, contents)) = self.found(kind) {
                    return Begun::Found(path, store, contents);
                }
            }
        }
        self.begin_scratch(refusal)
    }

    /// A file without a name, so that it is gone with the program; memory where there is no place for one.
    fn begin_scratch(&self, refusal: Option<String>) -> Begun {
        let file = self.scratch.iter().find_map(|directory| tempfile::tempfile_in(directory).ok());
        let file = file.or_else(|| tempfile::tempfile().ok());
        let is_memory = file.is_none();
        let notice = match (refusal, is_memory) {
            (Some(refusal), true) => Some(format!("{refusal}; it lives in memory and will be made again next time")),
            (Some(refusal), false) => Some(format!("{refusal}; it will be made again next time")),
            (None, true) => Some("the copy of the unpacked text lives in memory: there is no place for it".to_owned()),
            (None, false) => None,
        };
        Begun::New(NewCopy { store: file.map_or_else(Store::memory, Store::File), partial: None, notice })
    }
}

impl KeptPlace {
    fn begin(&self) -> io::Result<(Store, Partial)> {
        if let Some(directory) = self.path.parent().filter(|_| self.is_directory_ours) {
            std::fs::create_dir_all(directory)?;
        }
        if self.path.symlink_metadata().is_ok_and(|there| !there.is_file()) || is_foreign(&self.path) {
            return Err(io::Error::other("another file bears this name"));
        }
        let partial = Partial::begin(&self.path)?;
        Ok((Store::File(partial.file()?), partial))
    }
}

/// A misspelt path must not cost somebody his file: only what is a copy, or is called one, is replaced.
fn is_foreign(path: &Path) -> bool {
    if path.to_string_lossy().ends_with(".sbi.text") {
        return false;
    }
    match opened(path) {
        Ok(store) => !layout::is_copy(&store).unwrap_or(false),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

fn opened(path: &Path) -> io::Result<Store> {
    // Asked before opening: to open a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    Ok(Store::File(File::open(path)?))
}
