//! Compares the index of drmemtrace traces with the oracle: samples of the generator, and random
//! programs.

use std::sync::Arc;

use proptest::prelude::*;
use stepback_generator::drmemtrace::{
    Architecture, Container, Records, Sample, TraceRecipe, TraceWriter, file_type, kind, marker,
};
use stepback_index::Cancel;
use stepback_index::answer::{Program, ThreadId};
use stepback_index::build::with_images;
use stepback_index::oracle::Oracle;
use stepback_index::query::{FindMarkers, FindText, LastMarkers, NextMarker};
use stepback_machine::Address;
use stepback_parsers::drmemtrace::Drmemtrace;
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::{MarkerKind, Position, Source, TraceFile};

use crate::support::compare::{Comparison, Things, index_of};
use crate::support::dice::Dice;

/// The queries of [`Comparison::ask_of_kind`] that need neither lines nor register values, which
/// are inferred.
const KINDS: [u64; 12] = [2, 4, 6, 8, 9, 12, 15, 17, 18, 19, 21, 23];

/// Addresses of the code and data of random programs.
const CODE: u64 = 0x40_1000;
const DATA: u64 = 0x60_0000;

/// x86 instructions, and bytes that are not instructions.
const INSTRUCTIONS: [&[u8]; 8] = [
    b"\x90",
    b"\x31\xc0",
    b"\x48\x89\xd8",
    b"\x48\x8d\x41\x08",
    b"\xb9\x03\0\0\0",
    b"\x06",
    b"\x48\xc7\x84\x24\x80\0\0\0\x01\0\0\0",
    b"\x48\x8b\x02",
];

fn open(files: Vec<(String, Vec<u8>)>) -> Arc<dyn Source> {
    let file = |(name, bytes)| TraceFile {
        name,
        data: Arc::new(bytes),
    };
    let trace = Drmemtrace::open(
        files.into_iter().map(file).collect(),
        CacheFileOptions::default(),
    )
    .unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    Arc::new(trace)
}

/// Compares indexes of a trace, built with different segment sizes, with the oracle.
fn check(name: &str, source: &Arc<dyn Source>, segment_steps: &[u64], questions: u64, seed: u64) {
    let program = if seed.is_multiple_of(2) {
        program()
    } else {
        Program::default()
    };
    let oracle = Oracle::of(source.as_ref())
        .unwrap()
        .with_program(program.clone());
    let things = Things::of(&oracle);
    for (number, steps) in segment_steps.iter().enumerate() {
        let index = index_of(source, 16 * steps, 1 + number % 3);
        let index = with_images(index, program.clone(), &Cancel::default());
        let name = format!("{name}, seed {seed}, segments of {steps} steps");
        let comparison = Comparison {
            index,
            oracle: &oracle,
            things: &things,
            name,
        };
        comparison.whole();
        let mut dice = Dice(seed);
        for _ in 0..questions {
            comparison.ask_of_kind(dice.pick(&KINDS).unwrap(), &mut dice);
            ask_markers(&comparison, &mut dice);
            ask_text(&comparison, &mut dice);
            comparison.ask_why(&mut dice.clone());
        }
    }
}

/// Returns a program with known instructions at some addresses of random traces.
fn program() -> Program {
    let mut program = Program::default();
    let code: Vec<u8> = INSTRUCTIONS
        .iter()
        .cycle()
        .take(40)
        .flat_map(|bytes| bytes.iter().copied())
        .collect();
    program.load_constant(Address(CODE), code.into(), 0x400);
    program.load(Address(DATA), [7; 64].into(), 0x80);
    program
}

fn ask_markers(comparison: &Comparison<'_>, dice: &mut Dice) {
    const KINDS: [u16; 9] = [0, 1, 2, 3, 12, 25, 33, 40, 99];
    let kinds: Vec<_> = (0..dice.below(3))
        .map(|_| MarkerKind(dice.pick(&KINDS).unwrap()))
        .collect();
    let thread = Some(ThreadId(dice.below(4) as u16)).filter(|_| dice.one_in(2));
    let steps = comparison.index.step_count();
    let position = |dice: &mut Dice| Position(dice.below(steps + 2));
    let (from, to, limit) = (position(dice), position(dice), dice.below(20) as usize);
    comparison.agree(FindMarkers {
        kinds: kinds.clone(),
        thread,
        from,
        to,
        limit,
    });
    comparison.agree(NextMarker {
        kinds: kinds.clone(),
        from,
    });
    comparison.agree(LastMarkers {
        kinds,
        thread,
        at: position(dice),
    });
}

