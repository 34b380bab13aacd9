//! Text traces with a file for each core.

use std::fs;

use serde_json::Value;

use crate::cli::support::{Sandbox, fixture_path};

/// Two cores in one file.
fn whole() -> String {
    fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/amp.head.tarmac"
    ))
    .unwrap()
}

/// Returns the lines of a core, with or without its name.
fn lines_of(cpu: &str, is_named: bool) -> String {
    let name = format!(" {cpu} ");
    let text = whole();
    let lines = text.lines().filter(|line| line.contains(&name));
    lines
        .map(|line| {
            if is_named {
                format!("{line}\n")
            } else {
                format!("{}\n", line.replacen(&name, " ", 1))
            }
        })
        .collect()
}

/// Returns the address, time and effects of each step of a thread.
fn steps(sandbox: &Sandbox, trace: &[&str], thread: &str) -> Vec<Value> {
    let words = [&["list"], trace, &["--thread", thread]].concat();
    let keep = |step: &Value| {
        serde_json::json!([step["pc"], step["time"], step["effects"], step["thread"]])
    };
    sandbox.json_lines(&words).iter().map(keep).collect()
}

#[track_caller]
fn check(names: [&str; 2], is_named: bool) {
    let sandbox = Sandbox::new();
    let one_file = sandbox.file("both.tarmac", whole());
    let [first, second] =
        [0, 1].map(|core| sandbox.file(names[core], lines_of(&format!("cpu{core}"), is_named)));
    let spellings = [vec![&*first, "--with", &*second], vec![&*first, &*second]];
    let info = sandbox.json(&["info", &one_file]);
    for merged in &spellings {
        let found = sandbox.json(&[&["info"], &**merged].concat());
        for field in ["steps", "threads", "time", "external_changes", "warnings"] {
            assert_eq!(found[field], info[field], "{field}");
        }
        for thread in ["cpu0", "cpu1"] {
            let expected = steps(&sandbox, &[&one_file], thread);
            assert!(expected.len() > 100);
            assert_eq!(steps(&sandbox, merged, thread), expected, "{thread}");
        }
        let last = |trace: &[&str]| {
            let hit = sandbox
                .json(&[&["find"], trace, &["last-write", "x0", "--thread", "cpu1"]].concat());
            (
                hit["hit"]["pc"].clone(),
                hit["hit"]["time"].clone(),
                hit["hit"]["access"]["value"].clone(),
            )
        };
        assert_eq!(last(merged), last(&[&one_file]));
    }
}

#[test]
fn files_that_name_their_core_are_one_trace() {
    check(["a.tarmac", "b.tarmac"], true);
}

#[test]
fn files_that_name_no_core_have_its_number_in_their_names() {
    check(["tarmac.core0.log", "tarmac.core1.log"], false);
    check(["first.tarmac", "second.tarmac"], false);
}

/// Rows of CV32E40P, whose opcodes are expanded: the next row of the same core shows that the
/// first two instructions have two bytes.
const CV32_ROWS: [(u64, &str); 4] = [
    (
        0,
        "00001000 00500513 c.li             x10, 5             x10=00000005",
    ),
    (
        0,
        "00001002 00a50533 c.add            x10, x10, x10      x10=0000000a x10:00000005",
    ),
    (
        5,
        "00001004 00a02823 sw               x10, 16(x0)        x10:0000000a  x0:00000000  PA:00000010",
    ),
    (
        9,
        "00001008 01002583 lw               x11, 16(x0)        x11=0000000a  x0:00000000  PA:00000010",
    ),
];

fn cv32_log(first: u64) -> String {
    let head = "Time           Cycle PC       Instr    Ctx Decoded instruction Register and memory contents\n";
    let rows = (first..).step_by(10).zip(CV32_ROWS);
    let row = |(time, (late, text)): (u64, (u64, &str))| {
        let time = time + late;
        let (pc, rest) = text.split_at(17);
        format!("{time} ns {time} {pc}     {rest}\n")
    };
    rows.fold(head.to_owned(), |log, next| log + &row(next))
}

