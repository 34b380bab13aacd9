//! Branch recordings.

use std::path::Path;

use serde_json::Value;

use crate::cli::support::Sandbox;

/// Copies a fixture, so that files generated next to the trace land in the sandbox.
fn put(sandbox: &Sandbox, name: &str) -> String {
    sandbox.file(name, fixture(name))
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures/btrace")
            .join(name),
    )
    .unwrap()
}

/// Copies `hello` and its program; returns the path of the trace.
fn hello(sandbox: &Sandbox) -> String {
    put(sandbox, "hello.elf");
    put(sandbox, "hello.btf")
}

fn paths(steps: &[Value]) -> Vec<(String, bool)> {
    let path = |step: &Value| {
        (
            step["pc"].as_str().unwrap().to_owned(),
            step["executed"].as_bool().unwrap(),
        )
    };
    steps.iter().map(path).collect()
}

#[test]
fn the_path_follows_from_the_records_and_the_program_next_to_them() {
    let sandbox = Sandbox::new();
    let trace = hello(&sandbox);
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(
        (&info["format"], &info["steps"], &info["time"]["unit"]),
        (&"btrace".into(), &1737.into(), &"ns".into())
    );
    assert_eq!(
        (&info["warnings"]["count"], &info["threads"][0]["id"]),
        (&0.into(), &"1".into())
    );
    let steps = sandbox.json_lines(&["list", &trace, "--count", "5"]);
    let remarks: Vec<_> = steps.iter().map(|step| step["remarks"].clone()).collect();
    let between = serde_json::json!(["reconstructed"]);
    assert_eq!(remarks[..3], [between.clone(), between, Value::Null]);
    assert_eq!(
        remarks[3],
        serde_json::json!(["in a delay slot", "reconstructed"])
    );
    assert_eq!(steps[2]["time"], 1_000_000_004_240u64);
}

#[test]
fn calls_are_those_of_the_path() {
    let sandbox = Sandbox::new();
    let trace = hello(&sandbox);
    let calls = sandbox.json_lines(&["calltree", &trace]);
    let names: Vec<_> = calls
        .iter()
        .filter_map(|call| call["function"]["name"].as_str())
        .collect();
    assert_eq!(names[..4], ["_start", "start_c", "fib", "fib"]);
    assert_eq!(calls.len(), 38);
}

#[test]
fn the_last_write_of_a_register_is_one_of_its_window() {
    let sandbox = Sandbox::new();
    let trace = hello(&sandbox);
    // The caller's `mov 4, %o0` in the delay slot of the call is the last write of %i0 after
    // `save`.
    let hit = sandbox.json(&["find", &trace, "last-write", "%i0", "--at", "11"]);
    assert_eq!(hit["hit"]["step"], 9, "{hit}");
    assert_eq!(hit["hit"]["access"]["kind"], "write", "{hit}");
    // `save` writes the new stack pointer; the old one belongs to the caller's window.
    let last = |register: &str, at: &str| {
        sandbox.json(&["find", &trace, "last-write", register, "--at", at])["hit"]["step"].clone()
    };
    assert_eq!([last("%sp", "11"), last("%fp", "11")], [10, 4]);
    // Nothing wrote the outs of the new window, although the caller's window has values.
    assert_eq!(last("%o0", "11"), Value::Null);
    let next = sandbox.json(&["find", &trace, "next-read", "%o0", "--at", "10"]);
    assert_eq!(next["hit"]["step"], 11, "{next}");
}

#[test]
fn values_are_inferred_where_they_are_forced() {
    let sandbox = Sandbox::new();
    let trace = hello(&sandbox);
    let state = sandbox.json(&["at", &trace, "7", "--regs"]);
    assert_eq!(state["registers"]["g1"], "0x0000000000003039");
    assert_eq!(state["register_sources"]["g1"], "inferred");
    assert_eq!(
        (&state["registers"]["l0"], &state["register_sources"]["l0"]),
        (&Value::Null, &"unknown".into())
    );
}

