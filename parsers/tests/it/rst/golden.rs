//! Every field of every record, compared with an independent decoder.

use super::{content, fixture, json};

/// Compares a trace in several forms with one list of its records.
#[track_caller]
fn check(golden: &str, traces: &[&str]) {
    let golden = String::from_utf8(content(&fixture(golden))).unwrap();
    // The list numbers records from 0, under another key.
    let expected = golden.lines().enumerate().map(|(number, line)| {
        let rest = line.strip_prefix(&format!("{{\"i\": {number}")).unwrap();
        format!("{{\"record\": {}{rest}", number + 1)
    });
    let expected: Vec<_> = expected.collect();
    for trace in traces {
        let found = json(&fixture(trace));
        assert_eq!(found.lines().count(), expected.len(), "{trace}");
        for (found, expected) in found.lines().zip(&expected) {
            assert_eq!(found, expected, "{trace}");
        }
    }
}

#[test]
fn every_type_of_record_has_its_fields() {
    check("alltypes.golden.jsonl", &["alltypes.rst"]);
}

#[test]
fn records_are_the_same_whatever_packs_them() {
    check("cti.golden.jsonl.zst", &["cti.rst", "cti.rz3.gz"]);
    check("hello.golden.jsonl.zst", &["hello.rst.zst", "hello.rz3.gz"]);
    check("small.golden.jsonl.zst", &["small.rst", "small.rz3.gz"]);
    check(
        "small_nv.golden.jsonl.zst",
        &["small_nv.rst.xz", "small_nv.rz2.gz", "small_nv.rz3.gz"],
    );
}
