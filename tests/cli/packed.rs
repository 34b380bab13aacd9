//! Compressed traces give the same answers as plain text.

use std::fs;
use std::io::Write as _;

use serde_json::Value;

use crate::cli::support::{AMP, OVERFLOW, OVERFLOW_STEPS, Sandbox, fixture_path, text};

/// Returns the compressed forms under names that do not reveal the format.
fn forms(content: &[u8]) -> [(&'static str, Vec<u8>); 3] {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(content).unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(content).unwrap();
    let zstd = zstd::encode_all(content, 1).unwrap();
    [
        ("gzip", gzip.finish().unwrap()),
        ("zstd", zstd),
        ("xz", xz.finish().unwrap()),
    ]
}

fn zstd_of(name: &str) -> Vec<u8> {
    let [_, (_, packed), _] = forms(&fs::read(fixture_path(name)).unwrap());
    packed
}

/// Queries each form of the trace under the same name, in separate folders.
#[track_caller]
fn check(name: &str, arguments: &[&str]) {
    let content = fs::read(fixture_path(name)).unwrap();
    let plain = Sandbox::new();
    plain.file("a.trace", &content);
    let expected = plain.run(arguments).succeeds();
    for (kind, packed) in forms(&content) {
        let sandbox = Sandbox::new();
        sandbox.file("a.trace", packed);
        for round in ["made", "found"] {
            let ran = sandbox.run(arguments).succeeds();
            assert_eq!(
                (&ran.out, &ran.err),
                (&expected.out, &expected.err),
                "{kind} {round}"
            );
            let made = fs::read(plain.path("made")).ok();
            assert!(
                fs::read(sandbox.path("made")).ok() == made,
                "{kind} {round}"
            );
        }
    }
}

#[test]
fn every_question_has_the_answer_of_the_plain_text() {
    for name in [OVERFLOW, AMP, "qsort.es.tiny.tarmac"] {
        check(name, &["list", "a.trace", "--json"]);
        check(name, &["at", "a.trace", "50%", "--mem", "sp:64", "--json"]);
        check(name, &["find", "a.trace", "text", "ldr", "--json"]);
        check(name, &["calltree", "a.trace", "--all-frames"]);
        check(name, &["diff", "a.trace", "10%", "end", "--json"]);
        check(name, &["profile", "a.trace"]);
        check(name, &["vcd", "a.trace", "--no-date", "-o", "made"]);
        check(
            name,
            &["convert", "a.trace", "--to", "tarmac-es", "-o", "made"],
        );
        check(name, &["truncate", "a.trace", "-o", "made"]);
    }
}

#[test]
fn info_tells_how_it_is_compressed() {
    let content = fs::read(fixture_path(OVERFLOW)).unwrap();
    for (kind, packed) in forms(&content) {
        let sandbox = Sandbox::new();
        let trace = sandbox.file("a.tarmac", &packed);
        let info = sandbox.json(&["info", &trace]);
        assert_eq!(
            (&info["steps"], &info["trace_bytes"]),
            (&OVERFLOW_STEPS.into(), &content.len().into())
        );
        let stated = &info["packed"];
        assert_eq!(
            (&stated["kind"], &stated["bytes"]),
            (&kind.into(), &packed.len().into())
        );
        assert_eq!(
            (&stated["damage"], stated["copy_bytes"].as_u64()),
            (
                &Value::Null,
                Some(
                    fs::metadata(sandbox.path("a.tarmac.sbi.text"))
                        .unwrap()
                        .len()
                )
            )
        );
        sandbox.run(&["info", &trace]).succeeds().prints(kind);
    }
}

#[test]
fn questions_leave_a_copy_next_to_the_index_and_conversions_nothing() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac.zst", zstd_of(OVERFLOW));
    sandbox
        .run(&["convert", &trace, "--to", "tarmac-es", "-o", "made"])
        .succeeds();
    sandbox.run(&["truncate", &trace, "-o", "made"]).succeeds();
    let names = || {
        let entries = fs::read_dir(sandbox.path("")).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["a.tarmac.zst", "made"]);
    sandbox
        .run(&["index", &trace, "--index", &text(&sandbox.path("b.sbi"))])
        .succeeds();
    assert_eq!(names(), ["a.tarmac.zst", "b.sbi", "b.sbi.text", "made"]);
    sandbox.run(&["info", &trace]).succeeds();
    assert_eq!(
        names(),
        [
            "a.tarmac.zst",
            "a.tarmac.zst.sbi",
            "a.tarmac.zst.sbi.text",
            "b.sbi",
            "b.sbi.text",
            "made"
        ]
    );
}

