//! Takes the rows of a slice as they arrive and assigns a role to each.
//!
//! A step has its own line, or it belongs to another's: as a copy, as part of an expression or as
//! an adjacent store.

use std::collections::{HashMap, HashSet};

use stepback_index::answer::{Edge, SliceCell, SliceDefinition, SliceEnd, SliceRow, SliceStep};
use stepback_index::{Cancel, QueryError};
use stepback_machine::RegisterView;
use stepback_machine::semantics::Expression;
use stepback_parsers::Step;

use super::frames::Frames;
use super::row::{ReadRow, RowId, SliceRowRole};
use crate::analysis::slice::formula::NamedOperation;
use crate::analysis::slice::frames::Callers;
use crate::analysis::slice::row::{CopyKind, bits_of, effect_on};

/// The rows of a slice taken until now. Memory: a few hundred bytes per row.
#[derive(Clone, Debug, Default)]
pub struct SliceReading {
    rows: Vec<ReadRow>,
    by_step: HashMap<Step, RowId>,
    ends: Vec<SliceEnd>,
    pub(super) callers: Callers,
    /// The last store that adjacent stores may join.
    last_store: Option<RowId>,
}

/// Maximum number of operators per expression; a larger one is split into two lines.
const OPERATORS: u32 = 8;

/// Maximum number of rows in a line for which adjacent stores are looked up.
const BESIDE: usize = 256;

/// Maximum number of rows followed to see whether a saved value is restored.
const DETOUR: usize = 32;

