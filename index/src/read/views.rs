//! Recorded views of registers ([`ViewReader`]) and the slots that write them. Each view that a
//! trace names (`x3`, `w3`) has a posting list.

use stepback_machine::{RegisterId, RegisterView};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::segments::nearest_slot;
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

    /// Returns the nearest slot, from `bound` on, that writes exactly this view.
    pub(crate) fn nearest_write(
        &self,
        known: &ViewContents,
        bound: u64,
        direction: Direction,
    ) -> Result<Option<u64>, QueryError> {
        nearest_slot(
            self.0,
            &known.segments,
            bound,
            direction,
            |segment, bound| {
                let Some(list) = self.view_list(segment, known)? else {
                    return Ok(None);
                };
                list.nearest(bound, direction)
                    .map_err(|_| damaged(Section::Registers))
            },
        )
    }

    /// Returns the nearest slot, from `bound` on, that writes a byte of a view.
    pub(crate) fn nearest_register_write(
        &self,
        thread: ThreadId,
        view: RegisterView,
        bound: u64,
        direction: Direction,
    ) -> Result<Option<u64>, QueryError> {
        let mut found = None;
        for known in self.overlapping(thread, view) {
            found = direction.nearer(found, self.nearest_write(known, bound, direction)?);
        }
        Ok(found)
    }

    /// Returns the last slot up to `last` that writes a byte of a view.
    pub(crate) fn last_register_slot(
        &self,
        thread: ThreadId,
        view: RegisterView,
        last: u64,
    ) -> Result<Option<u64>, QueryError> {
        self.nearest_register_write(thread, view, last, Direction::Back)
    }

    /// Returns the first slot from `first` on that writes a byte of a view.
    pub(crate) fn next_register_slot(
        &self,
        thread: ThreadId,
        view: RegisterView,
        first: u64,
    ) -> Result<Option<u64>, QueryError> {
        self.nearest_register_write(thread, view, first, Direction::Forward)
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
