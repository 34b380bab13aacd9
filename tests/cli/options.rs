//! The command line itself.

use crate::cli::support::{OVERFLOW, Sandbox};

#[track_caller]
fn check_misspelt(arguments: &[&str]) {
    Sandbox::new().run(arguments).ends_misspelt();
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    check_misspelt(&["--nosuch"]);
    check_misspelt(&["info"]);
    check_misspelt(&["info", "a", "b"]);
    check_misspelt(&["list", "a", "--count", "many"]);
    check_misspelt(&["info", "a", "--format", "nosuch"]);
    check_misspelt(&["info", "a", "--li", "--bi"]);
    check_misspelt(&["info", "a", "--no-index", "--force-index"]);
    check_misspelt(&["info", "a", "--image", "@4"]);
    check_misspelt(&["info", "a", "--load-offset", "x"]);
    check_misspelt(&["a", "--demo"]);
    check_misspelt(&["a", "--size", "big"]);
}

#[test]
fn help_and_version_end_with_0() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["--help"]).succeeds();
    for subcommand in [
        "index",
        "info",
        "list",
        "at",
        "find",
        "calltree",
        "callinfo",
        "profile",
        "flamegraph",
        "diff",
        "vcd",
        "truncate",
    ] {
        assert!(
            help.out.contains(&format!("\n  {subcommand}")),
            "{subcommand} in {help:?}"
        );
        sandbox
            .run(&[subcommand, "--help"])
            .succeeds()
            .prints("--json")
            .prints("--image");
    }
    sandbox.run(&["--version"]).succeeds().prints("stepback ");
}

#[test]
fn quiet_hides_the_note_that_nothing_of_the_kind_was_recorded() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    for arguments in [
        &["heap", &trace][..],
        &["syscalls", &trace],
        &["callinfo", &trace, "no_such_function", "--json"],
    ] {
        sandbox.run(arguments).succeeds().says("note: ");
        let quiet = sandbox.run(&[arguments, &["-q"]].concat()).succeeds();
        assert_eq!(quiet.err, "", "{arguments:?}");
    }
}

#[test]
fn quiet_says_nothing_and_answers_the_same() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "a.tarmac",
        "1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 nonsense\n",
    );
    let loud = sandbox
        .run(&["list", &trace])
        .succeeds()
        .says("1 problem in the trace");
    let quiet = sandbox.run(&["list", &trace, "-q"]).succeeds();
    assert_eq!((quiet.err.as_str(), quiet.out), ("", loud.out));
}

#[test]
fn a_fixed_number_of_threads_gives_the_same_answers() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let all = sandbox.run(&["list", &trace]).succeeds();
    let one = sandbox
        .run(&["list", &trace, "--threads", "1", "--force-index"])
        .succeeds();
    assert_eq!(all.out, one.out);
}

#[test]
fn an_image_that_was_named_must_be_usable() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["info", &trace, "--image", "none.elf"])
        .fails_with(&["none.elf"]);
    sandbox
        .run(&["info", &trace, "--image", &trace])
        .fails_with(&[OVERFLOW]);
    // A damaged image found next to the trace causes only a notice.
    sandbox.file("overflow_bare.elf", "no image");
    sandbox
        .run(&["info", &trace])
        .succeeds()
        .says("overflow_bare.elf")
        .says("left out");
}

#[test]
fn a_subcommand_that_is_mistyped_is_told_with_the_near_ones() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["ifno", &trace])
        .ends_misspelt()
        .says("no subcommand \"ifno\"; did you mean info?");
    sandbox
        .run(&[&trace, "info"])
        .ends_misspelt()
        .says("the subcommand comes first: stepback info");
    let alone = sandbox.run(&["stat"]);
    alone.fails_with(&[
        "there is no such file, and no subcommand \"stat\"; did you mean at or heat?",
    ]);
    sandbox
        .run(&["missing.tarmac"])
        .fails_with(&["missing.tarmac: there is no such file"]);
    sandbox
        .run(&["info", "-"])
        .fails_with(&["cannot be read from standard input", "save it to a file"]);
}

#[test]
fn the_demo_stands_for_the_trace_in_every_subcommand() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["info"][..],
        &["index"],
        &["list", "--count", "3"],
        &["at", "end"],
        &["find", "last-write", "x2"],
        &["find", "--at", "end", "last-write", "x2"],
        &["why", "x2"],
        &["diff", "start", "end"],
        &["effects", "0", "20"],
        &["calltree"],
        &["callinfo", "main"],
        &["profile"],
        &["flamegraph"],
        &["counts"],
        &["check"],
        &["threads"],
        &["vcd", "--output", "demo.vcd"],
        &["truncate", "--output", "copy.tarmac"],
    ] {
        let (name, rest) = arguments.split_first().unwrap();
        let first = [&[*name, "--demo"], rest].concat();
        let last = [arguments, &["--demo"]].concat();
        let answer = sandbox.run(&first).succeeds();
        assert_eq!(
            sandbox.run(&last).succeeds().out,
            answer.out,
            "{arguments:?}"
        );
    }
    sandbox
        .run(&["info", "--demo", "other.tarmac"])
        .ends_misspelt();
    let found = sandbox
        .run(&["find", "--demo", "last-write", "x2"])
        .succeeds();
    found.prints("44011  0x0000000080000888  LDR      x2,[x0]");
}

#[test]
fn help_explains_commands_and_topics() {
    let sandbox = Sandbox::new();
    let find = sandbox.run(&["help", "find"]).succeeds();
    assert!(!find.out.contains("--force-index"), "{find:?}");
    find.prints("--exit-code").prints("stepback help options");
    sandbox
        .run(&["find", "--help"])
        .succeeds()
        .prints("--force-index");
    sandbox
        .run(&["help", "options"])
        .succeeds()
        .prints("--force-index");
    sandbox
        .run(&["help", "positions"])
        .succeeds()
        .prints("pc:ADDR");
    sandbox
        .run(&["help", "addresses"])
        .succeeds()
        .prints("[sp+8]");
    sandbox.run(&["help", "keys"]).succeeds().prints("Ctrl+G");
    sandbox.run(&["help", "nosuch"]).ends_misspelt();
    let whole = sandbox.run(&["help"]).succeeds();
    whole.prints("\n  callinfo ").prints("\n  browse ");
}

#[test]
fn the_short_help_fits_a_screen() {
    let sandbox = Sandbox::new();
    for command in [
        "info", "list", "at", "find", "why", "calltree", "profile", "diff", "vcd",
    ] {
        let help = sandbox.run(&[command, "-h"]).succeeds().out;
        assert!(help.lines().count() <= 42, "{help}");
        assert!(
            help.contains("Examples:") && !help.contains("--force-index"),
            "{help}"
        );
    }
    let whole = sandbox.run(&["-h"]).succeeds().out;
    assert!(whole.lines().count() <= 50, "{whole}");
    assert!(whole.contains("More commands: index, callinfo,"), "{whole}");
}

#[test]
fn options_before_a_command_or_without_one_are_explained() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["--index", "x", "info", &trace])
        .ends_misspelt();
    ran.says(&format!(
        "the command comes before its options: stepback info {trace} --index x"
    ));
    let ran = sandbox.run(&[&trace, "--json"]).ends_misspelt();
    ran.says(&format!(
        "--json belongs to a command, for example: stepback info {trace} --json"
    ));
    sandbox.file("recording", "");
    let ran = sandbox.run(&["recording", "--json"]).ends_misspelt();
    ran.says("for example: stepback info recording --json");
}
