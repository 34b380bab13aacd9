//! Questions are answered off the UI thread: a small pool of threads, and slots that hold the newest answer.
//!
//! A panel keeps one [`Slot`] for each question that it asks and polls it while it draws.
//! A slot asks again when its key changes, cancels the question that was superseded,
//! and shows the old answer until the new one is there.
//!
//! Questions that a person waits for and passes through the whole trace are asked in different lanes ([`Lane`]),
//! so that a panel never waits until a pass ends.

use std::any::Any;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use stepback_index::{Cancel, allow_reads};

use crate::analysis::damage::damage_in;
use crate::messages::Language;
use crate::session::Damage;

/// How long the end of the program waits for jobs that do not hear that they are cancelled.
const CLOSING: Duration = Duration::from_secs(2);

/// How long an old answer is shown as if it were the new one: most answers come sooner, and nothing flickers.
pub const LATE_AFTER: Duration = Duration::from_millis(100);

/// How much of the trace a job may have to go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A part that does not grow with the trace: a person waits for it.
    Short,
    /// All of it, in the worst case. One thread is kept free of such jobs.
    Long,
}

/// Threads that run jobs; dropped, it cancels what runs and joins them.
pub struct Worker {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// What the pool and its owner share.
struct Shared {
    state: Mutex<State>,
    has_work: Condvar,
    /// How many long jobs run at a time at most.
    long_limit: usize,
    /// How often what is asked about has become another.
    epoch: AtomicU64,
    /// What a job came upon in this epoch.
    damage: Mutex<Option<Met>>,
    /// Told after each job, so that the window draws again.
    wake: Box<dyn Fn() + Send + Sync>,
}

/// Damage, and in which epoch it was asked about.
#[derive(Clone, Copy)]
struct Met {
    damage: Damage,
    epoch: u64,
}

#[derive(Default)]
struct State {
    short: VecDeque<Job>,
    long: VecDeque<Job>,
    running: Vec<Running>,
    jobs_started: u64,
    is_closing: bool,
}

struct Job {
    lane: Lane,
    cancel: Cancel,
    run: Box<dyn FnOnce(&Cancel) + Send>,
}

struct Running {
    number: u64,
    lane: Lane,
    cancel: Cancel,
}

impl State {
    /// The next job that may begin: short ones first, and no long one on the last free thread.
    fn next(&mut self, long_limit: usize) -> Option<Job> {
        let long_running = self.running.iter().filter(|running| running.lane == Lane::Long).count();
        self.short.pop_front().or_else(|| self.long.pop_front_if(|_| long_running < long_limit))
    }

    fn waiting(&self) -> impl Iterator<Item = &Job> {
        self.short.iter().chain(&self.long)
    }
}

impl Worker {
    /// A pool of so many threads, all but one of which (where there are several) also run long jobs.
    /// `wake` is called after each job, from the thread that ran it.
    ///
    /// With 0 threads, or where the system gives none, jobs run at once on the thread that asks.
    pub fn new(threads: usize, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Shared {
            state: Mutex::default(),
            has_work: Condvar::new(),
            long_limit: threads.saturating_sub(1).max(1),
            epoch: AtomicU64::new(0),
            damage: Mutex::default(),
            wake: Box::new(wake),
        };
        let shared = Arc::new(shared);
        let threads = (0..threads)
            .filter_map(|number| {
                let shared = Arc::clone(&shared);
                let builder = std::thread::Builder::new().name(format!("worker {number}"));
                builder.spawn(move || work(&shared)).ok()
            })
            .collect();
        Self { shared, threads }
    }

    /// A pool without threads: each question is answered before [`Slot::poll`] returns. For tests.
    pub fn synchronous() -> Self {
        Self::new(0, || {})
    }

    /// Queues a job. Dropping the ticket cancels it.
    pub fn spawn<A, J>(&self, lane: Lane, job: J) -> Ticket<A>
    where
        A: Send + 'static,
        J: FnOnce(&Cancel) -> anyhow::Result<A> + Send + 'static,
    {
        let job = move |cancel: &Cancel| job(cancel).map(|answer| Box::new(answer) as AnyAnswer);
        Ticket { asked: self.spawn_any(lane, Box::new(job)), answer: PhantomData }
    }

