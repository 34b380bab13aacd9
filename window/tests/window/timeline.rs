//! The strip with the whole trace.

use egui::{Event, Key, Modifiers, PointerButton, pos2};
use stepback_debugger::action::StepRange;
use stepback_debugger::action::{
    Action, FileAction, MarkAction, PanelAction, PanelKind, TimelineFit, ViewAction,
};
use stepback_parsers::Position;

use crate::sandbox::Sandbox;
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
        assert!(
            position.abs_diff(expected) <= 2,
            "{position}, not {expected}"
        );
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
fn names_of_functions_are_in_the_chart() {
    let window = Driver::demo();
    let strip = window.painted("timeline");
    assert!(
        strip.contains("_start") && strip.contains("main"),
        "{strip}"
    );
}

#[test]
fn a_press_and_release_within_one_frame_is_a_click() {
    let mut window = small();
    let strip = window.rect("timeline");
    let pos = pos2(strip.left() + 0.5 * strip.width(), strip.center().y);
    window.harness().hover_at(pos);
    window.wait();
    for pressed in [true, false] {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        window.harness().event(Event::PointerButton {
            pos,
            button,
            pressed,
            modifiers,
        });
    }
    window.wait();
    let position = window.active().position.0;
    assert!(position.abs_diff(881) <= 2, "{position}");
}

#[test]
fn a_drag_ends_where_the_button_is_released() {
    let mut window = small();
    let strip = window.rect("timeline");
    let at = |share: f32| pos2(strip.left() + share * strip.width(), strip.center().y);
    window.harness().hover_at(at(0.2));
    window.harness().drag_at(at(0.2));
    window.wait();
    // The last movement and the release come in the same frame.
    window.harness().event(Event::PointerMoved(at(0.75)));
    let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
    window.harness().event(Event::PointerButton {
        pos: at(0.75),
        button,
        pressed: false,
        modifiers,
    });
    window.wait();
    let position = window.active().position.0;
    assert!(position.abs_diff(1322) <= 2, "{position}");
}

#[test]
fn the_call_around_the_position_fills_the_timeline() {
    let mut window = small();
    window.go_to("1240");
    let before = window.painted("timeline");
    window.perform(Action::View(ViewAction::FitTimeline(TimelineFit::Call)));
    let fitted = window.painted("timeline");
    assert!(fitted != before && fitted.contains("80000390"), "{fitted}");
    let view = window
        .workspace()
        .timeline
        .view()
        .expect("a part of the trace");
    let position = window.active().position.0;
    assert!((view.first.0..=view.last.0).contains(&position));
    window.press_with(Modifiers::SHIFT, Key::Z);
    assert_eq!(window.workspace().timeline.view(), None);
}

#[test]
fn the_view_follows_a_position_that_leaves_it() {
    let mut window = Driver::demo();
    window.go_to("end");
    window.press(Key::Z);
    let before = window
        .workspace()
        .timeline
        .view()
        .expect("a part of the trace");
    window.go_to("5");
    let view = window
        .workspace()
        .timeline
        .view()
        .expect("a part of the trace");
    assert!(
        (view.first.0..=view.last.0).contains(&5)
            && view.last.0 - view.first.0 == before.last.0 - before.first.0,
        "{view:?}"
    );
}

#[test]
fn a_range_is_selected_with_shift_and_its_ends_are_compared() {
    let mut window = small();
    let strip = window.rect("timeline");
    let at = |share: f32| pos2(strip.left() + share * strip.width(), strip.center().y);
    let (button, modifiers) = (PointerButton::Primary, Modifiers::SHIFT);
    window.harness().event(Event::ModifiersChanged(modifiers));
    window.harness().hover_at(at(0.25));
    window.harness().event(Event::PointerButton {
        pos: at(0.25),
        button,
        pressed: true,
        modifiers,
    });
    window.harness().step();
    window.harness().hover_at(at(0.5));
    window.harness().event(Event::PointerButton {
        pos: at(0.5),
        button,
        pressed: false,
        modifiers,
    });
    window
        .harness()
        .event(Event::ModifiersChanged(Modifiers::NONE));
    window.wait();
    let range = window
        .workspace()
        .timeline
        .selection()
        .expect("a selection");
    assert!(
        range.first.0.abs_diff(440) <= 2 && range.last.0.abs_diff(881) <= 2,
        "{range:?}"
    );
    window.check_position(0);
    window.perform(Action::Panel(PanelAction::CompareEnds(range)));
    assert_eq!(window.positions(), [(1, range.first.0), (2, range.last.0)]);
    assert!(window.panels().contains(&PanelKind::Compare));
    window.perform(Action::View(ViewAction::SelectRange(None)));
    assert_eq!(window.workspace().timeline.selection(), None);
}

