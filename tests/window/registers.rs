//! The register file.

use egui::{Key, Modifiers};

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

/// Registers of this trace are unknown until it writes them.
fn unknown() -> Driver {
    Driver::fixture("qsort.es.tiny.tarmac")
}

#[test]
fn a_register_that_nothing_states_is_shown_as_unknown() {
    let mut window = unknown();
    assert_eq!(window.register("x0"), "unknown");
    assert_eq!(window.register("sp"), "unknown");
    assert_eq!(window.register("x30"), "unknown");
    window.press(Key::F11);
    assert_eq!(window.register("x0"), "0000000000000002");
    assert_eq!(window.register("x1"), "unknown");
}

#[test]
fn an_unknown_register_is_copied_as_such() {
    let mut window = unknown();
    window.choose("register x5", "Copy value");
    assert_eq!(window.copied().as_deref(), Some("unknown"));
}

#[test]
fn values_and_names_are_copied() {
    let mut window = Driver::text(SHORT);
    window.go_to("end");
    window.choose("register x30", "Copy as text");
    assert_eq!(window.copied().as_deref(), Some("x30 = 0x100c"));
    window.choose("register x30", "Copy name");
    assert_eq!(window.copied().as_deref(), Some("x30"));
}

#[test]
fn flags_are_spelled_out() {
    let mut window = Driver::demo();
    window.press(Key::End);
    let row = window.painted_beside("register psr");
    assert!(row.contains("n z C v") && row.contains("carry"), "{row}");
}

#[test]
fn enter_and_shift_enter_find_the_last_and_next_write() {
    let mut window = Driver::text(SHORT);
    window.go_to("5");
    window.click("register x2");
    window.press(Key::Enter);
    window.check_position(2);
    window.press_with(Modifiers::SHIFT, Key::Enter);
    window.check_position(10);
    window.press(Key::Enter);
    window.check_position(2);
}

#[test]
fn the_menu_finds_the_next_write() {
    let mut window = Driver::text(SHORT);
    window.choose("register x2", "Next write");
    window.check_position(2);
    window.choose("register x2", "Last write");
    window.check_position(2);
    window.check_told("x2 is not written before this position");
}

#[test]
fn what_is_never_written_is_told() {
    let mut window = Driver::text(SHORT);
    window.go_to("end");
    window.double_click("register x7");
    window.check_position(12);
    window.check_told("x7 is not written before this position");
}

#[test]
fn the_foot_tells_who_wrote_the_register() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open_in([1600.0, 1000.0], &sandbox.file("a.tarmac", SHORT));
    window.go_to("5");
    window.click("register x2");
    window.click("to step 1");
    window.check_position(2);
    window.click("register x2");
    window.click("to step 9");
    window.check_position(10);
}

#[test]
fn the_vector_registers_open_on_demand() {
    let mut window = Driver::demo();
    assert!(!window.has("register v0"));
    window.click("show vector registers");
    assert!(window.has("hide vector registers"));
}

#[test]
fn what_the_last_move_changed_stands_out() {
    let mut window = Driver::text(SHORT);
    window.press(Key::F11);
    assert!(window.is_highlighted("register x0"));
    assert!(!window.is_highlighted("register x2"));
    window.press(Key::F11);
    assert!(!window.is_highlighted("register x0"));
    assert!(window.is_highlighted("register x2"));
}
