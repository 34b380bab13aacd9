//! `stepback effects` and `stepback diff --calls`.

use serde_json::{Value, json};

use crate::cli::support::{OVERFLOW, Sandbox, fixture_path, overflow_image};

fn answer(arguments: &[&str]) -> Value {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let (command, rest) = arguments.split_first().unwrap();
    sandbox.json(&[&[command, &*trace], rest, &["--image", &overflow_image()]].concat())
}

/// Returns the names or addresses of used cells with their values.
fn used(set: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("null").to_owned();
    let registers = set["registers"].as_array().unwrap().iter();
    let registers =
        registers.map(|used| format!("{} {}", text(&used["reg"]), text(&used["value"])));
    let memory = set["memory"].as_array().unwrap().iter();
    let memory = memory.map(|used| {
        format!(
            "{}:{} {}",
            text(&used["address"]),
            used["size"],
            text(&used["bytes"])
        )
    });
    registers.chain(memory).collect()
}

#[test]
fn a_call_reads_what_it_did_not_write_and_leaves_what_it_wrote() {
    let effects = answer(&["effects", "--call", "880"]);
    assert_eq!(
        (&effects["from"], &effects["to"], &effects["steps"]),
        (&json!(874), &json!(881), &json!(7))
    );
    assert_eq!(effects["function"]["name"], "hexval");
    assert_eq!(
        used(&effects["inputs"]),
        ["w0 0x00000035", "x30 0x0000000080000414"]
    );
    let outputs = [
        "x0 0x0000000000000005",
        "x1 0x00000000ffffffde",
        "x2 0x0000000000000005",
        "psr 0x800003cd",
    ];
    assert_eq!(used(&effects["outputs"]), outputs);
    let first = json!({"reg": "w0", "value": "0x00000035", "source": "recorded", "position": 875});
    assert_eq!(effects["inputs"]["registers"][0], first);
}

#[test]
fn a_range_has_its_memory_in_runs_with_symbols() {
    let effects = answer(&["effects", "1190", "1255"]);
    let memory = json!([{"address": "0x8002000f", "size": 3, "name": "heap+0xf", "bytes": "e5 a9 bd",
                         "source": "recorded", "position": 1253}]);
    assert_eq!(effects["outputs"]["memory"], memory);
    assert_eq!(effects["inputs"]["memory"][0]["bytes"], "25 75 35 61 37 64");
}

#[test]
fn a_round_of_a_loop_goes_from_one_visit_of_its_head_to_the_next() {
    // Control enters the loop after the load of the next letter.
    for position in ["1192", "1200", "1250", "1256"] {
        let effects = answer(&["effects", "--loop", position]);
        assert_eq!(
            (&effects["from"], &effects["to"]),
            (&json!(1192), &json!(1257)),
            "{position}"
        );
        assert_eq!(
            (&effects["head"], &effects["function"]["name"]),
            (&json!("0x800003f8"), &json!("decode_field"))
        );
    }
    let next = answer(&["effects", "--loop", "1257"]);
    assert_eq!(next["from"], 1257);
    // Control leaves the last iteration without coming back.
    let last = answer(&["effects", "--loop", "1446"]);
    assert!(
        last["to"].as_u64().unwrap() < 1459 && last["head"] == "0x800003f8",
        "{last}"
    );
}

#[test]
fn calls_of_a_function_differ_in_inputs_outputs_and_ways() {
    let difference = answer(&["diff", "673", "852", "--calls"]);
    assert_eq!(difference["function"]["name"], "mini_malloc");
    assert_eq!(
        difference["one"],
        json!({"thread": "cpu0", "from": 672, "to": 689})
    );
    let hole = json!({"address": "0x8001fff2", "other_address": "0x8001fff2", "name": "mini_hole+0x2",
                      "one": "00 00", "other": "02 80"});
    assert!(
        difference["inputs"].as_array().unwrap().contains(&hole),
        "{difference}"
    );
    let used = json!({"address": "0x8001fff8", "other_address": "0x8001fff8", "name": "heap_used",
                      "one": "10", "other": "30"});
    assert!(
        difference["outputs"].as_array().unwrap().contains(&used),
        "{difference}"
    );
    let place =
        |pc: &str, offset: i64, step: u64| json!({"pc": pc, "offset": offset, "step": step});
    let both = |pc: &str, offset: i64, (step, other): (u64, u64)| json!({"pc": pc, "offset": offset, "step": step, "other_step": other});
    let parting = json!({
        "parts": both("0x800000dc", 0x14, (677, 856)),
        "one": place("0x800000e0", 0x18, 678), "other": place("0x8000010c", 0x44, 857),
        "meets": both("0x80000108", 0x40, (688, 860)),
    });
    assert_eq!(
        (&difference["partings"], &difference["alike"]),
        (&json!([parting]), &json!(7))
    );
    assert_eq!(
        answer(&["diff", "575", "754", "--calls"])["partings"],
        json!([])
    );
}

/// Compares two calls in the SPARC fixture.
fn comparison_with_windows(one: &str, other: &str) -> Value {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "small.rst",
        std::fs::read(fixture_path("rst/small.rst")).unwrap(),
    );
    sandbox.json(&["diff", &trace, one, other, "--calls"])
}

