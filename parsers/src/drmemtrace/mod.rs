//! DynamoRIO drmemtrace: post-processed offline traces.
//!
//! `inputs → records → merge` give every visible record in the order of the whole trace ([`RecordSink`]);
//! a *step store* keeps them in blocks that can be read at random, and a [`crate::Source`] pushes their events.

mod record;

pub use record::{DataRecord, InstructionRecord, RecordSink, ThreadIdentity};
