//! The search field with its history, the choosers of interpretation and scope next to it, and the
//! menu of earlier and saved searches.

use egui::{Key, Modifiers, Rect, Ui};
use stepback_debugger::action::{Action, AppAction, FindKind, FindQuery, SearchAction};
use stepback_debugger::expression::ExampleRegisters;
use stepback_debugger::keymap::CommandId;
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::model::found::kind_name;
use stepback_debugger::notes::SavedQueryChange;

use crate::panels::PanelContext;
use crate::panels::menu::{KeptItem, KeptItemActions, KeptMenu};
use crate::panels::pen::Pen;
use crate::panels::row::{Field, FocusRequest, button_response, select_all};
use crate::theme::{icon, icons, ui as ui_font};

/// Message id of its name for screen readers and tests.
const NAME: &str = "find-find";

/// The field, and the index of the recalled search in the history.
#[derive(Debug, Default)]
pub struct FindField {
    pub text: String,
    recalled: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindFieldEvent {
    Nothing,
    /// Enter.
    Submitted,
    /// Escape: the typed text is dropped.
    GivenUp,
    /// An earlier search was recalled.
    Recalled(FindQuery),
}

impl FindField {
    /// Draws the field.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        rect: Rect,
        history: &[FindQuery],
        focus: FocusRequest,
    ) -> FindFieldEvent {
        let recalled = self.recall(ui, history);
        let response = Field {
            hint: spoken(NAME),
            icon: icons::SEARCH,
        }
        .focused_ui(ui, pen, rect, &mut self.text, focus);
        if response.changed() {
            self.recalled = None;
        }
        if let Some(question) = recalled {
            select_all(ui, response.id, &self.text);
            return FindFieldEvent::Recalled(question);
        }
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
            return FindFieldEvent::GivenUp;
        }
        let is_entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if is_entered && !self.text.trim().is_empty() {
            FindFieldEvent::Submitted
        } else {
            FindFieldEvent::Nothing
        }
    }

    /// Recalls earlier searches with Up and Down; Down from the newest moves the focus to the list.
    fn recall(&mut self, ui: &Ui, history: &[FindQuery]) -> Option<FindQuery> {
        let id = ui.unique_id().with(spoken(NAME));
        if !ui.memory(|memory| memory.has_focus(id)) {
            return None;
        }
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let place = match (
            pressed(Key::ArrowUp),
            pressed(Key::ArrowDown),
            self.recalled,
        ) {
            (true, _, None) => 0,
            (true, _, Some(place)) => (place + 1).min(history.len().saturating_sub(1)),
            (_, true, Some(place)) if place > 0 => place - 1,
            (_, true, _) => {
                ui.memory_mut(|memory| memory.surrender_focus(id));
                return None;
            }
            _ => return None,
        };
        let question = history.get(place)?.clone();
        (self.recalled, self.text) = (Some(place), question.text.clone());
        Some(question)
    }
}

/// Formats a search for the history list: `ldr x1`, `Value  0x1f`.
pub fn history_text(question: &FindQuery) -> String {
    match question.kind {
        stepback_debugger::action::FindKind::Auto => question.text.clone(),
        kind => format!("{}  {}", kind_name(kind), question.text),
    }
}

/// Interpretations of the text in list order, each with an example.
const KINDS: [(FindKind, &str); 8] = [
    (FindKind::Auto, "find-what-it-looks-like"),
    (FindKind::Text, "find-ldr-x1-in-any-case"),
    (FindKind::Regex, "find-example-regex"),
    (FindKind::Value, "find-example-value"),
    (FindKind::Bytes, "find-example-bytes"),
    (FindKind::Address, "find-example-address"),
    (FindKind::Accesses, "find-example-accesses"),
    (FindKind::Function, "find-decode-a-part-will-do"),
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchScope {
    #[default]
    Everywhere,
    /// From the position on.
    FromHere,
    /// Up to the position.
    UpToHere,
    /// Between two positions that the user types.
    Between,
}

const REACHES: [(SearchScope, &str); 4] = [
    (SearchScope::Everywhere, "find-everywhere"),
    (SearchScope::FromHere, "find-from-here-on"),
    (SearchScope::UpToHere, "find-up-to-here"),
    (SearchScope::Between, "find-between"),
];

/// Returns the label of a scope.
fn reach_name(reach: SearchScope) -> &'static str {
    REACHES
        .iter()
        .find(|(known, _)| *known == reach)
        .map_or("", |(_, name)| spoken(name))
}

/// Name and current choice of a drop-down button.
struct DropDown<'a> {
    name: &'a str,
    chosen: &'a str,
}