#[test]
fn the_selected_cell_has_a_row_of_its_accesses() {
    let mut window = Driver::demo();
    window.go_to("end");
    window.click("register x0");
    let strip = window.rect("timeline").expand2(egui::vec2(84.0, 0.0));
    let labels = window.painted_in(strip);
    assert!(labels.contains("x0"), "{labels}");
}

/// Opens a trace of 40 nested calls.
fn deep() -> Driver {
    let mut trace = String::new();
    for depth in 0..40_u32 {
        let (pc, link) = (0x1000 + 0x100 * depth, 0x1004 + 0x100 * depth);
        trace += &format!(
            "{depth} clk IT ({depth}) {pc:08x} 94000040 O EL1h_n : BL 0x{:x}\n",
            pc + 0x100
        );
        trace += &format!("{depth} clk R X30 {link:016x}\n");
    }
    trace += "41 clk IT (41) 00003800 d503201f O EL1h_n : NOP\n";
    Driver::text(trace)
}

/// Drags the lower edge of the timeline down or up.
fn drag_edge(window: &mut Driver, from: f32, by: f32) {
    let edge = window.rect("height of the timeline");
    let place = pos2(edge.center().x, edge.center().y + from);
    window.harness().hover_at(place);
    window.harness().drag_at(place);
    window.harness().step();
    window.harness().hover_at(pos2(place.x, place.y + by / 2.0));
    window.harness().step();
    window.harness().hover_at(pos2(place.x, place.y + by));
    window.harness().drop_at(pos2(place.x, place.y + by));
    window.wait();
}

#[test]
fn the_timeline_is_never_higher_than_its_content() {
    let mut window = small();
    let before = window.rect("timeline").height();
    drag_edge(&mut window, 0.0, 300.0);
    let grown = window.rect("timeline").height() - before;
    assert!(grown.abs() < 1.0, "{grown}");
    let mut window = deep();
    drag_edge(&mut window, 0.0, 300.0);
    assert!(window.rect("timeline").height() > 380.0);
    // A low window keeps rows of its panels.
    window.harness().set_size(egui::vec2(800.0, 500.0));
    window.wait();
    window.wait();
    assert!(window.rect("timeline").height() < 180.0);
}

/// A row is 18 points high; the head of the trace and its tab are above the rows.
#[test]
fn in_a_low_window_the_trace_shows_eight_steps_and_the_timeline_accesses() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open_in([800.0, 500.0], &sandbox.demo());
    window.wait();
    let shown = (0..8).all(|step| window.rect(&format!("step {step}")).height() > 17.0);
    let last = window.rect("step 7");
    let below = window.rect("Memory").top();
    assert!(shown && last.bottom() <= below, "{last:?} {below}");
    let above = window.painted_in(
        window
            .harness_rect()
            .with_max_y(window.rect("step 0").top()),
    );
    assert!(
        above.contains("Reads") && above.contains("Writes"),
        "{above}"
    );
}

#[test]
fn the_hint_about_the_height_is_at_the_pointer_and_leaves_for_a_drag() {
    let hint = "Drag to resize the timeline; double click to reset";
    let mut window = deep();
    let edge = window.rect("height of the timeline");
    window.rest_at(edge.center());
    let from = window.rect(hint);
    assert!(
        from.left() > edge.center().x && from.top() > edge.top(),
        "{from:?}"
    );
    window.harness().drag_at(edge.center());
    window.harness().step();
    window
        .harness()
        .hover_at(edge.center() + egui::vec2(0.0, 40.0));
    window.wait();
    assert!(!window.has(hint));
}

