//! The register file at a position.

use std::ops::Range;

use stepback_machine::{RegisterId, RegisterView, Registers};
use stepback_parsers::{Position, Source};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::register_file::{RegisterFile, RegisterState};
use crate::answers::thread::ThreadId;
use crate::index::{Index, Query};
use crate::inference::query::fill;
use crate::read::register_reader::RegisterReader;
use crate::store::contents::ViewContents;

/// All registers of a thread at a position. Cost: one step's text for each distinct last write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegistersAt {
    /// When.
    pub position: Position,
    /// Whose; without it, of the thread of the last step before the position.
    pub thread: Option<ThreadId>,
}

impl Query for RegistersAt {
    type Answer = RegisterFile;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<RegisterFile, QueryError> {
        index.check_position(self.position)?;
        let thread = match self.thread {
            Some(thread) if usize::from(thread.0) >= index.threads().len() => {
                return Err(QueryError::NoThread(format!("#{}", thread.0)));
            }
            Some(thread) => thread,
            None => index.thread_at(self.position)?,
        };
        let mut registers = index.states(thread, index.shown_registers(thread), self.position, cancel)?;
        fill(index, (thread, self.position), &mut registers, cancel)?;
        Ok(RegisterFile { thread, instruction_set: index.instruction_set(thread), registers })
    }
}

/// Some registers of a thread at a position. Cost: one step's text for each distinct last write of these alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegisterViewsAt {
    /// When.
    pub position: Position,
    /// Whose.
    pub thread: ThreadId,
    /// Which, each under the name that its answer bears.
    pub views: Vec<(String, RegisterView)>,
}

impl Query for RegisterViewsAt {
    type Answer = Vec<RegisterState>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<RegisterState>, QueryError> {
        index.check_position(self.position)?;
        let mut states = index.states(self.thread, self.views.clone(), self.position, cancel)?;
        fill(index, (self.thread, self.position), &mut states, cancel)?;
        Ok(states)
    }
}

