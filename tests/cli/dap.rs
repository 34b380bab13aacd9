//! `stepback dap`, driven by a client.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::cli::dap_client::DapClient;
use crate::cli::support::{AMP, OVERFLOW, Sandbox};

/// Position before the first step of `open_session`, as the emulator counts its calls.
const FIRST_SESSION: u64 = 115;
/// Step of the demo that overwrites the last byte of the function pointer at 0x80020340.
const OVERWRITE: u64 = 20_344;

fn demo() -> Value {
    json!({"demo": true})
}

#[test]
fn a_breakpoint_of_a_function_stops_at_its_first_step_in_both_directions() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    let set = client.ask(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "open_session"}, {"name": "no_such_function"}]}),
    );
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    assert_eq!(set["breakpoints"][1]["verified"], false, "{set}");
    assert_eq!(client.run("continue"), "function breakpoint");
    assert_eq!(client.position(), FIRST_SESSION);
    assert_eq!(client.frame()["name"], "open_session");
    assert_eq!(client.run("continue"), "function breakpoint");
    let second = client.position();
    assert!(second > FIRST_SESSION);
    assert_eq!(client.run("reverseContinue"), "function breakpoint");
    assert_eq!(client.position(), FIRST_SESSION);
    // There is none before it.
    assert_eq!(client.run("reverseContinue"), "pause");
    assert_eq!(client.position(), 0);
    client.note("the trace begins here");
}

#[test]
fn lines_are_stepped_over_in_both_directions() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    client.ask(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "open_session"}]}),
    );
    client.run("continue");
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
    let mut places = vec![(client.position(), client.place())];
    while places.len() < 7 {
        assert_eq!(client.run("next"), "step");
        places.push((client.position(), client.place()));
    }
    // The source lines of a session that is not poisoned. Line 75 has no code in this program, and line
    // 94 no statement. gdb stops at these lines, too.
    let lines: Vec<&str> = places.iter().map(|(_, place)| place.as_str()).collect();
    assert_eq!(
        lines,
        [
            "open_session overflow.c:73",
            "open_session overflow.c:74",
            "open_session overflow.c:76",
            "open_session overflow.c:77",
            "open_session overflow.c:90",
            "open_session overflow.c:91",
            "open_session overflow.c:93",
        ]
    );
    for place in places[1..].iter().rev().skip(1) {
        assert_eq!(client.run("stepBack"), "step");
        assert_eq!((client.position(), client.place()), *place);
    }
    // As in gdb with this trace, a step back does not stop at the entry of the function.
    assert_eq!(client.run("stepBack"), "step");
    assert_eq!(client.place(), "main overflow.c:107");
    let address = client.frame()["instructionPointerReference"].clone();
    assert_eq!(address, "0x800009cc");
}

#[test]
fn a_step_goes_into_a_function_and_out_again() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    let source = client_source(&mut client);
    let set = client.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": [{"line": 74}, {"line": 1_000_000}]}),
    );
    assert_eq!(set["breakpoints"][0]["line"], 74, "{set}");
    assert_eq!(set["breakpoints"][1]["verified"], false, "{set}");
    assert_eq!(client.run("continue"), "breakpoint");
    assert_eq!(client.place(), "open_session overflow.c:74");
    let before = client.position();
    assert_eq!(client.run("stepIn"), "step");
    assert_eq!(client.frame()["name"], "make_request");
    assert_eq!(client.run("stepOut"), "step");
    assert_eq!(client.frame()["name"], "open_session");
    assert!(client.position() > before);
    // Back to the call, which is in the line of the breakpoint.
    assert_eq!(client.run("reverseContinue"), "breakpoint");
    assert_eq!(client.position(), before);
    // Single instructions.
    client.ask(
        "stepIn",
        json!({"threadId": 1, "granularity": "instruction"}),
    );
    client.stop();
    assert_eq!(client.position(), before + 1);
    client.ask(
        "stepBack",
        json!({"threadId": 1, "granularity": "instruction"}),
    );
    client.stop();
    assert_eq!(client.position(), before);
}

