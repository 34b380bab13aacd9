//! Screens of every size, held keys, hostile text, the mouse.

use ratatui::crossterm::event::{MouseButton, MouseEventKind};
use stepback_terminal::{CharacterSet, ColorDepth, TerminalStyle};

use crate::support::Driver;

#[test]
fn a_thousand_held_keys_are_a_thousand_steps() {
    let mut it = Driver::overflow();
    it.hold("Down", 1000);
    assert_eq!(it.position(), 1000);
    it.hold("Up", 400);
    assert_eq!(it.position(), 600);
}

#[test]
fn every_size_of_screen_is_drawn() {
    let mut it = Driver::overflow();
    it.press("m \"sp\" Return l \"2583\" Return");
    for (columns, rows) in [
        (1, 1),
        (5, 2),
        (20, 5),
        (20, 3),
        (80, 24),
        (149, 30),
        (150, 30),
        (200, 60),
        (400, 9),
    ] {
        it.resize(columns, rows);
    }
    it.resize(200, 50)
        .check("wide")
        .resize(40, 12)
        .check("small");
}

#[test]
fn what_a_terminal_would_obey_never_reaches_it() {
    let trace = "1 clk IT (1) 00008000 e1a00000 A svc : NOP \x1b[2J\u{202e}\u{7}\u{9b}31m 語\n";
    let it = Driver::text(trace.as_bytes());
    assert!(
        !it.screen()
            .contains(['\x1b', '\u{202e}', '\u{7}', '\u{9b}']),
        "{:?}",
        it.screen()
    );
    assert!(it.screen().contains(r"\x1b[2J"), "{}", it.screen());
}

#[test]
fn ascii_alone_is_enough() {
    let look = TerminalStyle {
        colors: ColorDepth::None,
        signs: CharacterSet::Ascii,
    };
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .join("fixtures/overflow_bare.tiny.tarmac");
    let mut it = Driver::with(&path, None, look);
    it.press("l \"2583\" Return").check("ascii");
    assert!(it.screen().is_ascii(), "{}", it.screen());
    it.press("F1");
    assert!(it.screen().is_ascii(), "{}", it.screen());
}

#[test]
fn a_click_travels_and_the_wheel_scrolls_alone() {
    let mut it = Driver::overflow();
    it.press("l \"2583\" Return");
    let row = it.row_with(" 1,247 ");
    it.click(30, row);
    assert_eq!(it.position(), 1248);
    let before = it.screen();
    it.mouse(MouseEventKind::ScrollDown, 10, 5);
    assert_eq!(it.position(), 1248);
    assert_ne!(it.screen(), before);
}

#[test]
fn the_bar_of_a_pane_is_dragged() {
    let mut it = Driver::overflow();
    let bar = it.row_with("─ Registers");
    it.mouse(MouseEventKind::Down(MouseButton::Left), 30, bar);
    it.mouse(MouseEventKind::Drag(MouseButton::Left), 30, bar - 2);
    assert_eq!(it.row_with("─ Registers"), bar - 2);
    it.mouse(MouseEventKind::Up(MouseButton::Left), 30, bar - 2);
}

#[test]
fn whoever_begins_is_told_of_the_help_until_the_first_key() {
    let mut it = Driver::overflow();
    // The hint has rows of its own, which no pane needs.
    let status = "Before step 0 · position 0  Line";
    assert!(it.bottom().starts_with(status), "{}", it.bottom());
    assert!(it.line(22).contains("F1: keys"), "{}", it.line(22));
    assert!(it.screen().contains("x11 "), "{}", it.screen());
    it.resize(200, 24);
    let status = "Before step 0 · position 0 of 1,763  Line";
    assert!(it.bottom().starts_with(status), "{}", it.bottom());
    assert!(it.line(22).contains("F1: keys"), "{}", it.line(22));
    it.press("Down");
    assert!(!it.screen().contains("F1"), "{}", it.screen());
    assert!(
        it.bottom()
            .starts_with("After step 0 · position 1 of 1,763")
    );
}

#[test]
fn a_long_message_leaves_the_position_visible() {
    let mut it = Driver::overflow();
    it.resize(60, 24).press("F4");
    assert!(
        it.line(21).starts_with("This key does nothing here"),
        "{}",
        it.screen()
    );
    assert!(it.bottom().starts_with("Before step 0"), "{}", it.bottom());
    it.resize(120, 24).press("F4");
    assert!(
        it.bottom().starts_with("This key does nothing here"),
        "{}",
        it.bottom()
    );
}
