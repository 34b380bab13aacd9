//! The commands of slices: what is followed, how it is shown, and what is kept.

use super::build::new;
use super::command::{Area, Command};
use super::key::Key;
use super::slice_arguments;
use super::stroke::Modifiers;
use crate::action::{Action, SliceAction, SliceEdge, SliceView, Way};
use crate::icons;

/// In the order of the menu.
pub(super) fn slice_rows() -> Vec<Command> {
    use Area::View;
    let follow = |it| Action::Slice(SliceAction::FollowInSlice(it));
    vec![
        new(View, "Slice follows addresses").in_trace().does(follow(SliceEdge::Addresses)),
        new(View, "Slice follows flags").in_trace().does(follow(SliceEdge::Flags)),
        new(View, "Slice follows control").in_trace().does(follow(SliceEdge::Control)),
        new(View, "Slice back to where the value comes from")
            .in_trace()
            .does(Action::Slice(SliceAction::TurnSlice(Way::Back))),
        new(View, "Slice forward to where the value went")
            .in_trace()
            .does(Action::Slice(SliceAction::TurnSlice(Way::Forward))),
        new(View, "Slice as a chain").in_trace().does(Action::Slice(SliceAction::ViewSlice(SliceView::Chain))),
        new(View, "Slice as a tree").in_trace().does(Action::Slice(SliceAction::ViewSlice(SliceView::Tree))),
        new(View, "Slice with everything")
            .in_trace()
            .does(Action::Slice(SliceAction::ViewSlice(SliceView::Everything))),
        new(View, "More of the slice").in_trace().does(Action::Slice(SliceAction::MoreOfSlice)),
        new(View, "Only steps of the slice")
            .icon(icons::FILTER)
            .key(Modifiers::SHIFT, Key::H)
            .in_trace()
            .does(Action::Slice(SliceAction::ToggleOnlySlice)),
        new(View, "Keep slice as…").in_trace().asks("ask-name-of-the-slice", slice_arguments::keep_slice),
        new(View, "Run slice…").in_trace().asks(slice_arguments::KEPT_SLICE, slice_arguments::run_slice),
        new(View, "Slice in a panel of its own…")
            .in_trace()
            .asks(slice_arguments::KEPT_SLICE, slice_arguments::show_slice),
        new(View, "Rename slice…").in_trace().asks("ask-old-name-new-name", slice_arguments::rename_slice),
        new(View, "Forget slice…").in_trace().asks(slice_arguments::KEPT_SLICE, slice_arguments::forget_slice),
        new(View, "Clear slice").in_trace().does(Action::Slice(SliceAction::ClearSlice)),
    ]
}
