//! Memory at a position.

use std::sync::Arc;

use egui::{Rect, Ui, vec2};
use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_machine::{Address, Endian};
use stepback_parsers::Position;

use super::change::{Seeking, is_width};
use super::foot::{Foot, Scene};
use super::page::{Page, Wanted};
use super::rows::RowsPlace;
use super::shape::{BESIDE, Shape};
use super::{foot, page, rows};
use crate::panels::ViewCx;
use crate::panels::ask::{Sought, ask_access};
use crate::panels::cursor_list::take_rect;
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{ADVANCE, INSET, Pen, ROW};
use crate::panels::row::{error_ui, loading_ui, watch_for_late};
use stepback_debugger::action::{
    Access, Action, AppAction, CellName, Follow, MemoryChange, MemoryText, PanelKind, TravelAction, ViewAction, Way,
    WindowId,
};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::expression::shown_address;
use stepback_debugger::messages::say;
use stepback_debugger::model::address_text::{Evaluated, STACK, address_of};
use stepback_debugger::model::memory::aligned;
use stepback_debugger::model::text::address_digits;
use stepback_debugger::worker::{Answer, Slot};

/// The bar with the address.
const BAR: f32 = 30.0;
/// The line of column numbers.
const HEAD: f32 = 20.0;

/// Memory as hex and text.
#[derive(Debug, Serialize, Deserialize)]
pub struct MemoryPanel {
    /// What it shows the state at.
    pub follow: Follow,
    /// Where it begins: an address expression.
    pub address: String,
    /// The expression is evaluated anew wherever its position goes. Otherwise the address that it meant
    /// when it was entered stays, so that what the user looks at does not move away.
    #[serde(default)]
    pub is_following: bool,
    /// The address that the expression meant when it was entered.
    #[serde(default)]
    held: Option<u64>,
    /// Bytes in a group: 1, 2, 4 or 8.
    pub group: u8,
    /// Bytes in a row: 8, 16, 32 or 64; none: as many as there is room for.
    #[serde(default)]
    pub(super) width: Option<u8>,
    /// Groups of four and eight bytes are read as floating point.
    #[serde(default)]
    pub(super) is_float: bool,
    /// What stands behind the bytes.
    #[serde(default)]
    pub(super) text: MemoryText,
    /// What differs from here is marked; none: from the position before the last move.
    #[serde(default)]
    pub(super) compared: Option<Follow>,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    pub(super) state: Box<MemoryState>,
}

#[derive(Debug, Default)]
pub(super) struct MemoryState {
    /// The expression while it is being typed.
    pub(super) typed: Option<String>,
    /// What is looked for.
    pub(super) seeking: Seeking,
    /// Comparing is to begin or to end.
    pub(super) is_toggling: bool,
    /// Bytes in a row, as they were shown last.
    row_bytes: usize,
    value: Slot<(String, Position), Evaluated>,
    /// What the expression means where the panel stands, while it holds an address.
    here: Slot<(String, Position), Evaluated>,
    /// The address that is held is what the expression means here: the field may say so.
    pub(super) is_meant: bool,
    /// The position at which the expression was entered, until its value is known.
    entered_at: Option<Position>,
    /// The value that was last scrolled to.
    shown: Option<u64>,
    page: Page,
    foot: Foot,
    /// The byte under the cursor.
    pub(super) cursor: Option<Address>,
    /// The cursor was set elsewhere, and is still to be brought into view.
    pub(super) is_revealing: bool,
    /// The byte under the pointer in the last frame.
    hovered: Option<Address>,
    /// The byte under the pointer in the frame before.
    last_hovered: Option<Address>,
}

impl MemoryPanel {
    /// Memory at an address expression, at what `follow` says.
    pub fn new(follow: Follow, address: String) -> Self {
        let (session, state) = Default::default();
        let (width, is_float, text, compared) = Default::default();
        Self {
            follow,
            address,
            is_following: false,
            held: None,
            group: 1,
            width,
            is_float,
            text,
            compared,
            session,
            state,
        }
    }

