//! Variables of units that no compiler writes, and damaged ones of a compiler.

use std::collections::HashMap;

use stepback_machine::Address;

use crate::image::lines::{SectionReader, read_section};
use crate::image::variables::debug_entries::DebugEntries;
use crate::image::variables::evaluation::EvaluationState;
use crate::image::variables::frame_rules::FrameRules;
use crate::image::variables::image_variables::catch_panic;
use crate::image::variables::location::{LocationReader, VariablePlace};
use crate::image::variables::scopes::{ScopedVariable, VariableKind, variables_at};
use crate::image::variables::test_unit::{
    ARRAY, BLOCK, BOUNDS, COMPLETION, COMPUTED_MEMBER, CONSTANT, DEFINITION, INLINED, MEMBER,
    OUTER, OUTER_BYTES, PARAMETER, POINTER, STRIDED_ARRAY, STRUCTURE, TestFrame, TestUnit,
    VARIABLE, entries_of,
};
use crate::image::variables::types::{TypeReader, TypeShape, VariableType};
use crate::image::{ImageSpec, Images};

/// `DW_OP_call_frame_cfa`.
const CFA: [u8; 1] = [0x9c];

/// Distance between the addresses of the image and those in memory.
const MOVED: u64 = 0x10_0000;

fn no_rules() -> FrameRules {
    let none = std::path::Path::new("none");
    FrameRules::read(none, none, 8)
}

/// Describes the place of the first variable of a function.
fn place_in(entries: &DebugEntries) -> String {
    let function = entries.function_at(OUTER).unwrap();
    let variables = variables_at(entries, &function, OUTER);
    let reader = LocationReader {
        entries,
        rules: &no_rules(),
        function: &function,
        address: OUTER,
        offset: MOVED,
        frame: &TestFrame,
        state: EvaluationState::default(),
    };
    match reader.place_of(&variables[0].entry, Some(4)).unwrap() {
        VariablePlace::Memory(address) => format!("at {address:#x}"),
        VariablePlace::Content(bytes) => {
            let byte =
                |value: Option<u8>| value.map_or("??".to_owned(), |one| format!("{one:02x}"));
            let bytes: Vec<String> = bytes.iter().map(|one| byte(one.value)).collect();
            bytes.join(" ")
        }
        VariablePlace::OptimisedAway => "optimised away".to_owned(),
        VariablePlace::Unsupported => "unsupported".to_owned(),
        VariablePlace::Unreadable => "unreadable".to_owned(),
        VariablePlace::Unknown => "unknown".to_owned(),
    }
}

/// Compares the place of an `int` with this location in a function with this frame base.
#[track_caller]
fn check_with(frame_base: &[u8], location: &[u8], expected: &str) {
    let mut unit = TestUnit::new();
    let int = unit.int();
    unit.outer(frame_base);
    unit.begin(VARIABLE)
        .text("x")
        .to(int)
        .expression(location)
        .end();
    assert_eq!(place_in(&unit.entries()), expected, "{location:02x?}");
}

#[track_caller]
fn check(location: &[u8], expected: &str) {
    check_with(&CFA, location, expected);
}

// DWARF 5, 2.5 and 2.6, with the contents that `TestFrame` states.
#[test]
fn locations_in_memory() {
    // fbreg -16: the frame base is the stack pointer at the entry.
    check(&[0x91, 0x70], "at 0x6ff0");
    // breg3 8.
    check(&[0x73, 8], "at 0x3008");
    // bregx 20 -1.
    check(&[0x92, 20, 0x7f], "at 0x13fff");
    // addr, which moves with the image.
    check(&[0x03, 0, 0x20, 0, 0, 0, 0, 0, 0], "at 0x102000");
    // breg3 8, deref: bytes 08 to 0f.
    check(&[0x73, 8, 0x06], "at 0xf0e0d0c0b0a0908");
    // breg3 8, deref_size 2.
    check(&[0x73, 8, 0x94, 2], "at 0x908");
    // lit3, lit4, plus, dup, mul.
    check(&[0x33, 0x34, 0x22, 0x12, 0x1e], "at 0x31");
}

