//! Tests of the whole parser.

mod chunks;
mod forms;
mod hostile;
mod support;
