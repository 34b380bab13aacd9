//! Tests with complete ELF files: the demo's, and small generated ones.

use std::io::Write as _;

use proptest::prelude::*;
use stepback_machine::{Address, Endian, InstructionSet};

use super::elf::ElfContent;
use super::{ImageSpec, Images, ProgramStarts, SymbolKind, elf};
use crate::image::symbol::AddressName;

const DEMO: &[u8] = include_bytes!("../../../assets/demo/overflow_bare.elf");

fn demo(offset: u64) -> Images {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../assets/demo/overflow_bare.elf"
    )
    .into();
    Images::load(&[ImageSpec { path, offset }]).expect("the demo's image")
}

#[track_caller]
fn check_name(images: &Images, address: u64, expected: Option<&str>) {
    assert_eq!(
        images.name_at(Address(address)).as_deref(),
        expected,
        "{address:#x}"
    );
}

#[test]
fn functions_and_variables_are_found_by_address() {
    let images = demo(0);
    check_name(&images, 0x8000_0000, Some("_start"));
    check_name(&images, 0x8000_0898, Some("main"));
    check_name(&images, 0x8000_08a0, Some("main+0x8"));
    check_name(&images, 0x8000_0a73, Some("main+0x1db"));
    check_name(&images, 0x8002_000f, Some("heap+0xf"));
    check_name(&images, 0x8402_00a0, Some("sessions"));
}

#[test]
fn addresses_outside_every_symbol_have_no_name() {
    let images = demo(0);
    for address in [
        0,
        0x7fff_ffff,
        0x8000_0a74,
        0x8000_0ab0,
        0x9000_0000,
        u64::MAX,
    ] {
        check_name(&images, address, None);
    }
    // A label without a size at the end of its section covers only its own address.
    check_name(&images, 0x8402_06a0, Some("_end"));
    check_name(&images, 0x8402_06a1, None);
}

#[test]
fn names_lead_to_addresses_and_variables_are_no_functions() {
    let images = demo(0);
    assert_eq!(images.address_of("dispatch"), Some(Address(0x8000_087c)));
    assert_eq!(images.address_of("heap"), Some(Address(0x8002_0000)));
    assert_eq!(images.address_of("$x"), None);
    assert_eq!(images.address_of("nobody"), None);
    assert_eq!(images.function_at(Address(0x8002_0000)), None);
    let found = images
        .function_at(Address(0x8000_0880))
        .expect("a function");
    assert_eq!(
        (found.name, found.offset, found.symbol.kind),
        ("dispatch", 4, SymbolKind::Function)
    );
    assert_eq!(
        (found.symbol.address, found.symbol.size_bytes),
        (Address(0x8000_087c), 0x1c)
    );
}

#[test]
fn the_load_offset_moves_every_symbol() {
    check_name(&demo(0x1000), 0x8000_1898, Some("main"));
    check_name(&demo(0x1000), 0x8000_0000, None);
    check_name(&demo(0x8000_0000u64.wrapping_neg()), 0x898, Some("main"));
}

#[test]
fn functions_are_searched_in_any_case() {
    let images = demo(0);
    let names = |filter: &str| {
        let mut names: Vec<&str> = images
            .functions(filter)
            .map(|symbol| symbol.name())
            .collect();
        names.sort_unstable();
        names.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("MINI_P"), ["mini_putnum", "mini_puts"]);
    assert_eq!(names("nobody"), Vec::<String>::new());
    assert_eq!(names("").len(), 27);
}

#[test]
fn what_the_file_is_can_be_asked() {
    let images = demo(0);
    let set = images.instruction_set();
    assert_eq!(
        (images.endian(), set, images.is_empty()),
        (Some(Endian::Little), Some(InstructionSet::A64), false)
    );
    let none = Images::default();
    assert_eq!(
        (none.endian(), none.instruction_set(), none.is_empty()),
        (None, None, true)
    );
    check_name(&none, 0, None);
    assert_eq!(none.functions("").count(), 0);
}

