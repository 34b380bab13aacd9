//! The "Go to" box, the step counter and the history.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::{Action, AppAction, WindowId};
use stepback_parsers::Position;

use crate::support::Driver;

fn small() -> Driver {
    Driver::fixture("overflow_bare.tiny.tarmac")
}

#[track_caller]
fn check(window: &mut Driver, place: &str, expected: u64) {
    window.go_to(place);
    assert_eq!(window.active().position.0, expected, "{place}");
    assert_eq!(window.app().go_to_error(), None, "{place}");
}

#[track_caller]
fn check_refused(window: &mut Driver, place: &str) {
    let before = window.active().position;
    window.go_to(place);
    assert_eq!(window.active().position, before, "{place}");
    let error = window.app().go_to_error().expect(place).to_owned();
    // The error appears below the field, which keeps the typed text.
    window.harness().get_by_label(&error);
    assert_eq!(window.value_of("Go to"), place);
    window.press(Key::Escape);
    assert_eq!(window.app().go_to_error(), None, "Escape closes the error");
}

#[test]
fn places_of_all_kinds_are_found() {
    let mut window = small();
    check(&mut window, "1,250", 1250);
    check(&mut window, "7", 7);
    check(&mut window, "step 1250", 1250);
    check(&mut window, "start", 0);
    check(&mut window, "end", 1763);
    check(&mut window, "50%", 881);
    check(&mut window, "line:2583", 1250);
    check(&mut window, "line 2583", 1250);
    check(&mut window, "time:1250", 1250);
    check(&mut window, "time 1", 1);
    check(&mut window, "pc:0x80000898", 4);
    check(&mut window, "pc 0x80000898", 4);
    check(&mut window, "pc:0x80000328#2", 884);
}

#[test]
fn an_error_leaves_with_the_next_travel_or_command() {
    let mut window = small();
    window.go_to("99999999");
    assert!(window.app().go_to_error().is_some());
    window.perform(Action::travel(WindowId(1), Position(7)));
    assert_eq!(window.app().go_to_error(), None);
    assert_eq!(window.value_of("Go to"), "");
    window.go_to("99999999");
    window.command("Show warnings");
    assert_eq!(window.app().go_to_error(), None);
}

#[test]
fn a_symbol_is_a_pc() {
    let mut window = Driver::demo();
    check(&mut window, "pc:main", 4);
    check(&mut window, "pc:dispatch", 4310);
    check(&mut window, "pc:dispatch#58", 44_008);
}

#[test]
fn what_is_no_place_is_told_in_the_field() {
    let mut window = small();
    window.go_to("1,250");
    for place in [
        "nowhere",
        "line:0",
        "101%",
        "time:x",
        "pc:",
        "pc:0x80000328#0",
        "pc:nothing_of_this_name",
        "-1",
    ] {
        check_refused(&mut window, place);
    }
}

#[test]
fn a_place_beyond_the_trace_is_told_in_the_field() {
    let mut window = small();
    for place in [
        "1,764",
        "99999999999999999999999",
        "line:999999",
        "pc:0x1",
        "pc:0x80000898#2",
    ] {
        check_refused(&mut window, place);
    }
}

#[test]
fn typing_clears_the_error() {
    let mut window = small();
    window.go_to("nowhere");
    assert!(window.app().go_to_error().is_some());
    // The whole text is selected, so typing replaces it.
    window.type_text("12");
    assert_eq!(window.app().go_to_error(), None);
    window.press(Key::Enter);
    window.check_position(12);
}

#[test]
fn the_field_gives_the_keyboard_back() {
    let mut window = small();
    window.go_to("12");
    window.press(Key::F11);
    window.press(Key::S);
    window.check_position(14);
}

