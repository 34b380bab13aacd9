//! The pages of an answer hold what the command line prints, without gaps or repetitions.

use serde_json::{Map, Value, json};

use super::client::Client;
use crate::cli::support::{AMP, OVERFLOW, Sandbox, copy_tree, fixture_path, overflow_image};

/// Makes the values of both sides comparable: without nulls, empty lists, the fields that one side
/// adds or drops, and leading zeros of addresses.
fn plain(value: &Value) -> Value {
    const OTHER: [&str; 13] = [
        "position",
        "position_b",
        "function",
        "symbol",
        "provenance",
        "inferred",
        "external",
        "decoded",
        "executed",
        "thread",
        "row",
        "source",
        "query",
    ];
    match value {
        Value::Array(list) => list.iter().map(plain).collect(),
        Value::Object(fields) => {
            let mut kept: Map<String, Value> = fields
                .iter()
                .filter(|(name, value)| !OTHER.contains(&name.as_str()) && !value.is_null())
                .filter(|(_, value)| value.as_array().is_none_or(|list| !list.is_empty()))
                .map(|(name, value)| (name.clone(), plain(value)))
                .collect();
            if let Some(register) = kept.remove("reg") {
                kept.insert("cell".to_owned(), register);
            }
            if kept.contains_key("cell") {
                kept.remove("address");
                kept.remove("size");
            }
            if let Some(address) = fields.get("function").and_then(|of| of.get("address")) {
                kept.insert("address".to_owned(), plain(address));
            }
            kept.sort_keys();
            kept.into()
        }
        Value::String(text) if text.starts_with("0x") => {
            let (address, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
            format!("0x{}{rest}", address[2..].trim_start_matches('0')).into()
        }
        other => other.clone(),
    }
}

/// Compares all pages of a tool with the lines that a subcommand prints.
#[track_caller]
fn check(fixture: &str, tool: &str, arguments: Value, command: &[&str]) {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(fixture);
    let image = overflow_image();
    let options: &[&str] = match fixture == OVERFLOW {
        true => &["--image", &image],
        false => &[],
    };
    let mut client = Client::new(&sandbox, &[&[trace.as_str()], options].concat());
    let rows = client.all_rows(tool, &arguments);
    let words = [&[command[0], &trace], &command[1..], options].concat();
    let lines = sandbox.json_lines(&words);
    assert_eq!(rows.len(), lines.len(), "{tool} {arguments}");
    for (row, line) in rows.iter().zip(&lines) {
        assert_eq!(plain(row), plain(line), "{tool} {arguments}");
    }
    // A page of another size begins elsewhere.
    let mut small = arguments.clone();
    small["limit"] = json!(7);
    assert_eq!(client.all_rows(tool, &small), rows, "{tool} {arguments}");
}

#[test]
fn pages_of_steps_are_those_of_list() {
    let list = |fixture, arguments, command: &[&str]| check(fixture, "list", arguments, command);
    list(
        OVERFLOW,
        json!({"from": 1500}),
        &["list", "--from", "1500", "--lines"],
    );
    list(
        AMP,
        json!({"from": 700}),
        &["list", "--from", "700", "--lines"],
    );
    let words = ["list", "--from", "400", "--thread", "cpu1", "--lines"];
    list(AMP, json!({"from": 400, "thread": "cpu1"}), &words);
}

#[test]
fn pages_of_hits_are_those_of_find() {
    let find = |fixture, kind: &str, what: &str| {
        let arguments = json!({"kind": kind, "what": what});
        check(fixture, "find", arguments, &["find", kind, what, "--all"]);
    };
    find(OVERFLOW, "next-write", "x1");
    find(OVERFLOW, "last-write", "x1");
    find(OVERFLOW, "next-access", "0x80020000:64");
    find(OVERFLOW, "last-access", "0x80020000:64");
    find(OVERFLOW, "pc", "decode_field");
    find(OVERFLOW, "last-pc", "hexval");
    find(OVERFLOW, "text", "LDRB");
    find(OVERFLOW, "value", "0");
    find(OVERFLOW, "bytes", "00 00");
    find(AMP, "next-access", "x0");
    find(AMP, "next-read", "0x80020000:4096");
    find("rst/small.rst", "next-write", "%g1");
    find("qsort.es.tiny.tarmac", "next-access", "x1");
}

#[test]
fn a_continued_search_keeps_the_names_of_its_position() {
    // `sp` has another value at each position, and without a thread that of another core.
    let words = ["find", "next-access", "sp:64", "--at", "300", "--all"];
    let arguments = json!({"kind": "next-access", "what": "sp:64", "at": 300});
    check(AMP, "find", arguments, &words);
    let words = ["find", "last-write", "x0", "--at", "900", "--all"];
    let arguments = json!({"kind": "last-write", "what": "x0", "at": 900});
    check(AMP, "find", arguments, &words);
}

#[test]
fn pages_of_a_slice_are_those_of_why() {
    let why = |arguments, command: &[&str]| check(OVERFLOW, "why", arguments, command);
    why(json!({"cell": "x2"}), &["why", "x2"]);
    why(
        json!({"cell": "x2", "address": true, "flags": true}),
        &["why", "x2", "--address", "--flags"],
    );
    why(
        json!({"cell": "x1", "at": 200, "forward": true}),
        &["why", "x1", "--at", "200", "--forward"],
    );
}

#[test]
fn pages_of_calls_are_those_of_calltree_and_callinfo() {
    check(OVERFLOW, "calls", json!({}), &["calltree"]);
    check(
        AMP,
        "calls",
        json!({"max_depth": 2}),
        &["calltree", "--max-depth", "2"],
    );
    check(
        OVERFLOW,
        "calls",
        json!({"function": "hexval"}),
        &["callinfo", "hexval"],
    );
}

#[test]
fn values_are_the_writes_of_a_cell() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::new(&sandbox, &[&trace]);
    for (newest_first, kind) in [(false, "next-write"), (true, "last-write")] {
        let arguments = json!({"cell": "x0", "newest_first": newest_first});
        let rows = client.all_rows("values", &arguments);
        let lines = sandbox.json_lines(&["find", &trace, kind, "x0", "--all"]);
        let of_row = |row: &Value| [row["step"].clone(), row["value"].clone()];
        let of_line = |line: &Value| [line["step"].clone(), line["access"]["value"].clone()];
        let rows: Vec<_> = rows.iter().map(of_row).collect();
        assert_eq!(rows, lines.iter().map(of_line).collect::<Vec<_>>());
    }
}

