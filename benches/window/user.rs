//! A user in front of a window that is not drawn: events go in, and their handling is timed.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use eframe::App as _;
use egui::{Event, Pos2, RawInput, Rect, Vec2, vec2};
use stepback_benches::thread_cpu_time;
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::session::OpenOptions;
use stepback_window::{App, WindowOptions};

use crate::actions::Action;

/// Size of the first window on most screens.
const SIZE: Vec2 = vec2(1600.0, 1000.0);
/// Duration of a frame on a screen.
const PAUSE: Duration = Duration::from_millis(16);
/// Maximum number of frames to wait for an answer. Slower answers continue during the next action,
/// as with an impatient user.
const PATIENCE: u32 = 30;
/// Time limit for opening a trace and its index.
const OPENING: Duration = Duration::from_secs(600);

/// A window and its user.
pub struct User {
    context: egui::Context,
    app: App,
    frame: eframe::Frame,
    begun: Instant,
}

impl User {
    /// Opens a trace and waits until it is indexed.
    ///
    /// # Errors
    /// The trace cannot be opened, or not within ten minutes.
    pub fn open(trace: &Path) -> Result<Self> {
        let context = egui::Context::default();
        let choice = TraceChoice::of(OpenOptions::new(trace));
        // The toolkit's own tests create a window in this way.
        let creation = eframe::CreationContext::_new_kittest(context.clone());
        let options = WindowOptions {
            trace: Some(choice),
            ..WindowOptions::default()
        };
        let app = App::undrawn(&creation, options);
        let mut user = Self {
            context,
            app,
            frame: eframe::Frame::_new_kittest(),
            begun: Instant::now(),
        };
        while user.app.workspace().is_none() || !user.app.is_idle() {
            user.draw(Vec::new())?;
            if user.begun.elapsed() > OPENING {
                let stated: Vec<_> = user
                    .app
                    .toasts()
                    .iter()
                    .map(|toast| toast.text.as_str())
                    .collect();
                bail!("{trace:?} was not opened: {stated:?}");
            }
            std::thread::sleep(PAUSE);
        }
        Ok(user)
    }

    /// Returns the number of steps of the trace.
    pub fn step_count(&self) -> u64 {
        self.app
            .desk()
            .map_or(0, |desk| desk.session.index.step_count())
    }

    /// Performs an action and waits for its answers. Returns the CPU time of each frame.
    ///
    /// # Errors
    /// The system does not report CPU times.
    pub fn act(&mut self, action: Action) -> Result<Vec<Duration>> {
        let mut times = Vec::new();
        for events in action.frames {
            times.push(self.draw(events)?);
        }
        for _ in 0..PATIENCE {
            std::thread::sleep(PAUSE);
            times.push(self.draw(Vec::new())?);
            if self.app.is_idle() {
                break;
            }
        }
        Ok(times)
    }

    /// Draws one frame, up to the triangles for the graphics card.
    fn draw(&mut self, events: Vec<Event>) -> Result<Duration> {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, SIZE)),
            time: Some(self.begun.elapsed().as_secs_f64()),
            events,
            focused: true,
            ..RawInput::default()
        };
        let before = thread_cpu_time();
        let output = self.context.run_ui(input, |ui| {
            self.app.logic(ui, &mut self.frame);
            self.app.ui(ui, &mut self.frame);
        });
        std::hint::black_box(
            self.context
                .tessellate(output.shapes, output.pixels_per_point),
        );
        let after = thread_cpu_time();
        let spent = after
            .zip(before)
            .and_then(|(after, before)| after.checked_sub(before));
        spent.context("the system does not tell the CPU time of a thread")
    }
}
