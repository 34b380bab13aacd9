//! Lanes of the timeline, for threads or cores: their names, boxes and descriptions.
//!
//! Some traces order the steps of different threads by time only. A description then names the
//! threads that ran at the same time.

use std::ops::Range;

use stepback_index::answer::{ThreadId, ThreadInfo};

use crate::action::TimelineLanes;
use crate::analysis::schedule::{
    BoundedList, LaneInterval, LaneMarkKind, LanePeer, Schedule, boxes,
};
use crate::messages::say;

/// Lane of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneId {
    /// Lane of a thread, by its number.
    Thread(usize),
    Core(u64),
}

/// Returns the lanes of a kind, from top to bottom. Threads that never ran have no lane.
pub fn lane_ids(schedule: &Schedule, kind: TimelineLanes) -> Vec<LaneId> {
    match kind.lanes() {
        None => Vec::new(),
        Some(TimelineLanes::Threads) => {
            let ran = schedule
                .threads
                .iter()
                .enumerate()
                .filter(|(_, lane)| !lane.stretches.list().is_empty());
            ran.map(|(number, _)| LaneId::Thread(number)).collect()
        }
        Some(_) => schedule.cores.keys().copied().map(LaneId::Core).collect(),
    }
}

/// Returns the label of a lane.
pub fn lane_name(id: LaneId, threads: &[ThreadInfo]) -> String {
    match id {
        LaneId::Thread(number) => threads
            .get(number)
            .map(|thread| thread.name.clone())
            .unwrap_or_default(),
        LaneId::Core(core) => say!("lane-core", core = core.to_string()),
    }
}

/// Returns the boxes of a lane between two positions, drawn in `columns` columns: the columns of
/// each, and the core or thread of the stretch; `Several` if different ones share a column.
pub fn stretch_boxes(
    lane: &BoundedList<LaneInterval>,
    view: Range<u64>,
    columns: u32,
) -> Vec<(Range<u32>, LanePeer)> {
    let drawn = boxes(lane, view, columns);
    let whole = drawn.iter().filter_map(|drawn| {
        let pieces = lane.list().get(drawn.place..drawn.place + drawn.count)?;
        let first = pieces.first()?.who;
        let who = if pieces.iter().all(|piece| piece.who == first) {
            first
        } else {
            LanePeer::Several
        };
        Some((drawn.left..drawn.right, who))
    });
    whole.collect()
}

/// Names the counterpart of a stretch for its box: `core 3` in the lane of a thread, the name of the
/// thread in that of a core.
pub fn short_peer_name(id: LaneId, who: LanePeer, threads: &[ThreadInfo]) -> Option<String> {
    match (id, who) {
        (LaneId::Thread(_), LanePeer::One(core)) => {
            Some(say!("lane-core", core = core.to_string()))
        }
        (LaneId::Thread(_), LanePeer::Several) => Some(say!("lane-several-cores").to_owned()),
        (LaneId::Core(_), LanePeer::One(thread)) => {
            let thread = usize::try_from(thread)
                .ok()
                .and_then(|thread| threads.get(thread));
            thread.map(|thread| thread.name.clone())
        }
        (LaneId::Core(_), LanePeer::Several) => Some(say!("lane-several-threads").to_owned()),
        (_, LanePeer::Unknown) => None,
    }
}

/// Names the counterpart of a stretch in a sentence: `core 3`, `thread 100`.
fn peer_name(id: LaneId, who: LanePeer, threads: &[ThreadInfo]) -> Option<String> {
    let name = short_peer_name(id, who, threads)?;
    Some(match (id, who) {
        (LaneId::Core(_), LanePeer::One(_)) => say!("lane-thread", thread = name),
        _ => name,
    })
}

