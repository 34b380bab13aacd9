//! Source lines by address, from the DWARF information of an image.
//!
//! The information is read at the first query, and kept.

mod code_origin;
mod discarded;
mod file_lines;
mod file_sections;
mod image_lines;
mod line_sequences;
mod low_functions;
mod section;
mod statements;
#[cfg(test)]
mod test_image;
#[cfg(test)]
mod tests;

pub use code_origin::{CodeOrigin, InlineSite, SourceLine};
pub use file_lines::LineRange;
pub use image_lines::ImageLines;
pub use section::{SectionReader, read_section};
