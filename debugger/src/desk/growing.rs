//! Answers that a job on the worker publishes incrementally.
//!
//! An [`IncrementalAnswer`] is started explicitly. An [`AnswerStream`] restarts itself when its key
//! changes, like a [`Slot`](crate::worker::Slot).

use std::sync::{Arc, Mutex, PoisonError};

use stepback_index::Cancel;

use crate::messages::error_words;
use crate::worker::{Answer, JobLane, Ticket, Worker};

/// Newest partial answer that the job published.
type PublishedAnswer<A> = Arc<Mutex<Option<Arc<A>>>>;

/// The newest answer and the job that extends it.
pub struct IncrementalAnswer<A> {
    job: Option<IncrementalJob<A>>,
    known: Option<Arc<A>>,
    error: Option<String>,
}

/// Time at which the previous answer is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerReplacement {
    /// As soon as the job publishes a partial answer.
    Meanwhile,
    /// Only after the job is done; at once if there is no previous answer.
    InTheEnd,
}

struct IncrementalJob<A> {
    ticket: Ticket<Arc<A>>,
    newest: PublishedAnswer<A>,
    shown: AnswerReplacement,
}

impl<A> Default for IncrementalAnswer<A> {
    fn default() -> Self {
        Self {
            job: None,
            known: None,
            error: None,
        }
    }
}

impl<A> std::fmt::Debug for IncrementalAnswer<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Growing")
            .field("is_known", &self.known.is_some())
            .finish_non_exhaustive()
    }
}

impl<A: Send + Sync + 'static> IncrementalAnswer<A> {
    /// Begins a job and cancels the previous one. The job publishes partial answers.
    pub fn begin<J>(&mut self, shown: AnswerReplacement, worker: &Worker, job: J)
    where
        J: FnOnce(&Cancel, &mut dyn FnMut(Arc<A>)) -> anyhow::Result<Arc<A>> + Send + 'static,
    {
        self.give_up();
        let newest = PublishedAnswer::<A>::default();
        let shared = Arc::clone(&newest);
        let ticket = worker.spawn(JobLane::Long, move |cancel: &Cancel| {
            job(cancel, &mut |part| {
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(part)
            })
        });
        self.job = Some(IncrementalJob {
            ticket,
            newest,
            shown,
        });
    }

    /// Picks up answers. Returns true if there is something new to show.
    pub fn receive(&mut self) -> bool {
        let Some(job) = &self.job else { return false };
        let is_shown = job.shown == AnswerReplacement::Meanwhile || self.known.is_none();
        let newest = job
            .newest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .filter(|_| is_shown);
        let ended = job.ticket.take();
        let is_new = newest.is_some() || matches!(ended, Some(Ok(_)));
        self.known = newest.or_else(|| self.known.take());
        match ended {
            Some(Ok(answer)) => (self.known, self.job) = (Some(answer), None),
            Some(Err(error)) => (self.error, self.job) = (Some(error_words(&error)), None),
            None => {}
        }
        is_new
    }

    /// Stops the job. Keeps the partial answer after passing it through `stopped`. Returns false if
    /// no job was under way.
    pub fn stop(&mut self, stopped: impl FnOnce(&A) -> A) -> bool {
        self.receive();
        if self.job.take().is_none() {
            return false;
        }
        self.known = self.known.take().map(|known| Arc::new(stopped(&known)));
        true
    }

    /// Cancels the job and forgets the last error. Keeps the answer.
    pub fn give_up(&mut self) {
        (self.job, self.error) = (None, None);
    }

    /// Forgets the job, the answer and the error.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the newest answer, which may be partial.
    pub fn known(&self) -> Option<&Arc<A>> {
        self.known.as_ref()
    }

    /// Returns the reason why the last job failed.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns true while a job is under way.
    pub fn is_under_way(&self) -> bool {
        self.job.is_some()
    }
}

/// Holds the newest answer to a query that changes with its key, like
/// [`Slot`](crate::worker::Slot), and partial answers before it is complete.
pub struct AnswerStream<K, A> {
    /// Key and epoch of the request.
    requested: Option<(K, u64)>,
    answer: IncrementalAnswer<A>,
    /// The answer belongs to the current request.
    is_fresh: bool,
}

impl<K, A> Default for AnswerStream<K, A> {
    fn default() -> Self {
        Self {
            requested: None,
            answer: IncrementalAnswer::default(),
            is_fresh: false,
        }
    }
}

impl<K, A> std::fmt::Debug for AnswerStream<K, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream")
            .field("answer", &self.answer)
            .finish_non_exhaustive()
    }
}

