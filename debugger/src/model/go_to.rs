//! Interprets text that is typed to go somewhere: a step, an address, a function, a line of a
//! source file.

use anyhow::Result;
use stepback_index::query::VisitsFrom;
use stepback_index::{Cancel, Query as _};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::so_far::so_far;
use crate::action::{Action, Direction, TravelAction, ViewAction};
use crate::analysis::names::code_address;
use crate::expression::{is_used, shown_address};
use crate::image::{SourceLineName, Symbol};
use crate::messages::say;
use crate::number::whole_digits;
use crate::session::Session;

/// Maximum number of functions suggested.
const FUNCTIONS: usize = 12;
/// Maximum number of executions counted.
const COUNTED: usize = 1000;

/// One interpretation of the typed text.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// Title: `luaH_resize`, `address 400580`, `step 400,580`.
    pub title: String,
    /// Additional information: `function, 40 calls`.
    pub note: String,
    /// Action that goes there.
    pub action: Action,
}

/// Returns the interpretations of a text, the most likely first. A plain number is a step; it is
/// also an address if an instruction was executed or memory is used there.
///
/// Cost: one look at each function's name, and the lists of executions of the suggested functions.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn suggestions(session: &Session, text: &str, cancel: &Cancel) -> Result<Vec<Suggestion>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = positions_of(session, text);
    found.extend(address_of(session, text, cancel)?);
    found.extend(line_of(text));
    found.extend(functions(session, text, cancel)?);
    Ok(found)
}

/// Interprets a number as a position, which is before the step of the same number; and as the step,
/// whose effects are visible after it.
fn positions_of(session: &Session, text: &str) -> Vec<Suggestion> {
    let steps = session.index.step_count();
    let number = whole_digits(text).and_then(|digits| digits.parse::<u64>().ok());
    let Some(number) = number.filter(|number| *number <= steps) else {
        return Vec::new();
    };
    let of = |title: String, note: String, position: u64| Suggestion {
        title,
        note,
        action: Action::Travel(TravelAction::GoTo(position.to_string())),
    };
    let note = match number {
        0 => say!("goto-start").to_owned(),
        _ if number == steps => say!("goto-end").to_owned(),
        _ => say!("goto-before-step", step = number),
    };
    let position = of(say!("goto-position", position = number), note, number);
    let after = (number < steps).then(|| {
        let note = say!("goto-at-position", position = number + 1);
        of(say!("goto-after-step", step = number), note, number + 1)
    });
    std::iter::once(position).chain(after).collect()
}

/// Interprets hexadecimal digits, with or without `0x`, as an address.
fn address_of(session: &Session, text: &str, cancel: &Cancel) -> Result<Option<Suggestion>> {
    let Some(address) = shown_address(text) else {
        return Ok(None);
    };
    let pc = code_address(address, &session.index, cancel)?;
    let executions = match executions_of(session, pc, cancel)? {
        0 => return Ok(memory_at(session, address, cancel)),
        count @ 1..=COUNTED => say!("goto-executions", count = count),
        _ => say!("goto-executions-over", count = COUNTED),
    };
    let executions = so_far(session, &executions);
    let note = match session.images.name_at(pc) {
        Some(name) => say!("goto-in-function", name = name, executions = executions),
        None => executions,
    };
    let title = say!("goto-address", address = format!("{:x}", pc.0));
    Ok(Some(Suggestion {
        title,
        note,
        action: Action::Travel(TravelAction::GoTo(format!("pc:{:#x}", pc.0))),
    }))
}

/// Suggests memory that the trace accesses or an image fills.
fn memory_at(session: &Session, address: u64, cancel: &Cancel) -> Option<Suggestion> {
    is_used(&session.index, address, cancel).then(|| Suggestion {
        title: say!("goto-memory", address = format!("{address:x}")),
        note: say!("goto-in-memory").to_owned(),
        action: Action::View(ViewAction::ShowMemory(format!("{address:#x}"))),
    })
}

