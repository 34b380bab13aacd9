//! Writes session files on a separate thread.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::session::{OverwritePolicy, SessionSaveError, set_aside, write_session};

/// Writes session files on a separate thread, one after the other.
pub struct Saver {
    news: (Sender<SaveEvent>, Receiver<SaveEvent>),
    wake: Arc<dyn Fn() + Send + Sync>,
    thread: Option<JoinHandle<()>>,
}

/// Result of writing a session that the user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveEvent {
    /// The session was saved on request.
    Saved(PathBuf),
    /// The usual place is not writable; the session is saved here.
    Elsewhere(PathBuf),
    /// The previous content of the trace's own session file was moved here.
    SetAside(PathBuf),
    /// The file contains another session, which this run neither read nor wrote.
    Foreign(PathBuf),
    /// The session could not be written; the reason.
    Failed(String),
}

/// Reason for writing a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveReason {
    /// Automatic saving.
    Unasked,
    /// Request of the user, who chose the file now.
    Requested,
    /// Request of the user, who chose the file earlier: a session that appeared there meanwhile is
    /// not overwritten.
    RequestedAgain,
}

/// Content of a file in which a session is to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceContent {
    /// This text, which was read there; none: the file does not exist.
    Known(Option<String>),
    /// Content that was not loaded. It is moved to a backup before the file is overwritten.
    Unread,
}

/// A session file, shared with the thread that writes it.
#[derive(Debug)]
pub struct SavePlace(Mutex<SavePlaceState>);

#[derive(Debug)]
struct SavePlaceState {
    path: PathBuf,
    /// Alternatives if the file cannot be written, best first.
    others: Vec<PathBuf>,
    /// Content that this run read or wrote last.
    text: Option<String>,
    /// The content was not loaded, and is moved to a backup before it is overwritten.
    is_unread: bool,
    /// Writing was refused and is not tried again.
    is_given_up: bool,
    /// Error that was reported last.
    stated: Option<String>,
}

impl SavePlace {
    /// Creates a place from the candidate paths, best first, and the content of the first one.
    /// Returns none if there are no paths.
    pub fn new(
        places: impl IntoIterator<Item = PathBuf>,
        standing: PlaceContent,
    ) -> Option<Arc<Self>> {
        let mut others: Vec<PathBuf> = Vec::new();
        for place in places {
            if !others.contains(&place) {
                others.push(place);
            }
        }
        let path = if others.is_empty() {
            return None;
        } else {
            others.remove(0)
        };
        let is_unread = standing == PlaceContent::Unread;
        let text = match standing {
            PlaceContent::Known(text) => text,
            PlaceContent::Unread => None,
        };
        Some(Arc::new(Self(Mutex::new(SavePlaceState {
            path,
            others,
            text,
            is_unread,
            is_given_up: false,
            stated: None,
        }))))
    }

    /// Returns the name of the file.
    pub fn name(&self) -> Option<String> {
        let state = self.state();
        Some(state.path.file_name()?.to_string_lossy().into_owned())
    }

    /// Returns true if this is the file's path.
    pub fn is_at(&self, path: &Path) -> bool {
        self.state().path == path
    }

    /// Returns true if this text differs from the file's content and writing was not refused.
    pub fn wants(&self, text: &str) -> bool {
        let state = self.state();
        !state.is_given_up && state.text.as_deref() != Some(text)
    }

    fn state(&self) -> MutexGuard<'_, SavePlaceState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a text. Only the saver's thread calls this, so nothing else changes the state
    /// meanwhile.
    fn save(&self, text: &str, demand: SaveReason) -> Option<SaveEvent> {
        if demand == SaveReason::Unasked && !self.wants(text) {
            return None;
        }
        let mut is_moved = false;
        loop {
            let (path, known, is_unread) = {
                let state = self.state();
                (state.path.clone(), state.text.clone(), state.is_unread)
            };
            let aside = match demand {
                SaveReason::Unasked if is_unread => set_aside(&path, text),
                _ => Ok(None),
            };
            let over = match demand {
                SaveReason::Unasked if is_unread => OverwritePolicy::AnySession,
                SaveReason::Requested => OverwritePolicy::AnySession,
                SaveReason::RequestedAgain | SaveReason::Unasked => {
                    OverwritePolicy::Known(known.as_deref())
                }
            };
            let error =
                match aside.and_then(|aside| write_session(&path, text, over).map(|()| aside)) {
                    Ok(aside) => {
                        self.state().note(text);
                        return match demand {
                            SaveReason::Requested | SaveReason::RequestedAgain => {
                                Some(SaveEvent::Saved(path))
                            }
                            SaveReason::Unasked if is_moved => Some(SaveEvent::Elsewhere(path)),
                            SaveReason::Unasked => aside.map(SaveEvent::SetAside),
                        };
                    }
                    Err(error) => error,
                };
            if demand != SaveReason::Unasked || !error.is_read_only() || !self.state().move_on() {
                return self.state().refuse(&error, demand);
            }
            is_moved = true;
        }
    }
}

impl SavePlaceState {
    fn note(&mut self, text: &str) {
        (self.text, self.is_unread, self.is_given_up, self.stated) =
            (Some(text.to_owned()), false, false, None);
    }

    /// Switches to the next alternative. Returns false if there is none.
    fn move_on(&mut self) -> bool {
        if self.others.is_empty() {
            return false;
        }
        self.path = self.others.remove(0);
        self.text = None;
        if let Some(folder) = self.path.parent() {
            // If this fails, writing fails too and reports the error.
            let _made = fs::create_dir_all(folder);
        }
        true
    }

