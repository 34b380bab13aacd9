//! All kinds of lists.

use super::calls::Calls;
use super::find::Find;
use super::list::{ListPane, Listing};
use super::stack::Stack;
use super::table::{Source, Tabled};
use super::tables::{Accesses, Memory};
use super::threads::Threads;
use super::why::Why;
use crate::action::PanelKind;
use crate::terminal::pane::Pane;

/// Opens a list of a kind. None where a kind is no list.
pub fn open_list(kind: PanelKind) -> Option<Box<dyn Pane>> {
    Some(match kind {
        PanelKind::Accesses => table(Accesses::default()),
        PanelKind::Calls => list(Calls::default()),
        PanelKind::Find => table(Find::default()),
        PanelKind::Heap | PanelKind::Heat | PanelKind::Regions | PanelKind::StackMemory => table(Memory::of(kind)),
        PanelKind::Stack => list(Stack::default()),
        PanelKind::Threads => table(Threads::default()),
        PanelKind::Why => list(Why::default()),
        _ => return None,
    })
}

fn list(listing: impl Listing + 'static) -> Box<dyn Pane> {
    Box::new(ListPane::new(listing))
}

fn table(source: impl Source + 'static) -> Box<dyn Pane> {
    list(Tabled::new(source))
}
