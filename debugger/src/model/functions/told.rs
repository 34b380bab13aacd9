//! Function profile of a part of the trace.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use stepback_index::{Cancel, FrameEntry, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::flame::FlameGraph;
use super::table::function_table;
use crate::action::{CallMeasure, StepRange};
use crate::analysis::call_profile::{CallProfile, FunctionUsage, Progress, call_profile};
use crate::model::names::{frame_name, function_name};
use crate::model::table::Table;
use crate::session::Session;

/// Functions of a part of the trace: measured, named, listed, and merged by stack.
#[derive(Debug)]
pub struct FunctionProfile {
    /// Profiled range; none for the whole trace.
    pub part: Option<StepRange>,
    pub profile: CallProfile,
    /// Function names, by index in the profile.
    pub names: Vec<Arc<str>>,
    /// Table of functions, those with the most own steps first.
    pub table: Arc<Table>,
    /// Flame graph by steps.
    by_steps: FlameGraph,
    /// Flame graph by time, if the trace records times.
    by_time: Option<FlameGraph>,
    places: HashMap<Address, u32>,
}

impl FunctionProfile {
    /// Profiles and names the functions. Runs on a worker. Cost: grows with the calls in the range.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn of(
        session: &Session,
        part: Option<StepRange>,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Self> {
        let end = session.index.end();
        let steps = part.map_or(Position(0)..end, |part| part.first..part.last);
        let profile = call_profile(&session.index, &steps, progress, cancel)?;
        let names = profile
            .functions
            .iter()
            .map(|function| name_of(session, function, cancel));
        let names = names.collect::<Result<Vec<_>, _>>()?;
        let by_time = profile
            .has_clock
            .then(|| FlameGraph::new(&profile, CallMeasure::Time));
        let places = (0u32..)
            .zip(&profile.functions)
            .map(|(place, function)| (function.address, place))
            .collect();
        Ok(Self {
            part,
            table: Arc::new(function_table(session, &profile, &names)),
            by_steps: FlameGraph::new(&profile, CallMeasure::Steps),
            by_time,
            names,
            places,
            profile,
        })
    }

    /// Returns the flame graph for a measure; that for steps if the trace records no times.
    pub fn graph(&self, measure: CallMeasure) -> &FlameGraph {
        match (measure, &self.by_time) {
            (CallMeasure::Time, Some(by_time)) => by_time,
            _ => &self.by_steps,
        }
    }

    /// Returns the measure that [`Self::graph`] uses.
    pub fn measure(&self, wished: CallMeasure) -> CallMeasure {
        if self.by_time.is_some() {
            wished
        } else {
            CallMeasure::Steps
        }
    }

    /// Returns the index of a function.
    pub fn place_of(&self, address: Address) -> Option<u32> {
        self.places.get(&address).copied()
    }

    /// Returns a function by index.
    pub fn function(&self, place: u32) -> Option<&FunctionUsage> {
        self.profile.functions.get(place as usize)
    }

    /// Returns the name of a function by index.
    pub fn name(&self, place: u32) -> &str {
        self.names.get(place as usize).map_or("", |name| name)
    }
}

/// Names a function; a handler is named after its trap.
fn name_of(
    session: &Session,
    function: &FunctionUsage,
    cancel: &Cancel,
) -> Result<Arc<str>, QueryError> {
    let example = session.index.calls().get(function.example);
    Ok(
        match example.filter(|call| call.entered == FrameEntry::Exception) {
            Some(call) => frame_name(session, &call, cancel)?.into(),
            None => function_name(&session.images, function.address).into(),
        },
    )
}
