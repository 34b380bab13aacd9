//! Place of a session file, and writing it without harm to other files.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use anyhow::{Context as _, Result, anyhow};

use super::places::index_places;
use super::{OpenOptions, Session};
use crate::messages::{say, system_words};
use crate::new_file::NewFile;
use crate::notes::{LONGEST, SessionFile, SessionTrace};
use crate::session::notice::of_file;

/// Extension of session files.
const ENDING: &str = "session.toml";
/// Extension of the previous session, the backup: `TRACE.session.before.toml`.
const ENDING_BEFORE: &str = "before.toml";
/// Key that marks a file as a session, near its beginning.
const SIGN: &str = "stepback_session";
/// Number of bytes in which the key must occur.
const HEAD: u64 = 4096;

/// Returns the session next to an index: `TRACE.session.toml` next to `TRACE.sbi`. The index can be
/// deleted without it.
pub fn session_place(index: &Path) -> PathBuf {
    let is_index = index
        .extension()
        .is_some_and(|extension| extension == "sbi");
    if is_index {
        index.with_extension(ENDING)
    } else {
        index.with_added_extension(ENDING)
    }
}

/// Returns the possible places of a trace's session, best first. Blocks.
pub fn session_places(options: &OpenOptions) -> Vec<PathBuf> {
    index_places(options)
        .iter()
        .map(|index| session_place(index))
        .collect()
}

/// Returns the session of a trace that is about to be opened, if it has one. Blocks. One in the
/// user's own directory has priority: it was saved there because the place next to the trace was
/// not writable.
pub fn kept_place(options: &OpenOptions) -> Option<PathBuf> {
    session_places(options)
        .into_iter()
        .rev()
        .find(|place| place.is_file())
}

/// Returns true if the beginning of a file is that of a session. Blocks; reads only the beginning.
pub fn is_session(path: &Path) -> bool {
    let is_named = path
        .extension()
        .is_some_and(|extension| extension == "toml");
    is_named && path.is_file() && head(path).is_ok_and(|head| head.contains(SIGN))
}

fn head(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Content that may be overwritten by a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwritePolicy<'a> {
    /// Any session: the user chose the place.
    AnySession,
    /// Only this text, which was read or written last; none: only an empty or new file.
    Known(Option<&'a str>),
}

/// Error: the session was not written.
#[derive(Debug)]
pub enum SessionSaveError {
    /// The file contains another session, of another window or changed by hand.
    Foreign,
    /// The file is no session.
    NoSession,
    /// An I/O error.
    Failed(io::Error),
}

impl SessionSaveError {
    /// Returns true if the user may not write to the place.
    pub fn is_read_only(&self) -> bool {
        let kinds = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
        matches!(self, Self::Failed(error) if kinds.contains(&error.kind()))
    }
}

impl fmt::Display for SessionSaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str(say!("session-foreign")),
            Self::NoSession => f.write_str(say!("session-no-session")),
            Self::Failed(error) => {
                f.write_str(&say!("session-not-saved", error = system_words(error)))
            }
        }
    }
}

impl std::error::Error for SessionSaveError {}

impl From<io::Error> for SessionSaveError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Reads a session; returns also the text of the file. Blocks.
///
/// # Errors
/// The file cannot be read or is no session. The message names the line and the file.
pub fn read_session(path: &Path) -> Result<(SessionFile, String)> {
    let failed = || format!("the session cannot be read: {path:?}");
    // A pipe or a device may never end.
    if !fs::metadata(path).with_context(failed)?.is_file() {
        return Err(anyhow!("not a file").context(failed()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes))
        .with_context(failed)?;
    let text = String::from_utf8(bytes).map_err(|_| anyhow!("not a text").context(failed()))?;
    match SessionFile::parse(&text) {
        Ok(file) => Ok((file, text)),
        Err(error) => Err(of_file(
            path,
            format_args!("the session cannot be read, {error}"),
        )),
    }
}

/// Writes a session to a temporary file and renames it, so that a session is never incomplete.
/// Blocks.
///
/// # Errors
/// It cannot be written, or another file is in its place, which stays unchanged.
pub fn write_session(
    path: &Path,
    text: &str,
    over: OverwritePolicy<'_>,
) -> Result<(), SessionSaveError> {
    if let Ok(found) = path.symlink_metadata() {
        if !found.is_file() || found.len() > 0 && !is_ours(path) {
            return Err(SessionSaveError::NoSession);
        }
        if let OverwritePolicy::Known(known) = over
            && !holds(path, known.unwrap_or_default())?
        {
            return Err(SessionSaveError::Foreign);
        }
    }
    Ok(NewFile::write_whole(path, text.as_bytes())?)
}

/// Returns the place of the backup. There is only one; the next backup replaces it.
pub fn place_before(place: &Path) -> PathBuf {
    place.with_extension(ENDING_BEFORE)
}

/// Copies the session of a place to its backup before `coming` overwrites it. Returns the backup's
/// path; none if the file does not exist or already has the text `coming`. Blocks.
///
/// # Errors
/// The file is no session, or the backup cannot be written.
pub fn set_aside(place: &Path, coming: &str) -> Result<Option<PathBuf>, SessionSaveError> {
    if place.symlink_metadata().is_err() || holds(place, coming)? {
        return Ok(None);
    }
    if !is_ours(place) {
        return Err(SessionSaveError::NoSession);
    }
    let mut bytes = Vec::new();
    File::open(place)?
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes)
        .ok()
        .filter(|text| text.len() as u64 <= LONGEST)
        .ok_or(SessionSaveError::NoSession)?;
    let before = place_before(place);
    write_session(&before, &text, OverwritePolicy::AnySession)?;
    Ok(Some(before))
}

