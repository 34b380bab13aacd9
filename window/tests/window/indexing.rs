//! A trace whose index is being built, and one that changes while it is open.
//!
//! The program waits while another one builds the same index. A test that holds the lock of the
//! index file therefore sees a build that takes as long as the test needs.

use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};

use egui::Key;
use egui_kittest::kittest::Queryable as _;
use egui_tiles::TileId;
use stepback_debugger::action::{Action, FileAction, PanelKind};
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::session::OpenOptions;
use stepback_parsers::rst::Rst;
use stepback_window::WindowOptions;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

/// Text of the bar about a rewritten trace file.
const CHANGED: &str = "The trace changed · This is the old version of the file.";

/// Locks the index of a trace, so that it cannot be built.
fn hold_up(trace: &Path) -> File {
    let partial = trace.with_added_extension("sbi.partial");
    let file = File::create(partial).unwrap();
    file.lock().unwrap();
    file
}

/// Opens a window that is building an index, with the card in view.
fn building() -> (Driver, File) {
    let sandbox = Sandbox::new();
    let path = sandbox.file("a.tarmac", SHORT);
    let lock = hold_up(&path);
    let trace = Some(TraceChoice::of(OpenOptions::new(path)));
    let mut window = sandbox.window(WindowOptions {
        trace,
        ..WindowOptions::default()
    });
    window.wait_until(|window| window.has("Indexing a.tarmac"));
    (window, lock)
}

#[test]
fn a_trace_that_was_named_shows_its_name_while_it_opens_and_escape_gives_it_up() {
    let (mut window, lock) = building();
    assert!(window.has("Opening a.tarmac") && !window.has("Open the demo"));
    window.press(Key::Escape);
    window.wait();
    assert!(!window.has("Opening a.tarmac") && window.has("Open the demo"));
    drop(lock);
}

#[test]
fn cancel_leads_back_to_the_start_screen() {
    let (mut window, lock) = building();
    window.harness().get_by_label("Cancel").click();
    window.wait();
    assert_eq!(window.messages(), ["Indexing was cancelled"]);
    assert!(window.app().workspace().is_none() && window.app().opening().is_none());
    assert!(!window.has("Indexing a.tarmac"));
    assert!(window.app().settings().recent.is_empty());
    drop(lock);
    let path = window.path("a.tarmac");
    window.perform(Action::File(FileAction::OpenPath(path)));
    assert_eq!(window.desk().session.index.step_count(), 12);
}

#[test]
fn files_that_were_chosen_together_are_one_trace() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open(&sandbox.file("a.tarmac", SHORT));
    let whole = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/rst/cti.rst"
    ))
    .unwrap();
    let (begin, rest) = whole.split_at(24 * 40);
    // The second part does not begin like a trace. In names, 10 sorts after 9.
    let parts = [sandbox.path("cti.10"), sandbox.path("cti.9")];
    std::fs::write(&parts[0], rest).unwrap();
    std::fs::write(&parts[1], begin).unwrap();
    window.perform(Action::File(FileAction::OpenFiles(parts.to_vec())));
    assert_eq!(window.desk().name(), "cti.9 and 1 more file");
    let records = window
        .desk()
        .session
        .index
        .source()
        .downcast::<Rst>()
        .unwrap()
        .store()
        .facts()
        .records;
    assert_eq!(records, whole.len() as u64 / 24);
    let recent = &window.app().settings().recent[0];
    let again = [&parts[1], &parts[0]].map(PathBuf::from).to_vec();
    assert_eq!(recent.action(), Action::File(FileAction::OpenFiles(again)));
}

#[test]
fn cancel_keeps_the_trace_that_was_open() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open(&sandbox.file("a.tarmac", SHORT));
    window.go_to("7");
    let other = sandbox.file("b.tarmac", SHORT);
    let _lock = hold_up(&other);
    window
        .harness()
        .state_mut()
        .perform(Action::File(FileAction::OpenPath(other.clone())));
    window.wait_until(|window| window.has("Indexing b.tarmac"));
    // The open trace can be used meanwhile.
    window.harness().key_press(egui::Key::F11);
    window.harness().run_steps(4);
    window.check_position(8);
    window
        .harness()
        .state_mut()
        .perform(Action::File(FileAction::CancelIndexing));
    window.wait();
    assert_eq!(window.messages(), ["Indexing was cancelled"]);
    assert_eq!(window.desk().name(), "a.tarmac");
    window.check_position(8);
}

#[test]
fn the_card_can_be_hidden_and_brought_back() {
    let (mut window, lock) = building();
    window.harness().get_by_label("Hide").click();
    window.harness().run_steps(6);
    assert!(!window.has("Indexing a.tarmac"));
    window.harness().get_by_label("Indexing").click();
    window.harness().run_steps(6);
    assert!(window.has("Indexing a.tarmac"));
    drop(lock);
    window.wait();
    window.check_position(0);
}

#[test]
fn an_index_is_kept_next_to_the_trace_and_found_again() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("a.tarmac", SHORT);
    let first = sandbox.open(&path);
    assert!(first.desk().session.is_built_now);
    assert!(sandbox.path("a.tarmac.sbi").exists());
    assert!(!sandbox.path("a.tarmac.sbi.partial").exists());
    let second = sandbox.open(&path);
    assert!(!second.desk().session.is_built_now);
}

