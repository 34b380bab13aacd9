//! The lists of accesses, heap blocks and pages.

use egui::Key;
use stepback_debugger::action::{Action, PanelAction, PanelKind, ViewAction};
use stepback_generator::drmemtrace::{Container, TraceRecipe, TraceWriter};

use crate::sandbox::{SHORT, Sandbox};
use crate::support::{CTRL_SHIFT, Driver};

// Kinds of markers.
const FUNCTION: u16 = 4;
const RETURN_ADDRESS: u16 = 5;
const ARGUMENT: u16 = 6;
const RETURN_VALUE: u16 = 7;

/// Opens a trace with a block of 64 bytes that is used and freed, and another of 16 that stays
/// allocated.
fn open(functions: &str) -> Driver {
    let mut writer = TraceWriter::new(TraceRecipe {
        tid: 100,
        ..TraceRecipe::default()
    });
    writer.time(13_400_000_000_000_000, 0);
    let mut call = |function: u64, argument: u64, result: u64| {
        writer.instruction(0x40_1000, &[0x90]);
        for (sort, value) in [
            (FUNCTION, function),
            (RETURN_ADDRESS, 0x40_2000),
            (ARGUMENT, argument),
        ] {
            writer.marker(sort, value);
        }
        // mov rax, [rdi]; mov [rdi], rax
        writer.instruction(0x40_1001, &[0x48, 0x8b, 0x07]);
        writer.read(0x5000, 8);
        writer.instruction(0x40_1004, &[0x48, 0x89, 0x07]);
        writer.write(0x5000, 8);
        writer.marker(FUNCTION, function);
        writer.marker(RETURN_VALUE, result);
    };
    call(1, 64, 0x5000);
    call(1, 16, 0x6000);
    call(2, 0x5000, 0);
    writer.instruction(0x40_1007, &[0x90]);
    let sandbox = Sandbox::new();
    sandbox.file("funclist.log", functions);
    let trace = sandbox.file("app.trace", writer.finish().pack(Container::Plain));
    let mut window = sandbox.open(&trace);
    window.close_messages();
    window
}

const HEAP: &str = "1,1,0x10,libc.so.6!malloc\n2,1,0x20,libc.so.6!free\n";

#[test]
fn all_accesses_of_some_memory_are_listed() {
    let mut window = open("");
    window.command("Accesses 0x5004:4");
    assert!(window.panels().contains(&PanelKind::Accesses));
    let row = window.painted("write at step 2");
    for part in ["write", "00005000", "00401004", "mov"] {
        assert!(row.contains(part), "{part:?} in {row:?}");
    }
    window.click("read at step 1");
    window.check_position(2);
    window.click("List from the position");
    assert!(window.has("write at step 2") && !window.has("read at step 1"));
    window.press_with(egui::Modifiers::COMMAND, Key::Home);
    window.press(Key::Enter);
    window.check_position(3);
    window.command("Accesses 0x9000:8 of 100");
    assert!(window.has("No access of 8 bytes at 9000 by thread 100"));
}

#[test]
fn bytes_lead_to_their_accesses() {
    let mut window = open("");
    window.go_to("2");
    window.perform(Action::View(ViewAction::ShowMemory("0x5002".to_owned())));
    window.choose("byte 0x5002", "List all accesses");
    assert!(window.has("read at step 1"));
    window.click("byte 0x5003");
    window.press_with(CTRL_SHIFT, Key::A);
    assert_eq!(
        window
            .panels()
            .iter()
            .filter(|kind| **kind == PanelKind::Accesses)
            .count(),
        1
    );
}

#[test]
fn all_values_are_those_of_the_byte_whose_accesses_are_listed() {
    let mut window = Driver::demo();
    window.go_to("1250");
    window.perform(Action::View(ViewAction::ShowMemory("80020340".to_owned())));
    window.click("byte 0x80020347");
    window.press_with(CTRL_SHIFT, Key::A);
    window.click_at(
        window.rect("List from the position").left_bottom() + egui::vec2(0.0, 60.0),
        1,
    );
    window.press_with(egui::Modifiers::ALT, Key::A);
    assert_eq!(
        window.value_of("Register, address:length, code or file:line"),
        "0x80020347:1"
    );
}

