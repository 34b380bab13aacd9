//! Options for opening the trace again: with another image, a new index, or the rest of the index.

use std::path::PathBuf;

use stepback_parsers::Position;

use super::desk::Desk;
use crate::action::{Action, TravelAction};
use crate::image::ImageSpec;
use crate::session::{IndexPolicy, OpenOptions};

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
            IndexPolicy::Never => IndexPolicy::Auto,
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
