//! Recordings of programs with several files and threads: recursion, tail calls, long jumps,
//! distant code, missing files.

use std::collections::BTreeMap;

use proptest::prelude::*;
use stepback_parsers::btrace::{BranchKind, BranchRecord, BtraceOptions};
use stepback_parsers::{CodePart, ProgramFile, StepOrigin, ThreadNumber};

use super::explained::{State, direct_target};
use super::generated::{always, are_among, steps};
use super::support::{Shown, WholePath, path_with, written};

const NOP: u32 = 0x0100_0000;
const SAVE: u32 = 0x9de3_bfa0;
const RESTORE: u32 = 0x81e8_0000;
const RET: u32 = 0x81c7_e008;
const RETL: u32 = 0x81c3_e008;
const RETURN: u32 = 0x81cf_e008;
const CALL_G1: u32 = 0x9fc0_4000;
const LONGJMP: u32 = 0x81c0_8000;

/// A part of a function before its program has addresses.
#[derive(Clone, Copy, Debug)]
enum Part {
    Plain(u8),
    /// `bne` over some plain instructions.
    Skip {
        words: u8,
        is_annulling: bool,
    },
    /// `bne` back over some plain instructions.
    Loop {
        words: u8,
        is_annulling: bool,
    },
    Call(u8),
    CallRegister,
    SetJump,
    LongJump,
    /// `ba,a` over an instruction.
    Over,
    /// Two consecutive branches.
    Couple,
}

#[derive(Clone, Copy, Debug)]
enum End {
    Ret,
    Return,
    /// `call; restore`
    TailCall(u8),
    /// A function without a window, `retl`.
    Leaf,
    /// A function without a window that continues in another: `ba`.
    Jump(u8),
}

#[derive(Clone, Debug)]
struct Function {
    parts: Vec<Part>,
    end: End,
}

fn function() -> impl Strategy<Value = Function> {
    let part = prop_oneof![
        3 => (1u8..6).prop_map(Part::Plain),
        2 => (1u8..4, any::<bool>()).prop_map(|(words, is_annulling)| Part::Skip { words, is_annulling }),
        2 => (1u8..4, any::<bool>()).prop_map(|(words, is_annulling)| Part::Loop { words, is_annulling }),
        2 => any::<u8>().prop_map(Part::Call),
        1 => Just(Part::CallRegister),
        1 => Just(Part::SetJump),
        1 => Just(Part::LongJump),
        1 => Just(Part::Over),
        1 => Just(Part::Couple),
    ];
    let end = prop_oneof![
        3 => Just(End::Ret),
        2 => Just(End::Return),
        1 => any::<u8>().prop_map(End::TailCall),
        2 => Just(End::Leaf),
        1 => any::<u8>().prop_map(End::Jump),
    ];
    (proptest::collection::vec(part, 1..8), end).prop_map(|(parts, end)| Function { parts, end })
}

/// A program in memory.
#[derive(Default)]
struct Machine {
    words: BTreeMap<u64, u32>,
    functions: Vec<u64>,
    /// Targets of long jumps.
    marks: Vec<u64>,
    /// True if addresses have 32 bits.
    is_small: bool,
}

impl Machine {
    /// Distributes the functions over files that begin at these addresses.
    fn new(functions: &[Function], bases: &[u64], is_small: bool) -> Self {
        let mut machine = Self {
            is_small,
            ..Self::default()
        };
        // The first pass finds the addresses, the second encodes branches to them.
        for _ in 0..2 {
            let mut ends: Vec<u64> = bases.to_vec();
            machine.marks.clear();
            let mut starts = Vec::new();
            for (number, function) in functions.iter().enumerate() {
                let file = number % bases.len();
                starts.push(ends[file]);
                ends[file] = machine.put(function, ends[file]);
            }
            machine.functions = starts;
        }
        machine
    }

