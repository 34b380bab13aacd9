//! Address, time and module of a position, for other programs ([`SyncPlace`]).

use stepback_index::answer::StepRecord;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::analysis::step_places::step_record;
use crate::session::Session;

/// The instruction at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncPlace {
    /// Address of the step after the position; at the end, that of the last step.
    pub pc: Address,
    /// Recorded time of that step.
    pub time: Option<u64>,
    /// The module that contains the address.
    pub module: SyncModule,
}

/// A mapped file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncModule {
    pub file: String,
    /// Lowest address.
    pub base: Address,
}

impl SyncPlace {
    /// Reads the instruction at a position; `None` for a trace without steps.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn at(
        session: &Session,
        position: Position,
        cancel: &Cancel,
    ) -> Result<Option<Self>, QueryError> {
        let Some(record) = record_at(session, position, cancel)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            pc: record.pc,
            time: record.time,
            module: module_of(session, record.pc),
        }))
    }
}

fn record_at(
    session: &Session,
    position: Position,
    cancel: &Cancel,
) -> Result<Option<StepRecord>, QueryError> {
    match step_record(Step(position.0), &session.index, cancel)? {
        Some(record) => Ok(Some(record)),
        None => match position.last_step() {
            Some(last) => step_record(last, &session.index, cancel),
            None => Ok(None),
        },
    }
}

/// Returns the mapped file that contains an address. Without an image, the trace takes its place: a
/// disassembler may give the name to its own file.
fn module_of(session: &Session, pc: Address) -> SyncModule {
    let mapped = session.images.mapped();
    let contains = |first: Address, len: u64| pc.0.wrapping_sub(first.0) < len;
    let found = mapped
        .iter()
        .find(|range| contains(range.first, range.len_bytes));
    let Some(found) = found else {
        let name = session.path.file_stem().unwrap_or(session.path.as_os_str());
        return SyncModule {
            file: name.to_string_lossy().into_owned(),
            base: Address(0),
        };
    };
    SyncModule {
        file: found.file.to_string(),
        base: found.base,
    }
}
