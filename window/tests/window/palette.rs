//! The command palette, the page of keys, the theme.

use egui::{Key, Modifiers, Theme};
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::{Action, ThemeChoice, ViewAction};
use stepback_debugger::keymap::{PANEL_KEYS, commands, key_text};
use stepback_debugger::messages::spoken;

use crate::sandbox::SHORT;
use crate::support::{CTRL_SHIFT, Driver};

#[test]
fn the_palette_filters_and_runs_what_is_chosen() {
    let mut window = Driver::text(SHORT);
    window.press_with(CTRL_SHIFT, Key::P);
    assert!(window.app().is_palette_open());
    window.type_text("step o");
    assert!(window.has_option("Step over") && window.has_option("Step out"));
    assert!(!window.has_option("Theme dark"));
    window.press(Key::Escape);
    assert!(!window.app().is_palette_open());
    window.command("go to end");
    window.check_position(12);
}

#[test]
fn arrow_keys_choose_another_command() {
    let mut window = Driver::text(SHORT);
    window.press_with(CTRL_SHIFT, Key::P);
    window.type_text("theme");
    window.press(Key::ArrowDown);
    window.press(Key::Enter);
    assert_eq!(window.app().settings().theme, ThemeChoice::Light);
}

#[test]
fn a_click_runs_a_command() {
    let mut window = Driver::text(SHORT);
    window.click("Commands");
    window.type_text("side by");
    window.click_option("Side by side");
    assert!(!window.app().is_palette_open());
    assert_eq!(window.positions().len(), 2);
}

#[test]
fn every_command_is_listed_with_its_area() {
    let mut window = Driver::text(SHORT);
    window.press_with(CTRL_SHIFT, Key::P);
    for command in commands() {
        assert!(
            window.count_like(command.bare_name()) > 0,
            "{} is not in the palette",
            command.name
        );
    }
}

#[test]
fn a_step_number_is_a_command_line() {
    let mut window = Driver::text(SHORT);
    window.command("7");
    window.check_position(7);
    window.command("line:4");
    window.check_position(2);
}

#[test]
fn an_argument_is_typed_after_the_command_or_requested() {
    let mut window = Driver::text(SHORT);
    window.go_to("end");
    window.command("last write x2");
    window.check_position(10);
    window.press_with(CTRL_SHIFT, Key::P);
    window.type_text("last write");
    window.press(Key::Tab);
    window.enter("x0");
    assert!(!window.app().is_palette_open());
    window.check_position(1);
}

#[test]
fn a_wrong_argument_is_told_in_the_palette() {
    let mut window = Driver::text(SHORT);
    window.command("Last read");
    window.enter("0x1000:0");
    assert!(window.app().is_palette_open());
    window
        .harness()
        .get_by_label_contains("must be a number above 0");
    window.press(Key::Escape);
    window.press(Key::Escape);
    assert!(!window.app().is_palette_open());
}

#[test]
fn what_fits_no_command_does_nothing() {
    let mut window = Driver::text(SHORT);
    window.command("zzzzz");
    assert!(window.app().is_palette_open());
    window.check_position(0);
}

#[test]
fn commands_of_a_trace_are_dimmed_on_the_start_screen() {
    let mut window = Driver::start();
    window.command("step over");
    assert!(window.app().is_palette_open(), "nothing was run");
    window.press(Key::Escape);
}

#[test]
fn f1_lists_every_key() {
    let mut window = Driver::text(SHORT);
    window.press(Key::F1);
    assert!(window.app().is_page_open());
    for command in commands()
        .iter()
        .filter(|command| !command.keys().is_empty())
    {
        let keys: Vec<String> = command.keys().iter().map(key_text).collect();
        window
            .harness()
            .get_by_label(&format!("{}: {}", command.name, keys.join(" or ")));
    }
    for (meaning, keys) in PANEL_KEYS {
        let meaning = spoken(meaning);
        window
            .harness()
            .get_by_label(&format!("{meaning}: {}", keys.join(" or ")));
    }
    window.press(Key::F1);
    assert!(!window.app().is_page_open());
}

