//! `stepback why --json`: the documented form of its rows.

use serde_json::Value as Json;

use crate::cli::support::Sandbox;

/// A table is filled with a constant, an entry is loaded by index, changed and stored; then a flag
/// selects.
const TABLE: &str = "\
0 clk R x5 0000000000001000
1 clk IT (1) 00008000 d2800020 O EL1h_s : MOV x0,#1
1 clk R x0 0000000000000001
2 clk IT (2) 00008004 b90000a0 O EL1h_s : STR w0,[x5]
2 clk MW4 00001000 00000001
3 clk IT (3) 00008008 b94000a1 O EL1h_s : LDR w1,[x5]
3 clk MR4 00001000 00000001
3 clk R x1 0000000000000001
4 clk IT (4) 0000800c 7100043f O EL1h_s : CMP w1,#1
4 clk R cpsr 600003c5
5 clk IT (5) 00008010 1a9f17e2 O EL1h_s : CSET w2,eq
5 clk R x2 0000000000000001
6 clk IT (6) 00008014 0b020023 O EL1h_s : ADD w3,w1,w2
6 clk R x3 0000000000000002
";

/// Two iterations of a loop that take different paths: `if x0 { x1 = 1 } else { x1 = 2 }; x0 -= 1`,
/// while x0 is not negative.
const LOOP: &str = "\
0 clk R SP_EL1 0000000000009000
1 clk IT (1) 00008000 b4000060 O EL1h_n : CBZ x0,0x800c
2 clk IT (2) 00008004 d2800021 O EL1h_n : MOV x1,#1
2 clk R x1 0000000000000001
3 clk IT (3) 00008008 14000002 O EL1h_n : B 0x8010
4 clk IT (4) 00008010 d1000400 O EL1h_n : SUB x0,x0,#1
4 clk R x0 0000000000000000
5 clk IT (5) 00008014 b6ffff60 O EL1h_n : TBZ x0,#63,0x8000
6 clk IT (6) 00008000 b4000060 O EL1h_n : CBZ x0,0x800c
7 clk IT (7) 0000800c d2800041 O EL1h_n : MOV x1,#2
7 clk R x1 0000000000000002
8 clk IT (8) 00008010 d1000400 O EL1h_n : SUB x0,x0,#1
8 clk R x0 ffffffffffffffff
9 clk IT (9) 00008014 b6ffff60 O EL1h_n : TBZ x0,#63,0x8000
10 clk IT (10) 00008018 aa0103e2 O EL1h_n : MOV x2,x1
10 clk R x2 0000000000000002
";

#[track_caller]
fn rows(arguments: &[&str]) -> Vec<Json> {
    rows_of(TABLE, arguments)
}

#[track_caller]
fn rows_of(text: &str, arguments: &[&str]) -> Vec<Json> {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("some.tarmac", text);
    sandbox.json_lines(&[&["why", &trace], arguments].concat())
}

fn steps(rows: &[Json]) -> Vec<u64> {
    rows.iter().filter_map(|row| row["step"].as_u64()).collect()
}

#[test]
fn rows_say_what_they_define_and_for_whom() {
    let rows = rows(&["x3"]);
    assert_eq!(steps(&rows), [5, 4, 2, 1, 0]);
    let row = &rows[0];
    assert_eq!(
        (
            row["line"].as_u64(),
            row["pc"].as_str(),
            row["executed"].as_bool()
        ),
        (Some(13), Some("0x8014"), Some(true))
    );
    assert_eq!(row["defines"][0]["cell"], "x3");
    assert_eq!(row["defines"][0]["value"], "0x0000000000000002");
    assert_eq!(
        (&row["why"], &row["for"]),
        (&Json::from(vec!["data"]), &Json::from(Vec::<u64>::new()))
    );
    let load = rows.iter().find(|row| row["step"] == 2).unwrap();
    assert_eq!(
        (&load["defines"][0]["cell"], &load["for"][0]),
        (&Json::from("w1"), &Json::from(5))
    );
    let store = rows.iter().find(|row| row["step"] == 1).unwrap();
    assert_eq!(store["defines"][0]["cell"], "0x1000:4");
    assert_eq!(
        (&store["why"][0], &store["for"][0]),
        (&Json::from("copy"), &Json::from(2))
    );
}

