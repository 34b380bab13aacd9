//! Splits expressions into tokens.

use super::typed_number::TypedNumber;
use super::{BareNumber, ExpressionError, ExpressionErrorKind};
use crate::number::number;

/// A token and the column where it begins, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionToken {
    pub column: usize,
    pub word: ExpressionWord,
}

/// Kind and content of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionWord {
    Number(TypedNumber),
    /// Digits that also have a hexadecimal reading, or only that.
    Bare(BareNumber),
    Name(NameKind, String),
    /// An operator, a parenthesis or a bracket.
    Symbol(&'static str),
}

/// Namespace of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A register, else a symbol.
    Any,
    /// After `reg::`.
    Register,
    /// After `sym::`.
    Symbol,
}

/// Longer ones first, so that no prefix of them matches.
const SYMBOLS: [&str; 25] = [
    "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^",
    "~", "!", "<", ">", "(", ")", "[", "]",
];

/// Splits an expression into tokens.
///
/// # Errors
/// Reports the first place where no token can be read.
pub fn tokens(text: &str) -> Result<Vec<ExpressionToken>, ExpressionError> {
    let mut reader = Tokenizer {
        rest: text,
        column: 1,
    };
    let mut tokens: Vec<ExpressionToken> = Vec::new();
    loop {
        reader.skip_while(char::is_whitespace);
        let column = reader.column;
        if reader.rest.is_empty() {
            return Ok(tokens);
        }
        // SPARC registers are `%g0`: a percent sign where a value is expected begins a name.
        let is_operator = |token: &ExpressionToken| matches!(token.word, ExpressionWord::Symbol(text) if !matches!(text, ")" | "]"));
        let place = if tokens.last().is_none_or(is_operator) {
            ExpectedToken::Value
        } else {
            ExpectedToken::Operator
        };
        let word = reader
            .word(place)
            .map_err(|kind| ExpressionError { column, kind })?;
        tokens.push(ExpressionToken { column, word });
    }
}

/// Returns the column of the first type in parentheses: `(int)x`, `(char *)p`. Cost: linear in the
/// number of tokens.
pub fn first_type(tokens: &[ExpressionToken]) -> Option<usize> {
    let is_symbol = |token: &ExpressionToken, text: &str| matches!(token.word, ExpressionWord::Symbol(symbol) if symbol == text);
    let is_name = |token: &ExpressionToken| matches!(token.word, ExpressionWord::Name(..));
    let mut rest = tokens;
    while let Some(open) = rest.iter().position(|token| is_symbol(token, "(")) {
        let (before, inner) = rest.split_at_checked(open + 1)?;
        let names = inner.iter().take_while(|token| is_name(token)).count();
        let stars = inner.get(names..)?.iter();
        let stars = stars.take_while(|token| is_symbol(token, "*")).count();
        let is_closed = inner
            .get(names + stars)
            .is_some_and(|token| is_symbol(token, ")"));
        // `(x) - 1` is a difference, `(x) y` nothing.
        let is_operand = inner.get(names + stars + 1).is_some_and(|token| {
            !matches!(token.word, ExpressionWord::Symbol(_)) && !is_member(&token.word)
        });
        if names > 0 && is_closed && (stars > 0 || names > 1 || is_operand) {
            return before.last().map(|token| token.column);
        }
        rest = inner;
    }
    None
}

/// Returns true for a member that follows a variable: `.x`.
fn is_member(word: &ExpressionWord) -> bool {
    matches!(word, ExpressionWord::Name(NameKind::Any, name) if name.starts_with('.'))
}

/// Kind of token expected next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpectedToken {
    Value,
    Operator,
}

struct Tokenizer<'a> {
    rest: &'a str,
    column: usize,
}

impl<'a> Tokenizer<'a> {
    fn word(&mut self, place: ExpectedToken) -> Result<ExpressionWord, ExpressionErrorKind> {
        let Some(first) = self.rest.chars().next() else {
            return Err(ExpressionErrorKind::ValueMissing);
        };
        if first.is_ascii_digit() {
            let text = self.skip_while(|character| {
                character.is_alphanumeric() || character == '_' || character == '.'
            });
            return match (number(text), BareNumber::of(text)) {
                (_, Some(bare)) => Ok(ExpressionWord::Bare(bare)),
                (Ok(value), None) => Ok(ExpressionWord::Number(TypedNumber::in_c(text, value))),
                (Err(error), None) => Err(ExpressionErrorKind::Number(text.to_owned(), error)),
            };
        }
        if let Some(rest) = self.rest.strip_prefix('\'') {
            if let Some((function, after)) = rest.split_once('\'')
                && after.starts_with("::")
            {
                self.skip_bytes(function.len() + 2);
                let variable = self.skip_while(|next| is_name_part(next) || next == ':');
                let name = format!("{function}{variable}");
                return Ok(ExpressionWord::Name(NameKind::Any, name));
            }
            return self.character(rest);
        }
        for (prefix, kind) in [("reg::", NameKind::Register), ("sym::", NameKind::Symbol)] {
            if self.rest.starts_with(prefix) {
                self.skip_bytes(prefix.len());
                return self.name(kind, ExpectedToken::Value);
            }
        }
        if is_name_start(first)
            || first == '`'
            || (place == ExpectedToken::Value && self.is_percent_register())
        {
            return self.name(NameKind::Any, place);
        }
        let symbol = SYMBOLS
            .iter()
            .find(|symbol| self.rest.starts_with(**symbol));
        let symbol = symbol.ok_or(ExpressionErrorKind::Character(first))?;
        self.skip_bytes(symbol.len());
        Ok(ExpressionWord::Symbol(symbol))
    }

