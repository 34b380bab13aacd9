//! Damaged traces: damage is reported with its place, and all readable data is read.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use stepback_generator::drmemtrace::{
    Architecture, Container, Sample, SampleFile, TraceRecipe, TraceTruth, TraceWriter, kind, marker,
};
use stepback_parsers::drmemtrace::{TraceHead, Width, read_records};
use stepback_parsers::stored::ReadEnd;
use stepback_parsers::{ReadAt, TraceFile};

use super::listing::Listing;

fn small(container: Container) -> SampleFile {
    Sample::Plain(7, Architecture::X86_64)
        .files(container)
        .remove(0)
}

fn listing_of(file: &SampleFile, bytes: Vec<u8>) -> Listing {
    Listing::of(&[SampleFile {
        bytes,
        ..file.clone()
    }])
}

/// Packs records into a plain file.
fn file_of(writer: TraceWriter) -> SampleFile {
    let records = writer.stop();
    SampleFile {
        name: "a.trace".to_owned(),
        bytes: records.pack(Container::Plain),
        truth: records.truth,
    }
}

#[track_caller]
fn check_messages(listing: &Listing, expected: &[&str]) {
    let messages: Vec<String> = listing
        .problems
        .iter()
        .map(|problem| problem.kind.to_string())
        .collect();
    let fits = messages
        .iter()
        .zip(expected)
        .all(|(message, expected)| message.contains(expected));
    assert!(fits && messages.len() == expected.len(), "{messages:#?}");
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_read_up_to_there() {
    for container in Container::ALL {
        let file = small(container);
        let whole = Listing::of(std::slice::from_ref(&file)).lines;
        let mut most = 0;
        for end in 0..file.bytes.len() {
            let part = listing_of(&file, file.bytes[..end].to_vec());
            most = most.max(part.lines.len());
            assert!(whole.starts_with(&part.lines), "{container:?} {end}");
            assert!(
                part.problems
                    .iter()
                    .all(|problem| problem.kind.to_string().contains("app.100"))
            );
            // An LZ4 frame may lack only its end mark.
            assert!(
                !part.problems.is_empty() || part.lines == whole,
                "{container:?} {end}"
            );
        }
        // Block formats may lose one block.
        let is_in_blocks = matches!(
            container,
            Container::Snappy | Container::SnappyUnchecked | Container::Zstd
        );
        assert!(
            is_in_blocks || most + 1 >= whole.len(),
            "{container:?}: {most} of {}",
            whole.len()
        );
    }
}

#[test]
fn flipped_bits_are_survived() {
    for container in Container::ALL {
        let file = small(container);
        for offset in 0..file.bytes.len() {
            let mut bytes = file.bytes.clone();
            bytes[offset] ^= 1 << (offset % 8);
            let part = listing_of(&file, bytes);
            assert!(part.lines.len() < 10_000, "{container:?} {offset}");
        }
    }
}

#[test]
fn an_archive_without_its_directory_is_read_from_the_front() {
    let file = small(Container::Zip);
    let whole = Listing::of(std::slice::from_ref(&file)).lines;
    let directory = file
        .bytes
        .windows(4)
        .position(|bytes| bytes == b"PK\x01\x02")
        .unwrap();
    let part = listing_of(&file, file.bytes[..directory].to_vec());
    check_messages(&part, &["the archive's directory cannot be read"]);
    assert_eq!(part.lines, whole);
}

#[test]
fn members_of_one_name_are_all_read() {
    let file = small(Container::Zip);
    let mut bytes = file.bytes.clone();
    let names: Vec<usize> = (0..bytes.len())
        .filter(|at| bytes[*at..].starts_with(b"chunk.00000001"))
        .collect();
    assert_eq!(names.len(), 2);
    for at in names {
        bytes[at + 13] = b'0';
    }
    let part = listing_of(&file, bytes);
    check_messages(&part, &["members share a name"]);
    assert_eq!(part.lines, Listing::of(&[file]).lines);
}

#[test]
fn a_damaged_member_costs_itself() {
    let file = small(Container::ZipStored);
    let whole = Listing::of(std::slice::from_ref(&file));
    let members: Vec<usize> = file
        .bytes
        .windows(4)
        .enumerate()
        .filter(|(_, bytes)| bytes == b"PK\x03\x04")
        .map(|(at, _)| at)
        .collect();
    assert_eq!(members.len(), 4);
    // Flips a bit of an address: the record is wrong, and the checksum of its member shows it.
    let mut bytes = file.bytes.clone();
    bytes[members[2] - 6] ^= 1;
    let part = listing_of(&file, bytes);
    check_messages(
        &part,
        &["the member is damaged (its checksum does not match)"],
    );
    assert_eq!(part.lines.len(), whole.lines.len());
    // Flips a bit of a member's header.
    let mut bytes = file.bytes.clone();
    bytes[members[1]] ^= 1;
    let part = listing_of(&file, bytes);
    assert!(
        part.messages()
            .contains("a member of the archive is left out"),
        "{}",
        part.messages()
    );
    assert!(
        part.messages()
            .contains("records are missing before this place: is a chunk lost?"),
        "{}",
        part.messages()
    );
    assert!(part.lines.len() > 40);
    assert_eq!(part.lines.last(), whole.lines.last());
}

#[test]
fn a_damaged_beginning_leaves_the_rest() {
    let file = small(Container::ZipStored);
    let mut bytes = file.bytes.clone();
    bytes[26] = 0xff; // the length of the first member's name
    let part = listing_of(&file, bytes.clone());
    assert!(
        part.messages()
            .contains("does not begin with the header of a trace"),
        "{}",
        part.messages()
    );
    assert!(
        part.counter.total().instructions >= 60,
        "{}",
        part.messages()
    );
    let file = TraceFile {
        name: String::new(),
        data: Arc::new(bytes),
    };
    assert_eq!(
        TraceHead::of(&file).unwrap().map(|head| head.width),
        Some(Width::Wide)
    );
}

/// Returns a trace of four chunks.
fn chunked() -> TraceWriter {
    let mut writer = TraceWriter::new(TraceRecipe {
        chunk_instructions: 10,
        ..TraceRecipe::default()
    });
    writer.time(1000, 0);
    (0..40).for_each(|number| writer.instruction(0x1000 + number % 3, &[0x90]));
    writer.exit();
    writer
}

#[test]
fn a_lost_chunk_is_noticed() {
    let listing = |lost: usize| {
        let mut records = chunked().stop();
        records.chunks.remove(lost);
        let file = SampleFile {
            name: "a.1.0.trace.zip".to_owned(),
            bytes: records.pack(Container::Zip),
            truth: records.truth,
        };
        Listing::of(&[file])
    };
    let middle = listing(1);
    check_messages(
        &middle,
        &["11 records are missing before this place: is a chunk lost?"],
    );
    assert_eq!(middle.counter.total().instructions, 30);
    assert_eq!(
        middle
            .lines
            .iter()
            .filter(|line| line.contains(" timestamp "))
            .count(),
        1
    );
    // Each chunk repeats time and CPU at its beginning. They count only if none are known.
    let first = listing(0);
    let header = "does not begin with the header of a trace";
    check_messages(
        &first,
        &[
            header,
            "18 records are missing",
            "do not begin with their thread: it is taken from the file's name",
        ],
    );
    assert_eq!(first.counter.total().instructions, 30);
    assert_eq!(
        first
            .lines
            .iter()
            .filter(|line| line.contains(" timestamp "))
            .count(),
        1
    );
    let last = listing(3);
    check_messages(&last, &["the trace ends without its last record"]);
}

#[test]
fn nothing_of_a_chunk_that_is_cut_off_reaches_the_next() {
    let listing = |cut_off: &[u8]| {
        let mut records = chunked().stop();
        records.chunks[0].extend(cut_off);
        let bytes = records.pack(Container::Zip);
        Listing::of(&[SampleFile {
            name: "a.1.0.trace.zip".to_owned(),
            bytes,
            truth: records.truth,
        }])
    };
    let encoding = [47, 0, 1, 0, 0xcc, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(listing(&encoding).lines, listing(&[]).lines);
    let begun_flush = [20, 0, 0, 0, 0xcc, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(listing(&begun_flush).lines, listing(&[]).lines);
}

#[test]
fn a_file_whose_first_member_is_lost_waits_for_its_time() {
    let mut late = chunked().stop();
    late.chunks.insert(0, Vec::new());
    let mut early = TraceWriter::new(TraceRecipe {
        tid: 200,
        ..TraceRecipe::default()
    });
    early.time(500, 0);
    early.exit();
    let late = SampleFile {
        name: "a.zip".to_owned(),
        bytes: late.pack(Container::Zip),
        truth: late.truth,
    };
    let listing = Listing::of(&[late, file_of(early)]);
    check_messages(&listing, &[]);
    assert!(listing.lines[0].starts_with("200 "), "{}", listing.lines[0]);
}

#[test]
fn any_count_of_records_is_survived() {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(1000, 0);
    writer.record(kind::MARKER, marker::RECORD_ORDINAL, u64::MAX);
    writer.instruction(0x1000, &[0x90]);
    writer.record(kind::MARKER, marker::CORE_IDLE, 0);
    writer.exit();
    let part = Listing::of(&[file_of(writer)]);
    check_messages(&part, &["records are missing before this place"]);
    assert_eq!(part.counter.total().instructions, 1);
}

#[test]
fn a_version_that_is_too_new_is_tried() {
    let mut writer = TraceWriter::new(TraceRecipe {
        version: 8,
        ..TraceRecipe::default()
    });
    writer.time(1000, 0);
    writer.instruction(0x1000, &[0x90]);
    writer.record(kind::HEADER, 0, 8);
    writer.exit();
    let part = Listing::of(&[file_of(writer)]);
    check_messages(
        &part,
        &["the trace has version 8, the newest that is known is 7"],
    );
    assert_eq!(part.lines.len(), 9);
}

#[test]
fn senseless_records_are_left_out_and_counted() {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(1000, 0);
    for _ in 0..5 {
        writer.record(60, 1, 2);
        writer.instruction(0x1000, &[0x90]);
    }
    writer.exit();
    let part = Listing::of(&[file_of(writer)]);
    check_messages(
        &part,
        &[
            "\"a.trace\", byte 120 of its records: a record of type 60, size 1 and value 0x2 makes no sense",
            "byte 228 of its records: 4 more records up to here make no sense",
        ],
    );
    assert_eq!(part.counter.total().instructions, 5);
}

#[test]
fn a_trace_without_an_end_or_inside_a_record_says_so() {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(1000, 0);
    let mut file = file_of(writer);
    file.bytes.extend([10, 0, 1]);
    let part = Listing::of(&[file]);
    check_messages(
        &part,
        &[
            "it ends inside a record: 3 bytes are left out",
            "ends without its last record",
        ],
    );
}

#[test]
fn records_without_a_header_say_so_and_have_the_thread_of_the_file_name() {
    let file = small(Container::Plain);
    let part = listing_of(&file, file.bytes[12 * 8..].to_vec());
    check_messages(
        &part,
        &[
            "does not begin with the header of a trace",
            "do not begin with their thread",
        ],
    );
    assert!(part.lines.iter().all(|line| line.starts_with("100 ")));
}

/// A disk that fails after some bytes.
struct Failing(Vec<u8>, usize);

impl ReadAt for Failing {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let is_good = offset as usize + buffer.len() <= self.1;
        if is_good {
            self.0.read_at(offset, buffer)
        } else {
            Err(io::Error::other("the disk is broken"))
        }
    }
}

#[test]
fn a_disk_that_fails_is_an_error_and_no_damage() {
    for container in Container::ALL {
        let file = small(container);
        for good in [0, 10, file.bytes.len() / 2] {
            let data = Arc::new(Failing(file.bytes.clone(), good));
            let files = vec![TraceFile {
                name: file.name.clone(),
                data,
            }];
            let error =
                read_records(files, &AtomicBool::new(false), &mut Listing::default()).unwrap_err();
            assert_eq!(
                error.to_string(),
                "the disk is broken",
                "{container:?} {good}"
            );
        }
    }
}

#[test]
fn a_reader_stops_when_it_is_told_to() {
    let file = small(Container::Zip);
    let files = vec![
        TraceFile {
            name: file.name,
            data: Arc::new(file.bytes)
        };
        300
    ];
    let end = read_records(files, &AtomicBool::new(true), &mut Listing::default());
    assert_eq!(end.unwrap(), ReadEnd::Stopped);
}

proptest! {
    /// Any records after any beginning, in two files.
    #[test]
    fn any_records_are_survived(
        records in prop::collection::vec((0u16..64, 0u16..64, any::<u64>(), any::<bool>()), 0..200),
        tail in prop::collection::vec(any::<u8>(), 0..12),
        has_header in any::<bool>(),
        narrow in any::<bool>(),
    ) {
        let bytes = |has_header: bool| {
            let architecture = if narrow { Architecture::X86_32 } else { Architecture::X86_64 };
            let writer = TraceWriter::new(TraceRecipe { architecture, ..TraceRecipe::default() });
            let mut bytes = if has_header { file_of(writer).bytes } else { Vec::new() };
            for (kind, size, value, is_small) in &records {
                let value = if *is_small { value % 8 } else { *value };
                bytes.extend(kind.to_le_bytes().into_iter().chain(size.to_le_bytes()));
                bytes.extend(&value.to_le_bytes()[..if narrow { 4 } else { 8 }]);
            }
            bytes.extend(&tail);
            bytes
        };
        let file = |name: &str, bytes| SampleFile { name: name.to_owned(), bytes, truth: TraceTruth::default() };
        let listing = Listing::of(&[file("one", bytes(true)), file("two", bytes(has_header))]);
        prop_assert!(listing.lines.len() <= 2 * (8 * records.len() + 8));
    }
}
