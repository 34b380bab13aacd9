//! Answers of many items, formatted on all threads and printed in order.

use anyhow::Result;
use serde::Serialize;
use serde_json::Value as Json;
use stepback_index::in_order::{in_parts, map_in_order};

use crate::cli::report::Report;

/// Number of items that a thread formats at once.
const PART: usize = 256;

/// JSON values in the form that the destination of a report needs.
enum EncodedValues {
    /// A line for each value.
    Lines(Vec<u8>),
    Values(Vec<Json>),
}

impl Report<'_> {
    /// Writes the text of each item. `format` appends it.
    ///
    /// # Errors
    /// An item cannot be formatted, or the report cannot be written.
    pub fn texts<I: Send>(
        &mut self,
        items: impl Iterator<Item = I>,
        format: impl Fn(&I, &mut String) -> Result<()> + Sync,
    ) -> Result<()> {
        let cancel = self.cancel.clone();
        let text_of = |part: Vec<I>| {
            cancel.check()?;
            let mut text = String::new();
            part.iter().try_for_each(|item| format(item, &mut text))?;
            Ok(text)
        };
        map_in_order(in_parts(items, PART), text_of, |text| self.text(&text))
    }

    /// Writes one JSON value for each item, on a separate line.
    ///
    /// # Errors
    /// A value cannot be made, or the report cannot be written.
    pub fn json_lines<I: Send, T: Serialize>(
        &mut self,
        items: impl Iterator<Item = I>,
        value_of: impl Fn(&I) -> Result<T> + Sync,
    ) -> Result<()> {
        let (cancel, is_printed) = (self.cancel.clone(), self.is_printed());
        let encode = |part: Vec<I>| {
            cancel.check()?;
            let values = part.iter().map(&value_of);
            match is_printed {
                true => encoded_lines(values).map(EncodedValues::Lines),
                false => values
                    .map(|value| Ok(serde_json::to_value(value?)?))
                    .collect::<Result<_>>()
                    .map(EncodedValues::Values),
            }
        };
        map_in_order(in_parts(items, PART), encode, |encoded| match encoded {
            EncodedValues::Lines(lines) => self.bytes(&lines),
            EncodedValues::Values(values) => values.iter().try_for_each(|value| self.json(value)),
        })
    }
}

fn encoded_lines<T: Serialize>(values: impl Iterator<Item = Result<T>>) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    for value in values {
        serde_json::to_writer(&mut lines, &value?)?;
        lines.push(b'\n');
    }
    Ok(lines)
}
