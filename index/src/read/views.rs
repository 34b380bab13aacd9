//! Recorded views of registers, and the slots that write them.

use stepback_machine::{RegisterId, RegisterView};

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::slots::local_thread;
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
