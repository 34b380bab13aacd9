//! Groups the hits of a search by call stack.

mod groups;
mod stacks;

pub use self::groups::{GroupKey, StackGroup, StackGroups};
pub use self::stacks::{CallStackId, CallStackSet, frame_around};