impl<S: Source> Index<S> {
    /// What the trace tells of some registers: where only the operands of instructions do, their writers without values.
    fn states(
        &self,
        thread: ThreadId,
        named: Vec<(String, RegisterView)>,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Vec<RegisterState>, QueryError> {
        let mut reader = RegisterReader::new(self, thread, at);
        let has_writers = self.has_operands_alone() && self.check_operands(thread).is_ok();
        let views: Vec<_> = named.iter().map(|(_, view)| *view).filter(|_| has_writers).collect();
        let mut writers = self.last_uses(thread, &views, AccessKinds::Writes, at.0, cancel)?.into_iter();
        let state = |(name, view): (String, RegisterView)| {
            cancel.check()?;
            let state = reader.state(name, view)?;
            let Some(writer) = writers.next().flatten() else { return Ok(state) };
            let position = Position(writer.slot);
            Ok(RegisterState { written_at: Some(position), written_by: position.last_step(), ..state })
        };
        named.into_iter().map(state).collect()
    }

    /// The registers that the register file of a thread shows: those of its instruction set, then what else the trace named.
    pub(crate) fn shown_registers(&self, thread: ThreadId) -> Vec<(String, RegisterView)> {
        let mut shown = Registers::shown(self.instruction_set(thread));
        shown.extend(self.named_registers(thread));
        shown
    }

    /// The registers outside the architecture's table that the trace writes for a thread, by name: system registers and banks.
    pub fn named_registers(&self, thread: ThreadId) -> Vec<(String, RegisterView)> {
        let views = self.views_of(thread).iter().filter(|view| view.view.register >= RegisterId::FIRST_NAMED);
        let mut others: Vec<(String, RegisterView)> = Vec::new();
        for ViewContents { view, .. } in views {
            let place = usize::from(view.register.0 - RegisterId::FIRST_NAMED.0);
            let Some(name) = self.contents.register_names.get(place) else { continue };
            let end = view.offset.saturating_add(view.size_bytes);
            // The views of a register stand together.
            match others.last_mut().filter(|(_, known)| known.register == view.register) {
                Some((_, known)) => known.size_bytes = known.size_bytes.max(end),
                None => others.push((name.clone(), RegisterView::new(view.register, 0, end))),
            }
        }
        others.sort_unstable();
        others
    }

    /// The registers of SVE that the trace writes for a thread and the register file does not show in full:
    /// vectors of more than 16 bytes, and predicates. Each is as wide as the trace writes it.
    pub fn scalable_registers(&self, thread: ThreadId) -> Vec<(String, RegisterView)> {
        let set = self.instruction_set(thread);
        let tables = (RegisterId::V0.0..RegisterId::FIRST_NAMED.0).map(RegisterId);
        let whole = |id: RegisterId| RegisterView::new(id, 0, self.written_width(thread, id..RegisterId(id.0 + 1)));
        let is_shown = |view: &RegisterView| view.register < RegisterId::P0 && view.size_bytes <= 16;
        let views = tables.map(whole).filter(|view| view.size_bytes > 0 && !is_shown(view));
        views.filter_map(|view| Registers::name(view, set).map(|name| (name.to_owned(), view))).collect()
    }

    /// How many bytes of the widest of some registers the trace writes for a thread; 0 when it writes none.
    pub fn written_width(&self, thread: ThreadId, registers: Range<RegisterId>) -> u16 {
        let views = self.views_of(thread).iter().map(|known| known.view);
        let inside = views.filter(|view| registers.contains(&view.register));
        inside.map(|view| view.offset.saturating_add(view.size_bytes)).max().unwrap_or(0)
    }

    /// The views of a thread that the trace writes.
    pub(crate) fn views_of(&self, thread: ThreadId) -> &[ViewContents] {
        let views = &self.contents.views;
        let start = views.partition_point(|view| view.thread < thread.0);
        let end = views.partition_point(|view| view.thread <= thread.0);
        views.get(start..end).unwrap_or_default()
    }

    /// The views of a thread that share bytes with one.
    pub(crate) fn overlapping(&self, thread: ThreadId, view: RegisterView) -> impl Iterator<Item = &ViewContents> {
        let views = self.views_of(thread);
        let start = views.partition_point(|known| known.view.register < view.register);
        let same = views.get(start..).unwrap_or_default().iter();
        same.take_while(move |known| known.view.register == view.register)
            .filter(move |known| known.view.overlaps(view))
    }

    /// The last slot up to `last` that writes exactly this view.
    pub(crate) fn last_write_slot(&self, known: &ViewContents, last: u64) -> Result<Option<u64>, QueryError> {
        for number in known.segments.iter().rev() {
            let Some(segment) = self.segment(*number as usize) else { continue };
            let Some(bound) = (last + 1).checked_sub(segment.meta.step_base).filter(|bound| *bound > 0) else {
                continue;
            };
            let Some(list) = self.view_list(&segment, known)? else { continue };
            let found = list.last_below(u32::try_from(bound).unwrap_or(u32::MAX)).map_err(|_| bad_registers())?;
            if let Some(slot) = found {
                return Ok(Some(segment.meta.step_base + u64::from(slot)));
            }
        }
        Ok(None)
    }

    /// The first slot from `first` on that writes exactly this view.
    pub(crate) fn next_write_slot(&self, known: &ViewContents, first: u64) -> Result<Option<u64>, QueryError> {
        let segments = &self.contents.segments;
        let start = segments.partition_point(|segment| segment.step_base + u64::from(segment.steps) < first);
        let from = known.segments.partition_point(|number| (*number as usize) < start);
        for number in known.segments.get(from..).unwrap_or_default() {
            let Some(segment) = self.segment(*number as usize) else { continue };
            let Some(list) = self.view_list(&segment, known)? else { continue };
            let from = u32::try_from(first.saturating_sub(segment.meta.step_base)).unwrap_or(u32::MAX);
            if let Some(slot) = list.first_from(from).map_err(|_| bad_registers())? {
                return Ok(Some(segment.meta.step_base + u64::from(slot)));
            }
        }
        Ok(None)
    }

    fn view_list<'a>(
        &self,
        segment: &crate::store::segment::reader::SegmentReader<'a>,
        known: &ViewContents,
    ) -> Result<Option<crate::store::packed::List<'a>>, QueryError> {
        let Some(thread) = crate::read::slots::local_thread(segment, ThreadId(known.thread)) else { return Ok(None) };
        let place = known.view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let register = match place {
            None => known.view.register,
            Some(place) => {
                let Some(local) = segment.meta.named.iter().position(|name| *name == place) else { return Ok(None) };
                RegisterId(RegisterId::FIRST_NAMED.0 + u16::try_from(local).unwrap_or(u16::MAX))
            }
        };
        segment.list(thread, RegisterView { register, ..known.view })
    }
}

fn bad_registers() -> QueryError {
    crate::store::segment::reader::damaged(crate::store::segment::meta::Section::Registers)
}
