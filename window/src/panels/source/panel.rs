//! The source file of a position, with the line that is executed next.

use std::collections::HashSet;
use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_index::{Cancel, ThreadId};
use stepback_parsers::Position;

use super::bar::{BarPlace, HereText};
use super::rows::{Frame, rows_ui, text_left, widest};
use super::{bar, empty};
use crate::panels::ViewCx;
use crate::panels::cursor_list::take_rect;
use stepback_debugger::action::{Action, Follow, PanelKind, Way, WindowId};
use stepback_debugger::desk::{Change, SessionWatch};
use stepback_debugger::image::SourceLine;
use stepback_debugger::messages::say;
use stepback_debugger::model::kept_answers::KeptAnswers;
use stepback_debugger::model::scroll::{Scroll, Viewport};
use stepback_debugger::model::source_view::{SourceFile, SourceHere, executed_lines, source_here, thread_or_here};

use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::list::{List, ListArea};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen, ROW};
use crate::panels::row::{error_ui, loading_ui, watch_for_late};
use crate::panels::thread::{ChooserView, ChosenThread, thread_chooser_ui};
use stepback_debugger::source::{SourceMap, SourceText};
use stepback_debugger::worker::{Answer, Slot};

/// The bar with the file's name.
const BAR: f32 = 24.0;
/// Lines around the current one that stay in view.
const MARGIN: u64 = 3;

/// A source file that follows a position.
#[derive(Debug, Serialize, Deserialize)]
pub struct SourcePanel {
    /// What it shows the source of.
    pub follow: Follow,
    /// Whose; none for the thread of the position.
    #[serde(default)]
    pub thread: ChosenThread,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<SourceState>,
}

#[derive(Debug, Default)]
struct SourceState {
    here: Slot<(Position, ChosenThread), (SourceHere, ThreadId)>,
    /// The line that was shown last: its file stays while the position is where no source is.
    shown: Option<Arc<SourceLine>>,
    file: Slot<FileKey, Arc<SourceFile>>,
    files: KeptAnswers<FileKey, Arc<SourceFile>>,
    executed: Slot<Arc<str>, Arc<HashSet<u32>>>,
    all_executed: KeptAnswers<Arc<str>, Arc<HashSet<u32>>>,
    scroll: Scroll,
    /// The line under the cursor, from 1.
    cursor: u32,
    /// How far the text is scrolled sideways, in points.
    aside: f32,
    /// The bar that says so, where a line is too long.
    aside_bar: Option<Rect>,
    /// The line that was last brought into view, and the height of the list then.
    revealed: Option<(Arc<str>, u32, f32)>,
}

/// A file as the image calls it, and what moved.
pub(super) type FileKey = (Arc<str>, SourceMap);

/// What is shown in a frame.
pub(super) struct Shown<'a> {
    here: &'a SourceHere,
    /// Its line, or that of the position before.
    line: &'a Arc<SourceLine>,
    /// The answer belongs to an earlier position, and the new one is late.
    is_late: bool,
    /// Where the bar's text begins.
    left: f32,
}

/// The file that is shown.
pub struct FileView<'a> {
    pub shown: &'a Shown<'a>,
    pub file: &'a Arc<SourceFile>,
    pub text: &'a SourceText,
}

/// A file and its text.
pub struct OpenFile<'a> {
    pub file: &'a SourceFile,
    pub text: &'a SourceText,
}

/// What the panel follows, and whose executions count.
pub struct Subject<'a> {
    pub follow: Follow,
    pub thread: Option<&'a str>,
}

/// A line of a file.
pub struct FileLine<'a> {
    pub file: &'a str,
    pub line: u32,
}

impl SourcePanel {
    /// The source at what `follow` says.
    pub fn new(follow: Follow) -> Self {
        Self { follow, thread: None, session: SessionWatch::default(), state: Box::default() }
    }

