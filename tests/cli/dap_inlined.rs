//! Steps of a debug adapter through inlined functions and through optimised code. The expected places
//! are those of gdb 13.1 with the same programs, run live and with `record full`.

use serde_json::{Value, json};

use crate::cli::dap_client::DapClient;
use crate::cli::dap_functions::launched;
use crate::cli::support::Sandbox;

/// Runs a step, and compares the functions with their lines, innermost first, and the address.
#[track_caller]
fn check(client: &mut DapClient, step: &str, expected: &str) {
    assert_eq!(client.run(step), "step");
    assert_eq!(stack(client), expected, "{step}");
}

/// Returns `square:53 work:61 0x401026`, without the outermost function.
pub fn stack(client: &mut DapClient) -> String {
    let body = client.ask("stackTrace", json!({"threadId": 1}));
    let frames = body["stackFrames"].as_array().unwrap();
    let function = |frame: &Value| {
        let name = frame["name"].as_str().unwrap();
        format!("{}:{}", name.split('(').next().unwrap(), frame["line"])
    };
    let (_, inner) = frames.split_last().unwrap();
    let functions = inner.iter().map(function).collect::<Vec<_>>().join(" ");
    let address = frames[0]["instructionPointerReference"].as_str().unwrap();
    format!("{functions} {address}")
}

#[track_caller]
pub fn go_to(client: &mut DapClient, position: &str) {
    client.ask("stepback/goTo", json!({"position": position}));
    client.stop();
}

#[test]
fn a_step_over_a_line_does_not_stop_in_an_inlined_function() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "functions", json!("pc:`work(int)`"));
    check(&mut client, "next", "work:60 0x40100c");
    check(&mut client, "next", "work:61 0x40101d");
    check(&mut client, "next", "work:62 0x401046");
    check(&mut client, "next", "work:63 0x401055");
    check(&mut client, "stepBack", "work:62 0x401046");
    // gdb stops at each row of the line on its way back; these are its first.
    check(&mut client, "stepBack", "work:61 0x40101d");
    check(&mut client, "stepBack", "work:60 0x40100c");
}

#[test]
fn a_step_into_a_line_enters_an_inlined_function_and_a_step_out_leaves_it() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "functions", json!("pc:0x40101d"));
    check(&mut client, "stepIn", "square:53 work:61 0x401026");
    check(&mut client, "next", "square:54 work:61 0x40102f");
    check(&mut client, "stepIn", "square:55 work:61 0x401038");
    check(&mut client, "stepOut", "work:61 0x40103b");
    check(
        &mut client,
        "stepback/stepBackIn",
        "square:55 work:61 0x401038",
    );
    check(&mut client, "stepBack", "square:54 work:61 0x40102f");
    // Backwards, a step out leads to the call.
    check(&mut client, "stepback/stepBackOut", "work:61 0x401026");
    check(&mut client, "stepIn", "square:53 work:61 0x401026");
    check(&mut client, "stepOut", "work:61 0x40103b");
    check(&mut client, "next", "work:62 0x401046");
}

#[test]
fn an_inlined_function_that_begins_at_a_stop_is_entered_by_a_step() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "arrays", json!("pc:walk"));
    check(&mut client, "next", "walk:67 0x40024f");
    check(&mut client, "next", "walk:68 0x40025d");
    let locals = client.frame()["id"].clone();
    assert_eq!(
        client.scope(&locals, "Locals")["variables"][0]["name"],
        "item"
    );
    check(&mut client, "stepIn", "middle:60 walk:68 0x40025d");
    check(&mut client, "stepIn", "middle:61 walk:68 0x400263");
    go_to(&mut client, "pc:0x40026c");
    assert_eq!(stack(&mut client), "inner:54 middle:61 walk:68 0x40026c");
    check(&mut client, "stepOut", "walk:69 0x400284");
    go_to(&mut client, "pc:walk");
    client.run("next");
    client.run("next");
    // A statement of `inner` is in `walk` by its address.
    check(&mut client, "next", "walk:54 0x400268");
    check(&mut client, "next", "walk:68 0x40026c");
    check(&mut client, "stepBack", "walk:54 0x400268");
    check(&mut client, "stepBack", "walk:68 0x40025d");
}

