//! Search for a byte sequence, spread over any number of accesses.

use std::ops::Range;

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{MemoryAccess, Position};

use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Hit;
use crate::index::Index;
use crate::query::memory::MemoryAt;
use crate::query::question::Query;
use crate::query::search::run::{Find, SearchTarget, slots_where};
use crate::read::contradictions::Contradictions;
use crate::read::records::{self, FoundAccess};
use crate::read::slots::{SlotEventKind, SlotReader};

/// Maximum length of a searched byte sequence.
pub const SOUGHT_BYTES: usize = 4096;

/// Finds accesses of memory that holds a byte sequence right after them: stores to any of its
/// bytes, loads of the first. Bytes that are copied one by one are thus found at the store that
/// completes them.
///
/// Cost: the trace is parsed once on all cores, and memory is looked up around each access that
/// fits by itself.
///
/// Nothing is found for an empty sequence, or one longer than [`SOUGHT_BYTES`].
pub type FindBytes = Find<Vec<u8>>;

/// Bytes of memory that an access states.
struct AccessedBytes<'a> {
    kind: AccessKind,
    address: Address,
    bytes: &'a [u8],
}

impl AccessedBytes<'_> {
    /// Returns true if it states the byte at an address.
    fn has(&self, address: u64) -> bool {
        address
            .checked_sub(self.address.0)
            .is_some_and(|place| place < self.bytes.len() as u64)
    }

    /// Iterates over the possible start addresses of a sequence that agree with the access.
    fn starts<'s>(&'s self, wanted: &'s [u8]) -> impl Iterator<Item = Address> + use<'s> {
        let length = if wanted.len() > SOUGHT_BYTES {
            0
        } else {
            wanted.len()
        };
        // Starts before the access, then those inside it.
        let before = (1..length).filter(move |skip| {
            let agrees = wanted
                .iter()
                .skip(*skip)
                .zip(self.bytes)
                .all(|(wanted, byte)| wanted == byte);
            self.kind == AccessKind::Write && agrees
        });
        let within = (0..self.bytes.len()).filter(move |place| {
            length > 0
                && wanted
                    .iter()
                    .zip(self.bytes.iter().skip(*place))
                    .all(|(wanted, byte)| wanted == byte)
        });
        let first = self.address.0;
        let before = before.filter_map(move |skip| first.checked_sub(skip as u64));
        before
            .chain(within.filter_map(move |place| first.checked_add(place as u64)))
            .map(Address)
    }

    /// Returns true if a sequence is in memory around the access right after it. Cost: memory
    /// around it is looked up at most once.
    fn completes(
        &self,
        wanted: &[u8],
        index: &Index,
        at: Position,
        cancel: &Cancel,
    ) -> Result<bool, QueryError> {
        let length = wanted.len() as u64;
        let mut around = None;
        for start in self.starts(wanted) {
            let skip = start.0.checked_sub(self.address.0);
            if skip.is_some_and(|skip| skip.saturating_add(length) <= self.bytes.len() as u64) {
                return Ok(true);
            }
            let memory = self.surroundings(length - 1, at);
            let known = match around.take() {
                Some(known) => known,
                None => memory.run(index, cancel)?,
            };
            // The bytes of the access itself match already, regardless of other events in its slot.
            let fits = |(place, wanted): (u64, &u8)| {
                let Some(address) = start.0.checked_add(place) else {
                    return false;
                };
                let place = address.checked_sub(memory.address.0);
                let known = place.and_then(|place| known.get(usize::try_from(place).ok()?)?.value);
                self.has(address) || known == Some(*wanted)
            };
            if (0..).zip(wanted).all(fits) {
                return Ok(true);
            }
            around = Some(known);
        }
        Ok(false)
    }

    /// Returns the query for the memory that begins `reach` bytes before the access and ends
    /// `reach` bytes after it.
    fn surroundings(&self, reach: u64, position: Position) -> MemoryAt {
        let first = self.address.0.saturating_sub(reach);
        // The end of the last byte of the address space is no number.
        let last = self
            .address
            .0
            .saturating_add((self.bytes.len() as u64).saturating_sub(1))
            .saturating_add(reach);
        MemoryAt {
            position,
            address: Address(first),
            len_bytes: (last - first).saturating_add(1),
        }
    }
}

impl SearchTarget for Vec<u8> {
    type InText = ();

    fn in_text(&self) {}

