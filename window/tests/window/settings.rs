//! The page of settings, and the file that stores them.

use std::fs;

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::{Action, AppAction, FileAction, ThemeChoice};
use stepback_window::WindowOptions;
use stepback_window::theme::ThemeColors;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

const CTRL: Modifiers = Modifiers::COMMAND;

/// Opens a short trace with a settings file of this content.
fn with_settings(text: Option<&str>) -> Driver {
    let sandbox = Sandbox::new();
    let settings_file = Some(sandbox.path("settings.toml"));
    text.iter()
        .for_each(|text| _ = sandbox.file("settings.toml", text));
    let trace = sandbox.file("a.tarmac", SHORT);
    let mut window = sandbox.window(WindowOptions {
        settings_file,
        ..WindowOptions::default()
    });
    window.wait();
    window.perform(Action::File(FileAction::OpenPath(trace.clone())));
    window
}

fn kept(window: &Driver) -> String {
    fs::read_to_string(window.path("settings.toml")).unwrap_or_default()
}

/// Opens the part of the page with the keys of one command.
fn keys_page(window: &mut Driver, command: &str) {
    window.press_with(CTRL, Key::Comma);
    assert!(window.app().is_settings_open());
    window.click("Keys");
    window.click("Command or key");
    window.type_text(command);
}

#[test]
fn a_key_is_changed_by_pressing_another() {
    let mut window = with_settings(None);
    keys_page(&mut window, "Step over");
    window.click("Change the key of Step over");
    window.press(Key::F5);
    assert!(window.has("Step over: F5"));
    window.click("Add a key to Step over");
    window.press_with(Modifiers::ALT, Key::O);
    assert!(window.has("Step over: F5 or Alt+O"));
    window.press(Key::Escape);
    assert!(!window.app().is_settings_open());
    window.press(Key::F5);
    window.check_position(1);
    window.press(Key::F10);
    window.check_position(1);
    assert!(
        kept(&window).contains("\"Step over\" = [\"F5\", \"Alt+O\"]"),
        "{}",
        kept(&window)
    );
    // Lists of keys show the new ones.
    window.press(Key::F1);
    window.harness().get_by_label("Step over: F5 or Alt+O");
    window.press(Key::Escape);
    window.command("Reset keys");
    window.press(Key::F10);
    window.check_position(2);
}

#[test]
fn a_key_of_another_command_is_taken_over_only_when_that_is_said() {
    let mut window = with_settings(None);
    keys_page(&mut window, "Step over");
    window.click("Change the key of Step over");
    window.press_with(CTRL, Key::R);
    assert_eq!(window.count_like("Ctrl+R is already “Reload”"), 1);
    window.click("Cancel");
    assert!(window.has("Step over: F10 or N"));
    window.click("Change the key of Step over");
    window.press_with(CTRL, Key::R);
    window.click("Reassign");
    assert!(window.has("Step over: Ctrl+R"));
    assert!(kept(&window).contains("\"Reload\" = []"));
    window.click("Reset the keys of Step over");
    assert!(window.has("Step over: F10 or N"));
}

#[test]
fn keys_that_were_chosen_and_reset_are_had_back() {
    let mut window = with_settings(None);
    window.go_to("3");
    keys_page(&mut window, "Step over");
    window.click("Change the key of Step over");
    window.press(Key::F5);
    window.press(Key::Escape);
    window.command("Reset keys");
    assert!(!kept(&window).contains("[\"F5\"]"), "{}", kept(&window));
    window.press_with(CTRL, Key::Z);
    window.press(Key::F5);
    window.check_position(4);
    assert!(
        kept(&window).contains("\"Step over\" = [\"F5\"]"),
        "{}",
        kept(&window)
    );
    window.press_with(CTRL, Key::Z);
    window.press(Key::F10);
    window.check_position(5);
    assert!(!kept(&window).contains("[\"F5\"]"), "{}", kept(&window));
}

#[test]
fn keys_of_a_panel_act_in_it_alone() {
    let mut window = with_settings(None);
    window.command("Bookmark one");
    window.command("Show bookmarks");
    window.command("Show trace");
    // In the trace it deletes nothing.
    window.press(Key::Delete);
    assert_eq!(window.desk().bookmarks.list().len(), 1);
    window.command("Show bookmarks");
    window.press(Key::Home);
    window.press(Key::Delete);
    assert!(window.desk().bookmarks.list().is_empty());
}

#[test]
fn ctrl_is_pressed_before_its_key() {
    let mut window = with_settings(None);
    keys_page(&mut window, "Step over");
    window.click("Change the key of Step over");
    // As sent by a real keyboard.
    window.press_with(CTRL, Key::ControlLeft);
    window.press_with(CTRL, Key::CapsLock);
    assert!(window.has("Step over: F10 or N"));
    window.press_with(CTRL, Key::F5);
    assert!(window.has("Step over: Ctrl+F5"));
    // The wait for a key ends where no keys are shown.
    window.click("Change the key of Step over");
    window.click("Appearance and files");
    window.press(Key::Escape);
    assert!(!window.app().is_settings_open());
}

