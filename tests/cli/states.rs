//! Register names on a core that switches between AArch64 and AArch32.

use crate::cli::support::Sandbox;

const DROP: &str = "\
1 clk IT (1) 00001000 d69f03e0 O EL1h_n : ERET
1 clk R X30 0000000000001111
1 clk R cpsr 600001d0
2 clk IT (2) 00002000 e1a00000 A usr : NOP
2 clk R r14 00000022
3 clk IT (3) 00002004 ef000000 A usr : SVC #0
3 clk R cpsr 000003c5
4 clk IT (4) 00003000 d503201f O EL1h_n : NOP
";

#[test]
fn lr_is_the_register_of_the_state_at_the_position() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", DROP);
    let writer = |name: &str, at: &str| {
        let answer = sandbox.json(&["find", &trace, "last-write", name, "--at", at]);
        answer["hit"]["step"].as_u64()
    };
    for name in ["lr", "r14"] {
        assert_eq!(
            [writer(name, "1"), writer(name, "2"), writer(name, "4")],
            [None, Some(1), Some(0)],
            "{name}"
        );
    }
}

/// `[r1]` is as wide as an address in the state at the position.
#[test]
fn a_pointer_in_memory_is_as_wide_as_in_the_state_at_the_position() {
    let sandbox = Sandbox::new();
    let text = "\
1 clk IT (1) 00001000 d69f03e0 O EL1h_n : ERET
1 clk MW8 00003800 0000000000005000
1 clk R cpsr 600001d0
2 clk IT (2) 00002000 e1a00000 A usr : NOP
2 clk MW8 00003800 0000600000005000
2 clk MW4 00005000 00000055
3 clk IT (3) 00002004 ef000000 A usr : SVC #0
3 clk R cpsr 000003c5
4 clk IT (4) 00003000 d503201f O EL1h_n : NOP
4 clk MW4 00006000 00000066
";
    let trace = sandbox.file("a.tarmac", text);
    let byte = |at: &str| sandbox.json(&["at", &trace, at, "--mem", "[0x3800]:1"]);
    assert_eq!(byte("2")["memory"][0]["address"], "0x5000");
    assert_eq!(byte("end")["memory"][0]["address"], "0x600000005000");
}

#[test]
fn a_value_of_128_bits_is_found() {
    let sandbox = Sandbox::new();
    let text = "1 clk IT (1) 00001000 d503201f O EL1h : NOP\n1 clk R Q0 11112222333344445555666677778888\n\
                2 clk IT (2) 00001004 d503201f O EL1h : NOP\n2 clk R Q1 00000000000000005555666677778888\n";
    let trace = sandbox.file("a.tarmac", text);
    let found =
        |value: &str| sandbox.json(&["find", &trace, "value", value])["hit"]["step"].as_u64();
    assert_eq!(found("0x11112222333344445555666677778888"), Some(0));
    assert_eq!(found("0x0000000000000000_5555666677778888"), Some(1));
    assert_eq!(found("0x11112222333344445555666677778889"), None);
}