impl SliceReading {
    /// Returns the number of steps taken.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true before the first row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.ends.is_empty()
    }

    /// Returns a step that was taken.
    pub fn row(&self, id: RowId) -> Option<&ReadRow> {
        self.rows.get(usize::try_from(id.0).ok()?)
    }

    fn row_mut(&mut self, id: RowId) -> Option<&mut ReadRow> {
        self.rows.get_mut(usize::try_from(id.0).ok()?)
    }

    /// Returns the row of a step.
    pub fn row_of(&self, step: Step) -> Option<RowId> {
        self.by_step.get(&step).copied()
    }

    /// Iterates over all rows, the newest first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = RowId> + use<> {
        (0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX)).map(RowId)
    }

    /// Returns the end of a chain by its index ([`ReadRow::ends`]).
    pub fn end(&self, number: usize) -> Option<&SliceEnd> {
        self.ends.get(number)
    }

    /// Iterates over the indices of the ends for the queried value itself: cells without a writer.
    pub fn queried_ends(&self) -> impl Iterator<Item = usize> + '_ {
        let is_queried = |end: &SliceEnd| end.wanted_by.iter().any(|wanted| wanted.step.is_none());
        self.ends
            .iter()
            .enumerate()
            .filter(move |(_, end)| is_queried(end))
            .map(|(number, _)| number)
    }

    /// Takes the next row of the walk. Cost: sometimes a query for the stack pointer.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn take(
        &mut self,
        row: SliceRow,
        frames: &mut Frames<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        match row {
            SliceRow::Step(step) => self.take_step(step, frames, cancel),
            SliceRow::End(end) => {
                self.take_end(end);
                Ok(())
            }
        }
    }

    /// Returns the row whose line includes a row, possibly itself; `None` for a copy of unknown
    /// origin.
    pub fn line_of(&self, mut id: RowId) -> Option<RowId> {
        loop {
            id = match self.row(id)?.role {
                SliceRowRole::Shown => return Some(id),
                SliceRowRole::Copied(link) => link?,
                SliceRowRole::Folded(into) => into,
                SliceRowRole::AdjacentStore(head) => head,
            };
        }
    }

    /// Returns the rows with lines that use the value of a line, through copies; each once, the
    /// nearest first.
    pub fn wanted_by(&self, id: RowId) -> Vec<RowId> {
        let mut found: Vec<RowId> = Vec::new();
        let Some(row) = self.row(id) else {
            return found;
        };
        let mut seen = HashSet::from([id]);
        let mut open: Vec<RowId> = row.consumers.clone();
        let beside = row.inside.iter().filter_map(|inside| self.row(*inside));
        let beside = beside.filter(|row| matches!(row.role, SliceRowRole::AdjacentStore(_)));
        open.extend(beside.flat_map(|row| row.consumers.iter().copied()));
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            let Some(row) = self.row(next) else { continue };
            match row.role {
                SliceRowRole::Copied(_) => open.extend(&row.consumers),
                _ => found.extend(self.line_of(next)),
            }
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|found| *found != id);
        found.reverse();
        found
    }

    fn take_step(
        &mut self,
        slice: SliceStep,
        frames: &mut Frames<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let Ok(number) = u32::try_from(self.rows.len()) else {
            return Ok(());
        };
        let id = RowId(number);
        let call = frames.call_of(slice.thread, slice.step);
        self.callers.add(call, frames);
        let wanted = slice
            .wanted_by
            .iter()
            .filter_map(|wanted| self.row_of(wanted.step?));
        let mut consumers: Vec<RowId> = wanted.collect();
        consumers.sort_unstable();
        consumers.dedup();
        self.by_step.insert(slice.step, id);
        let mut row = ReadRow {
            slice,
            call,
            role: SliceRowRole::Shown,
            consumers,
            inputs: Vec::new(),
            inside: Vec::new(),
            ends: Vec::new(),
            copies: CopyKind::default(),
            operators: 0,
        };
        row.copies = CopyKind::of(&row);
        row.operators = operators_of(&row);
        row.role = self.role_of(&row, frames, cancel)?;
        for consumer in row.consumers.clone() {
            if let Some(consumer) = self.row_mut(consumer) {
                consumer.inputs.push(id);
            }
        }
        self.note_role(id, &row);
        self.rows.push(row);
        self.find_idle_masks(id);
        self.find_detours(id);
        self.claim_copies(id);
        Ok(())
    }

    /// Adds a new row to the row whose line includes it.
    fn note_role(&mut self, id: RowId, row: &ReadRow) {
        let operators = row.operators;
        match row.role {
            SliceRowRole::Folded(into) => {
                if let Some(into) = self.row_mut(into) {
                    into.inside.push(id);
                    into.operators += operators;
                }
            }
            SliceRowRole::AdjacentStore(head) => {
                if let Some(head) = self.row_mut(head) {
                    head.inside.push(id);
                }
            }
            SliceRowRole::Shown if row.stored().is_some() => self.last_store = Some(id),
            _ => {}
        }
    }

    fn role_of(
        &self,
        row: &ReadRow,
        frames: &mut Frames<'_>,
        cancel: &Cancel,
    ) -> Result<SliceRowRole, QueryError> {
        if row.is_queried() || row.slice.doubt.is_some() {
            return Ok(SliceRowRole::Shown);
        }
        if row.copies == CopyKind::All && self.is_within_frame(row) && self.is_whole(row) {
            let is_inside = !row.is_accessing() || frames.is_on_own_stack(row, cancel)?;
            if is_inside {
                return Ok(SliceRowRole::Copied(None));
            }
        }
        if let Some(head) = self.beside(row) {
            return Ok(SliceRowRole::AdjacentStore(head));
        }
        Ok(self
            .folded_into(row)
            .map_or(SliceRowRole::Shown, SliceRowRole::Folded))
    }

    /// Returns true if all consumers of a row are in its own frame. A value that goes elsewhere
    /// deserves a line.
    fn is_within_frame(&self, row: &ReadRow) -> bool {
        let is_here =
            |known: &ReadRow| known.call == row.call && known.slice.thread == row.slice.thread;
        row.consumers
            .iter()
            .all(|id| self.row(*id).is_some_and(is_here))
    }

    /// Returns true unless the row stores only a part of the bytes that a consumer loads: then it
    /// does not pass a value on.
    fn is_whole(&self, row: &ReadRow) -> bool {
        let Some((_, stored)) = row.whole_store() else {
            return true;
        };
        let loaded_bytes = |known: &ReadRow| {
            let accesses = known
                .slice
                .detail
                .as_ref()
                .map(|sight| &sight.accesses[..])
                .unwrap_or_default();
            accesses
                .iter()
                .map(|access| u64::from(access.size_bytes))
                .max()
                .unwrap_or(0)
        };
        row.consumers
            .iter()
            .filter_map(|id| self.row(*id))
            .all(|known| loaded_bytes(known) <= stored)
    }

    /// Returns the store that an adjacent store for the same consumers and frame joins; not one of
    /// another loop iteration.
    fn beside(&self, row: &ReadRow) -> Option<RowId> {
        let (first, len) = row.stored()?;
        let head = self.last_store?;
        let known = self.row(head).filter(|known| known.inside.len() < BESIDE)?;
        let is_alike = known.call == row.call
            && known.slice.thread == row.slice.thread
            && known.consumers == row.consumers
            && known.is_queried() == row.is_queried();
        if !is_alike {
            return None;
        }
        let members =
            || std::iter::once(known).chain(known.inside.iter().filter_map(|id| self.row(*id)));
        let mut stores = members()
            .filter(|known| known.stored().is_some() && known.role != SliceRowRole::Folded(head));
        let mut places = stores.clone().filter_map(ReadRow::stored);
        let is_near = places.any(|(other, other_len)| {
            other.0.checked_add(other_len) == Some(first.0)
                || first.0.checked_add(len) == Some(other.0)
        });
        let pc = |row: &ReadRow| row.slice.detail.as_ref().map(|sight| sight.pc);
        let is_loop = stores.clone().all(|known| pc(known) == pc(row));
        let is_new_here = stores.all(|known| pc(known) != pc(row));
        (is_near && (is_loop || is_new_here)).then_some(head)
    }

    /// Returns the row whose expression includes a row's value: its only consumer, in the same
    /// frame.
    fn folded_into(&self, row: &ReadRow) -> Option<RowId> {
        let is_plain = |edge: Edge| matches!(edge, Edge::Copy | Edge::Data | Edge::Address);
        let is_value = row
            .slice
            .wanted_by
            .iter()
            .all(|wanted| is_plain(wanted.edge));
        if !is_value || row.is_accessing() || !is_stated(row) || !self.is_within_frame(row) {
            return None;
        }
        let [only] = row.consumers[..] else {
            return None;
        };
        let mut taker = self.row(only)?;
        let mut root = only;
        // Copies in between have no lines.
        while matches!(taker.role, SliceRowRole::Copied(_)) {
            let [only] = taker.consumers[..] else {
                return None;
            };
            (root, taker) = (only, self.row(only)?);
            if taker.call != row.call || taker.slice.thread != row.slice.thread {
                return None;
            }
        }
        // A value that is read twice gets a name instead of being written twice.
        if !is_stated(taker) || self.given_to(root, row) != 1 {
            return None;
        }
        if let SliceRowRole::Folded(into) = taker.role {
            root = into;
        }
        let known = self.row(root)?;
        (known.operators + row.operators <= OPERATORS).then_some(root)
    }

    /// Returns how often a row reads the value of another, directly or through copies.
    fn given_to(&self, taker: RowId, row: &ReadRow) -> usize {
        let Some(known) = self.row(taker) else {
            return 0;
        };
        let mut views: Vec<RegisterView> = registers_of(&row.slice.defines).collect();
        // The nearest copy passes the value on.
        let copies = known.inputs.iter().filter_map(|id| self.row(*id));
        let copies = copies.filter(|copy| matches!(copy.role, SliceRowRole::Copied(None)));
        let direct = row
            .slice
            .wanted_by
            .iter()
            .any(|wanted| wanted.step == Some(known.slice.step));
        if !direct {
            views = copies
                .flat_map(|copy| registers_of(&copy.slice.defines))
                .collect();
        }
        views.dedup();
        views
            .iter()
            .map(|view| reads_of(known, *view))
            .max()
            .unwrap_or(0)
    }

    /// Reclassifies masks and extensions as copies if they do not change the value of a new row.
    fn find_idle_masks(&mut self, id: RowId) {
        let Some(row) = self.row(id) else { return };
        let is_idle = |taker: &ReadRow| {
            let CopyKind::Within(bits) = taker.copies else {
                return false;
            };
            let is_only = taker.inputs == [id];
            let given = row
                .slice
                .defines
                .iter()
                .filter_map(|defined| match defined.cell {
                    SliceCell::Register { view, .. } => Some(bits_of(row.instruction()?, view)),
                    _ => None,
                });
            is_only
                && taker.role == SliceRowRole::Shown
                && !taker.is_queried()
                && given.max().is_some_and(|given| given <= bits)
        };
        let takers = row
            .consumers
            .iter()
            .filter(|id| self.row(**id).is_some_and(&is_idle));
        let idle: Vec<RowId> = takers.copied().collect();
        for id in idle {
            let is_plain = self.row(id).is_some_and(|row| {
                row.inside.is_empty()
                    && !row.is_accessing()
                    && row.slice.doubt.is_none()
                    && self.is_within_frame(row)
            });
            if let Some(row) = self.row_mut(id).filter(|_| is_plain) {
                row.role = SliceRowRole::Copied(None);
            }
        }
    }

    /// Reclassifies stores and loads in another frame as copies if they save a value and restore it
    /// to where it was.
    fn find_detours(&mut self, id: RowId) {
        let Some(row) = self.row(id) else { return };
        let home = (row.slice.thread, row.call);
        let is_away = |known: &ReadRow| {
            known.call != row.call && self.callers.is_inside(known.call, row.call)
        };
        let mut open: Vec<RowId> = row
            .consumers
            .iter()
            .copied()
            .filter(|id| self.row(*id).is_some_and(is_away))
            .collect();
        let mut path: Vec<RowId> = Vec::new();
        while let Some(next) = open.pop() {
            let Some(known) = self.row(next).filter(|_| path.len() < DETOUR) else {
                return;
            };
            if (known.slice.thread, known.call) == home {
                continue;
            }
            let is_copy =
                known.copies == CopyKind::All && !known.is_queried() && known.slice.doubt.is_none();
            let is_shown_store = known.role == SliceRowRole::Shown && known.stored().is_some();
            if !is_copy
                || is_shown_store
                || !matches!(known.role, SliceRowRole::Shown | SliceRowRole::Copied(_))
            {
                return;
            }
            path.push(next);
            open.extend(
                known
                    .consumers
                    .iter()
                    .filter(|id| !path.contains(id))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        for id in path {
            if let Some(row) = self
                .row_mut(id)
                .filter(|row| row.role == SliceRowRole::Shown)
            {
                row.role = SliceRowRole::Copied(None);
            }
        }
    }

    /// Assigns copies of a new row's value to its line.
    fn claim_copies(&mut self, id: RowId) {
        let Some(row) = self
            .row(id)
            .filter(|row| !matches!(row.role, SliceRowRole::Copied(_)))
        else {
            return;
        };
        let Some(line) = self.line_of(id) else { return };
        let mut open = row.consumers.clone();
        let mut claimed = Vec::new();
        while let Some(next) = open.pop() {
            let Some(row) = self
                .row_mut(next)
                .filter(|row| row.role == SliceRowRole::Copied(None))
            else {
                continue;
            };
            row.role = SliceRowRole::Copied(Some(line));
            open.extend(&row.consumers);
            claimed.push((next, std::mem::take(&mut row.ends)));
        }
        if let Some(line) = self.row_mut(line) {
            for (id, ends) in claimed {
                line.inside.push(id);
                line.ends.extend(ends);
            }
        }
    }

    fn take_end(&mut self, end: SliceEnd) {
        let number = self.ends.len();
        let mut takers: Vec<RowId> = end
            .wanted_by
            .iter()
            .filter_map(|wanted| self.row_of(wanted.step?))
            .collect();
        takers.dedup();
        // Without a controlling step, everything that ran may depend on it: report it once, at the
        // start of that.
        let is_control = end
            .wanted_by
            .iter()
            .all(|wanted| wanted.edge == Edge::Control)
            && !end.wanted_by.is_empty();
        self.ends.push(end);
        if is_control {
            let line = takers
                .first()
                .map(|first| self.line_of(*first).unwrap_or(*first));
            if let Some(row) = line.and_then(|line| self.row_mut(line)) {
                row.ends.push(number);
            }
            return;
        }
        // A copy at the end of a chain gets a line: nothing else represents it.
        for taker in takers {
            if let Some(row) = self
                .row_mut(taker)
                .filter(|row| row.role == SliceRowRole::Copied(None))
            {
                row.role = SliceRowRole::Shown;
                self.claim_copies(taker);
            }
            let line = self.line_of(taker).unwrap_or(taker);
            if let Some(row) = self
                .row_mut(line)
                .filter(|row| row.ends.last() != Some(&number))
            {
                row.ends.push(number);
            }
        }
    }
}

/// Returns true if an expression describes all that a row computes.
fn is_stated(row: &ReadRow) -> bool {
    let Some(instruction) = row.instruction() else {
        return false;
    };
    !row.slice.defines.is_empty()
        && row.slice.defines.iter().all(|defined| match defined.cell {
            SliceCell::Register { view, .. } => {
                let effect = effect_on(instruction, view);
                effect.is_some_and(|effect| effect.value != Expression::Unknown)
                    || NamedOperation::of(row, view).is_some()
            }
            SliceCell::Memory { .. } => {
                let mut stores = instruction.meaning.memory.iter();
                stores.any(|operand| operand.value != Expression::Unknown)
            }
            SliceCell::Flags { .. } => false,
        })
}

fn registers_of(defines: &[SliceDefinition]) -> impl Iterator<Item = RegisterView> + '_ {
    defines.iter().filter_map(|defined| match defined.cell {
        SliceCell::Register { view, .. } => Some(view),
        _ => None,
    })
}

