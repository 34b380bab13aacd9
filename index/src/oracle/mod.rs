//! A naive oracle: answers the queries of the index by scanning all events of the trace.
//!
//! It parses the trace in one run into a plain list. It shares no code with the index except the
//! types of queries and answers, so an answer on which both agree can be trusted. Cost: O(events)
//! per query; for tests only.
//!
//! ```
//! use stepback_index::query::RegistersAt;
//! use stepback_index::{oracle::{Oracle, Replay as _}};
//! use stepback_parsers::{Position, Tarmac};
//!
//! let text = b"1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 00000001\n";
//! let tarmac = Tarmac::open(Box::new(text.to_vec()), Default::default())?;
//! let oracle = Oracle::of(&tarmac)?;
//! let registers = RegistersAt { position: Position(1), thread: None }.replay(&oracle).unwrap();
//! assert_eq!(registers.get("r0").and_then(|r0| r0.to_u64()), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod banks;
mod call_frames;
mod call_walk;
mod calls;
mod difference;
mod event;
mod host;
mod markers;
mod memory;
mod operands;
mod record;
mod recorded_calls;
mod registers;
mod search;
mod slice;
mod steps;

pub use calls::OracleCalls;
pub use record::{Oracle, Replay};
