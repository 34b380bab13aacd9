//! `stepback export`.

use std::fs::{self, File};
use std::path::Path;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use serde_json::Value;

use crate::cli::support::{OVERFLOW, OVERFLOW_STEPS, Sandbox, fixture_path, text};

/// A state before the first step, accesses with and without a value, a part of a register, an
/// instruction that is not executed and one that is overwritten.
const SMALL: &str = "\
0 clk R X0 00000000000000aa
1 clk IT (1) 00008000 f9400020 O EL1h_n : LDR      x0,[x1] ; here
1 clk MR8 00001000 00000000_00000007
1 clk R X0 0000000000000007
2 clk IT (2) 00008004 a9000441 O EL1h_n : STP x1,x1,[x2]
2 clk MW8 00002000 xxxxxxxxxxxxxxxx
2 clk MW8 00002008 00000000_00000009
3 clk IS (3) 00008008 54000040 O EL1h_n : B.EQ 0x8010
4 clk IT (4) 0000800c 17fffffd O EL1h_n : B 0x8000
5 clk IT (5) 00008000 d503201f O EL1h_n : NOP
5 clk R X3 --------11223344
5 clk R V1 00000000000000010000000000000002
";

/// Returns the rows of a table, as the library prints them, file by file.
fn rows(dataset: &Path, table: &str, run: &str) -> Vec<String> {
    let folder = dataset.join(table).join(format!("run={run}"));
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.iter().flat_map(|file| file_rows(file)).collect()
}

fn file_rows(file: &Path) -> Vec<String> {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| row.unwrap().to_string()).collect()
}

fn export(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let dataset = text(&sandbox.path("d"));
    sandbox.json(&[&["export", "--parquet", &dataset][..], arguments].concat())
}

#[test]
fn the_tables_hold_what_the_trace_records() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a b.tarmac", SMALL);
    let summary = export(&sandbox, &[&trace]);
    assert_eq!(summary["run"], "a-b");
    let dataset = sandbox.path("d");
    let table = |name| rows(&dataset, name, "a-b");
    let step = |step: u64, line: u64, pc: u64, variant: u64, executed: bool| {
        let time = step + 1;
        format!(
            "{{step: {step}, thread: \"cpu0\", time: {time}, line: {line}, pc: {pc}, variant: {variant}, executed: {executed}, depth: 0, call: 0, provenance: \"recorded\"}}"
        )
    };
    let expected = [
        step(0, 2, 0x8000, 0, true),
        step(1, 5, 0x8004, 0, true),
        step(2, 8, 0x8008, 0, false),
        step(3, 9, 0x800c, 0, true),
        step(4, 10, 0x8000, 1, true),
    ];
    assert_eq!(table("steps"), expected);
    let write = |step: &str, nth: u32, rest: &str| {
        format!(
            "{{step: {step}, late: 0, nth: {nth}, thread: \"cpu0\", {rest}, provenance: \"recorded\"}}"
        )
    };
    let expected = [
        write(
            "null",
            0,
            "register: \"x0\", first_bit: 0, bits: 64, value: 170, wide: null",
        ),
        write(
            "0",
            1,
            "register: \"x0\", first_bit: 0, bits: 64, value: 7, wide: null",
        ),
        write(
            "4",
            0,
            "register: \"x3\", first_bit: 0, bits: 32, value: 287454020, wide: null",
        ),
        write(
            "4",
            1,
            "register: \"v1\", first_bit: 0, bits: 128, value: null, wide: [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]",
        ),
    ];
    assert_eq!(table("register_writes"), expected);
    let access = |step: u64, nth: u32, rest: &str, source: &str| {
        format!(
            "{{step: {step}, late: 0, nth: {nth}, thread: \"cpu0\", {rest}, external: false, provenance: \"{source}\"}}"
        )
    };
    let expected = [
        access(
            0,
            0,
            "kind: \"read\", address: 4096, size: 8, value: 7",
            "recorded",
        ),
        access(
            1,
            0,
            "kind: \"write\", address: 8192, size: 8, value: null",
            "unknown",
        ),
        access(
            1,
            1,
            "kind: \"write\", address: 8200, size: 8, value: 9",
            "recorded",
        ),
    ];
    assert_eq!(table("accesses"), expected);
    assert_eq!(table("pcs").len(), 5);
    assert_eq!(
        table("threads"),
        ["{thread: \"cpu0\", process: null, steps: 5}"]
    );
    assert_eq!((table("runs").len(), table("markers").len()), (1, 0));
}

/// Returns the names and bytes of all files in a folder.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(contents(&path)),
            false => found.push((text(&path), fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn a_second_run_leaves_the_first_as_it_is() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let dataset = sandbox.path("d");
    export(&sandbox, &[&trace, "--run", "one", "--sorted"]);
    let before = contents(&dataset);
    export(&sandbox, &[&trace, "--run", "two"]);
    let after = contents(&dataset);
    assert!(before.iter().all(|file| after.contains(file)));
    assert_eq!(rows(&dataset, "steps", "two").len() as u64, OVERFLOW_STEPS);
    let again = ["export", &trace, "--parquet", "d", "--run", "one"];
    let refused = sandbox.run(&again);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("already has a run one"), "{refused:?}");
    // A run is replaced as a whole: its sorted tables go too.
    sandbox
        .run(&[&again[..], &["--replace"]].concat())
        .succeeds();
    assert!(!dataset.join("accesses_by_address/run=one").exists());
    assert_eq!(rows(&dataset, "runs", "one").len(), 1);
}

