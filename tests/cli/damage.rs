//! Index files that are damaged, foreign or outdated.

use std::fs;
use std::fs::File;
use std::time::{Duration, SystemTime};

use stepback_generator::drmemtrace::{Architecture, Container, Sample};
use stepback_generator::{Recipe, Size};

use crate::cli::support::{OVERFLOW, Ran, Sandbox};

/// An indexed trace and its answers.
struct Indexed {
    sandbox: Sandbox,
    trace: String,
    place: String,
    answer: String,
}

impl Indexed {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let trace = sandbox.fixture(OVERFLOW);
        let place = format!("{trace}.sbi");
        let answer = sandbox.run(&["list", &trace, "--json"]).succeeds().out;
        Self {
            sandbox,
            trace,
            place,
            answer,
        }
    }

    fn list(&self) -> Ran {
        self.sandbox.run(&["list", &self.trace, "--json"])
    }

    /// Checks that the index is rebuilt with a notice and gives the same answer, and that it is
    /// refused if rebuilding is not allowed.
    #[track_caller]
    fn check_rebuilt(&self) {
        let refused = self.sandbox.run(&["list", &self.trace, "--no-index"]);
        refused.fails_with(&["the index cannot be used", ".sbi"]);
        let ran = self.list().succeeds().says("note: the index was rebuilt: ");
        assert_eq!(ran.out, self.answer);
        let ran = self.list().succeeds();
        assert_eq!((ran.out, ran.err.as_str()), (self.answer.clone(), ""));
    }
}

#[test]
fn an_index_cut_short_is_rebuilt() {
    let indexed = Indexed::new();
    let whole = fs::read(&indexed.place).unwrap();
    for length in [1, 7, 8, 64, whole.len() / 2, whole.len() - 1] {
        fs::write(&indexed.place, &whole[..length]).unwrap();
        indexed.check_rebuilt();
    }
}

#[test]
fn a_foreign_file_in_the_place_of_the_index_is_rebuilt() {
    let indexed = Indexed::new();
    for content in ["", "hello", &"x".repeat(100_000)] {
        fs::write(&indexed.place, content).unwrap();
        indexed.check_rebuilt();
    }
}

/// Flips single bytes. Either the index is rebuilt, or the byte does not affect the answer.
#[test]
fn a_flipped_byte_never_gives_a_wrong_answer() {
    let indexed = Indexed::new();
    let trace = &*indexed.trace;
    let questions = [
        &["info", trace, "--json"][..],
        &["at", trace, "1250", "--mem", "0x80020000:64", "--json"],
        &[
            "find",
            trace,
            "last-write",
            "0x80020010:8",
            "--all",
            "--json",
        ],
        &["find", trace, "pc", "0x80000498", "--all", "--json"],
        &["calltree", trace, "--json"],
        &["calltree", trace],
        &["list", trace, "--from", "500", "--count", "20", "--json"],
    ];
    let answers = questions.map(|question| indexed.sandbox.run(question).succeeds().out);
    let whole = fs::read(&indexed.place).unwrap();
    for place in (0..whole.len()).step_by(whole.len() / 150) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x41;
        for (question, answer) in questions.iter().zip(&answers) {
            fs::write(&indexed.place, &damaged).unwrap();
            let ran = indexed.sandbox.run(question);
            assert_eq!(
                (ran.code, &ran.out),
                (Some(0), answer),
                "byte {place}: {question:?}: {}",
                ran.err
            );
            let is_mended = fs::read(&indexed.place).unwrap() != damaged;
            assert!(
                !is_mended || ran.err.contains("was rebuilt"),
                "byte {place}: {ran:?}"
            );
        }
    }
}

#[test]
fn damage_that_is_met_inside_an_address_has_the_index_rebuilt() {
    let indexed = Indexed::new();
    let question = |more: &[&str]| {
        let requested = ["at", &indexed.trace, "1250", "--mem", "[sp]:8", "--json"];
        indexed.sandbox.run(&[&requested, more].concat())
    };
    let answer = question(&[]).succeeds().out;
    let whole = fs::read(&indexed.place).unwrap();
    let damage = |at: &usize| {
        let mut damaged = whole.clone();
        damaged[*at] ^= 0x41;
        fs::write(&indexed.place, damaged).unwrap();
        question(&["--no-index"]).err.contains("memory at")
    };
    assert!(
        (0..whole.len())
            .step_by(whole.len() / 100)
            .any(|at| damage(&at)),
        "no damage is met in the address"
    );
    let ran = question(&[]).succeeds().says("was damaged and was rebuilt");
    assert_eq!(ran.out, answer, "{}", ran.err);
}

