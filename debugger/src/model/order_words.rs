//! Describes steps whose order is unknown.

use stepback_index::{ThreadId, ThreadInfo};

use crate::messages::say;

/// Maximum number of thread names listed.
const LISTED: usize = 4;

/// Describes the threads that ran at the same time: `threads 12 and 13 ran at the same time`; none
/// if there are no such threads.
pub fn others_text(others: &[ThreadId], threads: &[ThreadInfo]) -> Option<String> {
    let name = |thread: &ThreadId| {
        threads
            .get(usize::from(thread.0))
            .map_or("", |thread| thread.name.as_str())
    };
    let names: Vec<&str> = others.iter().take(LISTED).map(name).collect();
    let list = match (names.as_slice(), others.len()) {
        ([], _) => return None,
        ([only], _) => return Some(say!("order-one", thread = *only)),
        ([first @ .., last], count) if count <= LISTED => {
            say!("order-and", first = first.join(", "), last = *last)
        }
        (names, count) => say!(
            "order-more",
            first = names.join(", "),
            count = count - names.len()
        ),
    };
    Some(say!("order-several", threads = list))
}

/// Explains the order of steps of different threads.
pub fn explained(others: Option<&str>) -> String {
    let mut text = say!("order-explained").to_owned() + "\n\n";
    match others {
        Some(others) => text += &say!("order-at-position", others = others),
        None => text += say!("order-nobody"),
    }
    text
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::{Sample, TraceWriter};
    use stepback_index::Cancel;

    use super::*;
    use crate::analysis::schedule::{schedule, tests::START, tests::thread_file};
    use crate::session::test_session::{recorded, sample};

    fn steps(writer: &mut TraceWriter, (time, count): (u64, u64)) {
        writer.time(START + time, 0);
        (0..count).for_each(|number| writer.instruction(0x1000 + number, &[0x90]));
    }

    /// Returns for each stretch of thread 1 whether another thread ran at the same time.
    fn unordered(own: &[(u64, u64)], other: &[(u64, u64)]) -> Vec<bool> {
        let file = |tid, parts: &[(u64, u64)]| {
            thread_file(tid, |writer| {
                parts.iter().for_each(|part| steps(writer, *part));
                writer.time(START + 1000, 0);
            })
        };
        let (session, _place) = recorded(&[file(1, own), file(2, other)]);
        let schedule = schedule(&session.index, &Cancel::default()).expect("lanes");
        let stretches = schedule.threads[0].stretches.list();
        stretches
            .iter()
            .map(|run| !schedule.unordered_with(ThreadId(0), run.first).is_empty())
            .collect()
    }

    #[test]
    fn threads_that_ran_between_the_same_times_are_unordered() {
        assert_eq!(unordered(&[(0, 3), (50, 0)], &[(20, 3)]), [true]);
        assert_eq!(unordered(&[(20, 3), (50, 0)], &[(0, 3)]), [true]);
    }

    #[test]
    fn threads_that_took_turns_are_in_order() {
        assert_eq!(unordered(&[(0, 3), (20, 0)], &[(30, 3)]), [false]);
        assert_eq!(unordered(&[(30, 3)], &[(0, 3), (20, 0)]), [false]);
    }

    #[test]
    fn a_trace_of_one_thread_is_in_order() {
        let (session, _place) = sample(Sample::Kernel);
        let schedule = schedule(&session.index, &Cancel::default()).expect("lanes");
        assert!(!schedule.is_order_by_time && schedule.unordered_with(ThreadId(0), 1).is_empty());
    }

    #[test]
    fn names_are_listed_as_far_as_they_fit() {
        let (session, _place) = sample(Sample::Threads);
        let text = |count: u16| {
            others_text(
                &(0..count).map(ThreadId).collect::<Vec<_>>(),
                session.index.threads(),
            )
        };
        assert_eq!(text(0), None);
        assert_eq!(text(1).as_deref(), Some("thread 100 ran at the same time"));
        assert_eq!(
            text(3).as_deref(),
            Some("threads 100, 101 and 102 ran at the same time")
        );
        assert!(text(9).is_some_and(|text| text.contains("and 5 more")));
    }
}
