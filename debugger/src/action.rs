//! The action language: keys, menus, the command palette, scripts and tests all emit an [`Action`].
//!
//! An action is plain data. Panels push actions into a `Vec` while they draw, and the program
//! applies them in order after the frame, with one exhaustive `match` per group. A stored position
//! (a pin, a saved layout) is a [`Moment`], which also names its trace; a position of a window
//! belongs to that window's trace.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stepback_index::answer::CallId;
use stepback_parsers::Position;

pub use crate::action::app::{
    AppAction, CommandName, FileAction, FontChange, FontRole, MarkAction, ThemeChoice,
};
pub use crate::action::comparison_rule::ComparisonRule;
pub use crate::action::panels::{Follow, PanelAction, PanelId, PanelKind};
pub use crate::action::travel::{
    Access, CellName, Direction, SearchAction, SliceAction, SliceView, StepRange, TraceId,
    TravelAction, WindowId,
};
pub use crate::action::view::{
    CallMeasure, EffectsOf, FunctionsOf, MemoryChange, MemoryText, OtherCall, RegisterFormat,
    TimelineFit, TimelineLanes, ViewAction,
};
pub use crate::notes::{FindKind, FindQuery, FindRange, SavedSliceQuery, SliceEdge};

mod app;
mod comparison_rule;
mod panels;
mod travel;
mod view;

/// Folding and unfolding of calls, as in the Tarmac browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FoldAction {
    /// `-`: fold the call that contains the position.
    Containing,
    /// `+`: unfold the folded call just after the position's step.
    UnfoldHere,
    /// `[`: fold all calls made from the function that contains the position.
    Inside,
    /// `]`: unfold everything inside the function that contains the position.
    UnfoldInside,
    /// `{`: fold the whole trace.
    All,
    /// `}`: unfold the whole trace.
    UnfoldAll,
    /// Fold the handlers that spill, fill or clean register windows.
    WindowTraps,
    /// Fold or unfold one call.
    Toggle(CallId),
}

/// Everything that a user can request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// Files: traces, sessions, images, sources, pictures.
    File(FileAction),
    /// Moves of a trace window.
    Travel(TravelAction),
    Search(SearchAction),
    Slice(SliceAction),
    /// Watches, bookmarks, undo.
    Mark(MarkAction),
    /// Folding.
    Fold(FoldAction),
    /// Windows, panels, layouts.
    Panel(PanelAction),
    /// Contents of panels.
    View(ViewAction),
    /// The program itself.
    App(AppAction),
}

impl Action {
    /// Moves a trace window to a position.
    pub fn travel(window: WindowId, to: Position) -> Self {
        Self::Travel(TravelAction::Travel(window, to))
    }
}

macro_rules! from_group {
    ($($group:ident($action:ty)),*) => {
        $(impl From<$action> for Action {
            fn from(action: $action) -> Self {
                Self::$group(action)
            }
        })*
    };
}

from_group!(
    File(FileAction),
    Travel(TravelAction),
    Search(SearchAction),
    Slice(SliceAction),
    Mark(MarkAction),
    Fold(FoldAction),
    Panel(PanelAction),
    View(ViewAction),
    App(AppAction)
);

/// A moment of a trace.
///
/// The serialised form is the number of its position, preceded by the trace's number unless that is
/// the first: `1250`, `((1), 1250)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    pub trace: TraceId,
    /// Number of steps done.
    pub position: Position,
}

impl From<u64> for Moment {
    /// Creates a moment of the first trace.
    fn from(position: u64) -> Self {
        Self {
            trace: TraceId::default(),
            position: Position(position),
        }
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.trace == TraceId::default() {
            return serializer.serialize_u64(self.position.0);
        }
        (self.trace, self.position.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MomentVisitor)
    }
}

struct MomentVisitor;

impl<'de> Visitor<'de> for MomentVisitor {
    type Value = Moment;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a position, or a trace and a position")
    }

    fn visit_u64<E>(self, position: u64) -> Result<Moment, E> {
        Ok(position.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Moment, A::Error> {
        let missing = |place| A::Error::invalid_length(place, &"a trace and a position");
        let trace = parts.next_element()?.ok_or_else(|| missing(0))?;
        let position = parts.next_element()?.ok_or_else(|| missing(1))?;
        Ok(Moment {
            trace,
            position: Position(position),
        })
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn actions_that_name_no_trace_mean_the_first() {
        let read = |text: &str| ron::from_str::<Action>(text).map_err(|error| error.to_string());
        let first = Moment {
            trace: TraceId(0),
            position: Position(1250),
        };
        assert_eq!(
            read("Panel(OpenWindowAt(1250))"),
            Ok(Action::Panel(PanelAction::OpenWindowAt(first)))
        );
        assert_eq!(
            read("Panel(Bind((3),Pinned(1250)))"),
            Ok(Action::Panel(PanelAction::Bind(
                PanelId(3),
                Follow::Pinned(first)
            )))
        );
        assert!(read("Panel(OpenWindowAt(true))").is_err());
    }
}

#[cfg(test)]
mod moment_tests {
    use super::*;

    #[test]
    fn moments_are_read_as_they_are_written() {
        for (moment, text) in [
            (Moment::from(12), "12"),
            (
                Moment {
                    trace: TraceId(2),
                    position: Position(7),
                },
                "((2),7)",
            ),
        ] {
            assert_eq!(ron::to_string(&moment), Ok(text.to_owned()));
            assert_eq!(ron::from_str(text), Ok(moment));
        }
    }
}
