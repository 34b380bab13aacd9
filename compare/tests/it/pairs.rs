//! Pairs of traces with their truth (`truth.json`): those in `fixtures/pairs`, and all below
//! `pairs/` and `riscv/pairs/` in `STEPBACK_TRACES`. The truth comes from the emulators that ran
//! both sides.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use stepback_compare::{
    CauseOrigin, DifferingPlace, ParallelEnd, RegionKind, StepPair, ThreadComparison, TraceSide,
};
use stepback_index::Index;
use stepback_index::answer::Value;
use stepback_index::read::NameReader;
use stepback_machine::Address;

use crate::support::{compared, index_of, only};

/// Compares the traces of a folder, and everything that its truth says with the result.
#[track_caller]
fn check(folder: &Path) {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let truth: Json =
        serde_json::from_slice(&fs::read(folder.join("truth.json")).unwrap()).unwrap();
    let [a, b] = ["a", "b"].map(|side| {
        let file = folder.join(truth[side]["trace"].as_str().unwrap());
        index_of(zstd::decode_all(&*fs::read(file).unwrap()).unwrap())
    });
    let comparison = compared(&a, &b);
    let threads = only(&comparison);
    let pair = Pair {
        a: &a,
        name,
        truth: &truth,
        threads,
    };
    let distance = comparison.slides.moved().next().map(|part| part.distance);
    assert_eq!(distance, hex(&truth["slide"]), "{}: slide", pair.name);
    assert_eq!(threads.counts, step_pair(&truth["steps"]), "{}", pair.name);
    pair.divergence();
    pair.first_difference();
    pair.alignment();
    pair.insertions();
    pair.cause();
    let is_different = !truth["first_divergence"].is_null()
        || !truth["first_difference"].is_null()
        || truth["steps"]["a"] != truth["steps"]["b"];
    assert_eq!(comparison.is_equal(), !is_different, "{}", pair.name);
    println!("{}: {} pairs", pair.name, threads.alignment.matched());
}

struct Pair<'a> {
    a: &'a Index,
    name: String,
    truth: &'a Json,
    threads: &'a ThreadComparison,
}

