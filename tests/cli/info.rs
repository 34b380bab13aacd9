//! `stepback info`.

use serde_json::json;

use crate::support::{AMP, OVERFLOW, OVERFLOW_STEPS, Sandbox};

#[test]
fn the_json_has_every_promised_field_in_order() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let info = sandbox.json(&["info", &trace]);
    let keys: Vec<&String> = info.as_object().unwrap().keys().collect();
    let promised = [
        "format",
        "steps",
        "lines",
        "threads",
        "time",
        "arch",
        "endian",
        "warnings",
        "external_changes",
        "trace_bytes",
        "index",
    ];
    assert_eq!(keys, promised);
    assert_eq!(info["format"], "tarmac");
    assert_eq!(info["steps"], OVERFLOW_STEPS);
    assert_eq!(info["lines"], 3660);
    assert_eq!(info["threads"], json!([{"id": "cpu0", "steps": OVERFLOW_STEPS}]));
    assert_eq!(info["time"], json!({"unit": "clk", "first": 1, "last": OVERFLOW_STEPS}));
    assert_eq!((&info["arch"], &info["endian"]), (&json!("aarch64"), &json!("little")));
    assert_eq!(info["warnings"], json!({"count": 0, "first": []}));
    assert_eq!(info["external_changes"], 0);
    assert_eq!(info["trace_bytes"], 183_078);
    assert_eq!(info["index"]["path"], format!("{trace}.sbi"));
    assert_eq!(info["index"]["bytes"], std::fs::metadata(format!("{trace}.sbi")).unwrap().len());
    assert_eq!(info["index"]["complete"], true);
}

#[test]
fn a_line_that_cannot_be_read_is_a_warning_with_its_place() {
    let sandbox = Sandbox::new();
    let trace = "1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 nonsense\n\
                 2 clk IT (2) 00008004 e3a01002 A svc : MOV r1,#2\n2 clk R r1 00000002\n";
    let trace = sandbox.file("a.tarmac", trace);
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(info["steps"], 2);
    assert_eq!(info["warnings"]["count"], 1);
    assert_eq!(info["warnings"]["first"][0]["line"], 2);
    assert!(info["warnings"]["first"][0]["offset"].is_u64());
    let ran = sandbox.run(&["info", &trace]).succeeds().prints("line 2, byte");
    ran.says("1 problem in the trace, the first in line 2");
}

#[test]
fn the_text_names_both_cores() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    sandbox.run(&["info", &trace]).succeeds().prints("cpu0 (").prints("cpu1 (");
}
