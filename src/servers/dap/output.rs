//! Responses and events, each with the next number.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value as Json, json};

use super::framing::framed;
use super::message::Request;

/// The stream to the client, shared by the threads.
pub struct Output {
    stream: Mutex<NumberedStream>,
}

struct NumberedStream {
    stream: Box<dyn Write + Send>,
    /// Number of messages written.
    count: u64,
}

impl Output {
    pub fn new(stream: Box<dyn Write + Send>) -> Self {
        Self {
            stream: Mutex::new(NumberedStream { stream, count: 0 }),
        }
    }

    fn stream(&self) -> MutexGuard<'_, NumberedStream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request.
    ///
    /// # Errors
    /// The client does not read any more.
    pub fn response(&self, request: &Request, body: Json) -> io::Result<()> {
        self.write(json!({
            "seq": 0,
            "type": "response",
            "request_seq": request.seq,
            "success": true,
            "command": request.command,
            "body": body,
        }))
    }

    /// Refuses a request.
    ///
    /// # Errors
    /// The client does not read any more.
    pub fn failure(&self, request: &Request, message: &str) -> io::Result<()> {
        self.write(json!({
            "seq": 0,
            "type": "response",
            "request_seq": request.seq,
            "success": false,
            "command": request.command,
            "message": message,
            "body": {"error": {"id": 1, "format": "{text}", "variables": {"text": message}, "showUser": true}},
        }))
    }

    /// Refuses a request that was cancelled.
    ///
    /// # Errors
    /// The client does not read any more.
    pub fn cancelled(&self, request: &Request) -> io::Result<()> {
        self.write(json!({
            "seq": 0,
            "type": "response",
            "request_seq": request.seq,
            "success": false,
            "command": request.command,
            "message": "cancelled",
        }))
    }

    /// Sends an event.
    ///
    /// # Errors
    /// The client does not read any more.
    pub fn event(&self, name: &str, body: Json) -> io::Result<()> {
        self.write(json!({"seq": 0, "type": "event", "event": name, "body": body}))
    }

    /// Shows a line on the client's console.
    ///
    /// # Errors
    /// The client does not read any more.
    pub fn note(&self, text: &str) -> io::Result<()> {
        self.event(
            "output",
            json!({"category": "console", "output": format!("{text}\n")}),
        )
    }

    fn write(&self, mut message: Json) -> io::Result<()> {
        let mut stream = self.stream();
        stream.count += 1;
        if let Some(seq) = message.get_mut("seq") {
            *seq = Json::from(stream.count);
        }
        let body = serde_json::to_vec(&message).map_err(io::Error::from)?;
        stream.stream.write_all(&framed(&body))?;
        stream.stream.flush()
    }
}
