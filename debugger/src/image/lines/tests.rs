//! Lines of the demo's image and of small images of one source, compiled in different ways.

use std::collections::BTreeSet;
use std::path::PathBuf;

use stepback_index::Cancel;
use stepback_machine::Address;

use super::test_image::{CODE, CODE_LENGTH, TestImage};
use crate::image::{ImageSpec, Images, LineRange};

fn images_of(file: &str, offset: u64) -> Images {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(file);
    Images::load(&[ImageSpec { path, offset }]).expect("an image")
}

#[track_caller]
fn check(images: &Images, address: u64, expected: Option<&str>) {
    let found = images
        .source_at(Address(address))
        .map(|line| line.to_string());
    assert_eq!(found.as_deref(), expected, "{address:#x}");
}

#[test]
fn an_instruction_has_the_line_that_it_was_compiled_from() {
    let images = images_of("assets/demo/overflow_bare.elf", 0);
    check(
        &images,
        0x8000_0000,
        Some("/build/trace-corpus/src/mini_a64.S:6"),
    );
    check(
        &images,
        0x8000_049c,
        Some("/build/trace-corpus/src/overflow.c:43"),
    );
    check(
        &images,
        0x8000_08a0,
        Some("/build/trace-corpus/src/overflow.c:96"),
    );
    for address in [0, 0x7fff_fffc, 0x8002_0000, u64::MAX] {
        check(&images, address, None);
    }
    let line = images.source_at(Address(0x8000_049c)).expect("a line");
    assert_eq!(
        (line.short().as_str(), line.function.as_deref()),
        ("overflow.c:43", Some("decode_field"))
    );
    assert_eq!(images.has_lines(), Ok(true));
}

#[test]
fn the_load_offset_moves_lines() {
    let images = images_of("assets/demo/overflow_bare.elf", 0x1000);
    check(
        &images,
        0x8000_149c,
        Some("/build/trace-corpus/src/overflow.c:43"),
    );
    check(&images, 0x8000_0000, None);
    let ranges = images
        .code_of_file("/build/trace-corpus/src/overflow.c", &Cancel::default())
        .expect("ranges");
    assert!(ranges.iter().all(|range| range.start.0 > 0x8000_1000));
}

const SAMPLES: [&str; 5] = ["dwarf2", "dwarf3", "dwarf4", "dwarf5", "dwarf5-zlib"];

#[test]
fn every_version_of_the_debug_information_is_read() {
    for name in SAMPLES {
        let images = images_of(&format!("fixtures/lines/{name}.elf"), 0);
        check(&images, 0x40_00b0, Some("/home/dev/lines/lines.c:7"));
        check(&images, 0x40_00f3, Some("/home/dev/lines/lines.c:17"));
        check(&images, 0x40_0100, None);
    }
}

#[test]
fn an_inlined_function_tells_where_it_was_called() {
    for name in SAMPLES {
        let images = images_of(&format!("fixtures/lines/{name}.elf"), 0);
        let line = images.source_at(Address(0x40_00d1)).expect("a line");
        assert_eq!(
            (line.line, line.function.as_deref()),
            (3, Some("twice")),
            "{name}"
        );
        let sites: Vec<_> = line
            .inlined_at
            .iter()
            .map(|site| (site.function.as_deref(), site.line))
            .collect();
        assert_eq!(sites, [(Some("work"), 9)], "{name}");
    }
}

#[test]
fn the_code_of_a_file_is_found_by_line() {
    for name in SAMPLES {
        let images = images_of(&format!("fixtures/lines/{name}.elf"), 0);
        let ranges = images
            .code_of_file("/home/dev/lines/lines.c", &Cancel::default())
            .expect("ranges");
        let of_line = |line: u32| -> Vec<(u64, u64)> {
            let wanted = ranges.iter().filter(|range| range.line == line);
            wanted
                .map(|LineRange { start, end, .. }| (start.0, end.0))
                .collect()
        };
        assert_eq!(
            of_line(3),
            [(0x40_00bd, 0x40_00c2), (0x40_00ce, 0x40_00d3)],
            "{name}"
        );
        assert_eq!(
            of_line(9),
            [(0x40_00c5, 0x40_00ce), (0x40_00d3, 0x40_00d9)],
            "{name}"
        );
        assert_eq!(of_line(11), [(0x40_00dc, 0x40_00de)], "{name}");
        assert_eq!(of_line(2), [], "{name}");
        let other = images
            .code_of_file("/home/dev/lines/other.c", &Cancel::default())
            .expect("ranges");
        assert_eq!(other, []);
    }
}

