//! Writes sessions beside the window's thread.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use crate::session::write_session;

/// Writes sessions beside the window's thread, one after the other.
pub struct Saver {
    news: (Sender<String>, Receiver<String>),
    thread: Option<JoinHandle<()>>,
}

impl Default for Saver {
    fn default() -> Self {
        Self { news: channel(), thread: None }
    }
}

impl Saver {
    /// Writes a session in several places, after those before.
    pub fn write(&mut self, places: Vec<PathBuf>, text: String) {
        let before = self.thread.take();
        let news = self.news.0.clone();
        let job = move || {
            // In their order; one that panicked has said so.
            let _ended = before.map(JoinHandle::join);
            for place in places {
                if let Err(error) = write_session(&place, &text) {
                    let _unheard = news.send(format!("{error:#}"));
                }
            }
        };
        self.thread = std::thread::Builder::new().name("save".to_owned()).spawn(job).ok();
    }

    /// Waits until everything is written: at the end of the program, and in tests.
    pub fn finish(&mut self) {
        let _ended = self.thread.take().map(JoinHandle::join);
    }

    /// Why one could not be written, once.
    pub fn error(&self) -> Option<String> {
        self.news.1.try_recv().ok()
    }
}
