//! The built-in file browser.

use std::fs;
use std::path::PathBuf;

use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use stepback_debugger::action::{Action, FileAction};
use stepback_window::WindowOptions;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

const CTRL: Modifiers = Modifiers::COMMAND;

/// Opens the start screen with the browser in a folder that contains two traces, a folder and a
/// note.
fn browsing() -> (Driver, PathBuf) {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("traces");
    fs::create_dir_all(folder.join("more")).unwrap();
    fs::write(folder.join("more/deep.tarmac"), SHORT).unwrap();
    for name in ["run9.tarmac", "run10.tarmac"] {
        fs::write(folder.join(name), SHORT).unwrap();
    }
    fs::write(folder.join("notes.txt"), "nothing").unwrap();
    fs::write(folder.join(".hidden"), "x").unwrap();
    let mut window = sandbox.window(WindowOptions::default());
    window.wait();
    window.press_with(CTRL, Key::O);
    assert!(window.app().is_browsing());
    window.press_with(CTRL, Key::L);
    // The field contains the folder; typing continues after it.
    window.press_with(CTRL, Key::A);
    window.type_text(&format!("{}/", folder.display()));
    window.press(Key::Enter);
    (window, folder)
}

#[track_caller]
fn check_open(window: &Driver, name: &str) {
    assert!(!window.app().is_browsing());
    assert_eq!(window.desk().name(), name);
}

#[test]
fn a_trace_is_found_by_keys_alone() {
    let (mut window, _) = browsing();
    assert!(
        window.has("run9.tarmac, Tarmac trace")
            && window.has("folder more")
            && !window.has(".hidden")
    );
    (0..3).for_each(|_| window.press(Key::ArrowDown));
    assert!(
        window
            .harness()
            .get_by_label("run9.tarmac, Tarmac trace")
            .accesskit_node()
            .toggled()
            == Some(egui::accesskit::Toggled::True)
    );
    window.press(Key::Enter);
    check_open(&window, "run9.tarmac");
    // The next time begins in the folder where this one ended.
    window.press_with(CTRL, Key::O);
    assert!(window.has("run10.tarmac, Tarmac trace"));
}

#[test]
fn folders_are_entered_and_left() {
    let (mut window, _) = browsing();
    window.press(Key::ArrowDown);
    window.press(Key::Enter);
    assert!(window.has("deep.tarmac, Tarmac trace") && !window.has("run9.tarmac, Tarmac trace"));
    window.press(Key::Backspace);
    // The cursor is on the folder that was left.
    assert!(
        window
            .harness()
            .get_by_label("folder more")
            .accesskit_node()
            .toggled()
            == Some(egui::accesskit::Toggled::True)
    );
    window.double_click("folder more");
    window.double_click("deep.tarmac, Tarmac trace");
    check_open(&window, "deep.tarmac");
}

#[test]
fn typing_filters_and_escape_gives_it_up() {
    let (mut window, _) = browsing();
    window.type_text("RUN1");
    assert!(window.has("run10.tarmac, Tarmac trace") && !window.has("run9.tarmac, Tarmac trace"));
    window.press(Key::Escape);
    assert!(window.app().is_browsing() && window.has("run9.tarmac, Tarmac trace"));
    window.type_text("nothing like it");
    assert!(!window.has("run9.tarmac, Tarmac trace"));
    window.press(Key::Escape);
    window.press(Key::Escape);
    assert!(!window.app().is_browsing());
}

#[test]
fn a_path_is_typed_and_completed() {
    let (mut window, folder) = browsing();
    window.press_with(CTRL, Key::L);
    window.type_text("run1");
    window.press(Key::Tab);
    assert_eq!(
        window.value_of("Path"),
        folder.join("run10.tarmac").display().to_string()
    );
    window.press(Key::Enter);
    check_open(&window, "run10.tarmac");
}

#[test]
fn heads_order_and_hidden_files_can_be_shown() {
    let (mut window, _) = browsing();
    window.press_with(CTRL, Key::H);
    assert!(window.has(".hidden"));
    window.click("Hide hidden files");
    assert!(!window.has(".hidden"));
    window.click("Name");
    let top = |window: &Driver, label: &str| window.rect(label).top();
    assert!(top(&window, "run10.tarmac, Tarmac trace") < top(&window, "run9.tarmac, Tarmac trace"));
    window.click("Size");
    assert!(top(&window, "run9.tarmac, Tarmac trace") < top(&window, "notes.txt"));
}

