//! Trace windows of a session.

use stepback_index::answer::CallTable;
use stepback_parsers::Position;

use super::{TraceEndChange, TraceWindow};
use crate::action::WindowId;
use crate::action::{Action, Follow, Moment, PanelAction};

/// All trace windows. There is always at least one.
#[derive(Clone, Debug)]
pub struct Windows {
    /// Windows in the order in which they were opened.
    pub list: Vec<TraceWindow>,
    /// Window that keys and the toolbar act on.
    pub active: WindowId,
    /// Moves all windows together, by the same number of steps.
    pub is_synced: bool,
    step_count: u64,
}

impl Windows {
    /// Creates one window at the start of a trace of `step_count` steps.
    pub fn new(step_count: u64) -> Self {
        let first = WindowId(1);
        Self {
            list: vec![TraceWindow::new(first, step_count, Position(0))],
            active: first,
            is_synced: false,
            step_count,
        }
    }

    /// Adapts the windows to another indexed part of the trace. Runs on a worker, on a copy.
    pub fn take_part(&mut self, before: &CallTable, after: &CallTable, to: TraceEndChange) {
        self.step_count = to.step_count;
        self.list
            .iter_mut()
            .for_each(|window| window.take_part(before, after, to));
    }

    /// Returns a window by number.
    pub fn get(&self, id: WindowId) -> Option<&TraceWindow> {
        self.list.iter().find(|window| window.id == id)
    }

    /// Returns a window by number, to change it.
    pub fn get_mut(&mut self, id: WindowId) -> Option<&mut TraceWindow> {
        self.list.iter_mut().find(|window| window.id == id)
    }

    pub fn active(&self) -> &TraceWindow {
        // The list is never empty: `close` keeps the last window.
        self.get(self.active).unwrap_or(&self.list[0])
    }

    /// Returns the active window, to change it.
    pub fn active_mut(&mut self) -> &mut TraceWindow {
        let place = self
            .list
            .iter()
            .position(|window| window.id == self.active)
            .unwrap_or(0);
        &mut self.list[place]
    }

    /// Opens a window under the lowest free number and makes it the active one.
    pub fn open_at(&mut self, position: Position) -> WindowId {
        let mut id = WindowId(1);
        while self.get(id).is_some() {
            id.0 += 1;
        }
        self.ensure(id, position);
        self.active = id;
        id
    }

    /// Ensures that a window of this number exists (a saved layout names it).
    pub fn ensure(&mut self, id: WindowId, position: Position) {
        if self.get(id).is_none() {
            let position = position.min(Position(self.step_count));
            self.list
                .push(TraceWindow::new(id, self.step_count, position));
        }
    }

    /// Closes a window, unless it is the last one or does not exist. Returns true if it was closed.
    pub fn close(&mut self, id: WindowId) -> bool {
        let is_closable = self.list.len() > 1 && self.get(id).is_some();
        if is_closable {
            self.list.retain(|window| window.id != id);
            if let Some(first) = self.list.first().filter(|_| self.active == id) {
                self.active = first.id;
            }
        }
        is_closable
    }

    /// Closes the windows that are not listed, unless that would close all.
    pub fn close_others(&mut self, kept: &[WindowId]) {
        let mut closed: Vec<WindowId> = self.list.iter().map(|window| window.id).collect();
        closed.retain(|id| !kept.contains(id));
        if closed.len() < self.list.len() {
            closed.into_iter().for_each(|id| _ = self.close(id));
        }
    }

    /// Gives the active window the number 1, if no window has it: it keeps its position and its
    /// history.
    pub fn number_active_first(&mut self) {
        const FIRST: WindowId = WindowId(1);
        if self.get(FIRST).is_none() {
            self.active_mut().id = FIRST;
            self.active = FIRST;
        }
    }

    /// Makes a window the active one, if it exists.
    pub fn activate(&mut self, id: WindowId) {
        if self.get(id).is_some() {
            self.active = id;
        }
    }

    /// Returns the window whose moment a panel shows; none for a pinned panel. If the window that a
    /// panel follows is gone, the panel shows the active one's.
    pub fn shown(&self, follow: Follow) -> Option<&TraceWindow> {
        match follow {
            Follow::Active => Some(self.active()),
            Follow::Window(id) => Some(self.followed(id)),
            Follow::Pinned(_) => None,
        }
    }

    /// Returns the window that moves when something in a panel is chosen: the one that it follows,
    /// otherwise the active one.
    pub fn travelling(&self, follow: Follow) -> WindowId {
        self.shown(follow).map_or(self.active, |window| window.id)
    }

    /// Returns the position that a panel shows.
    pub fn position_of(&self, follow: Follow) -> Position {
        match follow {
            Follow::Pinned(moment) => moment.position.min(Position(self.step_count)),
            Follow::Active | Follow::Window(_) => self.followed(self.travelling(follow)).position,
        }
    }

