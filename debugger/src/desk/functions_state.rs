//! State of the functions of a trace, shared by the panels that show them.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;

use crate::action::StepRange;
use crate::action::{CallMeasure, FunctionsOf};
use crate::analysis::call_profile::Progress;
use crate::messages::error_words;
use crate::model::functions::FunctionProfile;
use crate::session::Session;
use crate::worker::{JobLane, Ticket, Worker};

/// Maximum number of remembered parts whose computation was stopped.
const STOPPED: usize = 64;

/// Profile of the functions and the request for it.
#[derive(Default)]
pub struct FunctionsState {
    of: FunctionsOf,
    measure: CallMeasure,
    selected: Option<Address>,
    /// Part that is selected in the timeline.
    selection: Option<StepRange>,
    /// Part and epoch of the request.
    requested: Option<(Option<StepRange>, u64)>,
    job: Option<(Ticket<Arc<FunctionProfile>>, Arc<Progress>)>,
    /// Parts whose computation the user stopped, newest last.
    stopped: Vec<Option<StepRange>>,
    stated: Option<Arc<FunctionProfile>>,
    error: Option<String>,
}

impl std::fmt::Debug for FunctionsState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FunctionsState")
            .field("of", &self.of)
            .finish_non_exhaustive()
    }
}

impl FunctionsState {
    /// Picks up an answer. If a panel shows the functions, requests them for a new part or index.
    /// `selection` is the part that is selected in the timeline.
    pub fn advance(
        &mut self,
        session: &Arc<Session>,
        worker: &Worker,
        selection: Option<StepRange>,
        is_shown: impl FnOnce() -> bool,
    ) {
        self.receive();
        self.selection = selection;
        let part = self.part();
        let requested = (part, worker.epoch());
        // A job for fewer steps goes on. Otherwise a long job would never finish while a trace is
        // indexed.
        let is_under_way =
            self.job.is_some() && self.requested.is_some_and(|(running, _)| running == part);
        let is_stopped = self.stopped.contains(&part);
        if self.requested == Some(requested) || is_under_way || is_stopped || !is_shown() {
            return;
        }
        let progress = Arc::<Progress>::default();
        let (session, shared) = (Arc::clone(session), Arc::clone(&progress));
        let ticket = worker.spawn(JobLane::Long, move |cancel: &Cancel| {
            Ok(Arc::new(FunctionProfile::of(
                &session, part, &shared, cancel,
            )?))
        });
        (self.requested, self.job, self.error) = (Some(requested), Some((ticket, progress)), None);
        self.receive();
    }

    fn receive(&mut self) {
        match self.job.as_ref().and_then(|(ticket, _)| ticket.take()) {
            Some(Ok(stated)) => (self.stated, self.job) = (Some(stated), None),
            Some(Err(error)) => (self.error, self.job) = (Some(error_words(&error)), None),
            None => {}
        }
    }

    /// Returns the part that is profiled; none: the whole trace.
    pub fn part(&self) -> Option<StepRange> {
        self.selection.filter(|_| self.of == FunctionsOf::Selection)
    }

    /// Returns the scope that the user chose.
    pub fn of(&self) -> FunctionsOf {
        self.of
    }

    /// Returns the selected part if it is ignored because the whole trace is profiled.
    pub fn passed_over(&self) -> Option<StepRange> {
        self.selection.filter(|_| self.of == FunctionsOf::Whole)
    }

    /// Chooses the scope of the profile. Computes it again even if the user stopped it before.
    pub fn tell(&mut self, of: FunctionsOf) {
        self.of = of;
        let part = self.part();
        let was_stopped = self.stopped.contains(&part);
        self.stopped.retain(|stopped| *stopped != part);
        if self.job.is_none() && (was_stopped || self.error.is_some()) {
            self.requested = None;
        }
    }

    /// Stops the computation. Returns false if none is under way.
    pub fn stop(&mut self) -> bool {
        self.receive();
        let is_stopped = self.job.take().is_some();
        if is_stopped {
            self.stopped.extend(self.requested.map(|(part, _)| part));
            let surplus = self.stopped.len().saturating_sub(STOPPED);
            self.stopped.drain(..surplus);
        }
        is_stopped
    }

    /// Returns true if the user stopped the computation and there is no result.
    pub fn is_given_up(&self) -> bool {
        let is_stated = self
            .stated
            .as_ref()
            .is_some_and(|stated| stated.part == self.part());
        let is_stopped = self.stopped.contains(&self.part());
        is_stopped && self.job.is_none() && self.error.is_none() && !is_stated
    }

    /// Returns the share that is done (0 to 1); none if no job is under way.
    pub fn progress(&self) -> Option<f32> {
        self.job.as_ref().map(|(_, progress)| progress.share())
    }

    /// Returns the newest profile.
    pub fn stated(&self) -> Option<&Arc<FunctionProfile>> {
        self.stated.as_ref()
    }

    /// Returns the reason why the last job failed.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns the function that was selected last.
    pub fn selected(&self) -> Option<Address> {
        self.selected
    }

    pub fn select(&mut self, function: Option<Address>) {
        self.selected = function;
    }

    /// Returns the measure that the widths of the flame graph's boxes show.
    pub fn measure(&self) -> CallMeasure {
        self.measure
    }

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

    /// Keeps the worker's only thread busy until the sender is dropped.
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
        let mut state = FunctionsState::default();
        state.advance(&session, &worker, None, || true);
        worker.renew();
        state.advance(&session, &worker, None, || true);
        blocked.1.send(()).unwrap();
        wait_for(&worker);
        assert_eq!(worker.jobs_begun(), 2);
        // Requests from here on stay under way until the end of the test.
        let _blocked = block(&worker);
        // The first answer has arrived, and the newer one is requested.
        state.advance(&session, &worker, None, || true);
        assert!(state.stated().is_some() && state.progress().is_some());
        assert!(state.stop());
        worker.renew();
        state.advance(&session, &worker, None, || true);
        assert!(state.progress().is_none());
        state.tell(FunctionsOf::Whole);
        state.advance(&session, &worker, None, || true);
        assert!(state.progress().is_some());
    }
}
