//! Recorded views of registers ([`ViewReader`]) and the slots that write them. Each view that a
//! trace names (`x3`, `w3`) has a posting list; [`WriteLists`] merges the lists of all views that
//! share bytes with a register, newest first. [`UntracedReader`] finds the registers that the trace
//! leaves out.

use std::sync::PoisonError;

use stepback_machine::{Mode, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::index::homes::Homes;
use crate::index::operand_table::UntracedRegisters;
use crate::read::slots::{SlotReader, local_thread};
use crate::store::contents::ViewContents;
use crate::store::packed::PackedList;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};

/// Finds the writes of registers in the lists of their views.
pub(crate) struct ViewReader<'a>(pub &'a Index);

impl<'a> ViewReader<'a> {
    /// Returns the views of a thread that the trace writes.
    pub(crate) fn views_of(&self, thread: ThreadId) -> &'a [ViewContents] {
        let views = &self.0.contents.views;
        let start = views.partition_point(|view| view.thread < thread.0);
        let end = views.partition_point(|view| view.thread <= thread.0);
        views.get(start..end).unwrap_or_default()
    }

    /// Iterates over the views of a thread that share bytes with one.
    pub(crate) fn overlapping(
        &self,
        thread: ThreadId,
        view: RegisterView,
    ) -> impl Iterator<Item = &'a ViewContents> + use<'a> {
        let views = self.views_of(thread);
        let start = views.partition_point(|known| known.view.register < view.register);
        let same = views.get(start..).unwrap_or_default().iter();
        same.take_while(move |known| known.view.register == view.register)
            .filter(move |known| known.view.overlaps(view))
    }

    /// Returns true if the trace writes a byte of a register of a thread under this name.
    pub(crate) fn is_written(&self, thread: ThreadId, register: RegisterId) -> bool {
        self.overlapping(thread, RegisterView::new(register, 0, u16::MAX))
            .next()
            .is_some()
    }

    /// Returns the last slot up to `last` that writes exactly this view.
    pub(crate) fn last_write_slot(
        &self,
        known: &ViewContents,
        last: u64,
    ) -> Result<Option<u64>, QueryError> {
        let segments = &self.0.contents.segments;
        let end = segments.partition_point(|segment| segment.step_base <= last);
        let behind = known
            .segments
            .partition_point(|number| (*number as usize) < end);
        for number in known
            .segments
            .get(..behind)
            .unwrap_or_default()
            .iter()
            .rev()
        {
            let Some(segment) = self.0.segment(*number as usize) else {
                continue;
            };
            let Some(bound) = (last + 1)
                .checked_sub(segment.meta.step_base)
                .filter(|bound| *bound > 0)
            else {
                continue;
            };
            let Some(list) = self.view_list(&segment, known)? else {
                continue;
            };
            let found = list
                .last_below(u32::try_from(bound).unwrap_or(u32::MAX))
                .map_err(|_| bad_registers())?;
            if let Some(slot) = found {
                return Ok(Some(segment.meta.step_base + u64::from(slot)));
            }
        }
        Ok(None)
    }

    /// Returns the first slot from `first` on that writes exactly this view.
    pub(crate) fn next_write_slot(
        &self,
        known: &ViewContents,
        first: u64,
    ) -> Result<Option<u64>, QueryError> {
        let segments = &self.0.contents.segments;
        let start = segments
            .partition_point(|segment| segment.step_base + u64::from(segment.steps) < first);
        let from = known
            .segments
            .partition_point(|number| (*number as usize) < start);
        for number in known.segments.get(from..).unwrap_or_default() {
            let Some(segment) = self.0.segment(*number as usize) else {
                continue;
            };
            let Some(list) = self.view_list(&segment, known)? else {
                continue;
            };
            let from =
                u32::try_from(first.saturating_sub(segment.meta.step_base)).unwrap_or(u32::MAX);
            if let Some(slot) = list.first_from(from).map_err(|_| bad_registers())? {
                return Ok(Some(segment.meta.step_base + u64::from(slot)));
            }
        }
        Ok(None)
    }

    /// Returns the last slot up to `last` that writes a byte of a view.
    pub(crate) fn last_register_slot(
        &self,
        thread: ThreadId,
        view: RegisterView,
        last: u64,
    ) -> Result<Option<u64>, QueryError> {
        let mut found = None;
        for known in self.overlapping(thread, view) {
            found = found.max(self.last_write_slot(known, last)?);
        }
        Ok(found)
    }

    /// Returns the first slot from `first` on that writes a byte of a view.
    pub(crate) fn next_register_slot(
        &self,
        thread: ThreadId,
        view: RegisterView,
        first: u64,
    ) -> Result<Option<u64>, QueryError> {
        let mut found: Option<u64> = None;
        for known in self.overlapping(thread, view) {
            let next = self.next_write_slot(known, first)?;
            found = found.into_iter().chain(next).min();
        }
        Ok(found)
    }

    fn view_list<'b>(
        &self,
        segment: &SegmentReader<'b>,
        known: &ViewContents,
    ) -> Result<Option<PackedList<'b>>, QueryError> {
        let Some(thread) = local_thread(segment, ThreadId(known.thread)) else {
            return Ok(None);
        };
        let place = known.view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let register = match place {
            None => known.view.register,
            Some(place) => {
                let Some(local) = segment.meta.named.iter().position(|name| *name == place) else {
                    return Ok(None);
                };
                RegisterId(RegisterId::FIRST_NAMED.0 + u16::try_from(local).unwrap_or(u16::MAX))
            }
        };
        segment.list(
            thread,
            RegisterView {
                register,
                ..known.view
            },
        )
    }
}