    fn name(
        &mut self,
        kind: NameKind,
        place: ExpectedToken,
    ) -> Result<ExpressionWord, ExpressionErrorKind> {
        if self.rest.starts_with('`') {
            return self
                .quoted()
                .map(|name| ExpressionWord::Name(kind, name.to_owned()));
        }
        let percent = if place == ExpectedToken::Value && self.is_percent_register() {
            self.skip_bytes(1)
        } else {
            ""
        };
        let mut name = percent.to_owned();
        loop {
            name.push_str(self.skip_while(is_name_part));
            // A static variable of a function: `parse(int)::calls`.
            let parameters = parameters_before_variable(self.rest);
            name.push_str(self.skip_bytes(parameters));
            // A single colon has no meaning; two join the parts of a C++ or Rust name.
            let joins = self
                .rest
                .strip_prefix("::")
                .is_some_and(|after| after.starts_with(is_name_start));
            // A member of the target of a pointer, as in C: `h->id`.
            let selects = kind == NameKind::Any
                && self
                    .rest
                    .strip_prefix("->")
                    .is_some_and(|after| after.starts_with(is_name_start));
            if !joins && !selects {
                break;
            }
            name.push_str(self.skip_bytes(2));
        }
        if name.is_empty() {
            return Err(self
                .rest
                .chars()
                .next()
                .map_or(ExpressionErrorKind::ValueMissing, |character| {
                    ExpressionErrorKind::NotAValue(character.to_string())
                }));
        }
        Ok(ExpressionWord::Name(kind, name))
    }

    /// Reads a character constant of C: `'A'`, `'\n'`.
    fn character(&mut self, rest: &str) -> Result<ExpressionWord, ExpressionErrorKind> {
        let mut letters = rest.chars();
        let (letter, len) = match (letters.next(), letters.next()) {
            (Some('\\'), Some(escaped)) => (unescaped(escaped), 2),
            (Some('\\' | '\''), _) | (None, _) => (None, 0),
            (Some(letter), _) => (Some(letter), 1),
        };
        let is_closed = rest.chars().nth(len) == Some('\'');
        let letter = letter.filter(|_| is_closed);
        let letter = letter.ok_or(ExpressionErrorKind::Character('\''))?;
        let len_bytes: usize = self.rest.chars().take(len + 2).map(char::len_utf8).sum();
        self.skip_bytes(len_bytes);
        Ok(ExpressionWord::Number(TypedNumber::decimal(u32::from(
            letter,
        ))))
    }

    fn quoted(&mut self) -> Result<&'a str, ExpressionErrorKind> {
        self.skip_bytes(1);
        let name = self.skip_while(|character| character != '`');
        if self.rest.is_empty() {
            return Err(ExpressionErrorKind::QuoteOpen);
        }
        self.skip_bytes(1);
        if name.is_empty() {
            Err(ExpressionErrorKind::NotAValue("``".to_owned()))
        } else {
            Ok(name)
        }
    }

    fn is_percent_register(&self) -> bool {
        self.rest
            .strip_prefix('%')
            .is_some_and(|after| after.starts_with(is_name_start))
    }

    fn skip_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self
            .rest
            .find(|character| !is_wanted(character))
            .unwrap_or(self.rest.len());
        self.skip_bytes(end)
    }

    /// Takes bytes from the front; all of them if a character would be cut, which no caller does.
    fn skip_bytes(&mut self, count: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(count).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.column += taken.chars().count();
        taken
    }
}

/// Returns the length of parameters in parentheses that a name with `::` follows; 0 without any.
fn parameters_before_variable(text: &str) -> usize {
    let mut depth = 0_usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => {
                let (parameters, after) = text.split_at_checked(place + 1).unwrap_or((text, ""));
                let variable = after.strip_prefix("::").unwrap_or_default();
                let is_followed = variable.starts_with(is_name_start);
                return if is_followed { parameters.len() } else { 0 };
            }
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    0
}

/// Returns the character of a simple escape sequence (C11, 6.4.4.4).
fn unescaped(letter: char) -> Option<char> {
    Some(match letter {
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' | '\'' | '"' | '?' => letter,
        _ => return None,
    })
}

fn is_name_start(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '_' | '.' | '$')
}

fn is_name_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '$')
}
