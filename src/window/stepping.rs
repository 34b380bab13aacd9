//! Moves by steps: through all threads, or within one.

use stepback_index::{QueryError, SlotReader, ThreadId};

use super::app::App;
use super::toasts::ToastKind;
use super::words::sentence;
use super::workspace::Workspace;
use crate::action::Way;
use crate::model::so_far::nothing_so_far;
use crate::model::{Stride, ThreadWalk};
use crate::panels::Pane;
use crate::session::Session;

impl Workspace {
    /// Moves the active window by steps: by those of the thread that it stays in, if it does.
    /// False when it stays where it is because a function was not called or does not return.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn step(&mut self, stride: Stride, way: Way) -> Result<bool, QueryError> {
        if let Some(thread) = self.windows.active().thread {
            return self.step_of(thread, stride, way);
        }
        self.moved(|window, ground| {
            match stride {
                Stride::Row => window.step_row(way, ground),
                Stride::Into => window.step_into(way, ground),
                Stride::Over => window.step_over(way, ground),
                Stride::Page(rows) => window.page(way, rows, ground),
                Stride::Out => return window.step_out(way, ground),
            }
            true
        })
    }

    /// Moves the active window by steps of a thread. False where the thread has none there.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn step_of(&mut self, thread: ThreadId, stride: Stride, way: Way) -> Result<bool, QueryError> {
        let from = self.windows.active().position;
        let target = ThreadWalk::new(&self.session.index, thread).target(stride, way, from)?;
        let Some(to) = target else { return Ok(false) };
        self.moved(|window, ground| match stride {
            Stride::Out => window.travel(to, ground),
            _ => window.walk(to, ground),
        })?;
        Ok(true)
    }

    /// Moves the active window to the next or last step of the thread that it stays in, or that of the position.
    /// False where the thread has none there.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn step_in_thread(&mut self, way: Way) -> Result<bool, QueryError> {
        let window = self.windows.active();
        let thread = match window.thread {
            Some(thread) => thread,
            None => SlotReader(&self.session.index).thread_at(window.position)?,
        };
        self.step_of(thread, Stride::Into, way)
    }

    /// The active window stays in a thread from now on; in none of this name: in that of the position, or in none again.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn stay_in_thread(&mut self, thread: Option<ThreadId>) -> Result<(), QueryError> {
        let here = SlotReader(&self.session.index).thread_at(self.windows.active().position)?;
        let window = self.windows.active_mut();
        window.thread = match (thread, window.thread) {
            (Some(thread), _) => Some(thread),
            (None, Some(_)) => None,
            (None, None) => Some(here),
        };
        Ok(())
    }

    /// Rows that a page of the active window has.
    pub fn page_rows(&self) -> u64 {
        let rows = self.trace_tile(self.windows.active).and_then(|tile| match self.dock.tiles.get_pane(&tile) {
            Some(Pane::Trace(panel)) => Some(panel.page_rows()),
            _ => None,
        });
        // Before the first frame nobody knows how many rows there are.
        rows.filter(|rows| *rows > 0).unwrap_or(20)
    }
}

impl App {
    pub(super) fn choose_thread(&mut self, tile: u64, thread: Option<String>) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        match thread.as_deref().map(|name| thread_named(&workspace.session, name)) {
            Some(Err(error)) => self.report(&error),
            Some(Ok(_)) | None => workspace.choose_thread(tile, thread),
        }
    }

    pub(super) fn stay_in_thread(&mut self, name: Option<&str>) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let stayed = match name.map(|name| thread_named(&workspace.session, name)).transpose() {
            Ok(thread) => workspace.stay_in_thread(thread).map_err(|error| error.to_string()),
            Err(error) => Err(error),
        };
        if let Err(error) = stayed {
            self.report(&error);
        }
    }

    pub(super) fn step_of_thread(&mut self, way: Way) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let said = match (workspace.step_in_thread(way), way) {
            (Ok(true), _) => return,
            (Ok(false), Way::Back) => "This thread has no step before this position".to_owned(),
            (Ok(false), Way::Forward) => {
                nothing_so_far(&workspace.session, "this thread has no step after this position".to_owned())
            }
            (Err(error), _) => return self.report(&format!("the position could not be changed: {error}")),
        };
        self.toasts.show(ToastKind::Info, &sentence(&said));
    }
}

/// A thread of the trace; or that there is none of this name, and which there are.
fn thread_named(session: &Session, name: &str) -> Result<ThreadId, String> {
    /// More names than these are not listed.
    const LISTED: usize = 8;
    let index = &session.index;
    index.thread_by_name(name).ok_or_else(|| {
        let mut known: Vec<&str> = index.threads().iter().take(LISTED).map(|thread| thread.name.as_str()).collect();
        known.extend((index.threads().len() > LISTED).then_some("…"));
        format!("the trace has no thread {name:?}, only {}", known.join(", "))
    })
}
