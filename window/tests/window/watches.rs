//! Watches, and moves to the point where a condition becomes true.

use egui::{Key, Modifiers};
use stepback_debugger::action::{Action, PanelAction, PanelKind};

use crate::support::Driver;

fn watch(window: &Driver, expression: &str) -> String {
    window.only_label_like(&format!("watch {expression} = "))
}

#[test]
fn what_is_watched_shows_its_value_and_leads_to_its_writes() {
    let mut window = Driver::demo();
    window.go_to("1250");
    window.command("Watch x19");
    assert!(window.panels().contains(&PanelKind::Watches));
    assert_eq!(watch(&window, "x19"), "watch x19 = 80020012");
    window.go_to("1241");
    assert_eq!(watch(&window, "x19"), "watch x19 = 80020011");
    window.press_with(Modifiers::ALT, Key::W);
    window.press(Key::ArrowRight);
    window.check_position(1248);
    window.press(Key::ArrowLeft);
    window.check_position(1241);
    window.press_with(Modifiers::SHIFT, Key::Enter);
    window.check_position(1248);
    window.double_click("watch x19 = 80020012");
    // The previous step wrote it, so the change before that is used.
    window.check_position(1241);
}

#[test]
fn watches_are_typed_changed_moved_and_removed_and_undone() {
    let mut window = Driver::demo();
    window.go_to("1250");
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Watches)));
    assert!(window.has("No watches"));
    window.click("Watch x0, [sp+8] u32, name utf8");
    window.enter("x19 - x22 u64");
    window.click("Watch x0, [sp+8] u32, name utf8");
    window.enter("u8[x19 - 1]");
    assert_eq!(watch(&window, "x19 - x22"), "watch x19 - x22 = 18");
    assert_eq!(watch(&window, "u8[x19 - 1]"), "watch u8[x19 - 1] = 78");
    let top = |window: &Driver, part: &str| window.rect(&watch(window, part)).top();
    window.choose("watch u8[x19 - 1] = 78", "Move up");
    assert!(top(&window, "u8[x19 - 1]") < top(&window, "x19 - x22"));
    window.choose("watch u8[x19 - 1] = 78", "Remove watch");
    assert_eq!(window.count_like("watch u8"), 0);
    window.press_with(Modifiers::COMMAND, Key::Z);
    assert_eq!(window.count_like("watch u8"), 1);
}

#[test]
fn what_is_unknown_is_shown_as_unknown_with_its_reason() {
    let mut window = Driver::demo();
    window.command("Watch [0xdead0000] u32");
    assert_eq!(
        watch(&window, "[0xdead0000]"),
        "watch [0xdead0000] = unknown"
    );
    assert!(
        window
            .painted("watch [0xdead0000] = unknown")
            .contains("never written")
    );
    window.command("Watch x0 +");
    assert!(
        window
            .painted("watch x0 + = unknown")
            .contains("not an expression")
    );
}

#[test]
fn cells_are_watched_from_menus_and_by_key() {
    let mut window = Driver::demo();
    window.go_to("1250");
    window.choose("register x19", "Watch x19");
    assert_eq!(watch(&window, "x19"), "watch x19 = 80020012");
    window.choose_first("step 1247", "Watch [80020011]");
    assert_eq!(
        watch(&window, "u8[0x80020011]"),
        "watch u8[0x80020011] = 78"
    );
    window.click("register x20");
    window.press(Key::O);
    assert_eq!(watch(&window, "x20"), "watch x20 = 84020012");
}

#[test]
fn a_condition_is_asked_once_and_repeated_by_key() {
    let mut window = Driver::demo();
    window.command("Next where x19 == 0x80020012");
    window.check_position(1248);
    window.press(Key::F8);
    let second = window.active().position.0;
    assert!(second != 1248 || !window.messages().is_empty());
    window.close_messages();
    window.go_to("1300");
    window.press_with(Modifiers::SHIFT, Key::F8);
    window.check_position(1248);
    window.command("Next where pc == 0x80000408 && x19 == 0x80020012");
    window.check_position(1248);
    window.command("Next where no_such_register == 1");
    assert!(
        window
            .messages()
            .iter()
            .any(|stated| stated.contains("no_such_register")),
        "{:?}",
        window.messages()
    );
}

#[test]
fn stepping_goes_by_lines_and_by_executions() {
    let mut window = Driver::demo();
    window.go_to("1250");
    window.press(Key::X);
    let next = window.active().position.0;
    assert!(next > 1250);
    window.press_with(Modifiers::SHIFT, Key::X);
    window.check_position(1250);
    window.press(Key::F9);
    // overflow.c:34, then 35.
    window.check_position(1252);
    window.press_with(Modifiers::SHIFT, Key::F9);
    window.check_position(1250);
}
