//! Which part of memory is in view: an address instead of a row number, because rows are not counted.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::pane::Cx;
use stepback_debugger::model::memory::{MemoryPage, MemoryRequest, MemoryRow, memory_page};
use stepback_debugger::worker::{Answer, Slot};

/// Rows that are fetched beyond both ends of the view, so that scrolling finds them there.
const SPARE: usize = 16;

/// The rows around the view.
#[derive(Debug, Default)]
pub struct Scrolled {
    /// An address in the first row, or `lead` rows below it.
    top: Address,
    lead: usize,
    answer: Slot<MemoryRequest, MemoryPage>,
}

/// What is to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The state at this position.
    pub position: Position,
    /// Changed is what differs from this position.
    pub previous: Position,
    /// What bytes hold at that position is told too.
    pub is_compared: bool,
    /// Bytes in a row.
    pub row_bytes: u64,
    /// Rows in view.
    pub rows: usize,
}

impl Scrolled {
    /// Shows an address in the first row.
    pub fn go_to(&mut self, address: Address) {
        (self.top, self.lead) = (address, 0);
    }

    /// The page that is known, whatever it was asked for.
    pub fn page(&self) -> Option<&MemoryPage> {
        self.answer.peek().map(|(_, page)| page)
    }

    /// Forgets the memory of another trace.
    pub fn forget(&mut self) {
        self.answer.clear();
    }

    /// The rows in view from the first on; nothing while they are on their way.
    pub fn poll(&mut self, wanted: Wanted, cx: &Cx<'_>) -> Result<Option<&[MemoryRow]>, String> {
        let Wanted { position, previous, is_compared, row_bytes, rows } = wanted;
        let request = MemoryRequest {
            position,
            previous,
            is_compared,
            row_bytes,
            top: self.top,
            lead: self.lead,
            rows_below: rows + SPARE,
            rows_above: SPARE,
        };
        let answer = self.answer.poll(&request, cx.worker(), |request| {
            let (request, session) = (*request, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| memory_page(&session, &request, cancel)
        });
        let (page, is_fresh) = match answer {
            Answer::Fresh(page) => (page, true),
            Answer::Stale(page) | Answer::Late(page) => (page, false),
            Answer::Loading => return Ok(None),
            Answer::Failed(error) => return Err(error.to_owned()),
        };
        // Scrolled by a few rows, the old answer still has the rows.
        let first = if is_fresh && self.lead > 0 { Some(0) } else { place_of(page, self.top) };
        Ok(page.rows.get(first.unwrap_or(0)..))
    }

    /// Scrolls by some rows, as far as they are known.
    pub fn scroll(&mut self, rows: i16) {
        for _ in 0..rows.unsigned_abs() {
            let Some(page) = self.page() else { return };
            let start = self.start(page);
            let firsts = page.above.iter().copied().chain(page.rows.iter().map(MemoryRow::first));
            let to = if rows < 0 {
                firsts.filter(|first| *first < start).max()
            } else {
                firsts.filter(|first| *first > start).min()
            };
            let Some(to) = to else { return };
            self.go_to(to);
        }
    }

    /// Brings an address into view: as the first row or the last, or `lead` rows below the first when it is far away.
    pub fn reveal(&mut self, address: Address, rows: usize, lead: usize) {
        let Some(page) = self.page() else { return self.go_to(address) };
        let start = self.start(page);
        let last = rows.max(1) - 1;
        let place = place_of(page, address);
        match (place_of(page, start), place) {
            (Some(top), Some(place)) if (top..=top + last).contains(&place) => {}
            (Some(top), Some(place)) if place > top => {
                let to = page.rows.get(place - last).map_or(address, MemoryRow::first);
                self.go_to(to);
            }
            _ => (self.top, self.lead) = (address, lead.min(last)),
        }
    }

    /// The first address of the first row in view.
    fn start(&self, page: &MemoryPage) -> Address {
        match page.rows.first().filter(|_| self.lead > 0) {
            Some(first) => first.first(),
            None => place_of(page, self.top).and_then(|place| page.rows.get(place)).map_or(self.top, MemoryRow::first),
        }
    }
}

/// The row that holds an address.
fn place_of(page: &MemoryPage, address: Address) -> Option<usize> {
    page.rows.iter().position(|row| (row.first()..=row.last()).contains(&address))
}
