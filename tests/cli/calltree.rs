//! `stepback calltree`.

use serde_json::{Value, json};

use crate::support::{AMP, OVERFLOW, Sandbox, overflow_image};

#[test]
fn the_calls_come_in_order_of_entry() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let calls = sandbox.json_lines(&["calltree", &trace]);
    // 72 calls that the emulator saw, and the root.
    assert_eq!(calls.len(), 73);
    let root = json!({
        "depth": 0, "thread": "cpu0", "function": {"address": "0x80000000", "name": null}, "call_step": null,
        "entry_step": 0, "exit_step": null, "entered": "root", "left": "open", "evidence": "start",
    });
    let first_return = json!({
        "depth": 2, "thread": "cpu0", "function": {"address": "0x80000248", "name": null}, "call_step": 16,
        "entry_step": 17, "exit_step": 33, "entered": "call", "left": "return", "evidence": "link",
    });
    assert_eq!((&calls[0], &calls[2]), (&root, &first_return));
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&calls[2]), keys(&root));
}

#[test]
fn the_call_into_nowhere_shows_no_step() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let calls = sandbox.json_lines(&["calltree", &trace]);
    let crash = calls.last().unwrap();
    assert_eq!(crash["call_step"], 1762);
    assert_eq!((&crash["entry_step"], &crash["exit_step"]), (&Value::Null, &Value::Null));
    assert_eq!((&crash["left"], &crash["depth"]), (&json!("open"), &json!(3)));
}

#[test]
fn functions_have_names_when_there_is_an_image() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let calls = sandbox.json_lines(&["calltree", &trace, "--image", &overflow_image()]);
    let names: Vec<&str> = calls.iter().filter_map(|call| call["function"]["name"].as_str()).collect();
    assert!(names.contains(&"main") && names.contains(&"dispatch"), "{names:?}");
    let ran = sandbox.run(&["calltree", &trace, "--image", &overflow_image()]).succeeds();
    ran.prints("\n  main  0x80000898").prints("dispatch  0x8000087c");
}

#[test]
fn the_image_beside_the_trace_is_found() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    std::fs::copy(overflow_image(), sandbox.path("overflow_bare.elf")).unwrap();
    sandbox.run(&["calltree", &trace]).succeeds().prints("main  0x80000898").says("overflow_bare.elf");
}

#[test]
fn deep_calls_are_left_out_on_request() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let all = sandbox.json_lines(&["calltree", &trace]);
    let shallow = sandbox.json_lines(&["calltree", &trace, "--max-depth", "1"]);
    let expected: Vec<Value> = all.into_iter().filter(|call| call["depth"].as_u64() <= Some(1)).collect();
    assert_eq!(shallow, expected);
}

#[test]
fn the_calls_of_two_cores_are_merged_by_entry() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    let calls = sandbox.json_lines(&["calltree", &trace]);
    let entries: Vec<u64> = calls.iter().filter_map(|call| call["entry_step"].as_u64()).collect();
    assert!(entries.is_sorted(), "{entries:?}");
    let roots: Vec<&Value> =
        calls.iter().filter(|call| call["entered"] == "root").map(|call| &call["thread"]).collect();
    assert_eq!(roots, ["cpu0", "cpu1"]);
}

/// Calls within calls by `bl .`-like code: each line of a very deep tree must stay short.
#[test]
fn indentation_stops_growing() {
    let sandbox = Sandbox::new();
    let mut trace = String::new();
    for level in 0..200u64 {
        let (address, time) = (0x8000 + 0x100 * level, 2 * level + 1);
        trace.push_str(&format!("{time} clk IT ({time}) {address:016x} 9400003f O EL1h_s : BL       {{pc}}+0x100\n"));
        trace.push_str(&format!("{time} clk R X30 {:016x}\n", address + 4));
    }
    let trace = sandbox.file("deep.tarmac", trace);
    let deepest = sandbox.json_lines(&["calltree", &trace]).iter().filter_map(|call| call["depth"].as_u64()).max();
    assert!(deepest > Some(150), "{deepest:?}");
    let ran = sandbox.run(&["calltree", &trace]).succeeds().prints("150: ");
    assert!(ran.out.lines().all(|line| line.len() < 200));
}
