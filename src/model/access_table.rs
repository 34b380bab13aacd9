//! All accesses of some memory as a list.

use anyhow::{Context as _, Result, anyhow};
use stepback_index::{AccessKinds, AccessTarget, AccessesOf, Cancel, Hit, MemoryRange, Query as _};
use stepback_machine::{AccessKind, Address};
use stepback_parsers::Position;

use super::code::Code;
use super::names::place_name;
use super::so_far::so_far;
use super::table::{ROWS, Table, TableCell, TableRow, thread_name};
use super::text::{counted, thousands};
use super::{Meaning, Span};
use crate::expression::{AtPosition, evaluate};
use crate::session::Session;

/// Which accesses are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessQuestion {
    /// The first byte: an address expression.
    pub address: String,
    /// How many bytes.
    pub len_bytes: u64,
    /// Whose, by name; without it, those of all threads.
    pub thread: Option<String>,
    /// Where the expression means something.
    pub at: Position,
    /// Where the list begins.
    pub from: Position,
}

const HEADS: [&str; 7] = ["Step", "Thread", "", "Bytes", "Address", "Code", "Instruction"];

/// The accesses by steps, in trace order. Runs on a worker.
///
/// # Errors
/// Where the address or the thread is none, and see [`stepback_index::QueryError`].
pub fn access_table(session: &Session, question: &AccessQuestion, cancel: &Cancel) -> Result<Table> {
    let AccessQuestion { address: text, len_bytes, thread, at, from } = question;
    let whose = match thread {
        Some(name) => Some(session.index.thread_by_name(name).ok_or_else(|| anyhow!("there is no thread {name:?}"))?),
        None => None,
    };
    let names = AtPosition::new(&session.index, &session.images, *at, whose, cancel);
    let address = Address(evaluate(text, &names).with_context(|| format!("{text:?} is no address"))?);
    let range = MemoryRange { address, len_bytes: *len_bytes };
    let asked = AccessesOf { range, kinds: AccessKinds::All, thread: whose, from: *from, skip: 0, limit: ROWS + 1 };
    let hits = asked.run(&session.index, cancel)?;
    let rows: Vec<TableRow> = hits.iter().take(ROWS).filter_map(|hit| access_row(session, hit)).collect();
    let mut summary = match hits.len() {
        0 => "No access".to_owned(),
        count if count > ROWS => format!("The first {} accesses", thousands(ROWS as u64)),
        count => counted(count as u64, "access", "accesses"),
    };
    summary += &format!(" of {} at {:x}", counted(*len_bytes, "byte", "bytes"), address.0);
    if let Some(name) = thread {
        summary += &format!(" by thread {name}");
    }
    if from.0 > 0 {
        summary += &format!(" from step {} on", thousands(from.0));
    }
    Ok(Table::new(so_far(session, &summary), &HEADS, rows).without_one_thread(session))
}

fn access_row(session: &Session, hit: &Hit) -> Option<TableRow> {
    let access = hit.access.as_ref()?;
    let AccessTarget::Memory { address, size_bytes } = access.target else { return None };
    let (meaning, word) = match access.kind {
        AccessKind::Read => (Meaning::Read, "read"),
        AccessKind::Write => (Meaning::Write, "write"),
    };
    let record = &hit.record;
    let cells = vec![
        TableCell::Step(record.step),
        TableCell::new(Meaning::Second, thread_name(session, record.thread)),
        TableCell::Text(Span::new(meaning, word)),
        TableCell::number(size_bytes),
        TableCell::new(Meaning::Plain, format!("{:08x}", address.0)),
        match place_name(&session.images, record.pc) {
            Some(name) => TableCell::new(Meaning::Symbol, name),
            None => TableCell::new(Meaning::Second, format!("{:08x}", record.pc.0)),
        },
        TableCell::new(Meaning::Plain, Code::new(record, &session.images).full_text()),
    ];
    let name = format!("{word} at step {}", thousands(record.step.0));
    Some(TableRow { name, cells, position: Some(hit.position), address: Some(address), is_faded: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::drmemtrace;

    #[track_caller]
    fn check(address: &str, len_bytes: u64, expected: &str) {
        let (session, _place) = drmemtrace(|writer| {
            // mov rax, [rdi]; mov [rsp + 8], rax
            writer.instruction(0x40_1000, &[0x48, 0x8b, 0x07]);
            writer.read(0x5000, 8);
            writer.instruction(0x40_1003, &[0x48, 0x89, 0x44, 0x24, 0x08]);
            writer.write(0x5004, 8);
        });
        let (thread, at, from) = (None, Position(0), Position(0));
        let question = AccessQuestion { address: address.to_owned(), len_bytes, thread, at, from };
        let table = access_table(&session, &question, &Cancel::default()).unwrap();
        let lines =
            table.rows.iter().map(|row| format!("\n{}", row.line().split_whitespace().collect::<Vec<_>>().join(" ")));
        assert_eq!(table.summary + &lines.collect::<String>(), expected);
    }

    #[test]
    fn accesses_that_overlap_are_listed_with_their_code() {
        let read = "0 read 8 00005000 00401000 mov rax, qword ptr [rdi]";
        let write = "1 write 8 00005004 00401003 mov qword ptr [rsp + 8], rax";
        check("0x5000", 4, &format!("1 access of 4 bytes at 5000\n{read}"));
        check("0x5000 + 7", 1, &format!("2 accesses of 1 byte at 5007\n{read}\n{write}"));
        check("0x6000", 16, "No access of 16 bytes at 6000");
    }
}