#[test]
fn accesses_of_tarmac_traces_are_listed_as_well() {
    let mut window = Driver::demo();
    window.go_to("end");
    window.command("Last write sp");
    window.command("Accesses sp:64");
    window.perform(Action::Panel(PanelAction::FocusPanel(
        stepback_debugger::action::Direction::Forward,
    )));
    assert!(window.count_like("write at step") > 0);
}

#[test]
fn accesses_by_call_stacks_are_opened_and_travelled_to() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.command("All values x2");
    window.click("Group by call stack");
    let group = "108 by 80000588 ← 80000764 ← 80000898 ← 80000000";
    window.click(&format!("open {group}"));
    window.click("write at step 137");
    window.check_position(138);
    window.click(&format!("close {group}"));
    assert!(!window.has("write at step 137"));
    window.command("Group accesses by call stack");
    assert!(window.has("write at step 137"));
}

#[test]
fn a_call_tells_what_it_reads_and_writes_and_is_compared() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to("880");
    window.command("Effects of this call");
    assert!(window.panels().contains(&PanelKind::Effects));
    window.click("read x30");
    window.check_position(881);
    assert!(window.has("write psr") && !window.has("write sp"));
    window.go_to("880");
    window.command("Compare with the next call of this function");
    assert!(window.has("input x0") && window.has("output x0"));
    window.command("Effects of steps… 1249 1254");
    assert!(window.has("write 80020010"));
    window.command("Effects of this iteration");
    assert!(window.count_like("read x") > 0);
    window.command("Effects of steps… 0 0");
    assert_eq!(window.count_like("read x"), 0);
    // The menu reopens the panel.
    window.perform(Action::Panel(PanelAction::ClosePanel(
        window.tile(PanelKind::Effects),
    )));
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Calls)));
    window.choose("call 80000764", "Effects of this call");
    assert!(window.count_like("read x") > 0);
}

#[test]
fn a_list_of_accesses_without_memory_says_what_to_do() {
    let mut window = Driver::text(SHORT);
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Accesses)));
    assert!(window.has("No register, memory or code selected"));
}

#[test]
fn blocks_of_the_heap_say_who_allocated_and_freed_them() {
    let mut window = open(HEAP);
    window.go_to("4");
    window.command("Heap");
    let top = |window: &Driver, name: &str| window.rect(name).top();
    assert!(
        window
            .painted("block 5000 of 64 bytes")
            .contains("allocated")
    );
    assert!(top(&window, "block 5000 of 64 bytes") < top(&window, "block 6000 of 16 bytes"));
    window.go_to("end");
    assert!(window.painted("block 5000 of 64 bytes").contains("freed"));
    assert!(window.painted("block 6000 of 16 bytes").contains("never"));
    assert!(top(&window, "block 6000 of 16 bytes") < top(&window, "block 5000 of 64 bytes"));
    window.click("block 6000 of 16 bytes");
    window.check_position(6);
    window.press(Key::ArrowDown);
    window.press(Key::Enter);
    assert!(window.has("byte 0x5000"));
}

#[test]
fn w_by_the_cursor_asks_about_the_same_bytes_as_by_the_pointer() {
    let mut window = open(HEAP);
    window.go_to("end");
    window.command("Heap");
    window.click("block 6000 of 16 bytes");
    window.rest_at(egui::pos2(2.0, 2.0));
    window.press(Key::W);
    let requested = window
        .desk()
        .slice
        .question()
        .map(|question| question.cell.clone());
    assert_eq!(requested.as_deref(), Some("0x6000:16"));
}

#[test]
fn without_heap_functions_the_list_says_how_to_record_them() {
    let mut window = open("3,0,0x30,app!work\n");
    window.command("Heap");
    assert!(window.has("This trace has no heap events"));
}

#[test]
fn the_busiest_pages_come_first_and_lead_to_memory() {
    let mut window = open("");
    window.command("Heat");
    let row = window.painted("page 5000");
    assert!(row.contains("00005000 3 3"), "{row}");
    window.click("page 5000");
    assert!(window.panels().contains(&PanelKind::Memory));
    assert!(window.has("byte 0x5000"));
}

