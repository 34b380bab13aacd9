//! Findings of `check` in each real trace: only actual defects of the trace.
//!
//! The traces are in the folder that `STEPBACK_TRACES` names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::support::Sandbox;

/// Folders of traces stored as files, and the extensions to test. Other files hold the same
/// records.
const FOLDERS: [(&str, &[&str]); 5] = [
    ("tarmac", &["tarmac", "tarmac.zst"]),
    ("pairs", &["tarmac.zst"]),
    ("slices", &["tarmac.zst"]),
    ("rst", &["rst", "rst.zst"]),
    ("btrace", &["btf"]),
];

/// Traces stored as folders.
const RECORDED: [&str; 8] = [
    "drmemtrace/crash",
    "drmemtrace/threads4",
    "drmemtrace/tiny",
    "drmemtrace-truth/t_crash4",
    "drmemtrace-truth/t_spin1",
    "drmemtrace-truth/t_stores",
    "drmemtrace-truth/t_true",
    "drmemtrace/dynamorio-samples/drmemtrace.threadsig.x64.tracedir",
];

/// Traces with findings, and the number of violations of each rule.
const FOUND: [(&str, &[(&str, u64)]); 11] = [
    // A corrupted return address leads to an address without code.
    ("tarmac/own/overflow_bare.tiny.tarmac", &[("bad-ending", 1)]),
    (
        "tarmac/own/overflow_bare.small.tarmac.zst",
        &[("bad-ending", 1)],
    ),
    ("pairs/overflow-patched/a.tarmac.zst", &[("bad-ending", 1)]),
    // The program loads from an address that cannot be mapped.
    ("drmemtrace/crash", &[("bad-ending", 1)]),
    ("drmemtrace-truth/t_crash4", &[("bad-ending", 1)]),
    // The kernel writes the buffers of `prlimit64` and `newfstatat`.
    ("tarmac/lua/lua.tiny.tarmac", &[("memory-outside", 1)]),
    ("tarmac/lua/lua.small.tarmac.zst", &[("memory-outside", 1)]),
    ("pairs/lua-argument/a.tarmac.zst", &[("memory-outside", 3)]),
    ("pairs/lua-argument/b.tarmac.zst", &[("memory-outside", 3)]),
    // Records were lost on purpose.
    ("btrace/hello_gap.btf", &[("B-LOST", 1)]),
    // The recorder was attached to a process that already had its threads.
    (
        "drmemtrace/dynamorio-samples/drmemtrace.threadsig.x64.tracedir",
        &[("thread-without-start", 8)],
    ),
];

/// Maximum file size; longer traces take too long here.
const LONGEST: u64 = 4 << 20;

/// Returns true for traces synthesised from one record of each type.
fn is_made_up(trace: &Path) -> bool {
    trace
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("alltypes"))
}

fn files_of(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
    {
        if entry.is_dir() {
            files_of(&entry, endings, found);
        } else if let Some((_, ending)) =
            entry.file_name().unwrap().to_string_lossy().split_once('.')
        {
            // `overflow_bare.tiny.tarmac` ends in `tarmac`.
            let is_taken = endings
                .iter()
                .any(|taken| ending == *taken || ending.ends_with(&format!(".{taken}")));
            if is_taken && !is_made_up(&entry) && entry.metadata().unwrap().len() <= LONGEST {
                found.push(entry);
            }
        }
    }
}

#[test]
fn real_traces_have_no_findings_but_those_that_are_true() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES").map(PathBuf::from) else {
        return println!("skipped: STEPBACK_TRACES names no folder of traces");
    };
    let mut found: Vec<_> = RECORDED
        .iter()
        .map(|name| traces.join(name))
        .filter(|path| path.exists())
        .collect();
    for (folder, endings) in FOLDERS {
        files_of(&traces.join(folder), endings, &mut found);
    }
    let expected: BTreeMap<&str, &[(&str, u64)]> = FOUND.into_iter().collect();
    let mut wrong = Vec::new();
    for trace in found {
        let sandbox = Sandbox::new();
        let (path, index) = (trace.to_string_lossy().into_owned(), sandbox.path("i.sbi"));
        let findings = sandbox.json_lines(&["check", &path, "--index", &index.to_string_lossy()]);
        let mut rules: Vec<(String, u64)> = findings
            .iter()
            .map(|finding| {
                (
                    finding["rule"].as_str().unwrap().to_owned(),
                    finding["count"].as_u64().unwrap(),
                )
            })
            .collect();
        // Each finding carries the total count of its rule.
        rules.dedup();
        let name = trace
            .strip_prefix(&traces)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let wanted = expected.get(&*name).copied().unwrap_or_default();
        if !rules
            .iter()
            .map(|(rule, count)| (&**rule, *count))
            .eq(wanted.iter().copied())
        {
            wrong.push(format!("{name}: {rules:?}, not {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
