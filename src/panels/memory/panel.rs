//! Memory at a position.

use std::sync::Arc;

use egui::{Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_index::{Cancel, ThreadId};
use stepback_machine::{Address, Endian};
use stepback_parsers::Position;

use super::foot::{Foot, Scene};
use super::page::Page;
use super::rows::RowsPlace;
use super::{foot, page, rows};
use crate::action::{Access, Action, CellName, Follow, PanelKind, Way, WindowId};
use crate::expression::{AddressSpace, AtPosition, evaluate, shown_address, split_space};
use crate::messages::say;
use crate::model::memory::{ROW_BYTES, aligned, likely_address};
use crate::model::physical::virtual_address;
use crate::panels::ViewCx;
use crate::panels::ask::{Sought, ask_access};
use crate::panels::cursor_list::take_rect;
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{Pen, ROW};
use crate::panels::row::{error_ui, loading_ui, watch_for_late};
use crate::panels::watch::SessionWatch;
use crate::worker::{Answer, Slot};

/// The bar with the address.
const BAR: f32 = 30.0;
/// The line of column numbers.
const HEAD: f32 = 20.0;
/// What the panel shows at first: the stack, also where its pointer lies beside it.
const STACK: &str = "sp";

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
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    pub(super) state: Box<MemoryState>,
}

/// What an address expression says at a position: an address, or what is wrong with it.
pub(super) type Evaluated = Result<u64, String>;

#[derive(Debug, Default)]
pub(super) struct MemoryState {
    /// The expression while it is being typed.
    pub(super) typed: Option<String>,
    value: Slot<(String, Position), Evaluated>,
    /// The position at which the expression was entered, until its value is known.
    entered_at: Option<Position>,
    /// The value that was last scrolled to.
    shown: Option<u64>,
    page: Page,
    foot: Foot,
    /// The byte under the cursor.
    cursor: Option<Address>,
    /// The byte under the pointer in the last frame.
    hovered: Option<Address>,
    /// The byte under the pointer in the frame before.
    last_hovered: Option<Address>,
}

impl MemoryPanel {
    /// Memory at an address expression, at what `follow` says.
    pub fn new(follow: Follow, address: String) -> Self {
        let (session, state) = Default::default();
        Self { follow, address, is_following: false, held: None, group: 1, session, state }
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
        if let Some(held) = self.held.filter(|_| !self.is_following) {
            return Some(Ok(held));
        }
        let here = cx.windows.position_of(self.follow);
        let position = self.state.entered_at.filter(|_| !self.is_following).unwrap_or(here);
        let key = (self.address.clone(), position);
        let answer = self.state.value.poll(&key, cx.worker, |(text, position)| {
            let (text, position, session) = (text.clone(), *position, Arc::clone(cx.session));
            move |cancel: &Cancel| {
                let names = AtPosition::new(&session.index, &session.images, position, None, cancel);
                let (space, expression) = split_space(&text);
                let value = match likely_address(&session, expression, cancel)? {
                    Some(address) => Ok(address),
                    None => match evaluate(expression, &names) {
                        Err(error) if error.behind().is_some() => return Err(error.into()),
                        // Addresses are shown without `0x`, and typed so too.
                        Err(error) => shown_address(expression).ok_or_else(|| error.to_string()),
                        Ok(value) => Ok(value),
                    },
                };
                Ok(match value {
                    Ok(physical) if space == AddressSpace::Physical => {
                        let found = virtual_address(&session, Address(physical), position, cancel)?;
                        found.map(|address| address.0)
                    }
                    Ok(pointer) if text == STACK => Ok(session.index.instruction_set(ThreadId(0)).stack_end(pointer)),
                    value => value,
                })
            }
        });
        if let Answer::Fresh(value) = &answer {
            self.held = value.as_ref().ok().copied();
            self.state.entered_at = None;
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
        let position = cx.windows.position_of(self.follow);
        let previous = cx.windows.previous_of(self.follow);
        let pen = Pen::new(ui, body, cx.tok);
        let list = Rect::from_min_max(body.min + vec2(0.0, HEAD), body.max);
        self.state.page.wheel(ui, list);
        self.state.last_hovered = self.state.hovered.take();
        let mut page = std::mem::take(&mut self.state.page);
        match page.poll(list, position, previous, cx) {
            page::Shown::Rows { rows, is_late, pixels } => {
                let pen = if is_late { pen.faded() } else { pen };
                let foot = std::mem::take(&mut self.state.foot);
                let detail = self.state.last_hovered.and_then(|address| foot.known(address));
                let view = rows::RowsView { detail, ..self.rows_view(cx) };
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
            cursor: self.state.cursor,
            endian: endian_of(cx),
            detail: None,
        }
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
            if key == PanelKey::Follow {
                self.is_following = !self.is_following;
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
                PanelKey::Copy => out.push(Action::Copy(format!("{cursor}"))),
                PanelKey::ShowMemory => {
                    let pointer = self.state.page.pointer_at(cursor, endian_of(cx));
                    out.extend(pointer.map(|to| Action::ShowMemory(format!("{to:#x}"))))
                }
                _ => self.move_cursor(cursor, key, body),
            }
        }
    }

    fn move_cursor(&mut self, cursor: Address, key: PanelKey, body: Rect) {
        let rows_in_view = ((body.height() - HEAD) / ROW).max(2.0) as u64 - 1;
        let steps = match key {
            PanelKey::Left => -1,
            PanelKey::Right => 1,
            PanelKey::Up => -(ROW_BYTES as i64),
            PanelKey::Down => ROW_BYTES as i64,
            PanelKey::PageUp => -((rows_in_view * ROW_BYTES) as i64),
            PanelKey::PageDown => (rows_in_view * ROW_BYTES) as i64,
            _ => return,
        };
        let to = self.state.page.moved(cursor, steps);
        self.state.cursor = Some(to);
        self.state.page.reveal(to, rows_in_view);
    }
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
        *self = Self { group: self.group, ..Self::at_stack(self.follow) };
    }