#[test]
fn a_state_is_that_of_at() {
    let sandbox = Sandbox::new();
    for fixture in [OVERFLOW, AMP, "rst/small.rst"] {
        let trace = sandbox.fixture(fixture);
        let mut client = Client::new(&sandbox, &[&trace]);
        for at in ["0", "40%", "end"] {
            let cli = sandbox.json(&["at", &trace, at, "--mem", "0x80020000:200"]);
            let registers = client.all_rows("state", &json!({"at": at}));
            assert_eq!(registers.len(), cli["registers"].as_object().unwrap().len());
            for row in registers {
                let name = row["cell"].as_str().unwrap();
                assert_eq!(
                    row["value"], cli["registers"][name],
                    "{fixture} {at} {name}"
                );
                assert_eq!(row["provenance"], cli["register_sources"][name]);
                assert_eq!(row["position"], cli["position"]);
            }
            let memory = json!({"at": at, "memory": ["0x80020000:200"]});
            let rows = client.all_rows("state", &memory);
            let text = |name: &str, gap: &str| {
                let parts: Vec<_> = rows.iter().map(|row| row[name].as_str().unwrap()).collect();
                json!(parts.join(gap))
            };
            assert_eq!(text("bytes", " "), cli["memory"][0]["bytes"]);
            assert_eq!(text("sources", ""), cli["memory"][0]["sources"]);
        }
    }
}

