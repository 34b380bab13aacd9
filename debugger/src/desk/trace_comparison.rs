//! State of the comparison of the open trace with a second one.
//!
//! One long job opens the second trace and compares both. It runs again when more of the first
//! trace is indexed.

use std::path::Path;
use std::sync::Arc;

use stepback_compare::Tolerances;
use stepback_index::Cancel;

use crate::messages::{Language, error_words, say};
use crate::model::trace_differences::{ComparedOptions, ComparisonProgress, TraceDifferences};
use crate::session::{OpenOptions, Session};
use crate::worker::{JobLane, Ticket, Worker};

/// Comparison of the open trace with a second one, and the request for it.
#[derive(Default)]
pub struct TraceComparison {
    /// Options that the second trace is opened with; none: no comparison was requested.
    options: Option<OpenOptions>,
    /// Differences that do not count.
    rules: Tolerances,
    job: Option<ComparisonJob>,
    /// State of the program when the last job started.
    compared: Option<ComparedState>,
    differences: Option<Arc<TraceDifferences>>,
    /// Rules by which they were found.
    applied_rules: Tolerances,
    error: Option<String>,
}

/// State that the words and numbers of a comparison depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ComparedState {
    /// Number of steps of the open trace.
    steps: u64,
    language: Language,
}

struct ComparisonJob {
    ticket: Ticket<Arc<TraceDifferences>>,
    progress: Arc<ComparisonProgress>,
    rules: Tolerances,
}

/// Status of a comparison of two traces.
pub enum ComparisonStatus<'a> {
    /// No second trace was chosen.
    NotRequested,
    /// The comparison is under way; its progress in words.
    UnderWay(String),
    Failed(&'a str),
    Done(&'a Arc<TraceDifferences>),
}

impl std::fmt::Debug for TraceComparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceComparison")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl TraceComparison {
    /// Returns the path of the second trace.
    pub fn path(&self) -> Option<&Path> {
        self.options.as_ref().map(|options| &*options.path)
    }

    /// Returns the differences, or why there are none.
    pub fn status(&self) -> ComparisonStatus<'_> {
        match (&self.options, &self.differences, &self.error) {
            (None, ..) => ComparisonStatus::NotRequested,
            (Some(_), Some(differences), _) => ComparisonStatus::Done(differences),
            (Some(_), None, Some(error)) => ComparisonStatus::Failed(error),
            (Some(options), None, None) => {
                let progress = self.job.as_ref().map(|job| &*job.progress);
                let words = progress.map_or_else(
                    || say!("differences-waiting").to_owned(),
                    |progress| progress.words(&options.name()),
                );
                ComparisonStatus::UnderWay(words)
            }
        }
    }

    /// Returns the differences if both traces are compared.
    pub fn differences(&self) -> Option<&Arc<TraceDifferences>> {
        self.differences.as_ref()
    }

    /// Requests a comparison. Cancels one that is under way.
    pub(super) fn request(&mut self, options: OpenOptions) {
        *self = Self {
            options: Some(options),
            rules: std::mem::take(&mut self.rules),
            ..Self::default()
        };
    }

    /// Requests the comparison again with other rules. The differences stay until it is done.
    pub(super) fn change_rules(&mut self, change: impl FnOnce(&mut Tolerances)) {
        change(&mut self.rules);
        (self.compared, self.job) = (None, None);
    }

    /// Requests the comparison again for the same trace that was opened again.
    pub(super) fn renewed(self) -> Self {
        Self {
            options: self.options,
            rules: self.rules,
            ..Self::default()
        }
    }

    /// Picks up the answer, or starts the job if there is none for this many steps in the language
    /// of the thread.
    pub(super) fn advance(&mut self, session: &Arc<Session>, worker: &Worker) {
        self.receive();
        let state = ComparedState {
            steps: session.index.step_count(),
            language: Language::spoken(),
        };
        let Some(options) = self.options.as_ref() else {
            return;
        };
        if self.job.is_some() || self.compared == Some(state) {
            return;
        }
        let progress = Arc::<ComparisonProgress>::default();
        let (options, session) = (options.clone(), Arc::clone(session));
        let (shared, rules) = (Arc::clone(&progress), self.rules.clone());
        let applied = rules.clone();
        // Of other steps of the first trace, or with other rules, the second trace is the same.
        let known = self.differences.as_ref();
        let other = known.map(|differences| Arc::clone(&differences.other));
        let ticket = worker.spawn(JobLane::Long, move |cancel: &Cancel| {
            let options = ComparedOptions {
                second: &options,
                rules,
                progress: &shared,
            };
            Ok(Arc::new(options.compare(&session, other, cancel)?))
        });
        (self.compared, self.error) = (Some(state), None);
        self.job = Some(ComparisonJob {
            ticket,
            progress,
            rules: applied,
        });
        self.receive();
    }

    fn receive(&mut self) {
        let Some(answer) = self.job.as_ref().and_then(|job| job.ticket.take()) else {
            return;
        };
        let job = self.job.take();
        match answer {
            Ok(found) => {
                self.differences = Some(found);
                self.applied_rules = job.map(|job| job.rules).unwrap_or_default();
            }
            Err(error) => self.error = Some(error_words(&error)),
        }
    }

    /// Cancels the comparison; the rules are again those of the differences that are shown. Returns
    /// false if none is under way.
    pub(super) fn stop(&mut self) -> bool {
        let is_stopped = self.job.take().is_some();
        if is_stopped && self.differences.is_none() {
            *self = Self::default();
        } else if is_stopped {
            self.rules = self.applied_rules.clone();
        }
        is_stopped
    }
}
