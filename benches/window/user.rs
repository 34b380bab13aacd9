//! Somebody in front of a window that is not drawn: events go in, and what the window does with them is timed.

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

/// As large as the first window is on most screens.
const SIZE: Vec2 = vec2(1600.0, 1000.0);
/// As long as a screen shows a frame.
const PAUSE: Duration = Duration::from_millis(16);
/// An action whose answers take longer goes on while the next begins, as with a person who does not wait.
const PATIENCE: u32 = 30;
/// Opening a trace, and its index.
const OPENING: Duration = Duration::from_secs(600);

/// A window and who uses it.
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
    /// It cannot be opened, or not within ten minutes.
    pub fn open(trace: &Path) -> Result<Self> {
        let context = egui::Context::default();
        let choice = TraceChoice::of(OpenOptions::new(trace));
        // The toolkit's tests make a window in this way, too.
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
                let told: Vec<_> = user
                    .app
                    .toasts()
                    .iter()
                    .map(|toast| toast.text.as_str())
                    .collect();
                bail!("{trace:?} was not opened: {told:?}");
            }
            std::thread::sleep(PAUSE);
        }
        Ok(user)
    }

    /// How many steps the trace has.
    pub fn step_count(&self) -> u64 {
        self.app
            .desk()
            .map_or(0, |desk| desk.session.index.step_count())
    }

    /// Does something and looks on until the answers are there. The CPU time of each frame.
    ///
    /// # Errors
    /// The system does not tell CPU times.
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

    /// One frame, up to the triangles that a graphics card would get.
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
