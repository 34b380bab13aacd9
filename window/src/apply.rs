//! What each action does.

use std::path::PathBuf;

use super::about::Page;
use super::app::App;
use super::file_dialog::Purpose;
use super::go_to::GoTo;
use super::layouts::changes_panels;
use super::palette::Palette;
use super::picture::Picture;
use super::settings_page::SettingsPage;
use super::workspace::Workspace;
use stepback_debugger::action::{Action, AppAction, FileAction, ThemeChoice, TravelAction};
use stepback_debugger::desk::{Showing, TraceChoice};
use stepback_debugger::session::{OpenOptions, TraceFiles};

impl App {
    /// Applies all actions that wait, in their order, as far as nothing that is under way keeps them waiting.
    pub(super) fn apply_queue(&mut self) {
        while let Some(action) = self.queue.next(self.workspace.as_mut().map(|workspace| &mut workspace.desk)) {
            self.apply(action);
        }
        self.take_news();
    }

    /// Does what an action asks of the trace; gives back what is the window's to do.
    fn apply_to_desk(&mut self, action: Action) -> Option<Action> {
        let Some(workspace) = self.workspace.as_mut() else { return Some(action) };
        if matches!(action, Action::Travel(TravelAction::GoTo(_))) {
            self.go_to.error = None;
        }
        let rest = workspace.desk.apply(action);
        self.take_news();
        rest
    }

    fn apply(&mut self, action: Action) {
        if changes_panels(&action) {
            self.panels_touched = true;
            self.in_trace(Workspace::note_positions);
        }
        let Some(action) = self.apply_to_desk(action) else { return };
        let rest = self.apply_to_files(action).and_then(|action| self.apply_to_panels(action));
        let rest = rest.and_then(|action| self.apply_in_panels(action));
        // What is left then means a trace, and none is open.
        let _meant_for_a_trace = rest.and_then(|action| self.apply_to_program(action));
    }