#[test]
fn functions_are_listed_sorted_and_lead_to_their_first_call() {
    let mut window = Driver::demo();
    window.command("Functions");
    let top = |window: &Driver, name: &str| window.rect(name).top();
    assert!(window.painted("function decode_field").contains("6,051"));
    assert!(top(&window, "function make_request") < top(&window, "function decode_field"));
    let busiest = top(&window, "function make_request");
    window.click("Function");
    assert!((top(&window, "function _start") - busiest).abs() < 1.0);
    window.click("Function");
    assert!(!window.has("function _start"));
    window.click("Self");
    window.double_click("function decode_field");
    let first = window.active().position.0;
    assert!(first > 0);
    window.go_to("0");
    window.choose("function decode_field", "Go to the first call");
    window.check_position(first);
}

#[test]
fn rows_of_a_list_are_filtered_by_their_text() {
    let mut window = Driver::demo();
    window.command("Functions");
    window.click("Filter");
    window.type_text("DECODE_f");
    assert!(window.has("function decode_field") && !window.has("function make_request"));
    window.type_text("no such function");
    assert!(window.has("No row matches"));
}

#[test]
fn all_values_of_a_register_are_listed_and_the_position_is_marked_between_them() {
    let mut window = Driver::demo();
    window.go_to("1250");
    window.choose("register x19", "All values of x19");
    // The list is at the position.
    let row = window.painted("write at step 1,247");
    assert!(
        row.contains("80020011") && row.contains("80020012"),
        "{row}"
    );
    window.click("write at step 1,240");
    window.check_position(1241);
    window.click("Reads only");
    assert!(!window.has("write at step 1,240"));
    window.click("Reads and writes");
    window.click("List from the position");
    assert!(window.has("write at step 1,247") && !window.has("write at step 1,240"));
}

#[test]
fn all_executions_of_an_instruction_have_the_values_of_its_operands() {
    let mut window = Driver::demo();
    window.go_to("1250");
    window.choose_first("step 1247", "All executions");
    let row = window.painted("execution at step 1,247");
    assert!(row.contains("x19=80020011"), "{row}");
    window.command("All executions overflow.c:46");
    assert!(window.count_like("execution at step") > 1);
}

#[test]
fn what_is_listed_is_typed_above_the_list() {
    let mut window = Driver::demo();
    window.go_to("1250");
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Accesses)));
    window.click("Register, address:length, code or file:line");
    window.enter("80020011:1");
    assert!(window.painted("write at step 1,247").contains("78"));
    window.click("8 bytes");
    assert!(window.count_like("step 1,247") > 0);
}

/// Task 0 runs, then task 1, then task 0 again.
#[test]
fn tasks_are_listed_with_their_runs() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "tasks.tarmac",
        include_str!("../../../fixtures/small/tasks.tarmac"),
    );
    let mut window = sandbox.open(&trace);
    window.command("Show tasks");
    assert!(window.panels().contains(&PanelKind::Tasks));
    assert!(
        window
            .painted("task 0 1000")
            .ends_with(" 0 1000 2 0 16 6 4 10 1")
    );
    window.click("task 1 1010");
    window.check_position(7);
    window.click("open task 0 1000");
    window.click("task 0 from 14");
    window.check_position(14);
}

#[test]
fn effects_opened_by_name_are_those_of_the_call() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to("880");
    window.command("Show effects");
    assert!(window.has("write psr") && !window.has("write sp"));
    // A requested range stays.
    window.command("Effects of steps… 1249 1254");
    window.command("Show effects");
    assert!(window.has("write 80020010"));
}

#[test]
fn letters_after_a_command_that_opened_the_accesses_go_into_its_field() {
    let mut window = Driver::demo();
    window.go_to("100");
    // The second time another panel has the focus, and the field a text.
    for text in ["sb", "bw"] {
        window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Accesses)));
        window.wait();
        // "s" steps, "b" bookmarks the position, and "w" asks why.
        for letter in text.chars() {
            let key = Key::from_name(&letter.to_uppercase().to_string());
            window.press(key.unwrap());
            window.type_text(&letter.to_string());
        }
        let field = "Register, address:length, code or file:line";
        assert_eq!(window.value_of(field), text);
        window.command("Show trace");
    }
    window.check_position(100);
    assert!(window.desk().bookmarks.list().is_empty());
}
