//! Variables in expressions, in `fixtures/locals/numbers.c`. gdb prints the same values in `show`,
//! except where the C standard says otherwise.

use serde_json::{Value, json};

use crate::cli::dap_client::DapClient;
use crate::cli::support::Sandbox;

/// Last line of `show`.
const SHOW: &str = "pc:0x401224";

fn launched(sandbox: &Sandbox, position: &str) -> DapClient {
    let launch = json!({
        "trace": sandbox.fixture("locals/numbers.tenet.zst"),
        "images": [sandbox.fixture("locals/numbers.elf")],
        "position": position,
    });
    DapClient::launched(sandbox, launch)
}

/// Compares the results of expressions with numbers.
#[track_caller]
fn check(expected: &[(&str, i128)]) {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, SHOW);
    for (expression, number) in expected {
        let text = client.evaluate(expression, "watch");
        assert!(
            text.ends_with(&format!(" ({number})")),
            "{expression}: {text}, not {number}"
        );
    }
}

/// Compares the texts of variables and of errors.
#[track_caller]
fn check_texts(expected: &[(&str, &str)]) {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, SHOW);
    for (expression, text) in expected {
        let arguments = json!({"expression": expression, "context": "watch"});
        let request = client.request("evaluate", arguments);
        let answer = client.answer(request);
        let shown = match answer["success"] == true {
            true => &answer["body"]["result"],
            false => &answer["message"],
        };
        assert_eq!(shown, text, "{expression}");
    }
}

#[test]
fn signed_numbers_are_compared_and_divided_with_their_signs() {
    check(&[
        ("i < 0", 1),
        ("i / 2", -1),
        ("i % 2", -1),
        ("i >> 1", -2),
        ("i + 0", -3),
        ("i == -3", 1),
        ("i == 0xfffffffd", 1),
        ("sc < 0", 1),
        ("sc / 2", -2),
        ("sc == -4", 1),
        ("l * 2", -10),
        ("l >> 1", -3),
        ("fields.below < 0", 1),
        ("fields.below * 2", -14),
        ("blue < 0", 1),
        ("nodes[1].v * -1", -2),
        ("!i", 0),
        ("i && 0", 0),
    ]);
}

/// C11, 6.3.1.8 "Usual arithmetic conversions".
#[test]
fn operands_are_converted_as_in_c() {
    check(&[
        ("-uc", -200),
        ("~uc", -201),
        ("uc + 100", 300),
        ("sh == 65535", 0),
        ("u < 0", 0),
        ("u + 1294967296", 0),
        ("-u", 1_294_967_296),
        ("u << 1", 1_705_032_704),
        ("u > i", 0),
        ("i < u", 0),
        ("i < 5u", 0),
        ("l < u", 1),
        ("l < ul", 1),
        ("l == 0xfffffffb", 0),
        ("ul + 1", 0),
        ("ul / 2", 0x7fff_ffff_ffff_ffff),
        ("1 << i", 0),
        ("i << 31", -0x8000_0000),
        ("i >> 40", -1),
        ("colour + 1", 6),
        // 6.3.1.1: the bit field is an `int`. gdb prints 4294967295.
        ("fields.narrow - 6", -1),
        ("fields.wide + 1", 0x12_3456_789b),
        // 6.5.3.4: the size has no sign. gdb prints -13.
        ("sizeof i - 17", 0xffff_ffff_ffff_fff3),
        ("sizeof array", 16),
        ("sizeof(grid)", 24),
        ("sizeof nodes[0]", 16),
    ]);
}

#[test]
fn constants_have_names() {
    check(&[
        ("colour == GREEN", 1),
        ("blue == BLUE", 1),
        ("BLUE + 0", -3),
        ("letter == 'A'", 1),
        ("letter - 'a'", -32),
        ("text[2] == '\\0'", 1),
        ("title[1] == 'i'", 1),
    ]);
}

#[test]
fn pointers_count_elements() {
    check(&[
        ("array + 1 == pointer", 1),
        ("pointer - 1 == array", 1),
        ("pointer - array", 1),
        ("&array[3] - array", 3),
        ("grid + 1 == &grid[1][0]", 1),
        ("&*pointer == &array[1]", 1),
        ("pointer > array", 1),
        ("first + 1 == &nodes[1]", 1),
        // Registers are addresses in bytes.
        ("rsp + 1 - rsp", 1),
    ]);
    check_texts(&[
        ("*(array + 1)", "20"),
        ("*(1 + array)", "20"),
        ("*(pointer - 1)", "10"),
        ("*(array + i + 5)", "30"),
        // `u - 2999999999` is 1 without a sign.
        ("*(pointer - (u - 2999999999))", "10"),
        ("pointer[-1]", "10"),
        ("pointer[i + 4]", "30"),
        ("*(grid + 1)", "{4, 5, 6}"),
        ("*&i", "-3"),
    ]);
}

