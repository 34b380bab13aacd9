//! Breakpoints and steps of a debug adapter at the openings of functions, variables in registers, and
//! requests in their rarer forms.

use serde_json::{Value, json};

use crate::cli::dap_client::DapClient;
use crate::cli::gdbserver::two_processes;
use crate::cli::support::{Sandbox, fixture_path};

/// Launches a program of `fixtures/locals`.
pub fn launched(sandbox: &Sandbox, name: &str, position: Value) -> DapClient {
    let trace = sandbox.fixture(&format!("locals/{name}.tenet.zst"));
    let image = fixture_path(&format!("locals/{name}.elf"));
    DapClient::launched(
        sandbox,
        json!({"trace": trace, "images": [image], "position": position}),
    )
}

/// Runs forwards to the end, and compares the positions of the stops.
#[track_caller]
fn check_stops(client: &mut DapClient, expected: &[u64]) {
    let mut stops = Vec::new();
    while client.run("continue") != "pause" {
        stops.push(client.position());
    }
    assert_eq!(stops, expected);
    client.ask("stepback/goTo", json!({"position": 0}));
    client.stop();
}

#[track_caller]
fn check_function(client: &mut DapClient, breakpoint: Value, expected: &[u64]) {
    let breakpoints = json!({"breakpoints": [breakpoint]});
    let set = client.ask("setFunctionBreakpoints", breakpoints);
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    check_stops(client, expected);
}

// gdb 13 stops at 0x4000f7 and shows the depths 3, 2 and 1.
#[test]
fn a_breakpoint_of_a_function_stops_after_its_prologue() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "prologue", json!(0));
    check_function(&mut client, json!({"name": "count"}), &[13, 47, 81]);
    let condition = json!({"name": "count", "condition": "depth == 1"});
    check_function(&mut client, condition, &[81]);
    let hit = json!({"name": "count", "hitCondition": "2"});
    check_function(&mut client, hit, &[47]);
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
    let lines = json!({"source": {"path": "prologue.c"}, "breakpoints": [{"line": 10}]});
    let set = client.ask("setBreakpoints", lines);
    assert_eq!(set["breakpoints"][0]["instructionReference"], "0x4000f7");
    check_stops(&mut client, &[13, 47, 81]);
    let none = json!({"source": {"path": "prologue.c"}, "breakpoints": []});
    client.ask("setBreakpoints", none);
    // A breakpoint of an instruction is exact, and one without an address does not concern it.
    let set = client.ask(
        "setInstructionBreakpoints",
        json!({"breakpoints": [
            {"instructionReference": "nowhere"},
            {"instructionReference": "0x4000e8"},
        ]}),
    );
    assert_eq!(set["breakpoints"][0]["verified"], false, "{set}");
    check_stops(&mut client, &[8, 42, 76]);
}

#[test]
fn a_step_into_a_function_ends_after_its_prologue() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "prologue", json!(0));
    for expected in [
        "_start prologue.c:21",
        "_start prologue.c:22",
        "count prologue.c:11",
    ] {
        client.run("stepIn");
        assert_eq!(client.place(), expected);
    }
    assert_eq!(client.position(), 13);
    assert_eq!(client.evaluate("depth", "watch"), "3");
}

// The locations of gcc's optimised code are exact at every instruction, so that gdb stops at the entry.
#[test]
fn functions_that_are_only_inlined_have_breakpoints() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "arrays", json!(0));
    let breakpoint = json!({"breakpoints": [{"name": "inner"}]});
    client.ask("setFunctionBreakpoints", breakpoint);
    assert_eq!(client.run("continue"), "function breakpoint");
    assert_eq!(client.place(), "inner arrays.c:53");
    assert_eq!(client.evaluate("value", "watch"), "2");
    let breakpoint = json!({"breakpoints": [{"name": "leaf"}]});
    client.ask("setFunctionBreakpoints", breakpoint);
    assert_eq!(client.run("continue"), "function breakpoint");
    assert_eq!(client.frame()["instructionPointerReference"], "0x4001ed");
}

#[test]
fn a_variable_in_a_register_has_a_last_write() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "arrays", json!(0));
    let breakpoint = json!({"breakpoints": [{"name": "leaf"}]});
    client.ask("setFunctionBreakpoints", breakpoint);
    client.run("continue");
    // By DWARF, `n` is in DW_OP_reg4, which is rsi.
    let answer = client.evaluate("last-write n", "repl");
    assert_eq!(answer, client.evaluate("last-write rsi", "repl"));
    assert!(answer.contains("rsi=0x0000000000000004"), "{answer}");
    let why = client.evaluate("why n", "repl");
    assert_eq!(why, client.evaluate("why rsi", "repl"));
    let info = client.ask("dataBreakpointInfo", json!({"name": "n"}));
    assert_eq!(info["dataId"], Value::Null);
    let refused = info["description"].as_str().unwrap();
    assert!(refused.starts_with("n is in a register here"), "{info}");
}