#[test]
fn steps_stop_at_statements_of_optimised_code() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "arrays", json!("pc:fill"));
    for expected in [
        "fill:24 0x4000f9",
        "fill:25 0x40011b",
        "fill:26 0x40013d",
        "fill:27 0x400168",
        "fill:28 0x40016c",
        "fill:29 0x400176",
        "fill:28 0x400179",
        "fill:29 0x400176",
        "fill:28 0x400179",
        "fill:26 0x400185",
        "fill:27 0x400168",
    ] {
        check(&mut client, "next", expected);
    }
    check(&mut client, "stepBack", "fill:26 0x400185");
    check(&mut client, "stepBack", "fill:28 0x400179");
    check(&mut client, "stepBack", "fill:29 0x400176");
    let lines = json!({"source": {"path": "arrays.c"}, "breakpoints": [{"line": 29}]});
    let set = client.ask("setBreakpoints", lines);
    assert_eq!(set["breakpoints"][0]["instructionReference"], "0x400176");
}

#[test]
fn a_step_over_the_last_statement_of_a_function_leads_to_its_caller() {
    let sandbox = Sandbox::new();
    let launch = json!({"demo": true, "position": "pc:0x80000804"});
    let mut client = DapClient::launched(&sandbox, launch);
    client.run("next");
    let frame = client.frame();
    assert_eq!(frame["name"], "main");
    assert_eq!(frame["instructionPointerReference"], "0x800009dc");
}

/// Runs forwards to the end, and compares the addresses of the stops.
#[track_caller]
fn check_stops(client: &mut DapClient, expected: &[&str]) {
    let mut found = Vec::new();
    while client.run("continue") != "pause" {
        let place = client.frame()["instructionPointerReference"].clone();
        found.push(place.as_str().unwrap().to_owned());
    }
    assert_eq!(found, expected);
    go_to(client, "0");
}

#[test]
fn breakpoints_of_lines_stop_in_each_inlined_instance() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "rows", json!(0));
    let places: [(u32, &[&str]); 9] = [
        (9, &["0x400100"; 4]),
        (10, &["0x400108"; 4]),
        (11, &["0x40010e"; 4]),
        (16, &[]),
        (17, &[]),
        (18, &[]),
        (26, &["0x400100"; 4]),
        (27, &[]),
        (33, &[]),
    ];
    for (line, in_sum) in places {
        let in_twice: &[&str] = match line {
            9 | 16 => &["0x400130", "0x40014a"],
            10 => &["0x400133", "0x40014a"],
            11 | 17 => &["0x40013c"],
            18 => &["0x400144", "0x400150"],
            33 => &["0x40014a"],
            _ => &[],
        };
        let lines = json!({"source": {"path": "rows.c"}, "breakpoints": [{"line": line}]});
        client.ask("setBreakpoints", lines);
        check_stops(&mut client, &[in_sum, in_twice].concat());
    }
}

// In optimised code of GCC, gdb skips no prologue.
#[test]
fn breakpoints_of_optimised_functions_are_at_their_entries() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "rows", json!(0));
    for (name, expected) in [
        ("sum", "0x4000f0"),
        ("twice", "0x400130"),
        ("leave", "0x400180"),
    ] {
        let breakpoints = json!({"breakpoints": [{"name": name}]});
        client.ask("setFunctionBreakpoints", breakpoints);
        check_stops(&mut client, &[expected]);
    }
}

#[test]
fn frames_have_the_lines_of_statements() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "rows", json!(0));
    for (position, expected) in [
        ("13", "sum:11 0x40010e"),
        ("43", "scaled:10 checked:16 twice:32 0x400133"),
        ("45", "scaled:17 checked:16 twice:33 0x40013c"),
        ("49", "scaled:10 checked:16 twice:33 0x40014a"),
        ("50", "scaled:18 checked:16 twice:33 0x400150"),
    ] {
        go_to(&mut client, position);
        assert_eq!(stack(&mut client), expected);
    }
    // Line 0 means no line: the code has the line of the row before.
    let mut client = launched(&sandbox, "inlines", json!("pc:0x201211"));
    assert_eq!(
        stack(&mut client),
        "inlines::measure:2494 inlines::twice:55 0x201211"
    );
}

