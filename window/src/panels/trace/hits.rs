//! Parts of a trace list that shows only hits or a slice: its bar, and the rows for hidden steps.

use egui::{Rect, Ui, pos2};
use stepback_parsers::Step;

use super::menu::TraceContext;
use super::paint::TraceColumns;
use crate::panels::PanelContext;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{RowState, button_response, row_background, row_response};
use crate::theme::{icon, icons, ui as ui_font};
use stepback_debugger::action::{Action, SearchAction, StepRange};
use stepback_debugger::messages::say;
use stepback_debugger::model::found::{SearchEnd, subject};
use stepback_debugger::model::hit_rows::StepSelection;
use stepback_debugger::model::slice::{SliceProgress, question_words};
use stepback_debugger::model::so_far::so_far;
use stepback_debugger::model::text::thousands;

/// Height of the bar.
const BAR: f32 = 24.0;
/// Offered numbers of steps around hits.
const AROUND: [u64; 4] = [0, 1, 3, 10];
/// Minimum width of a bar that offers them.
const AROUND_FROM: f32 = 320.0;

/// Draws the bar: the number of hits among the steps, and the choice of the number of steps around
/// them. Returns the area below.
pub fn hits_bar_ui(
    ui: &Ui,
    rect: Rect,
    TraceContext { cx, window }: TraceContext<'_>,
    out: &mut Vec<Action>,
) -> Rect {
    let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
    let pen = Pen::new(ui, bar, cx.tok);
    let y = bar.center().y;
    pen.fill(bar, cx.tok.bg3);
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
    let mut right = bar.right() - 4.0;
    let mut button = |words: &str, name: &str, is_chosen: bool| {
        let width = pen.width(words, ui_font(12.0)) + 12.0;
        right -= width;
        let rect = Rect::from_min_max(pos2(right, y - 10.0), pos2(right + width, y + 10.0));
        let response = button_response(ui, rect, name, name);
        if response.hovered() || response.has_focus() || is_chosen {
            pen.painter.rect_filled(
                rect,
                4.0,
                if is_chosen {
                    pen.tok.sel
                } else {
                    pen.tok.hover
                },
            );
        }
        pen.text(
            rect.left() + 6.0,
            y,
            words,
            ui_font(12.0),
            if is_chosen {
                pen.tok.t1
            } else {
                pen.tok.accent
            },
        );
        response.on_hover_text(name).clicked()
    };
    if button(say!("hits-all-steps"), say!("hits-show-all-steps"), false) {
        out.push(Action::Search(SearchAction::ToggleOnlyHits));
    }
    if bar.width() > AROUND_FROM {
        for context in AROUND.into_iter().rev() {
            let name = say!("hits-around", count = context);
            if button(
                &format!("±{context}"),
                &name,
                context == window.only_hits.context,
            ) {
                out.push(Action::Search(SearchAction::SurroundHits(context)));
            }
        }
    }
    let steps = cx.desk.session.index.step_count();
    let words = match cx.desk.find.found() {
        _ if window.only_hits.of == StepSelection::Slice => slice_bar_words(cx),
        Some(found) => {
            let mut hits = thousands(found.positions.len() as u64);
            if found.end != SearchEnd::Done {
                hits = say!("sofar-so-far", text = hits);
            }
            let of = so_far(
                &cx.desk.session,
                &say!("hits-only", hits = hits, steps = steps),
            );
            format!("{of} · {}", subject(&found.meaning, &cx.desk.session))
        }
        None => say!("hits-only-none", steps = steps),
    };
    let color = if window.only_hits.of == StepSelection::Slice {
        cx.tok.taken
    } else {
        cx.tok.hit
    };
    pen.text(bar.left() + INSET, y, icons::FILTER, icon(13.0), color);
    pen.cut_text(
        pos2(bar.left() + INSET + 20.0, y),
        &words,
        ui_font(12.0),
        cx.tok.t1,
        right - 6.0,
    );
    let label = bar.with_max_x(right - 6.0);
    let response = ui.interact(
        label,
        ui.unique_id().with("only hits"),
        egui::Sense::hover(),
    );
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    response.on_hover_text(words);
    rest
}

/// Describes the slice: the number of its steps until now, and its query.
fn slice_bar_words(cx: &PanelContext<'_>) -> String {
    let steps = cx.desk.session.index.step_count();
    let Some(slice) = cx.desk.slice.slice() else {
        return say!("hits-only-slice", hits = "0", steps = steps);
    };
    let mut hits = thousands(slice.step_count());
    if slice.end != SliceProgress::Whole {
        hits = say!("sofar-so-far", text = hits);
    }
    let of = so_far(
        &cx.desk.session,
        &say!("hits-only-slice", hits = hits, steps = steps),
    );
    format!("{of} · {}", question_words(slice))
}

/// Describes hidden steps: outside of the slice, or older than the slice has followed yet.
fn beside_slice_words(cx: &PanelContext<'_>, HiddenSteps { first, count }: HiddenSteps) -> String {
    let slice = cx.desk.slice.slice();
    let oldest = slice.and_then(|slice| slice.positions.first().copied());
    let is_whole = slice.is_some_and(|slice| slice.end == SliceProgress::Whole);
    match oldest {
        Some(oldest) if is_whole || first.0 >= oldest => say!("hits-hidden", count = count),
        _ => say!("hits-hidden-not-followed", count = count),
    }
}

/// Consecutive steps that are not shown.
struct HiddenSteps {
    first: Step,
    count: u64,
}

/// Row for the hidden steps between two hits.
pub struct HiddenRow<'a> {
    pub rect: Rect,
    pub first: Step,
    pub last: Step,
    pub pen: &'a Pen<'a>,
    pub columns: &'a TraceColumns,
}

impl HiddenRow<'_> {
    /// Draws the row; a click shows the steps.
    pub fn ui(
        &self,
        ui: &Ui,
        TraceContext { cx, window }: TraceContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let Self {
            rect,
            first,
            last,
            pen,
            columns,
        } = self;
        let count = last.0.saturating_sub(first.0).saturating_add(1);
        let searched = cx.desk.find.found().map_or(0, |found| found.searched.0);
        let is_outside = cx
            .desk
            .find
            .found()
            .is_some_and(|found| last.after() <= found.from || first.before() >= found.to);
        let is_slice = window.only_hits.of == StepSelection::Slice;
        let words = match () {
            () if is_slice => beside_slice_words(
                cx,
                HiddenSteps {
                    first: *first,
                    count,
                },
            ),
            () if is_outside => say!("hits-hidden-outside", count = count),
            () if last.0 < searched => say!("hits-hidden", count = count),
            () if first.0 >= searched => say!("hits-hidden-not-yet", count = count),
            () => say!("hits-hidden-not-all", count = count),
        };
        let response = row_response(ui, *rect, ("hidden", first.0), || words.clone());
        row_background(
            pen,
            *rect,
            &response,
            RowState {
                is_selected: false,
                is_cursor: false,
                has_focus: true,
            },
        );
        pen.label(columns.address + 2.0, rect.center().y, &words, pen.tok.t3);
        if response.on_hover_text(say!("hits-show-these")).clicked() {
            let steps = StepRange {
                first: first.before(),
                last: last.after(),
            };
            out.push(Action::Search(SearchAction::OpenHidden(window.id, steps)));
        }
    }
}
