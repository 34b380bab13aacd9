//! Index locations that cannot be written.

use std::fs;

use crate::cli::support::{OVERFLOW, OVERFLOW_STEPS, Ran, Sandbox, text};

#[test]
fn an_index_that_cannot_be_written_lives_in_memory() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let place = text(&sandbox.path("missing/a.sbi"));
    let ran = sandbox
        .run(&["info", &trace, "--index", &place, "--json"])
        .succeeds();
    let ran = ran.says("missing/a.sbi").says("memory");
    let info: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&info["steps"], &info["index"]["path"]),
        (&OVERFLOW_STEPS.into(), &serde_json::Value::Null)
    );
    assert!(!sandbox.path("missing").exists());
}

#[test]
fn an_index_that_was_requested_is_not_put_into_memory() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["index", &trace, "--index", "missing/a.sbi"])
        .fails_with(&["missing/a.sbi"]);
    sandbox
        .run(&["info", &trace, "--only-index", "--index", "missing/a.sbi"])
        .fails_with(&["missing/a.sbi"]);
}

/// No user may write into /proc, not even root.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_cannot_be_written_is_reported() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&["info", &trace, "--index", "/proc/a.sbi"])
        .succeeds();
    ran.says("/proc/a.sbi").says("memory").prints("in memory");
}

/// A directory with the index's name blocks that location for every user.
#[test]
fn where_the_place_next_to_the_trace_is_taken_the_cache_directory_serves() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    fs::create_dir(format!("{trace}.sbi")).unwrap();
    fs::write(format!("{trace}.sbi/guard"), "").unwrap();
    let info = sandbox
        .run(&["info", &trace, "--json"])
        .succeeds()
        .says("kept at");
    let info: serde_json::Value = serde_json::from_str(&info.out).unwrap();
    let place = info["index"]["path"].as_str().unwrap().to_owned();
    assert!(
        place.contains("home") && place.contains(OVERFLOW),
        "{place}"
    );
    assert_eq!(sandbox.json(&["index", &trace])["fresh"], true);
    // An index next to the trace is preferred as soon as it exists.
    fs::remove_dir_all(format!("{trace}.sbi")).unwrap();
    fs::copy(&place, format!("{trace}.sbi")).unwrap();
    assert_eq!(
        sandbox.json(&["info", &trace])["index"]["path"],
        format!("{trace}.sbi")
    );
}

#[test]
fn two_traces_of_one_name_do_not_fight_for_the_cache() {
    let sandbox = Sandbox::new();
    let content = fs::read(sandbox.fixture(OVERFLOW)).unwrap();
    let places = ["one", "two"].map(|folder| {
        fs::create_dir_all(sandbox.path(folder).join("a.tarmac.sbi/guard")).unwrap();
        let trace = sandbox.file(&format!("{folder}/a.tarmac"), &content);
        sandbox.json(&["info", &trace])["index"]["path"].clone()
    });
    assert_ne!(places[0], places[1]);
}

#[test]
fn a_file_that_is_no_index_is_not_overwritten_by_a_misspelt_option() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let letter = sandbox.file("letter.txt", "Dear reader");
    for extra in [&[][..], &["--force-index"]] {
        let ran = sandbox.run(&[&["info", &trace, "--index", &letter], extra].concat());
        ran.fails_with(&["not an index", "letter.txt"]);
    }
    assert_eq!(fs::read_to_string(&letter).unwrap(), "Dear reader");
}

/// A limit on the file size stands for a disk that fills up during the build.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_told_and_the_answer_given_all_the_same() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let limited = |arguments: &[&str]| {
        let mut command = sandbox.shell("trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"", arguments);
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    };
    let ran = limited(&["info", &trace]).succeeds();
    ran.says("cannot be written")
        .says("memory")
        .prints("in memory")
        .prints("1,763");
    limited(&["index", &trace]).fails_with(&["cannot be written"]);
    let names = |folder: &std::path::Path| -> Vec<_> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    assert!(
        !names(&sandbox.path(""))
            .iter()
            .any(|name| name.contains(".sbi")),
        "nothing is left behind"
    );
    assert_eq!(sandbox.json(&["index", &trace])["fresh"], false);
}
