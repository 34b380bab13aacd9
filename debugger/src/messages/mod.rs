//! What the window says, in every language that it speaks, from one table.
//!
//! The texts stand in `assets/messages`, a file a language, each under an id; the sources name the id alone:
//! `say!("menu-theme")` is a text as it is, `say!("palette-of-commands", shown = rows, all = count)` one with something filled in.
//!
//! Each thread speaks a language of its own: English, unless the window chose another one for it.
//! So what the window and the command line share is worded once, and the command line never changes its words.

mod folded;
mod language;
mod say;
mod table;

pub use folded::{folded, folded_letter};
pub use language::{Language, LanguageChoice};
pub use say::say;
pub use table::{MessageValue, find, in_english, spoken, spoken_with};
