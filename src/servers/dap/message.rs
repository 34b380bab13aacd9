//! Requests of a client.

use serde_json::{Map, Value as Json};

/// A message of a client.
#[derive(Debug, PartialEq)]
pub enum Message {
    Request(Request),
    /// A response, an event or something else that needs no answer.
    Other,
    /// No JSON, or a request without a command.
    Damaged,
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Number of the request, as the client wrote it. Clients that omit it receive 0.
    pub seq: Json,
    pub command: String,
    pub arguments: Map<String, Json>,
}

/// Reads a message.
pub fn parse(body: &[u8]) -> Message {
    let Ok(Json::Object(mut fields)) = serde_json::from_slice(body) else {
        return Message::Damaged;
    };
    if fields.get("type").and_then(Json::as_str) != Some("request") {
        return Message::Other;
    }
    let seq = match fields.remove("seq") {
        Some(Json::Number(seq)) => Json::Number(seq),
        _ => Json::from(0),
    };
    let Some(Json::String(command)) = fields.remove("command") else {
        return Message::Damaged;
    };
    let arguments = match fields.remove("arguments") {
        Some(Json::Object(arguments)) => arguments,
        _ => Map::new(),
    };
    Message::Request(Request {
        seq,
        command,
        arguments,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_a_command() {
        let Message::Request(request) =
            parse(br#"{"seq":3,"type":"request","command":"next","arguments":{"threadId":1}}"#)
        else {
            panic!("no request");
        };
        assert_eq!((request.seq, &*request.command), (3.into(), "next"));
        assert_eq!(request.arguments.get("threadId"), Some(&1.into()));
        assert_eq!(parse(br#"{"type":"request"}"#), Message::Damaged);
        assert_eq!(parse(br#"{"type":"response"}"#), Message::Other);
        assert_eq!(parse(b"[]"), Message::Damaged);
    }
}
