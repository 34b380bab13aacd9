//! Traces of several threads: the list, the lanes of the timeline, and stepping within a thread.

use std::path::PathBuf;

use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use stepback_debugger::action::{
    Action, Direction, FileAction, PanelKind, TimelineLanes, TravelAction, ViewAction,
};
use stepback_generator::drmemtrace::{
    Container, Sample, SampleFile, TraceRecipe, TraceWriter, kind,
};
use stepback_index::read::SlotReader;

use crate::sandbox::Sandbox;
use crate::support::{CTRL_SHIFT, Driver};

/// Writes the files of a trace into a directory.
pub fn directory(sandbox: &Sandbox, name: &str, files: &[SampleFile]) -> PathBuf {
    let place = sandbox.path(name);
    std::fs::create_dir_all(place.join("trace")).unwrap();
    files.iter().for_each(|file| {
        std::fs::write(place.join("trace").join(&file.name), &file.bytes).unwrap()
    });
    place
}

fn sample(kind: Sample) -> Driver {
    let sandbox = Sandbox::new();
    let place = directory(
        &sandbox,
        "drmemtrace.app.100.0001.dir",
        &kind.files(Container::Gzip),
    );
    let mut window = sandbox.open(&place);
    window.close_messages();
    window
}

/// Returns the name of a thread's row.
fn row(window: &Driver, name: &str) -> String {
    let index = &window.desk().session.index;
    let thread = index.thread_by_name(name).unwrap();
    format!(
        "thread {name} with {} steps",
        index.threads()[usize::from(thread.0)].steps
    )
}

/// Returns the only text that contains a part.
#[track_caller]
fn words_like(window: &Driver, part: &str) -> String {
    window
        .harness
        .get_by_label_contains(part)
        .accesskit_node()
        .value()
        .unwrap()
}

#[test]
fn the_panel_lists_what_each_thread_did() {
    let mut window = sample(Sample::Threads);
    window.command("Threads");
    assert!(window.panels().contains(&PanelKind::Threads));
    let painted = window.painted(&row(&window, "101"));
    assert!(painted.starts_with("101 100 "), "{painted}");
    window.click("Thread");
    window.click("Thread");
    let (first, last) = (
        window.rect(&row(&window, "102")),
        window.rect(&row(&window, "100")),
    );
    assert!(first.top() < last.top());
}

#[test]
fn a_click_on_a_thread_travels_to_its_first_step() {
    let mut window = sample(Sample::Threads);
    window.press_with(Modifiers::ALT, Key::Num9);
    window.click(&row(&window, "102"));
    let index = &window.desk().session.index;
    let thread = index.thread_by_name("102").unwrap();
    assert_eq!(
        SlotReader(index)
            .thread_at(window.active().position)
            .unwrap(),
        thread
    );
    assert_eq!(
        index.threads()[usize::from(thread.0)]
            .first_step
            .map(|step| step.after()),
        Some(window.active().position)
    );
    window.choose(&row(&window, "102"), "Go to its last step");
    window.check_position(window.desk().session.index.step_count());
}

/// Returns the threads of the steps before the positions that a repeated key leads to.
fn walked(window: &mut Driver, key: Key, count: usize) -> Vec<u16> {
    let walk = |_| {
        window.press(key);
        let desk = window.desk();
        SlotReader(&desk.session.index)
            .thread_at(desk.windows.active().position)
            .unwrap()
            .0
    };
    (0..count).map(walk).collect()
}

/// Opens a trace of two CPUs that alternate with each step.
fn turns() -> Driver {
    let lines = (0..20).map(|number| {
        let (cpu, place) = (number % 2, number / 2);
        format!(
            "{number} clk cpu{cpu} IT ({place}) {:08x} e1a00000 A svc : NOP\n",
            0x1000 * (cpu + 1) + 4 * place
        )
    });
    Driver::text(lines.collect::<String>())
}

#[test]
fn keys_step_within_a_thread() {
    let mut window = turns();
    window.press(Key::S);
    assert_eq!(walked(&mut window, Key::T, 3), [0, 0, 0]);
    window.check_position(7);
    window.press_with(Modifiers::SHIFT, Key::T);
    window.check_position(5);
}

#[test]
fn a_window_that_stays_in_a_thread_passes_over_the_others() {
    let mut window = turns();
    window.command("Stay in thread cpu1");
    assert_eq!(walked(&mut window, Key::S, 3), [1, 1, 1]);
    window.check_position(6);
    window.press(Key::N);
    window.check_position(8);
    window.press(Key::ArrowUp);
    window.check_position(6);
    window.click("Staying in cpu1");
    window.press(Key::S);
    window.check_position(7);
    window.press_with(CTRL_SHIFT, Key::T);
    window.press(Key::S);
    window.check_position(9);
}

#[test]
fn a_thread_that_is_not_there_is_refused() {
    let mut window = turns();
    window.command("Stay in thread cpu7");
    window.check_stated("the trace has no thread \"cpu7\"");
}

#[test]
fn the_end_of_a_thread_is_reported() {
    let mut window = turns();
    window.go_to("end");
    window.perform(Action::Travel(TravelAction::StepOfThread(
        Direction::Forward,
    )));
    window.check_stated("no later step of this thread");
}

