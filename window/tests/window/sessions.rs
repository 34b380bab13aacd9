//! State of a trace is kept next to it, and can be moved to another machine as a file.

use std::fs;
use std::path::{Path, PathBuf};

use eframe::App as _;
use egui::{Key, Modifiers};
use stepback_debugger::action::{Action, FileAction, MarkAction, PanelAction, PanelKind};
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::notes::{Bookmark, BookmarkChange, BookmarkField};
use stepback_debugger::session::OpenOptions;
use stepback_window::WindowOptions;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

/// Another trace.
const OTHER: &str = "1 clk IT (0) 00001000 d503201f O EL1h_n : NOP\n2 clk IT (1) 00001004 d503201f O EL1h_n : NOP\n";

fn titles(window: &Driver) -> Vec<String> {
    window
        .desk()
        .bookmarks
        .list()
        .iter()
        .map(Bookmark::title)
        .collect()
}

/// Ends the program as closing its window does.
fn end(mut window: Driver) {
    window.harness().state_mut().on_exit(None);
}

/// Opens a trace with marks, panels and a position.
fn marked(sandbox: &Sandbox) -> Driver {
    let mut window = sandbox.open(&sandbox.file("a.tarmac", SHORT));
    window.go_to("9");
    window.command("Bookmark the end");
    window.go_to("5");
    window.command("Bookmark the middle");
    window.command("Note here it turns");
    window.command("Show warnings");
    window.command("Show memory 0x1000");
    window.command("Windows move together");
    window
}

#[track_caller]
fn check_marked(window: &Driver) {
    assert_eq!(titles(window), ["the middle", "the end"]);
    assert_eq!(window.desk().bookmarks.list()[0].note, "here it turns");
    assert!(window.panels().contains(&PanelKind::Warnings));
    assert_eq!(window.value_of("address"), "0x1000");
    assert!(window.desk().windows.is_synced);
    window.check_position(5);
}

#[test]
fn a_trace_is_as_it_was_left() {
    let sandbox = Sandbox::new();
    end(marked(&sandbox));
    check_marked(&sandbox.open(&sandbox.path("a.tarmac")));
    // The index can be deleted without losing the user's notes.
    fs::remove_file(sandbox.path("a.tarmac.sbi")).unwrap();
    check_marked(&sandbox.open(&sandbox.path("a.tarmac")));
}

#[test]
fn restored_panels_follow_the_size_of_the_window_unless_they_were_changed() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SHORT);
    let opened = |width: f32| sandbox.open_in([width, 1000.0], &trace);
    let has_calls_aside = |window: &Driver| {
        window.tabs_height(PanelKind::Calls) > window.tabs_height(PanelKind::Registers)
    };
    end(opened(1280.0));
    let mut window = opened(1600.0);
    window.wait();
    assert!(has_calls_aside(&window));
    end(window);
    let mut window = opened(1280.0);
    window.wait();
    assert!(!has_calls_aside(&window));
    window.command("Show heap");
    end(window);
    let mut window = opened(1600.0);
    window.wait();
    assert!(!has_calls_aside(&window));
}

#[test]
fn a_closed_first_trace_window_does_not_come_back() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open(&sandbox.file("a.tarmac", SHORT));
    window.go_to("9");
    window.press_with(Modifiers::COMMAND, Key::T);
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.press_with(Modifiers::COMMAND, Key::W);
    assert_eq!(window.positions(), [(2, 9)]);
    window.command("Reload");
    assert_eq!(window.positions(), [(2, 9)]);
    end(window);
    let window = sandbox.open(&sandbox.path("a.tarmac"));
    assert_eq!(window.positions(), [(2, 9)]);
}

#[test]
fn reloading_and_going_to_another_trace_and_back_lose_nothing() {
    let sandbox = Sandbox::new();
    let other = sandbox.file("b.tarmac", OTHER);
    let mut window = marked(&sandbox);
    window.command("Reload");
    check_marked(&window);
    window.perform(Action::File(FileAction::OpenPath(other.clone())));
    assert_eq!(titles(&window), [""; 0]);
    assert_eq!(window.value_of("address"), "sp");
    window.perform(Action::File(FileAction::OpenPath(
        sandbox.path("a.tarmac").clone(),
    )));
    check_marked(&window);
}

