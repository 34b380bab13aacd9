//! Last writers of the bytes of a physical page ([`PhysicalDefinitionFinder`]), where slices of
//! physical memory begin. Each byte is found through any virtual page mapped there at that time.
//! From its writer on, the slice is of virtual memory: each step names its loads by the page that
//! it saw.

use std::ops::Range;

use stepback_machine::{Address, Endian};
use stepback_parsers::Position;

use crate::answers::cell::{AccessKinds, Cell, MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{SliceEndKind, SliceUse};
use crate::answers::step_record::{Access, AccessTarget, CellAccess, Doubt, Hit};
use crate::answers::value::{ByteState, ValueSource};
use crate::index::Index;
use crate::inference::overwrites::OverwriteReader;
use crate::query::access::{Accesses, NearestAccess};
use crate::query::access_search::{AccessQuery, OwnerFilter};
use crate::query::physical::{PhysicalAccessQuery, VirtualPart};
use crate::query::physical_memory::PhysicalMemoryAt;
use crate::query::question::Query as _;
use crate::query::slice::definers::{DefinitionQuery, FoundDefinitions, ReachingDefinitions};
use crate::query::slice::pieces::StatePiece;
use crate::read::slots::ThreadSlot;
use crate::store::granules::GRANULE_BITS;

impl ReachingDefinitions<'_> {
    /// Adds the definitions of bytes of physical memory that reach a position. Cost: the recorded
    /// translations are collected once, and there is a query for each access that is found.
    ///
    /// # Errors
    /// Fails if no virtual page is known that was ever mapped there; see [`QueryError`].
    pub(super) fn of_physical(
        &self,
        range: MemoryRange,
        at: Position,
        requested: &[SliceUse],
        finds: &mut FoundDefinitions<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let MemoryRange { address, len_bytes } = range;
        let states = PhysicalMemoryAt {
            position: at,
            address,
            len_bytes,
        }
        .run(self.index, cancel)?;
        let mut groups: Vec<(PhysicalByteWriter, u64, u64)> = Vec::new();
        let parts = VirtualPart::all(self.index, range, cancel)?;
        let mut next = address;
        for parts in parts.chunk_by(|one, next| one.within.physical() == next.within.physical()) {
            let Some(first) = parts.first().filter(|first| first.physical() == next) else {
                break;
            };
            next = Address(next.0.wrapping_add(first.range.len_bytes));
            let place =
                usize::try_from(first.physical().0.wrapping_sub(address.0)).unwrap_or(usize::MAX);
            let writers = PhysicalDefinitionFinder {
                index: self.index,
                parts,
                at,
                states: states.get(place..).unwrap_or_default(),
                cancel,
            };
            for found in writers.find()? {
                let (granule, bit) = (
                    found.address.0 >> GRANULE_BITS,
                    1u64 << (found.address.0 & 63),
                );
                match groups
                    .last_mut()
                    .filter(|(known, of, _)| (*known, *of) == (found.from, granule))
                {
                    Some((_, _, mask)) => *mask |= bit,
                    None => groups.push((found.from, granule, bit)),
                }
            }
        }
        if next.0.wrapping_sub(address.0) < states.len() as u64 {
            let format = self.index.contents.traits.format.clone();
            return Err(QueryError::NotRecorded {
                format,
                what: "which virtual page lies at this physical address",
            });
        }
        for (from, granule, mask) in groups {
            let piece = StatePiece::Memory { granule, mask };
            let wish = |thread, doubt| DefinitionQuery {
                thread,
                piece: piece.clone(),
                wanted_by: requested.to_vec(),
                doubt,
            };
            match from {
                PhysicalByteWriter::Nobody(end) => finds.end(&wish(ThreadId(0), None), &piece, end),
                PhysicalByteWriter::Step {
                    slot,
                    thread,
                    doubt,
                } => self.written_in(wish(thread, doubt), slot, finds, cancel)?,
            }
        }
        Ok(())
    }
}

