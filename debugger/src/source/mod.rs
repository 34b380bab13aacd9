//! Source files: their current places and their contents.
//!
//! ```
//! use stepback_debugger::source::SourceMap;
//!
//! let map = SourceMap::new(vec!["/build/app=/home/me/app".parse()?]);
//! assert_eq!(map.text("/build/app/src/main.c"), "/home/me/app/src/main.c");
//! # Ok::<(), anyhow::Error>(())
//! ```

mod find;
mod map;
mod mapping;
mod text;
mod words;

pub use find::{SourcePlaces, find};
pub use map::SourceMap;
pub use mapping::SourceMapping;
pub use text::SourceText;
pub use words::{SourceLexerState, SourceWord, WordKind};
