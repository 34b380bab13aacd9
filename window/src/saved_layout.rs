//! Panels and trace windows saved by the last run.

use egui::Vec2;
use egui_tiles::TileId;
use stepback_parsers::Position;

use super::kept_layout;
use super::layout::{self, Dock};
use super::torn_place::TornWindowPlace;
use crate::panels::Pane;
use stepback_debugger::action::{Moment, PanelKind, TraceId, WindowId};
use stepback_debugger::desk::SavedSession;
use stepback_debugger::notes::SessionWindow;

/// Saved panels and trace windows.
pub struct SavedLayout {
    /// The panels with their bindings.
    pub dock: Dock,
    /// Panels in separate windows, with the known places of those windows.
    pub torn: Vec<(TileId, TornWindowPlace)>,
    /// Trace windows and their positions.
    pub positions: Vec<(WindowId, Moment)>,
    pub active: WindowId,
}

/// Restores the panels and windows. If the panels are missing or unreadable, returns the initial
/// ones for a window of a size.
pub fn layout_of(kept: &SavedSession, size: Vec2) -> Option<SavedLayout> {
    let file = kept.file.as_ref()?;
    let moment = |position| Moment {
        trace: TraceId::default(),
        position,
    };
    let place =
        |window: &SessionWindow| (WindowId(window.number), moment(Position(window.position)));
    let positions: Vec<_> = file.windows.iter().map(place).collect();
    let read = if file.panels.is_empty() {
        None
    } else {
        kept_layout::read_all(&file.panels)
    };
    let (dock, torn) = read.unwrap_or_else(|| (first_with(&positions, size), Vec::new()));
    Some(SavedLayout {
        dock,
        torn,
        positions,
        active: WindowId(file.active),
    })
}

/// Returns the initial panels, with the saved trace windows.
fn first_with(positions: &[(WindowId, Moment)], size: Vec2) -> Dock {
    let mut dock = layout::first(size);
    let beside = layout::panes_in_order(&dock)
        .into_iter()
        .find(|tile| window_of(&dock, *tile).is_some());
    let Some(beside) = beside else { return dock };
    let shown = window_of(&dock, beside);
    for (id, _) in positions.iter().filter(|(id, _)| Some(*id) != shown) {
        layout::insert_as_tab(&mut dock, beside, Pane::new(PanelKind::Trace, *id));
    }
    dock
}

fn window_of(dock: &Dock, tile: TileId) -> Option<WindowId> {
    dock.tiles.get_pane(&tile)?.window()
}
