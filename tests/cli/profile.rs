//! `stepback profile`.

use crate::cli::support::{AMP, OVERFLOW, Sandbox, overflow_image};

#[test]
fn functions_are_listed_by_address_with_calls_and_times() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["profile", &trace, "--image", &overflow_image()])
        .succeeds();
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[0],
        "Address     Count       Time        Function name"
    );
    assert_eq!(lines[1], "0x80000000  1           1763        _start");
    assert_eq!(lines[2], "0x80000014  2           4           semihost");
    assert!(lines[1..].is_sorted());
}

#[test]
fn own_steps_add_up_to_those_of_the_trace() {
    let sandbox = Sandbox::new();
    for (trace, steps) in [(OVERFLOW, Some(1763)), (AMP, None)] {
        let trace = sandbox.fixture(trace);
        let all = sandbox.json(&["info", &trace])["steps"].as_u64();
        let profile = sandbox.json(&["profile", &trace]);
        let own = profile
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|function| function["self_steps"].as_u64());
        assert_eq!(Some(own.sum::<u64>()), all);
        assert!(steps.is_none() || steps == all);
    }
}

#[test]
fn recursion_counts_once_and_open_calls_count_too() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let whole = ["profile", &trace, "--image", &overflow_image(), "--whole"];
    let text = sandbox.run(&whole).succeeds().out;
    // main never returns.
    assert!(text.contains(" main\n"), "{text}");
    let functions = sandbox.json(&["profile", &trace, "--image", &overflow_image()]);
    let functions = functions.as_array().unwrap();
    let field = |name: &str, field: &str| {
        let function = functions.iter().find(|function| function["name"] == name);
        function.and_then(|function| function[field].as_u64())
    };
    assert_eq!(field("_start", "steps"), Some(1763));
    assert!(
        field("main", "steps") < Some(1763)
            && field("main", "steps") > field("decode_field", "steps")
    );
    assert!(
        functions
            .iter()
            .all(|function| function["time"].as_u64() <= Some(1763))
    );
}

#[test]
fn recursion_that_counts_more_than_once_is_mentioned() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("recurse.tiny.tarmac");
    let counted = |arguments: &[&str]| {
        sandbox
            .run(arguments)
            .succeeds()
            .err
            .contains("in each of its calls")
    };
    assert!(counted(&["profile", &trace]));
    assert!(!counted(&["profile", &trace, "--whole"]) && !counted(&["profile", &trace, "--json"]));
    let trace = sandbox.fixture(AMP);
    assert!(!counted(&["profile", &trace]));
}

#[test]
fn the_order_can_be_chosen() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let numbers = |key: &str, field: &str| -> Vec<u64> {
        let profile = sandbox.json(&["profile", &trace, "--sort", key]);
        profile
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|function| function[field].as_u64())
            .collect()
    };
    assert!(numbers("count", "calls").is_sorted_by(|a, b| a >= b));
    assert!(numbers("time", "time").is_sorted_by(|a, b| a >= b));
    assert!(numbers("self-time", "self_time").is_sorted_by(|a, b| a >= b));
    sandbox
        .run(&["profile", &trace, "--sort", "self-time"])
        .succeeds()
        .prints("Address     Count       Time        Self time   Function name\n");
    sandbox
        .run(&["profile", &trace, "--sort", "colour"])
        .ends_misspelt();
}

#[test]
fn a_trace_without_steps_has_no_functions() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("none.tarmac", "0 clk R X0 0000000000000001\n");
    let header = "Address     Count       Time        Function name\n";
    assert_eq!(sandbox.run(&["profile", &trace]).succeeds().out, header);
    assert_eq!(
        sandbox.run(&["profile", &trace, "--json"]).succeeds().out,
        "[]\n"
    );
    assert_eq!(sandbox.run(&["calltree", &trace]).succeeds().out, "");
    assert_eq!(sandbox.run(&["flamegraph", &trace]).succeeds().out, "");
}

#[test]
fn a_trace_of_one_step_without_a_time_has_one_function() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("one.tarmac", "IT (1) 00001000 46c0 T thread : NOP\n");
    sandbox
        .run(&["profile", &trace])
        .succeeds()
        .prints("\n0x1001      1           1           \n");
    assert_eq!(
        sandbox.run(&["calltree", &trace]).succeeds().out,
        "o t:0 l:1 pc:0x1001 - t:0 l:1 pc:0x1001 : \n"
    );
    assert_eq!(
        sandbox.run(&["flamegraph", &trace]).succeeds().out,
        "0x1001 1\n"
    );
}
