//! Moves to exceptions and to executions of an instruction.

use egui::{Key, Modifiers};

use crate::support::Driver;

/// Step 2 is in a handler, which returns to step 4; the next exception is at step 6.
const INTERRUPTED: &str = "\
0 clk IT (0) 00001000 d503201f O EL0t_n : NOP
1 clk IT (1) 00001004 d4000001 O EL0t_n : SVC #0
1 clk E 00001008 00000044 CoreEvent_LOWER_64_SYNC
2 clk IT (2) 00008400 d503201f O EL1h_n : NOP
3 clk IT (3) 00008404 d69f03e0 O EL1h_n : ERET
4 clk IT (4) 00001008 d503201f O EL0t_n : NOP
5 clk IT (5) 0000100c d4000001 O EL0t_n : SVC #0
5 clk E 00001010 00000044 CoreEvent_LOWER_64_SYNC
6 clk IT (6) 00008400 d503201f O EL1h_n : NOP
7 clk IT (7) 00008404 d69f03e0 O EL1h_n : ERET
8 clk IT (8) 00001010 d503201f O EL0t_n : NOP
";

#[test]
fn exceptions_are_gone_through_by_a_key_and_by_commands() {
    let mut window = Driver::text(INTERRUPTED);
    for position in [2, 6] {
        window.press(Key::I);
        window.check_position(position);
    }
    window.press(Key::I);
    window.check_stated("no later exception, interrupt, trap or signal");
    window.close_messages();
    window.check_position(6);
    window.go_to("end");
    window.command("Previous exception");
    window.check_position(6);
    window.press_with(Modifiers::SHIFT, Key::I);
    window.check_position(2);
}

#[test]
fn an_instruction_is_followed_from_its_row() {
    let mut window = Driver::text(INTERRUPTED);
    window.choose("step 2", "Next execution");
    window.check_position(7);
    window.choose("step 7", "Previous execution");
    window.check_position(4);
}