/// Returns true if a file has exactly this text. Reads at most one byte more than that.
fn holds(path: &Path, text: &str) -> io::Result<bool> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(text.len() as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes == text.as_bytes())
}

fn is_ours(path: &Path) -> bool {
    head(path).is_ok_and(|head| head.contains(SIGN))
}

/// Finds the trace of a session: at its path, else under its name next to the session. None: it is
/// in neither place.
pub fn trace_of(session: &SessionFile, file: &Path) -> Option<PathBuf> {
    kept_file(&session.trace.path, file)
}

/// Finds a file that a session names: at its path, else under its name in the directory of another
/// file. None: it is in neither place. Blocks.
pub fn kept_file(kept: &Path, near: &Path) -> Option<PathBuf> {
    let beside = near
        .parent()
        .zip(kept.file_name())
        .map(|(folder, name)| folder.join(name));
    std::iter::once(kept.to_owned())
        .chain(beside)
        .find(|path| !path.as_os_str().is_empty() && path.exists())
}

impl Session {
    /// Returns the data by which the trace is recognised, on this machine and on others.
    pub fn kept_trace(&self, options: &OpenOptions) -> SessionTrace {
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // The fingerprint of a directory includes its files' times, which change when they are
        // copied.
        let single = self
            .input
            .as_ref()
            .filter(|input| input.files.is_none() && options.more.is_empty());
        SessionTrace {
            path: whole(&self.path),
            more: options.more.iter().map(|path| whole(path)).collect(),
            bytes: self.file_bytes(),
            steps: self.index.step_count(),
            hash: single
                .map(|input| format!("{:016x}", input.fingerprint.sample_hash))
                .unwrap_or_default(),
            reading: options.reading_choices(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_lies_next_to_the_index() {
        let place = |index: &str| session_place(Path::new(index)).display().to_string();
        assert_eq!(place("/t/a.tarmac.sbi"), "/t/a.tarmac.session.toml");
        assert_eq!(place("/t/other"), "/t/other.session.toml");
    }

    #[test]
    fn other_files_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let [own, other, target] =
            ["a.session.toml", "b.session.toml", "target"].map(|name| folder.path().join(name));
        write_session(&own, "stepback_session = 1\n", OverwritePolicy::AnySession).unwrap();
        write_session(
            &own,
            "stepback_session = 1\nactive = 2\n",
            OverwritePolicy::AnySession,
        )
        .unwrap();
        assert_eq!(read_session(&own).unwrap().0.active, 2);
        fs::write(&other, "precious").unwrap();
        assert!(
            write_session(
                &other,
                "stepback_session = 1\n",
                OverwritePolicy::AnySession
            )
            .is_err()
        );
        assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
        #[cfg(unix)]
        {
            let link = folder.path().join("link.session.toml");
            fs::write(&target, "precious").unwrap();
            std::os::unix::fs::symlink(&target, &link).unwrap();
            assert!(
                write_session(&link, "stepback_session = 1\n", OverwritePolicy::AnySession)
                    .is_err()
            );
            assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.session.toml");
        fs::write(&path, "stepback_session = 1\n[[windows]]\nposition = -5\n").unwrap();
        let error = format!("{:#}", read_session(&path).unwrap_err());
        assert!(
            error.contains("a.session.toml: the session cannot be read, line 3: "),
            "{error}"
        );
        assert!(is_session(&path) && !is_session(folder.path()));
    }
}
