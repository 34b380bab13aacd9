//! Files that appear complete or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{TempDir, TempPath};

/// Buffer size of the output.
const BUFFER_BYTES: usize = 64 << 10;

/// Maximum number of attempts to remove a directory.
const REMOVALS: usize = 100;

/// The temporary files and directories that are not renamed yet.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all temporary files and directories and then calls `end`, which ends the program: no
/// further file can be created or renamed meanwhile.
pub fn remove_unfinished(end: impl FnOnce()) {
    let unfinished = unfinished();
    for path in &*unfinished {
        // There is nobody left to report a failure to.
        _ = match path.is_dir() {
            // Other threads may still create files in it.
            true => (0..REMOVALS).try_for_each(|_| match fs::remove_dir_all(path) {
                Ok(()) => Err(()),
                Err(_) => Ok(()),
            }),
            false => fs::remove_file(path).map_err(drop),
        };
    }
    end();
}

/// A file written under a unique temporary name in its directory and renamed when complete.
/// Dropping it removes the temporary file.
///
/// Of a symbolic link, the target is replaced. An existing file keeps its permissions.
#[derive(Debug)]
pub struct NewFile {
    out: BufWriter<File>,
    /// None for devices and pipes, which are written in place.
    temporary: Option<TempPath>,
    path: PathBuf,
}

impl NewFile {
    /// Creates the temporary file: `report.txt.Xy12Za.partial` for `report.txt`.
    ///
    /// # Errors
    /// The file cannot be created, or the existing one is read-only.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let Ok(found) = path.metadata() else {
            return Self::temporary(path);
        };
        if !found.is_file() {
            let file = OpenOptions::new().write(true).open(&path)?;
            return Ok(Self::of(file, None, path));
        }
        // A rename would replace a read-only file.
        if found.permissions().readonly() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let new = Self::temporary(path)?;
        // Not every file system has permissions, and the file's content does not depend on them.
        _ = new.out.get_ref().set_permissions(found.permissions());
        Ok(new)
    }

    /// Creates the file under its own name, for a reader that follows it while it grows.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn in_place(path: &Path) -> io::Result<Self> {
        Ok(Self::of(File::create(path)?, None, path.to_owned()))
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// The file cannot be written. An existing one is then unchanged.
    pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
        let mut file = Self::create(path)?;
        file.write_all(content)?;
        file.finish()
    }

    fn temporary(path: PathBuf) -> io::Result<Self> {
        let mut prefix = path.file_name().unwrap_or_default().to_owned();
        prefix.push(".");
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".partial");
        let mut unfinished = unfinished();
        // The library's own way of opening makes files that only their owner can read.
        let created = builder.make_in(folder.unwrap_or(Path::new(".")), |place| {
            File::create_new(place)
        })?;
        let (file, temporary) = created.into_parts();
        unfinished.push(temporary.to_path_buf());
        Ok(Self::of(file, Some(temporary), path))
    }

    fn of(file: File, temporary: Option<TempPath>, path: PathBuf) -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
            temporary,
            path,
        }
    }

    /// Returns a second handle, for a writer that must own its output. The two do not share a
    /// buffer.
    ///
    /// # Errors
    /// The system has no further handle.
    pub fn handle(&self) -> io::Result<File> {
        self.out.get_ref().try_clone()
    }

    /// Renames the complete file to its final name.
    ///
    /// # Errors
    /// The data cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        let Some(temporary) = self.temporary.take() else {
            return Ok(());
        };
        self.out.get_ref().sync_all()?;
        let mut unfinished = unfinished();
        unfinished.retain(|path| **path != *temporary);
        temporary.persist(&self.path).map_err(|error| error.error)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            let mut unfinished = unfinished();
            unfinished.retain(|path| **path != *temporary);
            drop(temporary);
        }
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

/// A directory under a unique temporary name, whose files are moved away when all are complete.
/// Dropping it removes what is left.
#[derive(Debug)]
pub struct NewDirectory(TempDir);

impl NewDirectory {
    /// Creates the directory inside `parent`.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(parent: &Path, prefix: &str) -> io::Result<Self> {
        let mut unfinished = unfinished();
        let created = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
        unfinished.push(created.path().to_owned());
        Ok(Self(created))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Moves its complete files away by `move_files`, which a signal does not interrupt, and removes
    /// the rest.
    ///
    /// # Errors
    /// That of `move_files`.
    pub fn finish<E>(self, move_files: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), E> {
        let guard = unfinished();
        let moved = move_files(self.path());
        drop(guard);
        moved
    }
}

impl Drop for NewDirectory {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        // Nobody could act on a failure, and the next export does not need the name.
        _ = fs::remove_dir_all(self.path());
        unfinished.retain(|path| path != self.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_file_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rst");
        fs::write(&path, "before").unwrap();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"before");
        drop(file);
        assert_eq!(
            (fs::read(&path).unwrap(), names(folder.path())),
            (b"before".to_vec(), 1)
        );
        NewFile::write_whole(&path, b"whole").unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), names(folder.path())),
            (b"whole".to_vec(), 1)
        );
    }

    #[test]
    fn two_writers_do_not_share_a_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rst");
        let [mut one, mut other] = [(); 2].map(|()| NewFile::create(&path).unwrap());
        assert_eq!(names(folder.path()), 2);
        one.write_all(b"one").unwrap();
        other.write_all(b"other").unwrap();
        drop(one);
        other.finish().unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), names(folder.path())),
            (b"other".to_vec(), 1)
        );
    }

    #[test]
    fn a_read_only_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rst");
        fs::write(&path, "before").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        assert!(NewFile::create(&path).is_err());
        assert_eq!(
            (fs::read(&path).unwrap(), names(folder.path())),
            (b"before".to_vec(), 1)
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_are_kept() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["a.toml", "link"].map(|name| folder.path().join(name));
        fs::write(&path, "before").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        NewFile::write_whole(&link, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o640
        );
        let missing = folder.path().join("new");
        NewFile::write_whole(&missing, b"").unwrap();
        // The user's mask applies, as for any new file.
        let expected = fs::metadata(&path).unwrap().permissions().mode() & 0o600;
        assert_eq!(
            fs::metadata(&missing).unwrap().permissions().mode() & 0o600,
            expected
        );
    }
}
