//! Compares the decoded effects of instructions with the actual ones in traces that record all
//! values.
//!
//! Uses small traces from `fixtures/`, and those from the folder `tarmac/` in `STEPBACK_TRACES`.

mod machine;

use std::path::{Path, PathBuf};
use std::process::Command;

use stepback_parsers::{ParseScratch, Source as _, Tarmac};

use machine::{Machine, Report};

fn bytes_of(path: &Path) -> Vec<u8> {
    if path.extension().is_none_or(|extension| extension != "zst") {
        return std::fs::read(path).unwrap();
    }
    let unpacked = Command::new("zstd")
        .arg("-dc")
        .arg(path)
        .output()
        .expect("zstd is needed for packed traces");
    assert!(unpacked.status.success(), "{}", path.display());
    unpacked.stdout
}

/// Checks a trace. Reports the first differences and the number of comparisons.
#[track_caller]
fn check(path: &Path) {
    let tarmac = Tarmac::open(Box::new(bytes_of(path)), Default::default()).unwrap();
    let mut machine = Machine::default();
    tarmac
        .parse(
            0..tarmac.length(),
            &mut ParseScratch::default(),
            &mut machine,
        )
        .unwrap();
    let Report {
        steps,
        values,
        addresses,
        described,
        wrong,
    } = machine.finish();
    eprintln!(
        "{}: {steps} steps, {described} described, {values} values, {addresses} addresses",
        path.display()
    );
    let first: Vec<_> = wrong.iter().take(20).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        first.join("\n")
    );
    assert!(
        values > steps / 4 && addresses > steps / 16,
        "too little was compared"
    );
}

#[test]
fn instructions_do_what_they_are_said_to_in_small_traces() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    for name in [
        "recurse.tiny",
        "overflow_bare.tiny",
        "qsort.es.tiny",
        "fp32.tiny",
        "cm3.tiny",
    ] {
        check(&fixtures.join(format!("{name}.tarmac")));
    }
}

#[test]
fn instructions_do_what_they_are_said_to_in_real_traces() {
    let Some(folder) = std::env::var_os("STEPBACK_TRACES") else {
        eprintln!("skipped: STEPBACK_TRACES names no folder with traces");
        return;
    };
    let tarmac = PathBuf::from(folder).join("tarmac");
    let own = [
        "own/qsort.small.tarmac.zst",
        "own/overflow_bare.small.tarmac.zst",
        "own/recurse.tiny.tarmac",
    ];
    let others = [
        "lua/lua.small.tarmac.zst",
        "arm-samples/calculator-aarch64-fastmodel.tarmac",
    ];
    let narrow = [
        "own/cm3.tiny.tarmac",
        "own/fp32.tiny.tarmac",
        "arm-samples/calculator-aarch32-es-ld-st-style.tarmac",
    ];
    own.iter()
        .chain(&others)
        .chain(&narrow)
        .for_each(|name| check(&tarmac.join(name)));
}
