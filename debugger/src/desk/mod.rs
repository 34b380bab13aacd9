//! State of an open trace and the actions on it, without a toolkit. The window and the terminal
//! browser share a [`Desk`].
//!
//! A front end passes actions through a [`ActionQueue`], picks up results as [`DeskEvent`] and never calls
//! anything that blocks: queries run on the worker.

mod access;
mod answers;
mod arriving_part;
mod blocks;
mod call_lookup;
mod choice;
#[expect(
    clippy::module_inception,
    reason = "the file bears the name of its type"
)]
mod desk;
mod ends_lookup;
mod external_lookup;
mod find;
mod find_state;
mod found;
mod functions_state;
mod growing;
mod hit_lookup;
mod kept;
mod kept_marks;
mod kept_session;
mod lookup;
mod marks;
mod mend_state;
mod mending;
mod moment_lookup;
mod moving;
mod names_in_use;
mod naming;
mod news;
mod opening;
mod own_finds;
mod own_slices;
mod palette_items;
mod part;
mod pending_moves;
mod places;
mod queue;
mod reached;
pub mod recent;
mod reopening;
mod saver;
mod script;
mod slice_list;
mod slice_state;
mod slices;
mod status;
mod stream;
#[cfg(any(test, feature = "test-session"))]
mod test_desk;
mod threads_slot;
mod undo;
mod watch;
pub mod words;

pub use access::LineGoal;
pub use answers::thread_named;
pub use arriving_part::PartExtent;
pub use blocks::{BlockItem, Blocks};
pub use call_lookup::FunctionReference;
pub use choice::{SessionPolicy, TraceChoice};
pub use desk::Desk;
pub use find_state::{FindState, HISTORY};
pub use functions_state::{FunctionsContext, FunctionsState};
pub use kept::{MissingFiles, SavedSession, SessionPlaces, TraceMissing};
pub use kept_marks::NotesSnapshot;
pub use lookup::PlaceLookup;
pub use news::{DeskEvent, Message, Tone};
pub use opening::{OpenedTrace, Opening, OpeningEvent, OpeningMode, OpeningProgress};
pub use own_finds::{PanelSearches, SearchContext};
pub use own_slices::PanelSlices;
pub use palette_items::{PaletteChoice, PaletteItem, PaletteKey, PaletteSources, items};
pub use places::PlaceSuggestions;
pub use queue::ActionQueue;
pub use recent::{RecentState, RecentTrace};
pub use reopening::BeginAt;
pub use saver::{PlaceContent, SaveEvent, SavePlace, SaveReason, Saver};
pub use script::Script;
pub use slice_list::SliceList;
pub use slice_state::SliceState;
pub use status::{PositionStatus, StatusSlot, status_at};
pub use stream::AnswerStream;
#[cfg(any(test, feature = "test-session"))]
pub use test_desk::desk_over;
pub use threads_slot::ThreadsSlot;
pub use undo::UndoStack;
pub use watch::{SessionChange, SessionWatch};