fn bad_registers() -> QueryError {
    damaged(Section::Registers)
}

/// Returns the registers of a thread that instructions write and no line names. Cost: the text
/// of the thread's first step, once.
pub fn untraced_of(index: &Index, thread: ThreadId) -> Result<UntracedRegisters, QueryError> {
    let known = || {
        index
            .caches
            .untraced
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    if let Some(untraced) = known().get(&thread) {
        return Ok(*untraced);
    }
    let untraced = find_untraced(index, thread)?;
    known().insert(thread, untraced);
    Ok(untraced)
}

fn find_untraced(index: &Index, thread: ThreadId) -> Result<UntracedRegisters, QueryError> {
    let set = index.instruction_set(thread);
    if index.has_operands_alone() || set.has_windows() {
        return Ok(UntracedRegisters::Nothing);
    }
    let named = ViewReader(index)
        .views_of(thread)
        .iter()
        .map(|known| plain(index, thread, known.view.register));
    let named: Vec<RegisterId> = named
        .filter(|register| *register < RegisterId::PC)
        .collect();
    if named.contains(&RegisterId::SP) || !has_encodings(index, thread)? {
        return Ok(UntracedRegisters::Nothing);
    }
    Ok(if named.is_empty() {
        UntracedRegisters::General
    } else {
        UntracedRegisters::StackPointer
    })
}

/// Returns the plain register of a bank; any other register itself.
fn plain(index: &Index, thread: ThreadId, register: RegisterId) -> RegisterId {
    let set = index.instruction_set(thread);
    let named = index
        .banks
        .iter()
        .find(|known| known.register == register)
        .map(|known| known.plain);
    // Lines in an unknown mode write one of the banks, too.
    let is_bank = |plain: &u16| {
        let plain = RegisterId(*plain);
        Mode::Untold.home(plain) == register || set.banks(plain).any(|bank| bank == register)
    };
    named
        .or_else(|| (0..RegisterId::PC.0).find(is_bank).map(RegisterId))
        .unwrap_or(register)
}

fn has_encodings(index: &Index, thread: ThreadId) -> Result<bool, QueryError> {
    let first = index
        .contents
        .threads
        .get(usize::from(thread.0))
        .and_then(|known| known.first_step);
    let Some(slot) = first.map(|step| step.saturating_add(1)) else {
        return Ok(false);
    };
    Ok(SlotReader(index)
        .step_of(slot)?
        .is_some_and(|(_, step)| step.encoding.is_some()))
}

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