/// Returns the source of the program's main file, by stopping in it.
fn client_source(client: &mut DapClient) -> Value {
    client.ask(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "main"}]}),
    );
    client.run("continue");
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
    let source = client.frame()["source"].clone();
    assert_eq!(source["name"], "overflow.c");
    source
}

#[test]
fn a_breakpoint_moves_to_the_next_line_that_has_code() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    let source = client_source(&mut client);
    // Line 60 declares a table, and line 61 begins a function.
    let set = client.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": [{"line": 60}]}),
    );
    assert_eq!(set["breakpoints"][0]["line"], 61, "{set}");
    let lines = client.ask(
        "breakpointLocations",
        json!({"source": source, "line": 58, "endLine": 63}),
    );
    let lines = lines["breakpoints"].as_array().unwrap().clone();
    assert!(lines.contains(&json!({"line": 61})) && !lines.contains(&json!({"line": 60})));
    let text = client.ask("source", json!({"source": source}));
    let text = text["content"].as_str().unwrap();
    assert!(text.lines().nth(94).unwrap().contains("int dispatch("));
}

#[test]
fn a_run_backwards_finds_the_store_that_broke_the_pointer() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    assert_eq!(client.run("continue"), "pause");
    client.note("the trace ends here");
    let data = client.ask("dataBreakpointInfo", json!({"name": "0x80020347:1"}));
    assert_eq!(data["dataId"], "0x80020347:1");
    let register = client.ask("dataBreakpointInfo", json!({"name": "x2"}));
    assert_eq!(register["dataId"], Value::Null);
    client.ask(
        "setDataBreakpoints",
        json!({"breakpoints": [{"dataId": data["dataId"], "accessType": "write"}]}),
    );
    assert_eq!(client.run("reverseContinue"), "data breakpoint");
    assert_eq!(client.position(), OVERWRITE);
    assert_eq!(client.frame()["name"], "decode_field");
    // Forwards the same store stops the program after it.
    assert_eq!(client.run("continue"), "data breakpoint");
    assert_eq!(client.position(), OVERWRITE + 1);
}

#[test]
fn a_condition_holds_before_a_breakpoint_stops() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    let breakpoint = |condition: &str| json!({"breakpoints": [{"name": "open_session", "condition": condition}]});
    // The third argument is 1 in the session with the number 13, which is the poisoned one.
    client.ask("setFunctionBreakpoints", breakpoint("x2 == 1"));
    assert_eq!(client.run("continue"), "function breakpoint");
    assert_eq!(client.evaluate("x1", "watch"), "0x000000000000000d");
    let set = client.ask("setFunctionBreakpoints", breakpoint("x2 =="));
    assert_eq!(set["breakpoints"][0]["verified"], false, "{set}");
}

#[test]
fn the_stack_is_that_of_the_command_line() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, json!({"demo": true, "position": 1233}));
    assert_eq!(client.position(), 1233);
    let stack = client.ask("stackTrace", json!({"threadId": 1}));
    let names: Vec<&str> = stack["stackFrames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| frame["name"].as_str().unwrap())
        .collect();
    let known = sandbox.json(&["at", "--demo", "1233", "--stack"]);
    let known: Vec<&str> = known["stack"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, known);
    assert_eq!(names, ["decode_field", "open_session", "main", "_start"]);
    let lines: Vec<i64> = stack["stackFrames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| frame["line"].as_i64().unwrap())
        .collect();
    assert_eq!(lines[1..], [90, 107, 9]);
    let page = client.ask(
        "stackTrace",
        json!({"threadId": 1, "startFrame": 2, "levels": 1}),
    );
    assert_eq!(page["totalFrames"], 4);
    assert_eq!(page["stackFrames"], json!([stack["stackFrames"][2]]));

    // The arguments of the frame, and the registers of its caller at the call.
    let frame = &stack["stackFrames"][1]["id"];
    let arguments = client.scope(frame, "Arguments at entry");
    assert_eq!(arguments["variables"][0]["name"], "x0");
    assert_eq!(arguments["variables"][0]["value"], "0x000000000000000e");
    let registers = client.scope(frame, "Registers");
    let pc = registers["variables"]
        .as_array()
        .unwrap()
        .iter()
        .find(|register| register["name"] == "pc")
        .unwrap();
    assert_eq!(pc["value"], "0x000000008000084c (inferred)");
}

#[test]
fn memory_is_that_of_the_command_line() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, json!({"demo": true, "position": "end"}));
    let memory = client.ask(
        "readMemory",
        json!({"memoryReference": "0x80020340", "count": 8}),
    );
    assert_eq!(memory["unreadableBytes"], 0);
    // 0xb682e58791e59992, least significant byte first.
    assert_eq!(memory["data"], "kpnlkYflgrY=");
    let known = sandbox.json(&["at", "--demo", "end", "--mem", "0x80020340:8"]);
    assert_eq!(known["memory"][0]["bytes"], "92 99 e5 91 87 e5 82 b6");
    let unknown = client.ask(
        "readMemory",
        json!({"memoryReference": "0x1000", "count": 16}),
    );
    assert_eq!(
        (&unknown["data"], &unknown["unreadableBytes"]),
        (&json!(""), &json!(16))
    );
    client.refused(
        "readMemory",
        json!({"memoryReference": "0x0", "count": 1_u64 << 40}),
    );
}

