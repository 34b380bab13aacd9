//! State of an open trace and the actions on it, without a toolkit.
//!
//! The window and the terminal browser both have a [`Desk`]. They pass actions through an
//! [`ActionQueue`], pick up results as [`DeskEvent`]s, and never call anything that blocks: queries
//! run on the worker.

mod access;
mod blocks;
#[expect(
    clippy::module_inception,
    reason = "the file bears the name of its type"
)]
mod desk;
mod differences;
mod find;
mod find_state;
mod found;
mod functions_state;
mod growing;
mod kept;
mod kept_session;
mod lookup;
mod marks;
mod moment_lookup;
mod moving;
mod news;
mod opening;
mod palette_items;
mod part;
mod queue;
pub mod recent;
mod saver;
mod slice_list;
mod slice_state;
mod status;
#[cfg(any(test, feature = "test-session"))]
mod test_desk;
mod trace_comparison;
pub mod words;

pub use crate::desk::desk::thread_named;
pub use crate::desk::find_state::PanelSearches;
pub use crate::desk::found::FunctionReference;
pub use crate::desk::growing::AnswerStream;
pub use crate::desk::opening::{SessionPolicy, TraceChoice};
pub use crate::desk::palette_items::PlaceSuggestions;
pub use crate::desk::part::{BeginAt, PartExtent};
pub use crate::desk::queue::{Script, UndoStack};
pub use crate::desk::slice_state::PanelSlices;
pub use crate::desk::status::{SessionChange, SessionWatch, ThreadsSlot};
pub use blocks::{BlockItem, Blocks};
pub use desk::Desk;
pub use find_state::{FindState, HISTORY};
pub use functions_state::FunctionsState;
pub use kept::{MissingFiles, SavedSession, SessionPlaces, TraceMissing};
pub use lookup::PlaceLookup;
pub use news::{DeskEvent, Message, NotesSnapshot, Tone};
pub use opening::{OpenedTrace, Opening, OpeningEvent, OpeningMode, OpeningProgress};
pub use palette_items::{PaletteChoice, PaletteItem, PaletteKey, PaletteSources, items};
pub use queue::ActionQueue;
pub use recent::{RecentState, RecentTrace};
pub use saver::{PlaceContent, SaveEvent, SavePlace, SaveReason, Saver};
pub use slice_list::SliceList;
pub use slice_state::SliceState;
pub use status::{PositionStatus, StatusSlot, position_label, status_at};
pub use trace_comparison::{ComparisonStatus, TraceComparison};

#[cfg(any(test, feature = "test-session"))]
pub use test_desk::desk_over;
