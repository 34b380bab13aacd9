//! Two open traces with their comparison ([`ComparedTraces`]), as the answers of `stepback compare`
//! read them.

use anyhow::Result;
use stepback_compare::{Comparison, StepNumbers, ThreadComparison, ThreadPair, TraceSide};
use stepback_debugger::analysis::profile_differences::FunctionDifference;
use stepback_debugger::analysis::step_places::step_record;
use stepback_debugger::image::SymbolAt;
use stepback_debugger::session::Session;
use stepback_index::answer::{StepRecord, ThreadId};
use stepback_machine::Address;

use crate::cli::report::Report;

/// Two open traces and their comparison.
#[derive(Clone, Copy)]
pub struct ComparedTraces<'a> {
    pub a: &'a Session,
    pub b: &'a Session,
    pub comparison: &'a Comparison,
    /// Functions with different costs; none if the traces are equal.
    pub functions: &'a [FunctionDifference],
}

impl<'a> ComparedTraces<'a> {
    /// Returns the session of a side.
    pub fn session(&self, side: TraceSide) -> &'a Session {
        match side {
            TraceSide::A => self.a,
            TraceSide::B => self.b,
        }
    }

    /// Returns the function at an address in one of the traces. If the second trace has no images
    /// of its own, its addresses are translated to those of the first.
    pub fn function_at(&self, side: TraceSide, address: Address) -> Option<FunctionAt<'a>> {
        let has_own = !self.a.images.has_same_files(&self.b.images);
        let (session, address) = match side {
            TraceSide::A => (self.a, address),
            TraceSide::B if has_own => (self.b, address),
            TraceSide::B => (self.a, Address(self.comparison.slides.to_first(address))),
        };
        let symbol = session.images.code_at(address)?;
        Some(FunctionAt {
            session,
            start: Address(address.0.wrapping_sub(symbol.offset)),
            symbol,
        })
    }

    /// Returns a reader of the steps of a thread on a side.
    pub fn steps(&self, threads: &ThreadComparison, side: TraceSide) -> ThreadSteps<'a> {
        let session = self.session(side);
        let thread = thread_of(threads.threads, side);
        ThreadSteps {
            session,
            numbers: StepNumbers::new(&session.index, thread),
        }
    }
}

/// A place in a function, with the trace whose images name it.
pub struct FunctionAt<'a> {
    pub session: &'a Session,
    pub start: Address,
    pub symbol: SymbolAt<'a>,
}

/// Returns the thread of a side.
pub fn thread_of(threads: ThreadPair, side: TraceSide) -> ThreadId {
    match side {
        TraceSide::A => threads.a,
        TraceSide::B => threads.b,
    }
}

/// The steps of a thread by their numbers within it.
pub struct ThreadSteps<'a> {
    session: &'a Session,
    numbers: StepNumbers<'a>,
}

impl ThreadSteps<'_> {
    /// Returns the step of the trace.
    pub fn number(&mut self, number: u64) -> Result<u64> {
        Ok(self.numbers.step(number)?.0)
    }

    /// Returns the contents of a step without its effects; `None` past the end.
    pub fn record(&mut self, number: u64, report: &Report<'_>) -> Result<Option<StepRecord>> {
        let step = self.numbers.step(number)?;
        let record = step_record(step, &self.session.index, &report.cancel)?;
        Ok(record.map(|record| StepRecord {
            effects: Vec::new(),
            ..record
        }))
    }
}