    /// Returns the action needed before a query that refers to what a panel shows. Queries start
    /// from the position of the active window, so the window that the panel follows becomes active.
    /// For a pinned panel, the active window first travels to its moment.
    pub fn start_from(&self, follow: Follow) -> Option<Action> {
        match follow {
            Follow::Active => None,
            Follow::Window(_) => {
                let id = self.travelling(follow);
                (id != self.active).then_some(Action::Panel(PanelAction::Activate(id)))
            }
            Follow::Pinned(moment) => Some(Action::travel(self.active, moment.position)),
        }
    }

    /// Combines a position with the trace of the active window.
    pub fn moment(&self, position: Position) -> Moment {
        Moment {
            trace: self.active().trace,
            position,
        }
    }

    /// Returns the moment that a panel shows, so that the panel can be pinned to it.
    pub fn moment_of(&self, follow: Follow) -> Moment {
        let trace = match follow {
            Follow::Pinned(moment) => moment.trace,
            Follow::Active | Follow::Window(_) => self.followed(self.travelling(follow)).trace,
        };
        Moment {
            trace,
            position: self.position_of(follow),
        }
    }

    /// Returns the position against which a panel shows changes: the same position if it is pinned.
    pub fn previous_of(&self, follow: Follow) -> Position {
        self.shown(follow)
            .map_or_else(|| self.position_of(follow), |window| window.previous)
    }

    /// Returns the window that a panel follows, or the active one if that is gone.
    pub fn followed(&self, id: WindowId) -> &TraceWindow {
        self.get(id).unwrap_or_else(|| self.active())
    }

    /// Returns the two windows that are compared by default: the first two by number.
    pub fn pair(&self) -> Option<(&TraceWindow, &TraceWindow)> {
        let mut ids: Vec<WindowId> = self.list.iter().map(|window| window.id).collect();
        ids.sort();
        Some((self.get(*ids.first()?)?, self.get(*ids.get(1)?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_window_takes_the_lowest_free_number() {
        let mut windows = Windows::new(10);
        assert_eq!(windows.open_at(Position(3)), WindowId(2));
        assert_eq!(windows.open_at(Position(99)), WindowId(3));
        assert!(windows.close(WindowId(2)));
        assert_eq!(
            (windows.open_at(Position(0)), windows.active),
            (WindowId(2), WindowId(2))
        );
        assert_eq!(
            windows.get(WindowId(3)).map(|window| window.position),
            Some(Position(10))
        );
    }

    #[test]
    fn the_last_window_stays() {
        let mut windows = Windows::new(10);
        assert!(!windows.close(WindowId(1)) && !windows.close(WindowId(7)));
        windows.open_at(Position(5));
        assert!(windows.close(WindowId(2)));
        assert_eq!(windows.active().id, WindowId(1));
    }

    #[test]
    fn other_windows_close_unless_none_would_be_left() {
        let mut windows = Windows::new(10);
        windows.open_at(Position(5));
        windows.open_at(Position(6));
        windows.close_others(&[WindowId(7)]);
        assert_eq!(windows.list.len(), 3);
        windows.close_others(&[WindowId(2), WindowId(7)]);
        let left: Vec<u32> = windows.list.iter().map(|window| window.id.0).collect();
        assert_eq!((left, windows.active), (vec![2], WindowId(2)));
    }

    #[test]
    fn the_window_that_is_left_becomes_the_first_at_its_position() {
        let mut windows = Windows::new(10);
        windows.open_at(Position(5));
        windows.number_active_first();
        assert_eq!(windows.active, WindowId(2), "another window is the first");
        assert!(windows.close(WindowId(1)));
        windows.number_active_first();
        assert_eq!(
            (
                windows.active,
                windows.active().id,
                windows.active().position
            ),
            (WindowId(1), WindowId(1), Position(5))
        );
    }

    #[test]
    fn a_panel_whose_window_is_gone_follows_the_active_one() {
        let mut windows = Windows::new(10);
        windows.open_at(Position(5));
        assert_eq!(
            windows.position_of(Follow::Window(WindowId(9))),
            Position(5)
        );
        assert_eq!(windows.position_of(Follow::Pinned(77.into())), Position(10));
        assert_eq!(
            (windows.active, windows.position_of(Follow::Active)),
            (WindowId(2), Position(5))
        );
        windows.activate(WindowId(1));
        assert_eq!(windows.position_of(Follow::Active), Position(0));
        assert_eq!(windows.start_from(Follow::Active), None);
        assert_eq!(
            windows.start_from(Follow::Window(WindowId(2))),
            Some(Action::Panel(PanelAction::Activate(WindowId(2))))
        );
        assert_eq!(
            windows.start_from(Follow::Pinned(3.into())),
            Some(Action::travel(WindowId(1), Position(3)))
        );
        let pair = windows.pair().map(|(first, second)| (first.id, second.id));
        assert_eq!(pair, Some((WindowId(1), WindowId(2))));
    }
}
