//! The menu of display options of memory, and the parts of the bar about comparing and searching.

use egui::{Rect, Sense, Ui, pos2};
use stepback_debugger::action::{
    Action, AppAction, Direction, Follow, MemoryChange, MemoryText, PanelAction, PanelKind,
    ViewAction,
};
use stepback_debugger::keymap::CommandId;
use stepback_debugger::messages::say;
use stepback_debugger::model::text::thousands;

use super::panel::MemoryPanel;
use crate::panels::PanelContext;
use crate::panels::menu::{MenuItem, menu_line_ui};
use crate::panels::pen::Pen;
use crate::panels::row::button_response;
use crate::theme::{icon, icons, mono, ui as ui_font};

impl MemoryPanel {
    /// Draws the button of the menu.
    pub(super) fn view_menu_ui(
        &mut self,
        ui: &Ui,
        rect: Rect,
        pen: &Pen<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let tok = pen.tok;
        let response = button_response(
            ui,
            rect,
            "view of memory",
            say!("memory-how-memory-is-shown"),
        );
        if response.hovered() || response.has_focus() {
            pen.painter.rect_filled(rect, 3.0, tok.bg3);
        }
        pen.text_centered(rect.center(), icons::CARET_DOWN, icon(12.0), tok.t2);
        egui::Popup::menu(&response).show(|ui| self.view_menu(ui, cx, out));
        response.on_hover_text(say!("memory-how-memory-is-shown-comparing"));
    }

    fn view_menu(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let tok = cx.tok;
        let mut choice = |ui: &mut Ui, words: &str, is_chosen: bool, change: MemoryChange| {
            let item = MenuItem::new(words);
            let item = if is_chosen {
                item.icon(icons::CHECK)
            } else {
                item
            };
            if item.ui(ui, tok) {
                out.push(Action::View(ViewAction::Memory(change)));
                ui.close();
            }
        };
        choice(
            ui,
            say!("memory-rows-as-wide-as-there"),
            self.view.width().is_none(),
            MemoryChange::Width(None),
        );
        for (width, words) in [
            (8, say!("memory-rows-of-8-bytes")),
            (16, say!("memory-rows-of-16-bytes")),
            (32, say!("memory-rows-of-32-bytes")),
            (64, say!("memory-rows-of-64-bytes")),
        ] {
            choice(
                ui,
                words,
                self.view.width() == Some(width),
                MemoryChange::Width(Some(width)),
            );
        }
        menu_line_ui(ui, tok);
        choice(
            ui,
            say!("memory-numbers-of-floating-point"),
            self.view.format().is_some(),
            MemoryChange::Floats,
        );
        choice(
            ui,
            say!("memory-text-as-ascii"),
            self.view.text() == MemoryText::Ascii,
            MemoryChange::Text(MemoryText::Ascii),
        );
        choice(
            ui,
            say!("memory-text-as-utf-8"),
            self.view.text() == MemoryText::Utf8,
            MemoryChange::Text(MemoryText::Utf8),
        );
        menu_line_ui(ui, tok);
        let own = cx.desk.windows.travelling(self.view.follow());
        choice(
            ui,
            say!("memory-differs-from-the-position-before"),
            self.view.compared().is_none(),
            MemoryChange::Compare(None),
        );
        for window in cx
            .desk
            .windows
            .list
            .iter()
            .filter(|window| window.id != own)
            .take(4)
        {
            let follow = Follow::Window(window.id);
            let words = say!(
                "memory-differs-from-window",
                number = window.id.0,
                position = window.position.0
            );
            choice(
                ui,
                &words,
                self.view.compared() == Some(follow),
                MemoryChange::Compare(Some(follow)),
            );
        }
        let here = Follow::Pinned(cx.moment(cx.desk.windows.position_of(self.view.follow())));
        choice(
            ui,
            say!("memory-differs-from-here-wherever-the"),
            false,
            MemoryChange::Compare(Some(here)),
        );
        menu_line_ui(ui, tok);
        choice(
            ui,
            say!("memory-next-changed-byte"),
            false,
            MemoryChange::GoToChanged(Direction::Forward),
        );
        choice(
            ui,
            say!("memory-previous-changed-byte"),
            false,
            MemoryChange::GoToChanged(Direction::Back),
        );
        menu_line_ui(ui, tok);
        if MenuItem::new(say!("memory-find-in-memory"))
            .icon(icons::SEARCH)
            .ui(ui, tok)
        {
            out.push(Action::App(AppAction::AskFor(
                CommandId::FindInMemory.into(),
            )));
            ui.close();
        }
        for (words, kind) in [
            (say!("memory-regions-of-memory"), PanelKind::Regions),
            (say!("memory-stack-memory"), PanelKind::StackMemory),
        ] {
            if MenuItem::new(words).icon(icons::LIST).ui(ui, tok) {
                out.push(Action::Panel(PanelAction::ShowPanel(kind)));
                ui.close();
            }
        }
    }

    /// Draws the position that memory is compared with; a click ends the comparison. Returns its
    /// right edge.
    pub(super) fn compared_ui(
        &mut self,
        ui: &Ui,
        pen: &Pen<'_>,
        bar: Rect,
        left: f32,
        cx: &PanelContext<'_>,
    ) -> f32 {
        let Some(words) = self.view.compared_words(cx.desk) else {
            return left;
        };
        let end_of = |words: &str| left + pen.width(words, mono(11.5)) + 28.0;
        // In a narrow bar only the number is shown.
        let short = thousands(self.view.compared_with(cx.desk).0);
        let fitting = [
            say!("memory-against", what = words),
            say!("memory-against", what = &short),
            short,
        ];
        let Some(words) = fitting
            .into_iter()
            .find(|words| end_of(words) <= bar.right() - 4.0)
        else {
            return left;
        };
        let end = end_of(&words);
        let rect = Rect::from_min_max(pos2(left, bar.top() + 5.0), pos2(end, bar.bottom() - 5.0));
        let response = button_response(ui, rect, "compared", say!("memory-end-comparing-memory"));
        pen.painter.rect_filled(
            rect,
            3.0,
            if response.hovered() {
                pen.tok.bg4
            } else {
                pen.tok.bg3
            },
        );
        let x = pen.text(left + 6.0, rect.center().y, &words, mono(11.5), pen.tok.t1);
        pen.text(
            x + 5.0,
            rect.center().y,
            icons::CLOSE,
            icon(10.0),
            pen.tok.t2,
        );
        if response.clicked() {
            self.view.compare(None);
        }
        response.on_hover_text(say!("memory-bytes-that-differ-from-there"));
        end
    }

    /// Returns words about the running search, or the result of the last one.
    pub(super) fn search_words(&self) -> Option<String> {
        let words = if self.view.is_searching() {
            Some(say!("memory-looking-through"))
        } else {
            self.view.message()
        };
        words.map(str::to_owned)
    }

    /// Draws words about a search; a click stops the search or closes the message.
    pub(super) fn stated_ui(&mut self, ui: &Ui, pen: &Pen<'_>, rect: Rect, words: &str) {
        let y = rect.center().y;
        pen.cut_text(
            pos2(rect.left(), y),
            words,
            ui_font(11.5),
            pen.tok.t2,
            rect.right() - 8.0,
        );
        let response = ui.interact(rect, ui.unique_id().with("told"), Sense::CLICK);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, words));
        if response.clicked() {
            self.view.stop_search();
        }
    }
}
