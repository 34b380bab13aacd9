//! Locations of variables.

use stepback_machine::Address;

use crate::image::variables::evaluation::EvaluationState;
use crate::image::variables::location::VariablePlace;
use crate::image::variables::scopes::{CodeScope, ScopedVariable};
use crate::image::variables::test_unit::{OUTER, TestFrame, TestUnit, VARIABLE};
use crate::image::variables::tests::support::{
    CFA, check, check_big_endian, check_with, reader_at,
};
use crate::image::{ImageSpec, Images};

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

// gdb takes the least significant bytes of a register or value for a piece, whatever the byte order;
// the bytes are in memory order here.
#[test]
fn values_on_big_endian_processors() {
    // reg3.
    check_big_endian(&[0x53], "00 00 30 00");
    // breg3 -1, stack_value.
    check_big_endian(&[0x73, 0x7f, 0x9f], "00 00 2f ff");
    // reg3, piece 2, reg4, piece 2.
    check_big_endian(&[0x53, 0x93, 2, 0x54, 0x93, 2], "30 00 40 00");
    // fbreg 1, piece 1, lit9, stack_value, piece 3.
    check_big_endian(&[0x91, 1, 0x93, 1, 0x39, 0x9f, 0x93, 3], "01 00 00 09");
    // implicit_value.
    check_big_endian(&[0x9e, 4, 1, 2, 3, 4], "01 02 03 04");
    // breg3 8, deref_size 2: bytes 08 09.
    check_big_endian(&[0x73, 8, 0x94, 2], "at 0x809");
    // reg9, piece 2, reg3, piece 2.
    check_big_endian(&[0x59, 0x93, 2, 0x53, 0x93, 2], "?? ?? 30 00");
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
    check(&[0x30, 0x9b], "unsupported ThreadLocal");
    // lit0, GNU_push_tls_address.
    check(&[0x30, 0xe0], "unsupported ThreadLocal");
    // call2, which calls another entry.
    check(&[0x98, 11, 0], "unsupported Other");
    // reg3, bit_piece 3 bits from bit 0.
    check(&[0x53, 0x9d, 3, 0], "unsupported BitPieces");
    // implicit_pointer to the entry at 11.
    check(&[0xa0, 11, 0, 0, 0, 0], "unsupported ImplicitPointer");
    // An unknown operation.
    check(&[0xff], "unsupported Other");
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
    let state = EvaluationState::default();
    let find = |variable: &ScopedVariable| found.find_in(&TestFrame, variable, &state).unwrap();
    let place = |variable: &ScopedVariable| match find(variable).place {
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

#[test]
fn the_work_for_a_frame_is_bounded() {
    let mut unit = TestUnit::new();
    let int = unit.int();
    unit.outer(&CFA);
    // breg3 0, drop, and so on: an expression with 41 requests.
    let many = [&[0x73, 0, 0x13].repeat(40)[..], &[0x73, 0]].concat();
    for _ in 0..600 {
        unit.begin(VARIABLE).text("x").to(int).expression(&many);
    }
    unit.end();
    let entries = unit.entries();
    let function = entries.function_at(OUTER).unwrap();
    let state = EvaluationState::default();
    let reader = reader_at(&entries, &function, OUTER, &state);
    let variables = CodeScope::at(&entries, &function, OUTER).variables;
    let place = |variable: &ScopedVariable| reader.place_of(&variable.entry, Some(4)).unwrap();
    let places: Vec<VariablePlace> = variables.iter().map(place).collect();
    let read = places
        .iter()
        .filter(|place| **place == VariablePlace::Memory(0x3000))
        .count();
    // 1 << 14 expressions and requests.
    assert_eq!(read, (1 << 14) / 42);
    assert_eq!(places.last(), Some(&VariablePlace::Unreadable));
}
