//! Variables of `fixtures/locals`, whose values follow from the sources there.

use serde_json::{Value, json};

use crate::cli::dap_client::DapClient;
use crate::cli::support::Sandbox;

/// Position in the second loop of `fill(3, 2)`.
const SECOND_LOOP: &str = "130";
/// Position at the end of `leaf`, which `inner`, `middle` and `walk` call.
const LEAF: &str = "454";

/// Runs `stepback locals` on a program of the folder.
fn locals(sandbox: &Sandbox, program: &str, more: &[&str]) -> crate::cli::support::Ran {
    let trace = sandbox.fixture(&format!("locals/{program}.tenet.zst"));
    let image = sandbox.fixture(&format!("locals/{program}.elf"));
    sandbox.run(&[&["locals", &*trace, "--image", &*image, "-q"], more].concat())
}

/// Compares the lines of some values, without the line of the frame.
#[track_caller]
fn check(program: &str, place: &[&str], values: &[(&str, &str)]) {
    let sandbox = Sandbox::new();
    for (expression, expected) in values {
        let ran = locals(&sandbox, program, &[&[*expression], place].concat()).succeeds();
        let lines: Vec<&str> = ran.out.lines().skip(2).collect();
        assert_eq!(lines.join("\n"), *expected, "{expression}");
    }
}

#[test]
fn arrays_of_variable_length_have_the_length_of_their_call() {
    let sandbox = Sandbox::new();
    let all = "  int [3] values = {0, 2, 4}\n  \
               short int [3][2] grid = {{0, 10}, {1, 11}, {2, 12}}\n";
    locals(&sandbox, "arrays", &["--at", SECOND_LOOP])
        .succeeds()
        .prints(all);
    // The end of `fill(5, 3)`.
    let all = "  int [5] values = {0, 3, 6, 9, 12}\n  short int [5][3] grid = \
               {{0, 10, 20}, {1, 11, 21}, {2, 12, 22}, {3, 13, 23}, {4, 14, 24}}\n";
    locals(&sandbox, "arrays", &["--at", "400"])
        .succeeds()
        .prints(all);
    check(
        "arrays",
        &["--at", SECOND_LOOP],
        &[
            ("values[2]", "int values[2] = 4"),
            ("values[i + 1]", "int values[i + 1] = 2"),
            (
                "grid[n - 1][factor - 1]",
                "short int grid[n - 1][factor - 1] = 12",
            ),
            (
                "grid[1]",
                "short int [2] grid[1] = {1, 11}\n  short int [0] = 1\n  short int [1] = 11",
            ),
            ("values[2] * 10 + n", "values[2] * 10 + n = 43 (0x2b)"),
        ],
    );
}

#[test]
fn a_variable_of_an_inner_block_hides_others() {
    // The first sum is 0 + 10, and the inner `value` twice that.
    check(
        "arrays",
        &["--at", "135"],
        &[("value", "int value = 20"), ("sum", "int sum = 10")],
    );
    let sandbox = Sandbox::new();
    locals(&sandbox, "arrays", &["--at", "135"])
        .succeeds()
        .prints("  int value = 20\n  int value = <optimised away>\n");
}

#[test]
fn members_of_anonymous_parts_and_bit_fields_have_names() {
    // The first item is {1, {6}, {{7, 8}, {9, 10}}}, and the second one {2, {5}, {{1, 2}, {3, 4}}}.
    check(
        "arrays",
        &["--at", LEAF, "--frame", "1"],
        &[
            ("first->number", "int first->number = 6"),
            ("item->pairs[1].y", "short int item->pairs[1].y = 10"),
            ("(*item).pairs[0].x", "int (*item).pairs[0].x = 7"),
            ("first->next->kind", "int first->next->kind = 2"),
            ("first->next->next", "struct item * first->next->next = 0x0"),
            // `leaf` stored -4 in a field of six bits; 4 and 24 in those before it.
            ("p->less", "int p->less = -4"),
            ("p->low + p->high", "p->low + p->high = 28 (0x1c)"),
        ],
    );
    let sandbox = Sandbox::new();
    let at = ["--at", LEAF, "--frame", "1"];
    for (expression, error) in [
        (
            "first->next->next->kind",
            "first.next.next is a null pointer",
        ),
        ("first->colour", "first has no member colour"),
        ("first->kind[2]", "first.kind has no element 2"),
        ("*sum", "sum is not a pointer to a known type"),
        ("nobody->kind", "no variable is named \"nobody\" here"),
        ("nobody", "no register or symbol is named \"nobody\""),
        ("rax[1]", "no variable is named \"rax\" here"),
        ("first->", "column"),
    ] {
        let ran = locals(&sandbox, "arrays", &[&[expression], &at[..]].concat());
        assert_ne!(ran.code, Some(0), "{expression}");
        ran.says(error);
    }
}

