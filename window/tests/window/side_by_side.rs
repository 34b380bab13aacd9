//! Several trace windows, each with a separate position, and panels that follow one of them or
//! none.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Follow, PanelKind};

use crate::sandbox::SHORT;
use crate::support::Driver;

const ONE: Follow = Follow::Window(WindowId(1));
const TWO: Follow = Follow::Window(WindowId(2));

/// Opens window 1 at the start, window 2 at the end.
fn pair() -> Driver {
    let mut window = Driver::text(SHORT);
    window.press_with(Modifiers::COMMAND, Key::B);
    window.press(Key::End);
    assert_eq!(window.positions(), [(1, 0), (2, 12)]);
    window
}

#[test]
fn the_second_window_opens_where_the_first_is() {
    let mut window = Driver::text(SHORT);
    window.go_to("5");
    window.press_with(Modifiers::COMMAND, Key::B);
    assert_eq!(window.positions(), [(1, 5), (2, 5)]);
    window.check_active(2);
}

#[test]
fn keys_move_the_active_window_alone() {
    let mut window = pair();
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.press(Key::F11);
    assert_eq!(window.positions(), [(1, 1), (2, 12)]);
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.press_with(Modifiers::SHIFT, Key::F11);
    assert_eq!(window.positions(), [(1, 1), (2, 11)]);
}

#[test]
fn each_window_has_its_own_history() {
    let mut window = pair();
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.go_to("3");
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.press_with(Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(window.positions(), [(1, 3), (2, 0)]);
}

#[test]
fn a_click_into_a_window_makes_it_the_active_one() {
    let mut window = pair();
    window.check_active(2);
    // Both windows show all twelve steps; the left one is the first.
    window.click_first("step 6");
    window.check_active(1);
    assert_eq!(window.positions(), [(1, 7), (2, 12)]);
}

#[test]
fn panels_follow_the_active_window() {
    let mut window = pair();
    assert_eq!(window.follows(PanelKind::Registers), [Follow::Active]);
    assert_eq!(window.register("x2"), "0000000000000003");
    window.press_with(Modifiers::COMMAND, Key::Num1);
    assert_eq!(window.register("x2"), "unknown");
    window.press_with(Modifiers::COMMAND, Key::Num2);
    assert_eq!(window.register("x2"), "0000000000000003");
}

#[test]
fn the_badge_goes_from_the_active_window_to_each_and_to_this_moment() {
    let mut window = pair();
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.extend(window.follows(PanelKind::Registers));
        window.click_first("what the panel follows");
    }
    assert_eq!(
        seen,
        [
            Follow::Active,
            ONE,
            TWO,
            Follow::Pinned(12.into()),
            Follow::Active
        ]
    );
}

#[test]
fn what_a_panel_shows_is_what_the_command_acts_on() {
    for command in [true, false] {
        let mut window = pair();
        window.click("Registers panel menu");
        window.click("Follow window 2");
        window.press_with(Modifiers::COMMAND, Key::Num1);
        // The panel shows window 2, while window 1 is active.
        window.click("register x2");
        match command {
            true => window.press_with(Modifiers::COMMAND, Key::L),
            false => window.press(Key::Enter),
        }
        assert_eq!(window.positions(), [(1, 0), (2, 10)], "{command}");
    }
}

#[test]
fn panels_follow_the_window_that_they_are_bound_to() {
    let mut window = pair();
    window.press_with(Modifiers::COMMAND, Key::Num1);
    assert_eq!(window.register("x2"), "unknown");
    window.click("Registers panel menu");
    window.click("Follow window 2");
    assert_eq!(window.register("x2"), "0000000000000003");
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.press_with(Modifiers::SHIFT, Key::F11);
    window.press_with(Modifiers::SHIFT, Key::F11);
    window.press_with(Modifiers::SHIFT, Key::F11);
    window.check_position(9);
    assert_eq!(window.register("x2"), "0000000000000002");
    assert_eq!(window.follows(PanelKind::Registers), [TWO]);
    assert_eq!(window.follows(PanelKind::Memory), [Follow::Active]);
}

