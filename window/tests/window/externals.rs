//! External changes of memory.

use egui::{Key, Modifiers};
use stepback_debugger::action::PanelKind;

use crate::sandbox::SHORT;
use crate::support::{CTRL_SHIFT, Driver};

/// Two reads that show other bytes than were stored.
const DEVICE: &str = "\
1 clk IT (1) 00001000 d2800020 O EL1h_n : MOV x0,#1
1 clk R X0 0000000000000001
2 clk IT (2) 00001004 b9000020 O EL1h_n : STR w0,[x1]
2 clk MW4 00002000 000000aa
3 clk IT (3) 00001008 b9400020 O EL1h_n : LDR w0,[x1]
3 clk MR4 00002000 000000bb
3 clk R X0 00000000000000bb
4 clk IT (4) 0000100c d503201f O EL1h_n : NOP
5 clk IT (5) 00001010 b9400020 O EL1h_n : LDR w0,[x1]
5 clk MR4 00002000 000100bb
5 clk R X0 00000000000100bb
";

#[test]
fn the_status_bar_counts_them_and_the_list_tells_what_was_and_what_was_read() {
    let mut window = Driver::text(DEVICE);
    window.click("2 external changes");
    assert!(window.panels().contains(&PanelKind::Externals));
    let row = window.painted("external change at step 2");
    assert!(
        row.contains("00002000") && row.contains("aa") && row.contains("bb"),
        "{row}"
    );
    window.click("external change at step 4");
    window.check_position(5);
}

#[test]
fn keys_go_from_one_to_the_next() {
    let mut window = Driver::text(DEVICE);
    window.press_with(CTRL_SHIFT, Key::E);
    window.check_position(3);
    window.press_with(CTRL_SHIFT, Key::E);
    window.check_position(5);
    window.press_with(Modifiers::COMMAND, Key::E);
    window.check_position(3);
    window.press_with(Modifiers::COMMAND, Key::E);
    window.check_position(3);
    window.check_stated("no earlier external change");
}

#[test]
fn changes_of_one_byte_are_found_by_name() {
    let mut window = Driver::text(DEVICE);
    window.command("Next external change 0x2002");
    window.check_position(5);
    window.command("Last external change 0x2002");
    window.check_stated("no earlier external change of memory at 0x2002");
}

#[test]
fn the_foot_of_the_memory_tells_who_noticed() {
    let mut window = Driver::text(DEVICE);
    window.go_to("4");
    window.command("Show memory 0x2000");
    // The details of a register that is not written have no links.
    window.click("register x5");
    window.click("byte 0x2000");
    window.click("to step 2");
    window.check_position(3);
}

#[test]
fn a_trace_without_any_says_so() {
    let mut window = Driver::text(SHORT);
    window.command("Show external changes");
    assert!(window.has("No external changes"));
}
