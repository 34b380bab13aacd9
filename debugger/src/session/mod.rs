//! An open trace: its format detected, its index found or built, its images loaded.
//!
//! The index is next to the trace, else in the user's cache directory, else in memory. An image
//! that the user did not name and that does not fit the trace is left out; one that was named
//! stays, with a notice.
//!
//! ```no_run
//! use stepback_debugger::session::{self, OpenOptions};
//!
//! let options = OpenOptions::new("run.tarmac");
//! let session = session::open(&options, &Default::default(), &Default::default())?;
//! println!("{} steps", session.index.step_count());
//! # Ok::<(), anyhow::Error>(())
//! ```

mod companions;
mod image_check;
mod images;
mod input;
mod notice;
mod open;
mod options;
mod places;
mod second_trace;
mod session_place;
#[cfg(any(test, feature = "test-session"))]
#[expect(clippy::expect_used, reason = "only tests ask for it")]
pub mod test_session;
mod trace_files;
mod two_traces;

pub use crate::session::notice::{Damage, FileError, source_error_text};
pub use crate::session::open::OpeningObserver;
pub use crate::session::places::{demo_path, is_demo, is_same_file};
pub use companions::Companions;
pub use input::{Input, read_template};
pub use notice::{Notice, NoticeKind};
pub use open::{Session, TraceChange, no_tail_calls, open, open_watched};
pub use options::{IndexPolicy, OpenOptions};
pub use second_trace::SecondTrace;
pub use session_place::{
    OverwritePolicy, SessionSaveError, is_session, kept_file, kept_place, place_before,
    read_session, session_place, session_places, set_aside, trace_of, write_session,
};
pub use trace_files::{
    TraceFiles, TracesInside, format_of_file, format_of_folder, format_of_name, is_trace_file,
    natural_key, trace_bytes,
};
pub use two_traces::are_two_traces;
