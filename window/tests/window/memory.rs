//! The memory panel.

use egui::{Key, Modifiers};
use stepback_debugger::action::{Action, CellName, ViewAction};

use crate::support::Driver;

fn at(position: u64) -> Driver {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to(&position.to_string());
    window
}

fn show(window: &mut Driver, address: &str) {
    window.press_with(Modifiers::COMMAND, Key::M);
    window.enter(address);
}

/// Types into the field of the panel.
fn type_address(window: &mut Driver, address: &str) {
    window.click("address");
    window.press_with(Modifiers::COMMAND, Key::A);
    window.enter(address);
}

#[test]
fn an_address_is_an_expression() {
    let mut window = at(1250);
    for text in ["0x80020010", "x22 + 0x10", "(x22 | 16)", "2147614736"] {
        type_address(&mut window, text);
        assert_eq!(window.value_of("address"), text);
        assert_eq!(window.painted("byte 0x80020010"), "a9", "{text}");
    }
}

#[test]
fn a_symbol_is_an_address() {
    let mut window = Driver::demo();
    window.go_to("end");
    type_address(&mut window, "dispatch");
    assert!(window.painted_beside("address").contains("= 8000087c"));
}

#[test]
fn an_expression_that_cannot_be_read_is_told_next_to_the_field() {
    let mut window = at(1250);
    type_address(&mut window, "x22 +");
    let bar = window.painted_beside("address");
    assert!(
        bar.contains("expected") || bar.contains("missing") || bar.contains("ends"),
        "{bar}"
    );
    type_address(&mut window, "nothing_of_this_name");
    assert!(
        window
            .painted_beside("address")
            .contains("nothing_of_this_name")
    );
    type_address(&mut window, "x22");
    assert_eq!(window.painted("byte 0x80020000").len(), 2);
}

#[test]
fn an_unknown_register_in_the_expression_is_reported() {
    let mut window = Driver::fixture("qsort.es.tiny.tarmac");
    let bar = window.painted_beside("address");
    assert!(bar.contains("sp is unknown at this position"), "{bar}");
    window.go_to("5");
    assert!(!window.painted_beside("address").contains("unknown"));
}

#[test]
fn a_byte_that_nothing_states_is_shown_as_unknown() {
    let mut window = Driver::fixture("qsort.es.tiny.tarmac");
    show(&mut window, "0x8ffff680");
    assert_eq!(window.painted("byte 0x8ffff680"), "??");
    window.go_to("5");
    assert_eq!(window.painted("byte 0x8ffff688"), "10");
    window.choose("byte 0x8ffff690", "Copy value");
    assert_eq!(window.copied().as_deref(), Some("??"));
}

#[test]
fn digits_ask_for_the_last_write_of_the_aligned_bytes() {
    let mut window = at(1763);
    show(&mut window, "0x80020013");
    window.press(Key::Num1);
    window.check_position(1315);
    window.go_to("end");
    window.click("byte 0x80020013");
    window.press(Key::Num8);
    window.check_position(1383);
    window.go_to("end");
    window.click("byte 0x80020013");
    window.press(Key::Num2);
    window.check_position(1315);
    window.go_to("end");
    window.click("byte 0x80020013");
    window.press(Key::Num4);
    window.check_position(1315);
}

#[test]
fn the_menu_finds_writes_and_reads() {
    let mut window = at(1250);
    show(&mut window, "0x80020011");
    window.choose("byte 0x80020011", "Next write");
    window.check_position(1253);
    window.go_to("end");
    window.choose("byte 0x80020011", "Last read");
    window.check_position(1762);
    window.go_to("1,300");
    window.choose("byte 0x80020011", "Next read");
    window.check_position(1544);
    window.go_to("end");
    window.choose("byte 0x80020011", "Last write of the word");
    window.check_position(1315);
}

#[test]
fn a_double_click_finds_the_last_write_of_the_group() {
    let mut window = at(1763);
    show(&mut window, "0x80020010");
    window.click("group by 4 bytes");
    window.double_click("byte 0x80020013");
    window.check_position(1315);
}

#[test]
fn what_the_last_move_changed_stands_out() {
    let mut window = at(1252);
    show(&mut window, "0x80020010");
    window.press(Key::F11);
    window.check_position(1253);
    assert_eq!(window.painted("byte 0x80020011"), "bd");
    assert!(window.is_highlighted("byte 0x80020011"));
    assert!(!window.is_highlighted("byte 0x80020012"));
}

#[test]
fn memory_that_no_step_touches_is_one_row() {
    let mut window = at(1250);
    show(&mut window, "0x10");
    assert!(window.count_like("never accessed from") > 0);
}

#[test]
fn the_foot_tells_who_wrote_the_byte() {
    let mut window = at(1763);
    show(&mut window, "0x80020013");
    window.click("to step 1,314");
    window.check_position(1315);
}

#[test]
fn the_field_of_addresses_says_where_memory_is_shown() {
    let mut window = Driver::demo();
    window.go_to("end");
    assert_eq!(window.value_of("address"), "sp");
    window.perform(Action::View(ViewAction::ShowMemory("x0".to_owned())));
    assert_eq!(window.value_of("address"), "x0");
    let held = window.painted_beside("address");
    // Here x0 has another value.
    window.go_to("1250");
    let shown = window.value_of("address");
    assert!(
        shown != "x0" && held.contains(&format!("= {shown}")),
        "{shown} {held}"
    );
    window.go_to("end");
    assert_eq!(window.value_of("address"), "x0");
    // Shows a cell selected elsewhere.
    window.perform(Action::View(ViewAction::ShowMemory("sp".to_owned())));
    window.perform(Action::View(ViewAction::SelectCell(CellName::Memory(
        "0x80020340".to_owned(),
        8,
    ))));
    assert_eq!(window.value_of("address"), "80020340");
}
