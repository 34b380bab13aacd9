//! Parses tokens to a list of stack operations, by precedence climbing.

use super::error::ExpressionErrorKind as Kind;
use super::operation::Operation;
use super::operators::{Infix, ShortCircuit, Unary};
use super::pointer_sum::element_of_sum;
use super::shown::Surroundings;
use super::token::{ExpressionToken, ExpressionWord, NameKind, first_type, tokens};
use super::value_path::{PathPattern, PathStep, VariableAspect};
use super::{Expression, ExpressionError, Width};

/// Maximum nesting of parentheses, brackets and signs; each level costs a few stack frames.
const DEPTH_LIMIT: usize = 100;

/// Returns the width of a memory access by the name before its bracket.
fn width_of(name: &str) -> Option<Width> {
    let bytes = match name {
        "u8" => 1,
        "u16" => 2,
        "u32" => 4,
        "u64" => 8,
        _ => return None,
    };
    Some(Width::Bytes(bytes))
}

/// Parses an expression; names are resolved later.
///
/// # Errors
/// Reports the column of the error.
pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let mut tokens = tokens(text)?;
    if let Some(column) = first_type(&tokens) {
        return Err(ExpressionError {
            column,
            kind: Kind::Type,
        });
    }
    mark_lone_numbers(&mut tokens);
    let end_column = text.trim_end().chars().count() + 1;
    if tokens.is_empty() {
        return Err(ExpressionError {
            column: 1,
            kind: Kind::Empty,
        });
    }
    let mut parser = Parser {
        tokens: tokens.into_iter().peekable(),
        operations: Vec::new(),
        depth: 0,
        end_column,
    };
    parser.binary(0)?;
    match parser.tokens.next() {
        None => Ok(Expression {
            operations: parser.operations,
        }),
        Some(ExpressionToken {
            column,
            word: ExpressionWord::Symbol(")"),
        }) => Err(ExpressionError {
            column,
            kind: Kind::ParenthesisClosed,
        }),
        Some(ExpressionToken {
            column,
            word: ExpressionWord::Symbol("]"),
        }) => Err(ExpressionError {
            column,
            kind: Kind::BracketClosed,
        }),
        Some(token) => Err(ExpressionError {
            column: token.column,
            kind: Kind::NotAnOperator(spelling(&token.word)),
        }),
    }
}

/// Marks the bare numbers that are no operand of an arithmetic operator.
fn mark_lone_numbers(tokens: &mut [ExpressionToken]) {
    let is_border = |token: Option<&ExpressionToken>| match token.map(|token| &token.word) {
        None => true,
        Some(ExpressionWord::Symbol(symbol)) => {
            matches!(
                *symbol,
                "(" | ")" | "[" | "]" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||"
            )
        }
        Some(_) => false,
    };
    let lone: Vec<bool> = (0..tokens.len())
        .map(|place| {
            is_border(place.checked_sub(1).and_then(|before| tokens.get(before)))
                && is_border(tokens.get(place + 1))
        })
        .collect();
    for (token, is_alone) in tokens.iter_mut().zip(lone) {
        if let ExpressionWord::Bare(bare) = &mut token.word
            && is_alone
        {
            bare.surroundings = Surroundings::Alone;
        }
    }
}

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<ExpressionToken>>,
    /// Operations in postfix order, so that long expressions need no deep tree.
    operations: Vec<(usize, Operation)>,
    depth: usize,
    end_column: usize,
}

impl Parser {
    /// Parses a chain of operators with a higher precedence than `outer`.
    fn binary(&mut self, outer: u8) -> Result<(), ExpressionError> {
        self.unary()?;
        while let Some((column, operator, precedence)) =
            self.peek_infix().filter(|found| found.2 > outer)
        {
            self.tokens.next();
            match operator {
                Infix::Both(operator) => {
                    self.binary(precedence)?;
                    self.operations.push((column, Operation::Binary(operator)));
                }
                Infix::Unless(by) => self.unless(by, column, precedence)?,
            }
        }
        Ok(())
    }

