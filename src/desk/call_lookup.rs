//! The search for the next or last call of a function.

use anyhow::{Result, anyhow};
use stepback_index::{Cancel, SlotReader};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::found::Found;
use crate::action::Way;
use crate::analysis::call_profile::{CallNumber, NextCall, call_number, next_call};
use crate::analysis::marker_walk::Course;
use crate::messages::say;
use crate::model::names::function_name;
use crate::session::Session;

/// A question for a call, as the user asks it.
#[derive(Clone, Debug)]
pub struct CallQuestion {
    /// Of which function; none: of the one around the position.
    pub function: Option<Named>,
    /// Into the past or the future.
    pub way: Way,
    /// From where.
    pub from: Position,
}

/// A function.
#[derive(Clone, Debug)]
pub enum Named {
    /// By its first step.
    Address(Address),
    /// By its name, or its address as a number with `0x`.
    Name(String),
}

impl CallQuestion {
    /// Asks the index.
    ///
    /// # Errors
    /// No function is called so, or none is around the position.
    pub fn answer(&self, session: &Session, cancel: &Cancel) -> Result<Found> {
        let function = self.address(session)?;
        let course = match self.way {
            Way::Back => Course::Back,
            Way::Forward => Course::Onward,
        };
        let found = next_call(&session.index, NextCall { function, course, at: self.from }, cancel)?;
        let name = function_name(&session.images, function);

        let number = found.map(|at| call_number(&session.index, function, at, cancel)).transpose()?.flatten();
        let words = match number {
            Some(CallNumber { number, count }) => {
                say!("lookup-is-called-here-of", function = &name, number = number, count = count)
            }
            None => say!("lookup-is-called-here", function = &name),
        };
        let called = |at| Found::Noted(at, words);
        let nothing = || {
            Found::nothing(
                session,
                self.way,
                match self.way {
                    Way::Back => say!("lookup-is-not-called-before", function = &name),
                    Way::Forward => say!("lookup-is-not-called-after", function = &name),
                },
            )
        };
        Ok(found.map_or_else(nothing, called))
    }

    fn address(&self, session: &Session) -> Result<Address> {
        match &self.function {
            Some(Named::Address(address)) => Ok(*address),
            Some(Named::Name(name)) => {
                let number = name.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
                let known = session.images.address_of(name).or(number.map(Address));
                known.ok_or_else(|| anyhow!(say!("lookup-no-function-is-called", name = format!("{name:?}"))))
            }
            None => {
                let (index, calls) = (&session.index, session.index.calls());
                let thread = SlotReader(index).thread_at(self.from)?;
                let innermost = calls.innermost_at(thread, self.from).and_then(|id| calls.get(id));
                innermost.map(|call| call.function).ok_or_else(|| anyhow!(say!("lookup-no-call-is-around")))
            }
        }
    }
}