    fn put(&mut self, function: &Function, mut at: u64) -> u64 {
        let functions = std::mem::take(&mut self.functions);
        let to = |number: u8| {
            functions
                .get(usize::from(number) % functions.len().max(1))
                .copied()
                .unwrap_or(0)
        };
        let words = &mut self.words;
        let mut emit = |word: u32| {
            words.insert(at, word);
            at += 4;
            at
        };
        let call = |at: u64, to: u64| 1 << 30 | (to.wrapping_sub(at) >> 2) as u32 & 0x3fff_ffff;
        let bne = |words: i32, is_annulling: bool| {
            0x1280_0000 | u32::from(is_annulling) << 29 | words.cast_unsigned() & 0x3f_ffff
        };
        let has_window = !matches!(function.end, End::Leaf | End::Jump(_));
        let mut here = emit(if has_window { SAVE } else { NOP });
        for part in &function.parts {
            match *part {
                Part::Plain(count) => (0..count).for_each(|_| here = emit(NOP)),
                Part::Skip {
                    words,
                    is_annulling,
                } => {
                    emit(bne(i32::from(words) + 2, is_annulling));
                    (0..=words).for_each(|_| here = emit(NOP));
                }
                Part::Loop {
                    words,
                    is_annulling,
                } => {
                    (0..words).for_each(|_| here = emit(NOP));
                    emit(bne(-i32::from(words), is_annulling));
                    here = emit(NOP);
                }
                // A function without a window would lose its return address in a call.
                Part::Call(_) | Part::CallRegister if !has_window => here = emit(NOP),
                Part::Call(number) => {
                    emit(call(here, to(number)));
                    here = emit(NOP);
                }
                Part::CallRegister => {
                    emit(CALL_G1);
                    here = emit(NOP);
                }
                Part::SetJump => self.marks.push(here),
                Part::LongJump => {
                    emit(bne(3, false));
                    emit(NOP);
                    emit(LONGJMP);
                    here = emit(NOP);
                }
                Part::Over => {
                    emit(0x3080_0002);
                    here = emit(NOP);
                }
                Part::Couple => {
                    emit(0x1080_0003);
                    emit(bne(3, false));
                    emit(NOP);
                    emit(NOP);
                    here = emit(NOP);
                }
            }
        }
        let end = match function.end {
            End::Ret => [RET, RESTORE],
            End::Return => [RETURN, NOP],
            End::TailCall(number) => [call(here, to(number)), RESTORE],
            End::Leaf => [RETL, NOP],
            End::Jump(number) => {
                let distance = (to(number).wrapping_sub(here) >> 2) as u32;
                let is_near =
                    (distance << 10).cast_signed() >> 10 == (distance << 2).cast_signed() >> 2;
                if is_near {
                    [0x1080_0000 | distance & 0x3f_ffff, NOP]
                } else {
                    [RETL, NOP]
                }
            }
        };
        end.into_iter().for_each(|word| {
            emit(word);
        });
        self.functions = functions;
        at
    }

    fn files(&self, bases: &[u64]) -> Vec<ProgramFile> {
        let file = |(number, base): (usize, &u64)| {
            let end = bases
                .iter()
                .copied()
                .filter(|other| other > base)
                .min()
                .unwrap_or(u64::MAX);
            let bytes: Vec<u8> = self
                .words
                .range(base..&end)
                .flat_map(|(_, word)| word.to_be_bytes())
                .collect();
            let parts = vec![CodePart {
                address: *base,
                bytes: bytes.into(),
            }];
            ProgramFile {
                name: number.to_string(),
                entry: (number == 0).then_some(*base),
                parts,
            }
        };
        bases.iter().enumerate().map(file).collect()
    }

    /// Executes a thread from one of the functions on, controlled by `choices`.
    fn run(&self, from: u64, choices: &mut Choices, thread: u64) -> Run {
        let mut run = Run::default();
        let mut state = State::at(from);
        // The return address of this window, those of the outer windows, and both for each target
        // of long jumps.
        let (mut o7, mut windows) = (0u64, vec![0u64]);
        let mut jumps: BTreeMap<u64, (u64, Vec<u64>)> = BTreeMap::new();
        while run.path.len() < 1500 {
            let State { pc, npc, .. } = state;
            let Some(word) = self.words.get(&pc).copied() else {
                break;
            };
            if self.marks.contains(&pc) && npc == pc + 4 {
                jumps.insert(pc, (o7, windows.clone()));
            }
            let Some(kind) = BranchKind::of_word(word) else {
                run.path.push((pc, true));
                match word {
                    SAVE => {
                        windows.push(o7);
                        o7 = 0;
                    }
                    RESTORE => o7 = windows.pop().unwrap_or(0),
                    _ => {}
                }
                state = State {
                    pc: npc,
                    npc: npc + 4,
                    is_annulled: false,
                };
                continue;
            };
            let outcome = choices.next();
            let mut is_taken = always(word).unwrap_or(outcome & 1 == 1);
            let target = match (kind, word) {
                (_, RETL) => o7 + 8,
                (_, RET | RETURN) => windows.last().copied().unwrap_or(0) + 8,
                (_, LONGJMP) => {
                    // Only functions that have not been left are possible.
                    jumps.retain(|_, (_, saved)| windows.starts_with(saved));
                    let chosen = jumps.iter().nth(outcome as usize % jumps.len().max(1));
                    match chosen.map(|(to, saved)| (*to, saved.clone())) {
                        Some((to, saved)) => {
                            (o7, windows) = saved;
                            to
                        }
                        None => break,
                    }
                }
                (BranchKind::Jmpl, _) => self.functions[outcome as usize % self.functions.len()],
                _ => direct_target(word, pc).unwrap(),
            };
            let target = if self.is_small {
                target & 0xffff_ffff
            } else {
                target
            };
            if target == 8 || windows.len() > 400 && matches!(kind, BranchKind::Call) {
                break;
            }
            if word == RETURN {
                o7 = windows.pop().unwrap_or(0);
            }
            if kind == BranchKind::Call || word == CALL_G1 {
                o7 = pc;
            }
            is_taken |= always(word) == Some(true);
            run.path.push((pc, true));
            let after = state.branched(word, is_taken.then_some(target));
            run.records.push(BranchRecord {
                number: 0,
                time: None,
                pc,
                target: if is_taken { target } else { npc + 4 },
                thread,
                cpu: None,
                is_taken,
                is_annulled: Some(after.is_annulled),
                kind: Some(kind as u8),
                word: Some(word),
            });
            run.at.push(run.path.len() - 1);
            state = after;
            if after.is_annulled {
                run.path.push((after.pc, false));
                state = State {
                    pc: after.npc,
                    npc: after.npc + 4,
                    is_annulled: false,
                };
            }
            run.proven = run.path.len();
        }
        run
    }
}

