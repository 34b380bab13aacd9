//! A file that is there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use super::retold::BUFFER_BYTES;

/// A file that is being written under another name, and gets its own when it is whole. Given up, it is removed.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    /// None for devices and pipes, which are written to as they are.
    temporary: Option<PathBuf>,
    out: BufWriter<File>,
}

impl NewFile {
    /// Begins to write a file.
    ///
    /// # Errors
    /// It cannot be created, or another one lies where it would be written.
    pub fn create(path: &Path) -> Result<Self> {
        let refused = |error| anyhow!("the result could not be created ({error}): {path:?}");
        let is_device = path.metadata().is_ok_and(|found| !found.is_file());
        let temporary = (!is_device).then(|| path.with_added_extension("partial"));
        let file = match &temporary {
            // What is there may be anybody's.
            Some(place) if place.symlink_metadata().is_ok() => {
                bail!("this file is in the way: {place:?}")
            }
            Some(place) => File::create_new(place).map_err(refused)?,
            None => fs::OpenOptions::new()
                .write(true)
                .open(path)
                .map_err(refused)?,
        };
        Ok(Self {
            path: path.to_owned(),
            temporary,
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
        })
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// It could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        let Some(temporary) = &self.temporary else {
            return Ok(());
        };
        self.out.get_ref().sync_all()?;
        fs::rename(temporary, &self.path)?;
        self.temporary = None;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // If it cannot be removed, nothing else can be done about it.
            _ = fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rst");
        fs::write(&path, "before").unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"behind").unwrap();
        assert_eq!(
            (fs::read_to_string(&path).unwrap(), names()),
            ("before".to_owned(), 2)
        );
        assert!(NewFile::create(&path).is_err(), "another one writes it");
        drop(file);
        assert_eq!(
            (fs::read_to_string(&path).unwrap(), names()),
            ("before".to_owned(), 1)
        );
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"behind").unwrap();
        file.finish().unwrap();
        assert_eq!(
            (fs::read_to_string(&path).unwrap(), names()),
            ("behind".to_owned(), 1)
        );
    }
}
