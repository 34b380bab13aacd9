//! Writes JSON-RPC messages on standard output, one per line ([`Output`]).

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value as Json, json};

use super::message::{Refusal, RequestId};

/// Standard output, shared by the threads of the server. Each message is flushed.
#[derive(Debug)]
pub struct Output(Mutex<io::Stdout>);

impl Output {
    /// Opens standard output.
    pub fn new() -> Self {
        Self(Mutex::new(io::stdout()))
    }

    /// Sends the result of a request.
    ///
    /// # Errors
    /// The client has gone.
    pub fn result(&self, id: &RequestId, result: &Json) -> io::Result<()> {
        self.message(&json!({"jsonrpc": "2.0", "id": id.value(), "result": result}))
    }

    /// Refuses a message.
    ///
    /// # Errors
    /// The client has gone.
    pub fn refusal(&self, refusal: &Refusal) -> io::Result<()> {
        let Refusal { id, code, message } = refusal;
        let id = id.as_ref().map(RequestId::value);
        let error = json!({"code": code, "message": message});
        self.message(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// The client has gone.
    pub fn notification(&self, method: &str, params: &Json) -> io::Result<()> {
        self.message(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    fn message(&self, message: &Json) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(&line)?;
        out.flush()
    }
}
