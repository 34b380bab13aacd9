//! Tests with ELF files that loaders and `readelf` accept, of either class and byte order.
//!
//! The expected values follow from the System V gABI ("ELF Header", "Program Header", "Sections").

use stepback_index::answer::Program;
use stepback_machine::Address;

use super::elf::ElfContent;
use super::images::Images;
use super::segments::LoadedSegment;
use super::{ImageSpec, LinkerView, ProgramStarts, elf};

const LOAD: u64 = 1;
const CODE: &[u8] = b"code";
const DATA: &[u8] = b"data bytes";

/// A program header.
#[derive(Clone, Copy)]
struct Segment {
    kind: u64,
    flags: u64,
    offset: u64,
    address: u64,
    load_address: u64,
    file_bytes: u64,
    memory_bytes: u64,
}

impl Segment {
    /// Creates a segment with bytes of the file at an address.
    fn new(address: u64, offset: u64, file_bytes: u64) -> Self {
        Self {
            kind: LOAD,
            flags: 6,
            offset,
            address,
            load_address: address,
            file_bytes,
            memory_bytes: file_bytes,
        }
    }
}

/// Writes files of a class and byte order: a header, program headers at 0x100, and bytes from 0x800
/// on.
#[derive(Clone, Copy)]
struct Writer {
    is_wide: bool,
    is_big: bool,
}

const CONTENT: u64 = 0x800;

impl Writer {
    fn all() -> [Self; 4] {
        [(false, false), (false, true), (true, false), (true, true)]
            .map(|(is_wide, is_big)| Self { is_wide, is_big })
    }

    fn number(self, value: u64, size_bytes: usize) -> Vec<u8> {
        let mut bytes = value.to_le_bytes()[..size_bytes].to_vec();
        if self.is_big {
            bytes.reverse();
        }
        bytes
    }

    /// Encodes a number in the width of the class.
    fn native(self, value: u64) -> Vec<u8> {
        self.number(value, if self.is_wide { 8 } else { 4 })
    }

    fn header(self, kind: u64, counts: [u64; 3], sections_at: u64) -> Vec<u8> {
        let [segments, sections, names] = counts;
        let machine = if self.is_wide { 183 } else { 40 };
        let (header, of_segment, of_section) = if self.is_wide {
            (64, 56, 64)
        } else {
            (52, 32, 40)
        };
        let ident = [
            0x7f,
            b'E',
            b'L',
            b'F',
            1 + u8::from(self.is_wide),
            1 + u8::from(self.is_big),
            1,
        ];
        let halves = [header, of_segment, segments, of_section, sections, names];
        [
            [ident.to_vec(), vec![0; 9]].concat(),
            [
                self.number(kind, 2),
                self.number(machine, 2),
                self.number(1, 4),
            ]
            .concat(),
            [
                self.native(0x1000),
                self.native(0x100),
                self.native(sections_at),
                self.number(0, 4),
            ]
            .concat(),
            halves
                .into_iter()
                .flat_map(|half| self.number(half, 2))
                .collect(),
        ]
        .concat()
    }

    fn segment(self, segment: &Segment) -> Vec<u8> {
        let places = [
            segment.offset,
            segment.address,
            segment.load_address,
            segment.file_bytes,
            segment.memory_bytes,
        ];
        let places = places
            .into_iter()
            .flat_map(|number| self.native(number))
            .collect::<Vec<_>>();
        let (kind, flags, align) = (
            self.number(segment.kind, 4),
            self.number(segment.flags, 4),
            self.native(1),
        );
        if self.is_wide {
            [kind, flags, places, align].concat()
        } else {
            [kind, places, flags, align].concat()
        }
    }

    /// Of a section: type, flags, address, offset, size, link, info; its name is the first in the
    /// table of names.
    fn section(self, [kind, flags, address, offset, size, link, info]: [u64; 7]) -> Vec<u8> {
        let middle: Vec<u8> = [flags, address, offset, size]
            .into_iter()
            .flat_map(|number| self.native(number))
            .collect();
        let ends = [
            self.number(link, 4),
            self.number(info, 4),
            self.native(1),
            self.native(0),
        ]
        .concat();
        [self.number(0, 4), self.number(kind, 4), middle, ends].concat()
    }

