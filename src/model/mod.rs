//! Everything that the window decides without the toolkit: plain data, tested as text.

pub mod call_stack;
pub mod call_tree;
pub mod clock;
pub mod code;
pub mod compare;
pub mod doubt;
pub mod effects;
pub mod externals;
pub mod fatal_ending;
pub mod frame_words;
mod ground;
pub mod heap;
pub mod lane_view;
pub mod marker_lines;
pub mod markers;
pub mod memory;
pub mod names;
pub mod order_words;
pub mod register_detail;
pub mod register_part;
pub mod registers;
pub mod schedule;
pub mod scroll;
pub mod so_far;
mod source_choice;
pub mod source_view;
mod span;
pub mod status_words;
pub mod step_rows;
pub mod system_calls;
#[cfg(test)]
pub mod test_session;
pub mod text;
mod thread_walk;
pub mod threads;
pub mod timeline;
pub mod trace_notes;
mod trace_window;
pub mod traced_call;
mod windows;

pub use ground::Ground;
pub use source_choice::SourceChoice;
pub use span::{Meaning, Span};
pub use thread_walk::{Stride, ThreadWalk};
pub use trace_window::{AtEnd, TraceWindow};
pub use windows::Windows;
