//! The part of memory in sight: an address instead of a row number, because rows are not counted.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;

use crate::action::Direction;
use crate::desk::Desk;
use crate::model::memory::{MemoryPage, MemoryRequest, MemoryRow, memory_page};
use crate::views::{RowListing, ViewStatus};
use crate::worker::{Answer, Slot};

/// Space in the front end for rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryLayout {
    /// Length of a row in bytes.
    pub row_bytes: usize,
    /// Number of whole rows in sight.
    pub rows: usize,
    /// Number of rows that a page key moves by.
    pub page: usize,
    /// Number of rows to read beyond both ends, so that scrolling finds them loaded.
    pub spare: usize,
    /// Number of rows above a cursor that was set elsewhere.
    pub lead: usize,
    /// Number of rows below the view for which it scrolls as little as possible to show such a
    /// cursor.
    pub near: usize,
}

/// Scroll position and the rows around it.
#[derive(Debug, Default)]
pub(super) struct MemoryScroll {
    /// Address in the first row, or `lead` rows below it.
    pub top: Address,
    /// Rows above `top`; 0 once the user scrolled.
    pub lead: usize,
    /// Pixels of the first row above the view.
    pub pixels: f32,
    /// Index of the first row in sight, as of the last poll.
    first: usize,
    /// The current rows are late.
    pub is_late: bool,
    /// The rows are compared with another position than the requested one.
    pub is_of_other: bool,
    answer: Slot<MemoryRequest, MemoryPage>,
}

impl MemoryScroll {
    /// Shows an address some rows below the top.
    pub fn go_to(&mut self, address: Address, lead: usize) {
        (self.top, self.lead, self.pixels) = (address, lead, 0.0);
    }

    /// Returns the newest page, which may be of an earlier request.
    pub fn page(&self) -> Option<&MemoryPage> {
        self.answer.peek().map(|(_, page)| page)
    }

    /// Returns true while rows are under way.
    pub fn is_waiting(&self) -> bool {
        self.answer.is_waiting()
    }

    /// Forgets the rows of another trace.
    pub fn forget(&mut self) {
        self.answer.clear();
    }

    /// Returns the rows from the first in sight on, as of the last poll.
    pub fn rows(&self) -> &[MemoryRow] {
        self.page()
            .and_then(|page| page.rows.get(self.first..))
            .unwrap_or_default()
    }

    /// Returns the highest address of the loaded rows.
    pub fn highest(&self) -> Address {
        let rows = self
            .page()
            .map_or([].as_slice(), |page| page.rows.as_slice());
        let bytes = rows
            .iter()
            .filter(|row| matches!(row, MemoryRow::Bytes { .. }));
        bytes.map(MemoryRow::last).max().unwrap_or(self.top)
    }

    /// Requests rows and finds the first one in sight.
    pub fn poll(&mut self, request: &MemoryRequest, desk: &Desk) -> ViewStatus {
        let answer = self.answer.poll(request, &desk.worker, |request| {
            let (request, session) = (*request, Arc::clone(&desk.session));
            move |cancel: &Cancel| memory_page(&session, &request, cancel)
        });
        let is_fresh = matches!(answer, Answer::Fresh(_));
        let is_late = matches!(answer, Answer::Late(_));
        let page = match answer {
            Answer::Fresh(page) | Answer::Stale(page) | Answer::Late(page) => page,
            Answer::Loading => return ViewStatus::Loading(String::new()),
            Answer::Failed(error) => return ViewStatus::Failed(error.to_owned()),
        };
        // After scrolling by a few rows, the old answer still has the rows: they are right, so they
        // are not dimmed.
        let place = place_of(page, request.top);
        self.first = if is_fresh && request.lead > 0 {
            0
        } else {
            place.unwrap_or(0)
        };
        let first_bytes = page
            .rows
            .iter()
            .find(|row| matches!(row, MemoryRow::Bytes { .. }));
        let is_wide =
            first_bytes.is_some_and(|row| row.last().0 - row.first().0 + 1 != request.row_bytes);
        self.is_of_other =
            (page.previous, page.is_compared) != (request.previous, request.is_compared);
        let is_wrong =
            page.position != request.position || self.is_of_other || place.is_none() || is_wide;
        self.is_late = is_late && is_wrong;
        ViewStatus::Rows(RowListing {
            count: page.rows.len().saturating_sub(self.first),
            ..RowListing::default()
        })
    }

