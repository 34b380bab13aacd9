//! Text logs whose lines the user describes: the reader (`DescribedLog`) and a trial of a description
//! ([`LayoutTrial`]).

mod log;
mod trial;

pub(crate) use crate::described_log::log::DescribedLog;
pub use crate::described_log::trial::{LayoutTrial, PatternTrial};