#[test]
fn frame_bases() {
    // reg29: the frame base is the value of the register.
    check_with(&[0x6d], &[0x91, 4], "at 0x1d004");
    // breg31 16.
    check_with(&[0x8f, 16], &[0x91, 0], "at 0x1f010");
    // A frame base that needs itself.
    check_with(&[0x91, 0], &[0x91, 0], "unknown");
    check_with(&[], &[0x91, 0], "unknown");
}

#[test]
fn values_without_a_place() {
    // reg3.
    check(&[0x53], "00 30 00 00");
    // regx 21.
    check(&[0x90, 21], "00 50 01 00");
    // breg3 -1, stack_value.
    check(&[0x73, 0x7f, 0x9f], "ff 2f 00 00");
    // lit5, stack_value.
    check(&[0x35, 0x9f], "05 00 00 00");
    // const1s -2, stack_value.
    check(&[0x09, 0xfe, 0x9f], "fe ff ff ff");
    // implicit_value.
    check(&[0x9e, 4, 1, 2, 3, 4], "01 02 03 04");
    // entry_value(reg3), stack_value.
    check(&[0xa3, 1, 0x53, 0x9f], "01 30 00 00");
    // entry_value(breg3 2), lit1, plus, stack_value.
    check(&[0xa3, 2, 0x73, 2, 0x31, 0x22, 0x9f], "04 30 00 00");
    // reg3, piece 2, reg4, piece 2.
    check(&[0x53, 0x93, 2, 0x54, 0x93, 2], "00 30 00 40");
    // fbreg 1, piece 1, lit9, stack_value, piece 3.
    check(&[0x91, 1, 0x93, 1, 0x39, 0x9f, 0x93, 3], "01 09 00 00");
}

#[test]
fn what_cannot_be_known_is_unknown() {
    // reg9.
    check(&[0x59], "?? ?? ?? ??");
    // breg9 0, and its value.
    check(&[0x79, 0], "unknown");
    check(&[0x79, 0, 0x9f], "unknown");
    // breg8 0, deref: memory that the trace does not show.
    check(&[0x78, 0, 0x06], "unknown");
    // A register that the processor does not have.
    check(&[0x90, 99], "unknown");
    // reg3, piece 2, piece 2: half is optimised away.
    check(&[0x53, 0x93, 2, 0x93, 2], "00 30 ?? ??");
    // entry_value(reg9), stack_value.
    check(&[0xa3, 1, 0x59, 0x9f], "unknown");
    // entry_value(deref of reg3): memory at the entry is not that of now.
    check(&[0xa3, 3, 0x73, 0, 0x06, 0x9f], "unknown");
}

#[test]
fn unsupported_and_damaged_locations_have_their_own_words() {
    // lit0, form_tls_address.
    check(&[0x30, 0x9b], "unsupported");
    // call2, which calls another entry.
    check(&[0x98, 11, 0], "unsupported");
    // reg3, bit_piece 3 bits from bit 0.
    check(&[0x53, 0x9d, 3, 0], "unsupported");
    // implicit_pointer to the entry at 11.
    check(&[0xa0, 11, 0, 0, 0, 0], "unsupported");
    // An unknown operation.
    check(&[0xff], "unsupported");
    // plus without operands, and an address that is cut off.
    check(&[0x22], "unreadable");
    check(&[0x03, 0, 0x20], "unreadable");
    // fbreg with a damaged frame base.
    check_with(&[0x22], &[0x91, 0], "unreadable");
}

#[test]
fn contents_have_the_size_of_the_type() {
    // implicit_value of 2 bytes, and of 6.
    check(&[0x9e, 2, 1, 2], "01 02 ?? ??");
    check(&[0x9e, 6, 1, 2, 3, 4, 5, 6], "01 02 03 04");
    // reg3, piece 2.
    check(&[0x53, 0x93, 2], "00 30 ?? ??");
    // reg3, piece 4, reg4, piece 4.
    check(&[0x53, 0x93, 4, 0x54, 0x93, 4], "00 30 00 00");
}

