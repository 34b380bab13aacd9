//! Table of memory pages by number of accesses.

use anyhow::Result;
use stepback_index::Cancel;
use stepback_parsers::Position;

use super::names::place_name;
use super::so_far::so_far;
use super::table::{ROWS, Table, TableCell, TableRow};
use super::text::{size_text, thousands};
use super::{TextRole, TextSpan};
use crate::analysis::hot_pages::{HotPages, PageTotals, hot_pages};
use crate::messages::say;
use crate::session::Session;

const HEADS: [&str; 5] = [
    "head-page",
    "head-reads",
    "head-writes",
    "head-share",
    "head-symbol",
];

/// Lists the accessed pages, the busiest first. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn heat_table(session: &Session, cancel: &Cancel) -> Result<Table> {
    let HotPages { page_bytes, pages } =
        hot_pages(&session.index, Position(0), session.index.end(), cancel)?;
    let most = pages.first().map_or(0, |page| page.reads + page.writes);
    let mut summary = match pages.len() {
        0 => say!("heat-no-access").to_owned(),
        count => say!("heat-pages", count = count, size = size_text(page_bytes)),
    };
    if pages.len() > ROWS {
        summary += &say!("heat-busiest", count = ROWS);
    }
    let page_row = |PageTotals {
                        process,
                        first,
                        reads,
                        writes,
                    }: PageTotals| TableRow {
        name: say!("heat-page", address = format!("{:x}", first.0)),
        cells: vec![
            TableCell::new(
                TextRole::Plain,
                [Some(format!("{:08x}", first.0)), process]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("  "),
            ),
            TableCell::Number(reads, TextSpan::new(TextRole::Read, thousands(reads))),
            TableCell::Number(writes, TextSpan::new(TextRole::Write, thousands(writes))),
            TableCell::Bar(reads, writes, most),
            TableCell::new(
                TextRole::Symbol,
                place_name(&session.images, first).unwrap_or_default(),
            ),
        ],
        address: Some(first),
        ..TableRow::default()
    };
    let rows = pages.into_iter().take(ROWS).map(page_row).collect();
    Ok(Table::new(so_far(session, &summary), &HEADS, rows))
}
