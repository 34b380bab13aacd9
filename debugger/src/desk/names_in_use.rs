//! The names that the user gave to addresses.

use std::sync::Arc;

use crate::image::{GivenName, Images};
use crate::worker::Ticket;

/// The names in use, and those that are being put into use.
#[derive(Default)]
pub struct Naming {
    pub(super) names: Vec<GivenName>,
    pub(super) job: Option<Ticket<Arc<Images>>>,
}
