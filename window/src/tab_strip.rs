//! Tabs: the position's colour on top, its number, the binding of the panel, a menu.

use egui::{Align2, Rect, Response, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use egui_tiles::{TabState, TileId};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, Follow, PanelAction, PanelId};
use stepback_debugger::desk::words::count;
use stepback_debugger::messages::say;
use stepback_debugger::model::Windows;

use super::widgets::{badge, paint_flat, width};
use crate::panels::{Pane, tab_badge};
use crate::theme::{ThemeColors, icon, icon_fill, icons, medium, mono, ui as ui_font};

/// Height of a tab strip, in points.
pub const HEIGHT: f32 = 28.0;
/// Width of a strip in points below which the position is shown only in the tooltip.
const NARROW: f32 = 340.0;

/// Width of a strip in points below which the binding is shown only in the menu.
const WITH_BINDING: f32 = 230.0;

/// Width of the menu, of the square of the binding and of the gaps, in points.
const BADGE: f32 = 60.0;

/// Location of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelPlace {
    Dock,
    /// In a separate window.
    Window,
}

/// Panel shown by a tab strip.
pub struct TabStrip<'a> {
    pub pane: &'a Pane,
    pub tile: TileId,
    pub windows: &'a Windows,
    pub place: PanelPlace,
    /// Width of all tabs with their whole titles, in points.
    pub titles: f32,
}

/// Width of a tab without its title, in points.
const BESIDE: f32 = 12.0 + 16.0 + 8.0 + 14.0;
/// Width of the space beside a title that a full strip can spare, in points.
const SPARE: f32 = 5.5;
/// Width of a tab that shows only its icon, in points.
const ICON: f32 = 12.0 + 16.0 + 12.0;

/// Returns the width of a tab with its full title.
pub fn tab_width(ui: &Ui, pane: &Pane) -> f32 {
    BESIDE + width(ui, &pane.title(), &medium(12.5))
}

/// Returns the widths of tabs in a strip, 0 for hidden ones. `wanted` are those with full titles.
///
/// If not all titles fit, the active tab and as many others as possible keep their titles, and the
/// rest show only icons. If the icons do not fit either, tabs at the end are hidden to make room
/// for the button that lists them. The active tab is never hidden.
pub fn fitted(wanted: &[f32], active: usize, room: f32, more: f32) -> Vec<f32> {
    let lacking = (wanted.iter().sum::<f32>() - room).max(0.0) / wanted.len().max(1) as f32;
    if lacking <= SPARE {
        return wanted.iter().map(|width| width - lacking).collect();
    }
    let (mut widths, title) = (vec![0.0; wanted.len()], wanted.get(active).copied());
    let mut left = room - title.unwrap_or(0.0);
    let others = || (0..wanted.len()).filter(|place| *place != active);
    let count = others().count();
    if count > 0 && left < ICON * count as f32 {
        left -= more;
    }
    if let (Some(width), Some(title)) = (widths.get_mut(active), title) {
        *width = title.min(title + left).max(ICON);
    }
    let shown = others().take((left.max(0.0) / ICON) as usize);
    let shown: Vec<usize> = shown.collect();
    left -= ICON * shown.len() as f32;
    for place in shown {
        let title = wanted[place] - ICON;
        widths[place] = ICON;
        if title <= left {
            (widths[place], left) = (wanted[place], left - title);
        }
    }
    widths
}

/// Returns the width of the button that lists a number of hidden tabs.
pub fn more_width(ui: &Ui, hidden: usize) -> f32 {
    width(
        ui,
        &say!("strip-more", number = hidden as u64),
        &ui_font(11.5),
    ) + 26.0
}

/// Draws the button that lists the hidden tabs. Returns the chosen one.
pub fn more_ui(ui: &mut Ui, hidden: &[(TileId, String)]) -> Option<TileId> {
    let tok = ThemeColors::current(ui);
    let number = hidden.len() as u64;
    let (rect, response) =
        ui.allocate_exact_size(vec2(more_width(ui, hidden.len()), 22.0), Sense::click());
    response.widget_info(|| {
        WidgetInfo::labeled(
            egui::Role::Button,
            true,
            say!("strip-more-said", number = number),
        )
    });
    paint_flat(ui.painter(), rect, &response, tok);
    let left = rect.left_center() + vec2(6.0, 0.0);
    ui.painter().text(
        left,
        Align2::LEFT_CENTER,
        icons::CARET_DOWN,
        icon(10.0),
        tok.t2,
    );
    let text = say!("strip-more", number = number);
    ui.painter().text(
        left + vec2(14.0, 0.0),
        Align2::LEFT_CENTER,
        text,
        ui_font(11.5),
        tok.t2,
    );
    let mut chosen = None;
    egui::Popup::menu(&response).show(|ui| {
        ui.set_min_width(140.0);
        for (tile, title) in hidden {
            if ui.button(title).clicked() {
                chosen = Some(*tile);
            }
        }
    });
    chosen
}

