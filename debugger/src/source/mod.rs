//! Source files: their current places and their contents.
//!
//! ```
//! use stepback_debugger::source::SourceMap;
//!
//! let map = SourceMap::new(vec!["/build/app=/home/me/app".parse()?]);
//! assert_eq!(map.text("/build/app/src/main.c"), "/home/me/app/src/main.c");
//! # Ok::<(), anyhow::Error>(())
//! ```

mod map;
mod text;

pub use crate::source::map::{SourceMapping, SourcePlaces, find};
pub use crate::source::text::{SourceLexerState, SourceWord, WordKind};
pub use map::SourceMap;
pub use text::SourceText;
