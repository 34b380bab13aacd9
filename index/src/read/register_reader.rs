//! Reads registers at one position.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use stepback_machine::banks::ExecutionState;
use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::register_file::RegisterState;
use crate::answers::value::{Value, ValueSource};
use crate::index::Index;
use crate::index::homes::{Homes, WriteCertainty};
use crate::read::banks::OpenWrites;
use crate::read::last_lead::LastProgramCounter;
use crate::read::records;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};
use crate::read::write_lists::WriteLists;

/// Reads the registers of one register file; many were last written by the same steps, which are
/// read once.
pub(crate) struct RegisterReader<'a> {
    pub(crate) index: &'a Index,
    pub(crate) thread: ThreadId,
    pub(crate) at: Position,
    /// Events of the slots that were read.
    events: HashMap<u64, Vec<SlotEvent>>,
    /// Slots with resolved registers in their events.
    stated: HashSet<u64>,
    /// State at the position, once it was needed.
    pub(crate) state: Option<Option<ExecutionState>>,
}

impl<'a> RegisterReader<'a> {
    pub(crate) fn new(index: &'a Index, thread: ThreadId, at: Position) -> Self {
        Self {
            index,
            thread,
            at,
            events: HashMap::new(),
            stated: HashSet::new(),
            state: None,
        }
    }

    /// Returns the recorded state of a register.
    pub(crate) fn state(
        &mut self,
        name: String,
        view: RegisterView,
    ) -> Result<RegisterState, QueryError> {
        let search = self.search(view)?;
        self.found(name, search)
    }

    /// Returns the recorded states of several registers, in their order. Cost: slots that are close
    /// together are read at once.
    pub(crate) fn states(
        &mut self,
        named: Vec<(String, RegisterView)>,
        cancel: &Cancel,
    ) -> Result<Vec<RegisterState>, QueryError> {
        cancel.check()?;
        let searches = named
            .into_iter()
            .map(|(name, view)| Ok((name, self.search(view)?)));
        let searches = searches.collect::<Result<Vec<_>, QueryError>>()?;
        let mut newest: Vec<u64> = searches
            .iter()
            .filter_map(|(_, search)| search.lists.newest())
            .collect();
        newest.sort_unstable();
        newest.dedup();
        self.read_ahead(&newest)?;
        let found = |(name, search)| {
            cancel.check()?;
            self.found(name, search)
        };
        searches.into_iter().map(found).collect()
    }

    /// Reads the events of some ascending slots in advance, if that is cheaper than one by one:
    /// text can be read at any offset, packed data only from the start of a block.
    fn read_ahead(&mut self, slots: &[u64]) -> Result<(), QueryError> {
        if self.index.source().is_text() {
            return Ok(());
        }
        let open: Vec<u64> = slots
            .iter()
            .copied()
            .filter(|slot| !self.events.contains_key(slot))
            .collect();
        for near in open.chunk_by(|one, next| next - one < BLOCK_SLOTS) {
            let mut read: HashMap<u64, Vec<SlotEvent>> =
                near.iter().map(|slot| (*slot, Vec::new())).collect();
            for event in SlotReader(self.index).events_of(near)? {
                if event.thread == self.thread
                    && !matches!(event.kind, SlotEventKind::Access { .. })
                    && let Some(events) = read.get_mut(&event.slot)
                {
                    events.push(event);
                }
            }
            // A failed read must not leave an empty list.
            self.events.extend(read);
        }
        Ok(())
    }

