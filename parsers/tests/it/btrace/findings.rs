//! Findings of `check` in recordings.

use stepback_parsers::btrace::BtraceOptions;
use stepback_parsers::check::{FindingPlace, Findings, RuleFindings};
use stepback_parsers::{Flow, ProgramFile, Source as _};

use super::support::{content, fixture, path_with, program};

/// Returns rules and record numbers, in the order of the rules.
fn found(bytes: Vec<u8>, program: ProgramFile) -> Vec<(&'static str, u64)> {
    let (_, trace) = path_with(
        bytes,
        BtraceOptions {
            program: vec![program],
            layout: None,
        },
    );
    let mut findings = Findings::new(10);
    trace
        .check_records(&mut findings, &mut |_| Flow::Continue)
        .unwrap();
    let place = |place: FindingPlace| {
        if let FindingPlace::Record(number) = place {
            number
        } else {
            0
        }
    };
    let rules = findings.into_rules();
    let of_rule = |rule: &RuleFindings| {
        rule.first
            .iter()
            .map(|finding| (finding.rule.id, place(finding.place)))
            .collect::<Vec<_>>()
    };
    rules.iter().flat_map(of_rule).collect()
}

fn hello() -> ProgramFile {
    program(&fixture("hello.elf"))
}

#[test]
fn a_whole_recording_breaks_no_rule() {
    assert_eq!(found(content(&fixture("hello.btf")), hello()), []);
    assert_eq!(
        found(content(&fixture("cti.btf")), program(&fixture("cti.elf"))),
        []
    );
    assert_eq!(found(content(&fixture("hello_mt.btf.zst")), hello()), []);
}

#[test]
fn what_is_lost_or_damaged_is_found_at_its_record() {
    assert_eq!(
        found(content(&fixture("hello_gap.btf")), hello()),
        [("B-LOST", 121)]
    );
    let mut bytes = content(&fixture("hello.btf"));
    bytes[40 * 10 + 35] ^= 1; // the instruction
    bytes[40 * 20 + 4] = 0xff; // the time, which is too high
    bytes.truncate(40 * 351 - 1);
    let found = found(bytes, hello());
    assert!(
        found.contains(&("B-FIT", 11)) && found.contains(&("B-COUNT", 350)),
        "{found:?}"
    );
    let times: Vec<_> = found.iter().filter(|(rule, _)| *rule == "B-TIME").collect();
    assert_eq!(times, [&("B-TIME", 21)], "{found:?}");
}

#[test]
fn a_recording_that_begins_late_says_so() {
    let bytes = content(&fixture("hello.btf"))[40 * 3..].to_vec();
    let found = found(bytes, hello());
    assert_eq!(found.first(), Some(&("B-START", 1)), "{found:?}");
}
