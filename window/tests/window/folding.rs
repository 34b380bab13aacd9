//! Folding as in the Tarmac browser: keys, fold markers, menus.
//!
//! In the small overflow, step 1,229 calls a function with the steps 1,230 to 1,236.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;

use crate::support::Driver;

const ALL: u64 = 1763;

fn at(position: u64) -> Driver {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to(&position.to_string());
    window
}

#[track_caller]
fn check(window: &Driver, position: u64, rows: u64) {
    assert_eq!(
        (window.active().position.0, window.rows()),
        (position, rows)
    );
}

#[test]
fn minus_folds_the_call_around_the_position_and_plus_unfolds_it() {
    let mut window = at(1233);
    window.press(Key::Minus);
    check(&window, 1237, ALL - 6);
    assert!(!window.has("step 1233"));
    assert_eq!(window.count_like("folded "), 1);
    window.press(Key::Plus);
    check(&window, 1237, ALL);
    window.harness().get_by_label("step 1233");
}

#[test]
fn a_folded_call_is_one_row_for_the_arrow_keys() {
    let mut window = at(1233);
    window.press(Key::Minus);
    window.press(Key::ArrowUp);
    window.check_position(1230);
    window.press(Key::ArrowUp);
    window.check_position(1229);
    window.press(Key::ArrowDown);
    window.press(Key::ArrowDown);
    window.check_position(1237);
}

#[test]
fn brackets_fold_and_unfold_the_calls_of_the_function_around_the_position() {
    let mut window = at(1240);
    window.press(Key::OpenBracket);
    window.check_position(1240);
    let folded = window.rows();
    assert!(folded < ALL - 200, "{folded}");
    window.press(Key::CloseBracket);
    check(&window, 1240, ALL);
}

#[test]
fn braces_fold_and_unfold_everything() {
    let mut window = at(1240);
    window.press_with(Modifiers::SHIFT, Key::OpenCurlyBracket);
    window.check_position(1240);
    assert!(window.rows() < ALL / 2, "{}", window.rows());
    window.press_with(Modifiers::SHIFT, Key::CloseCurlyBracket);
    check(&window, 1240, ALL);
}

#[test]
fn travelling_into_a_folded_call_unfolds_it() {
    let mut window = at(1240);
    window.press(Key::OpenCurlyBracket);
    window.go_to("1,233");
    window.check_position(1233);
    window.harness().get_by_label("step 1232");
}

#[test]
fn boxed_signs_fold_and_unfold() {
    let mut window = at(1229);
    window.click("fold step 1229");
    check(&window, 1229, ALL - 6);
    window.click("unfold step 1229");
    check(&window, 1229, ALL);
}

#[test]
fn a_double_click_unfolds_a_folded_row() {
    let mut window = at(1229);
    window.click("fold step 1229");
    let label = window.only_label_like("folded ");
    window.double_click(&label);
    assert_eq!(window.rows(), ALL);
}

#[test]
fn the_menu_of_a_call_folds_and_unfolds_it() {
    let mut window = at(1229);
    window.choose("step 1229", "Fold this call");
    check(&window, 1229, ALL - 6);
    window.choose("step 1229", "Unfold this call");
    check(&window, 1229, ALL);
}

#[test]
fn the_menu_of_a_step_folds_around_it() {
    let mut window = at(1240);
    window.choose("step 1233", "Fold the enclosing function");
    check(&window, 1237, ALL - 6);
    let label = window.only_label_like("folded ");
    window.choose(&label, "Unfold this call");
    check(&window, 1237, ALL);
    window.choose("step 1240", "Fold all calls made by its function");
    assert!(window.rows() < ALL - 200);
    window.choose("step 1240", "Unfold all");
    assert_eq!(window.rows(), ALL);
}

#[test]
fn each_window_folds_by_itself() {
    let mut window = at(1240);
    window.press_with(Modifiers::COMMAND, Key::B);
    window.press(Key::OpenCurlyBracket);
    let rows: Vec<u64> = window
        .desk()
        .windows
        .list
        .iter()
        .map(|window| window.folds.row_count())
        .collect();
    assert!(rows[0] == ALL && rows[1] < ALL / 2, "{rows:?}");
}
