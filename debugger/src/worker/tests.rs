//! Tests of workers and slots, with and without threads.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use stepback_index::Cancel;
use stepback_index::answer::CallId;
use stepback_index::read::forbid_reads;

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
    let ticket = Worker::synchronous().spawn(JobLane::Short, move |_| {
        Ok(session.index.calls().get(CallId(0)))
    });
    assert!(
        ticket
            .take()
            .is_some_and(|answer| answer.is_ok_and(|call| call.is_some()))
    );
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
    let mut ask =
        |answer: u32| shown(&slot.poll(&(), &worker, move |_| move |_: &Cancel| Ok(answer)));
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
            worker.spawn(JobLane::Long, move |_| {
                Ok(gate.lock().unwrap_or_else(PoisonError::into_inner).recv()?)
            })
        })
        .collect();
    wait_until(|| worker.jobs_begun() == 2);
    for number in 0..5 {
        let ticket = worker.spawn(JobLane::Short, move |_| Ok(number));
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
    let _ticket = worker.spawn(JobLane::Long, |cancel| {
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        Ok(())
    });
    drop(worker);
}
