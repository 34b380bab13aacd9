//! What to generate.

use std::io::{self, Write};

use crate::machine::Machine;
use crate::recorder::Recorder;
use crate::{Dice, Truth};

/// What kind of program the trace shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Functions, loops, recursion, calls through pointers, stack and heap:
    /// per step some 125 bytes, 2.2 lines, 0.9 register writes, 0.3 accesses and 0.015 calls, as in a trace of Lua.
    #[default]
    Program,
    /// Each step is at an address of its own and touches a block of 64 bytes of its own, both upwards.
    Hostile,
    /// The same with the blocks in no order, all over 2^40 bytes.
    Scattered,
    /// A copy of a buffer without end.
    Streaming,
}

/// Which form of Tarmac.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// `IT` lines with a count, `MR8`, the state of all registers first.
    #[default]
    FastModels,
    /// `ES` lines, `LD` and `ST` diagrams, three steps a tick, a header and no state.
    Es,
}

/// Where to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// After so many steps.
    Steps(u64),
    /// After the first step that reaches so many bytes.
    Bytes(u64),
}

/// A trace to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// What kind of program.
    pub shape: Shape,
    /// Which form of text.
    pub style: Style,
    /// How long.
    pub size: Size,
    /// Recipes that differ in this alone differ in code and data.
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
    /// Writes the trace. Memory: some megabytes, whatever the size.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        self.run(out, None).map(|_| ())
    }

    /// Writes the trace, and tells what is true of it: the state at about one of `every` positions,
    /// and about one of `every` questions with their answers. Memory: a share of the steps.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_with_truth(&self, out: impl Write, every: u64) -> io::Result<Truth> {
        let truth = self.run(out, Some(Recorder::new(every, self.seed)))?;
        Ok(truth.unwrap_or_default())
    }

    /// The trace in memory.
    pub fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let written = self.write(&mut text);
        debug_assert!(written.is_ok(), "memory takes all that is written");
        text
    }

    /// The trace in memory, and what is true of it.
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
