//! Recordings with flipped bits, and with dropped, duplicated, swapped or moved records.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use stepback_parsers::btrace::{BranchKind, BranchLayout, BranchRecord};
use stepback_parsers::{ProgramFile, StepOrigin};

use super::explained::{Image, after_slots, explain};
use super::generated::are_among;
use super::support::{Shown, WholePath, content, fixture, path_of, program};

/// Size of a record in bytes.
const RECORD: usize = 40;

/// A change of a recording. Indexes wrap around at its end.
#[derive(Clone, Debug)]
enum Change {
    Flip { at: usize, bit: usize },
    Drop { at: usize },
    Double { at: usize, to: usize },
    Swap { at: usize, with: usize },
    Move { at: usize, to: usize },
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let at = || 0usize..1 << 16;
    let change = prop_oneof![
        4 => (at(), 0..8 * RECORD).prop_map(|(at, bit)| Change::Flip { at, bit }),
        1 => at().prop_map(|at| Change::Drop { at }),
        1 => (at(), at()).prop_map(|(at, to)| Change::Double { at, to }),
        1 => at().prop_map(|at| Change::Double { at, to: at + 1 }),
        1 => (at(), at()).prop_map(|(at, with)| Change::Swap { at, with }),
        1 => at().prop_map(|at| Change::Swap { at, with: at + 1 }),
        1 => (at(), at()).prop_map(|(at, to)| Change::Move { at, to }),
    ];
    proptest::collection::vec(change, 1..4)
}

/// A record, and its index in the original recording if it is unchanged.
#[derive(Clone, Debug)]
struct Kept {
    bytes: Vec<u8>,
    whole: Option<usize>,
}

impl Change {
    fn apply(&self, records: &mut Vec<Kept>) {
        let count = records.len();
        match *self {
            _ if count == 0 => {}
            Self::Flip { at, bit } => {
                let record = &mut records[at % count];
                record.bytes[bit / 8] ^= 1 << (bit % 8);
                record.whole = None;
            }
            Self::Drop { at } => drop(records.remove(at % count)),
            Self::Double { at, to } => {
                let record = records[at % count].clone();
                records.insert(to % count, record);
            }
            Self::Swap { at, with } => records.swap(at % count, with % count),
            Self::Move { at, to } => {
                let record = records.remove(at % count);
                records.insert(to % count, record);
            }
        }
    }
}

/// A recording and its complete path.
struct Sample {
    records: Vec<Kept>,
    program: ProgramFile,
    words: BTreeMap<u64, u32>,
    after: BTreeMap<u64, BTreeSet<u64>>,
    /// Steps after each record up to the next of its thread, by record number.
    golden: BTreeMap<usize, Vec<(u64, bool)>>,
    /// Number of the next record of the thread, by record number.
    next: BTreeMap<usize, usize>,
    /// A record of another thread, which proves that the recorder records each `return`.
    shows_returns: Option<Kept>,
}

/// Groups the indexes of the records by thread.
fn of_threads(records: &[Kept]) -> BTreeMap<u64, Vec<usize>> {
    let mut threads: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let layout = BranchLayout::own(0);
    for (place, record) in records.iter().enumerate() {
        threads
            .entry(layout.read(1, &record.bytes).thread)
            .or_default()
            .push(place);
    }
    threads
}

/// Splits the steps of a thread after each of its records (0: before the first), with a flag for
/// certain steps.
fn pieces(path: &WholePath, thread: &str) -> Vec<Vec<((u64, bool), bool)>> {
    let mut pieces = vec![Vec::new()];
    for (number, shown, origin) in &path.shown {
        let Shown::Step { pc, is_executed } = shown else {
            continue;
        };
        if path.names[usize::from(number.0)] != thread {
            continue;
        }
        if *origin == StepOrigin::Recorded {
            pieces.push(Vec::new());
        }
        pieces
            .last_mut()
            .unwrap()
            .push(((*pc, *is_executed), *origin != StepOrigin::Inferred));
    }
    pieces
}

