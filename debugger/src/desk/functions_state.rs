//! The functions of a trace, whichever panel shows them.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;

use crate::action::{CallMeasure, FunctionsOf, StepRange};
use crate::analysis::call_profile::Progress;
use crate::model::functions::FunctionProfile;
use crate::session::Session;
use crate::worker::{JobLane, Ticket, Worker};

/// More parts that were given up are not remembered.
const STOPPED: usize = 64;

/// What was told of the functions so far, and what was asked for.
#[derive(Default)]
pub struct FunctionsState {
    of: FunctionsOf,
    measure: CallMeasure,
    selected: Option<Address>,
    /// The part that is selected in the timeline.
    selection: Option<StepRange>,
    asked: Option<FunctionsRequest>,
    job: Option<FunctionsJob>,
    /// The parts that the user does not want to be worked out, the newest last.
    stopped: Vec<Option<StepRange>>,
    told: Option<Arc<FunctionProfile>>,
    error: Option<String>,
}

/// What was asked, and of which part of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FunctionsRequest {
    part: Option<StepRange>,
    epoch: u64,
}

struct FunctionsJob {
    ticket: Ticket<Arc<FunctionProfile>>,
    progress: Arc<Progress>,
}

/// What is asked with.
#[derive(Clone, Copy)]
pub struct FunctionsContext<'a> {
    /// The trace.
    pub session: &'a Arc<Session>,
    /// Where.
    pub worker: &'a Worker,
    /// The part that is selected in the timeline.
    pub selection: Option<StepRange>,
}

impl std::fmt::Debug for FunctionsState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FunctionsState")
            .field("of", &self.of)
            .finish_non_exhaustive()
    }
}

impl FunctionsState {
    /// Picks up what was told, and asks where the part or the index is another one: while a panel shows it.
    pub fn advance(&mut self, asking: FunctionsContext<'_>, is_shown: impl FnOnce() -> bool) {
        self.receive();
        self.selection = asking.selection;
        let asked = FunctionsRequest {
            part: self.part(),
            epoch: asking.worker.epoch(),
        };
        // What is worked out for fewer steps goes on, else a long one would never be told while a trace is indexed.
        let is_under_way =
            self.job.is_some() && self.asked.is_some_and(|running| running.part == asked.part);
        let is_stopped = self.stopped.contains(&asked.part);
        if self.asked == Some(asked) || is_under_way || is_stopped || !is_shown() {
            return;
        }
        let progress = Arc::<Progress>::default();
        let (session, shared) = (Arc::clone(asking.session), Arc::clone(&progress));
        let ticket = asking.worker.spawn(JobLane::Long, move |cancel: &Cancel| {
            Ok(Arc::new(FunctionProfile::of(
                &session, asked.part, &shared, cancel,
            )?))
        });
        (self.asked, self.job, self.error) =
            (Some(asked), Some(FunctionsJob { ticket, progress }), None);
        self.receive();
    }

    fn receive(&mut self) {
        match self.job.as_ref().and_then(|job| job.ticket.take()) {
            Some(Ok(told)) => (self.told, self.job) = (Some(told), None),
            Some(Err(error)) => (self.error, self.job) = (Some(format!("{error:#}")), None),
            None => {}
        }
    }

    /// Which part is told of; none: the whole trace.
    pub fn part(&self) -> Option<StepRange> {
        self.selection.filter(|_| self.of == FunctionsOf::Selection)
    }

    /// Which was chosen to be told of.
    pub fn of(&self) -> FunctionsOf {
        self.of
    }

    /// The part that is selected and not told of, since the whole trace is.
    pub fn passed_over(&self) -> Option<StepRange> {
        self.selection.filter(|_| self.of == FunctionsOf::Whole)
    }

    /// Tells of a part, also where that was given up.
    pub fn tell(&mut self, of: FunctionsOf) {
        self.of = of;
        let part = self.part();
        let was_stopped = self.stopped.contains(&part);
        self.stopped.retain(|stopped| *stopped != part);
        if self.job.is_none() && (was_stopped || self.error.is_some()) {
            self.asked = None;
        }
    }

    /// Gives up what is being worked out. False where nothing is.
    pub fn stop(&mut self) -> bool {
        self.receive();
        let is_stopped = self.job.take().is_some();
        if is_stopped {
            self.stopped.extend(self.asked.map(|asked| asked.part));
            let surplus = self.stopped.len().saturating_sub(STOPPED);
            self.stopped.drain(..surplus);
        }
        is_stopped
    }

    /// Whether what was asked for was given up.
    pub fn is_given_up(&self) -> bool {
        let is_told = self
            .told
            .as_ref()
            .is_some_and(|told| told.part == self.part());
        let is_stopped = self.stopped.contains(&self.part());
        is_stopped && self.job.is_none() && self.error.is_none() && !is_told
    }

    /// What share of it is worked out; none where nothing is under way.
    pub fn progress(&self) -> Option<f32> {
        self.job.as_ref().map(|job| job.progress.share())
    }

    /// The newest answer.
    pub fn told(&self) -> Option<&Arc<FunctionProfile>> {
        self.told.as_ref()
    }

    /// Why there is none.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The function that was chosen last.
    pub fn selected(&self) -> Option<Address> {
        self.selected
    }

    /// Chooses a function.
    pub fn select(&mut self, function: Option<Address>) {
        self.selected = function;
    }

    /// What the boxes of the flame graph are as wide as.
    pub fn measure(&self) -> CallMeasure {
        self.measure
    }

    /// Chooses another measure.
    pub fn choose_measure(&mut self, measure: CallMeasure) {
        self.measure = measure;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::{Sender, channel};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::session::test_session::overflow;

    #[track_caller]
    fn wait_for(worker: &Worker) {
        let limit = Instant::now() + Duration::from_secs(60);
        while !worker.is_idle() {
            assert!(Instant::now() < limit, "still at work after a minute");
            std::thread::yield_now();
        }
    }

    /// Keeps the worker's only thread busy until the sender goes.
    fn block(worker: &Worker) -> (Ticket<bool>, Sender<()>) {
        let (open, gate) = channel::<()>();
        let gate = Mutex::new(gate);
        (
            worker.spawn(JobLane::Long, move |_| {
                Ok(gate.lock().is_ok_and(|gate| gate.recv().is_ok()))
            }),
            open,
        )
    }

    #[test]
    fn what_is_worked_out_goes_on_when_more_is_indexed_and_stays_stopped() {
        let (worker, session) = (Worker::new(1, || {}), overflow());
        let blocked = block(&worker);
        let asking = FunctionsContext {
            session: &session,
            worker: &worker,
            selection: None,
        };
        let mut state = FunctionsState::default();
        state.advance(asking, || true);
        worker.renew();
        state.advance(asking, || true);
        blocked.1.send(()).unwrap();
        wait_for(&worker);
        assert_eq!(worker.jobs_begun(), 2);
        // What is asked for from here on is under way until the end.
        let _blocked = block(&worker);
        // The first answer is there, and the newer one is asked for.
        state.advance(asking, || true);
        assert!(state.told().is_some() && state.progress().is_some());
        assert!(state.stop());
        worker.renew();
        state.advance(asking, || true);
        assert!(state.progress().is_none());
        state.tell(FunctionsOf::Whole);
        state.advance(asking, || true);
        assert!(state.progress().is_some());
    }
}
