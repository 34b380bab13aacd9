//! The panel of the source file of a position, with the line that is executed next, its bar, and
//! the message without a source.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, FileAction, Follow, PanelKind};
use stepback_debugger::messages::say;
use stepback_debugger::model::source_view::PositionSource;
use stepback_debugger::source::SourceText;
use stepback_debugger::views::{PanelView, RowListing, SourceView, ViewStatus};

use crate::panels::PanelContext;
use crate::panels::cursor_list::{CursorList, ListExtent, RowInput, take_rect};
use crate::panels::list::ListArea;
use crate::panels::offer::PanelOffer;
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{
    ChosenThread, EmptyMessage, ThreadChooserView, error_ui, loading_ui, thread_chooser_ui,
    watch_for_late,
};
use crate::panels::source::rows::{SourceRows, rows_ui, text_left, widest};
use crate::theme::{icon, icons, mono, mono_bold, ui as ui_font};

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
                Some(name) => not_found_ui(ui, &pen, rect, name, out),
                None => no_source_ui(ui, &pen, rect, EmptyMessage(&title, &advice), out),
            },
            ViewStatus::Rows(rows) => {
                let text = self.view.shown().and_then(|shown| shown.file.text.as_ref());
                if let Some(((here, _), text)) = self.view.here().zip(text) {
                    let pen = if self.view.is_late() {
                        pen.faded()
                    } else {
                        pen
                    };
                    bar_ui(
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

/// Minimum width of a bar with a legend of the line marks.
const LEGEND_FROM: f32 = 480.0;

/// The bar and the left edge of its text.
pub struct SourceBarArea {
    pub bar: Rect,
    pub left: f32,
}

/// Source position, and the file that contains it.
pub struct SourceBarContent<'a> {
    pub here: &'a PositionSource,
    pub text: &'a SourceText,
}

/// Draws, from `left` on, the file, its folder, and the relation of the position to it.
pub fn bar_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    SourceBarArea { bar, left }: SourceBarArea,
    SourceBarContent { here, text }: SourceBarContent<'_>,
) {
    let (tok, y) = (pen.tok, bar.center().y);
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
    let name = text
        .path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let place = here
        .line()
        .map_or(name.clone(), |line| format!("{name}:{}", line.line));
    let mut x = pen.text(left, y, &place, mono_bold(12.5), tok.t1) + INSET;
    if text.is_newer {
        x = pen.text(x, y, icons::WARNING, icon(13.0), tok.warn) + 4.0;
        x = pen.label(x, y, say!("source-newer-than-the-image"), tok.warn) + INSET;
    }
    let said = here.words();
    let bar = if bar.width() > LEGEND_FROM {
        bar.with_max_x(legend_ui(pen, bar))
    } else {
        bar
    };
    let room = (bar.right() - INSET - x).max(0.0);
    let width = pen.width(&said, ui_font(11.5)).min(room);
    let left = bar.right() - INSET - width;
    pen.cut_text(
        pos2(left, y),
        &said,
        ui_font(11.5),
        tok.t2,
        bar.right() - INSET + 1.0,
    );
    let folder = text
        .path
        .parent()
        .map(|folder| folder.display().to_string())
        .unwrap_or_default();
    if left - INSET - x > 40.0 {
        pen.cut_text(pos2(x, y), &folder, mono(11.5), tok.t3, left - INSET);
    }
    let path = text.path.display().to_string();
    let response = ui.interact(bar, ui.unique_id().with("source bar"), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(
            Role::Heading,
            true,
            say!("source-bar", place = &place, said = &said).trim_end(),
        )
    });
    response.on_hover_text(if text.is_cut {
        say!("source-cut", path = path)
    } else {
        path
    });
}

/// Draws the legend of the bars next to line numbers. Returns its left edge.
fn legend_ui(pen: &Pen<'_>, bar: Rect) -> f32 {
    let (tok, y) = (pen.tok, bar.center().y);
    let mut right = bar.right() - INSET;
    for (words, is_filled) in [
        (say!("source-not-in-the-trace"), false),
        (say!("source-executed"), true),
    ] {
        right = pen.text_left_of(right, y, words, ui_font(11.0), tok.t3) - 6.0;
        let mark = Rect::from_center_size(pos2(right - 1.5, y), vec2(3.0, 11.0));
        match is_filled {
            true => pen.fill(mark, tok.done),
            false => pen.frame(mark, 0, tok.ctl),
        }
        right = mark.left() - 10.0;
    }
    right
}

/// Reports that no source line is known, and offers to add an image.
pub fn no_source_ui(
    ui: &mut Ui,
    pen: &Pen<'_>,
    rect: Rect,
    words: EmptyMessage<'_>,
    out: &mut Vec<Action>,
) {
    PanelOffer {
        icon: icons::SOURCE,
        words,
        button: say!("source-add-image"),
        action: Action::File(FileAction::AddImage(None)),
    }
    .ui(ui, pen, rect, out);
}

/// Reports that the file is not at the path in the image, and offers to locate it.
pub fn not_found_ui(ui: &mut Ui, pen: &Pen<'_>, rect: Rect, name: &str, out: &mut Vec<Action>) {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let sentence = say!("source-not-found", file = file);
    let advice = say!(
        "source-compiled-as",
        name = end_that_fits(pen, name, rect.width() - 190.0)
    );
    let words = EmptyMessage(&sentence, &advice);
    PanelOffer {
        icon: icons::SOURCE,
        words,
        button: say!("source-locate"),
        action: Action::File(FileAction::LocateSource(name.to_owned())),
    }
    .ui(ui, pen, rect, out);
}

/// Shortens a path to an end that fits: the end identifies a file better than the beginning.
fn end_that_fits(pen: &Pen<'_>, path: &str, room: f32) -> String {
    let is_fitting = |text: &str| pen.width(text, ui_font(12.0)) <= room;
    if is_fitting(path) {
        return path.to_owned();
    }
    let ends = path
        .match_indices(['/', '\\'])
        .filter_map(|(place, _)| path.get(place..));
    let cut: Vec<String> = ends.map(|end| format!("…{end}")).collect();
    cut.iter()
        .find(|text| is_fitting(text))
        .or(cut.last())
        .cloned()
        .unwrap_or_else(|| path.to_owned())
}
