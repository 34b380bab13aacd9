//! Groups the hits of a search by call stack.

mod groups;

pub use self::groups::{GroupKey, StackGroup, StackGroups};
pub use crate::analysis::stack_groups::groups::{CallStackId, CallStackSet, frame_around};
