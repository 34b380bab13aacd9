//! The lanes that the timeline shows, and what is said of them.

use std::ops::Range;

use stepback_index::ThreadInfo;

use super::clock::clock_text;
use crate::action::TimelineLanes;
use crate::analysis::schedule::{
    BoundedList, LaneInterval, LaneMarkKind, LanePeer, Schedule, boxes,
};
use crate::messages::say;

/// A lane of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneId {
    /// Of a thread, by its number.
    Thread(usize),
    /// Of a core.
    Core(u64),
}

/// The lanes of a kind, from top to bottom; threads that never ran have none.
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

/// What stands before a lane.
pub fn lane_name(id: LaneId, threads: &[ThreadInfo]) -> String {
    match id {
        LaneId::Thread(number) => threads
            .get(number)
            .map(|thread| thread.name.clone())
            .unwrap_or_default(),
        LaneId::Core(core) => say!("lane-core", core = core.to_string()),
    }
}

/// A piece of a lane to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StretchBox {
    /// Its first column.
    pub left: u32,
    /// The column after its last.
    pub right: u32,
    /// Where, or who; several where more than one share a column.
    pub who: LanePeer,
}

/// The pieces of a lane between two positions in so many columns.
pub fn stretch_boxes(
    lane: &BoundedList<LaneInterval>,
    view: Range<u64>,
    columns: u32,
) -> Vec<StretchBox> {
    let drawn = boxes(lane, view, columns);
    let whole = drawn.iter().filter_map(|drawn| {
        let pieces = lane.list().get(drawn.place..drawn.place + drawn.count)?;
        let first = pieces.first()?.who;
        let who = if pieces.iter().all(|piece| piece.who == first) {
            first
        } else {
            LanePeer::Several
        };
        Some(StretchBox {
            left: drawn.left,
            right: drawn.right,
            who,
        })
    });
    whole.collect()
}

/// The name of the other side of a stretch: `core 3` in the lane of a thread, the thread in that of a core.
pub fn who_name(id: LaneId, who: LanePeer, threads: &[ThreadInfo]) -> Option<String> {
    match (id, who) {
        (LaneId::Thread(_), LanePeer::One(core)) => {
            Some(say!("lane-core", core = core.to_string()))
        }
        (LaneId::Thread(_), LanePeer::Several) => Some(say!("lane-several-cores").to_owned()),
        (LaneId::Core(_), LanePeer::One(thread)) => {
            let thread = usize::try_from(thread)
                .ok()
                .and_then(|thread| threads.get(thread));
            thread.map(|thread| say!("lane-thread", thread = &*thread.name))
        }
        (LaneId::Core(_), LanePeer::Several) => Some(say!("lane-several-threads").to_owned()),
        (_, LanePeer::Unknown) => None,
    }
}

/// What is said of a place in a lane, line by line. `marks`: the marks there and how many.
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
            running.map(|stretch| who_name(id, stretch.who, threads)),
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
    lines.extend(schedule.time_at(position).map(clock_text));
    lines.push(say!("lane-position", position = position));
    lines.join("\n")
}

/// The first lane in view where one is to be seen that is not, or where there are fewer than before.
pub fn scrolled(top: usize, lanes: usize, room: usize, wanted: Option<usize>) -> usize {
    let top = match wanted {
        Some(wanted) if wanted < top => wanted,
        Some(wanted) if wanted >= top + room => wanted + 1 - room,
        _ => top,
    };
    top.min(lanes.saturating_sub(room))
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
    }
}
