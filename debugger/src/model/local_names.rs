//! Variables in expressions of a frame: `slot == 13`, `h->id`, `names[2]`.
//!
//! A local variable, a member of the object of a method, and a variable or an enumerator of the
//! frame's unit come before a register of its name, and that before variables of other units.
//! `reg::x0` is always the register, and `sym::table` always the address of a symbol.

use std::cell::OnceCell;
use std::fmt;

use stepback_index::answer::ThreadId;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Position;

use crate::expression::{
    Expression, ExpressionError, IndexLookup, LookupFailure, NameLookup, NoNumber, PathPart,
    SymbolAbsence, TypedNumber, ValueLookup, ValuePath, VariableAspect, Width, parse,
};
use crate::image::{TypeShape, UnitName};
use crate::messages::say;
use crate::model::frame_place::{FrameLevel, FramePlace};
use crate::model::local_variables::{global_variable, local_variable};
use crate::model::typed_value::TypedValue;
use crate::model::variable_numbers::{address_of, no_number, number_of};
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

    fn looked_up(
        &self,
        place: &FramePlace,
        path: &ValuePath,
        aspect: VariableAspect,
    ) -> Result<Option<ValueLookup>, QueryError> {
        let reader = ValueReader {
            session: self.session,
            place,
            cancel: self.cancel,
        };
        let value = match find_value(&reader, path)? {
            FoundValue::Known(value) => reader.referred(&value)?,
            FoundValue::NoVariable => return Ok(enumerator(&reader, path, aspect)),
            FoundValue::NoPart(NoPart::VariantUnknown(_)) => return Ok(Some(ValueLookup::Unknown)),
            FoundValue::NoPart(reason) => return Ok(Some(ValueLookup::NoNumber(reason.into()))),
        };
        Ok(Some(match (value, aspect) {
            (None, _) => ValueLookup::Unknown,
            (Some(value), VariableAspect::Value) => number_of(&reader, &value)?,
            (Some(value), VariableAspect::Address) => address_of(&value),
            (Some(value), VariableAspect::Size) => match value.size_bytes() {
                Some(size) => ValueLookup::Typed(TypedNumber::size(size)),
                None => no_number(say!("local-unknown-size")),
            },
        }))
    }
}

/// Returns the enumerator that a path is.
fn enumerator(
    reader: &ValueReader<'_>,
    path: &ValuePath,
    aspect: VariableAspect,
) -> Option<ValueLookup> {
    let is_name = path.parts.is_empty() && aspect == VariableAspect::Value;
    let address = reader.place.address.filter(|_| is_name)?;
    match reader.session.images.unit_name(address, &path.name)? {
        UnitName::Enumerator(value) => Some(ValueLookup::Typed(TypedNumber::enumerator(value))),
        UnitName::Variable(_) | UnitName::Declaration => None,
    }
}

impl NameLookup for LocalNames<'_> {
    fn register(&self, name: &str) -> Option<ValueLookup> {
        self.registers.register(name)
    }

    fn variable(&self, path: &ValuePath, aspect: VariableAspect) -> Option<ValueLookup> {
        let find = || Ok(FramePlace::find(self.session, self.frame, self.cancel)?);
        let place = match self.place.get_or_init(find) {
            Ok(place) => place.as_ref()?,
            Err(error) => return Some(ValueLookup::Failed(error.clone())),
        };
        match self.looked_up(place, path, aspect) {
            Ok(number) => number,
            Err(error) => Some(ValueLookup::Failed(error.into())),
        }
    }

    fn symbols(&self, name: &str) -> Vec<u64> {
        self.memory.symbols(name)
    }

    fn absence(&self, name: &str) -> Option<SymbolAbsence> {
        self.memory.absence(name)
    }

    fn full_names(&self, name: &str) -> Vec<String> {
        self.memory.full_names(name)
    }

    fn address_of_unknown(&self, name: &str) -> Option<u64> {
        self.memory.address_of_unknown(name)
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
    NoPart(NoPart),
}

/// Reason why a value has no such part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPart {
    /// The first value is a pointer to nothing.
    Null(ValuePath),
    Member(ValuePath, String),
    /// The active variant has no such member.
    VariantMember(ValuePath, String),
    /// The trace does not record which variant is active.
    VariantUnknown(ValuePath),
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
            Self::VariantMember(value, member) => say!(
                "local-no-variant-member",
                value = value.to_string(),
                member = &**member
            ),
            Self::VariantUnknown(value) => {
                say!("local-unknown-variant", value = value.to_string())
            }
            Self::Element(value, index) => say!(
                "local-no-element",
                value = value.to_string(),
                index = index.cast_signed().to_string()
            ),
            Self::Target(value) => say!("local-no-target", value = value.to_string()),
        })
    }
}

impl From<NoPart> for NoNumber {
    fn from(part: NoPart) -> Self {
        Self {
            reason: part.to_string(),
            depends_on_position: match part {
                NoPart::Null(_)
                | NoPart::VariantMember(..)
                | NoPart::VariantUnknown(_)
                | NoPart::Element(..) => true,
                NoPart::Member(..) | NoPart::Target(_) => false,
            },
        }
    }
}