#[test]
fn a_session_is_opened_where_the_trace_has_another_path() {
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let mut window = marked(&here);
    let file = there.path("find.session.toml");
    window.command(&format!("Save session as {}", file.display()));
    window.check_stated("session saved");
    end(window);
    fs::remove_file(here.path("a.tarmac")).unwrap();
    // The trace is missing: the window prompts for it.
    let mut window = there.window(WindowOptions::default());
    window.wait();
    window.command(&format!("Open session {}", file.display()));
    window.check_stated("the session's trace was not found");
    assert!(window.has("Locate…"));
    // A dialog would return this.
    let elsewhere = there.file("renamed.tarmac", SHORT);
    window.close_messages();
    window.perform(Action::File(FileAction::OpenSessionWith(
        file.clone(),
        elsewhere.clone(),
    )));
    check_marked(&window);
    assert_eq!(window.messages(), [""; 0]);
    // It is found next to the session under its old name.
    fs::rename(&elsewhere, there.path("a.tarmac")).unwrap();
    window.command(&format!("Open session {}", file.display()));
    check_marked(&window);
    // Changes are written to that file when the user saves it.
    let text = fs::read_to_string(&file).unwrap();
    window.press(Key::B);
    window.command("Reload");
    window.close_messages();
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    window.press_with(Modifiers::COMMAND, Key::S);
    window.check_stated("session saved");
    end(window);
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains("the middle") && text.contains("the end"),
        "{text}"
    );
}

#[test]
fn a_session_with_a_name_is_as_it_was_saved() {
    let sandbox = Sandbox::new();
    let mut window = marked(&sandbox);
    let file = sandbox.path("s1.toml");
    window.command(&format!("Save session as {}", file.display()));
    let saved = fs::read_to_string(&file).unwrap();
    window.press(Key::B);
    window.go_to("11");
    window.command("Bookmark of later");
    window.command(&format!("Open session {}", file.display()));
    check_marked(&window);
    assert_eq!(fs::read_to_string(&file).unwrap(), saved);
    // The trace's state in the meantime is replaced, and can be restored.
    window.close_messages();
    window.command("Close trace");
    window.check_stated("the previous session of this trace was kept");
    let before = sandbox.path("a.tarmac.session.before.toml");
    assert!(fs::read_to_string(&before).unwrap().contains("of later"));
    window.perform(Action::File(FileAction::OpenSession(Some(before.clone()))));
    assert_eq!(titles(&window), ["the end", "of later"]);
    window.command("Save session");
    assert!(window.has("Cancel"));
    window.press(Key::Escape);
    end(window);
    assert_eq!(fs::read_to_string(&file).unwrap(), saved);
    assert!(fs::read_to_string(&before).unwrap().contains("the middle"));
    assert_eq!(
        titles(&sandbox.open(&sandbox.path("a.tarmac"))),
        ["the end", "of later"]
    );
}

#[test]
fn the_own_session_opened_by_its_path_is_no_other_one() {
    let sandbox = Sandbox::new();
    end(marked(&sandbox));
    let mut window = sandbox.open(&sandbox.path("a.tarmac.session.toml"));
    check_marked(&window);
    window.press(Key::B);
    end(window);
    assert!(!sandbox.path("a.tarmac.session.before.toml").exists());
    assert_eq!(
        titles(&sandbox.open(&sandbox.path("a.tarmac"))),
        ["the end"]
    );
}

#[test]
fn a_named_file_that_somebody_changed_is_not_saved_over_by_a_key() {
    let sandbox = Sandbox::new();
    let mut window = marked(&sandbox);
    let file = sandbox.path("s1.toml");
    window.command(&format!("Save session as {}", file.display()));
    let theirs = fs::read_to_string(&file)
        .unwrap()
        .replace("the middle", "what they found");
    fs::write(&file, &theirs).unwrap();
    window.press(Key::B);
    window.close_messages();
    window.press_with(Modifiers::COMMAND, Key::S);
    window.check_stated("the session was not saved");
    assert!(window.has("Replace it"));
    assert_eq!(fs::read_to_string(&file).unwrap(), theirs);
}

