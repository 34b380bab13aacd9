//! State kept between runs.

use std::collections::BTreeMap;
use std::path::Path;

use eframe::{App as _, Storage};
use egui::{Key, Modifiers};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Action, AppAction, Follow, PanelAction, PanelKind, ThemeChoice, TravelAction, ViewAction,
};
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::session::OpenOptions;
use stepback_window::WindowOptions;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

/// A storage that lives as long as a test.
#[derive(Default)]
struct Kept(BTreeMap<String, String>);

impl Storage for Kept {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

/// Returns the state that a window saves when it is closed.
fn kept(mut window: Driver) -> Kept {
    let mut kept = Kept::default();
    window.harness().state_mut().save(&mut kept);
    kept
}

/// Starts the next run.
#[track_caller]
fn again(sandbox: &Sandbox, kept: Kept, trace: Option<&Path>) -> Driver {
    let trace = trace.map(|path| TraceChoice::of(OpenOptions::new(path)));
    let options = WindowOptions {
        trace,
        ..WindowOptions::default()
    };
    // The toolkit needs to borrow it for the lifetime of the window.
    let mut window = sandbox.kept_window([1280.0, 800.0], options, Some(Box::leak(Box::new(kept))));
    window.wait();
    window
}

/// Opens two windows, registers that follow the second, and pinned memory.
fn arranged(sandbox: &Sandbox) -> Driver {
    let mut window = sandbox.open(&sandbox.file("a.tarmac", SHORT));
    window.perform(Action::Travel(TravelAction::GoTo("5".to_owned())));
    window.press_with(Modifiers::COMMAND, Key::B);
    window.press(Key::End);
    window.click("Registers panel menu");
    window.click("Follow window 2");
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.click("Memory panel menu");
    window.click("Pin at 5");
    window.perform(Action::View(ViewAction::ShowMemory("x0 + 0x10".to_owned())));
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Warnings)));
    window.perform(Action::App(AppAction::Theme(ThemeChoice::Light)));
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window
}

#[test]
fn panels_and_what_they_follow_are_kept() {
    let sandbox = Sandbox::new();
    let before = arranged(&sandbox);
    let panels = before.panels_in_order();
    let mut window = again(&sandbox, kept(before), Some(&sandbox.path("a.tarmac")));
    assert_eq!(window.panels_in_order(), panels);
    assert_eq!(window.positions(), [(1, 5), (2, 12)]);
    window.check_active(2);
    assert_eq!(
        window.follows(PanelKind::Registers),
        [Follow::Window(WindowId(2))]
    );
    assert_eq!(
        window.follows(PanelKind::Memory),
        [Follow::Pinned(5.into())]
    );
    assert_eq!(window.register("x2"), "0000000000000003");
    assert_eq!(window.value_of("address"), "x0 + 0x10");
    window.press(Key::Home);
    assert_eq!(window.positions(), [(1, 5), (2, 0)]);
}

#[test]
fn the_theme_and_the_recent_traces_are_kept() {
    let sandbox = Sandbox::new();
    let window = again(&sandbox, kept(arranged(&sandbox)), None);
    assert_eq!(window.app().settings().theme, ThemeChoice::Light);
    assert!(window.has("Open a.tarmac"));
}

#[test]
fn another_trace_begins_afresh() {
    let sandbox = Sandbox::new();
    let other = sandbox.file("b.tarmac", SHORT);
    let window = again(&sandbox, kept(arranged(&sandbox)), Some(&other));
    assert_eq!(window.positions(), [(1, 0)]);
    assert_eq!(window.follows(PanelKind::Memory), [Follow::Active]);
    assert_eq!(window.value_of("address"), "sp");
    assert!(!window.panels().contains(&PanelKind::Warnings));
    assert_eq!(window.app().settings().theme, ThemeChoice::Light);
}

#[test]
fn positions_beyond_a_trace_that_became_shorter_are_at_its_end() {
    let sandbox = Sandbox::new();
    let kept = kept(arranged(&sandbox));
    let lines: Vec<&str> = SHORT.lines().take(6).collect();
    let path = sandbox.file("a.tarmac", lines.join("\n") + "\n");
    let window = again(&sandbox, kept, Some(&path));
    assert_eq!(window.positions(), [(1, 3), (2, 3)]);
}

#[test]
fn a_layout_that_cannot_be_read_costs_the_layout_alone() {
    let sandbox = Sandbox::new();
    let kept = kept(arranged(&sandbox));
    let session = sandbox.path("a.tarmac.session.toml");
    let text = std::fs::read_to_string(&session)
        .expect("a session")
        .replace("Tabs(", "Tab(");
    std::fs::write(&session, text).expect("a session");
    let window = again(&sandbox, kept, Some(&sandbox.path("a.tarmac")));
    assert_eq!(window.positions(), [(1, 5), (2, 12)]);
    assert_eq!(window.app().settings().theme, ThemeChoice::Light);
}

#[test]
fn settings_that_cannot_be_read_do_not_harm() {
    let sandbox = Sandbox::new();
    let mut kept = kept(arranged(&sandbox));
    kept.set_string(eframe::APP_KEY, "]".to_owned());
    let window = again(&sandbox, kept, Some(&sandbox.path("a.tarmac")));
    assert_eq!(window.app().settings().theme, ThemeChoice::System);
    assert_eq!(window.positions(), [(1, 5), (2, 12)]);
}

#[test]
fn closing_the_trace_first_keeps_the_panels_too() {
    let sandbox = Sandbox::new();
    let mut before = arranged(&sandbox);
    before.command("Close trace");
    let window = again(&sandbox, kept(before), Some(&sandbox.path("a.tarmac")));
    assert_eq!(window.positions(), [(1, 5), (2, 12)]);
}

#[test]
fn the_layout_can_be_reset() {
    let sandbox = Sandbox::new();
    let mut window = arranged(&sandbox);
    window.command("Reset layout");
    assert_eq!(window.positions().len(), 1);
    use PanelKind::{Calls, Find, Memory, Registers, Source, Stack, Trace, Watches, Why};
    assert_eq!(
        window.panels_in_order(),
        [
            Trace, Registers, Calls, Memory, Source, Stack, Why, Find, Watches
        ]
    );
}
