//! Traces against independent references: `docs/conformance.md`.
//!
//! Each row of the page is a trace, a reference that another program made, and the number of values
//! on which both agree. `UPDATE_CONFORMANCE=1`, with `STEPBACK_TRACES`, writes the page.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

/// Kind of a reference, which decides what is compared.
#[derive(Clone, Copy)]
enum Reference {
    /// Registers and memory of the emulator that ran the program, at sampled steps.
    Emulator,
    /// The same, at steps that the emulator counts from 1: the trace has no lines.
    EmulatorSteps,
    /// Every record, decoded by another program.
    Records,
    /// Address of every executed instruction.
    Path,
    /// Figures of DynamoRIO's basic counts.
    Counts,
}

struct Row {
    format: &'static str,
    producer: &'static str,
    /// Below `fixtures/`, or below the real traces if it begins with `traces/`.
    trace: &'static str,
    reference: Reference,
    file: &'static str,
    /// The program's image, if the trace needs it.
    image: Option<&'static str>,
}

const fn row(
    format: &'static str,
    producer: &'static str,
    trace: &'static str,
    reference: Reference,
    file: &'static str,
) -> Row {
    Row {
        format,
        producer,
        trace,
        reference,
        file,
        image: None,
    }
}

impl Row {
    const fn with_image(self, image: &'static str) -> Self {
        Self {
            image: Some(image),
            ..self
        }
    }

    /// Returns the path of a file of the row. None if it is a real trace and there are none.
    fn path(name: &str) -> Option<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        match name.strip_prefix("traces/") {
            Some(rest) => Some(PathBuf::from(std::env::var_os("STEPBACK_TRACES")?).join(rest)),
            None => Some(root.join("fixtures").join(name)),
        }
    }
}

const EMULATOR: &str = "emulator, style of Fast Models";
const RST: &str = "trace writer of our own, layout of version 2.13";
const STF: &str = "emulator, after the specification";
const BRANCHES: &str = "emulator, records of our own layout";

