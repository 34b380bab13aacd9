//! `stepback compare` with damaged traces, indexes and files of rules.

use std::fs;

use serde_json::{Value, json};

use crate::cli::support::{OVERFLOW, Sandbox};

const SPIKE: &str = "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n\
                     core   0: 3 0x0000000080000004 (0x02028593) x11 0x0000000080000020\n";

#[test]
fn unreadable_lines_of_both_traces_are_reported() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let text = fs::read_to_string(&trace).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(100, "garbage");
    let other = sandbox.file("other.tarmac", lines.join("\n") + "\n");
    let problem = "1 problem in the trace, the first in line 101, byte 0: ";
    let ran = sandbox.run(&["compare", &trace, &other]).succeeds();
    assert!(ran.out.contains(problem), "{}", ran.out);
    let note = format!("note: {other}: {problem}");
    assert!(ran.err.contains(&note), "{ran:?}");
    let json = sandbox.json(&["compare", &other, &trace]);
    let problems = |side: &str| json[side]["problem_count"].clone();
    assert_eq!([problems("a"), problems("b")], [json!(1), json!(0)]);
    assert!(
        json["a"]["first_problem"]
            .as_str()
            .unwrap()
            .starts_with(problem)
    );
    assert_eq!(json["b"]["first_problem"], Value::Null);
    sandbox
        .run(&["compare", &trace, &other, "--markdown"])
        .succeeds()
        .prints(problem);
}

#[test]
fn a_damaged_index_of_the_second_trace_is_rebuilt() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let other = sandbox.file("other.tarmac", fs::read(&trace).unwrap());
    let index = format!("{other}.sbi");
    sandbox.run(&["index", &trace]).succeeds();
    sandbox.run(&["index", &other]).succeeds();
    let good = fs::read(&index).unwrap();
    let mut rebuilt = 0;
    for place in (0..good.len()).step_by(good.len() / 40) {
        let mut bad = good.clone();
        bad[place] ^= 0x55;
        fs::write(&index, bad).unwrap();
        let ran = sandbox.run(&["compare", &trace, &other]).succeeds();
        assert!(ran.out.contains("equal: "), "{place}: {ran:?}");
        let is_noted = ran
            .err
            .contains("other.tarmac: the index was damaged and was rebuilt");
        let notes = ran
            .err
            .lines()
            .filter(|line| !line.contains("other.tarmac"));
        assert_eq!(notes.count(), 0, "{place}: {ran:?}");
        rebuilt += usize::from(is_noted);
    }
    assert!(rebuilt > 0);
    // Nothing may be rebuilt.
    let mut bad = good.clone();
    for byte in bad
        .iter_mut()
        .skip(good.len() / 4)
        .step_by(64)
        .take(good.len() / 128)
    {
        *byte ^= 0x55;
    }
    fs::write(&index, bad).unwrap();
    let ran = sandbox.run(&["compare", &trace, &other, "--no-index"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
    assert!(ran.err.contains(&other), "{ran:?}");
}

#[test]
fn errors_name_the_file_that_they_are_about_once() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let packed = zstd::encode_all(&*fs::read(&trace).unwrap(), 3).unwrap();
    let cut = sandbox.file("cut.tarmac.zst", &packed[..packed.len() / 2]);
    let empty = sandbox.file("empty.tarmac", "");
    let spike = sandbox.file("spike.log", SPIKE);
    for (other, words) in [
        (&cut, "the zstd data is cut off"),
        (&empty, "the file is empty"),
        (&spike, "different processors"),
    ] {
        let ran = sandbox.run(&["compare", &trace, other]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.err.contains(words), "{ran:?}");
        assert_eq!(ran.err.matches(other.as_str()).count(), 1, "{ran:?}");
    }
}

#[test]
fn an_error_in_the_rules_names_its_line() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    for (line, words) in [
        ("ignore_registers = [\"x1\"", "line 3: "),
        (
            "ignore_memory = [\"0x1..0x2\",\n \"bad\"]",
            "line 4: \"bad\" is no range",
        ),
        ("ignore_memory = 5", "line 3: invalid type"),
        ("ignore = 1", "line 3: unknown field `ignore`"),
        (
            "polling = [\"nothing\"]",
            "line 3: no image has a function \"nothing\"",
        ),
    ] {
        let rules = sandbox.file("rules.toml", format!("# Rules\n\n{line}\n"));
        let ran = sandbox
            .run(&["compare", &trace, &trace, "--rules", &rules])
            .ends_misspelt();
        let expected = format!("error: {rules}, {words}");
        assert!(ran.err.starts_with(&expected), "{expected}: {ran:?}");
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    }
}

#[test]
fn threads_without_a_partner_are_named() {
    let sandbox = Sandbox::new();
    let both = sandbox.fixture("amp.head.tarmac");
    let text = fs::read_to_string(&both).unwrap();
    let first = text.lines().filter(|line| !line.contains("cpu1"));
    let first: String = first.map(|line| format!("{line}\n")).collect();
    let first = sandbox.file("first.tarmac", first);
    let words = "1 thread only in b: cpu1";
    for form in [
        &["compare", &first, &both][..],
        &["compare", &first, &both, "--markdown"],
    ] {
        let ran = sandbox.run(form);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(
            ran.out.contains(words) && ran.out.contains("steps match"),
            "{ran:?}"
        );
    }
}
