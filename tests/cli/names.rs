//! Texts that name addresses, ranges and registers mean the same in every command.

use crate::cli::support::{OVERFLOW, Sandbox, fixture_path};

/// The first step at an address.
fn visit(sandbox: &Sandbox, trace: &str, address: &str) -> Option<u64> {
    sandbox.json(&["find", trace, "pc", address])["hit"]["step"].as_u64()
}

#[test]
fn an_address_is_read_as_it_is_printed() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let expected = visit(&sandbox, &trace, "0x80000328");
    assert!(expected.is_some());
    // Bare digits, digits with the trace's leading zeros, and decimal.
    for same in [
        "80000328",
        "0000000080000328",
        "2147484456",
        "0x80000320+8",
        "80000320+8",
    ] {
        assert_eq!(visit(&sandbox, &trace, same), expected, "{same}");
    }
    let place = |text: &str| sandbox.json(&["at", &trace, text])["position"].as_u64();
    assert_eq!(place("pc:80000328"), place("pc:0x80000328"));
    let memory = |text: &str| sandbox.json(&["at", &trace, "end", "--mem", text])["memory"].clone();
    assert_eq!(memory("80020010:4"), memory("0x80020010:4"));
    assert_eq!(memory("8002001c:16"), memory("0x8002001c:0x10"));
}

#[test]
fn a_register_that_the_trace_never_shows_hides_no_symbol() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("small/two_helpers.tarmac");
    // `p0` is a predicate register of SVE. `fb` at 0x400034 is renamed to it.
    let mut image = std::fs::read(fixture_path("small/two_helpers.elf")).unwrap();
    let name = image
        .windows(4)
        .position(|bytes| bytes == b"\0fb\0")
        .unwrap();
    image[name + 1..name + 3].copy_from_slice(b"p0");
    let image = sandbox.file("renamed.elf", image);
    let find = |cell: &str| sandbox.run(&["find", &trace, "--image", &image, "last-write", cell]);
    let note = "p0 is read as the symbol, 0x400034; for the register write reg::p0";
    for cell in ["p0:8", "p0"] {
        find(cell).succeeds().says(note);
    }
    for cell in ["reg::p0", "x0"] {
        let ran = find(cell).succeeds();
        assert!(!ran.err.contains("note: "), "{ran:?}");
    }
}

#[test]
fn the_reading_of_a_number_with_two_is_said_and_the_other_one_offered() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let notes = |arguments: &[&str]| {
        sandbox
            .run(&[&["find", &trace], arguments].concat())
            .succeeds()
            .err
    };
    let hexadecimal = notes(&["pc", "80000328"]);
    assert!(
        hexadecimal.contains("80000328 is read as hexadecimal 0x80000328"),
        "{hexadecimal}"
    );
    assert!(
        hexadecimal.contains("as decimal it would be 0x4c4b548"),
        "{hexadecimal}"
    );
    let decimal = notes(&["last-write", "4096"]);
    assert!(
        decimal.contains("4096 is read as a decimal number, 0x1000; for hexadecimal write 0x4096")
    );
    for plain in [
        ["pc", "0x80000328"],
        ["pc", "2147484456"],
        ["last-write", "sp+16"],
    ] {
        assert_eq!(notes(&plain), "", "{plain:?}");
    }
    assert_eq!(notes(&["pc", "80000328", "-q"]), "");
}

#[test]
fn a_range_that_is_negative_or_wraps_is_refused() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    for range in [
        "0x80020000:-1",
        "0xfffffffffffffff0:0x20",
        "-16:4",
        "0x80020000:0-8",
        "0x80020000:0",
    ] {
        sandbox
            .run(&["find", &trace, "last-write", range])
            .ends_misspelt();
        sandbox.run(&["why", &trace, range]).ends_misspelt();
        sandbox
            .run(&["at", &trace, "end", "--mem", range])
            .ends_misspelt();
    }
    sandbox
        .run(&["find", &trace, "last-write", "0xfffffffffffffff0:0x10"])
        .succeeds();
}

#[test]
fn no_cores_are_refused() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["info", &trace, "--threads", "0"])
        .ends_misspelt();
    sandbox.run(&["info", &trace, "--threads", "1"]).succeeds();
}

