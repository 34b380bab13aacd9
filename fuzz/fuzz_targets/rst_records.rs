//! Arbitrary bytes as two files of an RST trace: no panic, and reading them twice yields equal
//! records.
//!
//! The first byte divides the rest between the two files, in sixteenths.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use stepback_parsers::TraceFile;
use stepback_parsers::rst::{RecordReader, RstHead, push_json, push_line};

/// Formats all records and problems of a trace.
fn read(files: Vec<TraceFile>) -> String {
    let mut reader = RecordReader::new(files);
    let (mut said, mut next) = (Vec::new(), 1);
    while let Some(batch) = reader.next_batch().expect("memory can be read") {
        assert_eq!(batch.first, next);
        for (number, record) in (batch.first..).zip(batch.records()) {
            push_json(&mut said, number, &record);
            push_line(
                &mut said,
                number, 0,
                &record,
            );
            next += 1;
        }
        for problem in batch.problems {
            let message = problem.kind.to_string();
            assert!(message.contains("one") || message.contains("two"), "{problem:?}");
            said.extend(message.bytes());
        }
    }
    String::from_utf8(said).expect("all that is said is text")
}

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, bytes)) = bytes.split_first() else {
        return;
    };
    let (one, two) = bytes.split_at(bytes.len() * usize::from(cut % 17) / 16);
    let file = |name: &str, bytes: &[u8]| TraceFile {
        name: name.to_owned(),
        data: Arc::new(bytes.to_vec()),
    };
    let files = vec![file("one", one), file("two", two)];
    for file in &files {
        RstHead::of(file).expect("memory can be read");
    }
    assert_eq!(read(files.clone()), read(files));
});
