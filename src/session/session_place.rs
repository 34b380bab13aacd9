//! Where the file of a session lies, and how it is written without harm to other files.

use std::fs::{self, File, OpenOptions as FileOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};

use super::places::index_places;
use super::{OpenOptions, Session};
use crate::notes::{KeptTrace, LONGEST, SessionFile};

/// How the names of sessions end.
const ENDING: &str = "session.toml";
/// By this a file is known as a session, near its beginning.
const SIGN: &str = "stepback_session";
/// How far into a file that is looked for.
const HEAD: u64 = 4096;

/// The session beside an index: `TRACE.session.toml` beside `TRACE.sbi`. The index can be deleted without it.
pub fn session_place(index: &Path) -> PathBuf {
    let is_index = index.extension().is_some_and(|extension| extension == "sbi");
    if is_index { index.with_extension(ENDING) } else { index.with_added_extension(ENDING) }
}

/// The session of a trace that is about to be opened, where it has one. Blocks.
pub fn kept_place(options: &OpenOptions) -> Option<PathBuf> {
    index_places(options).iter().map(|index| session_place(index)).find(|place| place.is_file())
}

/// Whether a file is one of a session, by its beginning. Blocks; reads no more than that.
pub fn is_session(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|extension| extension == "toml");
    is_named && path.is_file() && head(path).is_ok_and(|head| head.contains(SIGN))
}

fn head(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a session. Blocks.
///
/// # Errors
/// It cannot be read, or is none; names the line and the file.
pub fn read_session(path: &Path) -> Result<SessionFile> {
    let failed = || format!("the session cannot be read: {path:?}");
    // A pipe or a device may never end.
    if !fs::metadata(path).with_context(failed)?.is_file() {
        return Err(anyhow!("not a file").context(failed()));
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)).with_context(failed)?;
    let text = String::from_utf8(bytes).map_err(|_| anyhow!("not a text").context(failed()))?;
    SessionFile::parse(&text).map_err(|error| anyhow!("the session cannot be read, {error}: {path:?}"))
}

/// Writes a session under another name first, so that none is ever half there. Blocks.
///
/// # Errors
/// It cannot be written, or another file is in its place, which stays as it is.
pub fn write_session(path: &Path, text: &str) -> Result<()> {
    let failed = || format!("the session is not saved: {path:?}");
    if let Ok(found) = path.symlink_metadata()
        && (!found.is_file() || found.len() > 0 && !is_ours(path))
    {
        bail!("this file is no session and will not be overwritten: {path:?}");
    }
    let partial = path.with_added_extension("partial");
    let create = || FileOptions::new().write(true).create_new(true).open(&partial);
    let file = match create() {
        // What a program left that was ended while it wrote; a link would lead to a file of somebody else.
        Err(error)
            if error.kind() == ErrorKind::AlreadyExists
                && partial.symlink_metadata().is_ok_and(|found| found.is_file()) =>
        {
            fs::remove_file(&partial).with_context(failed)?;
            create()
        }
        created => created,
    };
    let written = file.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&partial, path)).with_context(failed)
}

fn is_ours(path: &Path) -> bool {
    head(path).is_ok_and(|head| head.contains(SIGN))
}

/// Where the trace of a session is: where it was, else under its name beside the session. None: it is in neither place.
pub fn trace_of(session: &SessionFile, file: &Path) -> Option<PathBuf> {
    kept_file(&session.trace.path, file)
}

/// Where a file that a session names is: where it was, else under its name in the directory of another file.
/// None: it is in neither place. Blocks.
pub fn kept_file(kept: &str, near: &Path) -> Option<PathBuf> {
    let kept = Path::new(kept);
    let beside = near.parent().zip(kept.file_name()).map(|(folder, name)| folder.join(name));
    std::iter::once(kept.to_owned()).chain(beside).find(|path| !path.as_os_str().is_empty() && path.exists())
}

impl Session {
    /// By what the trace is known again, on this machine and on others.
    pub fn kept_trace(&self, options: &OpenOptions) -> KeptTrace {
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string();
        // The files of a directory are told apart by their times too, which change when they are copied.
        let single = self.input.as_ref().filter(|input| input.files.is_none() && options.more.is_empty());
        KeptTrace {
            path: whole(&self.path),
            more: options.more.iter().map(|path| whole(path)).collect(),
            bytes: self.file_bytes(),
            steps: self.index.step_count(),
            hash: single.map(|input| format!("{:016x}", input.fingerprint.sample_hash)).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_lies_beside_the_index() {
        let place = |index: &str| session_place(Path::new(index)).display().to_string();
        assert_eq!(place("/t/a.tarmac.sbi"), "/t/a.tarmac.session.toml");
        assert_eq!(place("/t/other"), "/t/other.session.toml");
    }

    #[test]
    fn other_files_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let [own, other, target] = ["a.session.toml", "b.session.toml", "target"].map(|name| folder.path().join(name));
        write_session(&own, "stepback_session = 1\n").unwrap();
        write_session(&own, "stepback_session = 1\nactive = 2\n").unwrap();
        assert_eq!(read_session(&own).unwrap().active, 2);
        fs::write(&other, "precious").unwrap();
        assert!(write_session(&other, "stepback_session = 1\n").is_err());
        assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
        #[cfg(unix)]
        {
            let partial = own.with_added_extension("partial");
            fs::write(&target, "precious").unwrap();
            std::os::unix::fs::symlink(&target, &partial).unwrap();
            assert!(write_session(&own, "stepback_session = 1\n").is_err());
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
            error.starts_with("the session cannot be read, line 3: ") && error.ends_with("a.session.toml\""),
            "{error}"
        );
        assert!(is_session(&path) && !is_session(folder.path()));
    }
}
