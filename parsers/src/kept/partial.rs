//! A file that is written under another name, by one program at a time.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A file on its way to its name; dropped before that, it is gone.
#[derive(Debug)]
pub(crate) struct PartialFile {
    /// Holds the lock.
    file: File,
    path: PathBuf,
    place: PathBuf,
    is_named: bool,
}

impl PartialFile {
    /// Begins the file for `place`, empty.
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`]: another program writes it at this moment. Others: it cannot be written.
    pub fn begin(place: &Path) -> io::Result<Self> {
        let path = place.with_added_extension("partial");
        loop {
            if std::fs::symlink_metadata(&path).is_ok_and(|there| !there.is_file()) {
                // Through a link the copy would be written over whatever the link points at.
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
                // A file system without locks: two writers at once are then possible, and the later rename wins.
                Err(TryLockError::Error(_)) | Ok(()) => {}
            }
            // Between the opening and the lock another program may have renamed the file: it is a copy in use now.
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

    /// The file, for reading and writing.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// The name that it will bear.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Gives the file its name.
    pub fn name(mut self) -> io::Result<()> {
        std::fs::rename(&self.path, &self.place)?;
        self.is_named = true;
        // Where locks are mandatory nobody else could read it.
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
    // An open file cannot be renamed away there.
    Ok(true)
}
