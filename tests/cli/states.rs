//! Names of registers on a core that changes between AArch64 and AArch32.

use crate::support::Sandbox;

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
        assert_eq!([writer(name, "1"), writer(name, "2"), writer(name, "4")], [None, Some(1), Some(0)], "{name}");
    }
}
