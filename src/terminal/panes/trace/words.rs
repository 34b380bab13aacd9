//! Words that take several lines.

use crate::analysis::fatal_ending::FatalEnding;
use crate::messages::say;
use crate::model::fatal_words::fatal_words;

/// Where the program died, and how to go there.
pub fn died_words(ending: &FatalEnding) -> String {
    say!("terminal-died", words = fatal_words(ending), step = ending.step.0)
}

/// A text in lines of at most so many letters, broken between words where that is possible.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let room = |line: &String| line.chars().count() + 1 + word.chars().count() <= width;
        match lines.last_mut().filter(|line| room(line)) {
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
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("a load of 0x10 failed", 9), ["a load of", "0x10", "failed"]);
        assert_eq!(wrapped("immeasurable", 4), ["immeasurable"]);
        assert!(wrapped(" ", 4).is_empty());
    }
}
