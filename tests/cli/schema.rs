//! The JSON output against the schemas that `stepback schema` prints.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::cli::support::{AMP, OVERFLOW, Sandbox, copy_tree, fixture_path, overflow_image};

/// Checks the output of a command, which is one value or one per line.
#[track_caller]
fn check(sandbox: &Sandbox, arguments: &[&str]) {
    let schema = sandbox.run(&["schema", arguments[0]]).succeeds().out;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let is_by_line = schema["description"] == "One value per line.";
    let validator = jsonschema::validator_for(&schema).unwrap();
    let answer = sandbox.run(&[arguments, &["--json"]].concat());
    assert!(matches!(answer.code, Some(0)), "{arguments:?}: {answer:?}");
    let lines: Vec<&str> = answer.out.lines().collect();
    assert!(
        is_by_line || arguments[0] == "find" || lines.len() <= 1,
        "{arguments:?}"
    );
    for line in lines {
        let value: Value = serde_json::from_str(line).unwrap();
        let wrong: Vec<_> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(wrong.is_empty(), "{arguments:?}: {wrong:?} in {line}");
    }
}

/// Checks every command that a trace of any format answers.
fn check_all(sandbox: &Sandbox, trace: &str) {
    let commands: &[&[&str]] = &[
        &["info", trace],
        &["index", trace],
        &["list", trace, "--count", "200"],
        &["at", trace, "50%", "--regs", "--stack"],
        &["find", trace, "pc", "4"],
        &["calltree", trace],
        &["profile", trace],
        &["flamegraph", trace],
        &["diff", trace, "10%", "20%"],
        &["effects", trace, "10", "20"],
        &["counts", trace],
        &["check", trace],
        &["threads", trace],
        &["heat", trace],
        &["syscalls", trace],
    ];
    for arguments in commands {
        check(sandbox, arguments);
    }
    // Branch records show no accesses.
    if !trace.ends_with(".btf") {
        check(sandbox, &["find", trace, "next-external", "--all"]);
    }
}

/// Checks every command that a trace with values answers.
fn check_all_with_values(sandbox: &Sandbox, trace: &str) {
    check_all(sandbox, trace);
    check(
        sandbox,
        &["find", trace, "value", "1", "--all", "--limit", "20"],
    );
}

#[test]
fn answers_about_tarmac_fit_their_schemas() {
    let sandbox = Sandbox::new();
    let (trace, image) = (sandbox.fixture(OVERFLOW), overflow_image());
    check_all_with_values(&sandbox, &trace);
    check_all_with_values(&sandbox, &sandbox.fixture(AMP));
    let more: &[&[&str]] = &[
        &[
            "list", &trace, "--image", &image, "--lines", "--count", "20",
        ],
        &[
            "at", &trace, "end", "--mem", "sp:32", "--image", &image, "--stack", "--lines",
        ],
        &["find", &trace, "last-write", "x2"],
        &["find", &trace, "next-write", "x2", "--all", "--stack"],
        &["find", &trace, "text", "STRB", "--all"],
        &["why", &trace, "x2"],
        &["why", &trace, "x2", "--control", "--flags", "--address"],
        &[
            "why",
            &trace,
            "x0",
            "--at",
            "100",
            "--forward",
            "--limit",
            "5",
        ],
        &["calltree", &trace, "--image", &image, "--lines"],
        &["callinfo", &trace, "main", "--image", &image],
        &["effects", &trace, "--call", "1376"],
        &["diff", &trace, "1000", "1200"],
        &["vcd", &trace, "-o", "out.vcd"],
        &["truncate", &trace, "-o", "out.tarmac"],
        &["convert", &trace, "--to", "tarmac-es", "-o", "es.tarmac"],
        &["export", &trace, "--parquet", "dataset", "--replace"],
    ];
    for arguments in more {
        check(&sandbox, arguments);
    }
    let tasks = sandbox.fixture("small/tasks.tarmac");
    check(&sandbox, &["tasks", &tasks]);
    check(&sandbox, &["tasks", &tasks, "--runs"]);
}

#[test]
fn answers_about_rst_fit_their_schemas() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("rst/small.rst");
    check_all_with_values(&sandbox, &trace);
    check(&sandbox, &["tasks", &trace]);
    check(&sandbox, &["list", &trace, "--records", "--count", "100"]);
    check(
        &sandbox,
        &["at", &trace, "300", "--mem", "phys::0x300801d6c:4"],
    );
    check(&sandbox, &["why", &trace, "%o0", "--at", "300"]);
    let packed = sandbox.fixture("rst/small.rz3.gz");
    check(
        &sandbox,
        &["convert", &packed, "--to", "rst", "-o", "plain.rst"],
    );
}

