//! Compares profiles with the stack of every step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use stepback_generator::drmemtrace::Sample;
use stepback_index::Cancel;
use stepback_index::answer::{CallId, Direction};
use stepback_index::read::SlotReader;
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::*;
use crate::analysis::profile::profile;
use crate::session::test_session::{overflow, sample};
use crate::session::{OpenOptions, Session, open};

/// Own steps, steps and calls of a function, counted from the stack at each step.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    own_steps: u64,
    steps: u64,
    calls: BTreeSet<CallId>,
}

fn seen(session: &Session, part: &PositionRange) -> BTreeMap<Address, Seen> {
    let (calls, mut seen) = (session.index.calls(), BTreeMap::<Address, Seen>::new());
    for step in (part.start.0..part.end.0).map(Step) {
        let thread = SlotReader(&session.index).thread_at(step.after()).unwrap();
        let path = calls.path_at(thread, step.before());
        let function = |id: &CallId| calls.get(*id).unwrap().function;
        for id in &path {
            seen.entry(function(id)).or_default().calls.insert(*id);
        }
        path.iter()
            .map(function)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .for_each(|function| {
                seen.entry(function).or_default().steps += 1;
            });
        if let Some(last) = path.last() {
            seen.entry(function(last)).or_default().own_steps += 1;
        }
    }
    seen
}

fn of(session: &Session, part: &PositionRange) -> CallProfile {
    call_profile(
        &session.index,
        part,
        &Progress::default(),
        &Cancel::default(),
    )
    .unwrap()
}

#[track_caller]
fn check(session: &Session, part: PositionRange) {
    let (stated, mut seen) = (of(session, &part), seen(session, &part));
    assert_eq!(stated.steps, part.end.0 - part.start.0);
    for FunctionUsage {
        address, totals, ..
    } in &stated.functions
    {
        let seen = seen.remove(address).unwrap_or_default();
        assert_eq!(
            (totals.own_steps, totals.steps),
            (seen.own_steps, seen.steps),
            "{address:?} in {part:?}"
        );
        // The profile also counts calls without a step in the part.
        assert!(
            totals.calls >= seen.calls.len() as u64,
            "{address:?} in {part:?}"
        );
    }
    assert_eq!(seen, BTreeMap::new(), "in {part:?}");
    let whole = stated.stacks.first().map(|all| all.totals.steps);
    assert_eq!(
        whole,
        Some(
            stated
                .functions
                .iter()
                .map(|function| function.totals.own_steps)
                .sum()
        )
    );
    for (place, node) in stated.stacks.iter().enumerate().skip(1) {
        assert!((node.parent as usize) < place);
    }
    let own: u64 = stated.stacks.iter().map(|node| node.totals.own_steps).sum();
    assert_eq!(Some(own), whole);
}

#[test]
fn a_profile_says_what_the_stacks_of_all_steps_say() {
    let session = overflow();
    let end = session.index.end();
    for (first, last) in [
        (0, end.0),
        (100, 900),
        (733, 734),
        (1233, 1593),
        (1700, end.0),
        (5, 5),
    ] {
        check(&session, Position(first)..Position(last));
    }
}

#[test]
fn steps_are_the_same_without_times() {
    let session = overflow();
    let whole = Position(0)..session.index.end();
    let mut timed = of(&session, &whole);
    assert!(timed.functions.iter().any(|used| used.totals.time > 0));
    let profiled = ProfiledCalls {
        index: &session.index,
        calls: session.index.calls(),
        unit: ProfileUnit::Steps,
    };
    let progress = Progress::default();
    let steps = profile_of(&profiled, &whole, &progress, &Cancel::default()).unwrap();
    for used in &mut timed.functions {
        (used.totals.time, used.totals.own_time) = (0, 0);
    }
    assert_eq!(steps.functions, timed.functions);
}

