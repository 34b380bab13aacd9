//! Searches: what their actions do.

use std::sync::Arc;

use super::app::App;
use super::hit_lookup::no_hit_words;
use super::lookup::Lookup;
use super::toasts::ToastKind;
use crate::action::{FindQuestion, PanelKind, Way};
use crate::model::Move;
use crate::model::found::Listed;
use crate::panels::FindState;

impl App {
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

    /// Lists more hits.
    pub(super) fn find_more(&mut self) {
        if let Some(workspace) = self.workspace.as_mut() {
            workspace.find.more(&Arc::clone(&workspace.session), &self.worker);
        }
    }
}