#[test]
fn a_bit_field_is_in_the_bytes_that_contain_it() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "arrays", json!("end"));
    let breakpoint = json!({"breakpoints": [{"name": "leaf"}]});
    client.ask("setFunctionBreakpoints", breakpoint);
    client.run("reverseContinue");
    // `low` has bits 48 to 50 of the structure, `high` bits 51 to 57.
    let pair = client.evaluate("p", "watch");
    let address = u64::from_str_radix(pair.trim_start_matches("0x"), 16).unwrap();
    for (name, offset, len_bytes) in [("low", 6, 1), ("high", 6, 2)] {
        let info = client.ask("dataBreakpointInfo", json!({"name": format!("p->{name}")}));
        let expected = format!("{:#x}:{len_bytes}", address + offset);
        assert_eq!(info["dataId"], expected, "{info}");
    }
}

/// Compares the instructions before an address: `ADDRESS TEXT`.
#[track_caller]
fn check_before(client: &mut DapClient, address: &str, expected: &[&str]) {
    let count = expected.len() as i64;
    let arguments = json!({
        "memoryReference": address,
        "instructionOffset": -count,
        "instructionCount": count,
    });
    let answer = client.ask("disassemble", arguments);
    let rows = answer["instructions"].as_array().unwrap();
    let text = |row: &Value| {
        let part = |name: &str| row[name].as_str().unwrap().to_owned();
        part("address") + " " + &part("instruction")
    };
    assert_eq!(rows.iter().map(text).collect::<Vec<_>>(), expected);
}

// Addresses as objdump lists them. The functions before the start of the trace were never executed.
#[test]
fn instructions_of_the_image_are_disassembled_backwards() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "prologue", json!(0));
    let before = [
        "0x40015a mov eax, dword ptr [rbp - 4]",
        "0x40015d leave",
        "0x40015e ret",
    ];
    check_before(&mut client, "0x40015f", &before);
    let many = json!({
        "memoryReference": "0x40015f",
        "instructionOffset": -300,
        "instructionCount": 300,
    });
    let answer = client.ask("disassemble", many);
    let rows = answer["instructions"].as_array().unwrap();
    let first = rows.iter().position(|row| row["address"] == "0x4000e8");
    let code = &rows[first.unwrap()..];
    assert!(
        code.iter().all(|row| row["instruction"] != "??"),
        "{answer}"
    );
}

#[test]
fn a_client_may_request_members_of_one_kind() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "prologue", json!(81));
    let frame = client.frame()["id"].clone();
    let scopes = client.ask("scopes", json!({"frameId": frame}));
    let reference = scopes["scopes"][1]["variablesReference"].clone();
    let mut count = |filter: &str| {
        let arguments = json!({"variablesReference": reference, "filter": filter});
        let answer = client.ask("variables", arguments);
        answer["variables"].as_array().unwrap().len()
    };
    assert_eq!(count("named"), 2);
    assert_eq!(count("indexed"), 0);
}

/// `fa` of `two_helpers.elf`, which ends with a jump to the function that follows.
const TAIL_CALL: &str = "\
1 clk IT (1) 00400058 97ffffed O EL1h_n : BL 0x40000c
1 clk R X30 00000000_0040005c
2 clk IT (2) 0040000c d503201f O EL1h_n : NOP
3 clk IT (3) 00400010 d503201f O EL1h_n : NOP
4 clk IT (4) 00400014 d503201f O EL1h_n : NOP
5 clk IT (5) 00400018 d503201f O EL1h_n : NOP
6 clk IT (6) 0040001c d503201f O EL1h_n : NOP
7 clk IT (7) 00400020 14000001 O EL1h_n : B 0x400024
8 clk IT (8) 00400024 d503201f O EL1h_n : NOP
9 clk IT (9) 00400028 d503201f O EL1h_n : NOP
";

// The jump to the next instruction is no transfer of control, so the call table has no call there.
#[test]
fn a_frame_has_the_name_of_the_function_at_its_instruction() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("t.tarmac", TAIL_CALL);
    let image = fixture_path("small/two_helpers.elf");
    for (position, name) in [(5, "fa"), (6, "fa"), (7, "helper"), (8, "helper")] {
        let launch = json!({"trace": trace, "images": [image], "position": position});
        let frame = DapClient::launched(&sandbox, launch).frame();
        assert_eq!(frame["name"], name, "{position}");
    }
}

