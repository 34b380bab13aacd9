//! Tests of the whole parser.

mod chunks;
mod convert;
mod forms;
mod hostile;
mod mutations;
mod order;
mod support;
mod table;
