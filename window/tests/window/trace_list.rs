//! The list of steps and the raw text.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, MouseWheelUnit, TouchPhase, vec2};
use egui_kittest::kittest::Queryable as _;

use crate::sandbox::SHORT;
use crate::support::Driver;

fn at(position: u64) -> Driver {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to(&position.to_string());
    window
}

fn wheel(window: &mut Driver, lines: f32) {
    let middle = window.rect("Trace").left_bottom() + vec2(200.0, 120.0);
    window.harness().hover_at(middle);
    window.harness().event(Event::MouseWheel {
        unit: MouseWheelUnit::Line,
        delta: vec2(0.0, lines),
        phase: TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    // The toolkit spreads the movement over some frames.
    window.harness().run_steps(60);
    window.wait();
}

#[test]
fn a_row_shows_step_address_code_and_effects() {
    let mut window = Driver::demo();
    window.go_to("44,009");
    let row = window.painted("step 44008");
    for part in ["44,008", "8000087c", "stp x29", "[8ffff650] ← 8ffff660"] {
        assert!(row.contains(part), "{part:?} in {row:?}");
    }
    assert!(window.painted("step 44010").contains("80020340"));
}

#[test]
fn what_was_not_executed_says_so() {
    let mut window = Driver::demo();
    window.go_to("44,003");
    let row = window.painted("step 44001");
    assert!(row.contains("b.le") && row.contains("not taken"), "{row}");
}

#[test]
fn a_click_on_a_row_lands_after_its_step() {
    let mut window = at(1250);
    window.click("step 1245");
    window.check_position(1246);
    window.choose("step 1248", "Go here");
    window.check_position(1249);
}

#[test]
fn keys_walk_rows_and_pages() {
    let mut window = at(1250);
    window.press(Key::ArrowDown);
    window.check_position(1251);
    window.press(Key::ArrowUp);
    window.press(Key::ArrowUp);
    window.check_position(1249);
    window.press(Key::PageDown);
    let after = window.active().position.0;
    assert!(after > 1255, "{after}");
    window.press(Key::PageUp);
    window.check_position(1249);
    window.press(Key::Home);
    window.check_position(0);
    window.press(Key::End);
    window.check_position(1763);
}

#[test]
fn steps_go_into_over_and_out_of_calls() {
    let mut window = at(1229);
    window.press(Key::F11);
    window.check_position(1230);
    window.press(Key::F12);
    window.check_position(1237);
    window.press_with(Modifiers::SHIFT, Key::F10);
    window.check_position(1229);
    window.press(Key::F10);
    window.check_position(1237);
    window.press_with(Modifiers::SHIFT, Key::F11);
    window.check_position(1236);
    window.press_with(Modifiers::SHIFT, Key::F12);
    window.check_position(1229);
}

#[test]
fn nowhere_to_step_out_to_is_reported() {
    let mut window = at(2);
    window.press_with(Modifiers::SHIFT, Key::F12);
    window.check_position(2);
    assert_eq!(window.messages(), ["This function has no caller"]);
}

#[test]
fn the_wheel_scrolls_and_leaves_the_position() {
    let mut window = at(1250);
    window.harness().get_by_label("step 1249");
    wheel(&mut window, -50.0);
    assert!(!window.has("step 1249"));
    window.check_position(1250);
    window.press(Key::F11);
    window.harness().get_by_label("step 1250");
}

#[test]
fn the_menu_of_a_step_finds_writes_and_copies() {
    let mut window = at(1250);
    window.choose("step 1242", "Copy address");
    let text = window.copied().expect("a copied text");
    assert!(text.starts_with("0x8000"), "{text}");
    let step = window.painted("step 1249");
    assert!(step.contains("[80020010]"), "{step}");
    window.choose("step 1249", "Last write of [80020010] before it");
    let position = window.active().position.0;
    assert!(position < 1249 && position > 0, "{position}");
    assert!(
        window
            .painted(&format!("step {}", position - 1))
            .contains("80020010")
    );
    window.press_with(Modifiers::ALT, Key::ArrowLeft);
    window.press_with(Modifiers::ALT, Key::ArrowLeft);
    window.check_position(1250);
}

#[test]
fn the_menu_of_a_step_offers_to_compare_once() {
    let mut window = at(1250);
    window.harness().get_by_label("step 1242").click_secondary();
    window.wait();
    assert_eq!(window.count_like("Compare with here"), 1);
}

#[test]
fn an_entry_chosen_with_enter_closes_the_menu() {
    let mut window = at(1250);
    window.harness().get_by_label("step 1242").click_secondary();
    window.wait();
    for _ in 0..4 {
        window.press(Key::ArrowDown);
    }
    assert!(window.has_role(Role::MenuItem));
    window.press(Key::Enter);
    window.wait();
    assert!(!window.has_role(Role::MenuItem), "the menu is still open");
}

#[test]
fn raw_text_shows_the_lines_of_the_trace() {
    let mut window = Driver::text(SHORT);
    window.press(Key::R);
    assert!(!window.has("step 0"));
    let line = window.painted("line 2");
    assert!(line.contains("1 clk R X0 0000000000000001"), "{line}");
    window.click("line 5");
    window.check_position(3);
    window.press(Key::R);
    window.harness().get_by_label("step 0");
}

#[test]
fn raw_text_follows_the_position() {
    let mut window = at(1250);
    window.choose_in_bar("View", "Raw text R");
    window.harness().get_by_label("line 2583");
    window.press(Key::End);
    window.harness().get_by_label("line 3660");
    window.choose("line 3659", "Copy line");
    assert!(
        window
            .copied()
            .is_some_and(|text| text.contains("BLR") || text.contains("X30"))
    );
}

#[test]
fn the_path_of_calls_leads_to_each_call() {
    let mut window = Driver::demo();
    window.go_to("20,345");
    window.click("to the call of decode_field");
    let entered = window.active().position.0;
    assert!(entered < 20_345, "{entered}");
    window.press_with(Modifiers::SHIFT, Key::F11);
    assert!(
        window
            .painted(&format!("step {}", entered - 1))
            .contains("bl")
    );
}
