//! RISC-V commit logs: what simulators and cores print for each instruction that they commit.
//!
//! One reader serves the family. The beginning of a text decides about the [`Dialect`]; the lines
//! of Spike, CVA6, Rocket, BOOM and Dromajo differ so little that one dialect contains them all.
//! `line` recognises a line and says where a chunk begins; `quick` reads the usual steps whole; `commit`, `table`, `whisper`, `sail` and
//! `rvls` add the lines of their dialects to a step.

mod access;
mod commit;
mod format;
mod line;
mod quick;
mod registers;
mod rvls;
mod sail;
mod table;
mod transition;
mod whisper;

pub(crate) use crate::commit_log::format::CommitLog;
pub(crate) use crate::commit_log::line::is_commit_log_line;
