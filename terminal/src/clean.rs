//! Text made safe for a terminal.
//!
//! Names and lines of a trace may contain any character. Characters that a terminal would execute,
//! reorder, join or hide are escaped: bytes below 128 as `\x1b`, all others as `\u{202e}`. Tabs
//! become spaces. Every remaining character takes one cell or two.
//!
//! On ASCII terminals our own symbols have replacements (`←` is `<-`), letters lose their accents,
//! and everything else becomes `?`.

use std::borrow::Cow;
use std::fmt::Write as _;

use stepback_debugger::messages::folded_letter;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

/// Distance between tab stops, in cells.
const TAB: usize = 8;

/// Characters that the terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CharacterSet {
    #[default]
    Unicode,
    Ascii,
}

impl CharacterSet {
    /// Returns the text in a form that is safe to send to the terminal.
    ///
    /// ```
    /// use stepback_terminal::CharacterSet;
    ///
    /// assert_eq!(CharacterSet::Unicode.clean("x0 ← \x1b[2J"), r"x0 ← \x1b[2J");
    /// assert_eq!(CharacterSet::Ascii.clean("x0 ← 語"), "x0 <- ?");
    /// ```
    pub fn clean(self, text: &str) -> Cow<'_, str> {
        // Fast path: nearly all text is printable ASCII.
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Cow::Borrowed(text);
        }
        let mut clean = String::with_capacity(text.len());
        let mut cells = 0;
        for cluster in text.graphemes(true) {
            // A character that joins the one before it would shift the columns after it.
            for (place, letter) in cluster.chars().enumerate() {
                let from = clean.len();
                self.write(
                    &mut clean,
                    letter,
                    CharacterWidth {
                        cells,
                        is_joined: place > 0,
                    },
                );
                cells += width(clean.get(from..).unwrap_or_default());
            }
        }
        Cow::Owned(clean)
    }

    /// Returns the safe text, cut to a number of cells with `…` at its end.
    pub fn fit(self, text: &str, cells: usize) -> Cow<'_, str> {
        let clean = self.clean(text);
        if width(&clean) <= cells {
            return clean;
        }
        let sign = self.clean("…");
        let room = cells.saturating_sub(width(&sign));
        let kept = clean.get(..end_within(&clean, room)).unwrap_or_default();
        Cow::Owned(format!(
            "{kept}{}",
            sign.get(..end_within(&sign, cells)).unwrap_or_default()
        ))
    }

    fn write(self, clean: &mut String, letter: char, at: CharacterWidth) {
        if letter == '\t' {
            return clean.extend(std::iter::repeat_n(' ', TAB - at.cells % TAB));
        }
        let _infallible = match self {
            _ if letter.is_ascii_control() => write!(clean, "\\x{:02x}", u32::from(letter)),
            _ if letter.is_ascii() => write!(clean, "{letter}"),
            Self::Ascii => write!(clean, "{}", ascii(letter)),
            Self::Unicode if at.is_joined || !is_plain(letter) => {
                write!(clean, "\\u{{{:x}}}", u32::from(letter))
            }
            Self::Unicode => write!(clean, "{letter}"),
        };
    }
}

/// Position of a character in its line.
#[derive(Clone, Copy)]
struct CharacterWidth {
    cells: usize,
    /// A terminal may draw it into the cell of the character before it.
    is_joined: bool,
}

/// Returns the width of a clean text, in cells.
pub fn width(clean: &str) -> usize {
    clean.chars().map(letter_width).sum()
}

/// Returns the width of a character of a clean text, in cells.
pub fn letter_width(letter: char) -> usize {
    letter.width().unwrap_or_default()
}

/// Returns the byte offset at which to cut a clean text so that it fits into `cells`.
fn end_within(clean: &str, cells: usize) -> usize {
    let mut taken = 0;
    let over = clean.char_indices().find(|(_, letter)| {
        taken += letter_width(*letter);
        taken > cells
    });
    over.map_or(clean.len(), |(end, _)| end)
}

/// Returns true if every terminal shows the character separately and in the order in which it is
/// sent.
fn is_plain(letter: char) -> bool {
    let is_obeyed =
        letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}');
    let is_reordered = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Terminals disagree on these: soft hyphens, flags, skin tones, tags.
    let is_unclear = matches!(letter, '\u{ad}' | '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{e0fff}');
    !is_obeyed && !is_reordered && !is_unclear && matches!(letter.width(), Some(1 | 2))
}

