//! A pool of threads that run jobs.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use stepback_index::{Cancel, allow_reads};

use super::ticket::{AnyAnswer, AnyTicket, Ticket};
use crate::analysis::damage::damage_in;
use crate::messages::Language;
use crate::session::Damage;

/// How long the end of the program waits for jobs that do not hear that they are cancelled.
const CLOSING: Duration = Duration::from_secs(2);

/// A job whose answer may be of any type: what comes of it is compiled once.
type AnyJob = Box<dyn FnOnce(&Cancel) -> anyhow::Result<AnyAnswer> + Send>;

/// How much of the trace a job may have to go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobLane {
    /// A part that does not grow with the trace: a person waits for it.
    Short,
    /// All of it, in the worst case. One thread is kept free of such jobs.
    Long,
}

/// Threads that run jobs; dropped, it cancels what runs and joins them.
pub struct Worker {
    shared: Arc<WorkerShared>,
    threads: Vec<JoinHandle<()>>,
}

/// What the pool and its owner share.
struct WorkerShared {
    state: Mutex<JobQueues>,
    has_work: Condvar,
    /// How many long jobs run at a time at most.
    long_limit: usize,
    /// How often what is asked about has become another.
    epoch: AtomicU64,
    /// What a job came upon in this epoch.
    damage: Mutex<Option<DamageReport>>,
    /// Told after each job, so that the window draws again.
    wake: Box<dyn Fn() + Send + Sync>,
}

/// Damage, and in which epoch it was asked about.
#[derive(Clone, Copy)]
struct DamageReport {
    damage: Damage,
    epoch: u64,
}

#[derive(Default)]
struct JobQueues {
    short: VecDeque<QueuedJob>,
    long: VecDeque<QueuedJob>,
    running: Vec<RunningJob>,
    jobs_started: u64,
    is_closing: bool,
}

struct QueuedJob {
    lane: JobLane,
    cancel: Cancel,
    run: Box<dyn FnOnce(&Cancel) + Send>,
}

struct RunningJob {
    number: u64,
    lane: JobLane,
    cancel: Cancel,
}

impl JobQueues {
    /// The next job that may begin: short ones first, and no long one on the last free thread.
    fn next(&mut self, long_limit: usize) -> Option<QueuedJob> {
        let long_running = self
            .running
            .iter()
            .filter(|running| running.lane == JobLane::Long)
            .count();
        self.short
            .pop_front()
            .or_else(|| self.long.pop_front_if(|_| long_running < long_limit))
    }

    fn waiting(&self) -> impl Iterator<Item = &QueuedJob> {
        self.short.iter().chain(&self.long)
    }
}

impl Worker {
    /// A pool of so many threads, all but one of which (where there are several) also run long jobs.
    /// `wake` is called after each job, from the thread that ran it.
    ///
    /// With 0 threads, or where the system gives none, jobs run at once on the thread that asks.
    pub fn new(threads: usize, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = WorkerShared {
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

    /// A pool without threads: each question is answered before [`Slot::poll`](super::slot::Slot::poll) returns. For tests.
    pub fn synchronous() -> Self {
        Self::new(0, || {})
    }

    /// Queues a job. Dropping the ticket cancels it.
    pub fn spawn<A, J>(&self, lane: JobLane, job: J) -> Ticket<A>
    where
        A: Send + 'static,
        J: FnOnce(&Cancel) -> anyhow::Result<A> + Send + 'static,
    {
        let job = move |cancel: &Cancel| job(cancel).map(|answer| Box::new(answer) as AnyAnswer);
        Ticket::of(self.spawn_any(lane, Box::new(job)))
    }

    /// Of answers of all types: what comes of it is compiled once.
    fn spawn_any(&self, lane: JobLane, job: AnyJob) -> AnyTicket {
        let (sender, receiver) = channel();
        let (shared, epoch) = (Arc::clone(&self.shared), self.epoch());
        let language = Language::spoken();
        let run = move |cancel: &Cancel| {
            // What a job words is read by whoever asked.
            language.speak();
            // Without threads of its own a worker runs jobs on the thread of the window, which may not read otherwise.
            let _reads = allow_reads();
            let result = catch_unwind(AssertUnwindSafe(|| job(cancel)))
                .unwrap_or_else(|panic| Err(panic_error(&*panic)));
            // Known before the asker hears of it.
            if let Some(damage) = result.as_ref().err().and_then(damage_in) {
                shared.meet(DamageReport { damage, epoch });
            }
            // The asker may be gone; then the answer is not wanted.
            let _gone = sender.send(result);
        };
        let cancel = Cancel::default();
        if self.threads.is_empty() {
            run(&cancel);
        } else {
            let job = QueuedJob {
                lane,
                cancel: cancel.clone(),
                run: Box::new(run),
            };
            let mut state = self.shared.lock();
            match lane {
                JobLane::Short => state.short.push_back(job),
                JobLane::Long => state.long.push_back(job),
            }
            drop(state);
            self.shared.has_work.notify_one();
        }
        AnyTicket::new(receiver, cancel)
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
        let met = self
            .shared
            .damage
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        met.filter(|met| met.epoch == self.epoch())
            .map(|met| met.damage)
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
        state
            .running
            .iter()
            .for_each(|running| running.cancel.cancel());
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

impl WorkerShared {
    fn meet(&self, met: DamageReport) {
        *self.damage.lock().unwrap_or_else(PoisonError::into_inner) = Some(met);
    }

    /// A job that panics does so outside the lock; a poisoned state is still whole.
    fn lock(&self) -> MutexGuard<'_, JobQueues> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn work(shared: &WorkerShared) {
    let mut state = shared.lock();
    while !state.is_closing {
        let Some(job) = state.next(shared.long_limit) else {
            state = shared
                .has_work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        if job.cancel.is_cancelled() {
            continue;
        }
        state.jobs_started += 1;
        let number = state.jobs_started;
        state.running.push(RunningJob {
            number,
            lane: job.lane,
            cancel: job.cancel.clone(),
        });
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
    let words = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned());
    anyhow!(
        "internal error: {}",
        words.as_deref().unwrap_or("no message")
    )
}
