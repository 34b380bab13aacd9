//! Watches: what their actions do.

use super::app::App;
use super::toasts::ToastKind;
use super::undo::Before;
use crate::action::{Action, PanelKind};
use crate::messages::say;
use crate::notes::WatchChange;

impl App {
    /// Shows another value along the trace, or changes those that are shown.
    pub(super) fn change_waves(&mut self, change: &WatchChange) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let before = workspace.waves.clone();
        if let Err(error) = workspace.waves.change(change) {
            return self.report(&say!("watches-waves-full", error = error.to_string()));
        }
        if workspace.waves != before {
            workspace.undo.keep(Before::Waves(before));
        }
    }

    /// Watches something, or changes what is watched.
    pub(super) fn change_watches(&mut self, change: &WatchChange) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let before = workspace.watches.clone();
        if let Err(error) = workspace.watches.change(change) {
            return self.report(&say!("watches-full", error = error.to_string()));
        }
        if matches!(change, WatchChange::Add(_))
            && workspace.focused_pane().is_none_or(|pane| pane.kind() != PanelKind::Watches)
        {
            workspace.reveal_panel(PanelKind::Watches);
        }
        if workspace.watches == before {
            return;
        }
        workspace.undo.keep(Before::Watches(before));
        let words = match change {
            WatchChange::Remove(_) => say!("watches-the-watch-was-removed"),
            WatchChange::Clear => say!("watches-all-watches-were-removed"),
            _ => return,
        };
        let undo = Some((say!("watches-undo").to_owned(), Action::Undo));
        self.toasts.show_with(ToastKind::Info, words, "", undo);
    }
}
