//! Errors in a line.

use crate::problem::{FoundToken, TarmacFault};
use crate::text::lexer::{Lexer, Token};

/// Position in a line at which the reader stopped, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineFault {
    /// Byte offset from the start of the line.
    pub column: usize,
    /// Reason.
    pub kind: TarmacFault,
}

impl TarmacFault {
    /// Returns a fault of this kind at a column.
    pub(super) fn at(self, column: usize) -> LineFault {
        LineFault { column, kind: self }
    }
}

/// Maximum length of a word in a problem; longer ones are truncated.
const WORD_SHOWN: usize = 40;

impl LineFault {
    /// Returns the token of the line that was found instead of the expected one.
    pub fn found(&self, line: &[u8]) -> Option<FoundToken> {
        let is_expected = match self.kind {
            TarmacFault::Expected(_) => true,
            TarmacFault::UnknownType | TarmacFault::UnknownUnit => false,
            _ => return None,
        };
        match Lexer::new(line.get(self.column..).unwrap_or_default()).peek() {
            Token::Word(word) => {
                let start = word.get(..WORD_SHOWN).unwrap_or(word);
                Some(FoundToken::Word(
                    String::from_utf8_lossy(start).into_owned(),
                ))
            }
            Token::End if is_expected => Some(FoundToken::End),
            Token::Mark(mark) if is_expected => Some(FoundToken::Mark(mark.into())),
            _ => None,
        }
    }
}
