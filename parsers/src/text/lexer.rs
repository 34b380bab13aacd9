//! The tokens of a line: words and single marks, with white space between them.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A run of letters, digits, `_`, `.`, `#` and `-`.
    Word(&'a [u8]),
    /// One of `: ( ) [ ] , < >`.
    Mark(u8),
    /// A byte that starts no token.
    Other(u8),
    /// The end of the line.
    End,
}

/// Reads tokens one at a time and looks no further: disassembly may contain anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexer<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of a line without line end. Skips byte order marks and zero bytes,
    /// which editors and broken files leave there.
    pub fn new(line: &'a [u8]) -> Self {
        let text = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        // A file that is truncated while its writer goes on begins with a hole, which reads as
        // zeros.
        let hole = text.iter().take_while(|byte| **byte == 0).count();
        let mut lexer = Self {
            line,
            at: line.len() - text.len() + hole,
        };
        lexer.skip_space();
        lexer
    }

    /// Returns the offset of the next token from the start of the line.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the line from the next token on.
    pub fn rest(&self) -> &'a [u8] {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// Returns the next token without taking it.
    pub fn peek(&self) -> Token<'a> {
        let rest = self.rest();
        let Some(&first) = rest.first() else {
            return Token::End;
        };
        if is_word_byte(first) {
            let length = rest
                .iter()
                .position(|&byte| !is_word_byte(byte))
                .unwrap_or(rest.len());
            return Token::Word(rest.get(..length).unwrap_or_default());
        }
        if b":()[],<>".contains(&first) {
            Token::Mark(first)
        } else {
            Token::Other(first)
        }
    }

    /// Takes the next token. A byte that starts no token is never taken: [`Token::Other`] is
    /// returned again.
    pub fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += match token {
            Token::Word(word) => word.len(),
            Token::Mark(_) => 1,
            Token::Other(_) | Token::End => 0,
        };
        self.skip_space();
        token
    }

    /// Takes the next token if it is a word.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        let Token::Word(word) = self.peek() else {
            return None;
        };
        self.next();
        Some(word)
    }

    /// Takes the next token if it is `mark`, and returns true then.
    pub fn mark(&mut self, mark: u8) -> bool {
        let is_there = self.peek() == Token::Mark(mark);
        if is_there {
            self.next();
        }
        is_there
    }

    /// Skips `count` bytes and the white space after them.
    pub fn skip(&mut self, count: usize) {
        self.at = self.line.len().min(self.at + count);
        self.skip_space();
    }

    fn skip_space(&mut self) {
        self.at += self
            .rest()
            .iter()
            .take_while(|byte| is_space(**byte))
            .count();
    }
}

/// Byte order mark that some editors put before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns true for white space as C defines it.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Returns true for the bytes that form words.
#[inline(always)]
pub(crate) fn is_word_byte(byte: u8) -> bool {
    WORD_BYTES[usize::from(byte)]
}

static WORD_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_other = matches!(byte as u8, b'_' | b'.' | b'#' | b'-');
        table[byte] = is_other || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};
