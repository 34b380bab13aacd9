//! Scripted sequences of calls that find the cause of a bug with at most 10 calls and 20 kB. Each
//! call uses only what earlier answers said; the truth comes from where the bug was made.

use std::fs;

use serde_json::{Value, json};

use super::client::Client;
use crate::cli::support::{OVERFLOW, Sandbox, copy_tree, fixture_path, overflow_image};

const CALLS: usize = 10;
const BYTES: usize = 20_000;

/// A sequence of calls about one bug.
struct Hunt {
    client: Client,
    calls: usize,
    bytes: usize,
}

impl Hunt {
    fn new(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        Self {
            client: Client::new(sandbox, arguments),
            calls: 0,
            bytes: 0,
        }
    }

    /// Continues with another trace of the same bug.
    fn with(self, sandbox: &Sandbox, arguments: &[&str]) -> Self {
        Self {
            client: Client::new(sandbox, arguments),
            ..self
        }
    }

    #[track_caller]
    fn ask(&mut self, tool: &str, arguments: Value) -> Value {
        let text = self.client.text(tool, &arguments);
        self.calls += 1;
        self.bytes += text.len();
        assert!(self.calls <= CALLS, "{} calls", self.calls);
        assert!(self.bytes <= BYTES, "{} bytes", self.bytes);
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert!(
            answer.get("error").is_none(),
            "{tool} {arguments}: {answer}"
        );
        answer
    }
}

/// Returns the rows of a kind.
fn of_kind<'a>(answer: &'a Value, kind: &str) -> Vec<&'a Value> {
    let rows = answer["rows"].as_array().unwrap().iter();
    rows.filter(|row| row["row"] == json!(kind)).collect()
}