/// Last writer of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhysicalByteWriter {
    /// A step, with the slot of its write.
    Step {
        slot: u64,
        thread: ThreadId,
        doubt: Option<Doubt>,
    },
    /// No step.
    Nobody(SliceEndKind),
}

/// A byte by the virtual address under which it was written, or is mapped.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhysicalDefinition {
    pub from: PhysicalByteWriter,
    pub address: Address,
}

/// Finds the last writers of bytes of a physical page. The last write of several bytes is the last
/// one of each that it covers, so there is a query for each write that is found, and not for each
/// byte.
pub(super) struct PhysicalDefinitionFinder<'w> {
    pub index: &'w Index,
    /// All virtual parts that these bytes ever were; at least one.
    pub parts: &'w [VirtualPart],
    pub at: Position,
    /// Values of the bytes, and of later ones.
    pub states: &'w [ByteState],
    pub cancel: &'w Cancel,
}

impl PhysicalDefinitionFinder<'_> {
    /// Returns the last writer of each byte, by its physical address.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn find(&self) -> Result<Vec<PhysicalDefinition>, QueryError> {
        let Some(first) = self.parts.first() else {
            return Ok(Vec::new());
        };
        let mut found: Vec<Option<PhysicalDefinition>> = self
            .states
            .iter()
            .map(|_| None)
            .take(first.range.len_bytes as usize)
            .collect();
        let mut open = runs_by_granule(first.physical(), found.len());
        while let Some(run) = open.pop() {
            self.cancel.check()?;
            let is_byte = run.len() == 1;
            match self.last_write(&run)? {
                Some(CellAccess::Step(hit)) if self.take(&hit, run.clone(), &mut found)? => {
                    open.extend(runs_without(&found, run));
                }
                Some(CellAccess::Step(_)) if is_byte => return Err(QueryError::TraceChanged),
                Some(CellAccess::Initial(line)) if is_byte => {
                    self.end(run, &mut found, |_| SliceEndKind::Initial {
                        line: Some(line),
                    });
                }
                // A line before the first step does not show which of the bytes it states.
                Some(_) => {
                    let middle = run.start + run.len() / 2;
                    open.extend([run.start..middle, middle..run.end]);
                }
                None => self.end(run, &mut found, |state| match state.source {
                    ValueSource::Inferred if state.seen_at.is_none() => SliceEndKind::Image,
                    _ => SliceEndKind::Initial { line: None },
                }),
            }
        }
        found
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .ok_or(QueryError::TraceChanged)
    }

    /// Returns the last write of some of the bytes.
    fn last_write(&self, run: &Range<usize>) -> Result<Option<CellAccess>, QueryError> {
        let (after, len_bytes) = (run.start as u64, run.len() as u64);
        let Some(first) = self.parts.first() else {
            return Ok(None);
        };
        let cell = Cell::Physical {
            address: Address(first.physical().0.wrapping_add(after)),
            len_bytes,
        };
        let (index, kinds, cancel) = (self.index, AccessKinds::Writes, self.cancel);
        let requested = AccessQuery {
            index,
            cell,
            homes: None,
            kinds,
            owners: OwnerFilter::Any,
            thread: None,
            memory: None,
            within: None,
            cancel,
        };
        let parts = self
            .parts
            .iter()
            .map(|part| part.some(after, len_bytes))
            .collect();
        let question = Accesses {
            nearest: NearestAccess::last(cell, kinds, self.at),
            thread: None,
            skip: 0,
            limit: 1,
        };
        let last = PhysicalAccessQuery::among(&requested, parts).nearest(&question)?;
        Ok(last.and_then(|last| last.accesses.into_iter().next()))
    }

    /// Takes the bytes of a run that an access wrote; returns false if there are none.
    fn take(
        &self,
        hit: &Hit,
        run: Range<usize>,
        found: &mut [Option<PhysicalDefinition>],
    ) -> Result<bool, QueryError> {
        let mut from = None;
        for place in run {
            let addresses = self
                .parts
                .iter()
                .map(|part| part.some(place as u64, 1).range.address);
            let stored = addresses
                .filter_map(|address| Some((address, self.stored_at(hit, address)?)))
                .next();
            let Some((address, stored)) = stored else {
                continue;
            };
            let from = match from {
                Some(from) => from,
                None => *from.insert(self.step_of(hit)?),
            };
            let seen_by = self
                .states
                .get(place)
                .and_then(|state| seen_later(*state, hit, stored));
            if let Some(byte) = found.get_mut(place) {
                *byte = Some(PhysicalDefinition {
                    from: seen_by.map_or(from, PhysicalByteWriter::Nobody),
                    address,
                });
            }
        }
        Ok(from.is_some())
    }

    fn step_of(&self, hit: &Hit) -> Result<PhysicalByteWriter, QueryError> {
        let (slot, thread) = (hit.position.0, hit.record.thread);
        let doubt = match self.index.contents.markers.is_empty() {
            true => None,
            false => {
                let reader = OverwriteReader::new(self.index, None);
                reader.overtaken(ThreadSlot { thread, slot }, self.at, self.cancel)?
            }
        };
        Ok(PhysicalByteWriter::Step {
            slot,
            thread,
            doubt: hit.doubt.or(doubt),
        })
    }

    /// Ends bytes that no step wrote, at their addresses in the first virtual page.
    fn end(
        &self,
        run: Range<usize>,
        found: &mut [Option<PhysicalDefinition>],
        end: impl Fn(&ByteState) -> SliceEndKind,
    ) {
        for place in run {
            let part = self.parts.first().map(|part| part.some(place as u64, 1));
            if let (Some(part), Some(state), Some(byte)) =
                (part, self.states.get(place), found.get_mut(place))
            {
                *byte = Some(PhysicalDefinition {
                    from: PhysicalByteWriter::Nobody(end(state)),
                    address: part.range.address,
                });
            }
        }
    }

    /// Returns the byte that an access put at a virtual address, with its value if known; none if
    /// it did not write there.
    fn stored_at(&self, hit: &Hit, byte: Address) -> Option<Option<u8>> {
        let Access {
            target:
                AccessTarget::Memory {
                    address,
                    size_bytes,
                },
            value,
            ..
        } = hit.access.as_ref()?
        else {
            return None;
        };
        let place = byte
            .0
            .checked_sub(address.0)
            .filter(|place| place < size_bytes)?;
        let place = match self.index.contents.traits.endian {
            Endian::Little => place,
            Endian::Big => size_bytes - 1 - place,
        };
        Some(value.0.get(usize::try_from(place).ok()?).copied().flatten())
    }
}

