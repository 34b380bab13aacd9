//! Menu items about the effects of a call: the memory that it reads and writes.

use egui::Ui;
use stepback_parsers::Position;

use super::menu::MenuItem;
use crate::theme::{ThemeColors, icons};
use stepback_debugger::action::{Action, Direction, EffectsOf, OtherCall, ViewAction};
use stepback_debugger::messages::say;

/// Draws the effects items of the call around a position.
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

/// Draws the item that compares a call with the one around `position`.
/// The comparison needs both to be of one function.
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
