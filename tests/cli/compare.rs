//! `stepback compare`.

use std::fs;

use serde_json::{Value, json};

use crate::cli::support::{OVERFLOW, Sandbox, copy_tree, fixture_path};

/// Copies both traces of a pair, and returns their names.
fn pair(sandbox: &Sandbox, name: &str, file: &str) -> [String; 2] {
    ["a", "b"].map(|side| {
        let copy = sandbox.path(&format!("{side}.{file}"));
        copy_tree(
            &fixture_path(&format!("pairs/{name}/{side}.{file}.zst")),
            &copy,
        );
        copy.to_str().unwrap().to_owned()
    })
}

/// Compares a pair with `--json`; the traces must differ.
#[track_caller]
fn different(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let ran = sandbox.run(&[&["compare"], arguments, &["--json"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let schema = sandbox.run(&["schema", "compare"]).succeeds().out;
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(validator.is_valid(&value), "{value}");
    value
}

#[test]
fn the_status_of_equal_traces_is_0() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let copy = sandbox.file("copy.tarmac", fs::read(&trace).unwrap());
    sandbox
        .run(&["compare", &trace, &copy])
        .succeeds()
        .prints("equal: ");
    let json = sandbox.json(&["compare", &trace, &copy]);
    assert_eq!(
        (&json["equal"], &json["slide"]),
        (&json!(true), &Value::Null)
    );
    // Another style of the same run.
    let style = sandbox.path("es.tarmac");
    sandbox
        .run(&[
            "convert",
            &trace,
            "--to",
            "tarmac-es",
            "-o",
            style.to_str().unwrap(),
        ])
        .succeeds();
    sandbox
        .run(&["compare", &trace, style.to_str().unwrap()])
        .succeeds()
        .prints("equal: ");
}

#[test]
fn the_answer_names_the_branch_and_the_first_value() {
    let sandbox = Sandbox::new();
    let [a, b] = pair(&sandbox, "recurse-depth", "tarmac");
    let ran = sandbox.run(&["compare", &a, &b]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.lines().count() <= 20, "{}", ran.out);
    for part in [
        "first divergence: step 300",
        "decided by step 299",
        "read 0x8ffff80d:1: 0x30 in a, 0x31 in b",
        "1,118 steps match",
    ] {
        assert!(ran.out.contains(part), "{part} in {}", ran.out);
    }
    let json = different(&sandbox, &[&a, &b]);
    let threads = &json["thread_pairs"][0];
    assert_eq!(threads["matched"], 1118);
    let divergence = &threads["first_divergence"];
    assert_eq!(
        (&divergence["a"], &divergence["pc_b"]),
        (&json!(300), &json!("0x8000030c"))
    );
    assert_eq!(divergence["decided_by"]["step"], 299);
    let cells = &threads["first_difference"]["cells"];
    assert_eq!(
        cells[1],
        json!({"kind": "register", "cell": "x1", "a": "0x0000000000000030", "b": "0x0000000000000031"})
    );
}

#[test]
fn interrupts_are_insertions() {
    let sandbox = Sandbox::new();
    let [a, b] = pair(&sandbox, "qsort-irq3", "tarmac");
    let json = different(&sandbox, &[&a, &b]);
    let threads = &json["thread_pairs"][0];
    assert_eq!(threads["first_difference"], Value::Null);
    let regions = threads["regions"].as_array().unwrap().iter();
    let inserted: Vec<_> = regions
        .filter(|region| region["kind"] != "same")
        .map(|region| [&region["a"], &region["b"]])
        .collect();
    let expected = [
        [json!([201, 201]), json!([201, 209])],
        [json!([510, 510]), json!([518, 526])],
        [json!([1085, 1085]), json!([1101, 1109])],
    ];
    assert_eq!(inserted.len(), 3);
    for (inserted, expected) in inserted.iter().zip(&expected) {
        assert_eq!(*inserted, [&expected[0], &expected[1]]);
    }
}

/// The program of an image computes page numbers and negated pointers; what these may be is only
/// known with its instructions.
#[test]
fn runs_with_address_space_randomisation_are_equal() {
    let sandbox = Sandbox::new();
    let [a, b] = ["a", "b"].map(|side| {
        let copy = sandbox.path(&format!("{side}.log.zst"));
        let trace = fixture_path(&format!("moved/{side}.tenet.log.zst"));
        copy_tree(&trace, &copy);
        copy.to_str().unwrap().to_owned()
    });
    different(&sandbox, &[&a, &b]);
    let image = fixture_path("moved/lists.elf");
    let image = format!("{}@0x7fe2ccf16000", image.display());
    let ran = sandbox
        .run(&["compare", &a, &b, "--image", &image])
        .succeeds();
    for part in [
        "code at 0x7fe2ccf17000 to ",
        "stack is moved by -0x131b841d0 in b, ",
        "memory at 0x555583987000 to ",
        "values computed from such pointers",
        "equal: 1,896 steps",
    ] {
        assert!(ran.out.contains(part), "{part} in {}", ran.out);
    }
    // The image of the second run lies where the report says.
    let own = format!(
        "{}@{:#x}",
        fixture_path("moved/lists.elf").display(),
        0x7fe2_ccf1_6000_u64 - 0xe5_89d7_4000
    );
    let with_own = ["compare", &a, &b, "--image", &image, "--other-image", &own];
    let ran = sandbox
        .run(&with_own)
        .succeeds()
        .prints("equal: 1,896 steps");
    assert!(!ran.err.contains("does not contain"), "{}", ran.err);
    let json = sandbox.json(&["compare", &a, &b, "--image", &image]);
    let objects = json["thread_pairs"][0]["moved_objects"].as_array().unwrap();
    let distance = |kind: &str| {
        let object = objects.iter().find(|object| object["object_kind"] == kind);
        object.unwrap()["distance"].as_str().unwrap().to_owned()
    };
    assert_eq!(distance("stack"), "-0x131b841d0");
    assert_eq!(distance("code"), "-0xe589d74000");
}

#[test]
fn a_report_lists_everything() {
    let sandbox = Sandbox::new();
    let [a, b] = pair(&sandbox, "recurse-depth", "tarmac");
    let ran = sandbox.run(&["compare", &a, &b, "--markdown"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for part in [
        "# The traces differ\n",
        "The paths part at step 300 of a and step 300 of b.",
        "| register | `x1` | `0x0000000000000030` | `0x0000000000000031` |",
        "The last row is the origin: the value at 0x",
        "1,118 steps match.",
    ] {
        assert!(ran.out.contains(part), "{part} in {}", ran.out);
    }
    // Each row has as many cells as the head of its table.
    let mut columns = 0;
    for line in ran.out.lines() {
        let cells = line.matches(" | ").count();
        match line.starts_with('|') {
            true if columns == 0 => columns = cells,
            true => assert_eq!(cells, columns, "{line}"),
            false => columns = 0,
        }
    }
    let json = ["compare", &a, &b, "--markdown", "--json"];
    sandbox.run(&json).ends_misspelt();
    sandbox
        .run(&["compare", &a, &a, "--markdown"])
        .succeeds()
        .prints("# The traces are equal");
}

#[test]
fn what_rules_forgive_is_counted_and_listed() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let text = fs::read_to_string(&trace).unwrap();
    let line = text
        .lines()
        .filter(|line| line.contains(" R X19 "))
        .nth(1)
        .unwrap();
    let (head, _) = line.rsplit_once(' ').unwrap();
    let other = sandbox.file(
        "other.tarmac",
        text.replacen(line, &format!("{head} 0000000000000bad"), 1),
    );
    different(&sandbox, &[&trace, &other]);
    let rules = sandbox.file("rules.toml", "ignore_registers = [\"X19\"]\n");
    let ran = sandbox
        .run(&["compare", &trace, &other, "--rules", &rules])
        .succeeds();
    assert!(
        ran.out
            .contains("forgiven by ignore_registers x19: 1 value"),
        "{}",
        ran.out
    );
    let json = sandbox.json(&["compare", &trace, &other, "--rules", &rules]);
    assert_eq!(
        json["forgiven"],
        json!([{"rule": "ignore_registers x19", "forgiven_values": 1, "forgiven_steps": 0}])
    );
}

/// RISC-V names a register by its number or by its use.
#[test]
fn rules_name_registers_as_the_trace_or_otherwise() {
    let sandbox = Sandbox::new();
    let log = |value: &str| {
        format!(
            "core   0: 3 0x0000000080000000 (0x00100513) x10 0x{value}\n\
             core   0: 3 0x0000000080000004 (0x00000013)\n"
        )
    };
    let a = sandbox.file("a.log", log("0000000000000001"));
    let b = sandbox.file("b.log", log("0000000000000002"));
    different(&sandbox, &[&a, &b]);
    for name in ["x10", "a0", "A0"] {
        let rules = sandbox.file("rules.toml", format!("ignore_registers = [\"{name}\"]\n"));
        let ran = sandbox
            .run(&["compare", &a, &b, "--rules", &rules])
            .succeeds();
        assert!(
            ran.out.contains("forgiven by ignore_registers a0: 1 value"),
            "{}",
            ran.out
        );
    }
    let rules = sandbox.file("rules.toml", "ignore_registers = [\"x81\", \"a0\"]\n");
    let ran = sandbox
        .run(&["compare", &a, &b, "--rules", &rules])
        .succeeds();
    let note = r#"note: ignore_registers: neither trace has a register "x81""#;
    assert!(ran.err.contains(note), "{}", ran.err);
}

#[test]
fn the_status_of_a_failed_comparison_is_2() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let damaged = sandbox.file("empty.tarmac", "");
    for arguments in [
        vec!["nothing.tarmac"],
        vec![&damaged],
        vec![],
        vec![&trace, "--rules", "nothing.toml"],
    ] {
        let ran = sandbox.run(&[&["compare", &trace], &arguments[..]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.err.contains("error: "), "{ran:?}");
    }
    let rules = sandbox.file("rules.toml", "ignore = 1\n");
    sandbox
        .run(&["compare", &trace, &trace, "--rules", &rules])
        .ends_misspelt()
        .says("ignore");
    let rules = sandbox.file("rules.toml", "polling = [\"no_such_function\"]\n");
    sandbox
        .run(&["compare", &trace, &trace, "--rules", &rules])
        .ends_misspelt()
        .says("no_such_function");
}

#[test]
fn pages_list_every_region_and_differing_step_once() {
    let sandbox = Sandbox::new();
    let [a, b] = pair(&sandbox, "sra-path", "log");
    let whole = different(&sandbox, &[&a, &b]);
    let whole = &whole["thread_pairs"][0];
    assert_eq!(whole["next_from"], Value::Null);
    let (mut regions, mut steps, mut from) = (Vec::new(), Vec::new(), json!("start"));
    let mut pages = 0;
    while from != Value::Null {
        let start = from
            .as_str()
            .map_or_else(|| from.to_string(), str::to_owned);
        let page = different(&sandbox, &[&a, &b, "--from", &start, "--limit", "7"]);
        let page = &page["thread_pairs"][0];
        let listed = &page["differing_steps_before_divergence"]["listed"];
        steps.extend(listed.as_array().unwrap().clone());
        regions.extend(page["regions"].as_array().unwrap().clone());
        from = page["next_from"].clone();
        pages += 1;
    }
    assert!(pages > 3, "{pages}");
    assert_eq!(json!(regions), whole["regions"]);
    let listed = &whole["differing_steps_before_divergence"]["listed"];
    assert_eq!(json!(steps), *listed);
}
