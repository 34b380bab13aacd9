//! A trace that is being opened on its own thread, and the choice of the trace.
//!
//! The thread reports parts of the trace that can already be shown. Only the newest part is kept,
//! since a window that is not drawn must not accumulate them.

use std::cell::{Cell, OnceCell};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;

use crate::desk::kept::SavedSession;
use crate::messages::{Language, say};
use crate::model::EndPolicy;
use crate::session;
use crate::session::{OpenOptions, OpeningObserver, Session, is_session};

/// An opening under way.
pub struct Opening {
    /// Name for the card's title.
    pub name: String,
    /// Path of the trace, if it was named.
    pub path: Option<PathBuf>,
    /// Progress, updated by the thread.
    pub progress: Arc<BuildProgress>,
    /// The card is hidden; the status bar shows the progress.
    pub is_card_hidden: bool,
    /// The trace on the screen is the indexed part of this one.
    pub is_shown: bool,
    /// The trace was named when the program started: nothing else is shown until it is open.
    pub stands_alone: bool,
    showing: OpeningMode,
    cancel: Cancel,
    /// Stops following a trace that grows.
    until: Cancel,
    started: Instant,
    /// Time and number of bytes at the first count. A build may continue an earlier one.
    base: OnceCell<(Instant, u64)>,
    /// Numbers as of the beginning of the frame, so that all places show the same ones.
    figures: Cell<Option<OpeningProgress>>,
    mailbox: Mailbox,
    /// Number of parts received.
    parts: Arc<AtomicU64>,
    /// None if the system could not create a thread.
    thread: Option<JoinHandle<()>>,
}

/// Display of a trace while it is being opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningMode {
    /// Nothing is shown until the whole trace is indexed.
    Whole,
    /// The indexed part is shown.
    Parts,
    /// The indexed part is shown, and indexing continues as the trace grows.
    Growth,
}

pub enum OpeningEvent {
    /// A part of the trace can be shown.
    Part(OpenedTrace),
    /// The whole trace is open, or the reason why it cannot be opened.
    Done(Result<OpenedTrace>),
}

/// Newest events only: a window that is not drawn must not accumulate parts.
#[derive(Default)]
struct OpeningInbox {
    part: Option<OpenedTrace>,
    done: Option<Result<OpenedTrace>>,
}

type Mailbox = Arc<Mutex<OpeningInbox>>;

/// An opened trace and the request that opened it.
pub struct OpenedTrace {
    pub session: Session,
    /// Options that the trace was opened with.
    pub options: OpenOptions,
    /// The trace was opened as the demo.
    pub is_demo: bool,
    /// Saved session of the trace.
    pub kept: SavedSession,
    /// Second trace to compare with.
    pub other: Option<PathBuf>,
}

/// Numbers for the card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpeningProgress {
    /// Bytes read.
    pub done: u64,
    /// Bytes in total.
    pub total: u64,
    /// Steps found.
    pub steps: u64,
    /// Share of the bytes read, 0 to 1.
    pub share: f32,
    /// Bytes per second.
    pub rate: u64,
    /// Estimated time left; none while there is no estimate.
    pub left: Option<Duration>,
}

impl OpeningProgress {
    /// Computes the numbers after a time in which `done - base` bytes were read.
    fn after(elapsed: Duration, done: u64, total: u64, base: u64, steps: u64) -> Self {
        let millis = u64::try_from(elapsed.as_millis())
            .unwrap_or(u64::MAX)
            .max(1);
        let done_now = done - base;
        let rate = done_now.saturating_mul(1000) / millis;
        let left = (done_now > 0 && total > done).then(|| {
            let millis_left = u128::from(total - done) * u128::from(millis) / u128::from(done_now);
            Duration::from_millis(u64::try_from(millis_left).unwrap_or(u64::MAX))
        });
        // In thousandths: finer than the bar's pixels.
        let thousandths = u128::from(done.min(total)) * 1000 / u128::from(total.max(1));
        let share = f32::from(u16::try_from(thousandths).unwrap_or(1000)) / 1000.0;
        Self {
            done,
            total,
            steps,
            share,
            rate,
            left,
        }
    }

