//! The panel that lists the hits of a search.

use std::borrow::Cow;
use std::sync::Arc;

use egui::{PopupCloseBehavior, Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Action, CellName, FindKind, FindQuery, FindRange, PanelKind, SearchAction,
};
use stepback_debugger::expression::ExampleRegisters;
use stepback_debugger::messages::say;
use stepback_debugger::model::found::{
    SearchEnd, SearchResults, entries_words, kind_name, nothing_advice, nothing_words, summary,
};
use stepback_debugger::model::table::{Table, TableRow};
use stepback_debugger::notes::SavedSearch;
use stepback_debugger::views::{FindTable, PanelView, TableView};
use stepback_parsers::Position;

use super::field::{FindField, FindFieldEvent};
use crate::panels::PanelContext;
use crate::panels::cursor_list::take_rect;
use crate::panels::find::field::{SearchScope, icon_button, kind_ui, reach_ui, search_menu};
use crate::panels::menu::KeptMenu;
use crate::panels::offer::PanelOffer;
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen, ROW};
use crate::panels::row::{EmptyMessage, Field, FocusRequest, button_response, row_response};
use crate::panels::table::{ListExport, ListPlace, RowList};
use crate::theme::{icon, icons, medium, mono, ui as ui_font};

/// Height of a bar.
const BAR: f32 = 30.0;
/// Widths of the choosers.
const KIND: f32 = 110.0;
const REACH: f32 = 116.0;
/// Narrower panels have the choosers below the field.
const NARROW: f32 = 480.0;
/// Lower panels only have room for the field and the hits.
const LOW: f32 = 120.0;
/// Width of the filter field.
const FILTER: f32 = 140.0;

/// Example searches, and the message ids of their descriptions.
const EXAMPLES: [(&str, &str); 7] = [
    ("ldr x1", "find-a-word-of-the-instruction"),
    (r"/^bl?\s.*0x8000/", "find-a-regular-expression-over-the"),
    ("0x1f", "find-a-number-that-a-register"),
    ("67 64 62", "find-bytes-in-a-row-however"),
    ("0x80020010:8", "find-what-reads-or-writes-memory"),
    ("main", "find-the-entries-of-a-function"),
    ("main.c:12", "find-the-steps-of-a-source"),
];

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FindPanel {
    /// Interpretation of the text.
    kind: FindKind,
    /// The hits; the desk holds them.
    view: TableView<FindTable>,
    /// Saved search that is shown instead of the one in the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<SavedSearch>,
    #[serde(skip)]
    state: Box<FindPanelState>,
}

#[derive(Debug, Default)]
struct FindPanelState {
    field: FindField,
    menu: KeptMenu,
    reach: SearchScope,
    range: FindRange,
    /// Number of the search that the field shows.
    number: u64,
    /// Number of focus requests handled; none before the first frame.
    focused: Option<u64>,
    /// Number of the search that was shown when another one was submitted in the field.
    submitted: Option<u64>,
    list: RowList,
    /// The panel was drawn.
    was_seen: bool,
    /// Its own search is to be stopped.
    wants_stop: bool,
    /// The cursor was placed before the first hit after the position.
    is_placed: bool,
    /// Position to which the list was last moved.
    position: Option<Position>,
}

/// Hits, the rows that are shown, and the rectangle of the summary.
struct HitSummary<'a> {
    pen: &'a Pen<'a>,
    found: &'a SearchResults,
    table: &'a Table,
    rect: Rect,
}

/// Area of the hits, and its pen.
struct HitArea<'a> {
    pen: &'a Pen<'a>,
    rect: Rect,
}

impl FindPanel {
    /// Creates a panel that shows a saved search.
    pub fn of(kept: SavedSearch) -> Self {
        Self {
            own: Some(kept),
            ..Self::default()
        }
    }

    /// Saved search that is shown; none until the panel is first in view.
    pub fn own(&self) -> Option<&SavedSearch> {
        self.own.as_ref().filter(|_| self.state.was_seen)
    }

