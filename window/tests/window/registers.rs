//! The register file.

use egui::{Key, Modifiers};
use stepback_debugger::action::PanelKind;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

/// Opens a trace whose registers are unknown until it writes them.
fn unknown() -> Driver {
    Driver::fixture("qsort.es.tiny.tarmac")
}

#[test]
fn a_register_that_nothing_states_is_shown_as_unknown() {
    let mut window = unknown();
    window.heighten();
    assert_eq!(window.register("x0"), "unknown");
    assert_eq!(window.register("sp"), "unknown");
    assert_eq!(window.register("x30"), "unknown");
    window.press(Key::F11);
    assert_eq!(window.register("x0"), "0000000000000002");
    assert_eq!(window.register("x1"), "unknown");
}

#[test]
fn an_unknown_register_is_copied_as_such() {
    let mut window = unknown();
    window.choose("register x5", "Copy value");
    assert_eq!(window.copied().as_deref(), Some("unknown"));
}

#[test]
fn values_and_names_are_copied() {
    let mut window = Driver::text(SHORT);
    window.go_to("end");
    window.heighten();
    window.choose("register x30", "Copy as text");
    assert_eq!(window.copied().as_deref(), Some("x30 = 0x100c"));
    window.choose("register x30", "Copy name");
    assert_eq!(window.copied().as_deref(), Some("x30"));
}

#[test]
fn flags_are_spelled_out() {
    let mut window = Driver::demo();
    window.press(Key::End);
    let row = window.painted_beside("register psr");
    assert!(row.contains("n z C v") && row.contains("carry"), "{row}");
}

#[test]
fn enter_and_shift_enter_find_the_last_and_next_write() {
    let mut window = Driver::text(SHORT);
    window.go_to("5");
    window.click("register x2");
    window.press(Key::Enter);
    window.check_position(2);
    window.press_with(Modifiers::SHIFT, Key::Enter);
    window.check_position(10);
    window.press(Key::Enter);
    window.check_position(2);
}

#[test]
fn the_menu_finds_the_next_write() {
    let mut window = Driver::text(SHORT);
    window.choose("register x2", "Next write");
    window.check_position(2);
    window.choose("register x2", "Last write");
    window.check_position(2);
    window.check_stated("no earlier write of x2");
}

#[test]
fn what_is_never_written_is_reported() {
    let mut window = Driver::text(SHORT);
    window.go_to("end");
    window.double_click("register x7");
    window.check_position(12);
    window.check_stated("no earlier write of x7");
}

#[test]
fn the_foot_tells_who_wrote_the_register() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open_in([1600.0, 1000.0], &sandbox.file("a.tarmac", SHORT));
    window.go_to("5");
    window.click("register x2");
    window.click("to step 1");
    window.check_position(2);
    window.click("register x2");
    window.click("to step 9");
    window.check_position(10);
}

#[test]
fn the_vector_registers_open_on_demand() {
    let mut window = Driver::demo();
    window.heighten();
    assert!(!window.has("register v0"));
    window.click("show vector registers");
    assert!(window.has("hide vector registers"));
}

#[test]
fn what_the_last_move_changed_stands_out() {
    let mut window = Driver::text(SHORT);
    window.press(Key::F11);
    assert!(window.is_highlighted("register x0"));
    assert!(!window.is_highlighted("register x2"));
    window.press(Key::F11);
    assert!(!window.is_highlighted("register x0"));
    assert!(window.is_highlighted("register x2"));
}

/// Steps that write a vector, a predicate and some system registers.
const WIDE: &str = "\
1 clk IT (1) 00001000 4ea01c00 O EL1h_n : MOV v0.16b,v1.16b
1 clk R V0 0f0e0d0c0b0a09083f80000003020100
2 clk IT (2) 00001004 4ea01c00 O EL1h_n : INS v0.s[1],w2
2 clk R V0 0f0e0d0c0b0a09084000000003020100
3 clk IT (3) 00001008 d5181000 O EL1h_n : MSR sctlr_el1,x0
3 clk R SCTLR_EL1 00000000:30d50999
3 clk R TTBR0_EL1 00000000:40000000
";

#[test]
fn lanes_are_shown_in_the_format_that_was_chosen() {
    let mut window = Driver::text(WIDE);
    window.go_to("2");
    window.command("Registers vector");
    assert!(
        window
            .painted_beside("register v0")
            .contains("f0e0d0c0b0a09084000000003020100")
    );
    window.command("Register lanes float 32");
    assert!(window.painted("register v0.s[1]").contains("2.0"));
    assert!(
        window.is_highlighted("register v0.s[1]")
            || window.painted_beside("register v0").contains("v0")
    );
    window.command("Register lanes unsigned 8");
    assert!(window.painted("register v0.b[8]").contains('8'));
    assert!(window.messages().is_empty());
}

#[test]
fn a_lane_knows_its_last_write() {
    let mut window = Driver::text(WIDE);
    window.go_to("end");
    window.command("Registers vector");
    window.command("Register lanes hex 32");
    window.click("register v0.s[1]");
    window.press(Key::Enter);
    window.check_position(2);
    window.go_to("end");
    window.command("Last write v0.b[0]");
    window.check_position(2);
}

#[test]
fn a_key_goes_through_groups_and_formats() {
    let mut window = Driver::text(WIDE);
    window.click("register x0");
    window.press(Key::V);
    assert!(window.has("register s31") && window.has("lanes float 32"));
    window.press(Key::L);
    assert!(window.has("lanes hex 32"));
    window.press(Key::V);
    window.press(Key::V);
    assert!(window.has("register v0"));
}

#[test]
fn system_registers_are_filtered_by_name() {
    let mut window = Driver::text(WIDE);
    window.go_to("end");
    window.command("Registers system");
    assert!(window.has("register sctlr_el1") && window.has("register ttbr0_el1"));
    window.command("Filter registers ttbr");
    assert!(!window.has("register sctlr_el1") && window.has("register ttbr0_el1"));
    window.command("Filter registers -");
    assert!(window.has("register sctlr_el1"));
}

#[test]
fn two_groups_are_seen_side_by_side() {
    let mut window = Driver::text(WIDE);
    window.command("New registers panel vector");
    assert!(window.has("register v0"));
    assert_eq!(
        window
            .panels()
            .iter()
            .filter(|kind| **kind == PanelKind::Registers)
            .count(),
        2
    );
}

#[test]
fn registers_of_another_thread_can_be_shown() {
    let mut window = Driver::fixture("amp.head.tarmac");
    window.click("register x0");
    window.command("Panel shows thread cpu1");
    assert!(window.has("thread cpu1"));
    let row = window.painted_beside("register pc");
    assert!(row.contains("a0000"), "{row}");
}

#[test]
fn registers_that_the_trace_does_not_have_are_told_of() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.command("Registers SVE");
    window.check_stated("this trace has no sve registers");
    assert!(window.has("register x0"));
}
