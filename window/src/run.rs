//! Opens the window with the options of a run, or reports why no window is possible.
//!
//! The toolkit panics if a library of the window system is missing. Only such a panic is caught,
//! before the program itself runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};

use anyhow::{Result, anyhow};
use egui::{Vec2, ViewportCommand, vec2};
use stepback_debugger::desk::{Script, Tone, TraceChoice};
use stepback_debugger::program::Failure;
use stepback_debugger::sync::{StartServer, SyncPorts};

use crate::app::App;
use crate::settings::first_zoom;
use crate::signals::EndingSignal;
use crate::storage_file::{DamageRule, ToolkitStorage};

/// Application id for the desktop, and name of the data directory.
const APP: &str = "stepback";

/// Size of the first window in points, if the screen is large enough.
const FIRST_SIZE: Vec2 = vec2(1600.0, 1000.0);
/// Space for desktop panels and the window frame, in points.
const BESIDE: Vec2 = vec2(40.0, 110.0);
/// Minimum useful window size, in points.
const SMALLEST: Vec2 = vec2(800.0, 500.0);

/// Shows the window until it is closed.
///
/// # Errors
/// The script is wrong or a line of it failed, or the picture could not be saved. The error names
/// file and line.
pub fn run(options: WindowOptions) -> Result<WindowOutcome> {
    // A wrong script is reported first, even if no window is possible.
    let script = options
        .script
        .as_deref()
        .map(Script::read)
        .transpose()
        .map_err(|error| anyhow!(error))?;
    if let Some(why) = no_display() {
        return Ok(WindowOutcome::NoWindow(why));
    }
    let damage = if options.is_scripted() {
        DamageRule::Left
    } else {
        DamageRule::PutAside
    };
    let mut storage = ToolkitStorage::of(APP, damage);
    // Scripted runs ignore saved data.
    let notice = storage.notice.take().filter(|_| !options.is_scripted());
    let native = native_options(&options, storage);
    let failure = Arc::new(std::sync::Mutex::new(None::<Failure>));
    let has_begun = Arc::new(AtomicBool::new(false));
    let signal = EndingSignal::default();
    let create: eframe::AppCreator<'_> = {
        let (failure, has_begun) = (failure.clone(), has_begun.clone());
        // Nothing is saved after a scripted run.
        let awaited = (!options.is_scripted()).then(|| signal.clone());
        Box::new(move |cc| {
            has_begun.store(true, Relaxed);
            if let Some(signal) = awaited {
                let context = cc.egui_ctx.clone();
                signal.listen(move || {
                    context.send_viewport_cmd(ViewportCommand::Close);
                    context.request_repaint();
                });
            }
            let mut app = App::new(cc, options, script);
            if let Some(notice) = notice {
                app.toasts.show(Tone::Warning, &notice.to_string());
            }
            *failure.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(app.program.failure.clone());
            Ok(Box::new(app))
        })
    };
    match without_panic_text(&has_begun, || eframe::run_native(APP, native, create)) {
        Some(Ok(())) => {}
        Some(Err(error)) => return Ok(WindowOutcome::NoWindow(reason(&error))),
        None => {
            let why = "the window system could not be reached: is libxkbcommon-x11 installed?";
            return Ok(WindowOutcome::NoWindow(why.to_owned()));
        }
    }
    signal.end();
    let failure = failure
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let failed = failure.and_then(|failure| {
        failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    });
    failed.map_or(Ok(WindowOutcome::Done), |error| Err(anyhow!(error)))
}

/// Runs `act` and suppresses panics before the program itself runs: the toolkit panics if a library
/// of the window system is missing. For such a panic the result is `None`. Later panics are defects
/// of the program and are resumed.
fn without_panic_text<R>(has_begun: &Arc<AtomicBool>, act: impl FnOnce() -> R) -> Option<R> {
    let before: Arc<dyn Fn(&std::panic::PanicHookInfo<'_>) + Send + Sync> =
        Arc::from(std::panic::take_hook());
    std::panic::set_hook({
        let (before, has_begun) = (before.clone(), has_begun.clone());
        Box::new(move |info| {
            if has_begun.load(Relaxed) {
                before(info);
            }
        })
    });
    let result = catch_unwind(AssertUnwindSafe(act));
    std::panic::set_hook(Box::new(move |info| before(info)));
    match result {
        Ok(result) => Some(result),
        Err(panic) if has_begun.load(Relaxed) => std::panic::resume_unwind(panic),
        Err(_) => None,
    }
}

/// Returns why no window is possible, judged by the environment.
fn no_display() -> Option<String> {
    let names = ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"];
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_needed = cfg!(all(unix, not(target_os = "macos")));
    let message = "no display is available: neither DISPLAY nor WAYLAND_DISPLAY is set";
    (is_needed && !names.iter().any(is_set)).then(|| message.to_owned())
}

fn native_options(options: &WindowOptions, storage: ToolkitStorage) -> eframe::NativeOptions {
    // A picture of a given size must not depend on the window's last place.
    let persist_window = options.size.is_none() && !options.is_scripted();
    let is_first = persist_window && !storage.has_window;
    let size = options.size.map_or(FIRST_SIZE, |(wide, tall)| {
        let [wide, tall] =
            [wide, tall].map(|side| f32::from(u16::try_from(side).unwrap_or(u16::MAX)));
        vec2(wide, tall)
    });
    let mut viewport = egui::ViewportBuilder::default()
        .with_title("Stepback")
        .with_app_id(APP)
        // The toolkit clamps larger sizes to the screen size, and has no other way to report that
        // size.
        .with_inner_size(if is_first {
            Vec2::splat(f32::from(u16::MAX))
        } else {
            size
        })
        .with_min_inner_size(SMALLEST)
        .with_drag_and_drop(true);
    if let Some(icon) = icon() {
        viewport = viewport.with_icon(icon);
    }
    let renderer = eframe::Renderer::Glow;
    // Nothing is read or written there: scripts and pictures must not depend on saved data.
    let nowhere = options
        .is_scripted()
        .then(|| std::env::temp_dir().join(format!("{APP}-none-{}/app.ron", std::process::id())));
    // The toolkit always restores the size of the last run, even if another size was requested.
    let as_requested: Option<eframe::WindowBuilderHook> = options.size.map(|_| {
        let hook = move |viewport: egui::ViewportBuilder| {
            viewport.with_inner_size(size).with_maximized(false)
        };
        Box::new(hook) as eframe::WindowBuilderHook
    });
    let within_screen: Option<eframe::WindowBuilderHook> = is_first.then(|| {
        let hook = |viewport: egui::ViewportBuilder| {
            let screen = viewport.inner_size.unwrap_or(FIRST_SIZE);
            viewport.with_inner_size(first_size(screen))
        };
        Box::new(hook) as eframe::WindowBuilderHook
    });
    eframe::NativeOptions {
        viewport,
        renderer,
        persist_window,
        persistence_path: storage.instead.or(nowhere),
        window_builder: within_screen.or(as_requested),
        system_font_fallback: false,
        ..Default::default()
    }
}

/// Returns the size of the first window on a screen, with space for the frame and desktop panels.
/// The text is larger on a screen of very many points.
fn first_size(screen: Vec2) -> Vec2 {
    let wanted = FIRST_SIZE * first_zoom(1.0, screen.x);
    wanted.min((screen - BESIDE).max(SMALLEST))
}

/// Returns the window's icon; none if the embedded picture cannot be read, which a test rules out.
fn icon() -> Option<egui::IconData> {
    let bytes: &[u8] = include_bytes!("../../assets/icon.png");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .ok()?;
    let mut rgba = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut rgba).ok()?;
    (info.color_type == png::ColorType::Rgba).then_some(egui::IconData {
        rgba,
        width: info.width,
        height: info.height,
    })
}

