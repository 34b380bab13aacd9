//! Source lines by address, from the DWARF information of an image.
//!
//! The information is read at the first query, and kept.

mod clean_path;
mod debug_sections;
mod file_lines;
mod file_sections;
mod image_lines;
mod nesting;
mod section;
mod source_line;
#[cfg(test)]
mod test_image;
#[cfg(test)]
mod tests;

pub use file_lines::LineRange;
pub use image_lines::ImageLines;
pub use source_line::{InlineSite, SourceLine};
