//! The start screen.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::Key;
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::PanelKind;
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::session::OpenOptions;
use stepback_window::WindowOptions;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

/// Opens the start screen, and returns a trace that is not open.
fn beside_a_trace() -> (Driver, PathBuf) {
    let sandbox = Sandbox::new();
    let path = sandbox.file("a.tarmac", SHORT);
    let mut window = sandbox.window(WindowOptions::default());
    window.wait();
    (window, path)
}

#[track_caller]
fn type_path(window: &mut Driver, path: &Path) {
    window.click("Path of a trace");
    window.enter(&path.display().to_string());
}

/// Checks the message about a trace that cannot be opened.
#[track_caller]
fn check_refused(path: &Path, why: &str) {
    let mut window = Driver::start();
    type_path(&mut window, path);
    assert!(window.app().workspace().is_none());
    // Reported once, at the field and not in a message as well.
    assert!(window.app().toasts().is_empty(), "{:?}", window.messages());
    let stated = window.painted_in(window.harness_rect());
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert!(stated.contains(&name) && stated.contains(why), "{stated}");
}

#[test]
fn a_typed_path_opens_the_trace() {
    let (mut window, path) = beside_a_trace();
    type_path(&mut window, &path);
    assert_eq!(window.desk().session.index.step_count(), 12);
    assert!(window.panels().contains(&PanelKind::Trace));
    // The keys belong to the panels now.
    window.press(Key::F11);
    window.check_position(1);
}

#[test]
fn a_path_can_be_typed_right_away() {
    let (mut window, path) = beside_a_trace();
    window.enter(&path.display().to_string());
    assert_eq!(window.desk().session.index.step_count(), 12);
    window.command("Close trace");
    window.type_text("/tmp");
    assert_eq!(window.value_of("Path of a trace"), "/tmp");
}

#[test]
fn a_compressed_trace_is_opened_like_a_plain_one() {
    let sandbox = Sandbox::new();
    let path = sandbox.file(
        "a.tarmac.zst",
        zstd::encode_all(SHORT.as_bytes(), 1).unwrap(),
    );
    let mut window = sandbox.window(WindowOptions::default());
    type_path(&mut window, &path);
    assert_eq!(window.desk().session.index.step_count(), 12);
    assert_eq!(
        window.desk().recent().look(),
        stepback_debugger::desk::RecentState::Good
    );
}

#[test]
fn names_are_offered_while_a_path_is_typed() {
    let (mut window, path) = beside_a_trace();
    let whole = path.display().to_string();
    window.click("Path of a trace");
    window.type_text(whole.trim_end_matches("tarmac"));
    window.click(&whole);
    assert_eq!(window.value_of("Path of a trace"), whole);
}

#[test]
fn a_file_that_is_not_there_is_told_by_name() {
    check_refused(Path::new("/nowhere/b.tarmac"), "/nowhere");
}

#[test]
fn what_is_no_trace_is_told_by_name() {
    let sandbox = Sandbox::new();
    check_refused(&sandbox.file("empty.tarmac", ""), "empty");
    check_refused(
        &sandbox.file(
            "rubbish.tarmac",
            [0u8, 159, 146, 150, 255, 254, 3].repeat(100),
        ),
        "",
    );
    check_refused(
        &sandbox.file(
            "packed.tarmac.gz",
            [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0],
        ),
        "",
    );
    let folder = sandbox.path("folder.tarmac");
    fs::create_dir(&folder).unwrap();
    check_refused(&folder, "directory");
}

#[test]
fn an_error_is_below_the_field_until_something_else_is_typed() {
    let mut window = Driver::start();
    type_path(&mut window, Path::new("/nowhere/b.tarmac"));
    let shown = |window: &mut Driver| window.painted_in(window.harness_rect()).to_lowercase();
    assert!(
        shown(&mut window).contains("no such file"),
        "{}",
        shown(&mut window)
    );
    window.type_text("2");
    assert!(!shown(&mut window).contains("no such file"));
}

#[test]
fn what_was_open_stays_open_when_another_trace_cannot_be_opened() {
    let mut window = Driver::text(SHORT);
    window.command("Open /nowhere/b.tarmac");
    assert_eq!(window.desk().session.index.step_count(), 12);
    assert_eq!(window.messages(), ["The trace could not be opened"]);
}

