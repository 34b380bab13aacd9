//! Word wrapping.

use super::clean::width;

/// Breaks a clean text between words into lines of at most `cells`. A longer word gets its own
/// line.
pub fn wrapped(clean: &str, cells: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in clean.split_whitespace() {
        match lines
            .last_mut()
            .filter(|line| width(line) + 1 + width(word) <= cells)
        {
            Some(line) => line.extend([" ", word]),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_between_words() {
        assert_eq!(
            wrapped("a load of 0x10 failed", 9),
            ["a load of", "0x10", "failed"]
        );
        assert_eq!(wrapped("unbreakable", 4), ["unbreakable"]);
        assert!(wrapped(" ", 4).is_empty());
    }

    #[test]
    fn a_wide_letter_takes_two_cells() {
        assert_eq!(
            wrapped("\u{4e2d}\u{6587} \u{5b57}", 6),
            ["\u{4e2d}\u{6587}", "\u{5b57}"]
        );
    }
}