#[test]
fn the_timeline_has_a_lane_a_thread_or_a_core() {
    let mut window = sample(Sample::Threads);
    assert!(window.has("timeline shows Threads"));
    let names = window.painted_in(
        window
            .rect("timeline shows Threads")
            .expand2(egui::vec2(20.0, 80.0)),
    );
    assert!(
        ["100", "101", "102"]
            .iter()
            .all(|name| names.contains(name)),
        "{names}"
    );
    window.perform(Action::View(ViewAction::Timeline(TimelineLanes::Cores)));
    let names = window.painted_in(
        window
            .rect("timeline shows Cores")
            .expand2(egui::vec2(20.0, 80.0)),
    );
    assert!(
        names.contains("core 0") && names.contains("core 2"),
        "{names}"
    );
    window.command("Timeline calls");
    assert!(window.has("timeline shows Calls"));
}

/// Opens a trace of this number of threads, each with two steps.
fn crowd(count: u64) -> Driver {
    let files = (0..count).map(|number| {
        let tid = 1000 + number;
        let mut writer = TraceWriter::new(TraceRecipe {
            tid,
            ..TraceRecipe::default()
        });
        writer.time(13_400_000_000_000_000 + number, number);
        (0..2).for_each(|step| writer.instruction(0x1000 + step, &[0x90]));
        let records = writer.finish();
        let (bytes, truth) = (records.pack(Container::Plain), records.truth);
        SampleFile {
            name: format!("drmemtrace.app.{tid}.0001.trace"),
            bytes,
            truth,
        }
    });
    let sandbox = Sandbox::new();
    let place = directory(&sandbox, "crowd", &files.collect::<Vec<_>>());
    sandbox.open(&place)
}

#[test]
fn of_hundreds_of_threads_the_lane_at_the_position_is_in_view() {
    let mut window = crowd(300);
    let lanes = |window: &Driver| {
        let chooser = window.rect("timeline shows Threads");
        window.painted_in(chooser.expand2(egui::vec2(20.0, 124.0)))
    };
    assert!(lanes(&window).contains("1000"), "{}", lanes(&window));
    window.go_to("i:500");
    assert!(lanes(&window).contains("1249"), "{}", lanes(&window));
    assert!(!lanes(&window).contains("1000"));
    window.command("Threads");
    window.press_with(egui::Modifiers::COMMAND, Key::End);
    window.press(Key::Enter);
    window.check_position(599);
}

#[test]
fn the_status_bar_says_that_the_order_of_threads_is_known_by_times_alone() {
    let window = sample(Sample::Threads);
    let note = words_like(&window, "Order between threads");
    assert!(
        note.starts_with("Order between threads is only as exact as the timestamps"),
        "{note}"
    );
    assert_eq!(sample(Sample::Rseq).count_like("Order between threads"), 0);
    assert_eq!(turns().count_like("Order between threads"), 0);
}

#[test]
fn the_status_bar_has_record_and_time() {
    let mut window = sample(Sample::Threads);
    window.go_to("i:2");
    window.check_position(2);
    let record: String = words_like(&window, "Record ").split(' ').skip(1).collect();
    assert!(words_like(&window, "Time 20").len() > 20);
    window.go_to("end");
    window.go_to(&format!("r:{record}"));
    window.check_position(2);
}

#[test]
fn what_is_unusual_about_a_trace_is_in_a_strip() {
    for (kind, words) in [
        (Sample::Filtered, "steps and accesses are missing"),
        (Sample::Regdeps, "Instructions are synthetic"),
        (
            Sample::Kernel,
            "System calls include the code that the kernel ran",
        ),
        (Sample::Windows, "The recording consists of windows"),
    ] {
        let mut window = sample(kind);
        assert_eq!(window.count_like(words), 1, "{kind:?}");
        window.click("Dismiss");
        assert_eq!(window.count_like(words), 0, "{kind:?}");
    }
    assert!(!sample(Sample::Threads).has("Dismiss"));
}

#[test]
fn a_trace_without_the_bytes_of_instructions_asks_for_the_program_s_files() {
    let recipe = TraceRecipe {
        version: 1,
        file_type: 0,
        ..TraceRecipe::default()
    };
    let mut writer = TraceWriter::new(recipe);
    writer.time(13_400_000_000_000_000, 0);
    (0..3).for_each(|step| writer.fetch(kind::INSTRUCTION, 0x1000 + step, 1));
    let sandbox = Sandbox::new();
    let window = sandbox.open(&sandbox.file("old.trace", writer.finish().pack(Container::Plain)));
    assert_eq!(
        window.count_like("Instructions were recorded without their bytes"),
        1
    );
    assert!(window.has("Add the program's files…"));
}

#[test]
fn a_recording_that_was_not_processed_says_what_to_do() {
    let sandbox = Sandbox::new();
    let place = sandbox.path("drmemtrace.app.100.0001.dir");
    std::fs::create_dir_all(place.join("raw")).unwrap();
    std::fs::write(
        place.join("raw/drmemtrace.app.100.0001.raw.lz4"),
        [4, 34, 77, 24],
    )
    .unwrap();
    let mut window = Driver::start();
    window.perform(Action::File(FileAction::OpenPath(place.to_owned())));
    let stated = &window.app().toasts()[0];
    assert!(stated.text.contains("drraw2trace"), "{:?}", stated.text);
}

#[test]
fn a_binary_trace_has_no_raw_text() {
    let mut window = sample(Sample::Threads);
    window.command("Raw text");
    assert!(window.count_like("raw text is not available for this format") > 0);
}

#[test]
fn tasks_that_are_threads_are_left_to_the_list_of_threads() {
    let mut window = sample(Sample::Threads);
    window.command("Show tasks");
    assert!(window.has("The tasks of this trace are its threads: see Threads"));
    let tile = window.rect("The tasks of this trace are its threads: see Threads");
    assert_eq!(
        window.painted_in(tile).matches("tasks").count(),
        1,
        "{}",
        window.painted_in(tile)
    );
    assert!(!window.painted_in(tile).contains("no steps"));
}
