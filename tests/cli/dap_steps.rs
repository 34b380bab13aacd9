//! Stops of a debug adapter that are those of gdb 13.1 with the same programs, run live and with
//! `record full`: at inlined functions that are not entered, at rows that begin no statement, at the
//! entries of functions, and at breakpoints of lines in several blocks.

use serde_json::{Value, json};

use crate::cli::dap_client::DapClient;
use crate::cli::dap_functions::launched;
use crate::cli::dap_inlined::{go_to, stack};
use crate::cli::support::Sandbox;

/// Runs a step from each position of a program, and compares the stacks.
#[track_caller]
fn check_steps(program: &str, step: &str, expected: &[(&str, &str)]) {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, program, json!(0));
    for (from, to) in expected {
        go_to(&mut client, from);
        client.run(step);
        assert_eq!(stack(&mut client), *to, "{step} from {from}");
    }
}

/// Runs to the end, and returns the stacks of the stops.
fn stops(client: &mut DapClient, command: &str) -> Vec<String> {
    let mut found = Vec::new();
    while client.run(command) != "pause" {
        found.push(stack(client));
    }
    found
}

#[track_caller]
fn break_at(client: &mut DapClient, source: &str, line: u32) {
    let lines = json!({"source": {"path": source}, "breakpoints": [{"line": line}]});
    let set = client.ask("setBreakpoints", lines);
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
}

#[test]
fn a_step_out_that_reaches_an_inlined_function_does_not_enter_it() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "blocks", json!("pc:pause"));
    client.run("stepOut");
    assert_eq!(stack(&mut client), " 0x400186");
    client.run("stepIn");
    assert_eq!(stack(&mut client), "mark:10 0x400186");
    check_steps(
        "rows",
        "stepOut",
        &[
            ("9", "sum:26 0x400106"),
            ("42", "twice:33 0x40013c"),
            ("45", "twice:33 0x40014a"),
        ],
    );
    check_steps(
        "rows",
        "stepback/stepBackOut",
        &[
            ("9", "sum:24 0x4000f7"),
            ("12", "sum:26 0x400106"),
            ("42", " 0x4001a6"),
        ],
    );
}

#[test]
fn a_step_stops_where_the_next_instance_of_an_inlined_function_begins() {
    check_steps(
        "rows",
        "next",
        &[
            ("9", "sum:26 0x400106"),
            // Its last row of line 47 begins a statement, the first one does not.
            ("35", " 0x4001a6"),
            ("45", "twice:33 0x40014a"),
        ],
    );
    check_steps(
        "rows",
        "stepIn",
        &[
            ("39", "twice:32 0x400130"),
            ("45", "checked:18 twice:32 0x400144"),
        ],
    );
}

#[test]
fn a_step_back_from_the_first_line_of_a_function_leads_to_its_call() {
    check_steps(
        "rows",
        "stepBack",
        &[("4", " 0x400190"), ("6", " 0x400190"), ("56", " 0x4001ab")],
    );
    check_steps("prologue", "stepBack", &[("pc:0x4000f7", " 0x40016e")]);
}

#[test]
fn a_step_back_stops_in_rows_that_begin_no_statement_as_gdb_does() {
    check_steps(
        "rows",
        "stepBack",
        &[
            ("12", "sum:26 0x400100"),
            ("45", "scaled:10 checked:16 twice:32 0x400133"),
            ("46", "twice:32 0x400130"),
            ("47", "twice:33 0x40013c"),
        ],
    );
    check_steps(
        "rows",
        "stepback/stepBackIn",
        &[
            ("46", "scaled:10 checked:16 twice:32 0x400136"),
            ("48", "twice:33 0x40013c"),
            ("51", "scaled:18 checked:16 twice:33 0x400150"),
            ("52", "checked:18 twice:33 0x400153"),
        ],
    );
}

#[test]
fn a_breakpoint_of_a_line_stops_in_each_block() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "blocks", json!(0));
    for (line, expected) in [
        (41, &["0x40011b", "0x40014b", "0x40011b", "0x400120"][..]),
        (42, &["0x40014a", "0x400131", "0x40014a"]),
        (10, &["0x400186"]),
        (17, &["0x4000e8"]),
    ] {
        break_at(&mut client, "blocks.cc", line);
        let address = |stop: &String| stop.rsplit(' ').next().unwrap().to_owned();
        let mut found: Vec<String> = stops(&mut client, "continue").iter().map(address).collect();
        assert_eq!(found, expected, "{line}");
        found.reverse();
        let back = stops(&mut client, "reverseContinue");
        assert_eq!(
            back.iter().map(address).collect::<Vec<_>>(),
            found,
            "{line}"
        );
    }
}

