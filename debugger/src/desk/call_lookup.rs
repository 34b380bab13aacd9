//! Search for the next or last call of a function.

use anyhow::{Result, anyhow, ensure};
use stepback_index::{Cancel, SlotReader};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::found::LookupResult;
use crate::analysis::call_profile::{CallNumber, NextCall, call_number, next_call};
use crate::analysis::code_address::code_address;
use crate::analysis::names::NameResolver;
use crate::expression::BareNumber;
use crate::messages::say;
use crate::model::names::function_name;
use crate::session::Session;
use stepback_index::Direction;

/// Query for the next or last call of a function.
#[derive(Clone, Debug)]
pub struct CallLookup {
    /// The function; none: the one around the position.
    pub function: Option<FunctionReference>,
    /// Direction of the search.
    pub way: Direction,
    /// Start of the search.
    pub from: Position,
}

/// A function as the user names it.
#[derive(Clone, Debug)]
pub enum FunctionReference {
    /// Address of its first instruction.
    Address(Address),
    /// Name, or address as a number with `0x`.
    Name(String),
}

impl CallLookup {
    /// Runs the query on the index.
    ///
    /// # Errors
    /// No function has this name, or no call is around the position.
    pub fn answer(&self, session: &Session, cancel: &Cancel) -> Result<LookupResult> {
        let functions = self.addresses(session, cancel)?;
        let direction = match self.way {
            Direction::Back => Direction::Back,
            Direction::Forward => Direction::Forward,
        };
        let (function, found) = self.nearest(session, &functions, direction, cancel)?;
        let name = function_name(&session.images, function);

        let number = found
            .map(|at| call_number(&session.index, function, at, cancel))
            .transpose()?
            .flatten();
        let words = match number {
            Some(CallNumber { number, count }) => {
                say!(
                    "lookup-is-called-here-of",
                    function = &name,
                    number = number,
                    count = count
                )
            }
            None => say!("lookup-is-called-here", function = &name),
        };
        let called = |at| LookupResult::Noted(at, words);
        let nothing = || {
            LookupResult::nothing(
                session,
                self.way,
                match self.way {
                    Direction::Back => say!("lookup-is-not-called-before", function = &name),
                    Direction::Forward => say!("lookup-is-not-called-after", function = &name),
                },
            )
        };
        Ok(found.map_or_else(nothing, called))
    }

    /// Returns the function whose call is nearest and the position where it is entered.
    fn nearest(
        &self,
        session: &Session,
        functions: &[Address],
        direction: Direction,
        cancel: &Cancel,
    ) -> Result<(Address, Option<Position>)> {
        let mut nearest = (functions.first().copied().unwrap_or_default(), None);
        for function in functions.iter().copied() {
            let question = NextCall {
                function,
                direction,
                at: self.from,
            };
            let Some(at) = next_call(&session.index, question, cancel)? else {
                continue;
            };
            let is_nearer = nearest.1.is_none_or(|known| match direction {
                Direction::Forward => at < known,
                Direction::Back => at > known,
            });
            if is_nearer {
                nearest = (function, Some(at));
            }
        }
        Ok(nearest)
    }

    /// Resolves the function to addresses. There may be several: static functions share names.
    fn addresses(&self, session: &Session, cancel: &Cancel) -> Result<Vec<Address>> {
        match &self.function {
            Some(FunctionReference::Address(address)) => Ok(vec![*address]),
            Some(FunctionReference::Name(name)) => {
                let known = session.images.addresses_of(name);
                if !known.is_empty() {
                    return Ok(known.into_iter().map(Address).collect());
                }
                let names =
                    NameResolver::new(&session.index, &session.images, self.from, None, cancel)?;
                let numbers = BareNumber::of(name).is_some() || name.starts_with("0x");
                let known = numbers
                    .then(|| names.numbers(name).ok())
                    .flatten()
                    .unwrap_or_default();
                ensure!(
                    !known.is_empty(),
                    say!("lookup-no-function-is-called", name = format!("{name:?}"))
                );
                known
                    .into_iter()
                    .map(|number| Ok(code_address(number, &session.index, cancel)?))
                    .collect()
            }
            None => {
                let (index, calls) = (&session.index, session.index.calls());
                let thread = SlotReader(index).thread_at(self.from)?;
                let innermost = calls
                    .innermost_at(thread, self.from)
                    .and_then(|id| calls.get(id));
                let function = innermost.map(|call| call.function);
                Ok(vec![function.ok_or_else(|| {
                    anyhow!(say!("lookup-no-call-is-around"))
                })?])
            }
        }
    }
}