static ROWS: [Row; 45] = [
    row(
        "Tarmac",
        EMULATOR,
        "overflow_bare.tiny.tarmac",
        Reference::Emulator,
        "golden/overflow_bare.tiny.golden.jsonl",
    ),
    row(
        "Tarmac",
        EMULATOR,
        "recurse.tiny.tarmac",
        Reference::Emulator,
        "golden/recurse.tiny.golden.jsonl",
    ),
    row(
        "Tarmac, Thumb",
        EMULATOR,
        "cm3.tiny.tarmac",
        Reference::Emulator,
        "golden/cm3.tiny.golden.jsonl",
    ),
    row(
        "Tarmac, A32 with VFP",
        EMULATOR,
        "fp32.tiny.tarmac",
        Reference::Emulator,
        "golden/fp32.tiny.golden.jsonl",
    ),
    row(
        "Tarmac, ES lines",
        "emulator, style of RTL",
        "qsort.es.tiny.tarmac",
        Reference::Emulator,
        "golden/qsort.es.tiny.golden.jsonl",
    ),
    row(
        "RST",
        RST,
        "rst/small.rst",
        Reference::Records,
        "rst/small.golden.jsonl.zst",
    ),
    row(
        "RST",
        RST,
        "rst/cti.rst",
        Reference::Records,
        "rst/cti.golden.jsonl.zst",
    ),
    row(
        "RST, every record type",
        RST,
        "rst/alltypes.rst",
        Reference::Records,
        "rst/alltypes.golden.jsonl",
    ),
    row(
        "RST, zstd",
        RST,
        "rst/hello.rst.zst",
        Reference::Records,
        "rst/hello.golden.jsonl.zst",
    ),
    row(
        "RST without values, xz",
        RST,
        "rst/small_nv.rst.xz",
        Reference::Records,
        "rst/small_nv.golden.jsonl.zst",
    ),
    row(
        "RST, rstzip 2",
        "the original rstzip 2",
        "rst/small.rz2.gz",
        Reference::Records,
        "rst/small.golden.jsonl.zst",
    ),
    row(
        "RST, rstzip 3",
        "the original rstzip 3",
        "rst/small.rz3.gz",
        Reference::Records,
        "rst/small.golden.jsonl.zst",
    ),
    row(
        "RST, rstzip 3",
        "the original rstzip 3",
        "rst/cti.rz3.gz",
        Reference::Records,
        "rst/cti.golden.jsonl.zst",
    ),
    row(
        "Btrace",
        BRANCHES,
        "btrace/hello.btf",
        Reference::Path,
        "btrace/hello.pcpath.zst",
    )
    .with_image("btrace/hello.elf"),
    row(
        "Btrace",
        BRANCHES,
        "btrace/cti.btf",
        Reference::Path,
        "btrace/cti.pcpath",
    )
    .with_image("btrace/cti.elf"),
    row(
        "STF",
        STF,
        "stf/rvtiny.stf",
        Reference::EmulatorSteps,
        "stf/rvtiny.golden.jsonl.zst",
    ),
    row(
        "STF, zstf",
        STF,
        "stf/rvtiny.zstf",
        Reference::EmulatorSteps,
        "stf/rvtiny.golden.jsonl.zst",
    ),
    row(
        "RISC-V log",
        "Spike, June 2026",
        "logs/rvtiny.spike.log.zst",
        Reference::Emulator,
        "logs/rvtiny.spike.golden.jsonl.zst",
    ),
    row(
        "RISC-V log, traps",
        "Spike, June 2026",
        "logs/rvtrap.spike.log.zst",
        Reference::Emulator,
        "logs/rvtrap.spike.golden.jsonl.zst",
    ),
    row(
        "RISC-V log, RV32",
        "emulator, style of Ibex",
        "logs/rv32tiny.ibex.log.zst",
        Reference::Emulator,
        "logs/rv32tiny.ibex.golden.jsonl.zst",
    ),
    row(
        "RISC-V log, RV32",
        "emulator, style of whisper",
        "logs/rv32tiny.whisper.log.zst",
        Reference::Emulator,
        "logs/rv32tiny.whisper.golden.jsonl.zst",
    ),
    row(
        "RISC-V log",
        "emulator, style of Rocket",
        "logs/rvtiny.rocket.log.zst",
        Reference::Emulator,
        "logs/rvtiny.rocket.golden.jsonl.zst",
    ),
    row(
        "RISC-V log",
        "emulator, style of Sail",
        "logs/rvtiny.sail.log.zst",
        Reference::Emulator,
        "logs/rvtiny.sail.golden.jsonl.zst",
    ),
    row(
        "QEMU execlog, x86-64",
        "QEMU 10.0.2",
        "logs/qmix.x86_64.execlog.log.zst",
        Reference::Emulator,
        "logs/qmix.x86_64.execlog.golden.jsonl.zst",
    ),
    row(
        "QEMU log, AArch64",
        "QEMU 10.0.2",
        "logs/qmix.aarch64.dcpu.log.zst",
        Reference::Emulator,
        "logs/qmix.aarch64.dcpu.golden.jsonl.zst",
    ),
    row(
        "Tenet, x86-64",
        "tracer of our own on Unicorn",
        "logs/qmix.x86_64.tenet.log.zst",
        Reference::Emulator,
        "logs/qmix.x86_64.tenet.golden.jsonl.zst",
    ),
    row(
        "Tenet, AArch64",
        "tracer of our own on Unicorn",
        "logs/qmix.aarch64.tenet.log.zst",
        Reference::Emulator,
        "logs/qmix.aarch64.tenet.golden.jsonl.zst",
    ),
    row(
        "RISC-V log, RV32",
        "Spike, June 2026",
        "traces/riscv/rv32mix.spike.log.zst",
        Reference::Emulator,
        "traces/riscv/rv32mix.spike.golden.jsonl.zst",
    ),
    row(
        "RISC-V log",
        "Spike, June 2026",
        "traces/riscv/rvsort.spike.log.zst",
        Reference::Emulator,
        "traces/riscv/rvsort.spike.golden.jsonl.zst",
    ),
    row(
        "RISC-V log",
        "Spike, June 2026",
        "traces/riscv/rvover.commit.log.zst",
        Reference::Emulator,
        "traces/riscv/rvover.commit.golden.jsonl.zst",
    ),
    row(
        "RISC-V log",
        "emulator, style of Spike 2017",
        "traces/riscv/rvtiny.spike-2017.log.zst",
        Reference::Emulator,
        "traces/riscv/rvtiny.spike-2017.golden.jsonl.zst",
    ),
    row(
        "RISC-V log",
        "emulator, style of Spike 2019",
        "traces/riscv/rvtiny.spike-2019.log.zst",
        Reference::Emulator,
        "traces/riscv/rvtiny.spike-2019.golden.jsonl.zst",
    ),
    row(
        "RISC-V log",
        "emulator, style of CVA6",
        "traces/riscv/rvtiny.cva6.log.zst",
        Reference::Emulator,
        "traces/riscv/rvtiny.cva6.golden.jsonl.zst",
    ),
    row(
        "RISC-V log",
        "emulator, style of Dromajo",
        "traces/riscv/rvtiny.dromajo.log.zst",
        Reference::Emulator,
        "traces/riscv/rvtiny.dromajo.golden.jsonl.zst",
    ),
    row(
        "RISC-V log, CSV",
        "emulator, style of whisper",
        "traces/riscv/rvtiny.whisper-csv.log.zst",
        Reference::Emulator,
        "traces/riscv/rvtiny.whisper-csv.golden.jsonl.zst",
    ),
    row(
        "RISC-V log, RV32",
        "emulator, style of CV32E40P",
        "traces/riscv/rv32tiny.cv32e40p.log.zst",
        Reference::Emulator,
        "traces/riscv/rv32tiny.cv32e40p.golden.jsonl.zst",
    ),
    row(
        "QEMU execlog, AArch64",
        "QEMU 10.0.2",
        "traces/qemu/qmix.aarch64.execlog.log.zst",
        Reference::Emulator,
        "traces/qemu/qmix.aarch64.execlog.golden.jsonl.zst",
    ),
    row(
        "QEMU execlog, Arm",
        "QEMU 10.0.2",
        "traces/qemu/qmix.arm.execlog.log.zst",
        Reference::Emulator,
        "traces/qemu/qmix.arm.execlog.golden.jsonl.zst",
    ),
    row(
        "QEMU execlog, RISC-V",
        "QEMU 10.0.2",
        "traces/qemu/qmix.riscv64.execlog.log.zst",
        Reference::Emulator,
        "traces/qemu/qmix.riscv64.execlog.golden.jsonl.zst",
    ),
    row(
        "drmemtrace 7, x86-64",
        "DynamoRIO",
        "traces/drmemtrace/tiny",
        Reference::Counts,
        "traces/drmemtrace/tiny/expected/basic_counts.txt",
    ),
    row(
        "drmemtrace 7, threads",
        "DynamoRIO",
        "traces/drmemtrace/threads4",
        Reference::Counts,
        "traces/drmemtrace/threads4/expected/basic_counts.txt",
    ),
    row(
        "drmemtrace 7, signals",
        "DynamoRIO",
        "traces/drmemtrace/crash",
        Reference::Counts,
        "traces/drmemtrace/crash/expected/basic_counts.txt",
    ),
    row(
        "drmemtrace 7, gzip",
        "DynamoRIO",
        "traces/drmemtrace/tiny_gzip",
        Reference::Counts,
        "traces/drmemtrace/tiny/expected/basic_counts.txt",
    ),
    row(
        "drmemtrace 7, LZ4",
        "DynamoRIO",
        "traces/drmemtrace/tiny_lz4",
        Reference::Counts,
        "traces/drmemtrace/tiny/expected/basic_counts.txt",
    ),
    row(
        "drmemtrace 7, plain",
        "DynamoRIO",
        "traces/drmemtrace/tiny_none",
        Reference::Counts,
        "traces/drmemtrace/tiny/expected/basic_counts.txt",
    ),
];