#[test]
fn the_lower_edge_is_dragged_also_from_next_to_the_tabs_below_it() {
    let mut window = deep();
    let before = window.rect("timeline").height();
    for (from, by) in [(-3.0, 60.0), (4.0, 30.0)] {
        let height = window.rect("timeline").height();
        drag_edge(&mut window, from, by);
        let grown = window.rect("timeline").height() - height;
        assert!((grown - by).abs() < 8.0, "{grown}");
    }
    window.check_position(0);
    window.double_click("height of the timeline");
    assert!((window.rect("timeline").height() - before).abs() < 1.0);
}

/// The demo is at most 5 calls deep: axis, padding, five lanes, two rows of accesses, that of a
/// selected cell, and the edge. The first selection does not move the panels below.
#[test]
fn the_height_follows_from_what_is_shown_and_a_chosen_share_is_kept_with_the_trace() {
    let mut window = Driver::demo();
    window.wait();
    let height = |window: &Driver| window.rect("timeline").height();
    let lanes = 5.0 * 13.0;
    let automatic = height(&window);
    assert!(
        (lanes + 42.0..lanes + 70.0).contains(&automatic),
        "{automatic}"
    );
    window.click("register x0");
    window.go_to("end");
    assert!((height(&window) - automatic).abs() < 1.0);
    assert_eq!(window.desk().timeline_share, None);
}

#[test]
fn windows_at_one_position_have_tags_side_by_side() {
    let mut window = small();
    for place in ["881", "end", "0"] {
        window.go_to(place);
        if window.positions().len() < 2 {
            window.perform(Action::Panel(PanelAction::SideBySide));
        } else {
            let at = window.active().position.0;
            window.perform(Action::travel(
                stepback_debugger::action::WindowId(1),
                Position(at),
            ));
        }
        let strip = window.painted("timeline");
        let at = window.active().position.0;
        let text = |id: u32| format!("{id} · {}", stepback_debugger::model::text::thousands(at));
        assert!(
            strip.contains(&text(1)) && strip.contains(&text(2)),
            "{strip}"
        );
    }
}

#[test]
fn reads_writes_and_exceptions_have_rows() {
    let mut window = Driver::demo();
    window.go_to("end");
    let labels =
        |window: &Driver| window.painted_in(window.rect("timeline").expand2(egui::vec2(84.0, 0.0)));
    let shown = labels(&window);
    assert!(
        shown.contains("Reads") && shown.contains("Writes") && !shown.contains("Exceptions"),
        "{shown}"
    );
    let trap = "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n\
                2 clk IT (2) 00001004 d503201f O EL1h_n : NOP\n\
                2 clk E 00001004 00000000 CoreEvent_IRQ\n\
                3 clk IT (3) 00002000 d503201f O EL1h_n : NOP\n\
                4 clk IT (4) 00002004 d69f03e0 O EL1h_n : ERET\n\
                5 clk IT (5) 00001008 d503201f O EL1h_n : NOP\n";
    let window = Driver::text(trap);
    let shown = labels(&window);
    assert!(shown.contains("Exceptions"), "{shown}");
}

#[test]
fn a_selected_range_of_a_tarmac_trace_is_saved_as_a_trace() {
    let mut window = small();
    window.command("Save selection as a trace part.tarmac");
    assert_eq!(window.messages(), ["No selection in the timeline"]);
    window.close_messages();
    window.perform(Action::View(ViewAction::SelectRange(Some(StepRange {
        first: Position(100),
        last: Position(900),
    }))));
    let path = window.path("part.tarmac");
    window.command(&format!("Save selection as a trace {}", path.display()));
    assert!(
        window
            .messages()
            .iter()
            .any(|stated| stated.starts_with("Saved 800 steps as ")),
        "{:?}",
        window.messages()
    );
    let whole = window.desk().session.path.clone();
    let text = std::fs::read_to_string(&path).expect("the part");
    let all = std::fs::read_to_string(whole).expect("the trace");
    assert!(all.contains(&text) && text.lines().count() > 800);
    window.perform(Action::File(FileAction::OpenPath(path.clone())));
    window.wait_until(|window| window.desk().session.path == path);
    window.wait();
    assert_eq!(window.desk().session.index.step_count(), 800);
}