    fn unless(
        &mut self,
        by: ShortCircuit,
        column: usize,
        precedence: u8,
    ) -> Result<(), ExpressionError> {
        let decision = self.operations.len();
        self.operations
            .push((column, Operation::Decide { by, end: decision }));
        self.binary(precedence)?;
        self.operations
            .push((column, Operation::Unary(Unary::Truth)));
        let after = self.operations.len();
        if let Some((_, Operation::Decide { end, .. })) = self.operations.get_mut(decision) {
            *end = after;
        }
        Ok(())
    }

    fn peek_infix(&mut self) -> Option<(usize, Infix, u8)> {
        let token = self.tokens.peek()?;
        let ExpressionWord::Symbol(symbol) = token.word else {
            return None;
        };
        Infix::of(symbol).map(|(operator, precedence)| (token.column, operator, precedence))
    }

    fn unary(&mut self) -> Result<(), ExpressionError> {
        let Some(ExpressionToken { column, word }) = self.tokens.next() else {
            return Err(ExpressionError {
                column: self.end_column,
                kind: Kind::ValueMissing,
            });
        };
        match word {
            ExpressionWord::Number(value) => {
                self.operations.push((column, Operation::Number(value)))
            }
            ExpressionWord::Bare(bare) => self.operations.push((column, Operation::Bare(bare))),
            ExpressionWord::Name(NameKind::Any, name)
                if width_of(&name).is_some() && self.takes("[") =>
            {
                self.memory(column, width_of(&name).unwrap_or(Width::Pointer))?;
            }
            ExpressionWord::Name(NameKind::Any, name)
                if name == "sizeof" && self.begins_operand() =>
            {
                self.nested(column, Self::unary)?;
                self.path(column)?.aspect = VariableAspect::Size;
            }
            ExpressionWord::Name(NameKind::Any, name) if name.contains("->") => {
                let path = Operation::Path(PathPattern::of_name(&name));
                self.operations.push((column, path));
                self.postfix()?;
            }
            ExpressionWord::Name(kind, name) => {
                self.operations.push((column, Operation::Name(kind, name)));
                self.postfix()?;
            }
            ExpressionWord::Symbol("*") => self.target(column)?,
            ExpressionWord::Symbol("&") => {
                self.nested(column, Self::unary)?;
                self.path(column)?.aspect = VariableAspect::Address;
            }
            ExpressionWord::Symbol("+") => self.nested(column, Self::unary)?,
            ExpressionWord::Symbol("-") => self.signed(column, Unary::Minus)?,
            ExpressionWord::Symbol("~") => self.signed(column, Unary::Complement)?,
            ExpressionWord::Symbol("!") => self.signed(column, Unary::Not)?,
            ExpressionWord::Symbol("(") => {
                self.enclosed(column, ")", Kind::ParenthesisOpen)?;
                self.postfix()?;
            }
            ExpressionWord::Symbol("[") => self.memory(column, Width::Pointer)?,
            ExpressionWord::Symbol(symbol) => {
                return Err(ExpressionError {
                    column,
                    kind: Kind::NotAValue(symbol.to_owned()),
                });
            }
        }
        Ok(())
    }