#[test]
fn equal_traces_give_equal_files() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let files = ["1", "2"].map(|threads| {
        let name = format!("d{threads}");
        let arguments = [
            "export",
            &trace,
            "--parquet",
            &name,
            "--sorted",
            "--threads",
            threads,
        ];
        sandbox.run(&arguments).succeeds();
        let files = contents(&sandbox.path(&name));
        files.into_iter().map(|file| file.1).collect::<Vec<_>>()
    });
    assert!(files[0] == files[1]);
}

#[test]
fn sorted_tables_have_the_same_rows_in_the_order_of_cells() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    export(&sandbox, &[&trace, "--run", "a", "--sorted"]);
    let dataset = sandbox.path("d");
    for (table, sorted, cell) in [
        ("accesses", "accesses_by_address", "address: "),
        (
            "register_writes",
            "register_writes_by_register",
            "register: ",
        ),
    ] {
        let mut rows_of_table = rows(&dataset, table, "a");
        let mut rows_by_cell = rows(&dataset, sorted, "a");
        let value = |row: &String, name: &str| {
            let rest = &row[row.find(name).unwrap() + name.len()..];
            rest[..rest.find(',').unwrap()].to_owned()
        };
        let key = |row: &String| {
            let cell = value(row, cell);
            let number = cell.parse().unwrap_or(0u64);
            let step: Option<u64> = value(row, "step: ").parse().ok();
            (number, cell, step)
        };
        assert!(rows_by_cell.is_sorted_by_key(key), "{table}");
        rows_of_table.sort();
        rows_by_cell.sort();
        assert!(rows_of_table == rows_by_cell, "{table}");
    }
}

#[test]
fn a_trace_without_values_exports_none() {
    let sandbox = Sandbox::new();
    let trace = text(&fixture_path("drmemtrace/plain"));
    export(&sandbox, &[&trace, "--run", "a", "--index", "a.sbi"]);
    let accesses = rows(&sandbox.path("d"), "accesses", "a");
    assert!(!accesses.is_empty());
    let is_unknown =
        |row: &String| row.contains("value: null") && row.contains("provenance: \"unknown\"");
    assert!(accesses.iter().all(is_unknown));
    // The table exists, so that a query over it finds its columns.
    assert!(rows(&sandbox.path("d"), "register_writes", "a").is_empty());
}

#[test]
fn a_vector_register_has_one_name() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "a.tarmac",
        "1 clk IT (1) 00008000 d503201f O EL1h_n : NOP\n\
         1 clk R Z1 0000000000000000000000000000000000000000000000000000000000000001\n\
         1 clk R V1 00000000000000010000000000000002\n",
    );
    export(&sandbox, &[&trace, "--run", "a"]);
    let writes = rows(&sandbox.path("d"), "register_writes", "a");
    assert_eq!(writes.len(), 2);
    assert!(
        writes.iter().all(|row| row.contains("register: \"v1\"")),
        "{writes:?}"
    );
}

#[test]
fn folders_of_others_in_the_dataset_stay() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SMALL);
    let other = sandbox.path("d/features/run=a");
    fs::create_dir_all(&other).unwrap();
    export(&sandbox, &[&trace, "--run", "a"]);
    export(&sandbox, &[&trace, "--run", "a", "--replace"]);
    assert!(other.exists());
}

#[test]
fn of_several_exports_of_one_run_one_is_kept() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox.run(&["index", &trace]).succeeds();
    let arguments = ["export", &trace, "--parquet", "d", "--run", "a", "--quiet"];
    let exports: Vec<_> = (0..4)
        .map(|_| {
            let mut export = sandbox.process(&arguments);
            export.stderr(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    let codes = exports
        .into_iter()
        .map(|mut export| export.wait().unwrap().code());
    let mut codes: Vec<_> = codes.collect();
    codes.sort();
    assert_eq!(codes, [Some(0), Some(2), Some(2), Some(2)]);
    assert_eq!(
        rows(&sandbox.path("d"), "steps", "a").len() as u64,
        OVERFLOW_STEPS
    );
}

#[test]
fn names_that_engines_would_misread_are_refused() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SMALL);
    let arguments = ["export", &trace, "--parquet", "d", "--run", "a/b"];
    let refused = sandbox.run(&arguments);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("not a name for a run"), "{refused:?}");
    assert!(!sandbox.path("d").exists());
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SMALL);
    sandbox
        .run(&["export", &trace, "--parquet", &trace])
        .fails_with(&["a.tarmac: the dataset could not be written"]);
}
