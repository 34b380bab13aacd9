//! RST traces.

use std::path::Path;

use serde_json::Value;

use crate::support::Sandbox;

/// A fixture, copied so that what is kept beside it is kept there.
fn put(sandbox: &Sandbox, name: &str) -> String {
    sandbox.file(name, std::fs::read(fixture(name)).unwrap())
}

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rst").join(name)
}

#[test]
fn records_are_listed_with_all_their_fields() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "alltypes.rst");
    let golden = std::fs::read_to_string(fixture("alltypes.golden.jsonl")).unwrap();
    let expected: Vec<Value> = golden.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found = sandbox.json_lines(&["list", &trace, "--records"]);
    assert_eq!(found.len(), expected.len());
    for ((number, found), mut expected) in (1..).zip(&found).zip(expected) {
        let fields = expected.as_object_mut().unwrap();
        fields.remove("i");
        fields.insert("record".to_owned(), number.into());
        assert_eq!(*found, expected);
    }
    let some = sandbox.json_lines(&["list", &trace, "--records", "--from", "r:5", "--count", "2"]);
    assert_eq!(some, found[4..6]);
}

#[test]
fn instructions_stand_beside_their_records() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "small.rz3.gz");
    let text = sandbox.run(&["list", &trace, "--records", "--from", "r:60", "--count", "1"]).out;
    assert!(text.contains("save %sp, -224, %sp"), "{text}");
    let first = &sandbox.json_lines(&["list", &trace, "--records", "--from", "4", "--count", "1"])[0];
    assert_eq!((&first["type"], &first["record"]), (&"INSTR".into(), &60.into()));
}

#[test]
fn registers_are_those_of_the_window() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "small.rst");
    let info = sandbox.json(&["info", &trace]);
    assert_eq!((&info["format"], &info["steps"]), (&"rst".into(), &1744.into()));
    let hit = sandbox.json(&["find", &trace, "last-write", "i0", "--at", "11"]);
    assert_eq!(hit["hit"]["step"], 9, "{hit}");
    let hit = sandbox.json(&["find", &trace, "last-write", "w1.i0", "--at", "11"]);
    assert_eq!(hit["hit"]["step"], 9, "{hit}");
}