#[test]
fn the_ranges_of_a_file_agree_with_the_lines_of_their_addresses() {
    let demo = ("assets/demo/overflow_bare.elf", "overflow.c", 50);
    let optimised = ("fixtures/locals/rows.elf", "rows.c", 20);
    for (image, name, least) in [demo, optimised] {
        let images = images_of(image, 0);
        let is_meant = |file: &str| file.ends_with(name);
        let ranges = images
            .code_of_files(&is_meant, &Cancel::default())
            .expect("ranges");
        assert!(ranges.len() > least, "{name}: {}", ranges.len());
        for range in ranges {
            for address in range.start.0..range.end.0 {
                let line = images.source_at(Address(address)).map(|line| line.short());
                let expected = format!("{name}:{}", range.line);
                assert_eq!(line, Some(expected), "{address:#x}");
            }
        }
    }
}

// Lines that gdb 13.1 shows for the program counters. `objdump --dwarf=decodedline` lists further
// rows at each of them.
#[test]
fn the_last_statement_at_an_address_is_its_line() {
    let images = images_of("fixtures/locals/rows.elf", 0);
    for (address, line) in [
        (0x40_00f0, 25),
        (0x40_00f7, 24),
        (0x40_0100, 9),
        (0x40_010e, 11),
        (0x40_0133, 10),
        (0x40_013c, 17),
        (0x40_013f, 17),
        (0x40_014a, 10),
        (0x40_0150, 18),
        (0x40_0153, 18),
    ] {
        let expected = format!("/home/dev/locals/rows.c:{line}");
        check(&images, address, Some(&expected));
    }
}

// `objdump --dwarf=decodedline` shows line 0 at these addresses, and gdb 13.1 the calls.
#[test]
fn an_instruction_without_a_line_keeps_the_calls_around_it() {
    let images = images_of("fixtures/locals/inlines.elf", 0);
    for (address, function, lines) in [
        (0x20_1211, "inlines::measure", &[55][..]),
        (0x20_126e, "<u32>::wrapping_add", &[15, 44, 55]),
    ] {
        check(&images, address, None);
        let origin = images.origin_at(Address(address)).expect("an origin");
        assert_eq!(origin.line(), None);
        assert_eq!(origin.function().map(|name| &**name), Some(function));
        let calls: Vec<u32> = origin.inlined_at().iter().map(|site| site.line).collect();
        assert_eq!(calls, lines, "{address:#x}");
    }
}

/// `readelf --debug-dump=decodedline` shows a statement of line 27 at 0x80000348, and then line 28 at
/// the same address.
#[test]
fn a_statement_without_code_is_for_breakpoints_alone() {
    let images = images_of("assets/demo/overflow_bare.elf", 0);
    let is_meant = |name: &str| name == "/build/trace-corpus/src/overflow.c";
    let cancel = Cancel::default();
    let is_there = |ranges: &[LineRange]| {
        let statement = Some(Address(0x8000_0348));
        ranges
            .iter()
            .any(|range| range.line == 27 && range.statement == statement)
    };
    assert!(is_there(
        &images.statements_of_files(&is_meant, &cancel).unwrap()
    ));
    assert!(!is_there(
        &images.code_of_files(&is_meant, &cancel).unwrap()
    ));
}

