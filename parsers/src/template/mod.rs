//! Traces that the user describes in a small file: records of a fixed length, or lines of text.
//!
//! ```
//! use stepback_parsers::template::RecordTemplate;
//!
//! let template: RecordTemplate = "
//!     record_bytes = 8
//!     byte_order = 'big'
//!     [fields]
//!     pc = { offset = 0, bytes = 4 }
//!     count = { offset = 4, bytes = 2, byte_order = 'little' }
//!     flag = { offset = 7, bytes = 1, first_bit = 4, bits = 1 }
//! ".parse()?;
//! let record = [0, 0, 0x10, 0, 2, 1, 0, 0x1f];
//! let read = |name| template.field(name).map(|field| field.read(&record));
//! assert_eq!([read("pc"), read("count"), read("flag")], [Some(0x1000), Some(0x102), Some(1)]);
//! # Ok::<(), stepback_parsers::template::TemplateError>(())
//! ```

mod error;
mod line_template;
mod record_template;

use std::str::FromStr;
use std::sync::Arc;

pub use crate::template::error::TemplateError;
pub use crate::template::line_template::LineTemplate;
pub(crate) use crate::template::line_template::{DigitOrder, LineGroup, LineLayout, LineParts};
pub use crate::template::record_template::{RecordTemplate, TemplateField};

/// A description of a trace that the user wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Template {
    /// Records of a fixed length.
    Records(RecordTemplate),
    /// Lines of text.
    Lines(Arc<LineTemplate>),
}

impl Template {
    /// Returns the description of records, if it is one.
    pub fn records(&self) -> Option<&RecordTemplate> {
        match self {
            Self::Records(template) => Some(template),
            Self::Lines(_) => None,
        }
    }

    /// Returns the description of lines, if it is one.
    pub fn lines(&self) -> Option<&Arc<LineTemplate>> {
        match self {
            Self::Records(_) => None,
            Self::Lines(template) => Some(template),
        }
    }
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let is_lines = text
            .parse::<toml::Table>()
            .is_ok_and(|table| table.contains_key("line"));
        Ok(match is_lines {
            true => Self::Lines(Arc::new(text.parse()?)),
            false => Self::Records(text.parse()?),
        })
    }
}
