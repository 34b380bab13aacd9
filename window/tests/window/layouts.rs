//! Layout changes can be undone, layouts have names, closed panels reopen, trace windows stay
//! readable.

use egui::{Key, Modifiers};
use stepback_debugger::action::{Action, FileAction, PanelKind};

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

const CTRL: Modifiers = Modifiers::COMMAND;

#[test]
fn a_closed_panel_is_brought_back_and_closed_again() {
    let mut window = Driver::text(SHORT);
    window.go_to("5");
    let before = window.panels_in_order();
    window.press_with(Modifiers::ALT, Key::Num3);
    window.command("Close panel");
    let after = window.panels_in_order();
    assert_ne!(before, after);
    window.press(Key::F11);
    window.press_with(CTRL, Key::Z);
    assert_eq!(window.panels_in_order(), before);
    // Positions have a separate history.
    window.check_position(6);
    window.press_with(CTRL, Key::Y);
    assert_eq!(window.panels_in_order(), after);
    window.press_with(CTRL, Key::Z);
    assert_eq!(window.panels_in_order(), before);
    window.press_with(Modifiers::ALT, Key::Num3);
    window.command("Close panel");
    assert_eq!(window.panels_in_order(), after);
    window.command("Show memory panel");
    assert_eq!(
        window.panels_in_order(),
        before,
        "it comes back where it was"
    );
}

#[test]
fn a_trace_window_and_what_a_panel_shows_are_taken_back() {
    let mut window = Driver::text(SHORT);
    window.go_to("5");
    window.press_with(CTRL, Key::B);
    assert_eq!(window.positions(), [(1, 5), (2, 5)]);
    window.press(Key::F11);
    window.command("Close panel");
    assert_eq!(window.positions(), [(1, 5)]);
    window.press_with(CTRL, Key::Z);
    assert_eq!(window.positions(), [(1, 5), (2, 6)]);
    window.command("Memory by 8 bytes");
    window.command("Bookmark");
    window.press_with(CTRL, Key::Z);
    assert!(window.desk().bookmarks.list().is_empty());
    window.press_with(CTRL, Key::Z);
    window.press_with(CTRL, Key::Z);
    assert_eq!(window.positions(), [(1, 5)]);
    for _ in 0..4 {
        window.press_with(CTRL, Key::Z);
    }
    window.check_stated("nothing to undo");
}

#[test]
fn layouts_have_names_and_the_user_has_some_too() {
    let mut window = Driver::text(SHORT);
    let first = window.panels_in_order();
    window.command("Layout profile");
    assert!(
        window.panels().contains(&PanelKind::Functions)
            && window.panels().contains(&PanelKind::FlameGraph)
    );
    assert!(!window.panels().contains(&PanelKind::Memory));
    window.command("Layout source");
    assert_eq!(window.panels_in_order().first(), Some(&PanelKind::Source));
    window.command("Save layout as mine");
    window.check_stated("layout saved");
    let own = window.panels_in_order();
    window.command("Layout debug");
    assert_eq!(window.panels_in_order(), first);
    window.command("Use layout MINE");
    assert_eq!(window.panels_in_order(), own);
    window.close_messages();
    window.command("Use layout yours");
    let stated = format!("{:?}", window.app().toasts());
    assert!(stated.contains("mine"), "{stated}");
    window.close_messages();
    window.command("Save layout as Debug");
    window.check_stated("this is the name of a built-in layout");
}

#[test]
fn trace_windows_share_the_width_and_become_tabs_where_there_is_none() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open(&sandbox.file("a.tarmac", SHORT));
    for _ in 0..5 {
        window.command("New trace window");
    }
    assert_eq!(window.positions().len(), 6);
    let dock = &window.workspace().dock;
    let widths: Vec<f32> = (1..=6)
        .filter_map(|number| {
            window
                .workspace()
                .trace_tile(stepback_debugger::action::WindowId(number))
        })
        .filter_map(|tile| dock.tiles.rect(tile))
        .map(|rect| rect.width())
        .collect();
    assert!(widths.iter().all(|width| *width >= 225.0), "{widths:?}");
    assert!(
        widths.iter().all(|width| (width - widths[0]).abs() < 3.0),
        "{widths:?}"
    );
}

