//! Searches for a position, which run on the worker: the next hit, the ends of a call, an external
//! change, the next call of a function.
//!
//! Searches for the ends of a call, for external changes, and for calls of a function.

use anyhow::{Result, anyhow, ensure};
use stepback_index::Cancel;
use stepback_index::answer::{CallId, Cell, Direction, MemoryRange};
use stepback_index::read::SlotReader;
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::action::{CellName, FindQuery, StepRange};
use crate::analysis::call_profile::{call_number, next_call};
use crate::analysis::names::{NameError, NameResolver, code_address};
use crate::analysis::walk;
use crate::analysis::walk::{HitCursor, HitQuery, Subject};
use crate::expression::BareNumber;
use crate::messages::say;
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
    pub fn nothing(session: &Session, direction: Direction, sentence: String) -> Self {
        Self::Nothing(match direction {
            Direction::Back => sentence,
            Direction::Forward => nothing_so_far(session, sentence),
        })
    }
}

/// Returns a sentence that says that there is no hit of a search.
pub fn no_hit_words(query: &FindQuery, direction: Direction, session: &Session) -> String {
    let text = query.text.trim();
    match direction {
        Direction::Back => say!("lookup-no-hit-before", text = text),
        Direction::Forward => nothing_so_far(session, say!("lookup-no-hit-after", text = text)),
    }
}

/// Finds the ends of a call, or of the innermost call around a position, in the call table.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn call_ends(session: &Session, call: Option<CallId>, at: Position) -> Result<LookupResult> {
    let range = match call {
        Some(call) => session
            .index
            .calls()
            .get(call)
            .map(|call| steps_of(session, &call)),
        None => here(session, at)?.around.first().copied(),
    };
    Ok(range.map_or_else(
        || LookupResult::Nothing(say!("lookup-there-is-no-call-around").to_owned()),
        LookupResult::Ends,
    ))
}

/// Finds the last or next external change of a cell; none: of any memory. The result is after the
/// step that read the change, so that the new bytes show.
pub fn external_change(
    cell: Option<&CellName>,
    direction: Direction,
    session: &Session,
    from: Position,
    cancel: &Cancel,
) -> Result<LookupResult> {
    let range = external_range(cell, session, from, cancel)?;
    let sought = HitQuery {
        subject: Subject::ExternalChanges(range),
        direction,
    };
    // A change by the step just before the position would be no move.
    let found = HitCursor::new(sought, from, 1, &session.index, cancel)
        .leaving(from)
        .next_hit()?;
    if let walk::HitOutcome::Hit(hit) = found {
        return Ok(LookupResult::Position(hit.position));
    }
    let words = match (cell, direction) {
        (None, Direction::Back) => say!("lookup-no-external-before").to_owned(),
        (None, Direction::Forward) => say!("lookup-no-external-after").to_owned(),
        (Some(CellName::Register(address) | CellName::Memory(address, _)), direction) => {
            match direction {
                Direction::Back => say!("lookup-no-external-of-before", address = address),
                Direction::Forward => say!("lookup-no-external-of-after", address = address),
            }
        }
    };
    Ok(LookupResult::nothing(session, direction, words))
}

/// Resolves a memory range. A register names the memory that it points to.
fn external_range(
    cell: Option<&CellName>,
    session: &Session,
    from: Position,
    cancel: &Cancel,
) -> Result<Option<MemoryRange>> {
    let (text, len_bytes) = match cell {
        None => return Ok(None),
        Some(CellName::Register(name)) => (name, 1),
        Some(CellName::Memory(address, len_bytes)) => (address, *len_bytes),
    };
    let names = NameResolver::new(&session.index, &session.images, from, None, cancel)?;
    match names.memory_cell(text, len_bytes) {
        Ok(Cell::Memory { address, len_bytes }) => Ok(Some(MemoryRange { address, len_bytes })),
        Ok(_) => Err(NameError::Physical(text.clone()).into()),
        Err(error) => {
            Err(error.explained(say!("lookup-is-no-address", text = format!("{text:?}"))))
        }
    }
}

/// A function as the user names it.
#[derive(Clone, Debug)]
pub enum FunctionReference {
    /// Address of its first instruction.
    Address(Address),
    /// Name, or address as a number with `0x`.
    Name(String),
}

/// Finds the next or last call of a function; none: of the one around the position.
///
/// # Errors
/// No function has this name, or no call is around the position.
pub fn call_found(
    function: Option<&FunctionReference>,
    direction: Direction,
    session: &Session,
    from: Position,
    cancel: &Cancel,
) -> Result<LookupResult> {
    let functions = function_addresses(function, session, from, cancel)?;
    let mut function = functions.first().copied().unwrap_or_default();
    let mut nearest: Option<Position> = None;
    for candidate in functions {
        let Some(at) = next_call(&session.index, candidate, direction, from, cancel)? else {
            continue;
        };
        let is_nearer = nearest.is_none_or(|known| match direction {
            Direction::Forward => at < known,
            Direction::Back => at > known,
        });
        if is_nearer {
            (function, nearest) = (candidate, Some(at));
        }
    }
    let name = function_name(&session.images, function);
    let Some(at) = nearest else {
        let words = match direction {
            Direction::Back => say!("lookup-is-not-called-before", function = &name),
            Direction::Forward => say!("lookup-is-not-called-after", function = &name),
        };
        return Ok(LookupResult::nothing(session, direction, words));
    };
    let words = match call_number(&session.index, function, at, cancel)? {
        Some((number, count)) => say!(
            "lookup-is-called-here-of",
            function = &name,
            number = number,
            count = count
        ),
        None => say!("lookup-is-called-here", function = &name),
    };
    Ok(LookupResult::Noted(at, words))
}

/// Resolves a function to addresses. There may be several: static functions share names.
fn function_addresses(
    function: Option<&FunctionReference>,
    session: &Session,
    from: Position,
    cancel: &Cancel,
) -> Result<Vec<Address>> {
    let index = &session.index;
    let name = match function {
        Some(FunctionReference::Address(address)) => return Ok(vec![*address]),
        Some(FunctionReference::Name(name)) => name,
        None => {
            let thread = SlotReader(index).thread_at(from)?;
            let innermost = index.calls().innermost_at(thread, from);
            let call = innermost.and_then(|id| index.calls().get(id));
            let call = call.ok_or_else(|| anyhow!(say!("lookup-no-call-is-around")))?;
            return Ok(vec![call.function]);
        }
    };
    let known = session.images.addresses_of(name);
    if !known.is_empty() {
        return Ok(known.into_iter().map(Address).collect());
    }
    let names = NameResolver::new(index, &session.images, from, None, cancel)?;
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
        .map(|number| Ok(code_address(number, index, cancel)?))
        .collect()
}
