//! `stepback find … --stack`.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::cli::support::{OVERFLOW, Sandbox, overflow_image};

/// The frames of a hit, innermost first.
fn functions(hit: &Value) -> Vec<String> {
    let frames = hit["stack"].as_array().unwrap();
    frames
        .iter()
        .map(|frame| frame["function"]["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_hit_keeps_its_fields_and_gets_the_frames_around_it() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let question = [
        "find",
        &trace,
        "last-write",
        "0x80020010:8",
        "--all",
        "--image",
        &overflow_image(),
    ];
    let plain = sandbox.json_lines(&question);
    let mut stacked = sandbox.json_lines(&[&question[..], &["--stack"]].concat());
    assert_eq!(
        functions(&stacked[0]),
        ["decode_field", "open_session", "main", "_start"]
    );
    let calls: Vec<Value> = stacked[0]["stack"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| frame["call_step"].clone())
        .collect();
    assert_eq!(calls, [json!(746), json!(84), json!(3), Value::Null]);
    for hit in &mut stacked {
        hit.as_object_mut().unwrap().remove("stack");
    }
    assert_eq!(stacked, plain);
    let one = sandbox.json(&[
        "find",
        &trace,
        "pc",
        "0x80000498",
        "--stack",
        "--frames",
        "1",
    ]);
    let frame = &one["hit"]["stack"][0];
    let expected = json!({"address": "0x80000390", "name": null, "symbol": null});
    assert_eq!(
        (&frame["function"], &frame["call_step"]),
        (&expected, &json!(746))
    );
    // A frame is the same object as in the list of calls.
    let calls = sandbox.json_lines(&["calltree", &trace]);
    assert!(calls.contains(frame), "{frame}");
}

#[test]
fn the_text_has_each_stack_once_with_the_most_frequent_first() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let question = [
        "find",
        &trace,
        "next-write",
        "x2",
        "--all",
        "--stack",
        "--image",
        &overflow_image(),
    ];
    let text = sandbox.run(&question).succeeds().out;
    let first = "108 hits, steps 137 to 544\n    #0 make_request (0x80000588)\n    #1 open_session (0x80000764)\n    \
                 #2 main (0x80000898)\n    #3 _start (0x80000000)\n36 hits";
    assert!(text.starts_with(first), "{text}");
    let mut counts: HashMap<Vec<String>, u64> = HashMap::new();
    for hit in sandbox.json_lines(&question) {
        *counts.entry(functions(&hit)).or_default() += 1;
    }
    let mut expected: Vec<u64> = counts.into_values().collect();
    expected.sort_unstable_by(|one, other| other.cmp(one));
    let heads = text.lines().filter(|line| !line.starts_with(' '));
    let found: Vec<u64> = heads
        .map(|line| line.split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn long_stacks_say_how_much_is_left_out() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let all = [
        "find",
        &trace,
        "last-write",
        "0x80020010:8",
        "--all",
        "--stack",
        "--frames",
        "1",
    ];
    sandbox
        .run(&all)
        .succeeds()
        .prints("    #0 0x80000390\n    … 3 more (--frames N)\n");
    let one = ["find", &trace, "last-write", "0x80020010:8", "--stack"];
    sandbox
        .run(&one)
        .succeeds()
        .prints("    #0 0x80000390  called by step 746\n    #1 0x80000764  called by step 84\n");
}

#[test]
fn markers_are_no_steps_and_have_no_stack() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["find", &trace, "marker", "syscall", "--stack"])
        .ends_misspelt();
}