    /// Takes the request to stop its own search.
    pub fn take_stop(&mut self) -> bool {
        std::mem::take(&mut self.state.wants_stop)
    }

    fn take_over(&mut self, cx: &PanelContext<'_>) {
        if self.state.number == cx.desk.find.number() {
            return;
        }
        (self.state.number, self.state.is_placed) = (cx.desk.find.number(), false);
        self.state.list.rewind();
        self.view.filter_mut().clear();
        let Some(question) = cx.desk.find.question() else {
            self.state.field.text.clear();
            return;
        };
        if self.question(cx) != *question {
            self.recall(question.clone());
        }
    }

    fn recall(&mut self, question: FindQuery) {
        let FindQuery { text, kind, range } = question;
        (self.state.field.text, self.kind) = (text, kind);
        self.state.reach = if range == FindRange::default() {
            SearchScope::Everywhere
        } else {
            SearchScope::Between
        };
        self.state.range = range;
    }

    fn question(&self, cx: &PanelContext<'_>) -> FindQuery {
        let here = || cx.desk.windows.active().position.0.to_string();
        let range = match self.state.reach {
            SearchScope::Everywhere => FindRange::default(),
            SearchScope::FromHere => FindRange {
                from: here(),
                to: String::new(),
            },
            SearchScope::UpToHere => FindRange {
                from: String::new(),
                to: here(),
            },
            SearchScope::Between => self.state.range.clone(),
        };
        FindQuery {
            text: self.state.field.text.clone(),
            kind: self.kind,
            range,
        }
    }

    fn ask(&self, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        if !self.state.field.text.trim().is_empty() {
            out.push(Action::Search(SearchAction::Find(self.question(cx))));
        }
    }