    /// Of answers of all types: what comes of it is compiled once.
    fn spawn_any(&self, lane: Lane, job: AnyJob) -> AnyTicket {
        let (sender, receiver) = channel();
        let (shared, epoch) = (Arc::clone(&self.shared), self.epoch());
        let language = Language::spoken();
        let run = move |cancel: &Cancel| {
            // What a job words is read by whoever asked.
            language.speak();
            // Without threads of its own a worker runs jobs on the thread of the window, which may not read otherwise.
            let _reads = allow_reads();
            let result =
                catch_unwind(AssertUnwindSafe(|| job(cancel))).unwrap_or_else(|panic| Err(panic_error(&*panic)));
            // Known before the asker hears of it.
            if let Some(damage) = result.as_ref().err().and_then(damage_in) {
                shared.meet(Met { damage, epoch });
            }
            // The asker may be gone; then the answer is not wanted.
            let _gone = sender.send(result);
        };
        let cancel = Cancel::default();
        if self.threads.is_empty() {
            run(&cancel);
        } else {
            let job = Job { lane, cancel: cancel.clone(), run: Box::new(run) };
            let mut state = self.shared.lock();
            match lane {
                Lane::Short => state.short.push_back(job),
                Lane::Long => state.long.push_back(job),
            }
            drop(state);
            self.shared.has_work.notify_one();
        }
        AnyTicket { receiver, cancel }
    }

    /// How many jobs were begun so far: two frames with the same number asked nothing between them.
    pub fn jobs_begun(&self) -> u64 {
        self.shared.lock().jobs_started
    }

    /// What is asked about has changed: slots ask again, and show the old answers until the new ones are there.
    pub fn renew(&self) {
        self.shared.epoch.fetch_add(1, Ordering::Relaxed);
    }

    /// The same until [`Self::renew`] is called: answers of another epoch are old.
    pub fn epoch(&self) -> u64 {
        self.shared.epoch.load(Ordering::Relaxed)
    }

    /// What a job came upon that asked in this epoch, once.
    pub fn take_damage(&self) -> Option<Damage> {
        let met = self.shared.damage.lock().unwrap_or_else(PoisonError::into_inner).take();
        met.filter(|met| met.epoch == self.epoch()).map(|met| met.damage)
    }

    /// True when no job waits or runs. Answers may still have to be picked up by the slots.
    pub fn is_idle(&self) -> bool {
        let state = self.shared.lock();
        state.running.is_empty() && state.waiting().all(|job| job.cancel.is_cancelled())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_closing = true;
        state.short.clear();
        state.long.clear();
        state.running.iter().for_each(|running| running.cancel.cancel());
        drop(state);
        self.shared.has_work.notify_all();
        let limit = Instant::now() + CLOSING;
        for thread in self.threads.drain(..) {
            while !thread.is_finished() && Instant::now() < limit {
                std::thread::sleep(Duration::from_millis(1));
            }
            // A folder or pipe that never answers keeps nobody from closing the window.
            if thread.is_finished() {
                // Jobs catch their panics, so there is nothing to learn from a failed join.
                let _ended = thread.join();
            }
        }
    }
}

impl Shared {
    fn meet(&self, met: Met) {
        *self.damage.lock().unwrap_or_else(PoisonError::into_inner) = Some(met);
    }

    /// A job that panics does so outside the lock; a poisoned state is still whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn work(shared: &Shared) {
    let mut state = shared.lock();
    while !state.is_closing {
        let Some(job) = state.next(shared.long_limit) else {
            state = shared.has_work.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        if job.cancel.is_cancelled() {
            continue;
        }
        state.jobs_started += 1;
        let number = state.jobs_started;
        state.running.push(Running { number, lane: job.lane, cancel: job.cancel.clone() });
        drop(state);
        (job.run)(&job.cancel);
        state = shared.lock();
        state.running.retain(|running| running.number != number);
        drop(state);
        (shared.wake)();
        state = shared.lock();
    }
}

fn panic_error(panic: &(dyn Any + Send)) -> anyhow::Error {
    let words =
        panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
    anyhow!("internal error: {}", words.as_deref().unwrap_or("no message"))
}

/// A question that was asked and not yet answered.
pub struct Ticket<A> {
    asked: AnyTicket,
    answer: PhantomData<fn() -> A>,
}

impl<A: 'static> Ticket<A> {
    /// The answer, once: none while it is on its way.
    pub fn take(&self) -> Option<anyhow::Result<A>> {
        let answer = self.asked.take()?;
        Some(answer.and_then(|answer| {
            answer.downcast().map(|answer| *answer).map_err(|_| anyhow!("internal error: an answer to something else"))
        }))
    }
}

type AnyAnswer = Box<dyn Any + Send>;
type AnyJob = Box<dyn FnOnce(&Cancel) -> anyhow::Result<AnyAnswer> + Send>;

/// A [`Ticket`] whose answer may be of any type.
struct AnyTicket {
    receiver: Receiver<anyhow::Result<AnyAnswer>>,
    cancel: Cancel,
}

impl AnyTicket {
    fn take(&self) -> Option<anyhow::Result<AnyAnswer>> {
        match self.receiver.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(anyhow!("cancelled"))),
        }
    }
}

