//! Program images and sources: adding them, finding them, travelling to their lines.

use std::path::PathBuf;
use std::sync::Arc;

use super::app::App;
use super::file_dialog::Purpose;
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::image::ImageSpec;
use stepback_debugger::source::SourceMapping;

impl App {
    /// Opens the trace again with one more image; without a path asks for it.
    pub(super) fn add_image(&mut self, image: Option<ImageSpec>) {
        let Some(added) = image else { return self.ask_for_file(Purpose::Image) };
        let Some(workspace) = &self.workspace else { return };
        self.open(TraceChoice::of(workspace.options_with_image(&added)));
    }

    /// Opens the trace again with one more directory for its images; without a path asks for it.
    pub(super) fn add_sysroot(&mut self, directory: Option<PathBuf>) {
        let Some(directory) = directory else { return self.ask_for_file(Purpose::Sysroot) };
        let Some(workspace) = &self.workspace else { return };
        self.open(TraceChoice::of(workspace.options_with_sysroot(directory)));
    }

    /// Asks where a source file is.
    pub(super) fn locate_source(&mut self, file: String) {
        self.ask_for_file(Purpose::Source(file));
    }

    /// Sources of one directory are in another, in this run and in those to come.
    pub(super) fn move_sources(&mut self, mapping: SourceMapping) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        workspace.sources.map.add(mapping.clone());
        for info in workspace.session.images.infos() {
            self.settings.add_source_mapping(info.spec.path.clone(), mapping.clone());
        }
    }

    /// Forgets where sources of the open images went, but for what the command line says.
    pub(super) fn forget_sources(&mut self) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        self.settings.forget_source_mappings(&workspace.session);
        workspace.sources = self.settings.source_choice(&workspace.session);
    }

    /// Reads the debug information on a thread of its own: it cannot be stopped, and the workers have others to answer.
    pub(super) fn load_lines(&self) {
        let Some(workspace) = &self.workspace else { return };
        if self.mode.is_deterministic {
            return workspace.session.images.load_lines();
        }
        let (session, context) = (Arc::clone(&workspace.session), self.context.clone());
        let job = move || {
            session.images.load_lines();
            context.request_repaint();
        };
        if std::thread::Builder::new().name("source lines".to_owned()).spawn(job).is_err() {
            workspace.session.images.load_lines();
        }
    }

    /// Shows source lines in the rows of the trace, or no longer.
    pub(super) fn toggle_row_lines(&mut self) {
        self.settings.has_row_lines ^= true;
        if let Some(workspace) = &mut self.workspace {
            workspace.sources.is_in_rows = self.settings.has_row_lines;
        }
        self.keep_settings();
    }
}
