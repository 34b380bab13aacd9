//! An index file of arbitrary bytes causes errors or answers, never a panic, a hang, or a huge
//! allocation.

#![no_main]

use std::sync::{Arc, OnceLock};

use libfuzzer_sys::fuzz_target;
use stepback_index::answer::{
    AccessKinds, CallId, Cell, Direction, EdgeKinds, MemoryRange, ThreadId,
};
use stepback_index::build::{Build, BuildOptions, BuildProgress, Fingerprint};
use stepback_index::query::{SliceQuery};
use stepback_index::query::{
    DifferenceBetween, ExternalChanges, FindText, FindValue, FoldSet, LineOfStep, MemoryAt,
    NearestAccess, NearestVisit, NextAccessedBlock, NthVisit, PositionOfLine, PositionOfTime,
    RawLines, RegistersAt, Steps, TextPattern,
};
use stepback_index::read::VisitReader;
use stepback_index::{Cancel, Index, Query};
use stepback_machine::{Address, Registers};
use stepback_parsers::{Line, Position, Source, Step, Tarmac, TarmacOptions};

/// A trace of two CPUs with calls, semihosting, external changes, exceptions and damaged lines.
const TRACE: &[u8] = include_bytes!("trace.tarmac");

/// A trace and its undamaged index.
struct Base {
    source: Arc<dyn Source>,
    bytes: Vec<u8>,
}

fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(|| {
        let tarmac = Tarmac::open(Box::new(TRACE.to_vec()), TarmacOptions::default())
            .expect("the trace is good");
        let source: Arc<dyn Source> = Arc::new(tarmac);
        let path = std::env::temp_dir().join(format!("stepback-fuzz-{}.sbi", std::process::id()));
        let fingerprint = Fingerprint::of(source.as_ref(), 0).expect("it is in memory");
        let options = BuildOptions {
            segment_bytes: 2048,
            threads: 1,
        };
        Build::new(
            &source,
            &fingerprint,
            &options,
            &BuildProgress::default(),
            &Cancel::default(),
        )
        .to_file(&path)
        .expect("the folder for temporary files can be written");
        let bytes = std::fs::read(&path).expect("it was just written");
        std::fs::remove_file(&path).expect("it was just written");
        Base { source, bytes }
    })
}

/// Returns the file that the input describes. After a first byte of 0, the rest is the file.
/// Otherwise it is a list of patches to a good file: place (3 bytes), length (1 byte), bytes.
fn file_of(data: &[u8], good: &[u8]) -> Vec<u8> {
    let Some((kind, mut rest)) = data.split_first() else {
        return Vec::new();
    };
    if *kind == 0 {
        return rest.to_vec();
    }
    let mut bytes = good.to_vec();
    while let Some(([a, b, c, len], behind)) = rest.split_first_chunk::<4>() {
        let place = u32::from_le_bytes([*a, *b, *c, 0]) as usize % bytes.len();
        let (patch, behind) = behind.split_at(behind.len().min(usize::from(*len)));
        let patch = &patch[..patch.len().min(bytes.len() - place)];
        bytes[place..place + patch.len()].copy_from_slice(patch);
        rest = behind;
    }
    bytes
}

fn ask<Q: Query>(index: &Index, question: Q) {
    let _answer = question.run(index, &Cancel::default());
}

/// Maximum number of steps of a slice.
const SLICE_ROWS: usize = 40;