    /// The bytes under the cursor: as many as a group has.
    fn selection(&self, _: &ViewCx<'_>) -> Option<CellName> {
        self.state.cursor.map(|address| self.cell_at(address, u64::from(self.group.max(1))))
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(cx.session) {
            *self.state = MemoryState::default();
        }
        if !matches!(self.group, 1 | 2 | 4 | 8) {
            self.group = 1;
        }
        let rect = take_rect(ui);
        let asked = out.len();
        let evaluated = self.evaluate(cx);
        self.go_to_value(evaluated.as_ref());
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.bar_ui(ui, bar, evaluated.as_ref(), cx);
        let foot_height = foot::height(cx.session);
        let foot_height = if rest.height() > HEAD + foot_height + ROW { foot_height } else { 0.0 };
        let (body, foot) = rest.split_top_bottom_at_y(rest.bottom() - foot_height);
        self.keys(ui, body, cx, out);
        self.body_ui(ui, body, cx, out);
        if foot_height > 0.0 {
            let shown = self.state.hovered.or(self.state.cursor);
            self.state.foot.ui(ui, foot, shown, Scene { cx, follow: self.follow }, out);
        }
        if out.iter().skip(asked).any(|action| matches!(action, Action::GoToAccess(..))) {
            self.hold();
        }
    }
}

/// The byte order of the traced CPU.
fn endian_of(cx: &ViewCx<'_>) -> Endian {
    if cx.session.index.info().is_big_endian { Endian::Big } else { Endian::Little }
}

/// The left edge of a byte in a row, from the left edge of the panel.
pub(super) fn byte_left(place: usize, group: usize, address_width: f32) -> f32 {
    let start = address_width + 24.0;
    let half = if place >= 8 { 6.0 } else { 0.0 };
    if group == 1 {
        return start + 18.0 * place as f32 + half;
    }
    // Bytes of a group stand close; a group begins where its first byte would alone.
    let first = place / group * group;
    start + 18.0 * first as f32 + half + 15.0 * (place - first) as f32
}

/// Where the text of a row begins.
pub(super) fn text_left(address_width: f32) -> f32 {
    address_width + 24.0 + 18.0 * 16.0 + 6.0 + 8.0
}

/// The middle of a row's left edge.
pub(super) fn left_middle(rect: Rect) -> egui::Pos2 {
    pos2(rect.left(), rect.center().y)
}
