//! `stepback locals`. The values are those of the program's source (`assets/demo/overflow.c`).

use serde_json::{Value, json};

use crate::cli::support::{AMP, Sandbox};

/// Step of the demo that overwrites the last byte of a function pointer.
const OVERWRITE: &str = "20344";

/// Returns the JSON of a variable.
#[track_caller]
fn variable<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let variables = answer["variables"].as_array().unwrap();
    let found = variables.iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {answer}"))
}

fn locals(sandbox: &Sandbox, more: &[&str]) -> Value {
    sandbox.json(&[&["locals", "--demo", "-q"], more].concat())
}

/// The hash that `hash_str` computes (FNV-1a).
fn hash(text: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    text.bytes().fold(2_166_136_261, step)
}

#[test]
fn a_loop_has_the_values_of_its_source() {
    let sandbox = Sandbox::new();
    // The name of the first session. Each character takes four steps after the first seven.
    let name = "zazgyyoznoaqjjqehxIrLokye";
    let entry = locals(&sandbox, &["--at", "pc:hash_str"]);
    let s = variable(&entry, "s");
    assert_eq!(
        (&s["kind"], &s["type"], &s["value"]),
        (
            &json!("argument"),
            &json!("const char *"),
            &json!(format!("0x80020000 \"{name}\""))
        )
    );
    let start = entry["position"].as_u64().unwrap() + 7;
    for done in [0, 1, 2, 3, 10, 24] {
        let position = (start + 4 * done).to_string();
        let answer = locals(&sandbox, &["--at", &position]);
        let h = variable(&answer, "h");
        let expected = hash(&name[..usize::try_from(done).unwrap()]);
        assert_eq!(h["value"], json!(expected.to_string()), "{answer}");
        assert_eq!(
            (&h["kind"], &h["type"], &h["size"]),
            (&json!("local"), &json!("unsigned int"), &json!(4))
        );
    }
}

#[test]
fn callers_have_the_values_of_their_calls() {
    let sandbox = Sandbox::new();
    // The session that `main` poisons is the one with the number `bad`, and both numbers are passed.
    let caller = locals(&sandbox, &["--at", OVERWRITE, "--frame", "1"]);
    for (name, value) in [("slot", "13"), ("i", "13"), ("poisoned", "1")] {
        assert_eq!(variable(&caller, name)["value"], value, "{name}");
        assert_eq!(variable(&caller, name)["declared_in"], "open_session");
    }
    // The handler behind the name, whose first member is overwritten.
    let handler = variable(&caller, "h");
    assert_eq!(
        (&handler["type"], &handler["value"], &handler["bytes"]),
        (
            &json!("struct handler *"),
            &json!("0x80020340"),
            &json!("40 03 02 80 00 00 00 00")
        )
    );
    // Nobody uses the size after the allocation.
    let size = variable(&caller, "n");
    assert_eq!(
        (&size["value"], &size["optimised_away"], &size["bytes"]),
        (&Value::Null, &json!(true), &Value::Null)
    );
    let main = locals(&sandbox, &["--at", OVERWRITE, "--frame", "2"]);
    // `argc` is in no register any more: the trace shows it at the entry of `main`.
    assert_eq!(variable(&main, "argc")["value"], "3");
    assert_eq!(variable(&main, "i")["value"], "13");
    assert_eq!(main["position"], 20_344);
    assert!(main["registers_at"].as_u64().unwrap() < 20_344);
}

#[test]
fn the_call_that_crashes_passes_the_slot_of_its_caller() {
    let sandbox = Sandbox::new();
    let dispatch = locals(&sandbox, &["--frame", "1"]);
    let main = locals(&sandbox, &["--frame", "2"]);
    // `dispatch(&sessions[t], t)`, and the sessions have 24 bytes.
    let slot = &variable(&main, "t")["value"];
    assert_eq!(&variable(&dispatch, "v")["value"], slot);
    let text = sandbox
        .run(&["locals", "--demo", "--frame", "1", "-q"])
        .succeeds()
        .prints("frame 1 at 0x8000088c, overflow.c:95\n")
        .prints("\narguments\n  struct session * s = 0x840201d8\n  int v = 13\n");
    assert!(!text.out.contains("local variables"), "{text:?}");
}

#[test]
fn a_frame_without_debug_information_has_no_variables() {
    let sandbox = Sandbox::new();
    // The end is at an address without code.
    sandbox
        .run(&["locals", "--demo"])
        .succeeds()
        .prints("no debug information for this code\n")
        .says("no image has debug information for the code at 0xb682e58791e59992");
    let trace = sandbox.fixture(AMP);
    sandbox
        .run(&["locals", &trace])
        .succeeds()
        .prints("no debug information for this code\n")
        .says("--image ELF");
    assert_eq!(locals(&sandbox, &[])["variables"], Value::Null);
}

#[test]
fn a_missing_frame_or_thread_is_an_error() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["locals", "--demo", "--at", OVERWRITE, "--frame", "9"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    ran.says("there is no frame 9: the stack has 4 frames at position 20,344");
    let ran = sandbox.run(&["locals", "--demo", "--thread", "cpu7"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    sandbox
        .run(&["locals", "--demo", "--at", "nonsense"])
        .ends_misspelt();
    sandbox
        .run(&["locals", "--demo", "--frame", "-1"])
        .ends_misspelt();
}

#[test]
fn what_the_trace_does_not_show_is_not_zero() {
    let sandbox = Sandbox::new();
    // The first instructions of `dispatch`, without a register.
    let trace = "1 clk IT (1) 8000087c a9bf7bfd O EL3h_s : STP x29,x30,[sp,#-0x10]!\n\
                 2 clk IT (2) 80000880 910003fd O EL3h_s : MOV x29,sp\n";
    let trace = sandbox.file("bare.tarmac", trace);
    let image = crate::cli::support::overflow_image();
    let at_start = ["locals", &trace, "--image", &image, "--at", "start", "-q"];
    let answer = sandbox.json(&at_start);
    for name in ["s", "v"] {
        let one = variable(&answer, name);
        assert_eq!(
            (&one["value"], &one["optimised_away"]),
            (&Value::Null, &json!(false))
        );
        assert!(one["bytes"].as_str().unwrap().starts_with("?? ??"), "{one}");
    }
    sandbox
        .run(&at_start)
        .succeeds()
        .prints("  int v = <not recorded>\n");
}

#[test]
fn the_caller_of_tail_calls_waits_for_the_first_of_them() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("recurse.tiny.tarmac");
    // `main` calls `is_even` in step 523, and `is_odd` and `is_even` jump to each other until 590.
    for position in ["526", "530", "550", "585"] {
        let answer = sandbox.json(&["locals", &trace, "--at", position, "--frame", "1", "-q"]);
        assert_eq!(
            (&answer["registers_at"], &answer["pc"]),
            (&json!(523), &json!("0x800004b4")),
            "{position}"
        );
    }
}

#[test]
fn interrupted_code_has_executed_its_last_step() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("pairs/qsort-irq3/b.tarmac.zst");
    // The interrupt after step 200, the addition at 0x80000394, saves 0x80000398 in `elr_el3`.
    let answer = sandbox.json(&["locals", &trace, "--at", "202", "--frame", "1", "-q"]);
    assert_eq!(
        (&answer["registers_at"], &answer["pc"]),
        (&json!(201), &json!("0x80000398"))
    );
}
