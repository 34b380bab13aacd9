//! Source lines, and memory in address expressions.

use serde_json::{Value, json};

use crate::cli::support::{OVERFLOW, Sandbox};

const IMAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/overflow_bare.elf");

fn source_of(sandbox: &Sandbox, options: &[&str]) -> Vec<Value> {
    let trace = sandbox.fixture(OVERFLOW);
    let question = ["list", &trace, "--from", "1761", "--lines"];
    sandbox
        .json_lines(&[&question, options].concat())
        .iter()
        .map(|line| line["source"].clone())
        .collect()
}

#[test]
fn a_step_has_its_source_line_when_it_is_requested() {
    let sandbox = Sandbox::new();
    let file = "/build/trace-corpus/src/overflow.c";
    assert_eq!(
        source_of(&sandbox, &["--image", IMAGE]),
        [json!(format!("{file}:95")), json!(format!("{file}:95"))]
    );
    let moved = source_of(
        &sandbox,
        &[
            "--image",
            IMAGE,
            "--source-map",
            "/build/trace-corpus=/home/me",
        ],
    );
    assert_eq!(
        moved,
        [
            json!("/home/me/src/overflow.c:95"),
            json!("/home/me/src/overflow.c:95")
        ]
    );
    assert_eq!(source_of(&sandbox, &[]), [Value::Null, Value::Null]);
    let trace = sandbox.fixture(OVERFLOW);
    let unasked = sandbox.json_lines(&["list", &trace, "--from", "1761", "--image", IMAGE]);
    assert!(unasked.iter().all(|line| line.get("source").is_none()));
}

#[test]
fn the_state_names_the_source_line_of_the_step_before_it() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let state = sandbox.json(&["at", &trace, "end", "--lines", "--image", IMAGE]);
    assert_eq!(
        state["last_step"]["source"],
        "/build/trace-corpus/src/overflow.c:95"
    );
    let ran = sandbox
        .run(&["at", &trace, "end", "--lines", "--image", IMAGE])
        .succeeds();
    ran.prints("/build/trace-corpus/src/overflow.c:95\n");
    let ran = sandbox
        .run(&["list", &trace, "--from", "1762", "--lines"])
        .succeeds();
    ran.prints("no source line\n");
}

#[test]
fn a_misspelt_source_map_is_a_wrong_command_line() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox.run(&["list", &trace, "--source-map", "/build"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("FROM=TO"), "{}", ran.err);
}

#[test]
fn an_address_may_come_from_memory() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let addresses = |expression: &str| {
        let state = sandbox.json(&["at", &trace, "1762", "--mem", expression]);
        state["memory"][0]["address"].clone()
    };
    // The address without its tag (DDI 0487, D8.8): bit 55 is set, so the bits above it are set as
    // well.
    assert_eq!(addresses("[x0]:4"), "0xffb1e598a4e5bda9");
    assert_eq!(addresses("u16[x0]"), "0xbda9");
    assert_eq!(addresses("([x0] == x2) + 0x10"), "0x11");
    let ran = sandbox.run(&["at", &trace, "1762", "--mem", "sp+[0x1234]"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says("column 4")
        .says("memory at 0x1234 is unknown at this position")
        .says(OVERFLOW);
}
