//! The frame in which a step by lines begins, with the inlined functions around it ([`StepFrame`]).
//!
//! As in gdb, an inlined function is a frame inside the one that calls it. The code of a deeper
//! inlined function counts for the line of its call, and a step may stop where it begins: the
//! function is then not entered yet.

use std::sync::Arc;

use stepback_index::answer::CallId;
use stepback_machine::Address;

use crate::image::{Images, InlineSite, SourceLine};

/// A source file and line.
pub type SourcePlace = (Arc<str>, u32);

/// A frame of the call stack, or an inlined function in one.
#[derive(Clone, Debug, Default)]
pub struct StepFrame {
    call: Option<CallId>,
    /// Calls of the inlined functions, outermost first.
    sites: Vec<InlineSite>,
}

/// An instruction of a frame of the call stack.
pub struct FrameCode {
    pub call: Option<CallId>,
    pub pc: Address,
    pub line: Arc<SourceLine>,
}

/// An instruction as a frame sees it.
pub struct SeenCode {
    /// Line of the instruction, or of the call in the frame that leads to it.
    pub place: SourcePlace,
    /// Number of inlined functions between the frame and the instruction.
    pub inner: usize,
    /// Number of these functions that begin with the instruction.
    pub begun: usize,
    /// A debugger stops here: at a statement, or where the inlined functions begin.
    pub is_stop: bool,
}

impl FrameCode {
    /// Returns the frame of the instruction, without some of the innermost inlined functions.
    pub fn frame(&self, hidden: usize) -> StepFrame {
        let sites = self.line.inlined_at.iter().skip(hidden).rev();
        StepFrame {
            call: self.call,
            sites: sites.cloned().collect(),
        }
    }

    /// Returns the line of the instruction.
    pub fn place(&self) -> SourcePlace {
        (Arc::clone(&self.line.file), self.line.line)
    }

    /// Returns the number of inlined functions, counted from the innermost one, that begin with the
    /// instruction.
    fn begun(&self, images: &Images) -> usize {
        let before = images.source_at(Address(self.pc.0.wrapping_sub(1)));
        let around = before.as_ref().map_or(&[][..], |line| &line.inlined_at);
        self.line.inlined_at.len() - common(&self.line.inlined_at, around.iter().rev())
    }
}

/// Returns the number of calls, innermost first, that two instructions share from the outermost on.
fn common<'a>(sites: &[InlineSite], others: impl Iterator<Item = &'a InlineSite>) -> usize {
    let outward = sites.iter().rev().zip(others);
    outward.take_while(|(one, other)| one == other).count()
}

impl StepFrame {
    /// Returns an instruction as this frame sees it. In another frame of the call stack, inlined
    /// functions are entered.
    pub fn sees(&self, code: &FrameCode, images: &Images) -> SeenCode {
        let line = &code.line;
        let inner = match self.call == code.call {
            true => line.inlined_at.len() - common(&line.inlined_at, self.sites.iter()),
            false => 0,
        };
        let site = inner
            .checked_sub(1)
            .and_then(|outer| line.inlined_at.get(outer));
        match site {
            Some(site) => {
                let begun = code.begun(images);
                SeenCode {
                    place: (Arc::clone(&site.file), site.line),
                    inner,
                    begun: begun.min(inner),
                    is_stop: begun >= inner,
                }
            }
            None => SeenCode {
                place: code.place(),
                inner: 0,
                begun: 0,
                is_stop: line.is_statement,
            },
        }
    }

    /// Returns the frame of the call stack.
    pub fn call(&self) -> Option<CallId> {
        self.call
    }

    /// Returns true if an instruction is in the same frame of the call stack.
    pub fn is_of(&self, code: &FrameCode) -> bool {
        self.call == code.call
    }

    /// Returns true if an instruction is in this frame or in an inlined function that it calls.
    pub fn contains(&self, code: &FrameCode) -> bool {
        let sites = &code.line.inlined_at;
        self.call == code.call && common(sites, self.sites.iter()) == self.sites.len()
    }

    /// Returns the frame that called this inlined function; none for a frame of the call stack.
    pub fn caller(&self) -> Option<Self> {
        let (_, sites) = self.sites.split_last()?;
        Some(Self {
            call: self.call,
            sites: sites.to_vec(),
        })
    }
}