/// Returns the stores of a slice.
fn stores(answer: &Value) -> Vec<&Value> {
    let rows = answer["rows"].as_array().unwrap().iter();
    rows.filter(|row| {
        row["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("STR"))
    })
    .collect()
}

/// Copies a file of a pair of traces.
fn copied(sandbox: &Sandbox, fixture: &str, name: &str) -> String {
    let copy = sandbox.path(name);
    copy_tree(&fixture_path(fixture), &copy);
    copy.to_str().unwrap().to_owned()
}

fn truth(pair: &str) -> Value {
    let text = fs::read_to_string(fixture_path(&format!("pairs/{pair}/truth.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Follows a bad ending to the store that broke the value and to the write before it.
fn overflow(hunt: &mut Hunt) -> [Value; 2] {
    let overview = hunt.ask("overview", json!({}));
    let culprit = &overview["ending"]["culprit"];
    let why = hunt.ask(
        "why",
        json!({"cell": culprit["cell"], "at": culprit["position"]}),
    );
    let store = stores(&why)[0].clone();
    let cell = &store["defines"][0]["cell"];
    let before = hunt.ask(
        "find",
        json!({"kind": "last-write", "what": cell, "at": store["step"]}),
    );
    [store, before["rows"][0].clone()]
}

#[test]
fn the_demo_stores_past_the_end_of_a_buffer() {
    let sandbox = Sandbox::new();
    let mut hunt = Hunt::new(&sandbox, &["--demo"]);
    let [store, before] = overflow(&mut hunt);
    // docs/tour.md: `strb w0, [x19, #2]` in decode_field stores into the function pointer that
    // new_handler has set.
    assert_eq!(store["text"], "STRB     w0,[x19,#2]");
    assert!(
        store["function"]
            .as_str()
            .unwrap()
            .starts_with("decode_field+")
    );
    assert!(
        before["function"]
            .as_str()
            .unwrap()
            .starts_with("new_handler+")
    );
    let list = hunt.ask("list", json!({"from": store["step"], "limit": 1}));
    assert!(
        list["rows"][0]["source"]
            .as_str()
            .unwrap()
            .contains("overflow.c:")
    );
    let stack = hunt.ask("calls", json!({"at": store["position"]}));
    let functions: Vec<_> = of_kind(&stack, "frame")
        .iter()
        .map(|frame| frame["function"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        functions,
        ["decode_field", "open_session", "main", "_start"]
    );
    println!("{} calls, {} bytes", hunt.calls, hunt.bytes);
}

#[test]
fn a_small_trace_overwrites_its_function_pointer() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut hunt = Hunt::new(&sandbox, &[&trace, "--image", &overflow_image()]);
    let [store, before] = overflow(&mut hunt);
    // The pointer is at 0x80020010.
    let cell = store["defines"][0]["cell"].as_str().unwrap();
    let address = u64::from_str_radix(&cell[2..18], 16).unwrap();
    assert!((0x8002_0010..0x8002_0018).contains(&address), "{cell}");
    assert!(
        store["function"]
            .as_str()
            .unwrap()
            .starts_with("decode_field+")
    );
    assert_eq!(before["access"]["cell"], "0x0000000080020010:8");
    println!("{} calls, {} bytes", hunt.calls, hunt.bytes);
}

#[test]
fn a_model_shifts_in_zeros() {
    let sandbox = Sandbox::new();
    let good = copied(&sandbox, "pairs/sra-path/a.log.zst", "a.log.zst");
    let bad = copied(&sandbox, "pairs/sra-path/b.log.zst", "b.log.zst");
    let mut hunt = Hunt::new(&sandbox, &[&good, "--compare", &bad]);
    let answer = hunt.ask("compare", json!({}));
    let difference = of_kind(&answer, "first_difference")[0];
    let truth = &truth("sra-path")["first_difference"];
    assert_eq!(difference["a"], truth["a"]);
    let cell = &difference["cells"][0];
    let values = [&cell["a"], &cell["b"]];
    assert_eq!(values, [&truth["cells"][0]["a"], &truth["cells"][0]["b"]]);
    // The first wrong result is that of an arithmetic shift.
    let list = hunt.ask("list", json!({"from": difference["position"], "limit": 1}));
    let text = list["rows"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("sra"), "{text}");
    println!("{} calls, {} bytes", hunt.calls, hunt.bytes);
}

#[test]
fn another_argument_leads_to_another_depth() {
    let sandbox = Sandbox::new();
    let a = copied(&sandbox, "pairs/recurse-depth/a.tarmac.zst", "a.tarmac.zst");
    let b = copied(&sandbox, "pairs/recurse-depth/b.tarmac.zst", "b.tarmac.zst");
    let mut hunt = Hunt::new(&sandbox, &[&a, "--compare", &b]);
    let answer = hunt.ask("compare", json!({}));
    let cause = of_kind(&answer, "divergence_cause")[0];
    assert_eq!(
        (&cause["cause_kind"], &cause["end"]),
        (&json!("memory"), &json!("initial"))
    );
    let difference = of_kind(&answer, "first_difference")[0];
    let truth = &truth("recurse-depth")["first_difference"];
    assert_eq!(difference["a"], truth["a"]);
    // The arguments are "20" and "21": memory around the byte is that text.
    let cell = difference["cells"][0]["cell"].as_str().unwrap();
    let (address, _) = cell.split_once(':').unwrap();
    let range = format!("{address}-1:2");
    let state = hunt.ask(
        "state",
        json!({"at": difference["position"], "memory": [range]}),
    );
    let last = hunt.ask("find", json!({"kind": "last-write", "what": cell}));
    assert_eq!(last["rows"], json!([]));
    assert!(state["rows"][0]["bytes"].is_string());
    assert_eq!(
        (&difference["cells"][0]["a"], &difference["cells"][0]["b"]),
        (&json!("0x30"), &json!("0x31"))
    );
    println!("{} calls, {} bytes", hunt.calls, hunt.bytes);
}

#[test]
fn interrupts_come_between() {
    let sandbox = Sandbox::new();
    let calm = copied(&sandbox, "pairs/qsort-irq3/a.tarmac.zst", "a.tarmac.zst");
    let other = copied(&sandbox, "pairs/qsort-irq3/b.tarmac.zst", "b.tarmac.zst");
    let mut hunt = Hunt::new(&sandbox, &[&calm, "--compare", &other]);
    let answer = hunt.ask("compare", json!({}));
    let truth = truth("qsort-irq3");
    let inserted = truth["inserted"].as_array().unwrap();
    let different: Vec<_> = of_kind(&answer, "region")
        .into_iter()
        .filter(|region| region["kind"] == json!("different"))
        .cloned()
        .collect();
    assert_eq!(different.len(), inserted.len());
    let mut hunt = hunt.with(&sandbox, &[&other]);
    for (region, truth) in different.iter().zip(inserted) {
        let [from, to] = [&region["b"][0], &region["b"][1]];
        assert_eq!([from, to], [&truth["from"], &truth["to"]]);
        let calls = hunt.ask("calls", json!({"from": from, "to": to}));
        assert_eq!(calls["rows"][0]["entered"], "exception");
        assert_eq!(
            calls["rows"][0]["exit_step"].as_u64().map(|step| step + 1),
            to.as_u64()
        );
    }
    println!("{} calls, {} bytes", hunt.calls, hunt.bytes);
}

/// Replaces the data of the last read of a word in a Tarmac trace, as a device that writes memory
/// would. Returns the trace and the number of the changed line.
fn corrupted(text: &str) -> (String, usize) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_read = |line: &String| line.contains(" MR4 ") || line.contains(" R4 ");
    let place = lines.iter().rposition(is_read).expect("a read");
    let (head, _) = lines[place].rsplit_once(' ').unwrap();
    lines[place] = format!("{head} deadbeef");
    (lines.join("\n") + "\n", place + 1)
}

#[test]
fn memory_changes_that_no_step_writes() {
    let sandbox = Sandbox::new();
    let text = fs::read_to_string(fixture_path("cm3.tiny.tarmac")).unwrap();
    let (text, line) = corrupted(&text);
    let trace = sandbox.file("dma.tarmac", text);
    let mut hunt = Hunt::new(&sandbox, &[&trace]);
    let overview = hunt.ask("overview", json!({}));
    assert!(
        overview["external_changes"].as_u64() > Some(0),
        "{overview}"
    );
    let found = hunt.ask("find", json!({"kind": "last-external", "what": null}));
    let hit = &found["rows"][0];
    assert_eq!(hit["access"]["provenance"], "external");
    assert_eq!(hit["access"]["value"], "0xdeadbeef");
    // Nothing wrote this value.
    let cell = &hit["access"]["cell"];
    let values = hunt.ask(
        "values",
        json!({"cell": cell, "at": hit["step"], "newest_first": true, "limit": 1}),
    );
    assert_ne!(values["rows"][0]["value"], "0xdeadbeef");
    // The step begins at the line before the one that was changed, or a little earlier.
    let first = hit["line"].as_u64().unwrap();
    assert!((1..8).contains(&(line as u64 - first)), "{first} {line}");
    println!("{} calls, {} bytes", hunt.calls, hunt.bytes);
}

#[test]
fn an_argument_of_a_moved_program_differs() {
    let sandbox = Sandbox::new();
    let a = copied(&sandbox, "moved/a.execlog.log.zst", "a.log.zst");
    let c = copied(&sandbox, "moved/c.execlog.log.zst", "c.log.zst");
    let mut hunt = Hunt::new(&sandbox, &[&a, "--compare", &c]);
    let answer = hunt.ask("compare", json!({}));
    // The arguments are 20 and 19.
    let steps = of_kind(&answer, "cause_step");
    let numbers = json!([{"kind": "register", "cell": "rdx", "a": "0x0000000000000014", "b": "0x0000000000000013"}]);
    assert!(
        steps.iter().any(|step| step["cells"] == numbers),
        "{answer}"
    );
    // They were read as digits: '2' and '1'.
    let difference = of_kind(&answer, "first_difference")[0];
    let cell = &difference["cells"][0];
    assert_eq!(
        (&cell["a"], &cell["b"]),
        (&json!("0x0000000000000032"), &json!("0x0000000000000031"))
    );
    let list = hunt.ask("list", json!({"from": difference["position"], "limit": 1}));
    assert!(
        list["rows"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("movzx")
    );
    println!("{} calls, {} bytes", hunt.calls, hunt.bytes);
}
