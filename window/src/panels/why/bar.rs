//! The head of the panel "Why": query, followed dependences, arrangement and size of the slice, and
//! the menu of saved slices.

use egui::{Rect, Ui, pos2};
use stepback_debugger::action::{
    Action, AppAction, Direction, SavedSliceQuery, SliceAction, SliceEdge, SliceView,
};
use stepback_debugger::desk::SliceState;
use stepback_debugger::keymap::CommandId;
use stepback_debugger::messages::say;
use stepback_debugger::model::hit_rows::StepSelection;
use stepback_debugger::model::slice::{
    SliceProgress, direction_of, direction_words, edge_words, question_words, requested_words,
    slice_words, view_words,
};
use stepback_debugger::notes::SavedQueryChange;

use crate::panels::PanelContext;
use crate::panels::menu::{KeptItem, KeptItemActions, KeptMenu};
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::button_response;
use crate::theme::{icon, icons, mono, ui as ui_font};

/// Height of each of its two lines.
const BAR: f32 = 28.0;

/// Dependences that can be followed besides data.
const EDGES: [SliceEdge; 3] = [SliceEdge::Addresses, SliceEdge::Flags, SliceEdge::Control];
/// Arrangements of the rows.
const VIEWS: [SliceView; 3] = [SliceView::Chain, SliceView::Tree, SliceView::Everything];

/// Inputs of the head.
pub struct SliceBar<'a> {
    pub pen: &'a Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    /// Query of the slice.
    pub question: &'a SavedSliceQuery,
    /// State of the slice; none before a panel's own query has run.
    pub state: Option<&'a SliceState>,
    /// The panel shows its own slice.
    pub is_own: bool,
}

/// Result of drawing the head.
pub struct SliceBarOutput {
    /// Area below the head.
    pub rest: Rect,
    /// Another arrangement that was chosen.
    pub view: Option<SliceView>,
    /// The panel's own slice is to be stopped.
    pub wants_stop: bool,
    /// More steps are to be followed.
    pub wants_more: bool,
}

/// A toggle button with text.
struct TextToggle<'a> {
    words: &'a str,
    tip: &'a str,
    is_on: bool,
}

/// A toggle button with an icon.
struct IconToggle<'a> {
    shape: char,
    tip: &'a str,
    is_on: bool,
}

