//! `stepback why --json`: the promise of its rows.

use serde_json::Value as Json;

use crate::support::Sandbox;

/// A table is made of a constant, an entry is loaded by an index, changed and stored; then a flag chooses.
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

#[track_caller]
fn rows(arguments: &[&str]) -> Vec<Json> {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("table.tarmac", TABLE);
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
        (row["line"].as_u64(), row["pc"].as_str(), row["executed"].as_bool()),
        (Some(13), Some("0x8014"), Some(true))
    );
    assert_eq!(row["defines"][0]["cell"], "x3");
    assert_eq!(row["defines"][0]["value"], "0x0000000000000002");
    assert_eq!((&row["why"], &row["for"]), (&Json::from(vec!["data"]), &Json::from(Vec::<u64>::new())));
    let load = rows.iter().find(|row| row["step"] == 2).unwrap();
    assert_eq!((&load["defines"][0]["cell"], &load["for"][0]), (&Json::from("w1"), &Json::from(5)));
    let store = rows.iter().find(|row| row["step"] == 1).unwrap();
    assert_eq!(store["defines"][0]["cell"], "0x1000:4");
    assert_eq!((&store["why"][0], &store["for"][0]), (&Json::from("copy"), &Json::from(2)));
}

#[test]
fn chains_end_and_say_how() {
    let rows = rows(&["x3", "--address"]);
    let ends: Vec<_> = rows.iter().filter(|row| row["step"].is_null()).collect();
    let of = |end: &str, cell: &str| ends.iter().any(|row| row["end"] == end && row["cell"] == cell);
    assert!(of("constant", "x0") || of("constant", "w0"), "{ends:?}");
    assert!(of("initial", "x5"), "{ends:?}");
}

#[test]
fn flags_and_addresses_come_in_when_they_are_asked_for() {
    assert_eq!(steps(&rows(&["x2"])), [4]);
    assert_eq!(steps(&rows(&["x2", "--flags"])), [4, 3, 2, 1, 0]);
    assert_eq!(steps(&rows(&["psr"])), [3, 2, 1, 0]);
}

#[test]
fn a_limit_leaves_the_rest_as_ends() {
    let rows = rows(&["x3", "--limit", "1"]);
    assert_eq!(steps(&rows), [5]);
    assert!(rows[1..].iter().all(|row| row["end"] == "limit"), "{rows:?}");
    assert!(rows.len() > 1);
}

#[test]
fn what_nothing_wrote_has_one_end_and_no_step() {
    for (what, arguments) in [("x9", vec![]), ("0x5000:4", vec![]), ("x3", vec!["--at", "0"])] {
        let rows = rows(&[&[what], &arguments[..]].concat());
        assert_eq!(rows.len(), 1, "{what}: {rows:?}");
        assert_eq!((&rows[0]["step"], &rows[0]["end"]), (&Json::Null, &Json::from("initial")), "{what}");
    }
}

#[test]
fn forward_it_tells_where_a_value_went() {
    let rows = rows(&["x0", "--at", "1", "--forward"]);
    assert_eq!(steps(&rows), [1, 2, 3, 5]);
    let load = rows.iter().find(|row| row["step"] == 2).unwrap();
    assert_eq!((&load["why"][0], &load["for"][0]), (&Json::from("copy"), &Json::from(1)));
}

#[test]
fn words_that_mean_nothing_are_told() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("table.tarmac", TABLE);
    sandbox.run(&["why", &trace, "(x0"]).ends_misspelt();
    sandbox.run(&["why", &trace, "nosuch"]).ends_misspelt().says("nosuch");
    sandbox.run(&["why", &trace, "x0", "--forward", "--control"]).ends_misspelt();
}