    /// Returns the share in whole per cent, rounded down.
    pub fn per_cent(&self) -> String {
        format!("{:.0}", (self.share * 100.0).floor())
    }
}

impl Opening {
    /// Starts to open a trace. `wake` is called after each event.
    pub fn start(
        choice: TraceChoice,
        showing: OpeningMode,
        keeping: SessionPolicy,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let progress = Arc::<BuildProgress>::default();
        let (cancel, until, mailbox) = (Cancel::default(), Cancel::default(), Mailbox::default());
        let parts = Arc::<AtomicU64>::default();
        let name = match &choice {
            TraceChoice::Path(options) | TraceChoice::Together(options) => options.name(),
            TraceChoice::Demo => say!("opening-the-demo").to_owned(),
            TraceChoice::Session { file, .. } => OpenOptions::new(file).name(),
        };
        let path = match &choice {
            TraceChoice::Path(options) | TraceChoice::Together(options) => {
                Some(options.path.clone())
            }
            TraceChoice::Demo | TraceChoice::Session { .. } => None,
        };
        let job = {
            let (progress, mailbox, parts) = (progress.clone(), mailbox.clone(), parts.clone());
            let job = OpeningJob {
                choice,
                keeping,
                showing,
                cancel: cancel.clone(),
                until: until.clone(),
            };
            let language = Language::spoken();
            move || {
                language.speak();
                let tell = |stated| {
                    mailbox
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .put(stated);
                    wake();
                };
                let on_part = |part| {
                    tell(OpeningEvent::Part(part));
                    parts.fetch_add(1, Relaxed);
                };
                let opened = job.open(&progress, &on_part);
                tell(OpeningEvent::Done(opened));
            }
        };
        let thread = std::thread::Builder::new()
            .name("open".to_owned())
            .spawn(job)
            .ok();
        let (started, base, figures) = (Instant::now(), OnceCell::new(), Cell::new(None));
        let (is_card_hidden, is_shown, stands_alone) = (false, false, false);
        Self {
            name,
            path,
            progress,
            is_card_hidden,
            is_shown,
            stands_alone,
            showing,
            cancel,
            until,
            started,
            base,
            figures,
            mailbox,
            parts,
            thread,
        }
    }

    /// Returns the next event; none when all were taken. Nothing follows [`OpeningEvent::Done`].
    pub fn poll(&self) -> Option<OpeningEvent> {
        // Check this first: then all events of a thread that has ended are in the mailbox.
        let is_over = self.is_over();
        let stated = self
            .mailbox
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let ended = || OpeningEvent::Done(Err(anyhow!(say!("opening-thread-ended"))));
        stated.or_else(|| is_over.then(ended))
    }

    fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Stops the thread. [`Self::poll`] then returns an error. The indexed part is kept for the
    /// next time.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Stops the thread and waits, up to `limit`, until the indexed part is saved.
    pub fn close(&self, limit: Duration) {
        self.cancel();
        let began = Instant::now();
        while !self.is_over() && began.elapsed() < limit {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns true if it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Stops waiting for more of a trace that is followed and completes it.
    pub fn stop_following(&self) {
        self.until.cancel();
    }

    /// Returns true while it waits for more of the trace.
    pub fn is_following(&self) -> bool {
        self.follows() && !self.until.is_cancelled() && !self.is_cancelled()
    }

    /// Returns true if the trace is followed and the newest part is shown.
    pub fn has_caught_up(&self) -> bool {
        self.is_following()
            && self.parts.load(Relaxed) > 0
            && self.mailbox.lock().is_ok_and(|news| news.is_empty())
    }

    /// Returns true if it was started to follow the trace, even if that has ended.
    pub fn follows(&self) -> bool {
        self.showing == OpeningMode::Growth
    }

    /// Behaviour of a window at the end of the trace when more steps are indexed: it moves on while
    /// the trace is followed.
    pub fn at_end(&self) -> EndPolicy {
        if self.follows() {
            EndPolicy::GoesOn
        } else {
            EndPolicy::Stays
        }
    }

    /// Returns true if it takes long enough (150 ms) to show a card.
    pub fn is_long(&self) -> bool {
        self.started.elapsed() > Duration::from_millis(150)
    }

    /// Begins a frame: the numbers are read again.
    pub fn look_again(&self) {
        self.figures.set(None);
    }

    /// Returns the numbers for the card, constant throughout a frame.
    pub fn figures(&self) -> OpeningProgress {
        let figures = self.figures.get().unwrap_or_else(|| self.count());
        self.figures.set(Some(figures));
        figures
    }

    fn count(&self) -> OpeningProgress {
        let (done, total) = (
            self.progress.bytes_done.load(Relaxed),
            self.progress.bytes_total.load(Relaxed),
        );
        let now = Instant::now();
        let (since, base) = if total > 0 {
            *self.base.get_or_init(|| (self.started.max(now), done))
        } else {
            (now, done)
        };
        let steps = self.progress.steps.load(Relaxed);
        OpeningProgress::after(since.elapsed(), done, total, base.min(done), steps)
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl OpeningInbox {
    fn put(&mut self, stated: OpeningEvent) {
        match stated {
            OpeningEvent::Part(part) => self.part = Some(part),
            OpeningEvent::Done(result) => {
                // If the rest failed, a part that was not taken yet is all there is.
                self.part = self.part.take().filter(|_| result.is_err());
                self.done = Some(result);
            }
        }
    }

    /// Takes the next event. Parts come before the end.
    fn take(&mut self) -> Option<OpeningEvent> {
        self.part
            .take()
            .map(OpeningEvent::Part)
            .or_else(|| self.done.take().map(OpeningEvent::Done))
    }

    fn is_empty(&self) -> bool {
        self.part.is_none() && self.done.is_none()
    }
}

/// Inputs of the thread.
struct OpeningJob {
    choice: TraceChoice,
    keeping: SessionPolicy,
    showing: OpeningMode,
    cancel: Cancel,
    until: Cancel,
}

impl OpeningJob {
    fn open(
        self,
        progress: &BuildProgress,
        tell: &(dyn Fn(OpenedTrace) + Sync),
    ) -> Result<OpenedTrace> {
        let is_demo = matches!(self.choice, TraceChoice::Demo);
        let mut other = None;
        let (kept, mut options) = match self.choice {
            TraceChoice::Path(options) if options.more.is_empty() && is_session(&options.path) => {
                SavedSession::named(&options.path.clone(), None, *options)?
            }
            TraceChoice::Session { file, trace } => {
                SavedSession::named(&file, trace, OpenOptions::default())?
            }
            TraceChoice::Together(options) => {
                let mut options = options.with_images_distinguished();
                if let [second] = &*options.more
                    && session::are_two_traces(&options.path, second)
                {
                    other = options.more.pop();
                }
                (SavedSession::default(), options)
            }
            TraceChoice::Path(options) => {
                (SavedSession::default(), options.with_images_distinguished())
            }
            TraceChoice::Demo => (
                SavedSession::default(),
                OpenOptions::new(session::demo_path()?),
            ),
        };
        let mut kept = match (kept.file.is_none(), self.keeping) {
            (true, SessionPolicy::Sessions) => SavedSession::beside(&options),
            _ => kept,
        };
        kept.give_images(&mut options);
        kept.find_own(&options);
        let on_part = |session| {
            tell(OpenedTrace {
                session,
                options: options.clone(),
                is_demo,
                kept: kept.clone(),
                other: other.clone(),
            })
        };
        let follow = (self.showing == OpeningMode::Growth).then_some(&self.until);
        let watch = OpeningObserver {
            on_part: &on_part,
            follow,
        };
        let watch = Some(watch).filter(|_| self.showing != OpeningMode::Whole);
        let session = session::open_watched(&options, progress, &self.cancel, watch)?;
        Ok(OpenedTrace {
            session,
            options,
            is_demo,
            kept,
            other,
        })
    }
}

/// A trace to open.
#[derive(Clone, Debug)]
pub enum TraceChoice {
    /// A file, or the files of one trace.
    Path(Box<OpenOptions>),
    /// Files that were chosen together. Two traces among them are compared.
    Together(Box<OpenOptions>),
    /// The built-in demo trace.
    Demo,
    /// The trace of a session file.
    Session {
        /// Session file.
        file: PathBuf,
        /// Path of the trace; none: the path in the session, or the directory of the session file.
        trace: Option<PathBuf>,
    },
}

/// Policy for reading saved sessions that the user did not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionPolicy {
    /// Saved sessions are read.
    Sessions,
    /// Nothing is read: a screenshot or a script must not depend on saved state.
    Nothing,
}

impl TraceChoice {
    /// Creates the choice for a trace that is opened with these options.
    pub fn of(options: OpenOptions) -> Self {
        Self::Path(Box::new(options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_rate() {
        let figures = |base, done, total| {
            OpeningProgress::after(Duration::from_secs(2), done, total, base, 7)
        };
        let half = figures(0, 500, 1000);
        assert_eq!(
            (half.rate, half.left, half.share),
            (250, Some(Duration::from_secs(2)), 0.5)
        );
        assert_eq!(figures(0, 0, 1000).left, None);
        assert_eq!(figures(0, 0, 0).share, 0.0);
        assert_eq!(figures(0, 999, 1000).per_cent(), "99");
    }

    #[test]
    fn what_was_there_before_makes_it_no_faster() {
        let figures = OpeningProgress::after(Duration::from_secs(1), 500, 1000, 400, 7);
        assert_eq!(
            (figures.rate, figures.left, figures.share),
            (100, Some(Duration::from_secs(5)), 0.5)
        );
    }

    fn opened(name: &str) -> OpenedTrace {
        let place = tempfile::tempdir().unwrap();
        let trace = place.path().join(name);
        std::fs::write(&trace, "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n").unwrap();
        let options = OpenOptions {
            index: Some(place.path().join("a.sbi")),
            ..OpenOptions::new(trace)
        };
        let session =
            session::open(&options, &BuildProgress::default(), &Cancel::default()).unwrap();
        OpenedTrace {
            session,
            options,
            is_demo: false,
            kept: SavedSession::default(),
            other: None,
        }
    }

    fn names(mut news: OpeningInbox) -> Vec<String> {
        let name = |stated| match stated {
            OpeningEvent::Part(part) => part.options.name(),
            OpeningEvent::Done(Ok(whole)) => format!("whole {}", whole.options.name()),
            OpeningEvent::Done(Err(error)) => error.to_string(),
        };
        std::iter::from_fn(|| news.take().map(name)).collect()
    }

    #[test]
    fn the_newest_part_comes_before_why_the_rest_is_missing() {
        let mut news = OpeningInbox::default();
        news.put(OpeningEvent::Part(opened("a")));
        news.put(OpeningEvent::Part(opened("b")));
        news.put(OpeningEvent::Done(Err(anyhow!("cancelled"))));
        assert_eq!(names(news), ["b", "cancelled"]);
    }

    #[test]
    fn a_part_is_no_news_next_to_the_whole() {
        let mut news = OpeningInbox::default();
        news.put(OpeningEvent::Part(opened("a")));
        news.put(OpeningEvent::Done(Ok(opened("a"))));
        assert_eq!(names(news), ["whole a"]);
    }

    #[test]
    fn a_trace_that_is_not_there_is_an_error_that_names_it() {
        let choice = TraceChoice::of(OpenOptions::new("/nowhere/a.tarmac"));
        let opening = Opening::start(choice, OpeningMode::Parts, SessionPolicy::Nothing, || {});
        let limit = Instant::now() + Duration::from_secs(20);
        let stated = loop {
            if let Some(stated) = opening.poll() {
                break stated;
            }
            assert!(Instant::now() < limit, "nothing came for 20 seconds");
            std::thread::yield_now();
        };
        let OpeningEvent::Done(Err(error)) = stated else {
            panic!("there is no such trace")
        };
        assert!(format!("{error:#}").contains("a.tarmac"));
    }
}
