//! Compares lanes as text.

use std::fmt::Write as _;

use stepback_generator::drmemtrace::{
    Container, Sample, SampleFile, TraceRecipe, TraceWriter, marker,
};
use stepback_index::Cancel;

use super::*;
use crate::session::Session;
use crate::session::test_session::{overflow, recorded, sample};

fn lanes_text(session: &Session) -> String {
    let schedule = schedule(&session.index, &Cancel::default()).expect("lanes");
    let mut text = String::new();
    let write = |text: &mut String, lane: &BoundedList<LaneInterval>| {
        for stretch in lane.list() {
            let who = match stretch.who {
                LanePeer::Unknown => String::new(),
                LanePeer::One(who) => format!("@{who}"),
                LanePeer::Several => "@*".to_owned(),
            };
            write!(text, " {}-{}{who}", stretch.first, stretch.end).expect("text");
        }
    };
    for (lane, thread) in schedule.threads.iter().zip(session.index.threads()) {
        text += &thread.name;
        write(&mut text, &lane.stretches);
        for mark in lane.marks.list() {
            write!(text, " {:?}:{}-{}", mark.kind, mark.first, mark.end).expect("text");
        }
        text.push('\n');
    }
    for (core, lane) in &schedule.cores {
        text += &format!("core {core}");
        write(&mut text, lane);
        text.push('\n');
    }
    text
}

#[track_caller]
fn check(files: &[SampleFile], expected: &str) {
    let (session, _place) = recorded(files);
    assert_eq!(lanes_text(&session), expected);
}

/// Creates a trace file of a thread, with the records that a closure writes.
pub fn thread_file(tid: u64, write: impl FnOnce(&mut TraceWriter)) -> SampleFile {
    let mut writer = TraceWriter::new(TraceRecipe {
        tid,
        ..TraceRecipe::default()
    });
    write(&mut writer);
    let records = writer.finish();
    let (bytes, truth) = (records.pack(Container::Plain), records.truth);
    SampleFile {
        name: format!("drmemtrace.app.{tid}.0001.trace"),
        bytes,
        truth,
    }
}

/// An arbitrary time, in microseconds since 1601.
pub const START: u64 = 13_400_000_000_000_000;

fn steps(writer: &mut TraceWriter, count: u64) {
    (0..count).for_each(|number| writer.instruction(0x1000 + number, &[0x90]));
}

#[test]
fn threads_run_where_their_markers_say() {
    let first = thread_file(1, |writer| {
        writer.time(START, 0);
        steps(writer, 3);
        writer.time(START + 20, 5);
        steps(writer, 2);
    });
    let second = thread_file(2, |writer| {
        writer.time(START + 10, 5);
        steps(writer, 4);
        writer.marker(marker::SYSTEM_CALL, 39);
        writer.time(START + 30, 5);
        steps(writer, 1);
    });
    let expected =
        "1 0-3@0 7-9@5\n2 3-7@5 9-10@5 SystemCall:7-7\ncore 0 0-3@0\ncore 5 3-7@1 7-9@0 9-10@1\n";
    check(&[first, second], expected);
}

#[test]
fn a_core_that_is_not_known_has_no_lane() {
    let file = thread_file(1, |writer| {
        writer.time(START, u64::MAX);
        steps(writer, 3);
    });
    check(&[file], "1 0-3\n");
}

#[test]
fn the_kernel_s_part_of_a_system_call_is_a_mark_with_a_length() {
    let (session, _place) = sample(Sample::Kernel);
    let text = lanes_text(&session);
    assert!(text.contains("SystemCall:1-1 Kernel:1-3"), "{text}");
}

