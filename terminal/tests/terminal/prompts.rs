//! Prompts on the bottom line, and all commands by name.

use crate::support::Driver;

#[test]
fn words_and_all_of_it_are_deleted() {
    let mut it = Driver::overflow();
    it.press("l \"12 34\" C-w");
    assert_eq!(it.bottom(), "Go to line: 12");
    it.press("C-u");
    assert_eq!(it.bottom(), "Go to line:");
    it.press("\"2583\" Return");
    assert_eq!(it.position(), 1250);
}

#[test]
fn a_prompt_is_given_up() {
    for key in ["Escape", "C-g"] {
        let mut it = Driver::overflow();
        it.press("l \"2583\"").press(key).check("trace-start");
    }
}

#[test]
fn what_was_typed_before_is_had_back() {
    let mut it = Driver::overflow();
    it.press("l \"2583\" Return Home l Up Return");
    assert_eq!(it.position(), 1250);
}

#[test]
fn a_place_that_is_wrong_is_told_and_can_be_mended() {
    let mut it = Driver::overflow();
    it.press("C-g \"nowhere_at_all\" Return")
        .check("prompt-wrong");
    it.press("C-u \"1250\" Return");
    assert_eq!(it.position(), 1250);
}

#[test]
fn the_cursor_is_after_what_is_typed() {
    let mut it = Driver::overflow();
    it.press("l \"24\"");
    assert_eq!(it.cursor(), Some((14, 23)));
    it.press("Left");
    assert_eq!(it.cursor(), Some((13, 23)));
    it.press("Escape");
    assert_eq!(it.cursor(), None);
}

#[test]
fn every_command_is_had_by_its_name() {
    let mut it = Driver::overflow();
    it.press(": \"go to st\"").check("palette");
    it.press("End Escape : \"1250\" Return");
    assert_eq!(it.position(), 1250);
    // Commands of the window only are not listed.
    it.press(": \"theme dark\"");
    assert!(!it.screen().contains("Theme dark\n"), "{}", it.screen());
    it.press("Escape");
}

#[test]
fn a_search_is_walked_forwards_and_backwards() {
    let mut it = Driver::overflow();
    it.press("/ \"strb\" Return");
    let first = it.position();
    assert!(first > 0);
    let second = it.press("n").position();
    assert!(second > first);
    assert_eq!(it.press("N").position(), first);
    it.press("End ? \"strb\" Return");
    let last = it.position();
    assert!(last > second && last < 1763, "{last}");
    it.press("/ \"no_such_word\" Return");
    assert!(it.bottom().contains("no_such_word"), "{}", it.bottom());
}

#[test]
fn bookmarks_are_set_walked_and_had_back() {
    let mut it = Driver::overflow();
    it.press("l \"2583\" Return b Home");
    assert_eq!(it.desk().bookmarks.list().len(), 1);
    it.press(": \"next bookmark\" Return");
    assert_eq!(it.position(), 1250);
    it.press("C-z");
}

#[test]
fn what_a_step_did_is_copied_and_bookmarks_are_taken_back() {
    let mut it = Driver::overflow();
    it.press("l \"2583\" Return y");
    assert_eq!(
        it.browser.copied(),
        Some("strb   w0, [x19, #1]   [80020010] ← a9")
    );
    let sequences = it.browser.take_sequences();
    assert!(
        sequences
            .iter()
            .any(|sequence| sequence.starts_with("\x1b]52;c;")),
        "{sequences:?}"
    );
    it.press("a y");
    assert_eq!(it.browser.copied(), Some("[80020010] ← a9"));
    it.press("b u");
    assert_eq!(it.desk().bookmarks.list().len(), 0);
    it.press("U");
    assert_eq!(it.desk().bookmarks.list().len(), 1);
}

#[test]
fn a_regular_expression_is_looked_for() {
    let mut it = Driver::overflow();
    it.press("/ \"/STRB.*x19,#2/\" Return");
    assert!(
        it.position() > 0 && it.bottom().starts_with("Step"),
        "{}",
        it.bottom()
    );
}

#[test]
fn the_palette_names_keys_as_they_are_typed_here() {
    let mut it = Driver::overflow();
    it.press(": \"undo\"");
    let undo = it.line(1);
    // Ctrl-Z stops the program, and terminals send Ctrl-Shift-O as Ctrl-O.
    assert!(undo.contains("Undo") && !undo.contains("Ctrl"), "{undo}");
    it.press("C-u \"open directory\"");
    assert!(
        it.line(1).contains("Open directory") && !it.line(1).contains("Ctrl"),
        "{}",
        it.line(1)
    );
    it.press("C-u \"find next\"");
    assert!(it.line(1).trim_end().ends_with("F3"), "{}", it.line(1));
}

#[test]
fn what_is_told_can_be_read_to_its_end() {
    let mut it = Driver::overflow();
    it.press("p \"nowhere_at_all\" Return");
    let screen = it.screen();
    assert!(
        screen.contains("not an address of code: no register") && screen.contains("main.c:12"),
        "{screen}"
    );
    it.press("Down");
    assert!(
        !it.screen().contains("not an address of code"),
        "{}",
        it.screen()
    );
}