/// Returns an end if a later load found another value than the stored one.
fn seen_later(state: ByteState, hit: &Hit, stored: Option<u8>) -> Option<SliceEndKind> {
    let is_other = stored
        .zip(state.value)
        .is_some_and(|(stored, found)| stored != found);
    let seen_at = state
        .seen_at
        .filter(|seen_at| is_other && *seen_at > hit.position)?;
    Some(SliceEndKind::External {
        seen_by: seen_at.last_step(),
    })
}

/// Splits `len` bytes at an address by their blocks: lists of accesses are per block.
fn runs_by_granule(first: Address, len: usize) -> Vec<Range<usize>> {
    let granule = |place: &usize| first.0.wrapping_add(*place as u64) >> GRANULE_BITS;
    let places: Vec<usize> = (0..len).collect();
    let runs = places.chunk_by(|one, next| granule(one) == granule(next));
    runs.filter_map(|run| Some(*run.first()?..*run.last()? + 1))
        .collect()
}

/// Returns the runs of a range that are not found yet.
fn runs_without(found: &[Option<PhysicalDefinition>], run: Range<usize>) -> Vec<Range<usize>> {
    let open: Vec<usize> = run
        .filter(|place| found.get(*place).is_some_and(Option::is_none))
        .collect();
    let runs = open.chunk_by(|one, next| one + 1 == *next);
    runs.filter_map(|run| Some(*run.first()?..*run.last()? + 1))
        .collect()
}