#[test]
fn a_question_of_a_panel_moves_the_window_that_it_follows() {
    let mut window = pair();
    window.click("Registers panel menu");
    window.click("Follow window 2");
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.double_click("register x2");
    assert_eq!(window.positions(), [(1, 0), (2, 10)]);
    window.check_active(2);
}

#[test]
fn a_pinned_panel_stays_at_its_moment() {
    let mut window = Driver::text(SHORT);
    window.go_to("2");
    window.click("Registers panel menu");
    window.click("Pin at 2");
    window.go_to("end");
    assert_eq!(window.register("x2"), "0000000000000002");
    assert_eq!(
        window.follows(PanelKind::Registers),
        [Follow::Pinned(2.into())]
    );
    window.click("Registers panel menu");
    window.click("Follow window 1");
    assert_eq!(window.register("x2"), "0000000000000003");
}

#[test]
fn a_second_panel_of_registers_shows_another_moment() {
    let mut window = Driver::text(SHORT);
    window.go_to("2");
    window.click("Registers panel menu");
    window.click("Pin at 2");
    window.command("New registers panel");
    let mut follows = window.follows(PanelKind::Registers);
    follows.sort_by_key(|follow| *follow == Follow::Active);
    assert_eq!(follows, [Follow::Pinned(2.into()), Follow::Active]);
}

#[test]
fn the_keyboard_binds_and_pins_the_panel_that_has_it() {
    let mut window = pair();
    window.press_with(Modifiers::ALT, Key::Num2);
    window.command("Panel follows window 2");
    assert_eq!(window.follows(PanelKind::Registers), [TWO]);
    window.command("Panel follows window active");
    assert_eq!(window.follows(PanelKind::Registers), [Follow::Active]);
    window.command("Pin panel here");
    assert_eq!(
        window.follows(PanelKind::Registers),
        [Follow::Pinned(12.into())]
    );
}

#[test]
fn closing_a_window_leaves_its_panels_with_the_other() {
    let mut window = pair();
    window.click("Registers panel menu");
    window.click("Follow window 2");
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.press_with(Modifiers::COMMAND, Key::W);
    assert_eq!(window.positions(), [(1, 0)]);
    assert_eq!(window.register("x2"), "unknown");
}

#[test]
fn a_third_window_opens_from_the_context_menu_of_a_step() {
    let mut window = Driver::text(SHORT);
    window.choose("step 6", "Open window here");
    assert_eq!(window.positions(), [(1, 0), (2, 7)]);
    window.command("New trace window 9");
    assert_eq!(window.positions(), [(1, 0), (2, 7), (3, 9)]);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.check_active(3);
}

#[test]
fn ctrl_click_opens_a_window_and_the_menu_moves_another_one() {
    let mut window = Driver::text(SHORT);
    window.click_with(Modifiers::COMMAND, "step 3");
    assert_eq!(window.positions(), [(1, 0), (2, 4)]);
    window.choose_first("step 8", "Move window 2 here");
    assert_eq!(window.positions(), [(1, 0), (2, 9)]);
}

#[test]
fn a_window_that_does_not_exist_is_reported() {
    let mut window = Driver::text(SHORT);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    assert_eq!(window.messages(), ["There is no trace window 4"]);
}

/// Step 6 of the demo is `stp x19, x20, [sp, #0x10]`, which stores zeros at 8ffff670 and 8ffff678.
#[test]
fn in_a_narrow_trace_window_effects_take_the_place_of_addresses() {
    let mut window = Driver::demo();
    let row = window.painted("step 6");
    assert!(
        row.contains("800008a0") && row.contains("[8ffff670] ← 0"),
        "{row}"
    );
    window.press_with(Modifiers::COMMAND, Key::B);
    let rows = window.harness().get_all_by_label("step 6");
    let rects: Vec<_> = rows.map(|row| row.rect()).collect();
    assert_eq!(rects.len(), 2);
    for rect in rects {
        assert!(rect.width() < 480.0);
        let row = window.painted_in(rect);
        assert!(
            !row.contains("800008a0") && row.contains("[8ffff670] ← 0"),
            "{row}"
        );
    }
}
