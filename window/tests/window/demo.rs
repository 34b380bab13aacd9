//! The README's tour: find the write that corrupted the pointer through which the demo crashes.
//!
//! The trace's authors recorded the answer. The double word at 0x80020340 was written last by the
//! 20,345th step, a `strb` in `decode_field`. The 44,013th and last step jumps to the address
//! stored there.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::PanelKind;
use stepback_debugger::desk::TraceChoice;
use stepback_window::WindowOptions;

use crate::sandbox::{Sandbox, in_own_home};
use crate::support::Driver;

const END: u64 = 44_013;
/// After `ldr x2, [x0]`.
const LOADED: u64 = 44_012;
/// After the store that completed the wrong address.
const CORRUPTED: u64 = 20_345;

#[track_caller]
fn check_end(window: &Driver) {
    window.check_position(END);
    let step = window.painted("step 44012");
    assert!(step.contains("blr x2"), "{step}");
    assert_eq!(window.painted("register x2"), "x2 b682e58791e59992");
}

#[track_caller]
fn check_loaded(window: &Driver) {
    window.check_position(LOADED);
    let step = window.painted("step 44011");
    assert!(
        step.contains("ldr x2") && step.contains("80020340"),
        "{step}"
    );
}

#[track_caller]
fn check_corrupted(window: &mut Driver) {
    window.check_position(CORRUPTED);
    let step = window.painted("step 20344");
    assert!(
        step.contains("strb w0") && step.contains("80020347"),
        "{step}"
    );
    window.harness().get_by_label("to the call of decode_field");
    window.harness().get_by_label("In decode_field+0x118");
}

#[test]
fn the_four_gestures_solve_the_demo_with_keys() {
    let mut window = Driver::demo();
    window.press(Key::End);
    check_end(&window);

    window.press_with(Modifiers::ALT, Key::Num2);
    for _ in 0..3 {
        window.press(Key::ArrowDown);
    }
    window.press(Key::Enter);
    check_loaded(&window);

    window.press_with(Modifiers::COMMAND, Key::M);
    window.enter("x0");
    assert_eq!(window.painted("byte 0x80020340"), "92");
    window.press(Key::Num8);
    check_corrupted(&mut window);

    for expected in [LOADED, END, 0] {
        window.press_with(Modifiers::ALT, Key::ArrowLeft);
        window.check_position(expected);
    }
}

#[test]
fn the_four_gestures_solve_the_demo_with_the_mouse() {
    let mut window = Driver::demo();
    window.choose_in_bar("Go", "Go to end End");
    check_end(&window);
    window.double_click("register x2");
    check_loaded(&window);
    window.choose("register x0", "Show memory at 80020340");
    window.choose("byte 0x80020340", "Last write of the double word");
    check_corrupted(&mut window);
    window.click_button("Back in history");
    window.check_position(LOADED);
}

#[test]
fn the_toolbar_asks_for_the_last_write_of_what_is_selected() {
    let mut window = Driver::demo();
    window.click_button("Go to end");
    window.click("register x2");
    window.click_button("Last write");
    check_loaded(&window);
    window.click_button("Next write");
    window.check_stated("no later write of x2");
    window.check_position(LOADED);
}

#[test]
fn the_buttons_of_the_toolbar_end_before_its_fields() {
    let mut window = Driver::demo();
    for width in (800..1800).step_by(20) {
        window.harness().set_size(egui::vec2(width as f32, 800.0));
        window.wait();
        let (buttons, field) = (window.rect("Compare"), window.rect("Go to"));
        // The text of the field begins after an icon.
        let gap = field.left() - 25.0 - buttons.right();
        assert!(gap >= 0.0, "{gap} at {width}");
    }
}

#[test]
fn the_last_buttons_of_the_toolbar_are_left_out_where_there_is_no_room() {
    let mut window = Driver::demo();
    let names = ["Compare", "Side by side", "Bookmark", "Why…"];
    for width in (720..800).step_by(20) {
        window.harness().set_size(egui::vec2(width as f32, 800.0));
        window.wait();
        let last = names.into_iter().find(|name| window.has(name));
        let last = last.expect("a button");
        let gap = window.rect("Go to").left() - 25.0 - window.rect(last).right();
        assert!((0.0..60.0).contains(&gap), "{gap} after {last} at {width}");
        assert!(last != "Compare" || width > 760, "{width}");
    }
}