#[track_caller]
fn check_refused(content: &[u8], expected: &str) {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(content).expect("written");
    let spec = ImageSpec {
        path: file.path().to_owned(),
        offset: 0,
    };
    let error = format!("{:#}", Images::load(&[spec]).expect_err("no image"));
    assert!(error.contains(expected), "{error}");
    assert!(error.contains(&format!("{:?}", file.path())), "{error}");
}

#[test]
fn a_file_that_is_no_image_is_refused_with_its_name_and_the_reason() {
    check_refused(b"", "not an ELF file");
    check_refused(b"1 clk IT (1) 00008000", "not an ELF file");
    check_refused(b"\x7fELF", "the ELF header is damaged");
    check_refused(
        &DEMO[..1000],
        "the section headers at byte 0x23588 are damaged or cut off",
    );
}

#[test]
fn what_is_no_file_is_refused() {
    let refused = |path: &std::path::Path| {
        let spec = ImageSpec {
            path: path.to_owned(),
            offset: 0,
        };
        format!("{:#}", Images::load(&[spec]).expect_err("no image"))
    };
    let directory = tempfile::tempdir().expect("a directory");
    assert!(refused(directory.path()).contains("not a file"));
    assert!(refused(&directory.path().join("none.elf")).contains("none.elf"));
}

