//! Memory by physical address, compared with machines that are simulated while the trace is
//! written.

use std::collections::BTreeMap;
use std::sync::Arc;

use stepback_generator::Dice;
use stepback_index::answer::{
    AccessKinds, Cell, CellAccess, Direction, EdgeKinds, SliceCell, SliceRow, ThreadId, ValueSource,
};
use stepback_index::oracle::{Oracle, Replay as _};
use stepback_index::query::{
    CountTranslations, MappingsAt, MemoryAt, NearestAccess, PhysicalMemoryAt, SliceQuery,
};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::Address;
use stepback_parsers::{Position, TraceFile};

use super::index_of_file;
use crate::support::rst_writer::{Flags, RstWriter};

const PAGE: u64 = 0x2000;
/// `ldx [ %o0 ], %l0` and `stx %g1, [ %o0 ]`
const LOAD: u32 = 0xe05a_2000;
const STORE: u32 = 0xc272_2000;
/// `rd %tick, %g1`: makes the stored value unpredictable.
const UNKNOWN: u32 = 0x8341_0000;
const NOP: u32 = 0x0100_0000;

/// A trace of loads and stores by several processors, and their effects on the machine's memory.
#[derive(Default)]
struct Machine {
    bytes: Vec<u8>,
    pcs: BTreeMap<u8, u64>,
    /// By processor: context, page and difference of its last access.
    last: BTreeMap<u8, Place>,
    /// Content of memory.
    memory: BTreeMap<u64, u8>,
    steps: u64,
    done: Vec<Done>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    context: u16,
    page: u64,
    physical: u64,
}

/// A load or store of eight bytes.
#[derive(Clone, Copy)]
struct Wanted {
    cpu: u8,
    place: Place,
    offset: u64,
    /// None for a load.
    store: Option<u64>,
    /// True if the trace records the value.
    is_stated: bool,
}

/// A completed access.
#[derive(Clone, Debug)]
struct Done {
    step: u64,
    physical: u64,
    is_store: bool,
    /// None if the trace does not record it.
    stated: Option<u64>,
    /// The eight bytes after it.
    value: u64,
}

impl Machine {
    fn new() -> Self {
        Self {
            bytes: RstWriter::new(8).into_bytes(),
            ..Self::default()
        }
    }

    /// Writes a record for a processor, from one written for the first.
    fn write(&mut self, cpu: u8, write: impl FnOnce(&mut RstWriter)) {
        let head = RstWriter::new(8).into_bytes().len();
        let mut writer = RstWriter::new(8);
        write(&mut writer);
        let mut record = writer.into_bytes().split_off(head);
        match record[0] {
            3 => record[2] |= cpu << 2,
            26 => record[2] = cpu,
            kind => panic!("no record of type {kind} is needed"),
        }
        self.bytes.extend(record);
    }

    fn difference(
        &mut self,
        cpu: u8,
        Place {
            context,
            page,
            physical,
        }: Place,
    ) {
        self.bytes.extend([19, 0x80 | cpu, 0, 0]);
        [0, context]
            .iter()
            .for_each(|context| self.bytes.extend(context.to_be_bytes()));
        [0x4000_0000, physical.wrapping_sub(page)]
            .iter()
            .for_each(|side| self.bytes.extend(side.to_be_bytes()));
    }

    fn instruction(&mut self, cpu: u8, word: u32, ea: Option<u64>) {
        let pc = *self
            .pcs
            .entry(cpu)
            .and_modify(|pc| *pc += 4)
            .or_insert(0x1000);
        self.write(cpu, |writer| {
            writer.instruction(pc, word, ea, Flags::default())
        });
        self.steps += 1;
    }

