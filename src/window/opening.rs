//! A trace that is being opened, on a thread of its own.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use stepback_index::{BuildProgress, Cancel};

use super::run::TraceChoice;
use crate::session::{self, OpenOptions, Session};

/// An opening under way.
pub struct Opening {
    /// What is opened, for the card's title.
    pub name: String,
    /// How far it is; written by the thread.
    pub progress: Arc<BuildProgress>,
    /// The card is put away; the status bar tells how far it is.
    pub is_card_hidden: bool,
    cancel: Cancel,
    started: Instant,
    receiver: Receiver<Result<Opened>>,
}

/// A trace that is open, and how it was asked for.
pub struct Opened {
    /// The trace.
    pub session: Session,
    /// How it was opened.
    pub options: OpenOptions,
    /// It is the demo, asked for as such.
    pub is_demo: bool,
}

/// Numbers for the card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Bytes read.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
    /// Steps found.
    pub steps: u64,
    /// From 0 to 1.
    pub share: f32,
    /// Bytes a second.
    pub rate: u64,
    /// Until it is done; none while nobody can know.
    pub left: Option<Duration>,
}

impl Opening {
    /// Starts to open a trace. `wake` is called when it is done.
    pub fn start(choice: TraceChoice, wake: impl Fn() + Send + 'static) -> Self {
        let progress = Arc::<BuildProgress>::default();
        let cancel = Cancel::default();
        let (sender, receiver) = channel();
        let name = match &choice {
            TraceChoice::Path(options) => file_name(&options.path),
            TraceChoice::Demo => "the demo".to_owned(),
        };
        let job = {
            let (progress, cancel) = (progress.clone(), cancel.clone());
            move || {
                // The window may be gone; then nobody wants the trace.
                let _gone = sender.send(open(choice, &progress, &cancel));
                wake();
            }
        };
        // Without a thread the sender is dropped, and `poll` says so.
        let _thread = std::thread::Builder::new().name("open".to_owned()).spawn(job);
        Self { name, progress, is_card_hidden: false, cancel, started: Instant::now(), receiver }
    }

    /// The trace, or why it cannot be opened; none while it is on its way.
    pub fn poll(&self) -> Option<Result<Opened>> {
        match self.receiver.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(anyhow!("the trace could not be opened: its thread ended"))),
        }
    }

    /// Asks the thread to stop; [`Self::poll`] then gives an error.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whether it takes so long that a card is worth showing.
    pub fn is_long(&self) -> bool {
        self.started.elapsed() > Duration::from_millis(150)
    }

    /// Numbers for the card.
    pub fn figures(&self) -> Figures {
        let (done, total) = (self.progress.bytes_done.load(Relaxed), self.progress.bytes_total.load(Relaxed));
        figures(done, total, self.progress.steps.load(Relaxed), self.started.elapsed())
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

fn open(choice: TraceChoice, progress: &BuildProgress, cancel: &Cancel) -> Result<Opened> {
    let (options, is_demo) = match choice {
        TraceChoice::Path(options) => (options, false),
        TraceChoice::Demo => (OpenOptions::new(session::demo_path()?), true),
    };
    let session = session::open(&options, progress, cancel)?;
    Ok(Opened { session, options, is_demo })
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn figures(done: u64, total: u64, steps: u64, elapsed: Duration) -> Figures {
    let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let rate = done.saturating_mul(1000) / millis;
    let left = (done > 0 && total > done).then(|| {
        let millis_left = u128::from(total - done) * u128::from(millis) / u128::from(done);
        Duration::from_millis(u64::try_from(millis_left).unwrap_or(u64::MAX))
    });
    // In thousandths: more than the bar has pixels.
    let thousandths = u128::from(done.min(total)) * 1000 / u128::from(total.max(1));
    let share = f32::from(u16::try_from(thousandths).unwrap_or(1000)) / 1000.0;
    Figures { done, total, steps, share, rate, left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_rate() {
        let half = figures(500, 1000, 7, Duration::from_secs(2));
        assert_eq!((half.rate, half.left, half.share), (250, Some(Duration::from_secs(2)), 0.5));
        assert_eq!(figures(0, 1000, 0, Duration::from_secs(2)).left, None);
        assert_eq!(figures(0, 0, 0, Duration::ZERO).share, 0.0);
    }

    #[test]
    fn a_trace_that_is_not_there_is_an_error_that_names_it() {
        let opening = Opening::start(TraceChoice::Path(OpenOptions::new("/nowhere/a.tarmac")), || {});
        let limit = Instant::now() + Duration::from_secs(20);
        let result = loop {
            if let Some(result) = opening.poll() {
                break result;
            }
            assert!(Instant::now() < limit, "nothing came for 20 seconds");
            std::thread::yield_now();
        };
        let Err(error) = result else { panic!("there is no such trace") };
        assert!(format!("{error:#}").contains("a.tarmac"));
    }
}