/// A trace that states no value of most registers.
const BARE: &str = "\
1 clk IT (1) 00001000 e5801000 A usr : STR r1,[r0]
1 clk MW4 00009000 00000001
2 clk IT (2) 00001004 eafffffd A usr : B 0x1000
3 clk IT (3) 00001000 e5801000 A usr : STR r1,[r0]
3 clk MW4 00009000 00000002
";

#[test]
fn what_the_trace_does_not_show_is_not_zero() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("bare.tarmac", BARE);
    let mut client = DapClient::launched(&sandbox, json!({"trace": trace, "colour": "red"}));
    client.note("the argument \"colour\" has no meaning");
    assert_eq!(client.evaluate("r5", "watch"), "<not recorded>");
    assert_eq!(client.evaluate("[0x7000] + 1", "watch"), "<not recorded>");
    assert_eq!(client.evaluate("2 + 3", "repl"), "0x5 (5)");
    client.refused("evaluate", json!({"expression": "no_such_name"}));
    client.refused("evaluate", json!({"expression": "1 +"}));
    let frame = client.frame();
    let scopes = client.ask("scopes", json!({"frameId": frame["id"]}));
    assert_eq!(scopes["scopes"][0]["name"], "Registers");
    let reference = scopes["scopes"][0]["variablesReference"].clone();
    let registers = client.ask("variables", json!({"variablesReference": reference}));
    let values: HashMap<&str, &str> = registers["variables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["name"].as_str().unwrap(),
                one["value"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(values["r5"], "<not recorded>");
    // Without an image the steps are single instructions.
    assert_eq!(client.run("next"), "step");
    assert_eq!(client.position(), 1);
}

#[test]
fn last_writes_and_explanations_are_commands() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, json!({"demo": true, "position": "end"}));
    let written = client.ask("stepback/lastWrite", json!({"cell": "0x80020347:1"}));
    assert_eq!(written["step"], OVERWRITE, "{written}");
    let why = client.ask("stepback/why", json!({"cell": "x2"}));
    let lines = why["lines"].as_array().unwrap();
    assert!(
        lines
            .iter()
            .any(|line| line.as_str().unwrap().contains("44,011")),
        "{why}"
    );
    assert!(client.evaluate("last-write x2", "repl").contains("44011"));
    assert!(client.evaluate("help", "repl").contains("last-write"));
    assert!(
        client
            .evaluate("at 50%", "repl")
            .starts_with("position 22,006 of 44,013")
    );
    assert_eq!(client.stop()["reason"], "goto");
    assert_eq!(client.position(), 22_006);
}