    /// A file with these segments and no sections.
    fn file(self, segments: &[Segment], content: &[u8]) -> Vec<u8> {
        self.with_header(
            &self.header(2, [segments.len() as u64, 0, 0], 0),
            segments,
            content,
        )
    }

    fn with_header(self, header: &[u8], segments: &[Segment], content: &[u8]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(0x100, 0);
        segments
            .iter()
            .for_each(|segment| bytes.extend(self.segment(segment)));
        bytes.resize(CONTENT as usize, 0);
        bytes.extend_from_slice(content);
        bytes
    }
}

fn program_of(content: &ElfContent) -> Program {
    let mut program = Program::default();
    for LoadedSegment {
        address,
        bytes,
        len_bytes,
        ..
    } in &content.segments
    {
        program.load(*address, bytes.clone(), *len_bytes);
    }
    program
}

/// Checks the initial memory at an address: `?` where nothing is loaded, `0` for a zero.
#[track_caller]
fn check(bytes: &[u8], address: u64, expected: &str) {
    let program = program_of(&elf::read(bytes, 0).expect("an image"));
    let letter = |place| match program.byte(Address(address + place)) {
        None => '?',
        Some(0) => '0',
        Some(byte) => char::from(byte),
    };
    assert_eq!(
        (0..expected.len() as u64).map(letter).collect::<String>(),
        expected
    );
}

#[test]
fn a_segment_without_bytes_may_state_a_place_after_the_end_of_the_file() {
    for writer in Writer::all() {
        for offset in [0, CONTENT + 4, 0x10_000, 0x7fff_ffff] {
            let bss = Segment {
                memory_bytes: 8,
                ..Segment::new(0x2000, offset, 0)
            };
            check(
                &writer.file(&[Segment::new(0x1000, CONTENT, 4), bss], CODE),
                0x1ffe,
                "??00000000??",
            );
        }
    }
}

#[test]
fn segments_need_no_order_and_the_later_one_wins_where_they_overlap() {
    for writer in Writer::all() {
        let [high, low] = [
            Segment::new(0x2000, CONTENT, 4),
            Segment::new(0x1000, CONTENT + 4, 4),
        ];
        let bytes = writer.file(&[high, low], b"highlow!");
        check(&bytes, 0x1000, "low!?");
        check(&bytes, 0x2000, "high?");
        let over = Segment::new(0x1002, CONTENT, 4);
        check(&writer.file(&[low, over], b"highlow!"), 0x1000, "lohigh?");
    }
}

#[test]
fn a_segment_goes_on_with_zeros_and_one_with_more_bytes_than_memory_is_cut() {
    for writer in Writer::all() {
        let longer = Segment {
            memory_bytes: 6,
            ..Segment::new(0x1000, CONTENT, 4)
        };
        check(&writer.file(&[longer], CODE), 0x1000, "code00?");
        let shorter = Segment {
            memory_bytes: 2,
            ..Segment::new(0x1000, CONTENT, 4)
        };
        check(&writer.file(&[shorter], CODE), 0x1000, "co??");
    }
}

#[test]
fn segments_of_other_kinds_load_nothing_and_may_lie_anywhere() {
    for writer in Writer::all() {
        // PT_NULL, PT_DYNAMIC, PT_NOTE, PT_GNU_STACK, a processor-specific type and an unassigned
        // one.
        let kinds = [0, 2, 4, 0x6474_e551, 0x7000_0001, 0x6fff_fff0];
        let others = kinds.map(|kind| Segment {
            kind,
            ..Segment::new(0x1000, 0x7fff_0000, 0x1000)
        });
        check(
            &writer.file(
                &[&others[..], &[Segment::new(0x1000, CONTENT, 4)]].concat(),
                CODE,
            ),
            0x0fff,
            "?code?",
        );
    }
}