/// Numbers of compared and of equal values, and the first difference.
#[derive(Default)]
struct Agreement {
    equal: u64,
    compared: u64,
    first_difference: Option<String>,
}

impl Agreement {
    fn compare(&mut self, what: impl Fn() -> String, ours: &str, theirs: &str) {
        self.compared += 1;
        if ours == theirs {
            self.equal += 1;
        } else if self.first_difference.is_none() {
            self.first_difference = Some(format!("{}: {ours} instead of {theirs}", what()));
        }
    }
}

/// The program on a copy of a trace.
struct Opened {
    folder: TempDir,
    trace: PathBuf,
}

impl Opened {
    fn new(row: &Row) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let name = row.trace.rsplit('/').next().unwrap();
        let mut trace = Row::path(row.trace)?;
        // Real traces are only read: their index goes elsewhere.
        if trace.is_file() {
            let copy = folder.path().join(name);
            fs::copy(&trace, &copy).unwrap();
            trace = copy;
        }
        if let Some(image) = row.image {
            let image = Row::path(image)?;
            fs::copy(&image, folder.path().join(image.file_name().unwrap())).unwrap();
        }
        Some(Self { folder, trace })
    }

    /// Returns what a command prints about the trace.
    fn answer(&self, command: &str, arguments: &[&str]) -> String {
        let index = self.folder.path().join("index.sbi");
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_stepback"))
            .env("HOME", self.folder.path())
            .args([command, self.trace.to_str().unwrap(), "--quiet", "--index"])
            .arg(index)
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{command} {arguments:?}: {output:?}"
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn json_lines(&self, command: &str, arguments: &[&str]) -> Vec<Value> {
        let text = self.answer(command, &[arguments, &["--json"]].concat());
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

fn reference_text(row: &Row) -> String {
    let bytes = fs::read(Row::path(row.file).unwrap()).unwrap();
    let bytes = match row.file.ends_with(".zst") {
        true => zstd::decode_all(&*bytes).unwrap(),
        false => bytes,
    };
    String::from_utf8(bytes).unwrap()
}

fn agreement(row: &Row, trace: &Opened) -> Agreement {
    let mut agreement = Agreement::default();
    let reference = reference_text(row);
    match row.reference {
        Reference::Emulator => compare_states(trace, &reference, "last_line", &mut agreement),
        Reference::EmulatorSteps => compare_states(trace, &reference, "idx", &mut agreement),
        Reference::Records => compare_records(trace, &reference, &mut agreement),
        Reference::Path => {
            // Steps after the last record of a thread are a guess, which may go on too long.
            let steps = trace.json_lines("list", &[]);
            let path: Vec<&str> = reference.lines().collect();
            assert!(steps.len() >= path.len(), "{}", row.trace);
            for (number, (step, line)) in steps.iter().zip(path).enumerate() {
                let address =
                    u64::from_str_radix(step["pc"].as_str().unwrap().trim_start_matches("0x"), 16)
                        .unwrap();
                let ours = match step["executed"].as_bool().unwrap() {
                    true => format!("{address:016x}"),
                    false => format!("{address:016x} A"),
                };
                agreement.compare(|| format!("step {number}"), &ours, line);
            }
        }
        Reference::Counts => {
            let (ours, theirs) = (figures(&trace.answer("counts", &[])), figures(&reference));
            for (name, figure) in theirs {
                let ours = ours.get(&name).map_or("", String::as_str);
                agreement.compare(|| name.clone(), ours, &figure);
            }
        }
    }
    agreement
}

/// Returns the figures below `Total counts:` by name.
fn figures(text: &str) -> BTreeMap<String, String> {
    let lines = text
        .lines()
        .skip_while(|line| !line.starts_with("Total counts"))
        .skip(1);
    let lines = lines.take_while(|line| line.starts_with(' '));
    let figure = |line: &str| {
        let (number, name) = line.trim().split_once(' ').unwrap();
        (name.to_owned(), number.to_owned())
    };
    lines.map(figure).collect()
}

/// Compares the registers and memory that the emulator knew after sampled instructions and that the
/// trace has shown by then. `place` is the field with the place of a sample: `last_line`, or `idx`,
/// which is also the position after the step.
fn compare_states(trace: &Opened, reference: &str, place: &str, agreement: &mut Agreement) {
    for line in reference.lines() {
        let sample: Value = serde_json::from_str(line).unwrap();
        let cells: Vec<&Value> = sample["mem"].as_array().unwrap().iter().collect();
        let ranges: Vec<String> = cells
            .iter()
            .map(|cell| {
                format!(
                    "0x{}:{}",
                    text(&cell["addr"]),
                    text(&cell["bytes"]).len() / 2
                )
            })
            .collect();
        let position = match place {
            "last_line" => format!("line:{}", sample[place]),
            _ => sample[place].to_string(),
        };
        let mut arguments = vec![&*position, "--regs"];
        for range in &ranges {
            arguments.extend(["--mem", range]);
        }
        let state = &trace.json_lines("at", &arguments)[0];
        for (name, known) in sample["regs"].as_object().unwrap() {
            if known[3] != 1 {
                continue;
            }
            // The emulator's names of the status register and of vector registers.
            let name = name.to_lowercase();
            let name = match name.strip_prefix('q') {
                _ if name == "cpsr" => "psr".to_owned(),
                Some(number) => format!("v{number}"),
                None => name,
            };
            let registers = &state["registers"];
            let ours = match &registers[&name] {
                // The link register of M-profile has no banks.
                Value::Null if name == "r14" => &registers["lr"],
                Value::Null => &registers[general_name(&name)],
                ours => ours,
            };
            let ours = text(ours).trim_start_matches("0x").to_owned();
            agreement.compare(
                || format!("{name} at {position}"),
                &ours,
                &text(&known[0]).to_lowercase(),
            );
        }
        for (cell, ours) in cells.iter().zip(state["memory"].as_array().unwrap()) {
            let (bytes, seen, by_system) = (
                text(&cell["bytes"]),
                text(&cell["seen"]),
                text(&cell["sys"]),
            );
            for (place, ours) in text(&ours["bytes"]).split(' ').enumerate() {
                if seen.as_bytes()[place] == b'1' && by_system.as_bytes()[place] == b'0' {
                    let theirs = &bytes[2 * place..2 * place + 2];
                    agreement.compare(
                        || format!("{} + {place} at {position}", cell["addr"]),
                        ours,
                        theirs,
                    );
                }
            }
        }
    }
}

/// Returns the name by the calling convention of a general register of RISC-V, which the emulator
/// names by its number; any other name unchanged.
fn general_name(name: &str) -> &str {
    const NAMES: [&str; 32] = [
        "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
        "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
        "t5", "t6",
    ];
    let number = name
        .strip_prefix('x')
        .and_then(|number| number.parse().ok());
    let named = number.and_then(|number: usize| NAMES.get(number));
    named.copied().unwrap_or(name)
}

/// Compares every field of every record.
fn compare_records(trace: &Opened, reference: &str, agreement: &mut Agreement) {
    let ours = trace.json_lines("list", &["--records"]);
    let theirs: Vec<Value> = reference
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    agreement.compare(
        || "records".to_owned(),
        &ours.len().to_string(),
        &theirs.len().to_string(),
    );
    for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        for (name, value) in theirs.as_object().unwrap() {
            // Padding is not printed, and rstzip 2 does not keep this flag.
            let is_lost = name == "postInstr" && trace.trace.to_string_lossy().contains("rz2");
            let own = match name.as_str() {
                "type" => ours["kind"].clone(),
                "cpuid" => Value::from(cpu_number(&ours["thread"])),
                name => ours["fields"][name].clone(),
            };
            if name != "i" && !own.is_null() && !is_lost {
                agreement.compare(
                    || format!("{name} of record {}", number + 1),
                    &decimal(&own),
                    &decimal(value),
                );
            }
        }
    }
}

/// Returns the number of a thread `cpu1`; none if a record has no processor.
fn cpu_number(thread: &Value) -> Option<u64> {
    thread.as_str()?.strip_prefix("cpu")?.parse().ok()
}

/// Formats a value, numbers in hexadecimal as decimal ones.
fn decimal(value: &Value) -> String {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x"));
    let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    number.map_or_else(|| value.to_string(), |number| number.to_string())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the row of the page, or none without the trace. Adds differences to `wrong`.
fn line_of(row: &Row, wrong: &mut Vec<String>) -> Option<String> {
    let trace = Opened::new(row)?;
    let steps = trace.json_lines("info", &[])[0]["steps"].clone();
    let found = agreement(row, &trace);
    if let Some(difference) = &found.first_difference {
        wrong.push(format!(
            "{}: {} of {} are equal: {difference}",
            row.trace, found.equal, found.compared
        ));
    }
    assert!(found.compared > 1, "{}", row.trace);
    let what = match row.reference {
        Reference::Emulator | Reference::EmulatorSteps => "registers and memory of the emulator",
        Reference::Records => "records decoded by another program",
        Reference::Path => "the path that was executed",
        Reference::Counts => "DynamoRIO's basic counts",
    };
    Some(format!(
        "| {} | {} | `{}` | {steps} | {what} | {} of {} |",
        row.format, row.producer, row.trace, found.equal, found.compared
    ))
}

const HEAD: &str = "\
# Conformance

Each trace is compared with a reference that another program made: the emulator that ran the program, another decoder of
the format, or the tools of its producer. The last column counts the values on which both agree.

Traces below `traces/` are real recordings, too large for the repository; they are compared if `STEPBACK_TRACES` names
their folder. The page is written and checked by `tests/conformance`.

| format | producer | trace | steps | reference | equal values |
|---|---|---|---|---|---|
";

#[test]
fn real_traces_and_fixtures_agree_with_their_references() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/conformance.md");
    let mut wrong = Vec::new();
    let lines: Vec<_> = ROWS
        .iter()
        .map(|row| (row, line_of(row, &mut wrong)))
        .collect();
    assert!(
        wrong.is_empty(),
        "{}",
        wrong.join(
            "
"
        )
    );
    if std::env::var_os("UPDATE_CONFORMANCE").is_some() {
        let lines: Vec<_> = lines.iter().filter_map(|(_, line)| line.clone()).collect();
        fs::write(&page, format!("{HEAD}{}\n", lines.join("\n"))).unwrap();
        return;
    }
    let written = fs::read_to_string(&page).unwrap();
    for (row, line) in lines {
        match line {
            Some(line) => assert!(
                written.contains(&line),
                "not in docs/conformance.md: {line}"
            ),
            None => println!("skipped: {}: STEPBACK_TRACES is not set", row.trace),
        }
    }
}