/// A symbol of a generated file: name, value, size, info, section.
type Entry = (&'static str, u64, u64, u8, u16);

const GLOBAL: u8 = 1 << 4;
const WEAK: u8 = 2 << 4;
const NO_TYPE: u8 = 0;
const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;
const TEXT: u16 = 1;
const DATA: u16 = 2;
const ABSOLUTE: u16 = 0xfff1;

/// An ELF file of either class and byte order with code at 0x1000, data at 0x2000 (0x100 bytes
/// each) and these symbols.
struct ElfWriter {
    is_wide: bool,
    is_big: bool,
    machine: u16,
}

impl ElfWriter {
    fn number(&self, value: u64, size_bytes: usize) -> Vec<u8> {
        let bytes = value.to_le_bytes();
        let bytes = bytes[..size_bytes].to_vec();
        if self.is_big {
            bytes.into_iter().rev().collect()
        } else {
            bytes
        }
    }

    fn half(&self, value: u16) -> Vec<u8> {
        self.number(value.into(), 2)
    }

    fn word(&self, value: u64) -> Vec<u8> {
        self.number(value, 4)
    }

    /// Encodes a number in the width of the class.
    fn native(&self, value: u64) -> Vec<u8> {
        self.number(value, if self.is_wide { 8 } else { 4 })
    }

    fn symbol(&self, name: u64, (_, value, size, info, section): Entry) -> Vec<u8> {
        let tail = [vec![info, 0], self.half(section)].concat();
        let place = [self.native(value), self.native(size)].concat();
        if self.is_wide {
            [self.word(name), tail, place].concat()
        } else {
            [self.word(name), place, tail].concat()
        }
    }

    fn section(&self, kind: u64, flags: u64, [address, start, size, link]: [u64; 4]) -> Vec<u8> {
        let middle = [
            self.native(flags),
            self.native(address),
            self.native(start),
            self.native(size),
        ]
        .concat();
        let end = [
            self.word(link),
            self.word(0),
            self.native(1),
            self.native(0),
        ]
        .concat();
        [self.word(0), self.word(kind), middle, end].concat()
    }

    fn write(&self, entries: &[Entry]) -> Vec<u8> {
        let (header_bytes, section_bytes) = if self.is_wide { (64, 64) } else { (52, 40) };
        let mut names = vec![0];
        let mut symbols = self.symbol(0, ("", 0, 0, 0, 0));
        for entry in entries {
            symbols.extend(self.symbol(names.len() as u64, *entry));
            names.extend(entry.0.bytes().chain([0]));
        }
        let symbols_at = header_bytes;
        let names_at = symbols_at + symbols.len() as u64;
        let sections_at = names_at + names.len() as u64;
        let ident = [
            b"\x7fELF".to_vec(),
            vec![1 + u8::from(self.is_wide), 1 + u8::from(self.is_big), 1],
            vec![0; 9],
        ];
        let header = [
            ident.concat(),
            self.half(2),
            self.half(self.machine),
            self.word(1),
            self.native(0x1000),
            self.native(0),
            self.native(sections_at),
            self.word(0),
            [header_bytes as u16, 0, 0, section_bytes, 5, 4]
                .iter()
                .flat_map(|half| self.half(*half))
                .collect(),
        ];
        let sections = [
            self.section(0, 0, [0; 4]),
            self.section(1, 6, [0x1000, 0, 0x100, 0]),
            self.section(1, 3, [0x2000, 0, 0x100, 0]),
            self.section(2, 0, [0, symbols_at, symbols.len() as u64, 4]),
            self.section(3, 0, [0, names_at, names.len() as u64, 0]),
        ];
        [header.concat(), symbols, names, sections.concat()].concat()
    }
}

const AARCH64: ElfWriter = ElfWriter {
    is_wide: true,
    is_big: false,
    machine: 183,
};
const ARM: ElfWriter = ElfWriter {
    is_wide: false,
    is_big: false,
    machine: 40,
};

fn images(bytes: &[u8]) -> Images {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("written");
    Images::load(&[ImageSpec {
        path: file.path().to_owned(),
        offset: 0,
    }])
    .expect("an image")
}

#[test]
fn both_classes_and_byte_orders_are_read() {
    for (is_wide, is_big) in [(false, false), (false, true), (true, false), (true, true)] {
        let writer = ElfWriter {
            is_wide,
            is_big,
            machine: if is_wide { 183 } else { 40 },
        };
        let images = images(&writer.write(&[("f", 0x1010, 0x10, GLOBAL | FUNCTION, TEXT)]));
        check_name(&images, 0x1014, Some("f+0x4"));
        check_name(&images, 0x1020, None);
        assert_eq!(
            images.endian(),
            Some(if is_big { Endian::Big } else { Endian::Little })
        );
        let expected = if is_wide {
            InstructionSet::A64
        } else {
            InstructionSet::A32
        };
        assert_eq!(images.instruction_set(), Some(expected));
    }
    let x86 = ElfWriter {
        machine: 62,
        ..AARCH64
    };
    assert_eq!(
        images(&x86.write(&[])).instruction_set(),
        Some(InstructionSet::X86_64)
    );
}

#[test]
fn a_thumb_function_begins_at_its_first_instruction() {
    let thumb = images(&ARM.write(&[("f", 0x1011, 0x10, GLOBAL | FUNCTION, TEXT)]));
    assert_eq!(thumb.address_of("f"), Some(Address(0x1010)));
    check_name(&thumb, 0x1010, Some("f"));
    check_name(&thumb, 0x1020, None);
    // For other instruction sets an odd address stays odd.
    let odd = images(&AARCH64.write(&[("f", 0x1011, 0x10, GLOBAL | FUNCTION, TEXT)]));
    assert_eq!(odd.address_of("f"), Some(Address(0x1011)));
}

#[test]
fn of_several_names_for_the_same_bytes_the_most_public_wins() {
    let at = |entries: &[Entry]| {
        images(&AARCH64.write(entries))
            .name_at(Address(0x1010))
            .expect("a name")
    };
    let local = ("local", 0x1010, 8, FUNCTION, TEXT);
    let weak = ("weak", 0x1010, 8, WEAK | FUNCTION, TEXT);
    let global = ("global_f", 0x1010, 8, GLOBAL | FUNCTION, TEXT);
    let object = ("o", 0x1010, 8, GLOBAL | OBJECT, TEXT);
    let short = ("g_f", 0x1010, 8, GLOBAL | FUNCTION, TEXT);
    assert_eq!(at(&[local, weak]), "weak");
    assert_eq!(at(&[weak, global, local]), "global_f");
    assert_eq!(at(&[object, global]), "global_f");
    assert_eq!(at(&[global, short, weak]), "g_f");
}

#[test]
fn the_inner_symbol_wins_and_the_outer_one_goes_on_after_it() {
    let outer = ("outer", 0x2000, 0x40, GLOBAL | OBJECT, DATA);
    let inner = ("inner", 0x2010, 0x10, OBJECT, DATA);
    let images = images(&AARCH64.write(&[outer, inner]));
    for (address, name) in [
        (0x200f, "outer+0xf"),
        (0x2010, "inner"),
        (0x201f, "inner+0xf"),
        (0x2020, "outer+0x20"),
    ] {
        check_name(&images, address, Some(name));
    }
}

#[test]
fn labels_without_a_size_fill_the_holes_up_to_the_next_symbol() {
    let start = ("_start", 0x1000, 0, GLOBAL | NO_TYPE, TEXT);
    let function = ("f", 0x1020, 0x20, GLOBAL | FUNCTION, TEXT);
    let inside = ("inside", 0x1030, 0, NO_TYPE, TEXT);
    let late = ("late", 0x1080, 0, NO_TYPE, TEXT);
    let images = images(&AARCH64.write(&[start, function, inside, late]));
    check_name(&images, 0x1010, Some("_start+0x10"));
    check_name(&images, 0x1034, Some("f+0x14"));
    check_name(&images, 0x1040, None);
    check_name(&images, 0x10ff, Some("late+0x7f"));
    check_name(&images, 0x1100, None);
    assert_eq!(
        images
            .function_at(Address(0x1010))
            .map(|found| found.symbol.kind),
        Some(SymbolKind::CodeLabel)
    );
}

#[test]
fn numbers_that_a_linker_made_up_have_a_value_but_name_no_address() {
    let images = images(&AARCH64.write(&[("__stack_size", 0x1000, 0, GLOBAL | NO_TYPE, ABSOLUTE)]));
    assert_eq!(images.address_of("__stack_size"), Some(Address(0x1000)));
    check_name(&images, 0x1000, None);
}

#[test]
fn symbols_for_tools_are_left_out() {
    let section = ("section", 0x1000, 0, 3, TEXT);
    let file = ("file.c", 0, 0, 4, ABSOLUTE);
    let imported = ("imported", 0, 0, GLOBAL | FUNCTION, 0);
    let thread_local = ("errno", 0, 4, GLOBAL | 6, DATA);
    let mapping = [
        ("$x", 0x1000, 0, NO_TYPE, TEXT),
        ("$xrv64i2p1_m2p0_a2p1", 0x1000, 0, NO_TYPE, TEXT),
        ("$d.realdata", 0x2000, 0, NO_TYPE, DATA),
        ("", 0x1000, 0, NO_TYPE, TEXT),
    ];
    let entries = [
        vec![section, file, imported, thread_local],
        mapping.to_vec(),
    ]
    .concat();
    let images = images(&AARCH64.write(&entries));
    assert_eq!(images.infos()[0].symbol_count, 0);
    let is_thread_local = |name| images.is_thread_local(name);
    assert_eq!(["errno", "imported"].map(is_thread_local), [true, false]);
}

#[test]
fn unlikely_code_that_was_moved_away_belongs_to_its_function() {
    let function = |name, address| (name, address, 0x10, FUNCTION, TEXT);
    // Two source files have a function with the same name, each with a cold part.
    let entries = [
        function("f", 0x1010),
        function("f.cold", 0x1080),
        function("f.part.0", 0x1030),
        function("f", 0x1020),
        function("f.cold.7", 0x1090),
        function("g.cold", 0x10a0),
        function("f.colder", 0x10b0),
    ];
    let program = images(&AARCH64.write(&entries)).program(&ProgramStarts::All, &[]);
    let owners: Vec<_> = program
        .functions()
        .iter()
        .map(|part| (part.start, part.function))
        .collect();
    let whole = |address| (address, address);
    let moved = [(0x1080, 0x1010), (0x1090, 0x1020)];
    let expected = [
        &[0x1010, 0x1020, 0x1030].map(whole)[..],
        &moved,
        &[0x10a0, 0x10b0].map(whole),
    ]
    .concat();
    assert_eq!(owners, expected);
}

#[test]
fn a_mangled_symbol_answers_to_all_its_names() {
    let images =
        images(&AARCH64.write(&[("_ZN5Lexer4nextEi", 0x1010, 8, GLOBAL | FUNCTION, TEXT)]));
    check_name(&images, 0x1012, Some("Lexer::next(int)+0x2"));
    for name in ["_ZN5Lexer4nextEi", "Lexer::next(int)", "Lexer::next"] {
        assert_eq!(images.address_of(name), Some(Address(0x1010)), "{name}");
    }
    assert_eq!(images.functions("lexer::N").count(), 1);
}

#[test]
fn a_readable_name_stands_for_the_overloads_and_not_for_their_thunks() {
    let images = images(&AARCH64.write(&[
        ("_ZN3Foo3barEi", 0x1010, 8, GLOBAL | FUNCTION, TEXT),
        ("_ZN3Foo3barEv", 0x1020, 8, GLOBAL | FUNCTION, TEXT),
        ("_ZThn16_N3Foo3barEv", 0x1030, 8, GLOBAL | FUNCTION, TEXT),
        ("bar", 0x1040, 8, FUNCTION, TEXT),
        ("_ZL3bari", 0x1050, 8, FUNCTION, TEXT),
    ]));
    assert_eq!(images.addresses_of("Foo::bar"), [0x1010, 0x1020]);
    assert_eq!(images.addresses_of("Foo::bar(int)"), [0x1010]);
    assert_eq!(images.addresses_of("bar"), [0x1040, 0x1050]);
    check_name(&images, 0x1030, Some("non-virtual thunk to Foo::bar()"));
}

#[test]
fn of_several_symbols_with_one_name_the_global_or_lowest_one_is_meant() {
    let low = ("helper", 0x1010, 8, FUNCTION, TEXT);
    let high = ("helper", 0x1050, 8, FUNCTION, TEXT);
    let public = ("helper", 0x1080, 8, GLOBAL | FUNCTION, TEXT);
    assert_eq!(
        images(&AARCH64.write(&[high, low])).address_of("helper"),
        Some(Address(0x1010))
    );
    assert_eq!(
        images(&AARCH64.write(&[high, low, public])).address_of("helper"),
        Some(Address(0x1080))
    );
    // All of them are returned, each address once.
    let alias = ("helper", 0x1050, 8, GLOBAL | FUNCTION, TEXT);
    assert_eq!(
        images(&AARCH64.write(&[high, low, alias])).addresses_of("helper"),
        [0x1010, 0x1050]
    );
    let variable = ("helper", 0x2000, 8, OBJECT, DATA);
    assert_eq!(
        images(&AARCH64.write(&[variable, low])).addresses_of("helper"),
        [0x1010]
    );
    // Each keeps its own bytes.
    check_name(
        &images(&AARCH64.write(&[high, low])),
        0x1051,
        Some("helper+0x1"),
    );
}

#[test]
fn a_symbol_that_reaches_beyond_the_address_space_ends_with_it() {
    let huge = ("huge", u64::MAX - 1, u64::MAX, GLOBAL | OBJECT, DATA);
    let images = images(&AARCH64.write(&[huge]));
    check_name(&images, u64::MAX, Some("huge+0x1"));
    check_name(&images, 0, None);
}

#[test]
fn names_that_share_their_bytes_without_end_are_refused() {
    // Each name would be the whole rest of the string table.
    let entries = vec![("f", 0x1000, 4, GLOBAL | FUNCTION, TEXT); 1000];
    let mut bytes = AARCH64.write(&entries);
    let (names_at, names_end) = (64 + 24 * 1001, 64 + 24 * 1001 + 2001);
    bytes[names_at..names_end].fill(b'a');
    assert!(elf::read(&bytes, 0).is_err_and(|error| error.to_string().contains("overlap")));
}

/// Reads bytes as an image; any result is fine, but no panic.
fn survives(bytes: &[u8]) {
    if let Ok(ElfContent { symbols, .. }) = elf::read(bytes, 0x1234_5678_9abc_def0) {
        let _count = symbols.len();
    }
}

#[test]
fn a_symbol_table_that_is_listed_many_times_is_read_once() {
    const COPIES: u16 = 1000;
    let mut bytes = AARCH64.write(&[("f", 0x1010, 8, GLOBAL | FUNCTION, TEXT)]);
    // The headers of five sections of 64 bytes end the file; the fourth is the symbol table's.
    let table = bytes[bytes.len() - 128..bytes.len() - 64].to_vec();
    bytes.extend(table.repeat(COPIES.into()));
    bytes[60..62].copy_from_slice(&(5 + COPIES).to_le_bytes());
    assert_eq!(elf::read(&bytes, 0).expect("an image").symbols.len(), 1);
}

#[test]
fn every_cut_of_a_small_image_is_survived() {
    let whole = ARM.write(&[
        ("f", 0x1011, 0x10, GLOBAL | FUNCTION, TEXT),
        ("_ZN1aC2Ev", 0x1020, 4, FUNCTION, TEXT),
    ]);
    for length in 0..whole.len() {
        survives(&whole[..length]);
    }
}

proptest! {
    #[test]
    fn damaged_images_are_survived(
        is_wide: bool,
        is_big: bool,
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let writer = ElfWriter { is_wide, is_big, machine: 40 };
        let mut bytes = writer.write(&[
            ("f", 0x1011, 0x10, GLOBAL | FUNCTION, TEXT),
            ("_ZN5Lexer4nextEv", 0x1020, 4, FUNCTION, TEXT),
            ("v", 0x2000, 4, GLOBAL | OBJECT, DATA),
        ]);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            // The first bytes only identify an ELF file.
            if place > 3 {
                bytes[place] = byte;
            }
        }
        survives(&bytes);
    }
}