    /// Draws the field and the choosers. Returns the area below.
    fn bars_ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        rect: Rect,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) -> Rect {
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let is_narrow = rect.width() < NARROW && rect.height() > LOW;
        let (choosers, rest) = match is_narrow {
            true => rest.split_top_bottom_at_y(rest.top() + BAR),
            false => (bar, rest),
        };
        let middle =
            |rect: Rect| Rect::from_min_max(rect.min + vec2(0.0, 4.0), rect.max - vec2(0.0, 4.0));
        let right = choosers.right() - 8.0;
        let reach = middle(choosers)
            .with_min_x((right - REACH).max(choosers.left() + 8.0))
            .with_max_x(right);
        let kind_left = if is_narrow {
            choosers.left() + 8.0
        } else {
            reach.left() - 6.0 - KIND
        };
        let kind = middle(choosers)
            .with_min_x(kind_left)
            .with_max_x((kind_left + KIND).min(reach.left() - 6.0));
        let end = if is_narrow {
            bar.right() - 8.0
        } else {
            kind.left() - 6.0
        };
        let history = middle(bar).with_min_x(end - 22.0).with_max_x(end);
        let field = middle(bar)
            .with_min_x(bar.left() + 8.0)
            .with_max_x(history.left() - 2.0);
        self.field_ui(ui, pen, field, cx, out);
        self.history_ui(ui, pen, history, cx, out);
        let registers = ExampleRegisters::of_index(&cx.desk.session.index);
        let is_chosen = kind_ui(ui, pen, kind, registers, &mut self.kind);
        let is_moved = reach_ui(ui, pen, reach, &mut self.state.reach)
            && self.state.reach != SearchScope::Between;
        if is_chosen || is_moved {
            self.ask(cx, out);
        }
        if self.state.reach == SearchScope::Between {
            self.range_ui(ui, pen, rest, cx, out)
        } else {
            rest
        }
    }

    fn field_ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        rect: Rect,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let times = cx.desk.find.times_focused();
        let is_requested = self
            .state
            .focused
            .map_or(times > 0 && cx.has_focus, |before| before != times);
        self.state.focused = Some(times);
        let focus = if is_requested || self.found_nothing(ui, cx) {
            FocusRequest::Wanted
        } else {
            FocusRequest::Left
        };
        match self
            .state
            .field
            .ui(ui, pen, rect, cx.desk.find.history(), focus)
        {
            FindFieldEvent::Nothing => {}
            FindFieldEvent::Submitted => {
                self.state.submitted = Some(cx.desk.find.number());
                self.ask(cx, out);
            }
            // The field shows the query of the list again.
            FindFieldEvent::GivenUp => cx
                .desk
                .find
                .question()
                .iter()
                .for_each(|question| self.recall((*question).clone())),
            FindFieldEvent::Recalled(question) => self.recall(question),
        }
        if cx.desk.find.error().is_some() {
            pen.frame(rect, 4, pen.tok.err);
        }
    }

    /// Returns true once if a search from the field has ended without a hit and nothing else has the
    /// focus: the next keys are to change the search.
    fn found_nothing(&mut self, ui: &Ui, cx: &PanelContext<'_>) -> bool {
        let find = &cx.desk.find;
        let is_begun = self
            .state
            .submitted
            .is_some_and(|before| before != find.number());
        let hits = find.found().map(|found| found.count());
        if !is_begun || find.is_under_way() || hits.is_none() && find.error().is_none() {
            return false;
        }
        self.state.submitted = None;
        hits.unwrap_or(0) == 0 && ui.memory(|memory| memory.focused().is_none())
    }

    /// Draws the button and menu of earlier searches.
    fn history_ui(
        &mut self,
        ui: &Ui,
        pen: &Pen<'_>,
        rect: Rect,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let response = button_response(ui, rect, "history", say!("find-searches-before"));
        if response.hovered() || response.has_focus() {
            pen.painter.rect_filled(rect, 4.0, pen.tok.bg3);
        }
        pen.text_centered(rect.center(), icons::CARET_DOWN, icon(10.0), pen.tok.t2);
        let shown = egui::Popup::menu(&response)
            .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
            .show(|ui| {
                ui.style_mut().override_font_id = Some(ui_font(13.0));
                let requested = out.len();
                let chosen = search_menu(ui, &mut self.state.menu, cx, out);
                if chosen.is_some() || out.len() > requested {
                    ui.close();
                }
                chosen
            });
        let chosen = shown.and_then(|shown| shown.inner);
        response.on_hover_text(say!("find-searches-before-up-in-the-field"));
        if let Some(question) = chosen {
            self.recall(question);
            self.ask(cx, out);
        }
    }

    /// Draws the fields of the start and end positions. Returns the area below.
    fn range_ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        rect: Rect,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) -> Rect {
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR - 4.0);
        let half = ((bar.width() - 22.0) / 2.0).min(200.0);
        let left = Rect::from_min_size(bar.min + vec2(8.0, 0.0), vec2(half, 22.0));
        let mut is_entered = false;
        let fields = [
            (say!("find-from-position"), &mut self.state.range.from),
            (say!("find-to-position"), &mut self.state.range.to),
        ];
        for (place, (hint, text)) in (0u8..).zip(fields) {
            let rect = left.translate(vec2(f32::from(place) * (half + 6.0), 0.0));
            let response = Field {
                hint,
                icon: icons::GO_TO,
            }
            .ui(ui, pen, rect, text);
            is_entered |=
                response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        }
        if is_entered {
            self.ask(cx, out);
        }
        rest
    }

    /// Draws the error below the field. Returns the area below it.
    fn error_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, error: &str) -> Rect {
        let width = (rect.width() - 2.0 * INSET - 20.0).max(60.0);
        let galley = pen
            .painter
            .layout(error.to_owned(), ui_font(12.0), pen.tok.err, width);
        let height = galley.size().y + 8.0;
        let (line, rest) = rect.split_top_bottom_at_y(rect.top() + height);
        pen.text(
            line.left() + INSET,
            line.top() + 10.0,
            icons::WARNING,
            icon(14.0),
            pen.tok.err,
        );
        pen.painter.galley(
            pos2((line.left() + INSET + 20.0).round(), line.top() + 2.0),
            galley,
            pen.tok.err,
        );
        let response = ui.interact(
            line,
            ui.unique_id().with("find error"),
            egui::Sense::hover(),
        );
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, error));
        rest
    }

    /// Draws the number of hits, other interpretations of the text, and the buttons for the hits.
    fn summary_ui(
        &mut self,
        ui: &mut Ui,
        hits: &HitSummary<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let HitSummary {
            pen,
            found,
            table,
            rect: bar,
        } = *hits;
        let (tok, y) = (cx.tok, bar.center().y);
        let is_under_way = found.end == SearchEnd::UnderWay;
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
        let mut right = bar.right() - 6.0;
        let mut square = |width: f32| {
            right -= width;
            Rect::from_min_max(pos2(right, y - 11.0), pos2(right + width, y + 11.0))
        };
        let end = square(24.0);
        match is_under_way {
            true if icon_button(ui, pen, end, icons::CLOSE, say!("find-stop-the-search")) => {
                out.push(Action::Search(SearchAction::StopFind))
            }
            false
                if icon_button(
                    ui,
                    pen,
                    end,
                    icons::CLOSE,
                    say!("find-clear-hits-and-marks"),
                ) =>
            {
                out.push(Action::Search(SearchAction::ClearFind))
            }
            _ => {}
        }
        let only = square(26.0).with_max_x(end.left() - 2.0);
        if cx.desk.windows.active().only_hits.is_on {
            pen.painter.rect_filled(only, 4.0, tok.sel);
        }
        if icon_button(
            ui,
            pen,
            only,
            icons::LIST,
            say!("find-only-hits-in-the-list"),
        ) {
            out.push(Action::Search(SearchAction::ToggleOnlyHits));
        }
        let end = only;
        let offers: Vec<FindQuery> = if is_under_way {
            Vec::new()
        } else {
            found.meaning.others()
        };
        let offers: Vec<(FindQuery, String)> = offers
            .into_iter()
            .map(|offer| {
                let words = offer_words(&offer, found, cx);
                (offer, words)
            })
            .collect();
        let link_width = |words: &str| pen.width(words, ui_font(12.0)) + 12.0;
        let offered: f32 = offers.iter().map(|(_, words)| link_width(words)).sum();
        // The offers take the room of the filter, which finds nothing without hits.
        let is_filtered = !self.view.filter_mut().is_empty();
        let has_room = bar.width() > 3.0 * FILTER + offered && found.count() > 0;
        if is_filtered || has_room {
            let field = square(FILTER + 6.0).with_max_x(end.left() - 6.0);
            let filter = Field {
                hint: say!("find-filter"),
                icon: icons::FILTER,
            };
            if filter.ui(ui, pen, field, self.view.filter_mut()).changed() {
                self.state.list.rewind();
            }
        }
        if found.count() > 0 {
            ListExport {
                pen,
                rows: &|| Cow::Borrowed(table),
                name: "hits",
            }
            .ui(ui, square(26.0).with_max_x(right + 24.0), out);
        }
        let words = summary(found, &cx.desk.session);
        let words = if cx.desk.find.is_full() {
            say!("find-more-not-kept", summary = words)
        } else {
            words
        };
        // The offers leave room for the summary, but take what it does not need.
        let summary_width = INSET + pen.width(&words, ui_font(12.0)) + 6.0;
        let room = summary_width.min(bar.width() / 2.0);
        for (offer, offered) in offers {
            let width = link_width(&offered);
            if right - width < bar.left() + room {
                break;
            }
            right -= width;
            let rect = Rect::from_min_max(pos2(right, y - 10.0), pos2(right + width, y + 10.0));
            if link_ui(ui, pen, rect, &offered) {
                out.push(Action::Search(SearchAction::Find(FindQuery {
                    range: self.question(cx).range,
                    ..offer
                })));
            }
        }
        if cx.desk.find.can_have_more() {
            let more = if found.end == SearchEnd::Stopped {
                say!("find-go-on")
            } else {
                say!("find-more-hits")
            };
            let width = link_width(more);
            right -= width;
            let rect = Rect::from_min_max(pos2(right, y - 10.0), pos2(right + width, y + 10.0));
            if link_ui(ui, pen, rect, more) {
                out.push(Action::Search(SearchAction::FindMore));
            }
        }
        pen.cut_text(
            pos2(bar.left() + INSET, y),
            &words,
            ui_font(12.0),
            tok.t2,
            right - 6.0,
        );
        let label = Rect::from_min_max(bar.min, pos2(right - 6.0, bar.bottom()));
        let response = ui.interact(label, ui.unique_id().with("summary"), egui::Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
        response.on_hover_text(words);
        if is_under_way {
            let whole = found.to.0.saturating_sub(found.from.0).max(1) as f32;
            let share = found.searched.0.saturating_sub(found.from.0) as f32 / whole;
            let line = Rect::from_min_max(pos2(bar.left(), bar.bottom() - 2.0), bar.max);
            pen.fill(
                line.with_max_x(line.left() + share * line.width()),
                tok.accent,
            );
        }
    }

    fn hits_ui(
        &mut self,
        ui: &mut Ui,
        place: &HitArea<'_>,
        found: &SearchResults,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let HitArea { pen, rect } = *place;
        let is_low = rect.height() + BAR < LOW;
        let (bar, below) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let rest = if is_low { rect } else { below };
        self.view.show(Arc::clone(&found.table));
        let table = Arc::clone(self.view.table());
        if !is_low {
            self.summary_ui(
                ui,
                &HitSummary {
                    pen,
                    found,
                    table: &table,
                    rect: bar,
                },
                cx,
                out,
            );
        }
        let words = nothing_words(found, &cx.desk.session);
        let advice = match found.end {
            SearchEnd::UnderWay => say!("find-escape-ends-the-search"),
            _ => nothing_advice(found, &cx.desk.session),
        };
        let shown = ListPlace {
            pen,
            nothing: EmptyMessage(&words, advice),
            rect: rest,
        };
        let is_in_range = (cx.desk.find.question())
            .is_some_and(|question| question.range != FindRange::default());
        if found.count() == 0 && is_in_range && found.end == SearchEnd::Done {
            let everywhere = PanelOffer {
                icon: icons::SEARCH,
                words: shown.nothing,
                button: say!("find-search-everywhere"),
                action: Action::Search(SearchAction::Find(FindQuery {
                    range: FindRange::default(),
                    ..self.question(cx)
                })),
            };
            return everywhere.ui(ui, pen, rest, out);
        }
        if self.view.shown().is_plain() {
            self.place(&shown, found, cx);
        }
        self.state.list.ui(ui, &shown, &mut self.view, cx, out);
    }

    /// Draws the hits of a saved search, which are marked nowhere else.
    fn own_ui(
        &mut self,
        ui: &mut Ui,
        place: &HitArea<'_>,
        kept: &SavedSearch,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        if !std::mem::replace(&mut self.state.was_seen, true) {
            // The search begins with the next frame.
            ui.ctx().request_repaint();
        }
        let HitArea { pen, rect } = *place;
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let (y, words) = (bar.center().y, say!("find-mark-these-hits"));
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
        let link = pen.width(words, ui_font(12.0)) + 12.0;
        let mark = Rect::from_min_max(
            pos2(bar.right() - 6.0 - link, y - 10.0),
            pos2(bar.right() - 6.0, y + 10.0),
        );
        if link_ui(ui, pen, mark, words) {
            out.push(Action::Search(SearchAction::Find(kept.search.clone())));
        }
        let state = cx.desk.own_finds.find(&kept.search);
        if let Some(error) = state.and_then(|state| state.error()) {
            Self::error_ui(ui, pen, rest, error);
            return;
        }
        let Some(found) = state.and_then(|state| state.found()).map(Arc::clone) else {
            self.view.forget();
            let is_stopped = state.is_some_and(|state| !state.is_under_way());
            let words = if is_stopped {
                say!("find-stopped-before-any-hit")
            } else {
                say!("find-searching")
            };
            pen.text(bar.left() + INSET, y, words, ui_font(12.0), cx.tok.t2);
            if !is_stopped {
                self.stop_ui(ui, pen, mark);
            }
            return;
        };
        self.view.show(Arc::clone(&found.table));
        let table = Arc::clone(self.view.table());
        let is_under_way = state.is_some_and(|state| state.is_under_way());
        let right = if is_under_way {
            self.stop_ui(ui, pen, mark)
        } else {
            mark.left()
        };
        let export = Rect::from_min_max(pos2(right - 30.0, y - 11.0), pos2(right - 6.0, y + 11.0));
        ListExport {
            pen,
            rows: &|| Cow::Borrowed(&*table),
            name: "hits",
        }
        .ui(ui, export, out);
        let words = summary(&found, &cx.desk.session);
        pen.cut_text(
            pos2(bar.left() + INSET, y),
            &words,
            ui_font(12.0),
            cx.tok.t2,
            export.left() - 6.0,
        );
        let response = ui.interact(
            bar.with_max_x(export.left() - 6.0),
            ui.unique_id().with("summary"),
            egui::Sense::hover(),
        );
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
        response.on_hover_text(words);
        let nothing = nothing_words(&found, &cx.desk.session);
        let nothing = EmptyMessage(&nothing, say!("find-close-the-panel-or-look"));
        let shown = ListPlace {
            pen,
            nothing,
            rect: rest,
        };
        if self.view.shown().is_plain() {
            self.place(&shown, &found, cx);
        }
        self.state.list.ui(ui, &shown, &mut self.view, cx, out);
    }

    /// Draws the button that stops the panel's own search. Returns its left edge.
    fn stop_ui(&mut self, ui: &Ui, pen: &Pen<'_>, mark: Rect) -> f32 {
        let y = mark.center().y;
        let stop = Rect::from_min_max(
            pos2(mark.left() - 30.0, y - 11.0),
            pos2(mark.left() - 6.0, y + 11.0),
        );
        self.state.wants_stop |=
            icon_button(ui, pen, stop, icons::CLOSE, say!("find-stop-the-search"));
        stop.left()
    }

    /// Puts the cursor at the position, and follows the position when it moves to another hit.
    fn place(&mut self, shown: &ListPlace<'_>, found: &SearchResults, cx: &PanelContext<'_>) {
        let at = cx.desk.windows.active().position;
        let table = Arc::clone(self.view.table());
        let rows = &table.rows;
        let after = |row: &TableRow| row.position.is_some_and(|position| position <= at);
        if !self.state.is_placed && !rows.is_empty() {
            let next = rows.partition_point(after);
            if next < rows.len() || found.end != SearchEnd::UnderWay {
                self.state
                    .list
                    .go_before(next.min(rows.len() - 1), rows.len(), shown);
                (self.state.is_placed, self.state.position) = (true, Some(at));
            }
        }
        if self.state.position.replace(at) == Some(at) {
            return;
        }
        let is_here = |row: &&TableRow| row.position == Some(at);
        let stands_here = rows
            .get(self.state.list.cursor())
            .as_ref()
            .is_some_and(is_here);
        let first = rows.partition_point(|row| row.position.is_some_and(|position| position < at));
        if !stands_here && rows.get(first).as_ref().is_some_and(is_here) {
            self.state.list.go_to(first, rows.len(), shown);
        }
    }

    /// Draws the example searches.
    fn examples_ui(&mut self, ui: &Ui, pen: &Pen<'_>, rect: Rect, cx: &PanelContext<'_>) {
        let tok = pen.tok;
        let (x, mut y) = (rect.left() + INSET, rect.top() + 16.0);
        pen.text(
            x,
            y,
            say!("find-type-what-to-look-for"),
            medium(13.0),
            tok.t1,
        );
        let response = ui.interact(rect, ui.unique_id().with("empty"), egui::Sense::hover());
        response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Label, true, say!("find-type-what-to-look-for"))
        });
        y += 24.0;
        let registers = ExampleRegisters::of_index(&cx.desk.session.index);
        for (example, finds) in EXAMPLES {
            if y + ROW / 2.0 > rect.bottom() {
                return;
            }
            let row = Rect::from_min_max(
                pos2(rect.left(), y - ROW / 2.0),
                pos2(rect.right(), y + ROW / 2.0),
            );
            let response = row_response(ui, row, ("example", example), || {
                say!("find-example", example = example)
            });
            if response.hovered() {
                pen.fill(row, tok.hover);
            }
            pen.text(x, y, example, mono(12.5), tok.accent);
            pen.cut_text(
                pos2(x + 140.0, y),
                &registers.spoken(finds),
                ui_font(12.0),
                tok.t3,
                rect.right() - 8.0,
            );
            if response.clicked() {
                example.clone_into(&mut self.state.field.text);
                self.state.focused = None;
            }
            y += ROW;
        }
    }
}

