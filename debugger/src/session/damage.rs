//! Damaged files of this program that a query met. They are made again, and the query is repeated.

use std::error::Error;

use stepback_index::QueryError;
use stepback_parsers::step_store::DamagedCopy;

use super::{IndexPolicy, OpenOptions};

/// A damaged file that a query met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    Index,
    /// The copy of the trace's records; it is already removed.
    Copy,
}

impl Damage {
    /// Returns the damage that an error or one of its sources reports.
    pub fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if matches!(error.downcast_ref(), Some(QueryError::Damaged { .. })) {
                return Some(Self::Index);
            }
            if error.downcast_ref().is_some_and(DamagedCopy::is_in) {
                return Some(Self::Copy);
            }
            next = error.source();
        }
        None
    }

    /// Returns options that open the trace and make the damaged file again; none if nothing may be
    /// built.
    pub fn mended(self, options: &OpenOptions) -> Option<OpenOptions> {
        let policy = match (options.policy, self) {
            (IndexPolicy::Never, _) => return None,
            (_, Self::Index) => IndexPolicy::Force,
            (policy, Self::Copy) => policy.once_opened(),
        };
        Some(OpenOptions {
            policy,
            ..options.clone()
        })
    }

    /// Returns the notice for the user, as one sentence without a full stop.
    pub fn notice(self) -> &'static str {
        match self {
            Self::Index => "the index was damaged and was rebuilt",
            Self::Copy => "the copy of the trace's records was damaged and was made again",
        }
    }
}
