//! Latency of queries about one place, with all pages in memory and with none.

use std::path::Path;

use anyhow::Result;
use stepback_benches::percentiles::{Times, milliseconds};
use stepback_benches::places::{ask, position};
use stepback_benches::{Trace, forget_pages, read_bytes, thread_cpu_time};
use stepback_generator::Dice;
use stepback_index::answer::{AccessKinds, Cell, Direction, EdgeKinds, ThreadId};
use stepback_index::query::{
    MemoryAt, NearestAccess, NearestVisit, PositionOfLine, RegistersAt, SliceQuery, Steps,
    TraceListRow,
};
use stepback_index::{Index, QueryError};
use stepback_machine::{Address, Registers};
use stepback_parsers::{Line, Step};

use super::sample::{Sample, open};

/// Number of queries of each kind with all pages in memory. As many before them are not counted.
const WARM: usize = 4000;
/// Number of queries of each kind that walks hundreds of steps, with all pages in memory.
const WARM_LONG: usize = 300;
/// Number of queries of each kind with no pages in memory.
const COLD: usize = 60;

/// A kind of query about a random place. Returns true if it found something.
type Ask = fn(&Index, &Sample, &mut Dice) -> Result<bool, QueryError>;

const QUESTIONS: [(&str, Ask); 21] = [
    ("all registers", |index, _, dice| {
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
    ("512 bytes of memory", |index, sample, dice| {
        let address = Address(dice.pick(&sample.places.addresses).unwrap_or(0) & !511);
        let position = position(index, dice);
        let states = ask(
            index,
            MemoryAt {
                position,
                address,
                len_bytes: 512,
            },
        )?;
        Ok(states.iter().any(|state| state.value.is_some()))
    }),
    ("last write, register", |index, sample, dice| {
        let cell = register(sample, dice);
        last_write(index, cell, dice)
    }),
    ("next write, register", |index, sample, dice| {
        let cell = register(sample, dice);
        next_write(index, cell, dice)
    }),
    ("last write, memory", |index, sample, dice| {
        let cell = memory(sample, dice);
        last_write(index, cell, dice)
    }),
    ("next write, memory", |index, sample, dice| {
        let cell = memory(sample, dice);
        next_write(index, cell, dice)
    }),
    ("last visit", |index, sample, dice| {
        let pc = Address(dice.pick(&sample.places.pcs).unwrap_or(0));
        Ok(ask(index, NearestVisit::last(pc, position(index, dice)))?.is_some())
    }),
    ("next visit", |index, sample, dice| {
        let pc = Address(dice.pick(&sample.places.pcs).unwrap_or(0));
        Ok(ask(index, NearestVisit::next(pc, position(index, dice)))?.is_some())
    }),
    ("64 steps with effects", |index, _, dice| {
        let first = Step(dice.below(index.step_count()));
        Ok(!ask(index, Steps { first, count: 64 })?.is_empty())
    }),
    ("position of a line", |index, _, dice| {
        let line = Line(1 + dice.below(index.info().lines));
        Ok(ask(index, PositionOfLine(line))?.0 > 0)
    }),
    ("row and step, folded", |index, sample, dice| {
        let row = sample.folds.row(dice.below(sample.folds.row_count()));
        let step = match row {
            Some(TraceListRow::Step(step)) => step,
            Some(TraceListRow::Folded { first, .. }) => first,
            None => Step(0),
        };
        Ok(sample.folds.row_of(step) < index.step_count())
    }),
    ("stack", |index, _, dice| {
        let position = position(index, dice);
        Ok(!index.calls().path_at(ThreadId(0), position).is_empty())
    }),
    ("why: first row", |index, sample, dice| {
        why(
            index,
            sample,
            dice,
            Requested {
                edges: EdgeKinds::default(),
                limit: 1,
            },
        )
    }),
    ("why: 1,000 rows", |index, sample, dice| {
        why(
            index,
            sample,
            dice,
            Requested {
                edges: EdgeKinds::default(),
                limit: 1000,
            },
        )
    }),
    ("why, and addresses: 1,000", |index, sample, dice| {
        why(
            index,
            sample,
            dice,
            Requested {
                edges: LINKED,
                limit: 1000,
            },
        )
    }),
    ("why, and control: 1,000", |index, sample, dice| {
        let edges = EdgeKinds {
            control: true,
            ..LINKED
        };
        why(index, sample, dice, Requested { edges, limit: 1000 })
    }),
    ("forward: first row", |index, sample, dice| {
        forward(index, sample, dice, 1)
    }),
    ("forward: 1,000 rows", |index, sample, dice| {
        forward(index, sample, dice, 1000)
    }),
    ("never: write, register", |index, _, dice| {
        let views = Registers::view("fpsr", index.instruction_set(ThreadId(0)));
        let Some(view) = views else { return Ok(false) };
        last_write(
            index,
            Cell::Register {
                thread: ThreadId(0),
                view,
            },
            dice,
        )
    }),
    ("never: access, memory", |index, sample, dice| {
        // Far from all memory, and between blocks of it.
        let near = dice.pick(&sample.places.addresses).unwrap_or(0) ^ 1 << (30 + dice.below(8));
        let cell = Cell::Memory {
            address: Address(near),
            len_bytes: 8,
        };
        next_write(index, cell, dice)
    }),
    ("never: visit", |index, sample, dice| {
        let pc = Address(dice.pick(&sample.places.pcs).unwrap_or(0) ^ 2);
        Ok(ask(index, NearestVisit::next(pc, position(index, dice)))?.is_some())
    }),
];

/// Edges for addresses and flags in addition to data.
const LINKED: EdgeKinds = EdgeKinds {
    addresses: true,
    flags: true,
    control: false,
    listed: false,
};

/// Parameters of a slice query.
struct Requested {
    edges: EdgeKinds,
    limit: usize,
}

/// Runs a backward slice of a register or a byte.
fn why(
    index: &Index,
    sample: &Sample,
    dice: &mut Dice,
    requested: Requested,
) -> Result<bool, QueryError> {
    let Some(cell) = any_cell(sample, dice) else {
        return Ok(false);
    };
    let question = SliceQuery {
        direction: Direction::Back,
        cell,
        at: position(index, dice),
        edges: requested.edges,
        limit: requested.limit,
    };
    Ok(!ask(index, question)?.is_empty())
}

/// Runs a forward slice.
fn forward(
    index: &Index,
    sample: &Sample,
    dice: &mut Dice,
    limit: usize,
) -> Result<bool, QueryError> {
    let Some(cell) = any_cell(sample, dice) else {
        return Ok(false);
    };
    let question = SliceQuery {
        direction: Direction::Forward,
        cell,
        at: position(index, dice),
        edges: EdgeKinds::default(),
        limit,
    };
    Ok(!ask(index, question)?.is_empty())
}

fn any_cell(sample: &Sample, dice: &mut Dice) -> Option<Cell> {
    if dice.below(2) == 0 {
        register(sample, dice)
    } else {
        memory(sample, dice)
    }
}

fn register(sample: &Sample, dice: &mut Dice) -> Option<Cell> {
    dice.pick(&sample.places.views)
        .map(|(thread, view)| Cell::Register { thread, view })
}

fn memory(sample: &Sample, dice: &mut Dice) -> Option<Cell> {
    dice.pick(&sample.places.addresses)
        .map(|address| Cell::Memory {
            address: Address(address),
            len_bytes: 1,
        })
}

fn last_write(
    index: &Index,
    cell: impl Into<Option<Cell>>,
    dice: &mut Dice,
) -> Result<bool, QueryError> {
    let Some(cell) = cell.into() else {
        return Ok(false);
    };
    let before = position(index, dice);
    let answer = ask(
        index,
        NearestAccess::last(cell, AccessKinds::Writes, before),
    )?;
    Ok(matches!(
        answer,
        Some(stepback_index::answer::CellAccess::Step(_))
    ))
}

fn next_write(
    index: &Index,
    cell: impl Into<Option<Cell>>,
    dice: &mut Dice,
) -> Result<bool, QueryError> {
    let Some(cell) = cell.into() else {
        return Ok(false);
    };
    let from = position(index, dice);
    Ok(ask(index, NearestAccess::next(cell, AccessKinds::Writes, from))?.is_some())
}

/// Opens the index, runs all kinds of queries whose names contain a text, and prints their times.
pub fn report(trace: &Trace, path: &Path, wanted: &str) -> Result<()> {
    let mut opening = Times::default();
    for _ in 0..20 {
        opening.measure(|| open(trace, path))?;
    }
    println!("open, ms: p50 p99 max   {}", opening.summary());
    let index = open(trace, path)?;
    let mut dice = Dice(1);
    let sample = Sample::of(&index, &mut dice)?;
    println!("question, ms: p50 p99 max: warm | CPU of them | cold, KiB read each | found of 1000");
    drop(index);
    for (name, question) in QUESTIONS
        .into_iter()
        .filter(|(name, _)| name.contains(wanted))
    {
        let index = open(trace, path)?;
        let rounds = if name.contains("1,000") {
            WARM_LONG
        } else {
            WARM
        };
        (0..rounds).try_for_each(|_| question(&index, &sample, &mut dice).map(|_| ()))?;
        let (mut warm, mut cpu, mut found) = (Times::default(), Times::default(), 0);
        for _ in 0..rounds {
            // A slice visits a thousand places of a trace that may not be in memory, so each query
            // first runs once untimed.
            if rounds == WARM_LONG {
                question(&index, &sample, &mut dice.clone())?;
            }
            let before = thread_cpu_time();
            found += usize::from(warm.measure(|| question(&index, &sample, &mut dice))?);
            cpu.add(
                thread_cpu_time()
                    .zip(before)
                    .map(|(after, before)| after.saturating_sub(before)),
            );
        }
        drop(index);
        let cold = cold(trace, path, &sample, question)?;
        println!(
            "{name:<24}{} |{} | {cold} | {}",
            warm.summary(),
            cpu.summary(),
            found * 1000 / rounds
        );
    }
    Ok(())
}

/// Runs each query on an index and a trace without any page in memory.
fn cold(trace: &Trace, path: &Path, sample: &Sample, question: Ask) -> Result<String> {
    let (mut times, mut dice, mut read) = (Times::default(), Dice(2), 0);
    for _ in 0..COLD {
        if forget_pages(path)
            .and_then(|()| forget_pages(&trace.path))
            .is_none()
        {
            return Ok("cannot be measured here".to_owned());
        }
        let index = open(trace, path)?;
        let before = read_bytes().unwrap_or_default();
        times.measure(|| question(&index, sample, &mut dice))?;
        read += read_bytes().unwrap_or_default().saturating_sub(before);
    }
    let [p50, p99, max] = [500, 990, 1000].map(|share| milliseconds(times.per_mille(share)));
    Ok(format!(
        "{p50:>8} {p99:>8} {max:>8} {:>6}",
        (read / COLD as u64) >> 10
    ))
}
