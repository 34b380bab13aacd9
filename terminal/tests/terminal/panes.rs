//! Panes besides those of steps, registers and memory, and two positions side by side.

use ratatui::crossterm::event::MouseEventKind;

use crate::support::Driver;

/// Opens a pane by its command, at the call that overwrites the table.
fn shown(command: &str) -> Driver {
    let mut it = Driver::overflow();
    it.resize(100, 32)
        .press("l \"2583\" Return r :")
        .press(&format!("\"{command}\" Return"));
    it
}

#[test]
fn the_source_follows_the_position() {
    let mut it = shown("show source");
    it.check("source");
    // The pane has the keyboard focus. The position moves to the next execution of the line.
    let before = it.position();
    it.press("Return");
    assert!(it.position() > before, "{}", it.position());
    it.press("o");
    assert_eq!(it.position(), before);
    it.press("& \"hexval\" Return").check("source-filtered");
    it.press("y");
    assert!(
        it.browser
            .copied()
            .is_some_and(|copied| copied.contains("overflow.c:")),
        "{:?}",
        it.browser.copied()
    );
}

#[test]
fn calls_and_the_stack_are_gone_through() {
    shown("show calls").check("calls");
    let mut it = shown("show stack");
    it.check("stack");
    let before = it.position();
    it.press("Down Return");
    assert!(it.position() < before, "{}", it.position());
    it.check("stack-frame").press("(");
    assert_eq!(it.position(), before);
}

#[test]
fn threads_functions_findings_and_warnings_are_listed() {
    for (command, name) in [
        ("threads", "threads"),
        ("functions", "functions"),
        ("findings", "findings"),
        ("warnings", "warnings"),
    ] {
        shown(&format!("show {command}")).check(name);
    }
    shown("show external").check("externals");
}

#[test]
fn memory_is_told_of_as_a_whole() {
    for (command, name) in [
        ("regions", "regions"),
        ("stack memory", "stack-memory"),
        ("heat", "heat"),
    ] {
        shown(&format!("show {command}")).check(name);
    }
    shown("accesses").check("accesses-of-nothing");
    let mut it = shown("show stack");
    it.press(": \"all executions 0x80000494\" Return")
        .check("executions");
}

#[test]
fn two_positions_are_side_by_side_and_are_compared() {
    let mut it = Driver::overflow();
    it.resize(160, 40)
        .press("l \"2549\" Return r : \"side by side\" Return")
        .check("beside-opened");
    it.press("l \"2583\" Return").check("beside");
    // The first list keeps its position.
    it.press("S-Tab");
    assert_eq!(it.position(), 1232);
    it.press(": \"compare\" Return").check("compared");
    it.resize(80, 24).check("compared-small");
    it.press("C-w");
    assert!(!it.screen().contains("Comparison"), "{}", it.screen());
}

#[test]
fn a_part_of_the_trace_is_left_at_two_moments_by_locked_panes() {
    let mut it = Driver::overflow();
    it.resize(100, 40)
        .press("l \"2583\" Return S : \"new registers\" Return");
    it.check("registers-twice");
}

#[test]
fn bookmarks_and_watches_have_lists() {
    let mut it = Driver::overflow();
    it.resize(100, 32)
        .press("l \"2583\" Return b r : \"show bookmarks\" Return")
        .check("bookmarks");
    it.press("Delete").check("bookmarks-none").press("C-w r");
    it.press(": \"watch [x19] u16\" Return : \"watch x0\" Return")
        .check("watches");
}

#[test]
fn hits_are_listed_while_there_is_room() {
    let mut it = Driver::overflow();
    it.resize(100, 40).press("/ \"strb\" Return").check("hits");
    it.press("n n").check("hits-walked");
    it.press("Tab Tab & \"x19\" Return").check("hits-filtered");
    it.press("Down Return");
    let there = it.position();
    it.press("C-w");
    assert_eq!(it.position(), there);
}

#[test]
fn one_pane_takes_the_screen_and_gives_it_back() {
    let mut it = Driver::overflow();
    it.press("Tab z").check("zoomed");
    it.press("Escape").press("S-Tab").check("trace-start");
}

#[test]
fn the_mouse_reaches_every_kind_of_pane() {
    let mut it = shown("show calls");
    let row = it.row_with("decode_field");
    it.mouse(MouseEventKind::ScrollDown, 5, row)
        .click(5, row + 1);
    it.click(5, 3);
    assert!(it.position() > 0);
}
