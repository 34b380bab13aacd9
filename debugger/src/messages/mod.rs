//! Texts of the user interface in every language, from one table.
//!
//! The texts are in `assets/messages`, one file per language, with an id each. The sources name
//! only the id: `say!("menu-theme")` is a constant text,
//! `say!("palette-of-commands", shown = rows, all = count)` one with values filled in.
//!
//! Each thread has its own language: English, unless the window chose another one for it.
//! Texts that the window and the command line share therefore exist once, and the command line is
//! always in English.
//!
//! A new text is a line in each file, with the same variables; the file decides the plural, not the
//! source. Names of commands have separate ids, since scripts use the English ones. Texts of
//! sessions, exports and reports are not in the table.

mod errors;
mod table;

pub use crate::messages::errors::{chain_words, error_words, system_words};
pub use crate::messages::table::{Language, LanguageChoice, folded, folded_letter, say};
pub use table::{
    MessageValue, decimal_mark, find, in_english, spoken, spoken_with, thousands, with_decimal,
};
