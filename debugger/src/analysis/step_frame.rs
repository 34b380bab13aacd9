//! The frame in which a step by lines begins, with the inlined functions around it ([`StepFrame`]).
//!
//! As in gdb, an inlined function is a frame inside the one that calls it. The code of a deeper
//! inlined function counts for the line of its call, and a step may stop where it begins: the
//! function is then not entered yet.

use std::sync::Arc;

use stepback_index::answer::CallId;
use stepback_machine::Address;

use crate::image::{CodeOrigin, Images, InlineSite, SourceLine};

/// A source file and line.
pub type SourcePlace = (Arc<str>, u32);

/// A frame of the call stack, or an inlined function in one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

    /// Returns the line of the call of an inlined function, counted from the innermost one; none for 0.
    pub fn call_of(&self, function: usize) -> Option<SourcePlace> {
        let site = self.line.inlined_at.get(function.checked_sub(1)?)?;
        Some((Arc::clone(&site.file), site.line))
    }

    /// Returns the number of inlined functions, counted from the innermost one, that begin with the
    /// instruction.
    pub fn begun(&self, images: &Images) -> usize {
        begun_at(images, self.pc, &self.line)
    }
}

/// Returns the number of inlined functions, counted from the innermost one, that begin with an
/// instruction of a line.
pub fn begun_at(images: &Images, pc: Address, line: &SourceLine) -> usize {
    let before = images.origin_at(Address(pc.0.wrapping_sub(1)));
    let around = before.as_ref().map_or(&[][..], CodeOrigin::inlined_at);
    line.inlined_at.len() - common(&line.inlined_at, around.iter().rev())
}

/// Returns the number of calls, innermost first, that two instructions share from the outermost on.
fn common<'a>(sites: &[InlineSite], others: impl Iterator<Item = &'a InlineSite>) -> usize {
    let outward = sites.iter().rev().zip(others);
    outward.take_while(|(one, other)| one == other).count()
}

impl StepFrame {
    /// Returns a frame of the call stack, without inlined functions.
    pub fn of_call(call: Option<CallId>) -> Self {
        let sites = Vec::new();
        Self { call, sites }
    }

    /// Returns the frame of the call stack.
    pub fn call(&self) -> Option<CallId> {
        self.call
    }

    /// Returns the number of inlined functions between this frame and an instruction in it.
    pub fn inner_of(&self, code: &FrameCode) -> usize {
        code.line.inlined_at.len().saturating_sub(self.sites.len())
    }

    /// Returns the line of an instruction, or of the call in this frame that leads to it; none for an
    /// instruction outside the frame.
    pub fn place_of(&self, code: &FrameCode) -> Option<SourcePlace> {
        let is_inside = self.call == code.call && code.frame(0).sites.starts_with(&self.sites);
        let place = || code.call_of(self.inner_of(code)).unwrap_or(code.place());
        is_inside.then(place)
    }

    /// Returns true if the frame is an inlined function that another frame calls, maybe through
    /// others.
    pub fn is_inlined_in(&self, outer: &Self) -> bool {
        let is_deeper = self.sites.len() > outer.sites.len();
        self.call == outer.call && is_deeper && self.sites.starts_with(&outer.sites)
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