fn ask_text(comparison: &Comparison<'_>, dice: &mut Dice) {
    const PATTERNS: [&str; 16] = [
        "mov",
        "^mov",
        "not recorded",
        "ifetch",
        "read .*0x",
        r"\(taken\)",
        "W0.T101",
        "<marker: syscall ",
        "exited",
        r"48 8b",
        "byte$",
        "^$",
        "$",
        "nowhere",
        r"^ +\d+ +1\d*:",
        r"timestamp \d+>$",
    ];
    let pattern = dice.pick(&PATTERNS).unwrap().parse().unwrap();
    let from = Position(dice.below(comparison.index.step_count() + 2));
    let thread = comparison.whose(dice);
    comparison.agree(FindText {
        what: pattern,
        thread,
        from,
        limit: dice.below(4) as usize,
    });
}

#[test]
fn samples_give_the_answers_of_the_oracle() {
    let plain = Architecture::ALL.map(|architecture| Sample::Plain(7, architecture));
    let old = (1..7).map(|version| Sample::Plain(version, Architecture::X86_64));
    for sample in Sample::SPECIAL.into_iter().chain(plain).chain(old) {
        for (seed, container) in [(1, Container::Zip), (2, Container::Gzip)] {
            let files = sample
                .files(container)
                .into_iter()
                .map(|file| (file.name, file.bytes))
                .collect();
            check(
                &format!("{sample:?} {container:?}"),
                &open(files),
                &[1, 5, 30, 1 << 20],
                60,
                seed,
            );
        }
    }
}

/// Writes the steps of a thread of a random program: few addresses, so that they collide.
struct Thread<'a> {
    dice: &'a mut Dice,
    writer: TraceWriter,
    pc: u64,
    time: u64,
}

