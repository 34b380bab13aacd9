//! Lengths of arrays that depend on the frame.

use crate::image::variables::array_lengths::{ArrayLength, LengthReader};
use crate::image::variables::debug_entries::DebugEntries;
use crate::image::variables::evaluation::EvaluationState;
use crate::image::variables::test_unit::{
    ARRAY, BOUNDS, BOUNDS_IN_VARIABLE, COMPUTED_BOUNDS, COUNT_IN_VARIABLE, OUTER, POINTER,
    TestUnit, VARIABLE,
};
use crate::image::variables::tests::support::{CFA, first_type, reader_at, types};
use crate::image::variables::types::{TypeReader, TypeShape};

/// Returns the type name of the first variable in a frame, its length and its size.
fn array_in(entries: &DebugEntries) -> (String, ArrayLength, Option<u64>) {
    let function = entries.function_at(OUTER).unwrap();
    let (of_type, _) = first_type(entries);
    let state = EvaluationState::default();
    let lengths = LengthReader {
        types: types(entries),
        locations: &reader_at(entries, &function, OUTER, &state),
    };
    let lengths = lengths.lengths_in(of_type).unwrap();
    let types = TypeReader {
        lengths: &lengths,
        ..types(entries)
    };
    let length = match types.describe(of_type).shape {
        TypeShape::Array { length, .. } => length,
        _ => ArrayLength::Unstated,
    };
    (types.name_of(of_type), length, types.size_of(of_type))
}

/// Compares the length of an array of `int` whose bounds `add` adds to the array. A variable at
/// `location` follows it.
#[track_caller]
fn check(location: &[u8], add: impl Fn(&mut TestUnit, u32), expected: ArrayLength) {
    let unit = |of_variable: u32| {
        let mut unit = TestUnit::new();
        let int = unit.int();
        let array = unit.next();
        unit.begin(ARRAY).to(int);
        add(&mut unit, of_variable);
        unit.end();
        unit.outer(&CFA);
        unit.begin(VARIABLE).text("x").to(array).expression(&CFA);
        let variable = unit.next();
        unit.begin(VARIABLE).text("n").to(int).expression(location);
        unit.end();
        (unit, variable)
    };
    let (_, variable) = unit(0);
    let (unit, _) = unit(variable);
    let (name, length, size_bytes) = array_in(&unit.entries());
    assert_eq!(length, expected);
    assert_eq!(size_bytes, expected.known().map(|count| 4 * count));
    let shown = expected
        .known()
        .map_or(String::new(), |count| count.to_string());
    assert_eq!(name, format!("int [{shown}]"));
}

#[track_caller]
fn check_computed(bound: &[u8], expected: ArrayLength) {
    let add = |unit: &mut TestUnit, _| {
        unit.begin(COMPUTED_BOUNDS).expression(bound);
    };
    check(&CFA, add, expected);
}

// The contents are those of `TestFrame`. A lower bound of C is 0.
#[test]
fn an_upper_bound_may_be_an_expression() {
    // lit4, and breg3 0, plus_uconst 1.
    check_computed(&[0x34], ArrayLength::Known(5));
    check_computed(&[0x73, 0, 0x23, 1], ArrayLength::Known(0x3002));
    // breg3 8, deref_size 2.
    check_computed(&[0x73, 8, 0x94, 2], ArrayLength::Known(0x909));
    // const1s -1: no elements. const1s -5: less than none.
    check_computed(&[0x09, 0xff], ArrayLength::Known(0));
    check_computed(&[0x09, 0xfb], ArrayLength::Known(0));
}

#[test]
fn a_length_that_cannot_be_known_has_a_reason() {
    check_computed(&[], ArrayLength::OptimisedAway);
    // breg9 0.
    check_computed(&[0x79, 0], ArrayLength::Unknown);
    // lit0, form_tls_address.
    check_computed(&[0x30, 0x9b], ArrayLength::Unsupported);
    // plus without operands.
    check_computed(&[0x22], ArrayLength::Unreadable);
    // skip -3: endless.
    check_computed(&[0x2f, 0xfd, 0xff], ArrayLength::Unreadable);
}

#[test]
fn a_bound_may_be_the_value_of_a_variable() {
    let last = |unit: &mut TestUnit, variable: u32| {
        unit.begin(BOUNDS_IN_VARIABLE).to(variable);
    };
    let count = |unit: &mut TestUnit, variable: u32| {
        unit.begin(COUNT_IN_VARIABLE).to(variable);
    };
    // reg2, and lit6, stack_value.
    check(&[0x52], last, ArrayLength::Known(0x2001));
    check(&[0x52], count, ArrayLength::Known(0x2000));
    check(&[0x36, 0x9f], last, ArrayLength::Known(7));
    // const1s -1, stack_value.
    check(&[0x09, 0xff, 0x9f], last, ArrayLength::Known(0));
    check(&[0x09, 0xff, 0x9f], count, ArrayLength::Known(0));
    // breg3 0: the bytes 00 01 02 03 in memory.
    check(&[0x73, 0], count, ArrayLength::Known(0x0302_0100));
    check(&[], last, ArrayLength::OptimisedAway);
    // reg9.
    check(&[0x59], count, ArrayLength::Unknown);
    let nothing = |unit: &mut TestUnit, _| {
        unit.begin(COUNT_IN_VARIABLE).to(0x00ff_ffff);
    };
    check(&CFA, nothing, ArrayLength::Unreadable);
}

#[test]
fn a_pointer_to_an_array_has_its_length() {
    let mut unit = TestUnit::new();
    let int = unit.int();
    let array = unit.next();
    // lit1, then 4.
    unit.begin(ARRAY).to(int);
    unit.begin(COMPUTED_BOUNDS).expression(&[0x31]);
    unit.begin(BOUNDS).byte(4).end();
    let pointer = unit.next();
    unit.begin(POINTER).to(array);
    unit.outer(&CFA);
    unit.begin(VARIABLE).text("x").to(pointer).expression(&CFA);
    unit.end();
    assert_eq!(array_in(&unit.entries()).0, "int (*)[2][5]");
}
