//! Names of local variables in expressions: `slot == 13`, `h->id`, `names[2]`.
//!
//! A local variable comes before a register of its name; `reg::x0` is always the register.

use std::cell::OnceCell;

use stepback_index::answer::ThreadId;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::expression::{IndexLookup, LookupFailure, NameLookup, ValueLookup, Width};
use crate::image::TypeShape;
use crate::model::frame_place::{FrameLevel, FramePlace};
use crate::model::local_variables::local_variable;
use crate::model::typed_value::TypedValue;
use crate::model::variable_values::ValueReader;
use crate::session::Session;

/// Maximum number of members in a path.
const PARTS: usize = 32;

/// Lookup of local variables of a frame, and of everything that an [`IndexLookup`] finds.
pub struct LocalNames<'a> {
    session: &'a Session,
    frame: FrameLevel,
    cancel: &'a Cancel,
    others: IndexLookup<'a>,
    /// Read when the first name is looked up.
    place: OnceCell<Result<Option<FramePlace>, LookupFailure>>,
}

impl<'a> LocalNames<'a> {
    /// Creates a lookup of the innermost frame of a thread.
    pub fn new(
        session: &'a Session,
        position: Position,
        thread: ThreadId,
        cancel: &'a Cancel,
    ) -> Self {
        let frame = FrameLevel {
            position,
            thread,
            level: 0,
        };
        Self::of_frame(session, frame, position, cancel)
    }

    /// Creates a lookup of a frame whose registers are those of another position.
    pub fn of_frame(
        session: &'a Session,
        frame: FrameLevel,
        registers_at: Position,
        cancel: &'a Cancel,
    ) -> Self {
        let (index, images) = (&session.index, &session.images);
        Self {
            session,
            frame,
            cancel,
            others: IndexLookup::new(index, images, registers_at, Some(frame.thread), cancel),
            place: OnceCell::new(),
        }
    }

    fn local(&self, name: &str) -> Option<ValueLookup> {
        let find = || Ok(FramePlace::find(self.session, self.frame, self.cancel)?);
        let place = match self.place.get_or_init(find) {
            Ok(place) => place.as_ref()?,
            Err(error) => return Some(ValueLookup::Failed(error.clone())),
        };
        match self.number(place, name) {
            Ok(number) => number,
            Err(error) => Some(ValueLookup::Failed(error.into())),
        }
    }

    fn number(&self, place: &FramePlace, name: &str) -> Result<Option<ValueLookup>, QueryError> {
        let Some(path) = VariablePath::parse(name) else {
            return Ok(None);
        };
        let reader = ValueReader {
            session: self.session,
            place,
            cancel: self.cancel,
        };
        let value = match path.find(&reader)? {
            FoundValue::Known(value) => reader.referred(&value)?,
            FoundValue::NoVariable => return Ok(None),
            FoundValue::NoMember => {
                let words = format!("{} has no known member at {name}", path.name);
                return Ok(Some(ValueLookup::Failed(words.as_str().into())));
            }
        };
        let Some(value) = value else {
            return Ok(Some(ValueLookup::Unknown));
        };
        if value.description().shape == TypeShape::Float {
            let words = format!("{name} is a floating-point number, not an integer");
            return Ok(Some(ValueLookup::Failed(words.as_str().into())));
        }
        if let TypeShape::Integer(_) = value.description().shape
            && value.size_bytes().is_some_and(|size| size > 8)
        {
            let words = format!("{name} has more than 64 bits");
            return Ok(Some(ValueLookup::Failed(words.as_str().into())));
        }
        let number = number_of(&reader, &value)?;
        Ok(Some(
            number.map_or(ValueLookup::Unknown, ValueLookup::Known),
        ))
    }
}

/// Returns a variable as a number: its value with its sign, or the address of a structure or an
/// array. None if it is unknown.
fn number_of(reader: &ValueReader<'_>, value: &TypedValue) -> Result<Option<u64>, QueryError> {
    match value.description().shape {
        TypeShape::Record { .. } | TypeShape::Array { .. } => {
            Ok(value.address().map(|Address(address)| address))
        }
        TypeShape::Integer(_)
        | TypeShape::Character(_)
        | TypeShape::Boolean
        | TypeShape::Float
        | TypeShape::Pointer(_)
        | TypeShape::Reference(_)
        | TypeShape::Enumeration { .. }
        | TypeShape::Function
        | TypeShape::Opaque => reader.signed_number(value),
    }
}