#[test]
fn marks_within_the_kernel_s_part_of_a_system_call_divide_it() {
    // Kinds of markers of an interrupt and of the return from it.
    const HARDWARE_EVENT: u16 = 43;
    const HARDWARE_RETURN: u16 = 44;
    let file = thread_file(1, |writer| {
        writer.time(START, 0);
        steps(writer, 1);
        writer.marker(marker::SYSTEM_CALL, 39);
        writer.marker(marker::SYSTEM_CALL_START, 39);
        steps(writer, 2);
        writer.marker(HARDWARE_EVENT, 0x1002);
        steps(writer, 2);
        writer.marker(HARDWARE_RETURN, 0x1002);
        steps(writer, 2);
        writer.marker(marker::SIGNAL, 10);
        steps(writer, 2);
        writer.marker(marker::SYSTEM_CALL_END, 39);
        steps(writer, 1);
        writer.marker(marker::SIGNAL, 10);
    });
    let expected = "1 0-10@0 SystemCall:1-1 Kernel:1-3 Kernel:3-5 Kernel:5-7 Signal:7-7 Kernel:7-9 \
                    Signal:10-10\ncore 0 0-10@0\n";
    check(&[file], expected);
}

#[test]
fn every_step_of_a_trace_by_cores_is_in_one_lane() {
    for kind in [Sample::Threads, Sample::CoreSharded] {
        let (session, _place) = sample(kind);
        let schedule = schedule(&session.index, &Cancel::default()).expect("lanes");
        let mut stretches: Vec<(u64, u64)> = schedule
            .threads
            .iter()
            .flat_map(|lane| lane.stretches.list())
            .map(|run| (run.first, run.end))
            .collect();
        stretches.sort_unstable();
        let end = stretches.iter().fold(
            0,
            |end, (first, next)| if *first == end { *next } else { u64::MAX },
        );
        assert_eq!(end, session.index.step_count(), "{kind:?}: {stretches:?}");
    }
}

#[test]
fn a_trace_without_times_is_looked_at_in_parts() {
    let text = lanes_text(&overflow());
    assert_eq!(text, "cpu0 0-1763\n");
}

fn stretches(limit: usize, count: u64) -> BoundedList<LaneInterval> {
    let mut lane = BoundedList::with_limit(limit);
    (0..count).for_each(|place| {
        lane.push(LaneInterval {
            first: 10 * place,
            end: 10 * place + 5,
            who: LanePeer::One(place % 3),
        })
    });
    lane
}

#[test]
fn what_is_too_fine_is_put_together() {
    let lane = stretches(16, 10_000);
    assert!(
        (4..=16).contains(&lane.list().len()),
        "{}",
        lane.list().len()
    );
    assert_eq!(
        (lane.list()[0].first, lane.list()[lane.list().len() - 1].end),
        (0, 99_995)
    );
    assert!(
        lane.list()
            .iter()
            .filter(|stretch| stretch.who == LanePeer::Several)
            .count()
            >= 4
    );
    assert!(lane.list().is_sorted_by(|one, next| one.end <= next.first));
}

#[test]
fn neighbours_that_are_alike_are_one() {
    let mut lane = BoundedList::default();
    for (first, end, who) in [(0, 3, 1), (3, 5, 1), (5, 6, 2)] {
        lane.push(LaneInterval {
            first,
            end,
            who: LanePeer::One(who),
        });
    }
    assert_eq!(
        lane.list()
            .iter()
            .map(|run| (run.first, run.end))
            .collect::<Vec<_>>(),
        [(0, 5), (5, 6)]
    );
}

#[test]
fn a_lane_is_drawn_in_no_more_boxes_than_columns() {
    let lane = stretches(1 << 16, 1000);
    let drawn = boxes(&lane, 0..10_000, 100);
    assert!(drawn.len() <= 100, "{}", drawn.len());
    assert_eq!(drawn.iter().map(|drawn| drawn.count).sum::<usize>(), 1000);
    // Entries after the view belong to no box.
    let part = boxes(&lane, 0..5_000, 100);
    assert_eq!(part.iter().map(|drawn| drawn.count).sum::<usize>(), 500);
    let near = boxes(&lane, 20..40, 100);
    let places: Vec<_> = near
        .iter()
        .map(|drawn| (drawn.left, drawn.right, drawn.place, drawn.count))
        .collect();
    assert_eq!(places, [(0, 25, 2, 1), (50, 75, 3, 1)]);
}