#[test]
fn a_breakpoint_of_a_function_does_not_enter_those_inlined_in_it() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "rows", json!(0));
    for (name, expected) in [
        (
            "checked",
            &[
                "checked:16 twice:32 0x400130",
                "checked:16 twice:33 0x40013c",
            ][..],
        ),
        ("twice", &["twice:32 0x400130"]),
    ] {
        let breakpoints = json!({"breakpoints": [{"name": name}]});
        client.ask("setFunctionBreakpoints", breakpoints);
        assert_eq!(stops(&mut client, "continue"), expected);
        go_to(&mut client, "0");
    }
    // An inlined instance begins with its first range.
    let breakpoints = json!({"breakpoints": [{"name": "scaled"}]});
    client.ask("setFunctionBreakpoints", breakpoints);
    let found = stops(&mut client, "continue");
    assert_eq!(found.first().unwrap(), "scaled:9 sum:26 0x400100");
    assert_eq!(
        found.last().unwrap(),
        "scaled:17 checked:16 twice:33 0x40013c"
    );
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
    // A line is one of its function.
    break_at(&mut client, "rows.c", 32);
    go_to(&mut client, "0");
    let expected = "scaled:9 checked:16 twice:32 0x400130";
    assert_eq!(stops(&mut client, "continue"), [expected]);
}

#[test]
fn static_variables_of_other_functions_have_the_names_of_the_functions() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "blocks", json!("end"));
    for (name, expected) in [
        ("pause::calls", "7"),
        ("pause(int)::calls", "7"),
        ("'pause(int)'::calls", "7"),
        ("shop::parse(int)::calls", "42"),
        ("parse(char const*)::calls", "3"),
    ] {
        assert_eq!(client.evaluate(name, "watch"), expected, "{name}");
    }
    assert_eq!(client.evaluate("pause::calls + 1", "watch"), "0x8 (8)");
    // Without the function, or with two of them, a name means nothing.
    for name in ["calls", "parse::calls"] {
        let wanted = json!({"expression": name, "context": "watch"});
        client.refused("evaluate", wanted);
    }
}

#[test]
fn pointers_to_characters_show_their_texts() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "blocks", json!("end"));
    let value = |client: &mut DapClient, name: &str| -> Value {
        client.ask("evaluate", json!({"expression": name, "context": "watch"}))["result"].take()
    };
    assert_eq!(value(&mut client, "names[0]"), "0x4001df \"alpha\"");
    assert_eq!(value(&mut client, "nothing"), "0x0 (inferred)");
}

#[test]
fn code_of_line_0_has_the_line_of_the_row_before_it() {
    check_steps(
        "inlines",
        "next",
        &[
            ("14", "inlines::measure:48 inlines::twice:55 0x20121f"),
            ("38", "inlines::measure:43 inlines::twice:55 0x201297"),
            ("50", "inlines::measure:43 inlines::twice:55 0x2012cd"),
            ("61", "inlines::measure:43 inlines::twice:55 0x201303"),
        ],
    );
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "inlines", json!(12));
    assert_eq!(
        stack(&mut client),
        "inlines::measure:2494 inlines::twice:55 0x201211"
    );
    go_to(&mut client, "38");
    assert_eq!(
        stack(&mut client),
        "inlines::measure:42 inlines::twice:55 0x201293"
    );
}

#[test]
fn a_step_that_leaves_a_function_stops_in_a_caller_without_lines() {
    let from = |last: &'static str| [(last, " 0x2011d5")];
    check_steps("inlines", "next", &from("88"));
    check_steps("inlines", "stepIn", &from("88"));
    check_steps("inlines", "stepOut", &from("86"));
    check_steps("inlines", "stepOut", &from("1"));
    let first = [("1", " 0x2011d0")];
    check_steps("inlines", "stepBack", &first);
    check_steps("inlines", "stepback/stepBackOut", &first);
}

