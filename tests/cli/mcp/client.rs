//! A client of `stepback mcp`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::cli::support::Sandbox;

/// Maximum size of an answer.
pub const ANSWER_BYTES: usize = 4096;

pub struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Identifier of the last request.
    pub last_id: u64,
}

impl Client {
    /// Starts the server without a handshake.
    pub fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut process = sandbox
            .process(&[&["mcp"], arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
            last_id: 0,
        }
    }

    /// Starts the server and introduces the client.
    pub fn new(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut client = Self::start(sandbox, arguments);
        client.initialize("2025-06-18");
        client
    }

    /// Performs the handshake, and returns its result.
    pub fn initialize(&mut self, version: &str) -> Value {
        let introduction = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let reply = self.request("initialize", introduction);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        reply["result"].clone()
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    pub fn receive(&mut self) -> Value {
        serde_json::from_str(&self.receive_line()).unwrap()
    }

    fn receive_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the server has ended");
        line
    }

    /// Sends a request and returns the reply.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        serde_json::from_str(&self.request_line(method, params)).unwrap()
    }

    /// Sends a request and returns the line of the reply.
    #[track_caller]
    pub fn request_line(&mut self, method: &str, params: Value) -> String {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let line = self.receive_line();
        let reply: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(reply["id"], json!(id), "{reply}");
        line
    }

    /// Calls a tool, and checks the form and the size of the answer. Returns its content as text.
    #[track_caller]
    pub fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let line = self.request_line("tools/call", params);
        assert!(
            line.len() <= ANSWER_BYTES,
            "{tool} {arguments}: {}",
            line.len()
        );
        let reply: Value = serde_json::from_str(&line).unwrap();
        let result = &reply["result"];
        let content = content_of(&reply);
        assert_eq!(result["isError"], json!(content.get("error").is_some()));
        if result["isError"] == json!(false) {
            assert!(content["rows"].is_array(), "{content}");
            let coverage = content["coverage"].as_str().unwrap();
            assert!(
                ["complete", "so_far", "capped"].contains(&coverage),
                "{content}"
            );
        }
        content.to_string()
    }

    /// Calls a tool. Returns the answer, which may be an error.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        serde_json::from_str(&self.text(tool, &arguments)).unwrap()
    }

    /// Returns the kind of the error of a call.
    #[track_caller]
    pub fn error_kind(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        let error = &answer["error"];
        assert!(error["message"].is_string() && error["hint"].is_string());
        let kind = error["kind"].as_str();
        kind.unwrap_or_else(|| panic!("no error: {answer}"))
            .to_owned()
    }

    /// Returns the rows of all pages, whose total must be their number.
    #[track_caller]
    pub fn all_rows(&mut self, tool: &str, arguments: &Value) -> Vec<Value> {
        let mut rows = Vec::new();
        let mut arguments = arguments.clone();
        loop {
            let answer = self.call(tool, arguments.clone());
            let page = answer["rows"]
                .as_array()
                .unwrap_or_else(|| panic!("{answer}"));
            rows.extend(page.iter().cloned());
            let total = answer["total"].as_u64();
            match answer.get("next_cursor") {
                Some(cursor) => {
                    assert!(!page.is_empty(), "{answer}");
                    assert!(
                        total.is_none_or(|total| total > rows.len() as u64),
                        "{answer}"
                    );
                    arguments["cursor"] = cursor.clone();
                }
                None => {
                    assert_eq!(total, Some(rows.len() as u64), "{answer}");
                    return rows;
                }
            }
        }
    }

    /// Ends the input, and returns the exit status.
    pub fn end(mut self) -> Option<i32> {
        self.input = None;
        self.process.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        drop(self.process.wait());
    }
}

/// Returns the answer in the reply to a call.
#[track_caller]
pub fn content_of(reply: &Value) -> Value {
    let text = reply["result"]["content"][0]["text"].as_str();
    serde_json::from_str(text.unwrap_or_else(|| panic!("no text: {reply}"))).unwrap()
}
