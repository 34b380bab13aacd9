//! Slot for the newest answer to a query that changes with its key.

use std::time::{Duration, Instant};

use stepback_index::Cancel;

use super::pool::{JobLane, Worker};
use crate::messages::error_words;
use crate::worker::pool::Ticket;

/// Time for which an old answer is shown as if it were current: most answers arrive sooner, and
/// nothing flickers.
pub const LATE_AFTER: Duration = Duration::from_millis(100);

/// State of a [`Slot`].
#[derive(Debug)]
pub enum Answer<'a, A> {
    /// The answer to the current query.
    Fresh(&'a A),
    /// The answer to an earlier query; the new one is on its way.
    Stale(&'a A),
    /// Like `Stale`, but the new answer takes longer than [`LATE_AFTER`] and the screen should say
    /// that.
    Late(&'a A),
    /// There is no answer yet.
    Loading,
    /// The query failed; the reason.
    Failed(&'a str),
}

impl<'a, A> Answer<'a, A> {
    /// Returns the answer, fresh or not.
    pub fn any(&self) -> Option<&'a A> {
        match self {
            Self::Fresh(answer) | Self::Stale(answer) | Self::Late(answer) => Some(answer),
            Self::Loading | Self::Failed(_) => None,
        }
    }
}

/// Holds the newest answer to a query that changes with its key.
pub struct Slot<K, A> {
    /// Key and epoch of the newest answer, kept while a newer query is under way.
    answered: Option<((K, u64), Result<A, String>)>,
    pending: Option<((K, u64), Ticket<A>)>,
    /// Start of the time during which queries have been under way without an answer.
    waiting_since: Option<Instant>,
}

impl<K, A> Default for Slot<K, A> {
    fn default() -> Self {
        Self {
            answered: None,
            pending: None,
            waiting_since: None,
        }
    }
}

impl<K, A> std::fmt::Debug for Slot<K, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot")
            .field("is_answered", &self.answered.is_some())
            .finish_non_exhaustive()
    }
}

impl<K: Clone + PartialEq, A: Send + 'static> Slot<K, A> {
    /// Returns the answer for `key`, for a short query that a person waits for. Starts the query if
    /// needed, and cancels a query with another key.
    pub fn poll<F, J>(&mut self, key: &K, worker: &Worker, make: F) -> Answer<'_, A>
    where
        F: FnOnce(&K) -> J,
        J: FnOnce(&Cancel) -> anyhow::Result<A> + Send + 'static,
    {
        self.poll_in(JobLane::Short, key, worker, make)
    }

    /// Like [`Self::poll`], for a query that may read the whole trace.
    pub fn poll_long<F, J>(&mut self, key: &K, worker: &Worker, make: F) -> Answer<'_, A>
    where
        F: FnOnce(&K) -> J,
        J: FnOnce(&Cancel) -> anyhow::Result<A> + Send + 'static,
    {
        self.poll_in(JobLane::Long, key, worker, make)
    }

    fn poll_in<F, J>(&mut self, lane: JobLane, key: &K, worker: &Worker, make: F) -> Answer<'_, A>
    where
        F: FnOnce(&K) -> J,
        J: FnOnce(&Cancel) -> anyhow::Result<A> + Send + 'static,
    {
        self.receive();
        let epoch = worker.epoch();
        let is_answered = self
            .answered
            .as_ref()
            .is_some_and(|((requested, of), _)| requested == key && *of == epoch);
        if is_answered {
            (self.pending, self.waiting_since) = (None, None);
        } else if self
            .pending
            .as_ref()
            .is_none_or(|((requested, _), _)| requested != key)
        {
            // A query of an earlier epoch with the same key goes on. Otherwise a slow one would
            // never be answered.
            let ticket = worker.spawn(lane, make(key));
            self.pending = Some(((key.clone(), epoch), ticket));
            self.waiting_since = self.waiting_since.or_else(|| Some(Instant::now()));
            self.receive();
        }
        self.answer(key, epoch)
    }

    /// Returns true while a query is under way.
    pub fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// Returns true while a query has been under way for longer than [`LATE_AFTER`].
    pub fn is_late(&self) -> bool {
        self.is_waiting()
            && self
                .waiting_since
                .is_some_and(|since| since.elapsed() > LATE_AFTER)
    }

    /// Forgets everything, so that the next poll starts a query.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the newest answer and its key without starting a query.
    pub fn peek(&self) -> Option<(&K, &A)> {
        self.answered
            .as_ref()
            .and_then(|((requested, _), result)| Some((requested, result.as_ref().ok()?)))
    }

    /// Returns the result of the newest answered query without starting one.
    pub fn last(&self) -> Answer<'_, A> {
        match &self.answered {
            Some((_, Ok(answer))) => Answer::Fresh(answer),
            Some((_, Err(error))) => Answer::Failed(error),
            None => Answer::Loading,
        }
    }

    fn receive(&mut self) {
        let Some(result) = self.pending.as_ref().and_then(|(_, ticket)| ticket.take()) else {
            return;
        };
        self.waiting_since = None;
        if let Some((requested, _)) = self.pending.take() {
            self.answered = Some((requested, result.map_err(|error| error_words(&error))));
        }
    }

    fn answer(&self, key: &K, epoch: u64) -> Answer<'_, A> {
        match &self.answered {
            Some(((requested, of), Ok(answer))) if requested == key && *of == epoch => {
                Answer::Fresh(answer)
            }
            Some(((requested, _), Err(error))) if requested == key => Answer::Failed(error),
            Some((_, Ok(answer))) if self.is_late() => Answer::Late(answer),
            Some((_, Ok(answer))) => Answer::Stale(answer),
            _ => Answer::Loading,
        }
    }
}
