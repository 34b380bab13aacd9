//! Parallel work on the parts of a whole, with results in order.
//!
//! Whole-trace reports use it. What costs time is done for several parts of the trace at once, and
//! what depends on everything before is done with the results, one by one: [`map_in_order`] for any
//! work, [`parse_in_order`] for a sink that needs the events of a whole trace. [`beside`] runs
//! other work at the same time.

mod batch;
mod map;
mod parse;

pub use self::map::{beside, in_parts, map_in_order};
pub use self::parse::{cut_parts, parse_in_order, parse_part};
