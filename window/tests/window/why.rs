//! Origin of a value: queried by key and from menus, read as a chain, a tree or step by step,
//! marked, filtered, kept.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Action, Direction, Follow, PanelAction, PanelKind, SliceAction, SliceEdge, SliceView,
    ViewAction,
};
use stepback_debugger::model::slice::SliceProgress;
use stepback_parsers::Position;

use crate::support::Driver;

/// Opens the program of the demo at its crash.
fn at_the_crash() -> Driver {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.close_messages();
    window.go_to("end");
    window
}

/// Returns the steps of the slice, newest first.
fn steps(window: &Driver) -> Vec<u64> {
    let slice = window.desk().slice.slice().expect("a slice");
    slice
        .rows
        .iter()
        .filter_map(|row| row.step)
        .map(|step| step.0)
        .collect()
}

fn requested(window: &Driver) -> (String, u64) {
    let question = window.desk().slice.question().expect("a question");
    (question.cell.clone(), question.at)
}

#[test]
fn w_on_a_register_shows_the_store_and_the_bytes_after_it() {
    let mut window = at_the_crash();
    window.click("register x2");
    window.press(Key::W);
    assert!(window.panels().contains(&PanelKind::Why));
    assert_eq!(requested(&window), ("x2".to_owned(), 1763));
    assert!(window.has("Why x2 = bfb1e598a4e5bda9 at 1,763"));
    assert_eq!(window.count_like("steps, complete"), 1);
    assert_eq!(steps(&window)[..3], [1761, 1382, 1381]);
    // A click on the row of the store goes there, and the history leads back.
    window.click("Step 1,382 of the slice");
    window.check_position(1383);
    window.press_with(Modifiers::ALT, Key::ArrowLeft);
    window.check_position(1763);
}

#[test]
fn rows_are_walked_and_opened_by_keys() {
    let mut window = at_the_crash();
    window.command("Why x2");
    window.command("Slice as a tree");
    assert!(window.has("Step 1,382 of the slice") && !window.has("Step 1,368 of the slice"));
    window.press(Key::ArrowDown);
    window.press(Key::ArrowRight);
    assert!(window.has("Step 1,368 of the slice"));
    window.press(Key::ArrowDown);
    window.press(Key::Enter);
    window.check_position(1369);
    window.press(Key::ArrowLeft);
    window.press(Key::ArrowLeft);
    assert!(!window.has("Step 1,368 of the slice"));
    window.perform(Action::Slice(SliceAction::ViewSlice(SliceView::Everything)));
    assert!(window.has("Step 1,381 of the slice"));
}

#[test]
fn a_row_leads_on_to_what_its_step_takes_in() {
    let mut window = at_the_crash();
    window.command("Why x2");
    window.command("Slice with everything");
    window.choose("Step 1,382 of the slice", "Why its x0<7:0> = bf");
    assert_eq!(requested(&window), ("w0".to_owned(), 1382));
    window.choose("Step 1,381 of the slice", "Copy row");
    let copied = window.copied().expect("a text");
    assert!(
        copied.starts_with("1381  ") && copied.contains("orr"),
        "{copied}"
    );
}

#[test]
fn what_is_followed_is_chosen_and_a_value_is_followed_onward() {
    let mut window = at_the_crash();
    window.command("Why x2");
    let before = steps(&window).len();
    window.click("Addresses");
    assert!(steps(&window).len() > before);
    window.perform(Action::Slice(SliceAction::FollowInSlice(
        SliceEdge::Addresses,
    )));
    assert_eq!(steps(&window).len(), before);
    window.perform(Action::Slice(SliceAction::WhyAt(
        stepback_debugger::action::CellName::Memory("0x80020017".to_owned(), 1),
        Position(1383),
    )));
    window.perform(Action::Slice(SliceAction::TurnSlice(Direction::Forward)));
    assert!(window.has("Where [80020017] = bf at 1,383 goes"));
    assert!(steps(&window).contains(&1761), "{:?}", steps(&window));
}

