//! Which part of memory is in view: an address instead of a row number, because rows are not counted.

use std::sync::Arc;

use egui::{Rect, Ui};
use stepback_index::Cancel;
use stepback_machine::{Address, Endian};
use stepback_parsers::Position;

use crate::panels::ViewCx;
use crate::panels::pen::ROW;
use stepback_debugger::model::memory::{MemoryPage, MemoryRequest, MemoryRow, memory_page};
use stepback_debugger::worker::{Answer, Slot};

/// Rows that are fetched beyond both ends of the view, so that the wheel finds them there.
const SPARE: usize = 24;
/// Rows above an address that was asked for.
const ABOVE: usize = 2;

/// The rows around the view.
#[derive(Debug, Default)]
pub struct Page {
    /// An address in the first row, or `lead` rows below it.
    top: Address,
    /// Rows above an address that was asked for; 0 once the user scrolled.
    lead: usize,
    /// Pixels of the first row above the view.
    pixels: f32,
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
}

/// How old an answer is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    Fresh,
    Stale,
    Late,
}

/// What there is to draw.
pub enum Shown<'a> {
    /// Rows, the first one `pixels` above the top of the view.
    Rows {
        /// From the top.
        rows: &'a [MemoryRow],
        /// The right rows have been on their way for a while.
        is_late: bool,
        /// They are compared with another position than the wanted one.
        is_of_other: bool,
        /// How far the first is scrolled away.
        pixels: f32,
    },
    /// Nothing yet.
    Loading,
    /// Why there is nothing.
    Failed(&'a str),
}

impl Page {
    /// Shows an address, a little below the top.
    pub fn go_to(&mut self, address: Address) {
        *self = Self { top: address, lead: ABOVE, pixels: 0.0, answer: std::mem::take(&mut self.answer) };
    }

    /// The highest address that is known to be shown.
    pub fn highest(&self) -> Address {
        let rows = self.answer.peek().map_or([].as_slice(), |(_, page)| page.rows.as_slice());
        let bytes = rows.iter().filter(|row| matches!(row, MemoryRow::Bytes { .. }));
        bytes.map(MemoryRow::last).max().unwrap_or(self.top)
    }

    /// Shows an address, scrolling only where it is not among the first rows.
    pub fn show(&mut self, address: Address, rows_in_view: usize) {
        let start = self.answer.peek().map(|(_, page)| self.row_start(page));
        let rows = self.answer.peek().map_or([].as_slice(), |(_, page)| page.rows.as_slice());
        let mut seen = rows.iter().skip_while(|row| Some(row.first()) < start).take(rows_in_view);
        if !seen.any(|row| (row.first()..=row.last()).contains(&address)) {
            self.go_to(address);
        }
    }

    /// True while rows are on their way.
    pub fn is_waiting(&self) -> bool {
        self.answer.is_waiting()
    }

    /// Takes the wheel.
    pub fn wheel(&mut self, ui: &Ui, rect: Rect) {
        if !ui.rect_contains_pointer(rect) {
            return;
        }
        let mut pixels = self.pixels - ui.input_mut(|input| std::mem::take(&mut input.smooth_scroll_delta.y));
        while pixels < 0.0 && self.up() {
            pixels += ROW;
        }
        while pixels >= ROW && self.down() {
            pixels -= ROW;
        }
        self.pixels = pixels.clamp(0.0, ROW - 1.0);
    }

    /// One row up; false at the start, or where it is not known yet what is there.
    fn up(&mut self) -> bool {
        let Some((_, page)) = self.answer.peek() else { return false };
        let start = self.row_start(page);
        let rows = page.above.iter().copied().chain(page.rows.iter().map(MemoryRow::first));
        let to = rows.filter(|first| *first < start).max();
        self.set_top(to)
    }

    /// One row down; false at the end of what is known.
    fn down(&mut self) -> bool {
        let Some((_, page)) = self.answer.peek() else { return false };
        let start = self.row_start(page);
        let rows = page.above.iter().copied().chain(page.rows.iter().map(MemoryRow::first));
        let to = rows.filter(|first| *first > start).min();
        self.set_top(to)
    }

