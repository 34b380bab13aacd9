//! Variables and their parts: `h->id`, `*p`, `rows[2].name` ([`ValuePath`]).

use std::fmt;

/// A variable, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuePath {
    /// Name of the variable.
    pub name: String,
    pub parts: Vec<PathPart>,
}

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPart {
    /// A member of a structure, or of the one that a pointer points to.
    Member(String),
    /// An element of an array, or of the memory that a pointer points to.
    Element(u64),
    /// The target of a pointer: `*p`.
    Target,
}

/// Property of a variable that takes part in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableAspect {
    Value,
    /// `&x`.
    Address,
    /// `sizeof x`.
    Size,
}

/// A path whose indexes are not evaluated yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    pub name: String,
    pub steps: Vec<PathStep>,
    pub aspect: VariableAspect,
}

/// A step of a [`PathPattern`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    Member(String),
    /// The index is on the stack, that of the last step on top.
    Element,
    Target,
}

impl ValuePath {
    /// Splits a name with members: `node.next.id`, `node->id`.
    pub fn of_name(text: &str) -> Self {
        let PathPattern { name, steps, .. } = PathPattern::of_name(text);
        let member = |step| match step {
            PathStep::Member(name) => Some(PathPart::Member(name)),
            PathStep::Element | PathStep::Target => None,
        };
        Self {
            name,
            parts: steps.into_iter().filter_map(member).collect(),
        }
    }
}

impl PathPattern {
    /// Splits a name with members.
    pub fn of_name(text: &str) -> Self {
        let mut words = split_members(text);
        Self {
            name: words.next().unwrap_or_default().to_owned(),
            steps: words
                .map(|name| PathStep::Member(name.to_owned()))
                .collect(),
            aspect: VariableAspect::Value,
        }
    }

    /// Adds the members of a text that begins with a dot: `.next.id`.
    pub fn push_members(&mut self, text: &str) {
        let members = split_members(text).filter(|name| !name.is_empty());
        self.steps
            .extend(members.map(|name| PathStep::Member(name.to_owned())));
    }

    /// Returns the number of indexes on the stack.
    pub fn index_count(&self) -> usize {
        let elements = self.steps.iter().filter(|step| **step == PathStep::Element);
        elements.count()
    }

    /// Returns the path with indexes, of which there must be [`Self::index_count`].
    pub fn with_indexes(&self, indexes: impl IntoIterator<Item = u64>) -> ValuePath {
        let mut indexes = indexes.into_iter();
        let part = |step: &PathStep| match step {
            PathStep::Member(name) => Some(PathPart::Member(name.clone())),
            PathStep::Element => indexes.next().map(PathPart::Element),
            PathStep::Target => Some(PathPart::Target),
        };
        ValuePath {
            name: self.name.clone(),
            parts: self.steps.iter().filter_map(part).collect(),
        }
    }
}

fn split_members(text: &str) -> impl Iterator<Item = &str> {
    text.split("->").flat_map(|part| part.split('.'))
}

impl fmt::Display for ValuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.name.clone();
        for part in &self.parts {
            text = match part {
                PathPart::Member(name) if text.starts_with('*') => format!("({text}).{name}"),
                PathPart::Member(name) => format!("{text}.{name}"),
                PathPart::Element(index) if text.starts_with('*') => {
                    format!("({text})[{}]", index.cast_signed())
                }
                PathPart::Element(index) => format!("{text}[{}]", index.cast_signed()),
                PathPart::Target => format!("*{text}"),
            };
        }
        f.write_str(&text)
    }
}
