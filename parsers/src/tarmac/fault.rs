//! Errors in a line.

use crate::events::Recurrence;
use crate::text::lexer::{Lexer, Token};

/// Position in a line at which the reader stopped, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineFault {
    /// Byte offset from the start of the line.
    pub column: usize,
    /// Reason.
    pub kind: FaultKind,
}

/// Reason why the reader stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FaultKind {
    #[error("not a Tarmac line")]
    NotTarmac,
    #[error("expected {0}")]
    Expected(&'static str),
    #[error("{0} does not fit in 64 bits")]
    TooLarge(&'static str),
    #[error("unknown Tarmac event type")]
    UnknownType,
    #[error("unknown unit of time")]
    UnknownUnit,
    #[error("NUL bytes before the line: was the file emptied while it was written?")]
    Hole,
    #[error("two records on one line: both are kept")]
    Fused,
    #[error("two records on one line: the first is cut, and the second is kept")]
    FusedAndCut,
    #[error("longer than {} bytes: skipped", crate::text::window::LINE_LIMIT)]
    LineTooLong,
    #[error("register value too long: {0} bytes have room")]
    ValueTooLong(usize),
    #[error("register value shorter than the {0} bytes of the register: the others are unknown")]
    ValueTooShort(usize),
    #[error("the value may be cut off, and is unknown")]
    CutOff,
    #[error(
        "register value longer than the {0} bytes of the register: its leading zeros are left out"
    )]
    SurplusDigits(usize),
    #[error("one dash instead of two: half a byte cannot be left out")]
    HalfByte,
    #[error("bits {high} to {low} are not whole bytes of a register of {size_bytes} bytes")]
    BitRange {
        high: u64,
        low: u64,
        size_bytes: u16,
    },
    #[error("an access of {0} bytes: 1 to 64 are possible")]
    AccessSize(u64),
    #[error("data longer than the access of {0} bytes")]
    DataTooLong(usize),
    #[error("data shorter than the access of {0} bytes")]
    DataTooShort(usize),
    #[error("the access reaches beyond the last address")]
    AddressOverflow,
    #[error("more than {0} threads: line dropped")]
    TooManyThreads(usize),
    #[error("more than {0} registers outside the architecture's table: line dropped")]
    TooManyRegisters(usize),
}

impl FaultKind {
    /// Returns how often a problem of this kind is reported.
    pub fn recurrence(self) -> Recurrence {
        match self {
            Self::UnknownType => Recurrence::OfKind,
            Self::UnknownUnit => Recurrence::OnceARun,
            _ => Recurrence::Single,
        }
    }

    /// Returns a fault of this kind at a column.
    pub fn at(self, column: usize) -> LineFault {
        LineFault { column, kind: self }
    }
}

impl LineFault {
    /// Returns the message for the user, with the text that was found instead of the expected one.
    pub fn message(&self, line: &[u8]) -> String {
        let found = Lexer::new(line.get(self.column..).unwrap_or_default()).peek();
        match (self.kind, found) {
            (kind @ FaultKind::Expected(_), Token::End) => {
                format!("{kind}, found the end of the line")
            }
            (
                kind @ (FaultKind::Expected(_) | FaultKind::UnknownType | FaultKind::UnknownUnit),
                Token::Word(word),
            ) => {
                let start = word.get(..WORD_SHOWN).unwrap_or(word);
                format!(
                    "{kind}{} {:?}",
                    found_word(kind),
                    String::from_utf8_lossy(start)
                )
            }
            (kind @ FaultKind::Expected(_), Token::Mark(mark)) => {
                format!("{kind}, found {:?}", char::from(mark))
            }
            (kind, _) => kind.to_string(),
        }
    }
}

/// Maximum length of a word in a message; longer ones are truncated.
const WORD_SHOWN: usize = 40;

fn found_word(kind: FaultKind) -> &'static str {
    if matches!(kind, FaultKind::Expected(_)) {
        ", found"
    } else {
        ""
    }
}
