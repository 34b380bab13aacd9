//! `stepback list`.

use serde_json::{Value, json};

use crate::cli::support::{AMP, OVERFLOW, OVERFLOW_STEPS, Sandbox};

#[test]
fn a_step_has_its_effects_in_trace_order() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let lines = sandbox.json_lines(&["list", &trace, "--from", "1761"]);
    let expected = [
        json!({
            "step": 1761, "line": 3655, "time": 1762, "thread": "cpu0", "pc": "0x80000888", "executed": true,
            "text": "LDR      x2,[x0]",
            "effects": [
                {"kind": "read", "cell": "0x80020010:8", "address": "0x80020010", "size": 8,
                 "value": "0xbfb1e598a4e5bda9", "inferred": false,
                 "decoded": false, "external": false},
                {"reg": "x2", "value": "0xbfb1e598a4e5bda9"},
            ],
        }),
        json!({
            "step": 1762, "line": 3658, "time": 1763, "thread": "cpu0", "pc": "0x8000088c", "executed": true,
            "text": "BLR      x2", "effects": [
                {"reg": "x30", "value": "0x0000000080000890"},
                {"exception": "E bfb1e598a4e5bda9 00000084 CoreEvent_CURRENT_SPx_SYNC"},
            ],
        }),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn every_step_is_listed_once() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let steps: Vec<u64> = sandbox
        .json_lines(&["list", &trace])
        .iter()
        .filter_map(|line| line["step"].as_u64())
        .collect();
    assert_eq!(steps, (0..OVERFLOW_STEPS).collect::<Vec<_>>());
    assert_eq!(
        sandbox.json_lines(&["list", &trace, "--count", "0"]),
        [] as [Value; 0]
    );
    assert_eq!(
        sandbox.json_lines(&["list", &trace, "--from", "end"]),
        [] as [Value; 0]
    );
    assert_eq!(
        sandbox
            .json_lines(&["list", &trace, "--from", "10", "--count", "3"])
            .len(),
        3
    );
}

#[test]
fn the_steps_of_one_thread_are_counted_alone() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    let info = sandbox.json(&["info", &trace]);
    for thread in info["threads"].as_array().unwrap() {
        let name = thread["id"].as_str().unwrap();
        let lines = sandbox.json_lines(&["list", &trace, "--thread", name]);
        assert_eq!(lines.len() as u64, thread["steps"].as_u64().unwrap());
        assert!(lines.iter().all(|line| line["thread"] == name));
        assert_eq!(
            sandbox.json_lines(&["list", &trace, "--thread", name, "--count", "7"]),
            lines[..7]
        );
    }
    sandbox
        .run(&["list", &trace, "--thread", "cpu7"])
        .ends_misspelt()
        .says("cpu7")
        .says("cpu0, cpu1")
        .says(AMP);
}

#[test]
fn the_text_has_a_line_for_each_step() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["list", &trace, "--from", "pc:0x80000560", "--count", "1"])
        .succeeds();
    let ran = ran.prints("0x0000000080000560  STR      x1,[x0]");
    assert_eq!(ran.out.lines().count(), 1);
}