/// Draws a tab of a given width.
pub fn tab_ui(ui: &mut Ui, id: egui::Id, pane: &Pane, state: &TabState, wide: f32) -> Response {
    let is_active = state.active;
    let title = pane.title();
    let (_, rect) = ui.allocate_space(vec2(wide, HEIGHT));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::selected(egui::Role::Tab, true, is_active, &title));
    if ui.is_rect_visible(rect) && !state.is_being_dragged {
        paint_tab(ui, pane, &title, &response, state);
    }
    let is_cut = wide + 0.5 < tab_width(ui, pane);
    if is_cut {
        response.on_hover_text(title)
    } else {
        response
    }
}

fn paint_tab(ui: &Ui, pane: &Pane, title: &str, response: &Response, state: &TabState) {
    let is_active = state.active;
    let (tok, rect) = (ThemeColors::current(ui), response.rect);
    let painter = ui.painter();
    let number = pane.window().map(|window| window.0);
    if is_active {
        painter.rect_filled(rect, 0.0, tok.bg1);
        let top = Rect::from_min_size(rect.min, vec2(rect.width(), 2.0));
        painter.rect_filled(
            top,
            0.0,
            number.map_or(tok.line2, |number| tok.position(number)),
        );
        let right = Rect::from_min_max(pos2(rect.right() - 1.0, rect.top()), rect.max);
        painter.rect_filled(right, 0.0, tok.line);
    } else if response.hovered() {
        painter.rect_filled(rect, 0.0, tok.bg3);
    }
    let color = if is_active { tok.t1 } else { tok.t2 };
    let left = rect.left_center() + vec2(12.0, 1.0);
    match number {
        Some(number) => {
            badge(painter, left, number, tok);
        }
        None => {
            painter.text(left, Align2::LEFT_CENTER, pane.icon(), icon(14.0), tok.t2);
        }
    }
    if rect.width() > ICON {
        let left = left + vec2(24.0, 0.0);
        let mut job = egui::text::LayoutJob::default();
        job.append(title, 0.0, egui::TextFormat::simple(medium(12.5), color));
        job.wrap =
            egui::text::TextWrapping::truncate_at_width((rect.right() - 8.0 - left.x).max(0.0));
        let galley = painter.layout_job(job);
        painter.galley(left - vec2(0.0, galley.size().y / 2.0), galley, color);
    }
    if response.has_focus() {
        painter.rect_stroke(
            rect.shrink(1.0),
            2.0,
            Stroke::new(2.0, tok.focus),
            StrokeKind::Inside,
        );
    }
}

/// Draws the right end of a strip: the binding of the shown panel, and its menu. The space is
/// allocated from the right, so that tabs do not run under it.
pub fn strip_end_ui(ui: &mut Ui, strip: &TabStrip<'_>, out: &mut Vec<Action>) {
    let TabStrip {
        pane,
        tile,
        windows,
        ..
    } = *strip;
    let tok = ThemeColors::current(ui);
    ui.spacing_mut().item_spacing.x = 4.0;
    let room = ui.available_width();
    ui.add_space(4.0);
    menu_ui(ui, strip, out);
    // In a narrow strip the binding gives way to the titles.
    let Some(follow) = pane.follow().filter(|_| room >= WITH_BINDING) else {
        return;
    };
    match pane.window() {
        Some(window) => trace_badge_ui(ui, window, windows, tok),
        None => {
            let badge = FollowBadge {
                follow,
                room: room - strip.titles,
                is_narrow: room < NARROW,
                is_pinnable: pane.is_pinnable(),
            };
            out.extend(
                badge
                    .ui(ui, windows)
                    .map(|next| Action::Panel(PanelAction::Bind(PanelId(tile.0), next))),
            );
        }
    }
}