impl<K: Clone + PartialEq, A: Send + Sync + 'static> AnswerStream<K, A> {
    /// Returns the answer for `key`, which may be partial. Starts a job if there is none, and
    /// cancels a job with another key. The job publishes partial answers.
    pub fn poll<F, J>(&mut self, key: &K, worker: &Worker, make: F) -> Answer<'_, Arc<A>>
    where
        F: FnOnce(&K) -> J,
        J: FnOnce(&Cancel, &mut dyn FnMut(Arc<A>)) -> anyhow::Result<Arc<A>> + Send + 'static,
    {
        let epoch = worker.epoch();
        // A job of an earlier epoch with the same key continues. Otherwise a slow one would
        // never finish.
        let is_under_way = self.answer.is_under_way();
        let is_requested =
            |(requested, of): &(K, u64)| requested == key && (*of == epoch || is_under_way);
        if !self.requested.as_ref().is_some_and(is_requested) {
            self.answer
                .begin(AnswerReplacement::Meanwhile, worker, make(key));
            self.is_fresh = false;
            self.requested = Some((key.clone(), epoch));
        }
        self.is_fresh |= self.answer.receive();
        match (self.answer.error(), self.answer.known()) {
            (Some(error), _) => Answer::Failed(error),
            (None, Some(answer)) if self.is_fresh => Answer::Fresh(answer),
            (None, Some(answer)) => Answer::Stale(answer),
            (None, None) => Answer::Loading,
        }
    }

    /// Returns true while a job is under way.
    pub fn is_under_way(&self) -> bool {
        self.answer.is_under_way()
    }

    /// Returns the newest answer without starting a job.
    pub fn known(&self) -> Option<&Arc<A>> {
        self.answer.known()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::{Duration, Instant};

    use super::*;

    /// Begins a job that publishes the numbers it receives and returns the last one.
    fn stated(
        growing: &mut IncrementalAnswer<u32>,
        shown: AnswerReplacement,
        worker: &Worker,
    ) -> Sender<u32> {
        let (say, heard): (Sender<u32>, Receiver<u32>) = channel();
        let heard = Mutex::new(heard);
        growing.begin(shown, worker, move |_, publish| {
            let mut last = Arc::new(0);
            while let Ok(number) = heard.lock().unwrap_or_else(PoisonError::into_inner).recv() {
                last = Arc::new(number);
                publish(Arc::clone(&last));
            }
            Ok(last)
        });
        say
    }

    #[track_caller]
    fn wait_for(
        growing: &mut IncrementalAnswer<u32>,
        is_so: impl Fn(&IncrementalAnswer<u32>) -> bool,
    ) {
        let limit = Instant::now() + Duration::from_secs(20);
        while !is_so(growing) {
            growing.receive();
            assert!(Instant::now() < limit, "it did not come");
            std::thread::yield_now();
        }
    }

    #[test]
    fn the_answer_before_stays_until_the_new_one_is_whole_where_that_is_wanted() {
        let worker = Worker::new(3, || {});
        let mut growing = IncrementalAnswer::default();
        let say = stated(&mut growing, AnswerReplacement::InTheEnd, &worker);
        say.send(1).unwrap();
        wait_for(&mut growing, |growing| {
            growing.known().is_some_and(|known| **known == 1)
        });
        drop(say);
        wait_for(&mut growing, |growing| !growing.is_under_way());
        let say = stated(&mut growing, AnswerReplacement::InTheEnd, &worker);
        say.send(2).unwrap();
        for _ in 0..100 {
            assert!(!growing.receive());
            std::thread::yield_now();
        }
        assert_eq!(growing.known().map(|known| **known), Some(1));
        drop(say);
        wait_for(&mut growing, |growing| {
            growing.known().is_some_and(|known| **known == 2)
        });
    }

    #[test]
    fn what_was_found_stays_when_the_job_is_stopped() {
        let worker = Worker::new(3, || {});
        let mut growing = IncrementalAnswer::default();
        let say = stated(&mut growing, AnswerReplacement::Meanwhile, &worker);
        say.send(7).unwrap();
        wait_for(&mut growing, |growing| growing.known().is_some());
        assert!(growing.stop(|known| known + 100) && !growing.is_under_way());
        assert_eq!(growing.known().map(|known| **known), Some(107));
        assert!(!growing.stop(|known| known + 100));
    }
}

#[cfg(test)]
mod stream_tests {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn parts_show_before_the_whole_is_there_and_another_question_begins_anew() {
        let worker = Worker::new(3, || {});
        let (open, gate) = channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let mut stream = AnswerStream::<u32, u32>::default();
        let mut ask = |key: u32| {
            let gate = Arc::clone(&gate);
            let answer = stream.poll(&key, &worker, move |key| {
                let key = *key;
                move |_: &Cancel, publish: &mut dyn FnMut(Arc<u32>)| {
                    publish(Arc::new(key));
                    gate.lock().unwrap().recv()?;
                    Ok(Arc::new(10 * key))
                }
            });
            match answer {
                Answer::Fresh(value) => format!("fresh {value}"),
                Answer::Stale(value) => format!("stale {value}"),
                _ => "nothing".to_owned(),
            }
        };
        let mut wait_for = |key, expected: &str| {
            let limit = Instant::now() + Duration::from_secs(20);
            while ask(key) != expected {
                assert!(Instant::now() < limit, "{expected} did not come");
                std::thread::yield_now();
            }
        };
        wait_for(1, "fresh 1");
        open.send(()).unwrap();
        wait_for(1, "fresh 10");
        wait_for(2, "fresh 2");
        open.send(()).unwrap();
        wait_for(2, "fresh 20");
    }
}