#[test]
fn instructions_are_disassembled_around_an_address() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, json!({"demo": true, "position": "end"}));
    let code = client.ask(
        "disassemble",
        json!({"memoryReference": "0x8000088c", "instructionOffset": -4, "instructionCount": 6}),
    );
    let addresses: Vec<&str> = code["instructions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["address"].as_str().unwrap())
        .collect();
    assert_eq!(
        addresses,
        [
            "0x8000087c",
            "0x80000880",
            "0x80000884",
            "0x80000888",
            "0x8000088c",
            "0x80000890"
        ]
    );
    assert_eq!(code["instructions"][4]["instruction"], "blr x2");
    assert_eq!(code["instructions"][4]["line"], 95);
    let nothing = client.ask(
        "disassemble",
        json!({"memoryReference": "0x10", "instructionOffset": -8, "instructionCount": 16}),
    );
    let nothing = nothing["instructions"].as_array().unwrap();
    assert_eq!(nothing.len(), 16);
    assert!(
        nothing
            .iter()
            .all(|one| one["presentationHint"] == "invalid")
    );
    let set = client.ask(
        "setInstructionBreakpoints",
        json!({"breakpoints": [{"instructionReference": "0x8000088c"}]}),
    );
    assert_eq!(set["breakpoints"][0]["verified"], true);
    assert_eq!(client.run("reverseContinue"), "instruction breakpoint");
    assert_eq!(client.frame()["instructionPointerReference"], "0x8000088c");
}

#[test]
fn threads_step_separately() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    let mut client = DapClient::launched(&sandbox, json!({"trace": trace}));
    let threads = client.ask("threads", json!({}));
    let names: Vec<&str> = threads["threads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|thread| thread["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["cpu0", "cpu1"]);
    client.ask(
        "stepIn",
        json!({"threadId": 2, "granularity": "instruction"}),
    );
    assert_eq!(client.stop()["threadId"], 2);
    client.refused("next", json!({"threadId": 3}));
}

/// The protocol says that references of variables are below 2^31.
#[test]
fn numbers_of_frames_and_variables_fit_in_31_bits() {
    let sandbox = Sandbox::new();
    let step = |cpu: u32| {
        format!(
            "{cpu} clk cpu{cpu} IT (0) 00001000 d2800020 O EL1h_n : MOV x0,#1\n{cpu} clk cpu{cpu} R X0 0000000000000001\n"
        )
    };
    let trace = sandbox.file("many.tarmac", (0..300).map(step).collect::<String>());
    let arguments = json!({"trace": trace, "position": "end"});
    let mut client = DapClient::launched(&sandbox, arguments);
    let mut ids = Vec::new();
    for thread in [300, 1] {
        let stack = client.ask("stackTrace", json!({"threadId": thread}));
        let id = &stack["stackFrames"][0]["id"];
        let scopes = client.ask("scopes", json!({"frameId": id}));
        let registers = &scopes["scopes"][0];
        assert_eq!(registers["name"], "Registers");
        assert!(registers["variablesReference"].as_u64().unwrap() < 1 << 31);
        let registers = client.scope(id, "Registers");
        assert_eq!(named(&registers, "x0")["value"], "0x0000000000000001");
        ids.push(id.clone());
    }
    assert_ne!(ids[0], ids[1]);
    // Numbers stay those of their frames, and others are refused.
    let again = client.ask("stackTrace", json!({"threadId": 300}));
    assert_eq!(again["stackFrames"][0]["id"], ids[0]);
    client.refused("scopes", json!({"frameId": 1000}));
}

#[test]
fn requests_without_a_trace_are_refused() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::start(&sandbox, &[]);
    let capabilities = client.ask("initialize", json!({}));
    assert_eq!(capabilities["supportsStepBack"], true);
    assert!(client.refused("threads", json!({})).contains("launch"));
    assert!(client.refused("launch", json!({})).contains("\"trace\""));
    let missing = sandbox.path("missing.tarmac").display().to_string();
    assert!(
        client
            .refused("launch", json!({"trace": missing}))
            .contains("missing.tarmac")
    );
    let trace = sandbox.fixture(OVERFLOW);
    client.ask("launch", json!({"trace": trace}));
    // Only sources that the line tables name are served.
    let path = sandbox.file("secret.c", "int secret;");
    client.refused("source", json!({"source": {"path": path}}));
    client.ask("disconnect", json!({}));
    let (messages, is_good) = client.finish();
    assert!(is_good, "{messages:?}");
}

