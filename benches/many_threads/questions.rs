//! The kinds of queries, each about a random place and a random thread.

use anyhow::Result;
use stepback_benches::places::{Places, ask, position};
use stepback_generator::Dice;
use stepback_index::answer::{AccessKinds, Cell, CellAccess, ThreadId};
use stepback_index::query::{
    Accesses, FindMarkers, LastMarkers, MemoryAt, NearestAccess, NearestStepOf, NearestVisit,
    PositionOfTime, RegistersAt, Steps,
};
use stepback_index::read::{SlotReader, StepCounter};
use stepback_index::{Index, QueryError};
use stepback_machine::Address;
use stepback_parsers::{MarkerKind, Step};

/// A kind of query. Returns true if it found something.
pub type Ask = fn(&Index, &Places, &mut Dice) -> Result<bool, QueryError>;

fn memory(places: &Places, dice: &mut Dice) -> Cell {
    Cell::Memory {
        address: Address(dice.pick(&places.addresses).unwrap_or(0)),
        len_bytes: 8,
    }
}

fn register(places: &Places, dice: &mut Dice) -> Cell {
    let known = dice
        .pick(&places.views)
        .map(|(thread, view)| Cell::Register { thread, view });
    known.unwrap_or(Cell::Memory {
        address: Address(0),
        len_bytes: 1,
    })
}

fn pc(places: &Places, dice: &mut Dice) -> Address {
    Address(dice.pick(&places.pcs).unwrap_or(0))
}

fn thread(index: &Index, dice: &mut Dice) -> ThreadId {
    ThreadId(dice.below(index.threads().len() as u64) as u16)
}

fn last_write(index: &Index, cell: Cell, dice: &mut Dice) -> Result<bool, QueryError> {
    let before = position(index, dice);
    let answer = ask(
        index,
        NearestAccess::last(cell, AccessKinds::Writes, before),
    )?;
    Ok(matches!(answer, Some(CellAccess::Step(_))))
}

fn next_write(index: &Index, cell: Cell, dice: &mut Dice) -> Result<bool, QueryError> {
    let from = position(index, dice);
    Ok(ask(index, NearestAccess::next(cell, AccessKinds::Writes, from))?.is_some())
}