    /// Performs a load or store of eight bytes. Records the difference if the place has changed.
    fn access(&mut self, wanted: Wanted) {
        let Wanted {
            cpu,
            place,
            offset,
            store,
            is_stated,
        } = wanted;
        let (ea, physical) = (place.page + offset, place.physical + offset);
        let before = (0..8).map(|byte| self.memory.get(&(physical + byte)).copied().unwrap_or(0));
        let value =
            store.unwrap_or_else(|| before.fold(0, |value, byte| value << 8 | u64::from(byte)));
        for (byte, number) in value.to_be_bytes().into_iter().zip(physical..) {
            self.memory.insert(number, byte);
        }
        if store.is_some() {
            self.instruction(cpu, UNKNOWN, None);
        }
        if self.last.insert(cpu, place) != Some(place) {
            self.difference(cpu, place);
        }
        if store.is_none() && is_stated {
            self.write(cpu, |writer| writer.memory(ea, 8, value));
        }
        self.instruction(cpu, if store.is_some() { STORE } else { LOAD }, Some(ea));
        if store.is_some() && is_stated {
            self.write(cpu, |writer| writer.memory(ea, 8, value));
        }
        let step = self.steps - 1;
        self.done.push(Done {
            step,
            physical,
            is_store: store.is_some(),
            stated: is_stated.then_some(value),
            value,
        });
    }

    fn index(&self, segment_bytes: u64) -> Index {
        let file = TraceFile {
            name: "machine".to_owned(),
            data: Arc::new(self.bytes.clone()),
        };
        index_of_file(file, segment_bytes)
    }

    /// Returns the accesses of a byte, with their steps.
    fn of(&self, address: u64, kinds: AccessKinds) -> impl DoubleEndedIterator<Item = &Done> {
        let is_of = move |done: &Done| (done.physical..done.physical + 8).contains(&address);
        let is_kind = move |done: &Done| match kinds {
            AccessKinds::All => true,
            AccessKinds::Reads => !done.is_store,
            AccessKinds::Writes => done.is_store,
        };
        self.done
            .iter()
            .filter(move |done| is_of(done) && is_kind(done))
    }
}

fn last(index: &Index, address: u64, kinds: AccessKinds, before: u64) -> Option<CellAccess> {
    let cell = Cell::Physical {
        address: Address(address),
        len_bytes: 1,
    };
    NearestAccess::last(cell, kinds, Position(before))
        .run(index, &Cancel::default())
        .unwrap()
}

fn last_step(index: &Index, address: u64, kinds: AccessKinds, before: u64) -> Option<u64> {
    step_of(last(index, address, kinds, before))
}

fn step_of(answer: Option<CellAccess>) -> Option<u64> {
    let hit = answer.and_then(CellAccess::into_hit);
    hit.map(|hit| hit.record.step.0)
}

fn next_step(index: &Index, address: u64, kinds: AccessKinds, from: u64) -> Option<u64> {
    let cell = Cell::Physical {
        address: Address(address),
        len_bytes: 1,
    };
    let next = NearestAccess::next(cell, kinds, Position(from))
        .hit(index, &Cancel::default())
        .unwrap();
    next.map(|hit| hit.record.step.0)
}

fn memory(index: &Index, position: u64, address: u64) -> (Option<u8>, ValueSource) {
    let question = PhysicalMemoryAt {
        position: Position(position),
        address: Address(address),
        len_bytes: 1,
    };
    let byte = question.run(index, &Cancel::default()).unwrap()[0];
    (byte.value, byte.source)
}

/// Returns the step at which a slice of a byte begins.
fn sliced(index: &Index, position: u64, address: u64) -> Option<u64> {
    let cell = Cell::Physical {
        address: Address(address),
        len_bytes: 1,
    };
    let question = SliceQuery {
        direction: Direction::Back,
        cell,
        at: Position(position),
        edges: EdgeKinds::default(),
        limit: 1,
    };
    let rows = question.run(index, &Cancel::default()).unwrap_or_default();
    rows.iter().find_map(|row| match row {
        SliceRow::Step(step) => Some(step.step.0),
        SliceRow::End(_) => None,
    })
}