#[test]
fn another_trace_than_that_of_the_session_is_reported() {
    let sandbox = Sandbox::new();
    let mut window = marked(&sandbox);
    let file = sandbox.path("find.session.toml");
    window.command(&format!("Save session as {}", file.display()));
    let kept = fs::read_to_string(&file).unwrap();
    let other = sandbox.file("b.tarmac", OTHER);
    window.close_messages();
    window.perform(Action::File(FileAction::OpenSessionWith(
        file.clone(),
        other.clone(),
    )));
    window.check_stated("the session was saved for another trace");
    end(window);
    assert_eq!(fs::read_to_string(&file).unwrap(), kept);
}

#[test]
fn a_session_that_somebody_broke_is_told_with_its_line_and_left_alone() {
    let sandbox = Sandbox::new();
    end(marked(&sandbox));
    let place = sandbox.path("a.tarmac.session.toml");
    let broken = fs::read_to_string(&place)
        .unwrap()
        .replace("[trace]", "[trace");
    fs::write(&place, &broken).unwrap();
    let mut window = sandbox.open(&sandbox.path("a.tarmac"));
    let stated = format!("{:?}", window.app().toasts());
    assert!(
        stated.contains("line 6") && stated.contains("a.tarmac.session.toml"),
        "{stated}"
    );
    window.press(Key::B);
    end(window);
    assert_eq!(fs::read_to_string(&place).unwrap(), broken);
}

fn opened_at(trace: &Path, at: &str) -> Driver {
    let options = WindowOptions {
        trace: Some(TraceChoice::of(OpenOptions::new(trace))),
        at: Some(at.to_owned()),
        ..WindowOptions::default()
    };
    let mut window = Sandbox::new().window(options);
    window.wait();
    window
}

#[test]
fn a_trace_is_opened_at_a_place_and_a_session_by_its_path() {
    let sandbox = Sandbox::new();
    end(marked(&sandbox));
    let trace = sandbox.path("a.tarmac");
    opened_at(&trace, "7").check_position(7);
    opened_at(&trace, "end").check_position(12);
    let window = sandbox.open(&sandbox.path("a.tarmac.session.toml"));
    assert_eq!(titles(&window), ["the middle", "the end"]);
}

#[test]
fn undo_works_beyond_a_reload() {
    let sandbox = Sandbox::new();
    let mut window = marked(&sandbox);
    window.press(Key::B);
    assert_eq!(titles(&window), ["the end"]);
    window.command("Reload");
    window.press_with(Modifiers::COMMAND, Key::Z);
    assert_eq!(titles(&window), ["the middle", "the end"]);
}

/// Writes a session of the trace `a.tarmac` as a person might.
fn by_hand(sandbox: &Sandbox, rest: &str) -> PathBuf {
    sandbox.file("a.tarmac", SHORT);
    let text =
        format!("stepback_session = 1\nactive = 1\n[trace]\npath = \"/nowhere/a.tarmac\"\n{rest}");
    sandbox.file("hand.session.toml", text)
}

#[test]
fn a_session_of_a_colleague_sets_the_own_one_aside() {
    let sandbox = Sandbox::new();
    end(marked(&sandbox));
    let place = sandbox.path("a.tarmac.session.toml");
    let own = fs::read_to_string(&place).unwrap();
    let theirs = sandbox.file(
        "theirs.session.toml",
        own.replace("the middle", "what they found"),
    );
    let mut window = sandbox.open(&theirs);
    assert_eq!(titles(&window), ["what they found", "the end"]);
    window.press(Key::B);
    end(window);
    let before = sandbox.path("a.tarmac.session.before.toml");
    assert_eq!(fs::read_to_string(&before).unwrap(), own);
    assert!(
        fs::read_to_string(&theirs)
            .unwrap()
            .contains("what they found")
    );
    assert_eq!(
        titles(&sandbox.open(&sandbox.path("a.tarmac"))),
        ["the end"]
    );
    // So does a session of another trace.
    fs::write(&place, &own).unwrap();
    let other = sandbox.file(
        "other.session.toml",
        own.replace("bytes = ", "bytes = 1")
            .replace("the middle", "mixed up"),
    );
    let mut window = sandbox.open(&other);
    window.check_stated("the session was saved for another trace");
    window.press(Key::B);
    end(window);
    assert_eq!(fs::read_to_string(&before).unwrap(), own);
}