#[test]
fn right_after_a_save_names_are_those_of_the_new_window() {
    let sandbox = Sandbox::new();
    let trace = hello(&sandbox);
    let value = |at: &str, name: &str| {
        sandbox.json(&["at", &trace, at, "--regs"])["registers"][name].clone()
    };
    let four = Value::from("0x0000000000000004");
    // The caller's `mov 4, %o0` in the delay slot, then `save`.
    assert_eq!(
        [value("10", "o0"), value("10", "i0")],
        [four.clone(), Value::Null]
    );
    assert_eq!([value("11", "o0"), value("11", "i0")], [Value::Null, four]);
    assert_eq!(value("11", "i7"), "0x0000000000100410");
    // After a `restore`, the registers are those of the old window again.
    assert_eq!(value("37", "i7"), "0x0000000000100198");
    assert_eq!(
        [value("38", "o7"), value("39", "o7")],
        [value("37", "i7"), value("37", "i7")]
    );
    assert_eq!(value("38", "i7"), value("39", "i7"));
}

#[test]
fn lost_records_are_one_gap_in_the_list() {
    let sandbox = Sandbox::new();
    put(&sandbox, "hello.elf");
    let trace = put(&sandbox, "hello_gap.btf");
    let text = sandbox
        .run(&["list", &trace, "--image", "hello.elf"])
        .succeeds()
        .out;
    let gaps: Vec<_> = text
        .lines()
        .filter(|line| line.contains("[gap_lost unknown]"))
        .collect();
    assert_eq!(gaps.len(), 1);
    assert!(
        gaps[0].contains("[gap from 0x100248 to 0x100234, 152760 ns after the record before]"),
        "{}",
        gaps[0]
    );
    assert_eq!(text.lines().count(), 1629);
}

#[test]
fn without_its_program_a_recording_shows_its_records() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "hello.btf");
    let ran = sandbox.run(&["info", &trace]).succeeds();
    assert!(
        ran.err
            .contains("so only the recorded branches are shown: with the right one (--image ELF"),
        "{}",
        ran.err
    );
    assert_eq!(sandbox.json(&["info", &trace])["steps"], 351);
    // A wrong program is not used; the right one is used as soon as it is named.
    put(&sandbox, "cti.elf");
    let ran = sandbox
        .run(&["info", &trace, "--image", "cti.elf"])
        .succeeds();
    assert!(
        ran.err
            .contains("are of another program or were loaded elsewhere"),
        "{}",
        ran.err
    );
    put(&sandbox, "hello.elf");
    assert_eq!(sandbox.json(&["info", &trace])["steps"], 1737);
}

#[test]
fn the_program_is_found_next_to_the_trace_by_what_the_records_say_of_it() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "hello_gap.btf");
    put(&sandbox, "cti.elf");
    let ran = sandbox.run(&["info", &trace]).succeeds();
    assert!(
        ran.err
            .contains("no file of the program is known, so only the recorded branches"),
        "{}",
        ran.err
    );
    sandbox.file("some program", fixture("hello.elf"));
    let ran = sandbox.run(&["info", &trace]).succeeds();
    assert!(
        ran.err.contains("the image next to the trace: \"") && ran.err.contains("some program"),
        "{}",
        ran.err
    );
    assert_eq!(sandbox.json(&["info", &trace])["steps"], 1629);
    let calls = sandbox.json_lines(&["calltree", &trace]);
    assert_eq!(
        calls[0]["function"]["name"], "_start",
        "symbols are those of the same file"
    );
    // An unrelated program with the trace's name does no harm.
    sandbox.file("hello_gap.elf", fixture("cti.elf"));
    assert_eq!(sandbox.json(&["info", &trace])["steps"], 1629);
}

