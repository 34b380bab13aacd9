//! The source at the position.

use std::fs;
use std::path::{Path, PathBuf};

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::{Action, Direction, FileAction, PanelKind, TravelAction};

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

fn put_source(folder: &Path, name: &str) -> PathBuf {
    let to = folder.join(name);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let from = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .join("assets/demo")
        .join(to.file_name().unwrap());
    fs::copy(from, &to).unwrap();
    to
}

/// Opens the demo with its main source next to the trace, just before the store that corrupts the
/// pointer.
fn at_store() -> Driver {
    let sandbox = Sandbox::new();
    let trace = sandbox.demo();
    put_source(trace.parent().unwrap(), "overflow.c");
    let mut window = sandbox.open(&trace);
    window.close_messages();
    window.go_to("20344");
    window.command("Show source");
    window
}

#[test]
fn the_panel_shows_the_line_that_is_executed_next() {
    let mut window = at_store();
    let bar = window.only_label_like("source overflow.c:");
    assert!(bar.ends_with("in decode_field"), "{bar}");
    let number: u32 = bar.split([':', ' ']).nth(2).unwrap().parse().unwrap();
    let text = fs::read_to_string(window.path("overflow.c")).unwrap();
    let line = text.lines().nth(number as usize - 1).unwrap().trim();
    let painted = window.painted(&format!("source line {number}"));
    assert!(painted.contains(line), "{painted} {line}");
    window
        .harness()
        .get_by_label(&format!("show line overflow.c:{number}"));
}

#[test]
fn it_follows_the_position_into_callers_and_callees() {
    let mut window = at_store();
    let before = window.only_label_like("source overflow.c:");
    window.press_with(Modifiers::ALT, Key::Num1);
    window.command("Step back out");
    let after = window.only_label_like("source overflow.c:");
    assert!(
        before != after && !after.contains("decode_field"),
        "{before} {after}"
    );
}

#[test]
fn a_click_on_a_line_number_goes_to_its_next_execution_and_with_shift_to_the_one_before() {
    let mut window = at_store();
    let bar = window.only_label_like("source overflow.c:");
    let number = bar.split([':', ' ']).nth(2).unwrap().to_owned();
    let label = format!("next execution of line {number}");
    window.click(&label);
    let next = window.active().position.0;
    assert!(next > 20_344);
    assert_eq!(window.only_label_like("source overflow.c:"), bar);
    window.click_with(Modifiers::SHIFT, &label);
    assert!(window.active().position.0 < next);
    assert_eq!(window.only_label_like("source overflow.c:"), bar);
    window.choose(&format!("source line {number}"), "Next execution");
    window.check_position(next);
    window.choose(&format!("source line {number}"), "Copy location");
    let place = format!("{}:{number}", window.path("overflow.c").display());
    assert_eq!(window.copied(), Some(place));
}

#[test]
fn the_keyboard_walks_the_lines_and_travels() {
    let mut window = at_store();
    let from = window.active().position.0;
    window.press(Key::Enter);
    let next = window.active().position.0;
    assert!(next > from);
    window.press_with(Modifiers::SHIFT, Key::Enter);
    assert!(window.active().position.0 < next);
}

#[test]
fn a_line_that_is_not_executed_again_says_so() {
    let mut window = at_store();
    window.go_to("end");
    window.command("Next execution of line overflow.c:95");
    window.check_stated("no later execution of line 95 of overflow.c");
    window.close_messages();
    window.command("Last execution of line overflow.c:95");
    assert!(window.active().position.0 < 44_013);
    window.perform(Action::Travel(TravelAction::GoToLine(
        "nothing.c".to_owned(),
        1,
        Direction::Forward,
        None,
    )));
    window.check_stated("no image contains code of a file named \"nothing.c\"");
}

#[test]
fn a_source_that_moved_is_found_once_its_directory_is_named() {
    let sandbox = Sandbox::new();
    let trace = sandbox.demo();
    put_source(&trace.parent().unwrap().join("moved/src"), "overflow.c");
    let mut window = sandbox.open(&trace);
    window.close_messages();
    window.go_to("20344");
    window.command("Show source");
    window.harness().get_by_label("overflow.c was not found");
    // The button is there in a low panel, too.
    window.harness().set_size(egui::vec2(800.0, 500.0));
    window.wait();
    window.wait();
    window.click_button("Locate…");
    assert!(window.is_typing(), "the palette asks where the file is");
    window.press(Key::Escape);
    let moved = window.path("moved");
    window.command(&format!(
        "Map sources /build/trace-corpus={}",
        moved.display()
    ));
    window.only_label_like("source overflow.c:");
    let kept = &window.app().settings().moved_sources;
    assert_eq!(
        kept.iter()
            .map(|moved| moved.image.file_name().unwrap())
            .collect::<Vec<_>>(),
        ["overflow_bare.elf"]
    );
    window.command("Forget source directories");
    window.harness().get_by_label("overflow.c was not found");
    assert!(window.app().settings().moved_sources.is_empty());
}

