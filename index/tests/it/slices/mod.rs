//! Compares slices with dependences logged by the emulator that made the real traces, and with the
//! effects of flipped bits.
//!
//! Uses the folder `slices/` in `STEPBACK_TRACES`. A slice is right if it contains all steps of the
//! finest reading, and none beyond the widest.

mod both_ways;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::Value as Json;
use stepback_index::answer::{Cell, Direction, EdgeKinds, SliceCell, SliceRow, ThreadId};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::SliceQuery;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::{Address, InstructionSet, RegisterId, RegisterView, Registers};
use stepback_parsers::{Position, Tarmac};

fn unpacked(path: &Path) -> Vec<u8> {
    let output = Command::new("zstd")
        .arg("-dc")
        .arg(path)
        .output()
        .expect("zstd is needed for packed traces");
    assert!(output.status.success(), "{}", path.display());
    output.stdout
}

fn json_lines(path: &Path) -> Vec<Json> {
    let text = String::from_utf8(unpacked(path)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn number(json: &Json) -> u64 {
    json.as_u64().unwrap()
}

fn numbers(json: &Json) -> BTreeSet<u64> {
    json.as_array().unwrap().iter().map(number).collect()
}

const ALL: EdgeKinds = EdgeKinds {
    addresses: true,
    flags: true,
    control: false,
    listed: true,
};

/// The slices of a truth file, by name.
const SLICES: [(&str, EdgeKinds); 4] = [
    (
        "data",
        EdgeKinds {
            addresses: false,
            flags: false,
            control: false,
            listed: true,
        },
    ),
    (
        "data_address",
        EdgeKinds {
            addresses: true,
            flags: false,
            control: false,
            listed: true,
        },
    ),
    (
        "data_flags",
        EdgeKinds {
            addresses: false,
            flags: true,
            control: false,
            listed: true,
        },
    ),
    ("data_address_flags", ALL),
];

fn step_of(row: &SliceRow) -> Option<u64> {
    match row {
        SliceRow::Step(row) => Some(row.step.0),
        SliceRow::End(_) => None,
    }
}

/// A trace with its truth.
struct Truth {
    name: String,
    folder: PathBuf,
    index: Index,
    wrong: Vec<String>,
}

impl Truth {
    fn of(folder: &Path) -> Self {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let text = unpacked(&folder.join(format!("{name}.tarmac.zst")));
        let tarmac = Arc::new(Tarmac::open(Box::new(text), Default::default()).unwrap());
        let index = index_in_memory(
            tarmac,
            &BuildOptions {
                segment_bytes: 100_000,
                ..Default::default()
            },
        )
        .unwrap();
        Self {
            name,
            folder: folder.to_owned(),
            index,
            wrong: Vec::new(),
        }
    }

    /// Parses a cell of a truth file: halves of double registers have names beyond `s31`.
    fn cell(&self, what: &str) -> Cell {
        if let Some((address, len)) = what
            .strip_prefix("0x")
            .and_then(|range| range.split_once(':'))
        {
            let address = Address(u64::from_str_radix(address, 16).unwrap());
            return Cell::Memory {
                address,
                len_bytes: len.parse().unwrap(),
            };
        }
        let thread = ThreadId(0);
        let high = what
            .strip_prefix('s')
            .and_then(|half| half.parse::<u16>().ok())
            .filter(|half| *half > 31);
        let view = match high {
            Some(half) => {
                let double =
                    Registers::view(&format!("d{}", half / 2), InstructionSet::A32).unwrap();
                RegisterView {
                    offset: double.offset + 4 * (half % 2),
                    size_bytes: 4,
                    ..double
                }
            }
            None => NameReader(&self.index)
                .register_view(what, thread)
                .unwrap_or_else(|| panic!("no register {what}")),
        };
        Cell::Register { thread, view }
    }

    fn slice(&self, cell: Cell, at: u64, edges: EdgeKinds) -> BTreeSet<u64> {
        let why = SliceQuery {
            direction: Direction::Back,
            cell,
            at: Position(at),
            edges,
            limit: usize::MAX,
        };
        let rows = why.run(&self.index, &Cancel::default()).unwrap();
        let all: Vec<u64> = rows.iter().filter_map(step_of).collect();
        assert!(
            all.is_sorted_by(|newer, older| newer > older),
            "newest first, each once"
        );
        all.into_iter().collect()
    }

    fn queries(&mut self) -> Sizes {
        let mut sizes = Sizes::default();
        for query in json_lines(&self.folder.join("queries.jsonl.zst")) {
            let (what, at) = (query["what"].as_str().unwrap(), number(&query["at"]));
            let controlled = self.slice(
                self.cell(what),
                at,
                EdgeKinds {
                    control: true,
                    ..ALL
                },
            );
            for (name, edges) in SLICES {
                let truth = &query[name];
                let finest = numbers(&truth["steps"]);
                let mut widest = finest.clone();
                widest.extend(numbers(&truth["registers_extra"]["steps"]));
                widest.extend(numbers(&truth["wide_extra"]["steps"]));
                let ours = self.slice(self.cell(what), at, edges);
                sizes.add(&finest, &ours, &widest);
                assert!(
                    controlled.is_superset(&ours),
                    "{}: {what} at {at}: control takes steps away",
                    self.name
                );
                let missing: Vec<_> = finest
                    .difference(&ours)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .take(4)
                    .collect();
                let beyond: Vec<_> = ours.difference(&widest).take(4).collect();
                if !missing.is_empty() || !beyond.is_empty() {
                    self.wrong.push(format!(
                        "{}: {what} at {at}, {name}: missing {missing:?}, beyond {beyond:?}",
                        self.name
                    ));
                }
            }
        }
        sizes
    }

    /// Checks that every value changed by a flipped bit is in the forward slice of that bit.
    fn onward(&mut self) -> usize {
        let mut compared = 0;
        for flip in json_lines(&self.folder.join("influence.jsonl.zst")) {
            let (flipped, after) = (&flip["flip"], number(&flip["flip"]["after_step"]));
            let what = match flipped["register"].as_str() {
                Some(register) => register.to_owned(),
                None => format!("{}:1", flipped["address"].as_str().unwrap()),
            };
            let elsewhere = flip["first_store_elsewhere"].as_u64().unwrap_or(u64::MAX);
            let question = SliceQuery {
                direction: Direction::Forward,
                cell: self.cell(&what),
                at: Position(after + 1),
                edges: ALL,
                limit: 20_000,
            };
            let rows = question.run(&self.index, &Cancel::default()).unwrap();
            let steps: BTreeSet<u64> = rows.iter().filter_map(step_of).collect();
            self.is_both_ways(after, &rows);
            for influenced in flip["influenced"].as_array().unwrap() {
                let step = number(&influenced["step"]);
                let cells = ["regs", "mem"]
                    .iter()
                    .flat_map(|kind| influenced[kind].as_array())
                    .flatten();
                // A step that preserves a differing flag counts as writing it.
                if step >= elsewhere
                    || cells
                        .map(|cell| cell.as_str().unwrap())
                        .all(|cell| cell == "psr")
                {
                    continue;
                }
                compared += 1;
                if !steps.contains(&step) {
                    self.wrong.push(format!(
                        "{}: {what} at {} does not go to {step}",
                        self.name,
                        after + 1
                    ));
                }
            }
        }
        compared
    }

    /// Checks the inverse for some rows: a value in the forward slice has its origin in the
    /// backward slice.
    fn is_both_ways(&mut self, from: u64, rows: &[SliceRow]) {
        for row in rows.iter().step_by(1 + rows.len() / 6) {
            let SliceRow::Step(row) = row else { continue };
            for defined in &row.defines {
                let SliceCell::Register { thread, view } = defined.cell else {
                    continue;
                };
                // Banked registers have another name where they are written, so they are not
                // queried.
                if view.register >= RegisterId::FIRST_BANK {
                    continue;
                }
                let cell = Cell::Register { thread, view };
                if !self.slice(cell, row.step.0 + 1, ALL).contains(&from) {
                    self.wrong.push(format!(
                        "{}: step {} has {cell:?} not from {from}",
                        self.name, row.step.0
                    ));
                }
            }
        }
    }

    /// Checks that every value changed by a flipped bit has the step before the flip in its
    /// backward slice.
    fn influence(&mut self) -> usize {
        let mut compared = 0;
        for flip in json_lines(&self.folder.join("influence.jsonl.zst")) {
            let after = number(&flip["flip"]["after_step"]);
            let elsewhere = flip["first_store_elsewhere"].as_u64().unwrap_or(u64::MAX);
            for influenced in flip["influenced"].as_array().unwrap() {
                let step = number(&influenced["step"]);
                if step >= elsewhere {
                    break;
                }
                let cells = ["regs", "mem"]
                    .iter()
                    .flat_map(|kind| influenced[kind].as_array())
                    .flatten();
                for cell in cells.map(|cell| cell.as_str().unwrap()) {
                    compared += 1;
                    if !self.slice(self.cell(cell), step + 1, ALL).contains(&after) {
                        self.wrong.push(format!(
                            "{}: {cell} at {} does not come from {after}",
                            self.name,
                            step + 1
                        ));
                    }
                }
            }
        }
        compared
    }
}

/// Total size of the slices.
#[derive(Debug, Default)]
struct Sizes {
    slices: u64,
    finest: usize,
    ours: usize,
    widest: usize,
}

impl Sizes {
    fn add(&mut self, finest: &BTreeSet<u64>, ours: &BTreeSet<u64>, widest: &BTreeSet<u64>) {
        self.slices += 1;
        self.finest += finest.len();
        self.ours += ours.len();
        self.widest += widest.len();
    }
}

#[test]
fn slices_of_real_traces_hold_what_they_must_and_nothing_else() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES").map(PathBuf::from) else {
        println!("skipped: STEPBACK_TRACES is not set");
        return;
    };
    let mut wrong = Vec::new();
    let mut folders: Vec<_> = traces
        .join("slices")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    assert!(!folders.is_empty());
    for folder in folders {
        let mut truth = Truth::of(&folder);
        let sizes = truth.queries();
        let compared = truth.influence() + truth.onward();
        println!("{}: {sizes:?}, {compared} influenced values", truth.name);
        assert!(sizes.slices > 0 && compared > 0);
        wrong.append(&mut truth.wrong);
    }
    let shown: Vec<_> = wrong
        .iter()
        .filter(|line| std::env::var("ONLY").map_or(true, |only| line.starts_with(&only)))
        .take(40)
        .cloned()
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        shown.join("\n")
    );
}
