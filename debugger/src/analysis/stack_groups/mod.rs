//! Hits of a search by the call stacks that their steps stood in.

mod groups;
mod stacks;

pub use self::groups::{GroupKey, StackGroup, StackGroups};
pub use self::stacks::{CallStackId, CallStackSet, frame_around};