#[test]
fn inlined_functions_are_shown_apart() {
    let sandbox = Sandbox::new();
    let text = locals(&sandbox, "arrays", &["--at", LEAF, "--frame", "1"])
        .succeeds()
        .prints("\ninner, inlined in middle at arrays.c:61\n\narguments\n")
        .prints("\nlocal variables\n  int twice = 4\n")
        .prints("\nmiddle, inlined in walk at arrays.c:68\n\narguments\n")
        .prints("  int value = 1\n\nlocal variables\n  int more = 2\n")
        .prints("\nwalk\n\narguments\n");
    let order = [
        "inner, ",
        "value = 2",
        "middle, ",
        "value = 1",
        "\nwalk\n",
        "sum = 0",
    ];
    let places = order.map(|part| text.out.find(part).unwrap());
    assert!(places.is_sorted(), "{places:?}");
}

/// Values of `choices.rs` in `show`, by round.
#[test]
fn enumerations_of_rust_show_their_variants() {
    for (position, values) in [
        (
            "100",
            [
                ("number", "Option<u32> number = None"),
                ("outcome.0", "i16 outcome.0 = -3"),
                ("shape", "Shape shape = Empty"),
                ("tag.0", "u8 tag.0 = 4"),
                ("pair.1", "i32 pair.1 = -1"),
            ],
        ),
        (
            "160",
            [
                ("number.0", "u32 number.0 = 5"),
                ("outcome.0", "u64 outcome.0 = 1099511627776"),
                ("shape.height", "u64 shape.height = 4"),
                ("tag.amount", "u32 tag.amount = 9"),
                ("wide.0", "u128 wide.0 = 1180591620717411303424"),
            ],
        ),
        (
            "215",
            [
                ("shape.0", "u32 shape.0 = 6"),
                ("nested.0.0", "bool nested.0.0 = true"),
                ("letter.0", "char letter.0 = 8364 '€'"),
                ("case.number.0 + 1", "case.number.0 + 1 = 6 (0x6)"),
                ("*case.target.0", "u32 *case.target.0 = 9"),
            ],
        ),
    ] {
        check("choices", &["--at", position], &values);
    }
    let sandbox = Sandbox::new();
    locals(&sandbox, "choices", &["--at", "160"])
        .succeeds()
        .prints("  Shape shape = Rect {width = 3, height = 4}\n")
        .prints("  Tag tag = More {amount = 9}\n")
        .prints(" nested = Some(None)\n")
        .prints("  (u8, i32) pair = (2, -2)\n")
        .prints(" wide = Some(1180591620717411303424)\n");
}

