//! Refusals that name their cause and the way out.

use serde_json::json;

use crate::cli::support::{OVERFLOW, Sandbox, fixture_path, overflow_image};

/// Expects exit status 2 and these words.
#[track_caller]
fn refused(sandbox: &Sandbox, arguments: &[&str], words: &str) {
    sandbox.run(arguments).ends_misspelt().says(words);
}

/// Unpacks a log of Spike, which has no times.
fn without_times(sandbox: &Sandbox) -> String {
    let packed = std::fs::read(fixture_path("logs/rvtrap.spike.log.zst")).unwrap();
    sandbox.file("spike.log", zstd::decode_all(&packed[..]).unwrap())
}

#[test]
fn a_time_is_no_position_of_a_trace_without_times() {
    let sandbox = Sandbox::new();
    let trace = without_times(&sandbox);
    for question in [
        &["at", &trace, "time:5"][..],
        &["list", &trace, "--from", "time:5"],
        &["diff", &trace, "0", "time:5"],
        &["why", &trace, "a0", "--at", "time:5"],
        &["find", &trace, "last-write", "a0", "--at", "time:0"],
    ] {
        refused(&sandbox, question, "this trace has no times");
    }
    // Spike starts at its boot ROM.
    let visits = sandbox.run(&["callinfo", &trace, "0x1000"]).succeeds();
    assert!(!visits.out.contains("time:"), "{visits:?}");
    assert!(visits.out.starts_with(" - (line:"), "{visits:?}");
    let visit = sandbox.json(&["callinfo", &trace, "0x1000"]);
    assert_eq!(visit["time"], json!(null));
}

#[test]
fn pages_of_a_comparison_are_for_json() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    for page in [["--limit", "3"], ["--from", "1000"]] {
        let arguments = [&["compare", &trace, &trace], &page[..]].concat();
        refused(&sandbox, &arguments, "add --json");
        let json = sandbox.json(&arguments);
        assert_eq!(json["equal"], json!(true), "{json}");
    }
}

#[test]
fn a_missing_image_is_named_as_the_cause() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let words = "no image: give one with --image";
    refused(&sandbox, &["find", &trace, "pc", "main"], words);
    refused(&sandbox, &["at", &trace, "pc:main"], words);
    sandbox
        .run(&["callinfo", &trace, "main"])
        .succeeds()
        .says(words);
    let image = overflow_image();
    let ran = sandbox.run(&["find", &trace, "pc", "nosuch", "--image", &image]);
    let ran = ran.ends_misspelt().says("no register or symbol is named");
    assert!(!ran.err.contains("no image"), "{ran:?}");
}

#[test]
fn a_line_of_a_source_file_is_a_place() {
    let sandbox = Sandbox::new();
    let step = |arguments: &[&str]| sandbox.json(arguments)["hit"]["step"].clone();
    let by_function = step(&["find", "--demo", "pc", "hash_str"]);
    let line = sandbox.json_lines(&[
        "list",
        "--demo",
        "--from",
        "pc:hash_str",
        "--count",
        "1",
        "--lines",
    ]);
    let source = line[0]["source"].as_str().unwrap().to_owned();
    assert!(source.contains("overflow.c:"), "{source}");
    assert_eq!(step(&["find", "--demo", "pc", &source]), by_function);
    assert_eq!(
        sandbox.json(&["at", "--demo", &source])["position"],
        by_function
    );
    let visits = sandbox.json_lines(&["callinfo", "--demo", &source]);
    assert_eq!(visits[0]["step"], by_function);
    let nowhere = "no image has code of line 9999 of overflow.c";
    refused(
        &sandbox,
        &["find", "--demo", "pc", "overflow.c:9999"],
        nowhere,
    );
    refused(&sandbox, &["at", "--demo", "overflow.c:9999"], nowhere);
}

#[test]
fn a_word_that_is_no_position_may_be_a_function() {
    let sandbox = Sandbox::new();
    refused(
        &sandbox,
        &["diff", "--demo", "--calls", "hash_str", "end"],
        "for a function write pc:hash_str",
    );
}

#[test]
fn a_cell_in_brackets_is_what_its_pointer_points_to() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let find = |what: &str| sandbox.run(&["find", &trace, "next-write", what, "--at", "end"]);
    let nothing = find("[sp+0x10]:8").succeeds();
    nothing.says("for the memory that sp+0x10 points to write sp+0x10:8");
    let nothing = find("sp+8:8").succeeds();
    assert!(!nothing.err.contains("points to"), "{nothing:?}");
}

#[test]
fn missing_positions_are_asked_for_without_a_trace() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["at", "--demo"]).ends_misspelt();
    assert!(ran.err.contains("stepback at --demo"), "{ran:?}");
    assert!(!ran.err.contains("<TRACE>"), "{ran:?}");
    refused(
        &sandbox,
        &["effects", "--demo"],
        "give FROM and TO, or --call POS, or --loop POS",
    );
}

#[test]
fn errors_of_the_system_have_no_numbers_and_name_the_way_out() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let check = |arguments: &[&str], file: &str| {
        let ran = sandbox.run(arguments);
        let errors: Vec<_> = ran
            .err
            .lines()
            .filter(|line| line.starts_with("error"))
            .collect();
        let [error] = errors[..] else {
            panic!("{ran:?}");
        };
        assert!(
            error.contains(file) && error.contains("check the path"),
            "{error}"
        );
        assert!(!error.contains("os error"), "{error}");
    };
    check(&["info", &trace, "--image", "nofile.elf"], "nofile.elf");
    check(
        &["compare", &trace, &trace, "--rules", "nor.toml"],
        "nor.toml",
    );
    check(
        &["list", &trace, "-o", "nowhere/list.txt"],
        "nowhere/list.txt",
    );
    refused(
        &sandbox,
        &["info", &trace, "--threads", "0"],
        "give a number from 1 on",
    );
}

/// A full disk, as Linux provides one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox.run(&["list", &trace, "-o", "/dev/full"]);
    let ran = ran.fails_with(&["/dev/full", "the disk is full: free some space"]);
    assert!(!ran.err.contains("os error"), "{ran:?}");
}

#[test]
fn a_near_topic_is_suggested() {
    let sandbox = Sandbox::new();
    refused(&sandbox, &["help", "option"], "did you mean options?");
}

/// The fixture is for x86-64, and the trace of an AArch64 core.
#[test]
fn an_image_for_another_processor_is_named_so() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let image = fixture_path("locals/functions.elf");
    let ran = sandbox.run(&["info", &trace, "--image", image.to_str().unwrap()]);
    ran.says("it is for another processor");
}

#[test]
fn exceptions_are_effects() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "e.tarmac",
        "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n\
         1 clk E b682e58791e59992 00000084 CoreEvent_CURRENT_SPx_SYNC\n",
    );
    let steps = sandbox.json_lines(&["list", &trace]);
    let text = sandbox.run(&["list", &trace]).succeeds();
    let words = steps[0]["effects"][0]["exception"].as_str().unwrap();
    assert!(words.contains("CoreEvent_CURRENT_SPx_SYNC"), "{words}");
    assert!(text.out.contains(&format!("[{words}]")), "{text:?}");
}