impl Thread<'_> {
    fn run(&mut self, steps: u64) {
        for _ in 0..steps {
            match self.dice.below(24) {
                0 => self.system_call(),
                1 => self.signal(),
                2 => self.repeat(),
                3 => self.writer.marker(marker::CORE_IDLE, 0),
                4 => self.marker(),
                5 => self.branch(),
                _ => self.step(),
            }
        }
    }

    fn time(&mut self) {
        self.time += self.dice.below(20);
        self.writer.time(self.time, self.dice.below(3));
    }

    /// Returns the code at the current address, usually the same bytes each time.
    fn bytes(&mut self) -> &'static [u8] {
        let place = if self.dice.one_in(9) {
            self.dice.below(8)
        } else {
            self.pc % 8
        };
        INSTRUCTIONS.get(place as usize).unwrap()
    }

    fn step(&mut self) {
        let bytes = self.bytes();
        self.writer.instruction(self.pc, bytes);
        self.pc += bytes.len() as u64;
        if self.pc > CODE + 0x200 {
            self.pc = CODE;
        }
        self.accesses();
    }

    fn accesses(&mut self) {
        let address = DATA + self.dice.below(100);
        let size = self.dice.pick(&[1, 2, 4, 8, 16, 64, 200]).unwrap();
        match self.dice.below(5) {
            0 => self.writer.read(address, size),
            1 => self.writer.write(address, size),
            2 => {
                self.writer.read(address, 8);
                self.writer.write(address, 8);
            }
            _ => {}
        }
    }

    fn branch(&mut self) {
        const KINDS: [u16; 7] = [
            kind::JUMP,
            kind::TAKEN_JUMP,
            kind::CALL,
            kind::INDIRECT_CALL,
            kind::RETURN,
            kind::INDIRECT_JUMP,
            kind::CONDITIONAL_JUMP,
        ];
        let (branch, target) = (
            self.dice.pick(&KINDS).unwrap(),
            CODE + 4 * self.dice.below(40),
        );
        self.writer
            .branch(branch, self.pc, b"\x75\xfc", Some(target));
        match branch {
            kind::CALL | kind::INDIRECT_CALL => {
                self.writer.write(DATA + 0x1000 + self.dice.below(64), 8)
            }
            kind::RETURN => self.writer.read(DATA + 0x1000 + self.dice.below(64), 8),
            _ => {}
        }
        self.pc = target;
    }

    fn repeat(&mut self) {
        self.writer.instruction(self.pc, b"\xf3\xaa");
        for round in 0..self.dice.below(5) {
            if round > 0 {
                self.writer.round(self.pc, 2);
            }
            self.writer.write(DATA + round, 1);
        }
        self.pc += 2;
    }

    fn system_call(&mut self) {
        self.writer.instruction(self.pc, b"\x0f\x05");
        self.pc += 2;
        self.time();
        // read, write, open, close, stat, mmap and munmap.
        let number = self.dice.pick(&[0, 1, 2, 3, 4, 9, 11]).unwrap();
        self.writer.marker(marker::SYSTEM_CALL, number);
        self.writer.marker(marker::MAYBE_BLOCKING, 0);
        if self.dice.one_in(2) {
            self.time();
        }
    }

    fn signal(&mut self) {
        self.writer.marker(marker::KERNEL_EVENT, self.pc);
        self.writer.marker(marker::SIGNAL, 10 + self.dice.below(2));
        let back = std::mem::replace(&mut self.pc, CODE + 0x100);
        self.step();
        if !self.dice.one_in(4) {
            self.writer.marker(marker::KERNEL_TRANSFER, self.pc);
            self.pc = back;
        }
    }

    fn marker(&mut self) {
        let sort = self
            .dice
            .pick(&[4, 5, 6, 7, 11, 14, 15, 17, 46, 77])
            .unwrap();
        self.writer.marker(sort, DATA + self.dice.below(9));
    }
}

/// Returns a trace of some threads, sometimes without encodings, sometimes in chunks.
fn random_trace(dice: &mut Dice, steps: u64) -> Arc<dyn Source> {
    let default = TraceRecipe::default();
    let encodings = if dice.one_in(3) {
        file_type::ENCODINGS
    } else {
        0
    };
    let chunk_instructions = if dice.one_in(2) {
        1 + dice.below(40)
    } else {
        0
    };
    let container = if chunk_instructions > 0 {
        Container::ZipStored
    } else {
        Container::Plain
    };
    let recipe = TraceRecipe {
        version: 2 + dice.below(6),
        file_type: default.file_type & !encodings,
        chunk_instructions,
        ..default
    };
    let threads = 1 + dice.below(4);
    let files = (0..threads).map(|number| {
        let writer = TraceWriter::new(TraceRecipe {
            tid: 100 + number,
            ..recipe
        });
        let mut thread = Thread {
            writer,
            pc: CODE,
            time: 1 << 50,
            dice,
        };
        thread.time();
        thread.run(steps / threads);
        let records: Records = if thread.dice.one_in(5) {
            thread.writer.stop()
        } else {
            thread.writer.finish()
        };
        (format!("app.{number}"), records.pack(container))
    });
    open(files.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn random_programs_give_the_answers_of_the_oracle(steps in 0u64..300, seed: u64) {
        let source = random_trace(&mut Dice(seed), steps);
        check("random", &source, &[1, 7, 60, 1 << 20], 15, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5))]

    #[test]
    fn long_random_programs_give_the_answers_of_the_oracle(steps in 2000u64..5000, seed: u64) {
        let source = random_trace(&mut Dice(seed), steps);
        check("long random", &source, &[300, 1 << 20], 30, seed);
    }
}

#[test]
fn a_program_whose_interrupted_call_shows_others_to_be_over_gives_the_answers_of_the_oracle() {
    let seed = 13_632_675_778_800_838_768;
    check(
        "random",
        &random_trace(&mut Dice(seed), 216),
        &[1, 7, 60, 1 << 20],
        15,
        seed,
    );
}
