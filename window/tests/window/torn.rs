//! Panels in separate windows, and tabs that do not fit.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::{Action, PanelAction, PanelId, PanelKind};

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

#[test]
fn a_panel_moves_to_a_window_of_its_own_and_back() {
    let mut window = Driver::text(SHORT);
    window.command("Show registers");
    let panels = window.panels();
    window.command("Move panel to its own window");
    assert_eq!(window.workspace().torn().len(), 1);
    // The title names the panel and the trace.
    window.harness().get_by_label("Registers – a.tarmac");
    assert_eq!(window.panels(), panels);
    // It shows the same content, and keys work.
    window.press(Key::F11);
    window.check_position(1);
    window.click("Registers panel menu");
    window.click("Put back");
    assert_eq!(window.workspace().torn(), []);
    assert!(!window.has("Registers – a.tarmac"));
    window.press_with(Modifiers::COMMAND, Key::Z);
    assert_eq!(window.workspace().torn().len(), 1);
    window.command("Put panels back");
    assert_eq!(window.workspace().torn(), []);
}

#[test]
fn the_last_panel_stays_in_the_main_window() {
    let mut window = Driver::text(SHORT);
    let count = window.panels().len();
    for _ in 0..count + 2 {
        window.command("Next panel");
        let tile = window.workspace().focused.map(|tile| PanelId(tile.0));
        window.perform(Action::Panel(PanelAction::TearOff(tile)));
    }
    assert!(window.workspace().torn().len() < count);
}

#[test]
fn the_main_window_is_never_empty() {
    let mut window = Driver::text(SHORT);
    for _ in 0..20 {
        window.command("Next panel");
        let tile = window.workspace().focused.map(|tile| PanelId(tile.0));
        window.perform(Action::Panel(PanelAction::TearOff(tile)));
    }
    assert!((1..=8).contains(&window.workspace().torn().len()));
    let dock = &window.workspace().dock;
    let docked: Vec<PanelId> = dock
        .active_tiles()
        .into_iter()
        .map(|tile| PanelId(tile.0))
        .collect();
    docked
        .into_iter()
        .for_each(|tile| window.perform(Action::Panel(PanelAction::ClosePanel(tile))));
    assert!(!window.workspace().dock.active_tiles().is_empty());
}

#[test]
fn a_session_brings_windows_of_panels_back() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SHORT);
    let mut window = sandbox.open(&trace);
    window.command("Show memory panel");
    window.command("Move panel to its own window");
    let session = window.path("it.session.toml");
    window.command(&format!("Save session as {}", session.display()));
    window.command("Close trace");
    window.close_messages();
    window.command(&format!("Open session {}", session.display()));
    assert_eq!(window.workspace().torn().len(), 1);
    window.harness().get_by_label("Memory – a.tarmac");
}

#[test]
fn tabs_that_do_not_fit_are_listed() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open_in([800.0, 500.0], &sandbox.file("a.tarmac", SHORT));
    let open = |window: &mut Driver, kind| {
        window.perform(Action::Panel(PanelAction::NewPanel(kind)));
    };
    use PanelKind::{
        Accesses, Bookmarks, Compare, Effects, Externals, Findings, FlameGraph, Functions, Heap,
        Heat, Regions, StackMemory, Tasks, Threads, Warnings,
    };
    for kind in [Warnings, Threads, Compare, Findings, Functions] {
        open(&mut window, kind);
    }
    // Inactive tabs first give up their titles; the tab in front keeps its own.
    assert_eq!(window.count_like("more panels"), 0);
    assert_eq!(window.painted("Functions").matches("Functions").count(), 1);
    assert!(!window.painted("Warnings").contains("Warn"));
    for kind in [
        Accesses,
        Effects,
        Externals,
        FlameGraph,
        Regions,
        StackMemory,
        Tasks,
        Heap,
        Heat,
        Bookmarks,
    ] {
        open(&mut window, kind);
    }
    assert!(!window.has("Scroll tabs left") && !window.has("Scroll tabs right"));
    let more = window.only_label_like("more panels");
    let hidden = ["Stack", "Comparison", "Warnings", "Threads", "Heap"]
        .iter()
        .filter(|title| !window.has(title))
        .count();
    assert!(hidden > 0, "{more}");
    assert!(window.has("Bookmarks"), "the panel in front has a tab");
    let missing = ["Heat", "Heap", "Threads"]
        .into_iter()
        .find(|title| !window.has(title))
        .expect("a hidden tab");
    window.click(&more);
    window.click(missing);
    assert!(window.has(missing));
}

#[test]
fn a_large_screen_is_used_at_first() {
    let sandbox = Sandbox::new();
    let window = sandbox.open_in([3840.0, 2160.0], &sandbox.file("a.tarmac", SHORT));
    let seen = window.workspace().dock.active_tiles().len();
    use PanelKind::{Calls, Find, Memory, Registers, Source, Stack, Trace, Watches, Why};
    let panels = window.panels_in_order();
    assert_eq!(
        panels,
        [
            Calls, Trace, Source, Registers, Memory, Stack, Why, Find, Watches
        ]
    );
    assert!(
        seen >= panels.len() - 2,
        "only Why and Find are behind Stack"
    );
}

#[test]
fn a_tab_that_is_dragged_out_of_the_window_gets_one_of_its_own() {
    let mut window = Driver::text(SHORT);
    window.command("Show registers");
    let panels = window.panels_in_order();
    let tab = window.rect("Registers").center();
    let drag = |window: &mut Driver, to: egui::Pos2| {
        window.harness().drag_at(tab);
        window.harness().run_steps(2);
        window.harness().hover_at(tab + egui::vec2(30.0, 10.0));
        window.harness().run_steps(2);
        window.harness().hover_at(to);
        window.harness().run_steps(2);
        window.harness().drop_at(to);
        window.wait();
    };
    let outside = window.harness_rect().max + egui::vec2(200.0, 50.0);
    drag(&mut window, outside);
    assert_eq!(window.workspace().torn().len(), 1);
    window.harness().get_by_label("Registers – a.tarmac");
    window.command("Put panels back");
    // It returns to its place.
    assert_eq!(window.panels_in_order(), panels);
    // Dropped inside the main window, it docks there.
    drag(&mut window, egui::pos2(200.0, 400.0));
    assert_eq!(window.workspace().torn(), []);
    assert_ne!(window.panels_in_order(), panels);
}