impl NameLookup for LocalNames<'_> {
    fn register(&self, name: &str) -> Option<ValueLookup> {
        self.local(name).or_else(|| self.others.register(name))
    }

    fn symbols(&self, name: &str) -> Vec<u64> {
        self.others.symbols(name)
    }

    fn memory(&self, address: u64, width: Width) -> ValueLookup {
        self.others.memory(address, width)
    }

    fn is_used(&self, address: u64) -> bool {
        self.others.is_used(address)
    }
}

/// A part of a path after the name of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PathPart {
    /// A member of a structure, or of the one that a pointer points to.
    Member(String),
    Element(u64),
}

/// A variable or a member of one: `h->id`, `*p`, `rows[2].name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariablePath {
    /// Number of `*` before the name.
    targets: usize,
    name: String,
    parts: Vec<PathPart>,
}

impl VariablePath {
    /// Parses a path; none if the text is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let rest = text.trim_start_matches('*');
        let targets = text.len() - rest.len();
        let (name, mut rest) = identifier(rest)?;
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let part;
            (part, rest) = match (rest.strip_prefix("->"), rest.strip_prefix('.')) {
                (Some(after), _) => {
                    let (member, after) = identifier(after)?;
                    (PathPart::Member(member), after)
                }
                (None, Some(after)) => {
                    let (member, after) = identifier(after)?;
                    (PathPart::Member(member), after)
                }
                (None, None) => {
                    let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
                    (PathPart::Element(index.trim().parse().ok()?), after)
                }
            };
            parts.push(part);
        }
        (parts.len() + targets <= PARTS).then_some(Self {
            targets,
            name,
            parts,
        })
    }

    /// Finds the value of the path in a frame.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn find(&self, reader: &ValueReader<'_>) -> Result<FoundValue, QueryError> {
        let ValueReader {
            session,
            place,
            cancel,
        } = reader;
        let Some(variable) = local_variable(session, place, &self.name, cancel)? else {
            return Ok(FoundValue::NoVariable);
        };
        let mut value = variable.value;
        for part in &self.parts {
            let found = match part {
                PathPart::Member(name) => reader.named_member(&value, name)?,
                PathPart::Element(index) => reader.element(&value, *index)?,
            };
            match found {
                Some(found) => value = found,
                None => return Ok(FoundValue::NoMember),
            }
        }
        for _ in 0..self.targets {
            match reader.element(&value, 0)? {
                Some(target) => value = target,
                None => return Ok(FoundValue::NoMember),
            }
        }
        Ok(FoundValue::Known(value))
    }
}

/// Result of looking up a path.
pub enum FoundValue {
    Known(TypedValue),
    /// No variable has the name.
    NoVariable,
    /// The variable has no such member, or a pointer to it is unknown.
    NoMember,
}

impl FoundValue {
    /// Returns the value if it was found.
    pub fn known(self) -> Option<TypedValue> {
        match self {
            Self::Known(value) => Some(value),
            Self::NoVariable | Self::NoMember => None,
        }
    }
}

/// Splits an identifier of C from the rest.
fn identifier(text: &str) -> Option<(String, &str)> {
    let end = text
        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let is_name = name
        .chars()
        .next()
        .is_some_and(|first| !first.is_ascii_digit());
    is_name.then(|| (name.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_names_members_and_elements() {
        let path = VariablePath::parse("*rows[2].of->name").unwrap();
        assert_eq!((path.targets, path.name.as_str()), (1, "rows"));
        assert_eq!(
            path.parts,
            [
                PathPart::Element(2),
                PathPart::Member("of".to_owned()),
                PathPart::Member("name".to_owned())
            ]
        );
        for text in [
            "", "*", "1", "a + 1", "a.", "a[x]", "[sp]", "a->", "a[1", "reg::x0",
        ] {
            assert_eq!(VariablePath::parse(text), None, "{text}");
        }
        assert_eq!(VariablePath::parse(&"*".repeat(100)), None);
    }
}