#[test]
fn the_calls_of_a_selected_range_are_listed_and_left_again() {
    let mut window = Driver::demo();
    window.perform(Action::View(ViewAction::SelectRange(Some(StepRange {
        first: Position(100),
        last: Position(900),
    }))));
    window.choose("timeline", "Calls of this range");
    window.wait();
    let (first, calls) = (
        window.rect("List calls of the whole trace"),
        window.count_like("call "),
    );
    let words = window.painted_in(first.with_min_x(first.left() - 330.0));
    assert!(words.contains("in steps 100 – 900") && calls > 3, "{words}");
    assert!(!window.has("call main"));
    window.click("List calls of the whole trace");
    assert!(window.has("call main"));
    window.perform(Action::View(ViewAction::ListCalls(Some(StepRange {
        first: Position(3),
        last: Position(3),
    }))));
    assert!(window.has("No call matches") && window.has("List calls of the whole trace"));
}

#[test]
fn a_value_is_drawn_along_the_trace_and_kept_until_it_is_taken_away() {
    let mut window = Driver::demo();
    let labels =
        |window: &Driver| window.painted_in(window.rect("timeline").expand2(egui::vec2(84.0, 0.0)));
    window.command("Waveform x19");
    window.wait();
    assert!(labels(&window).contains("x19"), "{}", labels(&window));
    window.command("Waveform u8[0x80020347]");
    window.wait();
    let shown = labels(&window);
    assert!(
        shown.contains("u8[0x80020347]") || shown.contains("+ 1 below"),
        "{shown}"
    );
    assert_eq!(window.desk().waves.list().len(), 2);
    window.perform(Action::Mark(MarkAction::Undo));
    assert_eq!(window.desk().waves.list().len(), 1);
    window.command("Timeline without waveforms");
    assert!(!labels(&window).contains("x19"));
}

#[test]
fn calls_and_lanes_are_below_each_other() {
    let mut window = Driver::demo();
    window.command("Timeline calls and threads");
    window.wait();
    let shown = window.painted_in(window.rect("timeline").expand2(egui::vec2(84.0, 0.0)));
    assert!(shown.contains("main") && shown.contains("Reads"), "{shown}");
    assert!(window.has("timeline shows Calls, threads"));
}

#[test]
fn menus_tick_what_is_shown() {
    let mut window = Driver::demo();
    let ticked = |window: &mut Driver, entry: &str| {
        window.click_button("View");
        window.click("Timeline");
        let is_ticked = window.count_like(&format!(
            "{}  {entry}",
            stepback_window::theme::icons::CHECK
        )) > 0;
        window.press(Key::Escape);
        window.press(Key::Escape);
        is_ticked
    };
    assert!(ticked(&mut window, "Timeline calls") && !ticked(&mut window, "Timeline threads"));
    window.command("Timeline threads");
    assert!(ticked(&mut window, "Timeline threads") && !ticked(&mut window, "Timeline calls"));
}

#[test]
fn no_row_of_the_trace_moves_under_the_pointer_when_a_lane_appears() {
    let mut window = Driver::demo();
    window.go_to("20,345");
    let row = "step 20344";
    let before = window.rect(row);
    window.rest_at(before.center());
    let height = window.rect("timeline").height();
    // The lane of bookmarks.
    window.press(Key::B);
    window.wait();
    assert!(window.rect("timeline").height() > height, "a new lane");
    let after = window.rect(row);
    assert!((after.top() - before.top()).abs() < 0.5, "{before} {after}");
}