#[test]
fn what_was_printed_before_damage_was_met_is_not_printed_twice() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "a.tarmac",
        Recipe {
            size: Size::Steps(300_000),
            ..Recipe::default()
        }
        .text(),
    );
    let answer = sandbox.run(&["list", &trace, "--json"]).succeeds().out;
    let place = format!("{trace}.sbi");
    let whole = fs::read(&place).unwrap();
    // Damages a late segment, so that much is printed before the damage is met.
    let begins_and_fails = |at: &usize| {
        let mut damaged = whole.clone();
        damaged[*at] ^= 0x41;
        fs::write(&place, damaged).unwrap();
        let ran = sandbox.run(&["list", &trace, "--json", "--no-index"]);
        ran.code == Some(1) && !ran.out.is_empty()
    };
    assert!(
        (whole.len() / 3..whole.len())
            .step_by(whole.len() / 100)
            .any(|at| begins_and_fails(&at))
    );
    let ran = sandbox
        .run(&["list", &trace, "--json"])
        .succeeds()
        .says("was damaged and was rebuilt");
    assert!(ran.out == answer, "{}", ran.err);
}

/// A damaged copy of a trace's records is rebuilt too.
#[test]
fn a_flipped_byte_in_the_copy_of_records_never_gives_a_wrong_answer() {
    let sandbox = Sandbox::new();
    let file = Sample::Plain(7, Architecture::X86_64)
        .files(Container::Gzip)
        .remove(0);
    let trace = sandbox.file("a.trace.gz", file.bytes);
    let questions = [
        &["info", &trace, "--json"][..],
        &["at", &trace, "50%", "--json"],
        &["at", &trace, "end", "--stack", "--json"],
        &["find", &trace, "text", "mov", "--all", "--json"],
        &["calltree", &trace, "--all-frames"],
        &["counts", &trace, "--json"],
        &["list", &trace, "--json"],
        &["list", &trace, "--records"],
    ];
    let answers = questions.map(|question| sandbox.run(question).succeeds().out);
    let place = format!("{trace}.sbi.steps");
    let whole = fs::read(&place).unwrap();
    for byte in (0..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[byte] ^= 0x41;
        for (question, answer) in questions.iter().zip(&answers) {
            fs::write(&place, &damaged).unwrap();
            let ran = sandbox.run(question);
            assert_eq!(
                (ran.code, &ran.out),
                (Some(0), answer),
                "byte {byte}: {question:?}: {}",
                ran.err
            );
        }
        fs::remove_file(format!("{trace}.sbi")).unwrap();
        fs::write(&place, &damaged).unwrap();
        sandbox.run(&["index", &trace]).succeeds();
    }
}

#[test]
fn an_index_of_another_trace_is_rebuilt() {
    let indexed = Indexed::new();
    let other = indexed.sandbox.fixture("recurse.tiny.tarmac");
    indexed.sandbox.run(&["index", &other]).succeeds();
    fs::copy(format!("{other}.sbi"), &indexed.place).unwrap();
    let ran = indexed.list().succeeds().says("the index was rebuilt");
    assert_eq!(ran.out, indexed.answer);
}

#[test]
fn a_trace_that_grew_is_indexed_again() {
    let indexed = Indexed::new();
    let mut content = fs::read_to_string(&indexed.trace).unwrap();
    content.push_str("1764 clk IT (1764) 80000890 d503201f O EL3h_s : NOP\n");
    fs::write(&indexed.trace, content).unwrap();
    let ran = indexed.list().succeeds().says("the index was rebuilt");
    assert_eq!(ran.out.lines().count(), 1764);
}

#[test]
fn a_trace_of_the_same_length_with_other_content_is_indexed_again() {
    let indexed = Indexed::new();
    let content = fs::read_to_string(&indexed.trace).unwrap();
    fs::write(
        &indexed.trace,
        content.replace("BLR      x2", "BLR      x9"),
    )
    .unwrap();
    let later = SystemTime::now() + Duration::from_secs(10);
    File::options()
        .write(true)
        .open(&indexed.trace)
        .unwrap()
        .set_modified(later)
        .unwrap();
    let ran = indexed.list().succeeds().says("the index was rebuilt");
    assert!(ran.out.contains("BLR      x9"), "{}", ran.err);
}

/// Runs all at once, like a script that queries a new trace in parallel.
#[test]
fn several_programs_may_build_one_index_at_a_time() {
    let indexed = Indexed::new();
    for _round in 0..5 {
        fs::remove_file(&indexed.place).unwrap();
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| indexed.list())).collect();
            for run in runs {
                assert_eq!(run.join().unwrap().succeeds().out, indexed.answer);
            }
        });
        let ran = indexed.list().succeeds();
        assert_eq!((ran.out, ran.err.as_str()), (indexed.answer.clone(), ""));
    }
}

#[test]
fn a_stopped_build_leaves_nothing_that_is_taken_for_an_index() {
    let indexed = Indexed::new();
    let whole = fs::read(&indexed.place).unwrap();
    fs::remove_file(&indexed.place).unwrap();
    fs::write(
        format!("{}.partial", indexed.place),
        &whole[..whole.len() / 2],
    )
    .unwrap();
    let ran = indexed.list().succeeds();
    assert_eq!(ran.out, indexed.answer);
    assert!(!fs::exists(format!("{}.partial", indexed.place)).unwrap());
}