#[test]
fn the_theme_can_be_switched() {
    let mut window = Driver::text(SHORT);
    window.command("theme dark");
    let theme = |window: &mut Driver| window.harness().ctx.theme();
    assert_eq!(theme(&mut window), Theme::Dark);
    window.click("Theme light");
    assert_eq!(theme(&mut window), Theme::Light);
    assert_eq!(window.app().settings().theme, ThemeChoice::Light);
    window.click("Theme dark");
    assert_eq!(theme(&mut window), Theme::Dark);
}

#[test]
fn text_grows_and_shrinks() {
    let mut window = Driver::text(SHORT);
    let zoom = |window: &mut Driver| (window.harness().ctx.zoom_factor() * 10.0).round();
    window.press_with(Modifiers::COMMAND, Key::Plus);
    assert_eq!(zoom(&mut window), 11.0);
    window.press_with(Modifiers::COMMAND, Key::Minus);
    window.press_with(Modifiers::COMMAND, Key::Minus);
    assert_eq!(zoom(&mut window), 9.0);
    window.press_with(Modifiers::COMMAND, Key::Num0);
    assert_eq!(zoom(&mut window), 10.0);
}

#[test]
fn a_function_is_gone_to_by_its_name() {
    let mut window = Driver::demo();
    window.go_to("decode_field");
    let first = window.active().position.0;
    assert!(first > 0);
    // Repeated with the list below the box, and with the palette.
    window.go_to("start");
    window.press_with(Modifiers::COMMAND, Key::G);
    window.type_text("decode_f");
    assert_eq!(window.count_like("decode_field, function"), 1);
    window.press(Key::ArrowDown);
    window.press(Key::Enter);
    window.check_position(first);
    window.go_to("start");
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("decode_field");
    window.press(Key::Enter);
    window.check_position(first);
}

#[test]
fn addresses_are_typed_as_they_are_shown() {
    let mut window = Driver::demo();
    window.go_to("pc:decode_field");
    let first = window.active().position.0;
    let pc = window.register("pc");
    let shown: String = pc.trim_start_matches('0').chars().take(8).collect();
    window.go_to("start");
    window.go_to(&shown);
    assert_eq!(window.app().go_to_error(), None, "{shown}");
    window.check_position(first);
    window.go_to("start");
    window.go_to(&format!("0x{shown}"));
    window.check_position(first);
}

#[test]
fn a_name_that_nothing_has_is_told_of_in_the_box() {
    let mut window = Driver::demo();
    window.go_to("no_such_function");
    let error = window.app().go_to_error().expect("an error").to_owned();
    assert!(
        error.starts_with("\"no_such_function\" is neither a function nor a position"),
        "{error}"
    );
}

#[test]
fn memory_takes_digits_as_they_are_shown_and_offers_the_other_reading() {
    let mut window = Driver::demo();
    window.perform(Action::View(ViewAction::ShowMemory("80020340".to_owned())));
    assert!(
        window
            .painted_in(window.harness_rect())
            .contains("80020340")
    );
    window.click("or decimal = 4c50374");
    assert_eq!(window.value_of("address"), "0x4c50374");
    window.perform(Action::View(ViewAction::ShowMemory("8ffff5e0".to_owned())));
    assert!(
        !window
            .painted_in(window.harness_rect())
            .contains("no register and no symbol")
    );
}

#[test]
fn f1_finds_keys_and_what_the_mouse_does() {
    let mut window = Driver::text(SHORT);
    window.press(Key::F1);
    window
        .harness()
        .get_by_label("close the panel: Middle click on a tab");
    window.type_text("step ov");
    assert!(window.has("Step over: F10 or N") && !window.has("Step out: F12 or F"));
    window.press(Key::F1);
    window.press(Key::F1);
    assert!(
        window.has("Step out: F12 or F"),
        "the page begins with all keys"
    );
}