/// gdb 13.1 shows these lines if the same object is linked at another address.
#[test]
fn code_that_the_linker_removed_does_not_hide_what_is_at_its_address() {
    for image in ["removed-dwarf4.elf", "removed-dwarf5.elf"] {
        let images = images_of(&format!("fixtures/images/{image}"), 0x40_0000);
        for (address, line, function) in [
            (0x0, 28, "used"),
            (0x2, 29, "used"),
            (0x5, 29, "used"),
            (0xb, 30, "used"),
            (0xc, 17, "_start"),
            (0x16, 18, "_start"),
            (0x20, 19, "_start"),
        ] {
            let address = Address(0x40_0000 + address);
            let found = images.source_at(address).expect("a line");
            let found = (found.line, found.function.as_deref());
            assert_eq!(found, (line, Some(function)), "{address} of {image}");
            let variables = images.variables_at(address).expect("a function");
            let names: Vec<_> = variables
                .functions()
                .iter()
                .map(|name| name.as_deref())
                .collect();
            assert_eq!(names, [Some(function)], "{address} of {image}");
        }
        let code = images.code_of_files(&|name| name.ends_with("removed.c"), &Cancel::default());
        let lines: BTreeSet<u32> = code.unwrap().iter().map(|range| range.line).collect();
        assert!(
            lines.iter().all(|line| matches!(line, 15..=19 | 27..=31)),
            "{lines:?}"
        );
    }
}

#[test]
fn an_image_without_lines_says_so() {
    assert_eq!(Images::default().has_lines(), Ok(false));
}

#[test]
fn damaged_debug_information_costs_the_lines_alone() {
    let whole = std::fs::read(
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .join("fixtures/lines/dwarf5-zlib.elf"),
    );
    let whole = whole.expect("the sample");
    let folder = tempfile::tempdir().expect("a directory");
    // Deterministic noise: each round changes another byte of the debug information.
    for round in 0..400_usize {
        let mut bytes = whole.clone();
        let place = 0x160 + round * 7919 % (bytes.len() - 0x160);
        bytes[place] ^= 1 << (round % 8);
        let path = folder.path().join("damaged.elf");
        std::fs::write(&path, &bytes).expect("written");
        let Ok(images) = Images::load(&[ImageSpec { path, offset: 0 }]) else {
            continue;
        };
        let _any = images.has_lines().map_err(str::to_owned);
        for address in 0x40_00b0..0x40_0100 {
            let _line = images.source_at(Address(address));
        }
        let _ranges = images.code_of_file("/home/dev/lines/lines.c", &Cancel::default());
    }
}

fn images_of_test(image: &TestImage) -> (Images, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("test.elf");
    image.write(&path);
    (
        Images::load(&[ImageSpec { path, offset: 0 }]).expect("an image"),
        folder,
    )
}

#[test]
fn functions_inlined_deeper_than_any_compiler_does_cost_the_names_and_not_the_program() {
    for (levels, expected) in [
        (0, Some("outer")),
        (256, Some("outer")),
        (257, None),
        (100_000, None),
    ] {
        let (images, _folder) = images_of_test(&TestImage {
            levels,
            advance: 8,
            ..TestImage::default()
        });
        let line = images.source_at(Address(CODE)).expect("a line");
        assert_eq!(
            (line.short().as_str(), line.function.as_deref()),
            ("deep.c:7", expected),
            "{levels}"
        );
    }
}

#[test]
fn a_line_ends_with_the_code_whatever_the_table_says() {
    for (advance, end) in [(8, CODE + 8), (0x7000_0000_0000_0000, CODE + CODE_LENGTH)] {
        let (images, _folder) = images_of_test(&TestImage {
            advance,
            ..TestImage::default()
        });
        let ranges = images
            .code_of_file("/src/deep.c", &Cancel::default())
            .expect("ranges");
        assert_eq!(
            ranges,
            [LineRange {
                line: 7,
                start: Address(CODE),
                end: Address(end),
                statement: Some(Address(CODE)),
            }],
            "{advance:#x}"
        );
    }
}

#[test]
fn sections_that_share_their_bytes_do_not_multiply_them() {
    let shared = &[".debug_str", ".debug_ranges", ".debug_addr"];
    let (images, _folder) = images_of_test(&TestImage {
        advance: 8,
        shared,
        padding: 1 << 20,
        ..TestImage::default()
    });
    let error = images.has_lines().expect_err("no lines");
    assert!(error.contains("which is impossible"), "{error}");
    assert_eq!(images.source_at(Address(CODE)), None);
}

#[test]
fn lines_are_ready_once_they_were_read() {
    let images = images_of("assets/demo/overflow_bare.elf", 0);
    assert!(!images.are_lines_ready() && Images::default().are_lines_ready());
    images.load_lines();
    assert!(images.are_lines_ready());
    check(
        &images,
        0x8000_08a0,
        Some("/build/trace-corpus/src/overflow.c:96"),
    );
}
