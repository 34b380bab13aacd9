//! `stepback info`.

use serde_json::json;

use crate::cli::support::{AMP, OVERFLOW, OVERFLOW_STEPS, Sandbox};

#[test]
fn the_json_has_every_promised_field_in_order() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let info = sandbox.json(&["info", &trace]);
    let keys: Vec<&String> = info.as_object().unwrap().keys().collect();
    let promised = [
        "format",
        "steps",
        "lines",
        "threads",
        "time",
        "arch",
        "endian",
        "warnings",
        "external_changes",
        "trace_bytes",
        "index",
        "schema",
        "trace",
        "calls",
        "ending",
    ];
    assert_eq!(keys, promised);
    assert_eq!(info["format"], "tarmac");
    assert_eq!(info["steps"], OVERFLOW_STEPS);
    assert_eq!(info["lines"], 3660);
    assert_eq!(
        info["threads"],
        json!([{
            "id": "cpu0", "steps": OVERFLOW_STEPS, "process": null, "first_step": 0, "last_step": OVERFLOW_STEPS - 1,
            "first_time": 1, "last_time": OVERFLOW_STEPS, "cpus": [], "end": null, "idle": false,
        }])
    );
    assert_eq!(
        info["time"],
        json!({"unit": "clk", "first": 1, "last": OVERFLOW_STEPS})
    );
    assert_eq!(
        (&info["arch"], &info["endian"]),
        (&json!("aarch64"), &json!("little"))
    );
    assert_eq!(info["warnings"], json!({"count": 0, "first": []}));
    assert_eq!(info["external_changes"], 0);
    assert_eq!(info["trace_bytes"], 183_078);
    assert_eq!(info["index"]["path"], format!("{trace}.sbi"));
    assert_eq!(
        info["index"]["bytes"],
        std::fs::metadata(format!("{trace}.sbi")).unwrap().len()
    );
    assert_eq!(info["index"]["complete"], true);
}

#[test]
fn a_line_that_cannot_be_read_is_a_warning_with_its_place() {
    let sandbox = Sandbox::new();
    let trace = "1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 nonsense\n\
                 2 clk IT (2) 00008004 e3a01002 A svc : MOV r1,#2\n2 clk R r1 00000002\n";
    let trace = sandbox.file("a.tarmac", trace);
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(info["steps"], 2);
    assert_eq!(info["warnings"]["count"], 1);
    assert_eq!(info["warnings"]["first"][0]["line"], 2);
    assert!(info["warnings"]["first"][0]["offset"].is_u64());
    let ran = sandbox
        .run(&["info", &trace])
        .succeeds()
        .prints("line 2, byte");
    ran.says("1 problem in the trace, the first in line 2");
}

#[test]
fn the_text_names_both_cores() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(AMP);
    sandbox
        .run(&["info", &trace])
        .succeeds()
        .prints("cpu0 (")
        .prints("cpu1 (");
}

#[test]
fn equal_warnings_are_listed_once_with_their_number() {
    let sandbox = Sandbox::new();
    let line = |at: u32| {
        format!("{at} clk IT ({at}) 00001000 d503201f O EL1h_n : NOP\n{at} clk FOO bar\n")
    };
    let trace = sandbox.file(
        "a.tarmac",
        (1..8).map(line).collect::<String>() + "9 clk R {\n",
    );
    let warnings = &sandbox.json(&["info", &trace])["warnings"];
    assert_eq!(
        (
            warnings["count"].as_u64(),
            warnings["first"].as_array().map(Vec::len)
        ),
        (Some(8), Some(2))
    );
    let first = &warnings["first"][0];
    assert_eq!(
        (first["line"].as_u64(), first["count"].as_u64()),
        (Some(2), Some(7))
    );
    assert!(
        sandbox
            .run(&["info", &trace])
            .succeeds()
            .out
            .contains("\"FOO\" (7 times)\n")
    );
}

#[test]
fn a_time_that_comes_again_is_said_to_be_ambiguous() {
    let sandbox = Sandbox::new();
    let line = |at: u32| format!("{at} clk IT (1) 00001000 d503201f O EL1h_n : NOP\n");
    let trace = sandbox.file("a.tarmac", [10, 20, 30, 15, 25, 35].map(line).concat());
    let warnings = &sandbox.json(&["info", &trace])["warnings"];
    assert_eq!(
        (
            warnings["count"].as_u64(),
            warnings["first"][0]["line"].as_u64()
        ),
        (Some(1), Some(4))
    );
    let at = |time: &str| {
        let ran = sandbox.run(&["at", &trace, time, "--json"]).succeeds();
        let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        (
            answer["position"].as_u64(),
            ran.err
                .contains("is ambiguous: time runs backwards across it at step 3;"),
        )
    };
    assert_eq!(
        [at("time:22"), at("time:12"), at("time:30")],
        [(Some(2), true), (Some(1), false), (Some(5), false)]
    );
}

#[test]
fn no_warnings_while_reading_do_not_mean_that_nothing_is_wrong() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    assert_ne!(
        sandbox.json_lines(&["check", &trace]),
        [] as [serde_json::Value; 0]
    );
    sandbox
        .run(&["info", &trace])
        .succeeds()
        .prints("warnings          0 while reading (stepback check examines more)\n");
}

#[test]
fn sections_add_up_to_the_file() {
    let sandbox = Sandbox::new();
    // One CPU, two CPUs, semihosting calls (whose directory is written twice), and records.
    for name in [OVERFLOW, AMP, "cm3.tiny.tarmac", "rst/small.rst"] {
        let trace = sandbox.fixture(name);
        let info = sandbox.json(&["info", &trace, "--sections"]);
        let sections = info["sections"].as_array().unwrap();
        let bytes = |section: &serde_json::Value| section["bytes"].as_u64().unwrap();
        let file = std::fs::metadata(format!("{trace}.sbi")).unwrap().len();
        assert_eq!(sections.iter().map(bytes).sum::<u64>(), file, "{name}");
        let share: f64 = sections
            .iter()
            .map(|section| section["share"].as_f64().unwrap())
            .sum();
        assert!((share - 1.0).abs() < 1e-9, "{name}");
        let steps = info["steps"].as_u64().unwrap();
        for section in sections {
            let per_step = section["bytes_per_step"].as_f64().unwrap();
            assert!((per_step * steps as f64 - bytes(section) as f64).abs() < 1e-6);
        }
        let of = |name: &str| {
            let found = sections.iter().find(|section| section["section"] == name);
            bytes(found.unwrap())
        };
        assert_eq!(of("header") + of("header checksum"), 56);
        assert!(of("directory") > 0 && of("calls") > 0 && of("step offsets") > 0);
        assert_eq!(of("unused") > 0, name.starts_with("cm3"), "{name}");
    }
}

#[test]
fn sections_follow_the_summary_in_text() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let plain = sandbox.run(&["info", &trace]).succeeds();
    let ran = sandbox.run(&["info", &trace, "--sections"]).succeeds();
    let rows = ran.out.strip_prefix(&plain.out).unwrap();
    assert!(rows.contains("\nsection "), "{rows}");
    assert!(rows.contains("callinfo, profile, flamegraph"), "{rows}");
    let last = rows.lines().last().unwrap();
    assert!(
        last.starts_with("whole file") && last.ends_with("100.0 %"),
        "{last}"
    );
}
