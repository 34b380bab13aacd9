//! The layout of a record, parsed from its TOML description ([`RecordTemplate`]), with the position
//! and byte order of each field ([`TemplateField`]).

use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

use serde::Deserialize;
use stepback_machine::Endian;

use crate::template::error::{LONGEST, TemplateError, one_line};

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

    /// Iterates over the fields with their names, in the order of the names.
    pub fn fields(&self) -> impl Iterator<Item = (&str, TemplateField)> {
        self.fields.iter().map(|(name, field)| (&**name, *field))
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
            toml::from_str(text).map_err(|error| TemplateError::Syntax(one_line(&error, text)))?;
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
            let written = written.map_err(|error| {
                TemplateError::Syntax(format!("{name}: {}", one_line(&error, text)))
            })?;
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

/// The position of a number in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TemplateField {
    /// Offset of its first byte from the start of the record.
    pub(super) offset: usize,
    /// Number of bytes: 1 to 8.
    pub(super) bytes: usize,
    /// Byte order.
    pub(super) byte_order: Endian,
    /// Lowest bit that belongs to the number.
    pub(super) first_bit: u32,
    /// Number of bits: 1 to 64.
    pub(super) bits: u32,
}

impl TemplateField {
    /// Creates a field of 1 to 8 big-endian bytes for a format with a layout known in advance.
    /// `bits` selects 1 to 64 bits in these bytes.
    pub(crate) fn big(offset: usize, bytes: usize, bits: Range<u32>) -> Self {
        Self {
            offset,
            bytes,
            byte_order: Endian::Big,
            first_bit: bits.start,
            bits: bits.end - bits.start,
        }
    }

    /// Returns the number. Bytes beyond the end of the record count as 0; the template ensures that
    /// there are none.
    #[inline]
    pub fn read(&self, record: &[u8]) -> u64 {
        let bytes = record
            .get(self.offset..self.offset + self.bytes)
            .unwrap_or_default();
        let whole = match (self.byte_order, bytes.try_into()) {
            (Endian::Big, Ok(all)) => u64::from_be_bytes(all),
            (Endian::Little, Ok(all)) => u64::from_le_bytes(all),
            (Endian::Big, Err(_)) => bytes
                .iter()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
            (Endian::Little, Err(_)) => bytes
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        };
        whole >> self.first_bit & u64::MAX >> (64 - self.bits)
    }

    /// Writes a number and leaves the other bits of its bytes as they are.
    pub fn write(&self, record: &mut [u8], value: u64) {
        let Some(bytes) = record.get_mut(self.offset..self.offset + self.bytes) else {
            return;
        };
        let mask = u64::MAX >> (64 - self.bits) << self.first_bit;
        let value = value << self.first_bit & mask;
        let places: &mut dyn Iterator<Item = &mut u8> = match self.byte_order {
            Endian::Big => &mut bytes.iter_mut().rev(),
            Endian::Little => &mut bytes.iter_mut(),
        };
        for (number, place) in places.enumerate() {
            let (value, mask) = ((value >> (8 * number)) as u8, (mask >> (8 * number)) as u8);
            *place = *place & !mask | value;
        }
    }
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
    fn what_is_wrong_with_a_description_is_reported() {
        refused("record_bytes = ", "it is not a description of a record: ");
        refused(
            "record_bytes = 8\nfield = 1\n[fields]\n",
            "it is not a description of a record: unknown field `field`",
        );
        refused(
            "record_bytes = 0\n[fields]\n",
            "a record has 1 to 65536 bytes, not 0",
        );
        refused(
            "record_bytes = 8\nbyte_order = 'pdp'\n[fields]\n",
            "it is not a description of a record: unknown variant `pdp`, expected `big` or `little`",
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
    fn names_that_a_format_does_not_know_are_reported() {
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

#[cfg(test)]
mod field_tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for byte_order in [Endian::Big, Endian::Little] {
            for (bytes, first_bit, bits) in [
                (1, 0, 8),
                (2, 3, 7),
                (3, 0, 24),
                (4, 31, 1),
                (8, 0, 64),
                (8, 5, 50),
            ] {
                let field = TemplateField {
                    offset: 1,
                    bytes,
                    byte_order,
                    first_bit,
                    bits,
                };
                let mut record = [0xa5; 10];
                let value = 0x0123_4567_89ab_cdef & u64::MAX >> (64 - bits);
                field.write(&mut record, value);
                assert_eq!(field.read(&record), value, "{field:?}");
                field.write(&mut record, !value);
                field.write(&mut record, field.read(&[0xa5; 10]));
                assert_eq!(record, [0xa5; 10], "other bits stay: {field:?}");
            }
        }
    }
}
