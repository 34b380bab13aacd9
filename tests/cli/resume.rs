//! Indexes wanted by several programs, left by killed ones, and of growing traces.

use std::fs;
use std::fs::File;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use stepback_generator::{Recipe, Size};

use crate::cli::support::{OVERFLOW, Ran, Sandbox, fixture_path};

#[test]
fn programs_that_open_a_trace_at_the_same_time_do_not_fight() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "a.tarmac",
        Recipe {
            size: Size::Steps(60_000),
            ..Recipe::default()
        }
        .text(),
    );
    let runs: Vec<Ran> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| sandbox.run(&["at", &trace, "50%", "--json"])))
            .collect();
        runs.into_iter()
            .map(|run| run.join().unwrap().succeeds())
            .collect()
    });
    assert!(
        runs.iter()
            .all(|run| run.out == runs[0].out && run.err.is_empty()),
        "{runs:?}"
    );
    assert_eq!(sandbox.json(&["index", &trace])["fresh"], true);
    assert!(
        !sandbox.path("a.tarmac.sbi.partial").exists()
            && !sandbox.path("a.tarmac.sbi.resume").exists()
    );
}

#[test]
fn after_a_program_was_killed_the_next_one_answers_as_ever() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "a.tarmac",
        Recipe {
            size: Size::Steps(100_000),
            ..Recipe::default()
        }
        .text(),
    );
    for millis in [1, 20, 60, 120] {
        let mut child = sandbox
            .process(&["index", &trace])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let answer = sandbox.json(&["at", &trace, "end"]);
    let other = sandbox.json(&["at", &trace, "end", "--index", "other.sbi"]);
    assert_eq!(answer, other);
    assert!(!sandbox.path("a.tarmac.sbi.partial").exists());
}

#[test]
fn the_index_of_a_trace_that_has_grown_is_extended() {
    let sandbox = Sandbox::new();
    let text = fs::read(fixture_path(OVERFLOW)).unwrap();
    // Splits the text in the middle of a line.
    let (first, rest) = text.split_at(text.len() / 2 + 7);
    let trace = sandbox.file("a.tarmac", first);
    sandbox.run(&["index", &trace]).succeeds();
    File::options()
        .append(true)
        .open(&trace)
        .unwrap()
        .write_all(rest)
        .unwrap();
    let ran = sandbox.run(&["calltree", &trace, "--json"]).succeeds();
    let whole = sandbox.file("b.tarmac", &text);
    assert_eq!(
        ran.out,
        sandbox.run(&["calltree", &whole, "--json"]).succeeds().out
    );
    // A rewritten trace is not resumed.
    let other = fs::read(fixture_path("recurse.tiny.tarmac")).unwrap();
    fs::write(&trace, [&other[..], &text[..]].concat()).unwrap();
    sandbox.run(&["info", &trace]).succeeds().says("rebuilt");
}

#[test]
fn what_a_stopped_build_leaves_is_gone_after_the_next() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let left = || {
        let entries = fs::read_dir(sandbox.path("")).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.retain(|name| name.contains(".sbi"));
        names
    };
    let leave = |suffixes: &[&str]| {
        suffixes
            .iter()
            .for_each(|suffix| fs::write(format!("{trace}.sbi{suffix}"), "x").unwrap())
    };
    let all = [".partial", ".resume", ".resume.new"];
    for suffixes in [&all[..], &all[1..], &all[2..]] {
        // The first run builds the index; the second one finds it finished.
        for _ in 0..2 {
            leave(suffixes);
            sandbox.run(&["at", &trace, "end"]).succeeds();
            assert_eq!(left(), [format!("{OVERFLOW}.sbi")], "{suffixes:?}");
        }
        fs::remove_file(format!("{trace}.sbi")).unwrap();
    }
}