/// Returns a variable of a list.
#[track_caller]
fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let variables = list["variables"].as_array().unwrap();
    let found = variables.iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {list}"))
}

#[test]
fn frames_have_locals_and_arguments() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, json!({"demo": true, "position": OVERWRITE}));
    let stack = client.ask("stackTrace", json!({"threadId": 1}));
    let frame = |level: usize| stack["stackFrames"][level]["id"].clone();
    let scopes = client.ask("scopes", json!({"frameId": frame(1)}));
    let hints: Vec<&str> = scopes["scopes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|scope| scope["presentationHint"].as_str().unwrap())
        .collect();
    assert_eq!(hints, ["locals", "arguments", "arguments", "registers"]);
    // The values of the source, as in the tests of `stepback locals`.
    let arguments = client.scope(&frame(1), "Arguments");
    assert_eq!(named(&arguments, "slot")["value"], "13");
    assert_eq!(named(&arguments, "slot")["type"], "int");
    let locals = client.scope(&frame(1), "Locals");
    assert_eq!(named(&locals, "n")["value"], "<optimised away>");
    // A pointer leads to the structure, whose members lead on.
    let pointer = named(&locals, "h");
    assert_eq!(pointer["value"], "0x80020340");
    assert_eq!(pointer["memoryReference"], "0x80020340");
    let target = client.ask(
        "variables",
        json!({"variablesReference": pointer["variablesReference"]}),
    );
    let target = named(&target, "*");
    assert_eq!(target["type"], "struct handler");
    let members = client.ask(
        "variables",
        json!({"variablesReference": target["variablesReference"]}),
    );
    // `new_handler(slot)` wrote these. All bytes of the pointer but the highest are overwritten by
    // now: at the end it is 0xb682e58791e59992.
    assert_eq!(named(&members, "id")["value"], "13");
    assert_eq!(named(&members, "id")["evaluateName"], "h->id");
    assert_eq!(named(&members, "calls")["value"], "0");
    assert_eq!(named(&members, "fn")["value"], "0x82e58791e59992");

    let mut evaluate = |expression: &str, context: &str| {
        let arguments = json!({
            "expression": expression, "context": context, "frameId": frame(1),
        });
        let body = client.ask("evaluate", arguments);
        body["result"].as_str().unwrap().to_owned()
    };
    // Memory is that of the position in all frames; registers are those of the frame.
    let cell = evaluate("[h]", "watch");
    assert_eq!(cell, "0x82e58791e59992 (36844117403474322)");
    assert_eq!(evaluate("h->fn == [h]", "watch"), "0x1 (1)");
    // Members are numbers in expressions.
    assert_eq!(evaluate("h->id == 13", "watch"), "0x1 (1)");
    assert_eq!(evaluate("h->id + slot", "watch"), "0x1a (26)");
    assert_eq!(evaluate("slot", "hover"), "13");
    assert_eq!(evaluate("h->id", "watch"), "13");
    assert_eq!(evaluate("slot + 1", "repl"), "0xe (14)");
    assert_eq!(evaluate("hole", "watch"), "<optimised away>");
    client.refused(
        "evaluate",
        json!({"expression": "slot", "frameId": frame(0)}),
    );
    // Writes of memory are sought from the position, not from the call in which the frame waits.
    let mut asked = |frame: Value, cell: &str| {
        let arguments = json!({"cell": cell, "frameId": frame});
        client.ask("stepback/lastWrite", arguments)["step"].clone()
    };
    assert_eq!(asked(frame(1), "h->fn"), asked(frame(0), "0x80020340:8"));
    assert_eq!(asked(frame(1), "h->id"), asked(frame(0), "0x80020348:4"));
    // `slot` is in x19, which step 19,692 restores before the call.
    assert_eq!(asked(frame(1), "slot"), 19_692);
    let why = client.ask(
        "stepback/why",
        json!({"cell": "h->id", "frameId": frame(1)}),
    );
    let plain = client.ask("stepback/why", json!({"cell": "0x80020348:4"}));
    assert_eq!(why, plain);
    // A member is memory, which a breakpoint can watch; a variable in a register is not.
    let data = client.ask(
        "dataBreakpointInfo",
        json!({"name": "id", "variablesReference": target["variablesReference"]}),
    );
    assert_eq!(data["dataId"], "0x80020348:4");
    let data = client.ask(
        "dataBreakpointInfo",
        json!({"name": "slot", "frameId": frame(1)}),
    );
    assert_eq!(data["dataId"], Value::Null, "{data}");
    // References are those of a position.
    client.run("next");
    client.refused(
        "variables",
        json!({"variablesReference": target["variablesReference"]}),
    );
}