#[test]
fn recent_traces_are_listed_opened_and_forgotten() {
    let (mut window, path) = beside_a_trace();
    let other = path.with_file_name("b.tarmac");
    fs::write(&other, SHORT).unwrap();
    type_path(&mut window, &path);
    window.command(&format!("Open {}", other.display()));
    window.command("Close trace");
    let recent: Vec<PathBuf> = window
        .app()
        .settings()
        .recent
        .iter()
        .map(|trace| trace.path.clone())
        .collect();
    assert_eq!(recent, [other.clone(), path.clone()]);
    window.click("Open a.tarmac");
    assert_eq!(window.desk().name(), "a.tarmac");
    window.command("Close trace");
    window.harness().get_by_label("Open b.tarmac").hover();
    window.wait();
    window.click("Remove from list");
    assert!(!window.has("Open b.tarmac"));
    window.click("Clear list");
    assert!(window.app().settings().recent.is_empty());
}

/// A log in a format of its own opens from the list, and by its path, as the command line opened it.
#[test]
fn a_described_log_is_read_as_before() {
    let sandbox = Sandbox::new();
    let layout = "instruction_set = \"riscv64\"\n[[line]]\n\
                  pattern = '^retire pc=(?<pc>\\w+) insn=(?<opcode>\\w+)'\n";
    let layout = sandbox.file("bench.toml", layout);
    let trace = sandbox.file(
        "bench.log",
        "retire pc=1000 insn=00000297\nretire pc=1004 insn=0002b283\n",
    );
    let options = OpenOptions {
        record_layout: Some(layout),
        ..OpenOptions::new(&trace)
    };
    let mut window = sandbox.window(WindowOptions {
        trace: Some(TraceChoice::of(options)),
        ..WindowOptions::default()
    });
    window.wait();
    assert_eq!(window.desk().session.index.step_count(), 2);
    for open in ["Open bench.log", "path"] {
        window.command("Close trace");
        match open {
            "path" => type_path(&mut window, &trace),
            entry => window.click(entry),
        }
        assert_eq!(window.desk().session.index.step_count(), 2, "{open}");
    }
}

#[test]
fn a_recent_trace_that_is_gone_is_reported() {
    let (mut window, path) = beside_a_trace();
    type_path(&mut window, &path);
    window.command("Close trace");
    fs::remove_file(&path).unwrap();
    window.click("Open a.tarmac");
    assert!(window.app().workspace().is_none());
    assert_eq!(window.messages(), ["The trace could not be opened"]);
    window.command("Dismiss notifications");
    let row = window.painted("Open a.tarmac");
    assert!(!row.is_empty(), "{row}");
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("only the path is wanted".to_owned())
    }
}

/// Drops a file on the window.
pub fn drop_file(window: &mut Driver, path: &Path) {
    window
        .harness()
        .input_mut()
        .dropped_files
        .push(Arc::new(Dropped(path.to_owned())));
    window.wait();
}

#[test]
fn a_dropped_file_is_opened() {
    let (mut window, path) = beside_a_trace();
    drop_file(&mut window, &path);
    assert_eq!(window.desk().name(), "a.tarmac");
    let other = path.with_file_name("b.tarmac");
    fs::write(&other, SHORT).unwrap();
    drop_file(&mut window, &other);
    assert_eq!(window.desk().name(), "b.tarmac");
}

#[test]
fn more_messages_than_can_be_read_are_folded() {
    let mut window = Driver::text(SHORT);
    for number in 0..6 {
        window.command(&format!("Open /nowhere/{number}.tarmac"));
    }
    assert_eq!(window.messages().len(), 6);
    window.click("5 more");
    assert!(!window.has("5 more"));
    window.click("Dismiss all");
    assert!(window.messages().is_empty());
}

#[test]
fn the_formats_are_named_within_their_frame_in_a_low_window_too() {
    for size in [[800.0, 500.0], [1280.0, 800.0]] {
        let mut window = Sandbox::new().window_of(size, WindowOptions::default());
        window.wait();
        let stated = window.painted_in(window.harness_rect());
        for format in ["Tarmac", "RISC-V log", "QEMU execlog", "Tenet"] {
            assert!(stated.contains(format), "{size:?}: {stated}");
        }
    }
}