#[test]
fn an_overview_is_that_of_info() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    let mut client = Client::new(&sandbox, &[&trace]);
    let (answer, info) = (
        client.call("overview", json!({})),
        sandbox.json(&["info", &trace]),
    );
    for name in [
        "format",
        "arch",
        "endian",
        "steps",
        "lines",
        "calls",
        "external_changes",
    ] {
        assert_eq!(answer[name], info[name], "{name}");
    }
    let threads = answer["rows"].as_array().unwrap().iter();
    let threads = threads.filter(|row| row["row"] == json!("thread"));
    let steps: Vec<_> = threads.map(|row| row["steps"].clone()).collect();
    let expected = info["threads"].as_array().unwrap().iter();
    assert_eq!(
        steps,
        expected.map(|row| row["steps"].clone()).collect::<Vec<_>>()
    );
}

#[test]
fn a_comparison_is_that_of_compare() {
    let sandbox = Sandbox::new();
    let [a, b] = ["a", "b"].map(|side| {
        let copy = sandbox.path(&format!("{side}.log.zst"));
        copy_tree(
            &fixture_path(&format!("pairs/sra-path/{side}.log.zst")),
            &copy,
        );
        copy.to_str().unwrap().to_owned()
    });
    let mut client = Client::new(&sandbox, &[&a, "--compare", &b]);
    let rows = client.all_rows("compare", &json!({}));
    let ran = sandbox.run(&["compare", &a, &b, "--json"]);
    let cli: Value = serde_json::from_str(&ran.out).unwrap();
    let pair = &cli["thread_pairs"][0];
    let of_kind = |kind: &str| -> Vec<&Value> {
        rows.iter()
            .filter(|row| row["row"] == json!(kind))
            .collect()
    };
    assert_eq!(
        of_kind("region").len(),
        pair["regions"].as_array().unwrap().len()
    );
    let chain = pair["divergence_cause"]["chain"].as_array().unwrap();
    let steps = of_kind("cause_step");
    assert_eq!(steps.len(), chain.len());
    for (row, step) in steps.iter().zip(chain) {
        assert_eq!(plain(row), plain(step));
    }
    assert_eq!(
        of_kind("first_divergence")[0]["a"],
        pair["first_divergence"]["a"]
    );
}

#[test]
fn a_cursor_of_another_answer_is_refused() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::new(&sandbox, &[&trace]);
    let cursor = client.call("list", json!({"from": 10}))["next_cursor"].clone();
    let mut check = |tool: &str, arguments: Value| {
        assert_eq!(client.error_kind(tool, arguments), "bad_cursor");
    };
    check("list", json!({"from": 11, "cursor": cursor}));
    check("calls", json!({"from": 10, "cursor": cursor}));
    let digit = if cursor.as_str().unwrap().starts_with('f') {
        "e"
    } else {
        "f"
    };
    let altered = cursor.as_str().unwrap().replacen(|_: char| true, digit, 1);
    check("list", json!({"from": 10, "cursor": altered}));
    let next = client.call("list", json!({"from": 10, "cursor": cursor}));
    assert!(next["rows"][0]["step"].as_u64() > Some(10));
}

#[test]
fn a_cursor_outlives_the_server() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let arguments = json!({"kind": "next-write", "what": "x0"});
    let mut client = Client::new(&sandbox, &[&trace]);
    let rows = client.all_rows("find", &arguments);
    let first = client.call("find", arguments.clone());
    let mut arguments = arguments;
    arguments["cursor"] = first["next_cursor"].clone();
    let count = first["rows"].as_array().unwrap().len();
    let mut other = Client::new(&sandbox, &[&trace]);
    assert_eq!(other.call("find", arguments)["rows"][0], rows[count]);
}
