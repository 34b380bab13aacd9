//! Where a kept file may lie, and the one that is used.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::kept::partial::PartialFile;
use crate::kept::store::ByteStore;

/// Which state of the input a kept file belongs to: length, time and hash.
pub type Identity = [u64; 3];

/// A kind of file that is made from the trace once and used again.
pub(crate) trait CacheFileFormat {
    /// All that is known of a finished one but its bulk.
    type Contents;
    /// What it is called in messages.
    const NAME: &'static str;
    /// How the names of its files end that may be replaced whatever they hold.
    const SUFFIX: &'static str;

    /// What a finished file contains; none when it is damaged, unfinished, or of another input.
    fn read(&self, store: &ByteStore, identity: Identity) -> io::Result<Option<Self::Contents>>;

    /// True when a file begins like one of ours, or is empty: it may be replaced.
    fn is_ours(store: &ByteStore) -> io::Result<bool>;
}

/// How long another program's file is waited for before we make one for ourselves.
const PATIENCE: Duration = Duration::from_secs(2);
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(20);

/// Where what is made from an input is kept.
#[derive(Clone, Debug, Default)]
pub struct CacheFileOptions {
    /// Length, modification time and a hash of the input: what was made from another state of it is not used.
    pub identity: Identity,
    /// Where the file may lie that is used again next time, best first.
    pub kept: Vec<CacheFilePlace>,
    /// False when files are only looked for, not left behind.
    pub is_copy_kept: bool,
    /// Directories for a file that is gone when this program ends; without any the system's own.
    pub scratch: Vec<PathBuf>,
}

/// A place for a file that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheFilePlace {
    /// The file.
    pub path: PathBuf,
    /// True when its directory is ours and may have to be made.
    pub is_directory_ours: bool,
}

/// A new file, empty so far.
pub(crate) struct NewCacheFile {
    pub store: ByteStore,
    /// None for one that is not kept.
    pub partial: Option<PartialFile>,
    /// What the user should know about the place.
    pub notice: Option<String>,
}

/// What there is to work with.
pub(crate) enum CacheFileStart<C> {
    New(NewCacheFile),
    /// Another program finished one meanwhile.
    Found(PathBuf, ByteStore, C),
    Stopped,
}

impl CacheFileOptions {
    /// A finished file of this input.
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

    /// A new file at the best place that can be written.
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
                    // Rather twice the work than no trace while the other one works.
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

    /// A file without a name, so that it is gone with the program; memory where there is no place for one.
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

/// A misspelt path must not cost somebody his file: only what is ours, or is called so, is replaced.
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
    // Asked before opening: to open a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    Ok(ByteStore::File(File::open(path)?))
}
