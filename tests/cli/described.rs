//! Described logs.

use std::fs;

use serde_json::Value;

use super::support::{Sandbox, copy_tree, fixture_path};
use super::waveform::Waveform;

/// Logs with their descriptions, and fixtures in known formats with the same events.
const LOGS: [(&str, &str); 3] = [
    ("bench", "logs/rvtiny.spike.log.zst"),
    ("hook", "logs/qmix.x86_64.execlog.log.zst"),
    ("board", "cm3.tiny.tarmac"),
];

fn put(sandbox: &Sandbox, name: &str) -> String {
    let place = sandbox.path(name.rsplit('/').next().unwrap());
    copy_tree(&fixture_path(name), &place);
    place.display().to_string()
}

/// Removes what differs between formats: lines, times, the words of the disassembly, and a second
/// name of the stack pointer.
fn without_format(mut value: Value) -> Value {
    match &mut value {
        Value::Object(object) => {
            // The log of QEMU has only four bytes of an instruction of x86.
            if object.get("inferred") == Some(&Value::Bool(true)) {
                object.insert("inferred".to_owned(), Value::Bool(false));
                object.insert("value".to_owned(), Value::Null);
            }
            for key in [
                "line",
                "time",
                "text",
                "thread",
                "enter_time",
                "exit_time",
                "enter_line",
                "exit_line",
                "msp",
            ] {
                object.remove(key);
            }
            object
                .values_mut()
                .for_each(|value| *value = without_format(value.take()));
        }
        Value::Array(list) => list
            .iter_mut()
            .for_each(|value| *value = without_format(value.take())),
        _ => {}
    }
    value
}

#[test]
fn a_described_log_gives_the_answers_of_the_same_trace_in_a_known_format() {
    for (name, other) in LOGS {
        let sandbox = Sandbox::new();
        let log = put(&sandbox, &format!("described/{name}.log.zst"));
        let layout = put(&sandbox, &format!("described/{name}.toml"));
        let other = put(&sandbox, other);
        // QEMU prints the last line without its effects, so they are unknown in its format.
        let has_open_end = name == "hook";
        let end = if has_open_end { "2937" } else { "end" };
        for question in [
            &["list"][..],
            &["at", end, "--stack"],
            &["at", "1000", "--stack", "--mem", "sp:64"],
            &["calltree"],
            &["counts"],
        ] {
            // Memory is inferred from whole instructions, which QEMU does not print.
            if has_open_end && question.contains(&"--mem") {
                continue;
            }
            let ask = |trace: &str, more: &[&str]| {
                let arguments = [
                    &question[..1],
                    &[trace],
                    &question[1..],
                    &["--json", "-q"],
                    more,
                ]
                .concat();
                let ran = sandbox.run(&arguments).succeeds();
                let lines = ran.out.lines();
                let mut answers: Vec<_> = lines
                    .map(|line| without_format(serde_json::from_str(line).unwrap()))
                    .collect();
                if question[0] == "list"
                    && has_open_end
                    && let Some(Value::Object(last)) = answers.last_mut()
                {
                    last.remove("effects");
                }
                answers
            };
            let found = ask(&log, &["--record-layout", &layout]);
            assert_eq!(found, ask(&other, &[]), "{name}: {question:?}");
        }
    }
}