impl Sample {
    fn new(name: &str, elf: &str) -> Self {
        let program = program(&fixture(elf));
        let bytes = content(&fixture(name));
        let whole = |(place, bytes): (usize, &[u8])| Kept {
            bytes: bytes.to_vec(),
            whole: Some(place),
        };
        let records: Vec<Kept> = bytes.chunks_exact(RECORD).enumerate().map(whole).collect();
        let path = path_of(bytes, program.clone());
        let (mut golden, mut next) = (BTreeMap::new(), BTreeMap::new());
        for (thread, places) in of_threads(&records) {
            let pieces = pieces(&path, &thread.to_string());
            assert_eq!(pieces.len(), places.len() + 1);
            let steps = |piece: &Vec<((u64, bool), bool)>| {
                piece.iter().map(|(step, _)| *step).collect::<Vec<_>>()
            };
            golden.extend(places.iter().copied().zip(pieces[1..].iter().map(steps)));
            next.extend(places.windows(2).map(|pair| (pair[0], pair[1])));
        }
        let words_of = |part: &stepback_parsers::CodePart| {
            let words = part
                .bytes
                .chunks_exact(4)
                .map(|bytes| u32::from_be_bytes(bytes.try_into().unwrap()));
            words.collect::<Vec<_>>()
        };
        let part = &program.parts[0];
        let text = words_of(part);
        let after = after_slots(part.address, &text);
        let words = (part.address..).step_by(4).zip(text).collect();
        let shows_returns = records
            .iter()
            .find(|record| record.bytes[31] == BranchKind::Return as u8)
            .map(|record| {
                let mut bytes = record.bytes.clone();
                bytes[..8].copy_from_slice(&1u64.to_be_bytes());
                bytes[24..28].copy_from_slice(&u32::MAX.to_be_bytes());
                Kept { bytes, whole: None }
            });
        Self {
            records,
            program,
            words,
            after,
            golden,
            next,
            shows_returns,
        }
    }

    fn check(&self, changes: &[Change]) -> Result<(), TestCaseError> {
        let mut records = self.records.clone();
        changes.iter().for_each(|change| change.apply(&mut records));
        records.splice(0..0, self.shows_returns.clone());
        let bytes: Vec<u8> = records
            .iter()
            .flat_map(|record| record.bytes.iter().copied())
            .collect();
        let path = path_of(bytes, self.program.clone());
        let refused: BTreeSet<usize> = path
            .problems
            .iter()
            .filter_map(|problem| refused(problem))
            .collect();
        let layout = BranchLayout::own(0);
        let image = Image {
            word_at: &|pc| self.words.get(&pc).copied(),
            entry: self.program.entry.unwrap(),
            after: &|pc| self.after.get(&pc).cloned().unwrap_or_default(),
        };
        for (thread, places) in of_threads(&records) {
            let shown: Vec<usize> = places
                .iter()
                .copied()
                .filter(|place| !refused.contains(place))
                .collect();
            let stated: Vec<BranchRecord> = shown
                .iter()
                .map(|place| layout.read(1, &records[*place].bytes))
                .collect();
            let explained = explain(&image, &path, &thread.to_string(), &stated);
            prop_assert!(
                explained.is_ok(),
                "thread {thread}: {}\n{:x?}",
                explained.unwrap_err(),
                path.shown
            );
            self.check_untouched(&records, &shown, &pieces(&path, &thread.to_string()))?;
        }
        Ok(())
    }

    /// Checks that the path between unchanged neighbouring records is the recorded one.
    fn check_untouched(
        &self,
        records: &[Kept],
        places: &[usize],
        pieces: &[Vec<((u64, bool), bool)>],
    ) -> Result<(), TestCaseError> {
        let wholes: Vec<_> = places.iter().map(|place| records[*place].whole).collect();
        let follow = |pair: &[Option<usize>]| {
            pair[1].is_some()
                && pair[0].is_some_and(|first| self.next.get(&first).copied() == pair[1])
        };
        for (around, piece) in wholes.windows(3).zip(pieces.iter().skip(2)) {
            if around.windows(2).all(follow) {
                let golden = &self.golden[&around[1].unwrap()];
                let certain: Vec<_> = piece
                    .iter()
                    .filter(|(_, is_certain)| *is_certain)
                    .map(|(step, _)| *step)
                    .collect();
                prop_assert!(are_among(&certain, golden), "{certain:x?} of {golden:x?}");
            }
        }
        Ok(())
    }
}

/// Returns the number of a record that contradicts the program.
fn refused(problem: &str) -> Option<usize> {
    let (number, what) = problem.strip_prefix("record ")?.split_once(": ")?;
    what.contains("contradicts the program")
        .then(|| number.parse::<usize>().ok()?.checked_sub(1))?
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_is_shown_of_corrupted_recordings_is_their_path_or_what_the_changed_records_tell(changes in changes()) {
        thread_local!(static SAMPLES: [Sample; 4] = [
            Sample::new("hello.btf", "hello.elf"),
            Sample::new("hello_gap.btf", "hello.elf"),
            Sample::new("cti.btf", "cti.elf"),
            Sample::new("hello_mt.btf.zst", "hello.elf"),
        ]);
        SAMPLES.with(|samples| samples.iter().try_for_each(|sample| sample.check(&changes)))?;
    }
}