/// Checks that the steps of each core are those of its file, in the order of their times.
#[track_caller]
fn check_logs(logs: [&str; 2], names: [&str; 2], options: &[&str], threads: [&str; 2]) {
    let sandbox = Sandbox::new();
    let files = [0, 1].map(|core| sandbox.file(names[core], logs[core]));
    let merged = [&[&*files[0], "--with", &*files[1]], options].concat();
    for (file, thread) in files.iter().zip(threads) {
        let alone = [&[&**file], options].concat();
        let fields = ["pc", "time", "effects", "opcode"];
        // Another core may change memory between two accesses of this one.
        let keep = |step: &Value| {
            let text = fields.map(|field| step[field].to_string()).join(" ");
            text.replace(r#""external":true"#, r#""external":false"#)
        };
        let list = |words: &[&str]| -> Vec<_> {
            let lines = sandbox.json_lines(&[&["list"], words].concat());
            lines.iter().map(keep).collect()
        };
        let expected = list(&alone);
        assert!(!expected.is_empty());
        let with_thread = [&merged[..], &["--thread", thread]].concat();
        let found = list(&with_thread);
        assert_eq!(found.len(), expected.len(), "{thread}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{thread}");
        }
    }
    let times: Vec<_> = sandbox
        .json_lines(&[&["list"], &*merged].concat())
        .iter()
        .map(|step| step["time"].as_u64().unwrap())
        .collect();
    assert!(times.is_sorted());
}

#[test]
fn tables_of_cores_are_one_trace() {
    let packed = std::fs::File::open(fixture_path("logs/rv32tiny.ibex.log.zst")).unwrap();
    let one = String::from_utf8(zstd::decode_all(packed).unwrap()).unwrap();
    let later = |line: &str| match line.split_once('\t') {
        Some((time, rest)) => match time.trim().parse::<u64>() {
            Ok(time) => format!("{}\t{rest}\n", time + 7),
            Err(_) => format!("{line}\n"),
        },
        None => format!("{line}\n"),
    };
    let other: String = one.lines().map(later).collect();
    let names = ["trace_core_00000003.log", "trace_core_00000005.log"];
    check_logs([&one, &other], names, &[], ["hart3", "hart5"]);
    check_logs(
        [&cv32_log(100), &cv32_log(101)],
        ["trace_core_00_0.log", "trace_core_00_1.log"],
        &[],
        ["hart0", "hart1"],
    );
}

#[test]
fn logs_whose_lines_name_their_cores_keep_the_names() {
    let line = |core: u64, cycle: u64| {
        format!(
            "C{core}: {cycle} [1] pc=[0000000080000000] W[r 5=0000000080000000][1] R[r 0=0000000000000000] R[r 0=0000000000000000] inst=[00000297] DASM(00000297)\n"
        )
    };
    let log = |core| {
        (0..5)
            .map(|step| line(core, 10 + 3 * step))
            .collect::<String>()
    };
    check_logs(
        [&log(0), &log(4)],
        ["a.log", "b.log"],
        &[],
        ["hart0", "hart4"],
    );
}

#[test]
fn described_logs_with_times_are_one_trace() {
    let layout = r#"
instruction_set = "riscv32"
[[line]]
pattern = '^(?<time>\d+) (?<pc>[0-9a-f]+) (?<opcode>[0-9a-f]+) (?<text>.*)'
"#;
    let sandbox = Sandbox::new();
    let layout = sandbox.file("a.toml", layout);
    check_logs(
        [
            "10 1000 00000013 nop\n12 1004 00000013 nop\n",
            "11 2000 00000013 nop\n",
        ],
        ["x0.log", "x1.log"],
        &["--record-layout", &layout],
        ["cpu0", "cpu1"],
    );
}

#[test]
fn logs_without_times_are_no_trace_together() {
    let sandbox = Sandbox::new();
    let line = "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n";
    let [a, b] = ["a.log", "b.log"].map(|name| sandbox.file(name, line));
    sandbox.run(&["info", &a, "--with", &b]).fails_with(&[
        "a.log",
        "its lines have no times",
        "open one of the files",
    ]);
}

#[test]
fn what_is_no_trace_is_refused() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", lines_of("cpu0", true));
    let letter = sandbox.file("letter.txt", "Dear Sir,\nit is late.\n");
    let message = "several files are one trace only where all hold records or text of one format";
    sandbox
        .run(&["info", &trace, "--with", &letter])
        .fails_with(&[message]);
}
