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
mod written;

pub use crate::template::error::TemplateError;
pub use crate::template::line_template::LineTemplate;
pub(crate) use crate::template::line_template::{DigitOrder, LineGroup, LineLayout, LineParts};
pub use crate::template::record_template::{RecordTemplate, TemplateField};
pub use crate::template::written::Template;