#[test]
fn a_folder_that_is_not_there_is_reported() {
    let (mut window, folder) = browsing();
    window.press_with(CTRL, Key::L);
    window.press_with(CTRL, Key::A);
    window.type_text(&folder.join("nowhere/").display().to_string());
    window.press(Key::Enter);
    assert_eq!(window.count_like("The folder cannot be read"), 1);
    window.click("Parent folder");
    assert!(window.has("run9.tarmac, Tarmac trace"));
}

#[test]
fn a_directory_of_traces_offers_them() {
    let (mut window, folder) = browsing();
    window.press(Key::Escape);
    window.perform(Action::File(FileAction::OpenPath(folder.clone())));
    assert!(window.app().is_browsing());
    assert_eq!(window.count_like("This folder holds 2 traces"), 1);
    window.double_click("run9.tarmac, Tarmac trace");
    check_open(&window, "run9.tarmac");
    assert!(window.messages().is_empty());
}

#[test]
fn what_is_there_is_overwritten_only_when_that_is_said() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SHORT);
    let list = trace.with_file_name("list.csv");
    fs::write(&list, "before").unwrap();
    let mut window = sandbox.open(&trace);
    let save = Action::File(FileAction::SaveText(
        "list.csv".to_owned(),
        "after".to_owned(),
    ));
    window.perform(save.clone());
    assert_eq!(window.value_of("File name"), "list.csv");
    window.press(Key::Enter);
    assert_eq!(window.count_like("Overwrite it?"), 1);
    window.press(Key::Escape);
    assert!(window.app().is_browsing());
    assert_eq!(fs::read_to_string(&list).unwrap(), "before");
    window.press(Key::Enter);
    window.click_button("Overwrite");
    assert!(!window.app().is_browsing());
    assert_eq!(fs::read_to_string(&list).unwrap(), "after");
    window.perform(save);
    // The name is selected, so typing replaces it.
    window.type_text("list.csv2");
    window.press(Key::Enter);
    assert_eq!(
        fs::read_to_string(trace.with_file_name("list.csv2")).unwrap(),
        "after"
    );
}

#[test]
fn what_is_saved_goes_where_the_typed_path_says() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SHORT);
    let [here, there] = ["list.csv", "other/list.csv"].map(|name| trace.with_file_name(name));
    fs::create_dir_all(there.parent().unwrap()).unwrap();
    [&here, &there]
        .iter()
        .for_each(|path| fs::write(path, "before").unwrap());
    let mut window = sandbox.open(&trace);
    window.perform(Action::File(FileAction::SaveText(
        "list.csv".to_owned(),
        "after".to_owned(),
    )));
    window.press_with(CTRL, Key::L);
    window.press_with(CTRL, Key::A);
    window.type_text(&format!("{}/", there.parent().unwrap().display()));
    window.click_button("Save");
    // A prompt appears before the existing file is overwritten.
    assert_eq!(window.count_like("Overwrite it?"), 1);
    window.click_button("Overwrite");
    assert_eq!(
        [here, there].map(|path| fs::read_to_string(path).unwrap()),
        ["before", "after"]
    );
}

#[test]
fn a_directory_is_chosen_as_it_is_shown() {
    let (mut window, folder) = browsing();
    window.press(Key::Escape);
    window.command("Open directory");
    window.double_click("folder more");
    window.click_button("Choose this folder");
    assert!(!window.app().is_browsing() || window.count_like("This folder holds") == 1);
    drop(folder);
}

#[test]
fn a_whole_path_is_a_name_to_save_under() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open(&sandbox.file("a.tarmac", SHORT));
    let there = sandbox.path("other/list.csv");
    window.perform(Action::File(FileAction::SaveText(
        "list.csv".to_owned(),
        "after".to_owned(),
    )));
    window.type_text(&there.display().to_string());
    window.press(Key::Enter);
    assert_eq!(window.count_like("The folder cannot be read"), 1);
    fs::create_dir_all(there.parent().unwrap()).unwrap();
    window.press(Key::Enter);
    assert!(!window.app().is_browsing());
    assert_eq!(fs::read_to_string(there).unwrap(), "after");
}

#[test]
fn a_click_next_to_the_browser_leaves_it_open() {
    let (mut window, _) = browsing();
    window.click_at(egui::pos2(4.0, 300.0), 1);
    assert!(window.app().is_browsing());
}

/// Returns a folder with the trace of a recorder.
fn recording() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let from = PathBuf::from("../fixtures/drmemtrace/gzip/trace/drmemtrace.app.100.0001.trace.gz");
    let folder = sandbox.path("t/run/trace");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(&from, folder.join(from.file_name().unwrap())).unwrap();
    fs::create_dir_all(sandbox.path("t/empty")).unwrap();
    let run = sandbox.path("t/run");
    (sandbox, run)
}