#[test]
fn cells_that_why_prints_are_read_back() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    for cell in ["x0<31:0>", "x0<7:0>", "v1<31:24>", "x19<63:32> of cpu0"] {
        sandbox.run(&["why", &trace, cell]).succeeds();
        sandbox
            .run(&["find", &trace, "last-write", cell])
            .succeeds();
    }
    for wrong in ["x0<64:57>", "x0<8:1>", "x0<0:7>", "nosuch<7:0>"] {
        sandbox.run(&["why", &trace, wrong]).ends_misspelt();
    }
}

#[test]
fn a_value_that_ends_unread_says_how() {
    let sandbox = Sandbox::new();
    let lines = "1 clk IT (1) 00001000 d2800020 O EL1h_n : MOV x0,#1\n1 clk R X0 0000000000000001\n\
        2 clk IT (2) 00001004 d503201f O EL1h_n : NOP\n\
        3 clk IT (3) 00001008 d2800040 O EL1h_n : MOV x0,#2\n3 clk R X0 0000000000000002\n\
        4 clk IT (4) 0000100c d503201f O EL1h_n : NOP\n";
    let trace = sandbox.file("a.tarmac", lines);
    let rows = sandbox.json_lines(&["why", &trace, "x0", "--forward", "--at", "1"]);
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (rows[0]["end"].as_str(), rows[0]["cell"].as_str()),
        (Some("overwritten"), Some("x0"))
    );
    let text = sandbox
        .run(&["why", &trace, "x0", "--forward", "--at", "1"])
        .succeeds();
    assert!(
        text.out.contains("not read before step 2 overwrites it"),
        "{}",
        text.out
    );
    let kept = sandbox.json_lines(&["why", &trace, "x0", "--forward", "--at", "3"]);
    assert_eq!(kept[0]["end"].as_str(), Some("kept"));
}

#[test]
fn all_symbols_of_one_name_are_meant() {
    let sandbox = Sandbox::new();
    let (image, trace) = (
        sandbox.fixture("small/two_helpers.elf"),
        sandbox.fixture("small/two_helpers.tarmac"),
    );
    let ask = |arguments: &[&str]| sandbox.run(&[arguments, &["--image", &image]].concat());
    let visits = sandbox.json_lines(&["find", &trace, "pc", "helper", "--all", "--image", &image]);
    let pcs: Vec<_> = visits.iter().filter_map(|hit| hit["pc"].as_str()).collect();
    assert_eq!(pcs, ["0x400000", "0x400024"]);
    let last = sandbox.json(&["find", &trace, "last-pc", "helper", "--image", &image]);
    assert_eq!(last["hit"]["pc"], "0x400024");
    ask(&["callinfo", &trace, "helper"])
        .succeeds()
        .prints("at 0x400024");
    let position =
        |place: &str| sandbox.json(&["at", &trace, place, "--image", &image])["position"].as_u64();
    assert_eq!(
        (position("pc:helper"), position("pc:helper#2")),
        (Some(7), Some(18))
    );
    assert_eq!(position("pc:helper+4#2"), Some(19));
    // A cell must be one address: the error lists the candidates.
    let refused = ask(&["at", &trace, "end", "--mem", "helper:4"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused
            .err
            .contains("2 symbols are named helper, at 0x400000, 0x400024"),
        "{}",
        refused.err
    );
    ask(&["find", &trace, "last-write", "helper"]).ends_misspelt();
}

// gdb 13.1 sets breakpoints in these functions: `info breakpoints` after `break area` and so on.
#[test]
fn functions_have_the_end_of_their_names() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("locals/functions.tenet.zst");
    let image = fixture_path("locals/functions.elf");
    let image = image.to_str().unwrap();
    let address = |place: &str| {
        let place = format!("pc:{place}");
        let steps = [
            "list", &trace, "--from", &place, "--count", "1", "--image", image,
        ];
        sandbox.json_lines(&steps)[0]["pc"].clone()
    };
    for (name, expected) in [
        ("clamped", "0x401227"),
        ("`clamped<long>`", "0x401253"),
        ("area", "0x401160"),
        ("area#2", "0x401180"),
        ("`Ring<int,4>::push`", "0x4011ea"),
        ("`~Guard`", "0x4011ba"),
    ] {
        assert_eq!(address(name), expected, "{name}");
    }
    let one = ["at", &trace, "end", "--mem", "area:4", "--image", image];
    let ran = sandbox.run(&one).ends_misspelt();
    ran.says("2 functions are named area")
        .says("`geo::Circle::area() const`")
        .says("`geo::Box::area() const`");
}