#[test]
fn what_a_list_lacks_is_said_to_be_missing() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "arrays", json!("pc:0x40024f"));
    for reference in [424_242, 424_240] {
        let refused = client.refused("variables", json!({"variablesReference": reference}));
        assert_eq!(refused, format!("there are no variables {reference}"));
    }
    let frame = client.frame()["id"].clone();
    let scopes = client.ask("scopes", json!({"frameId": frame}));
    let locals = scopes["scopes"][0]["variablesReference"].clone();
    let missing = json!({"name": "missing", "variablesReference": locals});
    let info = client.ask("dataBreakpointInfo", missing);
    assert_eq!(info["description"], "there is no variable missing here");
}

#[test]
fn a_launch_names_the_description_of_a_log() {
    let sandbox = Sandbox::new();
    let (log, layout) = (
        sandbox.fixture("described/hook.log.zst"),
        sandbox.fixture("described/hook.toml"),
    );
    let mut client = DapClient::start(&sandbox, &[]);
    client.ask("initialize", json!({}));
    let refused = client.refused("launch", json!({"trace": log}));
    assert!(refused.contains("\"recordLayout\""), "{refused}");
    client.ask("launch", json!({"trace": log, "recordLayout": layout}));
    client.event("initialized");
}

#[test]
fn a_pause_stops_a_run_that_was_requested_before_it() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::start(&sandbox, &[]);
    client.ask("initialize", json!({}));
    // All of these arrive while the trace is opened.
    let requests = [
        ("launch", json!({"demo": true})),
        ("configurationDone", json!({})),
        ("continue", json!({"threadId": 1})),
        ("pause", json!({"threadId": 1})),
    ];
    let messages = (101..).zip(&requests).map(|(seq, (command, arguments))| {
        let message = json!({
            "seq": seq, "type": "request", "command": command, "arguments": arguments,
        });
        let body = message.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    });
    client.write(messages.collect::<String>().as_bytes());
    for (seq, _) in (101..).zip(&requests) {
        assert_eq!(client.answer(seq)["success"], true);
    }
    assert_eq!(client.stop()["reason"], "entry");
    assert_eq!(client.stop()["description"], "Interrupted");
    assert_eq!(client.position(), 0);
    // A pause without a run does not stop the next one.
    client.ask("pause", json!({"threadId": 1}));
    client.ask("continue", json!({"threadId": 1}));
    assert_eq!(client.stop()["description"], "The trace ends here");
}

#[test]
fn messages_of_log_points_are_sent_during_the_run() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, json!({"demo": true}));
    let log = json!({"name": "main", "logMessage": "main begins"});
    client.ask("setFunctionBreakpoints", json!({"breakpoints": [log]}));
    // The loop of `decode_field`, which the rest of the run meets tens of thousands of times.
    let breakpoints: Vec<Value> = (0x8000_0480_u64..0x8000_0580)
        .step_by(4)
        .map(|pc| json!({"instructionReference": format!("{pc:#x}"), "condition": "x0 == 0x123456789abcdef"}))
        .collect();
    client.ask(
        "setInstructionBreakpoints",
        json!({"breakpoints": breakpoints}),
    );
    client.ask("continue", json!({"threadId": 1}));
    client.note("main begins");
    client.ask("pause", json!({"threadId": 1}));
    assert_eq!(client.stop()["description"], "Interrupted");
    assert_eq!(client.position(), 0);
    // Requests that wait for the end of the run do not keep the next ones from being read.
    client.ask("continue", json!({"threadId": 1}));
    client.note("main begins");
    for _ in 0..1000 {
        client.request("threads", json!({}));
    }
    client.request("pause", json!({"threadId": 1}));
    let stopped = loop {
        let message = client.message().unwrap();
        if message["event"] == "stopped" {
            break message;
        }
    };
    assert_eq!(stopped["body"]["description"], "Interrupted");
}

/// Returns the messages of a list of breakpoints; those of verified ones are empty.
fn messages(set: &Value) -> Vec<&str> {
    let breakpoints = set["breakpoints"].as_array().unwrap().iter();
    breakpoints
        .map(|one| match one["verified"] == true {
            true => "",
            false => one["message"].as_str().unwrap(),
        })
        .collect()
}