/// Returns the rows of a slice of memory.
fn rows(index: &Index, position: u64, address: u64, len_bytes: u64) -> Vec<SliceRow> {
    let cell = Cell::Physical {
        address: Address(address),
        len_bytes,
    };
    let question = SliceQuery {
        direction: Direction::Back,
        cell,
        at: Position(position),
        edges: EdgeKinds::default(),
        limit: 1000,
    };
    question.run(index, &Cancel::default()).unwrap()
}

/// Runs machines with a number of processors and random accesses.
fn random_machine(cpus: u64, mut dice: Dice) -> Machine {
    let mut machine = Machine::new();
    let mut mapped: BTreeMap<(u16, u64), u64> = BTreeMap::new();
    for _ in 0..300 {
        let (context, page) = (5 + dice.below(2) as u16, 0x10_0000 + PAGE * dice.below(3));
        if dice.below(12) == 0 {
            mapped.remove(&(context, page));
        }
        let physical = *mapped
            .entry((context, page))
            .or_insert_with(|| 0x70_0000 + PAGE * dice.below(3));
        let place = Place {
            context,
            page,
            physical,
        };
        let store = (dice.below(2) == 0).then(|| dice.below(u64::MAX));
        let (cpu, offset, is_stated) =
            (dice.below(cpus) as u8, 8 * dice.below(3), dice.below(6) > 0);
        machine.access(Wanted {
            cpu,
            place,
            offset,
            store,
            is_stated,
        });
    }
    machine
}

#[test]
fn physical_memory_is_what_was_stored_through_whichever_page() {
    for (seed, cpus) in [(1, 1), (2, 1), (3, 2), (4, 3)] {
        let machine = random_machine(cpus, Dice(seed));
        for segment_bytes in [16 * 37, 1 << 20] {
            let index = machine.index(segment_bytes);
            let oracle = Oracle::of(index.source().as_ref()).unwrap();
            let mut dice = Dice(seed + 100);
            for _ in 0..80 {
                let (position, address) = (
                    dice.below(machine.steps + 1),
                    0x70_0000 + PAGE * dice.below(3) + dice.below(24),
                );
                let place = format!("{address:#x} at {position} of {seed}");
                for kinds in [AccessKinds::All, AccessKinds::Reads, AccessKinds::Writes] {
                    let expected = machine
                        .of(address, kinds)
                        .rev()
                        .find(|done| done.step < position);
                    let expected = expected.map(|done| done.step);
                    assert_eq!(
                        last_step(&index, address, kinds, position),
                        expected,
                        "last {kinds:?} of {place}"
                    );
                    let expected = machine
                        .of(address, kinds)
                        .find(|done| done.step >= position);
                    let expected = expected.map(|done| done.step);
                    assert_eq!(
                        next_step(&index, address, kinds, position),
                        expected,
                        "next {kinds:?} of {place}"
                    );
                    let cell = Cell::Physical {
                        address: Address(address),
                        len_bytes: 1,
                    };
                    let question = NearestAccess::last(cell, kinds, Position(position));
                    let replayed = step_of(question.replay(&oracle).unwrap());
                    assert_eq!(
                        replayed,
                        last_step(&index, address, kinds, position),
                        "{place}"
                    );
                    // Inferred values of an access are right.
                    if let Some(CellAccess::Step(hit)) = last(&index, address, kinds, position) {
                        let done = machine
                            .done
                            .iter()
                            .find(|done| done.step == hit.record.step.0)
                            .unwrap();
                        let value = hit.access.and_then(|access| access.value.to_u64());
                        assert!(
                            value.is_none_or(|value| value == done.value),
                            "{place}: {value:x?} of {done:x?}"
                        );
                    }
                }
                // A slice begins at the writer, under any of its addresses.
                let expected = machine
                    .of(address, AccessKinds::Writes)
                    .rev()
                    .find(|done| done.step < position);
                assert_eq!(
                    sliced(&index, position, address),
                    expected.map(|done| done.step),
                    "why {place}"
                );
                // A load without a value reveals nothing.
                let stated = machine.of(address, AccessKinds::All).rev();
                let stated = stated.filter(|done| done.is_store || done.stated.is_some());
                let stated = stated.into_iter().find(|done| done.step < position);
                let (value, source) = memory(&index, position, address);
                let byte =
                    |done: &Done| (done.value >> (8 * (7 - (address - done.physical)))) as u8;
                match stated {
                    Some(done) if done.stated.is_some() => {
                        assert_eq!(value, Some(byte(done)), "{place}")
                    }
                    Some(done) => assert!(value.is_none_or(|value| value == byte(done)), "{place}"),
                    None => assert_eq!(value, None, "{place}"),
                }
                let question = PhysicalMemoryAt {
                    position: Position(position),
                    address: Address(address),
                    len_bytes: 1,
                };
                let replayed = question.replay(&oracle).unwrap()[0].value;
                assert!(
                    replayed == value || source == ValueSource::Inferred,
                    "{place}"
                );
            }
        }
    }
}

