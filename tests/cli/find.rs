//! `stepback find`.

use serde_json::{Value, json};

use crate::cli::support::{OVERFLOW, Sandbox, overflow_image};

struct Finder {
    sandbox: Sandbox,
    trace: String,
}

impl Finder {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let trace = sandbox.fixture(OVERFLOW);
        Self { sandbox, trace }
    }

    #[track_caller]
    fn answer(&self, arguments: &[&str]) -> Value {
        self.sandbox
            .json(&[&["find", &self.trace], arguments].concat())
    }

    #[track_caller]
    fn steps(&self, arguments: &[&str]) -> Vec<u64> {
        let lines = self
            .sandbox
            .json_lines(&[&["find", &self.trace], arguments].concat());
        lines
            .iter()
            .map(|line| line["step"].as_u64().unwrap())
            .collect()
    }
}

#[test]
fn the_last_write_of_a_byte_is_a_whole_hit() {
    let finder = Finder::new();
    let expected = json!({"hit": {
        "step": 1249, "line": 2582, "time": 1250, "thread": "cpu0", "pc": "0x80000498", "executed": true,
        "text": "STRB     w0,[x19,#1]", "position": 1250,
        "access": {"kind": "write", "cell": "0x80020010:1", "address": "0x80020010", "size": 1, "value": "0xa9",
                   "inferred": false, "decoded": false, "external": false},
    }});
    assert_eq!(finder.answer(&["last-write", "0x80020010"]), expected);
    let keys: Vec<String> = expected["hit"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let answer = finder.answer(&["last-write", "0x80020010"]);
    assert_eq!(
        answer["hit"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>(),
        keys
    );
}

#[test]
fn asked_again_before_the_step_it_finds_the_write_before() {
    let answer = Finder::new().answer(&["last-write", "0x80020010", "--at", "1249"]);
    assert_eq!(
        (&answer["hit"]["step"], &answer["hit"]["line"]),
        (&json!(726), &json!(1557))
    );
    assert_eq!(answer["hit"]["access"]["value"], "0x00000000800002a0");
}

#[test]
fn all_writes_of_the_victim_are_found_in_either_direction() {
    let finder = Finder::new();
    let back = [1382, 1379, 1376, 1317, 1314, 1311, 1252, 1249, 726];
    assert_eq!(finder.steps(&["last-write", "0x80020010:8", "--all"]), back);
    let mut onward = back;
    onward.reverse();
    assert_eq!(
        finder.steps(&["next-write", "0x80020010:8", "--all"]),
        onward
    );
    assert_eq!(
        finder.steps(&["last-write", "0x80020010:8", "--all", "--limit", "3"]),
        back[..3]
    );
    assert_eq!(
        finder.steps(&["next-write", "0x80020010:8", "--all", "--at", "1250"]),
        onward[2..]
    );
}

#[test]
fn a_register_is_found_under_every_spelling() {
    let finder = Finder::new();
    for name in ["x30", "X30", "lr", "w30", "reg::x30"] {
        let hit = &finder.answer(&["last-write", name])["hit"];
        assert_eq!(
            (&hit["step"], &hit["position"]),
            (&json!(1762), &json!(1763)),
            "{name}"
        );
        assert_eq!(hit["access"]["kind"], "write");
    }
    assert_eq!(
        finder.answer(&["last-write", "x30"])["hit"]["access"]["cell"],
        "x30"
    );
    assert_eq!(finder.answer(&["last-write", "x25"])["hit"]["step"], 69);
    assert_eq!(finder.answer(&["last-write", "sp"])["hit"]["step"], 1758);
}

#[test]
fn what_the_trace_states_before_its_first_step_is_no_hit() {
    let finder = Finder::new();
    assert_eq!(
        finder.answer(&["last-write", "x4"]),
        json!({"hit": null, "initial": {"line": 5}})
    );
    assert_eq!(finder.steps(&["last-write", "x4", "--all"]), [] as [u64; 0]);
    let ran = finder
        .sandbox
        .run(&["find", &finder.trace, "last-write", "x4"])
        .succeeds();
    ran.prints("before the first step, in line 5");
}

#[test]
fn nothing_found_is_an_answer() {
    let finder = Finder::new();
    assert_eq!(finder.answer(&["last-write", "0x10"]), json!({"hit": null}));
    assert_eq!(
        finder.answer(&["next-write", "x4", "--at", "end"]),
        json!({"hit": null})
    );
    assert_eq!(finder.answer(&["pc", "0x4"]), json!({"hit": null}));
    assert_eq!(
        finder.answer(&["text", "nowhere in the trace"]),
        json!({"hit": null})
    );
    assert_eq!(
        finder.steps(&["value", "0x123456789", "--all"]),
        [] as [u64; 0]
    );
    finder
        .sandbox
        .run(&["find", &finder.trace, "pc", "0x4"])
        .succeeds()
        .prints("nothing found");
}

#[test]
fn reads_are_found_as_well() {
    let finder = Finder::new();
    assert_eq!(
        finder.answer(&["next-read", "0x80020010:8", "--at", "1600"])["hit"]["step"],
        1761
    );
    let last = finder.answer(&["last-read", "0x80020010"]);
    assert_eq!(
        (&last["hit"]["step"], &last["hit"]["access"]["kind"]),
        (&json!(1761), &json!("read"))
    );
    assert_eq!(
        finder.answer(&["last-access", "0x80020010"])["hit"]["step"],
        1761
    );
    assert_eq!(
        finder.answer(&["next-access", "0x80020010"])["hit"]["step"],
        726
    );
}

#[test]
fn who_reads_a_register_is_decoded_and_said_to_be() {
    let finder = Finder::new();
    let last = finder.answer(&["last-read", "x0"]);
    let access = json!({"kind": "read", "cell": "x0", "address": null, "size": 8, "value": "0x0000000080020010",
        "inferred": false, "decoded": true, "external": false});
    assert_eq!(
        (&last["hit"]["step"], &last["hit"]["access"]),
        (&json!(1761), &access)
    );
    // `sub w1,w1,#0x57`, three steps after the write.
    let next = finder.answer(&["next-read", "w1", "--at", "1230"]);
    assert_eq!(
        (&next["hit"]["step"], &next["hit"]["access"]["value"]),
        (&json!(1233), &json!("0x00000064"))
    );
    finder
        .sandbox
        .run(&["find", &finder.trace, "last-read", "x27"])
        .succeeds()
        .prints("(decoded)");
    // Writes are recorded, so none of them is decoded.
    assert_eq!(
        finder.answer(&["last-write", "x0"])["hit"]["access"]["decoded"],
        false
    );
}

#[test]
fn an_address_was_executed() {
    let finder = Finder::new();
    let all = finder.steps(&["pc", "0x80000498", "--all"]);
    assert!(all.contains(&1249) && all.is_sorted());
    assert_eq!(finder.answer(&["pc", "0x80000498"])["hit"]["step"], all[0]);
    let mut back = all.clone();
    back.reverse();
    assert_eq!(finder.steps(&["last-pc", "0x80000498", "--all"]), back);
    let hit = &finder.answer(&["last-pc", "0x80000498"])["hit"];
    assert!(hit["access"].is_null() && hit["pc"] == "0x80000498");
    let crash = finder.answer(&["pc", "dispatch+0x10", "--image", &overflow_image()]);
    assert_eq!(crash["hit"]["step"], 1762);
}

#[test]
fn texts_and_values_are_found_in_trace_order() {
    let finder = Finder::new();
    assert_eq!(finder.steps(&["text", r"BLR\s+x2", "--all"]), [1762]);
    let stores = finder.steps(&["text", "^[0-9]+ clk MW1 80020010", "--all"]);
    assert_eq!(stores, [1249]);
    // The step reads the value from memory and writes it to a register.
    assert_eq!(
        finder.steps(&["value", "0xbfb1e598a4e5bda9", "--all"]),
        [1761, 1761]
    );
    let many = finder.steps(&["text", "STRB", "--all"]);
    assert!(many.len() > 30 && many.is_sorted(), "{many:?}");
    assert_eq!(
        finder.steps(&["text", "STRB", "--all", "--limit", "20"]),
        many[..20]
    );
    assert_eq!(
        finder.steps(&["text", "STRB", "--all", "--at", &many[9].to_string()]),
        many[9..]
    );
}

#[test]
fn bytes_in_a_row_are_found_however_they_were_written() {
    let finder = Finder::new();
    // The value that the step above reads, in memory order; no single store wrote all of it.
    let found = finder.steps(&["bytes", "a9 bd e5 a4 98 e5 b1 bf", "--all"]);
    assert!(found.contains(&1761), "{found:?}");
    assert_eq!(finder.steps(&["bytes", "a9bde5a498e5b1bf", "--all"]), found);
    assert!(
        finder
            .steps(&["bytes", "\"nothing of all that\"", "--all"])
            .is_empty()
    );
}

/// More hits than a search returns per batch, with several at each position.
#[test]
fn no_hit_is_lost_between_the_blocks_of_a_search() {
    let finder = Finder::new();
    let all = finder.steps(&["value", "0", "--all"]);
    assert!(all.len() > 50, "{all:?}");
    let mut at = "start".to_owned();
    let mut one_by_one = Vec::new();
    while let Some(hit) = finder.answer(&["value", "0", "--at", &at])["hit"].as_object() {
        one_by_one.push(hit["step"].as_u64().unwrap());
        at = hit["position"].to_string();
    }
    let mut steps = all.clone();
    steps.dedup();
    assert_eq!(one_by_one, steps);
    let listed = finder.sandbox.json_lines(&["list", &finder.trace]);
    let is_zero = |value: &Value| {
        value
            .as_str()
            .is_some_and(|value| value.chars().all(|digit| "0x".contains(digit)))
    };
    let effects = listed
        .iter()
        .flat_map(|step| step["effects"].as_array().unwrap());
    assert_eq!(
        all.len(),
        effects.filter(|effect| is_zero(&effect["value"])).count()
    );
}

#[test]
fn a_misspelt_question_is_refused_before_the_trace_is_read() {
    let finder = Finder::new();
    let Finder { sandbox, trace } = &finder;
    sandbox
        .run(&["find", trace, "last-wrote", "x0"])
        .ends_misspelt()
        .says("last-write");
    sandbox
        .run(&["find", trace, "text", "(open"])
        .ends_misspelt()
        .says("regular expression");
    sandbox.run(&["find", trace, "pc", "4+"]).ends_misspelt();
    sandbox
        .run(&["find", trace, "last-write", "x0", "--at", "never"])
        .ends_misspelt();
    sandbox.run(&["find", trace, "last-write"]).ends_misspelt();
    assert!(!sandbox.path(&format!("{OVERFLOW}.sbi")).exists());
    sandbox
        .run(&["find", trace, "last-write", "nosuch"])
        .ends_misspelt()
        .says("nosuch")
        .says(OVERFLOW);
}

#[test]
fn the_text_shows_the_access() {
    let finder = Finder::new();
    let ran = finder
        .sandbox
        .run(&["find", &finder.trace, "last-write", "0x80020010"])
        .succeeds();
    ran.prints("1249  0x0000000080000498  STRB     w0,[x19,#1]")
        .prints("write 0x80020010:1 = 0xa9  line 2,582");
}

#[test]
fn external_changes_are_found_in_either_direction_with_or_without_a_range() {
    let sandbox = Sandbox::new();
    let text = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n\
                1 clk MW4 00001000 00000001\n\
                2 clk IT (2) 00008004 e1a00000 A svc : NOP\n\
                2 clk MR4 00001000 00000002\n\
                2 clk MR1 00002000 01\n\
                3 clk IT (3) 00008008 e1a00000 A svc : NOP\n\
                3 clk MR1 00002000 07\n";
    let trace = sandbox.file("dma.tarmac", text);
    let steps = |arguments: &[&str]| -> Vec<u64> {
        let lines = sandbox.json_lines(&[&["find", &trace], arguments].concat());
        lines
            .iter()
            .map(|line| line["step"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(steps(&["next-external", "--all"]), [1, 2]);
    assert_eq!(steps(&["last-external", "--all"]), [2, 1]);
    assert_eq!(steps(&["last-external", "--all", "--limit", "1"]), [2]);
    assert_eq!(steps(&["next-external", "0xfff:2", "--all"]), [1]);
    assert_eq!(
        steps(&["next-external", "0x1001:3", "--all"]),
        [] as [u64; 0]
    );
    assert_eq!(steps(&["next-external", "--at", "2", "--all"]), [2]);
    let hit = &sandbox.json(&["find", &trace, "last-external", "0x2000"])["hit"];
    let expected = json!({"kind": "read", "cell": "0x2000:1", "address": "0x2000", "size": 1, "value": "0x07",
                          "inferred": false, "decoded": false, "external": true});
    assert_eq!(hit["access"], expected);
    assert_eq!(
        sandbox.json(&["find", &trace, "next-external", "0x3000:0x1000000"]),
        json!({"hit": null})
    );
    assert_eq!(sandbox.json(&["info", &trace])["external_changes"], 2);
    sandbox.run(&["find", &trace, "next-write"]).ends_misspelt();
}

#[test]
fn a_lane_and_a_register_of_another_cpu_are_cells() {
    let sandbox = Sandbox::new();
    let (fp, amp) = (
        sandbox.fixture("fp32.tiny.tarmac"),
        sandbox.fixture("amp.head.tarmac"),
    );
    let hit = |arguments: &[&str]| sandbox.json(&[&["find"], arguments].concat())["hit"].clone();
    assert!(hit(&[&fp, "last-write", "d10.s[1]"])["step"].is_u64());
    let by_option = hit(&[&amp, "last-write", "x0", "--thread", "cpu1"]);
    assert_eq!(hit(&[&amp, "last-write", "x0 of cpu1"]), by_option);
    assert_eq!(by_option["thread"], "cpu1");
    sandbox
        .run(&["find", &amp, "last-write", "x0 of cpu7"])
        .ends_misspelt()
        .says("no such part of a register");
}

#[test]
fn a_search_that_its_limit_ended_says_so() {
    let finder = Finder::new();
    let all = |what: &[&str], limit: &[&str]| {
        let ran = finder
            .sandbox
            .run(&[&["find", &finder.trace], what, &["--all"], limit].concat())
            .succeeds();
        ran.err
            .lines()
            .filter(|line| line.contains("hit"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for what in [
        &["last-write", "0x80020010:8"][..],
        &["text", "STRB"],
        &["value", "0"],
        &["pc", "0x80000498"],
    ] {
        assert_eq!(
            all(what, &["--limit", "3"]),
            ["note: 3 hits, stopped by --limit"],
            "{what:?}"
        );
        let whole = all(what, &[]);
        assert!(
            whole.len() == 1 && whole[0].ends_with(" hits"),
            "{what:?} {whole:?}"
        );
    }
    assert_eq!(
        all(&["last-write", "0x80020010:8"], &["--limit", "10"]),
        ["note: 9 hits"]
    );
    assert_eq!(
        all(&["text", "STRB"], &["--limit", "3", "--quiet"]),
        [] as [&str; 0]
    );
    let none = finder
        .sandbox
        .run(&["find", &finder.trace, "text", "STRB", "--limit", "0"])
        .succeeds();
    none.prints("nothing to search for: --limit is 0");
}

#[test]
fn what_was_looked_for_in_vain_is_named() {
    let finder = Finder::new();
    let nothing = |what: &[&str]| {
        finder
            .sandbox
            .run(&[&["find", &finder.trace], what].concat())
            .succeeds()
            .out
    };
    assert_eq!(
        nothing(&["last-write", "0x8+8:8"]),
        "nothing found: no write of 0x10:8 before position 1,763\n"
    );
    assert_eq!(
        nothing(&["next-write", "sp >= 5"]),
        "nothing found: no write of 0x1:1 from position 0 on\n"
    );
    assert_eq!(
        nothing(&["next-read", "x4", "--at", "end"]),
        "nothing found: no read of x4 from position 1,763 on\n"
    );
    assert_eq!(
        nothing(&["pc", "2+2", "--all"]),
        "nothing found: no step at 0x4 from position 0 on\n"
    );
    let text = "nothing found: no step whose text or lines match \"nowhere\" by thread cpu0 from position 0 on\n";
    assert_eq!(nothing(&["text", "nowhere", "--thread", "cpu0"]), text);
    assert_eq!(
        nothing(&["value", "0x1234567*2"]),
        "nothing found: no value 0x2468ace from position 0 on\n"
    );
    let markers = "nothing found: this trace has no markers, such as binary formats keep of system calls and times\n";
    assert_eq!(nothing(&["marker", "syscall=1"]), markers);
    let external = nothing(&["last-external", "0x2000:4"]);
    assert_eq!(
        external,
        "nothing found: no external change of 0x2000:4 before position 1,763\n"
    );
}

/// The processor ignores the upper byte of an address (DDI 0487, D8.8 "Address tagging").
#[test]
fn an_address_that_the_trace_writes_with_its_tag_names_the_cell_without() {
    let sandbox = Sandbox::new();
    let text = "\
0 clk R X0 b400007fdeadb000
0 clk R X3 0000007fdeadb000
1 clk IT (1) 00001000 d28000e1 O EL0t : MOV x1,#7
1 clk R X1 0000000000000007
2 clk IT (2) 00001004 f9000001 O EL0t : STR x1,[x0]
2 clk MW8 b400007fdeadb000 0000000000000007
3 clk IT (3) 00001008 f9400062 O EL0t : LDR x2,[x3]
3 clk MR8 0000007fdeadb000 0000000000000007
3 clk R X2 0000000000000007
";
    let trace = sandbox.file("t.tarmac", text);
    for cell in ["x0:8", "x3:8", "0x7fdeadb000:8", "0xb400007fdeadb000:8"] {
        let hit = sandbox.json(&["find", &trace, "last-write", cell]);
        assert_eq!(hit["hit"]["step"], 1, "{cell}");
    }
    let rows = sandbox.json_lines(&["why", &trace, "x2"]);
    let steps: Vec<_> = rows.iter().filter_map(|row| row["step"].as_u64()).collect();
    assert_eq!(steps, [2, 1, 0]);
}

#[test]
fn the_exit_code_says_whether_something_was_found_if_it_is_requested() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let code = |arguments: &[&str]| {
        let all = [&["find", &trace], arguments, &["--exit-code"]].concat();
        sandbox.run(&all).code
    };
    assert_eq!(code(&["last-write", "x2"]), Some(0));
    assert_eq!(code(&["text", "STRB", "--all"]), Some(0));
    assert_eq!(code(&["text", "nowhere"]), Some(1));
    assert_eq!(code(&["pc", "4", "--all"]), Some(1));
    assert_eq!(code(&["marker", "syscall=1"]), Some(1));
    assert_eq!(code(&["last-write", "x99"]), Some(2));
    assert_eq!(
        sandbox.run(&["find", &trace, "text", "nowhere"]).code,
        Some(0)
    );
}

#[test]
fn a_pattern_in_lower_case_that_finds_nothing_is_explained() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let ran = sandbox.run(&["find", &trace, "text", "blr"]).succeeds();
    ran.says("start the pattern with (?i)")
        .prints("nothing found");
    let ran = sandbox.run(&["find", &trace, "text", "(?i)blr"]).succeeds();
    ran.prints("BLR");
}
