//! Clipboard of the user's terminal, local or remote, through the escape sequence OSC 52 (xterm,
//! "Operating System Commands", `Ps = 5 2`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Maximum text length in bytes. Terminals drop longer sequences: xterm and tmux keep about 100 kB.
const LONGEST: usize = 74_994;

/// Returns the sequence that copies a text to the clipboard, or none if the text is too long.
pub fn copy_sequence(text: &str) -> Option<String> {
    (text.len() <= LONGEST).then(|| format!("\x1b]52;c;{}\x07", STANDARD.encode(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_sent_as_base64() {
        assert_eq!(
            copy_sequence("x0 ← 1").as_deref(),
            Some("\x1b]52;c;eDAg4oaQIDE=\x07")
        );
        assert_eq!(copy_sequence(&"a".repeat(LONGEST + 1)), None);
    }
}