#[test]
fn enter_in_a_field_is_not_meant_for_the_panel_that_has_the_keyboard() {
    let mut window = small();
    window.press(Key::End);
    // Enter here would go to the last write of x2.
    window.click("register x2");
    window.go_to("1,250");
    window.check_position(1250);
    window.click("Step counter");
    window.press(Key::Enter);
    window.check_position(1250);
    window.click("address");
    window.press(Key::Enter);
    window.check_position(1250);
}

#[test]
fn the_step_counter_takes_a_step() {
    let mut window = small();
    window.go_to("7");
    window.click("Step counter");
    window.press_with(Modifiers::COMMAND, Key::A);
    window.enter("1,250");
    window.check_position(1250);
    window.click("Step counter");
    window.press(Key::Escape);
    window.check_position(1250);
}

#[test]
fn history_goes_back_and_forward() {
    let mut window = small();
    for place in ["10", "20", "30"] {
        window.go_to(place);
    }
    for expected in [20, 10, 0, 0] {
        window.press_with(Modifiers::ALT, Key::ArrowLeft);
        window.check_position(expected);
    }
    window.press_with(Modifiers::ALT, Key::ArrowRight);
    window.press_with(Modifiers::ALT, Key::ArrowRight);
    window.check_position(20);
    window.go_to("40");
    window.press_with(Modifiers::ALT, Key::ArrowRight);
    window.check_position(40);
    window.press_with(Modifiers::ALT, Key::ArrowLeft);
    window.check_position(20);
}

#[test]
fn a_walk_is_one_visit() {
    let mut window = small();
    window.go_to("100");
    for _ in 0..5 {
        window.press(Key::F11);
    }
    window.go_to("end");
    window.click_button("Back in history");
    window.check_position(105);
    window.click_button("Back in history");
    window.check_position(100);
    window.click_button("Forward in history");
    window.check_position(105);
}

#[test]
fn enter_shows_memory_if_only_that_is_offered() {
    let mut window = Driver::demo();
    window.go_to("80020340");
    assert_eq!(window.app().go_to_error(), None);
    window.check_position(0);
    assert!(window.has("byte 0x80020340"));
}

#[test]
fn escape_clears_the_field() {
    let mut window = small();
    window.press_with(Modifiers::COMMAND, Key::G);
    window.type_text("12");
    window.press(Key::Escape);
    assert_eq!(window.value_of("Go to"), "");
}

#[test]
fn letters_that_follow_the_key_of_a_field_at_once_are_text() {
    let mut window = Driver::demo();
    let key = |key, modifiers, pressed| egui::Event::Key {
        key,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers,
    };
    // On a slow machine all of this arrives in one frame.
    window
        .harness()
        .event(key(Key::G, Modifiers::COMMAND, true));
    for letter in [Key::R, Key::S] {
        let text = letter.name().to_lowercase();
        window.harness().event(key(letter, Modifiers::NONE, true));
        window.harness().event(egui::Event::Text(text));
        window.harness().event(key(letter, Modifiers::NONE, false));
    }
    window.wait();
    assert!(window.is_typing());
    assert_eq!(window.value_of("Go to"), "rs");
    assert!(!window.active().is_raw, "r is no command here");
    window.check_position(0);
}

#[test]
fn a_command_and_enter_in_one_frame_run_this_command() {
    let mut window = Driver::demo();
    window.go_to("100");
    window.perform(Action::App(AppAction::CommandPalette));
    window.wait();
    // On a slow machine the text and Enter arrive in one frame.
    let text = egui::Event::Text("Go to end".to_owned());
    window.harness().event(text);
    window.press(Key::Enter);
    window.wait();
    window.check_position(44_013);
}

#[test]
fn a_function_is_found_again_at_its_next_call() {
    let mut window = Driver::demo();
    check(&mut window, "dispatch", 4310);
    window.go_to("dispatch");
    let second = window.active().position.0;
    check(&mut window, "pc:dispatch#2", second);
    // After the last call, the first is found again.
    window.go_to("pc:dispatch#58");
    check(&mut window, "dispatch", 4310);
}