#[test]
fn a_location_without_operations_is_optimised_away() {
    check(&[], "optimised away");
    // piece 4.
    check(&[0x93, 4], "optimised away");
}

#[test]
fn an_endless_expression_ends() {
    // skip -3.
    check(&[0x2f, 0xfd, 0xff], "unreadable");
    // lit0, skip -4: the stack grows.
    check(&[0x30, 0x2f, 0xfc, 0xff], "unreadable");
    // A value at the entry of a value at the entry, and so on.
    let mut nested = vec![0x53];
    for _ in 0..20 {
        nested.splice(0..0, [0xa3, u8::try_from(nested.len()).unwrap()]);
    }
    check(&[&nested[..], &[0x9f]].concat(), "unknown");
}

/// Describes the places of the variables of an image's function at an address.
fn places_in(path: &str, address: u64) -> Vec<String> {
    let spec: ImageSpec = path.parse().unwrap();
    let images = Images::load(&[spec]).unwrap();
    let found = images.variables_at(Address(address)).unwrap();
    let place = |variable: &ScopedVariable| match found.place_of(variable, &TestFrame).unwrap() {
        VariablePlace::Memory(address) => format!("{} at {address:#x}", variable.name),
        other => format!("{} {other:?}", variable.name),
    };
    found.variables().iter().map(place).collect()
}

// `twice` is inlined in `work` at 0x4000bd. The frame base is rbp + 16 there, and rsp + 8 at the
// entry: rbp is register 6, rsp is register 7.
#[test]
fn every_version_of_dwarf_has_the_same_places() {
    for version in ["dwarf2", "dwarf3", "dwarf4", "dwarf5", "dwarf5-zlib"] {
        let path = format!("../fixtures/lines/{version}.elf");
        assert_eq!(
            places_in(&path, 0x40_00bd),
            ["value at 0x5ff4", "value at 0x5fec", "sum at 0x5ffc"],
            "{version}"
        );
        assert_eq!(
            places_in(&path, 0x40_00b0),
            ["value at 0x6fe4", "sum at 0x6ff4"],
            "{version}"
        );
    }
}

/// Lists the variables in scope at an address as `NAME kind function`.
fn scope(entries: &DebugEntries, address: u64) -> Vec<String> {
    let function = entries.function_at(address).unwrap();
    let variables = variables_at(entries, &function, address);
    let text = |one: &ScopedVariable| {
        let kind = match one.kind {
            VariableKind::Argument => "argument",
            VariableKind::Local => "local",
        };
        let inlined = if one.is_inlined { " inlined" } else { "" };
        let function = one.function.as_deref().unwrap_or("?");
        format!("{} {kind} {function}{inlined}", one.name)
    };
    variables.iter().map(text).collect()
}

#[test]
fn inner_variables_come_first() {
    let mut unit = TestUnit::new();
    let int = unit.int();
    let callee = unit.next();
    // An abstract function has no code.
    unit.begin(2)
        .text("callee")
        .code(0..0)
        .expression(&CFA)
        .end();
    unit.outer(&CFA);
    unit.begin(PARAMETER).text("a").to(int).expression(&[0x50]);
    unit.begin(VARIABLE).text("x").to(int).expression(&[0x51]);
    unit.begin(BLOCK).code(OUTER + 0x10..OUTER + 0x40);
    unit.begin(VARIABLE).text("x").to(int).expression(&[0x52]);
    unit.begin(INLINED)
        .to(callee)
        .code(OUTER + 0x20..OUTER + 0x30);
    unit.begin(PARAMETER).text("b").to(int).expression(&[0x53]);
    unit.end().end();
    unit.begin(BLOCK).code(OUTER + 0x50..OUTER + 0x60);
    unit.begin(VARIABLE).text("y").to(int).expression(&[0x54]);
    unit.end().end();
    let entries = unit.entries();
    let own = ["a argument outer", "x local outer"];
    assert_eq!(scope(&entries, OUTER), own);
    assert_eq!(
        scope(&entries, OUTER + 0x10),
        [&["x local outer"][..], &own].concat()
    );
    assert_eq!(
        scope(&entries, OUTER + 0x20),
        [&["b argument callee inlined", "x local outer"][..], &own].concat()
    );
    assert_eq!(
        scope(&entries, OUTER + 0x5f),
        [&["y local outer"][..], &own].concat()
    );
    assert!(entries.function_at(OUTER + OUTER_BYTES).is_none());
}

