//! Lists all accesses of a cell with its values before and after, or all executions of an
//! instruction or a source line.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_index::answer::{AccessKinds, Cell, Hit};
use stepback_parsers::Position;

use super::access_groups::AccessGroups;
use super::access_rows::{AccessRowBuilder, CELL_HEADS, CODE_HEADS};
use super::so_far::so_far;
use super::table::{ROWS, Table, TableRow};
use crate::action::FindKind;
use crate::analysis::search::Search;
use crate::analysis::search::meaning::SearchParser;
use crate::analysis::search::stream::SearchExtent;
use crate::messages::say;
use crate::session::Session;

/// Minimum time between two published partial results.
const INTERVAL: Duration = Duration::from_millis(120);

/// Subject of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessSubject {
    /// Accesses of a register or of memory: `x2`, `sp+8:8`, `buffer`.
    Cell(String),
    /// Executions of code: `0x80000494`, `main+8`, `main.c:12`.
    Code(String),
}

impl AccessSubject {
    /// Returns the text as typed.
    pub fn text(&self) -> &str {
        match self {
            Self::Cell(text) | Self::Code(text) => text,
        }
    }
}

/// Query for a list of accesses or executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessTableQuery {
    pub listed: AccessSubject,
    /// Loads, stores or both; only for a cell.
    pub kinds: AccessKinds,
    /// Thread name to restrict the list to; none for all threads.
    pub thread: Option<String>,
    /// Position at which names are resolved.
    pub at: Position,
    /// Position at which the list begins.
    pub from: Position,
    pub arrangement: AccessGrouping,
}

/// Arrangement of the hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccessGrouping {
    /// By step, in trace order.
    #[default]
    Steps,
    CallStacks,
}

impl AccessGrouping {
    /// Returns the other arrangement.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Steps => Self::CallStacks,
            Self::CallStacks => Self::Steps,
        }
    }
}

/// Lists the accesses by step or by call stack and publishes partial tables on the way. Runs on a
/// worker.
///
/// Cost: by step, that of the listed rows; by call stack, one look at every access.
///
/// # Errors
/// The cell, the code or the thread does not exist; otherwise see [`stepback_index::QueryError`].
pub fn access_table(
    session: &Session,
    question: &AccessTableQuery,
    cancel: &Cancel,
    publish: &mut dyn FnMut(Arc<Table>),
) -> Result<Arc<Table>> {
    let whose = match &question.thread {
        Some(name) => Some(
            session
                .index
                .thread_by_name(name)
                .ok_or_else(|| anyhow!(say!("accesses-no-thread", name = format!("{name:?}"))))?,
        ),
        None => None,
    };
    let search = resolved(session, question, cancel)?;
    let maker = AccessRowBuilder {
        session,
        cell: cell_of(&search),
        cancel,
    };
    let mut found_so_far = AccessCollector::new(question.arrangement);
    let (mut failed, mut published, mut pause) = (Ok(()), Instant::now(), INTERVAL);
    let extent = SearchExtent {
        thread: whose,
        from: question.from,
        limit: found_so_far.limit(),
    };
    search.stream(extent, &session.index, cancel, |found| {
        for hit in found.hits {
            if let Err(error) = cancel
                .check()
                .map_err(Into::into)
                .and_then(|()| found_so_far.take(&maker, &hit))
            {
                failed = Err(error);
                return ControlFlow::Break(());
            }
        }
        if published.elapsed() > pause {
            let begun = Instant::now();
            publish(Arc::new(found_so_far.table(session, question, &search)));
            // A long table takes longer to publish, so the pause grows with it.
            (published, pause) = (Instant::now(), INTERVAL.max(10 * begun.elapsed()));
        }
        ControlFlow::Continue(())
    })?;
    failed?;
    Ok(Arc::new(found_so_far.table(session, question, &search)))
}