fn type_path(window: &mut Driver, path: &std::path::Path) {
    window.press_with(CTRL, Key::L);
    window.press_with(CTRL, Key::A);
    window.type_text(&path.display().to_string());
    window.press(Key::Enter);
}

#[test]
fn a_folder_that_is_a_trace_is_opened_as_a_whole() {
    let (sandbox, run) = recording();
    let mut window = sandbox.window(WindowOptions::default());
    window.wait();
    window.press_with(CTRL, Key::O);
    type_path(&mut window, &sandbox.path("t/empty"));
    window.click_button("Open");
    assert!(window.has("Choose a file"));
    type_path(&mut window, &run);
    window.click_button("Open");
    check_open(&window, "run");
    // Its parent folder shows it with the mark.
    window.press_with(CTRL, Key::O);
    type_path(&mut window, &sandbox.path("t"));
    assert_eq!(window.count_like("folder run, drmemtrace trace"), 1);
}

#[test]
fn a_folder_that_is_typed_is_chosen() {
    let (sandbox, run) = recording();
    let mut window = sandbox.window(WindowOptions::default());
    window.wait();
    window.press_with(CTRL.plus(Modifiers::SHIFT), Key::O);
    type_path(&mut window, &run);
    check_open(&window, "run");
}

#[test]
fn several_files_are_chosen_together() {
    let (mut window, _) = browsing();
    window.click_with(CTRL, "run9.tarmac, Tarmac trace");
    window.click_with(CTRL, "run10.tarmac, Tarmac trace");
    assert_eq!(window.count_like("2 files selected"), 1);
    window.press(Key::Enter);
    // A file for each core forms one trace, in the order of the names.
    window.wait();
    check_open(&window, "run9.tarmac and 1 more file");
}

/// Returns a trace whose name is not text, in a separate folder.
#[cfg(unix)]
fn odd_trace(sandbox: &Sandbox) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = sandbox.path("odd");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(std::ffi::OsStr::from_bytes(b"odd\xff.tarmac"));
    fs::write(&path, SHORT).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn a_trace_whose_name_is_no_text_is_chosen_and_opened_again_from_the_recent_list() {
    let sandbox = Sandbox::new();
    let path = odd_trace(&sandbox);
    let mut window = sandbox.window(WindowOptions::default());
    window.wait();
    window.press_with(CTRL, Key::O);
    type_path(&mut window, &sandbox.path("odd"));
    window.click_with(CTRL, "odd\u{fffd}.tarmac, Tarmac trace");
    window.press(Key::Enter);
    window.wait();
    assert_eq!(window.desk().session.path, path);
    // The settings kept between runs lead to the same file.
    let kept = ron::to_string(window.app().settings()).unwrap();
    let settings: stepback_window::Settings = ron::from_str(&kept).unwrap();
    assert_eq!(settings.recent[0].path, path);
    window.command("Close trace");
    let again = settings.recent[0].action();
    window.perform(again);
    assert_eq!(window.desk().session.path, path);
}

#[cfg(unix)]
#[test]
fn a_trace_whose_name_is_no_text_is_dropped_and_comes_back_with_its_session() {
    let sandbox = Sandbox::new();
    let path = odd_trace(&sandbox);
    let mut window = sandbox.window(WindowOptions::default());
    window.wait();
    crate::start::drop_file(&mut window, &path);
    assert_eq!(window.desk().session.path, path);
    window.go_to("9");
    window.command("Bookmark the end");
    let session = sandbox.path("kept.session.toml");
    window.perform(Action::File(FileAction::SaveSession(Some(session.clone()))));
    window.command("Close trace");
    window.perform(Action::File(FileAction::OpenSession(Some(session))));
    assert_eq!(window.desk().session.path, path);
    assert_eq!(window.desk().bookmarks.list().len(), 1);
}

#[test]
fn the_foot_says_what_is_opened() {
    let (mut window, _) = browsing();
    window.type_text("run9");
    assert!(window.has("Opens run9.tarmac"));
    window.press(Key::Escape);
    window.press(Key::ArrowDown);
    assert!(window.has("Shows the folder more"));
}

#[test]
fn a_session_is_saved_under_the_name_of_its_trace() {
    let mut window = Driver::text(SHORT);
    window.command("Save session as…");
    assert!(window.app().is_browsing());
    assert_eq!(window.value_of("File name"), "a.tarmac.session.toml");
}
