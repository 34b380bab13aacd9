//! An open trace: its format detected, its index found or built, its images loaded.
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
mod damage;
mod demo;
mod file_error;
mod image_check;
mod image_search;
mod images;
mod input;
mod notice;
mod open;
mod open_command;
mod options;
mod places;
mod same_file;
mod session_place;
#[cfg(any(test, feature = "test-session"))]
#[expect(clippy::expect_used, reason = "only tests ask for it")]
pub mod test_session;
mod trace_files;
mod watch;

pub use companions::Companions;
pub use damage::Damage;
pub use demo::demo_path;
pub use file_error::FileError;
pub use input::Input;
pub use notice::{Notice, NoticeKind};
pub use open::{Session, TraceChange, no_tail_calls, open, open_watched};
pub use options::{IndexPolicy, OpenOptions};
pub use same_file::is_same_file;
pub use session_place::{
    OverwritePolicy, ReadSession, SessionSaveError, is_session, kept_file, kept_place,
    place_before, read_session, session_place, session_places, set_aside, trace_of, write_session,
};
pub use trace_files::{
    TraceFiles, TracesInside, format_of_folder, format_of_name, is_trace_file, natural_key,
    trace_bytes,
};
pub use watch::OpeningObserver;