#[test]
fn the_page_closes_while_a_key_is_waited_for() {
    let mut window = with_settings(None);
    keys_page(&mut window, "Step over");
    window.click("Change the key of Step over");
    window.click("Close page");
    assert!(!window.app().is_settings_open());
}

#[test]
fn escape_leaves_a_key_as_it_is() {
    let mut window = with_settings(None);
    keys_page(&mut window, "Step over");
    window.click("Change the key of Step over");
    window.press(Key::Escape);
    assert!(window.app().is_settings_open() && window.has("Step over: F10 or N"));
}

#[test]
fn keys_are_taken_to_another_machine() {
    let mut window = with_settings(None);
    window.command("Change keys Step over = F7");
    window.command("Export keys");
    window.press(Key::Enter);
    let exported = window.path("stepback-keys.toml");
    assert!(
        fs::read_to_string(&exported)
            .unwrap()
            .contains("\"Step over\" = [\"F7\"]")
    );
    window.command("Reset keys");
    window.command(&format!("Import keys {}", exported.display()));
    window.close_messages();
    window.press(Key::F7);
    window.check_position(1);
    window.command("Import keys /nowhere/keys.toml");
    window.check_stated("the keys could not be imported");
}

#[test]
fn settings_are_read_from_a_file_and_what_is_wrong_in_it_is_reported() {
    let mut window = with_settings(Some(
        "theme = \"light\"\ntext-size = \"big\"\n[keys]\n\"Step\" = [\"F5\"]\n",
    ));
    assert_eq!(window.app().settings().theme, ThemeChoice::Light);
    window.check_stated("invalid setting");
    window.close_messages();
    window.press(Key::F5);
    window.check_position(1);
}

#[test]
fn the_theme_is_chosen_on_the_page() {
    let mut window = with_settings(None);
    let usual = ThemeColors::of(egui::Theme::Dark).err;
    window.press_with(CTRL, Key::Comma);
    window.click("Colour-blind safe, dark");
    assert_eq!(window.app().settings().theme, ThemeChoice::SafeDark);
    assert_ne!(ThemeColors::of(egui::Theme::Dark).err, usual);
    assert!(kept(&window).contains("theme = \"colour-blind dark\""));
    window.click("Larger");
    assert!(kept(&window).contains("text-size = 110"));
    window.click("Always use the built-in file browser");
    assert!(kept(&window).contains("own-file-browser = true"));
    window.click("Dark");
    assert_eq!(ThemeColors::of(egui::Theme::Dark).err, usual);
}

/// Returns true if the window uses the user's font with this face name.
fn has_own_face(window: &mut Driver, name: &str) -> bool {
    window
        .harness()
        .ctx
        .fonts(|fonts| fonts.definitions().font_data.contains_key(name))
}

#[test]
fn fonts_are_chosen_kept_and_given_up() {
    let fonts = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/fonts");
    let mut window = with_settings(None);
    window.command(&format!("Interface font {fonts}/Inter-Medium.otf"));
    window.command(&format!(
        "Fixed-width font {fonts}/JetBrainsMono-Bold-NoLigatures.ttf"
    ));
    assert!(has_own_face(&mut window, "own-ui") && has_own_face(&mut window, "own-mono"));
    assert!(
        kept(&window).contains("/Inter-Medium.otf\""),
        "{}",
        kept(&window)
    );
    window.press_with(CTRL, Key::Comma);
    window.click("Larger interface text");
    assert!(window.has("105 %") && kept(&window).contains("interface-text = 105"));
    window.click("Interface: built-in");
    assert!(
        !has_own_face(&mut window, "own-ui") && kept(&window).contains("interface-font = \"\"")
    );
    window.press(Key::Escape);
    // An unusable font is reported by name and replaces nothing.
    window.command(&format!("Fixed-width font {fonts}/Inter-Regular.otf"));
    window.check_stated("the font cannot be used, keeping the current one");
    assert!(
        window.app().toasts()[0]
            .text
            .ends_with("Inter-Regular.otf\": it is not a fixed-width font")
    );
    assert!(
        has_own_face(&mut window, "own-mono")
            && kept(&window).contains("/JetBrainsMono-Bold-NoLigatures.ttf\"")
    );
    // At startup the built-in font replaces a missing one.
    let mut window = with_settings(Some(
        "interface-font = \"/nowhere/a.ttf\"\ninterface-text = 400\n",
    ));
    let stated: Vec<&str> = window
        .app()
        .toasts()
        .iter()
        .map(|toast| toast.text.as_str())
        .collect();
    assert!(
        stated.iter().any(|text| text.contains("/nowhere/a.ttf")),
        "{stated:?}"
    );
    assert!(!has_own_face(&mut window, "own-ui"));
}

#[test]
fn source_lines_in_rows_are_chosen_without_a_trace() {
    let mut window = Driver::start();
    let before = window.app().settings().has_row_lines;
    window.perform(AppAction::ToggleRowLines);
    assert_eq!(window.app().settings().has_row_lines, !before);
}