/// Returns the error as one sentence. The toolkit's own text is a dump of structures and is
/// omitted.
fn reason(error: &eframe::Error) -> String {
    match error {
        eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_) => {
            let display = ["WAYLAND_DISPLAY", "DISPLAY"]
                .iter()
                .find_map(|name| std::env::var(name).ok());
            format!(
                "the display {:?} cannot be reached",
                display.unwrap_or_default()
            )
        }
        eframe::Error::Glutin(_)
        | eframe::Error::NoGlutinConfigs(..)
        | eframe::Error::OpenGL(_) => {
            "OpenGL is not available: is a driver such as libgl1-mesa-dri installed?".to_owned()
        }
        eframe::Error::AppCreation(error) => error.to_string(),
    }
}

/// Options of a run in a window.
#[derive(Clone, Debug, Default)]
pub struct WindowOptions {
    /// The trace; without one the start screen is shown.
    pub trace: Option<TraceChoice>,
    /// Initial position, in the language of the command line.
    pub at: Option<String>,
    /// A second trace to compare with.
    pub compare: Option<PathBuf>,
    /// Ports of other programs to keep at the position.
    pub sync: Option<SyncPorts>,
    /// Starts a server for gdb.
    pub gdb_server: Option<StartServer>,
    /// Path of a script of actions.
    pub script: Option<PathBuf>,
    /// Path for a picture of the window after the script.
    pub screenshot: Option<PathBuf>,
    /// Size of the window in points.
    pub size: Option<(u32, u32)>,
    /// Quits after the script and the picture.
    pub quit: bool,
    /// Path of the settings file that users edit; without one there is none.
    pub settings_file: Option<PathBuf>,
    /// Shows a trace as soon as a part of it is indexed. Never set in scripted runs, whose pictures
    /// must not depend on the machine's speed.
    pub shows_parts: bool,
}

/// Outcome of a run in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowOutcome {
    /// The user closed the window, or the script ended.
    Done,
    /// No window is possible; the reason is one sentence without a full stop.
    NoWindow(String),
}

impl WindowOptions {
    /// Returns true if the window runs unattended: errors then end the program.
    pub fn is_scripted(&self) -> bool {
        self.script.is_some() || self.screenshot.is_some() || self.quit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_icon_inside_the_program_can_be_read() {
        assert!(icon().is_some());
    }

    #[test]
    fn the_first_window_leaves_room_on_the_screen() {
        let size = |wide, tall| first_size(vec2(wide, tall));
        assert_eq!(size(1600.0, 1000.0), vec2(1560.0, 890.0));
        assert_eq!(size(1366.0, 768.0), vec2(1326.0, 658.0));
        assert_eq!(size(3840.0, 2160.0), vec2(2400.0, 1500.0));
        assert_eq!(size(2560.0, 1440.0), FIRST_SIZE);
        assert_eq!(size(640.0, 480.0), SMALLEST);
    }

    #[test]
    fn a_panic_before_the_program_runs_is_an_answer() {
        let has_begun = Arc::new(AtomicBool::new(false));
        assert_eq!(without_panic_text(&has_begun, || 1), Some(1));
        assert_eq!(
            without_panic_text(&has_begun, || -> u8 { panic!("no library") }),
            None
        );
    }

    #[test]
    fn a_script_that_is_wrong_is_told_before_a_window_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("a.txt");
        std::fs::write(&script, "Dance\n").unwrap();
        let error = run(WindowOptions {
            script: Some(script),
            ..WindowOptions::default()
        })
        .unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("a.txt, line 1: no command matches \"Dance\"")
        );
    }
}