#[test]
fn names_of_the_user_come_before_those_of_files() {
    let spec: ImageSpec = "../assets/demo/overflow_bare.elf".parse().unwrap();
    let images = Images::load(&[spec]).unwrap();
    let main = images.address_of("main").unwrap();
    let given = |address, len_bytes, name: &str| AddressName {
        address,
        len_bytes,
        name: name.to_owned(),
    };
    let beside = Address(0x10);
    let named = images.with_names(&[given(main, 1, "begin here"), given(beside, 8, "cell")]);
    assert_eq!(
        named.name_at(Address(main.0 + 8)).as_deref(),
        Some("begin here+0x8")
    );
    assert_eq!(
        named.function_at(main).map(|found| found.name),
        Some("begin here")
    );
    assert_eq!(
        (named.address_of("begin here"), named.address_of("main")),
        (Some(main), Some(main))
    );
    assert_eq!(named.name_at(Address(0x17)).as_deref(), Some("cell+0x7"));
    assert_eq!(
        (
            named.name_at(Address(0x18)),
            named.function_at(Address(0x12))
        ),
        (None, None)
    );
    assert!(named.functions("begin").next().is_some());
    assert_eq!(named.with_names(&[]).name_at(main).as_deref(), Some("main"));
    let bare = Images::default().with_names(&[
        given(Address(0x1000), 1, "one"),
        given(Address(0x1100), 1, "two"),
    ]);
    let name = |address| bare.name_at(Address(address));
    assert_eq!(
        (name(0x10fc).as_deref(), name(0x1104).as_deref()),
        (Some("one+0xfc"), Some("two+0x4"))
    );
    assert_eq!((name(0xfff), name(0x2100)), (None, None));
}
