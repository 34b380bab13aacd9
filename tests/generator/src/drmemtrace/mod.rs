//! Traces in the format of DynamoRIO's drmemtrace, in every container and version, from a small
//! description.
//!
//! A [`TraceWriter`] writes the records of one file; [`Sample`] has whole traces of a small
//! program.
//!
//! ```
//! use stepback_generator::drmemtrace::{Container, TraceRecipe, TraceWriter};
//!
//! let mut writer = TraceWriter::new(TraceRecipe::default());
//! writer.time(1000, 0);
//! writer.instruction(0x1000, &[0x90]);
//! let records = writer.finish();
//! assert_eq!(records.truth.instructions, 1);
//! assert_eq!(records.pack(Container::Plain)[..2], [25, 0]);
//! ```

mod container;
mod fixtures;
mod machine_code;
mod program;
mod sample;
mod writer;

pub use container::Container;
pub use fixtures::fixtures;
pub use machine_code::Architecture;
pub use sample::{Sample, SampleFile};
pub use writer::{Records, TraceRecipe, TraceTruth, TraceWriter, file_type, kind, marker};