#[test]
fn a_damaged_copy_is_made_anew_and_the_answers_stay_right() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac.zst", zstd_of(OVERFLOW));
    let expected = sandbox.run(&["list", &trace, "--json"]).succeeds().out;
    let copy = sandbox.path("a.tarmac.zst.sbi.text");
    let good = fs::read(&copy).unwrap();
    for place in [0, 20, good.len() / 3, good.len() - 2] {
        let mut bytes = good.clone();
        bytes[place..]
            .iter_mut()
            .take(30)
            .for_each(|byte| *byte ^= 0x40);
        fs::write(&copy, bytes).unwrap();
        assert!(
            sandbox.run(&["list", &trace, "--json"]).succeeds().out == expected,
            "{place}"
        );
        assert!(
            sandbox.run(&["list", &trace, "--json"]).succeeds().out == expected,
            "{place}"
        );
        assert!(fs::read(&copy).unwrap() == good, "{place}");
    }
    fs::remove_file(&copy).unwrap();
    assert!(
        sandbox
            .run(&["list", &trace, "--json", "--no-index"])
            .succeeds()
            .out
            == expected
    );
    assert!(!copy.exists());
}

#[test]
fn a_trace_that_was_replaced_is_unpacked_again() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", zstd_of(OVERFLOW));
    assert_eq!(sandbox.json(&["info", &trace])["steps"], OVERFLOW_STEPS);
    let other = fs::read(fixture_path("recurse.tiny.tarmac")).unwrap();
    let plain = sandbox.file("b.tarmac", &other);
    let [(_, gzip), ..] = forms(&other);
    sandbox.file("a.tarmac", gzip);
    let [again, plain] =
        [&trace, &plain].map(|trace| sandbox.run(&["list", trace, "--json"]).succeeds().out);
    assert_eq!(again, plain);
}

#[test]
fn a_file_that_is_cut_off_is_read_up_to_there() {
    let sandbox = Sandbox::new();
    for (kind, packed) in forms(&fs::read(fixture_path(OVERFLOW)).unwrap()) {
        let cut = packed.len() * 3 / 4;
        let trace = sandbox.file(&format!("{kind}.tarmac"), &packed[..cut]);
        let sentence = format!("the {kind} data is cut off at byte {cut} of the file");
        for _ in 0..2 {
            sandbox
                .run(&["at", &trace, "end"])
                .succeeds()
                .says(&sentence);
        }
        let info = sandbox.json(&["info", &trace]);
        assert_eq!(info["packed"]["damage"]["offset"], cut);
        let steps = info["steps"].as_u64().unwrap();
        assert!(steps > 100 && steps < OVERFLOW_STEPS, "{steps}");
        sandbox
            .run(&["truncate", &trace, "-o", "made"])
            .succeeds()
            .says(&sentence);
        sandbox
            .run(&["convert", &trace, "--to", "tarmac-es", "-o", "made"])
            .succeeds()
            .says(&sentence);
    }
}

#[test]
fn what_holds_no_trace_is_refused_and_leaves_nothing() {
    let inner = zstd_of(OVERFLOW);
    for (content, why) in [
        (&b"Dear Sir,\n"[..], "holds no trace"),
        (b"", "holds no text"),
        (&inner, "looks like zstd"),
    ] {
        for (kind, packed) in forms(content) {
            let sandbox = Sandbox::new();
            let trace = sandbox.file("a.tarmac", packed);
            sandbox
                .run(&["info", &trace])
                .fails_with(&[why, kind, "a.tarmac"]);
            assert_eq!(fs::read_dir(sandbox.path("")).unwrap().count(), 1);
        }
    }
}

#[test]
fn a_compressed_pipe_is_truncated_too() {
    let content = fs::read(fixture_path(AMP)).unwrap();
    for (_, packed) in forms(&content) {
        let sandbox = Sandbox::new();
        let output = sandbox
            .command(&["truncate", "-q"])
            .write_stdin(packed)
            .output()
            .unwrap();
        assert!(output.status.success() && output.stdout == content);
    }
}

/// Uses the recorded traces in the folder that `STEPBACK_TRACES` names.
#[test]
fn real_traces_are_read_in_every_form() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES").map(std::path::PathBuf::from) else {
        println!("skipped: STEPBACK_TRACES names no folder of traces");
        return;
    };
    let packed = fs::read(traces.join("tarmac/lua/lua.small.tarmac.zst")).unwrap();
    let content = zstd::decode_all(&packed[..]).unwrap();
    let plain = Sandbox::new();
    plain.file("a.trace", &content);
    for (kind, packed) in forms(&content) {
        let sandbox = Sandbox::new();
        sandbox.file("a.trace", packed);
        for arguments in [
            &[
                "list", "a.trace", "--from", "90%", "--count", "500", "--json",
            ][..],
            &["at", "a.trace", "50%", "--json"],
            &[
                "find",
                "a.trace",
                "last-write",
                "x19",
                "--at",
                "end",
                "--json",
            ],
            &["find", "a.trace", "text", "blr", "--json"],
            &["calltree", "a.trace"],
        ] {
            let expected = plain.run(arguments).succeeds();
            let ran = sandbox.run(arguments).succeeds();
            assert!(
                (ran.out, ran.err) == (expected.out, expected.err),
                "{kind} {arguments:?}"
            );
        }
        let info = sandbox.json(&["info", "a.trace"]);
        let bytes = info["packed"]["copy_bytes"].as_u64().unwrap()
            + info["index"]["bytes"].as_u64().unwrap();
        assert!(bytes * 10 < content.len() as u64 * 3, "{bytes} bytes");
    }
}
