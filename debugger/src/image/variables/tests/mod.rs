//! Variables of units that no compiler writes, and damaged ones of a compiler.

mod array_lengths;
mod damage;
mod locations;
mod scopes;
mod support;
mod types;
mod variants;
