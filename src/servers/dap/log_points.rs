//! Messages of log points: text with expressions in braces.

use anyhow::{Result, bail, ensure};
use stepback_index::Cancel;

use super::program::{FrameNumber, TracedProgram};
use super::running::StopPlace;

/// Maximum length of a message in bytes.
const MESSAGE_BYTES: usize = 4096;

/// Text with expressions: `slot {slot} of {n}`. `\{` is a brace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMessage {
    parts: Vec<MessagePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum MessagePart {
    Text(String),
    Expression(String),
}

impl LogMessage {
    /// Parses a message.
    ///
    /// # Errors
    /// A brace is not closed, or the message is too long.
    pub fn parse(message: &str) -> Result<Self> {
        ensure!(
            message.len() <= MESSAGE_BYTES,
            "a log message has at most {MESSAGE_BYTES} bytes"
        );
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut rest = message;
        while let Some(place) = rest.find(['{', '\\']) {
            let (before, after) = rest.split_at(place);
            text.push_str(before);
            if let Some(after) = after.strip_prefix('{') {
                let Some((expression, after)) = after.split_once('}') else {
                    bail!("a brace of the log message is not closed: {message:?}");
                };
                parts.push(MessagePart::Text(std::mem::take(&mut text)));
                parts.push(MessagePart::Expression(expression.trim().to_owned()));
                rest = after;
                continue;
            }
            let escaped = ["\\{", "\\}"]
                .into_iter()
                .find(|two| after.starts_with(two));
            let len = escaped.map_or(1, str::len);
            text.push_str(after.get(len - 1..len).unwrap_or_default());
            rest = after.get(len..).unwrap_or_default();
        }
        text.push_str(rest);
        parts.push(MessagePart::Text(text));
        Ok(Self { parts })
    }
}

impl TracedProgram {
    /// Formats a message at a place. An expression without a value is shown as its error.
    pub fn log_text(&self, message: &LogMessage, at: StopPlace, cancel: &Cancel) -> String {
        let part = |part: &MessagePart| match part {
            MessagePart::Text(text) => text.clone(),
            MessagePart::Expression(text) => self
                .logged_value(text, at, cancel)
                .unwrap_or_else(|error| format!("<{error:#}>")),
        };
        message.parts.iter().map(part).collect()
    }

    fn logged_value(&self, text: &str, at: StopPlace, cancel: &Cancel) -> Result<String> {
        let frame = FrameNumber {
            thread: at.thread,
            level: 0,
        };
        if let Some(value) = self.local_text(text, frame, at.position, cancel)? {
            return Ok(value);
        }
        self.value_text_at(text, at, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_in_braces() {
        let parts = |text: &str| LogMessage::parse(text).unwrap().parts;
        let text = |text: &str| MessagePart::Text(text.to_owned());
        let expression = |text: &str| MessagePart::Expression(text.to_owned());
        assert_eq!(
            parts("slot { slot }, {n}"),
            [
                text("slot "),
                expression("slot"),
                text(", "),
                expression("n"),
                text("")
            ]
        );
        assert_eq!(parts(r"a \{b\} \n \"), [text(r"a {b} \n \")]);
        assert!(LogMessage::parse("{slot").is_err());
    }
}
