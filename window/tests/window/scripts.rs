//! `--run FILE`.

use std::time::Instant;

use stepback_debugger::action::PanelKind;
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::session::OpenOptions;
use stepback_window::WindowOptions;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::{Driver, PATIENCE};

/// Returns the window after a script on the short trace.
#[track_caller]
fn after(script: &str) -> Driver {
    run(script, true)
}

#[track_caller]
fn run(script: &str, has_trace: bool) -> Driver {
    let sandbox = Sandbox::new();
    let trace =
        has_trace.then(|| TraceChoice::of(OpenOptions::new(sandbox.file("a.tarmac", SHORT))));
    let script = Some(sandbox.file("script.txt", script));
    let mut window = sandbox.window(WindowOptions {
        trace,
        script,
        ..WindowOptions::default()
    });
    let limit = Instant::now() + PATIENCE;
    while !window.app().is_script_done() {
        window.harness().step();
        assert!(Instant::now() < limit, "the script does not end");
    }
    window
}

#[track_caller]
fn check_failure(script: &str, expected: &[&str]) {
    let window = after(script);
    let failure = window.app().failure().expect("a failure");
    for part in expected {
        assert!(failure.contains(part), "{part:?} in {failure:?}");
    }
}

#[test]
fn lines_are_performed_one_after_the_other() {
    let window = after(
        "# a comment\n\n  Go to end\nlast write x2\nSTEP BACK\nShow memory… x0+8\nMemory by 4 bytes\n\
         Side by side\nGo to… line:4\nShow warnings\nTheme light\n",
    );
    assert_eq!(window.app().failure(), None);
    assert_eq!(window.positions(), [(1, 9), (2, 2)]);
    assert!(window.panels().contains(&PanelKind::Warnings));
}

#[test]
fn an_empty_script_does_nothing() {
    let window = after("\n# nothing\n");
    assert_eq!(window.app().failure(), None);
    window.check_position(0);
}

#[test]
fn windows_line_ends_and_a_missing_last_one_do_not_matter() {
    let window = after("Go to 5\r\nStep");
    assert_eq!(window.app().failure(), None);
    window.check_position(6);
}

#[test]
fn a_line_that_is_no_command_fails_before_anything_is_done() {
    check_failure(
        "Go to end\nDance\n",
        &["script.txt, line 2", "no command matches \"Dance\""],
    );
    let window = after("Go to end\nDance\n");
    assert!(
        window
            .app()
            .desk()
            .is_none_or(|desk| desk.windows.active().position.0 == 0)
    );
}

#[test]
fn a_missing_or_superfluous_argument_fails() {
    check_failure("Show memory\n", &["line 1", "needs an argument"]);
    check_failure("\nTheme dark blue\n", &["line 2", "takes no argument"]);
}

#[test]
fn a_line_that_cannot_be_done_fails_and_is_named() {
    check_failure(
        "Step\nGo to nowhere\nStep\n",
        &["script.txt, line 2", "nowhere"],
    );
    check_failure("Last write\n", &["line 1"]);
    check_failure("Open /nowhere/b.tarmac\n", &["line 1", "/nowhere/b.tarmac"]);
    check_failure("Trace window 3\n", &["line 1", "no trace window 3"]);
}

#[test]
fn what_needs_a_trace_fails_without_one() {
    let window = run("Step\n", false);
    let failure = window.app().failure().expect("a failure");
    assert!(
        failure.contains("line 1") && failure.contains("needs an open trace"),
        "{failure}"
    );
}

#[test]
fn a_script_may_open_a_trace() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("b.tarmac", SHORT);
    let window = run(&format!("Open {}\nGo to 50%\n", path.display()), false);
    assert_eq!(window.app().failure(), None);
    window.check_position(6);
}