    fn file_ui(&mut self, ui: &mut Ui, rect: Rect, shown: &Shown<'_>, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let pen = Pen::new(ui, rect, cx.tok);
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let key = (Arc::clone(&shown.line.file), cx.desk.sources.map.clone());
        let file = match self.state.files.get(&key) {
            Some(file) => file,
            None => match self.ask_for_file(&key, cx) {
                Answer::Failed(error) => return error_ui(ui, &pen, rect, error, out),
                Answer::Fresh(file) if file.text.is_none() => {
                    return empty::not_found_ui(ui, &pen, rect, &file.name, out);
                }
                Answer::Fresh(file) => Arc::clone(file),
                // The text of another file would only be mistaken for this one.
                Answer::Stale(_) | Answer::Late(_) | Answer::Loading => {
                    loading_ui(&pen, rest);
                    return watch_for_late(ui);
                }
            },
        };
        self.state.files.put(key, Arc::clone(&file));
        let Some(text) = &file.text else { return };
        let pen = if shown.is_late { pen.faded() } else { pen };
        bar::bar_ui(ui, &pen, BarPlace { bar, left: shown.left }, HereText { here: shown.here, text });
        self.text_ui(ui, rest, FileView { shown, file: &file, text }, cx, out);
    }

    fn ask_for_file(&mut self, key: &FileKey, cx: &ViewCx<'_>) -> Answer<'_, Arc<SourceFile>> {
        self.state.file.poll(key, &cx.desk.worker, |(name, map)| {
            let (name, map, session) = (Arc::clone(name), map.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| SourceFile::load(&session, &name, &map, cancel).map(Arc::new)
        })
    }

    fn text_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        FileView { shown, file, text }: FileView<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        let here = shown.here;
        let executed = self.executed(file, cx);
        let rows = text.lines.len() as u64;
        let view = Viewport { rows, height: rect.height(), row_height: ROW };
        self.follow(here, &view);
        self.keys(ui, OpenFile { file, text }, &view, cx, out);
        let list = List { rows, ticks: &[], has_lasting_bar: false };
        let area = list.ui(ui, rect, &mut self.state.scroll, cx.tok);
        let pen = Pen::new(ui, area.body, cx.tok);
        self.scroll_aside(ui, &area, text);
        let frame = Frame {
            pen: if shown.is_late { pen.faded() } else { pen },
            cx,
            follow: self.follow,
            thread: self.thread.as_deref(),
            here,
            file,
            text,
            executed,
            cursor: self.state.cursor,
            aside: self.state.aside,
        };
        let bar_pen = frame.pen.clone();
        let clicked = rows_ui(ui, &area, &frame, out);
        if let Some(bar) = self.state.aside_bar {
            bar_pen.fill(bar, cx.tok.ctl);
        }
        if let Some(line) = clicked {
            self.state.cursor = line;
        }
    }

    /// Lines that are longer than the panel is wide are scrolled by a wheel that goes sideways, or with Shift.
    /// A bar at the lower edge says which part of them is in view.
    fn scroll_aside(&mut self, ui: &Ui, area: &ListArea, text: &SourceText) {
        let left = text_left(area, text);
        let (room, widest) = ((area.body.right() - left - 8.0).max(1.0), widest(area, text));
        if ui.rect_contains_pointer(area.body) {
            self.state.aside -= ui.input_mut(|input| std::mem::take(&mut input.smooth_scroll_delta.x));
        }
        self.state.aside = self.state.aside.clamp(0.0, (widest - room).max(0.0));
        if widest > room {
            let part = |points: f32| left + points / widest * room;
            let y = area.body.bottom() - 3.0;
            let bar = Rect::from_min_max(pos2(part(self.state.aside), y), pos2(part(self.state.aside + room), y + 2.0));
            self.state.aside_bar = Some(bar);
        } else {
            self.state.aside_bar = None;
        }
    }

    fn executed(&mut self, file: &Arc<SourceFile>, cx: &ViewCx<'_>) -> Arc<HashSet<u32>> {
        if let Some(lines) = self.state.all_executed.get(&file.name) {
            return lines;
        }
        let answer = self.state.executed.poll_long(&file.name, &cx.desk.worker, |_| {
            let (file, session) = (Arc::clone(file), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| Ok(Arc::new(executed_lines(&session, &file.code, cancel)?))
        });
        let Answer::Fresh(lines) = answer else { return Arc::default() };
        self.state.all_executed.put(Arc::clone(&file.name), Arc::clone(lines));
        Arc::clone(lines)
    }

    /// Brings the current line into view when it is another one.
    fn follow(&mut self, here: &SourceHere, view: &Viewport) {
        let Some(line) = here.line() else { return };
        let now = (Arc::clone(&line.file), line.line, view.height);
        if self.state.revealed.as_ref() == Some(&now) {
            return;
        }
        let row = u64::from(line.line.saturating_sub(1));
        self.state.cursor = line.line;
        self.state.scroll.reveal_row(row.saturating_add(MARGIN).min(view.rows.saturating_sub(1)), view);
        self.state.scroll.reveal_row(row.saturating_sub(MARGIN), view);
        self.state.scroll.reveal_row(row, view);
        self.state.revealed = Some(now);
    }

    fn keys(
        &mut self,
        ui: &Ui,
        OpenFile { file, text }: OpenFile<'_>,
        view: &Viewport,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        let last = text.lines.len().saturating_sub(1);
        let page = usize::try_from(view.page()).unwrap_or(1);
        for key in take_keys(ui, cx) {
            let cursor = self.state.cursor;
            // Rows count from 0, lines from 1.
            let row = key.moved(cursor.saturating_sub(1) as usize, last, page);
            self.state.cursor = u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1);
            match key {
                PanelKey::Enter => ask(
                    cx,
                    Subject { follow: self.follow, thread: self.thread.as_deref() },
                    FileLine { file: &file.name, line: cursor },
                    Way::Forward,
                    out,
                ),
                PanelKey::ShiftEnter => ask(
                    cx,
                    Subject { follow: self.follow, thread: self.thread.as_deref() },
                    FileLine { file: &file.name, line: cursor },
                    Way::Back,
                    out,
                ),
                PanelKey::Copy => out.push(Action::Copy(format!("{}:{cursor}", text.path.display()))),
                _ => {}
            }
            self.state.scroll.reveal_row(u64::from(self.state.cursor.saturating_sub(1)), view);
        }
    }
}

impl Panel for SourcePanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new(Follow::Active)
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Source
    }

    /// The name on the tab: that of the file, once there is one.
    fn title(&self) -> String {
        self.state.shown.as_ref().map_or_else(|| say!("source-source").to_owned(), |line| line.file_name().to_owned())
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn is_pinnable(&self) -> bool {
        true
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn choose_thread(&mut self, thread: ChosenThread) {
        self.thread = thread;
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let news = self.session.look(&cx.desk.session);
        if news == Change::Part {
            // More may be executed.
            self.state.all_executed = KeptAnswers::default();
        }
        if news == Change::Trace {
            *self.state = SourceState::default();
        }
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if self.thread.as_deref().is_some_and(|name| cx.desk.session.index.thread_by_name(name).is_none()) {
            self.thread = None;
        }
        if !cx.desk.session.images.are_lines_ready() {
            return loading_ui(&pen, rect);
        }
        let key = (cx.desk.windows.position_of(self.follow), self.thread.clone());
        let answer = self.state.here.poll(&key, &cx.desk.worker, |(position, thread)| {
            let (position, thread, session) = (*position, thread.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| {
                let thread = thread_or_here(&session, thread.as_deref(), position)?;
                Ok((source_here(&session, thread, position, cancel)?, thread))
            }
        });
        let is_late = matches!(answer, Answer::Late(_));
        let (here, thread) = match answer {
            Answer::Failed(error) => return error_ui(ui, &pen, rect, error, out),
            Answer::Loading => {
                loading_ui(&pen, rect);
                return watch_for_late(ui);
            }
            Answer::Fresh(answer) | Answer::Stale(answer) | Answer::Late(answer) => answer.clone(),
        };
        if self.state.here.is_waiting() {
            watch_for_late(ui);
        }
        if let Some(line) = here.line() {
            self.state.shown = Some(Arc::clone(line));
        }
        let name = cx.desk.session.index.threads().get(usize::from(thread.0)).map_or("", |thread| thread.name.as_str());
        let start = rect.left() + INSET;
        let end = thread_chooser_ui(
            ui,
            pos2(start, rect.top() + BAR / 2.0),
            ChooserView { pen: &pen, cx, shown: name },
            &mut self.thread,
        );
        let left = if end > start { end + INSET } else { start };
        match self.state.shown.clone() {
            Some(line) => self.file_ui(ui, rect, &Shown { here: &here, line: &line, is_late, left }, cx, out),
            None => empty::no_source_ui(ui, &pen, rect, &here, out),
        }
    }
}

/// Travels to an execution of a line as seen from the moment that the panel shows.
pub(super) fn ask(
    cx: &ViewCx<'_>,
    Subject { follow, thread }: Subject<'_>,
    FileLine { file, line }: FileLine<'_>,
    way: Way,
    out: &mut Vec<Action>,
) {
    out.extend(cx.desk.windows.start_from(follow));
    out.push(Action::GoToLine(file.to_owned(), line, way, thread.map(str::to_owned)));
}