    fn search(&mut self, view: RegisterView) -> Result<RegisterSearch<'a>, QueryError> {
        let homes = self.homes(view)?;
        let mut lists = WriteLists::of(self.index, self.thread, &homes, self.at)?;
        if let Some(low) = self.clearing(view) {
            lists.add_exactly(low)?;
        }
        Ok(RegisterSearch { view, homes, lists })
    }

    fn found(
        &mut self,
        name: String,
        search: RegisterSearch<'a>,
    ) -> Result<RegisterState, QueryError> {
        let RegisterSearch {
            view,
            homes,
            mut lists,
        } = search;
        if view.register == RegisterId::PC
            && let Some(pc) = self.program_counter(&name, view)?
        {
            return Ok(pc);
        }
        let mut newest = None;
        // `None` until the last write of a byte is found; the inner `None` if the trace does not
        // contain the value.
        let mut bytes: Vec<Option<Option<u8>>> = vec![None; usize::from(view.size_bytes)];
        let mut looked_at = 0;
        while bytes.contains(&None)
            && let Some(slot) = lists.next()?
        {
            if self.fill(slot, &homes, &mut bytes)? {
                newest = newest.or(Some(slot));
            }
            looked_at += 1;
            if looked_at == OPEN_WRITES {
                bytes
                    .iter_mut()
                    .for_each(|byte| _ = byte.get_or_insert(None));
            }
        }
        let value = Value(bytes.into_iter().map(Option::flatten).collect());
        let source = if value.is_unknown() {
            ValueSource::Unknown
        } else {
            ValueSource::Recorded
        };
        let written_by = match newest {
            Some(slot) => SlotReader(self.index).owner(self.thread, slot)?,
            None => None,
        };
        Ok(RegisterState {
            name,
            view,
            value,
            source,
            written_at: newest.map(Position),
            written_by,
            reason: None,
        })
    }

    /// Returns the part of a vector register whose write clears the rest, if a view reaches beyond
    /// it: a write of a V, Q, D or S register clears the rest of Z (DDI 0487, C1.2.6).
    pub(crate) fn clearing(&self, view: RegisterView) -> Option<RegisterView> {
        let is_vector = (RegisterId::V0..RegisterId::P0).contains(&view.register);
        let is_wider = view.offset.saturating_add(view.size_bytes) > SIMD_BYTES;
        let has_states = self.index.instruction_set(self.thread).has_states();
        (is_vector && is_wider && has_states)
            .then(|| RegisterView::new(view.register, 0, SIMD_BYTES))
    }

    /// Fills open bytes from a slot: its last write of each byte. Returns false if it writes none.
    fn fill(
        &mut self,
        slot: u64,
        homes: &Homes,
        bytes: &mut [Option<Option<u8>>],
    ) -> Result<bool, QueryError> {
        let mut is_written = false;
        let Some(first) = homes.lists().next().map(|view| usize::from(view.offset)) else {
            return Ok(is_written);
        };
        let clearing = homes.lists().next().and_then(|view| self.clearing(view));
        for event in self.resolved_events(slot, homes)?.iter().rev() {
            let SlotEventKind::Register {
                bytes: value, view, ..
            } = &event.kind
            else {
                continue;
            };
            if clearing == Some(*view) {
                is_written = true;
                let beyond = bytes
                    .iter_mut()
                    .skip(usize::from(SIMD_BYTES).saturating_sub(first));
                beyond.for_each(|byte| _ = byte.get_or_insert(Some(0)));
            }
            let Some(written) = event.home() else {
                continue;
            };
            let Some(certainty) = homes.written(written) else {
                continue;
            };
            is_written = true;
            let value = value.as_ref().filter(|_| certainty == WriteCertainty::Sure);
            for (place, byte) in bytes
                .iter_mut()
                .enumerate()
                .filter(|(_, byte)| byte.is_none())
            {
                let offset = (first + place).checked_sub(usize::from(written.offset));
                let Some(offset) =
                    offset.filter(|offset| *offset < usize::from(written.size_bytes))
                else {
                    continue;
                };
                *byte = Some(value.and_then(|value| value.get(offset)).copied());
            }
        }
        Ok(is_written)
    }

    /// Returns the thread's events of a slot, with the registers of some views resolved if
    /// possible.
    fn resolved_events(&mut self, slot: u64, homes: &Homes) -> Result<&[SlotEvent], QueryError> {
        self.events_of(slot)?;
        if !self.stated.contains(&slot)
            && let Some(mut open) = OpenWrites::of(self.index, self.thread, homes, slot)?
        {
            self.stated.insert(slot);
            self.events
                .get_mut(&slot)
                .into_iter()
                .flatten()
                .for_each(|event| open.tell(event));
        }
        self.events_of(slot)
    }

    /// Returns the thread's events of a slot, without accesses to memory.
    pub(crate) fn events_of(&mut self, slot: u64) -> Result<&[SlotEvent], QueryError> {
        match self.events.entry(slot) {
            Entry::Occupied(place) => Ok(place.into_mut()),
            Entry::Vacant(place) => {
                let mut events = Vec::new();
                SlotReader(self.index).each_event(slot..slot.saturating_add(1), |event| {
                    // A step may access memory a million times.
                    let is_access = matches!(event.kind, SlotEventKind::Access { .. });
                    if event.slot == slot && event.thread == self.thread && !is_access {
                        events.push(event);
                    }
                    Ok(())
                })?;
                Ok(place.insert(events))
            }
        }
    }

    /// Returns the program counter: the address of the thread's next step, regardless of writes to
    /// it in the trace; without a next step, the target of its last one. None if the written value
    /// applies.
    fn program_counter(
        &self,
        name: &str,
        view: RegisterView,
    ) -> Result<Option<RegisterState>, QueryError> {
        let lead = match SlotReader(self.index).next_step_of(self.thread, self.at)? {
            Some(step) => LastProgramCounter::To(
                records::pc_of(self.index, step)?.ok_or(QueryError::TraceChanged)?,
            ),
            None => self.last_program_counter()?,
        };
        let (bytes, source) = match lead {
            LastProgramCounter::Written => return Ok(None),
            LastProgramCounter::To(pc) => (pc.0.to_le_bytes().map(Some), ValueSource::Inferred),
            LastProgramCounter::Open => ([None; 8], ValueSource::Unknown),
        };
        let value = Value(
            bytes
                .into_iter()
                .take(usize::from(view.size_bytes))
                .collect(),
        );
        let name = name.to_owned();
        Ok(Some(RegisterState {
            name,
            view,
            value,
            source,
            written_at: None,
            written_by: None,
            reason: None,
        }))
    }
}

/// Search for one register's value.
struct RegisterSearch<'a> {
    view: RegisterView,
    homes: Homes,
    lists: WriteLists<'a>,
}

/// Distance of slots below which they are read at once, with all between them.
const BLOCK_SLOTS: u64 = 128;

/// Width of a vector register without SVE.
const SIMD_BYTES: u16 = 16;

/// Maximum number of slots read when some may write another register; bytes still open then count
/// as unknown.
const OPEN_WRITES: usize = 1024;