/// Runs a few queries of each kind at one of four positions.
fn ask_all(index: &Index, moment: usize) {
    let (info, end) = (index.info(), index.end().0);
    let pattern: TextPattern = "LDR".parse().expect("it is a pattern");
    for (number, at) in [0, 1, end / 2, end]
        .into_iter()
        .map(Position)
        .enumerate()
        .skip(moment % 4)
        .take(1)
    {
        let step = Step(at.0.saturating_sub(1));
        let address = Address([0x1000, 0x2000, 0x3000, u64::MAX - 5][number]);
        let thread = ThreadId(number as u16 % 3);
        ask_about_cells(index, at, address, thread);
        for pc in [Address(0x8000), Address(0x8008)] {
            ask(index, NearestVisit::next(pc, at));
            ask(index, NearestVisit::last(pc, at));
            ask(
                index,
                NthVisit {
                    pc,
                    number: number as u64,
                },
            );
            let _count = VisitReader(&index).visit_count(pc);
        }
        ask(
            index,
            Steps {
                first: step,
                count: 5,
            },
        );
        ask(index, LineOfStep(step));
        ask(index, PositionOfLine(Line(at.0)));
        ask(index, PositionOfTime(at.0));
        ask(
            index,
            RawLines {
                first: Line(at.0),
                count: 3,
            },
        );
        ask(
            index,
            FindText {
                what: pattern.clone(),
                thread: None,
                from: at,
                limit: 2,
            },
        );
        ask(
            index,
            FindValue {
                what: 1.into(),
                thread: None,
                from: at,
                limit: 2,
            },
        );
        ask(
            index,
            ExternalChanges {
                range: None,
                thread: None,
                at,
                direction: Direction::Forward,
                skip: 0,
                limit: 3,
            },
        );
        ask(
            index,
            ExternalChanges {
                range: None,
                thread: None,
                at,
                direction: Direction::Back,
                skip: 0,
                limit: 3,
            },
        );
        ask_about_calls(index, thread, at);
    }
    ask(
        index,
        DifferenceBetween {
            from: Position(end / 3),
            to: Position(end),
            thread: None,
        },
    );
    ask(index, NextAccessedBlock { from: Address(0) });
    let _told = (
        info.index_bytes,
        index.threads().len(),
        index.warnings().len(),
    );
}

fn ask_about_cells(index: &Index, at: Position, address: Address, thread: ThreadId) {
    ask(
        index,
        RegistersAt {
            position: at,
            thread: None,
        },
    );
    ask(
        index,
        RegistersAt {
            position: at,
            thread: Some(thread),
        },
    );
    ask(
        index,
        MemoryAt {
            position: at,
            address,
            len_bytes: 100,
        },
    );
    let range = Some(MemoryRange {
        address,
        len_bytes: u64::MAX,
    });
    ask(
        index,
        ExternalChanges {
            range,
            thread: None,
            at,
            direction: Direction::Forward,
            skip: 0,
            limit: 2,
        },
    );
    let set = index
        .threads()
        .first()
        .map(|thread| thread.instruction_set)
        .unwrap_or_default();
    let Some(view) = Registers::view("sp", set) else {
        return;
    };
    let memory = [8, 1 << 40].map(|len_bytes| Cell::Memory { address, len_bytes });
    for cell in memory.into_iter().chain([Cell::Register { thread, view }]) {
        for kinds in [AccessKinds::Writes, AccessKinds::All] {
            ask(index, NearestAccess::last(cell, kinds, at));
            ask(index, NearestAccess::next(cell, kinds, at));
        }
        let edges = EdgeKinds {
            addresses: true,
            flags: true,
            control: true,
            listed: true,
        };
        ask(
            index,
            SliceQuery {
 direction: Direction::Back,
                cell,
                at,
                edges,
                limit: SLICE_ROWS,
            },
        );
        ask(
            index,
            SliceQuery {
 direction: Direction::Forward,
                cell,
                at,
                edges,
                limit: SLICE_ROWS,
            },
        );
    }
}

fn ask_about_calls(index: &Index, thread: ThreadId, at: Position) {
    let calls = index.calls();
    let id = calls.innermost_at(thread, at).unwrap_or(CallId(0));
    let _call = calls.get(id);
    let _children = calls.children(id).take(9).count();
    let _roots = calls.roots().take(9).count();
    let mut folds = FoldSet::new(index.step_count());
    folds.fold(calls, id);
    let _row = folds.row(folds.row_count() / 2);
}

fuzz_target!(|data: &[u8]| {
    let base = base();
    if let Ok(index) = Index::from_bytes(Arc::clone(&base.source), file_of(data, &base.bytes)) {
        ask_all(&index, data.len());
    }
});
