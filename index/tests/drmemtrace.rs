//! Questions about drmemtrace traces.

#![expect(clippy::unwrap_used, reason = "a test that panics fails")]

use std::sync::Arc;

use stepback_generator::drmemtrace::{Architecture, Container, Sample, SampleFile, TraceRecipe, TraceWriter};
use stepback_index::{
    BuildOptions, Cancel, FindText, Index, LineOfStep, PageHeat, Query as _, RawLines, Steps, index_in_memory,
};
use stepback_parsers::{Line, Position, Source as _, Step, TraceFile, drmemtrace::Drmemtrace, kept::KeptOptions};

fn index_of(sample: Sample, segment_bytes: u64) -> Index<Drmemtrace> {
    index_of_files(sample.files(Container::Zip), segment_bytes)
}

fn index_of_files(files: Vec<SampleFile>, segment_bytes: u64) -> Index<Drmemtrace> {
    let files = files.into_iter().map(|file| TraceFile { name: file.name, data: Arc::new(file.bytes) }).collect();
    let trace = Drmemtrace::open(files, KeptOptions::default()).unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    index_in_memory(Arc::new(trace), &BuildOptions { segment_bytes, threads: 1 }).unwrap()
}

#[test]
fn text_is_found_in_disassembly_and_records() {
    for segment_bytes in [160, 1 << 20] {
        let index = index_of(Sample::Threads, segment_bytes);
        let cancel = Cancel::default();
        let find = |pattern: &str| {
            let pattern = pattern.parse().unwrap();
            let hits =
                FindText { pattern, thread: None, from: Position(0), limit: usize::MAX }.run(&index, &cancel).unwrap();
            hits.into_iter().map(|hit| hit.record.step.0).collect::<Vec<_>>()
        };
        let steps = Steps { first: Step(0), count: u64::MAX }.run(&index, &cancel).unwrap();
        assert!(steps.iter().all(|step| step.line.is_none() && !step.text.is_empty()));
        let first = &steps[0].text;
        let expected = steps.iter().filter(|step| &step.text == first).map(|step| step.step.0);
        assert_eq!(find(&format!("^{}$", regex_escape(first))), expected.collect::<Vec<_>>());
        assert_eq!(find("."), (0..index.step_count()).collect::<Vec<_>>());
        let exits = find(r"<thread \d+ exited>");
        assert_eq!(exits.len(), 3, "{exits:?}");
        assert_eq!(find("no such thing"), [0; 0]);
    }
}

fn regex_escape(text: &str) -> String {
    let escape =
        |letter: char| if letter.is_alphanumeric() { letter.to_string() } else { format!("\\x{:02x}", letter as u32) };
    text.chars().map(escape).collect()
}

#[test]
fn there_are_no_lines() {
    let index = index_of(Sample::Plain(7, Architecture::X86_64), 1 << 20);
    let cancel = Cancel::default();
    assert_eq!(LineOfStep(Step(0)).run(&index, &cancel).unwrap(), None);
    assert_eq!(RawLines { first: Line(1), count: 9 }.run(&index, &cancel).unwrap(), []);
}

/// A file of a trace, in which nothing is packed.
fn file(name: &str, writer: TraceWriter) -> SampleFile {
    let records = writer.finish();
    SampleFile { name: name.to_owned(), bytes: records.pack(Container::Plain), truth: records.truth }
}

#[test]
fn an_access_counts_in_each_page_that_it_touches() {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(13_400_000_000_000_000, 0);
    // Pages in which accesses begin, and those that they cross into; a crossing of blocks inside a page counts once.
    for (pc, address) in [(0x40_1000, 0x5ffc), (0x40_1001, 0x6ffe), (0x40_1002, 0x603c), (0x40_1003, 0x6000)] {
        writer.instruction(pc, &[0x90]);
        writer.read(address, 8);
        writer.write(address, 8);
    }
    let files = vec![file("a.100.0.trace", writer)];
    for segment_bytes in [16, 1 << 20] {
        let index = index_of_files(files.clone(), segment_bytes);
        let heat = PageHeat { from: Position(0), to: index.end(), buckets: 1 }.run(&index, &Cancel::default()).unwrap();
        let pages = heat.pages.iter().map(|page| (page.first.0, page.reads[0], page.writes[0]));
        assert_eq!(pages.collect::<Vec<_>>(), [(0x5000, 1, 1), (0x6000, 4, 4), (0x7000, 1, 1)]);
    }
}