/// Returns the writer of each queried byte; none if no step wrote it.
fn requested(rows: &[SliceRow]) -> BTreeMap<u64, Option<u64>> {
    let mut found = BTreeMap::new();
    for row in rows {
        let (cells, wanted_by, step) = match row {
            SliceRow::Step(row) => (
                row.defines.iter().map(|defined| defined.cell).collect(),
                &row.wanted_by,
                Some(row.step.0),
            ),
            SliceRow::End(end) => (vec![end.cell], &end.wanted_by, None),
        };
        for cell in cells
            .into_iter()
            .filter(|_| wanted_by.iter().any(|by| by.step.is_none()))
        {
            let SliceCell::Memory { address, len_bytes } = cell else {
                continue;
            };
            found.extend((0..len_bytes).map(|place| (address.0 + place, step)));
        }
    }
    found
}

/// A slice of a range looks up its bytes together.
#[test]
fn a_range_of_physical_memory_comes_from_where_each_of_its_bytes_does() {
    for (seed, cpus) in [(1, 1), (2, 2), (3, 3)] {
        let machine = random_machine(cpus, Dice(seed));
        let index = machine.index(1 << 13);
        let pages: Vec<u64> = (0..3).map(|page| 0x70_0000 + PAGE * page).collect();
        for (page, position) in pages
            .into_iter()
            .flat_map(|page| [30, 150, machine.steps].map(|at| (page, at)))
        {
            let each: BTreeMap<_, _> = (0..32)
                .flat_map(|place| requested(&rows(&index, position, page + place, 1)))
                .collect();
            let together = requested(&rows(&index, position, page, 32));
            assert_eq!(together, each, "seed {seed}, {page:x} before {position}");
            assert!(together.len() >= 32 && together.values().any(Option::is_some));
        }
    }
}

const ONE: Place = Place {
    context: 5,
    page: 0x10_0000,
    physical: 0x70_0000,
};
const TWO: Place = Place {
    context: 6,
    page: 0x20_0000,
    physical: 0x70_0000,
};