/// Two CPUs take turns on lines 7 and 11 of a sample; its source is next to the image.
const TURNS: &str = "\
1 clk cpu0 IT (0) 004000b0 d503201f O EL1h_n : NOP
1 clk cpu1 IT (0) 004000dc d503201f O EL1h_n : NOP
2 clk cpu0 IT (1) 004000b0 d503201f O EL1h_n : NOP
2 clk cpu1 IT (1) 004000dc d503201f O EL1h_n : NOP
3 clk cpu0 IT (2) 004000b0 d503201f O EL1h_n : NOP
3 clk cpu1 IT (2) 004000dc d503201f O EL1h_n : NOP
";

fn sample_image() -> String {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .join("fixtures/lines/dwarf5.elf")
        .display()
        .to_string()
}

fn with_image(mut window: Driver) -> Driver {
    window.perform(Action::File(FileAction::AddImage(Some(
        sample_image().parse().unwrap(),
    ))));
    window.wait_until(|window| !window.desk().session.images.is_empty());
    window.wait();
    window.close_messages();
    window
}

#[test]
fn the_panel_may_stay_with_one_thread() {
    let mut window = with_image(Driver::text(TURNS));
    window.go_to("1");
    window.command("Show source");
    window.only_label_like("source lines.c:7");
    assert!(window.has("thread cpu0"));
    window.click("next execution of line 11");
    window.check_position(3);
    window.check_stated("thread changed");
    window.close_messages();
    window.command("Panel shows thread cpu1");
    assert!(window.has("thread cpu1"));
    window.only_label_like("source lines.c:11");
    window.click("next execution of line 11");
    window.check_position(5);
    assert!(window.messages().is_empty(), "{:?}", window.messages());
    window.only_label_like("source lines.c:11");
    window.go_to("1");
    window.perform(Action::Travel(TravelAction::GoToLine(
        "lines.c".to_owned(),
        7,
        Direction::Forward,
        Some("cpu1".to_owned()),
    )));
    window.check_stated("no later execution of line 7 of lines.c");
}

#[test]
fn an_added_image_neither_builds_the_index_again_nor_is_gone_next_time() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("turns.tarmac", TURNS);
    let mut window = sandbox.open(&trace);
    window.command("Reload");
    window.wait_until(|window| window.desk().session.is_built_now);
    window.wait();
    let mut window = with_image(window);
    assert!(!window.desk().session.is_built_now);
    window.command("Close trace");
    window.perform(Action::File(FileAction::OpenPath(trace.clone())));
    window.wait_until(|window| window.app().workspace().is_some());
    let images = window.desk().session.images.infos();
    assert_eq!(
        images
            .iter()
            .map(|info| info.spec.path.display().to_string())
            .collect::<Vec<_>>(),
        [sample_image()]
    );
}

#[test]
fn without_an_image_it_says_how_to_get_one() {
    let mut window = Driver::text(SHORT);
    window.command("Show source");
    window.harness().get_by_label("No program image");
    window.click_button("Add image…");
    let image =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("fixtures/lines/dwarf5.elf");
    window.perform(Action::File(FileAction::AddImage(Some(
        image.display().to_string().parse().unwrap(),
    ))));
    window.wait_until(|window| window.desk().session.images.infos().len() == 1);
    window.wait();
    window.command("Show source");
    window.harness().get_by_label("No source line here");
    window.perform(Action::File(FileAction::AddImage(Some(
        "/nowhere/b.elf".parse().unwrap(),
    ))));
    window.wait_until(|window| !window.messages().is_empty());
    assert_eq!(window.desk().session.images.infos().len(), 1);
}

#[test]
fn rows_tell_their_source_lines_where_there_is_room() {
    let sandbox = Sandbox::new();
    let trace = sandbox.demo();
    let mut window = sandbox.open_in([1700.0, 1000.0], &trace);
    window.close_messages();
    window.go_to("20344");
    let rows: Vec<String> = (20_336..20_350)
        .map(|step| format!("step {step}"))
        .collect();
    let lines = |window: &Driver| {
        rows.iter()
            .filter(|row| window.painted(row).contains("overflow.c:"))
            .count()
    };
    assert!(
        lines(&window) > 3 && lines(&window) < rows.len(),
        "each line once for all steps that follow each other"
    );
    window.command("Source lines in rows");
    assert_eq!(lines(&window), 0);
    window.command("Source lines in rows");
    assert!(lines(&window) > 3);
}

#[test]
fn narrow_rows_have_no_source_lines() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open_in([800.0, 700.0], &sandbox.demo());
    window.close_messages();
    window.go_to("20344");
    assert!(!window.painted("step 20342").contains("overflow.c:"));
}

#[test]
fn the_panel_may_are_anywhere_and_any_number_of_times() {
    let mut window = Driver::demo();
    let count = |window: &Driver| {
        window
            .panels()
            .iter()
            .filter(|kind| **kind == PanelKind::Source)
            .count()
    };
    assert_eq!(count(&window), 1);
    window.command("New source panel");
    assert_eq!(count(&window), 2);
    window.command("Pin panel here");
    window.go_to("20344");
    window.command("Reset layout");
    assert_eq!(count(&window), 1);
}
