//! Every key that the documentation of `tarmac-browser` has for its register and memory panes.

use crate::support::Driver;

#[test]
fn the_cursor_goes_around_the_registers() {
    let mut it = Driver::overflow();
    it.press("l \"2583\" Return Tab").check("registers");
    it.press("Down Down Right").check("registers-cursor");
    it.press("Up Left");
    assert!(it.bottom().starts_with("x1 "), "{}", it.bottom());
}

#[test]
fn return_goes_to_the_last_write_of_a_register() {
    let mut it = Driver::overflow();
    it.press("End Tab Down Down Return");
    assert_eq!(it.position(), 1762);
    // The keyboard stays in the pane, as the documentation says.
    assert!(it.bottom().starts_with("x2 "), "{}", it.bottom());
    it.press("Return").check("registers-last-write");
    assert!(it.position() < 1762);
}

#[test]
fn panes_get_rows_and_lose_them() {
    let mut it = Driver::overflow();
    let bar = it.row_with("─ Registers");
    it.press("Tab < <");
    assert_eq!(it.row_with("─ Registers"), bar + 2);
    it.press("> > >");
    assert_eq!(it.row_with("─ Registers"), bar - 1);
    // The list of steps takes what is left.
    it.press("Tab r");
    assert!(!it.screen().contains("─ Registers"), "{}", it.screen());
}

#[test]
fn a_pane_is_locked_to_a_line_or_a_time() {
    let mut it = Driver::overflow();
    it.press("Tab l").check("prompt-lock-line");
    it.press("\"2583\" Return").check("registers-locked");
    let locked = |it: &Driver| it.line(usize::from(it.row_with("─ Registers")) + 1);
    let before = locked(&it);
    it.press("S-Tab End");
    assert_eq!(locked(&it), before, "it does not follow");
    it.press("Tab C-l");
    assert_ne!(locked(&it), before, "it follows again");
    it.press("t \"100\" Return");
    let at_100 = locked(&it);
    it.press("S-Tab Home");
    assert_eq!(locked(&it), at_100);
    it.press("Tab C-l C-l");
    let here = locked(&it);
    it.press("S-Tab End");
    assert_eq!(locked(&it), here, "locked to what it showed");
}

#[test]
fn the_status_line_tells_what_a_register_points_to() {
    let mut it = Driver::overflow();
    it.press("l \"2583\" Return Tab a").check("registers-symbol");
    it.press("a");
}

#[test]
fn groups_of_registers_open_and_close() {
    let mut it = Driver::overflow();
    for (key, name) in [("S", "single"), ("D", "double"), ("V", "vector"), ("Y", "system")] {
        it.press("r").press(key).check(&format!("registers-{name}")).press(key).press("r");
    }
}
