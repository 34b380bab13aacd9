//! `stepback calltree`.

use serde_json::{Value, json};

use crate::cli::support::{AMP, OVERFLOW, Sandbox, overflow_image};

#[test]
fn the_calls_come_in_order_of_entry() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let calls = sandbox.json_lines(&["calltree", &trace]);
    // 72 calls seen by the emulator, and the root.
    assert_eq!(calls.len(), 73);
    let root = json!({
        "depth": 0, "thread": "cpu0", "function": {"address": "0x80000000", "name": null, "symbol": null}, "call_step": null,
        "entry_step": 0, "exit_step": null, "entered": "root", "left": "open", "evidence": "start",
    });
    let first_return = json!({
        "depth": 2, "thread": "cpu0", "function": {"address": "0x80000248", "name": null, "symbol": null}, "call_step": 16,
        "entry_step": 17, "exit_step": 33, "entered": "call", "left": "return", "evidence": "link",
    });
    assert_eq!((&calls[0], &calls[2]), (&root, &first_return));
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&calls[2]), keys(&root));
}

#[test]
fn the_call_into_nowhere_shows_no_step() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let calls = sandbox.json_lines(&["calltree", &trace]);
    let crash = calls.last().unwrap();
    assert_eq!(crash["call_step"], 1762);
    assert_eq!(
        (&crash["entry_step"], &crash["exit_step"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        (&crash["left"], &crash["depth"]),
        (&json!("open"), &json!(3))
    );
}

#[test]
fn functions_have_names_when_there_is_an_image() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let calls = sandbox.json_lines(&["calltree", &trace, "--image", &overflow_image()]);
    let names: Vec<&str> = calls
        .iter()
        .filter_map(|call| call["function"]["name"].as_str())
        .collect();
    assert!(
        names.contains(&"main") && names.contains(&"dispatch"),
        "{names:?}"
    );
    let ran = sandbox
        .run(&["calltree", &trace, "--image", &overflow_image()])
        .succeeds();
    ran.prints(" : _start\n").prints(" : open_session\n");
}

#[test]
fn the_image_next_to_the_trace_is_found() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    std::fs::copy(overflow_image(), sandbox.path("overflow_bare.elf")).unwrap();
    sandbox
        .run(&["calltree", &trace])
        .succeeds()
        .prints(" : open_session\n")
        .says("overflow_bare.elf");
}

#[test]
fn deep_calls_are_left_out_on_request() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let all = sandbox.json_lines(&["calltree", &trace]);
    let shallow = sandbox.json_lines(&["calltree", &trace, "--max-depth", "1"]);
    let expected: Vec<Value> = all
        .into_iter()
        .filter(|call| call["depth"].as_u64() <= Some(1))
        .collect();
    assert_eq!(shallow, expected);
}

#[test]
fn the_calls_of_two_cores_are_merged_by_entry() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    let calls = sandbox.json_lines(&["calltree", &trace]);
    let entries: Vec<u64> = calls
        .iter()
        .filter_map(|call| call["entry_step"].as_u64())
        .collect();
    assert!(entries.is_sorted(), "{entries:?}");
    let roots: Vec<&Value> = calls
        .iter()
        .filter(|call| call["entered"] == "root")
        .map(|call| &call["thread"])
        .collect();
    assert_eq!(roots, ["cpu0", "cpu1"]);
}

/// Returns a trace of calls nested to this depth. All return at once when the innermost does.
fn recursion(depth: u64) -> String {
    let mut lines = Vec::new();
    let (start, sp) = (0x8000u64, 0x10_0000u64);
    let mut step = |pc: u64, opcode: u32, effect: String| {
        let time = lines.len() + 1;
        lines.push(format!(
            "{time} clk IT ({time}) {pc:016x} {opcode:08x} O EL1h_s : CODE\n{time} clk R {effect}\n"
        ));
    };
    step(start, 0xd100_43ff, format!("SP_EL1 {sp:016x}"));
    step(start + 4, 0x9400_003f, format!("X30 {:016x}", start + 8));
    for level in 1..=depth {
        step(
            0x9000,
            0xd100_43ff,
            format!("SP_EL1 {:016x}", sp - 16 * level),
        );
        if level < depth {
            step(0x9004, 0x97ff_ffff, "X30 0000000000009008".to_owned());
        }
    }
    for level in (1..=depth).rev() {
        step(
            0x9008 - if level == depth { 4 } else { 0 },
            0x9100_43ff,
            format!("SP_EL1 {:016x}", sp - 16 * (level - 1)),
        );
        step(
            0x900c - if level == depth { 4 } else { 0 },
            0xd65f_03c0,
            "X0 0000000000000000".to_owned(),
        );
    }
    step(start + 8, 0xd503_201f, "X0 0000000000000001".to_owned());
    lines.concat()
}