#[test]
fn every_byte_of_the_pointer_has_the_writer_that_is_on_record() {
    let mut window = Driver::demo();
    window.press(Key::End);
    window.command("Show memory 0x80020340");
    let writers = [
        20_212, 20_215, 20_274, 20_277, 20_280, 20_339, 20_342, 20_345,
    ];
    for (place, writer) in (0u64..).zip(writers) {
        window.go_to("end");
        window.choose(
            &format!("byte {:#x}", 0x8002_0340 + place),
            "Last write of the byte",
        );
        window.check_position(writer);
    }
}

#[test]
fn the_demo_that_the_program_carries_opens_from_the_start_screen() {
    in_own_home(
        "demo::the_demo_that_the_program_carries_opens_from_the_start_screen",
        || {
            let mut window = Driver::start();
            window.click("Open the demo");
            window.go_to("end");
            check_end(&window);
        },
    );
}

#[test]
fn the_demo_that_the_program_carries_opens_at_once_when_it_is_requested() {
    in_own_home(
        "demo::the_demo_that_the_program_carries_opens_at_once_when_it_is_requested",
        || {
            let options = WindowOptions {
                trace: Some(TraceChoice::Demo),
                ..WindowOptions::default()
            };
            let mut window = Sandbox::new().window(options);
            window.wait();
            window.go_to("end");
            check_end(&window);
        },
    );
}

/// The tour must match the program.
#[test]
fn the_tour_leads_from_the_crash_to_the_store_that_caused_it() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/tour");
    let script = std::fs::read_to_string(format!("{folder}/tour.run")).unwrap();
    let stated = std::fs::read_to_string(format!("{folder}.md")).unwrap();
    let mut window = Driver::demo();
    let mut positions = Vec::new();
    for line in script.lines() {
        match line.strip_prefix("# picture ") {
            Some(name) => {
                assert!(
                    stated.contains(&format!("](tour/{name}.png)")),
                    "the tour does not show {name}"
                );
                positions.push(window.positions());
            }
            None if line.starts_with('#') => {}
            None => window.command(line),
        }
    }
    let expected: [&[(u32, u64)]; 7] = [
        &[(1, 0)],
        &[(1, 44013)],
        &[(1, 44012)],
        &[(1, 20345)],
        &[(1, 44013)],
        &[(1, 20345)],
        &[(1, 19709), (2, 20421)],
    ];
    assert_eq!(positions, expected);
}

#[test]
fn memory_tells_where_its_addresses_lead_and_goes_there() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open_in([1900.0, 1100.0], &sandbox.demo());
    window.command("Go to end");
    window.command("Show memory 0x80020380");
    window.click_first("leads to on_del");
    assert_eq!(window.value_of("address"), "0x800002e4");
}

/// The trace ends with a call of an address without code, and `w` at once asks why.
#[test]
fn the_card_says_how_the_trace_ends_and_leads_there() {
    let mut window = Driver::demo();
    assert!(!window.has("Where it went wrong"));
    window.command("Where it went wrong");
    window.check_position(44_013);
    assert_eq!(window.count_like("Jumped to 0xb682e58791e59992"), 1);
    assert_eq!(window.count_like("step 44,012, dispatch+0x10: blr x2"), 1);
    window.click_button("20,344");
    window.check_position(20_345);
    window.click_button("All writes");
    assert!(window.panels().contains(&PanelKind::Accesses));
    window.click_button("End");
    window.check_position(44_013);
    window.click_button("Dismiss");
    assert_eq!(window.count_like("Jumped to 0xb682e58791e59992"), 0);
}

#[test]
fn why_is_asked_about_the_culprit_as_long_as_nothing_else_is_chosen() {
    let mut window = Driver::demo();
    window.press(Key::W);
    assert_eq!(
        window
            .desk()
            .slice
            .question()
            .map(|slice| slice.cell.clone()),
        Some("x2".to_owned())
    );
}

/// The first cell that the last step changed is no choice of the user; a click is.
#[test]
fn the_card_lets_why_ask_about_the_culprit_until_a_cell_is_chosen() {
    let mut window = Driver::demo();
    let asked = |window: &Driver| {
        let question = window.desk().slice.question();
        question.map(|slice| slice.cell.clone())
    };
    window.command("Where it went wrong");
    window.go_to("44007");
    window.press(Key::W);
    assert_eq!(asked(&window), Some("x2".to_owned()));
    window.command("Go to end");
    window.click("register x0");
    window.press(Key::W);
    assert_eq!(asked(&window), Some("x0".to_owned()));
}
