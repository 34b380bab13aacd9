//! Menu bar: every command in the menu of its area, with its key, and the trace's name in the
//! middle.

use egui::containers::menu::MenuConfig;
use egui::{
    Align, Align2, Button, Layout, MenuBar, Rect, RichText, Sense, Stroke, Style, Ui, UiBuilder,
    WidgetInfo, vec2,
};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, AppAction, PanelAction, ThemeChoice};
use stepback_debugger::keymap;
use stepback_debugger::keymap::{
    Area, Command, CommandContext, CommandId, IndexingState, Submenu, key_text,
};
use stepback_debugger::messages::say;

use super::app::App;
use super::widgets::{FlatButton, first_key, key_cap, label, paint_flat, width};
use crate::panels::menu::{is_chosen, scroll_entries};
use crate::theme::{ThemeColors, icons, semi, ui as ui_font};

pub fn menu_bar_ui(ui: &mut Ui, app: &App, situation: &CommandContext, out: &mut Vec<Action>) {
    let tok = ThemeColors::current(ui);
    let rect = ui.max_rect();
    let inner = rect.shrink2(vec2(8.0, 0.0));
    let mut taken = Rect::NOTHING;
    let builder = UiBuilder::new()
        .max_rect(inner)
        .layout(Layout::left_to_right(Align::Center));
    ui.scope_builder(builder, |ui| {
        let config = MenuConfig::new().style(menu_look);
        MenuBar::new().style(menu_look).config(config).ui(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            for area in Area::ALL {
                let menu = ui.menu_button(area.name(), |ui| menu_ui(ui, area, app, situation, out));
                taken = taken.union(menu.response.rect);
            }
        });
    });
    let builder = UiBuilder::new()
        .max_rect(inner)
        .layout(Layout::right_to_left(Align::Center));
    let end = ui
        .scope_builder(builder, |ui| end_ui(ui, tok, app, out))
        .inner;
    title_ui(ui, rect, taken.right()..end, app, tok);
}

/// Styles the buttons of the bar and of its menus: flat, with padding.
fn menu_look(style: &mut Style) {
    egui::containers::menu::menu_style(style);
    style.spacing.button_padding = vec2(8.0, 3.0);
    style.spacing.interact_size.y = 24.0;
    style.spacing.item_spacing.y = 0.0;
    // Marks the entry with the keyboard focus.
    style.visuals.widgets.active.bg_stroke = Stroke::new(
        2.0,
        ThemeColors::of(egui::Theme::from_dark_mode(style.visuals.dark_mode)).focus,
    );
}

/// Draws the right end: the palette button and the theme switch. Returns its left edge.
fn end_ui(ui: &mut Ui, tok: &ThemeColors, app: &App, out: &mut Vec<Action>) -> f32 {
    ui.spacing_mut().item_spacing.x = 4.0;
    let (name, shape, choice) = match app.context.theme() {
        egui::Theme::Dark => (CommandId::ThemeLight, icons::SUN, ThemeChoice::Light),
        egui::Theme::Light => (CommandId::ThemeDark, icons::MOON, ThemeChoice::Dark),
    };
    let name = label(name);
    let switch = FlatButton {
        icon_size: 15.0,
        ..FlatButton::of_icon(name, shape)
    };
    if switch.ui(ui).on_hover_text(name).clicked() {
        out.push(Action::App(AppAction::Theme(choice)));
    }
    let cap = first_key(CommandId::Commands).unwrap_or_default();
    let name = label(CommandId::Commands).trim_end_matches('…');
    let wide = width(ui, name, &ui_font(12.5)) + width(ui, &cap, &ui_font(11.0)) + 28.0;
    let (rect, response) = ui.allocate_exact_size(vec2(wide, 24.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, name));
    paint_flat(ui.painter(), rect, &response, tok);
    let left = rect.left_center() + vec2(6.0, 0.0);
    ui.painter()
        .text(left, Align2::LEFT_CENTER, name, ui_font(12.5), tok.t2);
    key_cap(
        ui.painter(),
        rect.right_center() - vec2(4.0, 0.0),
        &cap,
        tok,
    );
    if response.clicked() {
        out.push(Action::App(AppAction::CommandPalette));
    }
    rect.left()
}

/// Draws the trace's name in the middle of the bar, if it fits.
fn title_ui(ui: &Ui, rect: Rect, free: std::ops::Range<f32>, app: &App, tok: &ThemeColors) {
    let (name, summary) = match (&app.program.desk, &app.program.opening) {
        (Some(desk), _) => (desk.name(), desk.summary()),
        (None, Some(opening)) => (opening.name.clone(), say!("menu-indexing").to_owned()),
        (None, None) => return,
    };
    let name = ui.painter().layout_no_wrap(name, semi(13.0), tok.t1);
    let summary = ui.painter().layout_no_wrap(summary, ui_font(12.0), tok.t3);
    let gap = 12.0;
    let both = name.size().x + gap + summary.size().x;
    let left = (rect.center().x - both / 2.0).round();
    if left < free.start + 12.0 || left + both > free.end - 12.0 {
        return;
    }
    let y = |height: f32| rect.center().y - height / 2.0;
    let (name_size, summary_y) = (name.size(), y(summary.size().y));
    ui.painter()
        .galley(egui::pos2(left, y(name_size.y)), name, tok.t1);
    ui.painter().galley(
        egui::pos2(left + name_size.x + gap, summary_y),
        summary,
        tok.t3,
    );
}

