//! Unreadable lines.

use egui::Key;
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::PanelKind;

use crate::sandbox::SHORT;
use crate::support::Driver;

/// Returns the short trace with a broken line after its first, and another one further down.
pub fn damaged() -> String {
    let mut lines: Vec<&str> = SHORT.lines().collect();
    lines.insert(4, "2 clk R X2 zzzz");
    lines.insert(2, "1 clk IT (0) 0000zz04 d2800042 O");
    lines.join("\n") + "\n"
}

#[test]
fn the_status_bar_counts_them_and_the_panel_lists_their_places() {
    let mut window = Driver::text(damaged());
    window.click("2 warnings");
    assert!(window.panels().contains(&PanelKind::Warnings));
    window.harness().get_by_label("warning at line 3");
    let row = window.painted("warning at line 6");
    assert!(row.contains("line 6") && row.contains("byte"), "{row}");
}

#[test]
fn a_message_tells_of_them_and_leads_to_the_list() {
    let mut window = Driver::text(damaged());
    assert_eq!(window.messages(), ["2 lines could not be read"]);
    window.click("Show list");
    window.harness().get_by_label("warning at line 3");
    assert!(window.messages().is_empty());
}

#[test]
fn a_click_travels_to_the_line_and_the_menu_copies_it() {
    let mut window = Driver::text(damaged());
    window.close_messages();
    window.click("2 warnings");
    window.click("warning at line 6");
    window.check_position(2);
    window.choose("warning at line 3", "Copy");
    assert!(
        window
            .copied()
            .is_some_and(|text| text.starts_with("line 3, byte "))
    );
    window.press_with(egui::Modifiers::COMMAND, Key::Home);
    window.press(Key::Enter);
    window.check_position(1);
}

#[test]
fn a_damaged_line_costs_that_line_alone() {
    let mut window = Driver::text(damaged());
    assert_eq!(window.desk().session.index.step_count(), 12);
    window.go_to("end");
    assert_eq!(window.register("x2"), "0000000000000003");
}

#[test]
fn a_trace_without_warnings_says_so() {
    let mut window = Driver::text(SHORT);
    window.command("Show warnings");
    window.harness().get_by_label("No warnings");
    assert!(!window.has("0 warnings"));
}