#[test]
fn every_kind_of_file_opens() {
    for (writer, kind) in Writer::all()
        .into_iter()
        .flat_map(|writer| [1, 2, 3, 4].map(|kind| (writer, kind)))
    {
        let segments = [Segment::new(0, CONTENT, 4)];
        let bytes = writer.with_header(&writer.header(kind, [1, 0, 0], 0), &segments, CODE);
        check(&bytes, 0, "code?");
        // An object file has no segments. One without sections too has no content, but is no error.
        assert!(
            elf::read(
                &writer.with_header(&writer.header(kind, [0, 0, 0], 0), &[], b""),
                0
            )
            .is_ok()
        );
    }
}

#[test]
fn a_damaged_table_of_sections_costs_the_symbols_and_not_the_segments() {
    for writer in Writer::all() {
        for (sections_at, count) in [(0x7fff_0000, 5), (CONTENT, 5), (CONTENT, 0xfeff)] {
            let bytes = writer.with_header(
                &writer.header(2, [1, count, 1], sections_at),
                &[Segment::new(0x1000, CONTENT, 4)],
                CODE,
            );
            check(&bytes, 0x1000, "code?");
            let problems = elf::read(&bytes, 0).expect("an image").problems;
            assert!(
                problems[0].starts_with("the section headers at byte"),
                "{problems:?}"
            );
        }
    }
}

#[test]
fn of_a_file_that_ends_in_a_segment_what_is_there_is_known_and_the_rest_is_not_zero() {
    for writer in Writer::all() {
        let data = Segment {
            memory_bytes: 16,
            ..Segment::new(0x2000, CONTENT + 4, 10)
        };
        let bytes = writer.file(
            &[Segment::new(0x1000, CONTENT, 4), data],
            &[CODE, DATA].concat(),
        );
        check(&bytes, 0x2000, "data bytes000000?");
        let cut = &bytes[..bytes.len() - 5];
        check(cut, 0x2000, "data ???");
        let problems = elf::read(cut, 0).expect("an image").problems;
        assert_eq!(
            problems,
            ["the bytes of its segment at 0x2000 are cut off: what is missing is unknown"]
        );
        assert!(
            elf::read(&bytes[..CONTENT as usize], 0).is_err(),
            "nothing of any segment is there"
        );
    }
}

#[test]
fn the_first_section_counts_what_the_header_cannot() {
    for writer in Writer::all() {
        // e_phnum is PN_XNUM, e_shnum 0, and e_shstrndx SHN_XINDEX.
        let header = writer.header(2, [0xffff, 0, 0xffff], 0x400);
        let segments = [Segment::new(0x1000, CONTENT, 4)];
        let mut bytes = writer.with_header(&header, &segments, CODE);
        let sections = [
            writer.section([0, 0, 0, 0, 2, 1, 1]),
            // Its own name is at 0.
            writer.section([3, 0, 0, CONTENT, 4, 0, 0]),
        ];
        bytes.splice(0x400..0x400 + sections.concat().len(), sections.concat());
        check(&bytes, 0x1000, "code?");
        let tables = super::header_tables::HeaderTables::read(&bytes).expect("tables");
        assert_eq!(
            (tables.sections.len(), tables.section_names(&bytes)),
            (2, CODE)
        );
        assert!(tables.problems.is_empty());
    }
}

#[test]
fn a_file_with_debug_information_alone_loads_nothing() {
    const ALLOCATED: u64 = 2;
    const EXECUTABLE: u64 = 4;
    for (writer, flags) in Writer::all()
        .into_iter()
        .flat_map(|one| [ALLOCATED, ALLOCATED | EXECUTABLE].map(|f| (one, f)))
    {
        let sections = [
            writer.section([0; 7]),
            writer.section([8, flags, 0x1000, CONTENT, 4, 0, 0]),
            // A note remains (SHT_NOTE).
            writer.section([7, ALLOCATED, 0x1004, CONTENT, 4, 0, 0]),
        ];
        let header = writer.header(2, [1, 3, 0], 0x400);
        let mut bytes =
            writer.with_header(&header, &[Segment::new(0x1000, CONTENT, 8)], b"notecode");
        bytes.splice(0x400..0x400 + sections.concat().len(), sections.concat());
        check(&bytes, 0x1000, "????????");
    }
}

