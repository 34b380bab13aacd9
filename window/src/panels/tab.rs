//! What a tab strip says of the panel that it shows.

use stepback_parsers::Position;

use stepback_debugger::action::{Follow, WindowId};
use stepback_debugger::model::Windows;

/// The badge at the right of a tab strip: `[1] at 1,250`, or a filled pin and a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabBadge {
    /// The window that is followed; none for a pinned panel.
    pub window: Option<WindowId>,
    /// The moment that is shown.
    pub position: Position,
}

/// The badge of a panel that follows a window or a moment.
pub fn tab_badge(follow: Follow, windows: &Windows) -> TabBadge {
    TabBadge {
        window: windows.shown(follow).map(|window| window.id),
        position: windows.position_of(follow),
    }
}
