//! The registers of a group at a position, the formats of their values, and the cursor on them.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_index::answer::ThreadId;
use stepback_machine::RegisterGroup;
use stepback_machine::display::{LaneFormat, LaneKind};
use stepback_parsers::Position;

use super::grid::{GridLayout, RegisterGrid};
use crate::action::{Action, CellName, Follow, RegisterFormat, ViewAction};
use crate::analysis::register_part::RegisterPart;
use crate::desk::{Desk, SessionWatch};
use crate::messages::say;
use crate::model::register_detail::RegisterDetail;
use crate::model::register_format::{RegisterReading, RegisterStyle};
use crate::model::registers::{
    BoardRequest, RegisterBoard, RegisterCell, register_board, short_title,
};
use crate::views::ViewStatus;
use crate::views::registers::cursor::PointedValue;
use crate::worker::Slot;

/// The registers of a group.
#[derive(Serialize, Deserialize)]
pub struct RegistersView {
    /// Window or moment whose state is shown.
    pub follow: Follow,
    /// Group that was chosen.
    #[serde(default = "general_registers")]
    pub group: RegisterGroup,
    /// Name of the thread whose registers are shown; none: the one that executes at the position.
    #[serde(default)]
    pub thread: Option<String>,
    /// Part of the names of the registers that are listed.
    #[serde(default)]
    pub filter: String,
    /// Lane formats that were chosen.
    #[serde(default)]
    formats: Vec<(RegisterGroup, LaneFormat)>,
    /// Format of values that have no lane format.
    #[serde(default)]
    direction: RegisterFormat,
    /// Shows only the lower halves of 64-bit registers.
    #[serde(default)]
    is_half: bool,
    /// Titles below which further registers are shown.
    #[serde(default)]
    open_groups: Vec<String>,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    pub(super) state: Box<RegistersState>,
}

#[derive(Default)]
pub(super) struct RegistersState {
    pub(super) board: Slot<BoardRequest, Arc<RegisterBoard>>,
    /// Writes of the described register.
    pub(super) detail: Slot<(RegisterPart, Position), RegisterDetail>,
    pub(super) write_columns: Slot<(RegisterPart, ThreadId, u32), Vec<u32>>,
    pub(super) write_count: Slot<(RegisterPart, ThreadId), u64>,
    pub(super) pointed: PointedValue,
    /// Name of the register, lane or title under the cursor.
    pub(super) cursor: Option<String>,
    /// The cursor is still to be brought into view.
    pub(super) is_revealing: bool,
    /// Register that is described instead of the one under the cursor, since the trace changed it.
    pub(super) attended: Option<String>,
}

fn general_registers() -> RegisterGroup {
    RegisterGroup::Core
}

impl Default for RegistersView {
    fn default() -> Self {
        Self::new(Follow::Active)
    }
}

impl RegistersView {
    /// Creates a view of the general registers at the position that `follow` denotes.
    pub fn new(follow: Follow) -> Self {
        Self {
            follow,
            group: general_registers(),
            thread: None,
            filter: String::new(),
            formats: Vec::new(),
            direction: RegisterFormat::default(),
            is_half: false,
            open_groups: Vec::new(),
            session: SessionWatch::default(),
            state: Box::default(),
        }
    }

    /// Shows the next group that the thread has.
    pub fn next_group(&mut self) {
        if let Some(board) = self.board() {
            self.group = after(&board.available, &board.group);
        }
    }

    /// Drops a group that was chosen in another trace, if this one does not have it.
    pub fn forget_missing_group(&mut self) {
        let shown = self
            .board()
            .filter(|board| !board.available.contains(&self.group))
            .map(|board| board.group);
        self.group = shown.unwrap_or(self.group);
    }

    /// Returns the formats of the values of a group.
    pub fn reading(&self, group: RegisterGroup) -> RegisterReading {
        let chosen = self
            .formats
            .iter()
            .find(|(of, _)| *of == group)
            .map(|(_, format)| *format);
        let lanes = chosen.or_else(|| group.lane_formats().first().copied());
        RegisterReading {
            lanes,
            shown_as: RegisterStyle {
                format: self.direction,
                is_half: self.is_half,
            },
        }
    }

    /// Chooses other lanes for the values of the group, if it has such lanes.
    pub fn choose_lanes(&mut self, format: LaneFormat) {
        if self.group.lane_formats().contains(&format) {
            self.formats.retain(|(of, _)| *of != self.group);
            self.formats.push((self.group, format));
        }
    }

    /// Chooses another format for values: for the lanes, or for whole registers if the group has no
    /// lanes.
    fn choose_format(&mut self, direction: RegisterFormat) {
        let kind = match direction {
            RegisterFormat::Hex | RegisterFormat::Text => LaneKind::Hex,
            RegisterFormat::Unsigned => LaneKind::Unsigned,
            RegisterFormat::Signed => LaneKind::Signed,
            RegisterFormat::Float => LaneKind::Float,
        };
        match self.reading(self.group).lanes {
            Some(lanes) => self.choose_lanes(LaneFormat { kind, ..lanes }),
            None => self.direction = direction,
        }
    }