impl Pair<'_> {
    fn divergence(&self) {
        let (truth, name) = (self.truth, &self.name);
        let expected = &truth["first_divergence"];
        let head = truth["missing_head"].as_u64();
        if let Some(steps) = head {
            assert_eq!(
                self.threads.parallel.start,
                StepPair { a: steps, b: 0 },
                "{name}"
            );
            return;
        }
        let expected_pair = (!expected.is_null()).then(|| step_pair(expected));
        assert_eq!(self.threads.divergence, expected_pair, "{name}: divergence");
        let decision = self.threads.parallel.decision().map(|steps| steps.a);
        assert_eq!(
            decision,
            expected["decided_by"].as_u64(),
            "{name}: decision"
        );
        if let Some(shorter) = truth["ended"]["shorter"].as_str() {
            let side = if shorter == "a" {
                TraceSide::A
            } else {
                TraceSide::B
            };
            assert_eq!(
                self.threads.parallel.end,
                ParallelEnd::Ended(side),
                "{name}"
            );
            assert_eq!(
                Some(self.threads.parallel.steps),
                truth["ended"]["at"].as_u64(),
                "{name}"
            );
        }
        let initial = truth["initial_differences"].as_array().unwrap();
        assert_eq!(
            self.threads.initial.len(),
            initial.len(),
            "{name}: {:?}",
            self.threads.initial
        );
    }

    fn first_difference(&self) {
        let name = &self.name;
        let expected = &self.truth["first_difference"];
        let found = self.threads.first_difference();
        let differing = &self.truth["differing_steps_before_divergence"];
        let values: Vec<_> = self.threads.values_before_divergence().collect();
        let found_steps: Vec<u64> = values
            .iter()
            .flat_map(|values| values.steps.clone())
            .collect();
        let count: u64 = values.iter().map(|values| values.differing).sum();
        let steps: Vec<u64> = differing["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| step.as_u64().unwrap())
            .collect();
        assert_eq!(found_steps, steps, "{name}: differing steps");
        assert_eq!(
            Some(count),
            differing["count"].as_u64(),
            "{name}: differing steps"
        );
        let Some(found) = found else {
            return assert!(
                expected.is_null(),
                "{name}: no difference found: {expected}"
            );
        };
        assert_eq!(found.steps, step_pair(expected), "{name}: first difference");
        let cells: Vec<_> = expected["cells"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cell| {
                let text = |key: &str| cell[key].as_str().unwrap();
                (
                    text("kind").to_owned(),
                    self.cell(text("cell")),
                    hex(&cell["a"]).unwrap(),
                    hex(&cell["b"]).unwrap(),
                )
            })
            .collect();
        let found: Vec<_> = found
            .cells
            .iter()
            .map(|cell| {
                let number = |value: &Value| value.to_u64().unwrap();
                (
                    cell.kind.word().to_owned(),
                    cell_of(&cell.place),
                    number(&cell.a),
                    number(&cell.b),
                )
            })
            .collect();
        assert_eq!(found, cells, "{name}: first difference");
    }

    /// Returns the subject of a difference from its text: `x1`, `0x8000:4`, or `0x8000`.
    fn cell(&self, text: &str) -> Cell {
        if !text.starts_with("0x") {
            let view = NameReader(self.a)
                .register_view(text, self.threads.threads.a)
                .unwrap();
            return (Some(view.register.0), 0, 0);
        }
        let (address, length) = text.split_once(':').unwrap_or((text, "0"));
        (None, hex(&address.into()).unwrap(), length.parse().unwrap())
    }

    fn alignment(&self) {
        let (truth, name) = (&self.truth["alignment"], &self.name);
        let alignment = &self.threads.alignment;
        let (mut a, mut b) = (0, 0);
        for region in alignment.regions() {
            assert_eq!((region.a.start, region.b.start), (a, b), "{name}: a gap");
            (a, b) = (region.a.end, region.b.end);
            assert_ne!(region.kind, RegionKind::NotAligned, "{name}");
        }
        assert_eq!(
            StepPair { a, b },
            self.threads.counts,
            "{name}: the regions cover all steps"
        );
        assert_eq!(
            Some(alignment.matched()),
            truth["matched"].as_u64(),
            "{name}: matched"
        );
        for run in self.truth["by_construction"]["must_align"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let number = |place: usize| run[place].as_u64().unwrap();
            for step in 0..number(2) {
                let partner = alignment.partner(number(0) + step);
                assert_eq!(
                    partner,
                    Some(number(1) + step),
                    "{name}: step {}",
                    number(0) + step
                );
            }
        }
    }

    /// Checks that the end of the chain is what the second run was made with: `--poke ADDR:HEX`
    /// changed memory, `--patch ADDR:WORD` an instruction, `--flip STEP:REG:BIT` a register after a
    /// step.
    fn cause(&self) {
        let words = self.truth["b"]["made_with"].as_str().unwrap();
        let value_of = |option: &str| {
            let (_, rest) = words.split_once(option)?;
            rest.split([':', ' ']).find(|word| !word.is_empty())
        };
        let cause = self.threads.cause.as_ref();
        let oldest = || cause.expect("a cause").chain.last().unwrap();
        let name = &self.name;
        if let Some(address) = value_of("--poke") {
            let CauseOrigin::Memory {
                address: found,
                len_bytes,
                ..
            } = cause.unwrap().origin
            else {
                panic!("{name}: {cause:?}");
            };
            let poked = hex(&address.into()).unwrap();
            let bytes = words
                .split_once(address)
                .unwrap()
                .1
                .split(' ')
                .next()
                .unwrap()
                .len() as u64
                / 2;
            assert!(
                found.0 < poked + bytes && poked < found.0 + len_bytes,
                "{name}: {found:?}"
            );
        }
        if let Some(address) = value_of("--patch") {
            assert_eq!(cause.unwrap().origin, CauseOrigin::Instruction, "{name}");
            let address = Address(hex(&address.into()).unwrap());
            assert_eq!(
                oldest().cells[0].place,
                DifferingPlace::Code(address),
                "{name}"
            );
        }
        if let Some(step) = value_of("--flip") {
            assert_eq!(cause.unwrap().origin, CauseOrigin::Result, "{name}");
            assert_eq!(oldest().steps.a, step.parse::<u64>().unwrap() + 1, "{name}");
        }
        if words.contains("bug sra") {
            assert_eq!(cause.unwrap().origin, CauseOrigin::Result, "{name}");
        }
        if let Some(cause) = cause {
            println!(
                "{name}: cause {:?} at step {}",
                cause.origin,
                oldest().steps.a
            );
        }
    }

    /// Checks the regions of pairs with interrupts, and that nothing else differs.
    fn insertions(&self) {
        let Some(expected) = self.truth["inserted"].as_array() else {
            return;
        };
        let range = |json: &Json| json["from"].as_u64().unwrap()..json["to"].as_u64().unwrap();
        let inserted: Vec<Range<u64>> = expected.iter().map(range).collect();
        let regions = self.threads.alignment.regions().iter();
        let others = regions.filter(|region| region.kind != RegionKind::Same);
        let others: Vec<_> = others
            .map(|region| match expected[0]["side"].as_str() {
                Some("a") => (region.a.clone(), region.b.is_empty()),
                _ => (region.b.clone(), region.a.is_empty()),
            })
            .collect();
        let expected: Vec<_> = inserted.into_iter().map(|range| (range, true)).collect();
        assert_eq!(others, expected, "{}: insertions", self.name);
        let differing: u64 = self
            .threads
            .details
            .iter()
            .flat_map(|details| &details.values)
            .map(|values| values.differing)
            .sum();
        let outside = self.truth["differences_outside_inserted"]
            .as_array()
            .unwrap()
            .len();
        assert_eq!(differing, outside as u64, "{}: outside", self.name);
    }
}