/// gdb prints the same values at these positions.
#[test]
fn methods_have_the_members_of_their_object() {
    // In `second.add_to(second, by)`, after `next->add(count)`.
    let second = "{identity = {number = 20, flags = 3}, label = {text = 0x402000 \"counter\"}, \
                  count = 5, limits = {low = 1, high = 9}, next = 0x7fffffffe7a8}";
    let other = format!(
        "counter & other = @0x7fffffffe778: {second}\n  identity identity = {{number = 20, flags = 3}}\n  \
         label label = {{text = 0x402000 \"counter\"}}\n  int count = 5\n  \
         struct {{…}} limits = {{low = 1, high = 9}}\n  counter * next = 0x7fffffffe7a8"
    );
    check(
        "classes",
        &["--at", "45"],
        &[
            // The local variable hides the member.
            ("count", "int count = 10"),
            ("this->count", "int this->count = 5"),
            ("next->count", "int next->count = 5"),
            ("limits.high", "int limits.high = 9"),
            ("number", "int number = 20"),
            ("text[1]", "const char text[1] = 111 'o' (inferred)"),
            ("by", "const int & by = @0x7fffffffe774: 5"),
            ("other", &other),
            ("number + by", "number + by = 25 (0x19)"),
        ],
    );
    // The object of `next->add(5)` in the frame inside it.
    check(
        "classes",
        &["--at", "40"],
        &[
            ("number", "int number = 10"),
            ("next", "counter * next = 0x0"),
        ],
    );
    let sandbox = Sandbox::new();
    let ran = locals(&sandbox, "classes", &["low", "--at", "45"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    ran.says("no register or symbol is named \"low\"");
}

/// gdb prints the same addresses and values.
#[test]
fn a_reference_means_the_value_to_which_it_refers() {
    let sandbox = Sandbox::new();
    let launch = json!({
        "trace": sandbox.fixture("locals/classes.tenet.zst"),
        "images": [sandbox.fixture("locals/classes.elf")],
        "position": "45",
    });
    let mut client = DapClient::launched(&sandbox, launch);
    assert!(
        client
            .evaluate("&by", "watch")
            .starts_with("0x7fffffffe774 ")
    );
    assert!(client.evaluate("sizeof by", "watch").ends_with(" (4)"));
    let by = client.ask("evaluate", json!({"expression": "by", "context": "watch"}));
    assert_eq!(by["memoryReference"], "0x7fffffffe774");
    let watched = client.ask("dataBreakpointInfo", json!({"name": "by"}));
    assert_eq!(watched["dataId"], "0x7fffffffe774:4");
    // The initialisation of `by`, not the passing of its address.
    let written = client.evaluate("last-write by", "repl");
    assert!(written.contains("0x7fffffffe774"), "{written}");
    // Members of the class that no object has. Both calls of `add` added 5.
    for name in ["all", "counter::all", "shop::counter::all"] {
        assert_eq!(client.evaluate(name, "watch"), "10", "{name}");
    }
    assert!(client.evaluate("all - 11", "watch").ends_with(" (-1)"));
}

#[test]
fn texts_and_unit_variants_of_rust_are_shown() {
    check(
        "choices",
        &["--at", "160"],
        &[(
            "case.name",
            "&str case.name = \"some\"\n  u8 * data_ptr = 0x20015c\n  usize length = 4",
        )],
    );
    let sandbox = Sandbox::new();
    let launch = json!({
        "trace": sandbox.fixture("locals/choices.tenet.zst"),
        "images": [sandbox.fixture("locals/choices.elf")],
        "position": "100",
    });
    let mut client = DapClient::launched(&sandbox, launch);
    let shape = client.ask(
        "evaluate",
        json!({"expression": "shape", "context": "watch"}),
    );
    assert_eq!(shape["result"], "Empty");
    let members = client.ask(
        "variables",
        json!({"variablesReference": shape["variablesReference"]}),
    );
    assert_eq!(members["variables"][0]["name"], "Empty");
    assert_eq!(members["variables"][0]["value"], "{}");
}

#[test]
fn json_has_the_value_of_an_expression() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture("locals/arrays.tenet.zst");
    let image = sandbox.fixture("locals/arrays.elf");
    let json = |expression: &str| {
        let at = ["--at", LEAF, "--frame", "1", "-q"];
        sandbox.json(
            &[
                &["locals", &*trace, "--image", &*image, expression],
                &at[..],
            ]
            .concat(),
        )
    };
    let answer = json("item");
    let target = &answer["variable"]["members"][0];
    assert_eq!(target["name"], "*");
    assert_eq!(target["members"][0]["name"], "kind");
    assert_eq!(target["members"][0]["value"], "1");
    assert_eq!(
        (&answer["frame"], &answer["number"]),
        (&json!(1), &Value::Null)
    );
    let answer = json("item->kind + 1");
    assert_eq!(
        (&answer["variable"], &answer["number"]),
        (&Value::Null, &json!(2))
    );
}

#[test]
fn an_editor_shows_inlined_functions_as_frames() {
    let sandbox = Sandbox::new();
    let launch = json!({
        "trace": sandbox.fixture("locals/arrays.tenet.zst"),
        "images": [sandbox.fixture("locals/arrays.elf")],
    });
    let mut client = DapClient::launched(&sandbox, launch);
    // The call for the second item.
    let breakpoint = json!({"name": "leaf", "condition": "p->x == 3 && p[0].y == 4 && n == 6"});
    client.ask(
        "setFunctionBreakpoints",
        json!({"breakpoints": [breakpoint]}),
    );
    assert_eq!(client.run("continue"), "function breakpoint");
    let stack = client.ask("stackTrace", json!({"threadId": 1}));
    let frames: Vec<String> = stack["stackFrames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| format!("{}:{}", frame["name"].as_str().unwrap(), frame["line"]))
        .collect();
    assert_eq!(
        frames[1..],
        ["inner:54", "middle:61", "walk:68", "_start:78"],
        "{stack}"
    );
    assert_eq!(stack["totalFrames"], 5);
    let page = client.ask(
        "stackTrace",
        json!({"threadId": 1, "startFrame": 2, "levels": 2}),
    );
    assert_eq!(page["stackFrames"][1]["name"], "walk");
    assert_eq!(page["stackFrames"][1]["id"], stack["stackFrames"][3]["id"]);
    let frame = |level: usize| stack["stackFrames"][level]["id"].clone();
    let shown = |client: &mut DapClient, level: usize, scope: &str| -> Vec<String> {
        let list = client.scope(&frame(level), scope);
        let variables = list["variables"].as_array().unwrap().iter();
        let mut shown: Vec<String> = variables
            .map(|one| format!("{}={}", one["name"], one["value"]).replace('"', ""))
            .collect();
        shown.sort();
        shown
    };
    assert_eq!(shown(&mut client, 1, "Locals"), ["twice=6"]);
    assert_eq!(shown(&mut client, 2, "Locals"), ["more=3"]);
    assert!(shown(&mut client, 2, "Arguments").contains(&"value=2".to_owned()));
    // 4 + 10 + 2 for the first item.
    assert!(shown(&mut client, 3, "Locals").contains(&"sum=16".to_owned()));
    let mut evaluate = |expression: &str, level: usize| {
        let arguments = json!({
            "expression": expression, "context": "watch", "frameId": frame(level),
        });
        client.ask("evaluate", arguments)["result"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(evaluate("value", 1), "3");
    assert_eq!(evaluate("value", 2), "2");
    assert_eq!(evaluate("item->pairs[more - 2].y", 2), "4");
    assert_eq!(evaluate("item->kind", 1), "2");
    // Only the function of the call stack has registers at its entry.
    for (level, has_entry) in [(1, false), (2, false), (3, true)] {
        let scopes = client
            .ask("scopes", json!({"frameId": frame(level)}))
            .to_string();
        assert_eq!(scopes.contains("Arguments at entry"), has_entry, "{scopes}");
    }
}
