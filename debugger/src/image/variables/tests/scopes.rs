//! Variables in scope.

use crate::image::variables::debug_entries::DebugEntries;
use crate::image::variables::scopes::{CodeScope, ScopedVariable, VariableKind};
use crate::image::variables::test_unit::{
    BLOCK, COMPLETION, FUNCTION, INLINED, OUTER, OUTER_BYTES, PARAMETER, STRUCTURE, TestUnit,
    VARIABLE,
};
use crate::image::variables::tests::support::CFA;

/// Lists the variables in scope at an address as `NAME kind function`.
fn scope(entries: &DebugEntries, address: u64) -> Vec<String> {
    let function = entries.function_at(address).unwrap();
    let CodeScope {
        functions,
        variables,
        ..
    } = CodeScope::at(entries, &function, address);
    let text = |one: &ScopedVariable| {
        let kind = match one.kind {
            VariableKind::Argument => "argument",
            VariableKind::Local => "local",
        };
        let is_inlined = one.function + 1 < functions.len();
        let inlined = if is_inlined { " inlined" } else { "" };
        let function = functions[one.function].as_deref().unwrap_or("?");
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

#[test]
fn scopes_of_many_functions_leave_room_for_the_names_of_variables() {
    let mut unit = TestUnit::new();
    let int = unit.int();
    unit.begin(STRUCTURE).text(&"s".repeat(900)).byte(1);
    for _ in 0..75_000 {
        unit.begin(FUNCTION)
            .text("f")
            .code(0..0)
            .expression(&CFA)
            .end();
    }
    unit.end();
    unit.begin(VARIABLE)
        .text("total")
        .to(int)
        .expression(&[0x50]);
    let entries = unit.entries();
    assert_eq!(entries.globals().named("total").len(), 1);
}
