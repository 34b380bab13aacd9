//! Function profile of a trace or a part of it, as the panels show it.

mod flame;
mod flame_boxes;
mod near;
mod sought;
mod table;
mod told;
mod words;

pub use flame::FlameGraph;
pub use flame_boxes::{FlameBox, FlameView};
pub use near::{CallRelation, RelatedFunctionRow, near_rows};
pub use sought::FunctionMatches;
pub use told::FunctionProfile;
pub use words::{box_lines, box_name, part_words, share_text};