impl FoundValue {
    /// Returns the value if it was found.
    pub fn known(self) -> Option<TypedValue> {
        match self {
            Self::Known(value) => Some(value),
            Self::NoVariable | Self::NoPart(_) => None,
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
    let mut rest = &*path.parts;
    while let [part, after @ ..] = rest {
        reader.cancel.check()?;
        let found = match part {
            PathPart::Member(name) => reader.named_member(&value, name)?,
            PathPart::Element(index) => reader.element(&value, *index)?,
            PathPart::Target => reader.pointed(&value)?,
        };
        // Compilers of C++ name a member `_vptr.Base`.
        if let (None, PathPart::Member(first), [PathPart::Member(second), after @ ..]) =
            (&found, part, after)
            && let Some(member) = reader.named_member(&value, &format!("{first}.{second}"))?
        {
            value = member;
            rest = after;
            continue;
        }
        value = match found {
            Some(found) => found,
            None => {
                let place = path.parts.len() - rest.len();
                let known = ValuePath {
                    name: path.name.clone(),
                    parts: path.parts.get(..place).unwrap_or_default().to_vec(),
                };
                match missing_part(reader, &value, known, part)? {
                    MissingPart::Unknown(assumed) => assumed,
                    MissingPart::None(reason) => return Ok(FoundValue::NoPart(reason)),
                }
            }
        };
        rest = after;
    }
    Ok(FoundValue::Known(value))
}

/// Part that was not found.
enum MissingPart {
    /// A pointer to it is unknown. The value has its type, and no known place.
    Unknown(TypedValue),
    None(NoPart),
}

/// Finds a variable, or a member of the object of a method.
fn named_variable(reader: &ValueReader<'_>, name: &str) -> Result<Option<TypedValue>, QueryError> {
    let ValueReader {
        session,
        place,
        cancel,
    } = *reader;
    let find = |name| local_variable(session, place, name, cancel);
    if let Some(variable) = find(name)? {
        return Ok(Some(variable.value));
    }
    if let Some(object) = find(OBJECT)?
        && let Some(member) = reader.named_member(&object.value, name)?
    {
        return Ok(Some(member));
    }
    let images = &session.images;
    let in_unit = place.address.and_then(|code| images.unit_name(code, name));
    let found = match in_unit {
        Some(UnitName::Variable(found)) => Some(found),
        Some(UnitName::Enumerator(_)) => None,
        Some(UnitName::Declaration) => images.global_variable(name),
        None => {
            let names = NameReader(&session.index);
            let register = names.register_view_at(name, place.thread, place.mode_at)?;
            match register {
                Some(_) => None,
                None => images.global_variable(name),
            }
        }
    };
    match found {
        Some(found) => global_variable(session, place, &found, cancel),
        None => Ok(None),
    }
}

/// Returns the reason why a part was not found.
fn missing_part(
    reader: &ValueReader<'_>,
    value: &TypedValue,
    known: ValuePath,
    part: &PathPart,
) -> Result<MissingPart, QueryError> {
    let referred = reader.referred(value)?;
    let is_referred = referred.is_some();
    let value = referred.unwrap_or_else(|| value.assumed_target());
    let address = match value.is_pointer() {
        true => reader.signed_number(&value)?,
        false => None,
    };
    if address == Some(0) {
        return Ok(MissingPart::None(NoPart::Null(known)));
    }
    let is_unknown = !is_referred || (value.is_pointer() && address.is_none());
    // The type of an unknown pointer shows which parts its target has.
    let target = value.assumed_target();
    let assumed = match part {
        PathPart::Member(name) => reader.named_member(&target, name)?,
        PathPart::Element(_) | PathPart::Target if value.is_pointer() => Some(target.clone()),
        PathPart::Element(index) => reader.element(&value, *index)?,
        PathPart::Target => None,
    };
    let record = match value.is_pointer() {
        true => reader.pointed(&value)?.unwrap_or(target),
        false => target,
    };
    let selected = match &record.description().shape {
        TypeShape::Record {
            variants: Some(variants),
            ..
        } => Some(reader.selected_variant(&record, variants)?.is_known()),
        _ => None,
    };
    Ok(match (assumed, part, selected) {
        (Some(assumed), ..) if is_unknown => MissingPart::Unknown(assumed),
        (_, PathPart::Member(_), Some(false)) => MissingPart::None(NoPart::VariantUnknown(known)),
        (_, PathPart::Member(name), Some(true)) => {
            MissingPart::None(NoPart::VariantMember(known, name.clone()))
        }
        (_, PathPart::Member(name), None) => MissingPart::None(NoPart::Member(known, name.clone())),
        (_, PathPart::Element(index), _) => MissingPart::None(NoPart::Element(known, *index)),
        (_, PathPart::Target, _) => MissingPart::None(NoPart::Target(known)),
    })
}