    /// Parses what follows a variable: elements and members.
    fn postfix(&mut self) -> Result<(), ExpressionError> {
        let is_register = matches!(
            self.operations.last(),
            Some((_, Operation::Name(NameKind::Register | NameKind::Symbol, _)))
        );
        if is_register {
            return Ok(());
        }
        while let Some(token) = self.tokens.peek() {
            let column = token.column;
            match &token.word {
                ExpressionWord::Symbol("[") => {
                    self.tokens.next();
                    let before = self.operations.len();
                    let path = self.path(column)?.clone();
                    self.operations.truncate(before - 1);
                    self.enclosed(column, "]", Kind::BracketOpen)?;
                    self.read_in_c(before - 1)?;
                    self.operations.push((column, Operation::Path(path)));
                    self.path(column)?.steps.push(PathStep::Element);
                }
                ExpressionWord::Symbol("->") => {
                    self.tokens.next();
                    let Some(ExpressionToken {
                        word: ExpressionWord::Name(NameKind::Any, name),
                        ..
                    }) = self.tokens.next()
                    else {
                        return Err(ExpressionError {
                            column,
                            kind: Kind::NotAnOperator("->".to_owned()),
                        });
                    };
                    self.path(column)?.push_members(&name);
                }
                ExpressionWord::Name(NameKind::Any, name) if name.starts_with('.') => {
                    let name = name.clone();
                    self.tokens.next();
                    self.path(column)?.push_members(&name);
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Parses the operand of `*`: a variable, its address, or a sum with it. `*(p + i)` is `p[i]`.
    fn target(&mut self, column: usize) -> Result<(), ExpressionError> {
        let start = self.operations.len();
        self.nested(column, Self::unary)?;
        match self.operations.last_mut() {
            Some((_, Operation::Path(path))) if path.aspect == VariableAspect::Address => {
                path.aspect = VariableAspect::Value;
            }
            Some((_, Operation::Binary(_))) => {
                let sum = self.operations.split_off(start);
                let element = element_of_sum(sum);
                self.operations.extend(element.ok_or(ExpressionError {
                    column,
                    kind: Kind::NotAVariable,
                })?);
            }
            _ => self.path(column)?.steps.push(PathStep::Target),
        }
        Ok(())
    }

    /// Returns true if the next token begins the operand of `sizeof`.
    fn begins_operand(&mut self) -> bool {
        let next = self.tokens.peek().map(|token| &token.word);
        matches!(
            next,
            Some(ExpressionWord::Name(..) | ExpressionWord::Symbol("("))
        )
    }

    /// Returns the variable that was parsed last.
    fn path(&mut self, column: usize) -> Result<&mut PathPattern, ExpressionError> {
        if let Some((_, operation)) = self.operations.last_mut() {
            operation.make_path();
            if let Operation::Path(path) = operation
                && path.aspect == VariableAspect::Value
            {
                return Ok(path);
            }
        }
        Err(ExpressionError {
            column,
            kind: Kind::NotAVariable,
        })
    }

    /// Reads the numbers of an index in C syntax.
    fn read_in_c(&mut self, start: usize) -> Result<(), ExpressionError> {
        let index = self.operations.split_off(start);
        let index = Expression { operations: index }.in_c()?;
        self.operations.extend(index.operations);
        Ok(())
    }

    fn signed(&mut self, column: usize, operator: Unary) -> Result<(), ExpressionError> {
        self.nested(column, Self::unary)?;
        self.operations.push((column, Operation::Unary(operator)));
        Ok(())
    }

    /// Takes the next token if it is this symbol.
    fn takes(&mut self, symbol: &str) -> bool {
        self.tokens
            .next_if(|token| matches!(token.word, ExpressionWord::Symbol(found) if found == symbol))
            .is_some()
    }

    /// Parses an address and its closing bracket.
    fn memory(&mut self, column: usize, width: Width) -> Result<(), ExpressionError> {
        self.enclosed(column, "]", Kind::BracketOpen)?;
        self.operations.push((column, Operation::Memory(width)));
        Ok(())
    }

    /// Parses the text between an opening symbol at `column` and its closing one.
    fn enclosed(&mut self, column: usize, end: &str, open: Kind) -> Result<(), ExpressionError> {
        self.nested(column, |parser| parser.binary(0))?;
        if self.takes(end) {
            return Ok(());
        }
        Err(match self.tokens.next() {
            Some(token) => ExpressionError {
                column: token.column,
                kind: Kind::NotAnOperator(spelling(&token.word)),
            },
            None => ExpressionError { column, kind: open },
        })
    }

    fn nested(
        &mut self,
        column: usize,
        inner: impl FnOnce(&mut Self) -> Result<(), ExpressionError>,
    ) -> Result<(), ExpressionError> {
        if self.depth == DEPTH_LIMIT {
            return Err(ExpressionError {
                column,
                kind: Kind::TooDeep,
            });
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}

fn spelling(word: &ExpressionWord) -> String {
    match word {
        ExpressionWord::Number(number) => number.bits().to_string(),
        ExpressionWord::Bare(bare) => bare.digits.clone(),
        ExpressionWord::Name(_, name) => name.clone(),
        ExpressionWord::Symbol(symbol) => (*symbol).to_owned(),
    }
}
