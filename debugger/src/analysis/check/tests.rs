//! Compares the findings in a trace that is divided into parts in different ways.

use std::path::Path;

use stepback_generator::drmemtrace::{Container, Sample};
use stepback_generator::{Dice, Recipe, Size, Style};
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;
use stepback_index::read::SlotReader;
use stepback_parsers::Position;
use stepback_parsers::check::Findings;

use crate::analysis::check::events::check_parts;
use crate::session::{OpenOptions, Session, open};

/// Lengths of parts in steps.
const LENGTHS: [usize; 5] = [1, 2, 7, 64, 1000];

/// Returns the findings in a trace with parts of some steps.
fn findings(session: &Session, length: usize) -> String {
    let (index, cancel) = (&session.index, Cancel::default());
    let end = index.end();
    let parts = (0..end.0.max(1)).step_by(length).map(|start| {
        let after = Position(start + length as u64).min(end);
        SlotReader(index).text_between(Position(start), after)
    });
    let (mut findings, progress) = (Findings::new(100), BuildProgress::default());
    let has_others = check_parts(index, parts, &mut findings, &progress, &cancel).unwrap();
    assert_eq!(
        progress.bytes_done.into_inner(),
        index.text_end(),
        "the progress is complete"
    );
    format!("{has_others} {:#?}", findings.into_rules())
}

/// Changes a trace of lines or records at random: some are missing, repeated, or elsewhere.
fn damaged(units: &[&[u8]], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in units {
        match dice.below(400) {
            0 => {}
            1 => bytes.extend([*unit, *unit].concat()),
            2 => bytes.extend(dice.pick(units).into_iter().chain([*unit]).flatten()),
            _ => bytes.extend_from_slice(unit),
        }
    }
    bytes
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Checks that all divisions of a trace have the same findings. Returns these, and nothing for a file
/// that is no trace.
fn check(name: &str, bytes: &[u8]) -> String {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let options = OpenOptions::new(path);
    let Ok(session) = open(&options, &Default::default(), &Default::default()) else {
        return String::new();
    };
    let expected = findings(&session, usize::MAX);
    for length in LENGTHS {
        let found = findings(&session, length);
        assert!(
            found == expected,
            "{name} in parts of {length} steps:\n{found}\n{expected}"
        );
    }
    expected
}

fn fixture(name: &str) -> Vec<u8> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("fixtures");
    let bytes = std::fs::read(root.join(name)).unwrap();
    match name.ends_with(".zst") {
        true => zstd::decode_all(&*bytes).unwrap(),
        false => bytes,
    }
}

#[test]
fn findings_in_text_do_not_depend_on_the_parts() {
    let mut dice = Dice(7);
    let mut all = String::new();
    for name in [
        "amp.head.tarmac",
        "cm3.tiny.tarmac",
        "fp32.tiny.tarmac",
        "qsort.es.tiny.tarmac",
        "recurse.tiny.tarmac",
        "logs/qmix.aarch64.dcpu.log.zst",
        "logs/qmix.aarch64.tenet.log.zst",
        "logs/qmix.x86_64.execlog.log.zst",
        "logs/rvtiny.spike.log.zst",
        "logs/rvtrap.spike.log.zst",
    ] {
        let text = fixture(name);
        for _ in 0..3 {
            all += &check("trace.log", &damaged(&lines(&text), &mut dice));
        }
    }
    for rule in ["path", "register-unwritten", "time-backwards"] {
        assert!(all.contains(&format!("id: \"{rule}\"")), "{rule}");
    }
}

#[test]
fn findings_in_records_do_not_depend_on_the_parts() {
    let mut dice = Dice(7);
    let stored = fixture("rst/small.rst");
    let records: Vec<&[u8]> = stored.chunks(24).collect();
    let mut all = String::new();
    for _ in 0..3 {
        all += &check("trace.rst", &damaged(&records, &mut dice));
    }
    for sample in [Sample::Threads, Sample::Kernel] {
        for file in sample.files(Container::Plain) {
            let records: Vec<&[u8]> = file.bytes.chunks(12).collect();
            all += &check(&file.name, &file.bytes);
            all += &check(&file.name, &damaged(&records, &mut dice));
        }
    }
    assert!(all.contains("id: \"path\""));
}

/// The whole trace is one long part, whose events are passed on as they come.
#[test]
fn findings_in_a_long_part_are_those_in_its_parts() {
    for style in [Style::FastModels, Style::Es] {
        let recipe = Recipe {
            style,
            size: Size::Bytes(5 << 20),
            ..Recipe::default()
        };
        let text = damaged(&lines(&recipe.text()), &mut Dice(1));
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("long.tarmac");
        std::fs::write(&path, text).unwrap();
        let options = OpenOptions::new(path);
        let session = open(&options, &Default::default(), &Default::default()).unwrap();
        let expected = findings(&session, usize::MAX);
        assert!(expected.contains("id: \"path\""));
        assert!(findings(&session, 1000) == expected);
    }
}
