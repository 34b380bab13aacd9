//! Slots that write a register, newest first, from the lists of its views.

use stepback_machine::RegisterView;
use stepback_parsers::Position;

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
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
    meant: ViewSelection,
    /// Next slot to return.
    next: Option<u64>,
}

/// Selection of the writes of a view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ViewSelection {
    /// All writes: the newest one decides.
    All,
    /// Some writes: only their slots show which.
    Some,
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
        homes
            .closed()
            .try_for_each(|view| lists.add(view, ViewSelection::All))?;
        homes
            .open()
            .try_for_each(|view| lists.add(view, ViewSelection::Some))?;
        Ok(lists)
    }

    /// Adds the writes of exactly a view.
    pub fn add_exactly(&mut self, view: RegisterView) -> Result<(), QueryError> {
        let before = self.lists.len();
        self.add(view, ViewSelection::All)?;
        let added = self.lists.split_off(before);
        self.lists
            .extend(added.into_iter().filter(|list| list.view.view == view));
        Ok(())
    }

    fn add(&mut self, view: RegisterView, meant: ViewSelection) -> Result<(), QueryError> {
        for known in ViewReader(self.index).overlapping(self.thread, view) {
            let next = ViewReader(self.index).last_write_slot(known, self.at.0)?;
            self.lists.push(WriteList {
                view: known,
                meant,
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
                .filter(|_| list.meant == ViewSelection::Some);
            list.next = match before {
                Some(before) => ViewReader(self.index).last_write_slot(list.view, before)?,
                None => None,
            };
        }
        Ok(newest)
    }
}
