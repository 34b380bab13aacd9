//! Searches for a position, which run on the worker: the next hit, the ends of a call, an external
//! change, the next call of a function.
//!
//! Each returns a [`LookupResult`]; if there is no hit, it carries the sentence that says so.

use anyhow::{Result, anyhow, ensure};
use stepback_index::Cancel;
use stepback_index::answer::{CallId, Cell, Direction, MemoryRange};
use stepback_index::read::SlotReader;
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::action::CellName;
use crate::action::StepRange;
use crate::analysis::call_profile::{CallNumber, NextCall, call_number, next_call};
use crate::analysis::names::{NameError, NameResolver, code_address};
use crate::analysis::walk;
use crate::analysis::walk::{HitCursor, HitQuery, Subject};
use crate::expression::BareNumber;
use crate::messages::say;
use crate::model::found::HitQuestion;
use crate::model::names::function_name;
use crate::model::so_far::nothing_so_far;
use crate::model::timeline::{here, steps_of};
use crate::session::Session;

/// Result of a search for a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupResult {
    Position(Position),
    /// A position and a remark about it.
    Noted(Position, String),
    /// Two positions to compare.
    Ends(StepRange),
    /// A position to compare the window's position with.
    Other(Position),
    /// Nothing; the reason as a sentence.
    Nothing(String),
}

impl LookupResult {
    /// Creates a result without a hit. Forward in a partly indexed trace, the sentence says that
    /// this holds only for the indexed part.
    pub fn nothing(session: &Session, way: Direction, sentence: String) -> Self {
        Self::Nothing(match way {
            Direction::Back => sentence,
            Direction::Forward => nothing_so_far(session, sentence),
        })
    }
}

/// Runs the search for the next hit.
pub fn hit_found(
    question: &HitQuestion,
    session: &Session,
    cancel: &Cancel,
) -> Result<LookupResult> {
    let found: Option<Position> = question.answer(session, cancel)?;
    Ok(found.map_or_else(
        || LookupResult::Nothing(no_hit_words(question, session)),
        LookupResult::Position,
    ))
}

/// Returns a sentence that says that there is no hit.
pub fn no_hit_words(question: &HitQuestion, session: &Session) -> String {
    let text = question.question.text.trim();
    match question.way {
        Direction::Back => say!("lookup-no-hit-before", text = text),
        Direction::Forward => nothing_so_far(session, say!("lookup-no-hit-after", text = text)),
    }
}

/// Query for the ends of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallEndsLookup {
    /// Number in the call table; none: the innermost call around the position.
    pub call: Option<CallId>,
    /// Position that the call must contain if `call` is none.
    pub at: Position,
}

impl CallEndsLookup {
    /// Looks the call up in the call table.
    ///
    /// # Errors
    /// See [`stepback_index::QueryError`].
    pub fn answer(self, session: &Session) -> Result<LookupResult> {
        let range = match self.call {
            Some(call) => session
                .index
                .calls()
                .get(call)
                .map(|call| steps_of(session, &call)),
            None => here(session, self.at)?.around.first().copied(),
        };
        Ok(range.map_or_else(
            || LookupResult::Nothing(say!("lookup-there-is-no-call-around").to_owned()),
            LookupResult::Ends,
        ))
    }
}

/// Query for the last or next external change.
#[derive(Clone, Debug)]
pub struct ExternalLookup {
    /// Memory range; none: any memory.
    pub cell: Option<CellName>,
    /// Direction of the search.
    pub way: Direction,
    /// Start of the search.
    pub from: Position,
}

impl ExternalLookup {
    /// Runs the query on the index. The result is after the step that read the change, so that the
    /// new bytes show.
    pub fn answer(&self, session: &Session, cancel: &Cancel) -> Result<LookupResult> {
        let range = self.range(session, cancel)?;
        let sought = HitQuery {
            subject: Subject::ExternalChanges(range),
            direction: self.way,
        };
        // A change by the step just before the position would be no move.
        let found = HitCursor::new(sought, self.from, 1, &session.index, cancel)
            .leaving(self.from)
            .next_hit()?;
        Ok(match found {
            walk::HitOutcome::Hit(hit) => LookupResult::Position(hit.position),
            walk::HitOutcome::Initial(_) | walk::HitOutcome::Nothing => self.nothing(session),
        })
    }

    /// Resolves the memory range. A register names the memory that it points to.
    fn range(&self, session: &Session, cancel: &Cancel) -> Result<Option<MemoryRange>> {
        let (text, len_bytes) = match &self.cell {
            None => return Ok(None),
            Some(CellName::Register(name)) => (name, 1),
            Some(CellName::Memory(address, len_bytes)) => (address, *len_bytes),
        };
        let names = NameResolver::new(&session.index, &session.images, self.from, None, cancel)?;
        match names.memory_cell(text, len_bytes) {
            Ok(Cell::Memory { address, len_bytes }) => Ok(Some(MemoryRange { address, len_bytes })),
            Ok(_) => Err(NameError::Physical(text.clone()).into()),
            Err(error) => {
                Err(error.explained(say!("lookup-is-no-address", text = format!("{text:?}"))))
            }
        }
    }

    fn nothing(&self, session: &Session) -> LookupResult {
        let words = match (&self.cell, self.way) {
            (None, Direction::Back) => say!("lookup-no-external-before").to_owned(),
            (None, Direction::Forward) => say!("lookup-no-external-after").to_owned(),
            (Some(CellName::Register(address) | CellName::Memory(address, _)), way) => match way {
                Direction::Back => say!("lookup-no-external-of-before", address = address),
                Direction::Forward => say!("lookup-no-external-of-after", address = address),
            },
        };
        LookupResult::nothing(session, self.way, words)
    }
}

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
        let direction = self.way;
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
