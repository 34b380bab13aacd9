//! A client of `stepback dap`, for tests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::support::Sandbox;

/// Time after which an answer is missing.
const PATIENCE: Duration = Duration::from_secs(120);

/// A session of an editor.
pub struct DapClient {
    program: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    count: u64,
    /// Events without an answer that waits for them.
    pub events: Vec<Value>,
}

impl DapClient {
    pub fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut program = sandbox
            .process(&[&["dap"], arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = program.stdin.take();
        let mut output = BufReader::new(program.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            loop {
                let mut header = String::new();
                if output.read_line(&mut header).unwrap_or(0) == 0 {
                    break;
                }
                let length = header.trim().strip_prefix("Content-Length: ").unwrap();
                let length: usize = length.parse().unwrap();
                let mut body = vec![0; length + 2];
                output.read_exact(&mut body).unwrap();
                let (blank, body) = body.split_at(2);
                assert_eq!(blank, b"\r\n");
                if sender.send(serde_json::from_slice(body).unwrap()).is_err() {
                    break;
                }
            }
        });
        Self {
            program,
            input,
            messages,
            count: 0,
            events: Vec::new(),
        }
    }

    /// Starts a session that stops where the trace begins.
    pub fn launched(sandbox: &Sandbox, launch: Value) -> Self {
        let mut client = Self::start(sandbox, &[]);
        client.ask(
            "initialize",
            json!({"adapterID": "stepback", "linesStartAt1": true}),
        );
        client.ask("launch", launch);
        client.event("initialized");
        client.ask("configurationDone", json!({}));
        assert_eq!(client.stop()["reason"], "entry");
        client
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Sends a request and returns its number.
    pub fn request(&mut self, command: &str, arguments: Value) -> u64 {
        self.count += 1;
        let message = json!({
            "seq": self.count, "type": "request", "command": command, "arguments": arguments,
        });
        self.send(&message);
        self.count
    }

    /// Waits for the next message.
    pub fn message(&mut self) -> Option<Value> {
        self.messages.recv_timeout(PATIENCE).ok()
    }

    /// Returns a message that has arrived.
    pub fn waiting(&mut self) -> Option<Value> {
        self.messages.try_recv().ok()
    }

    /// Waits for the answer to a request. Keeps the events before it.
    pub fn answer(&mut self, seq: u64) -> Value {
        loop {
            let message = self.message().expect("an answer");
            match message["type"].as_str() {
                Some("response") if message["request_seq"] == seq => return message,
                Some("event") => self.events.push(message),
                _ => panic!("unexpected: {message}"),
            }
        }
    }

    /// Sends a request and returns the body of its answer.
    #[track_caller]
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.request(command, arguments);
        let mut answer = self.answer(seq);
        assert_eq!(answer["success"], true, "{answer}");
        answer["body"].take()
    }

    /// Sends a request that is refused and returns the reason.
    #[track_caller]
    pub fn refused(&mut self, command: &str, arguments: Value) -> String {
        let seq = self.request(command, arguments);
        let answer = self.answer(seq);
        assert_eq!(answer["success"], false, "{answer}");
        answer["message"].as_str().unwrap().to_owned()
    }

    /// Waits for an event and returns its body.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(place) = self.events.iter().position(|event| event["event"] == name) {
                return self.events.remove(place)["body"].take();
            }
            let message = self.message().expect("an event");
            assert_eq!(message["type"], "event", "{message}");
            self.events.push(message);
        }
    }

    /// Waits for a line on the console.
    pub fn note(&mut self, text: &str) {
        while self.event("output")["output"] != format!("{text}\n") {}
    }

    /// Waits until the program has stopped.
    pub fn stop(&mut self) -> Value {
        self.event("stopped")
    }

    /// Lets the program run and waits until it has stopped. Returns the reason.
    #[track_caller]
    pub fn run(&mut self, command: &str) -> String {
        self.ask(command, json!({"threadId": 1}));
        self.stop()["reason"].as_str().unwrap().to_owned()
    }

    /// Returns the number of the position.
    #[track_caller]
    pub fn position(&mut self) -> u64 {
        let text = self.evaluate("position", "repl");
        let number = text.split(' ').nth(1).unwrap().replace(',', "");
        number.parse().unwrap()
    }

    #[track_caller]
    pub fn evaluate(&mut self, expression: &str, context: &str) -> String {
        let body = self.ask(
            "evaluate",
            json!({"expression": expression, "context": context}),
        );
        body["result"].as_str().unwrap().to_owned()
    }

    /// Returns the variables of a scope of a frame.
    #[track_caller]
    pub fn scope(&mut self, frame: &Value, name: &str) -> Value {
        let scopes = self.ask("scopes", json!({"frameId": frame}));
        let list = scopes["scopes"].as_array().unwrap();
        let scope = list.iter().find(|scope| scope["name"] == name);
        let scope = scope.unwrap_or_else(|| panic!("no {name} in {scopes}"));
        let reference = scope["variablesReference"].clone();
        self.ask("variables", json!({"variablesReference": reference}))
    }

    /// Returns the innermost frame of the first thread.
    #[track_caller]
    pub fn frame(&mut self) -> Value {
        let mut body = self.ask("stackTrace", json!({"threadId": 1, "levels": 1}));
        body["stackFrames"][0].take()
    }

    /// Returns `file:line` of the innermost frame, and its function.
    #[track_caller]
    pub fn place(&mut self) -> String {
        let frame = self.frame();
        let file = frame["source"]["name"].as_str().unwrap_or("?");
        format!(
            "{} {file}:{}",
            frame["name"].as_str().unwrap(),
            frame["line"]
        )
    }

    /// Ends the input, and returns the remaining messages and whether the program ended well.
    pub fn finish(mut self) -> (Vec<Value>, bool) {
        drop(self.input.take());
        let messages = std::iter::from_fn(|| self.messages.recv_timeout(PATIENCE).ok()).collect();
        let ended = self.program.wait().unwrap();
        (messages, ended.success())
    }
}

impl Drop for DapClient {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}
