//! Files that are derived from an input, written once and used again: their options and candidate
//! paths ([`CacheFileOptions`]), a new file under a temporary name ([`PartialFile`]), and storage
//! on disk or in memory ([`ByteStore`]). One program at a time writes a file. A path may be
//! misspelt, so only our own files are replaced.

use std::fs::{File, TryLockError};
use std::io;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::read_at::ReadAt as _;

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
                "{refusal}; it is kept in memory and will be made again next time"
            )),
            (Some(refusal), false) => Some(format!("{refusal}; it will be made again next time")),
            (None, true) => Some(format!(
                "{} is kept in memory: there is no place for it",
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

/// A file that is being written. It is deleted if it is dropped before [`Self::name`].
#[derive(Debug)]
pub(crate) struct PartialFile {
    /// Holds the lock.
    file: File,
    path: PathBuf,
    place: PathBuf,
    is_named: bool,
}

impl PartialFile {
    /// Creates the empty file for `place`, with `.partial` added to its name.
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`] if another program is writing it. Otherwise the file cannot
    /// be written.
    pub fn begin(place: &Path) -> io::Result<Self> {
        let path = place.with_added_extension("partial");
        loop {
            if std::fs::symlink_metadata(&path).is_ok_and(|there| !there.is_file()) {
                // Through a link the copy would overwrite the target of the link.
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "its .partial is a link or no file",
                ));
            }
            let file = File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::ResourceBusy.into()),
                // The file system has no locks. Two writers at once are possible; the later rename
                // wins.
                Err(TryLockError::Error(_)) | Ok(()) => {}
            }
            // Another program may have renamed the file between the opening and the lock. Then it
            // is a copy in use.
            if is_still_at(&file, &path)? {
                file.set_len(0)?;
                return Ok(Self {
                    file,
                    path,
                    place: place.to_owned(),
                    is_named: false,
                });
            }
        }
    }

    /// Returns the file, opened for reading and writing.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Returns the final path.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Renames the file to its final path.
    pub fn name(mut self) -> io::Result<()> {
        std::fs::rename(&self.path, &self.place)?;
        self.is_named = true;
        // Mandatory locks would keep other programs from reading it.
        _ = self.file.unlock();
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_named {
            // A leftover is overwritten next time.
            _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let opened = file.metadata()?;
    let there = std::fs::metadata(path);
    Ok(there.is_ok_and(|there| (there.dev(), there.ino()) == (opened.dev(), opened.ino())))
}

#[cfg(not(unix))]
fn is_still_at(_file: &File, _path: &Path) -> io::Result<bool> {
    // On this system an open file cannot be renamed.
    Ok(true)
}

/// A file, or memory if no file can be written.
#[derive(Debug)]
pub(crate) enum ByteStore {
    File(File),
    Memory(RwLock<Vec<u8>>),
}

impl ByteStore {
    pub fn memory() -> Self {
        Self::Memory(RwLock::default())
    }

    pub fn length(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => file.length(),
            Self::Memory(bytes) => {
                Ok(bytes.read().unwrap_or_else(PoisonError::into_inner).len() as u64)
            }
        }
    }

    /// Reads up to `out.len()` bytes; fewer only at the end.
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => crate::read_at::ReadAt::read_at(file, offset, out),
            Self::Memory(bytes) => bytes
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .read_at(offset, out),
        }
    }

    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::File(file) => write_all_at(file, offset, bytes),
            Self::Memory(memory) => {
                let mut memory = memory.write().unwrap_or_else(PoisonError::into_inner);
                let start = usize::try_from(offset).map_err(|_| io::ErrorKind::OutOfMemory)?;
                let end = start
                    .checked_add(bytes.len())
                    .ok_or(io::ErrorKind::OutOfMemory)?;
                if memory.len() < end {
                    let missing = end - memory.len();
                    memory
                        .try_reserve(missing)
                        .map_err(|_| io::ErrorKind::OutOfMemory)?;
                    memory.resize(end, 0);
                }
                memory
                    .get_mut(start..end)
                    .ok_or(io::ErrorKind::OutOfMemory)?
                    .copy_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Waits until the bytes are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        match self {
            Self::File(file) => file.sync_all(),
            Self::Memory(_) => Ok(()),
        }
    }
}

#[cfg(unix)]
fn write_all_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = bytes.get(count..).unwrap_or_default();
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