/// Returns the type of the first variable of a function, with its name.
fn first_type(entries: &DebugEntries) -> (VariableType, String) {
    let function = entries.function_at(OUTER).unwrap();
    let variables = variables_at(entries, &function, OUTER);
    let of_type = VariableType::of(entries.type_of(&variables[0].entry));
    (of_type, types(entries).name_of(of_type))
}

fn types(entries: &DebugEntries) -> TypeReader<'_> {
    TypeReader {
        entries,
        is_big_endian: false,
    }
}

#[test]
fn a_matrix_is_an_array_of_arrays() {
    let mut unit = TestUnit::new();
    let int = unit.int();
    let matrix = unit.next();
    unit.begin(ARRAY).to(int);
    unit.begin(BOUNDS).byte(2).begin(BOUNDS).byte(4).end();
    unit.outer(&CFA);
    unit.begin(VARIABLE)
        .text("m")
        .to(matrix)
        .expression(&CFA)
        .end();
    let entries = unit.entries();
    let (matrix, name) = first_type(&entries);
    assert_eq!(name, "int [3][5]");
    let types = types(&entries);
    let matrix = types.describe(matrix);
    assert_eq!(matrix.size_bytes, Some(60));
    let TypeShape::Array { element, count } = matrix.shape else {
        panic!("no array");
    };
    assert_eq!((count, types.size_of(element)), (Some(3), Some(20)));
    assert_eq!(types.name_of(element), "int [5]");
    let TypeShape::Array { element, count } = types.describe(element).shape else {
        panic!("no array");
    };
    assert_eq!((count, types.size_of(element)), (Some(5), Some(4)));
}

/// Returns the type of a variable whose type `add` adds to a unit.
fn type_in(mut unit: TestUnit, add: impl FnOnce(&mut TestUnit) -> u32) -> (DebugEntries, String) {
    let of_type = add(&mut unit);
    unit.outer(&CFA);
    unit.begin(VARIABLE)
        .text("x")
        .to(of_type)
        .expression(&CFA)
        .end();
    let entries = unit.entries();
    let (_, name) = first_type(&entries);
    (entries, name)
}

// DWARF 5, table 7.17: the default lower bound is 0 for C, and 1 for Fortran 90 and Ada 83.
#[test]
fn the_lower_bound_depends_on_the_language() {
    for (language, name) in [(0x0c, "int [6]"), (0x08, "int [5]"), (0x03, "int [5]")] {
        let array = |unit: &mut TestUnit| {
            let int = unit.int();
            let array = unit.next();
            unit.begin(ARRAY).to(int).begin(BOUNDS).byte(5).end();
            array
        };
        let (_, found) = type_in(TestUnit::of_language(language), array);
        assert_eq!(found, name, "{language:#x}");
    }
}

#[test]
fn elements_with_a_stride_are_not_shown_as_an_array() {
    let (entries, _) = type_in(TestUnit::new(), |unit| {
        let int = unit.int();
        let array = unit.next();
        unit.begin(STRIDED_ARRAY).to(int).byte(3);
        unit.begin(BOUNDS).byte(5).end();
        array
    });
    let (of_type, _) = first_type(&entries);
    assert_eq!(types(&entries).describe(of_type).shape, TypeShape::Opaque);
    assert_eq!(types(&entries).size_of(of_type), None);
}