#[test]
fn calls_in_different_register_windows_are_compared_as_the_function_names_them() {
    // A recursive function begins with `save`, so one call uses the register window after the
    // other's.
    let difference = comparison_with_windows("32", "59");
    assert_eq!(
        (&difference["one"]["from"], &difference["other"]["from"]),
        (&json!(31), &json!(58))
    );
    let of = |set: &str, name: &str| {
        let cells = difference[set].as_array().unwrap().iter();
        cells.clone().find(|cell| cell["reg"] == name).cloned()
    };
    // The argument came in the caller's %o0 with the same value, though it is in another cell.
    assert_eq!(of("inputs", "i0"), None);
    assert_eq!(of("outputs", "i0"), None);
    let pointer = json!({"reg": "fp", "one": "0x0000004000801281", "other": "0x0000004000801331"});
    assert_eq!(of("inputs", "fp"), Some(pointer));
    let link = json!({"reg": "i7", "one": "0x0000000000100198", "other": "0x00000000001001a8"});
    assert_eq!(of("inputs", "i7"), Some(link));
    // The window number is not a difference of the function.
    assert_eq!(
        (
            of("inputs", "cwp"),
            of("outputs", "cwp"),
            of("outputs", "psr")
        ),
        (None, None, None)
    );
    // Both use the same window, and the argument differs.
    let same = comparison_with_windows("32", "43");
    let argument = json!({"reg": "i0", "one": "0x0000000000000001", "other": "0x0000000000000000"});
    assert!(
        same["inputs"].as_array().unwrap().contains(&argument),
        "{same}"
    );
}

#[test]
fn what_is_known_in_one_call_alone_is_no_difference_and_is_reported() {
    let difference = comparison_with_windows("1353", "1391");
    let codes = json!([{"reg": "ccr", "one": "0x99", "other": null}]);
    assert_eq!(
        (
            &difference["outputs_known_in_one"],
            &difference["inputs_known_in_one"]
        ),
        (&codes, &json!([]))
    );
    assert!(
        difference["outputs"]
            .as_array()
            .unwrap()
            .iter()
            .all(|cell| cell["reg"] != "ccr"),
        "{difference}"
    );
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "small.rst",
        std::fs::read(fixture_path("rst/small.rst")).unwrap(),
    );
    let ran = sandbox
        .run(&["diff", &trace, "1353", "1391", "--calls"])
        .succeeds();
    let ran = ran
        .prints("outputs that are unknown on one side:")
        .prints("0x99  unknown");
    assert!(!ran.out.contains("inputs that are unknown"), "{}", ran.out);
}

#[test]
fn what_is_no_call_no_loop_or_the_same_call_says_so() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["effects", &trace, "--loop", "3"])
        .fails_with(&["no loop is around position 3"]);
    sandbox
        .run(&["diff", &trace, "875", "876", "--calls"])
        .ends_misspelt()
        .says("both positions are in the same call");
    sandbox
        .run(&["diff", &trace, "875", "90", "--calls"])
        .fails_with(&["no call of 0x80000328 is known"]);
    sandbox.run(&["effects", &trace]).ends_misspelt();
}

/// Returns a trace of a function that stores at one address in its first call, and at many others
/// before that one in its second.
fn calls_that_store() -> String {
    let step = |pc: u32, text: &str| format!("IT (1) {pc:08x} {text}\n");
    let store = |address: u32, value: u32| {
        step(0x1100, "b9000001 O EL1h_n : STR w1,[x0]")
            + &format!("MW4 {address:08x} {value:08x}\n")
    };
    let call = |pc: u32, text: &str| step(pc, text) + &format!("R X30 {:016x}\n", pc + 4);
    let end = || {
        step(0x1104, "54ffffe1 O EL1h_n : B.NE 0x1100") + &step(0x1108, "d65f03c0 O EL1h_n : RET")
    };
    let again = || step(0x1104, "54ffffe1 O EL1h_n : B.NE 0x1100");
    let low: String = (0..1500)
        .map(|place| store(0x10000 + 16 * place, place) + &again())
        .collect();
    let first = call(0x1000, "94000040 O EL1h_n : BL 0x1100") + &store(0x90000, 1) + &end();
    let second = call(0x1004, "9400003f O EL1h_n : BL 0x1100") + &low + &store(0x90000, 2) + &end();
    let lines = first + &second + &step(0x1008, "d503201f O EL1h_n : NOP");
    (1..)
        .zip(lines.lines())
        .map(|(time, line)| format!("{time} clk {line}\n"))
        .collect()
}

#[test]
fn what_is_known_in_one_call_alone_does_not_hide_what_differs_after_it() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("stores.tarmac", calls_that_store());
    let compared = sandbox.json(&["diff", &trace, "2", "6", "--calls"]);
    assert_eq!(
        compared["outputs"][0]["address"], "0x90000",
        "{}",
        compared["outputs"]
    );
    assert_eq!(
        (
            compared["outputs_known_in_one"].as_array().unwrap().len(),
            &compared["complete"]
        ),
        (1000, &json!(false))
    );
}

#[test]
fn a_range_without_a_step_is_refused_by_every_command() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let refused = |arguments: &[&str]| {
        sandbox
            .run(arguments)
            .ends_misspelt()
            .says(": no step lies between ");
    };
    for [from, to] in [["30", "20"], ["20", "20"], ["end", "start"]] {
        refused(&["effects", &trace, from, to]);
        refused(&["cut", &trace, from, to]);
        refused(&["heat", &trace, "--from", from, "--to", to]);
    }
    refused(&["heat", &trace, "--from", "end"]);
    refused(&["heat", &trace, "--to", "0"]);
    sandbox
        .run(&["heat", &trace, "--from", "20", "--to", "21"])
        .succeeds();
    // A trace without steps has no other range.
    let empty = sandbox.file("none.tarmac", "0 clk R X0 0000000000000001\n");
    sandbox.run(&["heat", &empty]).succeeds();
}
