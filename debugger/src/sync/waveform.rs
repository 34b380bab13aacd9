//! Messages of the Waveform Control Protocol: JSON objects, each followed by a zero byte.
//!
//! Both sides begin with a greeting that lists their commands. Time is the common coordinate: the
//! viewer's cursor goes to the time of the position, in units of the trace.

use serde::{Deserialize, Serialize};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Message<'a> {
    Greeting {
        version: &'a str,
        commands: [&'a str; 0],
    },
    Command {
        command: &'a str,
        timestamp: u64,
    },
}

/// A message of the viewer. Those that mean nothing here are `Other`.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ViewerMessage {
    Greeting {
        commands: Vec<String>,
    },
    #[serde(other)]
    Other,
}

/// The commands that a viewer understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewerCommands {
    /// The viewer moves its cursor; older ones only scroll.
    pub has_cursor: bool,
}

fn encoded(message: &Message<'_>) -> String {
    // Numbers and strings always have a JSON form.
    let json = serde_json::to_string(message).unwrap_or_default();
    format!("{json}\0")
}

/// Returns the greeting of a client.
pub fn greeting() -> String {
    encoded(&Message::Greeting {
        version: "0",
        commands: [],
    })
}

/// Returns the messages that show a time.
pub fn messages(time: u64, viewer: ViewerCommands) -> String {
    let command = |command| {
        encoded(&Message::Command {
            command,
            timestamp: time,
        })
    };
    let mut messages = String::new();
    if viewer.has_cursor {
        messages.push_str(&command("set_cursor"));
    }
    messages.push_str(&command("set_viewport_to"));
    messages
}

/// Parses a message of the viewer, without its zero byte.
pub fn viewer_message(text: &str) -> ViewerMessage {
    serde_json::from_str(text).unwrap_or(ViewerMessage::Other)
}

impl ViewerMessage {
    /// Returns the commands in a greeting.
    pub fn commands(&self) -> Option<ViewerCommands> {
        match self {
            Self::Greeting { commands } => Some(ViewerCommands {
                has_cursor: commands.iter().any(|command| command == "set_cursor"),
            }),
            Self::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_goes_to_a_time() {
        let scroll = "{\"type\":\"command\",\"command\":\"set_viewport_to\",\"timestamp\":500}\0";
        let cursor = "{\"type\":\"command\",\"command\":\"set_cursor\",\"timestamp\":500}\0";
        let viewer = |has_cursor| ViewerCommands { has_cursor };
        assert_eq!(messages(500, viewer(false)), scroll);
        assert_eq!(messages(500, viewer(true)), format!("{cursor}{scroll}"));
        let greeted = "{\"type\":\"greeting\",\"version\":\"0\",\"commands\":[]}\0";
        assert_eq!(greeting(), greeted);
    }

    #[test]
    fn a_greeting_lists_the_commands_of_the_viewer() {
        for (text, expected) in [
            (
                r#"{"type":"greeting","version":"0","commands":["add_items","set_cursor"]}"#,
                Some(true),
            ),
            (
                r#"{"type":"greeting","version":"0","commands":[]}"#,
                Some(false),
            ),
            (r#"{"type":"response","command":"ack"}"#, None),
            (
                r#"{"type":"event","event":"waveforms_loaded","source":"a.vcd"}"#,
                None,
            ),
            ("no JSON", None),
        ] {
            let commands = viewer_message(text).commands();
            assert_eq!(commands.map(|viewer| viewer.has_cursor), expected, "{text}");
        }
    }
}