/// Describes a place in a lane, one fact per line. `marks` are the kind and number of marks there.
pub fn lane_hint(
    schedule: &Schedule,
    threads: &[ThreadInfo],
    id: LaneId,
    position: u64,
    marks: Option<(LaneMarkKind, u64)>,
) -> String {
    let mut lines = vec![match id {
        LaneId::Thread(_) => say!("lane-thread", thread = lane_name(id, threads)),
        LaneId::Core(_) => lane_name(id, threads),
    }];
    let lane = match id {
        LaneId::Thread(number) => schedule.threads.get(number).map(|lane| &lane.stretches),
        LaneId::Core(core) => schedule.cores.get(&core),
    };
    let running = lane
        .and_then(|lane| lane.last_at(position))
        .filter(|stretch| position <= stretch.end);
    lines.push(
        match (
            running.map(|stretch| peer_name(id, stretch.who, threads)),
            id,
        ) {
            (Some(Some(who)), LaneId::Thread(_)) => say!("lane-runs-on", who = who),
            (Some(Some(who)), LaneId::Core(_)) => say!("lane-runs-who", who = who),
            (Some(None), _) => say!("lane-runs").to_owned(),
            (None, _) => say!("lane-does-not-run-here").to_owned(),
        },
    );
    lines.extend(marks.map(|(kind, count)| match kind {
        LaneMarkKind::SystemCall => say!("lane-system-calls", count = count),
        LaneMarkKind::Kernel => say!("lane-kernel", count = count),
        LaneMarkKind::Signal => say!("lane-signals", count = count),
    }));
    lines.extend(schedule.time_text_at(position));
    lines.push(say!("lane-position", position = position));
    lines.join("\n")
}

/// Returns the first visible lane after scrolling to `wanted`, or after the number of lanes has
/// shrunk.
pub fn scrolled(top: usize, lanes: usize, room: usize, wanted: Option<usize>) -> usize {
    let top = match wanted {
        Some(wanted) if wanted < top => wanted,
        Some(wanted) if wanted >= top + room => wanted + 1 - room,
        _ => top,
    };
    top.min(lanes.saturating_sub(room))
}

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
    use stepback_generator::drmemtrace::Sample;
    use stepback_index::Cancel;

    use super::*;
    use crate::analysis::schedule::schedule;
    use crate::session::test_session::sample;

    #[test]
    fn lanes_are_scrolled_to_the_one_that_is_wanted() {
        assert_eq!(scrolled(0, 10, 4, Some(2)), 0);
        assert_eq!(scrolled(0, 10, 4, Some(6)), 3);
        assert_eq!(scrolled(5, 10, 4, Some(1)), 1);
        assert_eq!(scrolled(9, 10, 4, None), 6);
        assert_eq!(scrolled(3, 2, 4, None), 0);
    }

    #[test]
    fn a_lane_says_who_runs_where_and_when() {
        let (session, _place) = sample(Sample::Threads);
        let schedule = schedule(&session.index, &Cancel::default()).expect("lanes");
        let threads = session.index.threads();
        let lanes = lane_ids(&schedule, TimelineLanes::Threads);
        assert_eq!(
            lanes,
            [LaneId::Thread(0), LaneId::Thread(1), LaneId::Thread(2)]
        );
        let hint = lane_hint(&schedule, threads, lanes[0], 1, None);
        let lines: Vec<&str> = hint.lines().collect();
        assert_eq!(lines[..2], ["thread 100", "runs on core 0"]);
        assert_eq!((lines[2].len(), lines[3]), (26, "position 1"));
        let end = session.index.step_count();
        let hint = lane_hint(
            &schedule,
            threads,
            lanes[0],
            end,
            Some((LaneMarkKind::SystemCall, 2)),
        );
        assert!(hint.contains("does not run here\n2 system calls"), "{hint}");
        let core = lane_ids(&schedule, TimelineLanes::Cores)[0];
        assert!(
            lane_hint(&schedule, threads, core, 1, None).starts_with("core 0\nruns thread 100")
        );
        let short = |id, who| short_peer_name(id, who, threads);
        assert_eq!(short(core, LanePeer::One(0)).as_deref(), Some("100"));
        assert_eq!(short(lanes[0], LanePeer::One(0)).as_deref(), Some("core 0"));
    }
}

#[cfg(test)]
mod order_words_tests {
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
