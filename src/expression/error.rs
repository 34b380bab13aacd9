//! What can be wrong with an expression, and where.

use std::fmt;
use std::sync::Arc;

use stepback_index::QueryError;

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
        Self { words: error.to_string(), behind: Some(Arc::new(error)) }
    }
}

impl From<&str> for LookupFailure {
    fn from(words: &str) -> Self {
        Self { words: words.to_owned(), behind: None }
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
            ExpressionErrorKind::RegisterFailed(_, why) | ExpressionErrorKind::MemoryFailed(_, why) => {
                why.behind.as_deref()
            }
            _ => None,
        }
    }
}

const OPERATORS: &str = "+ - * / % << >> & | ^ == != < <= > >= && ||";

impl fmt::Display for ExpressionErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("an address is needed: a number, a register, a symbol, or a sum such as sp+8"),
            Self::ValueMissing => f.write_str("a number, a register, a symbol or memory is missing at the end"),
            Self::NotAValue(text) => {
                write!(f, "{text:?} stands where a number, a register, a symbol or memory must be")
            }
            Self::NotAnOperator(text) => write!(f, "{text:?} stands where an operator must be: {OPERATORS}"),
            Self::Character('=') => f.write_str("one = means nothing, equality is =="),
            Self::Character(character) => write!(f, "the character {character:?} means nothing in an expression"),
            Self::Number(text, error) => number_error(f, text, *error),
            Self::QuoteOpen => f.write_str("the backtick has no partner"),
            Self::ParenthesisOpen => f.write_str("the parenthesis is never closed"),
            Self::ParenthesisClosed => f.write_str("the closing parenthesis was never opened"),
            Self::BracketOpen => f.write_str("the bracket is never closed"),
            Self::BracketClosed => f.write_str("the closing bracket was never opened"),
            Self::TooDeep => f.write_str("too many parentheses, brackets or signs within each other"),
            Self::RegisterUnknown(name) => write!(f, "{name} is unknown at this position"),
            Self::RegisterFailed(name, why) => write!(f, "{name} could not be looked up: {why}"),
            Self::MemoryUnknown(address) => write!(f, "memory at {address:#x} is unknown at this position"),
            Self::MemoryFailed(address, why) => write!(f, "memory at {address:#x} could not be looked up: {why}"),
            Self::NoRegister(name) => write!(f, "no register is called {name:?}"),
            Self::NoSymbol(name) => write!(f, "no symbol is called {name:?}"),
            Self::NoName(name) => write!(f, "no register and no symbol is called {name:?}"),
            Self::DivisionByZero => f.write_str("division by zero"),
        }
    }
}

fn number_error(f: &mut fmt::Formatter<'_>, text: &str, error: NumberError) -> fmt::Result {
    let looks_hexadecimal = !text.starts_with("0x") && text.chars().all(|character| character.is_ascii_hexdigit());
    match error {
        NumberError::Malformed if looks_hexadecimal => {
            write!(f, "{text:?} is not a number; if it is hexadecimal, write 0x{text}")
        }
        _ => write!(f, "{text:?}: {error}"),
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.kind)
    }
}

impl std::error::Error for ExpressionError {}
