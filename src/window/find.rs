//! Searches: what their actions do.

use std::sync::Arc;

use egui_tiles::Tile;

use super::app::App;
use super::hit_lookup::no_hit_words;
use super::lookup::Lookup;
use super::toasts::ToastKind;
use super::undo::Before;
use super::workspace::Workspace;
use crate::action::{Action, FindQuestion, PanelKind, StepRange, Way, WindowId};
use crate::messages::say;
use crate::model::Move;
use crate::model::found::Listed;
use crate::notes::{KeptSearch, KeptSearches, SearchChange};
use crate::panels::{FindState, Pane, SearchGround};
use crate::worker::Worker;

impl Workspace {
    /// What windows show that show hits alone. Costs nothing where nothing more was found.
    pub(super) fn look_at_hits(&mut self) {
        let is_sought = self.find.question().is_some();
        let found = self.find.found().cloned();
        let step_count = self.session.index.step_count();
        for window in &mut self.windows.list {
            window.only_hits.is_on &= is_sought;
            match &found {
                Some(found) => window.only_hits.update(found, step_count),
                None => window.only_hits.forget(step_count),
            }
        }
    }

    /// Looks for what panels of their own show. True while that is under way.
    pub(super) fn look_at_own_finds(&mut self, worker: &Worker) -> bool {
        for (_, tile) in self.dock.tiles.iter_mut() {
            if let Tile::Pane(Pane::Find(panel)) = tile
                && panel.take_stop()
                && let Some(kept) = panel.own()
            {
                self.own_finds.stop(&kept.search);
            }
        }
        let own = self.dock.tiles.iter().filter_map(|(_, tile)| match tile {
            Tile::Pane(Pane::Find(panel)) => panel.own(),
            _ => None,
        });
        let wanted: Vec<FindQuestion> = own.map(|kept| kept.search.clone()).collect();
        let at = self.windows.active().position;
        self.own_finds.advance(&wanted, &SearchGround { session: &self.session, worker, at })
    }

    /// The active window shows all steps again. False where it does.
    pub(super) fn leave_only_hits(&mut self) -> bool {
        std::mem::take(&mut self.windows.active_mut().only_hits.is_on)
    }

    /// A window that shows hits alone shows some more steps.
    pub(super) fn open_hidden(&mut self, window: WindowId, steps: StepRange) {
        if let Some(window) = self.windows.get_mut(window) {
            window.only_hits.open(steps);
        }
        self.look_at_hits();
    }
}

impl App {
    /// The active window shows hits alone, or all steps; where nothing was looked for the field asks for it.
    pub(super) fn toggle_only_hits(&mut self) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        if workspace.leave_only_hits() {
            return;
        }
        let context = workspace.windows.active().only_hits.context;
        self.surround_hits(context);
    }

    /// The same with steps around each hit.
    pub(super) fn surround_hits(&mut self, context: u64) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        if workspace.find.question().is_none() {
            self.toasts.show(ToastKind::Info, say!("find-first-for-hits"));
            return self.focus_find();
        }
        workspace.windows.active_mut().is_raw = false;
        workspace.windows.active_mut().only_hits.surround(context);
        workspace.look_at_hits();
    }

    /// Shows the panel and puts the cursor into its field.
    pub(super) fn focus_find(&mut self) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        workspace.find.set_history(&self.settings.searches);
        workspace.find.focus();
        workspace.show(PanelKind::Find);
    }

    /// Begins a search and shows what it finds.
    pub(super) fn find(&mut self, question: FindQuestion) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        FindState::remember(&mut self.settings.searches, &question);
        workspace.find.set_history(&self.settings.searches);
        let at = workspace.windows.active().position;
        workspace.find.begin(question, at, &workspace.session, &self.worker);
        workspace.show(PanelKind::Find);
    }

    /// Travels to the hit before or after the position: by the list as far as it goes, else by a search of its own.
    pub(super) fn find_next(&mut self, way: Way) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (window, at) = (workspace.windows.active, workspace.windows.active().position);
        let Some(question) = workspace.find.hit_question(way, at) else { return self.focus_find() };
        match workspace.find.listed(way, at) {
            Listed::At(to) => self.begin_in(window, Move::Travel(to)),
            Listed::None => {
                let words = no_hit_words(&question, &workspace.session);
                self.toasts.show(ToastKind::Info, &words);
            }
            Listed::Unknown => {
                workspace.lookup = Some(Lookup::hit(&workspace.session, &self.worker, window, question));
                self.take_found();
            }
        }
    }

    /// Keeps the search under a name.
    pub(super) fn keep_search(&mut self, name: &str) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let Some(search) = workspace.find.question().cloned() else {
            self.toasts.show(ToastKind::Info, say!("find-first-for-keeping"));
            return self.focus_find();
        };
        self.change_searches(&SearchChange::Keep(KeptSearch { name: name.to_owned(), search }));
    }

    /// Changes the searches that are kept.
    pub(super) fn change_searches(&mut self, change: &SearchChange) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let before = workspace.searches.clone();
        if let SearchChange::Rename(name, _) | SearchChange::Forget(name) = change
            && before.named(name).is_none()
        {
            return self.report(&no_search(&before, name));
        }
        if let Err(error) = workspace.searches.change(change) {
            return self.report(&say!("find-not-kept", error = error.to_string()));
        }
        if workspace.searches == before {
            return;
        }
        workspace.undo.keep(Before::Searches(before));
        let words = match change {
            SearchChange::Keep(kept) => say!("find-kept-as", name = kept.name.trim()),
            SearchChange::Forget(name) => say!("find-forgotten", name = name.as_str()),
            SearchChange::Rename(..) => return,
        };
        self.toasts.show_with(ToastKind::Info, &words, "", [(say!("command-undo").to_owned(), Action::Undo)]);
    }

    /// Looks again for what is kept under a name.
    pub(super) fn run_search(&mut self, name: &str) {
        let Some(workspace) = self.workspace.as_ref() else { return };
        match workspace.searches.named(name).map(|kept| kept.search.clone()) {
            Some(question) => self.find(question),
            None => {
                let words = no_search(&workspace.searches, name);
                self.report(&words);
            }
        }
    }

    /// Shows what is kept under a name in a panel of its own.
    pub(super) fn show_search(&mut self, name: &str) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let Some(kept) = workspace.searches.named(name).cloned() else {
            let words = no_search(&workspace.searches, name);
            return self.report(&words);
        };
        workspace.show_own_find(kept);
    }

    /// Lists more hits.
    pub(super) fn find_more(&mut self) {
        if let Some(workspace) = self.workspace.as_mut() {
            workspace.find.more(&Arc::clone(&workspace.session), &self.worker);
        }
    }
}

/// That no search is kept under a name, and which are.
fn no_search(kept: &KeptSearches, name: &str) -> String {
    let names: Vec<&str> = kept.list().iter().take(8).map(|kept| kept.name.as_str()).collect();
    match names.is_empty() {
        true => say!("find-none-kept", name = name),
        false => say!("find-none-kept-so", name = name, names = names.join(", ")),
    }
}
