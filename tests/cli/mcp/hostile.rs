//! A hundred thousand hostile requests: no panic, bounded memory, one answer to each identifier.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use super::client::ANSWER_BYTES;
use crate::cli::support::{OVERFLOW, Sandbox};

const REQUESTS: u64 = 100_000;
/// Maximum resident memory. The trace and its index take about 10 MB.
const MEMORY_KIB: u64 = 200 << 10;

/// Xorshift: the same requests in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.roll(choices.len() as u64) as usize]
    }

    fn text(&mut self) -> String {
        let length = match self.roll(200) {
            0 => 1500,
            1 => 300,
            _ => self.roll(12),
        };
        let letters = [
            "a",
            "0",
            "x",
            ":",
            "[",
            "]",
            "+",
            "-",
            "(",
            "\u{0}",
            "\u{1F600}",
            "%",
            "#",
            "/",
            ".",
            "9",
            "\"",
        ];
        (0..length).map(|_| self.one_of(&letters)).collect()
    }

    /// Returns an argument of any type.
    fn value(&mut self, depth: u64) -> Value {
        match self.roll(if depth > 3 { 9 } else { 12 }) {
            0 => Value::Null,
            1 => json!(self.roll(2) == 0),
            2 => json!(self.roll(2000)),
            3 => json!(u64::MAX - self.roll(3)),
            4 => json!(i64::MIN),
            5 => json!(1e300),
            6 => json!(self.text()),
            7 => json!(self.one_of(&[
                "x0",
                "sp:8",
                "end",
                "50%",
                "pc:0x80000000",
                "0x80020010:8",
                "../../etc/passwd",
                "line:7"
            ])),
            8 => json!("0xffffffffffffffff:18446744073709551615"),
            9 => (0..self.roll(4)).map(|_| self.value(depth + 1)).collect(),
            10 => json!({"a": self.value(depth + 1)}),
            _ => json!("9".repeat(40)),
        }
    }

    fn arguments(&mut self) -> Value {
        let names = [
            "cell",
            "what",
            "kind",
            "at",
            "from",
            "to",
            "thread",
            "limit",
            "cursor",
            "registers",
            "memory",
            "stack",
            "function",
            "max_depth",
            "forward",
            "control",
            "file",
            "newest_first",
        ];
        let mut arguments = json!({});
        for _ in 0..self.roll(4) {
            let name = self.one_of(&names);
            arguments[name] = self.value(0);
        }
        if self.roll(3) == 0 {
            arguments["kind"] =
                json!(self.one_of(&["last-write", "text", "value", "pc", "bytes", "marker"]));
            arguments["what"] = self.value(4);
        }
        if self.roll(4) == 0 {
            arguments["cursor"] = json!(format!(
                "{:x}.{:x}.{:x}.1.{:016x}",
                self.roll(99),
                self.roll(99),
                self.roll(99),
                self.0
            ));
        }
        arguments
    }

    /// Returns a line, and the identifier that must be answered.
    fn line(&mut self, number: u64) -> (Vec<u8>, Option<Value>) {
        let id = match self.roll(3) {
            0 => json!(format!("id {number}")),
            _ => json!(number),
        };
        let tools = [
            "overview", "why", "find", "values", "state", "list", "calls", "compare",
        ];
        let with_id = |value: Value| (value.to_string().into_bytes(), Some(id.clone()));
        match self.roll(40) {
            0..=1 => {
                let params = json!({"name": self.one_of(&tools), "arguments": self.arguments()});
                with_id(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
            }
            2..=6 => {
                let params = json!({"name": self.value(0), "arguments": self.value(0)});
                with_id(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
            }
            7..=11 => with_id(json!({"jsonrpc": "2.0", "id": id, "method": self.text()})),
            12 => with_id(json!({"jsonrpc": "2.0", "id": id, "method": "ping", "params": self.value(0)})),
            13 => with_id(json!({"jsonrpc": "2.0", "id": id, "method": self.value(0)})),
            14 => with_id(json!({"jsonrpc": self.value(0), "id": id, "method": "ping"})),
            15 => with_id(json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": {"protocolVersion": self.value(0)}})),
            // Messages without an identifier are answered with null or not at all.
            16 => (json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": self.value(1)}}).to_string().into_bytes(), None),
            17 => (self.value(0).to_string().into_bytes(), None),
            18 => (vec![b'['; self.roll(3000) as usize], None),
            19 => (br#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#.to_vec(), None),
            20 => (b"{\"jsonrpc\":\"2.0\",\"id\":1e999,\"method\":\"ping\"}".to_vec(), None),
            21 if self.roll(40) == 0 => (vec![b'"'; 300 << 10], None),
            22 => (vec![0xff, 0xfe, 0, b'{'], None),
            23 => (json!({"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}).to_string().into_bytes(), None),
            24 => (json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]).to_string().into_bytes(), None),
            25..=30 => {
                // A valid message with a byte changed.
                let params = json!({"name": self.one_of(&tools), "arguments": self.arguments()});
                let message = json!({"jsonrpc": "2.0", "method": "tools/call", "params": params});
                let mut line = message.to_string().into_bytes();
                let place = self.roll(line.len() as u64) as usize;
                line[place] = match self.roll(256) as u8 {
                    b'\n' => b' ',
                    byte => byte,
                };
                (line, None)
            }
            _ => (self.text().into_bytes().into_iter().filter(|byte| *byte != b'\n').collect(), None),
        }
    }
}

#[test]
fn hostile_requests_are_answered_once_in_bounded_memory() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut process = sandbox
        .process(&["mcp", &trace])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = BufWriter::new(process.stdin.take().unwrap());
    let output = BufReader::new(process.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        let mut answers: HashMap<String, u64> = HashMap::new();
        for line in output.lines() {
            let line = line.unwrap();
            let reply: Value = serde_json::from_str(&line).unwrap();
            if reply["result"]["content"].is_array() {
                assert!(line.len() <= ANSWER_BYTES, "{line}");
                assert!(!line.contains(r#"\"internal\""#), "{line}");
            }
            *answers.entry(reply["id"].to_string()).or_default() += 1;
            if reply["id"] == json!("last") {
                break;
            }
        }
        answers
    });
    let mut dice = Dice(0x5eed_0f0d_dba1_1111);
    let mut expected = Vec::new();
    for number in 0..REQUESTS {
        let (line, id) = dice.line(number);
        input.write_all(&line).unwrap();
        input.write_all(b"\n").unwrap();
        expected.extend(id);
    }
    let last = json!({"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": {"name": "overview"}});
    writeln!(input, "{last}").unwrap();
    input.flush().unwrap();
    let answers = reader.join().unwrap();
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    drop(input);
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    for id in &expected {
        assert_eq!(answers.get(&id.to_string()), Some(&1), "{id}");
    }
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < MEMORY_KIB, "{peak} KiB");
    println!("{} answers, {peak} KiB", answers.len());
}