#[test]
fn a_breakpoint_that_cannot_be_set_leaves_the_others() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "prologue", json!(0));
    let source = json!({"path": "prologue.c"});
    let lines = [
        json!({"line": 10}),
        json!({"line": null}),
        json!({"line": "10"}),
        json!({"line": 0}),
        json!({"line": -3}),
        json!({"line": 4_294_967_296_u64}),
        json!({"line": 1e30}),
    ];
    let set = client.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": lines}),
    );
    assert_eq!(
        messages(&set),
        [
            "",
            "the argument \"line\" is missing",
            "the argument \"line\" must be an integer",
            "no file has a line 0: lines are numbered from 1",
            "no file has a line -3: lines are numbered from 1",
            "no file has a line 4294967296: lines are numbered from 1",
            "the argument \"line\" is out of range",
        ]
    );
    check_stops(&mut client, &[13, 47, 81]);
    let none = json!({"source": source, "breakpoints": []});
    client.ask("setBreakpoints", none);

    let functions = json!({"breakpoints": [{"name": 7}, {"name": "count"}, {}]});
    let set = client.ask("setFunctionBreakpoints", functions);
    let [wrong, "", missing] = messages(&set)[..] else {
        panic!("{set}");
    };
    assert_eq!(wrong, "the argument \"name\" must be a string");
    assert_eq!(missing, "the argument \"name\" is missing");
    check_stops(&mut client, &[13, 47, 81]);
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));

    let instructions = json!({"breakpoints": [{}, {"instructionReference": "0x4000e8"}]});
    let set = client.ask("setInstructionBreakpoints", instructions);
    let missing = "the argument \"instructionReference\" is missing";
    assert_eq!(messages(&set), [missing, ""]);
    check_stops(&mut client, &[8, 42, 76]);

    let set = client.ask("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
    assert_eq!(messages(&set), ["a trace has no exception filters"]);
}

#[test]
fn memory_beyond_the_address_space_is_not_watched() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "prologue", json!(0));
    let last = "0xfffffffffffffff8";
    let beyond = "9 bytes from 0xfffffffffffffff8 on reach beyond the end of memory";
    let whole = json!({"dataId": format!("{last}:8"), "accessType": "write"});
    let long = json!({"dataId": format!("{last}:9"), "accessType": "write"});
    let set = client.ask("setDataBreakpoints", json!({"breakpoints": [long, whole]}));
    assert_eq!(messages(&set), [beyond, ""]);
    let info = |bytes: u64| json!({"name": last, "asAddress": true, "bytes": bytes});
    let refused = client.ask("dataBreakpointInfo", info(9));
    assert_eq!(refused["dataId"], Value::Null);
    assert_eq!(refused["description"], beyond);
    let accepted = client.ask("dataBreakpointInfo", info(8));
    assert_eq!(accepted["dataId"], format!("{last}:8"));
}

#[test]
fn a_refusal_names_the_reason() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "prologue", json!(0));
    let info = client.ask("dataBreakpointInfo", json!({"name": ""}));
    assert_eq!(info["description"], "the argument \"name\" is empty");
    let code = json!({"memoryReference": "0x4000e8", "instructionCount": -1});
    assert_eq!(
        client.refused("disassemble", code),
        "the argument \"instructionCount\" must not be negative"
    );
}

/// A store to the lower half of `heap` of `lists.elf`, and a later load of the other half.
const HALVES: &str = "\
rax=0x1,rbx=0x0,rip=0x1000
rip=0x1004,mw=0x3000:01020304
rip=0x1008,mr=0x3004:05060708
rip=0x100c,rax=0x2
";

#[test]
fn a_symbol_is_as_certain_as_its_least_certain_byte() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("halves.log", HALVES);
    let image = format!("{}@0", fixture_path("moved/lists.elf").display());
    let launch = json!({"trace": trace, "images": [image], "position": 1});
    let mut client = DapClient::launched(&sandbox, launch);
    let value = client.evaluate("heap", "hover");
    assert_eq!(value, "0x0807060504030201 (inferred)");
}

#[test]
fn a_data_breakpoint_stays_in_its_process() {
    let sandbox = Sandbox::new();
    let trace = two_processes(&sandbox);
    let mut client = DapClient::launched(&sandbox, json!({"trace": trace}));
    let info = client.ask(
        "dataBreakpointInfo",
        json!({"name": "0x6090a0", "asAddress": true, "bytes": 8}),
    );
    assert_eq!(info["dataId"], "0x6090a0:8:1");
    let data = json!({"dataId": info["dataId"], "accessType": "readWrite"});
    client.ask("setDataBreakpoints", json!({"breakpoints": [data]}));
    let store = json!({"instructionReference": "0x401005"});
    let list = json!({"breakpoints": [store]});
    client.ask("setInstructionBreakpoints", list);
    // The other process stores to the same address in step 3.
    let expected = [
        ("instruction breakpoint", 1),
        ("data breakpoint", 2),
        ("instruction breakpoint", 3),
        ("data breakpoint", 5),
        ("pause", 6),
    ];
    for (reason, position) in expected {
        assert_eq!(client.run("continue"), reason, "{position}");
        assert_eq!(client.position(), position);
    }
    let unknown = json!({"dataId": "0x6090a0:8:3", "accessType": "readWrite"});
    let set = client.ask("setDataBreakpoints", json!({"breakpoints": [unknown]}));
    assert_eq!(messages(&set), ["there is no thread 3"]);
}
