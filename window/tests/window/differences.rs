//! A second trace: its differences by region, and the steps at which it differs.

use std::fs;
use std::path::PathBuf;

use egui::{Key, Modifiers};
use stepback_debugger::action::{ComparisonRule, FileAction, PanelKind};
use stepback_debugger::desk::{ComparisonStatus, TraceChoice};
use stepback_debugger::session::OpenOptions;
use stepback_parsers::Position;
use stepback_window::WindowOptions;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

/// Unpacks a trace of a pair whose true differences are known.
fn unpacked(sandbox: &Sandbox, pair: &str, name: &str) -> PathBuf {
    let packed = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/pairs");
    let packed = fs::read(format!("{packed}/{pair}/{name}.zst")).unwrap();
    sandbox.file(name, zstd::decode_all(packed.as_slice()).unwrap())
}

/// Opens the first trace of a pair and compares it with the second.
fn compared(pair: &str) -> Driver {
    let sandbox = Sandbox::new();
    let other = unpacked(&sandbox, pair, "b.tarmac");
    let mut window = sandbox.open(&unpacked(&sandbox, pair, "a.tarmac"));
    window.close_messages();
    window.perform(FileAction::CompareTrace(Some(other)));
    assert!(window.panels().contains(&PanelKind::Differences));
    window
}

// The expected steps are those of `fixtures/pairs/recurse-depth/truth.json`.

#[test]
fn differences_are_listed_by_region() {
    let mut window = compared("recurse-depth");
    for (name, position) in [
        ("First divergence 300", 300),
        ("First different value 24", 25),
        ("Cause 24", 25),
    ] {
        window.command("Go to start");
        window.click(name);
        window.check_position(position);
    }
    let differences = window.desk().comparison.differences().unwrap();
    let rows = &differences.table.rows;
    for (name, position) in [("Only in B before 300", 300), ("Same steps 0–299", 25)] {
        let row = rows.iter().find(|row| row.name == name).unwrap();
        assert_eq!(row.position, Some(Position(position)), "{name}");
    }
    // The differing steps that follow from the cause.
    let chain = rows.iter().filter(|row| row.name.starts_with("then "));
    let chain: Vec<_> = chain.map(|row| row.position.unwrap()).collect();
    assert!(chain.is_sorted() && chain[0] > Position(25), "{chain:?}");
    let row = window.painted("First different value 24");
    let values = "read at 0x8ffff80d: 0x30 in A, 0x31 in B";
    assert!(row.contains(values), "{row}");
}

#[test]
fn a_new_language_lists_the_differences_again() {
    let mut window = compared("recurse-depth");
    window.command("Language French");
    window.wait();
    let differences = window.desk().comparison.differences().unwrap();
    let names: Vec<&str> = (differences.table.rows.iter())
        .map(|row| row.name.as_str())
        .collect();
    assert!(names.contains(&"Première divergence 300"), "{names:?}");
}

#[test]
fn the_command_line_names_both_traces() {
    let sandbox = Sandbox::new();
    let [a, b] = ["a.tarmac", "b.tarmac"].map(|name| unpacked(&sandbox, "recurse-depth", name));
    let mut window = sandbox.window(WindowOptions {
        trace: Some(TraceChoice::of(OpenOptions::new(a))),
        compare: Some(b),
        ..WindowOptions::default()
    });
    window.wait();
    let differences = window.desk().comparison.differences().unwrap();
    let rows = &differences.table.rows;
    assert!(rows.iter().any(|row| row.name == "First divergence 300"));
    assert!(window.panels().contains(&PanelKind::Differences));
}

#[test]
fn the_timeline_names_its_trace_while_two_are_compared() {
    let hint = "The timeline is that of trace A, a.tarmac";
    assert_eq!(compared("recurse-depth").count_like(hint), 1);
    let sandbox = Sandbox::new();
    let alone = sandbox.open(&unpacked(&sandbox, "recurse-depth", "a.tarmac"));
    assert_eq!(alone.count_like(hint), 0);
}

#[test]
fn two_traces_that_are_dropped_together_are_compared() {
    let sandbox = Sandbox::new();
    let [a, b] = ["a.tarmac", "b.tarmac"].map(|name| unpacked(&sandbox, "recurse-depth", name));
    let mut window = sandbox.window(WindowOptions::default());
    window.perform(FileAction::OpenDropped(vec![b.clone(), a]));
    assert_eq!(window.desk().name(), "a.tarmac");
    assert_eq!(window.desk().comparison.path(), Some(&*b));
    assert!(window.desk().comparison.differences().is_some());
}