#[test]
fn a_damaged_index_is_rebuilt_and_told() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("a.tarmac", SHORT);
    drop(sandbox.open(&path));
    let index = sandbox.path("a.tarmac.sbi");
    let half = fs::metadata(&index).unwrap().len() / 2;
    File::options()
        .write(true)
        .open(&index)
        .unwrap()
        .set_len(half)
        .unwrap();
    let window = sandbox.open(&path);
    assert_eq!(window.messages(), ["The index was rebuilt"]);
    assert_eq!(window.desk().session.index.step_count(), 12);
}

/// Damages the first byte of the index that `is_met` detects.
fn damage_index(sandbox: &Sandbox, path: &Path, is_met: impl Fn(&mut Driver) -> bool) {
    drop(sandbox.open(path));
    let index = sandbox.path("a.tarmac.sbi");
    let whole = fs::read(&index).unwrap();
    let has_damage = |at: &usize| {
        let mut damaged = whole.clone();
        damaged[*at] ^= 0x41;
        fs::write(&index, &damaged).unwrap();
        let is_found = is_met(&mut sandbox.open(path));
        fs::write(&index, &damaged).unwrap();
        is_found
    };
    assert!(
        (0..whole.len())
            .step_by(whole.len() / 60)
            .any(|at| has_damage(&at)),
        "no damage is met"
    );
}

const MENDED: &str = "The index was damaged and was rebuilt";

#[test]
fn a_damaged_index_that_a_panel_meets_is_rebuilt_and_the_panel_shows_its_answer() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("a.tarmac", SHORT);
    damage_index(&sandbox, &path, |window| {
        window.messages().iter().any(|message| message == MENDED)
    });
    let mut window = sandbox.open(&path);
    window.wait_until(|window| window.messages().iter().any(|message| message == MENDED));
    window.wait();
    assert_eq!(window.count_like("is damaged"), 0, "the panels ask again");
    drop(window);
    let window = sandbox.open(&path);
    assert!(window.messages().is_empty(), "{:?}", window.messages());
}

#[test]
fn a_search_that_meets_a_damaged_index_lands_where_it_would_have() {
    let sandbox = Sandbox::new();
    // No panel queries the visits of an address, except Memory when it shows code; here it shows
    // the stack.
    let path = sandbox.file(
        "a.tarmac",
        format!("0 clk R SP_EL1 0000000000090000\n{SHORT}"),
    );
    let search = |window: &mut Driver| {
        window.go_to("pc:0x1010#1");
        window.messages().iter().any(|message| message == MENDED)
    };
    damage_index(&sandbox, &path, |window| {
        window.messages().is_empty() && search(window)
    });
    let mut window = sandbox.open(&path);
    assert!(search(&mut window));
    window.wait();
    window.check_position(6);
    assert_eq!(window.messages(), [MENDED]);
}

#[test]
fn a_trace_that_changes_while_it_is_open_is_noticed_and_can_be_reloaded() {
    let mut window = Driver::text(SHORT);
    window.go_to("7");
    let other = format!(
        "{}13 clk IT (12) 00001028 d503201f O EL1h_n : NOP\n",
        SHORT.replace("d2800020", "d2800021")
    );
    fs::write(window.path("a.tarmac"), other).unwrap();
    window.wait_until(|window| window.has(CHANGED));
    // A bar above the panels, which covers none of them.
    assert_eq!(window.messages(), [""; 0]);
    let bar = window.rect(CHANGED);
    let tile = window.tile(PanelKind::Trace);
    let panel = window.workspace().dock.tiles.rect(TileId(tile.0)).unwrap();
    assert!(bar.bottom() <= panel.top(), "{bar} {panel}");
    assert!(!window.has("Follow"));
    window.wait();
    window.click("Reload");
    assert_eq!(window.desk().session.index.step_count(), 13);
    window.check_position(7);
    assert!(!window.has(CHANGED));
}

#[test]
fn a_reload_by_the_palette_takes_the_message_about_the_change_away() {
    let mut window = Driver::text(SHORT);
    let other = SHORT.replace("d2800020", "d2800021");
    fs::write(window.path("a.tarmac"), format!("{other}\n")).unwrap();
    window.wait_until(|window| window.has(CHANGED));
    window.command("Reload");
    assert!(!window.has(CHANGED));
}

#[test]
fn a_trace_that_is_cut_short_while_it_is_open_does_not_harm() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    File::options()
        .write(true)
        .open(window.path("overflow_bare.tiny.tarmac"))
        .unwrap()
        .set_len(100)
        .unwrap();
    for place in ["end", "50%", "line:3000", "1,233"] {
        window.go_to(place);
    }
    window.command("Raw text");
    window.command("Last write x2");
    window.wait_until(|window| window.has(CHANGED));
}

#[test]
fn reload_reads_the_trace_again() {
    let mut window = Driver::text(SHORT);
    window.go_to("7");
    window.press_with(egui::Modifiers::COMMAND, egui::Key::R);
    window.check_position(7);
    assert!(window.desk().session.is_built_now);
}