#[test]
fn a_step_back_in_the_middle_of_a_line_leads_to_its_beginning() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "functions", json!(0));
    for (from, over, into) in [
        ("0x401013", "work:60 0x40100c", "work:60 0x40100c"),
        ("0x401020", "work:61 0x40101d", "work:61 0x40101d"),
        ("0x40104f", "work:62 0x401046", "work:62 0x401046"),
        // A call of the line is passed over or entered.
        ("0x40107e", "work:65 0x401070", "area:27 work:65 0x40117d"),
        // At the first instruction of the line, the step leads to another line.
        ("0x401055", "work:62 0x401046", "work:62 0x401046"),
    ] {
        for (step, expected) in [("stepBack", over), ("stepback/stepBackIn", into)] {
            go_to(&mut client, &format!("pc:{from}"));
            client.run(step);
            let shown = stack(&mut client).replace("geo::Circle::", "");
            assert_eq!(shown, expected, "{step} from {from}");
        }
    }
}

#[test]
fn a_step_over_a_call_that_does_not_return_reaches_the_end() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "rows", json!("pc:0x4001ab"));
    let stopped = |client: &mut DapClient| {
        client.ask("next", json!({"threadId": 1}));
        client.event("stopped")
    };
    let event = stopped(&mut client);
    assert_eq!(event["reason"], "pause");
    assert_eq!(event["description"], "The trace ends here");
    assert_eq!(client.position(), 60);
}

#[test]
fn functions_have_their_namespaces_and_no_types_of_results() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "scopes", json!(0));
    for (address, expected) in [
        ("0x4000f1", "geo::(anonymous namespace)::Point::Point"),
        ("0x4000f7", "geo::(anonymous namespace)::Point::area"),
        ("0x400101", "geo::plain"),
        ("0x400132", "kept<int>(int)"),
    ] {
        go_to(&mut client, &format!("pc:{address}"));
        assert_eq!(client.frame()["name"], expected);
    }
}

#[test]
fn functions_are_named_by_the_end_of_their_names() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "functions", json!(0));
    let places: [(&str, &[&str]); 11] = [
        ("clamped", &["0x401234", "0x401263"]),
        ("clamped<long>", &["0x401263"]),
        ("clamped(int,int,int)", &["0x401234"]),
        ("area", &["0x401168", "0x401188"]),
        ("Box::area", &["0x401188"]),
        ("push", &["0x4011f6"]),
        ("Ring<int,4>::push", &["0x4011f6"]),
        ("Ring::push", &["0x4011f6"]),
        ("Guard", &["0x4011a5"]),
        ("~Guard", &["0x4011c2"]),
        ("square", &["0x401026", "0x4010bb"]),
    ];
    for (name, expected) in places {
        let breakpoints = json!({"breakpoints": [{"name": name}]});
        let set = client.ask("setFunctionBreakpoints", breakpoints);
        assert_eq!(set["breakpoints"][0]["verified"], true, "{name}: {set}");
        let mut found = Vec::new();
        while client.run("continue") == "function breakpoint" {
            let place = client.frame()["instructionPointerReference"].clone();
            found.push(place.as_str().unwrap().to_owned());
        }
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected, "{name}");
        go_to(&mut client, "0");
    }
    let breakpoints = json!({"breakpoints": [{"name": "geo::area"}]});
    let set = client.ask("setFunctionBreakpoints", breakpoints);
    assert_eq!(
        set["breakpoints"][0]["message"],
        "no image has a function \"geo::area\""
    );
}

#[test]
fn a_step_into_a_call_in_the_same_line_enters_it() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "steps", json!("pc:0x40014b"));
    check(&mut client, "stepIn", "fib:6 0x4000e8");
    check(&mut client, "stepIn", "fib:6 fib:6 0x4000e8");
    check(&mut client, "stepIn", "fib:6 fib:6 fib:6 0x4000e8");
    check(&mut client, "stepIn", " 0x400154");
    check(&mut client, "stepIn", "outer:11 0x400114");
    check(&mut client, "stepIn", "inner:11 outer:11 0x40010a");
}

#[test]
fn a_step_that_returns_into_the_middle_of_a_line_goes_on_to_the_next_statement() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "steps", json!("pc:0x40010a"));
    check(&mut client, "next", " 0x400160");
}

#[test]
fn a_step_out_of_a_function_that_ends_with_a_tail_call_leads_to_its_caller() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "steps", json!("pc:0x40012c"));
    check(&mut client, "stepOut", " 0x400165");
}
