//! Parameters that the style guide forbids.

use std::fmt;

use syn::{FnArg, Pat, Signature, Type};

use crate::rooms::scan::items::line_of;

/// Maximum number of parameters; more need a struct.
const MOST_PARAMETERS: usize = 5;

/// Owner of a function's signature.
#[derive(Clone)]
pub enum Owner {
    /// The function or method itself, or the trait of ours that declares it.
    Own,
    /// The implemented trait.
    ImplOf(Vec<String>),
}

/// A violation in a signature.
#[derive(Clone, PartialEq, Eq)]
pub enum Problem {
    Bool(String),
    Tuple(String),
    TakenApart,
    TooMany(usize),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Bool(name) => write!(f, "takes a bool {name:?}"),
            Problem::Tuple(name) => write!(f, "takes a tuple {name:?}"),
            Problem::TakenApart => write!(f, "takes a tuple apart in its parameters"),
            Problem::TooMany(count) => write!(f, "has {count} parameters"),
        }
    }
}

/// Returns the violations in a signature, with lines.
pub fn problems(signature: &Signature) -> Vec<(usize, Problem)> {
    let typed = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(input),
        FnArg::Receiver(_) => None,
    });
    let mut problems: Vec<_> = typed
        .clone()
        .filter_map(|input| {
            Some((
                line_of(input.colon_token.spans[0]),
                problem(&input.pat, &input.ty)?,
            ))
        })
        .collect();
    let count = typed.count();
    if count > MOST_PARAMETERS {
        problems.push((line_of(signature.ident.span()), Problem::TooMany(count)));
    }
    problems
}

fn problem(pattern: &Pat, of_type: &Type) -> Option<Problem> {
    if let Pat::Tuple(_) = after_references(pattern) {
        return Some(Problem::TakenApart);
    }
    let name = match pattern {
        Pat::Ident(pattern) => pattern.ident.to_string(),
        _ => "_".to_owned(),
    };
    match of_type {
        Type::Path(path) if path.path.is_ident("bool") => Some(Problem::Bool(name)),
        _ if is_tuple(of_type) => Some(Problem::Tuple(name)),
        _ => None,
    }
}

fn after_references(pattern: &Pat) -> &Pat {
    match pattern {
        Pat::Reference(inner) => after_references(&inner.pat),
        Pat::Paren(inner) => after_references(&inner.pat),
        _ => pattern,
    }
}

fn is_tuple(of_type: &Type) -> bool {
    match of_type {
        Type::Tuple(tuple) => !tuple.elems.is_empty(),
        Type::Reference(inner) => is_tuple(&inner.elem),
        Type::Paren(inner) => is_tuple(&inner.elem),
        Type::Group(inner) => is_tuple(&inner.elem),
        _ => false,
    }
}
