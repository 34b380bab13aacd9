//! `stepback why`: the origin of a value, as text.

use crate::cli::support::{OVERFLOW, Sandbox, overflow_image};

/// Returns the output of `why x2` at the crash of the demo.
fn at_the_crash(options: &[&str]) -> Vec<String> {
    let sandbox = Sandbox::new();
    let (trace, image) = (sandbox.fixture(OVERFLOW), overflow_image());
    let ran = sandbox
        .run(&[&["why", &trace, "x2", "--image", &image], options].concat())
        .succeeds();
    ran.out
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

#[test]
fn the_store_in_decode_field_and_the_input_bytes_are_among_the_first_ten_rows() {
    for options in [&[][..], &["--exact"]] {
        let lines = at_the_crash(options);
        let first = &lines[..10];
        let find = |text: &str| first.iter().position(|line| line.contains(text));
        let (head, store) = (
            find("decode_field, called at").unwrap(),
            find("bytes 5..7").unwrap(),
        );
        assert!(
            head < store && first[store].contains("e5 b1 bf"),
            "{lines:#?}"
        );
        let load = first
            .iter()
            .position(|line| line.contains("1,358") && line.contains("'f'"))
            .unwrap();
        assert!(store < load && first[load].contains("= u8["), "{lines:#?}");
    }
}

#[test]
fn arithmetic_is_one_expression_and_rounds_of_a_loop_are_one_line() {
    let lines = at_the_crash(&["--exact"]);
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(has("(w1 & 0x3f) | 0x80"), "{lines:#?}");
    assert!(has("w0 = csel((w0 | 0x20) - 87, w2, hi)"), "{lines:#?}");
    assert!(has("more identical iterations"), "{lines:#?}");
    assert!(lines.len() < 60, "{lines:#?}");
}

#[test]
fn all_copies_shows_each_step() {
    let lines = at_the_crash(&["--all-copies", "--exact"]);
    assert!(
        lines[0].contains("LDR") && lines[0].contains("x2 = 0xbfb1e598a4e5bda9"),
        "{}",
        lines[0]
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains("MOV") && line.contains(" for 1,")),
        "{lines:#?}"
    );
    let limited = at_the_crash(&["--limit", "3"]);
    let steps = limited.iter().filter(|line| line.contains(" = "));
    assert_eq!(steps.count(), 3, "{limited:#?}");
    assert!(limited.last().unwrap().contains("left out"), "{limited:#?}");
}

/// Returns a trace of a sum over many steps.
fn long_sum(sandbox: &Sandbox, steps: u64) -> String {
    let step = |time: u64| {
        format!(
            "{time} clk IT ({time}) 00008000 91000400 O EL1h_s : ADD x0,x0,#1\n{time} clk R X0 {time:016x}\n"
        )
    };
    sandbox.file("sum.tarmac", (1..=steps).map(step).collect::<String>())
}

#[test]
fn what_is_read_stops_where_it_would_be_too_much_to_keep_and_says_so() {
    let sandbox = Sandbox::new();
    let trace = long_sum(&sandbox, 17_000);
    let ran = sandbox.run(&["why", &trace, "x0"]).succeeds();
    let last = ran.out.lines().last().unwrap();
    assert_eq!(
        last,
        "stopped after 16,384 steps: --limit goes further, --all-copies prints each step as it is found"
    );
    let ran = sandbox
        .run(&["why", &trace, "x0", "--limit", "20000"])
        .succeeds();
    assert!(
        !ran.out.contains("stopped"),
        "{}",
        ran.out.lines().last().unwrap()
    );
    let ran = sandbox
        .run(&["why", &trace, "x0", "--all-copies"])
        .succeeds();
    assert_eq!(
        ran.out
            .lines()
            .filter(|line| line.contains("ADD x0,x0,#1"))
            .count(),
        17_000
    );
}

#[test]
fn what_nothing_has_written_is_one_line() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox.run(&["why", &trace, "0x70000000:4"]).succeeds();
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    ran.prints("0x70000000: no earlier write");
}
