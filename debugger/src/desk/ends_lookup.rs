//! Finds the two ends of a call, so that they can be compared.

use anyhow::Result;
use stepback_index::CallId;
use stepback_parsers::Position;

use super::found::LookupResult;
use crate::messages::say;
use crate::model::timeline::{here, steps_of};
use crate::session::Session;

/// Query for the ends of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallEndsLookup {
    /// Number in the call table; none: the innermost call around the position.
    pub call: Option<CallId>,
    /// Position that the call must contain if `call` is none.
    pub at: Position,
}

impl CallEndsLookup {
    /// Looks the call up in the call table.
    ///
    /// # Errors
    /// See [`stepback_index::QueryError`].
    pub fn answer(self, session: &Session) -> Result<LookupResult> {
        let range = match self.call {
            Some(call) => session
                .index
                .calls()
                .get(call)
                .map(|call| steps_of(session, &call)),
            None => here(session, self.at)?.around.first().copied(),
        };
        Ok(range.map_or_else(
            || LookupResult::Nothing(say!("lookup-there-is-no-call-around").to_owned()),
            LookupResult::Ends,
        ))
    }
}
