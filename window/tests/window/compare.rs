//! The comparison of two positions.

use std::fs;

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::{Access, Action, CellName, PanelAction, TravelAction};
use stepback_parsers::Position;

use crate::sandbox::Sandbox;
use crate::support::Driver;

/// Opens the small overflow with its ELF: window 1 at 1,250 and window 2 at the end, compared;
/// window 1 is active.
pub fn compared() -> Driver {
    let sandbox = Sandbox::new();
    let image = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../assets/demo/overflow_bare.elf"
    );
    fs::copy(image, sandbox.path("overflow_bare.elf")).unwrap();
    let mut window = sandbox.open(&sandbox.fixture("overflow_bare.tiny.tarmac"));
    window.close_messages();
    window.go_to("1,250");
    window.press_with(Modifiers::COMMAND, Key::B);
    window.press(Key::End);
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.press_with(Modifiers::COMMAND, Key::D);
    assert_eq!(window.positions(), [(1, 1250), (2, 1763)]);
    window
}

#[test]
fn registers_are_listed_with_both_values_and_their_last_writer() {
    let window = compared();
    let row = window.painted("difference x2");
    assert!(
        row.contains("34") && row.contains("bfb1e598a4e5bda9") && row.contains("1,761"),
        "{row}"
    );
    assert!(row.contains("dispatch") && row.contains("ldr"), "{row}");
    assert_eq!(
        window.count_like("difference x4"),
        0,
        "x4 is the same at both"
    );
}

#[test]
fn memory_is_grouped_by_its_symbol() {
    let mut window = compared();
    window.harness().get_by_label("close group Registers");
    window.click("close group Registers");
    assert!(!window.has("difference x2"));
    window.harness().get_by_label("close group seed");
    window.harness().get_by_label("close group heap");
    let row = window.painted("difference 8001ffe8");
    assert!(
        row.contains("51 06 d3 98")
            && row.contains("8d b6 70 20")
            && row.contains("1,662")
            && row.contains("rnd"),
        "{row}"
    );
    window.click("open group Registers");
    window.harness().get_by_label("difference x2");
}

#[test]
fn a_click_on_the_last_writer_travels_there() {
    let mut window = compared();
    window.click("to step 1,761");
    assert_eq!(window.positions(), [(1, 1762), (2, 1763)]);
}

#[test]
fn a_double_click_on_a_row_and_its_menu_travel_too() {
    let mut window = compared();
    window.double_click("difference x2");
    assert_eq!(window.positions(), [(1, 1762), (2, 1763)]);
    window.go_to("1,250");
    window.choose("difference x3", "Go to its last write");
    assert_eq!(window.positions(), [(1, 1660), (2, 1763)]);
}

#[test]
fn the_first_write_between_lies_between_the_two_positions() {
    let mut window = compared();
    window.perform(Action::Panel(PanelAction::OpenWindowAt(10.into())));
    window.choose("difference x3", "First write between");
    let positions = window.positions();
    let (_, found) = positions.last().unwrap();
    assert_eq!(positions.len(), 4);
    assert!((1250..=1763).contains(found), "{positions:?}");
}

#[test]
fn nothing_after_the_later_position_is_between() {
    let mut window = compared();
    window.go_to("1,700");
    let cell = CellName::Register("x3".to_owned());
    window.perform(Action::Travel(TravelAction::GoToAccessUntil(
        cell,
        Access::Write,
        Position(1763),
    )));
    window.check_stated("no write of x3 between 1,700 and 1,763");
    assert_eq!(window.positions(), [(1, 1700), (2, 1763)]);
}

#[test]
fn enter_on_a_row_goes_to_the_last_write_before_the_active_window() {
    let mut window = compared();
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.press_with(Modifiers::ALT, Key::Num5);
    for _ in 0..3 {
        window.press(Key::ArrowDown);
    }
    window.press(Key::Enter);
    assert_eq!(window.positions(), [(1, 1250), (2, 1762)]);
}

#[test]
fn cells_can_be_filtered() {
    let mut window = compared();
    window.click("Filter cells");
    window.type_text("x2");
    assert!(window.has("difference x2") && !window.has("difference x1"));
}

#[test]
fn before_and_after_can_be_swapped() {
    let mut window = compared();
    window
        .harness()
        .get_by_label("window 1 before, window 2 after");
    window.click("Swap sides");
    window
        .harness()
        .get_by_label("window 2 after, window 1 before");
    let row = window.painted("difference x2");
    let (before, after) = (row.find("bfb1e598a4e5bda9"), row.find("34"));
    assert!(before < after && before.is_some(), "{row}");
}

#[test]
fn two_equal_positions_say_so() {
    let mut window = compared();
    window.go_to("end");
    assert_eq!(window.positions(), [(1, 1763), (2, 1763)]);
    window
        .harness()
        .get_by_label("The two positions are the same");
}

#[test]
fn without_a_second_window_the_panel_says_how_to_get_one() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.press_with(Modifiers::ALT, Key::Num5);
    window.harness().get_by_label("Nothing to compare yet");
}

#[test]
fn the_command_compares_with_where_the_window_came_from() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to("1,250");
    window.press(Key::End);
    window.press_with(Modifiers::COMMAND, Key::D);
    assert_eq!(window.positions(), [(1, 1763), (2, 1250)]);
    window.harness().get_by_label("difference x2");
}

#[test]
fn memory_says_what_it_holds_and_how_often_it_was_written() {
    let mut window = compared();
    window.click("Filter cells");
    window.type_text("80020010");
    window.wait();
    let row = window.painted("difference 80020010");
    assert!(
        row.contains("a9 bd e5 a4 98 e5 b1 bf") || row.contains("bd e5 a4 98 e5 b1 bf"),
        "{row}"
    );
    assert!(row.contains("decode_field"), "{row}");
}

#[test]
fn what_lies_below_both_stack_pointers_is_folded_and_opens() {
    let mut window = compared();
    window.go_to("700");
    window.click("Filter cells");
    window.type_text("below the stack");
    window
        .harness()
        .get_by_label("open group below the stack pointer (guess)");
    let before = window.count_like("difference 8ffff");
    window.click("open group below the stack pointer (guess)");
    assert!(window.count_like("difference 8ffff") > before);
}

#[test]
fn a_position_is_compared_with_any_place() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to("1,250");
    window.command("Compare with end");
    assert_eq!(window.positions(), [(1, 1250), (2, 1763)]);
    window.harness().get_by_label("difference x2");
    window.command("Compare with nowhere_at_all");
    assert_eq!(window.positions(), [(1, 1250), (2, 1763)]);
}

#[test]
fn of_three_windows_the_active_one_is_compared() {
    let mut window = compared();
    window.command("New trace window 700");
    window.check_active(3);
    window.command("Compare with 1,000");
    let positions = window.positions();
    assert_eq!((positions[0], positions[2]), ((1, 1000), (3, 700)));
    window
        .harness()
        .get_by_label("window 1 after, window 3 before");
}

#[test]
fn a_call_is_compared_before_and_after() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to("1,700");
    window.command("Compare before and after this call");
    let [(1, first), (2, last)] = window.positions()[..] else {
        panic!("two windows: {:?}", window.positions())
    };
    assert!(first < 1700 && last >= 1700, "{first} {last}");
    assert!(window.count_like("difference ") > 0);
}