#[test]
fn every_thread_and_stack_has_its_own_steps() {
    for kind in [
        Sample::Threads,
        Sample::Kernel,
        Sample::Rseq,
        Sample::CoreSharded,
        Sample::Windows,
    ] {
        let (session, _place) = sample(kind);
        let end = session.index.end().0;
        for (first, last) in [(0, end), (end / 3, end / 2)] {
            check(&session, Position(first)..Position(last));
        }
    }
}

fn session_of_rst(name: &str) -> Session {
    let place = tempfile::tempdir().unwrap();
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .join("fixtures/rst")
        .join(name);
    let options = OpenOptions {
        index: Some(place.path().join("index.sbi")),
        ..OpenOptions::new(path)
    };
    open(&options, &Default::default(), &Default::default()).unwrap()
}

#[test]
fn a_call_is_the_innermost_where_it_is_entered() {
    let check = |session: &Session| {
        let calls = session.index.calls();
        for id in (0..calls.len()).map(CallId) {
            let (call, at) = (calls.get(id).unwrap(), calls.entered_at(id).unwrap());
            if call.entry_step.is_some() && call.exit_step.is_none_or(|exit| exit.after() > at) {
                assert_eq!(
                    calls.innermost_at(call.thread, at),
                    Some(id),
                    "{call:?} at {at:?}"
                );
            }
        }
    };
    ["cti.rst", "small.rst"]
        .iter()
        .for_each(|name| check(&session_of_rst(name)));
    check(&overflow());
}

#[test]
fn what_is_in_the_slot_of_a_call_is_the_callers() {
    for name in ["cti.rst", "small.rst"] {
        let session = session_of_rst(name);
        let end = session.index.end().0;
        for (first, last) in [(0, end), (end / 3, end / 2), (41, 43)] {
            check(&session, Position(first)..Position(last));
        }
    }
}

#[test]
fn calls_that_returned_are_measured_as_on_the_command_line() {
    let session = overflow();
    let stated = of(&session, &(Position(0)..session.index.end()));
    let plain = profile(&session.index, &Cancel::default()).unwrap();
    let mut compared = 0;
    for function in &stated.functions {
        let known = plain
            .iter()
            .find(|known| known.function == function.address);
        let Some(known) = known.filter(|known| known.calls == function.totals.calls) else {
            continue;
        };
        assert_eq!(
            known.outer_steps, function.totals.steps,
            "{:?}",
            function.address
        );
        assert_eq!(
            known.outer_time, function.totals.time,
            "{:?}",
            function.address
        );
        assert_eq!(known.first.before(), function.first);
        compared += 1;
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn who_calls_whom_adds_up() {
    let session = overflow();
    let stated = of(&session, &(Position(0)..session.index.end()));
    for (place, function) in (0u32..).zip(&stated.functions) {
        let calls: u64 = stated
            .links
            .iter()
            .filter(|link| link.callee == place)
            .map(|link| link.totals.calls)
            .sum();
        // The first function of the thread has no caller.
        let uncalled = u64::from(
            session
                .index
                .calls()
                .get(function.example)
                .is_some_and(|call| !call.is_called()),
        );
        assert_eq!(
            calls + uncalled,
            function.totals.calls,
            "{:?}",
            function.address
        );
    }
}

#[test]
fn the_calls_of_a_function_are_walked_both_ways() {
    let session = overflow();
    let stated = of(&session, &(Position(0)..session.index.end()));
    let function = stated
        .functions
        .iter()
        .find(|function| function.totals.calls == 36)
        .expect("a busy function");
    let next = |direction, at| {
        let function = function.address;
        next_call(&session.index, function, direction, at, &Cancel::default()).unwrap()
    };
    let mut entries: Vec<Position> = vec![function.first];
    while let Some(entry) = next(Direction::Forward, *entries.last().unwrap()) {
        entries.push(entry);
    }
    assert_eq!(entries.len(), 36);
    for pair in entries.windows(2) {
        assert_eq!(next(Direction::Back, pair[1]), Some(pair[0]));
    }
    assert_eq!(next(Direction::Back, function.first), None);
    let inside = Position(entries[3].0 + 1);
    assert_eq!(next(Direction::Back, inside), Some(entries[3]));
}