/// The execution of a thread.
#[derive(Default)]
struct Run {
    records: Vec<BranchRecord>,
    path: Vec<(u64, bool)>,
    /// Index into the path of each record.
    at: Vec<usize>,
    /// Length of the path that the last record proves.
    proven: usize,
}

/// A sequence of numbers.
struct Choices(u64);

impl Choices {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }
}

/// Merges the records of all threads into a file, with equal times, and out of order as the
/// recorder's lock leaves them.
fn merged(runs: &[Run], choices: &mut Choices) -> Vec<BranchRecord> {
    let mut next = vec![0; runs.len()];
    let mut merged = Vec::new();
    let mut clocks = vec![1000u64; runs.len()];
    let mut cpus = vec![0u64; runs.len()];
    loop {
        let open: Vec<usize> = (0..runs.len())
            .filter(|thread| next[*thread] < runs[*thread].records.len())
            .collect();
        let Some(earliest) = open.iter().map(|thread| clocks[*thread]).min() else {
            return merged;
        };
        // A thread with a slightly later time may have taken the lock first.
        let near: Vec<usize> = open
            .into_iter()
            .filter(|thread| clocks[*thread] <= earliest + 3)
            .collect();
        let thread = near[choices.next() as usize % near.len()];
        if choices.next().is_multiple_of(16) {
            cpus[thread] = choices.next() % 4;
        }
        let record = runs[thread].records[next[thread]];
        merged.push(BranchRecord {
            time: Some(clocks[thread]),
            cpu: Some(cpus[thread]),
            ..record
        });
        next[thread] += 1;
        clocks[thread] += choices.next() % 3;
    }
}

fn of_thread(path: &WholePath, thread: usize) -> WholePath {
    let name = (thread + 1).to_string();
    let is_of = |(number, ..): &&(ThreadNumber, Shown, StepOrigin)| {
        path.names[usize::from(number.0)] == name
    };
    WholePath {
        shown: path.shown.iter().filter(is_of).cloned().collect(),
        ..WholePath::default()
    }
}

/// A program of three files, small or large, and the executions of its threads.
struct Scene {
    machine: Machine,
    bases: Vec<u64>,
    runs: Vec<Run>,
    choices: Choices,
}

impl Scene {
    fn new(functions: &[Function], seed: u64, is_small: bool) -> Self {
        let bases = if is_small {
            vec![0x1_0000, 0xff3a_0000, 0xff00_0000]
        } else {
            vec![0x10_0000, 0x100_0000, 0x4000_0000]
        };
        let machine = Machine::new(functions, &bases, is_small);
        let mut choices = Choices(seed | 1);
        let starts: Vec<u64> = [machine.functions[0]]
            .into_iter()
            .chain(machine.functions.iter().copied().take(3))
            .collect();
        let runs = starts
            .iter()
            .zip(1..)
            .map(|(start, thread)| machine.run(*start, &mut choices, thread))
            .collect();
        Self {
            machine,
            bases,
            runs,
            choices,
        }
    }

