//! Parameters of generated traces.

use std::io;
use std::io::Write;

use crate::machine::Machine;
use crate::recorder::Recorder;
use crate::{Dice, Truth};

/// Kind of program in the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Functions, loops, recursion, calls through pointers, stack and heap: per step some 125
    /// bytes, 2.2 lines, 0.9 register writes, 0.3 accesses and 0.015 calls, as in a trace of Lua.
    #[default]
    Program,
    /// Each step has a new address and touches a new block of 64 bytes, both ascending.
    Hostile,
    /// Like `Hostile`, with the blocks in random order over 2^40 bytes.
    Scattered,
    /// An endless copy of a buffer.
    Streaming,
}

/// Form of Tarmac text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// `IT` lines with a count, `MR8`, the state of all registers first.
    #[default]
    FastModels,
    /// `ES` lines, `LD` and `ST` diagrams, three steps per tick, a header and no initial state.
    Es,
}

/// Length of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// Stop after this number of steps.
    Steps(u64),
    /// Stop after the first step that reaches this number of bytes.
    Bytes(u64),
}

/// A trace to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// Kind of program.
    pub shape: Shape,
    /// Form of text.
    pub style: Style,
    /// Length of the trace.
    pub size: Size,
    /// Seed of the code and data, which are all that it changes.
    pub seed: u64,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            shape: Shape::default(),
            style: Style::default(),
            size: Size::Steps(10_000),
            seed: 1,
        }
    }
}

impl Recipe {
    /// Writes the trace. Memory: some megabytes for any size.
    ///
    /// # Errors
    /// Writing to `out` fails.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        self.run(out, None).map(|_| ())
    }

    /// Writes the trace and returns the truth about it: the state at about one of `every`
    /// positions, and about one of `every` queries with their answers. Memory: proportional to the
    /// steps.
    ///
    /// # Errors
    /// Writing to `out` fails.
    pub fn write_with_truth(&self, out: impl Write, every: u64) -> io::Result<Truth> {
        let truth = self.run(out, Some(Recorder::new(every, self.seed)))?;
        Ok(truth.unwrap_or_default())
    }

    /// Returns the trace in memory.
    pub fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let written = self.write(&mut text);
        debug_assert!(written.is_ok(), "memory takes all that is written");
        text
    }

    /// Returns the trace in memory, and the truth about it.
    pub fn text_with_truth(&self, every: u64) -> (Vec<u8>, Truth) {
        let mut text = Vec::new();
        let truth = self.write_with_truth(&mut text, every);
        debug_assert!(truth.is_ok(), "memory takes all that is written");
        (text, truth.unwrap_or_default())
    }

    fn run(&self, out: impl Write, recorder: Option<Recorder>) -> io::Result<Option<Truth>> {
        Machine::new(self, Dice(self.seed), recorder).run(self.size, out)
    }
}
