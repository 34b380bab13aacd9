//! The badge at the right of a tab strip.

use stepback_parsers::Position;

use stepback_debugger::action::{Follow, WindowId};
use stepback_debugger::model::Windows;

/// Badge at the right of a tab strip: `[1] at 1,250`, or a filled pin and a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabBadge {
    /// Window that is followed; none for a pinned panel.
    pub window: Option<WindowId>,
    pub position: Position,
}

/// Returns the badge of a panel that follows a window or a moment.
pub fn tab_badge(follow: Follow, windows: &Windows) -> TabBadge {
    TabBadge {
        window: windows.shown(follow).map(|window| window.id),
        position: windows.position_of(follow),
    }
}
