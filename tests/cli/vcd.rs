//! `stepback vcd`.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cli::support::{AMP, OVERFLOW, OVERFLOW_STEPS, Ran, Sandbox, overflow_image, text};
use crate::cli::waveform::Waveform;

/// Steps, registers and accesses of every kind.
const SMALL: &str = "\
0 clk R X0 00000000000000aa
1 clk IT (1) 00008000 f9400020 O EL1h_n : LDR      x0,[x1] ; here
1 clk MR8 00001000 00000000_00000007
1 clk R X0 0000000000000007
2 clk IT (2) 00008004 a9000441 O EL1h_n : STP x1,x1,[x2]
2 clk MW8 00002000 xxxxxxxxxxxxxxxx
2 clk MW8 00002008 00000000_00000009
3 clk IS (3) 00008008 54000040 O EL1h_n : B.EQ 0x8010
4 clk IT (4) 0000800c d503201f O EL1h_n : NOP
4 clk R X3 --------11223344
";

fn dump(trace: &str, options: &[&str]) -> (Ran, Waveform) {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", trace);
    let ran = sandbox
        .run(&[&["vcd", &trace, "--no-date"][..], options].concat())
        .succeeds();
    let dump = fs::read_to_string(format!("{trace}.vcd")).unwrap();
    (ran, Waveform::read(&dump))
}

#[test]
fn a_node_shows_its_instruction_and_what_it_did() {
    let (ran, wave) = dump(SMALL, &[]);
    assert!(
        ran.out.contains("a.tarmac.vcd: 4 steps, 106 signals"),
        "{ran:?}"
    );
    assert_eq!(wave.end, 5000);
    assert_eq!(wave.scopes(), ["CPU"]);
    let numbers = |name: &str, times: &[u64]| -> Vec<Option<u64>> {
        times
            .iter()
            .map(|time| wave.number_at(&format!("CPU.{name}"), *time))
            .collect()
    };
    assert_eq!(
        numbers("x0", &[0, 999, 1000, 4000]),
        [Some(0xaa), Some(0xaa), Some(7), Some(7)]
    );
    assert_eq!(
        numbers("PC", &[0, 1000, 2500]),
        [None, Some(0x8000), Some(0x8004)]
    );
    assert_eq!(
        numbers("Cycle", &[0, 1000, 4000]),
        [Some(0), Some(1), Some(4)]
    );
    assert_eq!(wave.at("CPU.InstAsm", 1000), "LDR x0,[x1]");
    assert_eq!(
        wave.changes("CPU.InstExecuted"),
        [(1000, "1".into()), (3000, "0".into()), (4000, "1".into())]
    );
}

#[test]
fn accesses_share_the_time_of_their_instruction_and_then_nothing_drives_their_signals() {
    let (_, wave) = dump(SMALL, &[]);
    let kinds: Vec<_> = wave
        .changes("CPU.MemRW")
        .iter()
        .map(|(time, kind)| (*time, kind.as_str()))
        .collect();
    assert_eq!(kinds, [(1000, "R"), (2000, "W"), (2500, "W"), (3000, "")]);
    assert_eq!(wave.number_at("CPU.MemAddr", 2000), Some(0x2000));
    assert_eq!(wave.number_at("CPU.MemData", 2500), Some(9));
    assert_eq!(wave.at("CPU.MemAddr", 3000), "z".repeat(64));
}

#[test]
fn what_the_trace_does_not_say_is_x() {
    let (_, wave) = dump(SMALL, &[]);
    assert_eq!(wave.at("CPU.MemData", 2000), "x".repeat(64));
    assert_eq!(
        wave.at("CPU.x3", 4000),
        format!("{}{:032b}", "x".repeat(32), 0x1122_3344)
    );
    assert_eq!(wave.at("CPU.x1", 4000), "");
}

#[test]
fn stamps_may_be_the_times_of_the_trace() {
    let trace = "7 clk IT (1) 00008000 d503201f O EL1h_n : NOP\n7 clk IT (2) 00008004 d503201f O EL1h_n : NOP\n\
                 9 clk IT (3) 00008008 d503201f O EL1h_n : NOP\n8 clk R X0 0000000000000001\n";
    let (ran, wave) = dump(trace, &["--use-tarmac-timestamps"]);
    assert!(
        ran.err
            .contains("1 instruction at the time of the one before"),
        "{ran:?}"
    );
    Sandbox::new()
        .run(&["vcd", "--help"])
        .succeeds()
        .prints("instructions that share a time");
    let stamps: Vec<u64> = wave
        .changes("CPU.PC")
        .iter()
        .map(|(stamp, _)| *stamp)
        .collect();
    assert_eq!(stamps, [7000, 7000, 9000]);
    assert_eq!(wave.end, 10_000);
}

