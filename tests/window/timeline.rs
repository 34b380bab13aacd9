//! The strip with the whole trace.

use egui::pos2;

use crate::support::Driver;

fn small() -> Driver {
    Driver::fixture("overflow_bare.tiny.tarmac")
}

#[track_caller]
fn click_at(window: &mut Driver, share: f32) {
    let strip = window.rect("timeline");
    let place = pos2(strip.left() + share * strip.width(), strip.center().y);
    window.harness().hover_at(place);
    window.harness().drag_at(place);
    window.harness().drop_at(place);
    window.wait();
}

#[test]
fn a_click_travels_to_that_share_of_the_trace() {
    let mut window = small();
    for (share, expected) in [(0.5, 881), (0.25, 440), (1.0, 1763)] {
        click_at(&mut window, share);
        let position = window.active().position.0;
        assert!(position.abs_diff(expected) <= 2, "{position}, not {expected}");
    }
}

#[test]
fn a_handle_can_be_dragged() {
    let mut window = small();
    let strip = window.rect("timeline");
    let at = |share: f32| pos2(strip.left() + share * strip.width(), strip.center().y);
    window.go_to("50%");
    window.harness().hover_at(at(0.5));
    window.harness().drag_at(at(0.5));
    for share in [0.6, 0.7, 0.75] {
        window.harness().hover_at(at(share));
    }
    window.harness().drop_at(at(0.75));
    window.wait();
    let position = window.active().position.0;
    assert!(position.abs_diff(1322) <= 2, "{position}");
}

#[test]
fn names_of_functions_stand_in_the_chart() {
    let window = Driver::demo();
    let strip = window.painted("timeline");
    assert!(strip.contains("_start") && strip.contains("main"), "{strip}");
}
