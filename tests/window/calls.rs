//! The call tree.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;

use crate::support::Driver;

/// The demo with the call tree in front, at a position.
fn at(position: &str) -> Driver {
    let mut window = Driver::demo();
    window.go_to(position);
    window.press_with(Modifiers::ALT, Key::Num4);
    // One level a frame is asked for, down to the call of the position.
    window.harness().run_steps(8);
    window
}

#[test]
fn the_tree_is_open_to_the_call_of_the_position() {
    let mut window = at("20,345");
    assert!(window.has("call decode_field"));
    window.press(Key::Home);
    window.harness().get_by_label("call _start");
    window.harness().get_by_label("call main");
}

#[test]
fn a_click_travels_to_the_entry() {
    let mut window = at("20,345");
    window.press(Key::Home);
    window.click("call main");
    window.check_position(4);
}

#[test]
fn branches_open_and_close_with_the_mouse() {
    let mut window = at("44,010");
    assert!(window.count_like("call dispatch") > 0);
    window.press(Key::Home);
    window.click("close main");
    assert_eq!(window.count_like("call dispatch"), 0);
    window.click("open main");
    assert!(window.count_like("call ") > 5);
}

#[test]
fn branches_open_and_close_with_keys() {
    let mut window = at("44,010");
    window.press(Key::Home);
    window.press(Key::ArrowLeft);
    assert!(!window.has("call main"));
    window.press(Key::ArrowRight);
    window.press(Key::ArrowDown);
    window.press(Key::Enter);
    window.check_position(4);
}

#[test]
fn functions_are_found_by_a_part_of_their_name() {
    let mut window = at("44,010");
    window.click("Find a function");
    window.type_text("open_ses");
    assert!(window.count_like("call open_session") > 2);
    assert!(!window.has("call main"));
    window.click_first("call open_session");
    window.check_position(115);
}

#[test]
fn a_function_that_nothing_calls_is_told() {
    let mut window = at("44,010");
    window.click("Find a function");
    window.type_text("zzz");
    window.harness().get_by_label("No such call");
}

#[test]
fn the_menu_travels_to_the_end_and_folds() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to("1,233");
    window.press_with(Modifiers::ALT, Key::Num4);
    window.choose("call 80000764", "Travel to its end");
    window.check_position(1593);
    window.choose("call 80000764", "Fold it in the trace");
    assert_eq!(window.rows(), 1763 - 1507);
    window.choose("call 80000764", "Open window at its entry");
    assert_eq!(window.positions(), [(1, 1593), (2, 85)]);
}
