//! Types of variables.

use crate::image::variables::array_lengths::ArrayLength;
use crate::image::variables::test_unit::{
    ARRAY, BOUNDS, COMPUTED_MEMBER, CONSTANT, DECLARED, DEFINITION, MEMBER, POINTER, STRIDED_ARRAY,
    STRUCTURE, TestUnit, VARIABLE,
};
use crate::image::variables::tests::support::{CFA, first_type, type_in, types};
use crate::image::variables::types::TypeShape;

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
    let TypeShape::Array { element, length } = matrix.shape else {
        panic!("no array");
    };
    assert_eq!(
        (length, types.size_of(element)),
        (ArrayLength::Known(3), Some(20))
    );
    assert_eq!(types.name_of(element), "int [5]");
    let TypeShape::Array { element, length } = types.describe(element).shape else {
        panic!("no array");
    };
    assert_eq!(
        (length, types.size_of(element)),
        (ArrayLength::Known(5), Some(4))
    );
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
fn a_type_may_be_in_a_type_unit() {
    const SIGNATURE: u64 = 0x1234_5678_9abc_def0;
    let mut types_unit = TestUnit::of_type(SIGNATURE);
    let int = types_unit.int();
    let structure = types_unit.next();
    types_unit.begin(STRUCTURE).text("node").byte(8);
    types_unit.begin(MEMBER).text("id").to(int).byte(4).end();
    let mut unit = TestUnit::new();
    let declared = unit.next();
    unit.begin(DECLARED);
    for byte in SIGNATURE.to_le_bytes() {
        unit.byte(byte);
    }
    unit.outer(&CFA);
    unit.begin(VARIABLE)
        .text("x")
        .to(declared)
        .expression(&CFA)
        .end();
    let entries = unit.entries_with(types_unit, structure);
    let (of_type, name) = first_type(&entries);
    assert_eq!(name, "struct node");
    let types = types(&entries);
    assert_eq!(types.size_of(of_type), Some(8));
    let TypeShape::Record { members, .. } = types.describe(of_type).shape else {
        panic!("no structure");
    };
    assert_eq!(
        members[0].has_name("id").then_some(members[0].offset_bytes),
        Some(Some(4))
    );
    assert_eq!(types.name_of(members[0].of_type), "int");
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
    let TypeShape::Record { members, .. } = types(&entries).describe(of_type).shape else {
        panic!("no structure");
    };
    let offsets: Vec<(&str, Option<u64>)> = members
        .iter()
        .map(|member| (member.name.as_deref().unwrap(), member.offset_bytes))
        .collect();
    assert_eq!(offsets, [("a", Some(4)), ("b", Some(2)), ("c", None)]);
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
