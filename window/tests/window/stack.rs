//! The call stack.

use egui::{Key, Modifiers};
use stepback_debugger::action::{Action, PanelAction, PanelKind};

use crate::support::Driver;

/// Opens the demo with the stack in front, at a position.
fn at(position: &str) -> Driver {
    let mut window = Driver::demo();
    window.go_to(position);
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Stack)));
    window
}

#[test]
fn the_stack_at_the_end_is_there_without_a_further_key() {
    let mut window = Driver::demo();
    window.press(Key::End);
    assert!(window.has("frame 1 dispatch"));
    assert!(window.has("frame 2 main"));
    assert!(window.has("frame 3 _start"));
}

#[test]
fn a_click_goes_to_the_call_and_keeps_the_stack() {
    let mut window = at("20,345");
    window.click("frame 1 open_session");
    let call = window.active().position.0;
    assert!(
        window.has("frame 0 decode_field"),
        "the frames inside are gone"
    );
    window.click("frame 0 decode_field");
    assert!(window.active().position.0 > call);
    window.click("Return to it");
    window.check_position(20345);
    assert!(!window.has("Return to it"));
}

#[test]
fn the_stack_follows_a_position_that_moves_by_itself() {
    let mut window = at("20,345");
    window.click("frame 1 open_session");
    window.go_to("end");
    assert!(window.has("frame 1 dispatch"));
}

#[test]
fn a_double_click_goes_to_the_entry() {
    let mut window = at("20,345");
    window.click("frame 0 decode_field");
    let call = window.active().position.0;
    window.double_click("frame 0 decode_field");
    window.check_position(call + 1);
}

#[test]
fn frames_are_reached_with_keys() {
    let mut window = at("20,345");
    window.press_with(Modifiers::COMMAND, Key::Home);
    window.press(Key::Enter);
    let entry = window.active().position.0;
    window.press_with(Modifiers::SHIFT, Key::Enter);
    window.check_position(entry - 1);
    window.press_with(Modifiers::COMMAND, Key::End);
    window.press(Key::Enter);
    window.check_position(0);
}

#[test]
fn the_stack_is_copied_as_text() {
    let mut window = at("end");
    window.choose("frame 1 dispatch", "Copy stack");
    let copied = window.copied().unwrap();
    let lines: Vec<&str> = copied.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[1].starts_with("#1 dispatch(x0="), "{copied}");
    assert!(
        lines[1].contains("from step ") && lines[1].contains("main+"),
        "{copied}"
    );
    assert_eq!(lines[3], "#3 _start() the first frame of its thread");
}

#[test]
fn each_thread_has_a_stack() {
    let mut window = Driver::fixture("amp.head.tarmac");
    window.press(Key::End);
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Stack)));
    window.command("Panel shows thread cpu1");
    assert!(window.has("thread cpu1"));
    window.command("Panel shows thread cpu0");
    assert!(window.has("thread cpu0"));
    window.command("Panel shows thread cpu7");
    window.check_stated("the trace has no thread \"cpu7\"");
}

#[test]
fn narrow_columns_of_the_stack_are_whole_beside_wide_ones() {
    let mut window = at("20,345");
    window.command("Show stack memory");
    for head in ["Written by", "Meaning"] {
        let painted = window.painted(head);
        assert_eq!(painted, head);
    }
}