#[test]
fn an_unresolved_type_is_not_void() {
    let (_, name) = type_in(TestUnit::new(), |_| 0x00ff_ffff);
    assert_eq!(name, "?");
    let (_, name) = type_in(TestUnit::new(), |unit| {
        let pointer = unit.next();
        unit.begin(POINTER).to(0x00ff_ffff);
        pointer
    });
    assert_eq!(name, "? *");
}

#[test]
fn qualifiers_are_not_repeated() {
    // const (const int), and const (const (const int *)).
    let (_, name) = type_in(TestUnit::new(), |unit| {
        let int = unit.int();
        let inner = unit.next();
        unit.begin(CONSTANT).to(int);
        let outer = unit.next();
        unit.begin(CONSTANT).to(inner);
        outer
    });
    assert_eq!(name, "const int");
    let (_, name) = type_in(TestUnit::new(), |unit| {
        let int = unit.int();
        let target = unit.next();
        unit.begin(CONSTANT).to(int);
        let pointer = unit.next();
        unit.begin(POINTER).to(target);
        let inner = unit.next();
        unit.begin(CONSTANT).to(pointer);
        let outer = unit.next();
        unit.begin(CONSTANT).to(inner);
        outer
    });
    assert_eq!(name, "const int * const");
}

#[test]
fn a_member_at_a_computed_offset_stays() {
    let (entries, _) = type_in(TestUnit::new(), |unit| {
        let int = unit.int();
        let structure = unit.next();
        unit.begin(STRUCTURE).text("derived").byte(8);
        unit.begin(MEMBER).text("a").to(int).byte(4);
        // plus_uconst 2; deref, as for a virtual base class.
        unit.begin(COMPUTED_MEMBER).text("b").to(int);
        unit.expression(&[0x23, 2]);
        unit.begin(COMPUTED_MEMBER).text("c").to(int);
        unit.expression(&[0x06]).end();
        structure
    });
    let (of_type, _) = first_type(&entries);
    let TypeShape::Record(members) = types(&entries).describe(of_type).shape else {
        panic!("no structure");
    };
    let offsets: Vec<(&str, Option<u64>)> = members
        .iter()
        .map(|member| (member.name.as_deref().unwrap(), member.offset_bytes))
        .collect();
    assert_eq!(offsets, [("a", Some(4)), ("b", Some(2)), ("c", None)]);
}

#[test]
fn discarded_functions_are_not_found() {
    let mut unit = TestUnit::new();
    // The linker leaves 0 or all ones as the address of a function that it discards.
    for (name, code) in [
        ("kept", 0x40..0x400),
        ("gone", 0..0x100),
        ("gone too", u64::MAX - 1..u64::MAX),
    ] {
        unit.begin(2).text(name).code(code).expression(&CFA).end();
    }
    let entries = unit.entries();
    let name_at = |address: u64| {
        let function = entries.function_at(address)?;
        entries.name_of(&function)
    };
    assert_eq!(name_at(0x80).as_deref(), Some("kept"));
    // An image may have a function at 0.
    assert_eq!(name_at(0x20).as_deref(), Some("gone"));
    assert_eq!(name_at(u64::MAX - 1), None);
}

#[test]
fn types_that_contain_themselves_end() {
    // A definition of itself, an array of itself, a structure in itself, a pointer to itself.
    for kind in [DEFINITION, ARRAY, STRUCTURE, POINTER] {
        let mut unit = TestUnit::new();
        let own = unit.next();
        match kind {
            DEFINITION => unit.begin(kind).text("loop").to(own),
            POINTER => unit.begin(kind).to(own),
            ARRAY => unit.begin(kind).to(own).begin(BOUNDS).byte(9).end(),
            _ => {
                unit.begin(kind).text("loop").byte(8);
                unit.begin(MEMBER).text("own").to(own).byte(0).end()
            }
        };
        unit.outer(&CFA);
        unit.begin(VARIABLE)
            .text("x")
            .to(own)
            .expression(&CFA)
            .end();
        let entries = unit.entries();
        let (of_type, name) = first_type(&entries);
        assert!(name.len() < 1000, "{name}");
        let types = types(&entries);
        let described = types.describe(of_type);
        assert_eq!(described.size_bytes, types.size_of(of_type), "{kind}");
    }
}

