//! Names that the user gives to addresses show wherever symbols do.

use std::sync::Arc;

use stepback_machine::Address;

use super::desk::Desk;
use crate::image::AddressName;
use crate::notes::Bookmarks;
use crate::worker::{JobLane, Ticket};

/// The names among bookmarks: those of memory.
fn names_of(bookmarks: &Bookmarks) -> Vec<AddressName> {
    let given = |(address, len_bytes, name): (u64, u64, &str)| AddressName {
        address: Address(address),
        len_bytes,
        name: name.to_owned(),
    };
    bookmarks.names().map(given).collect()
}

impl Desk {
    /// Puts the names into use where they changed: a worker makes the tables, and all panels ask again.
    pub(super) fn look_at_names(&mut self) {
        if self.part.is_some() {
            return;
        }
        if let Some(Ok(images)) = self.naming.job.as_ref().and_then(Ticket::take) {
            self.naming.job = None;
            self.session = Arc::new(self.session.with_images(images));
            self.worker.renew();
        }
        // Few, and only those of memory: cheaper than to notice each way in which bookmarks change.
        let is_same = self
            .naming
            .names
            .iter()
            .map(|known| (known.address.0, known.len_bytes, &*known.name));
        if self.naming.job.is_some() || is_same.eq(self.bookmarks.names()) {
            return;
        }
        let names = names_of(&self.bookmarks);
        self.naming.names.clone_from(&names);
        let images = Arc::clone(&self.session.images);
        self.naming.job = Some(self.worker.spawn(JobLane::Short, move |_| {
            Ok(Arc::new(images.with_names(&names)))
        }));
    }
}