#[test]
fn home_and_end_go_through_the_trace_wherever_the_keyboard_is() {
    let mut window = Driver::demo();
    window.click_first("register x3");
    window.press(Key::End);
    window.check_position(44_013);
    window.press(Key::Home);
    window.check_position(0);
    window.press(Key::F6);
    window.press(Key::End);
    window.check_position(44_013);
    window.press(Key::Home);
    window.click_first("register x3");
    window.press_with(egui::Modifiers::COMMAND, Key::End);
    window.check_position(0);
}

#[test]
fn escape_leaves_the_hint_of_the_demo() {
    let mut window = Driver::start();
    window.perform(Action::File(FileAction::OpenDemo));
    let hint = window.workspace().guide;
    window.press(Key::Escape);
    window.press(Key::Escape);
    assert_eq!(window.workspace().guide, hint);
}

#[test]
fn panels_are_shown_by_their_names_alone_too() {
    let mut window = Driver::text(SHORT);
    window.command("Threads");
    assert!(window.panels().contains(&PanelKind::Threads));
    window.command("Show heat");
    assert!(window.panels().contains(&PanelKind::Heat));
}

#[test]
fn a_layout_that_is_saved_over_or_forgotten_is_had_back() {
    let mut window = Driver::text(SHORT);
    let names = |window: &Driver| -> Vec<(String, usize)> {
        let layouts = &window.app().settings().layouts;
        layouts
            .iter()
            .map(|own| (own.name.clone(), own.panels.len()))
            .collect()
    };
    window.command("Layout profile");
    window.command("Save layout as mine");
    let first = names(&window);
    window.command("Layout debug");
    window.close_messages();
    window.command("Save layout as Mine");
    assert_ne!(names(&window), first);
    assert!(window.has("Undo"));
    window.press_with(CTRL, Key::Z);
    assert_eq!(names(&window), first);
    window.close_messages();
    window.command("Delete layout mine");
    window.check_stated("layout deleted");
    assert_eq!(names(&window), []);
    window.press_with(CTRL, Key::Z);
    assert_eq!(names(&window), first);
    window.press_with(CTRL, Key::Y);
    assert_eq!(names(&window), []);
}

/// Ctrl+T and Ctrl+W twice: the registers keep the width of their two columns.
#[test]
fn registers_keep_their_width_when_trace_windows_close() {
    let mut window = Driver::demo();
    let width = |window: &Driver| window.rect("register x16").right();
    let left = |window: &Driver| window.rect("register x0").left();
    let before = (left(&window), width(&window));
    window.press_with(CTRL, Key::T);
    window.press_with(CTRL, Key::T);
    window.press_with(CTRL, Key::W);
    window.press_with(CTRL, Key::W);
    let after = (left(&window), width(&window));
    assert!((before.0 - after.0).abs() < 2.0, "{before:?} {after:?}");
    assert!((before.1 - after.1).abs() < 2.0, "{before:?} {after:?}");
}

#[test]
fn what_is_typed_after_a_panel_was_opened_goes_to_its_field() {
    let mut window = Driver::demo();
    for panel in ["Show watches", "Show accesses"] {
        window.command(panel);
        assert!(window.is_typing(), "{panel}");
        window.press(Key::Escape);
    }
    window.command("Show watches");
    window.enter("x1");
    window.type_text("x2");
    assert_eq!(window.desk().watches.list().len(), 1);
    window.check_position(0);
}

/// In a wide window the calls have a tile at the left.
#[test]
fn the_first_panels_follow_the_size_of_the_window_until_they_are_changed() {
    let mut window = Driver::demo();
    let resized = |window: &mut Driver, width: f32| {
        window.harness().set_size(egui::vec2(width, 1000.0));
        window.wait();
        window.wait();
        window.tabs_height(PanelKind::Calls) > window.tabs_height(PanelKind::Registers)
    };
    assert!(!resized(&mut window, 1280.0));
    assert!(resized(&mut window, 1600.0));
    assert!(!resized(&mut window, 1280.0));
    window.command("Show heap");
    assert!(!resized(&mut window, 1600.0));
}
