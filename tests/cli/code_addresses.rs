//! Odd code addresses: the lowest bit is part of the address or selects the decoding.

use serde_json::{Value, json};
use stepback_generator::drmemtrace::{Container, TraceRecipe, TraceWriter};

use crate::cli::support::Sandbox;
use crate::cli::waveform::Waveform;

/// Two steps of x86-64 at odd addresses, and two at even ones.
fn odd(sandbox: &Sandbox) -> String {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.instruction(0x40_1000, &[0x90]);
    writer.instruction(0x40_1001, &[0x66, 0x90]);
    writer.instruction(0x40_1003, &[0x90]);
    writer.instruction(0x40_1004, &[0x66, 0x90]);
    sandbox.file("odd.trace", writer.finish().pack(Container::Plain))
}

#[test]
fn x86_has_instructions_at_odd_addresses() {
    let sandbox = Sandbox::new();
    let trace = odd(&sandbox);
    let step = |kind: &str, address: &str| {
        sandbox.json(&["find", &trace, kind, address])["hit"]["step"].clone()
    };
    for kind in ["pc", "last-pc"] {
        assert_eq!(step(kind, "0x401001"), 1, "{kind}");
        assert_eq!(step(kind, "0x401003"), 2, "{kind}");
        assert_eq!(
            step(kind, "0x401005"),
            Value::Null,
            "{kind}: nobody was there"
        );
    }
    assert_eq!(
        sandbox.json_lines(&["callinfo", &trace, "0x401003"]).len(),
        1
    );
    assert_eq!(sandbox.json(&["at", &trace, "pc:0x401003"])["position"], 2);
    sandbox.run(&["at", &trace, "pc:0x401005"]).ends_misspelt();
    assert_eq!(
        sandbox.json_lines(&["callinfo", &trace, "0x401005"]).len(),
        0
    );
}

#[test]
fn a_thumb_bit_is_no_part_of_an_address() {
    let sandbox = Sandbox::new();
    // A switch from AArch64 to Thumb.
    let trace = sandbox.file(
        "thumb.tarmac",
        "1 clk IT (1) 00008000 d69f03e0 O EL1h_s : ERET\n\
         2 clk IT (2) 00001000 46c0 T usr : NOP\n",
    );
    let step = |kind: &str, address: &str| {
        sandbox.json(&["find", &trace, kind, address])["hit"]["step"].clone()
    };
    assert_eq!(
        (step("pc", "0x1001"), step("last-pc", "0x1000")),
        (json!(1), json!(1))
    );
    assert_eq!(step("pc", "0x8001"), Value::Null, "A64 has no such bit");
    assert_eq!(sandbox.json_lines(&["callinfo", &trace, "0x1001"]).len(), 1);
}

#[test]
fn a_waveform_shows_the_address_of_a_thumb_instruction() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "thumb.tarmac",
        "1 clk IT (1) 00001000 46c0 T thread : NOP\n",
    );
    sandbox.run(&["vcd", &trace, "--no-date"]).succeeds();
    let wave = Waveform::read(&std::fs::read_to_string(format!("{trace}.vcd")).unwrap());
    assert_eq!(wave.number_at("CPU.PC", 1000), Some(0x1000));
}
