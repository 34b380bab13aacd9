//! Slots that write a register, newest first: the posting lists of all views that share bytes with
//! it, merged.

use stepback_machine::RegisterView;
use stepback_parsers::Position;

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::index::homes::Homes;
use crate::read::views::ViewReader;
use crate::store::contents::ViewContents;

/// Iterates over the slots that write a register.
pub(crate) struct WriteLists<'a> {
    index: &'a Index,
    thread: ThreadId,
    at: Position,
    lists: Vec<WriteList<'a>>,
}

/// Writes of a view.
struct WriteList<'a> {
    view: &'a ViewContents,
    /// True if all writes count, so the newest one decides; else only their slots show which do.
    are_all: bool,
    /// Next slot to return.
    next: Option<u64>,
}

impl<'a> WriteLists<'a> {
    /// Creates the lists for a name up to a position.
    pub fn of(
        index: &'a Index,
        thread: ThreadId,
        homes: &Homes,
        at: Position,
    ) -> Result<Self, QueryError> {
        let mut lists = Self {
            index,
            thread,
            at,
            lists: Vec::new(),
        };
        homes.closed().try_for_each(|view| lists.add(view))?;
        let closed = lists.lists.len();
        homes.open().try_for_each(|view| lists.add(view))?;
        for list in lists.lists.iter_mut().skip(closed) {
            list.are_all = false;
        }
        Ok(lists)
    }

    /// Adds the writes of exactly a view.
    pub fn add_exactly(&mut self, view: RegisterView) -> Result<(), QueryError> {
        let before = self.lists.len();
        self.add(view)?;
        let added = self.lists.split_off(before);
        self.lists
            .extend(added.into_iter().filter(|list| list.view.view == view));
        Ok(())
    }

    fn add(&mut self, view: RegisterView) -> Result<(), QueryError> {
        for known in ViewReader(self.index).overlapping(self.thread, view) {
            let next = ViewReader(self.index).nearest_write(known, self.at.0, Direction::Back)?;
            self.lists.push(WriteList {
                view: known,
                are_all: true,
                next,
            });
        }
        Ok(())
    }

    /// Returns the newest slot that was not returned yet.
    pub fn newest(&self) -> Option<u64> {
        self.lists.iter().filter_map(|list| list.next).max()
    }

    /// Returns the newest slot that was not returned yet; of a view with all writes selected, only
    /// its newest.
    pub fn next(&mut self) -> Result<Option<u64>, QueryError> {
        let newest = self.newest();
        for list in self
            .lists
            .iter_mut()
            .filter(|list| newest.is_some() && list.next == newest)
        {
            let before = newest
                .and_then(|slot| slot.checked_sub(1))
                .filter(|_| !list.are_all);
            list.next = match before {
                Some(before) => {
                    ViewReader(self.index).nearest_write(list.view, before, Direction::Back)?
                }
                None => None,
            };
        }
        Ok(newest)
    }
}
