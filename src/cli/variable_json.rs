//! Values of variables in JSON, with their members.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::image::VariablePlace;
use stepback_debugger::model::typed_value::TypedValue;
use stepback_debugger::model::variable_values::ValueReader;

use super::json::{byte_string, hex, source_letters};
use super::variable_text::{VALUE_BYTES, ValueText, unsupported_words};

/// Maximum nesting depth of members in JSON.
const LEVELS: usize = 4;

/// Maximum number of elements of an array in JSON.
const ELEMENTS: u64 = 64;

/// Maximum number of values in JSON.
const VALUES: usize = 1 << 14;

/// A value with its type.
#[derive(Serialize, JsonSchema)]
pub struct ValueJson {
    r#type: String,
    /// Size in bytes.
    size: Option<u64>,
    /// The value in C syntax; null if it is unknown.
    value: Option<String>,
    /// True if the compiler left the variable out here.
    optimised_away: bool,
    /// Reason why the location of the variable cannot be read; null if there is none.
    problem: Option<&'static str>,
    /// Address; null if it is not in memory.
    address: Option<String>,
    /// Bytes in memory order. Null if the value has no place.
    bytes: Option<String>,
    /// One letter for the source of each byte.
    sources: Option<String>,
    /// Number of members that are left out.
    omitted: u64,
    /// Members of a structure or an array. Missing if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<MemberJson>,
}

/// A member of a structure or an array.
#[derive(Serialize, JsonSchema)]
pub struct MemberJson {
    name: String,
    #[serde(flatten)]
    value: ValueJson,
}

/// Writes values up to a maximum number of members.
pub struct ValueJsonWriter<'a> {
    values: &'a ValueReader<'a>,
    /// Number of members that may follow.
    budget: usize,
}

impl<'a> ValueJsonWriter<'a> {
    pub fn new(values: &'a ValueReader<'a>) -> Self {
        Self {
            values,
            budget: VALUES,
        }
    }

    /// Writes a value with its members, but not the target of a pointer.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn value(&mut self, value: &TypedValue) -> Result<ValueJson> {
        self.nested(value, LEVELS)
    }

    /// Writes a value with its members, or with the target if it is a pointer.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn opened(&mut self, value: &TypedValue) -> Result<ValueJson> {
        let mut json = self.nested(value, LEVELS)?;
        if value.is_pointer() {
            for target in self.values.members(value, 0, 1)? {
                json.members.push(MemberJson {
                    name: target.name,
                    value: self.nested(&target.value, LEVELS)?,
                });
            }
        }
        Ok(json)
    }

    fn nested(&mut self, value: &TypedValue, levels: usize) -> Result<ValueJson> {
        let bytes = self.values.bytes(value, VALUE_BYTES)?;
        let is_known = bytes
            .as_ref()
            .is_some_and(|bytes| bytes.iter().any(|byte| byte.value.is_some()));
        let mut members = Vec::new();
        if levels > 0 && !value.is_pointer() {
            for member in self.values.members(value, 0, ELEMENTS)? {
                let Some(rest) = self.budget.checked_sub(1) else {
                    break;
                };
                self.budget = rest;
                members.push(MemberJson {
                    name: member.name,
                    value: self.nested(&member.value, levels - 1)?,
                });
            }
        }
        let all = match value.is_pointer() {
            true => 0,
            false => self.values.member_count(value)?,
        };
        let text = match is_known {
            true => Some(ValueText(self.values).text(value)?),
            false => None,
        };
        Ok(ValueJson {
            r#type: value.type_name(),
            size: value.description().size_bytes,
            value: text,
            optimised_away: value.place == VariablePlace::OptimisedAway,
            problem: match value.place {
                VariablePlace::Unsupported(kind) => Some(unsupported_words(kind)),
                VariablePlace::Unreadable => Some("unreadable debug information"),
                VariablePlace::Memory(_)
                | VariablePlace::Content(_)
                | VariablePlace::OptimisedAway
                | VariablePlace::Unknown => None,
            },
            address: value.address().map(hex),
            sources: bytes.as_deref().map(source_letters),
            bytes: bytes.map(|bytes| byte_string(bytes.iter().map(|byte| byte.value))),
            omitted: all.saturating_sub(members.len() as u64),
            members,
        })
    }
}