    fn path(&mut self, records: &[BranchRecord], missing: Option<usize>) -> WholePath {
        let mut program = self.machine.files(&self.bases);
        missing
            .into_iter()
            .for_each(|missing| drop(program.remove(missing)));
        path_with(
            written(records),
            BtraceOptions {
                program,
                layout: None,
            },
        )
        .0
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn the_paths_of_threads_through_several_files_come_back(
        functions in proptest::collection::vec(function(), 3..9), seed in any::<u64>(), is_small in any::<bool>(),
    ) {
        let mut scene = Scene::new(&functions, seed, is_small);
        let records = merged(&scene.runs, &mut scene.choices);
        prop_assume!(!records.is_empty());
        let path = scene.path(&records, None);
        prop_assert_eq!(&path.problems, &Vec::<String>::new());
        prop_assert!(path.times.iter().flatten().is_sorted());
        for (thread, run) in scene.runs.iter().enumerate().filter(|(_, run)| !run.records.is_empty()) {
            let path = of_thread(&path, thread);
            prop_assert_eq!(path.gaps(), vec![]);
            let shown = steps(&path);
            // If a thread does not begin at the program's entry, its path is known from its first
            // record on.
            let start = run.path.len() - if shown[0].0 == run.path[0] { run.path.len() } else { run.path.len() - run.at[0] };
            let found: Vec<_> = shown.iter().map(|(step, _)| *step).collect();
            let proven = &run.path[start..run.proven];
            prop_assert_eq!(&found[..proven.len().min(found.len())], proven);
            prop_assert!(shown[proven.len()..].iter().all(|(_, is_certain)| !is_certain));
        }
    }

    #[test]
    fn where_a_file_is_missing_its_instructions_are_gaps_and_the_others_are_there(
        functions in proptest::collection::vec(function(), 3..9), seed in any::<u64>(), is_small in any::<bool>(), missing in 1usize..3,
    ) {
        let mut scene = Scene::new(&functions, seed, is_small);
        let records = merged(&scene.runs, &mut scene.choices);
        prop_assume!(!records.is_empty());
        let bases = scene.bases.clone();
        let file_of = |pc: u64| bases.iter().copied().filter(|base| *base <= pc).max();
        let is_there = |pc: u64| file_of(pc) != Some(bases[missing]);
        prop_assume!(records.iter().filter(|record| is_there(record.pc)).count() * 2 > records.len());
        let path = scene.path(&records, Some(missing));
        prop_assert_eq!(&path.problems, &Vec::<String>::new());
        for (thread, run) in scene.runs.iter().enumerate().filter(|(_, run)| !run.records.is_empty()) {
            let path = of_thread(&path, thread);
            let certain: Vec<_> = steps(&path).into_iter().filter(|(_, is_certain)| *is_certain).map(|(step, _)| step).collect();
            prop_assert!(are_among(&certain, &run.path), "{:x?} of {:x?}", certain, run.path);
            // Between two records within known code, all steps are shown.
            let known: Vec<_> = run.at.windows(2).filter(|pair| run.path[pair[0]..=pair[1]].iter().all(|(pc, _)| is_there(*pc))).collect();
            let expected: usize = known.iter().map(|pair| pair[1] - pair[0]).sum();
            let shown = steps(&path).len();
            prop_assert!(shown >= expected, "{} steps of at least {}", shown, expected);
            let recorded = path.shown.iter().filter(|(_, _, origin)| *origin == StepOrigin::Recorded);
            let recorded = recorded.filter(|(_, shown, _)| matches!(shown, Shown::Step { .. })).count();
            prop_assert_eq!(recorded, run.records.len());
        }
    }

    #[test]
    fn returns_without_records_are_found_through_several_files(
        functions in proptest::collection::vec(function(), 3..9), seed in any::<u64>(),
    ) {
        let mut scene = Scene::new(&functions, seed, false);
        scene.runs.truncate(1);
        let mut records = merged(&scene.runs, &mut scene.choices);
        let is_recorded = |record: &BranchRecord| record.kind != Some(BranchKind::Return as u8);
        records.retain(is_recorded);
        prop_assume!(!records.is_empty());
        let path = scene.path(&records, None);
        let run = &scene.runs[0];
        let certain: Vec<_> = steps(&path).into_iter().filter(|(_, is_certain)| *is_certain).map(|(step, _)| step).collect();
        prop_assert!(are_among(&certain, &run.path));
        // A jump out of many calls may leave more frames than are examined.
        let has_jumps = functions.iter().any(|function| function.parts.iter().any(|part| matches!(part, Part::LongJump)));
        prop_assert!(has_jumps || path.gaps().is_empty(), "{:?}", path.gaps());
    }
}
