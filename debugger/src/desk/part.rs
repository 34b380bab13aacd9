//! Replaces the part of the trace that is shown, when more of it is indexed or its index was
//! repaired.
//!
//! Folds and rows of the call tree are found again by the step that called, since a longer part
//! numbers calls differently. The worker's *epoch* marks answers of an earlier part as outdated.
//! Sessions of one trace share a *lineage*, which distinguishes another part from another trace.
//! During a repair everything else continues, and the query that met the damage is repeated
//! afterwards. The options for opening the trace again (another image, a new index, the rest of the
//! index) are made here too.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use stepback_parsers::Position;

use crate::action::{Action, TravelAction};
use crate::desk::desk::Desk;
use crate::desk::lookup::PlaceLookup;
use crate::desk::news::{DeskEvent, Message, Tone};
use crate::image::ImageSpec;
use crate::messages::{error_words, say};
use crate::model::{EndPolicy, TraceEndChange, Windows};
use crate::session::{Damage, IndexPolicy, OpenOptions, Session};
use crate::worker::{JobLane, Ticket};

impl Desk {
    /// Returns the number of steps of the newest part.
    fn newest_count(&self) -> u64 {
        self.part
            .as_ref()
            .map_or(&self.session, |part| &part.session)
            .index
            .step_count()
    }

    /// Shows a part whose windows are converted.
    fn show_part(&mut self, session: Arc<Session>, windows: Windows) {
        self.session = session;
        // A click may have activated another window meanwhile.
        let active = std::mem::replace(&mut self.windows, windows).active;
        self.windows.activate(active);
        self.begin_awaited();
        self.tell(DeskEvent::Part);
    }

    /// Receives more of the trace that is shown, or the whole of it. Positions, folds and panels
    /// stay. A part with fewer steps is ignored.
    pub fn begin_part(&mut self, session: Session, at_end: EndPolicy, arrival: PartExtent) {
        if arrival == PartExtent::More && session.index.step_count() < self.newest_count() {
            return;
        }
        let session = Arc::new(session.succeeding(&self.session));
        self.part = Some(PendingPart {
            session,
            at_end,
            arrival,
            windows: None,
        });
        self.advance_part();
    }

    /// Shows the arrived part as soon as its windows are converted.
    pub(super) fn advance_part(&mut self) {
        if self.moving.is_under_way() {
            return;
        }
        let Some(part) = self.part.as_mut() else {
            return;
        };
        let windows = part.windows.get_or_insert_with(|| {
            let (before, after) = (Arc::clone(&self.session), Arc::clone(&part.session));
            let (mut windows, at_end) = (self.windows.clone(), part.at_end);
            self.worker.spawn(JobLane::Short, move |_| {
                let to = TraceEndChange {
                    step_count: after.index.step_count(),
                    at_end,
                };
                windows.take_part(before.index.calls(), after.index.calls(), to);
                Ok(windows)
            })
        });
        let Some(answer) = windows.take() else { return };
        if let Some(part) = self.part.take() {
            self.end_part(part, answer);
        }
    }

    fn end_part(&mut self, part: PendingPart, windows: Result<Windows>) {
        let stated = self.session.notices.clone();
        match windows {
            Ok(windows) => self.show_part(part.session, windows),
            Err(error) => {
                self.end_mending();
                return self.fail(&say!("part-not-shown", error = error_words(&error)));
            }
        }
        self.worker.renew();
        if let Some(damage) = self.end_mending() {
            self.say(Message::new(Tone::Info, damage.notice()));
        }
        if part.arrival == PartExtent::Whole {
            self.tell(DeskEvent::Whole(stated));
        }
    }
}

/// Extent of an arriving part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartExtent {
    /// More of the trace follows.
    More,
    /// The part is the whole trace.
    Whole,
}

/// A part of the trace that has arrived and is not shown yet.
pub struct PendingPart {
    pub session: Arc<Session>,
    pub at_end: EndPolicy,
    pub arrival: PartExtent,
    /// The windows converted to this part; none before the conversion is requested.
    pub windows: Option<Ticket<Windows>>,
}

/// State of the repair of a damaged index.
#[derive(Default)]
pub enum RepairState {
    /// No damage was found.
    #[default]
    Unneeded,
    /// The repair is under way. The search that met the damage waits.
    UnderWay(Damage, Option<Box<PlaceLookup>>),
    /// The repair was made. Damage that appears again so soon cannot be repaired.
    Done,
}

