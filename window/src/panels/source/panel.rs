//! The source file of a position, with the line that is executed next.

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};

use super::bar::{SourceBarArea, SourceBarContent};
use super::rows::{SourceRows, rows_ui, text_left, widest};
use super::{bar, empty};
use crate::panels::PanelContext;
use crate::panels::asked::RowInput;
use crate::panels::cursor_list::{CursorList, ListExtent, take_rect};
use crate::panels::list::ListArea;
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyMessage, error_ui, loading_ui, watch_for_late};
use crate::panels::thread::{ChosenThread, ThreadChooserView, thread_chooser_ui};
use stepback_debugger::action::{Action, Follow, PanelKind, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::source::SourceText;
use stepback_debugger::views::{PanelView, RowListing, SourceView, ViewStatus};

/// Height of the bar with the file's name.
const BAR: f32 = 24.0;

/// A source file that follows a position.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourcePanel {
    view: SourceView,
    #[serde(skip)]
    list: CursorList,
    #[serde(skip)]
    aside: HorizontalScroll,
}

/// Horizontal scroll state of the text.
#[derive(Clone, Copy, Debug, Default)]
struct HorizontalScroll {
    points: f32,
    /// Scroll bar, if a line is too long.
    bar: Option<Rect>,
}

impl HorizontalScroll {
    /// Scrolls lines that are wider than the panel, by a horizontal wheel or by the wheel with
    /// Shift.
    /// A bar at the lower edge shows the part in view.
    fn scroll(&mut self, ui: &Ui, area: &ListArea, text: &SourceText) {
        let left = text_left(area, text);
        let (room, widest) = (
            (area.body.right() - left - 8.0).max(1.0),
            widest(area, text),
        );
        if ui.rect_contains_pointer(area.body) {
            self.points -= ui.input_mut(|input| std::mem::take(&mut input.smooth_scroll_delta.x));
        }
        self.points = self.points.clamp(0.0, (widest - room).max(0.0));
        let part = |points: f32| left + points / widest * room;
        let y = area.body.bottom() - 3.0;
        let bar = Rect::from_min_max(
            pos2(part(self.points), y),
            pos2(part(self.points + room), y + 2.0),
        );
        self.bar = (widest > room).then_some(bar);
    }
}

impl SourcePanel {
    /// Creates a panel that follows a window or a moment.
    pub fn new(follow: Follow) -> Self {
        Self {
            view: SourceView::new(follow),
            list: CursorList::default(),
            aside: HorizontalScroll::default(),
        }
    }

    /// Draws the chooser of the thread. Returns the left edge of the rest of the bar.
    fn chooser_ui(&mut self, ui: &Ui, bar: Rect, pen: &Pen<'_>, cx: &PanelContext<'_>) -> f32 {
        let thread = self
            .view
            .here()
            .map_or(0, |(_, thread)| usize::from(thread.0));
        let name = cx
            .desk
            .session
            .index
            .threads()
            .get(thread)
            .map_or("", |thread| thread.name.as_str());
        let start = pos2(bar.left() + INSET, bar.top() + BAR / 2.0);
        let end = thread_chooser_ui(
            ui,
            start,
            ThreadChooserView {
                pen,
                cx,
                shown: name,
            },
            self.view.thread_mut(),
        );
        if end > start.x { end + INSET } else { start.x }
    }

    fn lines_ui(
        &mut self,
        ui: &mut Ui,
        list: Rect,
        rows: &RowListing,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let place = ListExtent {
            rows: rows.count,
            list,
        };
        self.list.follow(rows.marked, self.view.margin(), place);
        self.list.keys(ui, &mut self.view, place, cx, out);
        let area = self.list.area(ui, list, rows.count, cx.tok);
        let pen = Pen::new(ui, area.body, cx.tok);
        let pen = if self.view.is_late() {
            pen.faded()
        } else {
            pen
        };
        let Some((source, text)) = self
            .view
            .shown()
            .and_then(|shown| Some((shown, shown.file.text.as_ref()?)))
        else {
            return;
        };
        self.aside.scroll(ui, &area, text);
        let (view, cursor, aside) = (&self.view, self.list.cursor, self.aside.points);
        let frame = SourceRows {
            pen,
            cx,
            view,
            source,
            text,
            cursor,
            aside,
        };
        let mut touched = RowInput::default();
        rows_ui(ui, &area, &frame, &mut touched, out);
        if let Some(bar) = self.aside.bar {
            frame.pen.fill(bar, cx.tok.ctl);
        }
        touched.apply(&mut self.view, &mut self.list, cx.desk, out);
    }
}

impl Panel for SourcePanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new(Follow::Active)
    }

    fn kind(&self) -> PanelKind {
        self.view.kind()
    }

    /// Name on the tab: the file name, once there is a file.
    fn title(&self) -> String {
        self.view.line().map_or_else(
            || say!("source-source").to_owned(),
            |line| line.file_name().to_owned(),
        )
    }

    fn follow(&self) -> Option<Follow> {
        self.view.follow()
    }

    fn is_pinnable(&self) -> bool {
        true
    }

    fn bind(&mut self, follow: Follow) {
        self.view.bind(follow);
    }

    fn choose_thread(&mut self, thread: ChosenThread) {
        *self.view.thread_mut() = thread;
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let status = self.view.poll(cx.desk);
        if self.view.is_waiting() {
            watch_for_late(ui);
        }
        let is_known = self.view.here().is_some() && cx.desk.session.images.are_lines_ready();
        let (bar, rest) = rect.split_top_bottom_at_y(if is_known {
            rect.top() + BAR
        } else {
            rect.top()
        });
        let left = if is_known {
            self.chooser_ui(ui, bar, &pen, cx)
        } else {
            rect.left()
        };
        match status {
            ViewStatus::Failed(error) => error_ui(ui, &pen, rect, &error, out),
            ViewStatus::Loading(_) => {
                loading_ui(&pen, rest);
                watch_for_late(ui);
            }
            ViewStatus::Empty { title, advice } => match self.view.missing() {
                Some(name) => empty::not_found_ui(ui, &pen, rect, name, out),
                None => empty::no_source_ui(ui, &pen, rect, EmptyMessage(&title, &advice), out),
            },
            ViewStatus::Rows(rows) => {
                let text = self.view.shown().and_then(|shown| shown.file.text.as_ref());
                if let Some(((here, _), text)) = self.view.here().zip(text) {
                    let pen = if self.view.is_late() {
                        pen.faded()
                    } else {
                        pen
                    };
                    bar::bar_ui(
                        ui,
                        &pen,
                        SourceBarArea { bar, left },
                        SourceBarContent { here, text },
                    );
                }
                self.lines_ui(ui, rest, &rows, cx, out);
            }
        }
    }
}
