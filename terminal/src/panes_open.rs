//! The panes that are open, and which of them has the keyboard.

use super::pane::Pane;
use super::registry;
use stepback_debugger::action::{Direction, PanelId, PanelKind, WindowId};

/// A pane that is open.
pub struct OpenPane {
    /// Its number, which no other pane ever has.
    pub id: PanelId,
    /// What it shows.
    pub pane: Box<dyn Pane>,
    /// The rows that the user gave it; none: as many as it wishes.
    pub rows: Option<u16>,
}

/// All panes, from the top.
pub struct OpenPanes {
    list: Vec<OpenPane>,
    focus: PanelId,
    /// The one that has the keyboard takes the whole screen.
    pub is_zoomed: bool,
    opened: u64,
}

impl OpenPanes {
    /// The first ones: the list of steps, and the general registers.
    pub fn first() -> Self {
        let mut panes = Self {
            list: Vec::new(),
            focus: PanelId(0),
            is_zoomed: false,
            opened: 0,
        };
        panes.add(PanelKind::Trace, WindowId(1));
        panes.add(PanelKind::Registers, WindowId(1));
        panes.focus = PanelId(1);
        panes
    }

    /// All of them, from the top.
    pub fn list(&self) -> &[OpenPane] {
        &self.list
    }

    /// All of them, to be drawn.
    pub fn list_mut(&mut self) -> &mut [OpenPane] {
        &mut self.list
    }

    /// Opens a pane and gives it the keyboard. None where a terminal has none of this kind.
    pub fn add(&mut self, kind: PanelKind, window: WindowId) -> Option<PanelId> {
        let pane = registry::open(kind, window)?;
        Some(self.put(pane))
    }

    /// The same for one that was made. A list of steps stands below the others of its kind, anything else at the end.
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

    /// The pane that has the keyboard.
    pub fn focused(&self) -> Option<&OpenPane> {
        self.list
            .iter()
            .find(|open| open.id == self.focus)
            .or_else(|| self.list.first())
    }

    /// The same, to be changed.
    pub fn focused_mut(&mut self) -> Option<&mut OpenPane> {
        let place = self
            .list
            .iter()
            .position(|open| open.id == self.focus)
            .unwrap_or(0);
        self.list.get_mut(place)
    }

    /// A pane by its number.
    pub fn get_mut(&mut self, id: PanelId) -> Option<&mut OpenPane> {
        self.list.iter_mut().find(|open| open.id == id)
    }

    /// Returns a pane by its number.
    pub fn get(&self, id: PanelId) -> Option<&OpenPane> {
        self.list.iter().find(|open| open.id == id)
    }

    /// Gives a pane the keyboard, if it is open.
    pub fn focus(&mut self, id: PanelId) {
        if self.list.iter().any(|open| open.id == id) {
            self.focus = id;
        }
    }

    /// The number of the pane that has the keyboard.
    pub fn focus_id(&self) -> PanelId {
        self.focused().map_or(PanelId(0), |open| open.id)
    }

    /// Gives the next or last pane the keyboard.
    pub fn focus_next(&mut self, way: Direction) {
        let count = self.list.len().max(1);
        let place = self
            .list
            .iter()
            .position(|open| open.id == self.focus_id())
            .unwrap_or(0);
        let next = match way {
            Direction::Forward => (place + 1) % count,
            Direction::Back => (place + count - 1) % count,
        };
        if let Some(open) = self.list.get(next) {
            self.focus = open.id;
        }
    }

    /// The first pane of a kind, the one that has the keyboard before others.
    pub fn of_kind(&self, kind: PanelKind) -> Option<PanelId> {
        let is_kind = |open: &&OpenPane| open.pane.kind() == kind;
        self.focused()
            .filter(is_kind)
            .or_else(|| self.list.iter().find(is_kind))
            .map(|open| open.id)
    }

    /// The list of steps of a window.
    pub fn of_window(&self, window: WindowId) -> Option<PanelId> {
        self.list
            .iter()
            .find(|open| open.pane.window() == Some(window))
            .map(|open| open.id)
    }

    /// Closes a pane; what stood above it gets the keyboard. None where it is the last list of steps, or none at all.
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