    /// Chooses the next format that the group has.
    pub fn next_format(&mut self) {
        let Some(group) = self.board().map(|board| board.group) else {
            return;
        };
        match self.reading(group).lanes {
            Some(format) => self.choose_lanes(after(group.lane_formats(), &format)),
            None => self.direction = after(&RegisterFormat::ALL, &self.direction),
        }
    }

    /// Applies an action that is meant for registers. Returns false if it is not.
    pub fn take(&mut self, action: &Action) -> bool {
        let Action::View(action) = action else {
            return false;
        };
        match action {
            ViewAction::ShowRegisters(group) | ViewAction::NewRegisters(group) => {
                self.group = *group
            }
            ViewAction::ReadLanes(format) => self.choose_lanes(*format),
            ViewAction::FormatRegisters(direction) => self.choose_format(*direction),
            ViewAction::HalveRegisters => self.is_half ^= true,
            ViewAction::FilterRegisters(text) => text.trim().clone_into(&mut self.filter),
            ViewAction::SelectCell(CellName::Register(name)) if self.has_register(name) => {
                self.select(name)
            }
            _ => return false,
        }
        true
    }

    /// Takes registers that arrived and requests those of the position. Call it once before each
    /// drawing.
    ///
    /// # Errors
    /// The status to show instead, if there are no registers.
    pub fn poll(&mut self, desk: &Desk) -> Result<Arc<RegisterBoard>, ViewStatus> {
        if self.session.is_new(&desk.session) {
            let state = &mut *self.state;
            (state.detail, state.write_columns, state.write_count) = Default::default();
            state.attended = None;
            self.state.board.clear();
            self.state.pointed.forget();
            // Drop a choice that was made in another trace if this one has no such thread.
            self.thread
                .take_if(|name| desk.session.index.thread_by_name(name).is_none());
        }
        let request = BoardRequest {
            group: self.group,
            thread: self.thread.clone(),
            position: desk.windows.position_of(self.follow),
            previous: desk.windows.previous_of(self.follow),
        };
        let answer = self.state.board.poll(&request, &desk.worker, |request| {
            let (request, session) = (request.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| register_board(&session, &request, cancel).map(Arc::new)
        });
        let board = ViewStatus::of_answer(&answer)?;
        self.open_title_of_cursor(&board);
        Ok(board)
    }

    /// Returns true while registers are under way.
    pub fn is_waiting(&self) -> bool {
        self.state.board.is_waiting()
    }

    /// Returns true if the registers have belonged to an earlier query for so long that the user
    /// should see it.
    pub fn is_late(&self) -> bool {
        self.state.board.is_late()
    }

    /// Returns the registers as of the last poll.
    pub(super) fn board(&self) -> Option<&RegisterBoard> {
        self.state.board.peek().map(|(_, board)| &**board)
    }

    /// Returns the registers as of the last poll, if they were read for the chosen group. A thread
    /// without that group has another one instead.
    pub fn board_of_group(&self) -> Option<&RegisterBoard> {
        let (request, board) = self.state.board.peek()?;
        (request.group == self.group).then_some(board)
    }

    /// Returns the name of the group that is shown.
    pub fn title(&self) -> &'static str {
        match self
            .board_of_group()
            .map_or(self.group, |board| board.group)
        {
            RegisterGroup::Core => say!("tab-registers"),
            group => short_title(group),
        }
    }

    /// Returns the registers that match the filter.
    pub fn filtered<'a>(&self, board: &'a RegisterBoard) -> Cow<'a, RegisterBoard> {
        if self.filter.trim().is_empty() {
            return Cow::Borrowed(board);
        }
        let mut board = board.clone();
        board.filter(&self.filter);
        (board.pc, board.psr, board.groups) = (None, None, Vec::new());
        Cow::Owned(board)
    }

    /// Lays out `own` registers of a board, and below them those under its titles.
    pub fn grid<L: GridLayout>(
        &self,
        own: &[&RegisterCell],
        board: &RegisterBoard,
        layout: &L,
    ) -> RegisterGrid<L::Row> {
        RegisterGrid::new(own, &board.groups, &self.open_groups, layout)
    }

    /// Returns true if registers are shown below a title.
    pub fn is_open(&self, title: &str) -> bool {
        self.open_groups.iter().any(|open| open == title)
    }

    /// Shows the registers below a title, or hides them.
    pub fn toggle_title(&mut self, title: &str) {
        if self.is_open(title) {
            self.open_groups.retain(|open| open != title);
        } else {
            self.open_groups.push(title.to_owned());
        }
    }

    pub(super) fn is_title(&self, name: &str) -> bool {
        self.board()
            .is_some_and(|board| board.groups.iter().any(|section| section.title == name))
    }

    fn has_register(&self, name: &str) -> bool {
        self.board().is_none_or(|board| board.part(name).is_some())
    }

    /// Returns a register of the view as commands name it.
    pub fn cell_name(&self, register: &str) -> CellName {
        CellName::Register(match &self.thread {
            Some(thread) => format!("{register} of {thread}"),
            None => register.to_owned(),
        })
    }
}

/// Returns the item after another in a list; the first one after the last.
fn after<T: Copy + PartialEq>(list: &[T], item: &T) -> T {
    let place = list
        .iter()
        .position(|other| other == item)
        .map_or(0, |place| place + 1);
    list.get(place).or(list.first()).copied().unwrap_or(*item)
}