/// Two iterations of a loop that take different paths: `if x0 { x1 = 1 } else { x1 = 2 }; x0 -= 1`,
/// while x0 is not negative.
const LOOP: &str = "\
0 clk R SP_EL1 0000000000009000
1 clk IT (1) 00008000 b4000060 O EL1h_n : CBZ x0,0x800c
2 clk IT (2) 00008004 d2800021 O EL1h_n : MOV x1,#1
2 clk R x1 0000000000000001
3 clk IT (3) 00008008 14000002 O EL1h_n : B 0x8010
4 clk IT (4) 00008010 d1000400 O EL1h_n : SUB x0,x0,#1
4 clk R x0 0000000000000000
5 clk IT (5) 00008014 b6ffff60 O EL1h_n : TBZ x0,#63,0x8000
6 clk IT (6) 00008000 b4000060 O EL1h_n : CBZ x0,0x800c
7 clk IT (7) 0000800c d2800041 O EL1h_n : MOV x1,#2
7 clk R x1 0000000000000002
8 clk IT (8) 00008010 d1000400 O EL1h_n : SUB x0,x0,#1
8 clk R x0 ffffffffffffffff
9 clk IT (9) 00008014 b6ffff60 O EL1h_n : TBZ x0,#63,0x8000
10 clk IT (10) 00008018 aa0103e2 O EL1h_n : MOV x2,x1
10 clk R x2 0000000000000002
";

#[test]
fn forward_by_control_all_is_listed_that_a_branch_decided() {
    let mut window = Driver::text(LOOP);
    window.go_to("0");
    window.command("Why x0");
    window.perform(Action::Slice(SliceAction::TurnSlice(Direction::Forward)));
    assert_eq!(steps(&window), [0, 3, 4, 5, 7, 8]);
    window.click("Control");
    assert_eq!(steps(&window), (0..=9).collect::<Vec<u64>>());
    let slice = window.desk().slice.slice().expect("a slice");
    assert_eq!(slice.rows[1].reason, "ran because of 0");
    // Steps at different addresses are not iterations of a loop.
    let hidden: Vec<u64> = (0..=9)
        .filter(|step| !window.has(&format!("Step {step} of the slice")))
        .collect();
    assert!(hidden.is_empty(), "{hidden:?}");
    // Backward, the switch stays, and ends of control chains have different words.
    window.perform(Action::Slice(SliceAction::WhyAt(
        stepback_debugger::action::CellName::Register("x2".to_owned()),
        Position(10),
    )));
    assert_eq!(steps(&window), [9, 6, 5, 4, 3]);
    let slice = window.desk().slice.slice().expect("a slice");
    let ends: Vec<String> = slice
        .ends
        .iter()
        .map(|end| format!("{}: {}", end.gives_text(), end.code_text()))
        .collect();
    assert!(
        ends.contains(&"control: runs whenever the thread does".to_owned()),
        "{ends:?}"
    );
}

#[test]
fn the_list_of_steps_shows_the_slice_alone() {
    let mut window = at_the_crash();
    window.command("Why x2");
    window.press_with(Modifiers::SHIFT, Key::H);
    assert!(window.active().only_hits.is_on && window.active().row_count() < 300);
    window.command("Go to step 1383");
    window.press_with(Modifiers::ALT, Key::Num1);
    window.press(Key::ArrowUp);
    window.check_position(1382);
    window.press(Key::ArrowDown);
    window.press(Key::ArrowDown);
    window.check_position(1762);
    window.press_with(Modifiers::SHIFT, Key::H);
    assert_eq!(window.active().row_count(), 1763);
    window.command("Clear slice");
    assert!(window.desk().slice.slice().is_none());
}

