//! Values of variables in C syntax: `-3`, `97 'a'`, `0x80020340 "name"`, `{id = 3, calls = 0}`.

use anyhow::Result;
use stepback_debugger::analysis::tracked::known_source;
use stepback_debugger::image::{
    ArrayLength, EnumerationName, FloatKind, Signedness, TypeMember, TypeShape,
    UnsupportedLocation, VariablePlace, VariantPart, sign_extended,
};
use stepback_debugger::model::typed_value::{NamedValue, TypedValue};
use stepback_debugger::model::variable_members::SelectedVariant;
use stepback_debugger::model::variable_values::ValueReader;
use stepback_index::answer::{ByteState, Value, ValueSource};
use stepback_machine::Address;

use super::json::value_hex;
use super::long_double::{EXTENDED_BYTES, extended_text, quadruple_text};
use super::variable_strings::{STRING_BYTES, array_string, character, string};

/// Shown for a value that nothing states.
pub const NOT_RECORDED: &str = "<not recorded>";

/// Shown for a variable that the compiler left out.
pub const OPTIMISED_AWAY: &str = "<optimised away>";

/// Shown for a variable with damaged debug information.
pub const UNREADABLE: &str = "<unreadable debug information>";

/// Shown for a structure whose discriminant is not recorded.
const UNKNOWN_VARIANT: &str = "<variant not recorded>";

/// Shown for a structure whose discriminant selects no variant.
const NO_VARIANT: &str = "<no variant>";

/// Maximum number of bytes of a value that are read.
pub const VALUE_BYTES: u64 = 1 << 12;

/// Maximum number of members and elements in a text.
const MEMBERS: u64 = 16;

/// Maximum nesting depth of members in a text.
const LEVELS: usize = 3;

/// Maximum length of a text in bytes.
const TEXT_BYTES: usize = 400;

/// Shown for a structure of which only the name is known.
const INCOMPLETE: &str = "<incomplete type>";

/// Formats values.
pub struct ValueText<'a>(pub &'a ValueReader<'a>);

