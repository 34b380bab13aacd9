//! Memory as rows of bytes, with a cursor on a byte.

use serde::{Deserialize, Serialize};
use stepback_index::answer::Heap;
use stepback_machine::display::{LaneFormat, LaneKind};
use stepback_machine::{Address, Endian};
use stepback_parsers::Position;

use super::address::AddressValues;
use super::scroll::{MemoryLayout, MemoryScroll};
use super::search::MemorySearch;
use crate::action::{Direction, Follow, MemoryChange, MemoryText};
use crate::desk::{Desk, SessionWatch};
use crate::messages::say;
use crate::model::address_text::{AddressResult, STACK};
use crate::model::byte_detail::ByteDetail;
use crate::model::memory::{ByteCell, MemoryRequest, MemoryRow};
use crate::model::memory_seek::{MemorySearchQuery, MemorySearchTarget, sought_bytes};
use crate::views::ViewStatus;
use crate::worker::Slot;

/// Memory at an address expression.
///
/// Its fields are the settings that layouts keep.
#[derive(Debug, Serialize, Deserialize)]
pub struct MemoryView {
    pub(super) follow: Follow,
    pub(super) address: String,
    /// The expression is evaluated at every move.
    #[serde(default)]
    pub(super) is_following: bool,
    /// Value of the expression when it was entered, or another address that is shown instead.
    #[serde(default)]
    pub(super) held: Option<u64>,
    /// Bytes in a group: 1, 2, 4 or 8.
    pub(super) group: u8,
    /// Bytes in a row: 8, 16, 32 or 64; none: the maximum that fits.
    #[serde(default)]
    width: Option<u8>,
    /// Groups of four and eight bytes are read as floating point.
    #[serde(default)]
    is_float: bool,
    #[serde(default)]
    text: MemoryText,
    #[serde(default)]
    pub(super) compared: Option<Follow>,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    pub(super) state: Box<MemoryState>,
}

/// State that layouts do not keep.
#[derive(Debug, Default)]
pub(super) struct MemoryState {
    pub address: AddressValues,
    pub scroll: MemoryScroll,
    search: MemorySearch,
    /// Details of a byte.
    pub detail: Slot<(Address, Position), ByteDetail>,
    /// The blocks of the heap, requested once per trace.
    pub heap: Slot<(), Heap>,
    /// The byte under the cursor.
    pub cursor: Option<Address>,
    /// The cursor was set elsewhere and is still to be brought into view.
    pub is_revealing: bool,
    /// Layout as of the last poll.
    layout: MemoryLayout,
}

/// A move of the cursor, downwards or to the right if positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryMove {
    Bytes(i64),
    Rows(i64),
    Pages(i64),
    /// To the first address.
    First,
    /// To the last address.
    Last,
}

impl MemoryView {
    /// Creates a view of memory at an address expression, in a window or at a moment.
    pub fn new(follow: Follow, address: String) -> Self {
        let (is_following, held, width, is_float, text) = Default::default();
        let (compared, session, state) = Default::default();
        Self {
            follow,
            address,
            is_following,
            held,
            group: 1,
            width,
            is_float,
            text,
            compared,
            session,
            state,
        }
    }

    /// Creates a view that follows the stack pointer.
    pub fn at_stack(follow: Follow) -> Self {
        Self {
            is_following: true,
            ..Self::new(follow, STACK.to_owned())
        }
    }

    /// Returns the window or moment whose state is shown.
    pub fn follow(&self) -> Follow {
        self.follow
    }

    /// Binds the view to a window or a moment.
    pub fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    /// Shows the stack again, because an address of one trace has no meaning in another. Keeps the
    /// presentation of rows.
    pub fn leave_trace(&mut self) {
        let Self {
            group,
            width,
            is_float,
            text,
            ..
        } = *self;
        *self = Self {
            group,
            width,
            is_float,
            text,
            ..Self::at_stack(self.follow)
        };
    }

    /// Returns the number of bytes in a group.
    pub fn group(&self) -> u8 {
        self.group
    }

    /// Sets the number of bytes in a group. Returns false if groups cannot have that number.
    pub fn group_by(&mut self, bytes: u8) -> bool {
        let is_group = matches!(bytes, 1 | 2 | 4 | 8);
        if is_group {
            self.group = bytes;
        }
        is_group
    }

