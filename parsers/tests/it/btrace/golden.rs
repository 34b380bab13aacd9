//! Paths of real recordings, which are known.

use stepback_parsers::btrace::BtraceOptions;
use stepback_parsers::{Gap, GapReason, Source as _, StepOrigin};

use super::support::{Shown, WholePath, content, fixture, path_of, path_with, program, traces};

fn lines(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text)
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Checks that the shown path is the recorded one. Only inferred steps may follow it.
#[track_caller]
fn check(path: &WholePath, thread: &str, expected: &[String]) -> usize {
    let (found, inferred) = path.lines(thread);
    for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, expected.split(" 0").next().unwrap(), "line {number}");
    }
    let more = found.len() - expected.len();
    assert!(
        more <= inferred.len(),
        "{} lines, {} inferred",
        found.len(),
        inferred.len()
    );
    assert_eq!(found[expected.len()..], inferred[inferred.len() - more..]);
    more
}

#[test]
fn the_path_of_a_program_comes_back() {
    let path = path_of(
        content(&fixture("hello.btf")),
        program(&fixture("hello.elf")),
    );
    let more = check(&path, "1", &lines(&content(&fixture("hello.pcpath.zst"))));
    assert_eq!((more, path.gaps(), path.problems), (0, vec![], vec![]));
}

#[test]
fn every_form_of_control_transfer_comes_back() {
    let path = path_of(content(&fixture("cti.btf")), program(&fixture("cti.elf")));
    let more = check(&path, "1", &lines(&content(&fixture("cti.pcpath"))));
    assert_eq!((more, path.gaps(), path.problems), (1, vec![], vec![]));
}

#[test]
fn lost_records_are_one_gap() {
    let path = path_of(
        content(&fixture("hello_gap.btf")),
        program(&fixture("hello.elf")),
    );
    check(
        &path,
        "1",
        &lines(&content(&fixture("hello_gap.pcpath.zst"))),
    );
    assert_eq!(
        path.gaps(),
        [Gap {
            reason: GapReason::Lost,
            instructions: None
        }]
    );
}

#[test]
fn threads_are_distinguished_and_their_times_run_forwards() {
    let path = path_of(
        content(&fixture("hello_mt.btf.zst")),
        program(&fixture("hello.elf")),
    );
    let expected = lines(&content(&fixture("hello.pcpath.zst")));
    for thread in ["1", "2", "3"] {
        assert_eq!(check(&path, thread, &expected), 0);
    }
    assert!(path.times.iter().flatten().is_sorted());
    assert_eq!((path.gaps(), path.problems), (vec![], vec![]));
}

/// Annulled slots after a branch belong to no record.
#[test]
fn records_lead_to_the_steps_of_their_branches() {
    for (recording, elf) in [("cti.btf", "cti.elf"), ("hello_gap.btf", "hello.elf")] {
        let bytes = content(&fixture(recording));
        let options = BtraceOptions {
            program: vec![program(&fixture(elf))],
            layout: None,
        };
        let (path, trace) = path_with(bytes, options);
        let steps: Vec<_> = path
            .shown
            .iter()
            .filter(|(_, shown, _)| matches!(shown, Shown::Step { .. }))
            .collect();
        let mut records = trace.records_in_file().unwrap();
        while let Some(record) = records.next_record().unwrap() {
            let after = trace.position_of_record(record.number).unwrap().unwrap();
            let (_, shown, origin) = steps[after.0 as usize - 1];
            let recorded = Shown::Step {
                pc: record.pc,
                is_executed: true,
            };
            assert_eq!(
                (shown, *origin),
                (&recorded, StepOrigin::Recorded),
                "record {} of {recording}",
                record.number
            );
        }
    }
}

#[test]
fn real_recordings_come_back() {
    let Some(folder) = traces() else { return };
    for (name, elf, golden) in [
        ("hello.btf", "hello", "hello.pcpath"),
        ("hello_hdr.btf", "hello", "hello.pcpath"),
        ("hello_gap.btf", "hello", "hello_gap.pcpath"),
        ("cti.btf", "cti", "cti.pcpath"),
        ("medium.btf", "medium", "medium.pcpath.zst"),
    ] {
        let path = path_of(content(&folder.join(name)), program(&folder.join(elf)));
        let expected = lines(&content(&folder.join(golden)));
        let more = check(&path, "1", &expected);
        println!("{name}: {} steps, {more} behind the end", expected.len());
    }
    let path = path_of(
        content(&folder.join("hello_mt.btf")),
        program(&folder.join("hello")),
    );
    let golden = lines(&content(&folder.join("hello_mt.pcpath")));
    for thread in golden
        .split(|line| line.starts_with("# tid"))
        .filter(|lines| !lines.is_empty())
        .zip(["1", "2", "3"])
    {
        check(&path, thread.1, thread.0);
    }
}
