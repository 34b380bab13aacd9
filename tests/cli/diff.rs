//! `stepback diff`.

use serde_json::{Value, json};

use crate::cli::support::{OVERFLOW, Sandbox};

#[test]
fn one_store_differs_in_one_byte() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let diff = sandbox.json(&["diff", &trace, "1249", "1250"]);
    let keys: Vec<&String> = diff.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["from", "to", "registers", "memory"]);
    assert_eq!((&diff["from"], &diff["to"]), (&json!(1249), &json!(1250)));
    let memory = &diff["memory"][0];
    assert_eq!(diff["memory"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&memory["address"], &memory["from"], &memory["to"]),
        (&json!("0x80020010"), &json!("a0"), &json!("a9"))
    );
    assert_eq!(
        (&memory["last_write"]["step"], &memory["last_write"]["line"]),
        (&json!(1249), &json!(2582))
    );
}

#[test]
fn a_register_shows_both_values_and_its_writer() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let diff = sandbox.json(&["diff", &trace, "1761", "1762"]);
    let x2 = diff["registers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|register| register["reg"] == "x2")
        .unwrap();
    assert_eq!(x2["to"], "0xbfb1e598a4e5bda9");
    assert_eq!(x2["last_write"]["text"], "LDR      x2,[x0]");
    assert_ne!(x2["from"], x2["to"]);
    assert_eq!(diff["memory"], json!([]));
}

#[test]
fn either_order_of_positions_is_answered() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let back = sandbox.json(&["diff", &trace, "1250", "1249"]);
    assert_eq!(
        (&back["memory"][0]["from"], &back["memory"][0]["to"]),
        (&json!("a9"), &json!("a0"))
    );
}

#[test]
fn nothing_differs_from_itself() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let diff = sandbox.json(&["diff", &trace, "50%", "50%"]);
    assert_eq!(
        (&diff["registers"], &diff["memory"]),
        (&Value::Array(vec![]), &Value::Array(vec![]))
    );
    sandbox
        .run(&["diff", &trace, "50%", "50%"])
        .succeeds()
        .prints("0 registers, 0 runs of memory");
}

#[test]
fn the_text_has_a_line_for_each_difference() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox.run(&["diff", &trace, "1249", "1250"]).succeeds();
    ran.prints("0x80020010").prints("STRB     w0,[x19,#1]");
}
