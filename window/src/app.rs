//! The program in its window ([`App`]): its state, the callbacks of the toolkit, and the state that
//! tests may read.

use std::path::PathBuf;
use std::sync::Arc;

use stepback_debugger::action::Action;
use stepback_debugger::desk::{Desk, Opening, PlaceSuggestions, Script};
use stepback_debugger::program;
use stepback_debugger::program::{Program, RunMode};
use stepback_debugger::worker::{Ticket, Worker};

use crate::about::InfoPage;
use crate::browser::FileBrowser;
use crate::file_dialog::FileDialog;
use crate::go_to::GoToBox;
use crate::palette::PaletteState;
use crate::picture::PendingScreenshot;
use crate::pointer_rest::{PointerRest, is_of_pointer};
use crate::preferences::LoadedFonts;
use crate::pressed::HeldKeys;
use crate::run::WindowOptions;
use crate::settings::{FontChoice, Settings};
use crate::settings_file::SettingsFile;
use crate::settings_page::SettingsPage;
use crate::start::StartScreen;
use crate::theme::{FontSetup, install_fonts, install_styles};
use crate::toasts::{Toast, Toasts};
use crate::toolbar::FindBox;
use crate::workspace::Workspace;

/// The program in its window.
///
/// A frame draws everything, collects the user's actions, then applies all of them in order. An
/// action that depends on the position waits for the search before it.
pub struct App {
    pub(super) context: egui::Context,
    pub(super) program: Program,
    pub(super) settings: Settings,
    /// Reads folders. It is separate so that a hanging folder delays no query on the trace.
    pub(super) folder_worker: Worker,
    pub(super) workspace: Option<Workspace>,
    pub(super) toasts: Toasts,
    pub(super) start: StartScreen,
    pub(super) palette: Option<PaletteState>,
    pub(super) page: Option<InfoPage>,
    /// Filter text of the page of keys.
    pub(super) keys_filter: String,
    pub(super) go_to: GoToBox,
    pub(super) find_box: FindBox,
    /// Suggestions for the text in the palette.
    pub(super) places: PlaceSuggestions,
    pub(super) file_dialog: Option<FileDialog>,
    /// The desktop showed no file dialog, so none is opened again.
    pub(super) has_no_dialog: bool,
    pub(super) browser: Option<FileBrowser>,
    pub(super) settings_page: Option<SettingsPage>,
    pub(super) settings_file: Option<SettingsFile>,
    pub(super) imported_keys: Option<Ticket<String>>,
    /// Fonts that are being read.
    pub(super) fonts: Option<Ticket<LoadedFonts>>,
    /// An action may have changed the panels since they were last checked.
    pub(super) panels_touched: bool,
    pub(super) picture: Option<PendingScreenshot>,
    /// Path for the last picture, saved after the script.
    pub(super) screenshot: Option<PathBuf>,
    /// The program ends after the script and the picture.
    pub(super) is_quitting: bool,
    /// Number of frames since the last pending answer.
    pub(super) quiet_frames: u32,
    /// Number of queries started until the last frame.
    pub(super) jobs_seen: u64,
    pub(super) frames: u64,
    /// Time of the last input, by the toolkit's clock.
    pub(super) input_at: f64,
    pub(super) pointer_rest: PointerRest,
    pub(super) held_keys: HeldKeys,
    /// No settings were saved before: the size of text awaits the first report about the screen.
    pub(super) is_zoom_awaited: bool,
}

/// Components of the program besides its options.
struct AppParts {
    /// Read only once: a script may come from a pipe.
    script: Option<Script>,
    worker: Worker,
    is_deterministic: bool,
}

impl App {
    /// Creates the program for a window of eframe, with the script read from `options.script`.
    pub(super) fn new(
        cc: &eframe::CreationContext<'_>,
        options: WindowOptions,
        script: Option<Script>,
    ) -> Self {
        let context = cc.egui_ctx.clone();
        let worker = Worker::new(3, move || context.request_repaint());
        Self::build(
            cc,
            options,
            AppParts {
                script,
                worker,
                is_deterministic: false,
            },
        )
    }

    /// Creates the program for a window that the caller draws, for measurements.
    pub fn undrawn(cc: &eframe::CreationContext<'_>, options: WindowOptions) -> Self {
        Self::new(cc, options, None)
    }

    /// Creates the program for a test: no desktop dialogs, no blinking, and queries are answered
    /// within the frame.
    pub fn deterministic(cc: &eframe::CreationContext<'_>, options: WindowOptions) -> Self {
        let read = options.script.as_deref().map(Script::read).transpose();
        let (script, error) =
            read.map_or_else(|error| (None, Some(error)), |script| (script, None));
        let mut app = Self::build(
            cc,
            options,
            AppParts {
                script,
                worker: Worker::synchronous(),
                is_deterministic: true,
            },
        );
        error
            .iter()
            .for_each(|error| app.program.note_failure(error));
        app
    }