#[test]
fn a_packed_recording_opens_like_a_plain_one() {
    let sandbox = Sandbox::new();
    put(&sandbox, "hello.elf");
    let records = fixture("hello.btf");
    let trace = sandbox.file("hello.btf.zst", zstd::encode_all(&*records, 3).unwrap());
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(
        (&info["steps"], &info["warnings"]["count"]),
        (&1737.into(), &0.into())
    );
    assert_eq!(
        sandbox.json_lines(&["list", &trace, "--records"]).len(),
        351
    );
    sandbox
        .run(&["convert", &trace, "--to", "btrace-plain", "-o", "plain.btf"])
        .succeeds();
    assert!(std::fs::read(sandbox.path("plain.btf")).unwrap() == records);
    // The text form works too.
    let text = sandbox.file("hello.trace.zst", fixture("hello.trace.zst"));
    assert_eq!(sandbox.json(&["info", &text])["steps"], 1737);
    // Damaged data ends the trace with a warning.
    let (some, rest) = records.split_at(200 * 40);
    let [some, rest] = [some, rest].map(|part| zstd::encode_all(part, 3).unwrap());
    let cut = sandbox.file("cut.btf.zst", [&some, &rest[..rest.len() - 9]].concat());
    let info = sandbox.json(&["info", &cut, "--image", "hello.elf"]);
    assert_ne!(info["warnings"]["count"], 0, "{info}");
}

#[test]
fn records_are_listed_by_their_numbers() {
    let sandbox = Sandbox::new();
    let trace = hello(&sandbox);
    let records = sandbox.json_lines(&["list", &trace, "--records"]);
    assert_eq!(
        (records.len(), &records[2]["kind"], &records[2]["taken"]),
        (351, &"BPcc".into(), &true.into())
    );
    let some = sandbox.json_lines(&["list", &trace, "--records", "--from", "r:5", "--count", "2"]);
    assert_eq!(some, records[4..6]);
    let after = sandbox.json_lines(&["list", &trace, "--records", "--from", "12", "--count", "1"]);
    assert_eq!(after[0]["pc"], "0x100180");
    // A position after a record is the one after its branch.
    let steps = sandbox.json_lines(&["list", &trace, "--from", "r:2", "--count", "1"]);
    assert_eq!(steps[0]["step"], 9);
    let text = sandbox
        .run(&["list", &trace, "--records", "--count", "1"])
        .succeeds()
        .out;
    assert!(
        text.contains("CALL   0x10016c to 0x100400 taken  call 0x100400"),
        "{text}"
    );
}

#[test]
fn every_form_leads_back_to_the_others() {
    let sandbox = Sandbox::new();
    let trace = hello(&sandbox);
    let expected = paths(&sandbox.json_lines(&["list", &trace]));
    sandbox
        .run(&["convert", &trace, "--to", "btrace", "-o", "a.btf"])
        .succeeds();
    sandbox
        .run(&["convert", "a.btf", "--to", "btrace-plain", "-o", "b.btf"])
        .succeeds();
    assert!(std::fs::read(sandbox.path("b.btf")).unwrap() == fixture("hello.btf"));
    assert_eq!(
        std::fs::metadata(sandbox.path("a.btf")).unwrap().len(),
        64 + 14040
    );
    sandbox
        .run(&["convert", &trace, "--to", "btrace-text", "-o", "hello.text"])
        .succeeds();
    assert_eq!(
        paths(&sandbox.json_lines(&["list", "hello.text"])),
        expected
    );
    let text = std::fs::read_to_string(sandbox.path("hello.text")).unwrap();
    assert_eq!(
        text.lines().nth(9),
        Some("    4240 0000000000100410 7fffff5a      call    0x100178")
    );
    sandbox
        .run(&["convert", "hello.text", "--to", "btrace", "-o", "c.btf"])
        .succeeds();
    assert_eq!(
        paths(&sandbox.json_lines(&["list", "c.btf", "--image", "hello.elf"])),
        expected
    );
    let ran = sandbox.run(&["convert", &trace, "--to", "tarmac-fm"]);
    ran.ends_misspelt()
        .says("only Tarmac traces can be converted to a style of Tarmac");
}

