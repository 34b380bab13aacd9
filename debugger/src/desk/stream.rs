//! Slot for an answer that arrives incrementally.

use std::sync::Arc;

use stepback_index::Cancel;

use super::growing::{AnswerReplacement, IncrementalAnswer};
use crate::worker::{Answer, Worker};

/// Holds the newest answer to a query that changes with its key, like
/// [`Slot`](crate::worker::Slot), and partial answers before it is complete.
pub struct AnswerStream<K, A> {
    asked: Option<StreamRequest<K>>,
    answer: IncrementalAnswer<A>,
    /// The answer belongs to the current request.
    is_fresh: bool,
}

/// Key and epoch of a request.
struct StreamRequest<K> {
    key: K,
    epoch: u64,
}

impl<K, A> Default for AnswerStream<K, A> {
    fn default() -> Self {
        Self {
            asked: None,
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
        // A job of an earlier epoch with the same key goes on. Otherwise a slow one would never
        // finish.
        let is_under_way = self.answer.is_under_way();
        let is_asked =
            |asked: &StreamRequest<K>| asked.key == *key && (asked.epoch == epoch || is_under_way);
        if !self.asked.as_ref().is_some_and(is_asked) {
            self.answer
                .begin(AnswerReplacement::Meanwhile, worker, make(key));
            self.is_fresh = false;
            self.asked = Some(StreamRequest {
                key: key.clone(),
                epoch,
            });
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
