//! Arguments of the commands of slices and of effects.

use stepback_parsers::Position;

use super::arguments::{cell_name, position_number};
use super::command::CommandContext;
use crate::action::StepRange;
use crate::action::{Action, EffectsOf, OtherCall, SliceAction, ViewAction};
use crate::messages::say;
use crate::notes::SavedQueryChange;

/// Prompt for the name of a saved slice.
pub const KEPT_SLICE: &str = "ask-name-of-a-kept-slice";

pub fn why(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Slice(SliceAction::Why(cell_name(text)?)))
}

pub fn keep_slice(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Slice(SliceAction::KeepSlice(text.to_owned())))
}

pub fn run_slice(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Slice(SliceAction::RunSlice(text.to_owned())))
}

pub fn show_slice(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Slice(SliceAction::ShowSlice(text.to_owned())))
}

pub fn forget_slice(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Slice(SliceAction::Slices(
        SavedQueryChange::Forget(text.to_owned()),
    )))
}

pub fn rename_slice(text: &str, _: &CommandContext) -> Result<Action, String> {
    let (old, new) = text
        .split_once('=')
        .ok_or_else(|| say!("line-old-new", text = format!("{text:?}")))?;
    Ok(Action::Slice(SliceAction::Slices(
        SavedQueryChange::Rename(old.trim().to_owned(), new.trim().to_owned()),
    )))
}

/// Parses a range of positions: `1190 1255`, `1,190..1,255`.
pub fn effects(text: &str, _: &CommandContext) -> Result<Action, String> {
    let parts: Vec<&str> = text
        .split([' ', '.', '-'])
        .filter(|part| !part.is_empty())
        .collect();
    let numbers: Option<Vec<Position>> = parts.iter().map(|part| position_number(part)).collect();
    match numbers.as_deref() {
        Some([first, last]) => {
            let range = StepRange {
                first: *first.min(last),
                last: *first.max(last),
            };
            Ok(Action::View(ViewAction::ShowEffects(EffectsOf::Range(
                range,
            ))))
        }
        _ => Err(say!("ask-two-positions").to_owned()),
    }
}

/// Parses a position in the call to compare with the one around the current position.
pub fn other_call(text: &str, situation: &CommandContext) -> Result<Action, String> {
    let other = position_number(text.trim()).ok_or_else(|| say!("ask-a-position").to_owned())?;
    let at = situation
        .position()
        .ok_or_else(|| say!("ask-a-position").to_owned())?;
    Ok(Action::View(ViewAction::ShowEffects(
        EffectsOf::Comparison(at, OtherCall::Around(other)),
    )))
}