#[test]
fn both_traces_are_listed_side_by_side() {
    let mut window = compared("recurse-depth");
    window.click("Both side by side");
    assert!(window.panels().contains(&PanelKind::BothTraces));
    // Matched steps share a row; the first steps of B after the divergence have no partner.
    for (position, row) in [
        (25, "| 24 ldrb"),
        (300, "| 299 cbnz"),
        (301, "300 ldr    w0"),
    ] {
        window.go_to(&position.to_string());
        assert_eq!(window.count_like(row), 1, "{row}");
    }
    // The empty half of a row is explained.
    let painted = window.painted_in(window.harness_rect());
    assert!(painted.contains("Only in B"), "{painted}");
}

#[test]
fn the_state_of_both_traces_follows_the_position() {
    let mut window = compared("recurse-depth");
    window.command("Show state of both traces");
    assert!(window.panels().contains(&PanelKind::BothStates));
    window.go_to("25");
    let row = window.painted("x1");
    let values = "x1 0000000000000030 0000000000000031";
    assert!(row.contains(values), "{row}");
}

#[test]
fn differences_can_be_ignored_and_counted_again() {
    let mut window = compared("recurse-depth");
    let ignored = |window: &Driver| -> Vec<String> {
        let differences = window.desk().comparison.differences().unwrap();
        let rows = differences.table.rows.iter();
        let ignored = rows.filter(|row| row.name.starts_with("Ignored"));
        ignored.map(|row| row.line()).collect()
    };
    let differences = window.desk().comparison.differences().unwrap();
    let rows = &differences.table.rows;
    let first = rows
        .iter()
        .find(|row| row.name == "First different value 24");
    let rules = differences.rules_of(first.unwrap()).unwrap().rules.clone();
    let byte = ComparisonRule::Memory(0x8fff_f80d..0x8fff_f80e);
    assert_eq!(rules[0], byte);
    window.perform(FileAction::IgnoreDifferences(byte.clone()));
    let words = ignored(&window).join("; ");
    assert!(words.contains("[0x8ffff80d:1], 1 value"), "{words}");
    window.perform(FileAction::CountDifferences(byte));
    assert_eq!(ignored(&window), [""; 0]);
    let rules = window.path("rules.toml");
    fs::write(&rules, "ignore_registers = [\"x1\"]\n").unwrap();
    window.perform(FileAction::CompareRules(Some(rules.clone())));
    let words = ignored(&window).join("; ");
    assert!(words.contains("x1, "), "{words}");
    fs::write(&rules, "ignore_register = 1\n").unwrap();
    window.perform(FileAction::CompareRules(Some(rules)));
    let message = window.messages().join("; ");
    assert!(message.contains("rules.toml"), "{message}");
}

#[test]
fn keys_go_to_the_next_and_previous_difference() {
    let mut window = compared("recurse-depth");
    for position in [25, 26, 27, 31] {
        window.press(Key::J);
        window.check_position(position);
    }
    window.press_with(Modifiers::SHIFT, Key::J);
    window.check_position(27);
    window.command("Go to start");
    window.command("Previous difference");
    window.check_position(0);
}

#[test]
fn interrupts_of_one_trace_are_insertions() {
    let mut window = compared("qsort-irq3");
    for position in [201, 510, 1085] {
        let name = format!("Only in B before {}", grouped(position));
        let differences = window.desk().comparison.differences().unwrap();
        assert!(differences.table.rows.iter().any(|row| row.name == name));
        window.press(Key::J);
        window.check_position(position);
    }
    window.press(Key::J);
    window.check_position(1085);
}

/// Groups the digits of a number below a million.
fn grouped(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    }
}

#[test]
fn a_trace_without_a_second_one_says_what_to_do() {
    let mut window = Driver::text(SHORT);
    window.command("Show differences");
    assert!(window.has("No second trace") && window.has("Compare with trace…"));
    window.press(Key::J);
    window.check_position(0);
}

#[test]
fn a_second_trace_that_cannot_be_opened_is_named() {
    let mut window = Driver::text(SHORT);
    let missing = window.path("missing.tarmac");
    window.perform(FileAction::CompareTrace(Some(missing)));
    let ComparisonStatus::Failed(error) = window.desk().comparison.status() else {
        panic!("a missing trace was compared");
    };
    assert!(error.contains("missing.tarmac"), "{error}");
}
