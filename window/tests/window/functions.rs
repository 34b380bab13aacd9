//! Function costs: the list, callers and callees, the flame graph.

use egui::{Key, Modifiers};
use stepback_debugger::action::StepRange;
use stepback_debugger::action::{
    Action, Direction, PanelAction, PanelId, PanelKind, TravelAction, ViewAction,
};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::support::Driver;

fn demo() -> Driver {
    let mut window = Driver::demo();
    window.press_with(Modifiers::ALT, Key::Num0);
    window
}

#[test]
fn the_function_under_the_cursor_stays_where_the_range_is_another_one() {
    let mut window = demo();
    let first = |window: &Driver| window.desk().functions.stated().unwrap().table.rows[0].address;
    let before = first(&window);
    window.perform(Action::View(ViewAction::SelectRange(Some(StepRange {
        first: Position(800),
        last: Position(1350),
    }))));
    assert_ne!(first(&window), before);
    // Enter applies to the row under the cursor and selects it.
    window.press(Key::Enter);
    assert_eq!(window.desk().functions.selected(), before);
}

#[test]
fn a_range_of_the_timeline_cuts_the_calls_and_the_whole_trace_comes_back() {
    let mut window = demo();
    assert!(window.has("functions of: Whole trace"));
    assert!(window.painted("function decode_field").contains("6,051"));
    window.perform(Action::View(ViewAction::SelectRange(Some(StepRange {
        first: Position(100),
        last: Position(900),
    }))));
    assert!(window.has("functions of: Steps 100 – 900"));
    assert!(
        window.painted("function main").contains("800 100.0"),
        "{}",
        window.painted("function main")
    );
    window.click("Whole trace");
    assert!(window.has("functions of: Whole trace"));
    assert!(window.painted("function decode_field").contains("6,051"));
    window.click("Selected range");
    assert!(window.has("functions of: Steps 100 – 900"));
    window.perform(Action::View(ViewAction::SelectRange(None)));
    assert!(window.has("functions of: Whole trace"));
}

#[test]
fn the_menu_of_a_range_leads_to_its_functions_and_its_flame_graph() {
    let mut window = Driver::demo();
    window.perform(Action::View(ViewAction::SelectRange(Some(StepRange {
        first: Position(100),
        last: Position(900),
    }))));
    window.choose("timeline", "Functions of this range");
    assert!(
        window.panels().contains(&PanelKind::Functions)
            && window.has("functions of: Steps 100 – 900")
    );
    window.choose("timeline", "Flame graph of this range");
    assert!(window.panels().contains(&PanelKind::FlameGraph) && window.has("flame main"));
    // Both are visible at once.
    assert!(window.has("function main"));
}

#[test]
fn callers_and_callees_of_the_chosen_function_are_listed_and_chosen_by_a_click() {
    let mut window = demo();
    window.click("function make_request");
    assert!(
        window.painted("near open_session").contains("30 20,340"),
        "{}",
        window.painted("near open_session")
    );
    assert!(window.painted("near rnd").contains("723"));
    window.click("near open_session");
    assert!(window.has("near main") && window.has("near make_request"));
    window.double_click("near make_request");
    let there = window.active().position.0;
    window.go_to("0");
    window.command("Next call of function make_request");
    window.check_position(there);
}

#[test]
fn keys_walk_through_the_calls_of_the_chosen_function() {
    let mut window = demo();
    window.click("function decode_field");
    window.press(Key::Enter);
    let first = window.active().position.0;
    window.press(Key::Period);
    let second = window.active().position.0;
    assert!(second > first);
    window.press(Key::Comma);
    window.check_position(first);
    window.close_messages();
    window.press(Key::Comma);
    window.check_stated("no earlier call of decode_field");
    window.check_position(first);
    // Without a selection, the function around the position is used.
    window.perform(Action::View(ViewAction::SelectFunction(None)));
    window.go_to(&(first + 1).to_string());
    window.press(Key::Period);
    window.check_position(second);
    assert!(
        window
            .messages()
            .iter()
            .any(|stated| stated.starts_with("Call ") && stated.ends_with(" of decode_field"))
    );
    // A selection in a closed panel is ignored.
    window.perform(Action::View(ViewAction::SelectFunction(Some(Address(0x1)))));
    window.press(Key::Comma);
    window.check_position(second);
    let tiles = &window.workspace().dock.tiles;
    let is_list = |tile: &&egui_tiles::TileId| {
        tiles
            .get_pane(tile)
            .is_some_and(|pane| pane.kind() == PanelKind::Functions)
    };
    let tile = tiles
        .tile_ids()
        .collect::<Vec<_>>()
        .iter()
        .find(is_list)
        .expect("the list")
        .0;
    window.perform(Action::Panel(PanelAction::ClosePanel(PanelId(tile))));
    window.press(Key::Comma);
    window.check_position(first);
    window.perform(Action::Travel(TravelAction::GoToCall(
        Some("no_such".to_owned()),
        Direction::Forward,
    )));
    assert!(window.messages().iter().any(|stated| {
        stated
            .to_lowercase()
            .contains("no function is named \"no_such\"")
    }));
}

#[test]
fn the_list_of_functions_is_copied_as_it_is_seen() {
    let mut window = demo();
    window.click("Filter");
    window.type_text("decode_f");
    window.click_button("Copy or save the list");
    window.click("Copy as CSV");
    let copied = window.copied().expect("a list");
    assert!(
        copied.starts_with("function,module,calls,self,self_percent,total,total_percent,"),
        "{copied}"
    );
    assert!(
        copied.contains("decode_field,overflow_bare.elf,30,6051,"),
        "{copied}"
    );
}

#[test]
fn the_flame_graph_is_zoomed_searched_and_travels() {
    let mut window = Driver::demo();
    window.command("Flame graph");
    let wide = |window: &Driver, name: &str| window.rect(name).width();
    let before = wide(&window, "flame make_request");
    window.click("flame open_session");
    assert!((wide(&window, "flame open_session") - wide(&window, "flame main")).abs() < 1.0);
    let zoomed = wide(&window, "flame make_request");
    assert!(zoomed > before);
    window.press(Key::Backspace);
    assert!((wide(&window, "flame make_request") - before).abs() < 1.0);
    window.click("Find in the graph");
    window.type_text("make_req");
    window.harness().run();
    let bar = window.rect("functions of: Whole trace");
    let said = window.painted_in(bar.with_max_x(bar.right() + 400.0));
    assert!(said.contains("1 function, 46.2 % of all steps"), "{said}");
    window.double_click("flame make_request");
    let there = window.active().position.0;
    window.go_to("0");
    window.command("Next call of function make_request");
    window.check_position(there);
}

#[test]
fn what_is_worked_out_is_given_up_and_begun_again() {
    let mut window = demo();
    // The work is done before it can be stopped; then there is nothing to stop.
    window.perform(Action::View(ViewAction::StopFunctions));
    assert!(window.has("function main"));
    window.command("Functions of the whole trace");
    assert!(window.has("function main"));
}
