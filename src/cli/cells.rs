//! What a user names on the command line: threads, numbers, memory ranges and cells.

use anyhow::{Result, anyhow, bail};
use stepback_index::{Cancel, Cell, ThreadId};
use stepback_machine::Address;
use stepback_parsers::{AnySource, Position};

use crate::analysis::register_part::RegisterPart;
use crate::expression::{AtPosition, ExpressionError, evaluate, parse, split_range};
use crate::session::Session;

/// Finds a thread by the name that was given, if one was.
pub fn thread_id(session: &Session, name: Option<&str>) -> Result<Option<ThreadId>> {
    let Some(name) = name else { return Ok(None) };
    if let Some(thread) = session.index.thread_by_name(name) {
        return Ok(Some(thread));
    }
    let known: Vec<&str> = session.index.threads().iter().map(|thread| &*thread.name).collect();
    bail!("the trace has no thread {name:?}, only {}", known.join(", "))
}

/// Says what is wrong with the spelling of an expression, before a trace is opened for it.
pub fn check_expression(text: &str) -> Result<(), String> {
    parse(text).map(|_| ()).map_err(|error| wrong(text, &error))
}

/// The same for a cell, whose registers are not known yet.
pub fn check_cell(text: &str) -> Result<(), String> {
    if RegisterPart::is_part(text.trim()) { Ok(()) } else { check_range(text) }
}

/// The same for `ADDR[:LEN]`.
pub fn check_range(text: &str) -> Result<(), String> {
    let (address, len) = split_range(text);
    check_expression(address)?;
    len.map_or(Ok(()), check_expression)
}

fn wrong(text: &str, error: &ExpressionError) -> String {
    format!("{error}: {text:?}")
}

/// What names mean at a position: registers of a thread, and the symbols of the images.
pub struct NamesAt<'a> {
    session: &'a Session,
    thread: ThreadId,
    lookup: AtPosition<'a, AnySource>,
}

impl<'a> NamesAt<'a> {
    /// Without a thread, that of the last step before the position is meant.
    pub fn new(session: &'a Session, at: Position, thread: Option<ThreadId>, cancel: &'a Cancel) -> Result<Self> {
        let thread = match thread {
            Some(thread) => thread,
            None => session.index.thread_at(at)?,
        };
        let lookup = AtPosition::new(&session.index, &session.images, at, Some(thread), cancel);
        Ok(Self { session, thread, lookup })
    }

    /// The value of an expression.
    pub fn number(&self, text: &str) -> Result<u64> {
        evaluate(text, &self.lookup).map_err(|error| anyhow!(wrong(text, &error)))
    }

    /// `ADDR[:LEN]`; at least one byte, and none beyond the end of the address space.
    pub fn memory_range(&self, text: &str) -> Result<(Address, u64)> {
        let (address, len) = split_range(text);
        let address = self.number(address)?;
        let len_bytes = len.map_or(Ok(1), |len| self.number(len))?;
        if len_bytes == 0 {
            bail!("a range of memory has at least one byte: {text:?}");
        }
        let bytes_to_end = address.wrapping_neg();
        let is_beyond_end = bytes_to_end != 0 && len_bytes > bytes_to_end;
        Ok((Address(address), if is_beyond_end { bytes_to_end } else { len_bytes }))
    }

    /// A register name, a lane of one (`v0.s[2]`), one of another thread (`x3 of cpu1`), or `ADDR[:LEN]`. A name that is both a register and a symbol is the register.
    pub fn cell(&self, text: &str) -> Result<Cell> {
        let name = text.trim();
        let name = name.strip_prefix("reg::").unwrap_or(name);
        if RegisterPart::is_part(name) {
            let part = RegisterPart::parse(name).view(&self.session.index, self.thread);
            let (thread, view) = part.ok_or_else(|| anyhow!("the trace has no such part of a register: {text:?}"))?;
            return Ok(Cell::Register { thread, view });
        }
        if let Some(view) = self.session.index.register_view(name, self.thread) {
            return Ok(Cell::Register { thread: self.thread, view });
        }
        let (address, len_bytes) = self.memory_range(text)?;
        Ok(Cell::Memory { address, len_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_range_is_known_before_the_trace_is_opened() {
        assert!(check_range("0x1000:").is_err());
        assert!(check_range("(sp:4").is_err());
        assert!(check_range("nosuch+4:2*8").is_ok());
    }
}
