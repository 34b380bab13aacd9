//! Files of an unfinished index ([`PartialFiles`]), and opening the part that they contain.
//!
//! `PATH.partial` grows by segments; only the builder that holds its lock writes it, and only
//! appends. `PATH.resume` is replaced as a whole from time to time, and makes the segments present
//! an index of a part of the trace. Both are removed when the index gets its name.

use std::fs::{File, TryLockError};
use std::io;
use std::io::{BufWriter, Error, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepback_parsers::Source;

use crate::answers::error::OpenError;
use crate::builder::resume::ResumedIndex;
use crate::index::Index;
use crate::store::data::{HEADER_LEN, IndexData};
use crate::store::fingerprint::Fingerprint;
use crate::store::layout::start_of_rest;

/// Files of an unfinished index, under the builder's lock.
#[derive(Debug)]
pub struct PartialFiles {
    /// Path of the finished index.
    path: PathBuf,
    /// File of the segments. It holds the lock.
    file: File,
}

impl PartialFiles {
    /// Returns the path at which an index is written before it gets its name.
    pub fn path_of(path: &Path) -> PathBuf {
        path.with_added_extension("partial")
    }

    /// Returns the path of the file with the state for resuming.
    pub fn resume_path_of(path: &Path) -> PathBuf {
        path.with_added_extension("resume")
    }

    /// Opens the files exclusively, without changing them.
    pub fn lock(path: &Path) -> io::Result<Self> {
        let partial = Self::path_of(path);
        loop {
            if std::fs::symlink_metadata(&partial).is_ok_and(|there| !there.is_file()) {
                // Through a link the index would overwrite the target of the link.
                return Err(Error::new(ErrorKind::InvalidInput, "not a regular file"));
            }
            let file = File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&partial)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::new(
                        ErrorKind::ResourceBusy,
                        "another program is writing it at this moment",
                    ));
                }
                // A file system without locks: two builders at once are then possible, and the
                // later rename wins.
                Err(TryLockError::Error(_)) | Ok(()) => {}
            }
            // Between the opening and the lock another builder may have renamed the file: it is an
            // index now, and mapped.
            if is_still_at(&file, &partial)? {
                let partial = Self {
                    path: path.to_owned(),
                    file,
                };
                // A builder that was killed while writing may have left it.
                _ = std::fs::remove_file(partial.new_rest_path());
                _ = std::fs::remove_file(partial.new_partial_path());
                return Ok(partial);
            }
        }
    }

    /// Returns the state of an earlier build that can be resumed: of this trace, or of one that has
    /// grown to it.
    pub fn resumed(
        &mut self,
        is_same_trace: impl Fn(&Fingerprint) -> bool,
    ) -> Option<ResumedIndex> {
        let interrupted = so_far_of(&self.file, &Self::resume_path_of(&self.path));
        let finished = || map_file(&self.path).map(Arc::new);
        for (data, is_finished) in [(interrupted, false), (finished(), true)] {
            let Some(data) = data.ok() else { continue };
            let Ok(resumed) = ResumedIndex::read(&data, self.folder()) else {
                continue;
            };
            if !is_same_trace(&resumed.fingerprint) {
                continue;
            }
            let from = if is_finished {
                File::open(&self.path)
            } else {
                self.file.try_clone()
            };
            if from
                .and_then(|from| self.begin_with(from, resumed.resume.len))
                .is_ok()
            {
                return Some(resumed);
            }
        }
        None
    }

    /// Begins with the first bytes of another file, or of this one. Existing maps of a longer file
    /// keep their contents.
    fn begin_with(&mut self, mut from: File, len: u64) -> io::Result<()> {
        let partial = Self::path_of(&self.path);
        let is_own = is_still_at(&from, &partial)?;
        if is_own && from.metadata()?.len() == len {
            return Ok(());
        }
        from.seek(SeekFrom::Start(0))?;
        if !is_own {
            self.begin_anew()?;
            return copy(from.take(len), &mut self.file, len);
        }
        // At each moment there is a file that can be resumed.
        let new = self.new_partial_path();
        let mut file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&new)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(ErrorKind::ResourceBusy.into());
        }
        copy(from.take(len), &mut file, len)?;
        std::fs::rename(new, partial)?;
        self.file = file;
        Ok(())
    }

    /// Begins with an empty file. A file that others may have mapped is unlinked, not truncated.
    pub fn begin_anew(&mut self) -> io::Result<()> {
        while self.file.metadata()?.len() > 0 {
            std::fs::remove_file(Self::path_of(&self.path))?;
            *self = Self::lock(&self.path)?;
        }
        match std::fs::remove_file(Self::resume_path_of(&self.path)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the folder of the index.
    pub fn folder(&self) -> &Path {
        self.path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."))
    }

    /// Returns the output to which segments are appended.
    pub fn output(&self) -> io::Result<BufWriter<File>> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::End(0))?;
        Ok(BufWriter::with_capacity(1 << 20, file))
    }

    /// Creates a new file with the state for resuming. It takes effect once it is
    /// [kept](Self::keep_rest).
    pub fn new_rest(&self) -> io::Result<BufWriter<File>> {
        let path = self.new_rest_path();
        if std::fs::symlink_metadata(&path).is_ok() {
            std::fs::remove_file(&path)?;
        }
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)?;
        Ok(BufWriter::with_capacity(1 << 18, file))
    }

    /// Replaces the previous state with the new file.
    pub fn keep_rest(&self) -> io::Result<()> {
        std::fs::rename(self.new_rest_path(), Self::resume_path_of(&self.path))
    }

    fn new_partial_path(&self) -> PathBuf {
        self.path.with_added_extension("partial.new")
    }

    fn new_rest_path(&self) -> PathBuf {
        self.path.with_added_extension("resume.new")
    }

    /// Gives the index its name.
    pub fn finish(&self) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(Self::path_of(&self.path), &self.path)?;
        // It is of no use any more, and does no harm: it fits no other file.
        _ = std::fs::remove_file(Self::resume_path_of(&self.path));
        Ok(())
    }

    /// Returns true if there is something to resume.
    pub fn is_kept(&self) -> bool {
        Self::resume_path_of(&self.path).exists()
    }

    /// Removes the files. Errors are ignored: the cause of the failed build is reported already,
    /// and the next build overwrites the files.
    pub fn remove(&self) {
        let new = [self.new_rest_path(), self.new_partial_path()];
        for path in new
            .into_iter()
            .chain([Self::resume_path_of(&self.path), Self::path_of(&self.path)])
        {
            _ = std::fs::remove_file(path);
        }
    }
}

