//! `stepback index` and the options that control the index.

use std::fs;

use crate::cli::support::{OVERFLOW, OVERFLOW_STEPS, Sandbox, text};

#[test]
fn the_second_time_the_index_is_fresh() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let built = sandbox.run(&["index", &trace]).succeeds();
    assert_eq!((built.out.lines().count(), built.err.as_str()), (1, ""));
    let built = built.prints("overflow_bare.tiny.tarmac: 1,763 steps, 183.1 kB, index ");
    assert!(built.out.ends_with(" s\n"), "{built:?}");
    sandbox
        .run(&["index", &trace])
        .succeeds()
        .prints("is up to date");
    let json = sandbox.json(&["index", &trace]);
    assert_eq!(
        (json["fresh"].as_bool(), json["steps"].as_u64()),
        (Some(true), Some(OVERFLOW_STEPS))
    );
}

#[test]
fn force_index_builds_it_again() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox.run(&["index", &trace]).succeeds();
    let json = sandbox.json(&["index", &trace, "--force-index"]);
    assert_eq!(json["fresh"], false);
}

#[test]
fn only_index_answers_nothing() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox.run(&["info", &trace, "--only-index"]).succeeds();
    assert_eq!(ran.out, "");
    assert!(sandbox.path(&format!("{OVERFLOW}.sbi")).is_file());
    fs::remove_file(sandbox.path(&format!("{OVERFLOW}.sbi"))).unwrap();
    // The window is not even tried.
    let ran = sandbox.run(&[&trace, "--only-index"]).succeeds();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    assert!(sandbox.path(&format!("{OVERFLOW}.sbi")).is_file());
}

#[test]
fn no_index_uses_what_is_there_and_builds_nothing() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["info", &trace, "--no-index"])
        .fails_with(&["there is no index", OVERFLOW]);
    assert!(!sandbox.path(&format!("{OVERFLOW}.sbi")).exists());
    sandbox.run(&["index", &trace]).succeeds();
    let ran = sandbox.run(&["info", &trace, "--no-index"]).succeeds();
    assert_eq!(ran.err, "");
}

#[test]
fn a_stale_index_is_used_with_a_warning_when_none_may_be_built() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox.run(&["index", &trace]).succeeds();
    let mut content = fs::read_to_string(&trace).unwrap();
    content.push_str("1764 clk IT (1764) 80000890 d503201f O EL3h_s : NOP\n");
    fs::write(&trace, content).unwrap();
    let ran = sandbox
        .run(&["info", &trace, "--no-index", "--json"])
        .succeeds()
        .says("the index is stale");
    assert!(ran.out.contains("\"steps\":1763"), "{ran:?}");
    let ran = sandbox
        .run(&["info", &trace, "--json"])
        .succeeds()
        .says("the index was rebuilt");
    assert!(ran.out.contains("\"steps\":1764"), "{ran:?}");
}

#[test]
fn the_index_lies_where_it_was_requested() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let place = text(&sandbox.path("elsewhere"));
    let info = sandbox.json(&["info", &trace, "--index", &place]);
    assert_eq!(info["index"]["path"], place);
    assert!(!sandbox.path(&format!("{OVERFLOW}.sbi")).exists());
    assert_eq!(
        sandbox.json(&["index", &trace, "--index", &place])["fresh"],
        true
    );
}

#[test]
fn other_reading_options_make_another_index() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox.run(&["index", &trace]).succeeds();
    let ran = sandbox
        .run(&["info", &trace, "--bi", "--json"])
        .succeeds()
        .says("the index was rebuilt");
    assert!(ran.out.contains("\"endian\":\"big\""), "{ran:?}");
}

#[test]
fn the_meter_shows_also_where_there_is_no_terminal() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["index", &trace, "--show-progress-meter"])
        .succeeds();
    ran.says("indexing: 100 %");
}