#[test]
fn a_condition_may_name_a_variable() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    let source = client_source(&mut client);
    let breakpoint = json!({"line": 74, "condition": "poisoned == 1 && slot == 13"});
    client.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": [breakpoint]}),
    );
    assert_eq!(client.run("continue"), "breakpoint");
    assert_eq!(client.evaluate("i", "watch"), "13");
    assert_eq!(client.run("continue"), "pause");
}

#[test]
fn hits_are_counted_from_the_start_of_the_trace() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    let hit = |client: &mut DapClient, condition: &str| {
        let breakpoint = json!({"name": "hash_str", "hitCondition": condition});
        client.ask(
            "setFunctionBreakpoints",
            json!({"breakpoints": [breakpoint]}),
        )
    };
    // The command line counts on its own.
    let position = |number: u64| {
        let place = format!("pc:hash_str#{number}");
        let at = sandbox.json(&["at", "--demo", &place]);
        at["position"].as_u64().unwrap()
    };
    let set = hit(&mut client, "3");
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    assert_eq!(client.run("continue"), "function breakpoint");
    assert_eq!(client.position(), position(3));
    assert_eq!(client.run("continue"), "pause");
    hit(&mut client, "% 4");
    assert_eq!(client.run("reverseContinue"), "function breakpoint");
    let last = client.position();
    assert_eq!(client.run("reverseContinue"), "function breakpoint");
    let before = client.position();
    assert!(before < last);
    hit(&mut client, "<= 2");
    assert_eq!(client.run("reverseContinue"), "function breakpoint");
    assert_eq!(client.position(), position(2));
    let set = hit(&mut client, "many");
    assert_eq!(set["breakpoints"][0]["verified"], false, "{set}");
    let data = json!({"dataId": "0x80020347:1", "hitCondition": "2"});
    let set = client.ask("setDataBreakpoints", json!({"breakpoints": [data]}));
    assert_eq!(set["breakpoints"][0]["verified"], false, "{set}");
}

#[test]
fn log_points_write_and_do_not_stop() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    let source = client_source(&mut client);
    let breakpoint = json!({
        "line": 74, "logMessage": "slot {slot}: {i + 1} \\{x\\} {x1} {no_such_name}",
        "condition": "i < 3",
    });
    client.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": [breakpoint]}),
    );
    assert_eq!(client.run("continue"), "pause");
    let mut logged = Vec::new();
    loop {
        let event = client.event("output");
        let text = event["output"].as_str().unwrap().to_owned();
        if text == "the trace ends here\n" {
            break;
        }
        // Others are notes about the trace.
        if event["line"] == 74 {
            assert_eq!(event["source"]["name"], "overflow.c");
            logged.push(text);
        }
    }
    // The sessions 0, 1 and 2.
    assert_eq!(logged.len(), 3, "{logged:?}");
    for (i, text) in logged.iter().enumerate() {
        assert!(
            text.contains(&format!(": {:#x} ({}) {{x}} ", i + 1, i + 1)),
            "{text}"
        );
        assert!(
            text.contains("<") && text.contains("no_such_name"),
            "{text}"
        );
    }
    // A step shows only the messages on its way.
    client.run("reverseContinue");
    client.events.clear();
    client.run("next");
    assert!(client.events.iter().all(|event| event["event"] != "output"));
    // A message that cannot be read is refused.
    let breakpoint = json!({"line": 74, "logMessage": "{slot"});
    let set = client.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": [breakpoint]}),
    );
    assert_eq!(set["breakpoints"][0]["verified"], false, "{set}");
}