    /// Memory around the stack pointer, wherever that goes.
    pub fn at_stack(follow: Follow) -> Self {
        Self { is_following: true, ..Self::new(follow, STACK.to_owned()) }
    }

    /// Shows what an expression means at a position.
    pub fn show(&mut self, address: &str, position: Position) {
        address.trim().clone_into(&mut self.address);
        self.is_following = false;
        self.held = None;
        self.state.entered_at = Some(position);
        // The same value again scrolls back to it.
        self.state.shown = None;
    }

    /// Puts the cursor on an address, and brings it into view.
    pub fn select(&mut self, address: &str) {
        if let Some(address) = shown_address(address) {
            self.stand_at(Address(address));
        }
    }

    /// Holds an address and brings it into view, whatever the expression means.
    pub(super) fn stand_at(&mut self, address: Address) {
        self.is_following = false;
        // What is seen stays where it is as far as it can: the value counts as scrolled to.
        (self.held, self.state.shown) = (Some(address.0), Some(address.0));
        self.state.is_meant = false;
        (self.state.cursor, self.state.is_revealing) = (Some(address), true);
    }

    /// What the field says: the expression where it means what is shown, else the address that is.
    pub(super) fn field_text(&self) -> String {
        match self.held.filter(|_| !self.is_following && !self.state.is_meant) {
            Some(held) => format!("{held:x}"),
            None => self.address.clone(),
        }
    }

    /// Stays where it is: after a question about a byte the byte should still be found here.
    pub fn hold(&mut self) {
        if self.is_following {
            self.is_following = false;
            self.held = self.state.shown;
        }
    }

    /// What the expression says; none while nothing is known. An expression that means nothing here
    /// is tried again wherever the position goes.
    fn evaluate(&mut self, cx: &ViewCx<'_>) -> Option<Evaluated> {
        let here = cx.desk.windows.position_of(self.follow);
        if let Some(held) = self.held.filter(|_| !self.is_following) {
            let answer = poll_value(&mut self.state.here, &self.address, here, cx);
            if let Some(value) = answer.any() {
                self.state.is_meant = *value == Ok(held);
            }
            return Some(Ok(held));
        }
        let position = self.state.entered_at.filter(|_| !self.is_following).unwrap_or(here);
        let answer = poll_value(&mut self.state.value, &self.address, position, cx);
        if let Answer::Fresh(value) = &answer {
            self.held = value.as_ref().ok().copied();
            self.state.entered_at = None;
            // Until it is known what the expression means elsewhere.
            self.state.is_meant = true;
        }
        match answer {
            Answer::Failed(error) => Some(Err(error.to_owned())),
            answer => answer.any().cloned(),
        }
    }

    /// Scrolls when the value of the expression is another one; the user may scroll away from it.
    fn go_to_value(&mut self, evaluated: Option<&Evaluated>) {
        let Some(Ok(value)) = evaluated else { return };
        if self.state.shown != Some(*value) {
            self.state.shown = Some(*value);
            self.state.cursor = Some(Address(*value));
            self.state.page.go_to(Address(*value));
        }
    }