fn trace_badge_ui(ui: &mut Ui, window: WindowId, windows: &Windows, tok: &ThemeColors) {
    let text = count(windows.followed(window).position.0);
    let (rect, _) =
        ui.allocate_exact_size(vec2(width(ui, &text, &mono(11.5)), HEIGHT), Sense::hover());
    let color = tok.position(window.0);
    ui.painter().text(
        rect.left_center(),
        Align2::LEFT_CENTER,
        text,
        mono(11.5),
        color,
    );
}

/// Binding of the shown panel. A click selects the next possible binding.
struct FollowBadge {
    follow: Follow,
    /// Width beside whole titles.
    room: f32,
    is_narrow: bool,
    is_pinnable: bool,
}

impl FollowBadge {
    /// Draws the badge. Returns the new binding if the badge was clicked.
    fn ui(&self, ui: &mut Ui, windows: &Windows) -> Option<Follow> {
        let tok = ThemeColors::current(ui);
        let shown = tab_badge(self.follow, windows);
        let at = say!("tabs-at", position = count(shown.position.0));
        // The titles are more important than the position, which is in many places.
        let is_narrow = self.is_narrow || width(ui, &at, &ui_font(11.5)) + BADGE > self.room;
        let text = if is_narrow { "" } else { at.as_str() };
        // A chain marks a panel that is bound to one window.
        let chain = if matches!(self.follow, Follow::Window(_)) {
            16.0
        } else {
            0.0
        };
        let wide = chain
            + if is_narrow {
                16.0
            } else {
                width(ui, text, &ui_font(11.5)) + 22.0
            };
        let (rect, response) = ui.allocate_exact_size(vec2(wide, HEIGHT), Sense::click());
        response.widget_info(|| {
            WidgetInfo::labeled(
                egui::Role::Button,
                true,
                say!("tabs-what-the-panel-follows"),
            )
        });
        let painter = ui.painter();
        if chain > 0.0 {
            painter.text(
                rect.left_center(),
                Align2::LEFT_CENTER,
                icons::LINK,
                icon(13.0),
                tok.t2,
            );
        }
        let left = rect.left_center() + vec2(chain, 0.0);
        let what = match (shown.window, self.follow) {
            (Some(window), follow) => {
                badge(painter, left, window.0, tok);
                match follow {
                    Follow::Active => say!("tabs-follows-active", number = window.0, at = &at),
                    _ => say!("tabs-follows", number = window.0, at = &at),
                }
            }
            (None, _) => {
                painter.text(
                    left,
                    Align2::LEFT_CENTER,
                    icons::PIN,
                    icon_fill(14.0),
                    tok.t2,
                );
                say!("tabs-pinned", at = &at)
            }
        };
        painter.text(
            rect.right_center(),
            Align2::RIGHT_CENTER,
            text,
            ui_font(11.5),
            tok.t2,
        );
        let next = self.next(windows);
        let then = match next {
            Follow::Active => say!("tabs-the-active-window").to_owned(),
            Follow::Window(id) => say!("tabs-window", number = id.0),
            Follow::Pinned(_) => say!("tabs-this-position-for-good").to_owned(),
        };
        let response =
            response.on_hover_text(say!("tabs-what-and-click", what = what, then = then));
        response.clicked().then_some(next)
    }

    /// Returns the next binding: the active window, then each window if there are several, then the
    /// current moment, then again from the start.
    fn next(&self, windows: &Windows) -> Follow {
        let mut ids: Vec<WindowId> = windows.list.iter().map(|window| window.id).collect();
        ids.sort();
        ids.retain(|_| windows.list.len() > 1);
        let mut round = vec![Follow::Active];
        round.extend(ids.into_iter().map(Follow::Window));
        round.extend(
            self.is_pinnable
                .then(|| Follow::Pinned(windows.moment_of(self.follow))),
        );
        let place = round.iter().position(|follow| *follow == self.follow);
        place
            .and_then(|place| round.get(place + 1))
            .copied()
            .unwrap_or_default()
    }
}

fn menu_ui(ui: &mut Ui, strip: &TabStrip<'_>, out: &mut Vec<Action>) {
    let pane = strip.pane;
    let tok = ThemeColors::current(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(26.0, 22.0), Sense::click());
    let name = say!("tabs-panel-menu", panel = pane.title());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &name));
    paint_flat(ui.painter(), rect, &response, tok);
    ui.painter().text(
        rect.center(),
        Align2::CENTER_CENTER,
        icons::MORE,
        icon(14.0),
        tok.t2,
    );
    egui::Popup::menu(&response).show(|ui| {
        ui.set_min_width(180.0);
        panel_menu(ui, strip, out);
    });
}

