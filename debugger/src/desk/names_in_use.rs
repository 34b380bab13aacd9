//! Names that the user gave to addresses.

use std::sync::Arc;

use crate::image::{AddressName, Images};
use crate::worker::Ticket;

/// The names in use, and the job that applies changed ones.
#[derive(Default)]
pub struct NamesInUse {
    pub(super) names: Vec<AddressName>,
    pub(super) job: Option<Ticket<Arc<Images>>>,
}
