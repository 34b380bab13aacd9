//! A file that is written under a temporary name, by one program at a time.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

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
