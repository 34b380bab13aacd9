//! Every widget that can be pressed, selected or edited has a name for screen readers.

use std::collections::BTreeSet;

use egui::Key;
use egui::accesskit::{Action as ReaderAction, Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use stepback_debugger::action::{Action, AppAction, FileAction, PanelAction};
use stepback_debugger::keymap::PANELS;

use crate::support::Driver;

/// Checks for interactive widgets without a name.
#[track_caller]
fn check(window: &mut Driver, what: &str) {
    let nodes = window.harness().query_all_by(|_| true);
    let nameless: BTreeSet<String> = nodes
        .filter_map(|node| {
            let node = node.accesskit_node();
            let is_pressed = node.data().supports_action(ReaderAction::Click);
            // A label's text is its name.
            let name = node
                .label()
                .or_else(|| node.value().filter(|_| node.role() == Role::Label));
            let has_name = name.is_some_and(|name| name.chars().any(char::is_alphanumeric));
            // Gaps between tiles, tab strips and scroll bars belong to the toolkit, which gives
            // them no names. They are recognised by their size.
            let (wide, high) = node
                .raw_bounds()
                .map_or((0.0, 0.0), |bounds| (bounds.width(), bounds.height()));
            let is_gap = wide.min(high) < 6.5 || (high == 28.0 && wide > 100.0);
            let is_toolkits =
                node.role() == Role::ScrollBar || (node.role() == Role::Unknown && is_gap);
            let is_stated = (is_pressed && !is_toolkits) || is_interactive(node.role());
            (is_stated && !has_name).then(|| {
                format!(
                    "{:?} {:?} at {:?}",
                    node.role(),
                    node.label(),
                    node.raw_bounds()
                )
            })
        })
        .collect();
    assert!(nameless.is_empty(), "{what}: {nameless:#?}");
}

fn is_interactive(role: Role) -> bool {
    matches!(
        role,
        Role::Button
            | Role::CheckBox
            | Role::RadioButton
            | Role::ComboBox
            | Role::Slider
            | Role::SpinButton
            | Role::TextInput
            | Role::MultilineTextInput
            | Role::SearchInput
            | Role::Link
            | Role::Tab
            | Role::MenuItem
            | Role::Splitter
            | Role::ListItem
            | Role::Row
            | Role::TreeItem
    )
}

#[test]
fn everything_in_every_panel_has_a_name() {
    let mut window = Driver::demo();
    for line in [
        "Go to 1250",
        "Watch x0",
        "Bookmark here",
        "Find ldrb",
        "Compare with 1300",
    ] {
        window.command(line);
    }
    check(&mut window, "the start");
    for row in &PANELS {
        window.perform(Action::Panel(PanelAction::ShowPanel(row.kind)));
        window.wait();
        check(&mut window, row.show.command().name);
    }
    for line in [
        "Raw text",
        "Only hits",
        "Registers vector",
        "Registers system",
        "Memory by 8",
    ] {
        window.command(line);
        check(&mut window, line);
    }
}

#[test]
fn everything_on_every_page_has_a_name() {
    let mut window = Driver::demo();
    for action in [
        Action::App(AppAction::CommandPalette),
        Action::App(AppAction::KeyboardHelp),
        Action::App(AppAction::About),
        Action::App(AppAction::Settings),
        Action::App(AppAction::FocusGoTo),
    ] {
        window.perform(action.clone());
        window.wait();
        check(&mut window, &format!("{action:?}"));
        if action == Action::App(AppAction::Settings) {
            window.click("Keys");
            check(&mut window, "the keys");
        }
        if action == Action::App(AppAction::FocusGoTo) {
            window.type_text("ma");
            check(&mut window, "what may be gone to");
        }
        window.press(Key::Escape);
        window.close_messages();
    }
    window.command("Built-in file browser");
    window.perform(Action::File(FileAction::OpenDialog));
    window.wait();
    check(&mut window, "the file browser");
    window.press(Key::Escape);
    for menu in [
        "File",
        "Edit",
        "Go",
        "Step",
        "View",
        "Bookmarks",
        "Window",
        "Help",
    ] {
        window.click_first(menu);
        check(&mut window, menu);
        window.press(Key::Escape);
    }
}

#[test]
fn everything_on_the_start_screen_has_a_name() {
    check(&mut Driver::start(), "the start screen");
}
