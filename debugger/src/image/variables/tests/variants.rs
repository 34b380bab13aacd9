//! Variants of structures, and base classes.

use crate::image::variables::debug_entries::DebugEntries;
use crate::image::variables::test_unit::{
    BASE_CLASS, LISTED_VARIANT, MEMBER, OTHER_VARIANT, REFERENCE, STRUCTURE, TestUnit, VARIANT,
    VARIANT_PART,
};
use crate::image::variables::tests::support::{first_type, type_in, types};
use crate::image::variables::types::{MemberKind, TypeMember, TypeShape, VariantPart};

/// Returns the members of the first variable's structure, and its variants.
fn record(entries: &DebugEntries) -> (Vec<TypeMember>, Option<VariantPart>) {
    let (of_type, _) = first_type(entries);
    match types(entries).describe(of_type).shape {
        TypeShape::Record { members, variants } => (members, variants),
        other => panic!("{other:?}"),
    }
}

/// Returns the name of the member that a discriminant of one byte selects.
fn selected(part: &VariantPart, discriminant: u8) -> Option<&str> {
    let variant = part.selected_by(discriminant.into(), 1)?;
    variant.members.first()?.name.as_deref()
}

#[test]
fn a_discriminant_selects_a_variant() {
    let (entries, _) = type_in(TestUnit::new(), |unit| {
        let int = unit.int();
        let structure = unit.next();
        unit.begin(STRUCTURE).text("choice").byte(8);
        let part = unit.next();
        // The discriminant follows the reference of four bytes to it.
        unit.begin(VARIANT_PART).to(part + 5);
        unit.begin(MEMBER).text("tag").to(int).byte(0);
        unit.begin(VARIANT).byte(3);
        unit.begin(MEMBER).text("three").to(int).byte(4).end();
        // label 5, range 10 to 200 (DWARF 5, 7.5.5).
        unit.begin(LISTED_VARIANT).byte(6);
        for byte in [0, 5, 1, 10, 200, 1] {
            unit.byte(byte);
        }
        unit.begin(MEMBER).text("listed").to(int).byte(4).end();
        unit.begin(OTHER_VARIANT);
        unit.begin(MEMBER).text("other").to(int).byte(4).end();
        unit.end().end();
        structure
    });
    let (members, part) = record(&entries);
    let part = part.unwrap();
    assert!(members.is_empty());
    assert_eq!(part.discriminant.as_ref().unwrap().offset_bytes, Some(0));
    for (discriminant, name) in [(3, "three"), (5, "listed"), (10, "listed"), (4, "other")] {
        assert_eq!(selected(&part, discriminant), Some(name), "{discriminant}");
    }
}

#[test]
fn a_negative_discriminant_is_found_by_its_bits() {
    let (entries, _) = type_in(TestUnit::new(), |unit| {
        let int = unit.int();
        let structure = unit.next();
        unit.begin(STRUCTURE).text("choice").byte(8);
        let part = unit.next();
        unit.begin(VARIANT_PART).to(part + 5);
        unit.begin(MEMBER).text("tag").to(int).byte(0);
        unit.begin(VARIANT).byte(0xff);
        unit.begin(MEMBER).text("less").to(int).byte(4).end();
        unit.end().end();
        structure
    });
    let part = record(&entries).1.unwrap();
    assert_eq!(selected(&part, 0xff), Some("less"));
    assert!(part.selected_by(0xffff_ffff, 4).is_none());
    assert!(part.selected_by(0, 1).is_none());
}

#[test]
fn base_classes_are_members() {
    let (entries, name) = type_in(TestUnit::new(), |unit| {
        let int = unit.int();
        let base = unit.next();
        unit.begin(STRUCTURE).text("base").byte(4);
        unit.begin(MEMBER).text("id").to(int).byte(0).end();
        let derived = unit.next();
        unit.begin(STRUCTURE).text("derived").byte(12);
        unit.begin(BASE_CLASS).to(base).byte(8);
        unit.begin(MEMBER).text("__0").to(int).byte(0).end();
        derived
    });
    assert_eq!(name, "struct derived");
    let (members, _) = record(&entries);
    assert_eq!(
        members[0].name.as_deref().zip(members[0].offset_bytes),
        Some(("struct base", 8))
    );
    assert_eq!(members[0].kind, MemberKind::Base);
    assert!(members[0].is_transparent() && !members[1].is_transparent());
    assert!(members[1].has_name("0") && members[1].has_name("__0"));
    assert!(!members[0].has_name("0"));
}

#[test]
fn a_reference_is_not_a_pointer() {
    let (entries, name) = type_in(TestUnit::new(), |unit| {
        let int = unit.int();
        let reference = unit.next();
        unit.begin(REFERENCE).to(int);
        reference
    });
    assert_eq!(name, "int &");
    let (of_type, _) = first_type(&entries);
    let described = types(&entries).describe(of_type);
    assert_eq!(described.size_bytes, Some(8));
    assert!(matches!(described.shape, TypeShape::Reference(_)));
}
