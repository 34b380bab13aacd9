//! Stop points that a client set, with their conditions.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use serde_json::Value as Json;
use stepback_debugger::analysis::run_control::{StopPoints, WatchedRange};
use stepback_debugger::session::Session;
use stepback_index::read::VisitReader;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;

use super::conditions::{ConditionOutcome, StopCondition, StopPlace};
use super::hits::HitCondition;
use super::log_points::LogMessage;

/// Maximum number of stop points.
pub const STOP_POINTS: usize = 4096;

/// Request by which a client sets and replaces breakpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BreakpointOrigin {
    /// Lines of a file, by the client's path.
    File(String),
    Functions,
    Instructions,
}

/// Options of a code breakpoint.
#[derive(Clone, Debug)]
pub struct BreakpointOptions {
    pub condition: StopCondition,
    pub hits: Option<HitCondition>,
    /// Message to show instead of a stop.
    pub log: Option<LogMessage>,
}

/// A breakpoint in code.
#[derive(Clone, Debug)]
pub struct CodeBreakpoint {
    pub id: u64,
    pub origin: BreakpointOrigin,
    pub addresses: Vec<Address>,
    /// Name of the function whose breakpoint it is.
    pub function: Option<String>,
    pub options: BreakpointOptions,
    /// Source and line for messages, as clients see them.
    pub shown_at: Option<Json>,
}

/// A breakpoint of memory.
#[derive(Clone, Debug)]
pub struct DataBreakpoint {
    pub id: u64,
    pub watched: WatchedRange,
    pub condition: StopCondition,
}

/// All stop points of a client.
#[derive(Clone, Default)]
pub struct Breakpoints {
    count: u64,
    code: Vec<CodeBreakpoint>,
    data: Vec<DataBreakpoint>,
}

impl CodeBreakpoint {
    /// Evaluates the conditions.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn outcome(
        &self,
        session: &Session,
        at: StopPlace,
        cancel: &Cancel,
    ) -> Result<ConditionOutcome, QueryError> {
        if let Some(hits) = self.options.hits {
            let mut before = 0;
            for pc in &self.addresses {
                before += VisitReader(&session.index).visit_count_before(*pc, at.position)?;
            }
            if !hits.holds(before + 1) {
                return Ok(ConditionOutcome::False);
            }
        }
        let outcome = self.options.condition.outcome(session, at, cancel);
        cancel.check()?;
        Ok(outcome)
    }
}

impl Breakpoints {
    /// Returns a new number.
    pub fn next_id(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    /// Removes the breakpoints of an earlier request.
    pub fn remove(&mut self, origin: &BreakpointOrigin) {
        self.code.retain(|known| known.origin != *origin);
    }

    pub fn remove_data(&mut self) {
        self.data.clear();
    }

    /// Adds a breakpoint.
    ///
    /// # Errors
    /// There are too many.
    pub fn add(&mut self, breakpoint: CodeBreakpoint) -> Result<()> {
        let addresses: usize = self.code.iter().map(|known| known.addresses.len()).sum();
        ensure!(
            addresses + breakpoint.addresses.len() <= STOP_POINTS,
            "there are too many breakpoints"
        );
        self.code.push(breakpoint);
        Ok(())
    }

    /// Adds a data breakpoint.
    ///
    /// # Errors
    /// There are too many.
    pub fn add_data(&mut self, breakpoint: DataBreakpoint) -> Result<()> {
        ensure!(
            self.data.len() < STOP_POINTS,
            "there are too many data breakpoints"
        );
        self.data.push(breakpoint);
        Ok(())
    }

    /// Returns the breakpoints at an address.
    pub fn at(&self, pc: Address) -> impl Iterator<Item = &CodeBreakpoint> {
        self.code
            .iter()
            .filter(move |breakpoint| breakpoint.addresses.contains(&pc))
    }

    /// Returns the data breakpoints of a range.
    pub fn of_range(&self, watched: WatchedRange) -> impl Iterator<Item = &DataBreakpoint> {
        self.data
            .iter()
            .filter(move |breakpoint| breakpoint.watched == watched)
    }

    /// Returns the places where the program may stop.
    pub fn points(&self) -> StopPoints {
        let addresses = self.code.iter().flat_map(|known| &known.addresses);
        let code: BTreeSet<Address> = addresses.copied().collect();
        let mut data: Vec<WatchedRange> = Vec::new();
        for watched in self.data.iter().map(|known| known.watched) {
            if !data.contains(&watched) {
                data.push(watched);
            }
        }
        StopPoints { code, data }
    }
}
