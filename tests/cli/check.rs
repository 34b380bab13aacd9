//! What is wrong with a trace.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::Sandbox;

const RECORD: usize = 24;

fn small() -> Vec<u8> {
    fs::read(fixture("small.rst")).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/rst").join(name)
}

#[test]
fn sound_rst_traces_have_no_findings() {
    let sandbox = Sandbox::new();
    for name in ["small.rst", "small.rz2.gz", "cti.rst", "cti.rz3.gz", "hello.rst.zst", "small_nv.rst.xz"] {
        let trace = sandbox.file(name, fs::read(fixture(name)).unwrap());
        assert_eq!(sandbox.json_lines(&["check", &trace]), [Value::Null; 0], "{name}");
        sandbox.run(&["check", &trace]).succeeds().prints("no findings");
    }
}

#[test]
fn a_finding_names_its_rule_record_and_step() {
    let sandbox = Sandbox::new();
    let mut bytes = small();
    // The fourth instruction, a nop in record 59, gets a reserved bit.
    bytes[58 * RECORD + 1] |= 0x80;
    let trace = sandbox.file("reserved.rst", &bytes);
    let found = sandbox.json(&["check", &trace]);
    let expected = serde_json::json!({
        "rule": "R-G01", "severity": "warning", "message": "reserved bits are not 0",
        "step": 3, "record": 59, "clause": "clause 1a", "count": 1,
    });
    assert_eq!(found, expected);
    let ran = sandbox.run(&["check", &trace]).succeeds();
    ran.prints("warning R-G01, 1 time: reserved bits are 0 (clause 1a)\n").prints("0 errors, 1 warning\n");
}

#[test]
fn the_first_places_are_told_and_all_are_counted() {
    let sandbox = Sandbox::new();
    let mut bytes = small();
    for record in bytes.chunks_mut(RECORD).filter(|record| record[0] == 3) {
        record[1] |= 0x80;
    }
    let trace = sandbox.file("reserved.rst", bytes);
    let found = sandbox.json_lines(&["check", &trace, "--limit", "2"]);
    let told: Vec<_> = found.iter().map(|found| (&found["step"], &found["count"])).collect();
    assert_eq!(told, [(&0.into(), &1744.into()), (&1.into(), &1744.into())]);
    sandbox.run(&["check", &trace]).succeeds().prints("    … and 1,734 more\n");
}

#[test]
fn a_missing_record_breaks_the_path_and_a_cut_file_its_end() {
    let sandbox = Sandbox::new();
    let mut bytes = small();
    bytes.drain(58 * RECORD..59 * RECORD);
    let trace = sandbox.file("missing.rst", &bytes);
    let found = sandbox.json(&["check", &trace]);
    assert_eq!((&found["rule"], &found["record"], &found["step"]), (&"R-P01".into(), &59.into(), &3.into()));
    let trace = sandbox.file("cut.rst", &small()[..60 * RECORD + 5]);
    let rules: Vec<_> = sandbox.json_lines(&["check", &trace]).iter().map(|found| found["rule"].clone()).collect();
    assert_eq!(rules, ["damaged", "R-F01"]);
}

/// The longer ones, where the variable `STEPBACK_TRACES` points at a folder with `rst/` in it.
#[test]
fn long_rst_traces_have_no_findings() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES").map(PathBuf::from) else {
        return println!("skipped: STEPBACK_TRACES names no folder of traces");
    };
    let sandbox = Sandbox::new();
    for name in ["medium.rz2.gz", "medium.rz3.gz", "medium_nv.rst.zst"] {
        let trace = sandbox.file(name, fs::read(traces.join("rst").join(name)).unwrap());
        assert_eq!(sandbox.json_lines(&["check", &trace]), [Value::Null; 0], "{name}");
    }
}