impl Desk {
    /// Begins to repair the damage that a query met, unless something is being opened.
    pub(super) fn mend_what_was_met(&mut self) {
        if !self.is_opening
            && let Some(damage) = self.worker.take_damage()
        {
            self.mend(damage);
        }
    }

    /// Begins a repair, unless one is under way. Returns false if the damage cannot be repaired.
    pub(super) fn mend(&mut self, damage: Damage) -> bool {
        match self.mending {
            RepairState::UnderWay(..) => return true,
            RepairState::Done => return false,
            RepairState::Unneeded => {}
        }
        // The opening under way repairs the damage itself.
        let Some(options) = damage.mended(&self.options).filter(|_| !self.is_opening) else {
            return false;
        };
        self.mending = RepairState::UnderWay(damage, None);
        self.tell(DeskEvent::Mend(Box::new(options)));
        true
    }

    /// Holds a search until it can be repeated. Returns the search if no repair is under way.
    pub(super) fn hold(&mut self, lookup: PlaceLookup) -> Option<PlaceLookup> {
        match &mut self.mending {
            RepairState::UnderWay(_, held) => {
                *held = Some(Box::new(lookup));
                None
            }
            _ => Some(lookup),
        }
    }

    /// Ends the repair, successful or not, and repeats the queries that waited for it. Returns the
    /// damage if a repair was under way.
    pub fn end_mending(&mut self) -> Option<Damage> {
        let RepairState::UnderWay(damage, held) = &mut self.mending else {
            return None;
        };
        let (damage, held) = (*damage, held.take());
        self.mending = RepairState::Done;
        self.moving.release();
        if self.lookup.is_none() {
            let session = Arc::clone(&self.session);
            self.lookup = held.map(|lookup| lookup.requested_again(&session, &self.worker));
        }
        Some(damage)
    }
}

/// Result of resolving the place to begin at.
pub enum BeginAt {
    /// The position is shown once it is indexed.
    Awaited,
    /// The place cannot be resolved before the whole trace is indexed, and is resolved then.
    Held(String),
    /// The place is gone to by an action.
    Go(Action),
}

impl Desk {
    /// Returns options with one more image. An image that was found next to the trace is named from
    /// now on.
    pub fn options_with_image(&self, added: &ImageSpec) -> OpenOptions {
        let known = self
            .session
            .images
            .infos()
            .iter()
            .map(|info| info.spec.clone());
        let images = known
            .filter(|known| known.path != added.path)
            .chain([added.clone()])
            .collect();
        OpenOptions {
            images,
            ..self.options.clone()
        }
    }

    /// Returns options with one more directory for images.
    pub fn options_with_sysroot(&self, directory: PathBuf) -> OpenOptions {
        let known = self
            .options
            .sysroots()
            .iter()
            .filter(|known| **known != directory)
            .cloned();
        let sysroots = known.chain([directory.clone()]).collect();
        OpenOptions {
            sysroots,
            ..self.options.clone()
        }
    }

    /// Returns options to build the index again.
    pub fn options_to_reload(&self) -> OpenOptions {
        OpenOptions {
            policy: IndexPolicy::Force,
            ..self.options.clone()
        }
    }

    /// Returns options to index the rest of the trace.
    pub fn options_to_index_more(&self) -> OpenOptions {
        let policy = match self.options.policy {
            // The user now requests the index that was not to be built.
            IndexPolicy::InMemory | IndexPolicy::Never => IndexPolicy::Auto,
            policy @ (IndexPolicy::Auto | IndexPolicy::Force) => policy,
        };
        OpenOptions {
            policy,
            ..self.options.clone()
        }
    }

    /// Begins at a position that the user named. A position that is not indexed yet is awaited.
    pub fn begin_at(&mut self, place: String) -> BeginAt {
        match place.parse::<u64>() {
            Ok(position) if !self.session.index.is_whole() => {
                self.await_position(Position(position));
                BeginAt::Awaited
            }
            // Half of a part is not half of the trace, and a function may be called later.
            Err(_) if !self.session.index.is_whole() => BeginAt::Held(place),
            _ => BeginAt::Go(Action::Travel(TravelAction::GoTo(place))),
        }
    }
}
