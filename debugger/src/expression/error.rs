//! What can be wrong with an expression, and where.

use std::fmt;
use std::sync::Arc;

use stepback_index::QueryError;

use crate::messages::say;
use crate::number::NumberError;

/// An expression could not be read or has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The character at which it is wrong, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub kind: ExpressionErrorKind,
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionErrorKind {
    /// There is nothing.
    Empty,
    /// It stops where a value must follow.
    ValueMissing,
    /// Something else stands where a value must be.
    NotAValue(String),
    /// Something else stands where an operator must be.
    NotAnOperator(String),
    /// A character that means nothing here.
    Character(char),
    /// It begins with a digit but is no number.
    Number(String, NumberError),
    /// A backtick has no partner.
    QuoteOpen,
    /// A parenthesis has no partner.
    ParenthesisOpen,
    /// A closing parenthesis has no partner.
    ParenthesisClosed,
    /// A bracket has no partner.
    BracketOpen,
    /// A closing bracket has no partner.
    BracketClosed,
    /// More parentheses, brackets or signs within each other than anybody writes.
    TooDeep,
    /// The trace does not say what the register holds here.
    RegisterUnknown(String),
    /// The value of the register could not be looked up.
    RegisterFailed(String, LookupFailure),
    /// The trace does not say, at least not of every byte, what memory holds here.
    MemoryUnknown(u64),
    /// Memory could not be looked up.
    MemoryFailed(u64, LookupFailure),
    /// No such register.
    NoRegister(String),
    /// No such symbol.
    NoSymbol(String),
    /// Neither a register nor a symbol.
    NoName(String),
    /// Several symbols have this name; their addresses.
    SeveralSymbols(String, Vec<u64>),
    /// `/` or `%` by 0.
    DivisionByZero,
}

/// Why a register or memory could not be looked up. Two that say the same are equal.
#[derive(Clone, Debug)]
pub struct LookupFailure {
    words: String,
    /// What the index or the trace said, where one of them was asked.
    behind: Option<Arc<QueryError>>,
}

impl From<QueryError> for LookupFailure {
    fn from(error: QueryError) -> Self {
        Self {
            words: error.to_string(),
            behind: Some(Arc::new(error)),
        }
    }
}

impl From<&str> for LookupFailure {
    fn from(words: &str) -> Self {
        Self {
            words: words.to_owned(),
            behind: None,
        }
    }
}

impl PartialEq for LookupFailure {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl Eq for LookupFailure {}

impl fmt::Display for LookupFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl ExpressionError {
    /// What the index or the trace said when a value was looked up; none when something else is wrong.
    pub fn behind(&self) -> Option<&QueryError> {
        match &self.kind {
            ExpressionErrorKind::RegisterFailed(_, why)
            | ExpressionErrorKind::MemoryFailed(_, why) => why.behind.as_deref(),
            _ => None,
        }
    }
}

const OPERATORS: &str = "+ - * / % << >> & | ^ == != < <= > >= && ||";

impl fmt::Display for ExpressionErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str(say!("expression-empty")),
            Self::ValueMissing => f.write_str(say!("expression-value-missing")),
            Self::NotAValue(text) => {
                f.write_str(&say!("expression-not-a-value", text = format!("{text:?}")))
            }
            Self::NotAnOperator(text) => f.write_str(&say!(
                "expression-not-an-operator",
                text = format!("{text:?}"),
                operators = OPERATORS
            )),
            Self::Character('=') => f.write_str(say!("expression-equality")),
            Self::Character(character) => f.write_str(&say!(
                "expression-character",
                character = format!("{character:?}")
            )),
            Self::Number(text, error) => number_error(f, text, *error),
            Self::QuoteOpen => f.write_str(say!("expression-backtick")),
            Self::ParenthesisOpen => f.write_str(say!("expression-parenthesis-open")),
            Self::ParenthesisClosed => f.write_str(say!("expression-parenthesis-closed")),
            Self::BracketOpen => f.write_str(say!("expression-bracket-open")),
            Self::BracketClosed => f.write_str(say!("expression-bracket-closed")),
            Self::TooDeep => f.write_str(say!("expression-too-deep")),
            Self::RegisterUnknown(name) => f.write_str(&say!("expression-unknown", name = &**name)),
            Self::RegisterFailed(name, why) => f.write_str(&say!(
                "expression-failed",
                name = &**name,
                why = why.to_string()
            )),
            Self::MemoryUnknown(address) => f.write_str(&say!(
                "expression-memory-unknown",
                address = format!("{address:#x}")
            )),
            Self::MemoryFailed(address, why) => f.write_str(&say!(
                "expression-memory-failed",
                address = format!("{address:#x}"),
                why = why.to_string()
            )),
            Self::NoRegister(name) => {
                f.write_str(&say!("expression-no-register", name = format!("{name:?}")))
            }
            Self::NoSymbol(name) => {
                f.write_str(&say!("expression-no-symbol", name = format!("{name:?}")))
            }
            Self::NoName(name) => {
                f.write_str(&say!("expression-no-name", name = format!("{name:?}")))
            }
            Self::SeveralSymbols(name, addresses) => f.write_str(&say!(
                "expression-several-symbols",
                name = &**name,
                count = addresses.len(),
                addresses = listed(addresses)
            )),
            Self::DivisionByZero => f.write_str(say!("expression-division-by-zero")),
        }
    }
}

/// Maximum number of addresses that a message lists.
const LISTED: usize = 8;

/// The first addresses of a list, `0x8000, 0x8040`.
fn listed(addresses: &[u64]) -> String {
    let shown: Vec<String> = addresses
        .iter()
        .take(LISTED)
        .map(|address| format!("{address:#x}"))
        .collect();
    let more = if addresses.len() > LISTED {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}

fn number_error(f: &mut fmt::Formatter<'_>, text: &str, error: NumberError) -> fmt::Result {
    let looks_hexadecimal =
        !text.starts_with("0x") && text.chars().all(|character| character.is_ascii_hexdigit());
    match error {
        NumberError::Malformed if looks_hexadecimal => f.write_str(&say!(
            "expression-hexadecimal",
            text = format!("{text:?}"),
            digits = text
        )),
        _ => write!(f, "{text:?}: {error}"),
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&say!(
            "expression-column",
            column = self.column.to_string(),
            what = self.kind.to_string()
        ))
    }
}

impl std::error::Error for ExpressionError {}