impl SliceBar<'_> {
    /// Draws the head.
    pub fn ui(
        &self,
        ui: &mut Ui,
        rect: Rect,
        menu: &mut KeptMenu,
        view: SliceView,
        out: &mut Vec<Action>,
    ) -> SliceBarOutput {
        let (first, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let (second, rest) = rest.split_top_bottom_at_y(rest.top() + BAR);
        let wants_stop = self.question_ui(ui, first, menu, out);
        let (view, wants_more) = self.switches_ui(ui, second, view, out);
        self.pen.line_across(
            second.left(),
            second.right(),
            second.bottom() - 1.0,
            self.cx.tok.line,
        );
        SliceBarOutput {
            rest,
            view,
            wants_stop,
            wants_more,
        }
    }

    /// Draws the query and the buttons of the slice. Returns true if the panel's own slice is to be
    /// stopped.
    fn question_ui(
        &self,
        ui: &mut Ui,
        bar: Rect,
        menu: &mut KeptMenu,
        out: &mut Vec<Action>,
    ) -> bool {
        let (pen, y) = (self.pen, bar.center().y);
        let mut right = bar.right() - 6.0;
        let mut next = || {
            right -= 26.0;
            Rect::from_min_max(pos2(right, y - 11.0), pos2(right + 24.0, y + 11.0))
        };
        let mut wants_stop = false;
        if self.is_own {
            if self.is_under_way() {
                let stop = IconToggle {
                    shape: icons::CLOSE,
                    tip: say!("slice-stop"),
                    is_on: false,
                };
                wants_stop = self.square_ui(ui, next(), &stop);
            }
            let mark = IconToggle {
                shape: icons::FILTER,
                tip: say!("slice-mark-this"),
                is_on: false,
            };
            if self.square_ui(ui, next(), &mark) {
                out.push(Action::Slice(SliceAction::WhyAgain(self.question.clone())));
            }
        } else {
            self.marked_ui(ui, &mut next, menu, out);
        }
        pen.text(
            bar.left() + INSET,
            y,
            icons::WHY,
            icon(14.0),
            self.cx.tok.t2,
        );
        let words = match self.state.and_then(SliceState::slice) {
            Some(slice) => question_words(slice),
            None => requested_words(self.question),
        };
        let left = bar.left() + INSET + 20.0;
        pen.cut_text(
            pos2(left, y),
            &words,
            mono(12.5),
            self.cx.tok.t1,
            right - 6.0,
        );
        self.label(ui, bar.with_max_x(right - 6.0), "question", &words);
        wants_stop
    }

    fn is_under_way(&self) -> bool {
        self.state.is_some_and(SliceState::is_under_way)
    }

    /// Draws the buttons of the slice that is marked in all panels.
    fn marked_ui(
        &self,
        ui: &mut Ui,
        next: &mut dyn FnMut() -> Rect,
        menu: &mut KeptMenu,
        out: &mut Vec<Action>,
    ) {
        let (tip, action) = match self.is_under_way() {
            true => (say!("slice-stop"), Action::Slice(SliceAction::StopSlice)),
            false => (say!("slice-clear"), Action::Slice(SliceAction::ClearSlice)),
        };
        if self.square_ui(
            ui,
            next(),
            &IconToggle {
                shape: icons::CLOSE,
                tip,
                is_on: false,
            },
        ) {
            out.push(action);
        }
        let shown = &self.cx.desk.windows.active().only_hits;
        let is_on = shown.is_on && shown.of == StepSelection::Slice;
        if self.square_ui(
            ui,
            next(),
            &IconToggle {
                shape: icons::LIST,
                tip: say!("slice-only-steps"),
                is_on,
            },
        ) {
            out.push(Action::Slice(SliceAction::ToggleOnlySlice));
        }
        let tip = say!("slice-kept-menu");
        let place = next();
        let response = button_response(ui, place, "kept slices", tip);
        if response.hovered() || response.has_focus() {
            self.pen.painter.rect_filled(place, 4.0, self.cx.tok.bg3);
        }
        self.pen
            .icon(place.center(), icons::BOOKMARK, 14.0, self.cx.tok.t2);
        egui::Popup::menu(&response)
            .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside)
            .show(|ui| {
                ui.style_mut().override_font_id = Some(ui_font(13.0));
                let requested = out.len();
                slice_menu(ui, menu, self.cx, out);
                if out.len() > requested {
                    ui.close();
                }
            });
        response.on_hover_text(tip);
    }

    /// Draws the arrangements, directions, followed dependences and size. Returns the chosen
    /// arrangement, and whether more steps are requested.
    fn switches_ui(
        &self,
        ui: &mut Ui,
        bar: Rect,
        view: SliceView,
        out: &mut Vec<Action>,
    ) -> (Option<SliceView>, bool) {
        let mut left = bar.left() + INSET;
        let mut chosen = None;
        for kind in VIEWS {
            let (words, tip) = view_words(kind);
            if self.switch_ui(
                ui,
                bar,
                &mut left,
                &TextToggle {
                    words,
                    tip,
                    is_on: kind == view,
                },
            ) {
                chosen = Some(kind);
            }
        }
        // The query of a saved slice does not change.
        if self.is_own {
            return (chosen, self.summary_ui(ui, bar.with_min_x(left + 8.0)));
        }
        self.gap(bar, &mut left);
        for direction in [Direction::Back, Direction::Forward] {
            let (words, tip) = direction_words(direction);
            if self.switch_ui(
                ui,
                bar,
                &mut left,
                &TextToggle {
                    words,
                    tip,
                    is_on: direction_of(self.question) == direction,
                },
            ) {
                out.push(Action::Slice(SliceAction::TurnSlice(direction)));
            }
        }
        self.gap(bar, &mut left);
        for edge in EDGES {
            let (words, tip) = edge_words(edge, direction_of(self.question));
            if self.switch_ui(
                ui,
                bar,
                &mut left,
                &TextToggle {
                    words,
                    tip,
                    is_on: edge.is_in(self.question.edges),
                },
            ) {
                out.push(Action::Slice(SliceAction::FollowInSlice(edge)));
            }
        }
        (chosen, self.summary_ui(ui, bar.with_min_x(left + 8.0)))
    }

    /// Draws a line between two groups of buttons.
    fn gap(&self, bar: Rect, left: &mut f32) {
        self.pen.line_down(
            *left + 4.0,
            bar.top() + 7.0,
            bar.bottom() - 7.0,
            self.cx.tok.line2,
        );
        *left += 10.0;
    }

    /// Draws the size of the slice. Returns true if more steps are requested.
    fn summary_ui(&self, ui: &mut Ui, bar: Rect) -> bool {
        let Some(state) = self.state else {
            return false;
        };
        let Some(slice) = state.slice() else {
            return false;
        };
        let (pen, tok, y) = (self.pen, self.cx.tok, bar.center().y);
        let mut right = bar.right() - 8.0;
        let mut wants_more = false;
        if state.can_have_more() {
            let is_stopped = slice.end == SliceProgress::Stopped;
            let words = if is_stopped {
                say!("slice-go-on")
            } else {
                say!("slice-more")
            };
            right -= pen.width(words, ui_font(12.0)) + 12.0;
            let rect = Rect::from_min_max(pos2(right, y - 10.0), pos2(bar.right() - 8.0, y + 10.0));
            let response = button_response(ui, rect, "more of it", words);
            if response.hovered() || response.has_focus() {
                pen.painter.rect_filled(rect, 4.0, tok.bg3);
            }
            pen.text(rect.left() + 6.0, y, words, ui_font(12.0), tok.accent);
            wants_more = response.clicked();
        }
        let words = slice_words(slice);
        pen.cut_text(
            pos2(bar.left(), y),
            &words,
            ui_font(12.0),
            tok.t2,
            right - 6.0,
        );
        self.label(ui, bar.with_max_x(right - 6.0), "summary", &words);
        wants_more
    }

    fn label(&self, ui: &Ui, rect: Rect, salt: &str, words: &str) {
        let response = ui.interact(rect, ui.unique_id().with(salt), egui::Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, words));
        response.on_hover_text(words);
    }

    fn switch_ui(&self, ui: &Ui, bar: Rect, left: &mut f32, switch: &TextToggle<'_>) -> bool {
        let (pen, tok, y) = (self.pen, self.cx.tok, bar.center().y);
        let width = pen.width(switch.words, ui_font(12.0)) + 14.0;
        let rect = Rect::from_min_max(pos2(*left, y - 10.0), pos2(*left + width, y + 10.0));
        *left += width + 2.0;
        let response = button_response(ui, rect, switch.words, switch.words);
        if switch.is_on {
            pen.painter.rect_filled(rect, 4.0, tok.sel);
        } else if response.hovered() || response.has_focus() {
            pen.painter.rect_filled(rect, 4.0, tok.bg3);
        }
        pen.text(
            rect.left() + 7.0,
            y,
            switch.words,
            ui_font(12.0),
            if switch.is_on { tok.t1 } else { tok.t2 },
        );
        response.on_hover_text(switch.tip).clicked()
    }

    fn square_ui(&self, ui: &Ui, rect: Rect, square: &IconToggle<'_>) -> bool {
        let (pen, tok) = (self.pen, self.cx.tok);
        let response = button_response(ui, rect, square.tip, square.tip);
        if square.is_on {
            pen.painter.rect_filled(rect, 4.0, tok.sel);
        } else if response.hovered() || response.has_focus() {
            pen.painter.rect_filled(rect, 4.0, tok.bg3);
        }
        pen.icon(rect.center(), square.shape, 14.0, tok.t2);
        response.on_hover_text(square.tip).clicked()
    }
}

/// Actions of a saved slice.
static DEEDS: KeptItemActions = KeptItemActions {
    run_words: "slice-run",
    run: |it| Action::Slice(SliceAction::RunSlice(it)),
    show: |it| Action::Slice(SliceAction::ShowSlice(it)),
    forget: |name| Action::Slice(SliceAction::Slices(SavedQueryChange::Forget(name))),
    rename: |old, new| Action::Slice(SliceAction::Slices(SavedQueryChange::Rename(old, new))),
};

/// Draws the entries.
pub fn slice_menu(ui: &mut Ui, menu: &mut KeptMenu, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
    let keep = egui::Button::new(say!("slice-keep-as"));
    if ui
        .add_enabled(cx.desk.slice.question().is_some(), keep)
        .clicked()
    {
        out.push(Action::App(AppAction::AskFor(
            CommandId::KeepSliceAs.into(),
        )));
    }
    ui.separator();
    if cx.desk.slices.list().is_empty() {
        ui.label(say!("slice-none-kept-yet"));
    }
    for kept in cx.desk.slices.list() {
        menu.ui(
            ui,
            KeptItem {
                name: &kept.name,
                words: requested_words(&kept.slice),
                deeds: &DEEDS,
            },
            out,
        );
    }
}