    fn set_top(&mut self, to: Option<Address>) -> bool {
        if let Some(to) = to {
            (self.top, self.lead) = (to, 0);
        }
        to.is_some()
    }

    /// The first address of the first row in view.
    fn row_start(&self, page: &MemoryPage) -> Address {
        if let Some(first) = page.rows.first().filter(|_| self.lead > 0) {
            return first.first();
        }
        let holds = |row: &&MemoryRow| (row.first()..=row.last()).contains(&self.top);
        page.rows.iter().find(holds).map_or(self.top, MemoryRow::first)
    }

    /// What is in view at a moment (the position, and the one before the last move).
    pub fn poll(&mut self, rect: Rect, wanted: Wanted, cx: &ViewCx<'_>) -> Shown<'_> {
        let Wanted { position, previous, is_compared, row_bytes } = wanted;
        let in_view = (rect.height() / ROW).ceil().max(1.0) as usize + 1;
        let request = MemoryRequest {
            position,
            previous,
            is_compared,
            row_bytes,
            top: self.top,
            lead: self.lead,
            rows_below: in_view + SPARE,
            rows_above: SPARE,
        };
        let answer = self.answer.poll(&request, &cx.desk.worker, |request| {
            let (request, session) = (*request, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| memory_page(&session, &request, cancel)
        });
        let (page, age) = match answer {
            Answer::Fresh(page) => (page, Age::Fresh),
            Answer::Stale(page) => (page, Age::Stale),
            Answer::Late(page) => (page, Age::Late),
            Answer::Loading => return Shown::Loading,
            Answer::Failed(error) => return Shown::Failed(error),
        };
        // Scrolled by a few rows, the old answer still has the rows: they are right, so they are not dimmed.
        let holds_top = |row: &MemoryRow| (row.first()..=row.last()).contains(&self.top);
        let place = page.rows.iter().position(holds_top);
        let first = place.map(|place| if self.lead > 0 && age == Age::Fresh { 0 } else { place });
        let first_bytes = page.rows.iter().find(|row| matches!(row, MemoryRow::Bytes { .. }));
        let is_wide = first_bytes.is_some_and(|row| row.last().0 - row.first().0 + 1 != row_bytes);
        let is_of_other = (page.previous, page.is_compared) != (previous, is_compared);
        let is_wrong = page.position != position || is_of_other || first.is_none() || is_wide;
        let rows = page.rows.get(first.unwrap_or(0)..).unwrap_or_default();
        Shown::Rows { rows, is_late: age == Age::Late && is_wrong, is_of_other, pixels: self.pixels }
    }

    /// An address some bytes further; runs without any access are one step.
    pub fn moved(&self, from: Address, bytes: i64) -> Address {
        let nothing = MemoryPage::default();
        self.answer.peek().map_or(&nothing, |(_, page)| page).moved(from, bytes)
    }

    /// Brings an address into view.
    pub fn reveal(&mut self, address: Address, rows_in_view: u64) {
        let Some((_, page)) = self.answer.peek() else { return };
        let start = self.row_start(page);
        if address < start {
            *self = Self { top: address, lead: 0, pixels: 0.0, answer: std::mem::take(&mut self.answer) };
            return;
        }
        let below = page.rows.iter().filter(|row| row.last() >= start && row.first() <= address).count() as u64;
        if below <= rows_in_view {
            return;
        }
        for _ in rows_in_view..below {
            if !self.down() {
                break;
            }
        }
        self.pixels = 0.0;
    }

    /// The 8 aligned bytes around an address as a number of the traced CPU, when they are known and in view: where a pointer
    /// leads.
    pub fn pointer_at(&self, address: Address, endian: Endian) -> Option<u64> {
        let (_, page) = self.answer.peek()?;
        page.rows.iter().find_map(|row| match row {
            MemoryRow::Bytes { address: first, cells, .. } if (first.0..=row.last().0).contains(&address.0) => {
                let start = usize::try_from((address.0 & !7).checked_sub(first.0)?).ok()?;
                let bytes: Option<Vec<u8>> = cells.get(start..start + 8)?.iter().map(|cell| cell.value).collect();
                let bytes = bytes?.try_into().ok()?;
                Some(if endian == Endian::Big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
            }
            _ => None,
        })
    }
}