impl ValueText<'_> {
    /// Formats a value with its provenance, unless that is the recorded one.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn with_source(&self, value: &TypedValue) -> Result<String> {
        let text = self.text(value)?;
        Ok(match self.source(value)? {
            ValueSource::Recorded | ValueSource::Unknown => text,
            ValueSource::Inferred => format!("{text} (inferred)"),
            ValueSource::External => format!("{text} (external change)"),
        })
    }

    /// Returns the least certain source of the known bytes of a value.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn source(&self, value: &TypedValue) -> Result<ValueSource> {
        let bytes = self.0.bytes(value, VALUE_BYTES)?;
        Ok(known_source(&bytes.unwrap_or_default()))
    }

    /// Formats a value.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn text(&self, value: &TypedValue) -> Result<String> {
        self.nested(value, LEVELS)
    }

    fn nested(&self, value: &TypedValue, levels: usize) -> Result<String> {
        match value.place {
            VariablePlace::OptimisedAway => return Ok(OPTIMISED_AWAY.to_owned()),
            VariablePlace::Unsupported(kind) => {
                return Ok(format!("<{}>", unsupported_words(kind)));
            }
            VariablePlace::Unreadable => return Ok(UNREADABLE.to_owned()),
            VariablePlace::Unknown => return Ok(NOT_RECORDED.to_owned()),
            VariablePlace::Memory(_) | VariablePlace::Content(_) => {}
        }
        let description = value.description();
        match &description.shape {
            TypeShape::Record { .. } if description.size_bytes.is_none() => {
                return Ok(INCOMPLETE.to_owned());
            }
            TypeShape::Record { members, variants } => {
                if let Some(text) = self.rust_text(value)? {
                    return Ok(text);
                }
                return self.record(value, members, variants.as_ref(), levels);
            }
            TypeShape::Array { length, .. } => return self.array(value, *length, levels),
            TypeShape::Reference(_) if self.0.bytes(value, VALUE_BYTES)?.is_some() => {
                return self.reference(value, levels);
            }
            TypeShape::Integer(_)
            | TypeShape::Character(_)
            | TypeShape::Boolean
            | TypeShape::Float(_)
            | TypeShape::Pointer(_)
            | TypeShape::Reference(_)
            | TypeShape::Enumeration { .. }
            | TypeShape::Function
            | TypeShape::Opaque => {}
        }
        let Some(bytes) = self.0.bytes(value, VALUE_BYTES)? else {
            return Ok(NOT_RECORDED.to_owned());
        };
        if bytes.is_empty() {
            // `()` of Rust.
            return Ok(value.type_name());
        }
        if let TypeShape::Float(kind) = description.shape
            && let Some(text) = self.long_float(&bytes, kind)
        {
            return Ok(text);
        }
        let Some(number) = self.0.number(&bytes) else {
            let wide = self.0.wide_number(&bytes);
            return Ok(match (wide, &description.shape) {
                (Some(number), TypeShape::Integer(Signedness::Unsigned)) => number.to_string(),
                (Some(number), TypeShape::Integer(Signedness::Signed)) if bytes.len() == 16 => {
                    number.cast_signed().to_string()
                }
                _ => self.hexadecimal(&bytes),
            });
        };
        let unsigned = number.value;
        let size = bytes.len();
        Ok(match &description.shape {
            TypeShape::Integer(signedness) => decimal(unsigned, *signedness, size).to_string(),
            TypeShape::Character(signedness) => {
                let number = decimal(unsigned, *signedness, size);
                match character(unsigned, size) {
                    Some(letter) => format!("{number} '{letter}'"),
                    None => number.to_string(),
                }
            }
            TypeShape::Boolean => match unsigned {
                0 => "false".to_owned(),
                1 => "true".to_owned(),
                other => other.to_string(),
            },
            TypeShape::Float(_) => match size {
                4 => format!("{:?}", f32::from_bits(unsigned as u32)),
                8 => format!("{:?}", f64::from_bits(unsigned)),
                _ => self.hexadecimal(&bytes),
            },
            TypeShape::Enumeration { signedness, names } => {
                enumeration(decimal(unsigned, *signedness, size), names)
            }
            TypeShape::Pointer(target) => {
                let target = value.types.describe(*target).shape;
                let note = self.pointed(unsigned, &target)?;
                format!("{unsigned:#x}{note}")
            }
            TypeShape::Reference(_)
            | TypeShape::Record { .. }
            | TypeShape::Array { .. }
            | TypeShape::Function
            | TypeShape::Opaque => self.hexadecimal(&bytes),
        })
    }

    /// Formats a floating-point number of more than 64 bits; none for another one, and if a byte is
    /// unknown.
    fn long_float(&self, bytes: &[ByteState], kind: FloatKind) -> Option<String> {
        let set = self.0.session.index.instruction_set(self.0.place.thread);
        let is_x86 = set.alignment() == 1;
        match kind {
            // The bytes after the value are never written.
            FloatKind::LongDouble if is_x86 => {
                let value = bytes.iter().take(EXTENDED_BYTES);
                let known: Option<Vec<u8>> = value.map(|byte| byte.value).collect();
                extended_text(&known?)
            }
            _ => {
                let number = self.0.wide_number(bytes)?;
                quadruple_text(Some(number).filter(|_| bytes.len() == 16)?)
            }
        }
    }

    /// Formats bytes as a number with unknown digits.
    fn hexadecimal(&self, bytes: &[ByteState]) -> String {
        let mut known: Vec<Option<u8>> = bytes.iter().map(|byte| byte.value).collect();
        if self.0.session.index.info().is_big_endian {
            known.reverse();
        }
        let text = (!known.is_empty()).then(|| value_hex(&Value(known)));
        text.flatten().unwrap_or_else(|| NOT_RECORDED.to_owned())
    }

    /// Describes the target of a pointer: a character string or a function.
    fn pointed(&self, address: u64, target: &TypeShape) -> Result<String> {
        match target {
            TypeShape::Character(_) if address != 0 => {
                let bytes = self.0.memory(address, STRING_BYTES as u64)?;
                Ok(string(&bytes).map_or_else(String::new, |text| format!(" {text}")))
            }
            TypeShape::Function => {
                let set = self.0.session.index.instruction_set(self.0.place.thread);
                let code = Address(set.code_address(address));
                let name = self.0.session.images.function_at(code);
                Ok(name.map_or_else(String::new, |name| format!(" <{name}>")))
            }
            _ => Ok(String::new()),
        }
    }

    /// Returns true if all bytes of a value are unknown.
    fn is_unknown(&self, value: &TypedValue) -> Result<bool> {
        let size = value.description().size_bytes;
        let bytes = self.0.bytes(value, VALUE_BYTES)?.unwrap_or_default();
        let is_whole = size.is_some_and(|size| size > 0 && size <= VALUE_BYTES);
        Ok(is_whole && bytes.iter().all(|byte| byte.value.is_none()))
    }

    /// Formats a reference: its address and the value there.
    fn reference(&self, value: &TypedValue, levels: usize) -> Result<String> {
        let bytes = self.0.bytes(value, VALUE_BYTES)?.unwrap_or_default();
        let Some(address) = self.0.number(&bytes) else {
            return Ok(self.hexadecimal(&bytes));
        };
        let target = match levels {
            0 => None,
            _ => self.0.referred(value)?,
        };
        let address = format!("@{:#x}", address.value);
        Ok(match target {
            Some(target) => format!("{address}: {}", self.nested(&target, levels - 1)?),
            None => address,
        })
    }

    fn array(&self, value: &TypedValue, length: ArrayLength, levels: usize) -> Result<String> {
        if let TypeShape::Array { element, .. } = value.description().shape
            && let TypeShape::Character(_) = value.types.describe(element).shape
            && let Some(bytes) = self.0.bytes(value, VALUE_BYTES)?
            && let Some(text) = array_string(&bytes)
        {
            return Ok(text);
        }
        let unknown = match length {
            ArrayLength::Known(_) if self.is_unknown(value)? => NOT_RECORDED,
            ArrayLength::Known(_) => {
                let elements = self.0.members(value, 0, MEMBERS)?;
                let all = self.0.member_count(value)?;
                return self.list(&elements, all, levels);
            }
            ArrayLength::Unstated => "<unknown length>",
            ArrayLength::OptimisedAway => "<length optimised away>",
            ArrayLength::Unsupported => "<unsupported length>",
            ArrayLength::Unreadable => "<unreadable length>",
            ArrayLength::Unknown => "<length not recorded>",
        };
        Ok(unknown.to_owned())
    }

    fn record(
        &self,
        value: &TypedValue,
        members: &[TypeMember],
        variants: Option<&VariantPart>,
        levels: usize,
    ) -> Result<String> {
        let selected = match variants {
            Some(part) => self.0.selected_variant(value, part)?,
            None => SelectedVariant::None,
        };
        match (selected, variants) {
            (SelectedVariant::Known(variant), _) if members.is_empty() => {
                if let [member] = &*variant.members {
                    return self.variant(value, member, levels);
                }
            }
            (SelectedVariant::Unknown, _) => return Ok(UNKNOWN_VARIANT.to_owned()),
            (SelectedVariant::None, Some(_)) => return Ok(NO_VARIANT.to_owned()),
            (SelectedVariant::Known(_) | SelectedVariant::None, _) => {}
        }
        let shown = self.0.members(value, 0, MEMBERS)?;
        let all = self.0.member_count(value)?;
        let text = self.list(&shown, all, levels)?;
        let is_tuple = !members.is_empty() && members.iter().all(TypeMember::is_numbered);
        Ok(
            match text
                .strip_prefix('{')
                .and_then(|text| text.strip_suffix('}'))
            {
                Some(inner) if is_tuple => format!("({inner})"),
                _ => text,
            },
        )
    }

    /// Formats the only member of a variant, an enumerator of Rust: `None`, `Some(5)`,
    /// `Rect {w = 3, h = 4}`.
    fn variant(&self, value: &TypedValue, member: &TypeMember, levels: usize) -> Result<String> {
        let shown = self.0.members(value, 0, 1)?;
        let name = member.name.as_deref().unwrap_or_default();
        let Some(only) = shown.first().filter(|_| levels > 0) else {
            return Ok(name.to_owned());
        };
        // Every other structure inside costs a level.
        let text = match only.value.description().shape {
            TypeShape::Record {
                members,
                variants: None,
            } => match members.is_empty() {
                true => return Ok(name.to_owned()),
                false => self.record(&only.value, &members, None, levels)?,
            },
            _ => self.nested(&only.value, levels - 1)?,
        };
        Ok(match &*text {
            text if text.starts_with('(') => format!("{name}{text}"),
            text => format!("{name} {text}").trim_start().to_owned(),
        })
    }

    /// Formats members or elements, of which there are more than are shown if `all` is larger.
    fn list(&self, shown: &[NamedValue], all: u64, levels: usize) -> Result<String> {
        if levels == 0 && !shown.is_empty() {
            return Ok("{…}".to_owned());
        }
        let mut text = String::new();
        for member in shown {
            if !text.is_empty() {
                text.push_str(", ");
            }
            if text.len() > TEXT_BYTES {
                text.push('…');
                return Ok(format!("{{{text}}}"));
            }
            if has_shown_name(&member.name) {
                text.push_str(&format!("{} = ", member.name));
            }
            text.push_str(&self.nested(&member.value, levels.saturating_sub(1))?);
        }
        if all > MEMBERS {
            text.push_str(", …");
        }
        Ok(format!("{{{text}}}"))
    }
}

