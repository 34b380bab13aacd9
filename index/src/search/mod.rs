//! Searches that read the trace again.

mod made;
mod pattern;
mod run;
mod text;
mod value;

pub use pattern::TextPattern;
pub use run::Searched;
pub use text::FindText;
pub use value::FindValue;
