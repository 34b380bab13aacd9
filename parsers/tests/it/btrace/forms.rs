//! Files with and without a header, text forms, and records in a custom layout.

use stepback_parsers::btrace::{BranchLayout, BranchRecord, BtraceHead, BtraceOptions, HEADING};
use stepback_parsers::template::RecordTemplate;
use stepback_parsers::{Gap, GapReason, MissingProgram, Source as _};

use super::support::{Shown, content, file, fixture, path_of, path_with, program, written};

#[test]
fn a_header_is_no_part_of_the_records() {
    let records = content(&fixture("hello.btf"));
    let mut with_header = b"BTRACE3\0\0\x01\0\x28\0\0\0\x40\0\0\0\0\0\0\x01\x5f".to_vec();
    with_header.resize(64, 0);
    with_header.extend(&records);
    let head = BtraceHead::of(&file(with_header.clone())).unwrap();
    assert_eq!(
        head,
        Some(BtraceHead::Records {
            first_record: 64,
            count: Some(351)
        })
    );
    let paths =
        [records, with_header].map(|bytes| path_of(bytes, program(&fixture("hello.elf"))).shown);
    assert!(paths[0] == paths[1]);
}

#[test]
fn the_text_form_shows_the_same_path() {
    let (path, _) = path_with(
        content(&fixture("hello.trace.zst")),
        BtraceOptions::default(),
    );
    let expected = path_of(
        content(&fixture("hello.btf")),
        program(&fixture("hello.elf")),
    );
    assert!(path.lines("1").0 == expected.lines("1").0);
    // Times are relative to the first step.
    let first = expected.times.iter().flatten().next().copied().unwrap();
    assert_eq!(
        path.times.last().copied().flatten(),
        expected
            .times
            .last()
            .copied()
            .flatten()
            .map(|last| last - first)
    );
}

#[test]
fn lines_that_were_left_out_are_a_gap() {
    let text = format!(
        "{HEADING}\n  0 0000000000001000 01000000 nop\n ...\n  8 0000000000002000 01000000 nop\nx\n  9 0000000000003000 01000000 nop\n"
    );
    let (path, _) = path_with(text.into_bytes(), BtraceOptions::default());
    let lost = Shown::Gap(Gap {
        reason: GapReason::Lost,
        instructions: None,
    });
    assert_eq!(
        path.shown
            .iter()
            .filter(|(_, shown, _)| *shown == lost)
            .count(),
        2
    );
    assert_eq!(
        path.problems,
        ["line 5: it is none of an instruction, and none is shown for it"]
    );
    assert_eq!(path.times, [Some(0), Some(8), Some(17)]);
}

/// Little-endian, in another order, without kind, thread and processor.
const TEMPLATE: &str = "
record_bytes = 24
first_record = 3
byte_order = 'little'
[fields]
pc = { offset = 4, bytes = 8 }
instruction = { offset = 0, bytes = 4, byte_order = 'big' }
taken = { offset = 12, bytes = 1, first_bit = 7 }
target = { offset = 13, bytes = 5 }
time = { offset = 18, bytes = 6 }
";

#[test]
fn records_are_read_as_a_template_lays_them_out() {
    let own = content(&fixture("hello.btf"));
    let template: RecordTemplate = TEMPLATE.parse().unwrap();
    let layout = BranchLayout::of(&template).unwrap();
    let mut bytes = b"abc".to_vec();
    for (number, record) in own.chunks_exact(40).enumerate() {
        layout.write(
            &BranchLayout::own(0).read(number as u64, record),
            &mut bytes,
        );
    }
    let options = BtraceOptions {
        program: vec![program(&fixture("hello.elf"))],
        layout: Some(layout),
    };
    let (path, _) = path_with(bytes, options);
    let expected = path_of(own, program(&fixture("hello.elf")));
    assert!(path.shown == expected.shown);
    assert_eq!((path.times, path.problems), (expected.times, vec![]));
}

#[test]
fn a_template_without_targets_is_refused() {
    let template: RecordTemplate = "record_bytes = 8\n[fields]\npc = { offset = 0, bytes = 8 }"
        .parse()
        .unwrap();
    assert_eq!(
        BranchLayout::of(&template).unwrap_err().to_string(),
        "the field \"target\" is missing"
    );
}

#[test]
fn what_is_written_is_read_again() {
    let bytes = content(&fixture("cti.btf"));
    let layout = BranchLayout::own(0);
    let records: Vec<BranchRecord> = bytes
        .chunks_exact(40)
        .map(|record| layout.read(1, record))
        .collect();
    assert_eq!(written(&records), bytes);
}

#[test]
fn without_a_program_the_records_themselves_are_shown() {
    let bytes = content(&fixture("hello.btf"));
    let (path, trace) = path_with(bytes.clone(), BtraceOptions::default());
    assert_eq!(
        (path.shown.len(), path.gaps(), trace.missing_program()),
        (351, vec![], Some(MissingProgram::Unknown))
    );
    // The program does not match.
    let (path, trace) = path_with(
        bytes,
        BtraceOptions {
            program: vec![program(&fixture("cti.elf"))],
            layout: None,
        },
    );
    let missing = trace.missing_program();
    assert!(
        matches!(missing, Some(MissingProgram::Another(fit)) if fit.other > fit.same),
        "{missing:?}"
    );
    assert_eq!(path.shown.len(), 351);
}