/// Returns all kinds.
pub fn questions() -> [(&'static str, Ask); 24] {
    [
        ("registers", |index, _, dice| {
            let position = position(index, dice);
            Ok(!ask(
                index,
                RegistersAt {
                    position,
                    thread: None,
                },
            )?
            .registers
            .is_empty())
        }),
        ("registers of a thread", |index, _, dice| {
            let (position, thread) = (position(index, dice), Some(thread(index, dice)));
            Ok(!ask(index, RegistersAt { position, thread })?
                .registers
                .is_empty())
        }),
        ("512 bytes of memory", |index, places, dice| {
            let address = Address(dice.pick(&places.addresses).unwrap_or(0) & !511);
            let states = ask(
                index,
                MemoryAt {
                    position: position(index, dice),
                    address,
                    len_bytes: 512,
                },
            )?;
            Ok(states.iter().any(|state| state.value.is_some()))
        }),
        ("last write, register", |index, places, dice| {
            last_write(index, register(places, dice), dice)
        }),
        ("next write, register", |index, places, dice| {
            next_write(index, register(places, dice), dice)
        }),
        ("last write, memory", |index, places, dice| {
            last_write(index, memory(places, dice), dice)
        }),
        ("next write, memory", |index, places, dice| {
            next_write(index, memory(places, dice), dice)
        }),
        ("last writes of a thread, memory", |index, places, dice| {
            let (cell, before) = (memory(places, dice), position(index, dice));
            let (kinds, thread) = (AccessKinds::Writes, Some(thread(index, dice)));
            Ok(ask(
                index,
                Accesses {
                    nearest: NearestAccess::last(cell, kinds, before),
                    thread,
                    skip: 0,
                    limit: 1,
                },
            )? != Default::default())
        }),
        ("next writes of a thread, memory", |index, places, dice| {
            let (cell, from) = (memory(places, dice), position(index, dice));
            let (kinds, thread) = (AccessKinds::Writes, Some(thread(index, dice)));
            Ok(ask(
                index,
                Accesses {
                    nearest: NearestAccess::next(cell, kinds, from),
                    thread,
                    skip: 0,
                    limit: 1,
                },
            )?
            .is_some())
        }),
        ("last visit", |index, places, dice| {
            Ok(ask(
                index,
                NearestVisit::last(pc(places, dice), position(index, dice)),
            )?
            .is_some())
        }),
        ("next visit", |index, places, dice| {
            Ok(ask(
                index,
                NearestVisit::next(pc(places, dice), position(index, dice)),
            )?
            .is_some())
        }),
        ("last visit by a thread", |index, places, dice| {
            let visit = NearestVisit::last(pc(places, dice), position(index, dice));
            Ok(ask(
                index,
                NearestVisit {
                    thread: Some(thread(index, dice)),
                    ..visit
                },
            )?
            .is_some())
        }),
        ("next visit by a thread", |index, places, dice| {
            let visit = NearestVisit::next(pc(places, dice), position(index, dice));
            Ok(ask(
                index,
                NearestVisit {
                    thread: Some(thread(index, dice)),
                    ..visit
                },
            )?
            .is_some())
        }),
        ("64 steps with effects", |index, _, dice| {
            let first = Step(dice.below(index.step_count()));
            Ok(!ask(index, Steps { first, count: 64 })?.is_empty())
        }),
        ("last step of a thread", |index, _, dice| {
            let (thread, before) = (thread(index, dice), position(index, dice));
            Ok(ask(index, NearestStepOf::last(thread, before))?.is_some())
        }),
        ("next step of a thread", |index, _, dice| {
            let (thread, from) = (thread(index, dice), position(index, dice));
            Ok(ask(index, NearestStepOf::next(thread, from))?.is_some())
        }),
        ("steps of a thread before", |index, _, dice| {
            let (thread, before) = (thread(index, dice), position(index, dice));
            Ok(StepCounter::new(index, thread).count_before(before)? > 0)
        }),
        ("thread on turn", |index, _, dice| {
            Ok(SlotReader(index).thread_at(position(index, dice))?.0 > 0)
        }),
        ("stack of a thread", |index, _, dice| {
            Ok(!index
                .calls()
                .path_at(thread(index, dice), position(index, dice))
                .is_empty())
        }),
        ("position of a time", |index, _, dice| {
            let (first, last) = index.info().time_range.unwrap_or_default();
            Ok(ask(index, PositionOfTime(first + dice.below(last - first + 1)))?.0 > 0)
        }),
        ("last system call", |index, _, dice| {
            let kinds = vec![MarkerKind::SYSTEM_CALL];
            Ok(!ask(
                index,
                LastMarkers {
                    kinds,
                    thread: None,
                    at: position(index, dice),
                },
            )?
            .is_empty())
        }),
        ("last system call of a thread", |index, _, dice| {
            let (kinds, thread) = (vec![MarkerKind::SYSTEM_CALL], Some(thread(index, dice)));
            Ok(!ask(
                index,
                LastMarkers {
                    kinds,
                    thread,
                    at: position(index, dice),
                },
            )?
            .is_empty())
        }),
        ("next system call", |index, _, dice| {
            let (kinds, from, to) = (
                vec![MarkerKind::SYSTEM_CALL],
                position(index, dice),
                index.end(),
            );
            Ok(!ask(
                index,
                FindMarkers {
                    kinds,
                    thread: None,
                    from,
                    to,
                    limit: 1,
                },
            )?
            .is_empty())
        }),
        ("next system call of a thread", |index, _, dice| {
            let (kinds, thread) = (vec![MarkerKind::SYSTEM_CALL], Some(thread(index, dice)));
            let (from, to) = (position(index, dice), index.end());
            Ok(!ask(
                index,
                FindMarkers {
                    kinds,
                    thread,
                    from,
                    to,
                    limit: 1,
                },
            )?
            .is_empty())
        }),
    ]
}
