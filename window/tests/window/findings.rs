//! Violations of the format's rules in the trace, by rule.

use egui::Key;
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::PanelKind;

use crate::sandbox::SHORT;
use crate::support::Driver;

/// Two unreachable steps. The time of the second decreases.
const STRAY: &str = "\
1 clk IT (1) 00001000 d503201f O EL1h_n : NOP
2 clk IT (2) 00002000 d503201f O EL1h_n : NOP
1 clk IT (3) 00003000 d503201f O EL1h_n : NOP
";

fn open() -> Driver {
    let mut window = Driver::text(STRAY);
    window.close_messages();
    window.command("Show findings");
    assert!(window.panels().contains(&PanelKind::Findings));
    window
}

#[test]
fn findings_are_below_their_rules() {
    let mut window = open();
    let rule = "warning path ×2: a thread continues at an unexpected address";
    let row = window.painted(rule);
    assert!(row.contains("path") && row.contains("×2"), "{row}");
    window
        .harness()
        .get_by_label("warning time-backwards ×1: the time of a thread runs backwards");
    let row = window.painted(
        "path: step 1, line 2: cpu0 is at 0x2000, where the instruction at 0x1000 leads to 0x1004",
    );
    assert!(
        row.contains("step 1, line 2") && row.contains("cpu0 is at 0x2000"),
        "{row}"
    );
}

#[test]
fn a_click_and_enter_travel_to_the_place() {
    let mut window = open();
    window.click(
        "path: step 1, line 2: cpu0 is at 0x2000, where the instruction at 0x1000 leads to 0x1004",
    );
    window.check_position(2);
    window.press(Key::ArrowDown);
    window.press(Key::Enter);
    window.check_position(3);
    window.choose(
        "path: step 2, line 3: cpu0 is at 0x3000, where the instruction at 0x2000 leads to 0x2004",
        "Copy",
    );
    assert!(
        window
            .copied()
            .is_some_and(|text| text.starts_with("path: step 2, line 3: "))
    );
}

#[test]
fn a_rule_closes_and_opens_over_its_places() {
    let mut window = open();
    let rule = "warning path ×2: a thread continues at an unexpected address";
    let place =
        "path: step 1, line 2: cpu0 is at 0x2000, where the instruction at 0x1000 leads to 0x1004";
    window.click(rule);
    assert!(!window.has(place));
    window.press(Key::Enter);
    assert!(window.has(place));
    window.press(Key::ArrowLeft);
    assert!(!window.has(place));
    window.press(Key::ArrowRight);
    assert!(window.has(place));
}

#[test]
fn a_sound_trace_has_none() {
    let mut window = Driver::text(SHORT);
    window.command("Show findings");
    assert!(window.has("No findings"));
}
