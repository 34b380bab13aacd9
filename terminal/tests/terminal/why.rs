//! Backward slices in the terminal.

use crate::support::Driver;

#[test]
fn a_value_is_asked_about_read_and_travelled_along() {
    let mut it = Driver::overflow();
    it.resize(110, 40);
    it.press(": \"Go to end\" Return : \"Why x2\" Return")
        .check("why");
    it.press("Down Down Down Return");
    assert_eq!(it.position(), 1383);
    it.press("v").check("why-tree");
    it.press("v v F1").check("why-help");
    it.press("Escape H").check("why-only");
}

#[test]
fn w_asks_about_what_is_under_the_cursor() {
    let mut it = Driver::overflow();
    it.resize(110, 40);
    it.press("l \"2583\" Return W");
    assert!(it.screen().contains("Why "), "{}", it.screen());
    it.press("Down W");
    assert!(it.screen().contains("Why "), "{}", it.screen());
}
