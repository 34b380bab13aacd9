//! Functions: what their actions do.

use super::app::App;
use super::call_lookup::{CallQuestion, Named};
use super::lookup::Lookup;
use crate::action::Way;

impl App {
    /// Travels to a call of a function.
    pub(super) fn go_to_call(&mut self, name: Option<String>, way: Way) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (window, from) = (workspace.windows.active, workspace.windows.active().position);
        let chosen = workspace.chosen_function().map(Named::Address);
        let function = name.map(Named::Name).or(chosen);
        let question = CallQuestion { function, way, from };
        workspace.lookup = Some(Lookup::call(&workspace.session, &self.worker, window, question));
        self.take_found();
    }
}