/// Images of a file with code in ROM at 0x1000, its entry point, and these segments.
fn images_of(segments: &[Segment]) -> Images {
    let writer = Writer {
        is_wide: true,
        is_big: false,
    };
    let rom = Segment {
        flags: 5,
        ..Segment::new(0x1000, CONTENT, 4)
    };
    let bytes = writer.file(&[&[rom], segments].concat(), &[CODE, DATA].concat());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.elf");
    std::fs::write(&path, bytes).expect("written");
    Images::load(&[ImageSpec { path, offset: 0 }]).expect("an image")
}

#[track_caller]
fn check_view(segments: &[Segment], starts: &ProgramStarts, expected: &str) {
    let program = images_of(segments).program(starts, &[]);
    let letter = |address| match program.byte(Address(address)) {
        None => '?',
        Some(0) => '0',
        Some(byte) => char::from(byte),
    };
    // At the load address and at the run address.
    let shown = (0x1800..0x1804)
        .chain(0x2000..0x200c)
        .map(letter)
        .collect::<String>();
    assert_eq!(shown, expected);
}

#[test]
fn data_that_a_program_copies_after_reset_is_where_it_was_loaded() {
    let (reset, later) = (ProgramStarts::All, ProgramStarts::Of(Vec::new()));
    let data = Segment {
        load_address: 0x1800,
        memory_bytes: 12,
        ..Segment::new(0x2000, CONTENT + 4, 10)
    };
    check_view(&[data], &reset, "data????????????");
    check_view(&[data], &later, "????????????????");
    // Code that runs in RAM is also copied.
    check_view(&[Segment { flags: 5, ..data }], &reset, "data????????????");
    // The program clears RAM without bytes in the file after reset; a loader would clear it before.
    let bss = Segment {
        memory_bytes: 12,
        ..Segment::new(0x2000, CONTENT, 0)
    };
    let other = Segment {
        load_address: 0x1800,
        ..Segment::new(0x3000, CONTENT + 4, 4)
    };
    check_view(&[bss, other], &reset, "data????????????");
    check_view(&[bss], &reset, "????000000000000");
    // Load addresses that were never set, and a file without such segments.
    check_view(
        &[Segment {
            load_address: 0,
            ..data
        }],
        &reset,
        "????data bytes00",
    );
    check_view(
        &[Segment {
            load_address: 0x2000,
            ..data
        }],
        &reset,
        "????data bytes00",
    );
}

#[test]
fn what_a_program_may_have_written_before_the_trace_is_unknown() {
    let later = ProgramStarts::Of(Vec::new());
    let data = Segment {
        memory_bytes: 12,
        ..Segment::new(0x2000, CONTENT + 4, 10)
    };
    check_view(&[data], &ProgramStarts::Of(vec![0]), "????data bytes00");
    check_view(&[data], &later, "????????????????");
    let constant = Segment { flags: 4, ..data };
    check_view(&[constant], &later, "????data bytes00");
}

#[test]
fn sections_without_the_write_flag_are_constant_in_a_writable_segment() {
    const WRITABLE: u64 = 1;
    const ALLOCATED: u64 = 2;
    for writer in Writer::all() {
        let section =
            |flags, address, offset, size| writer.section([1, flags, address, offset, size, 0, 0]);
        let sections = [
            writer.section([0; 7]),
            section(ALLOCATED, 0x1000, CONTENT, 4),
            section(ALLOCATED | WRITABLE, 0x1004, CONTENT + 4, 5),
            section(ALLOCATED, 0x1009, CONTENT + 9, 9),
        ];
        let header = writer.header(2, [1, 4, 0], 0x400);
        let segment = Segment {
            memory_bytes: 16,
            ..Segment::new(0x1000, CONTENT, 14)
        };
        let mut bytes = writer.with_header(&header, &[segment], &[CODE, DATA].concat());
        bytes.splice(0x400..0x400 + sections.concat().len(), sections.concat());
        let content = elf::read(&bytes, 0x100).expect("an image");
        let mut program = Program::default();
        content.segments[0].load_into(&mut program, LinkerView::ReadOnly);
        let letter = |address| program.byte(Address(address)).map_or('?', char::from);
        let shown = (0x1100..0x1112).map(letter).collect::<String>();
        assert_eq!(shown, "code?????bytes????");
    }
}