#[test]
fn chains_end_and_say_how() {
    let rows = rows(&["x3", "--address"]);
    let ends: Vec<_> = rows.iter().filter(|row| row["step"].is_null()).collect();
    let of = |end: &str, cell: &str| {
        ends.iter()
            .any(|row| row["end"] == end && row["cell"] == cell)
    };
    assert!(of("constant", "x0") || of("constant", "w0"), "{ends:?}");
    assert!(of("initial", "x5"), "{ends:?}");
}

#[test]
fn flags_and_addresses_come_in_when_they_are_requested() {
    assert_eq!(steps(&rows(&["x2"])), [4]);
    assert_eq!(steps(&rows(&["x2", "--flags"])), [4, 3, 2, 1, 0]);
    assert_eq!(steps(&rows(&["psr"])), [3, 2, 1, 0]);
}

#[test]
fn a_limit_leaves_the_rest_as_ends() {
    let rows = rows(&["x3", "--limit", "1"]);
    assert_eq!(steps(&rows), [5]);
    assert!(
        rows[1..].iter().all(|row| row["end"] == "limit"),
        "{rows:?}"
    );
    assert!(rows.len() > 1);
}

#[test]
fn what_nothing_wrote_has_one_end_and_no_step() {
    for (what, arguments) in [
        ("x9", vec![]),
        ("0x5000:4", vec![]),
        ("x3", vec!["--at", "0"]),
    ] {
        let rows = rows(&[&[what], &arguments[..]].concat());
        assert_eq!(rows.len(), 1, "{what}: {rows:?}");
        assert_eq!(
            (&rows[0]["step"], &rows[0]["end"]),
            (&Json::Null, &Json::from("initial")),
            "{what}"
        );
    }
}

#[test]
fn forward_it_tells_where_a_value_went() {
    let rows = rows(&["x0", "--at", "1", "--forward"]);
    assert_eq!(steps(&rows), [1, 2, 3, 5]);
    let load = rows.iter().find(|row| row["step"] == 2).unwrap();
    assert_eq!(
        (&load["why"][0], &load["for"][0]),
        (&Json::from("copy"), &Json::from(1))
    );
}

#[test]
fn forward_by_control_all_is_told_that_a_branch_decided() {
    let by_data = rows_of(LOOP, &["x0", "--at", "0", "--forward", "--flags"]);
    assert_eq!(steps(&by_data), [0, 3, 4, 5, 7, 8]);
    let rows = rows_of(
        LOOP,
        &["x0", "--at", "0", "--forward", "--flags", "--control"],
    );
    assert_eq!(steps(&rows), (0..=9).collect::<Vec<u64>>());
    assert_eq!(
        (&rows[1]["why"], &rows[1]["for"]),
        (&Json::from(vec!["control"]), &Json::from(vec![0]))
    );
}

#[test]
fn ends_of_control_are_worded_as_such() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("loop.tarmac", LOOP);
    let text = |arguments: &[&str]| {
        sandbox
            .run(&[&["why", &trace], arguments].concat())
            .succeeds()
    };
    let always = "control: runs whenever the thread does";
    text(&["x2", "--control", "--all-copies"]).prints(always);
    text(&["x2", "--control"])
        .prints(always)
        .prints("TBZ x0,#63,0x8000");
    text(&["x2", "--control", "--all-copies", "--limit", "2"])
        .prints("control: the deciding branch is not followed further  control for 6");
    text(&["x0", "--at", "0", "--forward", "--control", "--limit", "1"])
        .prints("control: what it decided is not followed to the end  control for 0");
    let rows = rows_of(LOOP, &["x2", "--control"]);
    let end = rows
        .iter()
        .find(|row| row["end"] == "initial" && row["cell"] == "pc")
        .unwrap();
    assert_eq!(
        (&end["for"], &end["detail"]),
        (
            &Json::from(vec![3, 4, 9]),
            &Json::from("runs whenever the thread does")
        )
    );
}

#[test]
fn words_that_mean_nothing_are_reported() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("table.tarmac", TABLE);
    sandbox.run(&["why", &trace, "(x0"]).ends_misspelt();
    sandbox
        .run(&["why", &trace, "nosuch"])
        .ends_misspelt()
        .says("nosuch");
}