#[test]
fn a_session_without_panels_has_the_first_ones_and_its_windows() {
    let sandbox = Sandbox::new();
    let windows = "[[windows]]\nnumber = 1\nposition = 5\n[[windows]]\nnumber = 2\nposition = 7\n";
    for (panels, is_stated) in [
        ("", false),
        ("[panels]\nlayout = \"Row([(216.0, Table\"\n", true),
    ] {
        let window = sandbox.open(&by_hand(&sandbox, &format!("{windows}{panels}")));
        assert!(
            window.panels().contains(&PanelKind::Registers),
            "{:?}",
            window.panels()
        );
        window.check_position(5);
        let positions: Vec<u64> = window
            .desk()
            .windows
            .list
            .iter()
            .map(|window| window.position.0)
            .collect();
        assert_eq!(positions, [5, 7]);
        let stated = format!("{:?}", window.app().toasts());
        assert_eq!(
            stated.contains("panels of the session could not be read"),
            is_stated,
            "{stated}"
        );
    }
}

#[test]
fn what_is_requested_next_to_a_session_is_done() {
    let sandbox = Sandbox::new();
    let file = by_hand(&sandbox, "");
    let index = sandbox.path("elsewhere.sbi");
    let options = OpenOptions {
        index: Some(index.clone()),
        ..OpenOptions::new(file)
    };
    let trace = Some(TraceChoice::of(options));
    let mut window = sandbox.window(WindowOptions {
        trace,
        ..WindowOptions::default()
    });
    window.wait();
    assert_eq!(window.desk().session.index_path.as_deref(), Some(&*index));
    assert!(index.is_file() && !sandbox.path("a.tarmac.sbi").exists());
}

#[test]
fn images_that_are_not_there_stay_in_the_session_and_are_reported() {
    let sandbox = Sandbox::new();
    end(marked(&sandbox));
    let place = sandbox.path("a.tarmac.session.toml");
    let image = "\n[[images]]\npath = \"/nowhere/x.elf\"\noffset = 16\n";
    let text = fs::read_to_string(&place).unwrap();
    fs::write(&place, format!("{text}{image}")).unwrap();
    let mut window = sandbox.open(&sandbox.path("a.tarmac"));
    let stated = format!("{:?}", window.app().toasts());
    assert!(
        stated.contains("file that the session names is missing")
            && stated.contains("/nowhere/x.elf"),
        "{stated}"
    );
    window.press(Key::B);
    end(window);
    let text = fs::read_to_string(&place).unwrap();
    assert!(
        text.contains("/nowhere/x.elf")
            && text.contains("offset = 16")
            && !text.contains("the middle"),
        "{text}"
    );
}

#[test]
fn another_file_of_the_trace_that_is_not_there_is_named() {
    let sandbox = Sandbox::new();
    let file = by_hand(&sandbox, "more = [\"/nowhere/b.tarmac\"]\n");
    let trace = || Some(TraceChoice::of(OpenOptions::new(&file)));
    let mut window = sandbox.window(WindowOptions {
        trace: trace(),
        ..WindowOptions::default()
    });
    window.wait();
    let stated = format!("{:?}", window.app().toasts());
    assert!(
        stated.contains("/nowhere/b.tarmac") && !window.has("Locate…"),
        "{stated}"
    );
}

#[test]
fn a_bookmark_that_goes_with_its_note_can_be_had_back() {
    let sandbox = Sandbox::new();
    let mut window = marked(&sandbox);
    window.close_messages();
    window.press(Key::B);
    window.check_stated("bookmark and note deleted");
    assert!(window.has("Undo"));
}

#[test]
fn two_windows_on_one_trace_leave_each_other_s_session_alone() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SHORT);
    let (mut one, mut two) = (sandbox.open(&trace), sandbox.open(&trace));
    one.command("Bookmark of the first");
    two.command("Bookmark of the second");
    one.harness().state_mut().on_exit(None);
    let place = sandbox.path("a.tarmac.session.toml");
    let kept = fs::read_to_string(&place).unwrap();
    assert!(kept.contains("of the first"), "{kept}");
    // Opening another trace saves.
    two.perform(Action::File(FileAction::OpenPath(
        sandbox.file("b.tarmac", OTHER).clone(),
    )));
    let stated = format!("{:?}", two.app().toasts());
    assert!(
        stated.contains("The session was not saved") && stated.contains("Replace it"),
        "{stated}"
    );
    assert_eq!(fs::read_to_string(&place).unwrap(), kept);
}