#[test]
fn more_accesses_than_ticks_are_all_written() {
    let mut trace = "1 clk IT (1) 00008000 d503201f O EL1h_n : NOP\n".to_owned();
    (0..2500)
        .for_each(|number| trace.push_str(&format!("1 clk MW4 {:08x} {number:08x}\n", 4 * number)));
    let (ran, wave) = dump(&trace, &[]);
    assert!(
        ran.err
            .contains("1 instruction with more than 1000 accesses"),
        "{ran:?}"
    );
    assert_eq!(wave.changes("CPU.MemData").len(), 2500);
    assert!(
        wave.changes("CPU.MemData")
            .iter()
            .all(|(time, _)| *time < 1000)
    );
}

#[test]
fn every_step_of_a_trace_is_where_its_number_says() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let json = sandbox.json(&["vcd", &trace, "--from", "100", "-o", "whole.vcd"]);
    assert_eq!(
        (&json["file"], &json["steps"]),
        (
            &Value::from("whole.vcd"),
            &Value::from(OVERFLOW_STEPS - 100)
        )
    );
    let written = fs::read_to_string(sandbox.path("whole.vcd")).unwrap();
    assert_eq!(
        (json["bytes"].as_u64(), written.starts_with("$date\n")),
        (Some(written.len() as u64), true)
    );
    let wave = Waveform::read(&written);
    assert_eq!(json["end_tick"], wave.end);
    for step in sandbox.json_lines(&["list", &trace, "--from", "100"]) {
        let pc = format!(
            "{:#x}",
            wave.number_at("CPU.PC", step["step"].as_u64().unwrap() * 1000)
                .unwrap()
        );
        assert_eq!(step["pc"], pc, "{step}");
    }
    for position in [100, 500, 1000, OVERFLOW_STEPS] {
        let at = sandbox.json(&["at", &trace, &position.to_string()]);
        for (name, value) in at["registers"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| name.starts_with('x'))
        {
            let Some(value) = value.as_str() else {
                continue;
            };
            // Before its first step, the dump shows the registers after that step.
            let shown = wave.number_at(&format!("CPU.{name}"), (position.max(101) - 1) * 1000);
            if position > 100 {
                assert_eq!(
                    shown.map(|shown| format!("{shown:#018x}")).as_deref(),
                    Some(value),
                    "{name} at {position}"
                );
            }
        }
    }
}

#[test]
fn a_window_of_the_trace_begins_with_all_that_is_known() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let image = overflow_image();
    sandbox
        .run(&[
            "vcd",
            &trace,
            "--from",
            "1000",
            "--count",
            "5",
            "--no-date",
            "--image",
            &image,
        ])
        .succeeds();
    let wave = Waveform::read(&fs::read_to_string(format!("{trace}.vcd")).unwrap());
    assert_eq!(
        (wave.changes("CPU.PC").first().unwrap().0, wave.end),
        (1_000_000, 1_005_000)
    );
    assert_ne!(wave.at("CPU.Function", 1_000_000), "");
    let at = sandbox.json(&["at", &trace, "1001"]);
    let sp = wave
        .number_at("CPU.xsp", 1_000_000)
        .map(|sp| format!("{sp:#018x}"));
    assert_eq!(at["registers"]["sp"].as_str(), sp.as_deref());
    sandbox
        .run(&[
            "vcd", &trace, "--from", "20", "--to", "10", "-o", "none.vcd",
        ])
        .succeeds()
        .prints("0 steps");
}

#[test]
fn each_cpu_has_a_scope_of_its_own() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    sandbox
        .run(&["vcd", &trace, "--no-date"])
        .succeeds()
        .prints("212 signals");
    let wave = Waveform::read(&fs::read_to_string(format!("{trace}.vcd")).unwrap());
    assert_eq!(wave.scopes(), ["cpu0", "cpu1"]);
    for thread in ["cpu0", "cpu1"] {
        let steps = sandbox.json_lines(&["list", &trace, "--thread", thread]);
        let mut pcs: Vec<&str> = steps
            .iter()
            .map(|step| step["pc"].as_str().unwrap())
            .collect();
        // A loop of one instruction shows no change.
        pcs.dedup();
        let shown = wave.changes(&format!("{thread}.PC")).iter();
        let shown: Vec<String> = shown
            .map(|(_, bits)| format!("{:#x}", u64::from_str_radix(bits, 2).unwrap()))
            .collect();
        assert_eq!(shown, pcs, "{thread}");
    }
}

#[test]
fn diagrams_are_shown_as_scripts_know_them_or_as_the_cpu_reads_them() {
    let trace = "1 tic ES (00008000:e5900000) A svc_s: LDR r0,[r0]\n  LD 00001000 ........ ........ 11223344 ........\n\
                 2 tic ES (00008004:e1c000d0) A svc_s: LDRD r0,[r0]\n  LD 00001000 ........ aabbccdd 11223344 ........\n";
    let (ran, wave) = dump(trace, &[]);
    assert!(ran.err.contains("2 values of LD and ST lines"), "{ran:?}");
    assert_eq!(
        (
            wave.number_at("CPU.MemAddr", 0),
            wave.number_at("CPU.MemData", 0)
        ),
        (Some(0x1004), Some(0x4433_2211))
    );
    let (ran, wave) = dump(trace, &["--exact"]);
    assert_eq!(ran.err, "");
    assert_eq!(wave.number_at("CPU.MemData", 0), Some(0x1122_3344));
    assert_eq!(
        wave.number_at("CPU.MemData", 1000),
        Some(0xaabb_ccdd_1122_3344)
    );
}