/// Draws the actions for a panel.
fn panel_menu(ui: &mut Ui, strip: &TabStrip<'_>, out: &mut Vec<Action>) {
    let TabStrip {
        pane,
        tile,
        windows,
        place,
        ..
    } = *strip;
    if let Some(follow) = pane.follow() {
        let mut ids: Vec<WindowId> = windows.list.iter().map(|window| window.id).collect();
        ids.sort();
        if ui
            .add(egui::Button::selectable(
                follow == Follow::Active,
                say!("tabs-follow-the-active-window"),
            ))
            .clicked()
        {
            out.push(Action::Panel(PanelAction::Bind(
                PanelId(tile.0),
                Follow::Active,
            )));
        }
        for id in ids {
            let is_chosen = follow == Follow::Window(id);
            if ui
                .add(egui::Button::selectable(
                    is_chosen,
                    say!("tabs-follow-window", number = id.0),
                ))
                .clicked()
            {
                out.push(Action::Panel(PanelAction::Bind(
                    PanelId(tile.0),
                    Follow::Window(id),
                )));
            }
        }
        if pane.is_pinnable() {
            let here = windows.moment_of(follow);
            let is_pinned = matches!(follow, Follow::Pinned(_));
            if ui
                .add(egui::Button::selectable(
                    is_pinned,
                    say!("tabs-pin-at", position = count(here.position.0)),
                ))
                .clicked()
            {
                out.push(Action::Panel(PanelAction::Bind(
                    PanelId(tile.0),
                    Follow::Pinned(here),
                )));
            }
        }
        ui.separator();
    }
    let (word, action) = match place {
        PanelPlace::Dock => (
            say!("strip-tear-off"),
            Action::Panel(PanelAction::TearOff(Some(PanelId(tile.0)))),
        ),
        PanelPlace::Window => (
            say!("strip-put-back"),
            Action::Panel(PanelAction::PutBack(Some(PanelId(tile.0)))),
        ),
    };
    if ui.button(word).clicked() {
        out.push(action);
    }
    if ui.button(say!("tabs-duplicate")).clicked() {
        out.push(Action::Panel(PanelAction::DuplicatePanel(PanelId(tile.0))));
    }
    if ui.button(say!("tabs-close")).clicked() {
        out.push(Action::Panel(PanelAction::ClosePanel(PanelId(tile.0))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_shown_in_full_or_not_at_all() {
        let check = |wanted: &[f32], active, room, expected: &[f32]| {
            assert_eq!(fitted(wanted, active, room, 64.0), expected);
        };
        check(&[100.0, 120.0], 0, 300.0, &[100.0, 120.0]);
        // Its margin is not part of the title.
        check(&[90.0, 100.0], 0, 180.0, &[85.0, 95.0]);
        // A short title may still fit after a long one.
        check(&[90.0, 200.0, 100.0], 0, 250.0, &[90.0, ICON, 100.0]);
        check(&[90.0, 200.0, 160.0], 1, 330.0, &[90.0, 200.0, ICON]);
        // Only the title of the active tab may be cut.
        check(&[200.0], 0, 120.0, &[120.0]);
        check(&[], 0, 100.0, &[]);
    }

    #[test]
    fn what_does_not_fit_is_hidden_but_never_the_active_tab() {
        let wanted = [120.0; 6];
        let shown = |active, room| {
            let widths = fitted(&wanted, active, room, 64.0);
            let is_full = |place: usize| widths.get(place) == Some(&120.0);
            assert!(is_full(active), "{widths:?}");
            assert!(widths.iter().sum::<f32>() <= room, "{widths:?} in {room}");
            (0..)
                .zip(widths)
                .filter(|(_, wide)| *wide > 0.0)
                .map(|(place, _)| place)
                .collect::<Vec<usize>>()
        };
        assert_eq!(shown(0, 720.0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(shown(5, 320.0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(shown(0, 319.0), [0, 1, 2, 3]);
        assert_eq!(shown(5, 270.0), [0, 1, 5]);
        assert_eq!(shown(5, 184.0), [5]);
    }
}