    /// Handles an error. A full disk may have room later; other errors are final. Each error is
    /// reported once.
    fn refuse(&mut self, error: &SessionSaveError, demand: SaveReason) -> Option<SaveEvent> {
        let is_passing = matches!(error, SessionSaveError::Failed(_)) && !error.is_read_only();
        self.is_given_up = demand != SaveReason::Unasked || !is_passing;
        if let SessionSaveError::Foreign = error {
            return Some(SaveEvent::Foreign(self.path.clone()));
        }
        let words = format!("{error}: {:?}", self.path);
        let is_new = self.stated.replace(words.clone()).as_ref() != Some(&words);
        (is_new || demand != SaveReason::Unasked).then_some(SaveEvent::Failed(words))
    }
}

impl Saver {
    /// Creates a saver. `wake` is called after each event.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            news: channel(),
            wake: Arc::new(wake),
            thread: None,
        }
    }

    /// Queues a session for writing, after the earlier ones.
    pub fn write(&mut self, place: Arc<SavePlace>, text: String, demand: SaveReason) {
        let before = self.thread.take();
        let (news, wake) = (self.news.0.clone(), self.wake.clone());
        let job = move || {
            // Keep the order. A thread that panicked has already reported it.
            let _ended = before.map(JoinHandle::join);
            if let Some(stated) = place.save(&text, demand) {
                let _unheard = news.send(stated);
                wake();
            }
        };
        self.thread = std::thread::Builder::new()
            .name("save".to_owned())
            .spawn(job)
            .ok();
    }

    /// Waits until everything is written: at the end of the program, before a session is read, and
    /// in tests.
    pub fn finish(&mut self) {
        let _ended = self.thread.take().map(JoinHandle::join);
    }

    /// Returns the next event, once.
    pub fn news(&self) -> Option<SaveEvent> {
        self.news.1.try_recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "stepback_session = 1\n";

    #[test]
    fn two_runs_do_not_overwrite_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.session.toml");
        let run = || SavePlace::new([path.clone()], PlaceContent::Known(None)).unwrap();
        let (one, two) = (run(), run());
        assert_eq!(one.save(TEXT, SaveReason::Unasked), None);
        assert_eq!(
            two.save("stepback_session = 1\n# two\n", SaveReason::Unasked),
            Some(SaveEvent::Foreign(path.clone()))
        );
        assert!(!two.wants("more"));
        assert_eq!(fs::read_to_string(&path).unwrap(), TEXT);
        assert_eq!(
            one.save("stepback_session = 1\n# one\n", SaveReason::Unasked),
            None
        );
        // An explicit request overwrites it.
        assert_eq!(
            two.save("stepback_session = 1\n# two\n", SaveReason::Requested),
            Some(SaveEvent::Saved(path.clone()))
        );
        assert_eq!(
            one.save(TEXT, SaveReason::Unasked),
            Some(SaveEvent::Foreign(path))
        );
    }

    #[test]
    fn what_was_not_taken_in_is_set_aside_once() {
        let folder = tempfile::tempdir().unwrap();
        let [path, before] =
            ["a.session.toml", "a.session.before.toml"].map(|name| folder.path().join(name));
        let read = || [&path, &before].map(|path| fs::read_to_string(path).unwrap());
        fs::write(&path, TEXT).unwrap();
        let place = SavePlace::new([path.clone()], PlaceContent::Unread).unwrap();
        let [one, two] = ["one", "two"].map(|word| format!("{TEXT}# {word}\n"));
        assert_eq!(
            place.save(&one, SaveReason::Unasked),
            Some(SaveEvent::SetAside(before.clone()))
        );
        assert_eq!(place.save(&two, SaveReason::Unasked), None);
        assert_eq!(read(), [two.as_str(), TEXT]);
        // An equal text needs no backup.
        assert_eq!(
            SavePlace::new([path.clone()], PlaceContent::Unread)
                .unwrap()
                .save(&two, SaveReason::Unasked),
            None
        );
        assert_eq!(read(), [two.as_str(), TEXT]);
        // Content that appeared meanwhile is not overwritten unless the user names the file.
        fs::write(&path, &one).unwrap();
        assert_eq!(
            place.save(TEXT, SaveReason::RequestedAgain),
            Some(SaveEvent::Foreign(path.clone()))
        );
        fs::remove_file(&path).unwrap();
        assert_eq!(
            place.save(TEXT, SaveReason::RequestedAgain),
            Some(SaveEvent::Saved(path))
        );
    }

    #[test]
    fn what_cannot_be_written_is_kept_elsewhere_or_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] =
            ["a.session.toml", "new/b.session.toml"].map(|name| folder.path().join(name));
        fs::write(&path, TEXT).unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let place = SavePlace::new(
            [path.clone(), other.clone()],
            PlaceContent::Known(Some(TEXT.to_owned())),
        )
        .unwrap();
        let more = "stepback_session = 1\n# more\n";
        assert_eq!(
            place.save(more, SaveReason::Unasked),
            Some(SaveEvent::Elsewhere(other.clone()))
        );
        assert_eq!(
            [path, other].map(|path| fs::read_to_string(path).unwrap()),
            [TEXT, more]
        );
        // A missing directory may appear later.
        let late = folder.path().join("late/c.session.toml");
        let place = SavePlace::new([late.clone()], PlaceContent::Known(None)).unwrap();
        assert!(matches!(
            place.save(TEXT, SaveReason::Unasked),
            Some(SaveEvent::Failed(_))
        ));
        assert_eq!(place.save(TEXT, SaveReason::Unasked), None);
        assert!(place.wants(TEXT));
        fs::create_dir(late.parent().unwrap()).unwrap();
        assert_eq!(place.save(TEXT, SaveReason::Unasked), None);
        assert!(!place.wants(TEXT) && late.is_file());
    }
}