#[test]
fn a_session_that_was_mended_by_hand_is_read_by_reload() {
    let sandbox = Sandbox::new();
    end(marked(&sandbox));
    let place = sandbox.path("a.tarmac.session.toml");
    let whole = fs::read_to_string(&place).unwrap();
    fs::write(&place, whole.replace("[trace]", "[trace")).unwrap();
    let mut window = sandbox.open(&sandbox.path("a.tarmac"));
    window.go_to("3");
    window.command("Bookmark meanwhile");
    fs::write(&place, whole).unwrap();
    window.command("Reload");
    assert_eq!(titles(&window), ["meanwhile", "the middle", "the end"]);
    end(window);
    assert!(fs::read_to_string(&place).unwrap().contains("meanwhile"));
}

#[test]
fn what_is_kept_nowhere_is_reported() {
    let sandbox = Sandbox::new();
    end(marked(&sandbox));
    let place = sandbox.path("a.tarmac.session.toml");
    fs::write(&place, "stepback_session = 1\n[trace\n").unwrap();
    let mut window = sandbox.open(&sandbox.path("a.tarmac"));
    window.close_messages();
    window.press(Key::B);
    window.perform(Action::File(FileAction::OpenPath(
        sandbox.file("b.tarmac", OTHER).clone(),
    )));
    window.check_stated("bookmarks are not saved");
}

#[test]
fn the_place_in_a_trace_that_is_not_there_is_no_place_in_the_next() {
    let sandbox = Sandbox::new();
    let mut window = opened_at(&sandbox.path("missing.tarmac"), "7");
    window.perform(Action::File(FileAction::OpenPath(
        sandbox.file("a.tarmac", SHORT).clone(),
    )));
    window.check_position(0);
}

#[test]
fn a_name_is_written_once_for_each_time_it_is_requested() {
    let sandbox = Sandbox::new();
    let mut window = marked(&sandbox);
    let id = window.desk().bookmarks.list()[0].id;
    window.perform(Action::Mark(MarkAction::Bookmark(BookmarkChange::Edit(
        id,
        BookmarkField::Name,
    ))));
    assert!(window.has("Name of the bookmark"));
    window.press(Key::Escape);
    assert!(!window.has("Name of the bookmark"));
    window.perform(Action::Panel(PanelAction::ResetLayout));
    window.command("Show bookmarks");
    assert!(window.panels().contains(&PanelKind::Bookmarks) && !window.has("Name of the bookmark"));
}

#[test]
fn panels_of_a_newer_version_stay_in_the_session_until_the_user_saves_it() {
    let sandbox = Sandbox::new();
    end(marked(&sandbox));
    let place = sandbox.path("a.tarmac.session.toml");
    let newer = "Tabs(0, [Hologram((depth: 3))])";
    let kept = fs::read_to_string(&place).unwrap();
    let head = kept.split("[panels]").next().unwrap();
    fs::write(&place, format!("{head}[panels]\nlayout = \"{newer}\"\n")).unwrap();
    let mut window = sandbox.open(&sandbox.path("a.tarmac"));
    window.check_stated("the panels of the session could not be read");
    window.command("Bookmark more");
    window.command("Reload");
    window.command("Show threads");
    end(window);
    let text = fs::read_to_string(&place).unwrap();
    assert!(
        text.contains("Hologram((depth: 3))")
            && text.contains("\"more\"")
            && !text.contains("Threads"),
        "{text}"
    );
    // Saving under another name writes the visible state, and leaves the trace's file unchanged.
    let mut window = sandbox.open(&sandbox.path("a.tarmac"));
    let other = sandbox.path("other.session.toml");
    window.command(&format!("Save session as {}", other.display()));
    end(window);
    assert!(fs::read_to_string(&other).unwrap().contains("Registers("));
    assert!(
        fs::read_to_string(&place)
            .unwrap()
            .contains("Hologram((depth: 3))")
    );
    let mut window = sandbox.open(&sandbox.path("a.tarmac"));
    window.command(&format!("Save session as {}", place.display()));
    end(window);
    let text = fs::read_to_string(&place).unwrap();
    assert!(
        !text.contains("Hologram") && text.contains("Registers("),
        "{text}"
    );
}