    fn body_ui(&mut self, ui: &mut Ui, body: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let position = cx.desk.windows.position_of(self.follow);
        let previous = self.compared_with(cx);
        let pen = Pen::new(ui, body, cx.tok);
        let list = Rect::from_min_max(body.min + vec2(0.0, HEAD), body.max);
        self.state.page.wheel(ui, list);
        if std::mem::take(&mut self.state.is_revealing)
            && let Some(cursor) = self.state.cursor
        {
            self.state.page.show(cursor, (list.height() / ROW).max(1.0) as usize);
        }
        self.state.last_hovered = self.state.hovered.take();
        let mut page = std::mem::take(&mut self.state.page);
        self.state.row_bytes = self.row_bytes(&page, body, cx);
        let is_compared = self.compared.is_some();
        let row_bytes = self.state.row_bytes as u64;
        match page.poll(list, Wanted { position, previous, is_compared, row_bytes }, cx) {
            page::Shown::Rows { rows, is_late, is_of_other, pixels } => {
                let pen = if is_late { pen.faded() } else { pen };
                let foot = std::mem::take(&mut self.state.foot);
                let detail = self.state.last_hovered.and_then(|address| foot.known(address));
                let block = detail.and_then(|detail| foot.block(&cx.desk.session, detail.address, position));
                let compared = self.compared_words(cx).filter(|_| !is_of_other);
                let (block, compared) = (block.as_deref(), compared.as_deref());
                let view = rows::RowsView { detail, block, compared, ..self.rows_view(cx) };
                let mut touched = rows::Touched::default();
                rows::rows_ui(ui, RowsPlace { pen: &pen, rows, pixels, body, list }, view, &mut touched, out);
                self.state.foot = foot;
                self.apply(touched, cx, out);
            }
            page::Shown::Loading => loading_ui(&pen, body),
            page::Shown::Failed(error) => error_ui(ui, &pen, body, error, out),
        }
        if page.is_waiting() {
            watch_for_late(ui);
        }
        self.state.page = page;
    }

    fn rows_view<'a>(&self, cx: &'a ViewCx<'a>) -> rows::RowsView<'a> {
        rows::RowsView {
            cx,
            follow: self.follow,
            group: usize::from(self.group),
            is_float: self.is_float,
            row_bytes: self.state.row_bytes.max(8),
            text: self.text,
            compared: None,
            block: None,
            cursor: self.state.cursor,
            endian: endian_of(cx),
            detail: None,
        }
    }

    /// How many bytes a row has: as chosen, else as there is room for.
    fn row_bytes(&self, page: &Page, body: Rect, cx: &ViewCx<'_>) -> usize {
        let least = usize::from(self.group);
        if let Some(width) = self.width {
            return usize::from(width).max(least);
        }
        let address = ADVANCE * address_digits(page.highest()) as f32;
        let shape = Shape { bytes: 16, group: least, is_float: self.is_float, address };
        let beside = if cx.desk.session.images.is_empty() { INSET } else { BESIDE };
        shape.widest(body.width(), beside).bytes
    }

    fn apply(&mut self, touched: rows::Touched, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        self.state.hovered = touched.hovered;
        if touched.clicked.is_some() {
            self.state.cursor = touched.clicked;
        }
        if let Some(address) = touched.double_clicked {
            let cell = self.cell_at(address, u64::from(self.group));
            ask_access(cx, self.follow, cell, Sought { access: Access::Write, way: Way::Back }, out);
        }
    }

    fn cell_at(&self, address: Address, len_bytes: u64) -> CellName {
        CellName::Memory(format!("{}", aligned(address, len_bytes)), len_bytes)
    }

    fn keys(&mut self, ui: &Ui, body: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            match key {
                PanelKey::Follow => self.is_following = !self.is_following,
                PanelKey::Compare => self.state.is_toggling = true,
                PanelKey::NextChange => self.change(MemoryChange::GoToChanged(Way::Forward)),
                PanelKey::LastChange => self.change(MemoryChange::GoToChanged(Way::Back)),
                _ => {}
            }
            let Some(cursor) = self.state.cursor else { continue };
            let group = u64::from(self.group);
            let mut ask = |len_bytes, way| {
                ask_access(
                    cx,
                    self.follow,
                    self.cell_at(cursor, len_bytes),
                    Sought { access: Access::Write, way },
                    out,
                );
            };
            match key {
                PanelKey::Bytes(len_bytes) => ask(u64::from(len_bytes), Way::Back),
                PanelKey::Enter => ask(group, Way::Back),
                PanelKey::ShiftEnter => ask(group, Way::Forward),
                PanelKey::Copy => out.push(Action::App(AppAction::Copy(format!("{cursor}")))),
                PanelKey::ShowMemory => {
                    let pointer = self.state.page.pointer_at(cursor, endian_of(cx));
                    out.extend(pointer.map(|to| Action::View(ViewAction::ShowMemory(format!("{to:#x}")))))
                }
                _ => self.move_cursor(cursor, key, body),
            }
        }
    }

    fn move_cursor(&mut self, cursor: Address, key: PanelKey, body: Rect) {
        let rows_in_view = ((body.height() - HEAD) / ROW).max(2.0) as u64 - 1;
        let row_bytes = self.state.row_bytes.max(8) as i64;
        let steps = match key {
            PanelKey::Left => -1,
            PanelKey::Right => 1,
            PanelKey::Up => -row_bytes,
            PanelKey::Down => row_bytes,
            PanelKey::PageUp => -(rows_in_view as i64 * row_bytes),
            PanelKey::PageDown => rows_in_view as i64 * row_bytes,
            _ => return,
        };
        let to = self.state.page.moved(cursor, steps);
        self.state.cursor = Some(to);
        self.state.page.reveal(to, rows_in_view);
    }
}

