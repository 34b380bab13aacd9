//! The Python module `stepback`: answers about a trace as Python objects, and its tables as Arrow
//! streams.
//!
//! `trace.rs` has the functions and the class that a program begins with. A query runs on a separate
//! thread while the interpreter is free (`worker.rs`); a list of rows is an iterator that reads
//! ahead by one block (`row_iterator.rs`). `table.rs` hands whole tables to other libraries.

mod arguments;
mod batches;
mod error;
mod info;
mod module;
mod row_iterator;
mod rows;
mod slice_rows;
mod state;
mod table;
mod table_reader;
mod trace;
mod value;
mod worker;