#[test]
fn slices_are_kept_and_are_in_panels_of_their_own() {
    let mut window = at_the_crash();
    window.command("Save slice as the pointer");
    assert!(
        window
            .messages()
            .iter()
            .any(|stated| stated.starts_with("Press W on a value first")),
        "{:?}",
        window.messages()
    );
    window.close_messages();
    window.command("Why x2");
    window.command("Save slice as the pointer");
    window.command("Why x0");
    window.command("Slice in a new panel the pointer");
    let count = window
        .panels_in_order()
        .iter()
        .filter(|kind| **kind == PanelKind::Why)
        .count();
    assert_eq!(count, 2);
    assert!(
        window.has("Why x2 = bfb1e598a4e5bda9 at 1,763"),
        "the kept one"
    );
    assert_eq!(requested(&window).0, "x0");
    window.command("Run slice the pointer");
    assert_eq!(requested(&window).0, "x2");
    window.close_messages();
    window.command("Delete slice the pointer");
    assert!(window.desk().slices.list().is_empty());
    window.command("Undo");
    assert_eq!(window.desk().slices.list().len(), 1);
}

#[test]
fn menus_ask_where_the_value_is() {
    let mut window = Driver::demo();
    window.go_to("1250");
    window.choose_first("step 1247", "Why [80020011]");
    assert_eq!(requested(&window), ("0x80020011:1".to_owned(), 1248));
    window.choose("register x19", "Why x19");
    assert_eq!(requested(&window), ("x19".to_owned(), 1250));
}

#[test]
fn what_cannot_be_asked_says_why() {
    let mut window = at_the_crash();
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Why)));
    assert!(window.has("No value selected"));
    window.command("Why nosuchname");
    let error = window.desk().slice.error().expect("an error").to_owned();
    assert!(error.contains("nosuchname"), "{error}");
    window.command("Why x2");
    let slice = window.desk().slice.slice().expect("a slice");
    assert_eq!(slice.end, SliceProgress::Whole);
}

#[track_caller]
fn check_hover(window: &mut Driver, label: &str, line: &str, expected: (&str, u64)) {
    let place = window.rect(label).left_center() + egui::vec2(4.0, 0.0);
    window.rest_at(place);
    assert!(
        window.has(line),
        "{:?}",
        window.only_label_like("W: why does")
    );
    window.press(Key::W);
    assert_eq!(requested(window), (expected.0.to_owned(), expected.1));
}

#[test]
fn w_asks_about_the_cell_that_a_hover_text_tells_of() {
    let mut window = at_the_crash();
    window.click("register x19");
    // The pointer is over another register than the cursor.
    check_hover(
        &mut window,
        "register x2",
        "W: why does x2 have this value?",
        ("x2", 1763),
    );
    window.perform(Action::View(ViewAction::ShowMemory(
        "0x80020015".to_owned(),
    )));
    let line = "W: why does [80020017] have this value?";
    check_hover(&mut window, "byte 0x80020017", line, ("0x80020017:1", 1763));
    // Without a hover text, the cursor counts again.
    window.click("register x19");
    window.press(Key::W);
    assert_eq!(requested(&window), ("x19".to_owned(), 1763));
}

#[test]
fn a_hover_text_leaves_when_keys_move_the_position() {
    let mut window = at_the_crash();
    let line = "W: why does x2 have this value?";
    let place = window.rect("register x2").left_center() + egui::vec2(4.0, 0.0);
    window.rest_at(place);
    assert!(window.has(line));
    window.press(Key::F10);
    assert!(!window.has(line));
    window.press_with(Modifiers::SHIFT, Key::F10);
    assert!(!window.has(line));
    window.rest_at(place);
    assert!(window.has(line));
}

