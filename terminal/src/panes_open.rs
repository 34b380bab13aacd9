//! The open panes and the keyboard focus ([`OpenPanes`]), and the registry of panes, with one row
//! per kind ([`open`]).

use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Direction, PanelId, PanelKind};

use crate::pane::Pane;
use crate::panes::{MemoryPane, RegistersPane, TracePane, open_list};

pub struct OpenPane {
    /// Panel number, unique for the life of the program.
    pub id: PanelId,
    pub pane: Box<dyn Pane>,
    /// Number of rows chosen by the user; none for the pane's own request.
    pub rows: Option<u16>,
}

/// All open panes, from the top.
pub struct OpenPanes {
    list: Vec<OpenPane>,
    focus: PanelId,
    /// True if the focused pane takes the whole screen.
    pub is_zoomed: bool,
    opened: u64,
}

impl OpenPanes {
    /// Creates the initial panes: the step list of a window and the general registers.
    pub fn first(window: WindowId) -> Self {
        let mut panes = Self {
            list: Vec::new(),
            focus: PanelId(0),
            is_zoomed: false,
            opened: 0,
        };
        panes.add(PanelKind::Trace, window);
        panes.add(PanelKind::Registers, window);
        panes.focus = PanelId(1);
        panes
    }

    pub fn list(&self) -> &[OpenPane] {
        &self.list
    }

    pub fn list_mut(&mut self) -> &mut [OpenPane] {
        &mut self.list
    }

    /// Opens a pane and focuses it. Returns none if the terminal has no pane of this kind.
    pub fn add(&mut self, kind: PanelKind, window: WindowId) -> Option<PanelId> {
        let pane = open(kind, window)?;
        Some(self.put(pane))
    }

    /// Inserts a pane and focuses it. Step lists are placed after other step lists, other panes at
    /// the end.
    pub fn put(&mut self, pane: Box<dyn Pane>) -> PanelId {
        self.opened += 1;
        let id = PanelId(self.opened);
        let traces = self
            .list
            .iter()
            .filter(|open| open.pane.window().is_some())
            .count();
        let place = if pane.window().is_some() {
            traces
        } else {
            self.list.len()
        };
        self.list.insert(
            place,
            OpenPane {
                id,
                pane,
                rows: None,
            },
        );
        self.focus = id;
        id
    }

    /// Returns the focused pane.
    pub fn focused(&self) -> Option<&OpenPane> {
        self.list
            .iter()
            .find(|open| open.id == self.focus)
            .or_else(|| self.list.first())
    }

    /// Returns the focused pane for changes.
    pub fn focused_mut(&mut self) -> Option<&mut OpenPane> {
        let place = self
            .list
            .iter()
            .position(|open| open.id == self.focus)
            .unwrap_or(0);
        self.list.get_mut(place)
    }

    pub fn get_mut(&mut self, id: PanelId) -> Option<&mut OpenPane> {
        self.list.iter_mut().find(|open| open.id == id)
    }

    pub fn get(&self, id: PanelId) -> Option<&OpenPane> {
        self.list.iter().find(|open| open.id == id)
    }

    /// Focuses a pane, if it is open.
    pub fn focus(&mut self, id: PanelId) {
        if self.list.iter().any(|open| open.id == id) {
            self.focus = id;
        }
    }

    /// Returns the number of the focused pane.
    pub fn focus_id(&self) -> PanelId {
        self.focused().map_or(PanelId(0), |open| open.id)
    }

    /// Focuses the next or previous pane.
    pub fn focus_next(&mut self, direction: Direction) {
        let count = self.list.len().max(1);
        let place = self
            .list
            .iter()
            .position(|open| open.id == self.focus_id())
            .unwrap_or(0);
        let next = match direction {
            Direction::Forward => (place + 1) % count,
            Direction::Back => (place + count - 1) % count,
        };
        if let Some(open) = self.list.get(next) {
            self.focus = open.id;
        }
    }

    /// Returns the focused pane if it is of a kind, or else the first pane of that kind.
    pub fn of_kind(&self, kind: PanelKind) -> Option<PanelId> {
        let is_kind = |open: &&OpenPane| open.pane.kind() == kind;
        self.focused()
            .filter(is_kind)
            .or_else(|| self.list.iter().find(is_kind))
            .map(|open| open.id)
    }

    /// Returns the step list of a window.
    pub fn of_window(&self, window: WindowId) -> Option<PanelId> {
        self.list
            .iter()
            .find(|open| open.pane.window() == Some(window))
            .map(|open| open.id)
    }

    /// Closes a pane and focuses the one above it. Returns none for the last step list and for
    /// unknown panes.
    pub fn close(&mut self, id: PanelId) -> Option<OpenPane> {
        let place = self.list.iter().position(|open| open.id == id)?;
        let lists = self
            .list
            .iter()
            .filter(|open| open.pane.window().is_some())
            .count();
        let is_list = self
            .list
            .get(place)
            .is_some_and(|open| open.pane.window().is_some());
        if is_list && lists < 2 {
            return None;
        }
        let closed = self.list.remove(place);
        if self.focus == id {
            self.is_zoomed = false;
            self.focus = self
                .list
                .get(place.saturating_sub(1))
                .map_or(PanelId(0), |open| open.id);
        }
        Some(closed)
    }
}

/// Returns true if the terminal has panes of a kind.
pub fn has(kind: PanelKind) -> bool {
    open(kind, WindowId(1)).is_some()
}

/// Opens a pane of a kind; a step list belongs to `window`. Returns none if the terminal has no
/// pane of the kind.
pub fn open(kind: PanelKind, window: WindowId) -> Option<Box<dyn Pane>> {
    match kind {
        PanelKind::Trace => Some(Box::new(TracePane::new(window))),
        PanelKind::Memory => Some(Box::<MemoryPane>::default()),
        PanelKind::Registers => Some(Box::<RegistersPane>::default()),
        _ => open_list(kind),
    }
}