    fn slots(
        &self,
        _in_text: &(),
        index: &Index,
        range: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Vec<u64>, QueryError> {
        let is_access = |access: &MemoryAccess| {
            let Some(bytes) = &access.bytes else {
                return false;
            };
            let bytes = bytes.get(..usize::from(access.size_bytes)).unwrap_or(bytes);
            let access = AccessedBytes {
                kind: access.kind,
                address: access.address,
                bytes,
            };
            access.starts(self).next().is_some()
        };
        slots_where(index, range, cancel, is_access, |_| false)
    }

    fn hits(
        find: &FindBytes,
        index: &Index,
        slots: &[u64],
        cancel: &Cancel,
    ) -> Result<Vec<Hit>, QueryError> {
        let mut found = Vec::new();
        for slot in slots.iter().copied() {
            cancel.check()?;
            let events = SlotReader(index).events(slot..slot.saturating_add(1))?;
            let contradictions = Contradictions::of(index, &events)?;
            for event in events.iter().filter(|event| event.slot == slot) {
                let SlotEventKind::Access {
                    kind,
                    address,
                    size_bytes,
                    bytes: Some(bytes),
                } = &event.kind
                else {
                    continue;
                };
                let bytes = bytes.get(..usize::from(*size_bytes)).unwrap_or(bytes);
                let piece = AccessedBytes {
                    kind: *kind,
                    address: *address,
                    bytes,
                };
                if find.thread.is_some_and(|wanted| wanted != event.thread)
                    || !piece.completes(&find.what, index, Position(slot), cancel)?
                {
                    continue;
                }
                let access = records::access_of(index, event, &contradictions);
                if let Some(step) = SlotReader(index).owner(event.thread, slot)? {
                    found.push(FoundAccess {
                        step,
                        position: Position(slot),
                        access,
                    });
                }
            }
        }
        records::hits(index, found)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::build_index::BuildOptions;
    use crate::builder::build_index::index_in_memory;

    /// The word "gdb" byte by byte, then read as a whole; at the end it begins once more in the
    /// word after it.
    const TRACE: &str = "1 clk IT (1) 00001000 39000001 A svc : STRB w1,[x0]\n1 clk MW1 00005000 67\n\
                         2 clk IT (2) 00001004 39000001 A svc : STRB w1,[x0]\n2 clk MW1 00005001 64\n\
                         3 clk IT (3) 00001008 39000001 A svc : STRB w1,[x0]\n3 clk MW1 00005002 62\n\
                         4 clk IT (4) 0000100c 39000001 A svc : STRB w1,[x0]\n4 clk MW1 00005003 67\n\
                         5 clk IT (5) 00001010 b9400001 A svc : LDR w1,[x0]\n5 clk MR4 00005000 67626467\n\
                         6 clk IT (6) 00001014 b9000001 A svc : STR w1,[x0]\n6 clk MW4 00005004 00006264\n";

    #[track_caller]
    fn check(bytes: &[u8], expected: &[(AccessKind, u64)]) {
        check_in(TRACE, bytes, expected);
    }

    #[track_caller]
    fn check_in(trace: &str, bytes: &[u8], expected: &[(AccessKind, u64)]) {
        let text = trace.as_bytes().to_vec();
        let tarmac = Tarmac::open(Box::new(text), Default::default()).unwrap();
        let index = index_in_memory(Arc::new(tarmac), &BuildOptions::default()).unwrap();
        let question = FindBytes {
            what: bytes.to_vec(),
            thread: None,
            from: Position(0),
            limit: 99,
        };
        let hits = question.run(&index, &Cancel::default()).unwrap();
        let found: Vec<_> = hits
            .iter()
            .filter_map(|hit| Some((hit.access.as_ref()?.kind, hit.position.0)))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_last_byte_of_the_address_space_is_searched_too() {
        let trace = "1 clk IT (1) 00001000 39000001 A svc : STRB w1,[x0]\n\
                     1 clk MW1 ffffffffffffffff 62\n\
                     2 clk IT (2) 00001004 39000001 A svc : STRB w1,[x0]\n\
                     2 clk MW1 fffffffffffffffe 61\n";
        check_in(trace, b"ab", &[(AccessKind::Write, 2)]);
    }

    #[test]
    fn bytes_are_found_where_the_last_of_them_is_written_and_the_first_is_read() {
        check(
            b"gdb",
            &[
                (AccessKind::Write, 3),
                (AccessKind::Read, 5),
                (AccessKind::Write, 6),
            ],
        );
        check(
            b"db",
            &[
                (AccessKind::Write, 3),
                (AccessKind::Read, 5),
                (AccessKind::Write, 6),
            ],
        );
        check(b"gdbgdb", &[(AccessKind::Write, 6)]);
        check(b"gdc", &[]);
        check(b"", &[]);
        check(&[0; SOUGHT_BYTES + 1], &[]);
    }
}