    /// Returns the chosen number of bytes in a row; none: the maximum that fits.
    pub fn width(&self) -> Option<u8> {
        self.width
    }

    /// Returns the chosen number of bytes in a row, at least a group; none: the maximum that fits.
    pub fn row_bytes(&self) -> Option<usize> {
        self.width.map(|width| usize::from(width.max(self.group)))
    }

    /// Returns the number format of groups; none if bytes are shown.
    pub fn format(&self) -> Option<LaneFormat> {
        let is_number = self.is_float && matches!(self.group, 4 | 8);
        is_number.then(|| LaneFormat::new(LaneKind::Float, self.group))
    }

    /// Returns the encoding of the text after the bytes.
    pub fn text(&self) -> MemoryText {
        self.text
    }

    /// Returns the byte order of the traced CPU.
    pub fn endian(&self, desk: &Desk) -> Endian {
        if desk.session.index.info().is_big_endian {
            Endian::Big
        } else {
            Endian::Little
        }
    }

    /// Changes the presentation of memory, or searches it.
    pub fn change(&mut self, change: &MemoryChange, desk: &Desk) {
        // A search before the first drawing refers to this trace.
        self.look(desk);
        match change {
            MemoryChange::Width(width) => self.width = width.filter(|width| is_width(*width)),
            MemoryChange::Floats => {
                self.is_float = !self.is_float;
                if self.is_float && self.group < 4 {
                    self.group = 8;
                }
            }
            MemoryChange::Text(text) => self.text = *text,
            MemoryChange::Compare(with) => self.compare(*with),
            MemoryChange::ToggleCompare => self.toggle_comparison(desk),
            MemoryChange::GoToChanged(direction) => self.seek(
                MemorySearchTarget::Changed(self.compared_with(desk)),
                *direction,
                desk,
            ),
            MemoryChange::Find(text, direction) => self.find(text, *direction, desk),
            MemoryChange::FindAgain(direction) => match self.state.search.text.clone() {
                Some(text) => self.find(&text, *direction, desk),
                None => self.state.search.message = Some(say!("memory-nothing-yet").to_owned()),
            },
            MemoryChange::StopSeeking => self.stop_search(),
        }
    }

    fn find(&mut self, text: &str, direction: Direction, desk: &Desk) {
        self.state.search.text = Some(text.to_owned());
        match sought_bytes(text, self.group, self.endian(desk)) {
            Ok(bytes) => self.seek(MemorySearchTarget::Bytes(bytes), direction, desk),
            Err(error) => self.state.search.message = Some(error.to_string()),
        }
    }

    fn seek(&mut self, sought: MemorySearchTarget, direction: Direction, desk: &Desk) {
        let (position, from) = (
            desk.windows.position_of(self.follow),
            self.state.cursor.unwrap_or_default(),
        );
        self.state.search.start(MemorySearchQuery {
            sought,
            position,
            from,
            direction,
        });
        self.poll_search(desk);
    }

    /// Returns true while a search is under way.
    pub fn is_searching(&self) -> bool {
        self.state.search.is_pending()
    }

    /// Returns the message of the last search, if it found nothing.
    pub fn message(&self) -> Option<&str> {
        self.state.search.message.as_deref()
    }

    /// Removes the message of the last search.
    pub fn dismiss_message(&mut self) {
        self.state.search.message = None;
    }

    /// Cancels the search and removes its message.
    pub fn stop_search(&mut self) {
        self.state.search.stop();
    }

    /// Goes to the result of a search when it is done.
    pub fn poll_search(&mut self, desk: &Desk) {
        if let Some(address) = self.state.search.poll(desk) {
            self.hold_at(address);
        }
    }

    /// Forgets everything that has no meaning in another trace.
    fn look(&mut self, desk: &Desk) {
        if self.session.is_new(&desk.session) {
            self.state.address.forget();
            self.state.scroll.forget();
            let state = &mut *self.state;
            (state.search, state.detail, state.heap) = Default::default();
        }
    }

    /// Takes answers that arrived and evaluates the expression. Call it once before each drawing. A
    /// new value is shown `lead` rows below the top.
    pub fn poll(&mut self, lead: usize, desk: &Desk) -> Option<AddressResult> {
        self.look(desk);
        if !matches!(self.group, 1 | 2 | 4 | 8) {
            self.group = 1;
        }
        self.width = self.width.filter(|width| is_width(*width));
        self.drop_closed(desk);
        let evaluated = self.evaluate(lead, desk);
        self.poll_search(desk);
        evaluated
    }

