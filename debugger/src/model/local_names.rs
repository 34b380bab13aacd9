//! Local variables in expressions: `slot == 13`, `h->id`, `names[2]`.
//!
//! A local variable, or a member of the object of a method, comes before a register of its name;
//! `reg::x0` is always the register.

use std::cell::OnceCell;
use std::fmt;

use stepback_index::answer::ThreadId;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::expression::{
    Expression, ExpressionError, IndexLookup, LookupFailure, NameLookup, PathPart, ValueLookup,
    ValuePath, Width, parse,
};
use crate::image::TypeShape;
use crate::messages::say;
use crate::model::frame_place::{FrameLevel, FramePlace};
use crate::model::local_variables::local_variable;
use crate::model::typed_value::TypedValue;
use crate::model::variable_values::ValueReader;
use crate::session::Session;

/// Name of the pointer to the object of a method of C++.
const OBJECT: &str = "this";

/// Lookup of local variables of a frame, and of everything that an [`IndexLookup`] finds.
pub struct LocalNames<'a> {
    session: &'a Session,
    frame: FrameLevel,
    cancel: &'a Cancel,
    /// Registers are those of the frame.
    registers: IndexLookup<'a>,
    /// Memory is that of the position in all frames.
    memory: IndexLookup<'a>,
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
        let frame = FrameLevel::innermost(thread, position);
        Self::of_frame(session, frame, position, cancel)
    }

    /// Creates a lookup of a frame whose registers are those of another position.
    pub fn of_frame(
        session: &'a Session,
        frame: FrameLevel,
        registers_at: Position,
        cancel: &'a Cancel,
    ) -> Self {
        let at = |position| {
            let (index, images) = (&session.index, &session.images);
            IndexLookup::new(index, images, position, Some(frame.thread), cancel)
        };
        Self {
            session,
            frame,
            cancel,
            registers: at(registers_at),
            memory: at(frame.position),
            place: OnceCell::new(),
        }
    }

    fn local(&self, path: &ValuePath) -> Option<ValueLookup> {
        let find = || Ok(FramePlace::find(self.session, self.frame, self.cancel)?);
        let place = match self.place.get_or_init(find) {
            Ok(place) => place.as_ref()?,
            Err(error) => return Some(ValueLookup::Failed(error.clone())),
        };
        match self.number(place, path) {
            Ok(number) => number,
            Err(error) => Some(ValueLookup::Failed(error.into())),
        }
    }

    fn number(
        &self,
        place: &FramePlace,
        path: &ValuePath,
    ) -> Result<Option<ValueLookup>, QueryError> {
        let failed = |words: &str| Ok(Some(ValueLookup::Failed(words.into())));
        let reader = ValueReader {
            session: self.session,
            place,
            cancel: self.cancel,
        };
        let value = match find_value(&reader, path)? {
            FoundValue::Known(value) => reader.referred(&value)?,
            FoundValue::NoVariable => return Ok(None),
            FoundValue::Unknown => None,
            FoundValue::NoPart(reason) => return failed(&reason.to_string()),
        };
        let Some(value) = value else {
            return Ok(Some(ValueLookup::Unknown));
        };
        if value.description().shape == TypeShape::Float {
            return failed(say!("local-floating-point"));
        }
        if let TypeShape::Integer(_) = value.description().shape
            && value.size_bytes().is_some_and(|size| size > 8)
        {
            return failed(say!("local-too-wide"));
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
        let path = ValuePath::of_name(name);
        self.local(&path).or_else(|| self.registers.register(name))
    }

    fn variable(&self, path: &ValuePath) -> Option<ValueLookup> {
        self.local(path)
    }

    fn symbols(&self, name: &str) -> Vec<u64> {
        self.memory.symbols(name)
    }

    fn memory(&self, address: u64, width: Width) -> ValueLookup {
        self.memory.memory(address, width)
    }

    fn is_used(&self, address: u64) -> bool {
        self.memory.is_used(address)
    }
}

/// Meaning of a text in a frame.
pub enum FrameExpression {
    /// A variable or a part of one.
    Path(ValuePath),
    /// Another expression.
    Other(Expression),
}

impl FrameExpression {
    /// Parses a text, and evaluates the indexes of a path.
    ///
    /// # Errors
    /// The text is no expression, or an index has no value.
    pub fn parse(text: &str, names: &LocalNames<'_>) -> Result<Self, ExpressionError> {
        let expression = parse(text)?;
        let path = expression.path(names)?;
        Ok(path.map_or(Self::Other(expression), Self::Path))
    }
}