/// Hits found until now, in the chosen arrangement.
enum AccessCollector {
    Steps(Vec<TableRow>),
    CallStacks(Box<AccessGroups>),
}

impl AccessCollector {
    fn new(arrangement: AccessGrouping) -> Self {
        match arrangement {
            AccessGrouping::Steps => Self::Steps(Vec::new()),
            AccessGrouping::CallStacks => Self::CallStacks(Box::default()),
        }
    }

    /// Returns the maximum number of hits to search for.
    fn limit(&self) -> usize {
        match self {
            Self::Steps(_) => ROWS + 1,
            Self::CallStacks(_) => usize::MAX,
        }
    }

    fn take(&mut self, maker: &AccessRowBuilder<'_>, hit: &Hit) -> Result<()> {
        match self {
            Self::Steps(rows) => rows.push(maker.row(hit)?),
            Self::CallStacks(groups) => groups.take(maker, hit)?,
        }
        Ok(())
    }
}

/// Resolves the text of a query.
fn resolved(session: &Session, question: &AccessTableQuery, cancel: &Cancel) -> Result<Search> {
    let reader = SearchParser::new(
        &session.index,
        &session.images,
        question.at.min(session.index.end()),
        cancel,
    )?;
    let (kind, text) = match &question.listed {
        AccessSubject::Cell(text) => (FindKind::Accesses, text),
        AccessSubject::Code(text) => (FindKind::Address, text),
    };
    Ok(match reader.read(text, kind)?.search {
        // The typed text may itself name the kind of access: "writes of x0".
        Search::Accesses(cell, _, value) if question.kinds != AccessKinds::All => {
            Search::Accesses(cell, question.kinds, value)
        }
        search => search,
    })
}

/// Returns the cell whose accesses are listed; none for executions of code.
fn cell_of(search: &Search) -> Option<Cell> {
    match search {
        Search::Accesses(cell, ..) => Some(*cell),
        _ => None,
    }
}

impl AccessCollector {
    fn table(&self, session: &Session, question: &AccessTableQuery, search: &Search) -> Table {
        let summary = so_far(session, &self.summary(question, search));
        let cell = cell_of(search);
        let heads: &[&'static str] = if cell.is_some() {
            &CELL_HEADS
        } else {
            &CODE_HEADS
        };
        let table = match self {
            AccessCollector::Steps(rows) => {
                Table::new(summary, heads, rows.iter().take(ROWS).cloned().collect())
            }
            AccessCollector::CallStacks(groups) => groups.table(session, summary, heads),
        };
        let table = table.without_one_thread(session);
        let is_memory = matches!(cell, Some(Cell::Memory { .. } | Cell::Physical { .. }));
        if is_memory || cell.is_none() {
            table
        } else {
            table
                .without_columns("head-bytes")
                .without_columns("head-address")
        }
    }

    /// Describes the list: number of hits, subject, thread and range.
    fn summary(&self, question: &AccessTableQuery, search: &Search) -> String {
        let mut summary = match self {
            AccessCollector::Steps(rows) if rows.len() > ROWS => {
                say!(
                    "accesses-the-first",
                    rows = count_words(search, ROWS as u64)
                )
            }
            AccessCollector::Steps(rows) => count_words(search, rows.len() as u64),
            AccessCollector::CallStacks(groups) => count_words(search, groups.count()),
        };
        summary = match cell_of(search) {
            Some(Cell::Memory { address, len_bytes }) => {
                say!(
                    "accesses-of-bytes",
                    summary = summary,
                    count = len_bytes,
                    address = format!("{:x}", address.0)
                )
            }
            Some(Cell::Register { .. } | Cell::Physical { .. }) | None => {
                say!(
                    "accesses-of",
                    summary = summary,
                    what = question.listed.text()
                )
            }
        };
        if let Some(name) = &question.thread {
            summary = say!("accesses-by-thread", summary = summary, thread = &**name);
        }
        if question.from.0 > 0 {
            summary = say!(
                "accesses-from-step",
                summary = summary,
                step = question.from.0
            );
        }
        if let AccessCollector::CallStacks(groups) = self
            && groups.count() > 0
        {
            summary = say!(
                "accesses-in-stacks",
                summary = summary,
                count = groups.stacks()
            );
        }
        summary
    }
}

