//! Every key that the documentation of `tarmac-browser` lists for its register and memory panes.

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
    // The pane keeps the keyboard focus, as the documentation says.
    assert!(it.bottom().starts_with("x2 "), "{}", it.bottom());
    it.press("Return").check("registers-last-write");
    assert!(it.position() < 1762);
}

#[test]
fn panes_get_rows_and_lose_them() {
    let mut it = Driver::overflow();
    // The first key closes the hint at the bottom.
    it.press("Home");
    let bar = it.row_with("─ Registers");
    it.press("Tab < <");
    assert_eq!(it.row_with("─ Registers"), bar + 2);
    it.press("> > >");
    assert_eq!(it.row_with("─ Registers"), bar - 1);
    // The list of steps takes the remaining space.
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
    it.press("l \"2583\" Return Tab a")
        .check("registers-symbol");
    it.press("a");
}

#[test]
fn groups_of_registers_open_and_close() {
    let mut it = Driver::overflow();
    for (key, name) in [
        ("S", "single"),
        ("D", "double"),
        ("V", "vector"),
        ("Y", "system"),
    ] {
        it.press("r")
            .press(key)
            .check(&format!("registers-{name}"))
            .press(key)
            .press("r");
    }
    // The registers of MVE are those of NEON: M opens their pane, and V closes it again.
    it.press("r M")
        .check("registers-vector")
        .press("V r")
        .check("trace-start");
}

#[test]
fn the_next_write_is_gone_to_as_well() {
    let mut it = Driver::overflow();
    it.press("l \"2583\" Return Tab Down Down o");
    let next = it.position();
    assert!(next > 1250, "{next}:\n{}", it.screen());
    // This is the position before which the last write is unchanged.
    it.press("Return");
    assert_eq!(it.position(), 1232);
    // Step 1,248 wrote x0, which step 1,250 writes again.
    it.press("S-Tab l \"2583\" Return Up a o");
    assert_eq!(it.position(), 1251);
    it.resize(100, 34)
        .press("Home m \"0x80020010\" Return Tab Tab o");
    assert!(it.bottom().contains("80020010"), "{}", it.bottom());
    assert!(it.position() > 0);
}

#[test]
fn memory_is_opened_at_an_address_and_the_cursor_goes_around_it() {
    let mut it = Driver::overflow();
    it.resize(100, 34)
        .press("l \"2583\" Return m")
        .check("prompt-memory");
    // The list of steps keeps the keyboard focus.
    it.press("\"x19\" Return").check("memory");
    assert_eq!(it.press("Down").position(), 1251);
    it.press("Up Tab Tab Right Right Down")
        .check("memory-cursor");
    it.press("Left Up PgDn PgUp Home End");
    it.press("m \"no such thing\" Return");
    assert!(it.screen().contains("no such thing"), "{}", it.screen());
}

#[test]
fn numbers_go_to_the_last_write_of_aligned_bytes() {
    for (key, position) in [
        ("Return", 1380),
        ("1", 1380),
        ("2", 1383),
        ("4", 1383),
        ("8", 1383),
    ] {
        let mut it = Driver::overflow();
        it.resize(100, 34)
            .press("End m \"0x80020016\" Return Tab Tab")
            .press(key);
        assert_eq!(it.position(), position, "{key}:\n{}", it.screen());
    }
}

#[test]
fn changed_bytes_are_found_and_compared_with_a_line() {
    let mut it = Driver::overflow();
    it.resize(100, 34)
        .press("l \"2549\" Return r m \"x19\" Return");
    // A folded call is one step: its changes are found far away.
    it.press("- Up Down Tab [");
    it.press("]");
    it.press("d").check("prompt-compare-line");
    it.press("\"1602\" Return").check("memory-compared");
    it.press("]");
    let first = it.bottom();
    it.press("]");
    assert_ne!(it.bottom(), first);
    it.press("[");
    assert_eq!(it.bottom(), first);
}

#[test]
fn a_pane_of_memory_is_locked_and_shows_another_address() {
    let mut it = Driver::overflow();
    it.resize(100, 34)
        .press("l \"2583\" Return r m \"0x80020000\" Return Tab C-l")
        .check("memory-locked");
    it.press("l \"100\" Return t \"1300\" Return C-l");
    it.press("g").check("prompt-address");
    it.press("C-u \"sp\" Return");
    assert!(it.screen().contains("8ffff5e0"), "{}", it.screen());
    let bar = it.row_with("─ Memory");
    it.press("<");
    assert_eq!(it.row_with("─ Memory"), bar + 1);
    it.press(">");
    assert_eq!(it.row_with("─ Memory"), bar);
}