#[test]
fn w_in_a_row_asks_where_its_value_is() {
    let mut window = at_the_crash();
    // The panel already exists, so rows stay in place.
    window.command("Why x2");
    window.go_to("1383");
    let row = window
        .harness()
        .get_all_by_label("step 1382")
        .next()
        .expect("the row")
        .rect();
    let strb = row.left() + 120.0;
    let mut found = Vec::new();
    // The hover text names the cell of the row under the pointer.
    for place in 0..50 {
        window.rest_at(egui::pos2(strb + 12.0 * place as f32, row.center().y));
        if window.count_like("W: why does") > 0 {
            window.press(Key::W);
            found.push(requested(&window));
        }
    }
    assert!(
        found.contains(&("0x80020017:1".to_owned(), 1383)),
        "what it wrote, behind it: {found:?}"
    );
    assert!(
        found.contains(&("x0".to_owned(), 1382)),
        "what it read, before it: {found:?}"
    );
}

#[test]
fn w_in_a_pinned_panel_asks_at_its_moment() {
    let mut window = at_the_crash();
    window.go_to("1250");
    let tile = window.tile(PanelKind::Registers);
    window.perform(Action::Panel(PanelAction::Bind(
        tile,
        Follow::Pinned(1250.into()),
    )));
    window.go_to("1763");
    window.click("register x19");
    window.press(Key::W);
    assert_eq!(requested(&window), ("x19".to_owned(), 1250));
    let hover = "W: why does x2 have this value?";
    check_hover(&mut window, "register x2", hover, ("x2", 1250));
}

#[test]
fn w_in_the_comparison_asks_about_the_value_that_is_meant() {
    let mut window = at_the_crash();
    window.perform(Action::Panel(PanelAction::Compare));
    window.perform(Action::travel(WindowId(2), Position(1250)));
    window.perform(Action::Panel(PanelAction::CompareWindows(
        WindowId(2),
        WindowId(1),
    )));
    // The names begin at the left, followed by the two values.
    let [name, left] = [20.0, 150.0];
    let place = |window: &Driver, x: f32| {
        let row = window.rect("difference x2");
        egui::pos2(row.left() + x, row.center().y)
    };
    for (x, key, at) in [
        (name, Key::ArrowDown, 1763),
        (name, Key::ArrowLeft, 1250),
        (name, Key::ArrowRight, 1763),
        (left, Key::ArrowDown, 1250),
    ] {
        let at_row = place(&window, x);
        window.click_at(at_row, 1);
        window.press(key);
        if key == Key::ArrowDown {
            window.press(Key::ArrowUp);
        }
        window.press(Key::W);
        assert_eq!(requested(&window), ("x2".to_owned(), at), "{key:?}");
        window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Compare)));
    }
    let value = place(&window, left);
    window.rest_at(value);
    assert!(window.has("W: why does x2 have this value?"));
}

#[test]
fn the_panel_opens_with_room_for_ten_lines_and_gives_it_back() {
    let mut window = at_the_crash();
    let memory = |window: &Driver| window.tabs_height(PanelKind::Memory);
    let before = memory(&window);
    window.command("Why x2");
    assert!(window.tabs_height(PanelKind::Why) >= 26.0 + 28.0 * 2.0 + 20.0 + 10.0 * 18.0);
    assert!(window.tabs_height(PanelKind::Trace) > 150.0);
    // The other panel of lines keeps it.
    window.command("Effects of steps 1190 1255");
    window.perform(Action::Panel(PanelAction::ClosePanel(
        window.tile(PanelKind::Why),
    )));
    assert!(window.tabs_height(PanelKind::Effects) >= 26.0 + 28.0 * 2.0 + 20.0 + 10.0 * 18.0);
    window.perform(Action::Panel(PanelAction::ClosePanel(
        window.tile(PanelKind::Effects),
    )));
    assert!(!window.panels().contains(&PanelKind::Why));
    // Its part of the row that the timeline has gained for the slice.
    let gained = 13.0;
    assert!(
        (before - gained..before + 1.0).contains(&memory(&window)),
        "{} and {before}",
        memory(&window)
    );
}