/// Interprets a source line: `main.c:40`.
fn line_of(text: &str) -> Option<Suggestion> {
    let SourceLineName { file, line } = SourceLineName::parse(text)?;
    Some(Suggestion {
        title: say!("goto-line-of", line = line, file = file.as_str()),
        note: say!("goto-its-next-execution").to_owned(),
        action: Action::Travel(TravelAction::GoToLine(file, line, Direction::Forward, None)),
    })
}

/// Finds functions by part of their names: exact matches first, then prefixes. Functions that were
/// executed come before the others.
fn functions(session: &Session, text: &str, cancel: &Cancel) -> Result<Vec<Suggestion>> {
    let wanted = text.to_lowercase();
    let mut fitting: Vec<&Symbol> = session.images.functions(text).collect();
    cancel.check()?;
    let rank = |symbol: &Symbol| {
        let name = symbol.name().to_lowercase();
        (name != wanted, !name.starts_with(&wanted), name.len())
    };
    fitting.sort_by_cached_key(|symbol| (rank(symbol), symbol.name().to_owned()));
    let (mut offered, mut never_called) = (Vec::new(), Vec::new());
    for symbol in fitting.into_iter().take(FUNCTIONS) {
        cancel.check()?;
        let pc = symbol.address;
        let count = executions_of(session, pc, cancel)?;
        let calls = match count {
            0 => say!("goto-never-called").to_owned(),
            1..=COUNTED => say!("goto-calls", count = count),
            _ => say!("goto-calls-over", count = COUNTED),
        };
        let suggestion = Suggestion {
            title: symbol.name().to_owned(),
            note: say!("goto-function", calls = so_far(session, &calls)),
            action: Action::Travel(TravelAction::GoTo(format!("pc:{:#x}", pc.0))),
        };
        match count {
            0 => never_called.push(suggestion),
            _ => offered.push(suggestion),
        }
    }
    offered.extend(never_called);
    Ok(offered)
}

/// Counts the executions of an instruction; a number above [`COUNTED`] means at least as many.
fn executions_of(session: &Session, pc: Address, cancel: &Cancel) -> Result<usize> {
    let visits = VisitsFrom {
        pc,
        from: Position(0),
        limit: COUNTED + 1,
    }
    .run(&session.index, cancel)?;
    Ok(visits.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow_with_image;

    fn offered(text: &str) -> Vec<String> {
        let found = suggestions(&overflow_with_image(), text, &Cancel::default()).unwrap();
        found
            .into_iter()
            .map(|found| format!("{}: {}", found.title, found.note))
            .collect()
    }

    #[test]
    fn a_function_is_found_by_its_name_and_by_a_part_of_it() {
        assert_eq!(
            offered("hexval").first().map(String::as_str),
            Some("hexval: function, 36 calls")
        );
        assert!(offered("XVA").iter().any(|line| line.starts_with("hexval")));
        assert_eq!(offered("no such thing"), Vec::<String>::new());
    }

    #[test]
    fn a_number_is_a_position_a_step_and_an_address_that_was_executed() {
        assert_eq!(
            offered("1,250"),
            [
                "position 1,250: before step 1,250",
                "after step 1,250: position 1,251"
            ]
        );
        assert_eq!(offered("1763"), ["position 1,763: end of the trace"]);
        let both = offered("80000328");
        assert_eq!(both, ["address 80000328: in hexval, 36 executions"]);
        assert_eq!(offered("0x80000328"), both);
        assert_eq!(offered("99999999"), Vec::<String>::new());
    }

    #[test]
    fn a_line_of_a_file_is_one() {
        let found =
            suggestions(&overflow_with_image(), "overflow.c:12", &Cancel::default()).unwrap();
        assert_eq!(
            found[0].action,
            Action::Travel(TravelAction::GoToLine(
                "overflow.c".to_owned(),
                12,
                Direction::Forward,
                None
            ))
        );
        assert_eq!(offered("line:7"), Vec::<String>::new());
    }
}