    /// Requests the rows that fit.
    pub fn poll_rows(&mut self, layout: MemoryLayout, desk: &Desk) -> ViewStatus {
        self.state.layout = layout;
        if let Some(cursor) = self
            .state
            .cursor
            .filter(|_| std::mem::take(&mut self.state.is_revealing))
        {
            self.state.scroll.jump(cursor, &layout);
        }
        let request = MemoryRequest {
            position: desk.windows.position_of(self.follow),
            previous: self.compared_with(desk),
            is_compared: self.compared.is_some(),
            row_bytes: layout.row_bytes as u64,
            top: self.state.scroll.top,
            lead: self.state.scroll.lead,
            rows_below: layout.rows + layout.spare,
            rows_above: layout.spare,
        };
        let status = self.state.scroll.poll(&request, desk);
        let end = self
            .state
            .scroll
            .end()
            .filter(|_| self.state.cursor == Some(Address(u64::MAX)));
        self.state.cursor = end.or(self.state.cursor);
        status
    }

    /// Returns the rows from the first in sight on, as of the last poll.
    pub fn rows(&self) -> &[MemoryRow] {
        self.state.scroll.rows()
    }

    /// Scrolls by rows, downwards if positive, up to the last loaded row.
    pub fn scroll_rows(&mut self, rows: i16) {
        let direction = if rows < 0 {
            Direction::Back
        } else {
            Direction::Forward
        };
        _ = (0..rows.unsigned_abs()).all(|_| self.state.scroll.step(direction));
    }

    /// Scrolls by pixels, downwards if positive, up to the last loaded row.
    pub fn scroll_pixels(&mut self, pixels: f32, row_height: f32) {
        self.state.scroll.by_pixels(pixels, row_height);
    }

    /// Returns the number of pixels of the first row above the view.
    pub fn pixels(&self) -> f32 {
        self.state.scroll.pixels
    }

    /// Returns the highest address of the loaded rows, which has the most digits.
    pub fn highest(&self) -> Address {
        self.state.scroll.highest()
    }

    /// Returns true while rows are under way.
    pub fn is_waiting(&self) -> bool {
        self.state.scroll.is_waiting()
    }

    /// Returns true if the rows have belonged to an earlier query for so long that the user should
    /// see it.
    pub fn is_late(&self) -> bool {
        self.state.scroll.is_late
    }

    /// Returns true if the rows are compared with another position than the chosen one.
    pub fn is_of_other(&self) -> bool {
        self.state.scroll.is_of_other
    }

    /// Returns a byte of the loaded rows.
    pub fn cell(&self, address: Address) -> Option<&ByteCell> {
        self.state.scroll.page()?.cell(address)
    }

    /// Returns the address of the byte under the cursor.
    pub fn cursor(&self) -> Option<Address> {
        self.state.cursor
    }

    /// Puts the cursor on a byte in sight.
    pub fn set_cursor(&mut self, address: Address) {
        self.state.cursor = Some(address);
    }

    /// Moves the cursor and brings it into view. Runs without any access are one step.
    pub fn move_cursor(&mut self, by: MemoryMove) {
        let Some(cursor) = self.state.cursor else {
            return;
        };
        let MemoryLayout {
            row_bytes, page, ..
        } = self.state.layout;
        let row = i64::try_from(row_bytes.max(8)).unwrap_or(i64::MAX);
        let page_bytes = row.saturating_mul(i64::try_from(page).unwrap_or(i64::MAX));
        let moved = |bytes: i64| {
            self.state
                .scroll
                .page()
                .map_or(cursor, |page| page.moved(cursor, bytes))
        };
        let to = match by {
            MemoryMove::Bytes(count) => moved(count),
            MemoryMove::Rows(count) => moved(row.saturating_mul(count)),
            MemoryMove::Pages(count) => moved(page_bytes.saturating_mul(count)),
            MemoryMove::First => Address(0),
            MemoryMove::Last => Address(u64::MAX),
        };
        self.state.cursor = Some(to);
        self.state.scroll.follow(to, page);
    }
}

/// Returns true for a number of bytes that rows can have.
fn is_width(bytes: u8) -> bool {
    matches!(bytes, 8 | 16 | 32 | 64)
}
