//! A file that appears complete or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use super::retold::BUFFER_BYTES;

/// A file written under a temporary name and renamed when complete. Dropping it removes the
/// temporary file.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    /// None for devices and pipes, which are written in place.
    temporary: Option<PathBuf>,
    out: BufWriter<File>,
}

impl NewFile {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// The file cannot be created, or its temporary name is taken.
    pub fn create(path: &Path) -> Result<Self> {
        let refused = |error| anyhow!("the result could not be created ({error}): {path:?}");
        let is_device = path.metadata().is_ok_and(|found| !found.is_file());
        let temporary = (!is_device).then(|| path.with_added_extension("partial"));
        let file = match &temporary {
            // The existing file may belong to anyone.
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

    /// Renames the complete file to its final name.
    ///
    /// # Errors
    /// The data cannot be written.
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
            // If the file cannot be removed, nothing else can be done.
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
