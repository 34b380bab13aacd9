//! Handshake, list of tools, refusals, cancellation and the end.

use serde_json::{Value, json};

use super::client::{Client, content_of};
use crate::cli::support::{OVERFLOW, Sandbox};

#[track_caller]
fn check_version(asked: Value, expected: &str) {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::start(&sandbox, &[&trace]);
    let params = json!({"protocolVersion": asked, "capabilities": {}});
    let reply = client.request("initialize", params);
    assert_eq!(reply["result"]["protocolVersion"], json!(expected));
    // Clients of all versions read the text.
    let call = client.request("tools/call", json!({"name": "overview"}));
    assert_eq!(content_of(&call)["steps"], json!(1763));
    // Structured content would have to fit a schema, also that of an error (MCP, "Output Schema").
    let list = client.request("tools/list", json!({}));
    assert!(list["result"]["tools"][0].get("outputSchema").is_none());
}

#[test]
fn the_newest_common_version_is_spoken() {
    check_version(json!("2025-11-25"), "2025-11-25");
    check_version(json!("2025-06-18"), "2025-06-18");
    check_version(json!("2025-03-26"), "2024-11-05");
    check_version(json!("2024-11-05"), "2024-11-05");
    check_version(json!("1999-01-01"), "2024-11-05");
    check_version(json!("2099-01-01"), "2025-11-25");
    check_version(json!("latest"), "2025-11-25");
    check_version(json!(7), "2025-11-25");
}

#[test]
fn the_server_introduces_itself() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::start(&sandbox, &[&trace]);
    let result = client.initialize("2025-06-18");
    assert_eq!(result["serverInfo"]["name"], "stepback");
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    assert!(result["instructions"].as_str().unwrap().len() < 1000);
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn the_tools_fit_into_six_kilobytes() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::new(&sandbox, &[&trace]);
    let line = client.request_line("tools/list", json!({}));
    assert!(line.len() <= 6000, "{}", line.len());
    let reply: Value = serde_json::from_str(&line).unwrap();
    let result = &reply["result"];
    let tools = result["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(
        names,
        [
            "overview", "why", "find", "values", "state", "list", "calls", "compare"
        ]
    );
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], json!(true));
        assert!(jsonschema::validator_for(&tool["inputSchema"]).is_ok());
        let name = tool["name"].as_str().unwrap();
        let arguments = match name {
            "why" | "values" => json!({"cell": "x0"}),
            "find" => json!({"kind": "last-write", "what": "x0"}),
            _ => json!({}),
        };
        client.text(name, &arguments);
    }
}

#[test]
fn other_messages_are_refused() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::new(&sandbox, &[&trace]);
    let mut check = |line: &str, id: Value, code: i64| {
        client.send_line(line.as_bytes());
        let reply = client.receive();
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&id, &json!(code)),
            "{line}"
        );
    };
    check("nonsense", Value::Null, -32700);
    check(
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        Value::Null,
        -32600,
    );
    check(r#"{"id":1,"method":"ping"}"#, json!(1), -32600);
    check(
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        Value::Null,
        -32600,
    );
    check(
        r#"{"jsonrpc":"2.0","id":"a","method":"resources/list"}"#,
        json!("a"),
        -32601,
    );
    check(
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"erase"}}"#,
        json!(2),
        -32602,
    );
    check(
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list","arguments":[]}}"#,
        json!(2),
        -32602,
    );
    check(&"x".repeat(300 << 10), Value::Null, -32600);
    // Notifications are not answered, whatever they are.
    client.send_line(br#"{"jsonrpc":"2.0","method":"notifications/unheard"}"#);
    client.send_line(b"");
    assert!(client.call("overview", json!({}))["rows"].is_array());
}

#[test]
fn a_cancelled_call_is_not_answered_twice_and_the_next_is_answered() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::new(&sandbox, &[&trace]);
    for id in 100..140 {
        let params = json!({"name": "find", "arguments": {"kind": "text", "what": "never.*here"}});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }
    for id in 110..140 {
        let params = json!({"requestId": id, "reason": "changed my mind"});
        client.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
        );
    }
    client.send(&json!({"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": {"name": "overview"}}));
    let mut answered = Vec::new();
    loop {
        let reply = client.receive();
        if reply["id"] == json!("last") {
            break;
        }
        assert!(reply["result"].is_object(), "{reply}");
        answered.push(reply["id"].as_u64().unwrap());
    }
    assert!(
        answered.windows(2).all(|pair| pair[0] < pair[1]),
        "{answered:?}"
    );
    assert!((100..110).all(|id| answered.contains(&id)), "{answered:?}");
}

#[test]
fn calls_before_the_end_of_the_input_are_answered() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"overview"}}"#;
    let mut command = sandbox.command(&["mcp", &trace]);
    // The last line needs no line break.
    let output = command.write_stdin(line).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(content_of(&reply)["steps"], json!(1763));
}

#[test]
fn a_missing_trace_is_an_error_of_the_command() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["mcp", "nosuch.tarmac"])
        .fails_with(&["nosuch.tarmac"]);
}

#[test]
fn nothing_is_written() {
    let sandbox = Sandbox::new();
    for name in [
        OVERFLOW,
        "rst/small.rz3.gz",
        "logs/rvtiny.spike.log.zst",
        "stf/rvtiny.zstf",
    ] {
        let trace = sandbox.fixture(name);
        let mut client = Client::new(&sandbox, &[&trace]);
        assert!(client.call("overview", json!({}))["steps"].as_u64() > Some(0));
        client.call("list", json!({"from": "50%"}));
        assert_eq!(client.end(), Some(0));
    }
    let folder = sandbox.path("");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            OVERFLOW,
            "rvtiny.spike.log.zst",
            "rvtiny.zstf",
            "small.rz3.gz"
        ]
    );
}

#[test]
fn no_other_file_is_served() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let secret = sandbox.file("secret.txt", "the password is swordfish");
    let mut client = Client::new(&sandbox, &[&trace]);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    for tool in tools.as_array().unwrap() {
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        for name in properties.keys() {
            for path in [&secret, "secret.txt", "../secret.txt"] {
                let mut arguments = json!({"cell": "x0", "kind": "text", "what": "x0"});
                let others = arguments.as_object_mut().unwrap();
                others.retain(|other, _| properties.contains_key(other));
                arguments[name] = match name.as_str() {
                    "memory" | "registers" => json!([path]),
                    _ => json!(path),
                };
                let answer = client.text(tool["name"].as_str().unwrap(), &arguments);
                assert!(!answer.contains("swordfish"), "{answer}");
            }
        }
    }
    assert_eq!(
        client.error_kind("compare", json!({})),
        "no_other_trace",
        "a second trace is one of the command line"
    );
}

#[test]
fn an_index_is_written_on_request() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let place = sandbox.path("kept.sbi");
    let mut client = Client::new(&sandbox, &[&trace, "--index", place.to_str().unwrap()]);
    client.call("overview", json!({}));
    assert_eq!(client.end(), Some(0));
    assert!(place.is_file());
}
