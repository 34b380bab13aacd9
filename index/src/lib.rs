//! The index of a trace: events to file to answers.
//!
//! A [`build::Build`] parses a [`Source`](stepback_parsers::Source) in parallel segments and writes one
//! file. [`Index::open`] maps that file. A [`Query`] is a pure function of the index and its
//! parameters; nothing here has a "current position". The index does not store data that the trace
//! holds in readable form (values, disassembly), only offsets: a query reads the few steps that it
//! needs from the trace again.
//!
//! ```
//! use std::sync::Arc;
//! use stepback_index::build::{BuildOptions, index_in_memory};
//! use stepback_index::{Cancel, Query as _};
//! use stepback_index::query::RegistersAt;
//! use stepback_parsers::{Position, Tarmac};
//!
//! let text = b"1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 00000001\n";
//! let tarmac = Arc::new(Tarmac::open(Box::new(text.to_vec()), Default::default())?);
//! let index = index_in_memory(tarmac, &BuildOptions::default())?;
//! let registers = RegistersAt { position: Position(1), thread: None }.run(&index, &Cancel::default())?;
//! assert_eq!(registers.get("r0").and_then(|r0| r0.to_u64()), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The last write of an address, with the instruction that did it:
//!
//! ```
//! use std::sync::Arc;
//! use stepback_index::answer::{AccessKinds, Cell, CellAccess};
//! use stepback_index::build::{BuildOptions, index_in_memory};
//! use stepback_index::query::NearestAccess;
//! use stepback_index::{Cancel, Query as _};
//! use stepback_machine::Address;
//! use stepback_parsers::Tarmac;
//!
//! let text = b"\
//! 1 clk IT (1) 00008000 e5801000 A svc : STR r1,[r0]
//! 1 clk MW4 00009000 0000002a
//! 2 clk IT (2) 00008004 e1a00000 A svc : NOP
//! ";
//! let tarmac = Arc::new(Tarmac::open(Box::new(text.to_vec()), Default::default())?);
//! let index = index_in_memory(tarmac, &BuildOptions::default())?;
//! let cell = Cell::Memory { address: Address(0x9000), len_bytes: 4 };
//! let last = NearestAccess::last(cell, AccessKinds::Writes, index.end());
//! match last.run(&index, &Cancel::default())? {
//!     Some(CellAccess::Step(hit)) => {
//!         assert_eq!((hit.record.step.0, hit.record.pc), (0, Address(0x8000)));
//!         assert_eq!(hit.access.and_then(|access| access.value.to_u64()), Some(42));
//!     }
//!     Some(CellAccess::Initial(line)) => println!("set before the first step, line {}", line.0),
//!     None => println!("never written"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod answer;
mod answers;
pub mod build;
mod builder;
#[cfg(test)]
mod far;
pub mod in_order;
mod index;
mod inference;
#[cfg(feature = "oracle")]
pub mod oracle;
pub mod query;
pub mod read;
mod store;

pub use answers::error::{BuildError, Cancel, OpenError, QueryError};
pub use index::Index;
pub use query::question::Query;