fn copy(mut from: impl std::io::Read, to: &mut File, len: u64) -> io::Result<()> {
    let copied = std::io::copy(&mut from, to)?;
    if copied == len {
        Ok(())
    } else {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

/// Removes the files that a stopped build left next to a finished index: no build will resume them.
/// Files locked by another builder stay. Files that cannot be removed do no harm.
pub fn remove_leftovers(path: &Path) {
    let new = ["resume.new", "partial.new"].map(|extension| path.with_added_extension(extension));
    let files = new.into_iter().chain([
        PartialFiles::path_of(path),
        PartialFiles::resume_path_of(path),
    ]);
    if files
        .into_iter()
        .any(|file| std::fs::symlink_metadata(file).is_ok())
        && let Ok(partial) = PartialFiles::lock(path)
    {
        partial.remove();
    }
}

/// Returns the written part of an unfinished index.
///
/// # Errors
/// Reports why it cannot be used.
pub fn so_far(path: &Path) -> std::result::Result<Arc<IndexData>, OpenError> {
    let refused = |error: Error| match error.kind() {
        ErrorKind::NotFound => OpenError::Missing,
        _ => OpenError::Read(error),
    };
    let partial = PartialFiles::path_of(path);
    if !partial.symlink_metadata().map_err(refused)?.is_file() {
        return Err(OpenError::Foreign);
    }
    let file = File::open(partial).map_err(refused)?;
    so_far_of(&file, &PartialFiles::resume_path_of(path)).map_err(refused)
}

fn so_far_of(segments: &File, resume_path: &Path) -> io::Result<Arc<IndexData>> {
    let rest = Arc::new(map_file(resume_path)?);
    let len = start_of_rest(&rest).ok_or(ErrorKind::InvalidData)?;
    // Reads beyond the file must be prevented here: the checks of the contents would come too late.
    if len < HEADER_LEN || segments.metadata()?.len() < len as u64 {
        return Err(ErrorKind::InvalidData.into());
    }
    let segments = IndexData::map(segments).map(Arc::new)?;
    Ok(Arc::new(IndexData::Joined {
        segments,
        len,
        rest,
    }))
}

fn map_file(path: &Path) -> io::Result<IndexData> {
    if !path.symlink_metadata()?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    let file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        Err(ErrorKind::UnexpectedEof.into())
    } else {
        IndexData::map(&file)
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
    // An open file cannot be renamed away on this platform.
    Ok(true)
}

/// Opens the written part of the index of a trace, of a build that stopped or is still running.
///
/// # Errors
/// As [`Index::open`].
pub fn open_so_far(
    source: Arc<dyn Source>,
    path: &Path,
    fingerprint: &Fingerprint,
) -> Result<Index, OpenError> {
    let index = Index::load(source, so_far(path)?, None)?;
    let known = index.fingerprint();
    match known.difference(fingerprint) {
        Some(reason) if !known.is_start_of(fingerprint, index.source().as_ref()) => {
            Err(OpenError::Stale(reason))
        }
        _ => Ok(index),
    }
}
