//! Answers about traces of each format keep to the size; errors have stable kinds.

use serde_json::{Value, json};

use super::client::Client;
use crate::cli::support::{AMP, OVERFLOW, Sandbox, copy_tree, fixture_path, overflow_image};

/// A trace of each format, and further options.
const TRACES: [(&str, &[&str]); 14] = [
    (OVERFLOW, &[]),
    (AMP, &[]),
    ("cm3.tiny.tarmac", &[]),
    ("fp32.tiny.tarmac", &[]),
    ("qsort.es.tiny.tarmac", &[]),
    ("small/tasks.tarmac", &[]),
    ("logs/rvtrap.spike.log.zst", &[]),
    ("logs/qmix.x86_64.execlog.log.zst", &[]),
    ("logs/qmix.x86_64.tenet.log.zst", &[]),
    ("rst/small.rst", &[]),
    ("btrace/hello.btf", &["--image", "btrace/hello.elf"]),
    ("btrace/hello_mt.btf.zst", &[]),
    ("stf/rvtrap.zstf", &[]),
    ("drmemtrace/threads", &[]),
];

/// Calls of each tool. Many are errors in some formats.
fn calls() -> Vec<(&'static str, Value)> {
    let cells = ["x0", "sp", "rax", "0x80020010:8", "sp:4096"];
    let mut calls = vec![
        ("overview", json!({})),
        ("list", json!({})),
        ("list", json!({"from": "end"})),
        ("list", json!({"from": "50%", "limit": 1})),
        ("list", json!({"thread": "cpu1"})),
        ("state", json!({})),
        ("state", json!({"at": 0, "stack": true})),
        (
            "state",
            json!({"at": "50%", "memory": ["sp:300", "0:4096", "nosuch"]}),
        ),
        ("calls", json!({})),
        ("calls", json!({"at": "50%"})),
        ("calls", json!({"function": "main"})),
        ("calls", json!({"max_depth": 2, "from": 10, "to": 1000})),
        ("compare", json!({})),
        ("find", json!({"kind": "text", "what": "."})),
        ("find", json!({"kind": "text", "what": "(?i)b"})),
        ("find", json!({"kind": "value", "what": "1"})),
        ("find", json!({"kind": "bytes", "what": "00 00"})),
        ("find", json!({"kind": "next-external"})),
        ("find", json!({"kind": "marker", "what": "time"})),
        ("find", json!({"kind": "pc", "what": "pc"})),
    ];
    for cell in cells {
        calls.push((
            "why",
            json!({"cell": cell, "address": true, "flags": true, "control": true}),
        ));
        calls.push(("why", json!({"cell": cell, "forward": true})));
        calls.push(("values", json!({"cell": cell})));
        calls.push(("find", json!({"kind": "last-access", "what": cell})));
    }
    calls
}

#[test]
fn answers_about_each_format_keep_to_the_size() {
    for (fixture, options) in TRACES {
        let sandbox = Sandbox::new();
        let name = sandbox.path(fixture.rsplit('/').next().unwrap());
        copy_tree(&fixture_path(fixture), &name);
        let options: Vec<String> = options
            .iter()
            .map(|option| match option.contains('/') {
                true => fixture_path(option).to_str().unwrap().to_owned(),
                false => (*option).to_owned(),
            })
            .collect();
        let mut arguments = vec![name.to_str().unwrap()];
        arguments.extend(options.iter().map(String::as_str));
        let mut client = Client::new(&sandbox, &arguments);
        let mut answered = 0;
        for (tool, arguments) in calls() {
            let mut arguments = arguments;
            for _ in 0..2 {
                // The client checks the size and the form.
                let answer = client.call(tool, arguments.clone());
                let kind = answer["error"]["kind"].as_str();
                assert!(
                    kind != Some("internal"),
                    "{fixture}: {tool} {arguments}: {answer}"
                );
                answered += u64::from(kind.is_none());
                let Some(cursor) = answer.get("next_cursor") else {
                    break;
                };
                arguments["cursor"] = cursor.clone();
            }
        }
        assert!(answered >= 12, "{fixture}: {answered}");
    }
}

#[test]
fn errors_have_stable_kinds() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::new(&sandbox, &[&trace, "--image", &overflow_image()]);
    let mut check = |tool: &str, arguments: Value, expected: &str| {
        let shown = arguments.to_string();
        assert_eq!(
            client.error_kind(tool, arguments),
            expected,
            "{tool} {shown}"
        );
    };
    check("why", json!({}), "bad_argument");
    check("why", json!({"cell": 7}), "bad_argument");
    check("why", json!({"cell": "x0", "flags": "yes"}), "bad_argument");
    check("why", json!({"cell": "x0 +"}), "bad_argument");
    check("overview", json!({"file": "/etc/passwd"}), "bad_argument");
    check("list", json!({"limit": 0}), "bad_argument");
    check("list", json!({"limit": -3}), "bad_argument");
    check("find", json!({"kind": "text", "what": "("}), "bad_argument");
    check(
        "find",
        json!({"kind": "hopes", "what": "x0"}),
        "bad_argument",
    );
    check(
        "calls",
        json!({"function": "main", "at": 0}),
        "bad_argument",
    );
    check("state", json!({"memory": ["0:65537"]}), "bad_argument");
    check("state", json!({"at": 5000}), "bad_position");
    check("state", json!({"at": -1}), "bad_position");
    check("state", json!({"at": "nowhere"}), "bad_position");
    check("list", json!({"from": "line:999999"}), "bad_position");
    check("why", json!({"cell": "nosuch"}), "unknown_name");
    check("state", json!({"registers": ["x99"]}), "unknown_name");
    check("list", json!({"thread": "cpu9"}), "unknown_name");
    check("calls", json!({"function": "nosuch"}), "unknown_name");
    check("calls", json!({"function": "(("}), "bad_argument");
    check(
        "find",
        json!({"kind": "pc", "what": "u64[0x1234]"}),
        "unknown_value",
    );
    check("list", json!({"cursor": "0.0"}), "bad_cursor");
    check("compare", json!({}), "no_other_trace");
    for limit in [json!(0), json!(-3), json!(51), json!("5")] {
        let answer = client.call("list", json!({"limit": limit}));
        let message = &answer["error"]["message"];
        assert_eq!(message, "\"limit\" must be an integer from 1 to 50");
    }
}

#[test]
fn a_format_without_lines_has_no_such_positions() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("stf/rvtrap.zstf");
    let mut client = Client::new(&sandbox, &[&trace]);
    let kind = client.error_kind("state", json!({"at": "line:5"}));
    assert_eq!(kind, "bad_position");
}

#[test]
fn a_cell_that_the_trace_states_before_its_first_step_has_an_initial_place() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::new(&sandbox, &[&trace]);
    let cli = sandbox.json(&["find", &trace, "last-write", "x19", "--at", "start"]);
    let answer = client.call(
        "find",
        json!({"kind": "last-write", "what": "x19", "at": "start"}),
    );
    assert_eq!(answer.get("initial"), cli.get("initial"));
    assert_eq!(answer["rows"], json!([]));
}
