//! Candidate paths of a kept file, and the choice among them.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::kept::partial::PartialFile;
use crate::kept::store::ByteStore;

/// State of the input that a kept file belongs to: length, modification time and hash.
pub type Identity = [u64; 3];

/// A kind of file that is derived from the trace once and used again.
pub(crate) trait CacheFileFormat {
    /// The contents of a finished file, except the bulk data.
    type Contents;
    /// Name in messages.
    const NAME: &'static str;
    /// Suffix of the file names that may be overwritten, regardless of the contents.
    const SUFFIX: &'static str;

    /// Reads a finished file. Returns none if it is damaged, unfinished, or of another input.
    fn read(&self, store: &ByteStore, identity: Identity) -> io::Result<Option<Self::Contents>>;

    /// Returns true if a file is empty or begins like one of ours, so that it may be replaced.
    fn is_ours(store: &ByteStore) -> io::Result<bool>;
}

/// Time to wait for another program's file before a separate one is made.
const PATIENCE: Duration = Duration::from_secs(2);
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(20);

/// Options for the files that are derived from an input.
#[derive(Clone, Debug, Default)]
pub struct CacheFileOptions {
    /// Length, modification time and hash of the input. A file made from another state is not used.
    pub identity: Identity,
    /// Candidate paths for a file that is used again next time, best first.
    pub kept: Vec<CacheFilePlace>,
    /// False if existing files are used but no new one is kept.
    pub is_copy_kept: bool,
    /// Directories for a temporary file that is gone when this program ends. If there are none, the
    /// system's own is used.
    pub scratch: Vec<PathBuf>,
}

/// A candidate path of a kept file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheFilePlace {
    /// The path.
    pub path: PathBuf,
    /// True if the directory is ours and may have to be created.
    pub is_directory_ours: bool,
}

/// A new, empty file.
pub(crate) struct NewCacheFile {
    pub store: ByteStore,
    /// None for a file that is not kept.
    pub partial: Option<PartialFile>,
    /// A message for the user about the location.
    pub notice: Option<String>,
}

/// Result of [`CacheFileOptions::begin`].
pub(crate) enum CacheFileStart<C> {
    New(NewCacheFile),
    /// Another program has finished the file meanwhile.
    Found(PathBuf, ByteStore, C),
    Stopped,
}

impl CacheFileOptions {
    /// Looks for a finished file of this input.
    pub(crate) fn found<K: CacheFileFormat>(
        &self,
        kept: &K,
    ) -> Option<(PathBuf, ByteStore, K::Contents)> {
        self.kept.iter().find_map(|place| {
            let store = opened(&place.path).ok()?;
            let contents = kept.read(&store, self.identity).ok()??;
            Some((place.path.clone(), store, contents))
        })
    }

    /// Creates a new file at the best path that can be written. Waits up to [`PATIENCE`] for a file
    /// that another program is writing.
    pub(crate) fn begin<K: CacheFileFormat>(
        &self,
        kept: &K,
        is_stopped: impl Fn() -> bool,
    ) -> CacheFileStart<K::Contents> {
        let mut refusal = None;
        for place in self.kept.iter().filter(|_| self.is_copy_kept) {
            let began = Instant::now();
            loop {
                match place.begin::<K>() {
                    Ok((store, partial)) => {
                        return CacheFileStart::New(NewCacheFile {
                            store,
                            partial: Some(partial),
                            notice: refusal,
                        });
                    }
                    Err(_) if is_stopped() => return CacheFileStart::Stopped,
                    Err(error) if error.kind() == ErrorKind::ResourceBusy => {}
                    Err(error) => {
                        let sentence = format!(
                            "{} cannot be written to {:?} ({error})",
                            K::NAME,
                            place.path
                        );
                        refusal = refusal.or(Some(sentence));
                        break;
                    }
                }
                if began.elapsed() > PATIENCE {
                    // Doing the work twice is better than no trace until the other program has
                    // finished.
                    return CacheFileStart::New(self.begin_scratch::<K>(None));
                }
                std::thread::sleep(WAIT_FOR_OTHERS);
                if let Some((path, store, contents)) = self.found(kept) {
                    return CacheFileStart::Found(path, store, contents);
                }
            }
        }
        CacheFileStart::New(self.begin_scratch::<K>(refusal))
    }

    /// Creates a file without a name, which is gone when the program ends. Falls back to memory if
    /// no directory works.
    fn begin_scratch<K: CacheFileFormat>(&self, refusal: Option<String>) -> NewCacheFile {
        let file = self
            .scratch
            .iter()
            .find_map(|directory| tempfile::tempfile_in(directory).ok());
        let file = file.or_else(|| tempfile::tempfile().ok());
        let is_memory = file.is_none();
        let notice = match (refusal, is_memory) {
            (Some(refusal), true) => Some(format!(
                "{refusal}; it lives in memory and will be made again next time"
            )),
            (Some(refusal), false) => Some(format!("{refusal}; it will be made again next time")),
            (None, true) => Some(format!(
                "{} lives in memory: there is no place for it",
                K::NAME
            )),
            (None, false) => None,
        };
        NewCacheFile {
            store: file.map_or_else(ByteStore::memory, ByteStore::File),
            partial: None,
            notice,
        }
    }
}

impl CacheFilePlace {
    fn begin<K: CacheFileFormat>(&self) -> io::Result<(ByteStore, PartialFile)> {
        if let Some(directory) = self.path.parent().filter(|_| self.is_directory_ours) {
            std::fs::create_dir_all(directory)?;
        }
        if self
            .path
            .symlink_metadata()
            .is_ok_and(|there| !there.is_file())
            || is_foreign::<K>(&self.path)
        {
            return Err(io::Error::other("another file bears this name"));
        }
        let partial = PartialFile::begin(&self.path)?;
        Ok((ByteStore::File(partial.file()?), partial))
    }
}

/// Returns true if the file must not be replaced. A misspelt path must not destroy a user's file:
/// only our own files, and files with our suffix, are replaced.
fn is_foreign<K: CacheFileFormat>(path: &Path) -> bool {
    if path.to_string_lossy().ends_with(K::SUFFIX) {
        return false;
    }
    match opened(path) {
        Ok(store) => !K::is_ours(&store).unwrap_or(false),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

fn opened(path: &Path) -> io::Result<ByteStore> {
    // Checked before opening: opening a pipe would block until it has a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    Ok(ByteStore::File(File::open(path)?))
}
