//! The egui styles of both themes.

use egui::style::{HandleShape, ScrollStyle, WidgetVisuals};
use egui::{Color32, CornerRadius, FontId, Margin, Shadow, Stroke, Style, TextStyle, Theme, vec2};

use super::{ThemeColors, mono, semi, ui};

/// Installs the styles of both themes.
pub fn install_styles(context: &egui::Context) {
    context.style_mut_of(Theme::Dark, |style| {
        apply(style, ThemeColors::of(Theme::Dark))
    });
    context.style_mut_of(Theme::Light, |style| {
        apply(style, ThemeColors::of(Theme::Light))
    });
}

fn apply(style: &mut Style, tok: &ThemeColors) {
    style.text_styles = text_styles();
    apply_spacing(style);
    apply_levels(style, tok);
    apply_widgets(style, tok);
}

fn text_styles() -> std::collections::BTreeMap<TextStyle, FontId> {
    [
        (TextStyle::Small, ui(11.0)),
        (TextStyle::Body, ui(13.0)),
        (TextStyle::Button, ui(13.0)),
        (TextStyle::Heading, semi(14.0)),
        (TextStyle::Monospace, mono(12.5)),
    ]
    .into()
}

fn apply_spacing(style: &mut Style) {
    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(8.0, 4.0);
    spacing.button_padding = vec2(8.0, 3.0);
    spacing.interact_size.y = 22.0;
    spacing.menu_margin = Margin::same(6);
    spacing.tooltip_width = 480.0;
    spacing.menu_width = 240.0;
    spacing.scroll = ScrollStyle::thin();
    style.interaction.tooltip_delay = 0.35;
    style.interaction.selectable_labels = false;
}

fn apply_levels(style: &mut Style, tok: &ThemeColors) {
    let visuals = &mut style.visuals;
    visuals.panel_fill = tok.bg2;
    visuals.window_fill = tok.bg2;
    visuals.text_edit_bg_color = Some(tok.bg1);
    visuals.extreme_bg_color = tok.bg1;
    visuals.faint_bg_color = tok.hover;
    visuals.code_bg_color = tok.bg3;
    visuals.window_stroke = Stroke::new(1.0, tok.line2);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    let shadow = Shadow {
        offset: [0, 6],
        blur: 24,
        spread: 0,
        color: tok.shadow,
    };
    visuals.window_shadow = shadow;
    visuals.popup_shadow = shadow;
    visuals.selection.bg_fill = tok.sel;
    visuals.selection.stroke = Stroke::new(2.0, tok.focus);
    visuals.hyperlink_color = tok.accent;
    visuals.warn_fg_color = tok.warn;
    visuals.error_fg_color = tok.err;
    visuals.weak_text_color = Some(tok.t3);
    visuals.text_cursor.stroke = Stroke::new(1.5, tok.accent);
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = HandleShape::Rect { aspect_ratio: 0.5 };
    visuals.disabled_alpha = 0.45;
}

fn apply_widgets(style: &mut Style, tok: &ThemeColors) {
    let look = |fill: Color32, weak: Color32, edge: Color32, text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: weak,
        bg_stroke: Stroke::new(1.0, edge),
        corner_radius: CornerRadius::same(4),
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    let widgets = &mut style.visuals.widgets;
    widgets.noninteractive = look(tok.bg2, tok.bg2, tok.line, tok.t1);
    widgets.inactive = look(tok.bg4, tok.bg3, tok.ctl, tok.t1);
    widgets.hovered = look(tok.bg4, tok.bg4, tok.t3, tok.t1);
    widgets.active = look(tok.bg4, tok.bg4, tok.focus, tok.t1);
    widgets.open = look(tok.bg3, tok.bg3, tok.ctl, tok.t1);
}