#[test]
fn a_step_back_out_of_a_tail_call_leads_to_the_jump() {
    check_steps(
        "steps",
        "stepback/stepBackOut",
        &[
            ("65", " 0x400160"),
            ("72", "even:28 0x40012c"),
            ("76", "even:28 0x40012c"),
            ("84", "even:28 0x40012c"),
        ],
    );
}

#[test]
fn a_data_breakpoint_for_writes_stops_where_the_value_changes() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "scopes", json!(0));
    let watch = |client: &mut DapClient, access: &str| {
        let data = json!({"dataId": "0x401000:4", "accessType": access});
        let set = client.ask("setDataBreakpoints", json!({"breakpoints": [data]}));
        assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    };
    let next = |client: &mut DapClient, command: &str| {
        client.ask(command, json!({"threadId": 1}));
        let stop = client.stop();
        let text = stop["description"].as_str().unwrap_or_default();
        let place = client.frame()["instructionPointerReference"].clone();
        format!("{} {text}", place.as_str().unwrap())
    };
    watch(&mut client, "write");
    // As gdb says of `watch *(int *) 0x401000`.
    let changes = [
        "0x4000f7 Step 8 changes 0x401000 from 0x0 to 0x3",
        "0x400101 Step 9 changes 0x401000 from 0x3 to 0x2",
        "0x400107 Step 10 changes 0x401000 from 0x2 to 0x3",
    ];
    assert_eq!(changes.map(|_| next(&mut client, "continue")), changes);
    assert_eq!(client.run("continue"), "pause");
    let back = [
        "0x400101 Step 10 changes 0x401000 from 0x2 to 0x3",
        "0x4000f7 Step 9 changes 0x401000 from 0x3 to 0x2",
    ];
    assert_eq!(back.map(|_| next(&mut client, "reverseContinue")), back);
    watch(&mut client, "readWrite");
    go_to(&mut client, "0");
    let accesses = [(); 4].map(|()| next(&mut client, "continue"));
    assert!(accesses[3].ends_with("accesses 0x401000"), "{accesses:?}");
}

/// Steps 8 and 9 store to 0x401000; the next instructions are at 0x4000f7 and 0x400101.
#[test]
fn all_stop_points_at_one_position_are_hit() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "scopes", json!(0));
    let set_data = |client: &mut DapClient, condition: &str| {
        let halves = ["0x401000:2", "0x401000:4"];
        let halves = halves.map(|data| json!({"dataId": data, "condition": condition}));
        let set = client.ask("setDataBreakpoints", json!({"breakpoints": halves}));
        let ids = set["breakpoints"].as_array().unwrap().iter();
        ids.map(|one| one["id"].as_u64().unwrap())
            .collect::<Vec<u64>>()
    };
    let set_code = |client: &mut DapClient, breakpoint: Value| {
        let list = json!({"breakpoints": [breakpoint]});
        let set = client.ask("setInstructionBreakpoints", list);
        set["breakpoints"][0]["id"].as_u64().unwrap()
    };
    let run = |client: &mut DapClient| {
        client.ask("continue", json!({"threadId": 1}));
        let mut stop = client.stop();
        let reason = stop["reason"].as_str().unwrap().to_owned();
        (reason, stop["hitBreakpointIds"].take(), client.position())
    };
    let data = set_data(&mut client, "0");
    let code = set_code(&mut client, json!({"instructionReference": "0x4000f7"}));
    let expected = ("instruction breakpoint".to_owned(), json!([code]), 9);
    assert_eq!(run(&mut client), expected);
    go_to(&mut client, "0");
    let log = json!({"instructionReference": "0x4000f7", "logMessage": "stored"});
    set_code(&mut client, log);
    assert_eq!(run(&mut client).0, "pause");
    client.note("stored");
    go_to(&mut client, "0");
    let code = set_code(&mut client, json!({"instructionReference": "0x4000f7"}));
    let mut all = set_data(&mut client, "1");
    assert_ne!(all, data);
    all.push(code);
    let (reason, hits, position) = run(&mut client);
    let mut hits: Vec<u64> = serde_json::from_value(hits).unwrap();
    hits.sort_unstable();
    all.sort_unstable();
    assert_eq!(
        (reason.as_str(), hits, position),
        ("data breakpoint", all, 9)
    );
}
