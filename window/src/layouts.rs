//! Named layouts: built-in ones, and those of the user.

use egui_tiles::Tile;
use stepback_debugger::action::{
    Action, Follow, MarkAction, PanelAction, SearchAction, ViewAction,
};
use stepback_debugger::desk::{Desk, Tone, UndoStack};
use stepback_debugger::messages::say;
use stepback_debugger::program::{PanelsSnapshot, UndoSnapshot, UserLayout};

use super::app::App;
use super::layout::{NamedLayout, RecordedContent};
use super::settings::LAYOUTS;
use super::workspace::Workspace;
use super::{kept_layout, layout};
use crate::kept_layout::SavedLayout;
use crate::panels::Pane;

impl Workspace {
    /// Returns a snapshot of the panels, for undo.
    pub(super) fn panels(&self, desk: &Desk) -> Option<PanelsSnapshot> {
        let text = kept_layout::text_of(&self.dock, &|_| None)?;
        let whole = self.panels_text()?;
        Some(PanelsSnapshot {
            text,
            whole,
            positions: desk.saved_positions(),
            active: desk.windows.active,
        })
    }

    /// Restores a snapshot of the panels. Existing trace windows keep their positions.
    pub(super) fn put_panels(&mut self, desk: &mut Desk, panels: PanelsSnapshot) {
        let Some((dock, torn)) = kept_layout::read_all(&panels.whole) else {
            return;
        };
        let PanelsSnapshot {
            positions, active, ..
        } = panels;
        self.put_dock(
            desk,
            SavedLayout {
                dock,
                torn,
                positions,
                active,
            },
        );
    }

    fn put_dock(&mut self, desk: &mut Desk, layout: SavedLayout) {
        let shown: Vec<_> = layout::panes_in_order(&layout.dock);
        let ids: Vec<_> = shown
            .iter()
            .filter_map(|tile| layout.dock.tiles.get_pane(tile)?.window())
            .collect();
        for id in &ids {
            let known = layout.positions.iter().find(|(known, _)| known == id);
            let at = known.map_or(desk.windows.active().position, |(_, at)| at.position);
            desk.windows.ensure(*id, at);
        }
        desk.windows.close_others(&ids);
        desk.windows.activate(layout.active);
        self.replace_dock(layout.dock);
        self.put_torn(&layout.torn);
        self.focused = self.trace_tile(desk.windows.active);
    }

    /// Records the positions of windows that are about to be closed, so that undo restores them.
    pub(super) fn note_positions(&mut self, desk: &mut Desk) {
        let (positions, active) = (desk.saved_positions(), desk.windows.active);
        if let Some(seen) = &mut self.panels_seen {
            (seen.positions, seen.active) = (positions, active);
        }
    }

    /// Records the previous panels for undo if they changed.
    pub(super) fn watch_panels(&mut self, desk: &Desk, undo: &mut UndoStack<UndoSnapshot>) {
        let Some(now) = self.panels(desk) else { return };
        let before = self.panels_seen.replace(now);
        let is_new = before.as_ref().map(outline) != self.panels_seen.as_ref().map(outline);
        if let Some(before) = before.filter(|_| is_new) {
            self.keep_arrangement();
            undo.keep(UndoSnapshot::Panels(before));
        }
    }
}

impl App {
    /// Applies a layout by its name.
    pub(super) fn use_layout(&mut self, name: &str) {
        let size = self.context.content_rect().size();
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        else {
            return;
        };
        if let Some(named) = NamedLayout::of(name) {
            let content = RecordedContent::of(&desk.session);
            let dock = std::mem::replace(
                &mut workspace.dock,
                layout::Dock::empty(egui::Id::unique("dock")),
            );
            workspace.replace_dock(layout::named(named, dock, content, size));
            workspace.focused = workspace.trace_tile(desk.windows.active);
            return;
        }
        let own = self
            .settings
            .layouts
            .iter()
            .find(|own| own.name.eq_ignore_ascii_case(name.trim()));
        if own.is_some_and(|own| kept_layout::is_damaged(&own.panels)) {
            return self.report(&say!("layouts-unread", name = name.trim()));
        }
        let Some((mut dock, torn)) = own.and_then(|own| kept_layout::read_all(&own.panels)) else {
            let own: Vec<&str> = self
                .settings
                .layouts
                .iter()
                .map(|own| own.name.as_str())
                .collect();
            let known: Vec<&str> = ["debug", "compare", "profile", "source"]
                .into_iter()
                .chain(own)
                .collect();
            return self.report(&say!(
                "layouts-unknown",
                name = format!("{:?}", name.trim()),
                known = known.join(", ")
            ));
        };
        // Pins, addresses and filters have no meaning in another trace.
        for tile in layout::panes_in_order(&dock) {
            if let Some(Tile::Pane(pane)) = dock.tiles.get_mut(tile).filter(|tile| !is_trace(tile))
            {
                pane.bind(Follow::Active);
                pane.leave_trace();
            }
        }
        let (positions, active) = (desk.saved_positions(), desk.windows.active);
        workspace.put_dock(
            desk,
            SavedLayout {
                dock,
                torn,
                positions,
                active,
            },
        );
    }

