//! Where a call begins and ends, so that both can be compared.

use anyhow::Result;
use stepback_index::CallId;
use stepback_parsers::Position;

use super::found::LookupResult;
use crate::messages::say;
use crate::model::timeline::{here, steps_of};
use crate::session::Session;

/// A question about a call as the user asks it.
#[derive(Clone, Copy, Debug)]
pub struct CallEndsLookup {
    /// Its number in the call table; without it, the innermost around the position is meant.
    pub call: Option<CallId>,
    /// Where.
    pub at: Position,
}

impl CallEndsLookup {
    /// Looks into the table of calls.
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