#[test]
fn a_line_can_be_gone_to() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    let source = client_source(&mut client);
    let at_line = json!({"source": source, "line": 94});
    let targets = client.ask("gotoTargets", at_line.clone());
    let target = &targets["targets"][0];
    assert_eq!(target["line"], 94, "{target}");
    client.ask("goto", json!({"threadId": 1, "targetId": target["id"]}));
    assert_eq!(client.stop()["reason"], "goto");
    assert_eq!(client.place(), "open_session overflow.c:94");
    let first = client.position();
    // Again: the next session.
    let targets = client.ask("gotoTargets", at_line.clone());
    client.ask(
        "goto",
        json!({"threadId": 1, "targetId": targets["targets"][0]["id"]}),
    );
    client.stop();
    assert!(client.position() > first);
    // At the end there is only the last one.
    client.ask("stepback/goTo", json!({"position": "end"}));
    client.stop();
    let targets = client.ask("gotoTargets", at_line);
    let label = targets["targets"][0]["label"].as_str().unwrap();
    assert!(label.starts_with("last execution, step "), "{label}");
    client.ask(
        "goto",
        json!({"threadId": 1, "targetId": targets["targets"][0]["id"]}),
    );
    client.stop();
    assert_eq!(client.place(), "open_session overflow.c:94");
    client.refused("goto", json!({"threadId": 1, "targetId": 99}));
    client.refused("gotoTargets", json!({"source": source, "line": 1_000_000}));
}

#[test]
fn a_trace_cannot_be_changed() {
    let sandbox = Sandbox::new();
    let mut client = DapClient::launched(&sandbox, demo());
    for (command, arguments) in [
        (
            "setVariable",
            json!({"variablesReference": 3, "name": "i", "value": "1"}),
        ),
        ("setExpression", json!({"expression": "i", "value": "1"})),
        (
            "writeMemory",
            json!({"memoryReference": "0x80020340", "data": "AA=="}),
        ),
    ] {
        let reason = client.refused(command, arguments);
        assert!(
            reason.contains("recorded trace cannot be changed"),
            "{reason}"
        );
    }
}

#[test]
fn indexing_reports_progress_to_clients_that_show_it() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    for supports in [true, false] {
        let index = sandbox
            .path(&format!("{supports}.sbi"))
            .display()
            .to_string();
        let mut client = DapClient::start(&sandbox, &[]);
        let capabilities = client.ask("initialize", json!({"supportsProgressReporting": supports}));
        for name in [
            "supportsHitConditionalBreakpoints",
            "supportsLogPoints",
            "supportsGotoTargetsRequest",
        ] {
            assert_eq!(capabilities[name], true, "{name}");
        }
        client.ask("launch", json!({"trace": trace, "index": index}));
        let names: Vec<&str> = client
            .events
            .iter()
            .map(|event| event["event"].as_str().unwrap())
            .filter(|name| name.starts_with("progress"))
            .collect();
        if !supports {
            assert_eq!(names, [""; 0]);
            continue;
        }
        assert_eq!(names.first(), Some(&"progressStart"));
        assert_eq!(names.last(), Some(&"progressEnd"));
        assert!(names.contains(&"progressUpdate"), "{names:?}");
        let ids: Vec<&Value> = client
            .events
            .iter()
            .filter(|event| event["event"].as_str().unwrap().starts_with("progress"))
            .map(|event| &event["body"]["progressId"])
            .collect();
        assert!(ids.windows(2).all(|two| two[0] == two[1]), "{ids:?}");
    }
}

/// A generator of pseudorandom numbers (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 9 } else { 11 }) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(-1),
            3 => json!(u64::MAX),
            4 => json!(1e300),
            5 => json!(self.below(5000)),
            6 => json!("0xffffffffffffffff"),
            7 => json!("x0"),
            8 => json!("\u{0}%s\u{202e}[[[[(((("),
            9 => json!([self.value(depth - 1), self.value(depth - 1)]),
            _ => json!({"line": self.value(depth - 1), "name": self.value(depth - 1)}),
        }
    }
}

