//! An answer that grows while a worker looks for it.

use std::sync::{Arc, Mutex, PoisonError};

use stepback_index::Cancel;

use crate::worker::{Answer, Lane, Ticket, Worker};

/// What is handed out while the rest is looked for.
type Newest<A> = Arc<Mutex<Option<Arc<A>>>>;

/// Holds the newest answer to a question that changes with its key, as [`Slot`](crate::worker::Slot) does,
/// and what is known of it before it is complete.
pub struct Stream<K, A> {
    asked: Option<Asked<K>>,
    job: Option<Job<A>>,
    newest: Option<Arc<A>>,
    error: Option<String>,
    /// What is held answers the question that was asked last.
    is_fresh: bool,
}

/// What was asked, and in which epoch.
struct Asked<K> {
    key: K,
    epoch: u64,
}

struct Job<A> {
    ticket: Ticket<Arc<A>>,
    newest: Newest<A>,
}

impl<K, A> Default for Stream<K, A> {
    fn default() -> Self {
        Self { asked: None, job: None, newest: None, error: None, is_fresh: false }
    }
}

impl<K, A> std::fmt::Debug for Stream<K, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("is_answered", &self.newest.is_some()).finish_non_exhaustive()
    }
}

impl<K: Clone + PartialEq, A: Send + Sync + 'static> Stream<K, A> {
    /// The answer for `key` as far as it is known. Asks when nobody did yet; a question with another key is cancelled.
    /// The job hands out what it has now and then.
    pub fn poll<F, J>(&mut self, key: &K, worker: &Worker, make: F) -> Answer<'_, Arc<A>>
    where
        F: FnOnce(&K) -> J,
        J: FnOnce(&Cancel, &mut dyn FnMut(Arc<A>)) -> anyhow::Result<Arc<A>> + Send + 'static,
    {
        let epoch = worker.epoch();
        // The same question of an earlier epoch goes on, else one that takes long would never be answered.
        let is_asked = |asked: &Asked<K>| asked.key == *key && (asked.epoch == epoch || self.job.is_some());
        if !self.asked.as_ref().is_some_and(is_asked) {
            let newest = Newest::<A>::default();
            let (shared, run) = (Arc::clone(&newest), make(key));
            let ticket = worker.spawn(Lane::Long, move |cancel: &Cancel| {
                run(cancel, &mut |part| *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(part))
            });
            self.job = Some(Job { ticket, newest });
            (self.is_fresh, self.error) = (false, None);
            self.asked = Some(Asked { key: key.clone(), epoch });
        }
        self.receive();
        match (&self.error, &self.newest) {
            (Some(error), _) => Answer::Failed(error),
            (None, Some(answer)) if self.is_fresh => Answer::Fresh(answer),
            (None, Some(answer)) => Answer::Stale(answer),
            (None, None) => Answer::Loading,
        }
    }

    /// Whether more is on its way.
    pub fn is_under_way(&self) -> bool {
        self.job.is_some()
    }

    /// What is known, without asking.
    pub fn known(&self) -> Option<&Arc<A>> {
        self.newest.as_ref()
    }

    fn receive(&mut self) {
        let Some(job) = &self.job else { return };
        if let Some(newest) = job.newest.lock().unwrap_or_else(PoisonError::into_inner).take() {
            (self.newest, self.is_fresh) = (Some(newest), true);
        }
        match job.ticket.take() {
            Some(Ok(answer)) => (self.newest, self.is_fresh, self.job) = (Some(answer), true, None),
            Some(Err(error)) => (self.error, self.job) = (Some(format!("{error:#}")), None),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn parts_show_before_the_whole_is_there_and_another_question_begins_anew() {
        let worker = Worker::new(3, || {});
        let (open, gate) = channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let mut stream = Stream::<u32, u32>::default();
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