#[test]
fn a_trial_shows_what_is_read_and_what_is_not() {
    let sandbox = Sandbox::new();
    let layout = put(&sandbox, "described/bench.toml");
    let log = "@1 hart0 retire pc=80 insn=00000297\n@1 hart0   gpr[5] <= 80\n@1 hart0   gpr[5] <= 1g\n\
               what is this?\n@2 hart0   gpr[77] <= 1\n";
    let log = sandbox.file("small.log", log);
    let trial = sandbox.json(&["template", "try", &log, &layout]);
    let patterns: Vec<_> = trial["patterns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["lines"].clone())
        .collect();
    assert_eq!(patterns, [1, 3, 0, 0, 0, 0]);
    assert_eq!(
        (&trial["other_lines"], &trial["problem_count"]),
        (&1.into(), &2.into())
    );
    assert_eq!(trial["other_registers"], serde_json::json!(["x77"]));
    assert_eq!(trial["first_problems"][1]["line"], 4);
    let text = sandbox.run(&["template", "try", &log, &layout]).succeeds();
    text.prints("  no pattern      1\n")
        .prints("  unknown names   x77\n")
        .prints("  line 3, byte 21: an item that cannot be read, \"1g\"");
}

#[test]
fn a_trial_of_records_shows_their_fields() {
    let sandbox = Sandbox::new();
    let layout = "record_bytes = 4\n[fields]\npc = { offset = 0, bytes = 2 }\n\
                  target = { offset = 2, bytes = 1 }\ntaken = { offset = 3, bytes = 1, bits = 1 }\n";
    let layout = sandbox.file("records.toml", layout);
    let records = [0x12, 0x34, 0, 7, 0x12, 0x38, 0, 8, 1];
    let packed = zstd::encode_all(&records[..], 1).unwrap();
    for file in [
        sandbox.file("records", records),
        sandbox.file("records.zst", packed),
    ] {
        sandbox
        .run(&["template", "try", &file, &layout])
        .succeeds()
        .prints("records           2\n  after the last  1 byte\n  record 0: pc=0x1234 taken=0x1 target=0x0\n");
    }
}

#[test]
fn a_log_without_its_description_says_what_is_missing() {
    let sandbox = Sandbox::new();
    let log = put(&sandbox, "described/bench.log.zst");
    sandbox.run(&["info", &log]).fails_with(&[
        "bench.log.zst",
        "a log in a format of your own can be described",
    ]);
    sandbox
        .run(&["info", &log, "--format", "described"])
        .fails_with(&["name it with --record-layout"]);
    let layout = sandbox.file(
        "bad.toml",
        "instruction_set = 'arm'\n[[line]]\npattern = '(?<pc>'\n",
    );
    sandbox
        .run(&["info", &log, "--record-layout", &layout])
        .fails_with(&["bad.toml", "the pattern \"(?<pc>\": unclosed group"]);
}

#[test]
fn a_status_register_selects_no_bank_in_a_log_without_modes() {
    let layout = r#"
value_order = "memory"
[[line]]
pattern = '^(?<pc>[0-9a-f]+): (?<opcode>\w+) ; (?<text>[^;]*) ;(?<items>.*)'
items = [{ pattern = ' (?<register>[a-z]\w*)=0x(?<value>\w+)' }]
"#;
    let logs = [
        (
            "arm",
            "10300: e59fd010 ; ldr sp, [pc, #16] ; sp=0x40800e48 lr=0x0001051c\n\
             10304: e353000a ; cmp r3, #0xa ; cpsr=0x80000010\n\
             10308: e1a00000 ; nop ; \n",
        ),
        (
            "aarch64",
            "10300: 9100001f ; mov sp, x0 ; sp=0x0000000040800e48\n\
             10304: f100001f ; cmp x0, #0 ; cpsr=0x80000000\n\
             10308: d503201f ; nop ; \n",
        ),
    ];
    for (set, log) in logs {
        let sandbox = Sandbox::new();
        let trace = sandbox.file("a.log", log);
        let layout = sandbox.file("a.toml", format!("instruction_set = \"{set}\"{layout}"));
        for position in ["1", "2", "3"] {
            let at = sandbox.json(&["at", &trace, position, "--record-layout", &layout]);
            let sp = at["registers"]["sp"].as_str().unwrap();
            assert!(sp.ends_with("40800e48"), "{set} at {position}: {sp}");
        }
        sandbox
            .run(&["vcd", &trace, "--no-date", "--record-layout", &layout])
            .succeeds();
        let wave = Waveform::read(&fs::read_to_string(format!("{trace}.vcd")).unwrap());
        let name = if set == "arm" { "CPU.r13" } else { "CPU.xsp" };
        assert_eq!(wave.number_at(name, 2000), Some(0x4080_0e48), "{set}");
    }
}
