//! All kinds of lists.

use super::bookmarks::Bookmarks;
use super::calls::Calls;
use super::compare::Compare;
use super::effects::EffectsList;
use super::externals::Externals;
use super::find::Find;
use super::findings::Findings;
use super::functions::Functions;
use super::list::{ListPane, Listing};
use super::source::Source as SourceList;
use super::stack::Stack;
use super::table::{Source, Tabled};
use super::tables::{Accesses, Memory};
use super::threads::Threads;
use super::warnings::Warnings;
use super::watches::Watches;
use super::why::Why;
use crate::action::PanelKind;
use crate::terminal::pane::Pane;

/// Opens a list of a kind. None where a kind is no list.
pub fn open_list(kind: PanelKind) -> Option<Box<dyn Pane>> {
    Some(match kind {
        PanelKind::Accesses => table(Accesses::default()),
        PanelKind::Bookmarks => table(Bookmarks::default()),
        PanelKind::Calls => list(Calls::default()),
        PanelKind::Compare => list(Compare::default()),
        PanelKind::Externals => table(Externals::default()),
        PanelKind::Effects => table(EffectsList::default()),
        PanelKind::Find => table(Find::default()),
        PanelKind::Findings => list(Findings::default()),
        PanelKind::Functions => table(Functions::default()),
        PanelKind::Heap | PanelKind::Heat | PanelKind::Tasks | PanelKind::Regions | PanelKind::StackMemory => {
            table(Memory::of(kind))
        }
        PanelKind::Source => list(SourceList::default()),
        PanelKind::Stack => list(Stack::default()),
        PanelKind::Threads => table(Threads::default()),
        PanelKind::Why => list(Why::default()),
        PanelKind::Warnings => table(Warnings::default()),
        PanelKind::Watches => table(Watches::default()),
        PanelKind::FlameGraph | PanelKind::Memory | PanelKind::Registers | PanelKind::Trace => return None,
    })
}

fn list(listing: impl Listing + 'static) -> Box<dyn Pane> {
    Box::new(ListPane::new(listing))
}

fn table(source: impl Source + 'static) -> Box<dyn Pane> {
    list(Tabled::new(source))
}
