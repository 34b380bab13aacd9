//! Files of ours that a question found damaged: they are made again, and the question is asked again.

use std::error::Error;

use stepback_index::QueryError;
use stepback_parsers::step_store::DamagedCopy;

use super::{IndexPolicy, OpenOptions};

/// What a question found damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The index.
    Index,
    /// The copy of the trace's records; it is removed already.
    Copy,
}

impl Damage {
    /// What an error tells of, itself or by what is behind it.
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

    /// How the trace is opened so that what is damaged is made again; none where nothing may be made.
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

    /// What the user should know, as one sentence without its end.
    pub fn notice(self) -> &'static str {
        match self {
            Self::Index => "the index was damaged and was rebuilt",
            Self::Copy => "the copy of the trace's records was damaged and was made again",
        }
    }
}
