//! The lines of a source file.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::words::{SourceLexerState, SourceWord, WordKind, is_known, words};

/// No source is larger; what is, was made by a program and is cut.
const LIMIT_BYTES: u64 = 16 << 20;
/// Lines that are kept: each costs memory of its own, and a file of nothing but line ends has millions.
const LINES: usize = 500_000;
/// Characters of a line that are kept.
const LINE_LIMIT: usize = 2000;
/// Columns between the stops of a tab.
const TAB: usize = 4;

/// A source file as it can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Where it was found.
    pub path: PathBuf,
    /// Its lines without tabs; bytes that are no UTF-8 are replaced.
    pub lines: Vec<String>,
    /// What each line begins in; empty where the words of the language are not known.
    pub begins: Vec<SourceLexerState>,
    /// There is more than was read.
    pub is_cut: bool,
    /// It is newer than the image that it was compiled into, so lines may have moved.
    pub is_newer: bool,
}

impl SourceText {
    /// Reads a file, of a long one the first 16 MiB and half a million lines. `images` are those that it may have been compiled into.
    ///
    /// # Errors
    /// One sentence that ends with the path.
    pub fn read(path: &Path, images: &[PathBuf]) -> Result<Self> {
        let refused = || format!("the source cannot be read: {path:?}");
        let metadata = std::fs::metadata(path).with_context(refused)?;
        // A pipe or a device may never end.
        ensure!(metadata.is_file(), "the source is no file: {path:?}");
        let mut bytes = Vec::new();
        File::open(path)
            .with_context(refused)?
            .take(LIMIT_BYTES + 1)
            .read_to_end(&mut bytes)
            .with_context(refused)?;
        let is_long = bytes.len() as u64 > LIMIT_BYTES;
        bytes.truncate(usize::try_from(LIMIT_BYTES).unwrap_or(usize::MAX));
        let built = images
            .iter()
            .filter_map(|image| std::fs::metadata(image).ok()?.modified().ok())
            .max();
        let is_newer =
            built.is_some_and(|built| metadata.modified().is_ok_and(|modified| modified > built));
        let text = String::from_utf8_lossy(&bytes);
        let mut all = text.lines();
        let lines: Vec<String> = all.by_ref().take(LINES).map(shown).collect();
        let begins = if is_known(path) {
            begins_of(&lines)
        } else {
            Vec::new()
        };
        let is_cut = is_long || all.next().is_some();
        Ok(Self {
            path: path.to_owned(),
            lines,
            begins,
            is_cut,
            is_newer,
        })
    }

    /// The words of a line by its number, from 1; the line as a whole where its language is not known.
    pub fn words(&self, number: u32) -> Vec<SourceWord<'_>> {
        let text = self.line(number).unwrap_or_default();
        let place = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        match self.begins.get(place) {
            Some(within) => words(text, *within).0,
            None => vec![SourceWord {
                kind: WordKind::Plain,
                text,
            }],
        }
    }

    /// A line by its number, from 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        let place = usize::try_from(number.checked_sub(1)?).ok()?;
        self.lines.get(place).map(String::as_str)
    }
}

/// What each line begins in.
fn begins_of(lines: &[String]) -> Vec<SourceLexerState> {
    let mut within = SourceLexerState::Code;
    let begin = |line: &String| {
        let begins = within;
        within = words(line, begins).1;
        begins
    };
    lines.iter().map(begin).collect()
}

/// A line with spaces for tabs and without characters that have no shape.
fn shown(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut column = 0;
    for letter in line.chars().take(LINE_LIMIT) {
        let width = if letter == '\t' {
            TAB - column % TAB
        } else {
            1
        };
        match letter {
            '\t' => text.extend(std::iter::repeat_n(' ', width)),
            letter if letter.is_control() => text.push('\u{fffd}'),
            letter => text.push(letter),
        }
        column += width;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8]) -> SourceText {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("a.c");
        std::fs::write(&path, content).expect("written");
        SourceText::read(&path, &[]).expect("a text")
    }

    #[test]
    fn tabs_line_ends_and_bytes_that_are_no_text_are_taken_as_they_come() {
        let text = read(b"a\tb\r\n\tint \xff;\x1b\nlast");
        assert_eq!(text.lines, ["a   b", "    int \u{fffd};\u{fffd}", "last"]);
        assert_eq!(
            (text.line(1), text.line(0), text.line(4)),
            (Some("a   b"), None, None)
        );
    }

    #[test]
    fn a_long_file_is_cut_and_says_so() {
        assert!(!read(&[b'\n'; 1000]).is_cut);
        let text = read(&vec![b'\n'; 17 << 20]);
        assert_eq!((text.is_cut, text.lines.len()), (true, LINES));
        assert!(read(&vec![b'a'; 17 << 20]).is_cut);
        assert!(!read(&vec![b'\n'; LINES]).is_cut);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = tempfile::tempdir().expect("a directory");
        let error = SourceText::read(folder.path(), &[])
            .expect_err("no text")
            .to_string();
        assert!(error.starts_with("the source is no file"), "{error}");
    }
}
