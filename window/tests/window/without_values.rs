//! Traces that record addresses but no values: drmemtrace.

use egui::Key;
use stepback_generator::drmemtrace::{Container, TraceRecipe, TraceWriter, kind, marker};

use crate::sandbox::Sandbox;
use crate::support::Driver;

/// Opens a trace of one thread that begins with a load and a store.
fn open(write: impl FnOnce(&mut TraceWriter)) -> Driver {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(13_400_000_000_000_000, 1);
    // mov rax, [rdi]; mov [rsp + 8], rax
    writer.instruction(0x7fb5_ae3f_b1d7, &[0x48, 0x8b, 0x07]);
    writer.read(0x7fb5_ae40_13d8, 8);
    writer.instruction(0x7fb5_ae3f_b1da, &[0x48, 0x89, 0x44, 0x24, 0x08]);
    writer.write(0x7ffd_0ed3_ce68, 8);
    write(&mut writer);
    let sandbox = Sandbox::new();
    sandbox.open(&sandbox.file("app.trace", writer.finish().pack(Container::Plain)))
}

#[test]
fn a_row_says_how_much_was_accessed_where() {
    let mut window = open(|_| {});
    window.go_to("0");
    let row = window.painted("step 0");
    for part in ["7fb5ae3fb1d7", "mov", "[7fb5ae4013d8]"] {
        assert!(row.contains(part), "{part:?} in {row:?}");
    }
    assert!(
        window
            .painted("step 1")
            .contains("[7ffd0ed3ce68] ← 8 bytes")
    );
}

#[test]
fn system_calls_and_branches_are_told_on_their_steps() {
    let mut window = open(|writer| {
        writer.instruction(0x7fb5_ae3f_b1df, &[0x0f, 0x05]);
        writer.marker(marker::SYSTEM_CALL, 1);
        writer.branch(kind::TAKEN_JUMP, 0x7fb5_ae3f_b1e1, &[0x75, 0xf4], None);
        writer.instruction(0x7fb5_ae3f_b1d7, &[0x48, 0x8b, 0x07]);
    });
    window.go_to("0");
    assert!(
        window.painted("step 2").contains("write"),
        "{}",
        window.painted("step 2")
    );
    assert!(
        window.painted("step 3").contains("↑ taken"),
        "{}",
        window.painted("step 3")
    );
}

#[test]
fn where_the_program_died_is_a_link_below_the_last_step() {
    let mut window = open(|writer| {
        writer.instruction(0x7fb5_ae3f_b1df, &[0x48, 0x8b, 0x07]);
        writer.read(0x18, 8);
        writer.instruction(0x7fb5_ae3f_b1e2, &[0x90]);
    });
    window.go_to("end");
    // The details of the register just written may lead to the same step.
    window.click_first("to step 2");
    window.check_position(3);
}

#[test]
fn who_accessed_a_byte_last_is_told_where_its_value_is_not() {
    let mut window = open(|_| {});
    window.go_to("end");
    window.perform(stepback_debugger::action::ViewAction::ShowMemory(
        "0x7ffd0ed3ce68".to_owned(),
    ));
    let foot = window.painted("byte 0x7ffd0ed3ce68");
    assert!(foot.contains("??"), "{foot}");
}

#[test]
fn a_binary_trace_has_no_raw_text_and_says_so() {
    let mut window = open(|_| {});
    window.press(Key::R);
    assert!(!window.active().is_raw);
    window.check_stated("raw text is not available for this format");
    window.command("Raw text");
    assert!(!window.active().is_raw);
}

#[test]
fn what_a_format_does_not_record_is_not_said_to_be_absent() {
    let mut window = open(|_| {});
    window.command("Show external changes");
    assert!(window.has("External changes are not recorded"));
    window.command("Find value:0x10");
    window.wait();
    assert!(window.count_like("The trace records no values") > 0);
}