/// Describes the number of hits.
fn count_words(search: &Search, count: u64) -> String {
    let kinds = match search {
        Search::Accesses(_, kinds, _) => Some(kinds),
        _ => None,
    };
    match (kinds, count) {
        (Some(AccessKinds::Reads), 0) => say!("accesses-no-read").to_owned(),
        (Some(AccessKinds::Writes), 0) => say!("accesses-no-write").to_owned(),
        (Some(AccessKinds::All), 0) => say!("accesses-no-access").to_owned(),
        (None, 0) => say!("accesses-no-execution").to_owned(),
        (Some(AccessKinds::Reads), _) => say!("accesses-count-reads", count = count),
        (Some(AccessKinds::Writes), _) => say!("accesses-count-writes", count = count),
        (Some(AccessKinds::All), _) => say!("accesses-count", count = count),
        (None, _) => say!("accesses-count-executions", count = count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::table::TableCell;
    use crate::session::test_session::{drmemtrace, overflow, overflow_with_image, tarmac};

    fn question(listed: AccessSubject) -> AccessTableQuery {
        let (kinds, thread, at, from) = (AccessKinds::All, None, Position(0), Position(0));
        AccessTableQuery {
            listed,
            kinds,
            thread,
            at,
            from,
            arrangement: AccessGrouping::Steps,
        }
    }

    fn cell(text: &str) -> AccessTableQuery {
        question(AccessSubject::Cell(text.to_owned()))
    }

    fn lines(session: &Session, question: &AccessTableQuery) -> Vec<String> {
        let table = access_table(session, question, &Cancel::default(), &mut |_| {}).unwrap();
        let row = |row: &TableRow| row.line().split_whitespace().collect::<Vec<_>>().join(" ");
        std::iter::once(table.summary.clone())
            .chain(table.rows.iter().map(row))
            .collect()
    }

    #[track_caller]
    fn check(address: &str, expected: &[&str]) {
        let (session, _place) = drmemtrace(|writer| {
            // mov rax, [rdi]; mov [rsp + 8], rax
            writer.instruction(0x40_1000, &[0x48, 0x8b, 0x07]);
            writer.read(0x5000, 8);
            writer.instruction(0x40_1003, &[0x48, 0x89, 0x44, 0x24, 0x08]);
            writer.write(0x5004, 8);
        });
        assert_eq!(lines(&session, &cell(address)), expected);
    }

    #[test]
    fn accesses_that_overlap_are_listed_with_their_code() {
        let read = "0 read unknown 8 00005000 00401000 mov rax, qword ptr [rdi]";
        let write = "1 write unknown unknown 8 00005004 00401003 mov qword ptr [rsp + 8], rax";
        check("0x5000:4", &["1 access of 4 bytes at 5000", read]);
        check(
            "0x5000 + 7:1",
            &["2 accesses of 1 byte at 5007", read, write],
        );
        check("0x6000:16", &["No access of 16 bytes at 6000"]);
    }

    #[test]
    fn each_write_says_what_the_cell_held_before_and_after() {
        let (session, _place) = tarmac(
            "1 clk IT (0) 00001000 d2800020 O EL1h_n : MOV x0,#1\n1 clk R X0 0000000000000001\n\
             2 clk IT (1) 00001004 39000020 O EL1h_n : STRB w0,[x1]\n2 clk MW1 00002001 07\n\
             3 clk IT (2) 00001008 b9000020 O EL1h_n : STR w0,[x1]\n3 clk MW4 00002000 11223344\n\
             4 clk IT (3) 0000100c b9400022 O EL1h_n : LDR w2,[x1]\n4 clk MR4 00002000 11223344\n\
             4 clk R X2 0000000011223344\n\
             5 clk IT (4) 00001010 52800140 O EL1h_n : MOV w0,#10\n5 clk R X0 000000000000000a\n",
        );
        let expected = [
            "3 accesses of 4 bytes at 2000",
            "1 write unknown ????07?? 1 00002001 00001004 strb w0, [x1]",
            "2 write ????07?? 11223344 4 00002000 00001008 str w0, [x1]",
            "3 read 11223344 4 00002000 0000100c ldr w2, [x1]",
        ];
        let found = lines(&session, &cell("0x2000:4"));
        assert_eq!(found[0], expected[0]);
        // The load reveals nothing about the memory after the first store, because the second store
        // overwrote all of it.
        assert_eq!(found[2..], expected[2..]);
        let writes = AccessTableQuery {
            kinds: AccessKinds::Writes,
            ..cell("x0")
        };
        let expected = [
            "2 writes of x0",
            "0 write unknown 1 00001000 mov x0, #1",
            "4 write 1 a 00001010 mov w0, #10",
        ];
        assert_eq!(lines(&session, &writes), expected);
    }

    #[test]
    fn a_read_says_what_was_read_and_not_what_its_step_wrote() {
        let (session, _place) = tarmac(
            "1 clk IT (0) 00001000 d28000a0 O EL1h_n : MOV x0,#5\n1 clk R X0 0000000000000005\n\
             2 clk IT (1) 00001004 91000400 O EL1h_n : ADD x0,x0,#1\n2 clk R X0 0000000000000006\n\
             3 clk IT (2) 00001008 f8208022 O EL1h_n : SWP x0,x2,[x1]\n3 clk MR8 00002000 00000000_00000007\n\
             3 clk MW8 00002000 00000000_00000006\n3 clk R X2 0000000000000007\n",
        );
        let reads = |text: &str| {
            lines(
                &session,
                &AccessTableQuery {
                    kinds: AccessKinds::Reads,
                    ..cell(text)
                },
            )
        };
        let found = reads("x0");
        assert!(found[1].starts_with("1 read 5 "), "{found:?}");
        assert!(found[2].starts_with("2 read 6 "), "{found:?}");
        assert!(
            reads("0x2000:8")[1].starts_with("2 read 7 8 "),
            "{:?}",
            reads("0x2000:8")
        );
        assert!(
            reads("0x2000:2")[1].starts_with("2 read 7 (inferred) 8 "),
            "{:?}",
            reads("0x2000:2")
        );
    }

    #[test]
    fn values_and_operands_that_are_inferred_are_marked() {
        let (session, _place) = drmemtrace(|writer| {
            // mov eax, 5; mov ecx, eax
            writer.instruction(0x40_1000, &[0xb8, 5, 0, 0, 0]);
            writer.instruction(0x40_1005, &[0x89, 0xc1]);
        });
        let cells = |question: &AccessTableQuery| {
            let table = access_table(&session, question, &Cancel::default(), &mut |_| {}).unwrap();
            let cells = table.rows.iter().flat_map(|row| &row.cells);
            let inferred = cells.filter_map(|cell| match cell {
                TableCell::Text(span) if span.meaning == super::super::TextRole::Inferred => {
                    Some(span.text.clone())
                }
                _ => None,
            });
            inferred.collect::<Vec<_>>()
        };
        let writes = AccessTableQuery {
            kinds: AccessKinds::Writes,
            ..cell("rax")
        };
        assert_eq!(cells(&writes), ["5"]);
        let operands = cells(&question(AccessSubject::Code("0x401005".to_owned())));
        assert!(
            matches!(&operands[..], [text] if text.contains("ax=5")),
            "{operands:?}"
        );
    }

    #[test]
    fn a_list_may_begin_at_a_position_and_be_of_one_kind() {
        let session = overflow();
        let writes = AccessTableQuery {
            kinds: AccessKinds::Writes,
            from: Position(1188),
            ..cell("x19")
        };
        let found = lines(&session, &writes);
        assert!(
            found[0].ends_with("writes of x19 from step 1,188 on"),
            "{}",
            found[0]
        );
        assert!(
            found[1].starts_with("1,188 write 8002000c 8002000f"),
            "{}",
            found[1]
        );
        assert!(
            found[2].starts_with("1,253 write 8002000f 80020012"),
            "{}",
            found[2]
        );
    }

    #[test]
    fn executions_have_the_values_of_their_operands() {
        let session = overflow_with_image();
        // strb w0, [x19, #1]
        let found = lines(
            &session,
            &question(AccessSubject::Code("0x80000498".to_owned())),
        );
        assert!(found[0].ends_with("of 0x80000498"), "{}", found[0]);
        let row = found
            .iter()
            .find(|line| line.starts_with("1,249 "))
            .expect("step 1,249");
        for part in [
            "x19=8002000f",
            "x0=ffffffa9",
            "[80020010] ← a9",
            "decode_field+0x108",
            "open_session",
        ] {
            assert!(row.contains(part), "{part} in {row}");
        }
    }

    #[test]
    fn a_source_line_lists_all_its_executions() {
        let session = overflow_with_image();
        let found = lines(
            &session,
            &question(AccessSubject::Code("overflow.c:42".to_owned())),
        );
        assert!(
            found.len() > 2 && found[0].contains("executions of overflow.c:42"),
            "{}",
            found[0]
        );
    }

    #[test]
    fn accesses_are_grouped_by_the_calls_around_them() {
        let session = overflow_with_image();
        let grouped = |question| AccessTableQuery {
            arrangement: AccessGrouping::CallStacks,
            ..question
        };
        let writes = grouped(AccessTableQuery {
            kinds: AccessKinds::Writes,
            ..cell("0x80020018:8")
        });
        let found = lines(&session, &writes);
        let expected = [
            "6 writes of 8 bytes at 80020018 in 2 call stacks",
            "4 1,441 1,453 decode_field ← open_session ← main ← _start",
            "1,441 write 0 e5 1 80020018 decode_field+0xfc strb w0, [x19]",
            "1,444 write e5 84e5 1 80020019 decode_field+0x108 strb w0, [x19, #1]",
            "1,447 write 84e5 8684e5 1 8002001a decode_field+0x114 strb w0, [x19, #2]",
            "1,453 write 8684e5 8684e5 1 8002001b decode_field+0x124 strb wzr, [x19]",
            "2 727 728 new_handler ← open_session ← main ← _start",
            "727 write 0 (inferred) 0 (inferred) 4 80020018 new_handler+0x54 str w19, [x0, #8]",
            "728 write 0 (inferred) 0 4 8002001c new_handler+0x58 str wzr, [x0, #0xc]",
        ];
        assert_eq!(found, expected);
        let executions = lines(
            &session,
            &grouped(question(AccessSubject::Code("hexval".to_owned()))),
        );
        let expected = [
            "36 executions of hexval in 1 call stack",
            "36 874 1,425 hexval ← decode_field ← open_session ← main ← _start",
            "874 w0=35 x0 ← 35 hexval and w0, w0, #0xff",
        ];
        assert_eq!(executions[..3], expected);
        let none = lines(&session, &grouped(cell("0x6000:16")));
        assert_eq!(none, ["No access of 16 bytes at 6000"]);
    }

    #[test]
    fn a_cell_that_means_nothing_says_so() {
        let session = overflow();
        let failed = access_table(
            &session,
            &cell("no such thing"),
            &Cancel::default(),
            &mut |_| {},
        );
        assert!(
            failed
                .unwrap_err()
                .to_string()
                .contains("neither a register nor memory")
        );
    }
}
