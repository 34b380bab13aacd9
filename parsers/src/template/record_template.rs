//! The layout of a record, parsed from its TOML description.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::Deserialize;
use stepback_machine::Endian;

use crate::template::field::TemplateField;

/// Maximum length of a record in bytes. No trace has longer ones.
const LONGEST: usize = 1 << 16;

/// The layout of a record: the position of each field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordTemplate {
    /// Length of a record in bytes: at least 1.
    pub record_bytes: usize,
    /// Offset of the first record in the file.
    pub first_record: u64,
    /// The fields by name.
    fields: BTreeMap<String, TemplateField>,
}

/// An invalid description of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The text is not TOML, or has a key that a layout does not have.
    #[error("it is no description of a record: {0}")]
    Syntax(String),
    /// The record length is 0 or too large.
    #[error("a record has 1 to {LONGEST} bytes, not {0}")]
    RecordBytes(usize),
    /// A field exceeds the record, has no or too many bytes, or selects bits outside its bytes.
    #[error(
        "the field {0:?} must have 1 to 8 bytes inside of the record, and its bits must lie in these"
    )]
    Field(String),
    /// A field that the format does not have.
    #[error("there is no field {name:?}: known are {known}")]
    Unknown {
        /// Name of the field.
        name: String,
        /// The field names that the format has, separated by commas.
        known: String,
    },
    /// A field that the format requires.
    #[error("the field {0:?} is missing")]
    Missing(&'static str),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTemplate {
    record_bytes: usize,
    #[serde(default)]
    first_record: u64,
    #[serde(default)]
    byte_order: Option<RawByteOrder>,
    fields: toml::Table,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawByteOrder {
    Big,
    Little,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTemplateField {
    offset: usize,
    bytes: usize,
    #[serde(default)]
    byte_order: Option<RawByteOrder>,
    #[serde(default)]
    first_bit: u32,
    #[serde(default)]
    bits: Option<u32>,
}

impl RecordTemplate {
    /// Returns the position of a field, or none if the record does not have it.
    pub fn field(&self, name: &str) -> Option<TemplateField> {
        self.fields.get(name).copied()
    }

    /// Checks that the format knows all fields.
    ///
    /// # Errors
    /// [`TemplateError::Unknown`] for a field that is not in `known`.
    pub fn check_names(&self, known: &[&str]) -> Result<(), TemplateError> {
        let unknown = self
            .fields
            .keys()
            .find(|name| !known.contains(&name.as_str()));
        unknown.map_or(Ok(()), |name| {
            Err(TemplateError::Unknown {
                name: name.clone(),
                known: known.join(", "),
            })
        })
    }
}

impl FromStr for RecordTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let written: RawTemplate =
            toml::from_str(text).map_err(|error| TemplateError::Syntax(one_line(&error)))?;
        let RawTemplate {
            record_bytes,
            first_record,
            byte_order,
            fields,
        } = written;
        if !(1..=LONGEST).contains(&record_bytes) {
            return Err(TemplateError::RecordBytes(record_bytes));
        }
        let usual = byte_order.map_or(Endian::Big, order_of);
        let field = |(name, written): (String, toml::Value)| {
            let written = written.try_into::<RawTemplateField>();
            let written = written
                .map_err(|error| TemplateError::Syntax(format!("{name}: {}", one_line(&error))))?;
            let field = field_of(&written, usual, record_bytes);
            Ok((name.clone(), field.ok_or(TemplateError::Field(name))?))
        };
        let fields = fields.into_iter().map(field).collect::<Result<_, _>>()?;
        Ok(Self {
            record_bytes,
            first_record,
            fields,
        })
    }
}

/// Returns none for a field that does not fit into its record.
fn field_of(
    written: &RawTemplateField,
    usual: Endian,
    record_bytes: usize,
) -> Option<TemplateField> {
    let RawTemplateField {
        offset,
        bytes,
        first_bit,
        ..
    } = *written;
    let byte_order = written.byte_order.map_or(usual, order_of);
    let is_inside = (1..=8).contains(&bytes)
        && offset
            .checked_add(bytes)
            .is_some_and(|end| end <= record_bytes);
    let all_bits = if is_inside { 8 * bytes as u32 } else { 0 };
    let bits = written.bits.unwrap_or(all_bits.saturating_sub(first_bit));
    let is_good = is_inside
        && bits > 0
        && first_bit
            .checked_add(bits)
            .is_some_and(|end| end <= all_bits);
    is_good.then_some(TemplateField {
        offset,
        bytes,
        byte_order,
        first_bit,
        bits,
    })
}

fn order_of(written: RawByteOrder) -> Endian {
    match written {
        RawByteOrder::Big => Endian::Big,
        RawByteOrder::Little => Endian::Little,
    }
}

/// Formats a TOML error and its byte offset on one line.
fn one_line(error: &toml::de::Error) -> String {
    let place = error
        .span()
        .map_or_else(String::new, |span| format!(" (byte {})", span.start));
    format!(
        "{}{place}",
        error.message().lines().collect::<Vec<_>>().join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let error = text.parse::<RecordTemplate>().unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn what_is_wrong_with_a_description_is_told() {
        refused("record_bytes = ", "it is no description of a record: ");
        refused(
            "record_bytes = 8\nfield = 1\n[fields]\n",
            "it is no description of a record: unknown field `field`",
        );
        refused(
            "record_bytes = 0\n[fields]\n",
            "a record has 1 to 65536 bytes, not 0",
        );
        refused(
            "record_bytes = 8\nbyte_order = 'pdp'\n[fields]\n",
            "it is no description of a record: unknown variant `pdp`, expected `big` or `little`",
        );
        for field in [
            "offset = 1, bytes = 8",
            "offset = 0, bytes = 9",
            "offset = 0, bytes = 0",
        ] {
            refused(
                &format!("record_bytes = 8\n[fields]\nx = {{ {field} }}"),
                "the field \"x\" must have 1 to 8 bytes",
            );
        }
        for bits in [
            "first_bit = 8",
            "first_bit = 7, bits = 2",
            "bits = 0",
            "first_bit = 4294967295, bits = 1",
        ] {
            let text =
                format!("record_bytes = 1\n[fields]\nx = {{ offset = 0, bytes = 1, {bits} }}");
            refused(&text, "the field \"x\" must have");
        }
    }

    #[test]
    fn names_that_a_format_does_not_know_are_told() {
        let template: RecordTemplate = "record_bytes = 1\n[fields]\nx = { offset = 0, bytes = 1 }"
            .parse()
            .unwrap();
        let error = template.check_names(&["pc", "time"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no field \"x\": known are pc, time"
        );
    }
}