    /// What is done with files: traces, sessions, images, sources, pictures. Gives back what means something else.
    fn apply_to_files(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::File(FileAction::OpenDialog) => self.ask_for_file(Purpose::Trace),
            Action::File(FileAction::OpenDirectoryDialog) => self.ask_for_file(Purpose::Directory),
            Action::File(FileAction::OpenPath(path)) => self.open_path(path),
            Action::File(FileAction::OpenFiles(files)) => self.open_files(files),
            Action::File(FileAction::OpenDemo) => self.open(TraceChoice::Demo),
            Action::File(FileAction::OpenSession(None)) => self.ask_for_file(Purpose::Session),
            Action::File(FileAction::OpenSession(Some(file))) => self.open(TraceChoice::Session { file, trace: None }),
            Action::File(FileAction::OpenSessionWith(file, trace)) => {
                self.open(TraceChoice::Session { file, trace: Some(trace) });
            }
            Action::File(FileAction::LocateTrace(file)) => self.ask_for_file(Purpose::TraceOf(file)),
            Action::File(FileAction::SaveSession(None)) => self.ask_for_file(Purpose::SessionPlace),
            Action::File(FileAction::SaveSession(Some(place))) => self.save_session_as(place),
            Action::File(FileAction::SaveSessionAgain) => self.save_session_again(),
            Action::File(FileAction::Reload) => self.reload(),
            Action::File(FileAction::AddImage(image)) => self.add_image(image),
            Action::File(FileAction::AddSysroot(directory)) => self.add_sysroot(directory),
            Action::File(FileAction::LocateSource(file)) => self.locate_source(file),
            Action::File(FileAction::MoveSources(mapping)) => self.move_sources(mapping),
            Action::File(FileAction::ForgetSources) => self.forget_sources(),
            Action::File(FileAction::CloseTrace) => self.close_trace(),
            Action::File(FileAction::ForgetRecent(path)) => self.settings.recent.retain(|trace| trace.path != path),
            Action::File(FileAction::ClearRecent) => self.settings.recent.clear(),
            Action::File(FileAction::CancelIndexing) => self.cancel_opening(),
            Action::File(FileAction::ContinueIndexing) => self.index_more(Showing::Parts),
            Action::File(FileAction::FollowTrace) => self.toggle_follow(),
            Action::File(FileAction::ToggleIndexingCard) => self.toggle_card(),
            Action::File(FileAction::SavePart(range, path)) => self.save_part(range, path),
            Action::File(FileAction::SavePicture(Some(path))) => self.picture = Some(Picture::new(path)),
            Action::File(FileAction::SavePicture(None)) => self.ask_for_file(Purpose::PicturePlace),
            Action::File(FileAction::SaveText(name, text)) => self.ask_for_file(Purpose::Save { name, text }),
            other => return Some(other),
        }
        None
    }

    /// What is done with the program itself. Gives back what means something else.
    fn apply_to_program(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::App(AppAction::Quit) => self.context.send_viewport_cmd(egui::ViewportCommand::Close),
            Action::App(AppAction::FocusGoTo) => self.go_to.focus(),
            Action::App(AppAction::CommandPalette) => self.palette = Some(Palette::default()),
            Action::App(AppAction::AskFor(command)) => self.palette = Some(Palette::asking(command.command())),
            Action::App(AppAction::KeyboardHelp) => self.page = Some(Page::Keys),
            Action::App(AppAction::About) => self.page = Some(Page::About),
            Action::App(AppAction::Theme(choice)) => self.choose_theme(choice),
            Action::App(AppAction::Language(choice)) => self.choose_language(choice),
            Action::App(AppAction::ToggleOwnBrowser) => {
                self.settings.uses_own_browser ^= true;
                self.keep_settings();
            }
            Action::App(AppAction::Settings) => self.settings_page = Some(SettingsPage::default()),
            Action::App(AppAction::SetKeys(command, keys)) => self.set_keys(command, &keys),
            Action::App(AppAction::ResetKeys(command)) => self.reset_keys(command),
            Action::App(AppAction::ExportKeys) => self.export_keys(),
            Action::App(AppAction::ImportKeys(path)) => self.import_keys(path),
            Action::App(AppAction::Zoom(direction)) => self.zoom(direction),
            Action::App(AppAction::Font(change)) => self.change_fonts(change),
            Action::App(AppAction::Copy(text)) => self.context.copy_text(text),
            Action::App(AppAction::DismissToast(id)) => self.toasts.dismiss(id),
            Action::App(AppAction::DismissToasts) => self.toasts.clear(),
            other => return Some(other),
        }
        None
    }

    /// Changes nothing but the windows and panels of the open trace, if there is one.
    pub(super) fn in_trace(&mut self, change: impl FnOnce(&mut Workspace)) {
        if let Some(workspace) = self.workspace.as_mut() {
            change(workspace);
        }
    }

    fn open_path(&mut self, path: PathBuf) {
        self.open(TraceChoice::of(OpenOptions::new(path)));
    }

    fn open_files(&mut self, files: Vec<PathBuf>) {
        let options = OpenOptions::of_files(TraceFiles::in_order(files));
        if let Some(options) = options {
            self.open(TraceChoice::of(options));
        }
    }

    fn reload(&mut self) {
        let Some(workspace) = &self.workspace else { return };
        self.open(TraceChoice::of(workspace.options_to_reload()));
    }

    fn close_trace(&mut self) {
        // What is indexed is kept.
        self.opening = self.opening.take().filter(|opening| !opening.is_shown);
        self.keep_session();
        self.workspace = None;
        self.begin_at = None;
        self.go_to = GoTo::default();
        self.start.refresh();
        self.set_title("Stepback");
    }

    pub(super) fn set_title(&self, title: &str) {
        self.context.send_viewport_cmd(egui::ViewportCommand::Title(title.to_owned()));
    }

    fn cancel_opening(&mut self) {
        if let Some(opening) = &self.opening {
            opening.cancel();
        }
    }

    fn toggle_card(&mut self) {
        if let Some(opening) = &mut self.opening {
            opening.is_card_hidden = !opening.is_card_hidden;
        }
    }

    fn choose_theme(&mut self, choice: ThemeChoice) {
        self.settings.theme = choice;
        self.settings.apply(&self.context);
        self.keep_settings();
    }

    fn zoom(&mut self, direction: i8) {
        self.settings.zoom_by(direction);
        self.settings.apply(&self.context);
        self.keep_settings();
    }
}
