//! What menus of calls offer about what a call reads and writes.

use egui::Ui;
use stepback_parsers::Position;

use super::menu::MenuItem;
use crate::theme::{ThemeColors, icons};
use stepback_debugger::action::{Action, Direction, EffectsOf, OtherCall, ViewAction};
use stepback_debugger::messages::say;

/// The items of a call, which is named by a position in it.
pub fn effects_items(ui: &mut Ui, tok: &ThemeColors, at: Position, out: &mut Vec<Action>) {
    if MenuItem::new(say!("effects-what-this-call"))
        .icon(icons::SWAP)
        .ui(ui, tok)
    {
        out.push(Action::View(ViewAction::ShowEffects(EffectsOf::Call(at))));
    }
    for (words, way) in [
        (say!("effects-compare-with-previous"), Direction::Back),
        (say!("effects-compare-with-next"), Direction::Forward),
    ] {
        if MenuItem::new(words).icon(icons::COMPARE).ui(ui, tok) {
            out.push(Action::View(ViewAction::ShowEffects(
                EffectsOf::Comparison(at, OtherCall::Near(way)),
            )));
        }
    }
}

/// The item of a call that compares it with the one around the position, where that is of the same function.
pub fn compare_item(
    ui: &mut Ui,
    tok: &ThemeColors,
    at: Position,
    position: Position,
    out: &mut Vec<Action>,
) {
    if MenuItem::new(say!("effects-compare-with-position")).ui(ui, tok) {
        out.push(Action::View(ViewAction::ShowEffects(
            EffectsOf::Comparison(at, OtherCall::Around(position)),
        )));
    }
}
