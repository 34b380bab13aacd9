//! Bookmarks: set by key, menu and command, listed, renamed in place, deleted, undone and redone.

use egui::{Key, Modifiers};
use stepback_debugger::action::StepRange;
use stepback_debugger::action::{Action, PanelKind, ViewAction};
use stepback_debugger::notes::{Bookmark, BookmarkColor};
use stepback_parsers::Position;

use crate::sandbox::SHORT;
use crate::support::Driver;

const SHIFT: Modifiers = Modifiers::SHIFT;

fn titles(window: &Driver) -> Vec<String> {
    window
        .desk()
        .bookmarks
        .list()
        .iter()
        .map(Bookmark::title)
        .collect()
}

#[test]
fn b_marks_the_position_and_takes_the_mark_away_again() {
    let mut window = Driver::text(SHORT);
    window.go_to("5");
    window.press(Key::B);
    window.go_to("7");
    window.command("Bookmark the loop");
    window.command("Note what it does there");
    assert_eq!(titles(&window), ["5", "the loop"]);
    assert_eq!(window.desk().bookmarks.list()[1].note, "what it does there");
    window.press_with(Modifiers::ALT, Key::ArrowUp);
    window.check_position(5);
    window.press(Key::B);
    assert_eq!(titles(&window), ["the loop"]);
    window.press_with(Modifiers::ALT, Key::ArrowDown);
    window.check_position(7);
    window.press_with(Modifiers::ALT, Key::ArrowDown);
    window.check_stated("no later bookmark");
    window.go_to("5");
    assert_eq!(window.messages(), [""; 0], "it is no longer true");
}

#[test]
fn the_panel_lists_renames_and_deletes_and_undo_brings_back() {
    let mut window = Driver::text(SHORT);
    window.command("Show bookmarks");
    assert!(window.has("No bookmarks"));
    for (at, name) in [("9", "late"), ("2", "early")] {
        window.go_to(at);
        window.command(&format!("Bookmark {name}"));
    }
    window.command("Bookmark memory 1004:4 some code");
    window.command("Show bookmarks");
    assert_eq!(titles(&window), ["early", "late", "some code"]);
    // The bookmark has the name just given to its address.
    assert!(
        window.painted("bookmark early").contains("some code"),
        "{}",
        window.painted("bookmark early")
    );
    window.click("bookmark late");
    window.check_position(9);
    window.press(Key::F2);
    assert!(window.is_typing());
    window.press_with(Modifiers::COMMAND, Key::A);
    window.enter("later");
    assert_eq!(titles(&window), ["early", "later", "some code"]);
    window.double_click("bookmark early");
    window.type_text("er");
    window.press(Key::Escape);
    assert_eq!(titles(&window), ["early", "later", "some code"]);
    window.press(Key::Delete);
    window.check_stated("bookmark deleted");
    assert_eq!(titles(&window).len(), 2);
    window.press_with(Modifiers::COMMAND, Key::Z);
    assert_eq!(titles(&window), ["early", "later", "some code"]);
    window.press_with(Modifiers::COMMAND, Key::Y);
    assert_eq!(titles(&window).len(), 2);
}

#[test]
fn the_filter_looks_at_names_and_notes() {
    let mut window = Driver::text(SHORT);
    for (at, name) in [("1", "one"), ("2", "two"), ("3", "three")] {
        window.go_to(at);
        window.command(&format!("Bookmark {name}"));
    }
    window.command("Show bookmarks");
    window.click("Filter");
    window.type_text("T");
    assert!(
        !window.has("bookmark one") && window.has("bookmark two") && window.has("bookmark three")
    );
}

#[test]
fn what_is_selected_in_the_timeline_is_marked_as_a_part() {
    let mut window = Driver::text(SHORT);
    window.press_with(SHIFT, Key::B);
    window.check_stated("no selection in the timeline");
    window.perform(Action::View(ViewAction::SelectRange(Some(StepRange {
        first: Position(3),
        last: Position(8),
    }))));
    window.press_with(SHIFT, Key::B);
    assert_eq!(titles(&window), ["3 – 8"]);
    window.choose("step 5", "Bookmark");
    window.choose("step 5", "Make it red");
    let colors: Vec<BookmarkColor> = window
        .desk()
        .bookmarks
        .list()
        .iter()
        .map(|mark| mark.color)
        .collect();
    assert_eq!(colors, [BookmarkColor::Yellow, BookmarkColor::Red]);
    window.choose("step 5", "Rename bookmark…");
    assert!(window.panels().contains(&PanelKind::Bookmarks) && window.is_typing());
    window.enter("inside");
    assert_eq!(titles(&window), ["3 – 8", "inside"]);
}

#[test]
fn a_place_is_copied_as_the_command_that_opens_it() {
    let mut window = Driver::text(SHORT);
    window.choose("step 5", "Copy command that opens it");
    let copied = window.copied().expect("a command");
    assert!(
        copied.starts_with("stepback ") && copied.ends_with("a.tarmac@6"),
        "{copied}"
    );
}

#[test]
fn names_of_addresses_show_wherever_symbols_do_and_are_gone_by_undo() {
    let mut window = Driver::text(SHORT);
    window.choose("step 3", "Bookmark its address…");
    assert!(window.is_typing());
    window.enter("helper");
    assert_eq!(titles(&window), ["helper"]);
    window.go_to("helper");
    window.check_position(3);
    assert!(
        window.painted("step 2").contains("helper"),
        "{}",
        window.painted("step 2")
    );
    window.command("Show calls");
    assert!(window.count_like("helper") > 0);
    // Undoes the name, the panel that it opened, and the mark.
    for _ in 0..3 {
        window.press_with(Modifiers::COMMAND, Key::Z);
    }
    assert!(titles(&window).is_empty());
    assert!(!window.painted("step 2").contains("helper"));
    // Bookmarks kept from an earlier run name addresses from the start.
    window.command("Bookmark memory 1100:1 again");
    window.command("Reload");
    window.go_to("again");
    window.check_position(3);
}

#[test]
fn in_the_smallest_window_no_button_lies_under_a_field() {
    use egui::accesskit::Role;
    use egui_kittest::kittest::Queryable as _;
    let sandbox = crate::sandbox::Sandbox::new();
    let trace = sandbox.file("a.tarmac", SHORT);
    let options = stepback_window::WindowOptions {
        trace: Some(stepback_debugger::desk::TraceChoice::of(
            stepback_debugger::session::OpenOptions::new(trace),
        )),
        ..Default::default()
    };
    let mut window = sandbox.window_of([800.0, 500.0], options);
    window.wait();
    let harness = window.harness();
    let right = harness
        .get_by_role_and_label(Role::Button, "Compare")
        .rect()
        .right();
    let left = harness
        .get_by_role_and_label(Role::TextInput, "Go to")
        .rect()
        .left();
    assert!(right <= left, "{right} > {left}");
}
