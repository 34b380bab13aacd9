//! Memory at a position.

mod address;
mod byte;
mod scroll;
mod search;
#[cfg(test)]
mod tests;
mod view;

pub use byte::ByteAction;
pub use scroll::MemoryLayout;
pub use view::{MemoryMove, MemoryView};
