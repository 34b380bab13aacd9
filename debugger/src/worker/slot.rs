//! The newest answer to a question that changes with its key.

use std::time::{Duration, Instant};

use stepback_index::Cancel;

use super::pool::{JobLane, Worker};
use super::ticket::Ticket;

/// How long an old answer is shown as if it were the new one: most answers come sooner, and nothing flickers.
pub const LATE_AFTER: Duration = Duration::from_millis(100);

/// What a [`Slot`] has to show.
#[derive(Debug)]
pub enum Answer<'a, A> {
    /// The answer to this very question.
    Fresh(&'a A),
    /// The answer to an earlier question; the new one is on its way.
    Stale(&'a A),
    /// The same, but the new one is late and the screen should say so: [`LATE_AFTER`].
    Late(&'a A),
    /// Nothing yet.
    Loading,
    /// The question failed; why.
    Failed(&'a str),
}

impl<'a, A> Answer<'a, A> {
    /// The answer, fresh or not.
    pub fn any(&self) -> Option<&'a A> {
        match self {
            Self::Fresh(answer) | Self::Stale(answer) | Self::Late(answer) => Some(answer),
            Self::Loading | Self::Failed(_) => None,
        }
    }
}

/// Holds the newest answer to a question that changes with its key.
pub struct Slot<K, A> {
    /// The newest answer, kept while a newer question waits.
    answered: Option<(SlotRequest<K>, Result<A, String>)>,
    pending: Option<(SlotRequest<K>, Ticket<A>)>,
    /// Since when questions have been on their way without an answer.
    waiting_since: Option<Instant>,
}

/// What was asked, and in which epoch.
struct SlotRequest<K> {
    key: K,
    epoch: u64,
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
    /// The answer for `key`, a question that a person waits for. Asks when nobody did yet, and forgets a question
    /// with another key.
    pub fn poll<F, J>(&mut self, key: &K, worker: &Worker, make: F) -> Answer<'_, A>
    where
        F: FnOnce(&K) -> J,
        J: FnOnce(&Cancel) -> anyhow::Result<A> + Send + 'static,
    {
        self.poll_in(JobLane::Short, key, worker, make)
    }

    /// The same for a question that may have to go through the whole trace.
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
            .is_some_and(|(asked, _)| asked.key == *key && asked.epoch == epoch);
        if is_answered {
            (self.pending, self.waiting_since) = (None, None);
        } else if self
            .pending
            .as_ref()
            .is_none_or(|(asked, _)| asked.key != *key)
        {
            // The same question of an earlier epoch goes on, else a slow one would never be answered.
            self.pending = Some((
                SlotRequest {
                    key: key.clone(),
                    epoch,
                },
                worker.spawn(lane, make(key)),
            ));
            self.waiting_since = self.waiting_since.or_else(|| Some(Instant::now()));
            self.receive();
        }
        self.answer(key, epoch)
    }

    /// True while an answer is on its way.
    pub fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// True while an answer has been on its way for longer than [`LATE_AFTER`].
    pub fn is_late(&self) -> bool {
        self.is_waiting()
            && self
                .waiting_since
                .is_some_and(|since| since.elapsed() > LATE_AFTER)
    }

    /// Forgets everything, so that the next poll asks again.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The newest answer whatever it was asked for, without asking.
    pub fn peek(&self) -> Option<(&K, &A)> {
        self.answered
            .as_ref()
            .and_then(|(asked, result)| result.as_ref().ok().map(|answer| (&asked.key, answer)))
    }

    /// What the last poll had, without asking.
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
        if let Some((asked, _)) = self.pending.take() {
            // `{:#}` puts the whole chain of contexts on one line.
            self.answered = Some((asked, result.map_err(|error| format!("{error:#}"))));
        }
    }

    fn answer(&self, key: &K, epoch: u64) -> Answer<'_, A> {
        match &self.answered {
            Some((asked, Ok(answer))) if asked.key == *key && asked.epoch == epoch => {
                Answer::Fresh(answer)
            }
            Some((asked, Err(error))) if asked.key == *key => Answer::Failed(error),
            Some((_, Ok(answer))) if self.is_late() => Answer::Late(answer),
            Some((_, Ok(answer))) => Answer::Stale(answer),
            _ => Answer::Loading,
        }
    }
}