impl Drop for AnyTicket {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

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
    answered: Option<(Asked<K>, Result<A, String>)>,
    pending: Option<(Asked<K>, Ticket<A>)>,
    /// Since when questions have been on their way without an answer.
    waiting_since: Option<Instant>,
}

/// What was asked, and in which epoch.
struct Asked<K> {
    key: K,
    epoch: u64,
}

impl<K, A> Default for Slot<K, A> {
    fn default() -> Self {
        Self { answered: None, pending: None, waiting_since: None }
    }
}

impl<K, A> std::fmt::Debug for Slot<K, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("is_answered", &self.answered.is_some()).finish_non_exhaustive()
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
        self.poll_in(Lane::Short, key, worker, make)
    }

    /// The same for a question that may have to go through the whole trace.
    pub fn poll_long<F, J>(&mut self, key: &K, worker: &Worker, make: F) -> Answer<'_, A>
    where
        F: FnOnce(&K) -> J,
        J: FnOnce(&Cancel) -> anyhow::Result<A> + Send + 'static,
    {
        self.poll_in(Lane::Long, key, worker, make)
    }

    fn poll_in<F, J>(&mut self, lane: Lane, key: &K, worker: &Worker, make: F) -> Answer<'_, A>
    where
        F: FnOnce(&K) -> J,
        J: FnOnce(&Cancel) -> anyhow::Result<A> + Send + 'static,
    {
        self.receive();
        let epoch = worker.epoch();
        let is_answered = self.answered.as_ref().is_some_and(|(asked, _)| asked.key == *key && asked.epoch == epoch);
        if is_answered {
            (self.pending, self.waiting_since) = (None, None);
        } else if self.pending.as_ref().is_none_or(|(asked, _)| asked.key != *key) {
            // The same question of an earlier epoch goes on, else a slow one would never be answered.
            self.pending = Some((Asked { key: key.clone(), epoch }, worker.spawn(lane, make(key))));
            self.waiting_since = self.waiting_since.or_else(|| Some(Instant::now()));
            self.receive();
        }
        self.answer(key, epoch)
    }

    /// True while an answer is on its way.
    pub fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// Forgets everything, so that the next poll asks again.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The newest answer whatever it was asked for, without asking.
    pub fn peek(&self) -> Option<(&K, &A)> {
        self.answered.as_ref().and_then(|(asked, result)| result.as_ref().ok().map(|answer| (&asked.key, answer)))
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
        let Some(result) = self.pending.as_ref().and_then(|(_, ticket)| ticket.take()) else { return };
        self.waiting_since = None;
        if let Some((asked, _)) = self.pending.take() {
            // `{:#}` puts the whole chain of contexts on one line.
            self.answered = Some((asked, result.map_err(|error| format!("{error:#}"))));
        }
    }

    fn answer(&self, key: &K, epoch: u64) -> Answer<'_, A> {
        match &self.answered {
            Some((asked, Ok(answer))) if asked.key == *key && asked.epoch == epoch => Answer::Fresh(answer),
            Some((asked, Err(error))) if asked.key == *key => Answer::Failed(error),
            Some((_, Ok(answer))) if self.waiting_since.is_some_and(|since| since.elapsed() > LATE_AFTER) => {
                Answer::Late(answer)
            }
            Some((_, Ok(answer))) => Answer::Stale(answer),
            _ => Answer::Loading,
        }
    }
}

#[cfg(test)]
mod tests {
    use stepback_index::{CallId, forbid_reads};

    use super::*;

    fn shown(answer: &Answer<'_, u32>) -> String {
        match answer {
            Answer::Fresh(value) => format!("fresh {value}"),
            Answer::Stale(value) => format!("stale {value}"),
            Answer::Late(value) => format!("late {value}"),
            Answer::Loading => "loading".to_owned(),
            Answer::Failed(error) => format!("failed {error}"),
        }
    }