#[test]
fn a_tree_is_indented_by_depth() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("deep.tarmac", recursion(300));
    let ran = sandbox.run(&["calltree", &trace]).succeeds();
    assert_eq!(ran.out.lines().count(), 601);
    ran.prints(&format!("\n{}o t:", " ".repeat(1200)));
}

#[test]
fn ten_thousand_calls_deep_is_printed_in_short_lines() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("deep.tarmac", recursion(10_000));
    let ran = sandbox.run(&["calltree", &trace]).succeeds();
    assert_eq!(ran.out.lines().count(), 20_001);
    assert!(ran.out.len() < 2_000_000, "{}", ran.out.len());
    let ran = ran
        .prints("\n201: - t:")
        .prints("\n10000: o t:")
        .says("note: calls deeper than 200 are not indented");
    assert!(
        ran.out.contains(&format!("\n{}o t:", " ".repeat(800))),
        "the usual form up to depth 200"
    );
    let shallow = sandbox
        .run(&["calltree", &trace, "--max-depth", "2"])
        .succeeds();
    assert_eq!(shallow.out.lines().count(), 5);
}

#[test]
fn a_call_that_returned_shows_its_call_and_where_it_went_on() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("one.tarmac", recursion(1));
    let expected = "o t:1 l:1 pc:0x8000 - t:6 l:11 pc:0x8008 : \n  \
                    - t:2 l:3 pc:0x8004 - t:6 l:11 pc:0x8008\n    \
                    o t:3 l:5 pc:0x9000 - t:5 l:9 pc:0x9008 : \n";
    assert_eq!(sandbox.run(&["calltree", &trace]).succeeds().out, expected);
}

#[test]
fn all_frames_shows_what_never_returned() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let arguments = [
        "calltree",
        &trace,
        "--image",
        &overflow_image(),
        "--all-frames",
    ];
    let ran = sandbox.run(&arguments).succeeds();
    // Each call has a line for its call site; every entry except the root is a call.
    assert_eq!(
        ran.out.lines().count(),
        2 * sandbox.json_lines(&["calltree", &trace]).len() - 1
    );
    ran.prints(" - the end : main")
        .prints(" : dispatch  (never left)\n")
        .prints("o not shown - the end : 0x");
}

#[test]
fn names_are_demangled_on_request_and_offsets_left_out() {
    let sandbox = Sandbox::new();
    let code = "1 clk IT (1) 80000880 d503201f O EL3h_s : NOP\n";
    let trace = sandbox.file("a.tarmac", code);
    let name = |more: &[&str]| {
        let image = overflow_image();
        let out = sandbox
            .run(&[&["calltree", &trace, "--image", &image][..], more].concat())
            .succeeds()
            .out;
        out.rsplit_once(" : ").unwrap().1.trim_end().to_owned()
    };
    assert_eq!(name(&[]), "dispatch + 0x4");
    assert_eq!(name(&["--no-offsets"]), "dispatch");
}

#[test]
fn each_core_has_a_tree_of_its_own() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    let out = sandbox.run(&["calltree", &trace]).succeeds().out;
    let (first, second) = out.split_once("cpu1:\n").unwrap();
    let roots = |tree: &str| tree.lines().filter(|line| line.starts_with("o ")).count();
    assert!(first.starts_with("cpu0:\no t:1 "), "{first}");
    assert_eq!((roots(first), roots(second)), (1, 1));
    assert!(
        first.lines().skip(1).all(|line| line.contains(" pc:0x8")),
        "{first}"
    );
    assert!(
        second.lines().all(|line| line.contains(" pc:0xa")),
        "{second}"
    );
}

#[test]
fn source_lines_are_shown_on_request() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let arguments = ["calltree", &trace, "--image", &overflow_image(), "--lines"];
    let ran = sandbox.run(&arguments).succeeds();
    let call = ran
        .out
        .lines()
        .find(|line| line.ends_with("open_session") || line.contains(": open_session "))
        .unwrap();
    let source = call.rsplit_once("  ").unwrap().1;
    assert!(
        source.contains(".c:") || source == "no source line",
        "{call}"
    );
    let calls = sandbox.json_lines(&arguments);
    assert!(
        calls
            .iter()
            .all(|call| call["function"].get("source").is_some())
    );
    assert!(
        sandbox
            .json_lines(&["calltree", &trace])
            .iter()
            .all(|call| call["function"].get("source").is_none())
    );
}