#[test]
fn a_physical_address_names_all_that_lies_there_and_says_when_nothing_does() {
    let mut machine = Machine::new();
    machine.instruction(0, NOP, None);
    let store = Wanted {
        cpu: 0,
        place: ONE,
        offset: 8,
        store: Some(0x11),
        is_stated: true,
    };
    machine.access(store);
    machine.access(Wanted {
        cpu: 1,
        place: TWO,
        store: Some(0x22),
        ..store
    });
    machine.access(Wanted {
        place: Place {
            physical: 0x90_0000,
            ..ONE
        },
        store: None,
        ..store
    });
    let index = machine.index(1 << 20);
    let mapped = |position, physical| {
        let question = MappingsAt {
            physical: Address(physical),
            position: Position(position),
        };
        let found = question.run(&index, &Cancel::default()).unwrap();
        found
            .iter()
            .map(|one| (one.thread.0, one.translation.context, one.address.0))
            .collect::<Vec<_>>()
    };
    // A store has two steps. Records directly before a step are known at the position before it.
    assert_eq!(mapped(0, 0x70_000f), []);
    assert_eq!(mapped(2, 0x70_000f), [(0, Some(5), 0x10_000f)]);
    assert_eq!(
        mapped(4, 0x70_000f),
        [(1, Some(6), 0x20_000f), (0, Some(5), 0x10_000f)]
    );
    assert_eq!(mapped(5, 0x70_000f), [(1, Some(6), 0x20_000f)]);
    assert_eq!(mapped(6, 0x90_000f), [(0, Some(5), 0x10_000f)]);
    assert_eq!(mapped(6, 0xa0_0000), []);
    // A store through one page is visible through the other.
    let found = [3, 5, 6].map(|position| memory(&index, position, 0x70_000f));
    assert_eq!(
        found,
        [0x11, 0x22, 0x22].map(|byte| (Some(byte), ValueSource::Recorded))
    );
    assert_eq!(memory(&index, 6, 0xa0_0000), (None, ValueSource::Unknown));
    assert_eq!(memory(&index, 1, 0x70_000f), (None, ValueSource::Unknown));
    let counts = CountTranslations
        .run(&index, &Cancel::default())
        .unwrap()
        .counts
        .unwrap();
    // The code of each processor is mapped too.
    assert_eq!(
        (counts.contexts, counts.pages, counts.physical_pages),
        (vec![0, 5, 6], 3, 3)
    );
    assert_eq!(index.threads().len(), 2);
    assert_eq!(index.thread_by_name("cpu1"), Some(ThreadId(1)));
}

/// Returns a byte at a virtual address.
fn virtual_memory(index: &Index, position: u64, address: u64) -> Option<u8> {
    let question = MemoryAt {
        position: Position(position),
        address: Address(address),
        len_bytes: 1,
    };
    question.run(index, &Cancel::default()).unwrap()[0].value
}

#[test]
fn what_is_stored_through_a_page_shows_through_the_others_that_lie_there() {
    let mut machine = Machine::new();
    let store = Wanted {
        cpu: 0,
        place: ONE,
        offset: 8,
        store: Some(0x11),
        is_stated: true,
    };
    machine.access(store);
    machine.access(Wanted {
        cpu: 1,
        place: TWO,
        store: Some(0x22),
        ..store
    });
    machine.access(Wanted {
        place: Place {
            physical: 0x90_0000,
            ..ONE
        },
        store: Some(0x33),
        ..store
    });
    machine.access(Wanted {
        offset: 16,
        ..store
    });
    let index = machine.index(1 << 20);
    let of_both =
        |position| [0x10_000f, 0x20_000f].map(|address| virtual_memory(&index, position, address));
    // Nothing is known of the second page before its translation is recorded.
    assert_eq!(of_both(2), [Some(0x11), None]);
    assert_eq!(of_both(4), [Some(0x22), Some(0x22)]);
    assert_eq!(of_both(6), [Some(0x33), Some(0x22)]);
    // The first page is mapped as at first.
    assert_eq!(of_both(8), [Some(0x22), Some(0x22)]);
}

#[test]
fn contexts_that_take_turns_on_a_page_are_told_each_time() {
    let mut machine = Machine::new();
    let other = Place {
        context: 6,
        physical: 0x90_0000,
        ..ONE
    };
    for (number, place) in [ONE, other, ONE, other].into_iter().enumerate() {
        machine.access(Wanted {
            cpu: 0,
            place,
            offset: 0,
            store: Some(number as u64),
            is_stated: true,
        });
    }
    let index = machine.index(1 << 20);
    let found =
        [0x70_0007, 0x90_0007].map(|address| last_step(&index, address, AccessKinds::Writes, 8));
    assert_eq!(found, [Some(5), Some(7)]);
    assert_eq!(
        [0x70_0007, 0x90_0007].map(|address| memory(&index, 6, address).0),
        [Some(2), Some(1)]
    );
}