#[test]
fn variables_of_files_have_values() {
    check(&[
        ("count + 1", -1),
        ("count < 0", 1),
        ("(count + 1) * 2", -2),
        ("level + 100", 300),
        ("&count", 0x40_3000),
        ("sym::count", 0x40_3000),
        ("&show", 0x40_1000),
        ("show", 0x40_1000),
    ]);
    check_texts(&[
        ("count", "-2 (inferred)"),
        ("level", r"200 '\xc8' (inferred)"),
        ("title", "0x402000 \"title\" (inferred)"),
        ("nodes[1].v", "2"),
        ("nodes[0].next->v", "2"),
        ("nodes[2].next", "0x0"),
        ("calls", "-1294966718"),
        ("reg::count", "column 1: no register is named \"count\""),
    ]);
}

#[test]
fn what_is_no_integer_says_so() {
    check_texts(&[
        (
            "d > 0",
            "column 1: d has no integer value: it is a floating-point number, not an integer",
        ),
        (
            "big + 0",
            "column 1: big has no integer value: it has more than 64 bits",
        ),
        (
            "fields + 1",
            "column 1: fields has no integer value: it is a structure; & returns its address",
        ),
        (
            "first->nosuch",
            "column 1: first.nosuch has no integer value: first has no member nosuch",
        ),
        (
            "(int)d",
            "column 1: types in expressions are not supported; u32[x] reads memory with a width",
        ),
        (
            "*(struct node *)first",
            "column 2: types in expressions are not supported; u32[x] reads memory with a width",
        ),
        ("i / 0", "column 3: division by zero"),
    ]);
}

#[test]
fn long_numbers_and_arrays_of_bytes_are_shown_whole() {
    check_texts(&[
        ("half", "0.5"),
        // gdb prints 0.100000000000000000001.
        ("tenth", "≈ 0.1"),
        ("d", "-2.25"),
        ("big", "166020696663385964544"),
        ("bytes", r#""\x00\x00\xc0?""#),
        ("text", "\"ab\""),
    ]);
}

#[test]
fn the_command_line_prints_signs() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("locals/numbers.tenet.zst");
    let image = sandbox.fixture("locals/numbers.elf");
    let at = ["--image", &*image, "--at", SHOW, "-q"];
    let value = |expression: &'static str| [&["locals", &*trace, expression], &at[..]].concat();
    sandbox
        .run(&value("i / 2"))
        .succeeds()
        .prints("\ni / 2 = -1 (0xffffffff)\n");
    sandbox
        .run(&value("GREEN"))
        .succeeds()
        .prints("\nGREEN = 5 (0x5)\n");
    assert_eq!(sandbox.json(&value("i * 2"))["number"], -6);
    // A symbol is an address outside frames.
    let address = ["at", &*trace, "end", "--mem", "count:4", "-q"];
    sandbox
        .run(&[&address[..], &["--image", &*image]].concat())
        .succeeds()
        .prints("0x0000000000403000");
}

/// Sets a breakpoint of a function with a condition, and returns the answer.
fn set(client: &mut DapClient, name: &str, condition: &str) -> Value {
    let breakpoint = json!({"name": name, "condition": condition});
    let mut answer = client.ask(
        "setFunctionBreakpoints",
        json!({"breakpoints": [breakpoint]}),
    );
    answer["breakpoints"][0].take()
}

#[test]
fn conditions_compare_variables_with_their_signs() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "start");
    // `count` is -2, -1 and 1 before the calls of `step`.
    for (condition, expected) in [
        ("count < 0", "-2 (inferred)"),
        ("count == -1", "-1"),
        ("count > 0", "1"),
    ] {
        client.ask("stepback/goTo", json!({"position": "start"}));
        client.stop();
        assert_eq!(set(&mut client, "step", condition)["verified"], true);
        assert_eq!(client.run("continue"), "function breakpoint", "{condition}");
        assert_eq!(client.evaluate("count", "watch"), expected);
    }
}

#[test]
fn a_condition_that_has_no_value_is_refused_or_stops() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, "start");
    for condition in [
        "nosuch == 1",
        "first->nosuch == 1",
        "first->next->nosuch == 1",
        "d < 0",
        "colour == PURPLE",
    ] {
        let answer = set(&mut client, "show", condition);
        assert_eq!(answer["verified"], false, "{condition}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("cannot be evaluated"), "{message}");
    }
    // Not recorded is not true.
    assert_eq!(set(&mut client, "show", "u8[0x10] == 0")["verified"], true);
    assert_eq!(client.run("continue"), "pause");
    client.ask("stepback/goTo", json!({"position": "start"}));
    client.stop();
    // No type excludes this value.
    assert_eq!(
        set(&mut client, "step", "1 / (count + 1)")["verified"],
        true
    );
    assert_eq!(client.run("continue"), "function breakpoint");
    client.events.clear();
    assert_eq!(client.run("continue"), "function breakpoint");
    client.note("a condition could not be evaluated: column 3: division by zero");
    assert_eq!(client.evaluate("count", "watch"), "-1");
}

#[test]
fn a_variable_of_a_file_is_watched() {
    let sandbox = Sandbox::new();
    let mut client = launched(&sandbox, SHOW);
    for (name, data) in [
        ("count", "0x403000:4"),
        ("level", "0x403004:1"),
        ("nodes[1].v", "0x403038:4"),
    ] {
        let answer = client.ask("dataBreakpointInfo", json!({"name": name}));
        assert_eq!(answer["dataId"], data, "{name}");
    }
}