/// Subject of a difference: the number of a register (some have several names), or an address.
type Cell = (Option<u16>, u64, u64);

fn cell_of(place: &DifferingPlace) -> Cell {
    match place {
        DifferingPlace::Code(address) | DifferingPlace::Disassembly(address) => {
            (None, address.0, 0)
        }
        DifferingPlace::Memory { address, len_bytes } => (None, address.0, *len_bytes),
        DifferingPlace::Register { view, .. } => (Some(view.register.0), 0, 0),
    }
}

fn step_pair(json: &Json) -> StepPair {
    let number = |side: &str| json[side].as_u64().unwrap();
    StepPair {
        a: number("a"),
        b: number("b"),
    }
}

fn hex(json: &Json) -> Option<u64> {
    let text = json.as_str()?;
    match text.strip_prefix("-0x") {
        Some(digits) => Some(u64::from_str_radix(digits, 16).unwrap().wrapping_neg()),
        None => Some(u64::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()),
    }
}

/// Returns the folders of pairs below a folder.
fn pairs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = entries
        .filter(|path| path.join("truth.json").exists())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{}", folder.display());
    found
}

#[test]
fn the_pairs_of_the_repository_differ_as_their_emulators_know() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/pairs");
    pairs_in(&folder).iter().for_each(|pair| check(pair));
}

#[test]
fn the_real_pairs_differ_as_their_emulators_know() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES") else {
        return println!("skipped: STEPBACK_TRACES names no folder of traces");
    };
    for folder in ["pairs", "riscv/pairs"] {
        let folder = PathBuf::from(&traces).join(folder);
        pairs_in(&folder).iter().for_each(|pair| check(pair));
    }
}