#[test]
fn answers_about_btrace_fit_their_schemas() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("btrace/hello.btf");
    sandbox.fixture("btrace/hello.elf");
    check_all(&sandbox, &trace);
    check(&sandbox, &["tasks", &trace]);
    check(&sandbox, &["list", &trace, "--records", "--count", "100"]);
    check(
        &sandbox,
        &["convert", &trace, "--to", "btrace", "-o", "copy.btf"],
    );
}

#[test]
fn answers_about_drmemtrace_fit_their_schemas() {
    let sandbox = Sandbox::new();
    let mut names: Vec<_> = fs::read_dir(fixture_path("drmemtrace"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in names {
        let trace = sandbox.path(&name);
        copy_tree(&fixture_path("drmemtrace").join(&name), &trace);
        let trace = trace.to_str().unwrap();
        if name == "threads" {
            check_all(&sandbox, trace);
            check(&sandbox, &["find", trace, "marker", "syscall", "--all"]);
        }
        check(&sandbox, &["info", trace]);
        check(&sandbox, &["list", trace, "--records", "--count", "100"]);
        check(&sandbox, &["counts", trace]);
    }
}

#[test]
fn a_wrong_answer_does_not_fit() {
    let sandbox = Sandbox::new();
    let schema = sandbox.run(&["schema", "find"]).succeeds().out;
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let value = serde_json::json!({ "step": "12", "position": 13 });
    assert!(!validator.is_valid(&value));
    sandbox.run(&["schema", "man"]).ends_misspelt();
}

#[test]
fn info_names_the_version_of_the_output() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(
        (&info["schema"], &info["calls"]),
        (&1.into(), &72.into()),
        "{info}"
    );
}

/// Collects the shape of each key.
fn collect_shapes(schema: &Value, shapes: &mut BTreeMap<String, BTreeSet<String>>) {
    let Some(object) = schema.as_object() else {
        let items = schema.as_array().into_iter().flatten();
        return items.for_each(|item| collect_shapes(item, shapes));
    };
    for (name, value) in object {
        if let ("properties", Some(properties)) = (name.as_str(), value.as_object()) {
            for (key, property) in properties {
                shapes
                    .entry(key.clone())
                    .or_default()
                    .insert(shape(property));
            }
        }
        collect_shapes(value, shapes);
    }
}

/// Names the shape of a value, apart from `null`.
fn shape(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap().to_owned();
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        let forms: Vec<_> = forms
            .iter()
            .map(shape)
            .filter(|form| !form.is_empty())
            .collect();
        return forms.join(" or ");
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => Vec::from_iter(kind.as_str()),
    };
    let kinds: Vec<_> = kinds.into_iter().filter(|kind| *kind != "null").collect();
    match (kinds.join(" or ").as_str(), schema.get("items")) {
        ("array", Some(items)) => format!("[{}]", shape(items)),
        (kinds, _) => kinds.to_owned(),
    }
}

#[test]
fn a_key_has_one_shape_in_all_commands() {
    // Most of these are a promise older than the rule; `one` and `other`, `a` and `b` are the
    // sides of a comparison, and `hit` is a step or a marker.
    const OTHERS: [&str; 16] = [
        "a",
        "b",
        "bytes",
        "first",
        "from",
        "hit",
        "inputs",
        "last_step",
        "memory",
        "one",
        "other",
        "outputs",
        "registers",
        "threads",
        "time",
        "to",
    ];
    let sandbox = Sandbox::new();
    let mut shapes = BTreeMap::new();
    let commands = sandbox.run(&["help"]).succeeds().out;
    let names = commands.lines().filter_map(|line| line.strip_prefix("  "));
    let mut count = 0;
    let names = names.filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase())) {
        let ran = sandbox.run(&["schema", name]);
        if ran.code == Some(0) {
            count += 1;
            collect_shapes(&serde_json::from_str(&ran.out).unwrap(), &mut shapes);
        }
    }
    assert!(count > 20, "{count} commands");
    shapes.retain(|key, shapes| shapes.len() > 1 && !OTHERS.contains(&key.as_str()));
    assert_eq!(shapes, BTreeMap::new());
}