/// Draws a menu. If it is taller than the window, it scrolls.
fn menu_ui(ui: &mut Ui, area: Area, app: &App, situation: &CommandContext, out: &mut Vec<Action>) {
    ui.set_min_width(250.0);
    scroll_entries(ui, |ui| entries_ui(ui, area, app, situation, out));
}

fn entries_ui(
    ui: &mut Ui,
    area: Area,
    app: &App,
    situation: &CommandContext,
    out: &mut Vec<Action>,
) {
    let is_entry = |command: &&Command| {
        command.area == area && command.submenu.is_none() && !command.is_setting
    };
    for command in keymap::commands().iter().filter(is_entry) {
        if command.begins_group {
            ui.separator();
        }
        command_ui(ui, command, situation, out);
        for submenu in &command.submenus_after {
            submenu_ui(ui, *submenu, app, situation, out);
        }
    }
    if area == Area::Window {
        windows_ui(ui, app, out);
    }
}

fn submenu_ui(
    ui: &mut Ui,
    submenu: Submenu,
    app: &App,
    situation: &CommandContext,
    out: &mut Vec<Action>,
) {
    let Some(title) = submenu.title() else { return };
    if submenu == Submenu::Recent {
        return recent_ui(ui, title, app, out);
    }
    ui.menu_button(title, |ui| {
        for command in keymap::commands()
            .iter()
            .filter(|command| command.submenu == Some(submenu))
        {
            command_ui(ui, command, situation, out);
        }
        if submenu == Submenu::Layout {
            own_layouts_ui(ui, app, out);
        }
    });
}

fn own_layouts_ui(ui: &mut Ui, app: &App, out: &mut Vec<Action>) {
    if !app.settings.layouts.is_empty() {
        ui.separator();
    }
    for own in &app.settings.layouts {
        if ui
            .add_enabled(app.workspace.is_some(), Button::new(&own.name))
            .clicked()
        {
            out.push(Action::Panel(PanelAction::UseLayout(own.name.clone())));
        }
    }
}

fn recent_ui(ui: &mut Ui, title: &str, app: &App, out: &mut Vec<Action>) {
    ui.add_enabled_ui(!app.settings.recent.is_empty(), |ui| {
        ui.menu_button(title, |ui| {
            for trace in &app.settings.recent {
                if ui
                    .button(trace.name())
                    .on_hover_text(trace.path.display().to_string())
                    .clicked()
                {
                    out.push(trace.action());
                }
            }
        });
    });
}

fn windows_ui(ui: &mut Ui, app: &App, out: &mut Vec<Action>) {
    let Some(desk) = app.program.desk.as_ref() else {
        return;
    };
    ui.separator();
    let mut ids: Vec<WindowId> = desk.windows.list.iter().map(|window| window.id).collect();
    ids.sort();
    for id in ids {
        let at = desk.windows.get(id).map_or(0, |window| window.position.0);
        let name = say!(
            "menu-trace-window-at",
            number = id.0,
            position = stepback_debugger::desk::words::count(at)
        );
        let key = key_of_window(id).unwrap_or_default();
        let entry =
            Button::selectable(desk.windows.active == id, name).shortcut_text(shortcut(ui, &key));
        let entry = ui.add(entry);
        if is_chosen(ui, &entry) {
            out.push(Action::Panel(PanelAction::Activate(id)));
        }
    }
}

/// Returns the key of a trace window; those with high numbers have none.
fn key_of_window(id: WindowId) -> Option<String> {
    let commands = [
        CommandId::TraceWindow1,
        CommandId::TraceWindow2,
        CommandId::TraceWindow3,
        CommandId::TraceWindow4,
    ];
    first_key(*commands.get(usize::try_from(id.0).ok()?.checked_sub(1)?)?)
}

fn shortcut(ui: &Ui, key: &str) -> RichText {
    RichText::new(key)
        .font(ui_font(12.0))
        .color(ThemeColors::current(ui).t3)
}

fn command_ui(
    ui: &mut Ui,
    command: &'static Command,
    situation: &CommandContext,
    out: &mut Vec<Action>,
) {
    let action = command.action(situation);
    let asks = command.plain.is_none() && command.is_possible(situation);
    let key = command.keys().first().map(key_text).unwrap_or_default();
    let is_following =
        command.id == CommandId::Follow && situation.indexing == IndexingState::Following;
    let is_on = is_following || situation.switches.is_on(command.id);
    let text = text_of(command, situation);
    // A tick precedes a command that is switched on.
    let text = if is_on {
        format!("{}  {text}", icons::CHECK)
    } else {
        text
    };
    let entry = Button::new(text)
        .selected(is_on)
        .shortcut_text(shortcut(ui, &key));
    let mut response = ui.add_enabled(action.is_some() || asks, entry);
    if let Some(why) = situation.refusal(command.id) {
        response = response.on_disabled_hover_text(stepback_debugger::desk::words::sentence(why));
    }
    if is_chosen(ui, &response) {
        // A command that requires an argument prompts for it in the palette.
        out.push(action.unwrap_or(Action::App(AppAction::AskFor(command.id.into()))));
    }
}

/// Returns the name of a command. For the last and next accesses it includes the cell.
fn text_of(command: &Command, situation: &CommandContext) -> String {
    match situation.cell.as_ref().filter(|_| command.is_access()) {
        Some(cell) => keymap::of_cell(command.label(), cell),
        None => command.text(situation),
    }
}
