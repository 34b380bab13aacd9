//! The clipboard of whoever sits at the terminal, however far away: by the escape sequence OSC 52
//! (xterm, "Operating System Commands", `Ps = 5 2`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Terminals drop longer sequences: xterm and tmux keep some 100 kB.
const LONGEST: usize = 74_994;

/// The sequence that puts a text on the clipboard; none where the text is longer than terminals take.
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
