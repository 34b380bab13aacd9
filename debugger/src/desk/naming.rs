//! Applies the names that the user gave to addresses to all places that show symbols.

use std::sync::Arc;

use stepback_machine::Address;

use super::desk::Desk;
use crate::image::AddressName;
use crate::notes::Bookmarks;
use crate::worker::{JobLane, Ticket};

/// Returns the names of bookmarks on memory.
fn names_of(bookmarks: &Bookmarks) -> Vec<AddressName> {
    let given = |(address, len_bytes, name): (u64, u64, &str)| AddressName {
        address: Address(address),
        len_bytes,
        name: name.to_owned(),
    };
    bookmarks.names().map(given).collect()
}

impl Desk {
    /// Applies the names if they changed. A worker builds the tables, and then all panels query
    /// again.
    pub(super) fn look_at_names(&mut self) {
        if self.part.is_some() {
            return;
        }
        if let Some(Ok(images)) = self.naming.job.as_ref().and_then(Ticket::take) {
            self.naming.job = None;
            self.session = Arc::new(self.session.with_images(images));
            self.worker.renew();
        }
        // There are few, and only those of memory: comparing is cheaper than to track every change
        // of bookmarks.
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
