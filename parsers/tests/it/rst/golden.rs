//! Every field of every record, compared with an independent decoder.

use super::{content, fixture, json};

/// Compares a trace in several forms with one list of its records.
#[track_caller]
fn check(golden: &str, traces: &[&str]) {
    let golden = String::from_utf8(content(&fixture(golden))).unwrap();
    let expected: Vec<_> = golden.lines().collect();
    for trace in traces {
        let found = json(&fixture(trace));
        assert_eq!(found.lines().count(), expected.len(), "{trace}");
        for ((number, found), expected) in found.lines().enumerate().zip(&expected) {
            assert_eq!(in_golden_form(number, found), *expected, "{trace}");
        }
    }
}

/// Returns a record as the list has it: numbered from 0, fields next to the kind, and numbers below
/// 2^32 as numbers whatever the width of the field.
fn in_golden_form(number: usize, line: &str) -> String {
    let line = line
        .replacen(
            &format!("\"record\":{}", number + 1),
            &format!("\"i\":{number}"),
            1,
        )
        .replacen("\"kind\":", "\"type\":", 1)
        .replacen(",\"thread\":null", "", 1)
        .replacen(",\"fields\":{}", "}", 1)
        .replacen("\"fields\":{", "", 1);
    let line = line.strip_suffix('}').unwrap();
    let mut golden = String::new();
    for (place, part) in line.split(",\"").enumerate() {
        let (name, value) = part.split_once("\":").unwrap();
        let value = match value
            .strip_prefix("\"0x")
            .and_then(|hex| hex.split('"').next())
        {
            Some(hex) if hex.len() <= 8 => {
                let end = value.trim_start_matches(|letter| letter != '}');
                format!("{}{end}", u64::from_str_radix(hex, 16).unwrap())
            }
            _ => value.to_owned(),
        };
        let (name, value) = match value.strip_prefix("\"cpu").filter(|_| name == "thread") {
            Some(cpu) => ("cpuid", cpu.replacen('"', "", 1)),
            None => (name, value),
        };
        let comma = if place > 0 { ", \"" } else { "" };
        golden.push_str(&format!("{comma}{name}\": {value}"));
    }
    golden
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
