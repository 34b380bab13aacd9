//! Behaviour without a display.

use crate::cli::support::{OVERFLOW, Sandbox};

#[test]
fn a_trace_is_described_where_no_window_is_possible() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&[&trace])
        .succeeds()
        .says("cannot open a window");
    ran.prints("1,763").prints("stepback find");
}

#[test]
fn the_demo_is_described_too() {
    let ran = Sandbox::new()
        .run(&["--demo"])
        .succeeds()
        .says("cannot open a window");
    ran.prints("overflow_bare.small.tarmac")
        .prints("stepback at");
}

#[test]
fn without_a_trace_it_says_how_to_ask() {
    let ran = Sandbox::new()
        .run(&[])
        .succeeds()
        .says("cannot open a window");
    ran.prints("stepback info");
}

#[test]
fn a_picture_that_cannot_be_made_is_an_error() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox
        .run(&[&trace, "--screenshot", "a.png"])
        .says("cannot open a window");
    assert_eq!(ran.code, Some(1));
    assert!(!sandbox.path("a.png").exists());
}

#[test]
fn a_trace_that_cannot_be_opened_is_an_error_without_a_window_too() {
    let ran = Sandbox::new().run(&["none.tarmac"]).says("no such file");
    assert_eq!(ran.code, Some(1));
}
