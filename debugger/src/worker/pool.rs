//! A pool of threads that run jobs, and the tickets through which their answers arrive.
//!
//! Long jobs never take the last free thread, so that short ones do not wait for a pass over the
//! trace. Dropping a [`Ticket`] cancels its job. Jobs and answers are type-erased, so that the code
//! around them is compiled only once.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use stepback_index::Cancel;
use stepback_index::read::allow_reads;

use crate::analysis::names::damage_in;
use crate::messages::Language;
use crate::session::Damage;

/// Maximum time that the end of the program waits for jobs that ignore their cancellation.
const CLOSING: Duration = Duration::from_secs(2);

/// A type-erased job, so that the code around it is compiled only once.
type AnyJob = Box<dyn FnOnce(&Cancel) -> anyhow::Result<AnyAnswer> + Send>;

/// Upper bound on the part of the trace that a job reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobLane {
    /// A part that does not grow with the trace: a person waits for it.
    Short,
    /// The whole trace in the worst case. One thread is kept free of such jobs.
    Long,
}

/// A pool of threads that run jobs. Dropping it cancels running jobs and joins the threads.
pub struct Worker {
    shared: Arc<WorkerShared>,
    threads: Vec<JoinHandle<()>>,
}

/// State shared by the threads and the owner of the pool.
struct WorkerShared {
    state: Mutex<JobQueues>,
    has_work: Condvar,
    /// Maximum number of long jobs that run at a time.
    long_limit: usize,
    /// Number of calls of `renew`.
    epoch: AtomicU64,
    /// Damage that a job met, and the epoch in which the job was started.
    damage: Mutex<Option<(Damage, u64)>>,
    /// Called after each job, so that the window draws again.
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct JobQueues {
    short: VecDeque<QueuedJob>,
    long: VecDeque<QueuedJob>,
    /// Running jobs, by number.
    running: HashMap<u64, (JobLane, Cancel)>,
    jobs_started: u64,
    is_closing: bool,
}

struct QueuedJob {
    lane: JobLane,
    cancel: Cancel,
    run: Box<dyn FnOnce(&Cancel) + Send>,
}

impl JobQueues {
    /// Takes the next job that may begin: short ones first, and no long one on the last free
    /// thread.
    fn next(&mut self, long_limit: usize) -> Option<QueuedJob> {
        let long_running = self
            .running
            .values()
            .filter(|(lane, _)| *lane == JobLane::Long)
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
    /// Creates a pool with this number of threads. If there are several, one of them runs no long
    /// jobs. `wake` is called after each job, from the thread that ran it.
    ///
    /// With 0 threads, or if the system cannot create any, jobs run synchronously on the calling
    /// thread.
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

    /// Creates a pool without threads: each query is answered before
    /// [`Slot::poll`](super::slot::Slot::poll) returns. For tests.
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
        let (receiver, cancel) = self.spawn_any(lane, Box::new(job));
        Ticket {
            receiver,
            cancel,
            answer: PhantomData,
        }
    }

    /// Queues a type-erased job, so that this code is compiled only once.
    fn spawn_any(
        &self,
        lane: JobLane,
        job: AnyJob,
    ) -> (Receiver<anyhow::Result<AnyAnswer>>, Cancel) {
        let (sender, receiver) = channel();
        let (shared, epoch) = (Arc::clone(&self.shared), self.epoch());
        let language = Language::spoken();
        let run = move |cancel: &Cancel| {
            // The job formats its messages in the language of the thread that started it.
            language.speak();
            // A worker without threads runs jobs on the window's thread, which may not read
            // otherwise.
            let _reads = allow_reads();
            let result = catch_unwind(AssertUnwindSafe(|| job(cancel)))
                .unwrap_or_else(|panic| Err(panic_error(&*panic)));
            // Record the damage before the answer is sent.
            if let Some(damage) = result.as_ref().err().and_then(damage_in) {
                let mut met = shared.damage.lock().unwrap_or_else(PoisonError::into_inner);
                *met = Some((damage, epoch));
            }
            // The receiver may be gone; then nobody needs the answer.
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
        (receiver, cancel)
    }

    /// Returns the number of jobs begun: two frames with the same number started nothing between
    /// them.
    pub fn jobs_begun(&self) -> u64 {
        self.shared.lock().jobs_started
    }

    /// Begins a new epoch because the data changed. Slots query again, and show the old answers
    /// until the new ones arrive.
    pub fn renew(&self) {
        self.shared.epoch.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the epoch, which [`Self::renew`] changes. Answers of another epoch are stale.
    pub fn epoch(&self) -> u64 {
        self.shared.epoch.load(Ordering::Relaxed)
    }

    /// Takes the damage that a job of the current epoch met.
    pub fn take_damage(&self) -> Option<Damage> {
        let met = self
            .shared
            .damage
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        met.filter(|(_, epoch)| *epoch == self.epoch())
            .map(|(damage, _)| damage)
    }

    /// Returns true if no job waits or runs. The slots may still have to pick up answers.
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
            .values()
            .for_each(|(_, cancel)| cancel.cancel());
        drop(state);
        self.shared.has_work.notify_all();
        let limit = Instant::now() + CLOSING;
        for thread in self.threads.drain(..) {
            while !thread.is_finished() && Instant::now() < limit {
                std::thread::sleep(Duration::from_millis(1));
            }
            // A directory or pipe that never responds must not keep the window from closing.
            if thread.is_finished() {
                // Jobs catch their panics, so a failed join has no information.
                let _ended = thread.join();
            }
        }
    }
}

impl WorkerShared {
    /// Locks the state. A job that panics does so outside the lock, so even a poisoned state is
    /// consistent.
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
        let running = (job.lane, job.cancel.clone());
        state.running.insert(number, running);
        drop(state);
        (job.run)(&job.cancel);
        state = shared.lock();
        state.running.remove(&number);
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

/// Handle of a query that is under way. Dropping it cancels the query.
pub struct Ticket<A> {
    receiver: Receiver<anyhow::Result<AnyAnswer>>,
    cancel: Cancel,
    answer: PhantomData<fn() -> A>,
}

impl<A: 'static> Ticket<A> {
    /// Takes the answer; none while it is on its way.
    pub fn take(&self) -> Option<anyhow::Result<A>> {
        let answer = match self.receiver.try_recv() {
            Ok(result) => result,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => Err(anyhow!("cancelled")),
        };
        Some(answer.and_then(|answer| {
            answer
                .downcast()
                .map(|answer| *answer)
                .map_err(|_| anyhow!("internal error: an answer to something else"))
        }))
    }
}

/// A type-erased answer.
type AnyAnswer = Box<dyn Any + Send>;

impl<A> Drop for Ticket<A> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
