//! `stepback at`.

use serde_json::{Value, json};

use crate::cli::support::{AMP, OVERFLOW, OVERFLOW_STEPS, Sandbox, overflow_image};

#[test]
fn the_end_shows_the_broken_pointer() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let at = sandbox.json(&["at", &trace, "end", "--mem", "0x80020010:8"]);
    let keys: Vec<&String> = at.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "position",
            "last_step",
            "registers",
            "register_sources",
            "memory"
        ]
    );
    assert_eq!(at["position"], OVERFLOW_STEPS);
    assert_eq!(at["last_step"]["step"], 1762);
    assert_eq!(at["last_step"]["pc"], "0x8000088c");
    assert_eq!(at["registers"]["x2"], "0xbfb1e598a4e5bda9");
    assert_eq!(at["registers"]["x30"], "0x0000000080000890");
    assert_eq!(at["registers"]["sp"], "0x000000008ffff650");
    assert_eq!(at["registers"]["psr"], "0x600003cd");
    assert_eq!(at["registers"]["v0"], "0x00000000000000000000000000000000");
    assert_eq!(at["register_sources"]["x2"], "recorded");
    let memory = json!([{"address": "0x80020010", "bytes": "a9 bd e5 a4 98 e5 b1 bf", "sources": "rrrrrrrr"}]);
    assert_eq!(at["memory"], memory);
}

#[test]
fn the_start_has_the_initial_dump_and_no_last_step() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let at = sandbox.json(&["at", &trace, "start"]);
    assert_eq!(
        (&at["position"], &at["last_step"]),
        (&json!(0), &Value::Null)
    );
    assert_eq!(at["registers"]["x4"], "0x0000000000000000");
    assert_eq!(at["registers"]["pc"], "0x0000000080000000");
    assert_eq!(at["memory"], json!([]));
}

#[test]
fn memory_that_the_trace_never_shows_is_unknown() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let at = sandbox.json(&["at", &trace, "100", "--mem", "0x10:2", "--mem", "0x1234"]);
    let expected = json!([
        {"address": "0x10", "bytes": "?? ??", "sources": "??"},
        {"address": "0x1234", "bytes": "??", "sources": "?"},
    ]);
    assert_eq!(at["memory"], expected);
}

#[test]
fn a_register_that_the_trace_does_not_name_is_null() {
    let sandbox = Sandbox::new();
    let trace = "1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 00000001\n";
    let trace = sandbox.file("a.tarmac", trace);
    let at = sandbox.json(&["at", &trace, "end"]);
    assert_eq!(
        (&at["registers"]["r0"], &at["registers"]["r5"]),
        (&json!("0x00000001"), &Value::Null)
    );
    assert_eq!(
        (&at["register_sources"]["r0"], &at["register_sources"]["r5"]),
        (&json!("recorded"), &json!("unknown"))
    );
    let ran = sandbox.run(&["at", &trace, "end", "--mem", "r5:4"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says("a.tarmac: r5 is unknown at this position");
}

#[test]
fn an_address_may_name_registers_and_symbols() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let at = sandbox.json(&["at", &trace, "end", "--mem", "x0+4*2-8:0x8"]);
    assert_eq!(at["memory"][0]["bytes"], "a9 bd e5 a4 98 e5 b1 bf");
    let with_image = [
        "at",
        &trace,
        "end",
        "--image",
        &overflow_image(),
        "--mem",
        "dispatch+4",
    ];
    assert_eq!(
        sandbox.json(&with_image)["memory"][0]["address"],
        "0x80000880"
    );
    sandbox
        .run(&["at", &trace, "end", "--mem", "nosuch:4"])
        .ends_misspelt()
        .says("nosuch")
        .says(OVERFLOW);
    sandbox
        .run(&["at", &trace, "end", "--mem", "0:0"])
        .ends_misspelt()
        .says("at least one byte");
    sandbox
        .run(&["at", &trace, "end", "--mem", "0:1<<40"])
        .ends_misspelt()
        .says("at most 16,777,216 bytes");
}

#[test]
fn every_form_of_a_position_is_understood() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let check = |place: &str, expected: u64| {
        assert_eq!(
            sandbox.json(&["at", &trace, place])["position"],
            expected,
            "{place}"
        );
    };
    check("1,250", 1250);
    check("50%", 881);
    check("line:2582", 1250);
    check("line:2583", 1250);
    check("time:1250", 1250);
    check("pc:0x80000560", 726);
    check("pc:0x8000088c#1", 1762);
}