/// Asks what an expression means at a position.
fn poll_value<'a>(
    slot: &'a mut Slot<(String, Position), Evaluated>,
    text: &str,
    position: Position,
    cx: &ViewCx<'_>,
) -> Answer<'a, Evaluated> {
    slot.poll(&(text.to_owned(), position), &cx.desk.worker, |(text, position)| {
        let (text, position, session) = (text.clone(), *position, Arc::clone(&cx.desk.session));
        move |cancel: &Cancel| address_of(&session, &text, position, cancel)
    })
}

impl Panel for MemoryPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::at_stack(Follow::Active)
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Memory
    }

    fn title(&self) -> String {
        say!("memory-memory").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn is_pinnable(&self) -> bool {
        true
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn has_cells(&self) -> bool {
        true
    }

    /// Forgets the address of another trace.
    /// An address of one trace means nothing in another.
    fn leave_trace(&mut self) {
        let Self { group, width, is_float, text, .. } = *self;
        *self = Self { group, width, is_float, text, ..Self::at_stack(self.follow) };
    }

    /// The bytes under the cursor: as many as a group has.
    fn selection(&self, _: &ViewCx<'_>) -> Option<CellName> {
        self.state.cursor.map(|address| self.cell_at(address, u64::from(self.group.max(1))))
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            *self.state = MemoryState::default();
        }
        if !matches!(self.group, 1 | 2 | 4 | 8) {
            self.group = 1;
        }
        self.width = self.width.filter(|width| is_width(*width));
        self.drop_closed(cx);
        let rect = take_rect(ui);
        let asked = out.len();
        let evaluated = self.evaluate(cx);
        self.go_to_value(evaluated.as_ref());
        self.take_toggle(cx);
        let before = self.state.cursor;
        self.seek(cx);
        if self.state.cursor != before {
            // What "last write" means is looked at when a frame begins.
            ui.ctx().request_repaint();
        }
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.bar_ui(ui, bar, evaluated.as_ref(), cx, out);
        let foot_height = foot::height(&cx.desk.session);
        let foot_height = if rest.height() > HEAD + foot_height + ROW { foot_height } else { 0.0 };
        let (body, foot) = rest.split_top_bottom_at_y(rest.bottom() - foot_height);
        self.keys(ui, body, cx, out);
        self.body_ui(ui, body, cx, out);
        if foot_height > 0.0 {
            let shown = self.state.hovered.or(self.state.cursor);
            self.state.foot.ui(ui, foot, shown, Scene { cx, follow: self.follow }, out);
        }
        if out.iter().skip(asked).any(|action| matches!(action, Action::Travel(TravelAction::GoToAccess(..)))) {
            self.hold();
        }
    }
}

/// The byte order of the traced CPU.
pub(super) fn endian_of(cx: &ViewCx<'_>) -> Endian {
    if cx.desk.session.index.info().is_big_endian { Endian::Big } else { Endian::Little }
}