    /// Returns the end of memory if it is in sight. A 32-bit machine ends before the last address
    /// that a cursor can have.
    pub fn end(&self) -> Option<Address> {
        let (request, page) = self.answer.peek().filter(|_| self.top.0 == u64::MAX)?;
        page.rows
            .last()
            .filter(|_| request.top == self.top)
            .map(MemoryRow::last)
    }

    /// Scrolls by a row. Returns false at the end of the loaded rows.
    pub fn step(&mut self, direction: Direction) -> bool {
        let Some(page) = self.page() else {
            return false;
        };
        let start = self.start(page);
        let firsts = page
            .above
            .iter()
            .copied()
            .chain(page.rows.iter().map(MemoryRow::first));
        let to = match direction {
            Direction::Back => firsts.filter(|first| *first < start).max(),
            Direction::Forward => firsts.filter(|first| *first > start).min(),
        };
        if let Some(to) = to {
            (self.top, self.lead) = (to, 0);
        }
        to.is_some()
    }

    /// Scrolls by pixels, downwards if positive, up to the last loaded row.
    pub fn by_pixels(&mut self, pixels: f32, row_height: f32) {
        let mut pixels = self.pixels + pixels;
        while pixels < 0.0 && self.step(Direction::Back) {
            pixels += row_height;
        }
        while pixels >= row_height && self.step(Direction::Forward) {
            pixels -= row_height;
        }
        self.pixels = pixels.clamp(0.0, row_height - 1.0);
    }

    /// Shows a cursor that was set elsewhere, if it is not in sight.
    pub fn jump(&mut self, address: Address, layout: &MemoryLayout) {
        self.reveal(address, layout.rows, layout.lead, layout.near);
    }

    /// Shows the cursor after a move: in the first row if it is above, else in the last.
    pub fn follow(&mut self, address: Address, rows: usize) {
        let is_above = self.page().is_none_or(|page| address < self.start(page));
        self.reveal(address, rows, if is_above { 0 } else { rows }, usize::MAX);
    }

    /// Brings an address into view: in the last row if it is at most `near` rows below, else `lead`
    /// rows below the first.
    fn reveal(&mut self, address: Address, rows: usize, lead: usize, near: usize) {
        let last = rows.max(1) - 1;
        let place = self
            .page()
            .and_then(|page| Some((place_of(page, self.start(page))?, place_of(page, address)?)));
        match place {
            Some((top, place)) if (top..=top + last).contains(&place) => {}
            Some((top, place)) if place > top && place - top - last <= near => {
                let first = self
                    .page()
                    .and_then(|page| page.rows.get(place - last))
                    .map(MemoryRow::first);
                self.go_to(first.unwrap_or(address), 0);
            }
            _ => self.go_to(address, lead.min(last)),
        }
    }

    /// Returns the first address of the first row in sight.
    fn start(&self, page: &MemoryPage) -> Address {
        match page.rows.first().filter(|_| self.lead > 0) {
            Some(first) => first.first(),
            None => place_of(page, self.top)
                .and_then(|place| page.rows.get(place))
                .map_or(self.top, MemoryRow::first),
        }
    }
}

/// Returns the index of the row that contains an address.
fn place_of(page: &MemoryPage, address: Address) -> Option<usize> {
    page.rows.iter().position(|row| holds(row, address))
}

fn holds(row: &MemoryRow, address: Address) -> bool {
    (row.first()..=row.last()).contains(&address)
}