#[test]
fn a_position_beyond_the_end_is_refused_with_the_end() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["at", &trace, "1764"])
        .ends_misspelt()
        .says("1,764")
        .says("1,763")
        .says(OVERFLOW);
    sandbox
        .run(&["at", &trace, "line:3661"])
        .ends_misspelt()
        .says("3661")
        .says("3660")
        .says(OVERFLOW);
    sandbox
        .run(&["at", &trace, "pc:0x4"])
        .ends_misspelt()
        .says("0x4")
        .says(OVERFLOW);
    sandbox
        .run(&["at", &trace, "7th"])
        .ends_misspelt()
        .says("7th");
    sandbox
        .run(&["at", &trace, "end", "--mem", "(1"])
        .ends_misspelt()
        .says("(1");
}

#[test]
fn each_core_has_its_own_registers() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    let pc = |thread: &str| {
        sandbox.json(&["at", &trace, "0", "--thread", thread])["registers"]["pc"].clone()
    };
    assert_eq!(
        (pc("cpu0"), pc("cpu1")),
        (json!("0x0000000080000000"), json!("0x00000000a0000000"))
    );
}

#[test]
fn the_text_says_who_wrote_each_register() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["at", &trace, "end", "--mem", "0x80020010:8"])
        .succeeds();
    ran.prints("position 1,763 of 1,763")
        .prints("0xbfb1e598a4e5bda9")
        .prints("step 1,761")
        .prints("a9 bd e5 a4");
}

#[test]
fn the_stack_is_told_innermost_first() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let at = sandbox.json(&["at", &trace, "end", "--stack", "--image", &overflow_image()]);
    let stack = at["stack"].as_array().unwrap();
    let names: Vec<&Value> = stack
        .iter()
        .map(|frame| &frame["function"]["name"])
        .collect();
    assert_eq!(
        names,
        [
            &Value::Null,
            &json!("dispatch"),
            &json!("main"),
            &json!("_start")
        ]
    );
    let keys: Vec<&String> = stack[1].as_object().unwrap().keys().collect();
    let expected = [
        "depth",
        "thread",
        "function",
        "call_step",
        "entry_step",
        "exit_step",
        "entered",
        "left",
        "evidence",
        "arguments",
        "executing_at",
        "executing",
    ];
    assert_eq!(keys, expected);
    let executing: Vec<[&Value; 2]> = stack
        .iter()
        .map(|frame| [&frame["executing_at"], &frame["executing"]])
        .collect();
    assert_eq!(executing[0], [&json!("0xbfb1e598a4e5bda9"), &Value::Null]);
    assert_eq!(executing[1], [&json!("0x8000088c"), &json!("dispatch")]);
    assert_eq!(
        (&stack[1]["call_step"], &stack[1]["entry_step"]),
        (&json!(1757), &json!(1758))
    );
    assert_eq!(
        (&stack[1]["entered"], &stack[1]["left"], &stack[1]["depth"]),
        (&json!("call"), &json!("open"), &json!(2))
    );
    assert_eq!(stack[1]["arguments"]["x0"], "0x00000000840200a0");
    assert_eq!(
        (&stack[0]["call_step"], &stack[0]["entry_step"]),
        (&json!(1762), &Value::Null)
    );
    assert_eq!(
        (&stack[3]["entered"], &stack[3]["arguments"]),
        (&json!("root"), &json!({}))
    );
    assert_eq!(sandbox.json(&["at", &trace, "end"]).get("stack"), None);
    assert_eq!(
        sandbox
            .json(&["at", &trace, "end", "--stack"])
            .get("stack_hidden"),
        None
    );
    let cut = sandbox.json(&["at", &trace, "end", "--stack", "--frames", "1"]);
    assert_eq!(
        (cut["stack"].as_array().unwrap().len(), &cut["stack_hidden"]),
        (1, &json!(3))
    );
    let text = sandbox
        .run(&["at", &trace, "end", "--stack", "--frames", "1"])
        .succeeds();
    text.prints("stack of cpu0, 4 frames")
        .prints("#0 bfb1e598a4e5bda9(x0=0x80020010")
        .prints("3 more");
}

#[test]
fn an_argument_that_nothing_states_is_null() {
    let sandbox = Sandbox::new();
    let trace = "1 clk IT (1) 00008000 eb00003e A svc : BL 0x8100\n1 clk R r14 00008004\n1 clk R r0 00000007\n\
                 2 clk IT (2) 00008100 e1a00000 A svc : NOP\n";
    let trace = sandbox.file("a.tarmac", trace);
    let stack = &sandbox.json(&["at", &trace, "end", "--stack"])["stack"];
    assert_eq!(
        stack[0]["arguments"],
        json!({"r0": "0x00000007", "r1": null, "r2": null, "r3": null})
    );
}

