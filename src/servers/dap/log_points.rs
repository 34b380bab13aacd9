//! Messages of log points: text with expressions in braces.

use anyhow::{Result, bail, ensure};

/// Maximum length of a message in bytes.
const MESSAGE_BYTES: usize = 4096;

/// Text with expressions: `slot {slot} of {n}`. `\{` is a brace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMessage {
    pub parts: Vec<MessagePart>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
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
