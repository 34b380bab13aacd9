//! Parallel work with results in order ([`map_in_order`]).

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, sync_channel};

/// Maximum number of parts in flight for each thread: one in work, and others so that no thread
/// waits for the receiver of the results.
const PARTS_PER_THREAD: usize = 4;

/// Applies `map` to parts on all threads of the current pool, and passes the results to `take` in
/// the order of the parts. Parts are made and results taken on the calling thread.
///
/// Memory is bounded: no part is made while four of each thread are in flight. With a single thread,
/// and on a thread of the pool, which must not wait for others, everything runs here.
///
/// # Errors
/// Returns the first error in the order of the parts. No part is made after it.
pub fn map_in_order<P: Send, T: Send, E: Send>(
    parts: impl IntoIterator<Item = P>,
    map: impl Fn(P) -> Result<T, E> + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = rayon::current_num_threads();
    if threads == 1 || rayon::current_thread_index().is_some() {
        return parts.into_iter().try_for_each(|part| take(map(part)?));
    }
    rayon::in_place_scope_fifo(|scope| {
        let mut in_flight: VecDeque<Receiver<Result<T, E>>> = VecDeque::new();
        let map = &map;
        let mut take_next = |in_flight: &mut VecDeque<Receiver<Result<T, E>>>| {
            let Some(result) = in_flight.pop_front() else {
                return Ok(());
            };
            // Nothing arrives from a part that panicked, and the scope passes the panic on.
            result.recv().map_or(Ok(()), |result| take(result?))
        };
        for part in parts {
            if in_flight.len() == threads * PARTS_PER_THREAD {
                take_next(&mut in_flight)?;
            }
            let (sender, receiver) = sync_channel(1);
            // Nobody receives the result after an error.
            scope.spawn_fifo(move |_| _ = sender.send(map(part)));
            in_flight.push_back(receiver);
        }
        while !in_flight.is_empty() {
            take_next(&mut in_flight)?;
        }
        Ok(())
    })
}

/// Runs `work` on a thread of the pool while `other` runs here, and returns the result of `other` when
/// both are done. With a single thread, and on a thread of the pool, `work` runs here before `other`.
pub fn beside<T>(work: impl FnOnce() + Send, other: impl FnOnce() -> T) -> T {
    if rayon::current_num_threads() == 1 || rayon::current_thread_index().is_some() {
        work();
        return other();
    }
    rayon::in_place_scope(|scope| {
        scope.spawn(|_| work());
        other()
    })
}

/// Groups items into parts of `len` items; the last part may be shorter.
pub fn in_parts<T>(items: impl Iterator<Item = T>, len: usize) -> impl Iterator<Item = Vec<T>> {
    let mut items = items.fuse();
    std::iter::from_fn(move || {
        let part: Vec<T> = items.by_ref().take(len).collect();
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// Runs work as on a machine of some cores. The calling thread is none of the pool.
    fn on_threads<T>(threads: usize, work: impl FnOnce() -> T + Send) -> T
    where
        T: Send,
    {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(work)
    }

    fn squares(numbers: u64) -> Vec<u64> {
        let mut found = Vec::new();
        let square = |number: u64| {
            if number.is_multiple_of(7) {
                std::thread::sleep(Duration::from_micros(200));
            }
            Ok::<_, ()>(number * number)
        };
        map_in_order(0..numbers, square, |square| {
            found.push(square);
            Ok(())
        })
        .unwrap();
        found
    }

    #[test]
    fn results_arrive_in_the_order_of_the_parts() {
        let expected: Vec<u64> = (0..500).map(|number| number * number).collect();
        assert_eq!(squares(500), expected);
        assert_eq!(on_threads(3, || squares(500)), expected);
        assert_eq!(squares(0), []);
    }

    #[test]
    fn items_are_grouped_into_parts() {
        let parts: Vec<Vec<u32>> = in_parts(0..7, 3).collect();
        assert_eq!(parts, [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
    }

    #[test]
    fn parts_in_flight_are_bounded() {
        let (made, done) = (AtomicUsize::new(0), Cell::new(0));
        let limit = rayon::current_num_threads() * PARTS_PER_THREAD;
        let parts = (0..1000).inspect(|_| {
            let made = made.fetch_add(1, Ordering::Relaxed);
            assert!(made - done.get() <= limit);
        });
        let take = |_| {
            done.set(done.get() + 1);
            Ok::<_, ()>(())
        };
        map_in_order(parts, Ok, take).unwrap();
        assert_eq!(done.get(), 1000);
    }

    #[test]
    fn the_first_error_ends_the_work() {
        let mut taken = Vec::new();
        let map = |number: u32| if number < 40 { Ok(number) } else { Err(number) };
        let result = map_in_order(0.., map, |number| {
            taken.push(number);
            Ok(())
        });
        assert_eq!(result, Err(40));
        assert_eq!(taken, (0..40).collect::<Vec<_>>());
        let refused = map_in_order(
            0..,
            Ok,
            |number| if number < 5 { Ok(()) } else { Err(number) },
        );
        assert_eq!(refused, Err(5));
    }

    #[test]
    fn work_is_done_beside_other_work() {
        let done = AtomicUsize::new(0);
        let work = || _ = done.fetch_add(1, Ordering::Relaxed);
        let maps_others = || squares(100).len();
        assert_eq!(beside(work, maps_others), 100);
        assert_eq!(on_threads(2, || beside(work, maps_others)), 100);
        assert_eq!(done.into_inner(), 2);
    }

    #[test]
    fn a_panic_in_a_part_reaches_the_caller() {
        let map = |number: u32| match number {
            30 => panic!("the test breaks here"),
            number => Ok::<_, ()>(number),
        };
        let run = || map_in_order(0..100, map, |_| Ok(()));
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }
}