#[test]
fn memory_that_the_trace_never_shows_comes_from_the_image() {
    let sandbox = Sandbox::new();
    let (trace, image) = (sandbox.fixture(OVERFLOW), overflow_image());
    let elf = std::fs::read(&image).unwrap();
    let without = sandbox.json(&["at", &trace, "0", "--mem", "0x80000020:8"]);
    assert_eq!(without["memory"][0]["sources"], "????????");
    let with = sandbox.json(&[
        "at",
        &trace,
        "0",
        "--mem",
        "0x80000020:8",
        "--image",
        &image,
    ]);
    assert_eq!(with["memory"][0]["sources"], "iiiiiiii");
    let bytes: Vec<u8> = with["memory"][0]["bytes"]
        .as_str()
        .unwrap()
        .split(' ')
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect();
    assert!(elf.windows(8).any(|window| window == bytes), "{bytes:x?}");
}

#[test]
fn registers_of_sve_are_shown_in_full_when_the_trace_writes_them() {
    let sandbox = Sandbox::new();
    let (low, high) = (
        "00112233445566778899aabbccddeeff",
        "0123456789abcdef0123456789abcdef",
    );
    let step = "clk IT (1) 00001000 d503201f O EL1h_n : NOP";
    let trace = format!(
        "1 {step}\n1 clk R Z3 {high}{low}\n1 clk R P2 0000f00f\n1 clk R V4 {low}\n2 {step}\n"
    );
    let trace = sandbox.file("a.tarmac", &trace);
    let at = sandbox.json(&["at", &trace, "end"]);
    assert_eq!(at["registers"]["v3"], format!("0x{low}"));
    assert_eq!(at["registers"]["z3"], format!("0x{high}{low}"));
    assert_eq!(
        (&at["registers"]["p2"], &at["register_sources"]["p2"]),
        (&json!("0x0000f00f"), &json!("recorded"))
    );
    assert_eq!(
        [&at["registers"]["z4"], &at["registers"]["p0"]],
        [&Value::Null; 2]
    );
    assert!(!at["registers"].as_object().unwrap().contains_key("z4"));
    let at = sandbox.run(&["at", &trace, "end"]).succeeds();
    at.prints(&format!("z3  0x{high}{low}  step 0"))
        .prints("p2  0x0000f00f");
    sandbox
        .run(&["list", &trace])
        .succeeds()
        .prints(&format!("z3=0x{high}{low}  p2=0x0000f00f"));
}

#[test]
fn a_position_before_the_start_is_told_where_positions_begin() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    for arguments in [
        &["at", &trace, "-1"][..],
        &["diff", &trace, "-1", "5"],
        &["diff", &trace, "1", "-5"],
        &["list", &trace, "--from", "-3"],
        &["find", &trace, "pc", "0x10", "--at", "-1"],
    ] {
        sandbox
            .run(arguments)
            .ends_misspelt()
            .says("positions start at 0");
    }
    // An unknown option is still an error.
    sandbox
        .run(&["at", &trace, "--nosuch"])
        .ends_misspelt()
        .says("--nosuch");
}

#[test]
fn memory_at_an_unknown_address_does_not_hide_the_rest() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "a.tarmac",
        "0 clk R r0 00002000\n0 clk MW4 00002000 11223344\n\
         1 clk IT (1) 00001000 e1a00000 A svc : NOP\n",
    );
    let requests = ["--mem", "sp:16", "--mem", "r0:4", "--mem", "lr:4"];
    let arguments = [&["at", &trace, "end"][..], &requests].concat();
    let ran = sandbox.run(&arguments);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.out.contains("r0") && ran.out.contains("44 33 22 11"),
        "{ran:?}"
    );
    let errors: Vec<_> = ran
        .err
        .lines()
        .filter(|line| line.starts_with("error: "))
        .collect();
    assert_eq!(errors.len(), 2, "{ran:?}");
    for name in ["sp", "lr"] {
        let message = format!("a.tarmac: {name} is unknown");
        let says_it = |line: &&&str| line.contains(&message);
        assert_eq!(errors.iter().filter(says_it).count(), 1, "{ran:?}");
    }
    // A file gets the same.
    let target = sandbox.path("at.txt").display().to_string();
    let written = sandbox.run(&[&arguments[..], &["-o", &target]].concat());
    assert_eq!(written.code, Some(1));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), ran.out);
    let ran = sandbox.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["registers"]["r0"], "0x00002000");
    assert_eq!(json["memory"][0]["bytes"], "44 33 22 11");
    let requests = [0, 1].map(|place: usize| &json["memory_errors"][place]["request"]);
    assert_eq!(requests, ["sp:16", "lr:4"]);
    // A name that has no meaning anywhere is a usage error, and nothing is printed.
    sandbox
        .run(&["at", &trace, "end", "--mem", "nosuch:4"])
        .ends_misspelt();
}