/// Returns the ASCII replacement of a character.
fn ascii(letter: char) -> Cow<'static, str> {
    Cow::Borrowed(match letter {
        '←' => "<-",
        '→' => "->",
        '↑' => "^",
        '↓' => "v",
        '─' | '–' | '—' | '−' | '┄' => "-",
        '━' | '═' => "=",
        '│' | '┃' | '┆' => "|",
        '├' | '└' | '┌' | '┐' | '┘' | '┤' | '┬' | '┴' | '┼' => "+",
        '…' => "..",
        '·' | '•' => ".",
        '▸' | '›' | '▶' => ">",
        '▾' | '▼' => "v",
        '◂' | '‹' | '◀' => "<",
        '✓' => "x",
        '✗' | '×' => "x",
        '±' => "+-",
        '█' | '▓' | '■' => "#",
        '▒' | '░' => ":",
        '“' | '”' | '«' | '»' => "\"",
        '‘' | '’' => "'",
        '\u{a0}' | '\u{202f}' => " ",
        letter => {
            let folded = folded_letter(letter);
            return match (folded.is_ascii_graphic(), letter.is_uppercase()) {
                (true, true) => Cow::Owned(folded.to_ascii_uppercase().to_string()),
                (true, false) => Cow::Owned(folded.to_string()),
                (false, _) => Cow::Borrowed("?"),
            };
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, unicode: &str, ascii: &str) {
        assert_eq!(
            (
                &*CharacterSet::Unicode.clean(text),
                &*CharacterSet::Ascii.clean(text)
            ),
            (unicode, ascii)
        );
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        check(
            "a\x1b[31mb\x07\x7f",
            r"a\x1b[31mb\x07\x7f",
            r"a\x1b[31mb\x07\x7f",
        );
        check("a\u{9b}31m\u{85}", r"a\u{9b}31m\u{85}", "a?31m?");
        check(
            "line\r\nline\n",
            r"line\x0d\x0aline\x0a",
            r"line\x0d\x0aline\x0a",
        );
    }

    #[test]
    fn what_a_terminal_would_reorder_join_or_hide_is_written_out() {
        check(
            "abc\u{202e}fed\u{2066}",
            r"abc\u{202e}fed\u{2066}",
            "abc?fed?",
        );
        check("e\u{301}\u{200b}z", r"e\u{301}\u{200b}z", "e??z");
        check("👨\u{200d}👩", r"👨\u{200d}\u{1f469}", "???");
    }

    #[test]
    fn tabs_reach_to_the_next_stop() {
        check(
            "a\tb\t\tc",
            "a       b               c",
            "a       b               c",
        );
        check("語\tb", "語      b", "?       b");
    }

    #[test]
    fn our_own_signs_have_are_ins() {
        check("x0 ← 1 · 2…", "x0 ← 1 · 2…", "x0 <- 1 . 2..");
        check("│ ─ ↑ ▸ ✓ É ç", "│ ─ ↑ ▸ ✓ É ç", "| - ^ > x E c");
    }

    #[track_caller]
    fn check_fit(text: &str, cells: usize, unicode: &str, ascii: &str) {
        assert_eq!(
            (
                &*CharacterSet::Unicode.fit(text, cells),
                &*CharacterSet::Ascii.fit(text, cells)
            ),
            (unicode, ascii)
        );
    }

    #[test]
    fn what_is_too_long_is_cut() {
        check_fit("hexval", 6, "hexval", "hexval");
        check_fit("hexval", 5, "hexv…", "hex..");
        check_fit("語語語", 5, "語語…", "???");
        check_fit("語語語", 4, "語…", "???");
        check_fit("hexval", 1, "…", ".");
        check_fit("hexval", 0, "", "");
    }

    proptest! {
        #[test]
        fn every_letter_of_a_clean_text_is_alone(text in any::<String>()) {
            let clean = CharacterSet::Unicode.clean(&text);
            prop_assert!(clean.chars().all(|letter| matches!(letter.width(), Some(1 | 2))));
            prop_assert!(clean.chars().all(is_plain));
            prop_assert!(CharacterSet::Ascii.clean(&text).bytes().all(|byte| matches!(byte, b' '..=b'~')));
        }

        #[test]
        fn what_is_cut_fits(text in any::<String>(), cells in 0usize..40) {
            prop_assert!(width(&CharacterSet::Unicode.fit(&text, cells)) <= cells);
            prop_assert!(width(&CharacterSet::Ascii.fit(&text, cells)) <= cells);
        }
    }
}