    /// Saves the panels as a layout of the user.
    pub(super) fn save_layout(&mut self, name: &str) {
        let name: String = name
            .trim()
            .chars()
            .filter(|letter| !letter.is_control())
            .take(60)
            .collect();
        if name.is_empty() || NamedLayout::of(&name).is_some() {
            return self.report(say!("layouts-this-name-is-taken-choose"));
        }
        let Some(panels) = self
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.panels_text())
        else {
            return;
        };
        let before = self.settings.layouts.clone();
        self.settings
            .layouts
            .retain(|own| !own.name.eq_ignore_ascii_case(&name));
        let is_replaced = self.settings.layouts.len() < before.len();
        self.settings.layouts.push(UserLayout {
            name: name.clone(),
            panels,
        });
        let surplus = self.settings.layouts.len().saturating_sub(LAYOUTS);
        self.settings.layouts.drain(..surplus);
        let surplus = surplus + usize::from(is_replaced);
        self.layouts_changed(before, &say!("layouts-saved", name = name), surplus);
    }

    /// Deletes a layout of the user.
    pub(super) fn forget_layout(&mut self, name: &str) {
        let before = self.settings.layouts.clone();
        self.settings
            .layouts
            .retain(|own| !own.name.eq_ignore_ascii_case(name.trim()));
        match before.len() - self.settings.layouts.len() {
            0 => self.report(&say!(
                "layouts-not-own",
                name = format!("{:?}", name.trim())
            )),
            lost => {
                self.layouts_changed(before, &say!("layouts-forgotten", name = name.trim()), lost)
            }
        }
    }

    /// Records the previous layouts for undo, and reports the change. If layouts were lost, the
    /// message offers undo.
    fn layouts_changed(&mut self, before: Vec<UserLayout>, words: &str, lost: usize) {
        if self.workspace.is_some() {
            self.program.undo.keep(UndoSnapshot::Layouts(before));
        }
        let undo = (
            say!("command-undo").to_owned(),
            Action::Mark(MarkAction::Undo),
        );
        let undo = Some(undo).filter(|_| lost > 0 && self.workspace.is_some());
        self.toasts.show_and_offer(Tone::Info, words, undo);
    }

    /// Checks whether the panels changed, after panel actions and pointer releases.
    pub(super) fn watch_panels(&mut self, is_released: PointerRelease) {
        let is_touched =
            std::mem::take(&mut self.panels_touched) || is_released == PointerRelease::Now;
        if let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
            && (is_touched || workspace.panels_seen.is_none())
        {
            workspace.watch_panels(desk, &mut self.program.undo);
        }
    }
}

/// Returns the parts of the layout that count as a change. The active tabs and the byte that a
/// memory panel holds do not count.
fn outline(panels: &PanelsSnapshot) -> String {
    let is_passing = |line: &&str| !line.trim_start().starts_with("held:");
    let mut outline = String::new();
    for line in panels.text.lines().filter(is_passing) {
        match line.split_once("Tabs(") {
            Some((head, rest)) => outline.extend([
                head,
                rest.trim_start_matches(|digit: char| digit.is_ascii_digit()),
            ]),
            None => outline.push_str(line),
        }
        outline.push('\n');
    }
    outline
}

/// State of the pointer in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerRelease {
    /// A button was released.
    Now,
    /// No button was released.
    No,
}

fn is_trace(tile: &Tile<Pane>) -> bool {
    matches!(tile, Tile::Pane(pane) if pane.window().is_some())
}

/// Returns true if an action may change the panels.
pub fn changes_panels(action: &Action) -> bool {
    match action {
        Action::Search(action) => matches!(action, SearchAction::ShowSearch(_)),
        Action::Panel(action) => match action {
            PanelAction::OpenWindowAt(_)
            | PanelAction::Activate(_)
            | PanelAction::ShowPanel(_)
            | PanelAction::NewPanel(_)
            | PanelAction::SideBySide
            | PanelAction::Compare
            | PanelAction::Bind(..)
            | PanelAction::ChooseThread(..)
            | PanelAction::ClosePanel(_)
            | PanelAction::DuplicatePanel(_)
            | PanelAction::ResetLayout
            | PanelAction::UseLayout(_)
            | PanelAction::TearOff(_)
            | PanelAction::PutBack(_)
            | PanelAction::CompareEnds(_) => true,
            PanelAction::SyncWindows
            | PanelAction::ScrollAlong(..)
            | PanelAction::FocusPanel(_)
            | PanelAction::SaveLayout(_)
            | PanelAction::ForgetLayout(_)
            | PanelAction::CompareWindows(..)
            | PanelAction::CompareWith(_)
            | PanelAction::CompareCall(_) => false,
        },
        Action::View(action) => matches!(
            action,
            ViewAction::SelectCell(_)
                | ViewAction::ShowMemory(_)
                | ViewAction::ShowRegisters(_)
                | ViewAction::NewRegisters(_)
                | ViewAction::ReadLanes(_)
                | ViewAction::FormatRegisters(_)
                | ViewAction::HalveRegisters
                | ViewAction::FilterRegisters(_)
                | ViewAction::MemoryGroup(_)
                | ViewAction::Memory(_)
        ),
        Action::File(_)
        | Action::Travel(_)
        | Action::Slice(_)
        | Action::Mark(_)
        | Action::Fold(_)
        | Action::App(_) => false,
    }
}