    #[track_caller]
    fn wait_until(mut is_done: impl FnMut() -> bool) {
        let limit = Instant::now() + Duration::from_secs(20);
        while !is_done() {
            assert!(Instant::now() < limit, "nothing came for 20 seconds");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_synchronous_worker_answers_at_once() {
        let worker = Worker::synchronous();
        let mut slot = Slot::default();
        let answer = slot.poll(&3u32, &worker, |key| {
            let key = *key;
            move |_: &Cancel| Ok(key * 2)
        });
        assert_eq!(shown(&answer), "fresh 6");
    }

    #[test]
    fn a_job_may_read_an_index_on_the_thread_that_may_not() {
        let session = crate::session::test_session::overflow();
        let _drawing = forbid_reads();
        let ticket = Worker::synchronous().spawn(Lane::Short, move |_| Ok(session.index.calls().get(CallId(0))));
        assert!(ticket.take().is_some_and(|answer| answer.is_ok_and(|call| call.is_some())));
    }

    #[test]
    fn the_old_answer_stays_until_the_new_one_is_there() {
        let worker = Worker::new(1, || {});
        let (open, gate) = channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let mut slot = Slot::default();
        let mut ask = |key: u32| {
            let gate = Arc::clone(&gate);
            shown(&slot.poll(&key, &worker, move |key| {
                let key = *key;
                move |_: &Cancel| {
                    gate.lock().unwrap().recv()?;
                    Ok(key)
                }
            }))
        };
        assert_eq!(ask(1), "loading");
        open.send(()).unwrap();
        wait_until(|| worker.is_idle());
        assert_eq!(ask(1), "fresh 1");
        assert_eq!(ask(2), "stale 1");
        wait_until(|| ask(2) == "late 1");
        assert!(!worker.is_idle());
        open.send(()).unwrap();
        wait_until(|| worker.is_idle());
        assert_eq!(ask(2), "fresh 2");
    }

    #[test]
    fn in_a_new_epoch_the_same_question_is_asked_again_and_the_old_answer_stays_meanwhile() {
        let worker = Worker::new(1, || {});
        let mut slot = Slot::default();
        let mut ask = |answer: u32| shown(&slot.poll(&(), &worker, move |_| move |_: &Cancel| Ok(answer)));
        wait_until(|| ask(1) == "fresh 1");
        assert_eq!(ask(2), "fresh 1");
        worker.renew();
        assert_ne!(ask(3), "loading");
        wait_until(|| ask(3) == "fresh 3");
    }

    #[test]
    fn a_superseded_question_is_cancelled() {
        let worker = Worker::new(1, || {});
        let mut slot = Slot::default();
        let mut ask = |key: u32| {
            shown(&slot.poll(&key, &worker, |key| {
                let key = *key;
                move |cancel: &Cancel| {
                    if key == 1 {
                        loop {
                            cancel.check()?;
                            std::thread::yield_now();
                        }
                    }
                    Ok(key)
                }
            }))
        };
        assert_eq!(ask(1), "loading");
        wait_until(|| ask(2) == "fresh 2");
    }

    #[test]
    fn a_panic_becomes_a_failed_answer() {
        let worker = Worker::new(1, || {});
        let mut slot = Slot::<u32, u32>::default();
        let mut last = String::new();
        wait_until(|| {
            last = shown(&slot.poll(&1, &worker, |_| |_: &Cancel| panic!("no such thing")));
            last != "loading"
        });
        assert_eq!(last, "failed internal error: no such thing");
        wait_until(|| worker.is_idle());
        let again = slot.poll(&2, &Worker::synchronous(), |_| |_: &Cancel| Ok(7));
        assert_eq!(shown(&again), "fresh 7");
    }

    #[test]
    fn a_short_question_is_answered_while_all_long_ones_are_blocked() {
        let worker = Worker::new(3, || {});
        let (open, gate) = channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let blocked: Vec<Ticket<()>> = (0..10)
            .map(|_| {
                let gate = Arc::clone(&gate);
                worker.spawn(Lane::Long, move |_| Ok(gate.lock().unwrap_or_else(PoisonError::into_inner).recv()?))
            })
            .collect();
        wait_until(|| worker.jobs_begun() == 2);
        for number in 0..5 {
            let ticket = worker.spawn(Lane::Short, move |_| Ok(number));
            let mut answer = None;
            wait_until(|| {
                answer = ticket.take();
                answer.is_some()
            });
            assert_eq!(answer.and_then(Result::ok), Some(number));
        }
        assert!(blocked.iter().all(|ticket| ticket.take().is_none()));
        drop(open);
        wait_until(|| worker.is_idle());
        assert_eq!(worker.jobs_begun(), 15);
    }

    #[test]
    fn dropping_the_worker_ends_what_runs() {
        let worker = Worker::new(2, || {});
        let _ticket = worker.spawn(Lane::Long, |cancel| {
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(())
        });
        drop(worker);
    }
}