/// Labels another interpretation of the text: `as value`, or `as value 0x1250` if the text itself
/// differs. Functions are named: `entries of decode_field`.
fn offer_words(offer: &FindQuery, found: &SearchResults, cx: &PanelContext<'_>) -> String {
    let text = &*found.meaning.text;
    if text.contains('=') {
        return say!("find-or", text = &*offer.text);
    }
    let kind = match offer.kind {
        FindKind::Function => {
            let images = &cx.desk.session.images;
            return entries_words(&found.meaning.functions, text, images);
        }
        FindKind::Address => say!("find-address").to_owned(),
        kind => kind_name(kind).to_lowercase(),
    };
    let is_decimal = offer.text != text && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal {
        say!("find-as-text", kind = kind, text = &*offer.text)
    } else {
        say!("find-as", kind = kind)
    }
}

/// Draws a text button. Returns true if it was clicked.
fn link_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, words: &str) -> bool {
    let response = button_response(ui, rect, words, words);
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(rect, 4.0, pen.tok.bg3);
    }
    pen.text(
        rect.left() + 6.0,
        rect.center().y,
        words,
        ui_font(12.0),
        pen.tok.accent,
    );
    response.clicked()
}

impl Panel for FindPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Find
    }

    fn title(&self) -> String {
        self.own
            .as_ref()
            .map_or_else(|| say!("table-find").to_owned(), |kept| kept.name.clone())
    }

    /// Returns the memory of the hit under the cursor.
    fn selection(&self, cx: &PanelContext<'_>) -> Option<CellName> {
        self.view.cell(self.state.list.cursor(), cx.desk)
    }

    fn selection_at(&self, cx: &PanelContext<'_>) -> Option<Position> {
        self.view.cell_at(self.state.list.cursor(), cx.desk)
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if let Some(kept) = self.own.clone() {
            return self.own_ui(ui, &HitArea { pen: &pen, rect }, &kept, cx, out);
        }
        self.take_over(cx);
        let mut rest = self.bars_ui(ui, &pen, rect, cx, out);
        if let Some(error) = cx.desk.find.error() {
            rest = Self::error_ui(ui, &pen, rest, error);
        }
        let found = cx.desk.find.found().map(Arc::clone);
        if found.is_none() {
            self.view.forget();
        }
        match found {
            Some(found) => self.hits_ui(
                ui,
                &HitArea {
                    pen: &pen,
                    rect: rest,
                },
                &found,
                cx,
                out,
            ),
            None if cx.desk.find.is_under_way() => {
                let (bar, _) = rest.split_top_bottom_at_y(rest.top() + BAR);
                pen.text(
                    bar.left() + INSET,
                    bar.center().y,
                    say!("find-searching"),
                    ui_font(12.0),
                    cx.tok.t2,
                );
                let end = Rect::from_min_size(
                    pos2(bar.right() - 30.0, bar.center().y - 11.0),
                    vec2(24.0, 22.0),
                );
                if icon_button(ui, &pen, end, icons::CLOSE, say!("find-stop-the-search")) {
                    out.push(Action::Search(SearchAction::StopFind));
                }
            }
            None => self.examples_ui(ui, &pen, rest, cx),
        }
    }
}
