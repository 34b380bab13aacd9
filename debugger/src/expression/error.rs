//! Errors of expressions, with their columns.

use std::fmt;
use std::sync::Arc;

use stepback_index::QueryError;

use crate::messages::say;
use crate::number::NumberError;

/// An invalid expression, or one without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// Column of the error in characters, from 1.
    pub column: usize,
    pub kind: ExpressionErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionErrorKind {
    /// The expression is empty.
    Empty,
    /// It ends where a value must follow.
    ValueMissing,
    /// A value is expected instead of this text.
    NotAValue(String),
    /// An operator is expected instead of this text.
    NotAnOperator(String),
    /// A character without a meaning here.
    Character(char),
    /// A word that begins with a digit but is no number.
    Number(String, NumberError),
    /// A backtick without a partner.
    QuoteOpen,
    /// An opening parenthesis without a partner.
    ParenthesisOpen,
    /// A closing parenthesis without a partner.
    ParenthesisClosed,
    /// An opening bracket without a partner.
    BracketOpen,
    /// A closing bracket without a partner.
    BracketClosed,
    /// Parentheses, brackets or signs are nested too deeply.
    TooDeep,
    /// The trace does not record the value of this register here.
    RegisterUnknown(String),
    /// The value of the register could not be looked up.
    RegisterFailed(String, LookupFailure),
    /// The trace does not record all bytes of memory at this address here.
    MemoryUnknown(u64),
    /// Memory could not be looked up.
    MemoryFailed(u64, LookupFailure),
    /// No such register.
    NoRegister(String),
    /// No such symbol.
    NoSymbol(String),
    /// A type, as in a cast.
    Type,
    /// Neither a register nor a symbol.
    NoName(String),
    /// The symbol is a thread-local variable.
    ThreadLocal(String),
    /// Neither a register nor a symbol, since there are no images.
    NoImages(String),
    /// No such local variable.
    NoVariable(String),
    /// Members, elements or a target of something else than a variable.
    NotAVariable,
    /// Several symbols have this name; with their addresses and their full names.
    SeveralSymbols(Box<str>, Box<[u64]>, Box<[String]>),
    /// `/` or `%` by 0.
    DivisionByZero,
    /// A variable has no number.
    NoNumber(String, Box<NoNumber>),
    /// Arithmetic with a pointer to values of unknown size.
    TargetSizeUnknown,
}

/// Reason why a variable has no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoNumber {
    pub reason: String,
    /// It may have one at another position.
    pub depends_on_position: bool,
}

impl ExpressionErrorKind {
    /// Returns true if the expression may have a value at another position; false if it has none
    /// anywhere.
    pub fn depends_on_position(&self) -> bool {
        match self {
            Self::RegisterUnknown(_)
            | Self::RegisterFailed(..)
            | Self::MemoryUnknown(_)
            | Self::MemoryFailed(..)
            | Self::DivisionByZero => true,
            Self::NoNumber(_, why) => why.depends_on_position,
            Self::Empty
            | Self::ValueMissing
            | Self::NotAValue(_)
            | Self::NotAnOperator(_)
            | Self::Character(_)
            | Self::Number(..)
            | Self::QuoteOpen
            | Self::ParenthesisOpen
            | Self::ParenthesisClosed
            | Self::BracketOpen
            | Self::BracketClosed
            | Self::TooDeep
            | Self::NoRegister(_)
            | Self::NoSymbol(_)
            | Self::NoName(_)
            | Self::ThreadLocal(_)
            | Self::NoImages(_)
            | Self::NoVariable(_)
            | Self::NotAVariable
            | Self::Type
            | Self::TargetSizeUnknown
            | Self::SeveralSymbols(..) => false,
        }
    }

    /// Returns true if only a value that the trace does not record is missing.
    pub fn is_unrecorded(&self) -> bool {
        matches!(self, Self::RegisterUnknown(_) | Self::MemoryUnknown(_))
    }
}

/// Reason that a register or memory could not be looked up. Failures with equal messages are equal.
#[derive(Clone, Debug)]
pub struct LookupFailure {
    words: String,
    /// Error of the index or the trace, if one of them was queried.
    cause: Option<Arc<QueryError>>,
}

impl From<QueryError> for LookupFailure {
    fn from(error: QueryError) -> Self {
        Self {
            words: error.to_string(),
            cause: Some(Arc::new(error)),
        }
    }
}

impl From<&str> for LookupFailure {
    fn from(words: &str) -> Self {
        Self {
            words: words.to_owned(),
            cause: None,
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
    /// Returns the error of the index or the trace if a lookup failed; `None` for other errors.
    pub fn cause(&self) -> Option<&QueryError> {
        match &self.kind {
            ExpressionErrorKind::RegisterFailed(_, why)
            | ExpressionErrorKind::MemoryFailed(_, why) => why.cause.as_deref(),
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
            Self::ThreadLocal(name) => {
                f.write_str(&say!("expression-thread-local", name = &**name))
            }
            Self::NoImages(name) => {
                f.write_str(&say!("expression-no-images", name = format!("{name:?}")))
            }
            Self::NoVariable(name) => {
                f.write_str(&say!("expression-no-variable", name = format!("{name:?}")))
            }
            Self::Type => f.write_str(say!("expression-type")),
            Self::NotAVariable => f.write_str(say!("expression-not-a-variable")),
            Self::SeveralSymbols(name, addresses, full_names)
                if full_names.iter().any(|full| **full != **name) =>
            {
                f.write_str(&say!(
                    "expression-several-functions",
                    name = &**name,
                    count = addresses.len(),
                    functions = listed(full_names.iter().map(|full| format!("`{full}`")))
                ))
            }
            Self::SeveralSymbols(name, addresses, _) => f.write_str(&say!(
                "expression-several-symbols",
                name = &**name,
                count = addresses.len(),
                addresses = listed(addresses.iter().map(|address| format!("{address:#x}")))
            )),
            Self::DivisionByZero => f.write_str(say!("expression-division-by-zero")),
            Self::NoNumber(name, why) => f.write_str(&say!(
                "expression-no-number",
                name = &**name,
                why = &*why.reason
            )),
            Self::TargetSizeUnknown => f.write_str(say!("expression-target-size-unknown")),
        }
    }
}

/// Maximum number of addresses that a message lists.
const LISTED: usize = 8;

/// Formats the first texts of a list, as `0x8000, 0x8040`.
fn listed(mut texts: impl Iterator<Item = String>) -> String {
    let shown: Vec<String> = texts.by_ref().take(LISTED).collect();
    let more = if texts.next().is_some() { ", …" } else { "" };
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
