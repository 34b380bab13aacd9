//! Thousands of threads that take turns on one core in random order, to measure costs that grow
//! with their number.

use std::io;
use std::io::{BufWriter, Write};

use crate::Dice;
use crate::drmemtrace::{Records, TraceRecipe, TraceWriter, file_type};

/// Threads that take turns of some hundred steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Crowd {
    /// Number of threads.
    pub threads: u64,
    /// Approximate number of steps of all threads together.
    pub steps: u64,
    /// Seed of the order of turns, which is all that it changes.
    pub seed: u64,
}

/// Number of steps in a round of a thread: it calls a function that stores and loads.
const ROUND: u64 = 8;
/// Number of steps in a round in drmemtrace, where each round ends with a system call.
const RECORDED_ROUND: u64 = 16;
/// Maximum number of rounds in a turn.
const ROUNDS: u64 = 32;
const CODE: u64 = 0x1_0000;
const FUNCTION: u64 = 0x2_0000;
const DATA: u64 = 0x1000_0000;
/// Size of a page in bytes. Each thread has its stack and data in a separate page; all threads
/// share the first.
const PAGE: u64 = 4096;
const TIME: u64 = 13_400_000_000_000_000;

impl Crowd {
    /// Writes a Tarmac trace in which each thread is a core, `cpu0` and so on: some 90 bytes per
    /// step.
    ///
    /// # Errors
    /// Writing to `out` fails.
    pub fn write_tarmac(&self, out: impl Write) -> io::Result<()> {
        let (mut out, mut dice, mut step) =
            (BufWriter::with_capacity(1 << 20, out), Dice(self.seed), 0);
        let mut rounds = vec![0; self.threads.max(1) as usize];
        while step < self.steps {
            let thread = dice.below(rounds.len() as u64);
            for _ in 0..=dice.below(ROUNDS) {
                let round = &mut rounds[thread as usize];
                write_round(&mut out, step, thread, *round)?;
                (step, *round) = (step + ROUND, *round + 1);
            }
        }
        out.flush()
    }

    /// Returns the records of one drmemtrace file, of a core that all threads share. Memory: some
    /// 40 bytes per step.
    pub fn records(&self) -> Records {
        let file_type = TraceRecipe::default().file_type | file_type::CORE_SHARDED;
        let mut writer = TraceWriter::new(TraceRecipe {
            file_type,
            ..TraceRecipe::default()
        });
        let (mut dice, mut steps, mut turns) = (Dice(self.seed), 0, 0);
        let mut has_begun = vec![false; self.threads.max(1) as usize];
        while steps < self.steps {
            let number = dice.below(has_begun.len() as u64);
            let tid = 100 + number;
            writer.thread(tid, 100);
            if !std::mem::replace(&mut has_begun[number as usize], true) {
                writer.header(tid, 100);
            }
            turns += 1;
            writer.time((TIME + 1000 * turns).max(writer.last_time()), 0);
            let rounds = 1 + dice.below(ROUNDS / 2);
            writer.run(rounds);
            steps += rounds * RECORDED_ROUND;
        }
        writer.finish()
    }
}

/// Writes the lines of a round that begins with a step.
fn write_round(out: &mut impl Write, step: u64, thread: u64, round: u64) -> io::Result<()> {
    let code = CODE + 0x40 * (round % 16);
    let own = DATA + PAGE * (thread + 1) + 8 * (round % 256);
    let shared = DATA + 8 * (round * 7 % 512);
    let steps = [
        (code, 0xd280_0020u32, format!("R X1 {round:016x}")),
        (code + 4, 0x9400_1000, format!("R X30 {:016x}", code + 8)),
        (
            FUNCTION,
            0xd101_03ff,
            format!("R SP_EL0 {:016x}", DATA + PAGE * (thread + 2) - 0x40),
        ),
        (
            FUNCTION + 4,
            0xf900_0001,
            format!("MW8 {own:08x} 00000000_{:08x}", round as u32),
        ),
        (
            FUNCTION + 8,
            0xf940_0002,
            format!("MR8 {shared:08x} 00000000_00000000"),
        ),
        (
            FUNCTION + 12,
            0x9101_03ff,
            format!("R SP_EL0 {:016x}", DATA + PAGE * (thread + 2)),
        ),
        (FUNCTION + 16, 0xd65f_03c0, String::new()),
        (code + 8, 0x1400_0002, String::new()),
    ];
    for ((pc, opcode, effect), time) in steps.into_iter().zip(step + 1..) {
        writeln!(
            out,
            "{time} clk cpu{thread} IT ({time}) {pc:08x} {opcode:08x} O EL0t_n : NOP"
        )?;
        if !effect.is_empty() {
            writeln!(out, "{time} clk cpu{thread} {effect}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_writes_the_same_each_time_and_as_many_steps_as_it_should() {
        let crowd = Crowd {
            threads: 5,
            steps: 10_000,
            seed: 3,
        };
        let [text, again] = [(), ()].map(|()| {
            let mut text = Vec::new();
            crowd.write_tarmac(&mut text).unwrap();
            String::from_utf8(text).unwrap()
        });
        assert_eq!(text, again);
        let steps = text.lines().filter(|line| line.contains(" IT ")).count();
        assert!((10_000..10_000 + 8 * 33).contains(&steps), "{steps}");
        assert!((0..5).all(|thread| text.contains(&format!(" cpu{thread} IT "))));
        let truth = crowd.records().truth;
        assert!((10_000..11_000).contains(&truth.instructions), "{truth:?}");
    }
}
