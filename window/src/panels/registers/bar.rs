//! Choosers of the register panel: group, thread and lanes, and the filter.

use egui::{Pos2, Rect, Response, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_debugger::action::{Action, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::register_format::lane_format_name;
use stepback_debugger::model::registers::short_title;
use stepback_machine::RegisterGroup;
use stepback_machine::display::LaneFormat;

use super::panel::RegistersPanel;
use crate::panels::PanelContext;
use crate::panels::pen::Pen;
use crate::panels::registers::panel::BoardView;
use crate::panels::row::{Field, ThreadChooserView, thread_chooser_ui};
use crate::theme::{icon, icons, ui as ui_font};

/// Height of the bar of all groups except the general registers, which have a head instead.
pub const BAR: f32 = 30.0;
/// Minimum number of registers of a board with a filter.
const MANY: usize = 48;

/// A button that opens a menu: its id salt, its text, the sign after it, and its name for screen
/// readers.
struct ChooserButton<'a> {
    salt: &'a str,
    text: &'a str,
    sign: Option<char>,
    name: &'a str,
}

/// Returns the full title of a group.
fn group_title(group: RegisterGroup) -> &'static str {
    match group {
        RegisterGroup::Core => say!("registers-core-registers"),
        RegisterGroup::Single => say!("registers-single-precision-registers"),
        RegisterGroup::Double => say!("registers-double-precision-registers"),
        RegisterGroup::Vector => say!("registers-vector-registers"),
        RegisterGroup::Scalable => say!("registers-sve-registers"),
        RegisterGroup::System => say!("registers-system-registers"),
    }
}

/// Width of a panel in points below which the chooser of the group has no caret.
const NARROW: f32 = 240.0;

impl RegistersPanel {
    /// Draws the bar: lanes, thread and filter at the left, the group at the right.
    pub(super) fn bar_ui(
        &mut self,
        ui: &mut Ui,
        bar: Rect,
        BoardView { pen, board }: BoardView<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let y = bar.center().y;
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
        let right = self.group_ui(
            ui,
            pos2(bar.right() - 8.0, y),
            BoardView { pen, board },
            cx,
            out,
        ) - 6.0;
        let mut left = bar.left() + 8.0;
        if let Some(format) = self.view.reading(board.group).lanes {
            left = self.lanes_ui(ui, pos2(left, y), pen, board.group, format) + 6.0;
        }
        let chooser = ThreadChooserView {
            pen,
            cx,
            shown: &board.thread_name,
        };
        left = thread_chooser_ui(ui, pos2(left, y), chooser, &mut self.view.thread);
        if board.core.len() >= MANY || !self.view.filter.is_empty() {
            let width = (right - left - 6.0).min(200.0);
            if width > 60.0 {
                let field = Rect::from_min_size(pos2(left + 6.0, y - 11.0), vec2(width, 22.0));
                Field {
                    hint: say!("registers-filter-registers"),
                    icon: icons::FILTER,
                }
                .ui(ui, pen, field, &mut self.view.filter);
            }
        }
    }

    /// Draws the chooser of the group so that it ends at `right`. Returns its left edge.
    pub(super) fn group_ui(
        &mut self,
        ui: &Ui,
        Pos2 { x: right, y }: Pos2,
        BoardView { pen, board }: BoardView<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) -> f32 {
        let name = say!("registers-group", title = short_title(board.group));
        // In a narrow panel the caret gives way to the digits of pc.
        let is_narrow = pen.painter.clip_rect().width() < NARROW;
        let sign = (!is_narrow).then_some(icons::CARET_DOWN);
        let title = short_title(board.group);
        let left = right - chooser_width(pen, title, sign);
        let response = chooser_ui(
            ui,
            pos2(left, y),
            pen,
            ChooserButton {
                salt: "group",
                text: title,
                sign,
                name: &name,
            },
        );
        egui::Popup::menu(&response).show(|ui| {
            for group in &board.available {
                let entry = egui::Button::selectable(*group == board.group, group_title(*group));
                let entry = ui.add(entry);
                if entry.middle_clicked() {
                    out.push(Action::View(ViewAction::NewRegisters(*group)));
                } else if entry.clicked() {
                    self.view.group = *group;
                }
            }
            ui.separator();
            for group in board
                .available
                .iter()
                .filter(|group| **group != board.group)
            {
                if ui
                    .button(say!(
                        "registers-in-another-panel",
                        group = group_title(*group)
                    ))
                    .clicked()
                {
                    out.push(Action::View(ViewAction::NewRegisters(*group)));
                }
            }
        });
        response.on_hover_text(say!("registers-which-registers-v"));
        if cx.has_focus {
            self.view.forget_missing_group();
        }
        left
    }

    fn lanes_ui(
        &mut self,
        ui: &Ui,
        at: Pos2,
        pen: &Pen<'_>,
        group: RegisterGroup,
        format: LaneFormat,
    ) -> f32 {
        let name = lane_format_name(format);
        let response = chooser_ui(
            ui,
            at,
            pen,
            ChooserButton {
                salt: "lanes",
                text: &name,
                sign: Some(icons::CARET_DOWN),
                name: &say!("registers-lanes", name = &*name),
            },
        );
        egui::Popup::menu(&response).show(|ui| {
            for other in group.lane_formats() {
                if ui
                    .add(egui::Button::selectable(
                        *other == format,
                        lane_format_name(*other),
                    ))
                    .clicked()
                {
                    self.view.choose_lanes(*other);
                }
            }
        });
        let right = response.rect.right();
        response.on_hover_text(say!("registers-how-values-are-read-l"));
        right
    }
}

fn chooser_width(pen: &Pen<'_>, text: &str, sign: Option<char>) -> f32 {
    pen.width(text, ui_font(11.5)) + sign.map_or(16.0, |_| 30.0)
}

/// Draws a small button that opens a list.
fn chooser_ui(
    ui: &Ui,
    Pos2 { x: left, y }: Pos2,
    pen: &Pen<'_>,
    ChooserButton {
        salt,
        text,
        sign,
        name,
    }: ChooserButton<'_>,
) -> Response {
    let tok = pen.tok;
    let rect = Rect::from_min_size(
        pos2(left.round(), (y - 10.0).round()),
        vec2(chooser_width(pen, text, sign), 20.0),
    );
    let response = ui.interact(rect, ui.unique_id().with(salt), Sense::CLICK);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, name));
    pen.painter.rect_filled(
        rect,
        4.0,
        if response.hovered() { tok.bg4 } else { tok.bg3 },
    );
    let end = pen.text(rect.left() + 8.0, y, text, ui_font(11.5), tok.t1);
    if let Some(sign) = sign {
        pen.text(end + 6.0, y, sign, icon(10.0), tok.t2);
    }
    if response.has_focus() {
        pen.frame(rect, 4, tok.focus);
    }
    response
}