#[test]
fn a_text_has_one_thread_which_is_chosen_of_several() {
    let sandbox = Sandbox::new();
    put(&sandbox, "hello.elf");
    let trace = put(&sandbox, "hello_mt.btf.zst");
    let ran = sandbox.run(&[
        "convert",
        &trace,
        "--image",
        "hello.elf",
        "--to",
        "btrace-text",
    ]);
    ran.fails_with(&[
        "has no place for a thread, and this recording has 3 (1, 2, 3)",
        "with --thread T",
    ]);
    let ran = sandbox.run(&[
        "convert",
        &trace,
        "--image",
        "hello.elf",
        "--to",
        "btrace-text",
        "--thread",
        "7",
    ]);
    ran.ends_misspelt().says("no thread \"7\", only 1, 2, 3");
    sandbox
        .run(&["convert", &trace, "--to", "rst", "--thread", "1"])
        .ends_misspelt()
        .says("a recording of branches");
    // Converts each thread separately, to text and to records.
    let convert = |to: &str, out: &str| {
        let arguments = [
            "convert",
            &trace,
            "--image",
            "hello.elf",
            "--to",
            to,
            "--thread",
            "2",
            "-o",
            out,
        ];
        sandbox.run(&arguments).succeeds();
    };
    convert("btrace-text", "two.text");
    convert("btrace", "two.btf");
    let of_thread =
        paths(&sandbox.json_lines(&["list", &trace, "--image", "hello.elf", "--thread", "2"]));
    assert_eq!(of_thread.len(), 1737);
    assert_eq!(paths(&sandbox.json_lines(&["list", "two.text"])), of_thread);
    assert_eq!(
        paths(&sandbox.json_lines(&["list", "two.btf", "--image", "hello.elf"])),
        of_thread
    );
    assert_eq!(
        sandbox.json(&["info", "two.btf", "--image", "hello.elf"])["threads"][0]["id"],
        "2"
    );
}

#[test]
fn a_program_that_was_loaded_elsewhere_is_named_with_its_offset() {
    let sandbox = Sandbox::new();
    let offset = 0x7_1234_0000u64;
    let mut bytes = fixture("hello.btf");
    for record in bytes.chunks_exact_mut(40) {
        for start in [8, 16] {
            let address = u64::from_be_bytes(record[start..start + 8].try_into().unwrap()) + offset;
            record[start..start + 8].copy_from_slice(&address.to_be_bytes());
        }
    }
    put(&sandbox, "hello.elf");
    put(&sandbox, "cti.elf");
    let trace = sandbox.file("moved.btf", bytes);
    let image = format!("hello.elf@{offset:#x}");
    // Another program file is given as well.
    let info = sandbox.json(&["info", &trace, "--image", &image, "--image", "cti.elf"]);
    assert_eq!(
        (&info["steps"], &info["warnings"]["count"]),
        (&1737.into(), &0.into())
    );
    let calls = sandbox.json_lines(&["calltree", &trace, "--image", &image]);
    assert_eq!(
        (calls.len(), &calls[2]["function"]["name"]),
        (38, &"fib".into())
    );
}

#[test]
fn records_in_another_layout_are_read_by_their_description() {
    let sandbox = Sandbox::new();
    put(&sandbox, "hello.elf");
    // Swaps the byte order of every field.
    let mut bytes = fixture("hello.btf");
    for record in bytes.chunks_exact_mut(40) {
        for (start, end) in [(0, 8), (8, 16), (16, 24), (32, 36)] {
            record[start..end].reverse();
        }
    }
    let trace = sandbox.file("hello.raw", bytes);
    let layout = "record_bytes = 40\nbyte_order = \"little\"\n[fields]\ntime = { offset = 0, bytes = 8 }\n\
        pc = { offset = 8, bytes = 8 }\ntarget = { offset = 16, bytes = 8 }\ntaken = { offset = 30, bytes = 1, bits = 1 }\n\
        instruction = { offset = 32, bytes = 4 }\n";
    sandbox.file("own.toml", layout);
    let info = sandbox.json(&["info", &trace, "--record-layout", "own.toml"]);
    assert_eq!(
        (&info["steps"], &info["warnings"]["count"]),
        (&1737.into(), &0.into())
    );
    sandbox.file(
        "bad.toml",
        "record_bytes = 40\n[fields]\npc = { offset = 39, bytes = 8 }\n",
    );
    let ran = sandbox.run(&["info", &trace, "--record-layout", "bad.toml"]);
    ran.fails_with(&[
        "the field \"pc\" must have 1 to 8 bytes inside of the record",
        "bad.toml",
    ]);
}