#[test]
fn an_entry_that_completes_itself_has_no_name() {
    let mut unit = TestUnit::new();
    unit.outer(&CFA);
    let own = unit.next();
    unit.begin(COMPLETION).to(own).end();
    let entries = unit.entries();
    assert_eq!(scope(&entries, OUTER), [""; 0]);
}

#[test]
fn deep_blocks_are_bounded() {
    let mut unit = TestUnit::new();
    let int = unit.int();
    unit.outer(&CFA);
    for _ in 0..50_000 {
        unit.begin(BLOCK).code(OUTER..OUTER + 1);
    }
    unit.begin(VARIABLE).text("x").to(int).expression(&CFA);
    let entries = unit.entries();
    assert_eq!(scope(&entries, OUTER), [""; 0]);
}

/// Reads everything of the variables at an address, and returns the number of those with a place.
fn read_all(entries: &DebugEntries, address: u64) -> usize {
    let Some(function) = entries.function_at(address) else {
        return 0;
    };
    let mut placed = 0;
    let rules = no_rules();
    let types = types(entries);
    for variable in variables_at(entries, &function, address) {
        let of_type = VariableType::of(entries.type_of(&variable.entry));
        types.name_of(of_type);
        if let TypeShape::Record(members) = types.describe(of_type).shape {
            members.iter().for_each(|member| {
                types.describe(member.of_type);
            });
        }
        let reader = LocationReader {
            entries,
            rules: &rules,
            function: &function,
            address,
            offset: 0,
            frame: &TestFrame,
            state: EvaluationState::default(),
        };
        let size_bytes = types.size_of(of_type);
        let place = reader.place_of(&variable.entry, size_bytes).unwrap();
        placed += usize::from(place != VariablePlace::OptimisedAway);
    }
    placed
}

#[test]
fn damaged_information_is_read_without_a_panic() {
    let path = std::path::Path::new("../assets/demo/overflow_bare.elf");
    let content = |id: gimli::SectionId| {
        use gimli::Reader as _;
        let section: SectionReader = read_section(path, id).unwrap().content;
        section.to_slice().unwrap().into_owned()
    };
    let ids = [
        gimli::SectionId::DebugInfo,
        gimli::SectionId::DebugAbbrev,
        gimli::SectionId::DebugLine,
        gimli::SectionId::DebugStr,
        gimli::SectionId::DebugLineStr,
        gimli::SectionId::DebugLoc,
        gimli::SectionId::DebugLocLists,
        gimli::SectionId::DebugRngLists,
    ];
    let sections: HashMap<gimli::SectionId, Vec<u8>> =
        ids.into_iter().map(|id| (id, content(id))).collect();
    let addresses = || (0x8000_0000..0x8000_0b00).step_by(0x3c);
    let entries = entries_of(sections.clone());
    let placed: usize = addresses().map(|address| read_all(&entries, address)).sum();
    assert!(placed > 50, "{placed}");
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for round in 0..150 {
        let mut sections = sections.clone();
        for _ in 0..=round % 20 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let id = match random & 7 {
                0 => gimli::SectionId::DebugAbbrev,
                1 => gimli::SectionId::DebugLocLists,
                2 => gimli::SectionId::DebugRngLists,
                _ => gimli::SectionId::DebugInfo,
            };
            let bytes = sections.get_mut(&id).unwrap();
            if bytes.is_empty() {
                continue;
            }
            let place = (random >> 16) as usize % bytes.len();
            bytes[place] = (random >> 8) as u8;
        }
        let read = catch_panic(|| {
            let entries = entries_of(sections);
            addresses().for_each(|address| {
                read_all(&entries, address);
            });
        });
        assert!(read.is_some(), "round {round}");
    }
}