    fn build(cc: &eframe::CreationContext<'_>, options: WindowOptions, parts: AppParts) -> Self {
        let AppParts {
            script,
            worker,
            is_deterministic,
        } = parts;
        let context = cc.egui_ctx.clone();
        prepare(&context);
        if is_deterministic || options.is_scripted() {
            stop_motion(&context);
        }
        let is_scripted = options.is_scripted();
        let shows_parts = options.shows_parts && !is_scripted;
        let mode = RunMode {
            is_scripted,
            is_synchronous: is_deterministic,
            shows_parts,
        };
        let stored = cc.storage.filter(|_| !mode.is_scripted);
        let mut settings = stored.map(Settings::load).unwrap_or_default();
        let file = options.settings_file.filter(|_| !mode.is_scripted);
        let (settings_file, problems) = file
            .map(|file| SettingsFile::open(file, &mut settings))
            .unzip();
        let is_saved =
            |storage: &dyn eframe::Storage| storage.get_string(eframe::APP_KEY).is_some();
        let is_first = !stored.is_some_and(is_saved) && settings.zoom == 1.0;
        let is_zoom_awaited = is_first && !is_scripted && !is_deterministic;
        settings.keys.take_effect();
        settings.apply(&context);
        let waker = context.clone();
        let program = Program::new(worker, mode, Arc::new(move || waker.request_repaint()));
        let woken = context.clone();
        let folder_worker = if is_deterministic {
            Worker::synchronous()
        } else {
            Worker::new(2, move || woken.request_repaint())
        };
        let mut app = Self {
            context,
            program,
            settings,
            folder_worker,
            workspace: None,
            toasts: Toasts::default(),
            start: StartScreen::default(),
            palette: None,
            page: None,
            keys_filter: String::new(),
            go_to: GoToBox::default(),
            find_box: FindBox::default(),
            places: PlaceSuggestions::default(),
            file_dialog: None,
            has_no_dialog: false,
            browser: None,
            settings_page: None,
            settings_file,
            imported_keys: None,
            fonts: None,
            panels_touched: false,
            picture: None,
            screenshot: options.screenshot,
            is_quitting: options.quit,
            quiet_frames: 0,
            jobs_seen: 0,
            frames: 0,
            input_at: 0.0,
            pointer_rest: PointerRest::default(),
            held_keys: HeldKeys::default(),
            is_zoom_awaited,
        };
        (app.program.script, app.program.begin_at) = (script, options.at);
        app.program.compare_with = options.compare;
        app.program.start_gdb_server = options.gdb_server;
        if let Some(ports) = options.sync {
            app.program.start_sync(ports);
        }
        app.speak();
        if app.settings.fonts != FontChoice::default() {
            app.read_fonts(app.settings.fonts.clone());
        }
        let problems: Vec<String> = problems.unwrap_or_default();
        problems
            .iter()
            .for_each(|why| app.toasts.show(stepback_debugger::desk::Tone::Warning, why));
        if let Some(choice) = options.trace {
            program::open(&mut app, choice);
            app.program
                .opening
                .iter_mut()
                .for_each(|opening| opening.stands_alone = true);
        }
        app
    }
}

fn prepare(context: &egui::Context) {
    install_fonts(context, &FontSetup::default());
    install_styles(context);
    context.all_styles_mut(|style| style.animation_time = 0.09);
    // Both are commands of the program, so that menus and the page of keys list them.
    context.options_mut(|options| {
        options.zoom_with_keyboard = false;
        options.quit_shortcuts.clear();
    });
}

/// Disables blinking and animations, so that a frame does not depend on the time.
fn stop_motion(context: &egui::Context) {
    context.all_styles_mut(|style| {
        style.visuals.text_cursor.blink = false;
        style.animation_time = 0.0;
    });
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.frame(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        if self.program.mode.is_scripted {
            return;
        }
        program::keep_session(self);
        self.settings.save(storage);
    }

    fn on_exit(&mut self, _: Option<&eframe::glow::Context>) {
        self.settings_file.iter().for_each(SettingsFile::finish);
        program::close(self);
    }

    fn persist_egui_memory(&self) -> bool {
        !self.program.mode.is_scripted
    }

    fn raw_input_hook(&mut self, _: &egui::Context, input: &mut egui::RawInput) {
        if !self.program.is_script_over {
            // A picture must not depend on the pointer position. Without a window manager no window
            // is ever focused, so that the focus ring would be missing.
            input.focused = true;
            input.events.retain(|event| !is_of_pointer(event));
        }
    }
}

impl App {
    /// Returns the panels of the open trace; none on the start screen.
    pub fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }

    pub fn desk(&self) -> Option<&Desk> {
        self.program.desk.as_ref()
    }

    /// Returns the trace that is being opened.
    pub fn opening(&self) -> Option<&Opening> {
        self.program.opening.as_ref()
    }

    /// Returns the settings that are saved between runs.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn toasts(&self) -> &[Toast] {
        self.toasts.list()
    }

    /// Returns the error of the "Go to" box.
    pub fn go_to_error(&self) -> Option<&str> {
        self.go_to.error.as_deref()
    }

    pub fn is_palette_open(&self) -> bool {
        self.palette.is_some()
    }

    /// Returns true if the page of keys or the page about the program is open.
    pub fn is_page_open(&self) -> bool {
        self.page.is_some()
    }

    /// Returns the error with which the program is about to end.
    pub fn failure(&self) -> Option<String> {
        self.program.failure()
    }

    /// Queues an action, as a menu would. It is applied in the next frame.
    pub fn perform(&mut self, action: Action) {
        self.program.queue.push(action);
        self.context.request_repaint();
    }

    pub fn is_settings_open(&self) -> bool {
        self.settings_page.is_some()
    }

    pub fn is_browsing(&self) -> bool {
        self.browser.is_some()
    }

    /// Returns true if nothing is pending: no trace is being opened, no query is unanswered, no
    /// action is queued. A followed trace may still grow, and panels may still have to draw the
    /// last answers.
    pub fn is_idle(&self) -> bool {
        self.program.is_idle() && self.folder_worker.is_idle()
    }

    /// Returns true if the script and the picture, if any, are done.
    pub fn is_script_done(&self) -> bool {
        self.program.is_script_over
    }
}
