//! Prompts on the bottom line, and all commands by name.

use std::path::Path;

use stepback_debugger::messages::Language;

use crate::support::{Driver, look};

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
        it.position() > 0 && it.bottom().starts_with("After step"),
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
        screen.contains("Not an address of code: no register") && screen.contains("main.c:12"),
        "{screen}"
    );
    it.press("Down");
    assert!(
        !it.screen().contains("Not an address of code"),
        "{}",
        it.screen()
    );
}

#[test]
fn a_wrong_address_opens_nothing_and_can_be_mended() {
    let mut it = Driver::overflow();
    let screen = it.press("Down").screen();
    for (wrong, reason) in [
        ("nosuch", "no register or symbol is named \"nosuch\""),
        ("main+", "expected a number"),
    ] {
        it.press("m").press(&format!("\"{wrong}\" Return"));
        assert!(it.bottom().ends_with(wrong), "{}", it.screen());
        assert!(it.line(22).contains(reason), "{}", it.screen());
        assert_eq!(it.press("Escape").screen(), screen);
    }
    it.press(": \"show memory nosuch\" Return");
    assert!(it.line(22).contains("\"nosuch\""), "{}", it.screen());
    assert_eq!(it.press("Escape").screen(), screen);
    it.press("m \"nosuch\" Return C-u \"main+8\" Return");
    assert!(it.screen().contains("Memory  main+8"), "{}", it.screen());
    // Another address in the pane is evaluated first, too.
    it.press("S-Tab g \"nosuch\" Return Escape");
    assert!(it.screen().contains("Memory  main+8"), "{}", it.screen());
}

#[test]
fn a_line_that_does_not_exist_is_asked_for_again() {
    let mut it = Driver::overflow();
    it.press("l \"99999999\" Return");
    assert_eq!(it.bottom(), "Go to line: 99999999");
    it.press("C-u \"2583\" Return");
    assert_eq!(it.position(), 1250);
}

#[test]
fn lines_are_not_asked_for_in_a_format_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hello.btf");
    let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/btrace"));
    std::fs::copy(fixtures.join("hello.btf"), &path).unwrap();
    let mut it = Driver::with(&path, Some("fixtures/btrace/hello.elf"), look());
    it.press("l");
    let refusal = "Lines are not available for this format";
    assert!(it.bottom().starts_with(refusal), "{}", it.screen());
    it.press("C-g \"line:5\" Return");
    let refusal = "Raw text is not available for this format";
    assert!(it.screen().contains(refusal), "{}", it.screen());
    it.press("Escape R");
    assert!(it.screen().contains(refusal), "{}", it.screen());
}

#[test]
fn a_label_is_cut_only_for_what_is_typed() {
    let mut it = Driver::overflow();
    it.press("C-g");
    let label = "Go to (step, line:7, 50%, name):";
    assert_eq!(it.bottom(), label);
    it.resize(40, 24);
    assert_eq!(it.bottom(), label);
    it.press("\"123456\"");
    assert_eq!(it.bottom(), format!("{label} 123456"));
    it.press("\"789\"");
    assert!(it.bottom().ends_with("123456789"), "{}", it.bottom());
}

#[test]
fn a_label_in_french_has_its_space_before_the_colon() {
    Language::French.speak();
    let mut it = Driver::overflow();
    it.press("l");
    assert_eq!(it.bottom(), "Aller à la ligne\u{a0}:");
    Language::English.speak();
}

#[test]
fn what_only_the_window_has_is_found_and_runs_nothing_else() {
    let mut it = Driver::overflow();
    for (name, command) in [
        ("flame", "Show flame graph"),
        ("waveform", "Waveform"),
        ("save sel", "Save selection as a trace"),
        ("bookmark sel", "Bookmark selection"),
        ("timeline calls", "Timeline calls"),
        ("layout debug", "Layout debug"),
        ("theme dark", "Theme dark"),
        ("settings", "Settings"),
    ] {
        it.press(&format!(": \"{name}\""));
        let row = it.line(1);
        assert!(
            row.contains(command) && row.ends_with("in the window"),
            "{}",
            it.screen()
        );
        it.press("Return");
        assert_eq!(
            it.bottom(),
            "This is available in the window only",
            "{name}"
        );
        assert_eq!(it.desk().bookmarks.list().len(), 0);
        assert_eq!(it.position(), 0);
    }
}

#[test]
fn prompts_name_registers_of_the_trace() {
    let mut it = Driver::overflow();
    it.resize(140, 24).press(": \"next where\" Return");
    assert!(
        it.bottom().contains("Condition: x0 == 0"),
        "{}",
        it.bottom()
    );
}
