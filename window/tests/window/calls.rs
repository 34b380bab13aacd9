//! The call tree.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;

use crate::sandbox::Sandbox;
use crate::support::Driver;

/// Opens the demo with the call tree in front, at a position.
fn at(position: &str) -> Driver {
    let mut window = Driver::demo();
    window.go_to(position);
    window.press_with(Modifiers::ALT, Key::Num4);
    // Each frame loads one level, down to the call of the position.
    window.harness().run_steps(8);
    window
}

#[test]
fn the_tree_is_open_to_the_call_of_the_position() {
    let mut window = at("20,345");
    assert!(window.has("call decode_field"));
    window.press_with(Modifiers::COMMAND, Key::Home);
    window.harness().get_by_label("call _start");
    window.harness().get_by_label("call main");
}

#[test]
fn a_click_travels_to_the_entry() {
    let mut window = at("20,345");
    window.press_with(Modifiers::COMMAND, Key::Home);
    window.click("call main");
    window.check_position(4);
}

#[test]
fn branches_open_and_close_with_the_mouse() {
    let mut window = at("44,010");
    assert!(window.count_like("call dispatch") > 0);
    window.press_with(Modifiers::COMMAND, Key::Home);
    window.click("close main");
    assert_eq!(window.count_like("call dispatch"), 0);
    window.click("open main");
    assert!(window.count_like("call ") > 5);
}

#[test]
fn branches_open_and_close_with_keys() {
    let mut window = at("44,010");
    window.press_with(Modifiers::COMMAND, Key::Home);
    window.press(Key::ArrowLeft);
    assert!(!window.has("call main"));
    window.press(Key::ArrowRight);
    window.press(Key::ArrowDown);
    window.press(Key::Enter);
    window.check_position(4);
}

#[test]
fn a_found_call_in_a_narrow_panel_is_cut_once() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open_in([1600.0, 1000.0], &sandbox.demo());
    window.click("Find a function");
    window.type_text("decode_field");
    let names = window
        .harness()
        .query_all_by_label_contains("call decode_field");
    let rects: Vec<_> = names.map(|node| node.rect()).collect();
    assert!(!rects.is_empty());
    for rect in rects {
        let painted = window.painted_in(rect);
        assert!(painted.matches('…').count() <= 1, "{painted}");
    }
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
fn a_function_that_nothing_calls_is_reported() {
    let mut window = at("44,010");
    window.click("Find a function");
    window.type_text("zzz");
    window.harness().get_by_label("No call matches");
}

#[test]
fn the_menu_travels_to_the_end_and_folds() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to("1,233");
    window.press_with(Modifiers::ALT, Key::Num4);
    window.choose("call 80000764", "Go to its end");
    window.check_position(1593);
    window.choose("call 80000764", "Fold it in the trace");
    assert_eq!(window.rows(), 1763 - 1507);
    window.choose("call 80000764", "Open window at its entry");
    assert_eq!(window.positions(), [(1, 1593), (2, 85)]);
}

/// Returns a loop that calls two functions in turn 150 times, then a third one, in which the trace
/// ends.
fn many_calls() -> String {
    let mut text = String::new();
    let mut step = 0;
    let mut say = |pc: u32, code: &str, instruction: &str| {
        step += 1;
        text += &format!("{step} clk cpu0 IT ({step}) {pc:08x} {code} O EL1h_n : {instruction}\n");
        if instruction.starts_with("BL") {
            text += &format!("{step} clk cpu0 R X30 {:016x}\n", pc + 4);
        }
    };
    for _ in 0..150 {
        for (at, code, function) in [(0x1000, "940003fc", 0x2000), (0x1004, "940007fb", 0x3000)] {
            say(at, code, &format!("BL {{pc}}+0x{:x}", function - at));
            say(function, "d65f03c0", "RET");
        }
        say(0x1008, "17fffffe", "B {pc}-8");
    }
    say(0x1000, "94000c00", "BL {pc}+0x3000");
    say(0x4000, "d503201f", "NOP");
    text
}

#[test]
fn the_call_of_the_position_is_in_view_at_the_first_travel_however_many_are_before_it() {
    let mut window = Driver::text(many_calls());
    window.press_with(Modifiers::ALT, Key::Num4);
    window.go_to("end");
    window.wait();
    window.wait();
    assert!(
        window.has("call 4000"),
        "the call of the end is not in view"
    );
}

#[test]
fn calls_that_are_looked_for_tell_where_who_and_with_what() {
    let mut window = at("44,010");
    window.click("Find a function");
    window.type_text("open_ses");
    window.wait();
    let row = window
        .harness()
        .get_all_by_label("call open_session")
        .next()
        .expect("a row")
        .rect();
    let said = window.painted_in(row);
    assert!(
        said.contains("115") && said.contains("open_session (x0="),
        "{said}"
    );
    let panel = row.with_min_y(row.top() - 60.0);
    let heads = window.painted_in(panel);
    assert!(
        heads.contains("30 calls") && heads.contains("Position") && heads.contains("Steps"),
        "{heads}"
    );
}
