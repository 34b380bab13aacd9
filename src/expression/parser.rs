//! Words to a list of operations, by precedence climbing.

use super::error::ExpressionErrorKind as Kind;
use super::token::{NameKind, Token, Word, tokens};
use super::{Expression, ExpressionError};

/// Parentheses and signs within each other; each level costs a few stack frames.
const DEPTH_LIMIT: usize = 100;

/// One operation on a stack of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Pushes a number.
    Number(u64),
    /// Pushes the value of a name.
    Name(NameKind, String),
    /// Replaces the top.
    Unary(Unary),
    /// Replaces the two on top.
    Binary(Binary),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Minus,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Or,
    Xor,
    And,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Binary {
    /// The operator and how tightly it binds, as in C.
    fn of(symbol: &str) -> Option<(Self, u8)> {
        Some(match symbol {
            "|" => (Self::Or, 1),
            "^" => (Self::Xor, 2),
            "&" => (Self::And, 3),
            "<<" => (Self::ShiftLeft, 4),
            ">>" => (Self::ShiftRight, 4),
            "+" => (Self::Add, 5),
            "-" => (Self::Subtract, 5),
            "*" => (Self::Multiply, 6),
            "/" => (Self::Divide, 6),
            "%" => (Self::Remainder, 6),
            _ => return None,
        })
    }
}

/// Reads an expression; names are looked up later.
///
/// # Errors
/// Says at which column it is wrong.
pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let tokens = tokens(text)?;
    let end_column = text.trim_end().chars().count() + 1;
    if tokens.is_empty() {
        return Err(ExpressionError { column: 1, kind: Kind::Empty });
    }
    let mut parser = Parser { tokens: tokens.into_iter().peekable(), operations: Vec::new(), depth: 0, end_column };
    parser.binary(0)?;
    match parser.tokens.next() {
        None => Ok(Expression { operations: parser.operations }),
        Some(Token { column, word: Word::Symbol(")") }) => {
            Err(ExpressionError { column, kind: Kind::ParenthesisClosed })
        }
        Some(token) => Err(ExpressionError { column: token.column, kind: Kind::NotAnOperator(spelling(&token.word)) }),
    }
}

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    /// Operands before their operator, so that long expressions need no deep tree.
    operations: Vec<(usize, Operation)>,
    depth: usize,
    end_column: usize,
}

impl Parser {
    /// A chain of operators that bind more tightly than `outer`.
    fn binary(&mut self, outer: u8) -> Result<(), ExpressionError> {
        self.unary()?;
        while let Some((column, operator, precedence)) = self.peek_binary().filter(|found| found.2 > outer) {
            self.tokens.next();
            self.binary(precedence)?;
            self.operations.push((column, Operation::Binary(operator)));
        }
        Ok(())
    }

    fn peek_binary(&mut self) -> Option<(usize, Binary, u8)> {
        let token = self.tokens.peek()?;
        let Word::Symbol(symbol) = token.word else { return None };
        Binary::of(symbol).map(|(operator, precedence)| (token.column, operator, precedence))
    }

    fn unary(&mut self) -> Result<(), ExpressionError> {
        let Some(Token { column, word }) = self.tokens.next() else {
            return Err(ExpressionError { column: self.end_column, kind: Kind::ValueMissing });
        };
        match word {
            Word::Number(value) => self.operations.push((column, Operation::Number(value))),
            Word::Name(kind, name) => self.operations.push((column, Operation::Name(kind, name))),
            Word::Symbol("+") => self.nested(column, Self::unary)?,
            Word::Symbol("-") => self.signed(column, Unary::Minus)?,
            Word::Symbol("~") => self.signed(column, Unary::Complement)?,
            Word::Symbol("(") => self.parenthesis(column)?,
            Word::Symbol(symbol) => return Err(ExpressionError { column, kind: Kind::NotAValue(symbol.to_owned()) }),
        }
        Ok(())
    }

    fn signed(&mut self, column: usize, operator: Unary) -> Result<(), ExpressionError> {
        self.nested(column, Self::unary)?;
        self.operations.push((column, Operation::Unary(operator)));
        Ok(())
    }

    fn parenthesis(&mut self, column: usize) -> Result<(), ExpressionError> {
        self.nested(column, |parser| parser.binary(0))?;
        match self.tokens.next() {
            Some(Token { word: Word::Symbol(")"), .. }) => Ok(()),
            Some(token) => {
                Err(ExpressionError { column: token.column, kind: Kind::NotAnOperator(spelling(&token.word)) })
            }
            None => Err(ExpressionError { column, kind: Kind::ParenthesisOpen }),
        }
    }

    fn nested(
        &mut self,
        column: usize,
        inner: impl FnOnce(&mut Self) -> Result<(), ExpressionError>,
    ) -> Result<(), ExpressionError> {
        if self.depth == DEPTH_LIMIT {
            return Err(ExpressionError { column, kind: Kind::TooDeep });
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}

fn spelling(word: &Word) -> String {
    match word {
        Word::Number(value) => value.to_string(),
        Word::Name(_, name) => name.clone(),
        Word::Symbol(symbol) => (*symbol).to_owned(),
    }
}
