//! Function profile of a trace or a part of it, as the panels show it.

mod flame;
mod profile;
mod table;

pub use crate::model::functions::flame::{FlameBox, FlameView};
pub use crate::model::functions::profile::{
    CallRelation, FunctionMatches, FunctionProfile, RelatedFunctionRow, box_lines, box_name,
    near_rows, part_words, share_text,
};
pub use flame::FlameGraph;
