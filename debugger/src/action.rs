//! The action language: keys, menus, the command palette, scripts and tests all emit actions.
//!
//! An action is plain data. Panels push actions into a `Vec` while they draw; they are applied in
//! order after the frame. Each group has one exhaustive `match` that applies it.

mod app;
mod common;
mod effects;
mod file;
mod marks;
mod memory;
mod moment;
mod panels;
mod registers;
mod search;
mod slices;
mod timeline;
mod travel;
mod view;

use serde::{Deserialize, Serialize};
use stepback_index::CallId;
use stepback_parsers::Position;

pub use self::app::{AppAction, CommandName, FontChange, FontRole, ThemeChoice};
pub use self::common::{Direction, StepRange, TraceId, WindowId};
pub use self::effects::{EffectsOf, OtherCall};
pub use self::file::FileAction;
pub use self::marks::MarkAction;
pub use self::memory::{MemoryChange, MemoryText};
pub use self::moment::Moment;
pub use self::panels::{Follow, PanelAction, PanelId, PanelKind};
pub use self::registers::RegisterFormat;
pub use self::search::SearchAction;
pub use self::slices::{SliceAction, SliceView};
pub use self::timeline::{TimelineFit, TimelineLanes};
pub use self::travel::{Access, CellName, TravelAction};
pub use self::view::{CallMeasure, FunctionsOf, ViewAction};
pub use crate::notes::{FindKind, FindQuery, FindRange, SliceEdge, SliceEdges, SliceQuery};

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
    /// The search.
    Search(SearchAction),
    /// Slices.
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