#[test]
fn what_cannot_be_printed_is_escaped() {
    let (_, wave) = dump(
        "1 clk IT (1) 00008000 d503201f O EL1h_n : a\\b \u{e9}\x07\n",
        &[],
    );
    assert_eq!(wave.at("CPU.InstAsm", 0), "a\\b \u{e9}\x07");
}

#[test]
fn the_dump_goes_to_standard_output_for_a_dash() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SMALL);
    let ran = sandbox
        .run(&["vcd", &trace, "-o", "-", "--no-date"])
        .succeeds();
    assert_eq!(Waveform::read(&ran.out).end, 5000);
    assert!(!sandbox.path("-").exists());
    sandbox
        .run(&["vcd", &trace, "-o", "-", "--json"])
        .ends_misspelt();
    sandbox
        .run(&["vcd", &trace, "--to", "3", "--count", "3"])
        .ends_misspelt();
}

#[test]
fn a_dump_replaces_only_the_file_that_was_named() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SMALL);
    let dump = sandbox.file("a.tarmac.vcd", "precious");
    sandbox
        .run(&["vcd", &trace])
        .fails_with(&["a.tarmac.vcd exists", "-o"]);
    assert_eq!(fs::read_to_string(&dump).unwrap(), "precious");
    sandbox
        .run(&["vcd", &trace, "-o", "a.tarmac.vcd"])
        .succeeds();
    assert!(fs::read_to_string(&dump).unwrap().starts_with('$'));
}

#[test]
fn no_dump_goes_over_the_trace() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SMALL);
    sandbox
        .run(&["vcd", &trace, "-o", &trace])
        .fails_with(&["overwrite", "a.tarmac"]);
    assert_eq!(fs::read_to_string(&trace).unwrap(), SMALL);
    sandbox
        .run(&["vcd", &trace, "-o", "nowhere/a.vcd"])
        .fails_with(&["nowhere/a.vcd"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["vcd", &trace, "-o", "/dev/full"])
        .fails_with(&["could not be written", "/dev/full"]);
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command
        .args(["vcd", &trace, "-o", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap().as_str()
        ),
        (Some(0), "")
    );
}

#[test]
fn calls_that_never_returned_show_on_request() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let image = overflow_image();
    let functions = |options: &[&str]| -> Vec<String> {
        let target = text(&sandbox.path("a.vcd"));
        sandbox
            .run(
                &[
                    &["vcd", &trace, "--image", &image, "-o", &target][..],
                    options,
                ]
                .concat(),
            )
            .succeeds();
        let wave = Waveform::read(&fs::read_to_string(&target).unwrap());
        wave.changes("CPU.Function")
            .iter()
            .map(|(_, name)| name.clone())
            .collect()
    };
    let (returned, all) = (functions(&[]), functions(&["--exact"]));
    assert!(
        returned.iter().all(|name| name != "dispatch") && all.contains(&"dispatch".to_owned()),
        "{all:?}"
    );
    assert!(returned.len() < all.len());
}

/// Returns the demo's image, in which `memset` is another name of `hash_str`.
fn image_with_an_alias() -> Vec<u8> {
    let mut bytes = fs::read(overflow_image()).unwrap();
    let elf = goblin::elf::Elf::parse(&bytes).unwrap();
    let table = elf
        .section_headers
        .iter()
        .find(|section| section.sh_type == goblin::elf::section_header::SHT_SYMTAB);
    let start = usize::try_from(table.unwrap().sh_offset).unwrap();
    // An entry has 24 bytes; the last 16 are the symbol's address and size (ELF-64 object file
    // format, symbol table).
    let place_of = |name: &str| {
        let number = elf
            .syms
            .iter()
            .position(|symbol| elf.strtab.get_at(symbol.st_name) == Some(name))
            .unwrap();
        start + number * 24 + 8..start + number * 24 + 24
    };
    let (from, to) = (place_of("hash_str"), place_of("memset"));
    bytes.copy_within(from, to.start);
    bytes
}

#[test]
fn functions_with_several_names_have_the_same_one_in_all_reports() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let image = sandbox.file("alias.elf", image_with_an_alias());
    let tree = sandbox
        .run(&["calltree", &trace, "--image", &image])
        .succeeds();
    sandbox
        .run(&["vcd", &trace, "--no-date", "--image", &image])
        .succeeds();
    let dump = fs::read_to_string(format!("{trace}.vcd")).unwrap();
    assert!(
        tree.out.contains(": hash_str\n")
            && dump.contains("shash\\137str ") | dump.contains("shash_str "),
        "{tree:?}"
    );
    assert!(!tree.out.contains("memset") && !dump.contains("smemset "));
}