/// Result of looking up a variable or a part of one.
pub enum FoundValue {
    Known(TypedValue),
    /// No variable has the name.
    NoVariable,
    /// A pointer or a reference to it is unknown.
    Unknown,
    NoPart(NoPart),
}

/// Reason why a value has no such part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPart {
    /// The first value is a pointer to nothing.
    Null(ValuePath),
    Member(ValuePath, String),
    Element(ValuePath, u64),
    /// It is not a pointer to a known type.
    Target(ValuePath),
}

impl fmt::Display for NoPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Null(value) => say!("local-null-pointer", value = value.to_string()),
            Self::Member(value, member) => say!(
                "local-no-member",
                value = value.to_string(),
                member = &**member
            ),
            Self::Element(value, index) => say!(
                "local-no-element",
                value = value.to_string(),
                index = index.to_string()
            ),
            Self::Target(value) => say!("local-no-target", value = value.to_string()),
        })
    }
}

impl FoundValue {
    /// Returns the value if it was found.
    pub fn known(self) -> Option<TypedValue> {
        match self {
            Self::Known(value) => Some(value),
            Self::NoVariable | Self::Unknown | Self::NoPart(_) => None,
        }
    }
}

/// Finds the variable or the part of one that a text names in a frame; none if it names none.
///
/// # Errors
/// See [`QueryError`].
pub fn named_value(text: &str, reader: &ValueReader<'_>) -> Result<Option<TypedValue>, QueryError> {
    let place = reader.place;
    let names = LocalNames::of_frame(
        reader.session,
        place.frame(),
        place.registers_at,
        reader.cancel,
    );
    Ok(match FrameExpression::parse(text, &names) {
        Ok(FrameExpression::Path(path)) => find_value(reader, &path)?.known(),
        // The evaluation of the expression reports its error.
        Ok(FrameExpression::Other(_)) | Err(_) => None,
    })
}

/// Finds a variable or a part of one in a frame.
///
/// # Errors
/// See [`QueryError`].
pub fn find_value(reader: &ValueReader<'_>, path: &ValuePath) -> Result<FoundValue, QueryError> {
    let Some(mut value) = named_variable(reader, &path.name)? else {
        return Ok(FoundValue::NoVariable);
    };
    for (place, part) in path.parts.iter().enumerate() {
        reader.cancel.check()?;
        let found = match part {
            PathPart::Member(name) => reader.named_member(&value, name)?,
            PathPart::Element(index) => reader.element(&value, *index)?,
            PathPart::Target => reader.pointed(&value)?,
        };
        match found {
            Some(found) => value = found,
            None => {
                let known = ValuePath {
                    name: path.name.clone(),
                    parts: path.parts.get(..place).unwrap_or_default().to_vec(),
                };
                return missing_part(reader, &value, known, part);
            }
        }
    }
    Ok(FoundValue::Known(value))
}

/// Finds a variable, or a member of the object of a method.
fn named_variable(reader: &ValueReader<'_>, name: &str) -> Result<Option<TypedValue>, QueryError> {
    let find = |name| local_variable(reader.session, reader.place, name, reader.cancel);
    if let Some(variable) = find(name)? {
        return Ok(Some(variable.value));
    }
    match find(OBJECT)? {
        Some(object) => reader.named_member(&object.value, name),
        None => Ok(None),
    }
}

/// Returns the reason why a value has no such part.
fn missing_part(
    reader: &ValueReader<'_>,
    value: &TypedValue,
    known: ValuePath,
    part: &PathPart,
) -> Result<FoundValue, QueryError> {
    let Some(value) = reader.referred(value)? else {
        return Ok(FoundValue::Unknown);
    };
    if value.is_pointer() {
        match reader.signed_number(&value)? {
            None => return Ok(FoundValue::Unknown),
            Some(0) => return Ok(FoundValue::NoPart(NoPart::Null(known))),
            Some(_) => {}
        }
    }
    Ok(FoundValue::NoPart(match part {
        PathPart::Member(name) => NoPart::Member(known, name.clone()),
        PathPart::Element(index) => NoPart::Element(known, *index),
        PathPart::Target => NoPart::Target(known),
    }))
}