/// Returns how often the expressions of a row read a part of a register.
fn reads_of(row: &ReadRow, view: RegisterView) -> usize {
    let Some(instruction) = row.instruction() else {
        return 0;
    };
    let made: usize = match row.stored() {
        Some(_) => instruction
            .meaning
            .memory
            .iter()
            .map(|operand| occurrences(&operand.value, view))
            .sum(),
        None => {
            let effects = registers_of(&row.slice.defines)
                .filter_map(|defined| effect_on(instruction, defined));
            let mut effects: Vec<&Expression> = effects.map(|effect| &effect.value).collect();
            effects.dedup();
            effects
                .into_iter()
                .map(|value| occurrences(value, view))
                .sum()
        }
    };
    let named =
        registers_of(&row.slice.defines).find_map(|defined| NamedOperation::of(row, defined));
    let addresses = instruction
        .meaning
        .memory
        .iter()
        .flat_map(|operand| operand.address_registers());
    made + named.map_or(0, |call| call.reads(view))
        + addresses.filter(|read| read.overlaps(view)).count()
}

fn occurrences(value: &Expression, view: RegisterView) -> usize {
    match value {
        Expression::Register(known) => usize::from(known.overlaps(view)),
        Expression::Binary(_, left, right) => occurrences(left, view) + occurrences(right, view),
        Expression::Extended { value, .. } => occurrences(value, view),
        _ => 0,
    }
}

/// Returns the number of operators of an instruction.
fn operators_of(row: &ReadRow) -> u32 {
    let Some(instruction) = row.instruction() else {
        return 0;
    };
    let writes = instruction
        .meaning
        .writes
        .iter()
        .map(|effect| &effect.value);
    let stores = instruction
        .meaning
        .memory
        .iter()
        .map(|operand| &operand.value);
    match row.stored() {
        Some(_) => stores.map(operators).sum(),
        None => writes
            .map(|value| operators(value).max(u32::from(*value == Expression::Unknown)))
            .sum(),
    }
}

fn operators(value: &Expression) -> u32 {
    match value {
        Expression::Binary(_, left, right) => 1 + operators(left) + operators(right),
        Expression::Extended { value, .. } => operators(value),
        _ => 0,
    }
}