/// Draws a drop-down button. Returns the result of its list.
fn drop_down<R>(
    ui: &Ui,
    pen: &Pen<'_>,
    rect: Rect,
    DropDown { name, chosen: text }: DropDown<'_>,
    list: impl FnOnce(&mut Ui) -> Option<R>,
) -> Option<R> {
    let tok = pen.tok;
    let response = button_response(ui, rect, name, &format!("{name} {text}"));
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(rect, 4.0, tok.bg3);
    }
    pen.frame(rect, 4, tok.ctl);
    let right = rect.right() - 18.0;
    pen.cut_text(
        egui::pos2(rect.left() + 8.0, rect.center().y),
        text,
        ui_font(12.0),
        tok.t1,
        right,
    );
    pen.icon(
        egui::pos2(rect.right() - 10.0, rect.center().y),
        icons::CARET_DOWN,
        10.0,
        tok.t2,
    );
    let shown = egui::Popup::menu(&response).show(|ui| {
        ui.style_mut().override_font_id = Some(ui_font(13.0));
        let chosen = list(ui);
        if chosen.is_some() {
            ui.close();
        }
        chosen
    });
    shown.and_then(|shown| shown.inner)
}

/// Draws the chooser of the interpretation. Returns true if it changed.
pub fn kind_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    rect: Rect,
    registers: ExampleRegisters,
    kind: &mut FindKind,
) -> bool {
    let now = *kind;
    let chosen = drop_down(
        ui,
        pen,
        rect,
        DropDown {
            name: say!("find-read-as"),
            chosen: kind_name(now),
        },
        |ui| {
            let mut chosen = None;
            for (kind, example) in KINDS {
                let example = egui::RichText::new(registers.spoken(example))
                    .font(crate::theme::mono(11.5))
                    .color(pen.tok.t3);
                let entry =
                    egui::Button::selectable(kind == now, kind_name(kind)).right_text(example);
                if ui.add(entry).clicked() {
                    chosen = Some(kind);
                }
            }
            chosen
        },
    );
    chosen.is_some_and(|chosen| std::mem::replace(kind, chosen) != chosen)
}

/// Draws the chooser of the scope. Returns true if it changed.
pub fn reach_ui(ui: &Ui, pen: &Pen<'_>, rect: Rect, reach: &mut SearchScope) -> bool {
    let now = *reach;
    let chosen = drop_down(
        ui,
        pen,
        rect,
        DropDown {
            name: say!("find-look"),
            chosen: reach_name(now),
        },
        |ui| {
            let mut chosen = None;
            for (reach, name) in REACHES {
                if ui
                    .add(egui::Button::selectable(reach == now, spoken(name)))
                    .clicked()
                {
                    chosen = Some(reach);
                }
            }
            chosen
        },
    );
    chosen.is_some_and(|chosen| std::mem::replace(reach, chosen) != chosen)
}

/// Draws a small square button with an icon. Returns true if it was clicked.
pub fn icon_button(ui: &Ui, pen: &Pen<'_>, rect: Rect, shape: char, name: &str) -> bool {
    let response = button_response(ui, rect, name, name);
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(rect, 4.0, pen.tok.bg3);
    }
    pen.text_centered(rect.center(), shape, icon(14.0), pen.tok.t2);
    response.on_hover_text(name).clicked()
}

/// Maximum number of earlier searches that are listed.
const BEFORE: usize = 15;

/// Actions of a saved search.
static DEEDS: KeptItemActions = KeptItemActions {
    run_words: "find-run",
    run: |it| Action::Search(SearchAction::RunSearch(it)),
    show: |it| Action::Search(SearchAction::ShowSearch(it)),
    forget: |name| Action::Search(SearchAction::Searches(SavedQueryChange::Forget(name))),
    rename: |old, new| Action::Search(SearchAction::Searches(SavedQueryChange::Rename(old, new))),
};

/// Draws the entries. Returns the earlier search that was chosen.
pub fn search_menu(
    ui: &mut Ui,
    menu: &mut KeptMenu,
    cx: &PanelContext<'_>,
    out: &mut Vec<Action>,
) -> Option<FindQuery> {
    for kept in cx.desk.searches.list() {
        menu.ui(
            ui,
            KeptItem {
                name: &kept.name,
                words: history_text(&kept.search),
                deeds: &DEEDS,
            },
            out,
        );
    }
    let keep = egui::Button::new(say!("find-keep-search-as"));
    if ui
        .add_enabled(cx.desk.find.question().is_some(), keep)
        .clicked()
    {
        out.push(Action::App(AppAction::AskFor(
            CommandId::KeepSearchAs.into(),
        )));
    }
    ui.separator();
    if cx.desk.find.history().is_empty() {
        ui.label(say!("find-no-search-yet"));
    }
    let mut entries = cx.desk.find.history().iter().take(BEFORE);
    entries
        .find(|question| ui.button(history_text(question)).clicked())
        .cloned()
}
