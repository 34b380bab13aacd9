//! `stepback callinfo`.

use crate::cli::support::{OVERFLOW, Sandbox, overflow_image};

#[test]
fn the_visits_of_a_function_have_time_line_and_place() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["callinfo", &trace, "main", "--image", &overflow_image()])
        .succeeds();
    let place = std::fs::read_to_string(&trace)
        .unwrap()
        .lines()
        .take(75)
        .map(|line| line.len() + 1)
        .sum::<usize>();
    let expected = format!(
        "Symbol 'main' at 0x80000898 (476 bytes) called from :\n - time: 5 (line:76, pos:{place})\n"
    );
    assert_eq!(ran.out, expected);
}

#[test]
fn an_address_needs_no_image_and_may_be_an_expression() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let by_number = sandbox.run(&["callinfo", &trace, "0x80000898"]).succeeds();
    assert!(
        by_number.out.starts_with(" - time: 5 (line:76, "),
        "{by_number:?}"
    );
    let by_sum = sandbox
        .run(&["callinfo", &trace, "0x80000890+8"])
        .succeeds();
    assert_eq!(by_sum.out, by_number.out);
    let from_symbol = sandbox
        .run(&["callinfo", &trace, "main+0", "--image", &overflow_image()])
        .succeeds();
    assert_eq!(from_symbol.out, by_number.out);
}

#[test]
fn what_does_not_exist_is_said_and_is_no_error() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox.run(&["callinfo", &trace, "nosuch"]).succeeds();
    assert_eq!(
        ran.out,
        "No image, symbol 'nosuch' can not be looked up !\n"
    );
    let ran = sandbox
        .run(&[
            "callinfo",
            &trace,
            "nosuch",
            "x0",
            "--image",
            &overflow_image(),
        ])
        .succeeds();
    assert_eq!(
        ran.out,
        "Symbol 'nosuch' not found !\nSymbol 'x0' not found !\n"
    );
    assert_eq!(
        sandbox
            .run(&["callinfo", &trace, "nosuch", "--json"])
            .succeeds()
            .out,
        ""
    );
    sandbox.run(&["callinfo", &trace]).ends_misspelt();
}

/// Arm's tools skip every other one of these visits.
#[test]
fn visits_by_consecutive_lines_are_all_there() {
    let sandbox = Sandbox::new();
    let spin: String = (1..=5)
        .map(|time| format!("{time} clk IT ({time}) 00001000 e7fe T thread : B {{pc}}\n"))
        .collect();
    let trace = sandbox.file("spin.tarmac", spin);
    let ran = sandbox.run(&["callinfo", &trace, "0x1000"]).succeeds();
    assert_eq!(ran.out.lines().count(), 5);
    let json = sandbox.json_lines(&["callinfo", &trace, "0x1001"]);
    let lines: Vec<u64> = json
        .iter()
        .filter_map(|visit| visit["line"].as_u64())
        .collect();
    assert_eq!(lines, [1, 2, 3, 4, 5]);
    assert_eq!(
        (&json[2]["query"], &json[2]["pc"], &json[2]["step"]),
        (&"0x1001".into(), &"0x1000".into(), &2.into())
    );
    assert_eq!(json[2]["function"]["address"], "0x1000");
}

#[test]
fn thousands_of_visits_are_listed_once_each() {
    let sandbox = Sandbox::new();
    let spin: String = (1..=9000)
        .map(|time| format!("{time} clk IT ({time}) 00001000 e7fe T thread : B {{pc}}\n"))
        .collect();
    let trace = sandbox.file("spin.tarmac", spin);
    let out = sandbox.run(&["callinfo", &trace, "0x1000"]).succeeds().out;
    assert_eq!(out.lines().count(), 9000);
    assert!(
        out.lines()
            .zip(1..)
            .all(|(line, number)| line.starts_with(&format!(" - time: {number} (line:{number}, ")))
    );
}
