//! Traces of any size with known answers: for tests and measurements, never shipped.
//!
//! A [`Recipe`] runs a small deterministic machine and writes its actions as Tarmac text, to a file
//! or into memory. Equal recipes give equal bytes everywhere. The machine records its actions, so
//! an index of its trace can be checked without a second parser: [`Truth`].
//!
//! ```
//! use stepback_generator::{Recipe, Size};
//!
//! let recipe = Recipe { size: Size::Steps(1000), ..Recipe::default() };
//! let (text, truth) = recipe.text_with_truth(100);
//! assert_eq!(truth.steps, 1000);
//! assert_eq!(truth.lines, text.iter().filter(|byte| **byte == b'\n').count() as u64);
//! ```

mod arena;
mod code;
mod compiler;
mod crowd;
mod dice;
pub mod drmemtrace;
mod instruction;
mod lines;
mod machine;
mod operation;
mod recipe;
mod recorder;
mod registers;
mod truth;

pub use crowd::Crowd;
pub use dice::Dice;
pub use recipe::{Recipe, Shape, Size, Style};
pub use truth::{
    CallTruth, Checkpoint, MemoryTruth, RegisterTruth, Revisit, Rewrite, Rewritten, Truth,
};