/// Describes a location that is not supported.
pub fn unsupported_words(kind: UnsupportedLocation) -> &'static str {
    match kind {
        UnsupportedLocation::ThreadLocal => "in thread-local storage: not supported",
        UnsupportedLocation::ImplicitPointer => "target of an optimised pointer: not supported",
        UnsupportedLocation::BitPieces => "in pieces of bits: not supported",
        UnsupportedLocation::ComputedMember => {
            "at an offset that the object determines: not supported"
        }
        UnsupportedLocation::Other => "unsupported location",
    }
}

/// Returns true for the name of a member; false for that of an element, of an anonymous member and
/// of a member of a tuple.
fn has_shown_name(name: &str) -> bool {
    let number = name.strip_prefix("__").unwrap_or_default();
    let is_numbered = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    !name.is_empty() && !name.starts_with('[') && !is_numbered
}

/// Returns a number of this many bytes with its sign.
fn decimal(unsigned: u64, signedness: Signedness, size_bytes: usize) -> i128 {
    match signedness {
        Signedness::Signed => {
            let bits = 8 * u32::try_from(size_bytes).unwrap_or(8);
            sign_extended(unsigned, bits).into()
        }
        Signedness::Unsigned => unsigned.into(),
    }
}

/// Formats a value of an enumeration: its name, the names of its bits, or the number.
fn enumeration(number: i128, names: &[EnumerationName]) -> String {
    if let Some(name) = names.iter().find(|name| name.value == number) {
        return name.name.clone();
    }
    let mut rest = number;
    let mut parts = Vec::new();
    for name in names.iter().filter(|name| name.value > 0) {
        if name.value.count_ones() == 1 && rest & name.value != 0 {
            rest &= !name.value;
            parts.push(name.name.as_str());
        }
    }
    match rest == 0 && !parts.is_empty() {
        true => parts.join(" | "),
        false => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_sign_of_their_type() {
        assert_eq!(decimal(0xff, Signedness::Signed, 1), -1);
        assert_eq!(decimal(0xff, Signedness::Unsigned, 1), 255);
        assert_eq!(decimal(0x8000_0000, Signedness::Signed, 4), -2_147_483_648);
        assert_eq!(decimal(u64::MAX, Signedness::Signed, 8), -1);
    }

    #[test]
    fn an_enumeration_has_names_or_bits() {
        let names = [("NONE", 0), ("READ", 1), ("WRITE", 2)].map(|(name, value)| EnumerationName {
            name: name.to_owned(),
            value,
        });
        let texts = [0, 2, 3, 4].map(|number| enumeration(number, &names));
        assert_eq!(texts, ["NONE", "WRITE", "READ | WRITE", "4"]);
    }
}
