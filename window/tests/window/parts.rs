//! A partially indexed trace: shown at once, replaced in place, stopped and resumed, followed.
//!
//! A followed trace of any size is shown in parts, and stays so until the test appends to it.

use std::fs;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use stepback_debugger::action::{Action, FileAction, FoldAction};
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::session::OpenOptions;
use stepback_window::WindowOptions;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::{CTRL_SHIFT, Driver};

const MORE: &str = "13 clk IT (12) 00001028 d503201f O EL1h_n : NOP\n";
const WRITE: &str =
    "14 clk IT (13) 0000102c d2800082 O EL1h_n : MOV x2,#4\n14 clk R X2 0000000000000004\n";

fn append(path: &Path, text: &str) {
    File::options()
        .append(true)
        .open(path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

/// Returns the number of shown steps.
fn steps(window: &Driver) -> u64 {
    window.desk().session.index.step_count()
}

#[track_caller]
fn wait_for_steps(window: &mut Driver, expected: u64) {
    window.wait_until(|window| steps(window) == expected);
    window.wait();
}

/// Opens the short trace and follows it.
fn following() -> (Driver, PathBuf) {
    let mut window = Driver::text(SHORT);
    window.command("Follow");
    let path = window.path("a.tarmac");
    (window, path)
}

#[test]
fn who_follows_a_trace_stays_at_its_end() {
    let (mut window, path) = following();
    window.check_position(12);
    assert!(window.has("Following: 12 steps"));
    append(&path, MORE);
    wait_for_steps(&mut window, 13);
    window.check_position(13);
    assert!(
        window.has("Following: 13 steps") && window.has("After step 12 · position 13 of 13 so far")
    );
    assert_eq!(window.messages(), [""; 0]);
    append(&path, WRITE);
    wait_for_steps(&mut window, 14);
    window.check_position(14);
}

#[test]
fn who_moves_away_is_left_there_until_he_comes_back_to_the_end() {
    let (mut window, path) = following();
    window.go_to("7");
    append(&path, MORE);
    wait_for_steps(&mut window, 13);
    window.check_position(7);
    window.press(egui::Key::End);
    append(&path, WRITE);
    wait_for_steps(&mut window, 14);
    window.check_position(14);
    window.press_with(egui::Modifiers::ALT, egui::Key::ArrowLeft);
    window.check_position(7);
}

#[test]
fn an_end_of_following_finishes_the_index() {
    let (mut window, path) = following();
    append(&path, MORE);
    wait_for_steps(&mut window, 13);
    assert!(!window.desk().session.index.is_whole());
    window.press_with(CTRL_SHIFT, egui::Key::End);
    window.wait_until(|window| window.app().opening().is_none());
    window.wait();
    assert!(window.desk().session.index.is_whole());
    assert_eq!((steps(&window), window.messages()), (13, Vec::new()));
    assert!(window.has("After step 12 · position 13 of 13") && window.count_like("Following") == 0);
    drop(window);
}

#[test]
fn answers_that_the_rest_may_change_are_so_far() {
    let (mut window, path) = following();
    window.command("Next write x2");
    window.check_stated("no later write of x2 so far");
    window.close_messages();
    window.command("Last write x5");
    window.check_stated("no earlier write of x5");
    window.close_messages();
    window.go_to("7");
    append(&path, WRITE);
    wait_for_steps(&mut window, 13);
    window.command("Next write x2");
    window.check_position(10);
    window.command("Next write x2");
    window.check_position(13);
    assert_eq!(window.messages(), [""; 0]);
}

#[test]
fn what_was_cancelled_stays_on_the_screen_and_goes_on_when_asked() {
    let (mut window, path) = following();
    window.go_to("7");
    append(&path, MORE);
    wait_for_steps(&mut window, 13);
    window.perform(Action::File(FileAction::CancelIndexing));
    window.check_position(7);
    assert!(window.has("Indexed up to step 13 (100 %)"));
    assert_eq!(window.messages(), [""; 0]);
    append(&path, WRITE);
    window.click("Continue");
    assert!(window.desk().session.index.is_whole());
    assert_eq!(steps(&window), 14);
    window.check_position(7);
    assert!(!window.has("Continue"));
}

#[test]
fn escape_ends_following() {
    let (mut window, _) = following();
    window.press(egui::Key::Escape);
    window.wait_until(|window| window.app().opening().is_none());
    assert!(window.desk().session.index.is_whole());
}

#[test]
fn folds_and_panels_stay_when_more_of_the_trace_is_known() {
    let sandbox = Sandbox::new();
    let whole = fs::read_to_string(sandbox.fixture("overflow_bare.tiny.tarmac")).unwrap();
    let head = whole
        .lines()
        .take(2800)
        .fold(String::new(), |text, line| text + line + "\n");
    let path = sandbox.file("a.tarmac", &head);
    let mut window = sandbox.open(&path);
    window.close_messages();
    let part = steps(&window);
    assert!(part > 1300 && part < 1763, "{part}");
    window.go_to("1233");
    window.perform(Action::Fold(FoldAction::Containing));
    window.check_position(1237);
    window.command("Show memory sp");
    window.command("Follow");
    window.go_to("1237");
    let (rows, panels) = (window.rows(), window.panels_in_order());
    assert_eq!(rows, part - 6);
    append(&path, &whole[head.len()..]);
    wait_for_steps(&mut window, 1763);
    window.check_position(1237);
    assert_eq!(
        (window.rows(), window.panels_in_order()),
        (1763 - 6, panels)
    );
}

#[test]
fn a_trace_that_has_grown_offers_to_follow_it() {
    let mut window = Driver::text(SHORT);
    window.go_to("7");
    append(&window.path("a.tarmac"), MORE);
    let grown = "The trace has grown · This is the old version of the file.";
    window.wait_until(|window| window.has(grown));
    assert_eq!(window.messages(), [""; 0]);
    window.wait();
    assert!(window.has("Reload"));
    window.click("Follow");
    wait_for_steps(&mut window, 13);
    window.check_position(13);
    assert_eq!(window.messages(), [""; 0]);
    assert!(!window.has(grown));
}

#[test]
fn a_script_can_follow() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("a.tarmac", SHORT);
    let script = Some(sandbox.file("a.run", "Go to 3\nFollow\nFollow\nGo to 5\n"));
    let trace = Some(TraceChoice::of(OpenOptions::new(path)));
    let mut window = sandbox.window(WindowOptions {
        trace,
        script,
        ..WindowOptions::default()
    });
    window.wait_until(|window| window.app().is_script_done());
    assert_eq!(window.app().failure(), None);
    window.check_position(5);
    assert!(window.desk().session.index.is_whole());
}

#[test]
fn a_trace_that_is_rewritten_while_it_is_followed_is_told_and_can_be_reloaded() {
    let (mut window, path) = following();
    fs::write(&path, &SHORT[..400]).unwrap();
    window.wait_until(|window| !window.messages().is_empty());
    assert_eq!(window.messages(), ["Indexing stopped"]);
    window.wait();
    window.click("Reload");
    assert!(window.desk().session.index.is_whole());
}

/// Runs if `STEPBACK_TRACES` names a folder with `lua.medium.tarmac`, which is too large to
/// generate in a test.
#[test]
fn real_traces_are_shown_while_they_are_indexed_and_gone_on_with_after_a_cancel() {
    let Some(folder) = std::env::var_os("STEPBACK_TRACES") else {
        return eprintln!("skipped: no STEPBACK_TRACES");
    };
    let trace = Path::new(&folder).join("lua.medium.tarmac");
    if !trace.exists() {
        return eprintln!("skipped: no {}", trace.display());
    }
    let sandbox = Sandbox::new();
    let index = Some(sandbox.path("x.sbi"));
    let options = || OpenOptions {
        index: index.clone(),
        threads: 1,
        ..OpenOptions::new(&trace)
    };
    let open = || {
        let trace = Some(TraceChoice::of(options()));
        let mut window = sandbox.window(WindowOptions {
            trace,
            shows_parts: true,
            ..WindowOptions::default()
        });
        window.wait_until(|window| window.app().workspace().is_some());
        window
    };
    let mut window = open();
    assert!(!window.desk().session.index.is_whole());
    window
        .harness()
        .state_mut()
        .perform(Action::File(FileAction::CancelIndexing));
    window.wait_until(|window| window.app().opening().is_none());
    let first = steps(&window);
    assert_eq!(window.count_like("Indexed up to step"), 1);
    drop(window);
    let mut window = open();
    assert!(steps(&window) >= first && !window.desk().session.index.is_whole());
    window.wait();
    assert!(window.desk().session.index.is_whole() && window.messages().is_empty());
}

/// Runs under the same condition as the test above.
#[test]
fn half_of_a_trace_is_half_of_the_whole_also_where_it_is_opened_there_while_it_is_indexed() {
    let Some(folder) = std::env::var_os("STEPBACK_TRACES") else {
        return eprintln!("skipped: no STEPBACK_TRACES");
    };
    let trace = Path::new(&folder).join("lua.medium.tarmac");
    if !trace.exists() {
        return eprintln!("skipped: no {}", trace.display());
    }
    let sandbox = Sandbox::new();
    let options = OpenOptions {
        index: Some(sandbox.path("x.sbi")),
        threads: 1,
        ..OpenOptions::new(&trace)
    };
    let (trace, at) = (Some(TraceChoice::of(options)), Some("50%".to_owned()));
    let mut window = sandbox.window(WindowOptions {
        trace,
        at,
        shows_parts: true,
        ..WindowOptions::default()
    });
    window.wait_until(|window| window.app().workspace().is_some());
    assert!(!window.desk().session.index.is_whole());
    window.check_position(0);
    window.wait_until(|window| window.desk().session.index.is_whole());
    window.wait();
    let half = steps(&window) / 2;
    assert!(
        window.active().position.0.abs_diff(half) <= 1,
        "{:?}",
        window.active().position
    );
}
