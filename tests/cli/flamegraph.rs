//! `stepback flamegraph`.

use std::fs;

use crate::cli::support::{AMP, OVERFLOW, Sandbox, overflow_image, text};

#[test]
fn stacks_are_sorted_and_hold_the_time_of_the_trace() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["flamegraph", &trace, "--image", &overflow_image()])
        .succeeds();
    let stacks: Vec<(&str, u64)> = ran
        .out
        .lines()
        .map(|line| line.rsplit_once(' ').unwrap())
        .map(|(stack, time)| (stack, time.parse().unwrap()))
        .collect();
    assert!(stacks.is_sorted());
    assert_eq!(stacks[0].0, "_start");
    // The sum spans the first to the last moment.
    assert_eq!(stacks.iter().map(|(_, time)| time).sum::<u64>(), 1762);
    assert!(
        stacks
            .iter()
            .any(|(stack, _)| *stack == "_start;mini_puts;mini_write;semihost"),
        "{stacks:?}"
    );
}

#[test]
fn the_json_is_one_value_with_the_same_stacks() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let lines = sandbox
        .run(&["flamegraph", &trace, "--whole"])
        .succeeds()
        .out;
    let stacks = sandbox.json(&["flamegraph", &trace]);
    let line = |stack: &serde_json::Value| {
        let names: Vec<&str> = stack["functions"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|function| function["address"].as_str())
            .collect();
        format!("{} {}\n", names.join(";"), stack["time"])
    };
    assert_eq!(
        stacks
            .as_array()
            .unwrap()
            .iter()
            .map(line)
            .collect::<String>(),
        lines
    );
}

#[test]
fn cores_are_side_by_side() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    let out = sandbox.run(&["flamegraph", &trace]).succeeds().out;
    assert!(
        out.lines()
            .all(|line| line.starts_with("cpu0;0x8") || line.starts_with("cpu1;0xa")),
        "{out}"
    );
}

#[test]
fn deep_calls_count_for_those_around_them_on_request() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let out = sandbox
        .run(&["flamegraph", &trace, "--max-depth", "0"])
        .succeeds()
        .out;
    assert_eq!(out, "0x80000000 1762\n");
}

#[test]
fn a_picture_is_drawn() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let target = text(&sandbox.path("flame.svg"));
    let arguments = [
        "flamegraph",
        &trace,
        "--image",
        &overflow_image(),
        "--svg",
        "-o",
        &target,
    ];
    assert_eq!(sandbox.run(&arguments).succeeds().out, "");
    let picture = fs::read_to_string(&target).unwrap();
    assert!(picture.starts_with("<?xml") && picture.trim_end().ends_with("</svg>"));
    assert!(picture.contains("open_session") && picture.contains(OVERFLOW));
    assert!(
        !picture.contains(" href=\"http"),
        "nothing is loaded from elsewhere"
    );
    sandbox
        .run(&["flamegraph", &trace, "--svg", "--json"])
        .ends_misspelt();
}

#[test]
fn steps_are_drawn_where_no_time_passes() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("one.tarmac", "IT (1) 00001000 46c0 T thread : NOP\n");
    let ran = sandbox
        .run(&["flamegraph", &trace, "--svg"])
        .succeeds()
        .prints("1 steps");
    assert!(ran.err.contains("steps are counted"), "{}", ran.err);
    let trace = sandbox.file("none.tarmac", "0 clk R X0 0000000000000001\n");
    sandbox
        .run(&["flamegraph", &trace, "--svg"])
        .fails_with(&["no time passes", "none.tarmac"]);
}
