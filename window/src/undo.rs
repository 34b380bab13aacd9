//! What of the window can be had back after a change: marks, layouts, keys, panels.

use super::settings::{OwnLayout, Settings};
use super::workspace::Workspace;
use stepback_debugger::action::{Moment, WindowId};
use stepback_debugger::desk::Marks;
use stepback_debugger::keymap::KeyChoice;

/// What was changed, the newest last.
pub type Undo = stepback_debugger::desk::Undo<Before>;

/// What was there before a change.
#[derive(Debug)]
pub enum Before {
    /// What the user keeps about the trace.
    Marks(Marks),
    /// The layouts of the user's own.
    Layouts(Vec<OwnLayout>),
    /// The keys that the user chose.
    Keys(KeyChoice),
    /// The panels.
    Panels(Panels),
}

/// The panels, and where the trace windows were.
#[derive(Clone, Debug)]
pub struct Panels {
    /// As they are kept, without the places of their windows: those alone are no change.
    pub text: String,
    /// The same with the places.
    pub whole: String,
    /// The trace windows and where they were.
    pub positions: Vec<(WindowId, Moment)>,
    /// The active trace window.
    pub active: WindowId,
}

impl Panels {
    /// What counts as a change: not which tab is in front, nor the byte that a panel of memory stays at.
    pub fn outline(&self) -> String {
        let is_passing = |line: &&str| !line.trim_start().starts_with("held:");
        let mut outline = String::new();
        for line in self.text.lines().filter(is_passing) {
            match line.split_once("Tabs(") {
                Some((head, rest)) => {
                    outline.extend([head, rest.trim_start_matches(|digit: char| digit.is_ascii_digit())])
                }
                None => outline.push_str(line),
            }
            outline.push('\n');
        }
        outline
    }
}

impl Workspace {
    /// Puts what was there before a change back. Returns what that replaces. Settings are no trace's, so they are handed in.
    pub(super) fn exchange(&mut self, before: Before, settings: &mut Settings) -> Before {
        match before {
            Before::Marks(marks) => Before::Marks(self.desk.exchange(marks)),
            Before::Keys(keys) => {
                let now = Before::Keys(std::mem::replace(&mut settings.keys, keys));
                settings.keys.take_effect();
                now
            }
            Before::Layouts(layouts) => Before::Layouts(std::mem::replace(&mut settings.layouts, layouts)),
            Before::Panels(panels) => {
                let now = self.panels();
                self.put_panels(panels.clone());
                self.panels_seen = self.panels();
                Before::Panels(now.unwrap_or(panels))
            }
        }
    }
}