#[test]
fn hostile_messages_are_answered_once_and_end_nothing() {
    const COMMANDS: [&str; 31] = [
        "initialize",
        "launch",
        "configurationDone",
        "setBreakpoints",
        "setFunctionBreakpoints",
        "setInstructionBreakpoints",
        "dataBreakpointInfo",
        "setDataBreakpoints",
        "threads",
        "stackTrace",
        "scopes",
        "variables",
        "source",
        "disassemble",
        "readMemory",
        "evaluate",
        "continue",
        "reverseContinue",
        "next",
        "stepIn",
        "stepOut",
        "stepBack",
        "pause",
        "cancel",
        "stepback/lastWrite",
        "stepback/why",
        "gotoTargets",
        "goto",
        "setVariable",
        "writeMemory",
        "\u{0}",
    ];
    const NAMES: [&str; 26] = [
        "threadId",
        "frameId",
        "variablesReference",
        "memoryReference",
        "offset",
        "count",
        "instructionOffset",
        "instructionCount",
        "expression",
        "context",
        "granularity",
        "source",
        "breakpoints",
        "name",
        "startFrame",
        "levels",
        "start",
        "requestId",
        "cell",
        "position",
        "instructionReference",
        "dataId",
        "targetId",
        "line",
        "hitCondition",
        "logMessage",
    ];
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = DapClient::launched(&sandbox, json!({"trace": trace}));
    let mut random = Random(0x5eed_0bad_cafe_f00d);
    let mut sent: HashMap<u64, u64> = HashMap::new();
    let mut seq = 1000;
    for _ in 0..10_000 {
        match random.below(10) {
            // Bytes that are no message.
            0 => {
                let lines: [&[u8]; 6] = [
                    b"Content-Length: -1\r\n\r\n",
                    b"Content-Length: 99999999999999999999999\r\n\r\n",
                    b"garbage\r\n\r\n",
                    b"Content-Length: 4\r\n\r\n\xff\xfe{}",
                    b"Content-Length: 12\r\n\r\n[[[[[[[[[[[[",
                    b"Content-Length: 19\r\n\r\n{\"type\": \"request\"}",
                ];
                client.write(lines[random.below(lines.len())]);
            }
            _ => {
                seq += 1;
                let mut arguments = serde_json::Map::new();
                for _ in 0..random.below(5) {
                    let name = (*random.of(&NAMES)).to_owned();
                    arguments.insert(name, random.value(2));
                }
                let command = *random.of(&COMMANDS);
                let message = json!({
                    "seq": seq, "type": "request", "command": command, "arguments": arguments,
                });
                client.send(&message);
                sent.insert(seq, 0);
            }
        }
        while let Some(message) = client.waiting() {
            count(&message, &mut sent);
        }
    }
    let last = client.request("threads", json!({}));
    loop {
        let message = client.message().expect("an answer");
        if message["request_seq"] == last {
            break;
        }
        count(&message, &mut sent);
    }
    let wrong: Vec<_> = sent.iter().filter(|(_, count)| **count != 1).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn count(message: &Value, sent: &mut HashMap<u64, u64>) {
    if message["type"] == "response" {
        let message_text = message["message"].as_str().unwrap_or_default();
        assert!(!message_text.contains("internal error"), "{message}");
        *sent
            .get_mut(&message["request_seq"].as_u64().unwrap())
            .unwrap() += 1;
    }
}

#[test]
fn the_caller_of_tail_calls_is_at_its_call() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("recurse.tiny.tarmac");
    let mut client = DapClient::launched(&sandbox, json!({"trace": trace, "position": "550"}));
    // `main` calls `is_even` at 0x800004b4; the functions inside jump to each other.
    let stack = client.ask("stackTrace", json!({"threadId": 1}));
    let caller = &stack["stackFrames"][1];
    assert_eq!(
        caller["instructionPointerReference"], "0x800004b4",
        "{stack}"
    );
}
